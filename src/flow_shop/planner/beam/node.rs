use super::super::scoring::Tally;

/// A node without its rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Its sums include what the order of its jobs and the free ones costs already.
    pub(super) tally: Tally,
    pub(super) last: Option<u32>,
    /// The estimated delay of later jobs by the waste so far.
    pub(super) delay: f32,
    /// Sums over the free jobs for the first stage: factors of the flow time, and these times the
    /// release times.
    pub(super) open_flow: i64,
    pub(super) open_release: i64,
}

/// A node with its rows.
#[derive(Clone, Copy)]
pub(super) struct NodeView<'a> {
    pub(super) node: &'a Node,
    pub(super) front: &'a [u32],
    /// The work left on each machine; empty unless the makespan counts.
    pub(super) work: &'a [u32],
    pub(super) placed: &'a [u64],
}

impl NodeView<'_> {
    #[inline(always)]
    pub(super) fn is_free(&self, number: u32) -> bool {
        self.placed[number as usize / 64] >> (number % 64) & 1 == 0
    }
}
