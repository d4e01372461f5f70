//! Compares all methods with the definition.

mod choices;
mod jumps;
mod operators;

use proptest::prelude::*;

use super::*;
use crate::testing::{assert_error, cpu_context, limited, stopped};
use crate::{Limits, Status};

fn matrix_operator() -> Operator {
    // Affine maps x -> a x + b over 2^16, packed: associative but not commutative.
    let combine: Callback = std::sync::Arc::new(|left, right| {
        let (a, b, c, d) =
            (left & 0xffff, (left >> 16) & 0xffff, right & 0xffff, (right >> 16) & 0xffff);
        ((a * c) & 0xffff) | (((a * d + b) & 0xffff) << 16)
    });
    let weigh: Callback = std::sync::Arc::new(|weight, value| value ^ (weight & 0xff));
    let source = "long combine(long left, long right) {
            long a = left & 0xffff, b = left >> 16 & 0xffff, c = right & 0xffff, d = right >> 16 & 0xffff;
            return (a * c & 0xffff) | (((a * d + b) & 0xffff) << 16);
        }
        long weigh(long weight, long value) { return value ^ (weight & 0xff); }";
    Operator {
        source: Some(source.into()),
        combine: Some(combine),
        weigh: Some(weigh),
        idempotent: false,
    }
}

fn semirings() -> impl Strategy<Value = Semiring> {
    prop_oneof![
        Just(Semiring::MinPlus),
        Just(Semiring::MaxPlus),
        Just(Semiring::SumProduct),
        Just(Semiring::Modular(1_000_000_007)),
        Just(Semiring::Modular(MODULUS_LIMIT)),
        Just(Semiring::OrAnd),
        Just(Semiring::MaxMin),
        Just(Semiring::Custom(matrix_operator())),
    ]
}

fn values(semiring: &Semiring, small: bool) -> BoxedStrategy<i64> {
    match semiring {
        Semiring::MinPlus | Semiring::MaxPlus => {
            let (zero, limit) =
                (semiring.zero().unwrap(), if small { 100 } else { FINITE_LIMIT / 50 });
            prop_oneof![1 => Just(zero), 4 => -limit..=limit].boxed()
        }
        Semiring::SumProduct => (-2i64..=2).boxed(),
        Semiring::Modular(modulus) => (0..*modulus as i64).boxed(),
        Semiring::Custom(_) => (0..1i64 << 32).boxed(),
        _ => any::<i64>().boxed(),
    }
}

/// Batches of small tables with dense, sparse or consecutive offsets.
pub(super) fn instances() -> impl Strategy<Value = Instance> {
    let sparse = proptest::collection::btree_set(1u64..90, 1..20).boxed();
    let dense =
        (1u64..40, 1u64..40).prop_map(|(first, count)| (first..first + count).collect()).boxed();
    let large = proptest::collection::btree_set(20u64..300, 1..5).boxed();
    (semirings(), prop_oneof![sparse, dense, large], 0u64..300, 1usize..4, any::<[bool; 5]>())
        .prop_flat_map(
            |(semiring, offsets, more, batch, [weighted, own, terms, own_terms, small])| {
                let offsets: Vec<u64> = offsets.into_iter().rev().collect();
                let (first, count) = (offsets[0] as usize, offsets.len());
                let finite = semiring.clone();
                let weight = values(&semiring, true)
                    .prop_filter("a weight", move |&weight| finite.check_weight(weight).is_ok());
                let weights = if weighted { count * if own { batch } else { 1 } } else { 0 };
                let terms =
                    if terms { more as usize * if own_terms { batch } else { 1 } } else { 0 };
                (
                    proptest::collection::vec(values(&semiring, small), first * batch),
                    proptest::collection::vec(weight, weights),
                    proptest::collection::vec(values(&semiring, small), terms),
                    Just((semiring, offsets, more, batch)),
                )
            },
        )
        .prop_map(|(initial, weights, terms, (semiring, offsets, more, batch))| {
            let length = offsets[0] + more;
            let mut instance = Instance::batch(semiring, offsets, initial, length, batch).unwrap();
            if !weights.is_empty() {
                instance = instance.with_weights(weights).unwrap();
            }
            if !terms.is_empty() {
                instance = instance.with_terms(terms).unwrap();
            }
            instance
        })
}

fn table(context: &Context, instance: &Instance, method: Method) -> Result<Vec<i64>> {
    let options = Options { method, ..Options::default() };
    let outcome = solve(context, instance, &options, &SolveOptions::default())?;
    Ok(outcome.solution.unwrap().values)
}

pub(super) fn table_methods() -> impl Iterator<Item = Method> {
    Method::ALL.into_iter().filter(|&method| method != Method::Jump)
}

