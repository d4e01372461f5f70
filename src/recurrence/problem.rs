use std::ops::Range;

use super::algebra::Algebra;
use super::instance::{Instance, Offsets};
use super::relax::OperandList;
use crate::memory::Gather;
use crate::{Error, Result, memory};

/// An instance in the integers of an algebra.
pub(super) struct Problem<'a, A: Algebra + ?Sized> {
    pub(super) algebra: &'a A,
    pub(super) instance: &'a Instance,
    pub(super) length: usize,
    pub(super) preset: usize,
    pub(super) operands: Operands<A::Value>,
    pub(super) terms: Option<Vec<A::Value>>,
    /// The neutral element of (+), if it exists.
    pub(super) zero: Option<A::Value>,
}

pub(super) enum Operands<V> {
    /// Weights of one instance or of all.
    Fixed { offsets: Vec<usize>, weights: Vec<V> },
    /// See [`Offsets::Rows`]; `plain` is the neutral element of (*).
    Rows { width: usize, shifts: Vec<usize>, gains: Vec<V>, plain: V },
}

/// One instance of a problem: its own weights and terms.
pub(super) struct Single<'a, A: Algebra + ?Sized> {
    pub(super) problem: &'a Problem<'a, A>,
    pub(super) weights: &'a [A::Value],
    pub(super) terms: Option<&'a [A::Value]>,
}

impl<'a, A: Algebra + ?Sized> Problem<'a, A> {
    /// `None` if the values need wider integers.
    pub(super) fn new(algebra: &'a A, instance: &'a Instance) -> Result<Option<Self>> {
        let length = usize::try_from(instance.length()).map_err(|_| too_long())?;
        let preset = usize::try_from(instance.preset()).map_err(|_| too_long())?;
        let semiring = instance.semiring();
        // A custom operator has no neutral elements, and does not use these.
        let one = algebra.encode(semiring.one().unwrap_or(0));
        let zero = semiring.zero().and_then(|zero| algebra.encode(zero));
        let operands = match instance.structure() {
            Offsets::Fixed { offsets, weights } => {
                let weights = match weights {
                    Some(weights) => algebra.encode_all(weights)?,
                    None => one.map(|one| memory::filled(one, offsets.len())).transpose()?,
                };
                let Some(weights) = weights else { return Ok(None) };
                let narrow = |&offset: &u64| usize::try_from(offset).map_err(|_| too_long());
                Operands::Fixed { offsets: offsets.iter().map(narrow).try_gather()?, weights }
            }
            Offsets::Rows { width, shifts, gains } => {
                let gains = algebra.encode_all(gains)?;
                let (Some(gains), Some(plain)) = (gains, one) else { return Ok(None) };
                // An item heavier than the capacity never fits; its exact weight does not matter.
                let shifts = shifts.iter().map(|&shift| shift.min(*width) as usize).gather()?;
                Operands::Rows { width: *width as usize, shifts, gains, plain }
            }
        };
        let terms = match instance.terms().map(|terms| algebra.encode_all(terms)).transpose()? {
            Some(None) => return Ok(None),
            Some(terms) => terms,
            None => None,
        };
        Ok(Some(Problem { algebra, instance, length, preset, operands, terms, zero }))
    }

    /// The preset values of one instance; `None` if they need wider integers.
    pub(super) fn initial(&self, instance: usize) -> Result<Option<Vec<A::Value>>> {
        self.algebra.encode_all(self.instance.initial(instance))
    }

    pub(super) fn single(&'a self, instance: usize) -> Single<'a, A> {
        let weights: &[_] = match &self.operands {
            Operands::Fixed { offsets, weights } if weights.len() == offsets.len() => weights,
            Operands::Fixed { offsets, weights } => {
                &weights[instance * offsets.len()..][..offsets.len()]
            }
            Operands::Rows { .. } => &[],
        };
        let count = self.length - self.preset;
        let terms = self.terms.as_deref().map(|terms| match terms.len() == count {
            true => terms,
            false => &terms[instance * count..][..count],
        });
        Single { problem: self, weights, terms }
    }
}

impl<A: Algebra + ?Sized> Single<'_, A> {
    /// Applies the operands in this range, in the order of their offsets, to the run of elements
    /// from `at` on. The run reads only from `done`, the table before it. The first operand starts
    /// the partial results.
    pub(super) fn apply(
        &self,
        done: &[A::Value],
        at: usize,
        operands: Range<usize>,
        target: &mut [A::Partial],
    ) {
        if operands.start == 0
            && let Some(terms) = self.terms
        {
            self.problem.algebra.lift_all(&terms[at - self.problem.preset..], target);
        }
        match &self.problem.operands {
            Operands::Fixed { offsets, .. } => {
                let weights = &self.weights[operands.clone()];
                let begin = operands.start == 0 && self.terms.is_none();
                self.gather(done, at, &offsets[operands], weights, begin, target);
            }
            Operands::Rows { width, .. } => {
                let mut first = 0;
                while first < target.len() {
                    let count = (width - (at + first) % width).min(target.len() - first);
                    let target = &mut target[first..][..count];
                    self.apply_in_row(done, at + first, operands.clone(), false, target);
                    first += count;
                }
            }
        }
    }

    /// A single operand of one element: weight (*) value.
    pub(super) fn apply_alone(
        &self,
        done: &[A::Value],
        at: usize,
        operand: usize,
        target: &mut A::Partial,
    ) {
        let target = std::slice::from_mut(target);
        match &self.problem.operands {
            Operands::Fixed { offsets, .. } => {
                let one = operand..operand + 1;
                self.gather(done, at, &offsets[one.clone()], &self.weights[one], true, target);
            }
            Operands::Rows { .. } => {
                self.apply_in_row(done, at, operand..operand + 1, true, target)
            }
        }
    }

    fn gather(
        &self,
        done: &[A::Value],
        at: usize,
        offsets: &[usize],
        weights: &[A::Value],
        begin: bool,
        target: &mut [A::Partial],
    ) {
        if !offsets.is_empty() {
            let operands = OperandList { offsets, weights };
            self.problem.algebra.gather(done, at, operands, begin, target);
        }
    }

    /// [`Single::apply`] for a run inside a row of a knapsack; with `alone`, the second operand
    /// also starts the partial results.
    fn apply_in_row(
        &self,
        done: &[A::Value],
        at: usize,
        operands: Range<usize>,
        alone: bool,
        target: &mut [A::Partial],
    ) {
        let (Operands::Rows { width, shifts, gains, plain }, Some(zero)) =
            (&self.problem.operands, self.problem.zero)
        else {
            return;
        };
        let (row, column) = (at / width - 1, at % width);
        if operands.contains(&0) {
            // Elements for which the item does not fit.
            let without = shifts[row].saturating_sub(column).min(target.len());
            target[..without].fill(self.problem.algebra.lift(zero));
            let (offset, weight) = (width + shifts[row], gains[row]);
            let target = &mut target[without..];
            if !target.is_empty() {
                self.gather(done, at + without, &[offset], &[weight], true, target);
            }
        }
        if operands.contains(&1) {
            self.gather(done, at, &[*width], &[*plain], alone, target);
        }
    }

    /// Turns partial results into values.
    pub(super) fn finish(&self, partials: &[A::Partial], values: &mut [A::Value]) -> Result<()> {
        if self.problem.algebra.finish_all(partials, values) {
            Ok(())
        } else {
            Err(self.problem.instance.semiring().out_of_range())
        }
    }
}

fn too_long() -> Box<Error> {
    Error::overflow("the number of elements")
}
