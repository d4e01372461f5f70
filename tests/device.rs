//! The engines give the same results, and a machine without OpenCL is a normal machine.

mod test_devices;

use std::time::Duration;

use makespan::parallel_machines::{Instance, Method, Options, Schedule, solve};
use makespan::{
    Context, ContextOptions, Engine, Error, Limits, Outcome, Report, SolveOptions, Status,
    cutting_stock, flow_shop, interval_dp, knapsack, lattice_dp, recurrence,
};
use test_devices::{context, device_contexts};

/// Deterministic times from 20 to 99, as hard as they come at two to three jobs for each machine.
fn instance(jobs: usize, machines: u32, seed: u64) -> Instance {
    let mut state = seed;
    let times = (0..jobs).map(|_| {
        state = state * 48271 % 2147483647;
        20 + state % 80
    });
    Instance::new(times.collect(), machines).unwrap()
}

fn run(context: &Context, instance: &Instance, epsilon: f64) -> Outcome<Schedule> {
    let options = Options { method: Method::Ptas, epsilon, ..Options::default() };
    solve(context, instance, &options, &SolveOptions::default()).unwrap()
}

#[test]
fn devices_give_the_same_schedule_of_the_scheme() {
    let cpu = context(Engine::Cpu, None);
    for (device, simulator) in device_contexts() {
        let sizes = if simulator { 0..3 } else { 0..12 };
        for size in sizes {
            let instance = instance(5 + 2 * size, 2 + size as u32 * 4 / 5, 1 + size as u64);
            for epsilon in [0.5, 0.3, 0.25] {
                let expected = run(&cpu, &instance, epsilon);
                let found = run(&device, &instance, epsilon);
                assert_eq!(found.objective, expected.objective);
                assert_eq!(found.bound, expected.bound);
                assert_eq!(found.solution, expected.solution);
                assert_eq!(found.report.statistics, expected.report.statistics);
                assert_eq!(found.report.fallback, None);
                let tables = found.report.statistics.get("tables").unwrap_or(0);
                assert_eq!(found.report.device.is_some(), tables > 0);
                assert_eq!(expected.report.device, None);
            }
        }
    }
}

#[test]
fn devices_give_the_same_cutting_patterns() {
    let cpu = context(Engine::Cpu, None);
    for (device, simulator) in device_contexts() {
        for types in 2..if simulator { 4 } else { 7 } {
            let lengths = (0..types).map(|item| 19 + 7 * item).collect();
            let demands = (0..types).map(|item| 2 + (5 * item % 4) as u32).collect();
            let instance = cutting_stock::Instance::new(lengths, demands, 100).unwrap();
            let options = cutting_stock::Options::from(cutting_stock::Method::Exact);
            let run = |context| {
                cutting_stock::solve(context, &instance, &options, &SolveOptions::default())
                    .unwrap()
            };
            let (expected, found) = (run(&cpu), run(&device));
            assert_eq!(found.status, Status::Optimal);
            assert_eq!(found.objective, expected.objective);
            assert_eq!(found.solution, expected.solution);
            assert_eq!(found.report.statistics, expected.report.statistics);
            let tables = found.report.statistics.get("tables").unwrap_or(0);
            assert_eq!(found.report.device.is_some(), tables > 0);
        }
    }
}

#[test]
fn a_device_that_is_not_there_is_an_error_where_it_is_asked_for() {
    let options = ContextOptions { device: Some(999), ..ContextOptions::default() };
    let required = Context::new(ContextOptions { engine: Engine::Device, ..options.clone() });
    assert!(matches!(required.as_ref().err().map(Box::as_ref), Some(Error::DeviceUnavailable(_))));
    // A context that may use a device is created nevertheless; a solve that asks for the device
    // says why it fails.
    let context = Context::new(options).unwrap();
    let solve_options = SolveOptions { engine: Some(Engine::Device), ..SolveOptions::default() };
    let result = solve(&context, &instance(9, 4, 1), &Options::default(), &solve_options);
    assert!(matches!(result.as_ref().err().map(Box::as_ref), Some(Error::DeviceUnavailable(_))));
    assert!(context.device_problem().is_some());
}

#[test]
fn who_ends_before_the_device_takes_part_says_so() {
    for (context, _) in device_contexts() {
        let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
        let options = SolveOptions { limits, ..SolveOptions::default() };
        for (problem, report) in cut_short(&context, &options) {
            assert!(report.interrupted, "{problem}");
            assert_eq!((report.device, report.fallback), (None, None), "{problem}");
            let warning = report.warning.unwrap_or_default();
            let says_so = ["before the device took part", "were not ready before the end"];
            assert!(says_so.iter().any(|text| warning.contains(text)), "{problem}: {warning:?}");
        }
    }
}

/// Reports of solves that end before any heavy step.
fn cut_short(context: &Context, options: &SolveOptions) -> Vec<(&'static str, Report)> {
    let shop = flow_shop::Instance::named("ta051").unwrap();
    let shop = |method| {
        let own = flow_shop::Options { method, ..Default::default() };
        flow_shop::solve(context, &shop, &own, options).unwrap().report
    };
    let weights: Vec<u64> = (0..200).map(|item| 1000 + item * item * 37 % 9973).collect();
    let profits = weights.iter().map(|weight| weight + 500).collect();
    let items = knapsack::Instance::new(profits, weights, 400_001).unwrap();
    let pack = |method| {
        let own = knapsack::Options::from(method);
        knapsack::solve(context, &items, &own, options).unwrap().report
    };
    let chain = interval_dp::Instance::matrix_chain((1i64..40).collect()).unwrap();
    let by_splits =
        interval_dp::Options { method: interval_dp::Method::Cubic, ..Default::default() };
    let chains = interval_dp::solve_batch(context, &[&chain, &chain], &by_splits, options).unwrap();
    let sums =
        recurrence::Instance::new(recurrence::Semiring::MinPlus, vec![3, 2], vec![1; 3], 100_000);
    let bins = lattice_dp::Packing::new((13..18).collect(), vec![4; 5], 64).unwrap();
    let scheme = Options { method: Method::Ptas, ..Options::default() };
    let patterns = cutting_stock::Instance::new(vec![19, 26, 33, 40], vec![5; 4], 100).unwrap();
    let exact = cutting_stock::Options::from(cutting_stock::Method::Exact);
    let mut reports = vec![
        ("branch and bound", shop(flow_shop::Method::BranchAndBound)),
        ("tabu search", shop(flow_shop::Method::Tabu)),
        ("beam search", shop(flow_shop::Method::Beam)),
        ("knapsack", pack(knapsack::Method::Auto)),
        ("dense knapsack", pack(knapsack::Method::Dense)),
        ("profile", knapsack::profile(context, &items, options).unwrap().report),
        ("knapsacks", knapsack::solve_profits(context, &items, &[1; 400], options).unwrap().report),
        ("matrix chain", interval_dp::solve(context, &chain, &by_splits, options).unwrap().report),
        (
            "recurrence",
            recurrence::solve(context, &sums.unwrap(), &Default::default(), options)
                .unwrap()
                .report,
        ),
        ("bins", lattice_dp::pack(context, &bins, &Default::default(), options).unwrap().report),
        ("machines", solve(context, &instance(40, 12, 1), &scheme, options).unwrap().report),
        ("patterns", cutting_stock::solve(context, &patterns, &exact, options).unwrap().report),
    ];
    reports.extend(chains.into_iter().map(|chain| ("one of several chains", chain.report)));
    reports
}
