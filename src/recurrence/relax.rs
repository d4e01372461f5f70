//! The inner loops of the CPU engine: runs of neighbouring elements, compiled for each semiring and
//! instruction set.

use super::NO_CHOICE;
use super::algebra::Algebra;
use crate::simd::HotLoop;

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
