use proptest::prelude::*;
use rayon::ThreadPoolBuilder;

use super::*;
use crate::flow_shop::testing::{best_by_enumeration, instances};
use crate::flow_shop::{Instance, bounds};
use crate::opencl::testing::test_devices;
use crate::{SolveOptions, StopHandle};

fn passes(instance: &Instance, guide: Guide, width: usize, upper: u32, threads: usize) -> Pass {
    let monitor = Monitor::new(&SolveOptions::default());
    let shop = Shop::of(instance);
    let beam = Beam::new(&shop, &monitor, bounds::one_machine(instance));
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| beam.on_cpu(guide, width, upper)).unwrap()
}

proptest! {
    #[test]
    fn a_wide_beam_finds_and_proves_the_optimum(instance in instances(6, 4)) {
        prop_assume!(instance.pinned().len() < instance.jobs());
        let best = best_by_enumeration(&instance);
        for guide in GUIDES {
            let pass = passes(&instance, guide, 10_000, best + 1, 1);
            prop_assert_eq!(pass.found.map(|found| found.1), Some(best));
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
        let found = pass.found.map(|found| found.1);
        prop_assert!(found >= Some(best));
        prop_assert!(!pass.exhaustive || found == Some(best));
    }
}

#[test]
fn threads_change_nothing() {
    let instance = Instance::named("ta031").unwrap();
    for guide in GUIDES {
        let alone = passes(&instance, guide, 100, u32::MAX, 1);
        assert!(alone.found.as_ref().is_some_and(|found| found.1 < 2900), "{alone:?}");
        assert_eq!(passes(&instance, guide, 100, u32::MAX, 3), alone);
    }
}

const GUIDES: [Guide; 2] = [Guide::IdleThenBound, Guide::Bound];

#[test]
fn devices_find_what_the_cpu_finds() {
    for device in test_devices() {
        let simulator = device.quirks().simulator;
        let config = ProptestConfig::with_cases(if simulator { 2 } else { 12 });
        let sizes = if simulator { (5, 3) } else { (40, 7) };
        let inputs = (instances(sizes.0, sizes.1), 1usize..if simulator { 4 } else { 60 }, 0u32..40);
        let mut runner = proptest::test_runner::TestRunner::new(config);
        let result = runner.run(&inputs, |(instance, width, above)| {
            prop_assume!(instance.pinned().len() < instance.jobs());
            let monitor = Monitor::new(&SolveOptions::default());
            let shop = Shop::of(&instance);
            let beam = Beam::new(&shop, &monitor, bounds::one_machine(&instance));
            for guide in GUIDES {
                let mut upper = u32::MAX;
                for _ in 0..2 {
                    let expected = passes(&instance, guide, width, upper, 1);
                    prop_assert_eq!(&beam.on_device(&device, guide, width, upper).unwrap(), &expected);
                    upper = expected.found.map_or(upper, |found| found.1.saturating_sub(above));
                }
            }
            Ok(())
        });
        result.unwrap();
    }
}

#[test]
fn a_device_selects_among_many_children() {
    let instance = Instance::named("ta031").unwrap();
    for device in test_devices().iter().filter(|device| !device.quirks().simulator) {
        let monitor = Monitor::new(&SolveOptions::default());
        let shop = Shop::of(&instance);
        let beam = Beam::new(&shop, &monitor, bounds::one_machine(&instance));
        for (guide, width) in [(Guide::IdleThenBound, 300), (Guide::Bound, 1000)] {
            let expected = passes(&instance, guide, width, 2800, 2);
            assert_eq!(beam.on_device(device, guide, width, 2800).unwrap(), expected);
        }
    }
}

#[test]
fn a_stop_ends_a_pass_on_every_engine() {
    let instance = Instance::named("ta081").unwrap();
    let shop = Shop::of(&instance);
    let stop = StopHandle::new();
    stop.stop();
    let monitor = Monitor::new(&SolveOptions { stop: Some(stop), ..SolveOptions::default() });
    let beam = Beam::new(&shop, &monitor, bounds::one_machine(&instance));
    assert!(matches!(beam.on_cpu(Guide::Bound, 100, u32::MAX), Err(Error::Stopped)));
    for device in test_devices().iter().filter(|device| !device.quirks().simulator) {
        assert!(matches!(beam.on_device(device, Guide::Bound, 100, u32::MAX), Err(Error::Stopped)));
    }
}
