use std::collections::VecDeque;

use proptest::prelude::*;

use super::cpu::Neighbours;
use super::moves::Move;
use super::*;
use crate::flow_shop::Instance;
use crate::flow_shop::search::time::Time;
use crate::flow_shop::testing::instances;
use crate::{Limits, SolveOptions};

const KINDS: [(Neighbourhood, Evaluation); 4] = [
    (Neighbourhood::Swap, Evaluation::Full),
    (Neighbourhood::Swap, Evaluation::Prefix),
    (Neighbourhood::Swap, Evaluation::HeadsAndTails),
    (Neighbourhood::Insertion, Evaluation::HeadsAndTails),
];
const LISTS: [TabuList; 2] = [TabuList::Sequences, TabuList::Attributes];

/// Generations of the trajectories that are compared.
const GENERATIONS: u64 = 12;

fn settings(tenure: usize) -> impl Iterator<Item = Settings> {
    let all = KINDS.into_iter().flat_map(|kind| LISTS.map(|list| (kind, list)));
    all.map(move |((neighbourhood, evaluation), list)| Settings {
        neighbourhood,
        evaluation,
        list,
        tenure,
        local_columns: false,
    })
}

fn monitor() -> Monitor {
    Monitor::new(&SolveOptions::default())
}

fn first(shop: &Shop) -> Found {
    let order: Vec<u32> = (0..shop.jobs() as u32).collect();
    let makespan = shop.makespan(&order);
    Found { order, makespan }
}

/// The same instance with times so long that the first sequence takes about `makespan`.
fn stretched(instance: &Instance, makespan: u32) -> Instance {
    let factor = (makespan / first(&Shop::of(instance)).makespan.max(1)).max(1);
    let all = |times: &[u32]| times.iter().map(|time| time * factor).collect::<Vec<_>>();
    let longer = Instance::new(instance.jobs(), instance.machines(), all(instance.times())).unwrap();
    longer.with_ready_times(all(instance.ready_times())).unwrap()
}

/// Instances whose makespans are about the most that 16 bits hold.
fn near_the_limit(jobs: usize, machines: usize) -> impl Strategy<Value = Instance> {
    let inputs = (instances(jobs, machines), 58_000u32..72_000);
    inputs.prop_map(|(instance, makespan)| stretched(&instance, makespan))
}

