//! The semirings in the engines' arithmetic: narrow integers if the values fit, with a check for
//! every element. The check is cheap, since it is made for each element and not for each operand.

use std::fmt;
use std::marker::PhantomData;

use bytemuck::Pod;

use super::relax::{self, Choose, Finish, Gather, OperandList, Window};
use super::semiring::{FINITE_LIMIT, Semiring};
use crate::opencl::Element;
use crate::simd::Simd;
use crate::solve::Monitor;
use crate::{Result, memory};

/// Numbers of the semirings: what the kernels' define SEMIRING may be.
pub(super) const MIN_PLUS: u64 = 0;
pub(super) const SUM_PRODUCT: u64 = 1;
pub(super) const MODULAR: u64 = 2;
pub(super) const OR_AND: u64 = 3;
pub(super) const MAX_MIN: u64 = 4;
pub(super) const CUSTOM: u64 = 5;

/// Arithmetic of one semiring on one width of integers.
///
/// An element starts as the partial result of its first operand. The other operands are merged into
/// it in the order of the offsets. When it is complete, it is finished into a value or found out of
/// range. Partial results never wrap.
///
/// The required methods work on single numbers and are inlined into the loops of the provided
/// methods. Only these loops are compiled for every semiring: other code uses `dyn Algebra`, so
/// that it is compiled once for each pair of types.
pub(super) trait Algebra: Sync {
    type Value: Element + Pod + Default + PartialEq + fmt::Debug;
    type Partial: Copy + Send + Sync;

