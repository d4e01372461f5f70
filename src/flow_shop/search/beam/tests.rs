use proptest::prelude::*;
use rayon::ThreadPoolBuilder;

use super::*;
use crate::Log;
use crate::flow_shop::search::Shop;
use crate::flow_shop::search::makespan::{Guide, TwoEndedTree};
use crate::flow_shop::search::testing::FlowTime;
use crate::flow_shop::testing::{best_by_enumeration, instances};
use crate::flow_shop::{Instance, bounds};
use crate::opencl::CacheLocation;
use crate::opencl::testing::{found_devices, open, real_test_devices, test_devices};
use crate::testing::{assert_error, check_cases, cpu_context, monitor, stopped};

fn tree<'a>(
    instance: &Instance,
    shop: &'a Shop,
    monitor: &'a Monitor,
    guide: Guide,
    upper: u32,
) -> TwoEndedTree<'a> {
    TwoEndedTree::new(shop, monitor, bounds::one_machine(instance), guide, upper)
}

fn on_threads<T: Tree<Value = u64>>(threads: usize, tree: &T, width: usize) -> Pass {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| on_cpu(tree, &monitor(), width)).unwrap()
}

fn passes(instance: &Instance, guide: Guide, width: usize, upper: u32, threads: usize) -> Pass {
    let (shop, monitor) = (Shop::of(instance), monitor());
    on_threads(threads, &tree(instance, &shop, &monitor, guide, upper), width)
}

proptest! {
    #[test]
    fn a_wide_beam_finds_and_proves_the_optimum(instance in instances(6, 4)) {
        prop_assume!(instance.pinned().len() < instance.jobs());
        let best = best_by_enumeration(&instance);
        for guide in GUIDES {
            let pass = passes(&instance, guide, 10_000, best + 1, 1);
            prop_assert_eq!(pass.found.map(|found| found.value), Some(best.into()));
            prop_assert!(pass.exhaustive);
            let pass = passes(&instance, guide, 10_000, best, 1);
            prop_assert_eq!((pass.found, pass.exhaustive), (None, true));
        }
    }

    #[test]
    fn a_narrow_beam_claims_nothing_false(instance in instances(7, 4), width in 1usize..4) {
        prop_assume!(instance.pinned().len() < instance.jobs());
        let best = best_by_enumeration(&instance);
        let pass = passes(&instance, Guide::IdleThenBound, width, u32::MAX, 1);
        let (found, best) = (pass.found.map(|found| found.value), u64::from(best));
        prop_assert!(found >= Some(best));
        prop_assert!(!pass.exhaustive || found == Some(best));
    }

    #[test]
    fn another_objective_needs_another_tree_alone(instance in instances(6, 4), width in 1usize..4) {
        prop_assume!(instance.pinned().len() < instance.jobs());
        let shop = Shop::of(&instance);
        let flow_time = FlowTime::new(&shop);
        let best = flow_time.least();
        let pass = on_threads(1, &flow_time.clone().below(best + 1), 10_000);
        prop_assert_eq!(pass.found.map(|found| found.value), Some(best));
        let pass = on_threads(1, &flow_time.clone().below(best), 10_000);
        prop_assert_eq!((pass.found, pass.exhaustive), (None, true));
        let narrow = on_threads(1, &flow_time, width);
        prop_assert!(narrow.found.is_some_and(|found| found.value >= best));
    }
}

#[test]
fn threads_change_nothing() {
    let instance = Instance::named("ta031").unwrap();
    for guide in GUIDES {
        let alone = passes(&instance, guide, 100, u32::MAX, 1);
        assert!(alone.found.as_ref().is_some_and(|found| found.value < 2900), "{alone:?}");
        assert_eq!(passes(&instance, guide, 100, u32::MAX, 3), alone);
    }
}

const GUIDES: [Guide; 2] = [Guide::IdleThenBound, Guide::Bound];

#[test]
fn devices_find_what_the_cpu_finds() {
    for device in test_devices() {
        let simulator = device.quirks().simulator;
        let cases = if simulator { 2 } else { 12 };
        let sizes = if simulator { (5, 3) } else { (40, 7) };
        let inputs =
            (instances(sizes.0, sizes.1), 1usize..if simulator { 4 } else { 60 }, 0u32..40);
        check_cases(cases, &inputs, |(instance, width, above)| {
            prop_assume!(instance.pinned().len() < instance.jobs());
            let (shop, monitor) = (Shop::of(&instance), monitor());
            for guide in GUIDES {
                let mut upper = u32::MAX;
                for _ in 0..2 {
                    let expected = passes(&instance, guide, width, upper, 1);
                    let tree = tree(&instance, &shop, &monitor, guide, upper);
                    prop_assert_eq!(
                        &on_device(&cpu_context(1), &tree, &device, &monitor, width, &|_| ())
                            .unwrap(),
                        &expected
                    );
                    upper = expected
                        .found
                        .map_or(upper, |found| (found.value as u32).saturating_sub(above));
                }
            }
            Ok(())
        });
    }
}

