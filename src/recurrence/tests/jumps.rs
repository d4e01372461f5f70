//! Jumps to the last element, and when they and other fast methods are chosen.

use proptest::prelude::*;

use super::instances;
use crate::opencl::testing::test_devices;
use crate::recurrence::instance::Offsets;
use crate::recurrence::{
    EnginePlans, FINITE_LIMIT, Instance, Method, Options, Output, Semiring, jump, solve,
};
use crate::testing::{assert_error, cpu_context};
use crate::{
    CacheLocation, Context, ContextOptions, Engine, Error, Limits, ProcessorSpeeds, SolveOptions,
};

/// The last elements by definition, over all integers. The inner `None` means that one is out of
/// range, the outer one that 128 bits are not enough to decide that.
fn last_by_definition(instance: &Instance) -> Option<Option<Vec<i64>>> {
    let semiring = instance.semiring();
    let sums = matches!(semiring, Semiring::SumProduct);
    let sign = if matches!(semiring, Semiring::MaxPlus) { -1 } else { 1 };
    let zero = if sums { 0 } else { i128::MAX };
    let encode = |value: i64| match semiring.zero() == Some(value) {
        true => zero,
        false => sign * i128::from(value),
    };
    let (offsets, preset) = (instance.offsets().unwrap(), instance.preset() as usize);
    let Offsets::Fixed { weights, .. } = instance.structure() else { panic!("a knapsack") };
    let last = (0..instance.instances()).map(|number| {
        let mut table: Vec<i128> =
            instance.initial(number).iter().map(|&value| encode(value)).collect();
        for at in preset..instance.length() as usize {
            let mut sum = zero;
            for (operand, &offset) in offsets.iter().enumerate() {
                let first = if instance.shares_weights() { 0 } else { number * offsets.len() };
                let weight =
                    weights.as_ref().map_or(semiring.one().unwrap(), |w| w[first + operand]);
                let (weight, value) = (sign * i128::from(weight), table[at - offset as usize]);
                sum = match sums {
                    true => value.checked_mul(weight).and_then(|more| sum.checked_add(more))?,
                    false if value == zero => sum,
                    false => sum.min(weight + value),
                };
            }
            table.push(sum);
        }
        Some(match *table.last().unwrap() {
            last if last == zero => semiring.zero(),
            last => {
                i64::try_from(sign * last).ok().filter(|last| sums || last.abs() <= FINITE_LIMIT)
            }
        })
    });
    last.collect()
}

/// Tables with numbers up to the limits of their semirings.
fn up_to_the_limits() -> impl Strategy<Value = Instance> {
    let offsets = prop_oneof![
        proptest::collection::btree_set(1u64..8, 1..4),
        (1u64..3, 1u64..12).prop_map(|(first, count)| (first..first + count).collect()),
    ];
    let range = prop_oneof![
        Just((Semiring::MinPlus, -FINITE_LIMIT, FINITE_LIMIT)),
        Just((Semiring::MaxPlus, -FINITE_LIMIT, FINITE_LIMIT)),
        Just((Semiring::SumProduct, i64::MIN, i64::MAX)),
        Just((Semiring::SumProduct, 0, i64::MAX)),
    ];
    (range, offsets, 0u64..40, 1usize..3, any::<bool>()).prop_flat_map(
        |((semiring, least, most), offsets, more, batch, own)| {
            let offsets: Vec<u64> = offsets.into_iter().rev().collect();
            let (first, count) = (offsets[0] as usize, offsets.len());
            let small = least.max(-3)..=3;
            let value = prop_oneof![
                3 => small.clone(),
                1 => Just(0),
                1 => prop_oneof![Just(least), Just(most), least..=most],
                1 => Just(semiring.zero().unwrap()),
            ];
            // Small enough that the sum fits into 64 bits.
            let large = (most / 16).min(1 << 59);
            let weight =
                prop_oneof![4 => small, 1 => prop_oneof![Just(large), (least / 16).max(-large)..=large]];
            let initial = proptest::collection::vec(value, first * batch);
            let weights = proptest::collection::vec(weight, count * if own { batch } else { 1 });
            (initial, weights).prop_map(move |(initial, weights)| {
                let length = first as u64 + more;
                let instance = Instance::batch(semiring.clone(), offsets.clone(), initial, length, batch);
                instance.unwrap().with_weights(weights).unwrap()
            })
        },
    )
}