    /// Whether wider integers may succeed if these overflow.
    fn is_narrow(&self) -> bool {
        false
    }
    /// Encodes the value of an element, a term or a weight; `None` if it needs wider integers.
    fn encode(&self, value: i64) -> Option<Self::Value>;
    fn decode(&self, value: Self::Value) -> i64;
    /// The value as a define of a kernel, or as the upper half of a plan's entry.
    fn bits(&self, value: Self::Value) -> u64;
    /// The kernels' defines for this arithmetic.
    fn defines(&self) -> Vec<(&'static str, u64)>;
    /// weight (*) value.
    fn weigh(&self, weight: Self::Value, value: Self::Value) -> Self::Partial;
    /// left (+) right.
    fn merge(&self, left: Self::Partial, right: Self::Partial) -> Self::Partial;
    fn lift(&self, value: Self::Value) -> Self::Partial;
    /// The value of a complete element; clears `in_range` if it is out of range.
    fn finish(&self, partial: Self::Partial, in_range: &mut bool) -> Self::Value;

    /// The instruction set that the loops are compiled for: the baseline, unless a wider one helps.
    #[inline(always)]
    fn instructions(&self) -> Simd {
        Simd::detect()
    }

    fn encode_all(&self, values: &[i64]) -> Result<Option<Vec<Self::Value>>> {
        let mut all = memory::list(values.len())?;
        for &value in values {
            let Some(value) = self.encode(value) else { return Ok(None) };
            all.push(value);
        }
        Ok(Some(all))
    }

    fn decode_all(&self, values: &[Self::Value], numbers: &mut Vec<i64>) {
        numbers.extend(values.iter().map(|&value| self.decode(value)));
    }

    fn lift_all(&self, values: &[Self::Value], target: &mut [Self::Partial]) {
        target.iter_mut().zip(values).for_each(|(target, &value)| *target = self.lift(value));
    }

    /// Applies operands to the run of elements from `at` on, whose partial results are `target`.
    /// Offsets are at least as large as the length of the run, so that no element depends on
    /// another one of the run. With `begin` there are no partial results yet: the first operand
    /// gives them.
    fn gather(
        &self,
        table: &[Self::Value],
        at: usize,
        operands: OperandList<'_, Self::Value>,
        begin: bool,
        target: &mut [Self::Partial],
    ) {
        self.instructions().run(Gather { algebra: self, target, table, at, operands, begin });
    }

    /// Turns a run's partial results into values; returns whether all are in range.
    fn finish_all(&self, partials: &[Self::Partial], values: &mut [Self::Value]) -> bool {
        self.instructions().run(Finish { algebra: self, partials, values })
    }

    /// The position of the first operand that gives each of the values from `at` on;
    /// [`super::NO_CHOICE`] if none does.
    fn choose(
        &self,
        table: &[Self::Value],
        at: usize,
        operands: OperandList<'_, Self::Value>,
        choices: &mut [u32],
    ) {
        self.instructions().run(Choose { algebra: self, table, at, operands, choices });
    }

    /// Merges the operands of element `at` into its partial result.
    fn gather_one(
        &self,
        table: &[Self::Value],
        at: usize,
        operands: OperandList<'_, Self::Value>,
        begun: Option<Self::Partial>,
    ) -> Option<Self::Partial> {
        operands.iter().fold(begun, |partial, (offset, weight)| {
            let next = self.weigh(weight, table[at - offset]);
            Some(partial.map_or(next, |partial| self.merge(partial, next)))
        })
    }

    /// Merges weight (*) `value` into the partial result of each offset before `at`.
    fn scatter(
        &self,
        value: Self::Value,
        at: usize,
        operands: OperandList<'_, Self::Value>,
        partials: &mut [Self::Partial],
    ) {
        for (offset, weight) in operands.iter() {
            let target = &mut partials[at - offset];
            *target = self.merge(*target, self.weigh(weight, value));
        }
    }

    /// One round of a tournament: merges the partial results at multiples of twice the stride with
    /// those one stride after them.
    fn merge_pairs(&self, partials: &mut [Self::Partial], stride: usize) {
        for left in (0..partials.len() - stride).step_by(2 * stride) {
            partials[left] = self.merge(partials[left], partials[left + stride]);
        }
    }

    /// Fills the table from a window that slides along it. Returns whether all elements are in
    /// range.
    fn slide(
        &self,
        window: &Window<'_, Self::Value>,
        table: &mut [Self::Value],
        monitor: &Monitor,
    ) -> Result<bool> {
        relax::slide(self, window, table, monitor)
    }
}

/// The integer types of (min,+).
pub(super) trait Integer:
    Element + Pod + Default + Ord + fmt::Debug + TryFrom<i64> + Into<i64>
{
    /// The largest finite value or weight.
    const LIMIT: i64;
    /// Whether there are wider ones.
    const NARROW: bool;

    fn plus(self, other: Self) -> Self;
    fn constant(value: i64) -> Self;
}

impl Integer for i32 {
    const LIMIT: i64 = 1 << 27;
    const NARROW: bool = true;

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn constant(value: i64) -> Self {
        value as i32
    }
}

impl Integer for i64 {
    const LIMIT: i64 = FINITE_LIMIT;
    const NARROW: bool = false;

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn constant(value: i64) -> Self {
        value
    }
}

/// (min,+), and (max,+) with all signs reversed.
///
/// With F the largest finite value and weight and U the unreachable value, F : U/2 : U = 1 : 4 : 8.
/// Sums of a finite value and up to two weights are at most 3 F, and such sums with U at least 6 F.
/// U/2 = 4 F therefore separates them. All are at most 10 F in absolute value, far within the
/// integers' range.
pub(super) struct MinPlus<V> {
    turned: bool,
    integers: PhantomData<V>,
}

impl<V: Integer> MinPlus<V> {
    const UNREACHABLE: i64 = 8 * V::LIMIT;

    pub(super) fn new(semiring: &Semiring) -> Self {
        MinPlus { turned: matches!(semiring, Semiring::MaxPlus), integers: PhantomData }
    }
}

impl<V: Integer> Algebra for MinPlus<V> {
    type Value = V;
    type Partial = V;

    fn is_narrow(&self) -> bool {
        V::NARROW
    }

    fn encode(&self, value: i64) -> Option<V> {
        match value {
            i64::MAX if !self.turned => Some(V::constant(Self::UNREACHABLE)),
            i64::MIN if self.turned => Some(V::constant(Self::UNREACHABLE)),
            value => {
                let value = if self.turned { value.checked_neg()? } else { value };
                if value.unsigned_abs() <= V::LIMIT as u64 { V::try_from(value).ok() } else { None }
            }
        }
    }

