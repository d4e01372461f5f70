use super::{Evaluation, Neighbourhood, TabuList};
use crate::flow_shop::Method;
use crate::flow_shop::method::Given;
use crate::{Error, Limits, Result};

/// Parameters of the searches; see [`Method`](super::super::Method).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchOptions {
    /// Most nodes that beam search keeps of a level. By default the beam widens until time or
    /// memory ends it, or, without a time limit, up to a width that depends on the instance's size.
    /// If the memory limit restricts the width, the result depends on that limit.
    pub beam_width: Option<usize>,
    /// Number of concurrent trajectories. The default is 1 for tabu search. For iterated greedy
    /// search it is one per thread, or 4 with an iteration limit or without a time limit, so that
    /// the result does not depend on the machine.
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
    /// instead of registers. For swaps with full evaluation or with prefix reuse.
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
    /// The names of the options, whether each was set, and the methods that use it.
    pub(in crate::flow_shop) fn given(&self) -> [Given; 7] {
        const TABU: &[Method] = &[Method::Tabu];
        let default = SearchOptions::default();
        [
            ("beam_width", self.beam_width.is_some(), &[Method::Beam, Method::Auto]),
            (
                "trajectories",
                self.trajectories.is_some(),
                &[Method::Tabu, Method::IteratedGreedy, Method::Auto],
            ),
            ("neighbourhood", self.neighbourhood != default.neighbourhood, TABU),
            ("evaluation", self.evaluation.is_some(), TABU),
            ("tabu_list", self.tabu_list != default.tabu_list, TABU),
            ("tenure", self.tenure != default.tenure, TABU),
            ("local_columns", self.local_columns, TABU),
        ]
    }

    /// Refuses invalid options, and limits that allow no search at all.
    pub(in crate::flow_shop) fn check(&self, method: Method, limits: &Limits) -> Result<()> {
        let zero = |argument| Err(Error::argument(argument, "must be at least 1"));
        if method.searches() && limits.iterations == Some(0) {
            return zero("iteration_limit");
        }
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
            return Err(Error::argument(
                "trajectories",
                format!("must be at most {MAX_TRAJECTORIES}"),
            ));
        }
        if self.neighbourhood == Neighbourhood::Insertion && self.evaluation.is_some() {
            return Err(Error::argument("evaluation", "is for swaps alone"));
        }
        if self.local_columns
            && !(self.neighbourhood == Neighbourhood::Swap
                && matches!(self.evaluation, Some(Evaluation::Full | Evaluation::Prefix)))
        {
            let reason = "is for swaps alone that are evaluated in full or with the prefix reused";
            return Err(Error::argument("local_columns", reason));
        }
        Ok(())
    }
}

/// A larger number of trajectories is a mistake.
const MAX_TRAJECTORIES: usize = 1 << 16;
/// Each generation compares with the whole list, so its length is limited.
const MAX_TENURE: u32 = 1 << 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let none = SearchOptions::default();
        let zeros = [
            (SearchOptions { beam_width: Some(0), ..none }, "beam_width: must be at least 1"),
            (SearchOptions { trajectories: Some(0), ..none }, "trajectories: must be at least 1"),
            (SearchOptions { tenure: 0, ..none }, "tenure: must be at least 1"),
            (SearchOptions { tenure: MAX_TENURE + 1, ..none }, "tenure: must be at most 4096"),
            (
                SearchOptions { trajectories: Some(MAX_TRAJECTORIES + 1), ..none },
                "trajectories: must be at most 65536",
            ),
            (
                SearchOptions { evaluation: Some(Evaluation::Full), ..none },
                "evaluation: is for swaps alone",
            ),
            (
                SearchOptions { local_columns: true, ..none },
                "local_columns: is for swaps alone that are evaluated in full or with the prefix reused",
            ),
            (
                SearchOptions { local_columns: true, neighbourhood: Neighbourhood::Swap, ..none },
                "local_columns: is for swaps alone that are evaluated in full or with the prefix reused",
            ),
        ];
        for (options, message) in zeros {
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
