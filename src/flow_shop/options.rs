use super::{ExactOptions, HostPool, Method, Permutation, SearchOptions};
use crate::options::{self, Entry, Field, Kind, Named, Range, Tier, entry};
use crate::{Limits, Result};

/// Options of [`solve`](super::solve), in addition to those common to all solvers.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The solution method.
    pub method: Method,
    /// A start sequence. [`Method::Tabu`] and [`Method::IteratedGreedy`] begin with it, the other
    /// methods with the better one of it and NEH's.
    pub start: Option<Permutation>,
    /// Whether tabu and iterated greedy search, too, begin with NEH's sequence if it is better than
    /// the start.
    pub start_beside_neh: bool,
    /// Options of branch and bound.
    pub exact: ExactOptions,
    /// Options of the searches.
    pub search: SearchOptions,
}

const PROOF: &[&str] = &["branch-and-bound", "auto"];
const TABU: &[&str] = &["tabu"];
/// A larger number of trajectories is a mistake.
const MAX_TRAJECTORIES: u64 = 1 << 16;
/// Each generation compares with the whole list, so its length is limited.
const MAX_TENURE: u64 = 1 << 12;

impl Named for Options {
    const TABLE: &'static [Entry<Self>] = &[
        entry!("method", method, "Solution method").tier(Tier::Basic),
        entry!(
            "start",
            start,
            "Sequence to start from: jobs from 0. Tabu and iterated greedy search begin with it, \
             other methods with the better one of it and NEH's"
        )
        .or_none()
        .tier(Tier::Basic),
        entry!(
            "start_beside_neh",
            start_beside_neh,
            "Begin with NEH's sequence if it is better than the start"
        )
        .methods(&["tabu", "iterated-greedy"]),
        entry!("bound", exact.bound, "Lower bound of branch and bound").methods(PROOF),
        entry!(
            "branching",
            exact.branching,
            "Branching rule: the end of the sequence at which branch and bound fixes the next job"
        )
        .methods(PROOF),
        entry!(
            "upper_bound",
            exact.upper_bound,
            "Branch and bound looks only for schedules shorter than this; the status is infeasible \
             if there are none"
        )
        .or_none()
        .methods(PROOF),
        entry!(
            "checkpoint",
            exact.checkpoint,
            "File in which branch and bound saves its search; if it exists, its search continues"
        )
        .or_none()
        .methods(&["branch-and-bound"]),
        entry!(
            "checkpoint_interval",
            exact.checkpoint_interval,
            "Time between two writes of the checkpoint"
        )
        .methods(&["branch-and-bound"]),
        entry!("exploration", exact.exploration, "How a device takes part in branch and bound")
            .methods(PROOF),
        entry!(
            "pool_size",
            exact.pool.size,
            "Nodes that the device bounds, or trees that it explores, at once; this option and the \
             next three are for the explorations host-pool and tree-pool"
        )
        .range(Range::Whole(1, HostPool::MAX_SIZE as u64))
        .methods(PROOF)
        .tier(Tier::Experimental),
        entry!(
            "pool_sorted",
            exact.pool.sorted,
            "Sort the pool by depth instead of leaving it in the order of branching"
        )
        .methods(PROOF)
        .tier(Tier::Experimental),
        entry!(
            "pool_branch_free",
            exact.pool.branch_free,
            "Bound the pool by a kernel without branches"
        )
        .methods(PROOF)
        .tier(Tier::Experimental),
        entry!("pool_placement", exact.pool.placement, "Tables in the device's local memory")
            .methods(PROOF)
            .tier(Tier::Experimental),
        entry!(
            "pool_budget",
            exact.pool.budget,
            "Nodes that a work-item of the exploration tree-pool decomposes before the rest of its \
             tree returns to the host"
        )
        .range(Range::Whole(1, HostPool::MAX_BUDGET as u64))
        .methods(PROOF)
        .tier(Tier::Experimental),
        entry!(
            "beam_width",
            search.beam_width,
            "Most nodes that beam search keeps per level; auto doubles the width from pass to pass"
        )
        .range(Range::Whole(1, u64::MAX))
        .methods(&["beam", "auto"]),
        entry!(
            "trajectories",
            search.trajectories,
            "Trajectories of tabu or iterated greedy search at once; auto takes 1 for tabu, and \
             for iterated greedy as many as keep the threads or the device busy if only time is \
             limited, else 4"
        )
        .range(Range::Whole(1, MAX_TRAJECTORIES))
        .methods(&["tabu", "iterated-greedy", "auto"]),
        entry!("neighbourhood", search.neighbourhood, "Neighbourhood of tabu search").methods(TABU),
        entry!(
            "evaluation",
            search.evaluation,
            "Positions that tabu search computes for the makespan of a swap; auto takes \
             heads-and-tails"
        )
        .methods(TABU)
        .tier(Tier::Experimental),
        entry!("tabu_list", search.tabu_list, "Moves that tabu search forbids")
            .methods(TABU)
            .tier(Tier::Experimental),
        entry!(
            "tenure",
            search.tenure,
            "Generations for which a move of tabu search stays forbidden"
        )
        .range(Range::Whole(1, MAX_TENURE))
        .methods(TABU),
        entry!(
            "local_columns",
            search.local_columns,
            "Keep the columns of swaps in a device's local memory"
        )
        .methods(TABU)
        .tier(Tier::Experimental),
    ];
}

impl Options {
    /// The sequence with which the solve begins, even if NEH's is better.
    pub(super) fn only_start(&self) -> Option<&Permutation> {
        let begins_with_it = matches!(self.method, Method::Tabu | Method::IteratedGreedy);
        self.start.as_ref().filter(|_| begins_with_it && !self.start_beside_neh)
    }

    /// Refuses invalid options, options that the method does not use, and limits that allow no
    /// search at all.
    pub(super) fn check(&self, limits: &Limits) -> Result<()> {
        options::check(self, self.method.name())?;
        self.exact.check()?;
        self.search.check(self.method, limits)
    }
}

impl Field for Permutation {
    const KIND: Kind = Kind::List;

    fn read(text: &str) -> Result<Self, String> {
        options::numbers(text).map(Permutation::new)
    }

    fn write(&self) -> String {
        options::joined(self.jobs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_refuses_the_options_of_others() {
        let proof = "branch-and-bound, auto";
        let cases = [
            ("bound", "lb2", proof),
            ("branching", "forward", proof),
            ("exploration", "host-pool", proof),
            ("upper_bound", "9", proof),
            ("checkpoint", "x", "branch-and-bound"),
            ("beam_width", "8", "beam, auto"),
            ("trajectories", "2", "tabu, iterated-greedy, auto"),
            ("neighbourhood", "swap", "tabu"),
            ("tabu_list", "sequences", "tabu"),
            ("tenure", "9", "tabu"),
            ("start_beside_neh", "true", "tabu, iterated-greedy"),
        ];
        for (name, value, users) in cases {
            for method in Method::ALL {
                let mut options = Options { method, ..Options::default() };
                options.set(name, value).unwrap();
                let refused = options.check(&Limits::default()).err();
                let used = users.split(", ").any(|user| user == method.name());
                let expected = (!used).then(|| format!("{name}: applies only to {users}"));
                assert_eq!(refused.map(|error| error.to_string()), expected, "{method:?}");
            }
        }
    }
}
