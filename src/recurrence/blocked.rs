//! The general method on the CPU: gathers every element's operands into registers or the nearest
//! cache.
//!
//! Offsets of at least B do not make elements depend on each other within a block of B neighbours.
//! A block first takes all those offsets, each as one long run. Then it splits into smaller blocks,
//! which take the next offsets before they split again, down to a few elements that are computed
//! one by one. Every element takes its operands in the order of the offsets, and exactly those of
//! the definition.

use std::ops::Range;

use super::algebra::Algebra;
use super::instance::Instance;
use super::problem::{Operands, Single};
use super::relax::OperandList;
use crate::solve::Monitor;
use crate::{Error, Result, memory, parallel};

/// Sizes of blocks, smallest first: a vector, a few registers, part of the first-level cache, all
/// of it.
const LEVELS: [usize; 4] = [16, 64, 512, TILE];
/// Elements that one thread computes at a time.
const TILE: usize = 4096;
/// Least block size for which offsets beyond the block are worth several threads.
const SPREAD: usize = 1 << 16;
/// Most elements of a block: their partial results stay in the second-level cache.
const MOST: usize = 1 << 18;
/// With fewer operands than this, waking other threads costs more than it saves.
const PARALLEL_WORK: usize = 1 << 18;
/// Offsets between two checks for stops.
const OFFSETS_PER_CHECK: usize = 1 << 12;

pub(super) struct Blocks<'a, A: Algebra + ?Sized> {
    single: &'a Single<'a, A>,
    offsets: &'a [usize],
    monitor: &'a Monitor,
    threads: usize,
}

/// The number of an instance's offsets that are too small for vectors, and whether filling a table
/// keeps several threads busy.
pub(super) fn shape(instance: &Instance) -> (usize, bool) {
    let operands = instance.operands();
    let Some(offsets) = instance.offsets() else {
        return (0, instance.smallest_offset() >= (PARALLEL_WORK / operands) as u64);
    };
    let beyond = |size: usize| offsets.partition_point(|&offset| offset >= size as u64);
    let smallest = usize::try_from(instance.smallest_offset()).unwrap_or(usize::MAX);
    let size = block_size(smallest, beyond(SPREAD) * 2 > operands);
    (
        operands - beyond(LEVELS[0]),
        size > TILE && beyond(size).saturating_mul(size) >= PARALLEL_WORK,
    )
}

/// Elements of a block that several threads share.
fn block_size(smallest_offset: usize, most_are_far: bool) -> usize {
    if smallest_offset >= 2 * TILE {
        smallest_offset.min(MOST)
    } else if most_are_far {
        SPREAD
    } else {
        TILE
    }
}

/// Partial results and values of a part of a block.
type Tile<'t, A> = (&'t mut [<A as Algebra>::Partial], &'t mut [<A as Algebra>::Value]);

impl<'a, A: Algebra + ?Sized> Blocks<'a, A> {
    /// `None` if the offsets differ by row.
    pub(super) fn new(
        single: &'a Single<'a, A>,
        monitor: &'a Monitor,
        threads: usize,
    ) -> Option<Self> {
        match &single.problem.operands {
            Operands::Fixed { offsets, .. } => Some(Blocks { single, offsets, monitor, threads }),
            Operands::Rows { .. } => None,
        }
    }

    /// Fills the table from element `from` to its end.
    pub(super) fn fill(&self, table: &mut [A::Value], from: usize) -> Result<()> {
        let far = self.offsets.partition_point(|&offset| offset >= SPREAD);
        let most_are_far = self.threads > 1 && far * 2 > self.offsets.len();
        let size = block_size(self.offsets[self.offsets.len() - 1], most_are_far);
        let zero = table.first().map(|&value| self.single.problem.algebra.lift(value));
        let Some(zero) = zero else { return Ok(()) };
        let mut partials = memory::filled(zero, size.min(table.len() - from))?;
        let mut at = from;
        while at < table.len() {
            let count = size.min(table.len() - at);
            self.fill_block(&mut table[..at + count], at, &mut partials[..count])?;
            at += count;
        }
        Ok(())
    }

