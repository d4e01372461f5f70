//! Measured speeds never change results under an iteration limit.

use std::fmt::Debug;
use std::time::SystemTime;

use crate::flow_shop::Criterion;
use crate::interval_dp::Method as Interval;
use crate::opencl::DeviceSpeeds;
use crate::opencl::testing::real_test_devices;
use crate::solve::{Engine, Outcome, SolveOptions};
use crate::testing::{limited, numbers};
use crate::{
    Context, DeviceKind, Limits, ProcessorSpeeds, flow_shop, interval_dp, knapsack, lattice_dp,
    recurrence,
};

/// How far the figures are from the estimates.
const FAR: f64 = 1e6;

/// Makes the processor this many times as fast as it is by estimate, and the device as many times
/// slower.
fn contradict(context: &Context, index: usize, processor: f64) {
    let estimate = context.processor_speeds();
    context.assume(ProcessorSpeeds {
        measured: true,
        measured_at: Some(SystemTime::now()),
        core_add_min_rate: estimate.core_add_min_rate * processor,
        core_serial_rate: estimate.core_serial_rate * processor,
        core_memory_rate: estimate.core_memory_rate * processor,
        memory_rate: estimate.memory_rate * processor,
        wake_seconds: estimate.wake_seconds / processor,
    });
    let estimate = context.device_speeds(index).unwrap();
    let speeds = DeviceSpeeds {
        measured: true,
        measured_at: Some(SystemTime::now()),
        launch_seconds: estimate.launch_seconds * processor,
        round_trip_seconds: estimate.round_trip_seconds * processor,
        to_device_rate: estimate.to_device_rate / processor,
        to_host_rate: estimate.to_host_rate / processor,
        add_min_rate: estimate.add_min_rate / processor,
        wide_add_min_rate: estimate.wide_add_min_rate / processor,
        global_rate: estimate.global_rate / processor,
        local_rate: estimate.local_rate / processor,
        barrier_seconds: estimate.barrier_seconds.map(|seconds| seconds * processor),
    };
    context.assume_of_device(index, speeds);
}

/// What no measurement may change, and whether a device took part.
fn result<S: Debug, V: Debug>(outcome: Outcome<S, V>) -> (String, bool) {
    let Outcome { status, objective, bound, solution, report, .. } = outcome;
    let method = report.method;
    let told = format!("{status:?} {objective:?} {bound:?} {method} {solution:?}");
    (told, report.device.is_some())
}

type Solve = Box<dyn Fn(&Context, &SolveOptions) -> (String, bool)>;