fn last_by(method: Method, instance: &Instance) -> crate::Result<(Vec<i64>, &'static str)> {
    let options = Options { method, output: Output::Last, ..Options::default() };
    let outcome = solve(&cpu_context(1), instance, &options, &SolveOptions::default())?;
    Ok((outcome.solution.unwrap().last, outcome.report.method))
}

proptest! {
    #[test]
    fn jumps_agree_with_tables(instance in instances()) {
        let found = [Method::Jump, Method::Blocked].map(|method| last_by(method, &instance).map_err(|error| *error));
        match found.into() {
            (Ok(jump), Ok(table)) => prop_assert_eq!(jump.0, table.0),
            // The last element may be in range while an earlier one is not.
            (_, Err(Error::Overflow { .. })) => prop_assert!(!jump::stays_in_range(&instance)),
            (Err(Error::Unsupported(_)), _) => prop_assert!(jump::obstacle(&instance).is_some()),
            (jump, table) => prop_assert!(false, "{jump:?} and {table:?}"),
        }
    }

    #[test]
    fn jumps_refuse_what_is_out_of_range_alone(instance in up_to_the_limits()) {
        let expected = last_by_definition(&instance);
        let found = [Method::Jump, Method::Blocked].map(|method| last_by(method, &instance).map_err(|error| *error));
        match found.into() {
            (Ok((found, "jump")), table) => {
                prop_assert!(expected.is_none_or(|expected| expected.as_ref() == Some(&found)));
                prop_assert!(table.is_err() || found == table.unwrap().0);
            }
            (Ok((found, _)), table) => prop_assert_eq!(found, table.unwrap().0),
            (Err(Error::Overflow { .. }), Err(Error::Overflow { .. })) => {
                // The table that replaces a jump may have other elements out of range.
                let is_exact = *instance.semiring().name() != *"sum-product";
                prop_assert!(!is_exact || expected == Some(None));
            }
            (jump, table) => prop_assert!(false, "{jump:?} and {table:?}"),
        }
    }
}

#[test]
fn what_wraps_around_128_bits_is_no_element() {
    // The last element is -2^128: eight elements of -2^63 have the coefficient 2^62.
    let initial: Vec<i64> =
        (0..10).map(|at| if (1..9).contains(&at) { i64::MIN } else { 0 }).collect();
    let weights: Vec<i64> = (0..10).map(|at| if at < 9 { 1 << 59 } else { 7 }).collect();
    let instance =
        Instance::new(Semiring::SumProduct, (1..11).rev().collect(), initial, 12).unwrap();
    let refused = last_by(Method::Jump, &instance.with_weights(weights).unwrap());
    assert_error!(refused, Error::Overflow { .. });
}

#[test]
fn coefficients_that_cancel_are_a_table_instead() {
    // ST[i] = 3 ST[i-1] - 2 ST[i-2] is 1 throughout, with coefficients of 2^i.
    let instance = |length| {
        let instance = Instance::new(Semiring::SumProduct, vec![2, 1], vec![1, 1], length).unwrap();
        instance.with_weights(vec![-2, 3]).unwrap()
    };
    assert_eq!(last_by(Method::Jump, &instance(100)).unwrap(), (vec![1], "jump"));
    assert_eq!(last_by(Method::Jump, &instance(1000)).unwrap(), (vec![1], "blocked"));
}

