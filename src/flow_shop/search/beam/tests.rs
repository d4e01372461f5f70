use proptest::prelude::*;
use rayon::ThreadPoolBuilder;

use super::*;
use crate::SolveOptions;
use crate::flow_shop::testing::{best_by_enumeration, instances};
use crate::flow_shop::{Instance, bounds};

fn passes(instance: &Instance, guide: Guide, width: usize, upper: u32, threads: usize) -> Pass {
    let monitor = Monitor::new(&SolveOptions::default());
    let shop = Shop::of(instance);
    let beam = Beam::new(&shop, &monitor, bounds::one_machine(instance));
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| beam.pass(guide, width, upper)).unwrap()
}

proptest! {
    #[test]
    fn a_wide_beam_finds_and_proves_the_optimum(instance in instances(6, 4)) {
        prop_assume!(instance.pinned().len() < instance.jobs());
        let best = best_by_enumeration(&instance);
        for guide in [Guide::IdleThenBound, Guide::Bound] {
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
    for guide in [Guide::IdleThenBound, Guide::Bound] {
        let alone = passes(&instance, guide, 100, u32::MAX, 1);
        assert!(alone.found.as_ref().is_some_and(|found| found.1 < 2900), "{alone:?}");
        assert_eq!(passes(&instance, guide, 100, u32::MAX, 3), alone);
    }
}