fn check<T: Time>(shop: &Shop) -> Result<(), TestCaseError> {
    let monitor = monitor();
    let order: Vec<u32> = (0..shop.jobs() as u32).rev().collect();
    if !shop.fits::<T>(shop.makespan(&order), cpu::MOVED) {
        return Ok(());
    }
    for (settings, simd) in
        settings(1).flat_map(|one| Simd::available().into_iter().map(move |simd| (one, simd)))
    {
        let neighbourhood = settings.neighbourhood;
        let mut neighbours = Neighbours::<T>::new(shop, &monitor, settings, simd);
        let makespans = neighbours.makespans(&order).unwrap();
        let mut moves = 0;
        for (number, &makespan) in makespans.iter().enumerate().filter(|&(_, &makespan)| makespan != T::NONE)
        {
            moves += 1;
            let mut neighbour = order.clone();
            neighbourhood.numbered(number, shop.jobs()).apply(&mut neighbour);
            let expected = shop.makespan(&neighbour);
            prop_assert_eq!(makespan.to_u32(), expected, "{:?} {:?} {}", settings, simd, number);
        }
        prop_assert_eq!(moves, neighbourhood.moves(shop.jobs()));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_neighbour_has_the_makespan_of_the_whole_sequence(
        instance in prop_oneof![instances(70, 5), near_the_limit(70, 5)],
    ) {
        let shop = Shop::of(&instance);
        prop_assume!(shop.jobs() >= 2);
        check::<u16>(&shop)?;
        check::<u32>(&shop)?;
    }
}

/// What a move leads to.
struct Neighbour {
    number: usize,
    order: Vec<u32>,
    /// The jobs that went elsewhere, and where to.
    taken: Vec<(u32, usize)>,
}

fn neighbours(neighbourhood: Neighbourhood, order: &[u32]) -> Vec<Neighbour> {
    let jobs = order.len();
    let pairs = (0..jobs).flat_map(|a| (0..jobs).map(move |b| (a, b))).filter(|(a, b)| a != b);
    let neighbour = |(a, b): (usize, usize)| {
        let both = vec![(order[a], b), (order[b], a)];
        let (mv, taken) = match neighbourhood {
            Neighbourhood::Swap if a < b => (Move::Swap(a, b), both),
            Neighbourhood::Swap => return None,
            Neighbourhood::Insertion if a.abs_diff(b) == 1 => (Move::Insertion(a, b), both),
            Neighbourhood::Insertion => (Move::Insertion(a, b), vec![(order[a], b)]),
        };
        let mut order = order.to_vec();
        mv.apply(&mut order);
        Some(Neighbour { number: mv.number(jobs), order, taken })
    };
    pairs.filter_map(neighbour).collect()
}

/// The search as it is told, without any table: the sequences of all generations.
fn told(shop: &Shop, settings: &Settings, start: &[u32], generations: u64) -> Vec<Vec<u32>> {
    let mut visited = vec![start.to_vec()];
    let mut left: VecDeque<Vec<(u32, usize)>> = VecDeque::new();
    let mut best = shop.makespan(start);
    for _ in 0..generations {
        let order = visited.last().unwrap().clone();
        let recent = &visited[visited.len().saturating_sub(settings.tenure)..];
        let allowed = |neighbour: &Neighbour| match settings.list {
            TabuList::Sequences => !recent.contains(&neighbour.order),
            TabuList::Attributes => {
                let forbidden =
                    neighbour.taken.iter().any(|taken| left.iter().flatten().any(|left| left == taken));
                !forbidden || shop.makespan(&neighbour.order) < best
            }
        };
        let allowed = neighbours(settings.neighbourhood, &order).into_iter().filter(allowed);
        let chosen = allowed.min_by_key(|neighbour| (shop.makespan(&neighbour.order), neighbour.number));
        let moved =
            match chosen.as_ref().map(|chosen| settings.neighbourhood.numbered(chosen.number, order.len())) {
                None => Vec::new(),
                Some(Move::Swap(a, b)) => vec![(order[a], a), (order[b], b)],
                Some(Move::Insertion(from, _)) => vec![(order[from], from)],
            };
        left.push_back(moved);
        if left.len() > settings.tenure {
            left.pop_front();
        }
        let next = chosen.map_or(order, |chosen| chosen.order);
        best = best.min(shop.makespan(&next));
        visited.push(next);
    }
    visited
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn generations_are_as_told(instance in instances(8, 3), tenure in 1usize..9) {
        let shop = Shop::of(&instance);
        prop_assume!(shop.jobs() >= 2);
        let monitor = monitor();
        let start = first(&shop);
        for settings in settings(tenure) {
            let told = told(&shop, &settings, &start.order, 30);
            let evaluator = CpuEvaluator::new(&shop, &monitor, settings, Simd::detect());
            let mut search = Tabu::new(&settings, evaluator, &start);
            for expected in &told[1..] {
                search.generation().unwrap();
                prop_assert_eq!(&search.present.order, expected, "{:?}", settings);
                prop_assert_eq!(search.present.makespan, shop.makespan(expected));
            }
            let best = told.iter().map(|order| shop.makespan(order)).min();
            prop_assert_eq!(Some(search.best.makespan), best);
            prop_assert_eq!(search.best.makespan, shop.makespan(&search.best.order));
        }
    }
}

/// The result of trajectories in the numbers of the evaluators.
fn taken<E: Evaluator + Send>(
    starts: &[Found],
    monitor: &Monitor,
    settings: Settings,
    threads: usize,
    evaluator: impl Fn() -> E,
) -> (Found, u64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let searches = starts.iter().map(|start| Tabu::new(&settings, evaluator(), start)).collect();
    pool.install(|| run(searches, monitor, GENERATIONS)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn trajectories_depend_on_no_threads_lanes_or_evaluations(
        instance in prop_oneof![instances(70, 5), near_the_limit(40, 5)], tenure in 1usize..6, seed: u64,
    ) {
        let shop = Shop::of(&instance);
        prop_assume!(shop.jobs() >= 2);
        let monitor = &monitor();
        let starts = starts(&shop, &first(&shop).order, 3, seed, monitor).unwrap();
        let mut swaps = LISTS.map(|_| None);
        for settings in settings(tenure) {
            let wide = || Neighbours::<u32>::new(&shop, monitor, settings, Simd::Baseline);
            let expected = taken(&starts, monitor, settings, 3, wide);
            for simd in Simd::available() {
                let adaptive = || CpuEvaluator::new(&shop, monitor, settings, simd);
                prop_assert_eq!(&expected, &taken(&starts, monitor, settings, 1, adaptive));
            }
            if settings.neighbourhood == Neighbourhood::Swap {
                let known = &mut swaps[settings.list as usize];
                prop_assert_eq!(known.get_or_insert_with(|| expected.clone()), &expected);
            }
        }
    }
}

/// Instances of so many machines, for each number of which a device has to build programs.
fn on_machines(jobs: usize, machines: usize) -> impl Strategy<Value = Instance> {
    let ready = prop::collection::vec(0..60u32, machines);
    let times = (2..=jobs).prop_flat_map(move |jobs| prop::collection::vec(0..30u32, jobs * machines));
    (times, ready, prop::option::of(58_000u32..72_000)).prop_map(move |(times, ready, stretch)| {
        let instance = Instance::new(times.len() / machines, machines, times).unwrap();
        let instance = instance.with_ready_times(ready).unwrap();
        stretch.map_or_else(|| instance.clone(), |makespan| stretched(&instance, makespan))
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
                let monitor = &monitor();
                let starts = starts(&shop, &first(&shop).order, 3, seed, monitor).unwrap();
                // Lanes, lists and local columns know nothing of each other.
                let by_list = |settings: &Settings| machines < 34 || settings.list == TabuList::Attributes;
                for settings in settings(tenure).filter(by_list) {
                    let evaluator = || CpuEvaluator::new(&shop, monitor, settings, Simd::detect());
                    let expected = taken(&starts, monitor, settings, 2, evaluator);
                    let local =
                        settings.reads_orders() && settings.list == TabuList::Attributes && machines < 34;
                    let columns: &[bool] = if local { &[false, true] } else { &[false] };
                    for &local_columns in columns {
                        let settings = Settings { local_columns, ..settings };
                        let found =
                            run_on_device(&device, &shop, monitor, settings, &starts, GENERATIONS).unwrap();
                        prop_assert_eq!(&expected, &found, "{:?}", settings);
                    }
                }
                Ok(())
            });
            result.unwrap();
        }
        if !simulator {
            many_in_parts(&device);
        }
    }
}

