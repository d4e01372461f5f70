//! Runs every solver on a device with one kernel that returns wrong numbers. The result must be
//! right or an error.

use crate::opencl::testing::{Lie, self_testing_devices};
use crate::opencl::{Device, DeviceKind};
use crate::testing::{cpu_context, device_context, numbers};
use crate::{Context, Error, Result, SolveOptions};
use crate::{
    interval_dp, knapsack, lattice_dp, multidimensional_knapsack, parallel_machines, recurrence,
};

/// A kernel, the arguments with wrong buffers (none for all), and the share of wrong
/// words. Results that kernels use as addresses are left out.
type Fault = (&'static str, &'static [&'static str], f64);

const FILLED_AT_ONCE: [&str; 2] = ["lattice_partition_levels", "lattice_partition_blocks"];

/// Solves on the CPU, and with each of the faults on a device.
fn check<T: PartialEq + std::fmt::Debug>(faults: &[Fault], solve: impl Fn(&Context) -> Result<T>) {
    let expected = solve(&cpu_context(2)).unwrap();
    // A wrong index may make a kernel write outside its buffers, which destroys a graphics card's
    // context.
    let fits =
        |device: &Device| device.info().kind == DeviceKind::Cpu && !device.quirks().simulator;
    for device in self_testing_devices().into_iter().filter(fits) {
        assert_eq!(solve(&device_context(&device)).unwrap(), expected, "an honest device");
        // Devices with short loops fill no partitioned table at once.
        let is_run =
            |fault: &&Fault| !(device.quirks().short_loops && FILLED_AT_ONCE.contains(&fault.0));
        for &(kernel, only, share) in faults.iter().filter(is_run) {
            for seed in 0..2 {
                // A new context for each solve: kept buffers may hold the correct results.
                let context = device_context(&device);
                context.chosen_device().lie(Lie::of(kernel, seed).share(share).only(only));
                match solve(&context) {
                    Ok(found) => assert_eq!(found, expected, "{kernel} {seed}"),
                    Err(error)
                        if matches!(*error, Error::DeviceWrong(_) | Error::DeviceFailed(_)) => {}
                    Err(error) => panic!("{kernel} {seed}: {error}"),
                }
                assert!(context.chosen_device().lies_told() > 0, "{kernel} {seed}");
            }
        }
    }
}

fn signed(list: Vec<u64>) -> Vec<i64> {
    list.into_iter().map(|number| number as i64).collect()
}

#[test]
fn lattices() {
    // Large tables for a device's slabs, and a small one for a group's memory.
    let instance = |sizes: &[u32]| {
        let offsets =
            (0..sizes.len()).flat_map(|one| (one..sizes.len()).map(move |other| (one, other)));
        let vector = |(one, other): (usize, usize)| {
            let mut vector = vec![0; sizes.len()];
            vector[one] += 1;
            vector[other] += 1;
            (vector, 2 + ((3 * one + other) % 4) as u16)
        };
        let single = |one: usize| {
            let mut vector = vec![0; sizes.len()];
            vector[one] = 1;
            (vector, 2)
        };
        lattice_dp::Instance::new(sizes, offsets.map(vector).chain((0..sizes.len()).map(single)))
            .unwrap()
    };
    let (large, small) = (instance(&[12, 12, 12, 12]), instance(&[5, 6, 7, 4]));
    let options = SolveOptions::default();
    let solve = |options_of: lattice_dp::Options| {
        let (large, options) = (&large, &options);
        move |context: &Context| {
            let outcome = lattice_dp::solve(context, large, &options_of, options)?;
            Ok((outcome.status, outcome.objective))
        }
    };
    let by =
        |traversal, launches| lattice_dp::Options { traversal, launches, ..Default::default() };
    let (stepwise, persistent) = (lattice_dp::Launches::Stepwise, lattice_dp::Launches::Persistent);
    let slabs = lattice_dp::Traversal::Slabs;
    check(
        &[("lattice_slab", &[], 1e-3), ("lattice_traceback", &[], 0.3)],
        solve(by(slabs, stepwise)),
    );
    check(&[("lattice_resident", &["part_0"], 1e-3)], solve(by(slabs, persistent)));
    let levels = lattice_dp::Traversal::Levels;
    check(
        &[("lattice_partition_level", &["table"], 1e-3), ("lattice_partition_traceback", &[], 0.3)],
        solve(by(levels, stepwise)),
    );
    check(&[("lattice_partition_levels", &["table"], 1e-3)], solve(by(levels, persistent)));
    let blocks = |launches| lattice_dp::Options {
        partition: Some(3),
        ..by(lattice_dp::Traversal::Blocks, launches)
    };
    check(&[("lattice_partition_block", &["table"], 1e-3)], solve(blocks(stepwise)));
    check(&[("lattice_partition_blocks", &["table"], 1e-3)], solve(blocks(persistent)));
    let many = vec![&small; 30];
    check(&[("lattice_batch", &[], 0.02)], |context| {
        let own = lattice_dp::Options::default();
        let outcomes = lattice_dp::solve_batch(context, &many, &own, &options)?;
        Ok(outcomes.into_iter().map(|outcome| outcome.solution).collect::<Vec<_>>())
    });
}

#[test]
fn packings_and_schedules() {
    let packing = lattice_dp::Packing::new(vec![31, 24, 17, 11], vec![9, 8, 7, 6], 60).unwrap();
    let options = SolveOptions::default();
    check(&[("lattice_unit_steps", &[], 1e-2)], |context| {
        let unit_steps = lattice_dp::Recurrence::UnitSteps;
        let outcome = lattice_dp::pack(context, &packing, &unit_steps.into(), &options)?;
        Ok(outcome.objective)
    });
    let instance = parallel_machines::Instance::new(numbers(60, 90, 3), 12).unwrap();
    let method = parallel_machines::Method::Ptas;
    let ptas = parallel_machines::Options { method, epsilon: 0.25, ..Default::default() };
    check(&[("lattice_traceback", &[], 0.3)], |context| {
        let outcome = parallel_machines::solve(context, &instance, &ptas, &options)?;
        Ok((outcome.objective, outcome.bound))
    });
}

#[test]
fn intervals() {
    let options = SolveOptions::default();
    let solve = |instance: interval_dp::Instance<i64>, method| {
        let solver = interval_dp::Options { method, ..Default::default() };
        let options = &options;
        move |context: &Context| {
            let method =
                if context.wants_device(None) { method } else { interval_dp::Method::Serial };
            let solver = interval_dp::Options { method, ..solver.clone() };
            let outcome = interval_dp::solve(context, &instance, &solver, options)?;
            Ok((outcome.objective, outcome.bound, outcome.solution.map(|solution| solution.tree)))
        }
    };
    let chain = || interval_dp::Instance::matrix_chain(signed(numbers(300, 50, 1))).unwrap();
    let tree = || {
        let keys = signed(numbers(299, 50, 2));
        interval_dp::Instance::search_tree(&keys, &signed(numbers(300, 50, 3))).unwrap()
    };
    let fills: [Fault; 5] = [
        ("interval_diagonal", &["cells"], 1e-3),
        ("interval_fringe", &["cells"], 1e-3),
        ("interval_products", &["cells"], 1e-3),
        ("interval_traceback", &[], 0.02),
        ("interval_splits", &["splits"], 0.2),
    ];
    check(&fills[..4], solve(chain(), interval_dp::Method::Cubic));
    check(&fills[..4], solve(tree(), interval_dp::Method::Cubic));
    let knuth = ("interval_knuth", &["cells"][..], 1e-3);
    check(&[knuth], solve(tree(), interval_dp::Method::Knuth));
    let group = interval_dp::Method::Mapping(interval_dp::Mapping::GroupPerCell);
    check(&[("interval_mapping_groups", &["cells"], 1e-3)], solve(tree(), group));
    let item = interval_dp::Method::Mapping(interval_dp::Mapping::ItemPerCell);
    check(&[("interval_mapping_items", &["cells"], 1e-3)], solve(chain(), item));
    let pipeline = interval_dp::Method::Pipeline;
    check(&[("interval_pipeline", &["cells"], 1e-2)], solve(tree(), pipeline));
    let many: Vec<_> = (0..40)
        .map(|seed| interval_dp::Instance::matrix_chain(signed(numbers(20, 50, seed))).unwrap())
        .collect();
    let cubic = interval_dp::Options { method: interval_dp::Method::Cubic, ..Default::default() };
    check(&[("interval_batch", &[], 0.02)], |context| {
        let many: Vec<_> = many.iter().collect();
        let outcomes = interval_dp::solve_batch(context, &many, &cubic, &options)?;
        Ok(outcomes.into_iter().map(|outcome| outcome.objective).collect::<Vec<_>>())
    });
}

#[test]
fn foldings() {
    use interval_dp::folding::{Instance, Model, solve};
    let (own, options) = (interval_dp::Options::default(), SolveOptions::default());
    let model = Model::Zuker(Box::default());
    let instance = Instance::random(150, 7, model, &options.limits).unwrap();
    check(&[("interval_folding", &["paired", "some"], 1e-3)], |context| {
        let outcome = solve(context, &instance, &own, &options)?;
        Ok((outcome.objective, outcome.bound, outcome.solution))
    });
}

#[test]
fn recurrences() {
    let options = SolveOptions::default();
    let instance = recurrence::Instance::new(
        recurrence::Semiring::MinPlus,
        vec![50, 30, 11, 7],
        signed(numbers(50, 100, 9)),
        6_000,
    )
    .unwrap()
    .with_weights(vec![9, 5, 3, 2])
    .unwrap();
    let solve = |method, output| {
        let (instance, options) = (&instance, &options);
        move |context: &Context| {
            let solver = recurrence::Options { method, output, ..Default::default() };
            let outcome = recurrence::solve(context, instance, &solver, options)?;
            Ok(outcome.solution.map(|solution| (solution.values, solution.last)))
        }
    };
    use recurrence::{Method, Output};
    for output in [Output::Table, Output::Last] {
        check(&[("recurrence_sequential", &["all"], 5e-3)], solve(Method::Sequential, output));
        check(&[("recurrence_tournament", &["all"], 5e-3)], solve(Method::Tournament, output));
        check(&[("recurrence_pipeline", &["all"], 5e-3)], solve(Method::Pipeline, output));
    }
}

#[test]
fn knapsacks() {
    let options = SolveOptions::default();
    let dense = knapsack::Options::from(knapsack::Method::Dense);
    let solve = |instance: knapsack::Instance| {
        let (dense, options) = (&dense, &options);
        move |context: &Context| {
            let outcome = knapsack::solve(context, &instance, dense, options)?;
            Ok((outcome.objective, outcome.bound))
        }
    };
    let (weights, more) =
        ([numbers(30, 60, 1), numbers(10, 3_000, 2)].concat(), numbers(40, 30, 3));
    let profits = weights.iter().zip(more).map(|(weight, more)| weight + more).collect();
    let instance = knapsack::Instance::new(profits, weights, 9_000).unwrap();
    let faults: [Fault; 3] = [
        ("knapsack_quad", &["target"], 1e-3),
        ("knapsack_fused", &["target"], 1e-3),
        ("knapsack_traceback", &["state", "taken"], 0.2),
    ];
    check(&faults, solve(instance));

    let shared = knapsack::Instance::new(vec![1; 12], numbers(12, 40, 5), 120).unwrap();
    let profits = numbers(12 * 50, 99, 6);
    check(&[("knapsack_batch", &["decisions", "values", "taken"], 0.01)], |context| {
        Ok(knapsack::solve_profits(context, &shared, &profits, &options)?.solution)
    });
}

#[test]
fn multidimensional_knapsacks() {
    use multidimensional_knapsack::{Method, solve, testing::drawn};
    let (instance, options) = (drawn(16, &[9, 12, 60], 1), SolveOptions::default());
    let faults: [Fault; 2] = [
        ("multidimensional_knapsack_item", &["target"], 1e-3),
        ("multidimensional_knapsack_back", &["at", "taken"], 0.2),
    ];
    check(&faults, |context| {
        let outcome = solve(context, &instance, &Method::Dense.into(), &options)?;
        Ok((outcome.objective, outcome.bound))
    });
}
