//! Sequences of a single machine against all sequences, and the promises every outcome keeps.

use std::time::Duration;

use makespan::single_machine::{Instance, Options, Sequence, solve};
use makespan::{Context, ContextOptions, Engine, Error, Limits, Outcome, SolveOptions, Status};
use proptest::prelude::*;

fn run(instance: &Instance, options: &SolveOptions) -> Outcome<Sequence> {
    let own = ContextOptions { engine: Engine::Cpu, ..ContextOptions::default() };
    let context = Context::new(own).unwrap();
    solve(&context, instance, &Options::default(), options).unwrap()
}

/// The least cost of all sequences that begin after `now` with the jobs that `left` has as bits.
fn exhaustive(instance: &Instance, now: u64, left: u32) -> u64 {
    let jobs = (0..instance.jobs()).filter(|job| left >> job & 1 == 1);
    let costs = jobs.map(|job| {
        let end = now + instance.times()[job];
        instance.weights()[job] * end + exhaustive(instance, end, left & !(1 << job))
    });
    costs.min().unwrap_or(0)
}

proptest! {
    #[test]
    fn the_sequence_is_the_best_of_all(jobs in prop::collection::vec((1u64..9, 0u64..9), 0..7)) {
        let (times, weights): (Vec<u64>, Vec<u64>) = jobs.into_iter().unzip();
        let instance = Instance::new(times, weights).unwrap();
        let outcome = run(&instance, &SolveOptions::default());
        let least = exhaustive(&instance, 0, (1 << instance.jobs()) - 1);
        prop_assert_eq!(outcome.status, Status::Optimal);
        prop_assert_eq!((outcome.objective, outcome.bound), (Some(least as i64), Some(least as i64)));
        prop_assert_eq!(outcome.solution.unwrap().cost(&instance).unwrap(), least);
    }
}

#[test]
fn without_time_the_given_order_is_the_answer() {
    let instance = Instance::new(vec![9, 1], vec![1, 9]).unwrap();
    let limits = [
        Limits { time: Some(Duration::ZERO), ..Limits::default() },
        Limits { iterations: Some(0), ..Limits::default() },
    ];
    for limits in limits {
        let outcome = run(&instance, &SolveOptions { limits, ..SolveOptions::default() });
        assert_eq!(outcome.status, Status::Feasible);
        assert_eq!((outcome.objective, outcome.bound), (Some(99), Some(18)));
        assert_eq!(outcome.solution.unwrap().order(), [0, 1]);
        assert!(outcome.report.interrupted);
    }
}

#[test]
fn there_are_no_kernels() {
    let context = Context::new(ContextOptions::default()).unwrap();
    let instance = Instance::new(vec![1], vec![1]).unwrap();
    let options = SolveOptions { engine: Some(Engine::Device), ..SolveOptions::default() };
    let refused = solve(&context, &instance, &Options::default(), &options);
    assert!(matches!(refused.err().as_deref(), Some(Error::Unsupported(_))));
}
