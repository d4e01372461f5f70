//! Compares all ways to solve, through the public interface.

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use super::testing::{instances, packings};
use super::*;
use crate::opencl::testing::test_devices;
use crate::testing::{check_cases, cpu_context, device_context};

/// A context with threads and one for each device under test, each with its number of cases.
fn contexts() -> Vec<(Context, u32)> {
    let on_device = test_devices().into_iter().map(|device| {
        let cases = if device.quirks().simulator { 2 } else { 30 };
        (device_context(&device), cases)
    });
    [(cpu_context(3), 60)].into_iter().chain(on_device).collect()
}

fn ways() -> Vec<Options> {
    let blocks = |partition| Options::by_blocks(partition, DivisorRule::Tabulated);
    let traversals = [
        Traversal::Slabs.into(),
        Traversal::Levels.into(),
        blocks(None),
        blocks(Some(3)),
        blocks(Some(9)),
    ];
    let options = |way: Options| Launches::ALL.map(|launches| Options { launches, ..way.clone() });
    traversals.into_iter().flat_map(options).collect()
}

#[test]
fn all_traversals_and_devices_find_the_same_path() {
    let options = SolveOptions::default();
    let reference = cpu_context(1);
    for (context, cases) in contexts() {
        let runner = |instance: Instance| -> Result<(), TestCaseError> {
            let expected = solve(&reference, &instance, &Options::default(), &options).unwrap();
            for way in ways() {
                let found = solve(&context, &instance, &way, &options).unwrap();
                prop_assert_eq!(found.status, expected.status, "{:?}", way);
                prop_assert_eq!(found.objective, expected.objective, "{:?}", way);
                prop_assert_eq!(&found.solution, &expected.solution, "{:?}", way);
            }
            Ok(())
        };
        check_cases(cases, &instances(), runner);
    }
}

/// Figure 2 of Li, Ghalami, Schwiebert and Grosu 2018: a box of 6 x 6 x 6 cells in 7 block levels.
#[test]
fn a_caller_can_choose_the_parts() {
    let steps = [([1, 0, 2], 1), ([0, 1, 1], 1), ([2, 1, 0], 1), ([1, 1, 1], 1)];
    let instance = Instance::new(&[6, 6, 6], steps).unwrap();
    let (context, solve_options) = (cpu_context(2), SolveOptions::default());
    let cut = |parts: &[u32]| {
        let options = Options { parts: Some(parts.to_vec()), ..Traversal::Blocks.into() };
        solve(&context, &instance, &options, &solve_options)
    };
    let expected = solve(&context, &instance, &Options::default(), &solve_options).unwrap();
    for (parts, levels) in [([3, 3, 3], 7), ([6, 1, 2], 7), ([1, 1, 1], 1)] {
        let found = cut(&parts).unwrap();
        assert_eq!((found.objective, &found.solution), (expected.objective, &expected.solution));
        assert_eq!(found.report.statistics.get("block_levels"), Some(levels));
    }
    let error = cut(&[3, 4, 3]).unwrap_err().to_string();
    assert_eq!(error, "parts[1]: is 4, no divisor of the size 6");
    assert_eq!(cut(&[3]).unwrap_err().to_string(), "parts: 1 numbers for 3 dimensions");
}

#[test]
fn several_tables_at_once_on_cpu_or_device_are_as_each_alone() {
    let paths = |context: &Context, instances: &[&Instance], way: &Options| {
        let monitor = Monitor::new(&SolveOptions::default());
        let mut dispatch = context.dispatch(None).unwrap();
        solve_tables(&mut dispatch, &monitor, instances, way, &mut Statistics::default()).unwrap()
    };
    let reference = cpu_context(1);
    for (context, cases) in contexts() {
        let runner = |list: Vec<Instance>| -> Result<(), TestCaseError> {
            let list: Vec<&Instance> = list.iter().collect();
            let expected: Vec<_> = list
                .iter()
                .flat_map(|&instance| paths(&reference, &[instance], &Options::default()))
                .collect();
            for way in ways() {
                prop_assert_eq!(&paths(&context, &list, &way), &expected, "{:?}", way);
            }
            Ok(())
        };
        let lists = proptest::collection::vec(instances(), 2..5);
        check_cases(1 + cases / 10, &lists, runner);
    }
}

#[test]
fn both_recurrences_on_cpu_and_device_use_as_few_containers() {
    let options = SolveOptions::default();
    let reference = cpu_context(1);
    for (context, cases) in contexts() {
        let runner = |packing: Packing| -> Result<(), TestCaseError> {
            let expected = pack(&reference, &packing, &Options::default(), &options).unwrap();
            for recurrence in Recurrence::ALL {
                let found = pack(&context, &packing, &recurrence.into(), &options).unwrap();
                let same = pack(&reference, &packing, &recurrence.into(), &options).unwrap();
                prop_assert_eq!(found.objective, expected.objective);
                prop_assert_eq!(found.solution, same.solution);
            }
            Ok(())
        };
        check_cases(cases, &packings(), runner);
    }
}

#[test]
fn a_persistent_kernel_of_a_device_is_refused_where_it_would_see_no_stop_for_long() {
    let instance = Instance::new(&[400, 400, 400], [([1, 1, 1], 1)]).unwrap();
    let devices = contexts().into_iter().skip(1).filter(|(_, cases)| *cases > 2);
    for (context, _) in devices {
        for traversal in [Traversal::Slabs, Traversal::Levels] {
            let options = Options { launches: Launches::Persistent, ..traversal.into() };
            let error = solve(&context, &instance, &options, &SolveOptions::default()).unwrap_err();
            let words = "not supported: a persistent kernel for more than a few milliseconds: \
                a lattice of 64000000 cells on ";
            assert!(error.to_string().starts_with(words), "{error}");
        }
    }
}
