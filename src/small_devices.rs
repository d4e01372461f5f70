//! Runs every solver on devices with small limits, and with the least and the most values of the
//! tunables. The result must be the CPU's.

use crate::opencl::DeviceInfo;
use crate::opencl::testing::{extreme_rows, smaller_devices};
use crate::testing::{cpu_context, limited, numbers};
use crate::{Context, ContextOptions, Engine, Limits, Result, SolveOptions};
use crate::{flow_shop, interval_dp, knapsack, lattice_dp, multidimensional_knapsack, recurrence};

/// A device of the smallest kind that solvers must run on: 16 KiB is what OpenCL 1.0 promises.
fn tiny(info: &mut DeviceInfo) {
    info.limit_groups(32);
    info.local_memory_bytes = info.local_memory_bytes.min(16 << 10);
    info.lose(&["cl_khr_fp64", "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"]);
}

/// Groups as large as a wave of some hardware.
fn wave_of_64(info: &mut DeviceInfo) {
    info.limit_groups(64);
}

fn without_local_memory(info: &mut DeviceInfo) {
    info.local_memory_bytes = 0;
}

/// Solves on the CPU and on each small device.
fn check<T: PartialEq + std::fmt::Debug>(solve: impl Fn(&Context) -> Result<T>) {
    let expected = solve(&cpu_context(2)).unwrap();
    for change in [tiny as fn(&mut DeviceInfo), wave_of_64, without_local_memory] {
        for context in contexts(change) {
            assert_eq!(solve(&context).unwrap(), expected, "{:?}", context.devices());
        }
    }
    check_tuned(&expected, &solve);
}

/// Solves on each device with the least and with the most values of the tunables.
fn check_tuned<T: PartialEq + std::fmt::Debug>(
    expected: &T,
    solve: &impl Fn(&Context) -> Result<T>,
) {
    for most in [false, true] {
        for context in tuned_contexts(|_| {}, Some(extreme_rows(most))) {
            assert_eq!(&solve(&context).unwrap(), expected, "{most} {:?}", context.devices());
        }
    }
}

/// Contexts that must use a device with these limits.
fn contexts(change: fn(&mut DeviceInfo)) -> impl Iterator<Item = Context> {
    tuned_contexts(change, None)
}

/// The same with further tuning rows.
fn tuned_contexts(
    change: fn(&mut DeviceInfo),
    tuning: Option<String>,
) -> impl Iterator<Item = Context> {
    smaller_devices(change).into_iter().map(move |device| {
        let (engine, opencl, threads) = (Engine::Device, Some(device), Some(2));
        let (tuning, is_tuned) = (tuning.clone(), tuning.is_some());
        let options =
            ContextOptions { engine, opencl, threads, tuning, ..ContextOptions::default() };
        let context = Context::new(options).unwrap();
        let spares = std::env::var("MAKESPAN_TEST_SELF_TESTS").is_ok_and(|value| value == "off");
        // The results of tuned kernels are compared anyway.
        if spares || is_tuned {
            context.chosen_device().spare_self_tests();
        }
        context
    })
}

fn signed(list: Vec<u64>) -> Vec<i64> {
    list.into_iter().map(|number| number as i64).collect()
}

fn interval<'a>(
    instance: &'a interval_dp::Instance<i64>,
    method: interval_dp::Method,
) -> impl Fn(&Context) -> Result<(Option<i64>, Option<i64>)> + 'a {
    move |context| {
        let is_on_device = context.wants_device(None);
        let method = if is_on_device { method } else { interval_dp::Method::Serial };
        let own = interval_dp::Options { method, ..Default::default() };
        let outcome = interval_dp::solve(context, instance, &own, &SolveOptions::default())?;
        Ok((outcome.objective, outcome.bound))
    }
}

#[test]
fn small_devices_solve_interval_programs() {
    use interval_dp::{Instance, Mapping, Method};
    let chain = Instance::matrix_chain(signed(numbers(150, 50, 1))).unwrap();
    check(interval(&chain, Method::Cubic));
    for mapping in [Mapping::ItemPerCell, Mapping::GroupPerCell] {
        let short = Instance::matrix_chain(signed(numbers(40, 50, 2))).unwrap();
        check(interval(&short, Method::Mapping(mapping)));
    }
    let keys = signed(numbers(150, 50, 3));
    let tree = Instance::search_tree(&keys, &vec![1; keys.len() + 1]).unwrap();
    check(interval(&tree, Method::Knuth));
    // In double precision by default.
    let large = Instance::matrix_chain(vec![2000; 60]).unwrap();
    check(interval(&large, Method::Cubic));
}

