use proptest::prelude::*;

use super::cpu::CpuEvaluator;
use super::*;
use crate::SolveOptions;
use crate::flow_shop::testing::instances;

pub(super) const KINDS: [(Neighbourhood, Evaluation); 4] = [
    (Neighbourhood::Swap, Evaluation::Full),
    (Neighbourhood::Swap, Evaluation::Prefix),
    (Neighbourhood::Swap, Evaluation::HeadsAndTails),
    (Neighbourhood::Insertion, Evaluation::HeadsAndTails),
];

fn check<T: Time>(shop: &Shop) -> Result<(), TestCaseError> {
    let monitor = Monitor::new(&SolveOptions::default());
    let order: Vec<u32> = (0..shop.jobs() as u32).rev().collect();
    for (neighbourhood, evaluation) in KINDS {
        let mut evaluator = CpuEvaluator::<T>::new(shop, &monitor, neighbourhood, evaluation).unwrap();
        let makespans = evaluator.evaluate(&order).unwrap();
        let mut moves = 0;
        for (number, makespan) in makespans.iter().map(|makespan| makespan.to_u32()).enumerate() {
            if makespan == T::MAX {
                continue;
            }
            moves += 1;
            let mut neighbour = order.clone();
            neighbourhood.numbered(number, shop.jobs()).apply(&mut neighbour);
            prop_assert_eq!(
                makespan,
                shop.makespan(&neighbour),
                "{:?} {:?} {}",
                neighbourhood,
                evaluation,
                number
            );
        }
        prop_assert_eq!(moves, neighbourhood.moves(shop.jobs()));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_neighbour_has_the_makespan_of_the_whole_sequence(instance in instances(70, 5)) {
        let shop = Shop::of(&instance);
        prop_assume!(shop.jobs() >= 2);
        check::<u16>(&shop)?;
        check::<u32>(&shop)?;
    }

    #[test]
    fn no_listed_sequence_returns(instance in instances(6, 3), tenure in 1usize..9) {
        let shop = Shop::of(&instance);
        prop_assume!(shop.jobs() >= 2);
        let monitor = Monitor::new(&SolveOptions::default());
        let start: Vec<u32> = (0..shop.jobs() as u32).collect();
        for (neighbourhood, evaluation) in KINDS {
            let settings = Settings { neighbourhood, evaluation, tenure, local_columns: false };
            let mut search = on_cpu::<u16>(&shop, &monitor, settings, &start).unwrap();
            for _ in 0..20 {
                let (before, list) = (search.order.clone(), search.list.clone());
                search.generation().unwrap();
                prop_assert!(search.order == before || !list.contains(&search.order));
                prop_assert_eq!(search.best.makespan, shop.makespan(&search.best.order));
            }
        }
    }
}

#[test]
fn devices_take_the_same_trajectories() {
    for device in crate::opencl::testing::test_devices() {
        let simulator = device.quirks().simulator;
        let config = ProptestConfig::with_cases(if simulator { 2 } else { 6 });
        let inputs = (instances(if simulator { 9 } else { 70 }, 9), 1usize..6, any::<u64>());
        let mut runner = proptest::test_runner::TestRunner::new(config);
        let result = runner.run(&inputs, |(instance, tenure, seed)| {
            let shop = Shop::of(&instance);
            prop_assume!(shop.jobs() >= 2);
            let monitor = Monitor::new(&SolveOptions::default());
            let order: Vec<u32> = (0..shop.jobs() as u32).collect();
            let starts = starts(&order, 3, seed);
            for (neighbourhood, evaluation) in KINDS {
                for local_columns in [false, true] {
                    let settings = Settings { neighbourhood, evaluation, tenure, local_columns };
                    let expected = run_on_cpu::<u32>(&shop, &monitor, settings, &starts, 12).unwrap();
                    let found = run_on_device(&device, &shop, &monitor, settings, &starts, 12).unwrap();
                    prop_assert_eq!(expected, found);
                }
            }
            Ok(())
        });
        result.unwrap();
    }
}