pub(super) fn agrees(
    found: Result<Vec<i64>>,
    expected: &Result<Vec<i64>>,
) -> Result<(), TestCaseError> {
    match (found.map_err(|error| *error), expected.as_ref().map_err(Box::as_ref)) {
        (Ok(found), Ok(expected)) => prop_assert_eq!(&found, expected),
        (Err(Error::Overflow { .. }), Err(Error::Internal(_))) => (),
        (found, expected) => prop_assert!(false, "{found:?} instead of {expected:?}"),
    }
    Ok(())
}

proptest! {
    #[test]
    fn methods_agree_with_the_definition(instance in instances(), threads in 1usize..3) {
        let context = cpu_context(threads);
        let expected = check::tables(&instance);
        for method in table_methods() {
            match table(&context, &instance, method) {
                Err(error) if matches!(*error, Error::Unsupported(_)) => prop_assert_eq!(method, Method::SlidingWindow),
                found => agrees(found, &expected)?,
            }
        }
    }
}

/// A few knapsacks with rows of up to a hundred elements.
pub(super) fn knapsacks() -> impl Strategy<Value = Instance> {
    let items = proptest::collection::vec((0u64..60, 0u64..1000), 0..12);
    (items, 1u64..100).prop_map(|(items, capacity)| {
        let (weights, profits) = items.into_iter().unzip();
        Instance::knapsack(weights, profits, capacity).unwrap()
    })
}

proptest! {
    #[test]
    fn knapsacks_agree_with_the_definition(instance in knapsacks()) {
        let expected = check::tables(&instance);
        for method in table_methods().filter(|&method| method != Method::SlidingWindow) {
            agrees(table(&cpu_context(2), &instance, method), &expected)?;
        }
    }

}

/// Runs a pipeline's steps as published, on marks instead of values: returns whether every operand
/// is finished when it is read.
fn reads_are_finished(offsets: &[u64], visit: usize, fold: usize, length: usize) -> bool {
    let (first, operands) = (offsets[0] as usize, offsets.len());
    let stages = operands.div_ceil(visit);
    let mut finished = vec![false; length];
    finished[..first].fill(true);
    let mut head = first + fold - 1;
    while head < length + stages * fold {
        let mut completed = Vec::new();
        for thread in 0..stages * fold {
            let stage = thread / fold;
            let Some(i) = head.checked_sub(thread).filter(|i| (first..length).contains(i)) else {
                continue;
            };
            let visited = &offsets[stage * visit..((stage + 1) * visit).min(operands)];
            if visited.iter().any(|&offset| !finished[i - offset as usize]) {
                return false;
            }
            completed.extend((stage + 1 == stages).then_some(i));
        }
        completed.into_iter().for_each(|i| finished[i] = true);
        head += fold;
    }
    finished.iter().all(|&finished| finished)
}

#[test]
fn a_fold_is_safe_up_to_the_largest_and_not_beyond() {
    for set in 1u32..1 << 8 {
        let offsets: Vec<u64> = (1..=8).rev().filter(|bit| set >> (bit - 1) & 1 == 1).collect();
        let initial = vec![0; offsets[0] as usize];
        let instance = Instance::new(Semiring::MinPlus, offsets.clone(), initial, 1000).unwrap();
        for visit in 1..=offsets.len() {
            let largest = schedule::largest_fold(&instance, visit) as usize;
            assert!(largest >= 1);
            for fold in 1..=largest + 2 {
                let length = 2 * offsets[0] as usize + fold + 3;
                let safe = reads_are_finished(&offsets, visit, fold, length);
                assert_eq!(
                    safe,
                    fold <= largest,
                    "{offsets:?}, {visit} operands a visit, fold {fold}"
                );
            }
        }
    }
}

#[test]
fn the_sources_examples() {
    let fold = |offsets: Vec<u64>| {
        let initial = vec![0; offsets[0] as usize];
        largest_fold(&Instance::new(Semiring::SumProduct, offsets, initial, 100).unwrap())
    };
    // Figures 7, 3 and 4.
    assert_eq!(fold(vec![10, 8, 5]), 3);
    assert_eq!(fold(vec![6, 3, 1]), 1);
    assert_eq!(fold(vec![5, 4, 3, 2, 1]), 1);
    // A p above C, as the source expects, is never safe.
    assert_eq!(largest_fold(&Instance::knapsack(vec![3, 5], vec![1, 1], 10).unwrap()), 7);
    assert_eq!(largest_fold(&Instance::knapsack(vec![50], vec![1], 10).unwrap()), 11);
    let fibonacci = Instance::new(Semiring::SumProduct, vec![2, 1], vec![1, 1], 90).unwrap();
    let last =
        solve(&cpu_context(1), &fibonacci, &Options::default(), &SolveOptions::default()).unwrap();
    assert_eq!(last.objective, Some(2_880_067_194_370_816_120));
}