/// More trajectories than a launch takes.
fn many_in_parts(device: &Device) {
    let instance = Instance::new(12, 6, (0..72).map(|number| number * 37 % 50).collect()).unwrap();
    let (shop, monitor) = (Shop::of(&instance), monitor());
    let starts = starts(&shop, &first(&shop).order, 1000, 1, &monitor).unwrap();
    for settings in settings(3) {
        let evaluator = || CpuEvaluator::new(&shop, &monitor, settings, Simd::detect());
        let expected = taken(&starts, &monitor, settings, 2, evaluator);
        let found = run_on_device(device, &shop, &monitor, settings, &starts, GENERATIONS).unwrap();
        assert_eq!(expected, found, "{settings:?}");
    }
}

#[test]
fn trajectories_beyond_the_memory_are_refused() {
    let shop = Shop::of(&Instance::new(40, 3, vec![1; 120]).unwrap());
    let within = |memory| {
        let limits = Limits { memory: Some(memory), ..Limits::default() };
        Monitor::new(&SolveOptions { limits, ..SolveOptions::default() })
    };
    let refused = |result: Result<(Found, u64)>, limit| match result {
        Err(Error::OutOfMemory { what, required, limit: named }) => {
            assert_eq!((what.as_str(), named), ("3 trajectories of tabu search", limit));
            assert!(required > limit.into());
        }
        other => panic!("{other:?}"),
    };
    let error = starts(&shop, &first(&shop).order, 3, 0, &within(600)).unwrap_err();
    let expected = "3 trajectories of tabu search needs 1728 bytes, the limit is 600 bytes";
    assert_eq!(error.to_string(), expected);
    let starts = starts(&shop, &first(&shop).order, 3, 0, &within(4000)).unwrap();
    let devices = crate::opencl::testing::test_devices();
    for settings in settings(5) {
        refused(run_on_cpu(&shop, &within(4000), settings, &starts, 2), 4000);
        assert!(run_on_cpu(&shop, &within(1 << 20), settings, &starts, 2).is_ok());
        // The limit counts where the device's memory is the host's.
        for device in &devices {
            if device.info().kind == crate::DeviceKind::Cpu {
                refused(run_on_device(device, &shop, &within(4000), settings, &starts, 2), 4000);
            }
        }
    }
}
