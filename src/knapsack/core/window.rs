//! States of the core as a table, for lists that have become dense: stretches of neighbouring weights, a profit for
//! each, and for every step one bit for each weight.

use std::ops::Range;

use rayon::prelude::*;

use super::list::{Flip, ROOT, State};
use super::{Incumbent, Origin};
use crate::knapsack::blocks::{BLOCK, Cell, Maxima, Merge, decision};
use crate::knapsack::bounds::Completion;
use crate::simd::Simd;
use crate::{Context, Result};

/// Gaps shorter than this between two stretches are filled up. A block never meets two stretches of one step.
const GAP: i64 = 2 * BLOCK as i64;
/// Weights tidied at least; below, the passes over all stretches cost more than they save.
const TIDY_CELLS: usize = 1 << 12;
/// Steps after which the window is tidied, however little it has grown.
const TIDY_STEPS: usize = 8;

/// Blocks that are worth several threads, and that one takes at a time.
const SPREAD: usize = 1 << 12;
const PART: usize = 1 << 9;

/// Neighbouring weights from `start` on, whose cells begin at `offset`, a block of [`Cell::NONE`] before them and
/// one after them.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    start: i64,
    len: usize,
    offset: usize,
}

impl Stretch {
    fn end(&self) -> i64 {
        self.start + self.len as i64
    }

    fn blocks(&self) -> usize {
        self.len.div_ceil(BLOCK)
    }

    /// The cells of some blocks from the weight `from` on, which may begin up to a block before the stretch.
    fn blocks_from(&self, from: i64, blocks: usize) -> Range<usize> {
        let begin = (self.offset as i64 + (from - self.start)) as usize;
        begin..begin + blocks * BLOCK
    }
}

/// One step: its flip, and for the weights of all stretches after it whether the flip was better.
struct Layer {
    flip: Flip,
    /// First weight of each stretch and where its words begin.
    starts: Vec<(i64, usize)>,
    bits: Vec<u64>,
}

/// The best profit of every weight in some stretches, less `slope` for each unit of weight, so that the numbers stay
/// small.
pub(super) struct Window<'a, T> {
    context: &'a Context,
    simd: Simd,
    slope: i64,
    stretches: Vec<Stretch>,
    cells: Vec<T>,
    spare: Vec<T>,
    layers: Vec<Layer>,
    /// The states that the window began with.
    roots: Vec<State>,
    bytes: u64,
    tidied_cells: usize,
    tidied_layers: usize,
}