#[test]
fn steps_and_threads_are_the_sources() {
    let instance = Instance::new(Semiring::MinPlus, vec![10, 8, 5], vec![0; 10], 100).unwrap();
    for (method, fold, steps, threads) in [
        (Method::Sequential, None, 270, 1),
        (Method::Tournament, None, 180, 1),
        (Method::Pipeline, None, 92, 3),
        (Method::TwoByTwo, None, 91, 2),
        (Method::PFold, None, 32, 9),
        (Method::PFold, Some(2), 47, 6),
    ] {
        let options = Options { method, fold, ..Options::default() };
        let report =
            solve(&cpu_context(1), &instance, &options, &SolveOptions::default()).unwrap().report;
        assert_eq!(report.method, method.name());
        let counters = ["steps", "threads", "operands"].map(|name| report.statistics.get(name));
        assert_eq!(counters, [Some(steps), Some(threads), Some(270)]);
    }
}

#[test]
fn idempotent_tables_end_in_their_period() {
    let initial: Vec<i64> = (0..60).map(|i| i * 37 % 61).collect();
    let instance = Instance::new(Semiring::MaxMin, vec![60, 42, 36], initial, 100_000).unwrap();
    let outcome =
        solve(&cpu_context(1), &instance, &Options::default(), &SolveOptions::default()).unwrap();
    assert_eq!(outcome.report.statistics.get("period"), Some(6));
    assert_eq!(outcome.solution.unwrap().values, check::tables(&instance).unwrap());
}

#[test]
fn large_tables_are_the_same_on_any_number_of_threads() {
    for offsets in [
        vec![200_000, 150_000, 100_001],
        (1..=700u64).rev().map(|i| i * 300).collect(),
        (1..=100u64).rev().map(|i| i * 5 - 4).collect::<Vec<_>>(),
    ] {
        let first = offsets[0] as i64;
        let initial = (0..first).map(|i| i * i % 9973).collect();
        let weights = (0..offsets.len() as i64).map(|j| j * 31 % 17).collect();
        let instance = Instance::new(Semiring::MinPlus, offsets, initial, 300_000).unwrap();
        let instance = instance.with_weights(weights).unwrap();
        let expected = table(&cpu_context(1), &instance, Method::PFold).unwrap();
        for threads in [1, 3] {
            assert!(table(&cpu_context(threads), &instance, Method::Blocked).unwrap() == expected);
        }
        assert!(table(&cpu_context(3), &instance, Method::PFold).unwrap() == expected);
    }
}

#[test]
fn overflows_are_errors_and_narrow_integers_widen() {
    let growing = |semiring, weight, length| {
        let instance = Instance::new(semiring, vec![1], vec![1], length).unwrap();
        let instance = instance.with_weights(vec![weight]).unwrap();
        solve(&cpu_context(1), &instance, &Options::default(), &SolveOptions::default())
    };
    let last = growing(Semiring::MaxPlus, 1 << 26, 101).unwrap().objective;
    assert_eq!(last, Some((100 << 26) + 1));
    let last = growing(Semiring::MinPlus, -(1 << 58), 3).unwrap().objective;
    assert_eq!(last, Some(1 - FINITE_LIMIT));
    let refused = growing(Semiring::MinPlus, -(1 << 58), 4).unwrap_err().to_string();
    assert_eq!(
        refused,
        "an element of the recurrence does not fit into the range from -2^59 to 2^59"
    );
    assert_eq!(growing(Semiring::SumProduct, -2, 63).unwrap().objective, Some(1 << 62));
    assert_eq!(growing(Semiring::SumProduct, -2, 64).unwrap().objective, Some(i64::MIN));
    assert_error!(growing(Semiring::SumProduct, -2, 65), Error::Overflow { .. });
}

