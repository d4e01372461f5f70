//! Helpers for the flow shop's tests.

use proptest::prelude::*;

use super::Instance;
use super::completion::makespan;

/// Small instances, some with ready times and pinned jobs.
pub(super) fn instances(jobs: usize, machines: usize) -> impl Strategy<Value = Instance> {
    let sizes = (1..=jobs, 1..=machines, prop::bool::weighted(0.3), prop::bool::weighted(0.3));
    sizes.prop_flat_map(|(jobs, machines, late, pinned)| {
        let times = prop::collection::vec(0..30u32, jobs * machines);
        let ready = prop::collection::vec(0..if late { 60u32 } else { 1 }, machines);
        let pins = Just((0..jobs as u32).collect::<Vec<_>>()).prop_shuffle();
        let count = if pinned { 0..=jobs } else { 0..=0 };
        (times, ready, pins, count).prop_map(move |(times, ready, mut pins, count)| {
            pins.truncate(count);
            let instance = Instance::new(jobs, machines, times).unwrap();
            instance.with_ready_times(ready).unwrap().with_pinned(pins).unwrap()
        })
    })
}

/// The same instance with all times multiplied.
pub(super) fn lengthened(instance: &Instance, factor: u32) -> Instance {
    let all = |times: &[u32]| times.iter().map(|time| time * factor).collect();
    let longer = Instance::new(instance.jobs(), instance.machines(), all(instance.times()));
    let longer = longer.unwrap().with_ready_times(all(instance.ready_times())).unwrap();
    longer.with_pinned(instance.pinned().to_vec()).unwrap()
}

/// The optimal makespan, by enumeration.
pub(super) fn best_by_enumeration(instance: &Instance) -> u32 {
    least_by_enumeration(instance, makespan)
}

/// The least value of all sequences.
pub(super) fn least_by_enumeration(
    instance: &Instance,
    value: impl Fn(&Instance, &[u32]) -> u32,
) -> u32 {
    fn extend(
        value: &dyn Fn(&[u32]) -> u32,
        order: &mut Vec<u32>,
        left: &mut Vec<u32>,
        best: &mut u32,
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
    let mut best = u32::MAX;
    let value = |order: &[u32]| value(instance, order);
    extend(&value, &mut instance.pinned().to_vec(), &mut instance.free_jobs(), &mut best);
    best
}
