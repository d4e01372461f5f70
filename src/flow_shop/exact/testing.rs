//! What the tests of branch and bound share.

use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::device::Explored;
use super::limit::Limit;
use super::makespan::Makespan;
use super::node::Open;
use super::objective::Objective;
use super::problem::Problem;
use super::{Bound, Branching, Counts, Slice};
use crate::flow_shop::incumbent::Best;
use crate::flow_shop::{Instance, Permutation};
use crate::opencl::testing::Lie;
use crate::solve::Monitor;
use crate::testing::monitor;

/// Best when no sequence is known.
pub(super) const NONE: Best = Best { value: u32::MAX, order: Vec::new() };

/// The jobs in the order of their numbers.
pub(super) fn in_order(instance: &Instance) -> Best {
    let order: Vec<u32> = (0..instance.jobs() as u32).collect();
    let value = Permutation::new(order.clone()).makespan(instance).unwrap() as u32;
    Best { value, order }
}

pub(super) fn problem(
    instance: &Instance,
    bound: Bound,
    branching: Branching,
    limit: u32,
) -> Problem<'_, Makespan<'_>> {
    Makespan::problem(instance, bound, branching, limit, &monitor()).unwrap()
}

/// A lie about the states of nodes on a device's stack. Their other words are addresses: kernels
/// that get wrong ones write anywhere.
pub(super) fn in_states(lie: Lie, problem: &Problem<'_, Makespan<'_>>) -> Lie {
    let layout = problem.objective.layout().unwrap();
    lie.only(&["stack"]).at_start_of_records(layout.record_words(), layout.state_words())
}

pub(super) fn rules() -> impl Strategy<Value = (Bound, Branching)> {
    (prop::sample::select(&Bound::ALL[..]), prop::sample::select(&Branching::ALL[..]))
}

pub(super) fn never() -> Instant {
    Instant::now() + Duration::from_secs(3600)
}

/// A slice that only the end of the search ends.
pub(super) fn unlimited<O: Objective>(monitor: &Monitor) -> Slice<'_, O> {
    Slice {
        monitor,
        end: never(),
        counts_iterations: false,
        keeps_open: true,
        keeper: None,
        turns: None,
        idle_threads: 0,
        until: None,
    }
}

/// Searches the whole tree of a problem. Returns what was done, and the best sequence with a value
/// below the problem's limit.
pub(super) fn search<O: Objective>(
    problem: &Problem<'_, O>,
    engine: impl FnOnce(&Limit, &mut Vec<Open>, &Slice<'_, O>) -> Counts,
) -> (Counts, Best) {
    let monitor = monitor();
    let limit = Limit::new(NONE, problem.initial_limit);
    let mut open = vec![problem.root_node()];
    let counts = engine(&limit, &mut open, &unlimited(&monitor));
    assert!(open.is_empty());
    (counts, limit.best())
}
