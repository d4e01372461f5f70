//! The semirings as the engines compute with them: narrow where the values fit, with a check of every element
//! that is cheap because it comes once for each element and not for each operand.

use std::fmt;

use super::semiring::{Callback, Operator, Semiring};
use crate::opencl::Element;

/// Arithmetic of one semiring on one width of integers.
///
/// An element begins as the partial result of its first operand, others are merged into it in the order of the
/// offsets, and when it is complete it is finished into a value or found out of range. Partial results never wrap.
pub(super) trait Algebra: Sync {
    type Value: Element + Default + PartialEq + fmt::Debug;
    type Partial: Copy + Send + Sync;

    /// Whether wider integers may do where these overflow.
    const NARROW: bool = false;

    /// The value of an element or a term; `None` where it needs wider integers.
    fn encode(&self, value: i64) -> Option<Self::Value>;
    /// The same of a weight.
    fn encode_weight(&self, weight: i64) -> Option<Self::Value> {
        self.encode(weight)
    }
    fn decode(&self, value: Self::Value) -> i64;
    /// The value as a kernel's define or the upper half of a plan's entry.
    fn bits(&self, value: Self::Value) -> u64;
    /// What the kernels are built with for this arithmetic.
    fn defines(&self) -> Vec<(&'static str, u64)>;
    /// weight (*) value.
    fn weigh(&self, weight: Self::Value, value: Self::Value) -> Self::Partial;
    /// left (+) right.
    fn merge(&self, left: Self::Partial, right: Self::Partial) -> Self::Partial;
    fn lift(&self, value: Self::Value) -> Self::Partial;
    /// The value of a complete element; clears `in_range` if it has none.
    fn finish(&self, partial: Self::Partial, in_range: &mut bool) -> Self::Value;
}

/// (min,+); (max,+) with all signs turned around.
///
/// With F the largest finite value and weight and U the unreachable value, F : U/2 : U = 1 : 4 : 8. Sums of a finite
/// value and up to two weights are at most 3 F, such sums with U at least 6 F, both by absolute value at most 10 F, a
/// fraction of the integers' range: the halfway mark 4 F tells them apart.
pub(super) struct MinPlus<V> {
    turned: bool,
    limit: V,
    unreachable: V,
}

/// Of the 32-bit kind.
const NARROW_LIMIT: i32 = 1 << 27;

macro_rules! min_plus {
    ($integer:ty, $limit:expr) => {
        impl MinPlus<$integer> {
            pub(super) fn new(semiring: &Semiring) -> Self {
                let turned = matches!(semiring, Semiring::MaxPlus);
                MinPlus { turned, limit: $limit, unreachable: $limit * 8 }
            }
        }

        impl Algebra for MinPlus<$integer> {
            type Value = $integer;
            type Partial = $integer;
            const NARROW: bool = size_of::<$integer>() < 8;

            fn encode(&self, value: i64) -> Option<$integer> {
                match value {
                    i64::MAX if !self.turned => Some(self.unreachable),
                    i64::MIN if self.turned => Some(self.unreachable),
                    value => {
                        let value = if self.turned { value.checked_neg()? } else { value };
                        let narrow = <$integer>::try_from(value).ok()?;
                        (narrow.unsigned_abs() <= self.limit.unsigned_abs()).then_some(narrow)
                    }
                }
            }

            fn decode(&self, value: $integer) -> i64 {
                match (value == self.unreachable, self.turned) {
                    (true, false) => i64::MAX,
                    (true, true) => i64::MIN,
                    (false, false) => i64::from(value),
                    (false, true) => -i64::from(value),
                }
            }

            fn bits(&self, value: $integer) -> u64 {
                // Narrow entries keep the lower half.
                value as u64
            }

            fn defines(&self) -> Vec<(&'static str, u64)> {
                let mut defines = vec![("SEMIRING", 0)];
                defines.extend((!Self::NARROW).then_some(("WIDE", 1)));
                defines
            }

            #[inline(always)]
            fn weigh(&self, weight: $integer, value: $integer) -> $integer {
                weight.wrapping_add(value)
            }

            #[inline(always)]
            fn merge(&self, left: $integer, right: $integer) -> $integer {
                left.min(right)
            }

            #[inline(always)]
            fn lift(&self, value: $integer) -> $integer {
                value
            }

            #[inline(always)]
            fn finish(&self, partial: $integer, in_range: &mut bool) -> $integer {
                let unreachable = partial >= self.unreachable / 2;
                *in_range &= unreachable | ((partial <= self.limit) & (partial >= -self.limit));
                if unreachable { self.unreachable } else { partial }
            }
        }
    };
}

min_plus!(i32, NARROW_LIMIT);
min_plus!(i64, super::semiring::FINITE_LIMIT);

/// (+,*) over the integers. Values and weights are 64 bits wide and the absolute weights' sum is below 2^63, so that
/// sums stay below 2^127.
pub(super) struct SumProduct;

impl Algebra for SumProduct {
    type Value = i64;
    type Partial = i128;

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
        vec![("SEMIRING", 1)]
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

/// (+,*) modulo m <= 2^31. Partial sums are kept below m^2 <= 2^62 by one subtraction each, and divided once.
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
        vec![("SEMIRING", 2), ("MODULUS", self.modulus)]
    }

