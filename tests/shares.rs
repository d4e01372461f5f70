//! Solves at once on one context share the processor fairly.

use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use makespan::flow_shop::{Instance, Method, Options, solve};
use makespan::{Context, ContextOptions, Engine, Limits, SolveOptions};

const SOLVES: usize = 4;
/// Least share of each solve, relative to an equal share.
const LEAST_SHARE: f64 = 0.8;
/// Other processes may disturb the solves unevenly. One undisturbed attempt shows the shares: a
/// solve that waits for the others does so in each.
const ATTEMPTS: usize = 5;

/// The work of each of several solves, by one of their counters.
fn work(context: &Context, instance: &Instance, method: Method, counter: &str) -> Vec<u64> {
    let begin = Barrier::new(SOLVES);
    let options = Options { method, ..Options::default() };
    let limits = Limits { time: Some(Duration::from_millis(1500)), ..Limits::default() };
    let solve_options = SolveOptions { limits, ..SolveOptions::default() };
    let one = || {
        begin.wait();
        let outcome = solve(context, instance, &options, &solve_options).unwrap();
        outcome.report.statistics.get(counter).unwrap()
    };
    thread::scope(|scope| {
        let solves: Vec<_> = (0..SOLVES).map(|_| scope.spawn(one)).collect();
        solves.into_iter().map(|solve| solve.join().unwrap()).collect()
    })
}

#[test]
fn solves_at_once_have_equal_shares() {
    let options =
        ContextOptions { engine: Engine::Cpu, threads: Some(2), ..ContextOptions::default() };
    let context = Context::new(options).unwrap();
    for (name, method, counter) in [
        ("ta051", Method::IteratedGreedy, "evaluations"),
        ("ta051", Method::BranchAndBound, "nodes"),
    ] {
        let instance = Instance::named(name).unwrap();
        let are_fair = |work: &Vec<u64>| {
            let equal = work.iter().sum::<u64>() as f64 / SOLVES as f64;
            work.iter().all(|&work| work as f64 > LEAST_SHARE * equal)
        };
        let mut attempts = (0..ATTEMPTS).map(|_| work(&context, &instance, method, counter));
        assert!(attempts.any(|work| are_fair(&work)), "{method:?}");
    }
}
