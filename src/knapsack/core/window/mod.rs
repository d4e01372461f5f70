//! States of the core as a table, for lists that have become dense. It consists of stretches of
//! neighbouring weights, with a profit for each weight, and for every step one bit for each weight.

mod bits;
mod stretches;

use std::ops::Range;

use self::bits::{Bits, Place, TABLE_WORDS};
use self::stretches::{Stretch, join, lay_out, meet, merge_sorted};
use super::buffer::Buffer;
use super::list::{Flip, ROOT, State};
use super::{CoreIncumbent, Origin};
use crate::knapsack::blocks::{BLOCK, Cell, Maxima, Merge, decision};
use crate::knapsack::bounds::Completion;
use crate::knapsack::stop::Stop;
use crate::memory::{Gather, Grow};
use crate::simd::Simd;
use crate::solve::Monitor;
use crate::{Context, Result, memory, parallel};

/// Least number of new weights for tidying; for fewer, passing over all stretches costs more than
/// it saves.
const TIDY_CELLS: usize = 1 << 12;
/// Steps after which the window is tidied, even if it has hardly grown.
const TIDY_STEPS: usize = 8;

/// Blocks for which several threads are worth it, and blocks of a part for one thread.
const SPREAD: usize = 1 << 12;
const PART: usize = 1 << 9;
/// Blocks between two checks for stops on one thread.
const UNCHECKED: usize = 1 << 14;

/// One step: its flip, and for the weights of all stretches after it whether the flip was better.
struct Layer {
    flip: Flip,
    /// First weight of each stretch, and the first of its words.
    starts: Vec<(i64, usize)>,
    bits: Place,
}

/// The best profit of every weight in some stretches, minus `slope` for each unit of weight to keep
/// the numbers small.
pub(super) struct Window<'a, T> {
    context: &'a Context,
    simd: Simd,
    slope: i64,
    stretches: Vec<Stretch>,
    cells: Buffer<T>,
    spare: Buffer<T>,
    layers: Vec<Layer>,
    bits: Bits,
    /// The states that the window started with.
    roots: Buffer<State>,
    /// Bytes of the layers' lists of stretches.
    bytes: u64,
    tidied_cells: usize,
    tidied_layers: usize,
}