#[test]
fn every_fault_is_named() {
    let new = |offsets: &[u64], initial: &[i64], length| {
        Instance::new(Semiring::MinPlus, offsets.to_vec(), initial.to_vec(), length)
    };
    let good = || new(&[3, 1], &[0; 3], 10).unwrap();
    let wide = Instance::new(Semiring::SumProduct, vec![2, 1], vec![0; 2], 3).unwrap();
    let modulus =
        |modulus| Instance::new(Semiring::Modular(modulus), vec![1], vec![0], 2).map(drop);
    for (result, message) in [
        (new(&[], &[], 5).map(drop), "offsets: there are none"),
        (new(&[3, 0], &[0; 3], 5).map(drop), "offsets[1]: must be at least 1"),
        (
            new(&[3, 3], &[0; 3], 5).map(drop),
            "offsets[1]: is 3, not below the 3 before it: offsets decrease",
        ),
        (
            new(&[1, 3], &[0; 3], 5).map(drop),
            "offsets[1]: is 3, not below the 1 before it: offsets decrease",
        ),
        (new(&[3, 1], &[0; 2], 5).map(drop), "initial: 2 values, but the largest offset needs 3"),
        (new(&[3, 1], &[0; 3], 2).map(drop), "length: is 2, below the 3 initial values"),
        (
            new(&[2], &[0, 1 << 60], 5).map(drop),
            "initial[1]: is 1152921504606846976, beyond 2^59 by absolute value",
        ),
        (
            new(&[u64::MAX], &[], 5).map(drop),
            "initial: 0 values, but the largest offset needs 18446744073709551615",
        ),
        (good().with_weights(vec![1]).map(drop), "weights: 1 weights for 2 offsets"),
        (
            good().with_weights(vec![1, i64::MAX]).map(drop),
            "weights[1]: is unreachable; leave the offset out",
        ),
        (good().with_terms(vec![1]).map(drop), "terms: 1 terms for 7 elements that are not preset"),
        (
            wide.with_weights(vec![i64::MAX, -1]).map(drop),
            "the sum of the weights does not fit into 63 bits",
        ),
        (modulus(1), "modulus: is 1, not from 2 to 2147483648"),
        (modulus(1 << 32), "modulus: is 4294967296, not from 2 to 2147483648"),
        (Instance::knapsack(vec![1], vec![1], 0).map(drop), "capacity: must be at least 1"),
        (Instance::knapsack(vec![1], vec![], 5).map(drop), "profits: 0 profits for 1 weights"),
        (
            Instance::knapsack(vec![1, 1], vec![1 << 62, 1 << 63], 5).map(drop),
            "the sum of the profits does not fit into the range up to 2^59",
        ),
        (
            Instance::knapsack(vec![1], vec![1], u64::MAX).map(drop),
            "the number of elements does not fit into 63 bits",
        ),
        (
            Instance::batch(Semiring::MinPlus, vec![1], vec![], 5, 0).map(drop),
            "instances: must be at least 1",
        ),
        (
            Instance::new(Semiring::Custom(Operator::default()), vec![1], vec![1], 2).map(drop),
            "operator: has neither a source nor a callback",
        ),
    ] {
        assert_eq!(result.unwrap_err().to_string(), message);
    }
    let error = |options: Options| {
        let solved = solve(&cpu_context(1), &good(), &options, &SolveOptions::default());
        solved.unwrap_err().to_string()
    };
    let fold = |fold| Options { method: Method::PFold, fold: Some(fold), ..Options::default() };
    assert_eq!(error(fold(2)), "fold: is 2; these offsets are safe from 1 to 1");
    assert_eq!(error(fold(0)), "fold: is 0; these offsets are safe from 1 to 1");
    let stray = Options { fold: Some(1), ..Options::default() };
    assert_eq!(error(stray), "fold: applies only to the p-fold pipeline");
    let last = Options { output: Output::Last, choices: true, ..Options::default() };
    assert_eq!(error(last), "choices: need the whole table");
}

#[test]
fn limits_are_kept() {
    let instance = Instance::new(Semiring::MinPlus, vec![2, 1], vec![0; 2], 1 << 40).unwrap();
    let instance = instance.with_weights(vec![1, 2]).unwrap();
    let options = limited(Limits { memory: Some(1 << 20), ..Limits::default() });
    let refused = solve(&cpu_context(1), &instance, &Options::default(), &options).unwrap_err();
    let text = refused.to_string();
    assert!(text.starts_with("a recurrence of 1 tables of 1099511627776 elements needs"), "{text}");

    let options = stopped();
    let small = Instance::new(Semiring::MinPlus, vec![2, 1], vec![0; 2], 1000).unwrap();
    for method in table_methods() {
        let outcome =
            solve(&cpu_context(1), &small, &Options { method, ..Options::default() }, &options)
                .unwrap();
        assert_eq!((outcome.status, outcome.objective), (Status::Stopped, None));
        assert_eq!(outcome.report.statistics.get("operands"), Some(0));
        assert!(outcome.report.interrupted);
    }
}

#[test]
fn tables_without_an_element_to_fill_are_their_initial_values() {
    let instance = Instance::new(Semiring::OrAnd, vec![3, 1], vec![1, 0, 2], 3).unwrap();
    for method in table_methods().filter(|&method| method != Method::SlidingWindow) {
        assert_eq!(table(&cpu_context(2), &instance, method).unwrap(), [1, 0, 2]);
    }
}
