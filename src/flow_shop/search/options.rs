use super::tabu::{Evaluation, Neighbourhood};
use crate::{Error, Result};

/// How the searches work; see [`Method`](super::super::Method).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchOptions {
    /// Most nodes that beam search keeps of a level. By default it widens until time or memory ends it, and to a width
    /// by the size of the instance where no time is given.
    pub beam_width: Option<usize>,
    /// Trajectories at once. By default 1 of tabu search, and of iterated greedy search one for each thread, or 4 where
    /// iterations are limited or time is not, so that the result does not depend on the machine.
    pub trajectories: Option<usize>,
    /// Which sequences tabu search looks at. Default: insertions.
    pub neighbourhood: Neighbourhood,
    /// How tabu search computes the makespans of swaps. By default with heads and tails, which was the fastest for all
    /// sizes measured, or as fast as any.
    pub evaluation: Option<Evaluation>,
    /// Generations for which tabu search does not return to a sequence.
    pub tenure: u32,
    /// On a device, keep each swap's column of completion times in local memory, as the method was published, not in
    /// registers.
    pub local_columns: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        SearchOptions {
            beam_width: None,
            trajectories: None,
            neighbourhood: Neighbourhood::default(),
            evaluation: None,
            tenure: 10,
            local_columns: false,
        }
    }
}

impl SearchOptions {
    pub(in crate::flow_shop) fn check(&self) -> Result<()> {
        let zero = |argument| Err(Error::argument(argument, "must be at least 1"));
        if self.beam_width == Some(0) {
            return zero("beam_width");
        }
        if self.trajectories == Some(0) {
            return zero("trajectories");
        }
        if self.tenure == 0 {
            return zero("tenure");
        }
        if self.tenure > MAX_TENURE {
            return Err(Error::argument("tenure", format!("must be at most {MAX_TENURE}")));
        }
        if self.trajectories.is_some_and(|trajectories| trajectories > MAX_TRAJECTORIES) {
            return Err(Error::argument("trajectories", format!("must be at most {MAX_TRAJECTORIES}")));
        }
        Ok(())
    }
}

/// More trajectories than this are a mistake.
const MAX_TRAJECTORIES: usize = 1 << 16;
/// The whole list is compared in each generation.
const MAX_TENURE: u32 = 1 << 12;