    #[inline(always)]
    fn weigh(&self, weight: u32, value: u32) -> u64 {
        u64::from(weight) * u64::from(value)
    }

    #[inline(always)]
    fn merge(&self, left: u64, right: u64) -> u64 {
        let sum = left + right;
        // The smaller one is the difference, unless that is negative and wraps around.
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

/// (or,and) on 64 bits.
pub(super) struct OrAnd;

impl Algebra for OrAnd {
    type Value = i64;
    type Partial = i64;

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
        vec![("SEMIRING", 3)]
    }

    #[inline(always)]
    fn weigh(&self, weight: i64, value: i64) -> i64 {
        weight & value
    }

    #[inline(always)]
    fn merge(&self, left: i64, right: i64) -> i64 {
        left | right
    }

    #[inline(always)]
    fn lift(&self, value: i64) -> i64 {
        value
    }

    #[inline(always)]
    fn finish(&self, partial: i64, _: &mut bool) -> i64 {
        partial
    }
}

/// (max,min).
pub(super) struct MaxMin;

impl Algebra for MaxMin {
    type Value = i64;
    type Partial = i64;

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
        vec![("SEMIRING", 4)]
    }

    #[inline(always)]
    fn weigh(&self, weight: i64, value: i64) -> i64 {
        weight.min(value)
    }

    #[inline(always)]
    fn merge(&self, left: i64, right: i64) -> i64 {
        left.max(right)
    }

    #[inline(always)]
    fn lift(&self, value: i64) -> i64 {
        value
    }

    #[inline(always)]
    fn finish(&self, partial: i64, _: &mut bool) -> i64 {
        partial
    }
}

/// The caller's functions. Without weights, `weigh` is not asked.
pub(super) struct Custom {
    combine: Option<Callback>,
    weigh: Option<Callback>,
    weighted: bool,
}

impl Custom {
    pub(super) fn new(operator: &Operator, weighted: bool) -> Self {
        let weigh = operator.weigh.clone().filter(|_| weighted);
        Custom { combine: operator.combine.clone(), weigh, weighted }
    }
}

impl Algebra for Custom {
    type Value = i64;
    type Partial = i64;

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
        let mut defines = vec![("SEMIRING", 5)];
        defines.extend(self.weighted.then_some(("WEIGHTED", 1)));
        defines
    }

    #[inline(always)]
    fn weigh(&self, weight: i64, value: i64) -> i64 {
        self.weigh.as_ref().map_or(value, |weigh| weigh(weight, value))
    }

    #[inline(always)]
    fn merge(&self, left: i64, right: i64) -> i64 {
        // An instance without callbacks never gets to the CPU.
        self.combine.as_ref().map_or(left, |combine| combine(left, right))
    }

    #[inline(always)]
    fn lift(&self, value: i64) -> i64 {
        value
    }

    #[inline(always)]
    fn finish(&self, partial: i64, _: &mut bool) -> i64 {
        partial
    }
}
