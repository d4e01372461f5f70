//! Choices: which offset gives each element its value.

use proptest::prelude::*;

use super::{instances, knapsacks};
use crate::recurrence::{Instance, NO_CHOICE, Options, Semiring, check, solve};
use crate::testing::{assert_error, cpu_context};
use crate::{Error, SolveOptions};

proptest! {
    #[test]
    fn choices_are_the_first_that_give_the_value(
        instance in prop_oneof![instances().boxed(), knapsacks().boxed()],
    ) {
        let options = Options { choices: true, ..Options::default() };
        let outcome = solve(&cpu_context(2), &instance, &options, &SolveOptions::default());
        let solution = match outcome {
            Err(error) if matches!(*error, Error::Unsupported(_)) => {
                use Semiring::{MaxMin, MaxPlus, MinPlus};
                prop_assert!(!matches!(instance.semiring(), MinPlus | MaxPlus | MaxMin));
                return Ok(());
            }
            Err(error) if matches!(*error, Error::Overflow { .. }) => return Ok(()),
            outcome => outcome.unwrap().solution.unwrap(),
        };
        let (length, preset) = (instance.length() as usize, instance.preset());
        let given = solution.choices.unwrap();
        let mut choices = given.iter();
        for (number, table) in solution.values.chunks(length).enumerate() {
            for index in preset..instance.length() {
                prop_assert_eq!(*choices.next().unwrap(), first_choice(&instance, number, index, table));
            }
        }
        prop_assert_eq!(choices.next(), None);
    }
}

fn first_choice(instance: &Instance, number: usize, index: u64, table: &[i64]) -> u32 {
    let value = table[index as usize];
    let count = (instance.length() - instance.preset()) as usize;
    let term = instance
        .terms()
        .map(|terms| terms[((index - instance.preset()) as usize + number * count) % terms.len()]);
    if term == Some(value) || Some(value) == instance.semiring().zero() {
        return NO_CHOICE;
    }
    let operands = check::operands(instance, number, index).unwrap();
    let first = instance.operands() - operands.len();
    let gives = |&(source, weight): &(u64, Option<i64>)| {
        check::weigh(instance.semiring(), weight, table[source as usize]) == i128::from(value)
    };
    operands.iter().position(gives).map_or(NO_CHOICE, |position| (first + position) as u32)
}

fn with_choices(instance: &Instance) -> crate::Result<Vec<u32>> {
    let options = Options { choices: true, ..Options::default() };
    let outcome = solve(&cpu_context(1), instance, &options, &SolveOptions::default())?;
    Ok(outcome.solution.unwrap().choices.unwrap())
}

#[test]
fn values_joined_of_several_have_no_choice() {
    // 3 = 1 or 2: no single offset gives it.
    let instance = Instance::new(Semiring::OrAnd, vec![2, 1], vec![1, 2], 3).unwrap();
    let refused = with_choices(&instance).unwrap_err().to_string();
    assert_eq!(refused, "not supported: choices of or-and, which does not select an operand");
}

#[test]
fn a_table_without_elements_to_fill_has_a_list_of_no_choices() {
    let instance = Instance::new(Semiring::MinPlus, vec![2, 1], vec![1, 2], 2).unwrap();
    assert!(with_choices(&instance).unwrap().is_empty());
    let outcome =
        solve(&cpu_context(1), &instance, &Options::default(), &SolveOptions::default()).unwrap();
    assert_eq!(outcome.solution.unwrap().choices, None);
}

#[test]
fn wrong_choices_do_not_leave() {
    let coins =
        Instance::new(Semiring::MinPlus, vec![5, 2], vec![0, i64::MAX, 1, i64::MAX, 2], 8).unwrap();
    let coins = coins.with_weights(vec![1, 1]).unwrap();
    let values = [0, i64::MAX, 1, i64::MAX, 2, 1, 3, 2];
    let check = |choices: &[u32]| check::check_choices(&coins, 0, &values, choices);
    assert_eq!(with_choices(&coins).unwrap(), [0, 1, 0]);
    check(&[0, 1, 0]).unwrap();
    for wrong in [[1, 1, 0], [0, 0, 0], [0, 1, NO_CHOICE], [0, 1, 2]] {
        assert_error!(check(&wrong), Error::Internal(_), "{wrong:?}");
    }
    assert!(check(&[0, 1]).is_err());
    let knapsack = Instance::knapsack(vec![2], vec![7], 2).unwrap();
    let check = |choices: &[u32]| check::check_choices(&knapsack, 0, &[0, 0, 0, 0, 0, 7], choices);
    check(&[1, 1, 0]).unwrap();
    assert!(check(&[0, 1, 0]).is_err() && check(&[1, 1, 1]).is_err());
}
