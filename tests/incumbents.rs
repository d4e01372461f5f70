//! A progress callback reads the solution whose values it receives.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use makespan::{
    Context, ContextOptions, Control, Engine, Limits, Objective, Outcome, Progress,
    ProgressCallback, Result, SolveOptions, Value, cutting_stock, flow_shop, interval_dp, knapsack,
    lattice_dp, multidimensional_knapsack, parallel_machines,
};

#[allow(dead_code, reason = "not everybody uses all of it")]
#[path = "../benches/common/random.rs"]
mod random;

/// The values of a report, and those of its solution.
#[derive(Debug)]
struct Heard {
    phase: &'static str,
    told: Option<Value>,
    read: Option<Value>,
}

/// Solves with a callback that evaluates each solution, and compares the values. Returns the number
/// of solutions read before the end.
fn follow<S: 'static, V: Objective>(
    name: &str,
    limits: Limits,
    evaluate: impl Fn(&S) -> V + Send + Sync + 'static,
    solve: impl FnOnce(&SolveOptions) -> Result<Outcome<S, V>>,
) -> usize {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&heard);
    let progress: ProgressCallback = Arc::new(move |progress: &Progress<'_>| {
        let read = progress.incumbent::<S>().map(|solution| evaluate(solution).into());
        let (phase, told) = (progress.phase, progress.objective);
        kept.lock().unwrap().push(Heard { phase, told, read });
        Control::Continue
    });
    let options = SolveOptions { limits, progress: Some(progress), ..SolveOptions::default() };
    let outcome = solve(&options).unwrap();
    let heard = heard.lock().unwrap();
    for report in &*heard {
        assert_eq!(report.told, report.read, "{name}: {report:?}");
    }
    let last = heard.last().expect("a report at the end");
    assert_eq!((last.phase, last.read), ("end", outcome.objective.map(V::into)), "{name}");
    heard.iter().filter(|report| report.phase != "end" && report.read.is_some()).count()
}

fn context() -> Context {
    let engine = Engine::Cpu;
    Context::new(ContextOptions { engine, threads: Some(2), ..ContextOptions::default() }).unwrap()
}

fn limited() -> Limits {
    Limits { time: Some(Duration::from_millis(150)), ..Limits::default() }
}

fn numbers(count: usize, end: u64, seed: u64) -> Vec<u64> {
    let mut random = random::Random(seed);
    (0..count).map(|_| 1 + random.below(end)).collect()
}

#[test]
fn of_parallel_machines() {
    use parallel_machines::{Instance, Method, Options, Schedule, solve};
    let context = context();
    for (jobs, machines) in [(60, 22), (300, 40), (9, 4)] {
        let instance = Arc::new(Instance::new(numbers(jobs, 100_000, 1), machines).unwrap());
        for method in Method::ALL {
            let (own, of) = (Options { method, ..Options::default() }, Arc::clone(&instance));
            let value = move |schedule: &Schedule| schedule.makespan(&of).unwrap() as i64;
            let read = follow(method.name(), limited(), value, |options| {
                // The tables of the scheme may be too large.
                solve(&context, &instance, &own, options).or_else(|_| {
                    let own = Options { method: Method::Lpt, ..own.clone() };
                    solve(&context, &instance, &own, options)
                })
            });
            assert!(read > 0, "{method:?}");
        }
    }
}

#[test]
fn of_cutting_stock() {
    use cutting_stock::{Instance, Method, Packing, solve};
    let context = context();
    let uneven: Vec<u64> =
        numbers(200, 3_333, 2).into_iter().map(|length| 2_000 + length).collect();
    let few = Instance::new(vec![77, 61, 54, 37, 28, 19], vec![4, 3, 5, 6, 5, 4], 160).unwrap();
    let many = Instance::new(uneven, vec![1; 200], 10_000).unwrap();
    for instance in [few, many].map(Arc::new) {
        for method in Method::ALL {
            let of = Arc::clone(&instance);
            let value = move |packing: &Packing| packing.stock_pieces(&of).unwrap() as i64;
            let read = follow(method.name(), limited(), value, |options| {
                solve(&context, &instance, &method.into(), options)
            });
            assert!(read > 0, "{method:?}");
        }
    }
}

