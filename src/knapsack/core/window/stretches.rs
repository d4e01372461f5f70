//! Where the cells of a window lie.

use std::ops::Range;

use crate::Result;
use crate::knapsack::blocks::BLOCK;
use crate::memory::{Gather, Grow};

/// Shorter gaps between two stretches are filled, so that a block never meets two stretches of one
/// step.
const GAP: i64 = 2 * BLOCK as i64;

/// Neighbouring weights from `start` on, whose cells start at `offset`. A block of `Cell::NONE`
/// precedes them, and one follows them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) start: i64,
    pub(super) len: usize,
    pub(super) offset: usize,
}

impl Stretch {
    pub(super) fn end(&self) -> i64 {
        self.start + self.len as i64
    }

    pub(super) fn blocks(&self) -> usize {
        self.len.div_ceil(BLOCK)
    }

    /// The cells of some blocks from weight `from` on, which may be up to a block before the
    /// stretch.
    pub(super) fn blocks_from(&self, from: i64, blocks: usize) -> Range<usize> {
        let begin = (self.offset as i64 + (from - self.start)) as usize;
        begin..begin + blocks * BLOCK
    }
}

/// The stretch that the block at a weight meets, and the number of blocks, at most `left`, for
/// which this stays so.
#[inline]
pub(super) fn meet<'a>(
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

/// Joins intervals that are closer than [`GAP`]. They come and leave in the order of their starts.
pub(super) fn join(intervals: impl Iterator<Item = Range<i64>>) -> Result<Vec<Range<i64>>> {
    let mut joined: Vec<Range<i64>> = Vec::new();
    for interval in intervals {
        match joined.last_mut() {
            Some(last) if interval.start - last.end < GAP => last.end = last.end.max(interval.end),
            _ => joined.try_push(interval)?,
        }
    }
    Ok(joined)
}

pub(super) fn merge_sorted(
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

/// Places the cells of each interval; returns the stretches and the total size.
pub(super) fn lay_out(intervals: &[Range<i64>]) -> Result<(Vec<Stretch>, usize)> {
    let mut offset = BLOCK;
    let place = |interval: &Range<i64>| {
        let stretch = Stretch {
            start: interval.start,
            len: (interval.end - interval.start) as usize,
            offset,
        };
        offset += (stretch.blocks() + 1) * BLOCK;
        stretch
    };
    let stretches = intervals.iter().map(place).gather()?;
    Ok((stretches, offset))
}
