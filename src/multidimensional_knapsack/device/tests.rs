use proptest::prelude::*;

use super::*;
use crate::multidimensional_knapsack::cpu::CpuTable;
use crate::multidimensional_knapsack::dense::{Found, items, select};
use crate::multidimensional_knapsack::testing::{drawn, instances, reduced, sums};
use crate::multidimensional_knapsack::{Instance, Options, solve};
use crate::opencl::testing::{found_devices, test_devices};
use crate::solve::{Limits, SolveOptions};
use crate::testing::{check_cases, cpu_context, limited};
use crate::{Context, ContextOptions, Engine};

fn on_cpu<T: Word>(instance: &Instance) -> Found {
    let (context, monitor) = (cpu_context(1), Monitor::maximising(&SolveOptions::default()));
    let problem = reduced(instance);
    let mut table = CpuTable::<T>::new(&context, &monitor);
    select(&mut table, &problem, &items(&problem).unwrap()).unwrap()
}

fn on_device<T: Word>(device: &Device, instance: &Instance, options: &SolveOptions) -> Found {
    let (problem, monitor) = (reduced(instance), Monitor::maximising(options));
    let dimensions = problem.dimensions().max(1);
    let mut table = DeviceTable::<T>::new(&monitor, device, dimensions).unwrap();
    select(&mut table, &problem, &items(&problem).unwrap()).unwrap()
}

#[test]
fn small_tables_on_a_device_are_those_of_the_cpu() {
    for device in test_devices() {
        check_cases(48, &instances(), |instance| {
            let found = on_device::<u16>(&device, &instance, &SolveOptions::default());
            prop_assert_eq!(found, on_cpu::<u16>(&instance));
            Ok(())
        });
    }
}

#[test]
fn large_tables_on_a_device_are_those_of_the_cpu() {
    for device in test_devices() {
        for (capacities, seed) in [(&[20, 30, 41][..], 1), (&[2, 3, 2, 70], 2), (&[90, 700], 3)] {
            let instance = drawn(16, capacities, seed);
            let expected = on_cpu::<u32>(&instance);
            let found = on_device::<u32>(&device, &instance, &SolveOptions::default());
            assert_eq!(found, expected, "{capacities:?}");
        }
    }
}

#[test]
fn parts_of_the_decisions_on_a_device_lead_to_the_same_selection() {
    let instance = drawn(16, &[9, 12, 40], 4);
    let expected = on_cpu::<u64>(&instance);
    for device in test_devices().into_iter().filter(|device| device.info().kind == DeviceKind::Cpu)
    {
        let limits = Limits { memory: Some(2 * 8 * 10 * 13 * 41 + 3_000), ..Limits::default() };
        let found = on_device::<u64>(&device, &instance, &limited(limits));
        assert_eq!((found.profit, &found.taken), (expected.profit, &expected.taken));
        assert!(found.cells > expected.cells);
    }
}

#[test]
fn a_table_on_a_device_and_a_branch_and_bound_select_the_same() {
    let instances = [0, 1, 2].map(|seed| sums(14, seed));
    let answer = |context: &Context, instance| {
        solve(context, instance, &Options::default(), &SolveOptions::default()).unwrap()
    };
    for found in found_devices() {
        let (engine, device) = (Engine::Device, Some(found.info.index));
        let context =
            Context::new(ContextOptions { engine, device, ..ContextOptions::default() }).unwrap();
        for instance in &instances {
            let (table, tree) = (answer(&context, instance), answer(&cpu_context(1), instance));
            assert_eq!(table.solution, tree.solution);
            assert!(table.report.statistics.get("cells") > Some(0));
        }
    }
}
