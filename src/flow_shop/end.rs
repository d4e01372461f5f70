/// The end of a partial sequence at which a job is added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Front,
    Back,
}

impl End {
    pub(super) const BOTH: [End; 2] = [End::Front, End::Back];

    pub(super) fn other(self) -> End {
        match self {
            End::Front => End::Back,
            End::Back => End::Front,
        }
    }
}
