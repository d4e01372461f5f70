//! Jumps whose coefficients may exceed the elements' range, computed in 128 bits. Only the element
//! itself is checked against the range.

use super::instance::{Instance, Offsets};
use super::semiring::{FINITE_LIMIT, Semiring};
use crate::memory::Gather;
use crate::solve::Monitor;
use crate::{Error, Result, memory, parallel};

/// The arithmetic of coefficients.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ring {
    /// (min,+). A path has at most 2^64 weights of at most 2^59 each: the sum of two coefficients
    /// fits into 128 bits.
    MinPlus,
    /// (max,+), computed as (min,+) of the negated numbers.
    MaxPlus,
    /// (+,*) without negative numbers. All numbers from [`MANY`] on count as [`MANY`]; no element
    /// is that large.
    Naturals,
    /// (+,*) with negative numbers: a large coefficient need not make the sum large.
    Integers,
}

/// Larger than any element, also after adding any natural number.
const MANY: i128 = 1 << 63;

impl Ring {
    fn of(instance: &Instance, weights: &[i64], initial: &[i64]) -> Option<Ring> {
        match instance.semiring() {
            Semiring::MinPlus => Some(Ring::MinPlus),
            Semiring::MaxPlus => Some(Ring::MaxPlus),
            Semiring::SumProduct if weights.iter().chain(initial).all(|&number| number >= 0) => {
                Some(Ring::Naturals)
            }
            Semiring::SumProduct => Some(Ring::Integers),
            _ => None,
        }
    }

    /// The neutral element of (+). Its product with any number is itself.
    fn zero(self) -> i128 {
        match self {
            Ring::MinPlus | Ring::MaxPlus => i128::MAX,
            Ring::Naturals | Ring::Integers => 0,
        }
    }

    /// The neutral element of (*).
    fn one(self) -> i128 {
        match self {
            Ring::MinPlus | Ring::MaxPlus => 0,
            Ring::Naturals | Ring::Integers => 1,
        }
    }

    fn encode(self, value: i64) -> i128 {
        match (self, value) {
            (Ring::MinPlus, i64::MAX) | (Ring::MaxPlus, i64::MIN) => self.zero(),
            (Ring::MaxPlus, value) => -i128::from(value),
            (_, value) => value.into(),
        }
    }

    /// The element; `None` if it is out of the semiring's range.
    fn decode(self, value: i128) -> Option<i64> {
        let finite =
            |value| i64::try_from(value).ok().filter(|value: &i64| value.abs() <= FINITE_LIMIT);
        match self {
            Ring::MinPlus if value == self.zero() => Some(i64::MAX),
            Ring::MaxPlus if value == self.zero() => Some(i64::MIN),
            Ring::MinPlus => finite(value),
            Ring::MaxPlus => finite(-value),
            Ring::Naturals | Ring::Integers => i64::try_from(value).ok(),
        }
    }

    /// sum (+) left (*) right, for nonzero left and right; `None` beyond 128 bits.
    #[inline(always)]
    fn add_product(self, sum: i128, left: i128, right: i128) -> Option<i128> {
        match self {
            Ring::MinPlus | Ring::MaxPlus => Some(sum.min(left + right)),
            Ring::Naturals => Some((sum + left * right).min(MANY)),
            Ring::Integers => sum.checked_add(left.checked_mul(right)?),
        }
    }
}

/// Bytes of one jump: a power, the product of two powers, and the weights.
fn bytes(instance: &Instance) -> u128 {
    (3 * u128::from(instance.preset()) + 2 * instance.operands() as u128)
        * size_of::<i128>() as u128
}

/// The last element of each instance; `None` if a coefficient exceeds 128 bits, in which case the
/// elements may still be in range.
pub(super) fn last_elements(
    instance: &Instance,
    threads: usize,
    monitor: &Monitor,
) -> Result<Option<Vec<i64>>> {
    let count = instance.instances();
    monitor
        .check_memory(bytes(instance) * threads.min(count) as u128 + 8 * count as u128, || {
            format!("a jump over {} preset elements in {count} tables", instance.preset())
        })?;
    let last = parallel::try_map(0..count, |number| last_element(instance, number, monitor))?;
    // The conversion reuses the list's memory.
    Ok(last.into_iter().collect())
}

