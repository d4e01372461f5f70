use proptest::prelude::*;

use super::cpu::CpuEvaluator;
use super::*;
use crate::SolveOptions;
use crate::flow_shop::Instance;
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
        let makespans = evaluator.makespans(&order).unwrap();
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
            let settings = settings((neighbourhood, evaluation), tenure);
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

/// Generations of the trajectories that are compared.
const GENERATIONS: u64 = 12;

fn settings((neighbourhood, evaluation): (Neighbourhood, Evaluation), tenure: usize) -> Settings {
    Settings { neighbourhood, evaluation, tenure, local_columns: false }
}

fn taken<T: Time>(shop: &Shop, settings: Settings, seed: u64, threads: usize) -> (Found, u64) {
    let monitor = Monitor::new(&SolveOptions::default());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let starts = starts(&(0..shop.jobs() as u32).collect::<Vec<_>>(), 3, seed);
    pool.install(|| run_on_cpu::<T>(shop, &monitor, settings, &starts, GENERATIONS)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn trajectories_depend_on_no_threads_lanes_or_evaluations(
        instance in instances(70, 5), tenure in 1usize..6, seed: u64,
    ) {
        let shop = Shop::of(&instance);
        prop_assume!(shop.jobs() >= 2);
        let mut first = None;
        for kind in KINDS {
            let one = taken::<u16>(&shop, settings(kind, tenure), seed, 1);
            prop_assert_eq!(&one, &taken::<u32>(&shop, settings(kind, tenure), seed, 3));
            if kind.0 == Neighbourhood::Swap {
                prop_assert_eq!(first.get_or_insert_with(|| one.clone()), &one);
            }
        }
    }
}

/// Instances of so many machines, for each number of which a device has to build programs.
fn on_machines(jobs: usize, machines: usize) -> impl Strategy<Value = Instance> {
    let ready = prop::collection::vec(0..60u32, machines);
    let times = (2..=jobs).prop_flat_map(move |jobs| prop::collection::vec(0..30u32, jobs * machines));
    (times, ready).prop_map(move |(times, ready)| {
        Instance::new(times.len() / machines, machines, times).unwrap().with_ready_times(ready).unwrap()
    })
}

#[test]
fn devices_take_the_same_trajectories() {
    for device in crate::opencl::testing::test_devices() {
        // One machine for each lane, and two.
        let simulator = device.quirks().simulator;
        for machines in if simulator { vec![3] } else { vec![6, 34] } {
            let config = ProptestConfig::with_cases(if simulator { 2 } else { 4 });
            let inputs = (on_machines(if simulator { 9 } else { 70 }, machines), 1usize..6, any::<u64>());
            let mut runner = proptest::test_runner::TestRunner::new(config);
            let result = runner.run(&inputs, |(instance, tenure, seed)| {
                let shop = Shop::of(&instance);
                let monitor = Monitor::new(&SolveOptions::default());
                let starts = starts(&(0..shop.jobs() as u32).collect::<Vec<_>>(), 3, seed);
                for kind in KINDS {
                    let expected = taken::<u32>(&shop, settings(kind, tenure), seed, 2);
                    let columns: &[bool] =
                        if settings(kind, tenure).reads_orders() { &[false, true] } else { &[false] };
                    for &local_columns in columns {
                        let settings = Settings { local_columns, ..settings(kind, tenure) };
                        let found =
                            run_on_device(&device, &shop, &monitor, settings, &starts, GENERATIONS).unwrap();
                        prop_assert_eq!(&expected, &found);
                    }
                }
                Ok(())
            });
            result.unwrap();
        }
    }
}
