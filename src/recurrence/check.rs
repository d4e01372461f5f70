//! The definition of an element, computed independently in wide integers on the caller's own
//! numbers. Engines' results are compared with it before they are returned.

use std::ops::Range;

use super::NO_CHOICE;
use super::instance::{Instance, Offsets};
use super::semiring::Semiring;
use crate::context::wrong;
use crate::memory::Gather;
use crate::{Error, Result};

/// Most operands that a check looks at, a few milliseconds; with more, only some elements are
/// checked.
const CHECKED_WORK: u64 = 1 << 18;

/// Compares elements of a table with their definition: all of a small table; evenly spaced ones and
/// the last one of a large table. `first` is the index of the first element that `values` holds. An
/// operator without a callback is compared on the device instead.
pub(super) fn check(instance: &Instance, number: usize, first: u64, values: &[i64]) -> Result<()> {
    if instance.semiring().is_for_devices() {
        return Ok(());
    }
    // Only elements whose operands are all in `values`.
    let begin = if first == 0 { instance.preset() } else { first + reach(instance) };
    let end = first + values.len() as u64;
    for index in samples(instance, begin..end) {
        let found = values[(index - first) as usize];
        let expected = element(instance, number, index, first, values)?;
        if found != expected {
            return Err(differs(instance, index, &format!("is {found}, by definition {expected}")));
        }
    }
    Ok(())
}

impl Instance {
    /// Checks all elements of tables, one table after the other, against the definition, and
    /// returns the last element of the first table.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] with the first element that is wrong, [`Error::Unsupported`] for
    /// an operator that only a device can compute.
    pub fn check(&self, values: &[i64]) -> Result<i64> {
        if self.semiring().is_for_devices() {
            return Err(Error::unsupported("a check of an operator without a callback"));
        }
        if values.len() as u128 != u128::from(self.length()) * self.instances() as u128 {
            let (given, length, tables) = (values.len(), self.length(), self.instances());
            let reason = format!("{given} values for {tables} tables of {length} elements");
            return Err(Error::argument("values", reason));
        }
        let length = self.length() as usize;
        for (number, table) in values.chunks_exact(length.max(1)).enumerate() {
            for (index, &found) in table.iter().enumerate() {
                let expected = match self.initial(number).get(index) {
                    Some(&given) => given,
                    None => element(self, number, index as u64, 0, table)?,
                };
                if found != expected {
                    let reason = format!("is {found}, by definition {expected}");
                    return Err(Error::element("values", number * length + index, reason));
                }
            }
        }
        Ok(values[length - 1])
    }
}

/// The tables by definition; an error if an element is out of range.
pub(super) fn tables(instance: &Instance) -> Result<Vec<i64>> {
    let mut all = Vec::new();
    for number in 0..instance.instances() {
        let mut table = instance.initial(number).to_vec();
        for index in instance.preset()..instance.length() {
            let value = element(instance, number, index, 0, &table)?;
            instance.semiring().check_value(value).map_err(Error::internal)?;
            table.push(value);
        }
        all.extend(table);
    }
    Ok(all)
}

/// Compares all elements of a range with their definition. `values` starts with element `first`,
/// which comes before all operands.
pub(super) fn check_all(
    instance: &Instance,
    number: usize,
    first: u64,
    values: &[i64],
    range: Range<u64>,
) -> Result<()> {
    for index in range {
        let expected = element(instance, number, index, first, values)?;
        if values[(index - first) as usize] != expected {
            return Err(wrong(&format!("element {index}")));
        }
    }
    Ok(())
}

/// Compares elements of a complete table with their choices, the same elements as in [`check`]. The
/// chosen offset must give the element's value. No choice means that the term gives the value, or
/// that nothing reaches the element.
pub(super) fn check_choices(
    instance: &Instance,
    number: usize,
    values: &[i64],
    choices: &[u32],
) -> Result<()> {
    let (preset, length) = (instance.preset(), instance.length());
    if choices.len() as u64 != length - preset {
        return Err(Error::internal(format!(
            "{} choices for {} elements",
            choices.len(),
            length - preset
        )));
    }
    for index in samples(instance, preset..length) {
        let (value, choice) = (values[index as usize], choices[(index - preset) as usize]);
        let is_given = if choice == NO_CHOICE {
            [term(instance, number, index), instance.semiring().zero()].contains(&Some(value))
        } else {
            let operands = operands(instance, number, index)?;
            // A knapsack's row has two operands, and the first one may be missing.
            let place = (choice as usize + operands.len()).checked_sub(instance.operands());
            let operand = place.and_then(|place| operands.get(place));
            operand.is_some_and(|&(at, weight)| {
                weigh(instance.semiring(), weight, values[at as usize]) == value.into()
            })
        };
        if !is_given {
            return Err(Error::internal(format!(
                "element {index} is {value}, but not by choice {choice}"
            )));
        }
    }
    Ok(())
}

/// The elements of a range to check: evenly spaced ones, and the last one.
fn samples(instance: &Instance, range: Range<u64>) -> impl Iterator<Item = u64> {
    let last = (range.start < range.end).then(|| range.end - 1);
    let stride = stride(instance, range.end.saturating_sub(range.start));
    range.step_by(stride).chain(last)
}

