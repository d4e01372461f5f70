//! Helpers for the planner's tests.

use proptest::prelude::*;

use super::cost::Cost;
use super::problem::Problem;
use crate::flow_shop::{Criterion, Instance, Objective, Setups, testing};

/// Small instances with any combination of set-ups, release times, blocking, pinned jobs and ready
/// times, and any objective of up to three stages.
pub(in crate::flow_shop) fn planned(
    jobs: usize,
    machines: usize,
) -> impl Strategy<Value = Instance> {
    testing::instances(jobs, machines).prop_flat_map(|plain| {
        let (jobs, machines) = (plain.jobs(), plain.machines());
        let parts = (
            setups(jobs, machines),
            prop::option::of(prop::collection::vec(0..80u32, jobs)),
            any::<bool>(),
            prop::collection::vec(-20..250i64, jobs),
            prop::option::of(prop::collection::vec(0..5u32, jobs)),
            Just((0..jobs as u32).collect::<Vec<_>>()).prop_shuffle(),
            0..=jobs,
            objectives(),
        );
        parts.prop_map(move |(setups, release, blocks, due, weights, mut plan, old, objective)| {
            let mut instance = plain.clone();
            if let Some(setups) = setups {
                instance = instance.with_setups(setups).unwrap();
            }
            if let Some(release) = release {
                instance = instance.with_release_times(release).unwrap();
            }
            if blocks {
                instance = instance.with_blocking().unwrap();
            }
            if let Some(weights) = weights {
                instance = instance.with_weights(weights).unwrap();
            }
            plan.truncate(old.max(1));
            let instance = instance.with_due_dates(due).unwrap().with_running_plan(plan).unwrap();
            instance.with_objective(objective).unwrap()
        })
    })
}

/// The same with an objective of one stage.
pub(in crate::flow_shop) fn one_stage(
    jobs: usize,
    machines: usize,
) -> impl Strategy<Value = Instance> {
    planned(jobs, machines).prop_map(|instance| {
        let terms = instance.objective().stages()[0].terms().to_vec();
        instance.with_objective(Objective::new(vec![terms]).unwrap()).unwrap()
    })
}

/// Objectives of one to three stages, most of one criterion.
pub(in crate::flow_shop) fn objectives() -> impl Strategy<Value = Objective> {
    let term = (1..4u32, prop::sample::select(&Criterion::ALL[..]));
    let stage = prop::collection::vec(term, 1..=2);
    prop::collection::vec(stage, 1..=3).prop_map(|stages| Objective::new(stages).unwrap())
}

fn setups(jobs: usize, machines: usize) -> impl Strategy<Value = Option<Setups>> {
    let kinds = (any::<bool>(), 1..=3usize, any::<bool>());
    let some = kinds.prop_flat_map(move |(by_family, families, shared)| {
        let kinds = if by_family { families } else { jobs };
        let matrices = if shared { 1 } else { machines };
        (
            Just((by_family, kinds)),
            prop::collection::vec(0..25u32, kinds * kinds * matrices),
            prop::collection::vec(0..kinds as u32, jobs),
            prop::option::of(prop::collection::vec(0..25u32, kinds * matrices)),
            prop::option::of(prop::collection::vec(0..kinds as u32, machines)),
        )
    });
    let setups = some.prop_map(|((by_family, kinds), times, families, first, after)| {
        let setups = match by_family {
            true => Setups::between_families(kinds, families, times),
            false => Setups::between_jobs(kinds, times),
        };
        let setups = setups.unwrap();
        match (first, after) {
            (Some(first), _) => setups.with_first(first).unwrap(),
            (None, Some(after)) => setups.after(after).unwrap(),
            (None, None) => setups,
        }
    });
    prop::option::of(setups)
}

/// The cost of the best sequence, by enumeration with the independent evaluator.
pub(super) fn least_cost(instance: &Instance) -> Cost {
    let values = |order: &[u32]| {
        let values = crate::flow_shop::Permutation::new(order.to_vec()).values(instance).unwrap();
        let mut cost = Cost::default();
        cost.0[..values.len()].copy_from_slice(&values);
        cost
    };
    let (mut order, mut free) = (instance.pinned().to_vec(), Problem::new(instance).free_jobs);
    let mut least = Cost::WORST;
    extend(&values, &mut order, &mut free, &mut least);
    least
}

fn extend(
    value: &dyn Fn(&[u32]) -> Cost,
    order: &mut Vec<u32>,
    left: &mut Vec<u32>,
    best: &mut Cost,
) {
    if left.is_empty() {
        *best = value(order).min(*best);
    }
    for position in 0..left.len() {
        let job = left.swap_remove(position);
        order.push(job);
        extend(value, order, left, best);
        order.pop();
        left.push(job);
        let last = left.len() - 1;
        left.swap(position, last);
    }
}