/// Solves of tables, without choices between methods of equal solutions: speeds may choose among
/// these.
fn tables() -> Vec<(&'static str, Solve)> {
    let mut solves: Vec<(&'static str, Solve)> = Vec::new();
    // The profits grow with the weights, which makes the core large.
    let weights = numbers(120, 300, 1);
    let profits = weights.iter().map(|weight| weight + 30).collect();
    let sack = knapsack::Instance::new(profits, weights, 6_000).unwrap();
    for method in [knapsack::Method::Auto, knapsack::Method::Dense] {
        let sack = sack.clone();
        let options = knapsack::Options { method, ..knapsack::Options::default() };
        let name = if method == knapsack::Method::Auto { "knapsack" } else { "dense knapsack" };
        let solve = move |context: &Context, solve: &SolveOptions| {
            result(knapsack::solve(context, &sack, &options, solve).unwrap())
        };
        solves.push((name, Box::new(solve)));
    }
    let whole = |count, seed| numbers(count, 90, seed).into_iter().map(|number| number as i64);
    let chain = interval_dp::Instance::matrix_chain(whole(200, 2).collect()).unwrap();
    let (keys, gaps): (Vec<_>, Vec<_>) = (whole(200, 3).collect(), whole(201, 4).collect());
    let tree = interval_dp::Instance::search_tree(&keys, &gaps).unwrap();
    for (name, instance, method) in [
        ("matrix chain", chain.clone(), Interval::Auto),
        ("cubic matrix chain", chain, Interval::Cubic),
        ("search tree", tree, Interval::Cubic),
    ] {
        let options = interval_dp::Options { method, ..interval_dp::Options::default() };
        let solve = move |context: &Context, solve: &SolveOptions| {
            result(interval_dp::solve(context, &instance, &options, solve).unwrap())
        };
        solves.push((name, Box::new(solve)));
    }
    let moves = [([1, 0, 0], 3), ([0, 1, 0], 5), ([0, 0, 1], 4), ([2, 1, 0], 7), ([1, 1, 1], 8)];
    let lattice = lattice_dp::Instance::new(&[60, 50, 40], moves).unwrap();
    solves.push((
        "lattice",
        Box::new(move |context, solve| {
            let options = lattice_dp::Options::default();
            result(lattice_dp::solve(context, &lattice, &options, solve).unwrap())
        }),
    ));
    let (offsets, initial) = (vec![900, 531, 340, 77], vec![1; 900]);
    let table =
        recurrence::Instance::new(recurrence::Semiring::MinPlus, offsets, initial, 30_000).unwrap();
    let table = table.with_weights(vec![5, 3, 2, 9]).unwrap();
    solves.push((
        "recurrence",
        Box::new(move |context, solve| {
            let options = recurrence::Options::default();
            result(recurrence::solve(context, &table, &options, solve).unwrap())
        }),
    ));
    solves
}

/// Searches for sequences. With an iteration limit, most of their steps are the CPU's.
fn searches() -> Vec<(String, Solve)> {
    let mut solves: Vec<(String, Solve)> = Vec::new();
    let times = numbers(20 * 5, 99, 5).into_iter().map(|time| time as u32).collect();
    let shop = flow_shop::Instance::new(20, 5, times).unwrap();
    let flow = shop.clone().with_objective(Criterion::TotalFlowTime.into()).unwrap();
    for (objective, instance) in [("makespan", shop), ("flow time", flow)] {
        for method in [
            flow_shop::Method::Auto,
            flow_shop::Method::BranchAndBound,
            flow_shop::Method::Beam,
            flow_shop::Method::IteratedGreedy,
            flow_shop::Method::Tabu,
        ] {
            let (name, instance) = (format!("{objective}, {method:?}"), instance.clone());
            let options = flow_shop::Options { method, ..flow_shop::Options::default() };
            let solve = move |context: &Context, solve: &SolveOptions| {
                result(flow_shop::solve(context, &instance, &options, solve).unwrap())
            };
            solves.push((name, Box::new(solve)));
        }
    }
    solves
}

#[test]
fn speeds_that_contradict_each_other_change_no_result_with_any_device() {
    let solve = limited(Limits { iterations: Some(12), ..Limits::default() });
    for device in real_test_devices() {
        let index = device.info().index;
        let [on_device, on_cpu] = [1.0 / FAR, FAR].map(|processor| {
            let context = Context::pretending(index, DeviceKind::Gpu, 2);
            context.chosen_device().spare_self_tests();
            contradict(&context, index, processor);
            context
        });
        for (name, table) in tables() {
            let (expected, used) = table(&on_cpu, &solve);
            assert!(!used, "{name}: the CPU is faster");
            // Hu and Shing's algorithm and the core of a knapsack have no kernels.
            let has_kernels = name != "matrix chain" && name != "knapsack";
            if has_kernels {
                // Without the kernels, the device would leave the next solve to the CPU.
                let engine = Some(Engine::Device);
                let (forced, used) = table(&on_device, &SolveOptions { engine, ..solve.clone() });
                assert!(forced == expected && used, "{name}: {forced}, not {expected}");
            }
            let (chosen, used) = table(&on_device, &solve);
            assert_eq!(chosen, expected, "{name}");
            // A slow processor would check a recurrence for as long as it computes it.
            assert!(used || !has_kernels || name == "recurrence", "{name}: the device is faster");
        }
        for (name, search) in searches() {
            let (expected, _) = search(&on_cpu, &solve);
            // The second solve finds the kernels that the first one has asked for.
            for _ in 0..2 {
                assert_eq!(search(&on_device, &solve).0, expected, "{name}");
            }
        }
    }
}