/// Distance of checked elements in a range of `elements` elements.
pub(super) fn stride(instance: &Instance, elements: u64) -> usize {
    let share = CHECKED_WORK / instance.operands() as u64 / instance.instances() as u64;
    usize::try_from(elements / share.max(1)).unwrap_or(usize::MAX).max(1)
}

/// The error for an element that differs from its definition.
pub(super) fn differs(instance: &Instance, index: u64, how: &str) -> Box<Error> {
    match instance.semiring() {
        Semiring::Custom(_) => {
            let reason = "it is not associative, or its source and its callback differ";
            Error::argument("operator", format!("element {index} {how}: {reason}"))
        }
        _ => Error::internal(format!("element {index} {how}")),
    }
}

/// The largest distance of an element's operands.
pub(super) fn reach(instance: &Instance) -> u64 {
    match instance.structure() {
        Offsets::Fixed { offsets, .. } => offsets[0],
        Offsets::Rows { width, shifts, .. } => {
            width + shifts.iter().copied().filter(|shift| shift < width).max().unwrap_or(0)
        }
    }
}

/// Element `index` of instance `number`, by definition. `values` holds the elements from `first` on.
fn element(
    instance: &Instance,
    number: usize,
    index: u64,
    first: u64,
    values: &[i64],
) -> Result<i64> {
    let semiring = instance.semiring();
    let value = |at: u64| values[(at - first) as usize];
    let mut sum = term(instance, number, index).map(i128::from);
    let mut add = |weight: Option<i64>, value: i64| {
        let next = weigh(semiring, weight, value);
        sum = Some(sum.map_or(next, |sum| combine(semiring, sum, next)));
    };
    // The loops over many operands make no list of them.
    match instance.structure() {
        Offsets::Fixed { offsets, weights: Some(weights) } => {
            let own = own_weights(weights, offsets.len(), number);
            for (offset, &weight) in offsets.iter().zip(own) {
                add(Some(weight), value(index - offset));
            }
        }
        Offsets::Fixed { offsets, weights: None } => {
            for offset in offsets {
                add(None, value(index - offset));
            }
        }
        Offsets::Rows { .. } => {
            for (at, weight) in operands(instance, number, index)? {
                add(weight, value(at));
            }
        }
    }
    let sum = sum.ok_or_else(|| Error::internal("an element without operands"))?;
    i64::try_from(sum)
        .map_err(|_| Error::internal(format!("element {index} is {sum} by definition")))
}

/// The term of an element, if the instance has terms.
fn term(instance: &Instance, number: usize, index: u64) -> Option<i64> {
    let count = (instance.length() - instance.preset()) as usize;
    let terms = instance.terms()?;
    let own = if terms.len() == count { 0 } else { number * count };
    Some(terms[(index - instance.preset()) as usize + own])
}

/// The weights of an instance of a batch, whose instances have `count` each or share them.
fn own_weights(weights: &[i64], count: usize, number: usize) -> &[i64] {
    match weights.len() == count {
        true => weights,
        false => &weights[number * count..][..count],
    }
}

/// The elements that an element depends on, in order, with their weights; `None` for no weight.
#[inline]
pub(super) fn operands(
    instance: &Instance,
    number: usize,
    index: u64,
) -> Result<Vec<(u64, Option<i64>)>> {
    match instance.structure() {
        Offsets::Fixed { offsets, weights } => {
            let own = weights.as_ref().map(|weights| own_weights(weights, offsets.len(), number));
            let weight = |operand: usize| own.map(|own| own[operand]);
            offsets
                .iter()
                .enumerate()
                .map(|(operand, &offset)| (index - offset, weight(operand)))
                .gather()
        }
        Offsets::Rows { width, shifts, gains } => {
            let (row, column) = ((index / width - 1) as usize, index % width);
            let with =
                (column >= shifts[row]).then(|| (index - width - shifts[row], Some(gains[row])));
            with.into_iter().chain([(index - width, None)]).gather()
        }
    }
}

#[inline]
pub(super) fn weigh(semiring: &Semiring, weight: Option<i64>, value: i64) -> i128 {
    let Some(weight) = weight else { return value.into() };
    match semiring {
        Semiring::MinPlus | Semiring::MaxPlus if Some(value) == semiring.zero() => value.into(),
        Semiring::MinPlus | Semiring::MaxPlus => i128::from(weight) + i128::from(value),
        Semiring::SumProduct => i128::from(weight) * i128::from(value),
        Semiring::Modular(modulus) => i128::from(weight) * i128::from(value) % i128::from(*modulus),
        Semiring::OrAnd => i128::from(weight & value),
        Semiring::MaxMin => i128::from(weight.min(value)),
        Semiring::Custom(operator) => {
            operator.weigh.as_ref().map_or(value, |weigh| weigh(weight, value)).into()
        }
    }
}

#[inline]
fn combine(semiring: &Semiring, left: i128, right: i128) -> i128 {
    match semiring {
        Semiring::MinPlus => left.min(right),
        Semiring::MaxPlus | Semiring::MaxMin => left.max(right),
        Semiring::SumProduct => left + right,
        Semiring::Modular(modulus) => (left + right) % i128::from(*modulus),
        Semiring::OrAnd => left | right,
        Semiring::Custom(operator) => {
            let combined =
                operator.combine.as_ref().map(|combine| combine(left as i64, right as i64));
            combined.map_or(left, i128::from)
        }
    }
}
