use std::ops::Range;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::context::shares;
use crate::flow_shop::Instance;
use crate::flow_shop::search::tabu::{
    self, Generations, HostTabu, Paced, Settings, State, TabuList, Trajectories,
};
use crate::flow_shop::testing::{instances, lengthened};
use crate::opencl::Device;
use crate::testing::{check_cases, limited, monitor};
use crate::{Error, Limits};

const SCANS: [(Neighbourhood, Evaluation); 5] = [
    (Neighbourhood::Swap, Evaluation::Stored),
    (Neighbourhood::Swap, Evaluation::Full),
    (Neighbourhood::Swap, Evaluation::Prefix),
    (Neighbourhood::Swap, Evaluation::HeadsAndTails),
    (Neighbourhood::Insertion, Evaluation::HeadsAndTails),
];
const LISTS: [TabuList; 2] = [TabuList::Sequences, TabuList::Attributes];

/// Generations of the compared trajectories.
const GENERATIONS: u64 = 12;

fn scans() -> impl Iterator<Item = Scan> {
    SCANS.into_iter().map(|(neighbourhood, evaluation)| Scan {
        neighbourhood,
        evaluation,
        local_columns: false,
    })
}

/// All variants of tabu search.
fn searches(tenure: usize) -> impl Iterator<Item = (Settings, Scan)> {
    scans().flat_map(move |scan| {
        let neighbourhood = scan.neighbourhood;
        LISTS.map(|list| (Settings { neighbourhood, list, tenure }, scan))
    })
}

fn first(shop: &Shop) -> ValuedSequence {
    let order: Vec<u32> = (0..shop.jobs() as u32).collect();
    let value = shop.makespan(&order).into();
    ValuedSequence { order, value }
}

fn starts(
    shop: &Shop,
    trajectories: usize,
    seed: u64,
    monitor: &Monitor,
) -> Result<Vec<ValuedSequence>> {
    tabu::starts(&first(shop).order, trajectories, seed, monitor, |order| {
        shop.makespan(order).into()
    })
}

/// The same instance with times scaled so that the first sequence takes about `makespan`.
fn stretched(instance: &Instance, makespan: u32) -> Instance {
    lengthened(instance, (makespan / first(&Shop::of(instance)).value.max(1) as u32).max(1))
}

/// Instances with makespans near the limit of 16 bits.
fn near_the_limit(jobs: usize, machines: usize) -> impl Strategy<Value = Instance> {
    let inputs = (instances(jobs, machines), 58_000u32..72_000);
    inputs.prop_map(|(instance, makespan)| stretched(&instance, makespan))
}

