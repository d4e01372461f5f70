use proptest::prelude::*;

use super::*;
use crate::flow_shop::Objective as Goal;
use crate::flow_shop::exact::cpu;
use crate::flow_shop::exact::self_test::bounds;
use crate::flow_shop::exact::testing::search;
use crate::flow_shop::planner::testing::one_stage;
use crate::flow_shop::testing::least_by_enumeration;
use crate::testing::{cpu_context, monitor};

fn value(instance: &Instance, order: &[u32]) -> u32 {
    General::value(instance, order).unwrap() as u32
}

proptest! {
    #[test]
    fn no_sequence_is_better_than_the_bounds_of_its_beginnings(
        instance in one_stage(7, 4),
        order in Just([0, 1, 2, 3, 4, 5, 6]).prop_shuffle(),
    ) {
        let watch = monitor();
        let problem = General::problem(&instance, u32::MAX, &watch).unwrap();
        let jobs = &problem.objective.numbers.jobs;
        let free = order.iter().filter_map(|&number: &usize| jobs.get(number)).copied();
        let order: Vec<u32> = instance.pinned().iter().copied().chain(free).collect();
        let value = value(&instance, &order);
        let mut node = problem.root_node();
        prop_assert!(node.bound <= value);
        for &job in &order[instance.pinned().len()..] {
            let children = bounds(&problem, &node, &watch).unwrap();
            let at = problem.node(&node).free_jobs().position(|free| free == job).unwrap();
            let bound = children[at][0];
            prop_assert!(bound <= value, "{bound} for {value} at {node:?}");
            node = node.child(bound, job, End::Front).unwrap();
        }
        let leaf = problem.node(&node);
        prop_assert_eq!(problem.objective.last_value(&leaf), value);
        prop_assert_eq!(problem.objective.bound(&leaf), value);
    }

    #[test]
    fn the_cpu_finds_and_proves_the_best_value(instance in one_stage(7, 4), threads in 1..3usize) {
        let watch = monitor();
        let least = least_by_enumeration(&instance, value);
        let context = cpu_context(threads);
        let found = |limit: u32| {
            let problem = General::problem(&instance, limit, &watch).unwrap();
            let engine = |limit: &Limit, open: &mut Vec<Open>, slice: &Slice<'_, _>| {
                cpu::advance(&context, &problem, limit, open, slice).unwrap()
            };
            (problem.root.free_count > 0).then(|| search(&problem, engine).1.value)
        };
        prop_assert!(found(u32::MAX).is_none_or(|found| found == least));
        prop_assert!(found(least).is_none_or(|found| found == u32::MAX));
    }
}

#[test]
fn far_due_dates_leave_lateness_as_it_is() {
    let instance = Instance::new(3, 1, vec![4, 5, 6]).unwrap();
    let due = vec![1 << 50, -(1 << 40), 1 << 50];
    let instance = instance.with_due_dates(due).unwrap();
    let instance = instance.with_objective(Goal::parse("max-lateness").unwrap()).unwrap();
    let least = i64::from(least_by_enumeration(&instance, value)) + offset(&instance);
    assert_eq!(least, (1 << 40) + 5);
    let watch = monitor();
    let problem = General::problem(&instance, u32::MAX, &watch).unwrap();
    assert_eq!(i64::from(problem.root_node().bound) + offset(&instance), least);
}