#[test]
fn one_element_may_be_far_away() {
    let semiring = Semiring::Modular(1_000_000_007);
    let fibonacci =
        Instance::new(semiring, vec![2, 1], vec![0, 1], 1_000_000_000_000_000_001).unwrap();
    let options = Options { output: Output::Last, ..Options::default() };
    let outcome = solve(&cpu_context(1), &fibonacci, &options, &SolveOptions::default()).unwrap();
    assert_eq!((outcome.objective, outcome.report.method), (Some(209_783_453), "jump"));
    // The cheapest way to pay 10^15 with coins of 7 and 5.
    let mut initial = vec![i64::MAX; 7];
    (initial[0], initial[5]) = (0, 1);
    let coins =
        Instance::new(Semiring::MinPlus, vec![7, 5], initial, 1_000_000_000_000_001).unwrap();
    let coins = coins.with_weights(vec![1, 1]).unwrap();
    let outcome = solve(&cpu_context(1), &coins, &options, &SolveOptions::default()).unwrap();
    assert_eq!(outcome.objective, Some((1_000_000_000_000_000 - 5 * 4) / 7 + 4));
}

#[test]
fn a_jump_finds_elements_whose_coefficients_are_out_of_range() {
    // All initial elements are 0, but some reach the last one only by three steps of 2^58.
    let instance = Instance::new(Semiring::MinPlus, vec![4, 1], vec![0; 4], 100_000).unwrap();
    let instance = instance.with_weights(vec![0, 1 << 58]).unwrap();
    assert_eq!(last_by(Method::Jump, &instance).unwrap(), (vec![0], "jump"));
    assert_eq!(last_by(Method::Auto, &instance).unwrap(), (vec![0], "jump"));
    // Fibonacci numbers, from one end of the 64-bit range to the other.
    let fibonacci =
        |length| Instance::new(Semiring::SumProduct, vec![2, 1], vec![0, 1], length).unwrap();
    assert_eq!(last_by(Method::Jump, &fibonacci(93)).unwrap().0, [7_540_113_804_746_346_429]);
    for length in [94, 1000, 1_000_000_000_000_000_000] {
        assert_error!(last_by(Method::Jump, &fibonacci(length)), Error::Overflow { .. });
    }
}

#[test]
fn a_jump_counts_its_partial_results() {
    let initial = vec![0; 1 << 10];
    let instance = Instance::new(Semiring::MinPlus, vec![1 << 10, 1], initial, 1 << 40).unwrap();
    let with_memory = |memory| {
        let limits = Limits { memory: Some(memory), ..Limits::default() };
        let options = Options { output: Output::Last, method: Method::Jump, ..Options::default() };
        solve(
            &cpu_context(1),
            &instance,
            &options,
            &SolveOptions { limits, ..SolveOptions::default() },
        )
    };
    let needed = 5 * 4 * (1 << 10) + 8;
    assert_eq!(with_memory(needed).unwrap().objective, Some(0));
    let refused = with_memory(needed - 1).unwrap_err().to_string();
    assert!(
        refused.starts_with("a jump over 1024 preset elements in 1 tables needs 20488 bytes"),
        "{refused}"
    );
}

/// CPU contexts, and for each device a context that must use it and one that may.
fn all_engines() -> Vec<Context> {
    let mut contexts = vec![cpu_context(1), cpu_context(2)];
    for device in test_devices() {
        contexts.extend([Engine::Auto, Engine::Device].map(|engine| {
            let device = Some(device.info().index);
            let cache = CacheLocation::Off;
            Context::new(ContextOptions { engine, device, cache, ..ContextOptions::default() })
                .unwrap()
        }));
    }
    contexts
}

#[test]
fn cpu_and_devices_jump_over_what_is_out_of_range() {
    // Every other element is 2^59 and more.
    let instance = Instance::new(Semiring::MinPlus, vec![2], vec![1 << 59, 0], 200_002).unwrap();
    let instance = instance.with_weights(vec![1]).unwrap();
    for context in all_engines() {
        let run = |method, output| {
            let options = Options { method, output, ..Options::default() };
            solve(&context, &instance, &options, &SolveOptions::default())
        };
        let outcome = run(Method::Auto, Output::Last).unwrap();
        assert_eq!((outcome.objective, outcome.report.method), (Some(100_000), "jump"));
        assert_eq!(outcome.report.device, None);
        for (method, output) in [(Method::Auto, Output::Table), (Method::Blocked, Output::Last)] {
            assert_error!(run(method, output), Error::Overflow { .. });
        }
    }
}

