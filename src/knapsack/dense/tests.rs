use proptest::prelude::*;

use super::*;
use crate::knapsack::blocks::Cell;
use crate::knapsack::testing::{best_profits, counts_of, instances, reduced};
use crate::opencl::Device;
use crate::opencl::testing::test_devices;
use crate::solve::SolveOptions;
use crate::testing::{check_cases, cpu_context, limited, numbers};

/// Values of all capacities, and the pieces taken.
fn both(mut rows: impl Rows, problem: &Problem) -> (Vec<u64>, Vec<bool>) {
    let monitor = &Monitor::maximising(&SolveOptions::default());
    let values = Profile { problem, monitor }.run(&mut rows).unwrap();
    (values.to_vec(), Solve { problem, monitor }.run(&mut rows).unwrap())
}

fn on_cpu<T: Cell>(threads: usize, problem: &Problem) -> (Vec<u64>, Vec<bool>) {
    let (context, monitor) = (cpu_context(threads), Monitor::maximising(&SolveOptions::default()));
    both(Profits::<T>::new(&context, &monitor), problem)
}

fn sums_on_cpu(threads: usize, problem: &Problem) -> (Vec<u64>, Vec<bool>) {
    let (context, monitor) = (cpu_context(threads), Monitor::maximising(&SolveOptions::default()));
    both(Sums::new(&context, &monitor), problem)
}

fn on_device<T: Cell + device::Word>(device: &Device, problem: &Problem) -> (Vec<u64>, Vec<bool>) {
    let (context, monitor) = (cpu_context(1), Monitor::maximising(&SolveOptions::default()));
    both(DeviceProfits::<T>::new(&context, &monitor, device).unwrap(), problem)
}

fn sums_on_device(device: &Device, problem: &Problem) -> (Vec<u64>, Vec<bool>) {
    let (context, monitor) = (cpu_context(1), Monitor::maximising(&SolveOptions::default()));
    both(DeviceSums::new(&context, &monitor, device).unwrap(), problem)
}

/// Tables of several levels of parts, with weights for every way to fill rows.
fn large(seed: u64) -> Instance {
    let mut weights = numbers(70, 90, seed);
    weights.extend(numbers(20, 3000, seed + 1));
    weights.extend(numbers(10, 30_000, seed + 2));
    let profits = weights.iter().zip(numbers(100, 40, seed + 3)).map(|(w, p)| w + p).collect();
    Instance::new(profits, weights, 61_234).unwrap()
}

proptest! {
    #[test]
    fn tables_agree_with_the_definition(instance in instances()) {
        let problem = reduced(&instance);
        let expected: Vec<u64> = best_profits(&instance)
            .into_iter()
            .step_by(problem.weight_unit as usize)
            .map(|value| (value - problem.free_profit) / problem.profit_unit)
            .collect();
        let (values, taken) = on_cpu::<i32>(1, &problem);
        prop_assert_eq!(&values, &expected);
        let counts = counts_of(&problem, &taken);
        let optimum = problem.scaled(*expected.last().unwrap() as i64);
        prop_assert_eq!(instance.profit_of(&counts).ok(), Some(optimum));
        if problem.is_subset_sum {
            let (values, taken) = sums_on_cpu(1, &problem);
            prop_assert_eq!(&values, &expected);
            let counts = counts_of(&problem, &taken);
            prop_assert_eq!(instance.profit_of(&counts).ok(), Some(optimum));
        }
    }
}

#[test]
fn threads_and_types_of_cells_change_nothing() {
    let instance = large(7);
    let problem = reduced(&instance);
    let one = on_cpu::<i32>(1, &problem);
    let expected = best_profits(&instance);
    assert!(one.0 == expected);
    assert_eq!(
        instance.profit_of(&counts_of(&problem, &one.1)).unwrap(),
        *expected.last().unwrap()
    );
    assert!(one == on_cpu::<i32>(3, &problem) && one == on_cpu::<i64>(2, &problem));
}

#[test]
fn sums_of_large_tables_are_those_of_profits() {
    let weights: Vec<u64> = numbers(60, 200_000, 5).into_iter().map(|w| 2 * w + 1).collect();
    let problem = reduced(&Instance::subset_sum(weights, 1_100_000).unwrap());
    assert!(problem.is_subset_sum);
    let one = sums_on_cpu(1, &problem);
    assert!(one.0 == on_cpu::<i32>(2, &problem).0);
    assert!(one == sums_on_cpu(3, &problem));
    assert_eq!(problem.profit(&one.1) as u64, *one.0.last().unwrap());
}

