//! The inner loops of the CPU engine: runs of neighbouring elements, compiled for each semiring and
//! instruction set.
//!
//! This file and [`algebra`](super::algebra) import each other: the loops are compiled for any
//! [`Algebra`], and the trait provides them as methods, so that `dyn Algebra` reaches them.

use super::NO_CHOICE;
use super::algebra::Algebra;
use crate::simd::HotLoop;
use crate::solve::Monitor;
use crate::{Error, Result, memory};

/// The operands of every element of a run: their distances, in decreasing order, and their weights.
#[derive(Clone, Copy)]
pub(super) struct OperandList<'a, V> {
    pub(super) offsets: &'a [usize],
    pub(super) weights: &'a [V],
}

impl<'a, V: Copy> OperandList<'a, V> {
    #[inline(always)]
    pub(super) fn iter(
        self,
    ) -> impl DoubleEndedIterator<Item = (usize, V)> + ExactSizeIterator + 'a {
        self.offsets.iter().copied().zip(self.weights.iter().copied())
    }
}

/// [`Algebra::gather`].
pub(super) struct Gather<'a, A: Algebra + ?Sized> {
    pub(super) algebra: &'a A,
    pub(super) target: &'a mut [A::Partial],
    pub(super) table: &'a [A::Value],
    pub(super) at: usize,
    pub(super) operands: OperandList<'a, A::Value>,
    pub(super) begin: bool,
}

/// [`Algebra::finish_all`].
pub(super) struct Finish<'a, A: Algebra + ?Sized> {
    pub(super) algebra: &'a A,
    pub(super) partials: &'a [A::Partial],
    pub(super) values: &'a mut [A::Value],
}

/// [`Algebra::choose`].
pub(super) struct Choose<'a, A: Algebra + ?Sized> {
    pub(super) algebra: &'a A,
    pub(super) table: &'a [A::Value],
    pub(super) at: usize,
    pub(super) operands: OperandList<'a, A::Value>,
    pub(super) choices: &'a mut [u32],
}

/// A window that slides along a table, of consecutive offsets with one weight.
///
/// Two stacks (Tangwongsan, Hirzel and Schneider 2017) aggregate it for any associative operator,
/// in the order of the offsets. They need about three merges for each element. The number of
/// offsets does not matter.
pub(super) struct Window<'a, V> {
    /// The largest offset, and the number of offsets.
    pub(super) reach: usize,
    pub(super) size: usize,
    pub(super) weight: V,
    /// The first element to fill, and the terms from it on.
    pub(super) from: usize,
    pub(super) terms: Option<&'a [V]>,
}

impl<A: Algebra + ?Sized> HotLoop for Gather<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        match self.target.len() {
            // The partial results of short runs stay in registers.
            16 => self.fixed::<16>(),
            64 => self.fixed::<64>(),
            _ => self.long(),
        }
    }
}