    /// Fills the elements from `at` to the table's end.
    fn fill_block(
        &self,
        table: &mut [A::Value],
        at: usize,
        partials: &mut [A::Partial],
    ) -> Result<()> {
        let (done, values) = table.split_at_mut(at);
        let far = self.offsets.partition_point(|&offset| offset >= partials.len());
        let complete = far == self.offsets.len();
        let spread =
            self.threads > 1 && partials.len() > TILE && far * partials.len() >= PARALLEL_WORK;
        let gather = |(index, (partials, values)): (usize, Tile<'_, A>)| {
            self.monitor.check()?;
            self.gather(done, at + index * TILE, 0..far, partials)?;
            if complete { self.single.finish(partials, values) } else { Ok(()) }
        };
        let mut tiles = partials.chunks_mut(TILE).zip(values.chunks_mut(TILE)).enumerate();
        if spread {
            parallel::try_for_each(tiles, gather)?;
        } else {
            tiles.try_for_each(gather)?;
        }
        if complete { Ok(()) } else { self.settle(table, at, partials, far, LEVELS.len() - 1) }
    }

    /// Applies the operands in this range to a run of elements.
    #[inline]
    fn gather(
        &self,
        done: &[A::Value],
        at: usize,
        operands: Range<usize>,
        partials: &mut [A::Partial],
    ) -> Result<()> {
        let mut first = operands.start;
        loop {
            let end = operands.end.min(first + OFFSETS_PER_CHECK);
            self.single.apply(done, at, first..end, partials);
            if end == operands.end {
                return Ok(());
            }
            self.monitor.check()?;
            first = end;
        }
    }

    /// Completes the elements from `at` to the table's end, which already have the operands before
    /// `operand`.
    fn settle(
        &self,
        table: &mut [A::Value],
        at: usize,
        partials: &mut [A::Partial],
        operand: usize,
        level: usize,
    ) -> Result<()> {
        let size = LEVELS[level];
        for (index, partials) in partials.chunks_mut(size).enumerate() {
            let (at, end) = (at + index * size, at + index * size + partials.len());
            let far = self.offsets[operand..].partition_point(|&offset| offset >= partials.len())
                + operand;
            let (done, values) = table[..end].split_at_mut(at);
            if far > operand {
                self.gather(done, at, operand..far, partials)?;
            }
            if far == self.offsets.len() {
                self.single.finish(partials, values)?;
            } else if level == 0 {
                self.settle_singly(&mut table[..end], at, partials, far)?;
            } else {
                self.settle(&mut table[..end], at, partials, far, level - 1)?;
            }
        }
        Ok(())
    }

    /// [`Blocks::settle`], element by element.
    fn settle_singly(
        &self,
        table: &mut [A::Value],
        at: usize,
        partials: &[A::Partial],
        operand: usize,
    ) -> Result<()> {
        let algebra = self.single.problem.algebra;
        let (offsets, weights) = (&self.offsets[operand..], &self.single.weights[operand..]);
        let mut in_range = true;
        for (element, &partial) in (at..).zip(partials) {
            let term = self
                .single
                .terms
                .map(|terms| algebra.lift(terms[element - self.single.problem.preset]));
            // The element has no partial result yet if no offset reaches beyond its block.
            let begun = if operand > 0 { Some(partial) } else { term };
            let partial =
                algebra.gather_one(table, element, OperandList { offsets, weights }, begun);
            let partial = partial.ok_or_else(|| Error::internal("an element without operands"))?;
            table[element] = algebra.finish(partial, &mut in_range);
        }
        if in_range { Ok(()) } else { Err(self.single.problem.instance.semiring().out_of_range()) }
    }
}
