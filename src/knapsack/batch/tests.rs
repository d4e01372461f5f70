use proptest::prelude::*;

use super::*;
use crate::knapsack::testing::{best_profits, instances};
use crate::opencl::testing::{Lie, real_test_devices, test_devices};
use crate::testing::{assert_error, check_cases, cpu_context, limited, stopped};
use crate::{Error, Limits, Status};

/// An instance, and profits for several more with its weights.
fn batches() -> impl Strategy<Value = (Instance, Vec<u64>)> {
    (instances(), 0usize..6, prop_oneof![Just(20u64), Just(1 << 40)]).prop_flat_map(
        |(instance, count, most)| {
            let profits = proptest::collection::vec(0..most, instance.items() * count);
            (Just(instance), profits)
        },
    )
}

/// The optimum of one of them by definition.
fn optimum(instance: &Instance, profits: &[u64]) -> u64 {
    let (mut own, mut weights, mut copies) = (Vec::new(), Vec::new(), Vec::new());
    for (item, &profit) in profits.iter().enumerate().filter(|(_, profit)| **profit > 0) {
        own.push(profit);
        weights.push(instance.weights()[item]);
        copies.push(instance.copies()[item]);
    }
    let own = Instance::bounded(own, weights, copies, instance.capacity()).unwrap();
    best_profits(&own).last().copied().unwrap()
}

proptest! {
    #[test]
    fn batches_agree_with_the_definition((instance, profits) in batches()) {
        let options = SolveOptions::default();
        let found = solve_profits(&cpu_context(2), &instance, &profits, &options).unwrap().solution.unwrap();
        let expected: Vec<u64> =
            profits.chunks(instance.items().max(1)).map(|own| optimum(&instance, own)).collect();
        prop_assert_eq!(&found.profits, &expected);
        // The solver has already checked that the counts fit and have this profit.
        prop_assert_eq!(found.counts.len(), profits.len());
        let other = solve_profits(&cpu_context(1), &instance, &profits, &options).unwrap().solution.unwrap();
        prop_assert_eq!(other.counts, found.counts);
    }
}

#[test]
fn devices_equal_the_cpu_bit_by_bit() {
    let cpu = cpu_context(2);
    let monitor = Monitor::maximising(&SolveOptions::default());
    let both = |device: &Device, instance: &Instance, profits: &[u64]| {
        let shared = Shared::new(instance).unwrap();
        let count = profits.len() / instance.items().max(1);
        let solved = AtomicU64::new(0);
        let (context, monitor, instances) = (&cpu, &monitor, count);
        let job = Job { context, monitor, shared: &shared, instances, solved: &solved };
        let found = solve_on::<i64>(&job, count, profits, Some(device), None);
        // There a kernel may have 32 work-items only, of 16 cells at most.
        let is_wide = device.info().platform == "rusticl" && shared.cells > 32 * 16;
        if is_wide && found.is_err() {
            return assert_error!(found, Error::Unsupported(_) | Error::DeviceFailed(_));
        }
        let expected = solve_parts::<i64>(&job, count, profits, None).unwrap();
        assert_eq!(found.unwrap(), expected);
        if shared.largest_sum(profits, monitor).unwrap() <= i32::MAX.into() {
            let narrow = solve_on::<i32>(&job, count, profits, Some(device), None);
            assert_eq!(narrow.unwrap(), expected);
        }
    };
    for device in test_devices() {
        let simulator = device.quirks().simulator;
        let cases = if simulator { 3 } else { 30 };
        check_cases(cases, &batches(), |(instance, profits)| {
            both(&device, &instance, &profits);
            Ok(())
        });
        if !simulator {
            // Several cells for each work-item, several instances for each group, more bundles than
            // bits in a word.
            let weights: Vec<u64> = (0..50).map(|item| 20 + item * item % 97).collect();
            let instances = (250 * u64::from(device.info().compute_units)).min(5000);
            let profits = (0..50 * instances).map(|i: u64| i * i % 101).collect::<Vec<_>>();
            both(&device, &Instance::new(vec![1; 50], weights, 1000).unwrap(), &profits);
        }
    }
}