#[test]
fn heavy_items_are_filled_in_one_by_one() {
    let weights: Vec<u64> =
        numbers(8, 150_000, 3).into_iter().map(|weight| 100_000 + weight).collect();
    let profits = weights.iter().zip(numbers(8, 40_000, 4)).map(|(w, p)| w + p).collect();
    let instance = Instance::new(profits, weights, 700_001).unwrap();
    let problem = reduced(&instance);
    let one = on_cpu::<i32>(1, &problem);
    assert!(one.0 == best_profits(&instance));
    assert!(one == on_cpu::<i32>(3, &problem) && one == on_cpu::<i64>(1, &problem));
    assert_eq!(problem.profit(&one.1) as u64, *one.0.last().unwrap());
}

/// Weights of less than a word, of some words, and of many, in rows of a few bits and of several
/// groups.
fn sets_for_sums() -> impl Strategy<Value = Instance> {
    let capacity =
        prop_oneof![1u64..140, 1u64..400_000, (1u64..12_000).prop_map(|words| words * 32 - 1)];
    capacity.prop_flat_map(|capacity| {
        let weight =
            prop_oneof![1u64..70, 1u64..5000, 1..capacity + 40, (1u64..1000).prop_map(|w| 32 * w)];
        let weights = proptest::collection::vec(weight, 0..12);
        weights.prop_map(move |weights| Instance::subset_sum(weights, capacity).unwrap())
    })
}

#[test]
fn devices_find_the_sums_of_the_definition() {
    for device in test_devices() {
        let cases = if device.quirks().simulator { 3 } else { 48 };
        check_cases(cases, &sets_for_sums(), |instance| {
            let problem = reduced(&instance);
            prop_assume!(!device.quirks().simulator || instance.capacity() < 140);
            let (values, taken) = sums_on_device(&device, &problem);
            let expected =
                best_profits(&instance).into_iter().step_by(problem.weight_unit as usize);
            prop_assert!(values.into_iter().map(|value| value * problem.profit_unit).eq(expected));
            prop_assert_eq!(taken, sums_on_cpu(2, &problem).1);
            Ok(())
        });
    }
}

#[test]
fn devices_equal_the_cpu_bit_by_bit() {
    for device in test_devices() {
        let cases = if device.quirks().simulator { 8 } else { 100 };
        check_cases(cases, &instances(), |instance| {
            let problem = reduced(&instance);
            prop_assert_eq!(on_device::<i32>(&device, &problem), on_cpu::<i32>(1, &problem));
            if problem.is_subset_sum {
                prop_assert_eq!(sums_on_device(&device, &problem), sums_on_cpu(1, &problem));
            }
            Ok(())
        });
        if !device.quirks().simulator {
            let problem = reduced(&large(9));
            assert!(on_device::<i64>(&device, &problem) == on_cpu::<i32>(2, &problem));
            let weights = numbers(60, 200_000, 5);
            let problem = reduced(&Instance::subset_sum(weights, 1_100_000).unwrap());
            assert!(sums_on_device(&device, &problem) == sums_on_cpu(2, &problem));
        }
    }
}

#[test]
fn little_memory_changes_nothing() {
    let instance = large(11);
    let problem = reduced(&instance);
    let solve = |memory| {
        let monitor = Monitor::maximising(&limited(crate::Limits { memory, ..Default::default() }));
        let context = cpu_context(1);
        let mut rows = Profits::<i32>::new(&context, &monitor);
        (Solve { problem: &problem, monitor: &monitor }.run(&mut rows).unwrap(), rows.filled())
    };
    let (expected, at_once) = solve(None);
    let row = 4 * (instance.capacity() + 1);
    for rows in [5, 6, 8] {
        let (taken, filled) = solve(Some(rows * row));
        assert!(taken == expected, "{rows} rows");
        assert!(filled > at_once, "in parts");
    }
}

#[test]
fn a_table_beyond_the_memory_is_refused_with_its_size() {
    let monitor = Monitor::maximising(&limited(crate::Limits {
        memory: Some(1_000_000),
        ..Default::default()
    }));
    let context = cpu_context(1);
    let problem = reduced(&Instance::new(vec![3, 5], vec![20, 3], 1_000_000).unwrap());
    let solve = Solve { problem: &problem, monitor: &monitor };
    let error = solve.run(&mut Profits::<i32>::new(&context, &monitor));
    let message =
        "a knapsack table of 1000001 capacities needs 20000020 bytes, the limit is 1000000 bytes";
    assert_eq!(error.unwrap_err().to_string(), message);
}

#[test]
fn profits_for_all_capacities_count_their_list() {
    let problem = reduced(&large(11));
    let profile = |memory| {
        let monitor = Monitor::maximising(&limited(crate::Limits {
            memory: Some(memory),
            ..Default::default()
        }));
        let context = cpu_context(1);
        let profile = Profile { problem: &problem, monitor: &monitor };
        profile.run(&mut Profits::<i32>::new(&context, &monitor)).is_ok()
    };
    // Three rows, and the list.
    let bytes = (3 * 4 + 8) * (problem.capacity as u64 + 1);
    assert!(profile(bytes) && !profile(bytes - 1));
}
