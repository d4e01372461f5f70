//! Semirings on whole 64-bit integers, whose elements are never out of range.

use super::algebra::{Algebra, CUSTOM, MAX_MIN, OR_AND};
use super::semiring::{Callback, Operator};
use crate::simd::Simd;

/// A semiring that needs at most 64 bits and has no limited range.
pub(super) trait Operation: Sync {
    /// Whether vectors can compute it; they cannot call functions.
    const VECTORS: bool = true;

    fn defines(&self) -> Vec<(&'static str, u64)>;
    fn weigh(&self, weight: i64, value: i64) -> i64;
    fn merge(&self, left: i64, right: i64) -> i64;
}

/// An operation on the caller's own numbers.
pub(super) struct Plain<O>(pub(super) O);

impl<O: Operation> Algebra for Plain<O> {
    type Value = i64;
    type Partial = i64;

    #[inline(always)]
    fn instructions(&self) -> Simd {
        if O::VECTORS { Simd::detect() } else { Simd::Baseline }
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
        self.0.defines()
    }

    #[inline(always)]
    fn weigh(&self, weight: i64, value: i64) -> i64 {
        self.0.weigh(weight, value)
    }

    #[inline(always)]
    fn merge(&self, left: i64, right: i64) -> i64 {
        self.0.merge(left, right)
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

/// (or,and) on 64 bits.
pub(super) struct OrAnd;

impl Operation for OrAnd {
    fn defines(&self) -> Vec<(&'static str, u64)> {
        vec![("SEMIRING", OR_AND)]
    }

    #[inline(always)]
    fn weigh(&self, weight: i64, value: i64) -> i64 {
        weight & value
    }

    #[inline(always)]
    fn merge(&self, left: i64, right: i64) -> i64 {
        left | right
    }
}

/// (max,min).
pub(super) struct MaxMin;

impl Operation for MaxMin {
    fn defines(&self) -> Vec<(&'static str, u64)> {
        vec![("SEMIRING", MAX_MIN)]
    }

    #[inline(always)]
    fn weigh(&self, weight: i64, value: i64) -> i64 {
        weight.min(value)
    }

    #[inline(always)]
    fn merge(&self, left: i64, right: i64) -> i64 {
        left.max(right)
    }
}

/// The caller's functions. Without weights, `weigh` is not called.
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

impl Operation for Custom {
    const VECTORS: bool = false;

    fn defines(&self) -> Vec<(&'static str, u64)> {
        let mut defines = vec![("SEMIRING", CUSTOM)];
        defines.extend(self.weighted.then_some(("WEIGHTED", 1)));
        defines
    }

    fn weigh(&self, weight: i64, value: i64) -> i64 {
        self.weigh.as_ref().map_or(value, |weigh| weigh(weight, value))
    }

    fn merge(&self, left: i64, right: i64) -> i64 {
        // An instance without callbacks is never solved on the CPU.
        self.combine.as_ref().map_or(left, |combine| combine(left, right))
    }
}