#[test]
fn of_the_flow_shop() {
    use flow_shop::{Instance, Method, Options, Permutation, solve};
    let context = context();
    let times = numbers(40, 99, 3).into_iter().map(|time| time as u32).collect();
    let small = Instance::new(10, 4, times).unwrap();
    let pinned = Instance::named("ta031").unwrap().with_pinned(vec![7, 3]).unwrap();
    for instance in [small, pinned, Instance::named("ta051").unwrap()].map(Arc::new) {
        for method in Method::ALL {
            let (own, of) = (Options { method, ..Options::default() }, Arc::clone(&instance));
            let value = move |sequence: &Permutation| sequence.makespan(&of).unwrap() as i64;
            let read = follow(method.name(), limited(), value, |options| {
                solve(&context, &instance, &own, options)
            });
            assert!(read > 0, "{method:?}");
        }
    }
}

#[test]
fn of_the_knapsack() {
    use knapsack::{Instance, Method, Solution, solve};
    let context = context();
    let weights = numbers(2_000, 20_000, 4);
    let profits = weights.iter().map(|weight| weight + 2_000).collect();
    let capacity = weights.iter().sum::<u64>() / 2 + 1;
    let hard = Instance::new(profits, weights, capacity).unwrap();
    let (profits, weights) = (numbers(60, 500, 5), numbers(60, 500, 6));
    let copies = numbers(60, 9, 7);
    let bounded = Instance::bounded(profits, weights, copies, 9_999).unwrap();
    for instance in [hard, bounded].map(Arc::new) {
        for method in Method::ALL {
            let of = Arc::clone(&instance);
            let value = move |solution: &Solution| of.profit_of(&solution.counts).unwrap() as i64;
            let read = follow(method.name(), limited(), value, |options| {
                solve(&context, &instance, &method.into(), options)
            });
            assert!(read > 0, "{method:?}");
        }
    }
}

#[test]
fn of_the_multidimensional_knapsack() {
    use multidimensional_knapsack::{Instance, Method, Selection, solve};
    let context = context();
    let weights = numbers(3 * 100, 9, 8);
    let profits = (0..100).map(|item| 100 * weights[item] + 7 * item as u64 % 50).collect();
    let instance = Arc::new(Instance::new(profits, weights, vec![150, 160, 170]).unwrap());
    for method in Method::ALL {
        let of = Arc::clone(&instance);
        let value = move |solution: &Selection| of.profit_of(&solution.counts).unwrap() as i64;
        let read = follow(method.name(), limited(), value, |options| {
            solve(&context, &instance, &method.into(), options)
        });
        assert!(read > 0, "{method:?}");
    }
}

/// They have a solution at the end alone.
#[test]
fn of_dynamic_programs() {
    let context = context();
    let whole = |numbers: Vec<u64>| numbers.into_iter().map(|number| number as i64).collect();
    let chain = interval_dp::Instance::matrix_chain(whole(numbers(50, 30, 8))).unwrap();
    let of = chain.clone();
    let value = move |solution: &interval_dp::Solution<i64>| {
        of.evaluate(solution.tree.as_ref().unwrap()).unwrap()
    };
    follow("matrix chain", Limits::default(), value, |options| {
        interval_dp::solve(&context, &chain, &Default::default(), options)
    });
    let packing = lattice_dp::Packing::new(vec![4, 5, 7], vec![3, 2, 4], 16).unwrap();
    let count = |containers: &lattice_dp::Containers| containers.len() as i64;
    follow("packing", Limits::default(), count, |options| {
        lattice_dp::pack(&context, &packing, &Default::default(), options)
    });
}