#[test]
fn small_devices_solve_interval_programs_by_a_pipeline() {
    use interval_dp::{Instance, Method};
    let chain = Instance::matrix_chain(signed(numbers(100, 50, 3))).unwrap();
    check(interval(&chain, Method::Pipeline));
}

#[test]
fn small_devices_fold_by_energies() {
    use interval_dp::folding::{Instance, Model, solve};
    let (own, options) = (interval_dp::Options::default(), SolveOptions::default());
    let model = Model::Zuker(Box::default());
    let instance = Instance::random(100, 7, model, &options.limits).unwrap();
    check(|context| {
        let outcome = solve(context, &instance, &own, &options)?;
        Ok((outcome.objective, outcome.bound, outcome.solution))
    });
}

#[test]
fn small_devices_solve_recurrences() {
    use recurrence::{Instance, Method, Semiring};
    let (offsets, start) = (vec![50, 30, 11, 7], signed(numbers(50, 100, 9)));
    let instance = Instance::new(Semiring::MinPlus, offsets, start, 6_000).unwrap();
    let instance = instance.with_weights(vec![9, 5, 3, 2]).unwrap();
    for method in [Method::Tournament, Method::Pipeline, Method::Blocked] {
        check(|context| {
            let own = recurrence::Options { method, ..Default::default() };
            let outcome = recurrence::solve(context, &instance, &own, &SolveOptions::default())?;
            Ok(outcome.solution.map(|solution| (solution.values, solution.last)))
        });
    }
}

#[test]
fn small_devices_solve_knapsacks() {
    let options = SolveOptions::default();
    let dense = knapsack::Options::from(knapsack::Method::Dense);
    let (weights, more) =
        ([numbers(30, 60, 1), numbers(10, 3_000, 2)].concat(), numbers(40, 30, 3));
    let profits = weights.iter().zip(more).map(|(weight, more)| weight + more).collect();
    let instances = [
        knapsack::Instance::new(profits, weights.clone(), 9_000).unwrap(),
        knapsack::Instance::subset_sum(weights, 200_001).unwrap(),
    ];
    for instance in &instances {
        check(|context| {
            let outcome = knapsack::solve(context, instance, &dense, &options)?;
            Ok((outcome.objective, outcome.bound))
        });
    }
    // More cells than work-items of the smallest groups.
    let shared = knapsack::Instance::new(vec![1; 12], numbers(12, 40, 5), 300).unwrap();
    let profits = numbers(12 * 50, 99, 6);
    check(|context| Ok(knapsack::solve_profits(context, &shared, &profits, &options)?.solution));
}

#[test]
fn small_devices_solve_knapsacks_of_dimensions() {
    use multidimensional_knapsack::{Method, solve, testing::drawn};
    let instance = drawn(16, &[9, 12, 60], 1);
    check(|context| {
        let outcome = solve(context, &instance, &Method::Dense.into(), &SolveOptions::default())?;
        Ok((outcome.objective, outcome.bound))
    });
}

#[test]
fn small_devices_solve_lattices() {
    use lattice_dp::{Children, Instance, Options, Traversal};
    let instance = |sizes: [u32; 4]| {
        let pairs = (0..4).flat_map(|one| (one..4).map(move |other| (one, Some(other))));
        let singles = (0..4).map(|one| (one, None));
        let offsets = pairs.chain(singles).map(|(one, other)| {
            let mut vector = vec![0; 4];
            vector[one] += 1;
            if let Some(other) = other {
                vector[other] += 1;
            }
            (vector, 2 + other.map_or(0, |other| (3 * one + other) % 4) as u16)
        });
        Instance::new(&sizes, offsets).unwrap()
    };
    let (large, small) = (instance([12, 12, 12, 12]), instance([5, 6, 7, 4]));
    let options = SolveOptions::default();
    for (traversal, children) in [
        (Traversal::Slabs, Children::Loop),
        (Traversal::Levels, Children::Loop),
        (Traversal::Blocks, Children::Loop),
        (Traversal::Blocks, Children::Parallel),
    ] {
        let partition = (traversal == Traversal::Blocks).then_some(3);
        check(|context| {
            let own = Options { traversal, partition, children, ..Default::default() };
            let outcome = lattice_dp::solve(context, &large, &own, &options)?;
            Ok((outcome.status, outcome.objective))
        });
    }
    let many = vec![&small; 30];
    check(|context| {
        let outcomes = lattice_dp::solve_batch(context, &many, &Options::default(), &options)?;
        Ok(outcomes.into_iter().map(|outcome| outcome.objective).collect::<Vec<_>>())
    });
}