fn last_element(instance: &Instance, number: usize, monitor: &Monitor) -> Result<Option<i64>> {
    let Offsets::Fixed { offsets, weights } = instance.structure() else {
        return Err(Error::internal("a jump in a knapsack"));
    };
    let initial = instance.initial(number);
    let own = match weights.as_deref() {
        Some(weights) if instance.shares_weights() => weights,
        Some(weights) => &weights[number * offsets.len()..][..offsets.len()],
        None => &[],
    };
    let Some(ring) = Ring::of(instance, own, initial) else {
        return Err(Error::internal("a jump without a semiring"));
    };
    let weights = match own {
        [] => memory::filled(ring.one(), offsets.len())?,
        own => own.iter().map(|&weight| ring.encode(weight)).gather()?,
    };
    // No overflow: the largest offset is the number of preset elements.
    let operands = offsets.iter().map(|&offset| offset as usize).zip(weights).gather()?;
    let jump = Jump { ring, degree: initial.len(), operands, monitor };
    let Some(coefficients) = jump.power(instance.length() - 1)? else { return Ok(None) };
    let mut sum = ring.zero();
    for (&coefficient, &value) in coefficients.iter().zip(initial) {
        match jump.add_product(sum, coefficient, ring.encode(value)) {
            Some(more) => sum = more,
            None => return Ok(None),
        }
    }
    ring.decode(sum).map(Some).ok_or_else(|| instance.semiring().out_of_range())
}

struct Jump<'a> {
    ring: Ring,
    /// Number of preset elements, the largest offset.
    degree: usize,
    /// Offsets with their weights.
    operands: Vec<(usize, i128)>,
    monitor: &'a Monitor,
}

impl Jump<'_> {
    /// The coefficients of x^exponent.
    fn power(&self, exponent: u64) -> Result<Option<Vec<i128>>> {
        let mut power = memory::filled(self.ring.zero(), self.degree)?;
        power[0] = self.ring.one();
        for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
            let Some(product) = self.square(&power)? else { return Ok(None) };
            drop(power);
            // Multiplies by x.
            let shift = usize::try_from(exponent >> bit & 1).unwrap_or(0);
            let Some(reduced) = self.reduce(product, shift)? else { return Ok(None) };
            power = reduced;
        }
        Ok(Some(power))
    }

    /// The square of a power, with space for one more coefficient.
    fn square(&self, power: &[i128]) -> Result<Option<Vec<i128>>> {
        let zero = self.ring.zero();
        let mut product = memory::filled(zero, 2 * power.len())?;
        for (i, &left) in power.iter().enumerate() {
            self.monitor.check_long_step(i, self.degree)?;
            if left == zero {
                continue;
            }
            for (target, &right) in product[i..].iter_mut().zip(power) {
                match self.add_product(*target, left, right) {
                    Some(sum) => *target = sum,
                    None => return Ok(None),
                }
            }
        }
        Ok(Some(product))
    }

    /// Reduces `powers` times x^shift, shift at most 1: replaces powers by smaller ones, from the
    /// highest down to a_0.
    fn reduce(&self, mut powers: Vec<i128>, shift: usize) -> Result<Option<Vec<i128>>> {
        let zero = self.ring.zero();
        powers.rotate_right(shift);
        for (step, high) in (self.degree..powers.len()).rev().enumerate() {
            self.monitor.check_long_step(step, self.operands.len())?;
            let coefficient = std::mem::replace(&mut powers[high], zero);
            if coefficient == zero {
                continue;
            }
            for &(offset, weight) in &self.operands {
                match self.add_product(powers[high - offset], coefficient, weight) {
                    Some(sum) => powers[high - offset] = sum,
                    None => return Ok(None),
                }
            }
        }
        powers.truncate(self.degree);
        Ok(Some(powers))
    }

    #[inline(always)]
    fn add_product(&self, sum: i128, left: i128, right: i128) -> Option<i128> {
        let zero = self.ring.zero();
        if left == zero || right == zero {
            Some(sum)
        } else {
            self.ring.add_product(sum, left, right)
        }
    }
}