#[test]
fn devices_together_equal_the_cpu_bit_by_bit() {
    const TRIES: usize = 50;

    let faulty_devices = real_test_devices();
    for (device, further) in real_test_devices().iter().zip(&faulty_devices) {
        let (context, monitor) = (cpu_context(2), Monitor::maximising(&SolveOptions::default()));
        let weights: Vec<u64> = (0..50).map(|item| 20 + item * item % 97).collect();
        let profits = (0..50 * 1000).map(|i: u64| i * i % 101).collect::<Vec<_>>();
        let instance = Instance::new(vec![1; 50], weights, 500).unwrap();
        let (shared, solved) = (Shared::new(&instance).unwrap(), AtomicU64::new(0));
        let (context, monitor, instances) = (&context, &monitor, 1000);
        let job = Job { context, monitor, shared: &shared, instances, solved: &solved };
        let expected = solve_parts::<i64>(&job, 1000, &profits, None).unwrap();
        let found = |part: usize| {
            let team = Team::of(context, &[further]);
            let devices = (&team, device);
            solved.store(0, Ordering::Relaxed);
            let found = together::solve_in_parts::<i64>(&job, 1000, &profits, devices, part);
            assert_eq!(found.unwrap(), expected, "parts of {part}");
            assert_eq!(solved.load(Ordering::Relaxed), 1000);
            team.into_record()
        };
        for part in [64, 250, 1000, 2000] {
            assert_eq!(found(part).1, Vec::<String>::new());
        }
        // The further device may be ready only when the chosen one is done.
        let used = (0..TRIES).map(|_| found(8).0).find(|used| !used.is_empty());
        assert_eq!(used, Some(vec![further.info().name.clone()]));
        further.lie(Lie::of("knapsack_batch", 1).share(0.5).only(&["values"]));
        let (used, warnings) =
            (0..TRIES).map(|_| found(16)).find(|(_, warnings)| !warnings.is_empty()).unwrap();
        assert!(used.is_empty() && warnings[0].contains("was left out"), "{warnings:?}");
    }
}

#[test]
fn each_fault_is_named() {
    let context = cpu_context(1);
    let instance = Instance::new(vec![1, 1], vec![3, 2], 4).unwrap();
    let message = |instance: &Instance, profits: &[u64], options: &SolveOptions| {
        solve_profits(&context, instance, profits, options).unwrap_err().to_string()
    };
    let options = SolveOptions::default();
    assert_eq!(
        message(&instance, &[1, 2, 3], &options),
        "profits: 3 profits for 2 items are no whole number of instances"
    );
    assert_eq!(
        message(&instance, &[1, 2, 1 << 62, 1 << 62], &options),
        "profits[2]: instance 1 has profits of 2^63 or more in sum"
    );
    let large = Instance::new(vec![1], vec![3], 1 << 40).unwrap();
    assert!(message(&large, &[1], &options).contains("2^29 or more"));
    let endless = Instance::unbounded(vec![0, 1], vec![0, 2], 4).unwrap();
    assert!(solve_profits(&context, &endless, &[0, 1, 0, 2], &options).is_ok());
    assert!(
        message(&endless, &[0, 1, 5, 2], &options)
            .starts_with("profits[2]: the number of copies is unbounded")
    );
    let many = Instance::bounded(vec![0], vec![0], vec![1 << 32], 4).unwrap();
    assert!(
        message(&many, &[1], &options).contains("4294967296 copies of an item that weighs nothing")
    );
    let small = limited(Limits { memory: Some(20), ..Limits::default() });
    assert!(
        message(&instance, &[1, 2, 3, 4], &small)
            .starts_with("a batch of knapsacks of 2 x 2 items needs ")
    );
    let few = limited(Limits { iterations: Some(1), ..Limits::default() });
    let outcome = solve_profits(&context, &instance, &[1, 2, 3, 4], &few).unwrap();
    assert_eq!((outcome.status, outcome.solution), (Status::Stopped, None));
    assert_eq!(outcome.report.statistics.get("cells"), Some(0));
    assert!(outcome.report.interrupted);
}

#[test]
fn batches_end_at_their_limits_alone() {
    let (context, instance) = (cpu_context(2), Instance::new(vec![1, 1], vec![3, 2], 4).unwrap());
    let enough = limited(Limits { iterations: Some(2), ..Limits::default() });
    let outcome = solve_profits(&context, &instance, &[1, 2, 3, 4], &enough).unwrap();
    assert_eq!((outcome.status, outcome.objective), (Status::Optimal, Some(6)));
    assert_eq!(outcome.report.statistics.get("cells"), Some(2 * 2 * 5));
    assert!(!outcome.report.interrupted);
    let stopped = stopped();
    let outcome = solve_profits(&context, &instance, &[1, 2, 3, 4], &stopped).unwrap();
    assert_eq!((outcome.status, outcome.solution), (Status::Stopped, None));
    assert_eq!(outcome.report.statistics.get("cells"), Some(0));
    assert!(outcome.report.interrupted);
}

#[test]
fn without_items_nothing_is_worth_anything() {
    let (context, options) = (cpu_context(1), SolveOptions::default());
    let instance = Instance::new(vec![], vec![], 4).unwrap();
    let none = solve_profits(&context, &instance, &[], &options).unwrap();
    assert_eq!((none.status, none.objective), (Status::Optimal, Some(0)));
    assert_eq!(none.solution.unwrap().profits, []);
    let three = solve_instances(&context, &instance, 3, &[], &options).unwrap();
    assert_eq!((three.status, three.objective), (Status::Optimal, Some(0)));
    assert_eq!(three.solution.unwrap(), Batch { profits: vec![0; 3], counts: vec![] });
    let too_many = solve_instances(&context, &instance, usize::MAX, &[], &options);
    assert_error!(too_many, Error::OutOfMemory { .. });
}