    fn decode(&self, value: V) -> i64 {
        match (value.into(), self.turned) {
            (value, false) if value == Self::UNREACHABLE => i64::MAX,
            (value, true) if value == Self::UNREACHABLE => i64::MIN,
            (value, false) => value,
            (value, true) => -value,
        }
    }

    fn bits(&self, value: V) -> u64 {
        // Narrow entries keep only the lower half.
        Into::<i64>::into(value) as u64
    }

    fn defines(&self) -> Vec<(&'static str, u64)> {
        let mut defines = vec![("SEMIRING", MIN_PLUS), ("LIMIT", V::LIMIT as u64)];
        defines.extend((!V::NARROW).then_some(("WIDE", 1)));
        defines
    }

    #[inline(always)]
    fn weigh(&self, weight: V, value: V) -> V {
        weight.plus(value)
    }

    #[inline(always)]
    fn merge(&self, left: V, right: V) -> V {
        left.min(right)
    }

    #[inline(always)]
    fn lift(&self, value: V) -> V {
        value
    }

    #[inline(always)]
    fn finish(&self, partial: V, in_range: &mut bool) -> V {
        let unreachable = partial >= V::constant(Self::UNREACHABLE / 2);
        let finite = (partial <= V::constant(V::LIMIT)) & (partial >= V::constant(-V::LIMIT));
        *in_range &= unreachable | finite;
        if unreachable { V::constant(Self::UNREACHABLE) } else { partial }
    }
}

/// (+,*) over the integers. Values and weights have 64 bits, and the sum of the absolute weights is
/// below 2^63, so that sums stay below 2^127.
pub(super) struct SumProduct;

impl Algebra for SumProduct {
    type Value = i64;
    type Partial = i128;

    /// No vector instructions multiply into 128 bits.
    #[inline(always)]
    fn instructions(&self) -> Simd {
        Simd::Baseline
    }

    fn encode(&self, value: i64) -> Option<i64> {
        Some(value)
    }

    fn decode(&self, value: i64) -> i64 {
        value
    }

    fn bits(&self, value: i64) -> u64 {
        value as u64
    }

    fn defines(&self) -> Vec<(&'static str, u64)> {
        vec![("SEMIRING", SUM_PRODUCT)]
    }

    #[inline(always)]
    fn weigh(&self, weight: i64, value: i64) -> i128 {
        i128::from(weight) * i128::from(value)
    }

    #[inline(always)]
    fn merge(&self, left: i128, right: i128) -> i128 {
        left.wrapping_add(right)
    }

    #[inline(always)]
    fn lift(&self, value: i64) -> i128 {
        value.into()
    }

    #[inline(always)]
    fn finish(&self, partial: i128, in_range: &mut bool) -> i64 {
        let value = partial as i64;
        *in_range &= i128::from(value) == partial;
        value
    }
}

/// (+,*) modulo m <= 2^31. One subtraction for each merge keeps partial sums below m^2 <= 2^62; the
/// only division is at the end.
pub(super) struct Modular {
    modulus: u64,
    square: u64,
}

impl Modular {
    pub(super) fn new(modulus: u64) -> Self {
        Modular { modulus, square: modulus * modulus }
    }
}

impl Algebra for Modular {
    type Value = u32;
    type Partial = u64;

    fn encode(&self, value: i64) -> Option<u32> {
        u32::try_from(value).ok()
    }

    fn decode(&self, value: u32) -> i64 {
        value.into()
    }

    fn bits(&self, value: u32) -> u64 {
        value.into()
    }

    fn defines(&self) -> Vec<(&'static str, u64)> {
        vec![("SEMIRING", MODULAR), ("MODULUS", self.modulus)]
    }

    #[inline(always)]
    fn weigh(&self, weight: u32, value: u32) -> u64 {
        u64::from(weight) * u64::from(value)
    }

    #[inline(always)]
    fn merge(&self, left: u64, right: u64) -> u64 {
        let sum = left + right;
        // If the difference is negative, it wraps around and becomes the larger of the two.
        sum.min(sum.wrapping_sub(self.square))
    }

    #[inline(always)]
    fn lift(&self, value: u32) -> u64 {
        value.into()
    }

    #[inline(always)]
    fn finish(&self, partial: u64, _: &mut bool) -> u32 {
        (partial % self.modulus) as u32
    }
}
