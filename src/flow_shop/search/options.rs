use super::{Evaluation, Neighbourhood, TabuList};
use crate::flow_shop::{Given, Method};
use crate::{Error, Limits, Result};

/// How the searches work; see [`Method`](super::super::Method).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchOptions {
    /// Most nodes that beam search keeps of a level. By default it widens until time or memory ends
    /// it, and to a width by the size of the instance where no time is given. Where the memory
    /// limit keeps it narrower, the result depends on that limit.
    pub beam_width: Option<usize>,
    /// Trajectories at once. By default 1 of tabu search, and of iterated greedy search one for
    /// each thread, or 4 where iterations are limited or time is not, so that the result does not
    /// depend on the machine.
    pub trajectories: Option<usize>,
    /// Which sequences tabu search looks at. Default: insertions.
    pub neighbourhood: Neighbourhood,
    /// How tabu search computes the makespans of swaps; for swaps alone. By default with heads and
    /// tails, which was the fastest for all sizes measured, or as fast as any.
    pub evaluation: Option<Evaluation>,
    /// What tabu search does not go back to. Default: attributes.
    pub tabu_list: TabuList,
    /// Generations for which tabu search does not go back.
    pub tenure: u32,
    /// On a device, keep each swap's column of completion times in local memory, as the method was
    /// published, not in registers; for swaps that are evaluated in full or with the prefix reused.
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
    /// Which options are given.
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

    /// Refuses what can't be meant, limits under which nothing is searched as well.
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

/// More trajectories than this are a mistake.
const MAX_TRAJECTORIES: usize = 1 << 16;
/// The whole list is compared in each generation.
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