impl<'a, T: Cell> Window<'a, T> {
    /// A window of these states. Minus `slope` for each unit of weight, their profits must be
    /// within the limits of the cells.
    pub(super) fn new(
        context: &'a Context,
        roots: Buffer<State>,
        slope: i64,
        monitor: &Monitor,
    ) -> Result<Self> {
        let intervals = join(roots.as_slice().iter().map(|state| state.weight..state.weight + 1))?;
        let (stretches, size) = lay_out(&intervals)?;
        let mut buffer = Buffer::default();
        let cells = buffer.resize(size, monitor)?;
        for blocks in cells.chunks_mut(UNCHECKED * BLOCK) {
            monitor.check()?;
            blocks.fill(T::NONE);
        }
        let mut stretch = stretches.iter();
        let mut current = stretch.next();
        for state in roots.as_slice() {
            while current.is_some_and(|stretch| stretch.end() <= state.weight) {
                current = stretch.next();
            }
            if let Some(stretch) = current {
                let cell = stretch.offset + (state.weight - stretch.start) as usize;
                cells[cell] = T::from_profit(state.profit - slope * state.weight);
            }
        }
        Ok(Window {
            context,
            simd: Simd::detect(),
            slope,
            stretches,
            cells: buffer,
            spare: Buffer::default(),
            layers: Vec::new(),
            bits: Bits::default(),
            roots,
            bytes: 0,
            tidied_cells: size,
            tidied_layers: 0,
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// Number of weights in the window.
    pub(super) fn cells(&self) -> usize {
        self.cells.len()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let cells = self.cells.bytes() + self.spare.bytes();
        self.bytes + self.roots.bytes() + cells + self.bits.bytes() as u64
    }

    /// Most bytes that a step may add: those of twice as many cells, with a bit for each.
    pub(super) fn growth(&self) -> u64 {
        self.cells.growth(&self.spare) + (self.cells.len() / 4 + TABLE_WORDS * 8) as u64
    }

    /// Merges every state as it is and with the flip. Returns the largest bound of the states, if
    /// it was computed. If a stop is requested, the states remain unchanged.
    pub(super) fn step(
        &mut self,
        flip: Flip,
        completion: &Completion,
        incumbent: &mut CoreIncumbent,
        monitor: &Monitor,
    ) -> Result<Option<i64>> {
        let interval = |stretch: &Stretch| stretch.start..stretch.end();
        let moved = |stretch: &Stretch| stretch.start + flip.weight..stretch.end() + flip.weight;
        let union = join(merge_sorted(
            self.stretches.iter().map(interval),
            self.stretches.iter().map(moved),
        ))?;
        let (stretches, size) = lay_out(&union)?;
        let mut words = 0;
        let start = |stretch: &Stretch| {
            words += stretch.blocks();
            (stretch.start, words - stretch.blocks())
        };
        let starts: Vec<(i64, usize)> = stretches.iter().map(start).gather()?;
        let place = self.bits.reserve(words, monitor)?;
        let mut spare = std::mem::take(&mut self.spare);
        let mut bits = std::mem::take(&mut self.bits);
        let merged = spare
            .resize(size, monitor)
            .and_then(|target| parts(&stretches, &starts, target, bits.of_mut(place)))
            .and_then(|parts| {
                self.for_each(words, parts, monitor, |part| self.merge(part, &stretches, flip))
            });
        // Put the bits back even on failure: the traceback needs them.
        (self.spare, self.bits) = (spare, bits);
        merged?;
        self.bits.keep(place);
        self.bytes += (starts.len() * size_of::<(i64, usize)>()) as u64;
        self.layers.try_push(Layer { flip, starts, bits: place })?;
        self.stretches = stretches;
        std::mem::swap(&mut self.cells, &mut self.spare);
        let grown = self.cells.len() > self.tidied_cells + self.tidied_cells / 4 + TIDY_CELLS;
        if grown || self.layers.len() >= self.tidied_layers + TIDY_STEPS {
            return self.tidy(completion, incumbent, monitor).map(Some);
        }
        Ok(None)
    }

    /// Sets the blocks of a part to the better of the states as they are and with the flip, where
    /// they exist.
    fn merge(&self, part: Part<'_, T>, stretches: &[Stretch], flip: Flip) {
        let Part { mut stretch, mut block, base, target, bits } = part;
        let profit = T::from_profit(flip.profit - self.slope * flip.weight);
        let first = stretches[stretch].start + (block * BLOCK) as i64;
        let position =
            |weight: i64| self.stretches.partition_point(|stretch| stretch.end() <= weight);
        let (mut kept, mut flipped) = (position(first), position(first - flip.weight));
        let cells = self.cells.as_slice();
        let mut word = 0;
        while word < bits.len() {
            let current = &stretches[stretch];
            let offset = current.offset + block * BLOCK - base;
            if block == 0 {
                target[offset - BLOCK..offset].fill(T::NONE);
            }
            let at = current.start + (block * BLOCK) as i64;
            let left = (current.blocks() - block).min(bits.len() - word);
            let (one, one_run) = meet(&self.stretches, &mut kept, at, left);
            let (other, other_run) = meet(&self.stretches, &mut flipped, at - flip.weight, left);
            let run = one_run.min(other_run);
            let target = &mut target[offset..offset + run * BLOCK];
            let bits = &mut bits[word..word + run];
            let one = one.map(|stretch| &cells[stretch.blocks_from(at, run)]);
            let other = other.map(|stretch| &cells[stretch.blocks_from(at - flip.weight, run)]);
            match (one, other) {
                (Some(_), Some(flipped)) => {
                    Merge { kept: one, flipped, profit, target, bits }.run(self.simd)
                }
                (Some(kept), None) => target.copy_from_slice(kept),
                (None, Some(flipped)) => {
                    target
                        .iter_mut()
                        .zip(flipped)
                        .for_each(|(target, &cell)| *target = cell.plus(profit));
                    bits.fill(u64::MAX);
                }
                (None, None) => target.fill(T::NONE),
            }
            word += run;
            block += run;
            if block == current.blocks() {
                (stretch, block) = (stretch + 1, 0);
            }
        }
    }

    /// Runs work on parts with `blocks` blocks in total, on several threads if that is worth it.
    fn for_each<P: Send>(
        &self,
        blocks: usize,
        parts: Vec<P>,
        monitor: &Monitor,
        work: impl Fn(P) + Sync + Send,
    ) -> Result<()> {
        let stop = Stop::new(monitor);
        let work = |part| {
            if !stop.is_asked_for() {
                work(part);
            }
        };
        if self.is_spread(blocks) {
            self.context.install(|| parallel::for_each(parts.into_iter(), work))?;
        } else {
            parts.into_iter().for_each(work);
        }
        stop.check()
    }

    fn is_spread(&self, blocks: usize) -> bool {
        blocks >= SPREAD && self.context.threads() > 1
    }

    /// The largest cell of each block, including blocks between the stretches.
    fn maxima(&self, monitor: &Monitor) -> Result<Vec<T>> {
        let mut maxima = memory::filled(T::NONE, self.cells.len() / BLOCK)?;
        let parts =
            self.cells.as_slice().chunks(PART * BLOCK).zip(maxima.chunks_mut(PART)).gather()?;
        let find = |(cells, maxima): (&[T], &mut [T])| self.simd.run(Maxima { cells, maxima });
        self.for_each(self.cells.len() / BLOCK, parts, monitor, find)?;
        Ok(maxima)
    }

    /// Looks for a better incumbent, and removes blocks that are dominated or, by the bound, cannot
    /// become better than the incumbent. Returns the bound of the remaining blocks.
    pub(super) fn tidy(
        &mut self,
        completion: &Completion,
        incumbent: &mut CoreIncumbent,
        monitor: &Monitor,
    ) -> Result<i64> {
        let alive = self.undominated(completion, incumbent, monitor)?;
        let filter = |part: &[(Range<i64>, i64)]| -> Result<(Vec<Range<i64>>, i64)> {
            let mut bound = i64::MIN;
            let mut hopeful = Vec::new();
            for (weights, value) in part {
                let reached = completion.bound_all(weights, *value, self.slope);
                if reached > incumbent.profit {
                    hopeful.try_push(weights.clone())?;
                    bound = bound.max(reached);
                }
            }
            Ok((hopeful, bound))
        };
        let alive = if self.is_spread(alive.len()) {
            self.context.install(|| parallel::try_map(alive.chunks(PART), filter))??
        } else {
            vec![filter(&alive)?]
        };
        let bound = alive.iter().map(|(_, bound)| *bound).max().unwrap_or(i64::MIN);
        let (stretches, size) =
            lay_out(&join(alive.into_iter().flat_map(|(weights, _)| weights))?)?;
        let mut spare = std::mem::take(&mut self.spare);
        let target = spare.resize(size, monitor)?;
        target[size - BLOCK..].fill(T::NONE);
        let mut rest = target;
        let mut parts = memory::list(stretches.len())?;
        for stretch in &stretches {
            let (own, later) = rest.split_at_mut((stretch.blocks() + 1) * BLOCK);
            parts.push((stretch, own));
            rest = later;
        }
        let survive = |(stretch, target): (&Stretch, &mut [T])| self.survive(stretch, target);
        let survived = self.for_each(size / BLOCK, parts, monitor, survive);
        self.spare = spare;
        survived?;
        self.stretches = stretches;
        std::mem::swap(&mut self.cells, &mut self.spare);
        self.tidied_cells = self.cells.len();
        self.tidied_layers = self.layers.len();
        Ok(bound)
    }

    /// Blocks that no lighter one dominates, with their largest values; offers better states to the
    /// incumbent.
    fn undominated(
        &self,
        completion: &Completion,
        incumbent: &mut CoreIncumbent,
        monitor: &Monitor,
    ) -> Result<Vec<(Range<i64>, i64)>> {
        let (maxima, cells) = (self.maxima(monitor)?, self.cells.as_slice());
        let none: i64 = T::NONE.into() / 2;
        let mut best = i64::MIN;
        let mut alive = Vec::new();
        for stretch in &self.stretches {
            let first = stretch.offset / BLOCK;
            for (block, &value) in maxima[first..first + stretch.blocks()].iter().enumerate() {
                if (first + block).is_multiple_of(UNCHECKED) {
                    monitor.check()?;
                }
                let value: i64 = value.into();
                let start = stretch.start + (block * BLOCK) as i64;
                let weights = start..(start + BLOCK as i64).min(stretch.end());
                let most = value + self.slope * (weights.end - 1);
                if value <= none || most <= best {
                    continue;
                }
                best = best.max(value + self.slope * start);
                if most > incumbent.profit && start <= completion.capacity() {
                    self.improve(
                        incumbent,
                        weights.clone(),
                        &cells[stretch.offset + block * BLOCK..],
                    );
                }
                alive.try_push((weights, value))?;
            }
        }
        Ok(alive)
    }

    /// Copies the cells of a surviving stretch, which may span several old ones, and the block
    /// before it.
    fn survive(&self, stretch: &Stretch, target: &mut [T]) {
        let place = |weight: i64| BLOCK + (weight - stretch.start) as usize;
        let first = self.stretches.partition_point(|old| old.end() <= stretch.start);
        let mut done = 0;
        for old in self.stretches[first..].iter().take_while(|old| old.start < stretch.end()) {
            let common = old.start.max(stretch.start)..old.end().min(stretch.end());
            let begin = old.offset + (common.start - old.start) as usize;
            let to = place(common.start)..place(common.end);
            target[done..to.start].fill(T::NONE);
            done = to.end;
            target[to.clone()].copy_from_slice(&self.cells.as_slice()[begin..begin + to.len()]);
        }
        target[done..].fill(T::NONE);
    }

    /// Offers the states of some weights to the incumbent.
    fn improve(&self, incumbent: &mut CoreIncumbent, weights: Range<i64>, cells: &[T]) {
        let none: i64 = T::NONE.into() / 2;
        for (weight, &cell) in weights.zip(cells) {
            let value: i64 = cell.into();
            if value > none {
                let origin = || Origin::Window { layers: self.layers.len() };
                incumbent.offer(weight, value + self.slope * weight, origin);
            }
        }
    }

    /// Calls `flip` for the pieces flipped in the window's first `layers` steps on the path to the
    /// weight; returns the node of the state where the path starts.
    pub(super) fn trace(&self, layers: usize, mut weight: i64, mut flip: impl FnMut(u32)) -> u64 {
        for layer in self.layers[..layers].iter().rev() {
            let index = layer.starts.partition_point(|&(start, _)| start <= weight);
            let Some(&(start, word)) =
                index.checked_sub(1).and_then(|index| layer.starts.get(index))
            else {
                continue;
            };
            if decision(&self.bits.of(layer.bits)[word..], (weight - start) as usize) {
                flip(layer.flip.piece);
                weight -= layer.flip.weight;
            }
        }
        let roots = self.roots.as_slice();
        let root = roots.binary_search_by_key(&weight, |state| state.weight);
        root.map_or(ROOT, |root| roots[root].node)
    }
}

/// Neighbouring blocks of a step's target, from a block of a stretch on, with the blocks before
/// each stretch.
struct Part<'t, T> {
    stretch: usize,
    block: usize,
    target: &'t mut [T],
    /// Position of the first of the target's cells.
    base: usize,
    bits: &'t mut [u64],
}

/// Splits a step's target, whose stretches start with these words, into parts of [`PART`] blocks.
fn parts<'t, T: Cell>(
    stretches: &[Stretch],
    starts: &[(i64, usize)],
    target: &'t mut [T],
    bits: &'t mut [u64],
) -> Result<Vec<Part<'t, T>>> {
    let (cells, words) = (target.len(), bits.len());
    target[cells - BLOCK..].fill(T::NONE);
    let place = |word: usize| {
        let stretch = starts.partition_point(|&(_, first)| first <= word) - 1;
        let block = word - starts[stretch].1;
        let before = if block == 0 { BLOCK } else { 0 };
        (stretch, block, stretches[stretch].offset + block * BLOCK - before)
    };
    let (mut parts, mut rest) = (memory::list(words.div_ceil(PART))?, target);
    for (index, bits) in bits.chunks_mut(PART).enumerate() {
        let (stretch, block, base) = place(index * PART);
        let next = index * PART + bits.len();
        let end = if next < words { place(next).2 } else { cells };
        let (target, later) = rest.split_at_mut(end - base);
        parts.push(Part { stretch, block, target, base, bits });
        rest = later;
    }
    Ok(parts)
}
