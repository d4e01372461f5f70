use super::{Evaluation, Neighbourhood, TabuList};
use crate::flow_shop::Method;
use crate::{Error, Limits, Result};

/// Parameters of the searches; see [`Method`](super::super::Method).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchOptions {
    /// Most nodes that beam search keeps of a level. By default the beam widens until time or
    /// memory ends it, or, without a time limit, up to a width that depends on the instance's size.
    /// If the memory limit restricts the width, the result depends on that limit.
    /// [`Method::Auto`] refuses a width for instances for which it takes no beam.
    pub beam_width: Option<usize>,
    /// Number of concurrent trajectories. The default is 1 for tabu search. For iterated greedy
    /// search it is one per thread, on a device as many as keep it busy. With an iteration limit or
    /// without a time limit it is 4, so that the result does not depend on the machine.
    pub trajectories: Option<usize>,
    /// The neighbourhood of tabu search. Default: insertions.
    pub neighbourhood: Neighbourhood,
    /// How tabu search computes the makespans of swaps; refused for insertions. Default: with heads
    /// and tails, which was at least as fast as the others for all sizes measured.
    pub evaluation: Option<Evaluation>,
    /// What the tabu list forbids. Default: attributes.
    pub tabu_list: TabuList,
    /// Generations for which the tabu list forbids a return.
    pub tenure: u32,
    /// On a device, keep each swap's column of completion times in local memory, as published,
    /// instead of registers. For swaps with any evaluation but heads and tails.
    pub local_columns: bool,
}

impl Default for SearchOptions {
    fn default() -> Self {
        SearchOptions {
            beam_width: None,
            trajectories: None,
            neighbourhood: Neighbourhood::default(),
            evaluation: None,
            tabu_list: TabuList::default(),
            tenure: 10,
            local_columns: false,
        }
    }
}

impl SearchOptions {
    /// Refuses options that do not fit together, and limits that allow no search at all.
    pub(in crate::flow_shop) fn check(&self, method: Method, limits: &Limits) -> Result<()> {
        if method.searches() && limits.iterations == Some(0) {
            return Err(Error::argument("iteration_limit", "must be at least 1"));
        }
        if self.neighbourhood == Neighbourhood::Insertion && self.evaluation.is_some() {
            return Err(Error::argument("evaluation", "applies only to swaps"));
        }
        let has_columns = match self.evaluation {
            None | Some(Evaluation::HeadsAndTails) => false,
            Some(Evaluation::Full | Evaluation::Stored | Evaluation::Prefix) => true,
        };
        if self.local_columns && !(self.neighbourhood == Neighbourhood::Swap && has_columns) {
            let reason = "applies only to swaps, and not with heads and tails";
            return Err(Error::argument("local_columns", reason));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let none = SearchOptions::default();
        let contradictions = [
            (
                SearchOptions { evaluation: Some(Evaluation::Full), ..none },
                "evaluation: applies only to swaps",
            ),
            (
                SearchOptions { local_columns: true, ..none },
                "local_columns: applies only to swaps, and not with heads and tails",
            ),
            (
                SearchOptions { local_columns: true, neighbourhood: Neighbourhood::Swap, ..none },
                "local_columns: applies only to swaps, and not with heads and tails",
            ),
        ];
        for (options, message) in contradictions {
            let error = options.check(Method::Auto, &Limits::default()).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
        for method in Method::ALL {
            let refused = none.check(method, &Limits { iterations: Some(0), ..Limits::default() });
            assert_eq!(refused.is_err(), method.searches(), "{method:?}");
            assert!(
                refused.is_ok()
                    || refused.unwrap_err().to_string() == "iteration_limit: must be at least 1"
            );
            assert!(
                none.check(
                    method,
                    &Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() }
                )
                .is_ok()
            );
        }
    }
}