#[test]
fn a_table_that_cpu_or_device_refuses_does_not_hide_why_a_jump_fails() {
    let length = 1_000_000_000_000_000_000;
    let instance = Instance::new(Semiring::MinPlus, vec![2, 1], vec![0; 2], length).unwrap();
    let instance = instance.with_weights(vec![1000, 1000]).unwrap();
    let options = Options { output: Output::Last, ..Options::default() };
    for context in all_engines() {
        let refused = solve(&context, &instance, &options, &SolveOptions::default());
        assert_error!(refused, Error::Overflow { .. });
    }
}

/// The method chosen for the last element with this many CPU threads of the machine of the fit.
fn chosen(instance: &Instance, threads: usize) -> Method {
    let options = Options { output: Output::Last, ..Options::default() };
    let context = cpu_context(threads);
    context.assume(ProcessorSpeeds::of_the_fit(threads));
    let plans = EnginePlans::new(&context, instance, &options, None).unwrap();
    plans.jump.as_ref().unwrap_or(&plans.cpu).method
}

fn instance(semiring: Semiring, offsets: Vec<u64>, weight: Option<i64>, length: u64) -> Instance {
    let (count, initial) = (offsets.len() as i64, vec![1; offsets[0] as usize]);
    let instance = Instance::new(semiring, offsets, initial, length).unwrap();
    match weight {
        Some(weight) => {
            instance.with_weights((0..count).map(|j| weight + j % 7).collect()).unwrap()
        }
        None => instance,
    }
}

fn consecutive(largest: u64) -> Vec<u64> {
    (1..=largest).rev().collect()
}

#[test]
fn a_fast_path_is_chosen_where_it_is_faster() {
    use Semiring::{MaxMin, MinPlus, Modular};
    let modular = Modular(1_000_000_007);
    let window = |smallest: u64, count: u64| (smallest..smallest + count).rev().collect::<Vec<_>>();
    for (semiring, offsets, weight, length, expected) in [
        // The period starts early.
        (MinPlus, consecutive(3000), None, 1_000_000, Method::Blocked),
        (MaxMin, consecutive(3000), None, 1_000_000, Method::Blocked),
        (MaxMin, consecutive(1000), None, 300_000, Method::Blocked),
        // Most work of a jump is replacing powers one by one.
        (MinPlus, consecutive(1000), Some(5), 34_000, Method::Blocked),
        (modular.clone(), consecutive(1000), Some(5), 34_000, Method::Blocked),
        (modular.clone(), consecutive(1000), Some(5), 100_000_000, Method::Jump),
        (modular.clone(), vec![1000, 600, 300, 7], None, 1_000_000, Method::Jump),
        (MaxMin, vec![1000, 700, 430], None, 1_000_000_000, Method::Jump),
        (modular.clone(), window(1000, 1000), None, 100_000, Method::SlidingWindow),
        (modular, window(1000, 16), None, 100_000, Method::Blocked),
    ] {
        let instance = instance(semiring, offsets, weight, length);
        assert_eq!(chosen(&instance, 1), expected, "{}, {length}", instance.semiring().name());
    }
    // Other methods use more threads.
    let far = instance(MinPlus, window(100_000, 140), None, 4_000_000)
        .with_weights(vec![5; 140])
        .unwrap();
    assert_eq!(
        [1, 2].map(|threads| chosen(&far, threads)),
        [Method::SlidingWindow, Method::Blocked]
    );
}

#[test]
fn threads_do_not_choose_between_a_value_and_an_overflow() {
    let mut seen = [false; 2];
    for length in (1..60).map(|bit| 1 << bit) {
        for (semiring, offsets, weight) in [
            (Semiring::SumProduct, vec![2, 1], 0),
            (Semiring::MinPlus, (5000..5400).rev().collect(), 1 << 50),
        ] {
            let length = length + offsets[0];
            let instance = instance(semiring, offsets, Some(weight), length);
            if jump::stays_in_range(&instance) {
                continue;
            }
            let [one, many] = [1, 64].map(|threads| chosen(&instance, threads) == Method::Jump);
            assert_eq!(one, many, "{length}");
            seen[usize::from(one)] = true;
        }
    }
    assert_eq!(seen, [true, true]);
}
