//! Operators that break their caller's promises.

use std::sync::Arc;

use super::{table, table_methods};
use crate::recurrence::{Instance, Method, Operator, Semiring, check};
use crate::testing::{cpu_context, refusal};

fn operator(combine: fn(i64, i64) -> i64, idempotent: bool) -> Semiring {
    Semiring::Custom(Operator {
        combine: Some(Arc::new(combine)),
        idempotent,
        ..Operator::default()
    })
}

#[test]
fn a_period_is_found_whatever_was_promised() {
    // 1 1 2 1 1 2 ...: after 8 elements the last two are the same, and the next one is not.
    let semiring = operator(|left, right| if left + right == 2 { 2 } else { 1 }, true);
    let instance = Instance::new(semiring, vec![2, 1], vec![1, 1], 100).unwrap();
    let expected = check::tables(&instance).unwrap();
    assert_eq!(expected[..9], [1, 1, 2, 1, 1, 2, 1, 1, 2]);
    for method in [Method::Auto, Method::Blocked] {
        assert_eq!(table(&cpu_context(1), &instance, method).unwrap(), expected);
    }
}

#[test]
fn only_the_methods_that_say_so_depend_on_associativity() {
    let semiring = operator(|left, right| (3 * left - right) & 0xffff, false);
    let initial = (0..9).map(|i| i * i).collect();
    let instance = Instance::new(semiring, (1..=9).rev().collect(), initial, 500).unwrap();
    let expected = check::tables(&instance).unwrap();
    for method in table_methods() {
        let found = table(&cpu_context(2), &instance, method);
        if matches!(method, Method::Auto | Method::Tournament | Method::SlidingWindow) {
            let reason = refusal(found, "operator");
            assert!(reason.starts_with("element 9 is "), "{reason}");
        } else {
            assert_eq!(found.unwrap(), expected, "{method:?}");
        }
    }
}
