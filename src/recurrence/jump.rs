//! One distant element: ST[N] = (+)_r c_r (*) ST[r] over the preset elements r, with coefficients c
//! found in O(a_0^2 log N) operations.
//!
//! This is the method known after Kitamasa (and Fiduccia 1985, with polynomials): c is x^N reduced
//! by x^{a_0} = (+)_j w_j (*) x^{a_0 - a_j}. The reduction only replaces a power by smaller ones,
//! so it needs no subtraction and works for every commutative semiring. Jumps in this file use the
//! elements' integers. If coefficients may not [stay in their range](stays_in_range),
//! [`exact_jump`](super::exact_jump) uses wider ones.

use super::algebra::Algebra;
use super::instance::{Instance, Offsets};
use super::problem::{Operands, Single};
use super::relax::OperandList;
use super::semiring::{FINITE_LIMIT, Semiring};
use crate::memory::Gather;
use crate::solve::Monitor;
use crate::{Error, Result, memory};

/// The reason why a jump cannot find the instance's last element, if there is one.
pub(super) fn obstacle(instance: &Instance) -> Option<&'static str> {
    match instance.structure() {
        Offsets::Rows { .. } => Some("a jump in a knapsack"),
        _ if instance.terms().is_some() => Some("a jump in a recurrence with terms"),
        _ if !instance.semiring().is_semiring() => Some("a jump with a custom operator"),
        Offsets::Fixed { .. } => None,
    }
}

/// Bytes of a jump: the instance's initial values, a power before and after a step, and the product
/// of two powers.
pub(super) fn bytes(instance: &Instance, [value, partial]: [usize; 2]) -> u128 {
    u128::from(instance.preset()) * (3 * value + 2 * partial) as u128
}

/// Squarings whose results have all coefficients; a power below a_0 has only one.
pub(super) fn squarings(instance: &Instance) -> u32 {
    u64::BITS - ((instance.length() - 1) / instance.preset()).leading_zeros()
}

/// Whether all elements of the table and all coefficients are in range. An element or power depends
/// on another one through a path of at most (n - 1) / a_{k-1} + 1 weights.
pub(super) fn stays_in_range(instance: &Instance) -> bool {
    let largest = |values: &[i64]| {
        let finite = values.iter().filter(|&&value| Some(value) != instance.semiring().zero());
        finite.map(|value| u128::from(value.unsigned_abs())).max().unwrap_or(0)
    };
    match (instance.semiring(), instance.structure()) {
        (Semiring::MinPlus | Semiring::MaxPlus, Offsets::Fixed { weights, .. }) => {
            let steps = u128::from((instance.length() - 1) / instance.smallest_offset() + 1);
            let weight = largest(weights.as_deref().unwrap_or_default());
            let initial =
                (0..instance.instances()).map(|number| largest(instance.initial(number))).max();
            initial.unwrap_or(0) + steps * weight <= FINITE_LIMIT as u128
        }
        (Semiring::Modular(_) | Semiring::OrAnd | Semiring::MaxMin, _) => true,
        _ => false,
    }
}

/// The instance and constants for [`element`].
struct Jump<'a, A: Algebra + ?Sized> {
    single: &'a Single<'a, A>,
    offsets: &'a [usize],
    /// The neutral elements of (+) and (*).
    zero: A::Value,
    one: A::Value,
    monitor: &'a Monitor,
}

/// Element `index` of the table that starts with `initial`.
pub(super) fn element<A: Algebra + ?Sized>(
    single: &Single<'_, A>,
    initial: &[A::Value],
    index: u64,
    monitor: &Monitor,
) -> Result<A::Value> {
    let semiring = single.problem.instance.semiring();
    let algebra = single.problem.algebra;
    let neutral = (
        semiring.zero().and_then(|zero| algebra.encode(zero)),
        semiring.one().and_then(|one| algebra.encode(one)),
    );
    let (Operands::Fixed { offsets, .. }, (Some(zero), Some(one))) =
        (&single.problem.operands, neutral)
    else {
        return Err(Error::internal("a jump without a semiring"));
    };
    let jump = Jump { single, offsets, zero, one, monitor };
    let coefficients = jump.power(index)?;
    let mut sum = algebra.lift(zero);
    for (&coefficient, &value) in coefficients.iter().zip(initial).filter(|(c, _)| **c != zero) {
        sum = algebra.merge(sum, algebra.weigh(coefficient, value));
    }
    jump.finish(sum)
}