#[test]
fn small_devices_solve_flow_shops() {
    use flow_shop::{Bound, Instance, Method, Options};
    let times: Vec<u32> = numbers(9 * 5, 40, 7).into_iter().map(|time| time as u32).collect();
    let instance = Instance::new(9, 5, times).unwrap();
    for bound in [Bound::OneMachine, Bound::TwoMachine] {
        check(|context| {
            let mut own = Options { method: Method::BranchAndBound, ..Default::default() };
            own.exact.bound = bound;
            let outcome = flow_shop::solve(context, &instance, &own, &SolveOptions::default())?;
            Ok((outcome.status, outcome.objective, outcome.bound))
        });
    }
    let blocking = instance.with_blocking().unwrap();
    for (method, iterations) in [(Method::IteratedGreedy, Some(3)), (Method::BranchAndBound, None)]
    {
        let own = Options { method, ..Default::default() };
        let limits = Limits { iterations, ..Limits::default() };
        check(|context| {
            let outcome = flow_shop::solve(context, &blocking, &own, &limited(limits.clone()))?;
            Ok((outcome.status, outcome.objective, outcome.bound))
        });
    }
}

/// Not all of these searches fit onto the smallest devices. They fit onto devices without local memory,
/// whose groups have 32 KiB.
#[test]
fn tuned_devices_search_flow_shops() {
    use flow_shop::{Criterion, Instance, Method, Neighbourhood, Options, Setups};
    let times: Vec<u32> = numbers(20 * 5, 40, 8).into_iter().map(|time| time as u32).collect();
    let plain = Instance::new(20, 5, times).unwrap();
    let families = (0..20).map(|job| job % 3).collect();
    let between = (0..9).map(|pair| 1 + pair * 5 % 13).collect();
    let setups = Setups::between_families(3, families, between).unwrap();
    let with_setups = plain.clone().with_setups(setups).unwrap();
    let due_dates = (0..20).map(|job| 60 + job * 37 % 200).collect();
    let with_due_dates = plain.clone().with_due_dates(due_dates).unwrap();
    let with_due_dates = with_due_dates.with_objective(Criterion::TotalTardiness.into()).unwrap();
    for (instance, method, neighbourhood) in [
        (&plain, Method::Tabu, Some(Neighbourhood::Insertion)),
        (&plain, Method::Tabu, Some(Neighbourhood::Swap)),
        (&with_setups, Method::Tabu, Some(Neighbourhood::Insertion)),
        (&plain, Method::Beam, None),
        (&with_setups, Method::Beam, None),
        (&with_due_dates, Method::Beam, None),
    ] {
        let mut own = Options { method, ..Default::default() };
        match neighbourhood {
            Some(neighbourhood) => {
                (own.search.neighbourhood, own.search.trajectories) = (neighbourhood, Some(2));
            }
            None => own.search.beam_width = Some(20),
        }
        let solve = |context: &Context| {
            let limits = Limits { iterations: Some(5), ..Limits::default() };
            let outcome = flow_shop::solve(context, instance, &own, &limited(limits))?;
            Ok((outcome.objective, outcome.bound))
        };
        let expected = solve(&cpu_context(2)).unwrap();
        check_tuned(&expected, &solve);
        for context in contexts(without_local_memory) {
            assert_eq!(solve(&context).unwrap(), expected, "{:?}", context.devices());
        }
    }
}

/// The orders of all 190 pairs of 90 jobs do not fit into 16 KiB.
#[test]
fn small_devices_have_a_part_of_johnsons_orders_in_local_memory() {
    use flow_shop::{
        Bound, ExactOptions, Exploration, HostPool, Instance, Placement, Subproblem,
        search_subproblems,
    };
    const JOBS: usize = 90;
    let times: Vec<u32> = numbers(JOBS * 20, 90, 5).into_iter().map(|time| time as u32).collect();
    let instance = Instance::new(JOBS, 20, times).unwrap();
    // Five jobs are free.
    let front = (0..JOBS as u32 - 5).collect();
    let parts = [Subproblem { front, back: Vec::new() }];
    let pool = HostPool { size: 100, placement: Placement::PartOfJohnson, ..HostPool::default() };
    for exploration in [Exploration::HostPool, Exploration::TreePool] {
        let own = ExactOptions {
            bound: Bound::TwoMachine,
            exploration,
            pool,
            upper_bound: Some(1 << 30),
            ..ExactOptions::default()
        };
        check(|context| {
            let options = SolveOptions::default();
            let searched = search_subproblems(context, &instance, &parts, &own, &options)?;
            Ok(searched.best.map(|(_, value)| value))
        });
    }
}
