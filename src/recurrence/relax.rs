//! The inner loops of the CPU engine: a run of neighbouring elements, one operand after the other, compiled for each
//! instruction set.
#![allow(unsafe_code)]

use super::algebra::Algebra;
use crate::simd::Simd;

/// Applies operands to a run of elements.
pub(super) struct Gather<'a, A: Algebra> {
    pub(super) algebra: &'a A,
    /// Partial results of the run.
    pub(super) target: &'a mut [A::Partial],
    /// The table up to the run and beyond; `at` is the run's first element.
    pub(super) table: &'a [A::Value],
    pub(super) at: usize,
    /// At least as large as the run is long, so that the run depends on nothing in it.
    pub(super) offsets: &'a [usize],
    pub(super) weights: &'a [A::Value],
    /// The run has no partial results yet: the first operand gives them.
    pub(super) begin: bool,
}

/// Turns a run's partial results into values; tells whether all are in range.
pub(super) struct Finish<'a, A: Algebra> {
    pub(super) algebra: &'a A,
    pub(super) partials: &'a [A::Partial],
    pub(super) values: &'a mut [A::Value],
}

/// A loop that is compiled for each instruction set; `run` must be inlined into its caller.
pub(super) trait Loop {
    type Output;
    fn run(self) -> Self::Output;
}

/// Runs a loop with the instructions of this processor.
pub(super) fn vectorised<L: Loop>(work: L) -> L::Output {
    match Simd::detect() {
        Simd::Baseline => work.run(),
        #[cfg(target_arch = "x86_64")]
        // SAFETY: detected on this processor.
        Simd::Avx2 => unsafe { avx2(work) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: detected on this processor.
        Simd::Avx512 => unsafe { avx512(work) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<L: Loop>(work: L) -> L::Output {
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bw,avx512vl")]
fn avx512<L: Loop>(work: L) -> L::Output {
    work.run()
}

impl<A: Algebra> Loop for Gather<'_, A> {
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

impl<'a, A: Algebra> Gather<'a, A> {
    /// What one offset reads.
    #[inline(always)]
    fn source(&self, operand: usize, length: usize) -> &'a [A::Value] {
        &self.table[self.at - self.offsets[operand]..][..length]
    }

    #[inline(always)]
    fn fixed<const LENGTH: usize>(self) {
        let algebra = self.algebra;
        let mut first = 0;
        if self.begin {
            let (source, weight) = (self.source(0, LENGTH), self.weights[0]);
            for (target, &value) in self.target.iter_mut().zip(source) {
                *target = algebra.weigh(weight, value);
            }
            first = 1;
        }
        let mut partials: [A::Partial; LENGTH] = std::array::from_fn(|i| self.target[i]);
        for operand in first..self.offsets.len() {
            let (source, weight) = (self.source(operand, LENGTH), self.weights[operand]);
            for i in 0..LENGTH {
                partials[i] = algebra.merge(partials[i], algebra.weigh(weight, source[i]));
            }
        }
        self.target.copy_from_slice(&partials);
    }

    /// Four operands at a time, so that the partial results are loaded and stored less often.
    #[inline(always)]
    fn long(self) {
        let algebra = self.algebra;
        let length = self.target.len();
        let mut operand = 0;
        if self.begin {
            let (source, weight) = (self.source(0, length), self.weights[0]);
            for (target, &value) in self.target.iter_mut().zip(source) {
                *target = algebra.weigh(weight, value);
            }
            operand = 1;
        }
        while operand + 4 <= self.offsets.len() {
            let sources: [_; 4] = std::array::from_fn(|i| self.source(operand + i, length));
            let weights: [_; 4] = std::array::from_fn(|i| self.weights[operand + i]);
            let [a, b, c, d] = sources;
            for ((((target, &a), &b), &c), &d) in self.target.iter_mut().zip(a).zip(b).zip(c).zip(d) {
                let partial = algebra.merge(*target, algebra.weigh(weights[0], a));
                let partial = algebra.merge(partial, algebra.weigh(weights[1], b));
                let partial = algebra.merge(partial, algebra.weigh(weights[2], c));
                *target = algebra.merge(partial, algebra.weigh(weights[3], d));
            }
            operand += 4;
        }
        for operand in operand..self.offsets.len() {
            let (source, weight) = (self.source(operand, length), self.weights[operand]);
            for (target, &value) in self.target.iter_mut().zip(source) {
                *target = algebra.merge(*target, algebra.weigh(weight, value));
            }
        }
    }
}

impl<A: Algebra> Loop for Finish<'_, A> {
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