fn check<T: Time>(shop: &Shop) -> Result<(), TestCaseError> {
    let monitor = monitor();
    let order: Vec<u32> = (0..shop.jobs() as u32).rev().collect();
    if !shop.fits::<T>(shop.makespan(&order).into(), MOVED) {
        return Ok(());
    }
    for (scan, simd) in
        scans().flat_map(|one| Simd::available().into_iter().map(move |simd| (one, simd)))
    {
        let neighbourhood = scan.neighbourhood;
        let mut neighbours = Neighbours::<T>::new(shop, &monitor, scan, simd);
        let makespans = neighbours.makespans(&order).unwrap();
        let mut moves = 0;
        for (number, &makespan) in
            makespans.iter().enumerate().filter(|&(_, &makespan)| makespan != T::NONE)
        {
            moves += 1;
            let mut neighbour = order.clone();
            neighbourhood.numbered(number, shop.jobs()).apply(&mut neighbour);
            let expected = shop.makespan(&neighbour);
            prop_assert_eq!(makespan.to_u32(), expected, "{:?} {:?} {}", scan, simd, number);
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

/// The result of trajectories, in the evaluators' job numbers.
fn taken<E: NeighbourhoodEvaluator<Value = u64> + Send>(
    starts: &[ValuedSequence],
    monitor: &Monitor,
    settings: Settings,
    threads: usize,
    evaluator: impl Fn() -> E,
) -> (ValuedSequence, u64) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let states = State::at(&settings, starts);
    let searches = HostTabu::new(&settings, &states, monitor, 0, evaluator).unwrap();
    pool.install(|| tabu::run(searches, monitor, GENERATIONS)).unwrap()
}

fn on_device(
    device: &Device,
    shop: &Shop,
    monitor: &Monitor,
    search: (Settings, Scan),
    starts: &[ValuedSequence],
) -> Result<(ValuedSequence, u64)> {
    let queue = device.queue();
    let states = State::at(&search.0, starts);
    let search = DeviceTabu::new(device, &queue, shop, monitor, search, &states)?;
    tabu::run(search.one_by_one(), monitor, GENERATIONS)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn trajectories_depend_on_no_threads_lanes_or_evaluations(
        instance in prop_oneof![instances(70, 5), near_the_limit(40, 5)], tenure in 1usize..6, seed: u64,
    ) {
        let shop = Shop::of(&instance);
        prop_assume!(shop.jobs() >= 2);
        let monitor = &monitor();
        let starts = starts(&shop, 3, seed, monitor).unwrap();
        let mut swaps = LISTS.map(|_| None);
        for (settings, scan) in searches(tenure) {
            let wide = || Neighbours::<u32>::new(&shop, monitor, scan, Simd::Baseline);
            let expected = taken(&starts, monitor, settings, 3, wide);
            for simd in Simd::available() {
                let adaptive = || CpuNeighbours::with(&shop, monitor, scan, simd);
                prop_assert_eq!(&expected, &taken(&starts, monitor, settings, 1, adaptive));
            }
            if settings.neighbourhood == Neighbourhood::Swap {
                let known = &mut swaps[settings.list as usize];
                prop_assert_eq!(known.get_or_insert_with(|| expected.clone()), &expected);
            }
        }
    }
}

/// Instances with exactly `machines` machines: a device builds separate programs for each number.
fn on_machines(jobs: usize, machines: usize) -> impl Strategy<Value = Instance> {
    let ready = prop::collection::vec(0..60u32, machines);
    let times =
        (2..=jobs).prop_flat_map(move |jobs| prop::collection::vec(0..30u32, jobs * machines));
    (times, ready, prop::option::of(58_000u32..72_000)).prop_map(move |(times, ready, stretch)| {
        let instance = Instance::new(times.len() / machines, machines, times).unwrap();
        let instance = instance.with_ready_times(ready).unwrap();
        stretch.map_or_else(|| instance.clone(), |makespan| stretched(&instance, makespan))
    })
}

#[test]
fn devices_take_the_same_trajectories() {
    for device in crate::opencl::testing::test_devices() {
        let sizes = if device.quirks().simulator { [6, 3] } else { [70, 6] };
        devices_take_the_same(&device, sizes, |_| true);
    }
}

#[test]
fn devices_take_the_same_trajectories_with_two_machines_for_each_lane() {
    // Lanes, lists and local columns are independent, so not all combinations are needed.
    let is_searched =
        |search: &Searched| search.0.list == TabuList::Attributes && !search.1.local_columns;
    for device in crate::opencl::testing::real_test_devices() {
        devices_take_the_same(&device, [70, 34], is_searched);
    }
}

type Searched = (Settings, Scan);

/// Compares trajectories on a device with those on the CPU.
fn devices_take_the_same(
    device: &Device,
    [jobs, machines]: [usize; 2],
    is_searched: fn(&Searched) -> bool,
) {
    let inputs = (on_machines(jobs, machines), 1usize..6, any::<u64>());
    let cases = if device.quirks().simulator { 2 } else { 4 };
    check_cases(cases, &inputs, |(instance, tenure, seed)| {
        let shop = Shop::of(&instance);
        let monitor = &monitor();
        let starts = starts(&shop, 3, seed, monitor).unwrap();
        for (settings, scan) in searches(tenure) {
            let evaluator = || CpuNeighbours::new(&shop, monitor, scan);
            let expected = taken(&starts, monitor, settings, 2, evaluator);
            let local = scan.reads_orders() && settings.list == TabuList::Attributes;
            let columns: &[bool] = if local { &[false, true] } else { &[false] };
            let found =
                columns.iter().map(|&local_columns| (settings, Scan { local_columns, ..scan }));
            for search in found.filter(is_searched) {
                let found = on_device(device, &shop, monitor, search, &starts).unwrap();
                prop_assert_eq!(&expected, &found, "{:?}", search);
            }
        }
        Ok(())
    });
}

/// Groups wait for each other, and may give up. A single one never waits.
#[test]
fn devices_make_several_generations_in_one_launch() {
    let scan = scans().find(|scan| scan.neighbourhood == Neighbourhood::Insertion).unwrap();
    for device in crate::opencl::testing::test_devices() {
        // A simulator takes minutes until a group gives up.
        let (most_groups, [jobs, machines], cases) = match device.quirks().simulator {
            true => (1usize, [6, 3], 2),
            false => (40, [40, 6], 8),
        };
        let inputs = (on_machines(jobs, machines), 1usize..6, any::<u64>(), 1..=most_groups);
        check_cases(cases, &inputs, |(instance, tenure, seed, groups)| {
            let (shop, monitor) = (Shop::of(&instance), &monitor());
            let starts = starts(&shop, 3, seed, monitor).unwrap();
            let list = TabuList::default();
            let settings = Settings { neighbourhood: Neighbourhood::Insertion, list, tenure };
            let evaluator = || CpuNeighbours::new(&shop, monitor, scan);
            let expected = taken(&starts, monitor, settings, 2, evaluator);
            let (queue, states) = (device.queue(), State::at(&settings, &starts));
            let search =
                DeviceTabu::new(&device, &queue, &shop, monitor, (settings, scan), &states);
            let search = search.unwrap().at_once_by(&device, groups).unwrap();
            match tabu::run(search, monitor, GENERATIONS) {
                Ok(found) => prop_assert_eq!(&expected, &found),
                Err(error) => {
                    prop_assert!(matches!(*error, Error::DeviceFailed(_)), "{}", error);
                    prop_assert!(groups > 1 && device.has_waited_in_vain());
                }
            }
            Ok(())
        });
    }
}

#[test]
fn trajectories_move_between_cpu_and_device_without_a_change() {
    for device in crate::opencl::testing::real_test_devices() {
        let legs = prop::collection::vec((any::<bool>(), 0u64..9), 1..6);
        let inputs = (on_machines(40, 6), 1usize..6, any::<u64>(), legs);
        check_cases(8, &inputs, |(instance, tenure, seed, legs)| {
            let shop = Shop::of(&instance);
            let monitor = &monitor();
            let starts = starts(&shop, 3, seed, monitor).unwrap();
            for search in searches(tenure) {
                let mut states = State::at(&search.0, &starts);
                let mut expected = states.clone();
                for &(on_device, generations) in &legs {
                    let engine = on_device.then_some(&device);
                    states = led(engine, &shop, monitor, search, &states, generations);
                    expected = led(None, &shop, monitor, search, &expected, generations);
                    prop_assert_eq!(&states, &expected, "{:?}", search);
                }
            }
            Ok(())
        });
    }
}

/// Devices with a part of the trajectories each, until one of them fails.
#[test]
fn devices_with_shares_of_the_trajectories_lead_them_as_one_does() {
    let faulty_devices = crate::opencl::testing::real_test_devices();
    for (device, faulty) in crate::opencl::testing::real_test_devices().iter().zip(&faulty_devices)
    {
        let inputs = (on_machines(40, 6), 1usize..6, any::<u64>(), 1u64..40);
        check_cases(4, &inputs, |(instance, tenure, seed, generations)| {
            let shop = Shop::of(&instance);
            let monitor = &monitor();
            let starts = starts(&shop, 5, seed, monitor).unwrap();
            for search in searches(tenure) {
                let states = State::at(&search.0, &starts);
                let expected = led(None, &shop, monitor, search, &states, generations);
                let queues = [device.queue(), faulty.queue()];
                let on = |(share, (device, queue)): (Range<usize>, (&Device, _))| {
                    DeviceTabu::new(device, queue, &shop, monitor, search, &states[share]).unwrap()
                };
                let mut parts: Vec<DeviceTabu<'_>> = shares(5, &[1.0, 2.0])
                    .into_iter()
                    .zip([device, faulty].into_iter().zip(&queues))
                    .map(on)
                    .collect();
                let mut made = Generations::new(monitor, generations);
                let busy = &mut [Duration::ZERO; 2];
                let (goes_on, tell) = (|| true, |_: &_| ());
                tabu::advance_together(&mut parts, monitor, &mut made, &goes_on, &tell, busy)
                    .unwrap();
                prop_assert!(busy.iter().all(|busy| !busy.is_zero()));
                let found: Vec<State> =
                    parts.iter().flat_map(|part| part.states().unwrap()).collect();
                prop_assert_eq!((made.made(), found), (generations, expected), "{:?}", search);

                faulty.fail_after(1);
                let mut more = Generations::new(monitor, 50);
                let failed =
                    tabu::advance_together(&mut parts, monitor, &mut more, &goes_on, &tell, busy);
                faulty.fail_after(i64::MAX);
                let (number, error) = failed.unwrap_err();
                prop_assert!(number == 1 && error.is_device_failure(), "{}", error);
            }
            Ok(())
        });
    }
}

/// The states after some more generations, on a device or the CPU.
fn led(
    device: Option<&Device>,
    shop: &Shop,
    monitor: &Monitor,
    (settings, scan): (Settings, Scan),
    states: &[State],
    generations: u64,
) -> Vec<State> {
    fn go_on(
        mut search: impl Trajectories<Value = u64>,
        monitor: &Monitor,
        most: u64,
    ) -> Vec<State> {
        let mut generations = Generations::new(monitor, most);
        tabu::advance(&mut search, &mut generations, &|| true, &|_| ()).unwrap();
        search.states().unwrap()
    }
    match device {
        None => {
            let evaluator = || CpuNeighbours::new(shop, monitor, scan);
            let search = HostTabu::new(&settings, states, monitor, 0, evaluator).unwrap();
            go_on(search, monitor, generations)
        }
        Some(device) => {
            let queue = device.queue();
            let search =
                DeviceTabu::new(device, &queue, shop, monitor, (settings, scan), states).unwrap();
            go_on(search, monitor, generations)
        }
    }
}

/// More trajectories, and more work-groups of a trajectory, than the pacer allows a launch at first.
#[test]
fn devices_take_many_trajectories_in_parts() {
    let instance = Instance::new(12, 6, (0..72).map(|number| number * 37 % 50).collect()).unwrap();
    let (shop, monitor) = (Shop::of(&instance), monitor());
    let starts = starts(&shop, 40, 1, &monitor).unwrap();
    for device in crate::opencl::testing::real_test_devices() {
        for (settings, scan) in searches(3) {
            let evaluator = || CpuNeighbours::new(&shop, &monitor, scan);
            let expected = taken(&starts, &monitor, settings, 2, evaluator);
            let (queue, states) = (device.queue(), State::at(&settings, &starts));
            for budget in [1, 30_000] {
                let search = (settings, scan);
                let search = DeviceTabu::new(&device, &queue, &shop, &monitor, search, &states);
                let search = search.unwrap().one_by_one().with_budget(budget);
                let found = tabu::run(search, &monitor, GENERATIONS).unwrap();
                assert_eq!(expected, found, "{settings:?} {scan:?}, budget {budget}");
            }
        }
    }
}

#[test]
fn trajectories_beyond_the_memory_are_refused_on_cpu_and_device() {
    let shop = Shop::of(&Instance::new(40, 3, vec![1; 120]).unwrap());
    let within =
        |memory| Monitor::new(&limited(Limits { memory: Some(memory), ..Limits::default() }));
    let refused =
        |result: Result<(ValuedSequence, u64)>, limit| match result.map_err(|error| *error) {
            Err(Error::OutOfMemory { what, required, limit: named }) => {
                assert_eq!((what.as_str(), named), ("3 trajectories of tabu search", limit));
                assert!(required > limit.into());
            }
            other => panic!("{other:?}"),
        };
    let error = starts(&shop, 3, 0, &within(600)).unwrap_err();
    let expected = "3 trajectories of tabu search needs 1728 bytes, the limit is 600 bytes";
    assert_eq!(error.to_string(), expected);
    let starts = starts(&shop, 3, 0, &within(4000)).unwrap();
    let devices = crate::opencl::testing::test_devices();
    for (settings, scan) in searches(5) {
        let bytes = CpuNeighbours::bytes(&shop, &scan);
        let on_cpu = |monitor: &Monitor| {
            let evaluator = || CpuNeighbours::new(&shop, monitor, scan);
            let states = State::at(&settings, &starts);
            let search = HostTabu::new(&settings, &states, monitor, bytes, evaluator)?;
            tabu::run(search, monitor, 2)
        };
        refused(on_cpu(&within(4000)), 4000);
        assert!(on_cpu(&within(1 << 20)).is_ok());
        // The limit applies if the device uses the host's memory.
        for device in &devices {
            if device.info().kind == crate::DeviceKind::Cpu {
                refused(on_device(device, &shop, &within(4000), (settings, scan), &starts), 4000);
            }
        }
    }
}