impl<'a, A: Algebra + ?Sized> Gather<'a, A> {
    /// The elements that one offset reads.
    #[inline(always)]
    fn source(&self, operand: usize, length: usize) -> &'a [A::Value] {
        &self.table[self.at - self.operands.offsets[operand]..][..length]
    }

    #[inline(always)]
    fn fixed<const LENGTH: usize>(self) {
        let algebra = self.algebra;
        let mut first = 0;
        if self.begin {
            let (source, weight) = (self.source(0, LENGTH), self.operands.weights[0]);
            for (target, &value) in self.target.iter_mut().zip(source) {
                *target = algebra.weigh(weight, value);
            }
            first = 1;
        }
        let mut partials: [A::Partial; LENGTH] = std::array::from_fn(|i| self.target[i]);
        for operand in first..self.operands.offsets.len() {
            let (source, weight) = (self.source(operand, LENGTH), self.operands.weights[operand]);
            for i in 0..LENGTH {
                partials[i] = algebra.merge(partials[i], algebra.weigh(weight, source[i]));
            }
        }
        self.target.copy_from_slice(&partials);
    }

    /// Four operands at a time, so that partial results are loaded and stored less often.
    #[inline(always)]
    fn long(self) {
        let algebra = self.algebra;
        let length = self.target.len();
        let mut operand = 0;
        if self.begin {
            let (source, weight) = (self.source(0, length), self.operands.weights[0]);
            for (target, &value) in self.target.iter_mut().zip(source) {
                *target = algebra.weigh(weight, value);
            }
            operand = 1;
        }
        while operand + 4 <= self.operands.offsets.len() {
            let sources: [_; 4] = std::array::from_fn(|i| self.source(operand + i, length));
            let weights: [_; 4] = std::array::from_fn(|i| self.operands.weights[operand + i]);
            let [a, b, c, d] = sources;
            for ((((target, &a), &b), &c), &d) in self.target.iter_mut().zip(a).zip(b).zip(c).zip(d)
            {
                let partial = algebra.merge(*target, algebra.weigh(weights[0], a));
                let partial = algebra.merge(partial, algebra.weigh(weights[1], b));
                let partial = algebra.merge(partial, algebra.weigh(weights[2], c));
                *target = algebra.merge(partial, algebra.weigh(weights[3], d));
            }
            operand += 4;
        }
        for operand in operand..self.operands.offsets.len() {
            let (source, weight) = (self.source(operand, length), self.operands.weights[operand]);
            for (target, &value) in self.target.iter_mut().zip(source) {
                *target = algebra.merge(*target, algebra.weigh(weight, value));
            }
        }
    }
}

impl<A: Algebra + ?Sized> HotLoop for Finish<'_, A> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let mut in_range = true;
        for (value, &partial) in self.values.iter_mut().zip(self.partials) {
            *value = self.algebra.finish(partial, &mut in_range);
        }
        in_range
    }
}

impl<A: Algebra + ?Sized> HotLoop for Choose<'_, A> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Choose { algebra, table, at, operands, choices } = self;
        let values = &table[at..][..choices.len()];
        choices.fill(NO_CHOICE);
        for (operand, (offset, weight)) in operands.iter().enumerate().rev() {
            let sources = &table[at - offset..][..choices.len()];
            for ((choice, &value), &source) in choices.iter_mut().zip(values).zip(sources) {
                let given = algebra.finish(algebra.weigh(weight, source), &mut true);
                *choice = if given == value { operand as u32 } else { *choice };
            }
        }
    }
}

/// [`Algebra::slide`]. Returns whether all elements are in range.
pub(super) fn slide<A: Algebra + ?Sized>(
    algebra: &A,
    window: &Window<'_, A::Value>,
    table: &mut [A::Value],
    monitor: &Monitor,
) -> Result<bool> {
    let &Window { reach, size, weight, from, terms } = window;
    let weigh = |value| algebra.weigh(weight, value);
    // Aggregates from each element of the window's older part to the end of that part, last element
    // first.
    let mut older: Vec<A::Partial> = memory::list(size)?;
    // Aggregate of the newer part, which grows.
    let mut newer: Option<A::Partial> = None;
    let mut in_range = true;
    for at in from..table.len() {
        monitor.check_step(at - from)?;
        let begin = at - reach;
        if older.is_empty() {
            for &value in table[begin..][..size].iter().rev() {
                let next =
                    older.last().map_or(weigh(value), |&last| algebra.merge(weigh(value), last));
                older.push(next);
            }
            newer = None;
        } else {
            let value = weigh(table[begin + size - 1]);
            newer = Some(newer.map_or(value, |newer| algebra.merge(newer, value)));
        }
        let aggregate = match (older.pop(), newer) {
            (Some(older), Some(newer)) => algebra.merge(older, newer),
            (Some(older), None) => older,
            (None, _) => return Err(Error::internal("an empty window")),
        };
        let partial = match terms {
            Some(terms) => algebra.merge(algebra.lift(terms[at - from]), aggregate),
            None => aggregate,
        };
        table[at] = algebra.finish(partial, &mut in_range);
    }
    Ok(in_range)
}