impl<'a, T: Cell> Window<'a, T> {
    /// A window of these states, which must stay within the limits of the cells less `slope` for each unit of weight.
    pub(super) fn new(context: &'a Context, roots: Vec<State>, slope: i64) -> Self {
        let intervals = join(roots.iter().map(|state| state.weight..state.weight + 1));
        let (stretches, size) = lay_out(&intervals);
        let mut cells = vec![T::NONE; size];
        let mut stretch = stretches.iter();
        let mut current = stretch.next();
        for state in &roots {
            while current.is_some_and(|stretch| stretch.end() <= state.weight) {
                current = stretch.next();
            }
            if let Some(stretch) = current {
                let cell = stretch.offset + (state.weight - stretch.start) as usize;
                cells[cell] = T::from_profit(state.profit - slope * state.weight);
            }
        }
        let tidied_cells = size;
        Window {
            context,
            simd: Simd::detect(),
            slope,
            stretches,
            cells,
            spare: Vec::new(),
            layers: Vec::new(),
            roots,
            bytes: 0,
            tidied_cells,
            tidied_layers: 0,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// Weights in the window.
    pub(super) fn cells(&self) -> usize {
        self.cells.len()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let cells = (self.cells.capacity() + self.spare.capacity()) * size_of::<T>();
        self.bytes + (cells + self.roots.capacity() * size_of::<State>()) as u64
    }

    /// Every state as it is and with the flip.
    pub(super) fn step(
        &mut self,
        flip: Flip,
        completion: &Completion,
        incumbent: &mut Incumbent,
    ) -> Result<()> {
        let interval = |stretch: &Stretch| stretch.start..stretch.end();
        let moved = |stretch: &Stretch| stretch.start + flip.weight..stretch.end() + flip.weight;
        let union = join(merge_sorted(self.stretches.iter().map(interval), self.stretches.iter().map(moved)));
        let (stretches, size) = lay_out(&union);
        let mut bits = vec![0; stretches.iter().map(Stretch::blocks).sum()];
        let mut target = std::mem::take(&mut self.spare);
        target.resize(size, T::NONE);
        let mut starts = Vec::with_capacity(stretches.len());
        let profit = T::from_profit(flip.profit - self.slope * flip.weight);
        let (mut kept, mut flipped, mut word) = (0, 0, 0);
        for stretch in &stretches {
            starts.push((stretch.start, word));
            target[stretch.offset - BLOCK..stretch.offset].fill(T::NONE);
            let end = stretch.offset + stretch.blocks() * BLOCK;
            target[end..end + BLOCK].fill(T::NONE);
            let mut block = 0;
            while block < stretch.blocks() {
                let at = stretch.start + (block * BLOCK) as i64;
                let left = stretch.blocks() - block;
                let (one, one_run) = meet(&self.stretches, &mut kept, at, left);
                let (other, other_run) = meet(&self.stretches, &mut flipped, at - flip.weight, left);
                let run = one_run.min(other_run);
                let offset = stretch.offset + block * BLOCK;
                let target = &mut target[offset..offset + run * BLOCK];
                let bits = &mut bits[word..word + run];
                let one = one.map(|stretch| &self.cells[stretch.blocks_from(at, run)]);
                let other = other.map(|stretch| &self.cells[stretch.blocks_from(at - flip.weight, run)]);
                self.merge([one, other], profit, target, bits)?;
                block += run;
                word += run;
            }
        }
        self.bytes += (bits.len() * 8 + starts.len() * size_of::<(i64, usize)>()) as u64;
        self.layers.push(Layer { flip, starts, bits });
        self.stretches = stretches;
        self.spare = std::mem::replace(&mut self.cells, target);
        let grown = self.cells.len() > self.tidied_cells + self.tidied_cells / 4 + TIDY_CELLS;
        if grown || self.layers.len() >= self.tidied_layers + TIDY_STEPS {
            self.tidy(completion, incumbent)?;
        }
        Ok(())
    }

    /// Sets some blocks to the better of the states as they are and with the flip, where there are any.
    fn merge(&self, sources: [Option<&[T]>; 2], profit: T, target: &mut [T], bits: &mut [u64]) -> Result<()> {
        let merge = |(part, (target, bits)): (usize, (&mut [T], &mut [u64]))| {
            let first = part * PART * BLOCK;
            let sources = sources.map(|cells| cells.map(|cells| &cells[first..first + target.len()]));
            match sources {
                [Some(kept), Some(flipped)] => Merge { kept, flipped, profit, target, bits }.run(self.simd),
                [Some(kept), None] => target.copy_from_slice(kept),
                [None, Some(flipped)] => {
                    target.iter_mut().zip(flipped).for_each(|(target, &cell)| *target = cell.plus(profit));
                    bits.fill(u64::MAX);
                }
                [None, None] => target.fill(T::NONE),
            }
        };
        if self.is_spread(bits.len()) {
            let parts = target.par_chunks_mut(PART * BLOCK).zip(bits.par_chunks_mut(PART));
            self.context.install(|| parts.enumerate().for_each(merge))
        } else {
            target.chunks_mut(PART * BLOCK).zip(bits.chunks_mut(PART)).enumerate().for_each(merge);
            Ok(())
        }
    }

    fn is_spread(&self, blocks: usize) -> bool {
        blocks >= SPREAD && self.context.threads() > 1
    }

    /// The largest cell of each block.
    fn maxima(&self, cells: &[T], maxima: &mut Vec<T>) -> Result<()> {
        maxima.resize(cells.len() / BLOCK, T::NONE);
        let find = |(cells, maxima): (&[T], &mut [T])| self.simd.run(Maxima { cells, maxima });
        if self.is_spread(maxima.len()) {
            let parts = cells.par_chunks(PART * BLOCK).zip(maxima.par_chunks_mut(PART));
            return self.context.install(|| parts.for_each(find));
        }
        find((cells, maxima));
        Ok(())
    }

    /// Looks for a better incumbent, and removes blocks that are dominated or, by the bound, can't become better
    /// than the incumbent.
    pub(super) fn tidy(&mut self, completion: &Completion, incumbent: &mut Incumbent) -> Result<()> {
        let mut best = i64::MIN;
        let mut alive: Vec<Range<i64>> = Vec::new();
        let none: i64 = T::NONE.into() / 2;
        let mut maxima = Vec::new();
        for stretch in &self.stretches {
            let cells = &self.cells[stretch.offset..stretch.offset + stretch.blocks() * BLOCK];
            self.maxima(cells, &mut maxima)?;
            for (block, &value) in maxima.iter().enumerate() {
                let value: i64 = value.into();
                let start = stretch.start + (block * BLOCK) as i64;
                let weights = start..(start + BLOCK as i64).min(stretch.end());
                let most = value + self.slope * (weights.end - 1);
                if value <= none || most <= best {
                    continue;
                }
                best = best.max(value + self.slope * start);
                if most > incumbent.profit && start <= completion.capacity() {
                    self.improve(incumbent, weights.clone(), &cells[block * BLOCK..]);
                }
                if completion.bound_all(&weights, value, self.slope) <= incumbent.profit {
                    continue;
                }
                match alive.last_mut() {
                    Some(last) if weights.start - last.end < GAP => last.end = weights.end,
                    _ => alive.push(weights),
                }
            }
        }
        let (stretches, size) = lay_out(&alive);
        let mut target = std::mem::take(&mut self.spare);
        target.resize(size, T::NONE);
        let mut from = 0;
        for stretch in &stretches {
            while self.stretches[from].end() <= stretch.start {
                from += 1;
            }
            let place = |weight: i64| stretch.offset + (weight - stretch.start) as usize;
            let mut done = stretch.offset - BLOCK;
            // A stretch of survivors may reach over several old ones.
            for old in self.stretches[from..].iter().take_while(|old| old.start < stretch.end()) {
                let common = old.start.max(stretch.start)..old.end().min(stretch.end());
                let begin = old.offset + (common.start - old.start) as usize;
                let to = place(common.start)..place(common.end);
                target[done..to.start].fill(T::NONE);
                done = to.end;
                self.copy(&self.cells[begin..begin + to.len()], &mut target[to])?;
            }
            target[done..stretch.offset + (stretch.blocks() + 1) * BLOCK].fill(T::NONE);
        }
        self.stretches = stretches;
        self.spare = std::mem::replace(&mut self.cells, target);
        self.tidied_cells = self.cells.len();
        self.tidied_layers = self.layers.len();
        Ok(())
    }

    fn copy(&self, source: &[T], target: &mut [T]) -> Result<()> {
        if self.is_spread(target.len() / BLOCK) {
            let parts = source.par_chunks(PART * BLOCK).zip(target.par_chunks_mut(PART * BLOCK));
            return self
                .context
                .install(|| parts.for_each(|(source, target)| target.copy_from_slice(source)));
        }
        target.copy_from_slice(source);
        Ok(())
    }

    /// Offers the states of some weights to the incumbent.
    fn improve(&self, incumbent: &mut Incumbent, weights: Range<i64>, cells: &[T]) {
        let none: i64 = T::NONE.into() / 2;
        for (weight, &cell) in weights.zip(cells) {
            let value: i64 = cell.into();
            if value > none {
                let origin = || Origin::Window { layers: self.layers.len() };
                incumbent.offer(weight, value + self.slope * weight, origin);
            }
        }
    }

    /// The largest bound of the states, a bound of all solutions that are not worse than the incumbent.
    pub(super) fn bound(&self, completion: &Completion) -> i64 {
        let none: i64 = T::NONE.into() / 2;
        let cells = self.stretches.iter().flat_map(|stretch| {
            (stretch.start..).zip(&self.cells[stretch.offset..stretch.offset + stretch.len])
        });
        cells
            .filter(|(_, cell)| Into::<i64>::into(**cell) > none)
            .map(|(weight, &cell)| completion.bound(weight, Into::<i64>::into(cell) + self.slope * weight))
            .max()
            .unwrap_or(i64::MIN)
    }

    /// The pieces flipped in the window's first `layers` steps on the way to the weight; returns the node of the state
    /// where the way began.
    pub(super) fn trace(&self, layers: usize, mut weight: i64, mut flip: impl FnMut(u32)) -> u32 {
        for layer in self.layers[..layers].iter().rev() {
            let index = layer.starts.partition_point(|&(start, _)| start <= weight);
            let Some(&(start, word)) = index.checked_sub(1).and_then(|index| layer.starts.get(index)) else {
                continue;
            };
            if decision(&layer.bits[word..], (weight - start) as usize) {
                flip(layer.flip.piece);
                weight -= layer.flip.weight;
            }
        }
        let root = self.roots.binary_search_by_key(&weight, |state| state.weight);
        root.map_or(ROOT, |root| self.roots[root].node)
    }
}

/// The stretch that the block at a weight meets, and for how many blocks, at most `left`, that stays so.
fn meet<'a>(
    stretches: &'a [Stretch],
    position: &mut usize,
    at: i64,
    left: usize,
) -> (Option<&'a Stretch>, usize) {
    while stretches.get(*position).is_some_and(|stretch| stretch.end() <= at) {
        *position += 1;
    }
    let Some(stretch) = stretches.get(*position) else { return (None, left) };
    let before = (stretch.start - at).max(0) as usize / BLOCK;
    if before > 0 {
        return (None, before.min(left));
    }
    let blocks = ((stretch.end() - at) as usize).div_ceil(BLOCK);
    (Some(stretch), blocks.min(left))
}

/// Intervals in the order of their starts, those that are closer than [`GAP`] joined.
fn join(intervals: impl Iterator<Item = Range<i64>>) -> Vec<Range<i64>> {
    let mut joined: Vec<Range<i64>> = Vec::new();
    for interval in intervals {
        match joined.last_mut() {
            Some(last) if interval.start - last.end < GAP => last.end = last.end.max(interval.end),
            _ => joined.push(interval),
        }
    }
    joined
}

fn merge_sorted(
    one: impl Iterator<Item = Range<i64>>,
    other: impl Iterator<Item = Range<i64>>,
) -> impl Iterator<Item = Range<i64>> {
    let (mut one, mut other) = (one.peekable(), other.peekable());
    std::iter::from_fn(move || match (one.peek(), other.peek()) {
        (Some(a), Some(b)) if b.start < a.start => other.next(),
        (Some(_), _) => one.next(),
        _ => other.next(),
    })
}

/// Places for the cells of each interval, and the size of all.
fn lay_out(intervals: &[Range<i64>]) -> (Vec<Stretch>, usize) {
    let mut offset = BLOCK;
    let place = |interval: &Range<i64>| {
        let stretch =
            Stretch { start: interval.start, len: (interval.end - interval.start) as usize, offset };
        offset += (stretch.blocks() + 1) * BLOCK;
        stretch
    };
    let stretches = intervals.iter().map(place).collect();
    (stretches, offset)
}