impl<A: Algebra + ?Sized> Jump<'_, A> {
    /// The coefficients of x^exponent.
    fn power(&self, exponent: u64) -> Result<Vec<A::Value>> {
        let mut power = memory::filled(self.zero, self.offsets[0])?;
        power[0] = self.one;
        for bit in (0..u64::BITS - exponent.leading_zeros()).rev() {
            power = self.square(&power)?;
            if exponent >> bit & 1 == 1 {
                power = self.shift(&power)?;
            }
        }
        Ok(power)
    }

    fn square(&self, power: &[A::Value]) -> Result<Vec<A::Value>> {
        let algebra = self.single.problem.algebra;
        let degree = power.len();
        let mut product = memory::filled(algebra.lift(self.zero), 2 * degree - 1)?;
        for (i, weight) in power.iter().enumerate() {
            self.monitor.check_long_step(i, degree)?;
            // The sum of two unreachable values would overflow.
            if *weight == self.zero {
                continue;
            }
            let operands = OperandList { offsets: &[0], weights: std::slice::from_ref(weight) };
            algebra.gather(power, 0, operands, false, &mut product[i..][..degree]);
        }
        self.reduce(product)
    }

    /// Multiplies by x.
    fn shift(&self, power: &[A::Value]) -> Result<Vec<A::Value>> {
        let algebra = self.single.problem.algebra;
        let shifted = std::iter::once(&self.zero).chain(power).map(|&value| algebra.lift(value));
        self.reduce(shifted.gather()?)
    }

    /// Replaces powers by smaller ones, from the highest down to a_0.
    fn reduce(&self, mut powers: Vec<A::Partial>) -> Result<Vec<A::Value>> {
        let algebra = self.single.problem.algebra;
        let degree = self.offsets[0];
        for (step, high) in (degree..powers.len()).rev().enumerate() {
            self.monitor.check_long_step(step, self.offsets.len())?;
            let coefficient = self.finish(powers[high])?;
            if coefficient == self.zero {
                continue;
            }
            let operands = OperandList { offsets: self.offsets, weights: self.single.weights };
            algebra.scatter(coefficient, high, operands, &mut powers);
        }
        powers[..degree].iter().map(|&power| self.finish(power)).try_gather()
    }

    fn finish(&self, partial: A::Partial) -> Result<A::Value> {
        let mut in_range = true;
        let value = self.single.problem.algebra.finish(partial, &mut in_range);
        if in_range {
            Ok(value)
        } else {
            Err(self.single.problem.instance.semiring().out_of_range())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recurrence::Semiring;
    use crate::recurrence::algebra::MinPlus;
    use crate::recurrence::problem::Problem;
    use crate::testing::stopped;

    #[test]
    fn a_stop_is_seen_among_powers_that_are_not_there() {
        let instance = Instance::new(Semiring::MinPlus, vec![64, 1], vec![0; 64], 1000).unwrap();
        let algebra = MinPlus::<i64>::new(&Semiring::MinPlus);
        let (zero, one) = (algebra.encode(i64::MAX).unwrap(), 0);
        let problem = Problem::new(&algebra, &instance).unwrap().unwrap();
        let monitor = Monitor::new(&stopped());
        let jump =
            Jump { single: &problem.single(0), offsets: &[64, 1], zero, one, monitor: &monitor };
        assert!(matches!(jump.reduce(vec![zero; 127]).err().as_deref(), Some(Error::Stopped)));
    }
}