#[test]
fn devices_together_find_what_the_cpu_finds() {
    let rates = prop_oneof![Just(vec![1.0, 1.0]), Just(vec![3.0, 1.0]), Just(vec![1.0; 3])];
    // The simulator can't run several kernels at once.
    for device in real_test_devices() {
        let inputs = (instances(40, 7), 1usize..200, 0u32..40, rates.clone());
        check_cases(10, &inputs, |(instance, width, above, rates)| {
            prop_assume!(instance.pinned().len() < instance.jobs());
            let (shop, monitor) = (Shop::of(&instance), monitor());
            let devices = vec![&device; rates.len()];
            let together = Together::moving_all(&devices, rates);
            for guide in GUIDES {
                let mut upper = u32::MAX;
                for _ in 0..2 {
                    let expected = passes(&instance, guide, width, upper, 1);
                    let tree = tree(&instance, &shop, &monitor, guide, upper);
                    let on = (&device, &together);
                    prop_assert_eq!(
                        &on_devices(&cpu_context(1), &tree, on, &monitor, width, &|_| ())
                            .map_err(|(_, error)| error)
                            .unwrap(),
                        &expected
                    );
                    upper = expected
                        .found
                        .map_or(upper, |found| (found.value as u32).saturating_sub(above));
                }
            }
            Ok(())
        });
    }
}

#[test]
fn a_further_device_that_fails_ends_the_pass_of_all_devices() {
    let faulty_devices = real_test_devices();
    let instance = Instance::named("ta031").unwrap();
    for (device, faulty) in real_test_devices().iter().zip(&faulty_devices) {
        let (shop, monitor) = (Shop::of(&instance), monitor());
        let tree = tree(&instance, &shop, &monitor, Guide::Bound, 2800);
        let devices = [device, faulty];
        let together = Together::moving_all(&devices, vec![1.0; 2]);
        for commands in [0, 40] {
            faulty.fail_after(commands);
            let pass =
                on_devices(&cpu_context(1), &tree, (device, &together), &monitor, 100, &|_| ());
            let (number, error) = pass.unwrap_err();
            assert!(number == 1 && error.is_device_failure(), "{error}");
        }
    }
}

#[test]
fn a_further_device_with_less_memory_takes_no_part_in_wide_passes_of_devices() {
    let instance = Instance::named("ta031").unwrap();
    for (device, mut found) in real_test_devices().iter().zip(found_devices()) {
        let (shop, monitor, context) = (Shop::of(&instance), monitor(), cpu_context(1));
        let tree = tree(&instance, &shop, &monitor, Guide::Bound, 2800);
        found.info.global_memory_bytes = 1 << 20;
        let small = open(found, &CacheLocation::Off, Log::default());
        let places = |width: usize| {
            let team = Team::of(&context, &[device, &small]);
            let able = devices_for(&tree, device, &team, &monitor, width).unwrap();
            let places: Vec<usize> = able.into_iter().map(|(place, _)| place).collect();
            (places, team.into_record().1)
        };
        assert_eq!(places(10), (vec![0, 1], vec![]));
        let (able, warnings) = places(100_000);
        assert_eq!(able, [0]);
        assert!(warnings[0].contains("a beam of 100000 nodes"), "{warnings:?}");
    }
}

#[test]
fn a_device_selects_among_many_children() {
    let instance = Instance::named("ta031").unwrap();
    for device in &real_test_devices() {
        let (shop, monitor) = (Shop::of(&instance), monitor());
        for (guide, width) in [(Guide::IdleThenBound, 300), (Guide::Bound, 1000)] {
            let expected = passes(&instance, guide, width, 2800, 2);
            let tree = tree(&instance, &shop, &monitor, guide, 2800);
            assert_eq!(
                on_device(&cpu_context(1), &tree, device, &monitor, width, &|_| ()).unwrap(),
                expected
            );
        }
    }
}

#[test]
fn a_stop_ends_a_pass_on_cpu_and_device() {
    let instance = Instance::named("ta081").unwrap();
    let shop = Shop::of(&instance);
    let monitor = Monitor::new(&stopped());
    let tree = tree(&instance, &shop, &monitor, Guide::Bound, u32::MAX);
    assert_error!(on_cpu(&tree, &monitor, 100), Error::Stopped);
    for device in &real_test_devices() {
        assert_error!(
            on_device(&cpu_context(1), &tree, device, &monitor, 100, &|_| ()),
            Error::Stopped
        );
    }
}
