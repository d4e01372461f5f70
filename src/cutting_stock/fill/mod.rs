//! Full pieces: packings that leave almost nothing unused, as the bound requires of instances
//! without waste. Pieces are filled one after the other, each from the longest remaining item,
//! looking ahead at the sums that the other items can reach. As soon as all patterns of the
//! remaining items can be listed, an exact cover is searched. Often that is possible from the
//! start, and best if all items are about a third of the stock length: filling pieces one by one
//! then misleads.

mod cover;
mod enumeration;
mod list;
mod sums;

use std::mem;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use self::cover::{Cover, Covering};
use self::enumeration::Cuts;
use self::enumeration::PatternEnumeration;
use self::list::list;
use self::sums::Sums;
use super::decreasing::{Fit, decreasing};
use super::incumbent::Incumbent;
use super::packing::{Cut, Pattern};
use super::sizes::{MAX_ITEMS, Size, items};
use crate::gcd::gcd;
use crate::random::Random;
use crate::solve::{Monitor, Statistics};
use crate::{Context, Error, Result, parallel};

/// Attempts in parallel, for any number of threads.
pub(super) const SIDE_BY_SIDE: u32 = 4;

/// Patterns that the search for a cover touches in most attempts. Every second attempt touches
/// twice as many, every fourth four times as many, and so on (Luby, Sinclair, Zuckerman 1993).
const TOUCHES: u64 = 1 << 22;

/// Most words of an attempt's sums, if the memory limit allows.
const MEMORY: u64 = 1 << 24;

/// Most bytes of the lists of patterns of the parallel attempts.
const LISTED_BYTES: u128 = 128 << 20;

/// Probability of skipping the longest item that can lead to a full piece.
const SKIPPED: f64 = 0.3;

/// Iterations of the search for one full piece.
const TURNS: u32 = 1000;

/// Tight pieces together leave at most 1 / `TIGHT` of a piece unused.
const TIGHT: u64 = 16;

/// Whether that number of pieces leaves almost nothing unused, and the items are few enough.
pub(super) fn is_tight(sizes: &[Size], stock_length: u64, pieces: u64) -> bool {
    let tight = |items: Items| items.slack <= items.stock_length / TIGHT;
    items(sizes) <= MAX_ITEMS && Items::new(sizes, stock_length, pieces).is_some_and(tight)
}

/// In each round tries to pack the items into as many pieces as the bound, then into more, until an
/// attempt succeeds.
///
/// # Errors
/// [`Error::Stopped`] and [`Error::OutOfMemory`]; earlier results are kept.
pub(super) fn close(
    incumbent: &mut Incumbent<'_>,
    mut rounds: Range<u32>,
    seed: u64,
    context: &Context,
    monitor: &Monitor,
    statistics: &mut Statistics,
) -> Result<()> {
    if items(&incumbent.sizes.list) > MAX_ITEMS {
        return Ok(());
    }
    if !monitor.has_memory(LISTED_BYTES) {
        let reason =
            format!("the search for full pieces is left out: it takes {} MB", LISTED_BYTES >> 20);
        incumbent.left_out.get_or_insert(reason);
        return Ok(());
    }
    monitor.enter("full pieces")?;
    while let Some(round) = rounds.next().filter(|_| !incumbent.is_settled()) {
        let mut pieces = incumbent.bound;
        while pieces < incumbent.limit() {
            monitor.begin_iteration()?;
            statistics.add("attempts", u64::from(SIDE_BY_SIDE));
            let items =
                Items::new(&incumbent.sizes.list, incumbent.instance.stock_length(), pieces);
            let attempt = |items: Items| items.attempt(round, seed, context, monitor);
            match items.map_or(Ok(Filled::Refuted), attempt)? {
                Filled::Packing(found) => {
                    incumbent.offer(found.into_iter().map(pattern).collect(), monitor)
                }
                Filled::Refuted => incumbent.raise(pieces + 1, "full pieces", monitor),
                Filled::Open(pieces) => {
                    incumbent.offer(complete(incumbent, pieces, monitor), monitor)
                }
            }
            monitor.report("full pieces", None);
            pieces += 1;
        }
    }
    Ok(())
}

/// A packing of these pieces and of the remaining items by best-fit decreasing.
fn complete(incumbent: &Incumbent<'_>, pieces: Vec<Cuts>, monitor: &Monitor) -> Vec<Pattern> {
    let mut left = incumbent.sizes.list.clone();
    for &(kind, count) in pieces.iter().flatten() {
        left[kind as usize].demand -= count;
    }
    let rest = decreasing(&left, incumbent.instance.stock_length(), Fit::Best, monitor);
    pieces.into_iter().map(pattern).chain(rest).collect()
}

fn pattern(cuts: Cuts) -> Pattern {
    Pattern { pieces: 1, cuts: cuts.into_iter().map(|(item, count)| Cut { item, count }).collect() }
}

/// The items to be packed.
#[derive(Debug, Clone)]
struct Items {
    /// Length of each kind, longest first.
    lengths: Vec<u64>,
    counts: Vec<u32>,
    stock_length: u64,
    /// Total length that the pieces may leave unused.
    slack: u64,
}

/// The total length of all items.
fn total(lengths: &[u64], counts: &[u32]) -> u128 {
    lengths.iter().zip(counts).map(|(&length, &count)| u128::from(length) * u128::from(count)).sum()
}

/// Result of an attempt.
#[derive(Debug)]
enum Filled {
    Packing(Vec<Cuts>),
    /// There is no packing into that number of pieces.
    Refuted,
    /// It ended with these pieces filled and the rest open.
    Open(Vec<Cuts>),
}

impl Items {
    /// The items for packing into `pieces` pieces, with lengths in units of the items' greatest
    /// common divisor; `None` if the pieces together are too short.
    fn new(sizes: &[Size], stock_length: u64, pieces: u64) -> Option<Items> {
        let unit = sizes.iter().map(|size| size.length).fold(0, gcd).max(1);
        let (lengths, counts): (Vec<u64>, Vec<u32>) =
            sizes.iter().map(|size| (size.length / unit, size.demand)).unzip();
        let stock_length = stock_length / unit;
        let slack = (u128::from(stock_length) * u128::from(pieces))
            .checked_sub(total(&lengths, &counts))?;
        // The unused length of 10,000 pieces may exceed 64 bits.
        let slack = u64::try_from(slack).unwrap_or(u64::MAX);
        Some(Items { lengths, counts, stock_length, slack })
    }

    fn left(&self) -> u64 {
        self.counts.iter().map(|&count| u64::from(count)).sum()
    }

    /// Average number of items in a piece, rounded up.
    fn average(&self) -> usize {
        let all = total(&self.lengths, &self.counts) + u128::from(self.slack);
        let pieces = all / u128::from(self.stock_length);
        u128::from(self.left()).div_ceil(pieces.max(1)) as usize
    }

    /// Runs the attempts of a round in parallel.
    ///
    /// # Errors
    /// [`Error::Stopped`] and [`Error::OutOfMemory`].
    fn attempt(
        &self,
        round: u32,
        seed: u64,
        context: &Context,
        monitor: &Monitor,
    ) -> Result<Filled> {
        let settled = AtomicU32::new(u32::MAX);
        let number = |attempt| round * SIDE_BY_SIDE + attempt;
        let work = || {
            parallel::try_map(
                (0..SIDE_BY_SIDE as usize).map(|attempt| number(attempt as u32)),
                |number| {
                    let attempt = Attempt { number, settled: &settled, monitor };
                    let filled =
                        attempt.run(self, &mut Random::new(seed ^ u64::from(number) << 32));
                    if !matches!(filled, Ok(Filled::Open(_)) | Err(_)) {
                        settled.fetch_min(number, Ordering::Relaxed);
                    }
                    Ok(filled)
                },
            )
        };
        let mut best = Vec::new();
        for filled in context.install_reporting(monitor, "full pieces", || None, work)?? {
            match filled {
                Ok(Filled::Open(pieces)) if pieces.len() > best.len() => best = pieces,
                Ok(Filled::Open(_)) => {}
                settled => return settled,
            }
        }
        Ok(Filled::Open(best))
    }
}

struct Attempt<'a> {
    number: u32,
    /// The first attempt that settled the question.
    settled: &'a AtomicU32,
    monitor: &'a Monitor,
}

impl Attempt<'_> {
    fn run(&self, items: &Items, random: &mut Random) -> Result<Filled> {
        let mut pieces = Vec::new();
        match self.fill(items.clone(), &mut pieces, random) {
            Err(error) if matches!(*error, Error::Stopped) => Ok(Filled::Open(pieces)),
            ended => ended,
        }
    }

    /// Fills pieces and appends them to `pieces`, even if stopped.
    fn fill(
        &self,
        mut items: Items,
        pieces: &mut Vec<Cuts>,
        random: &mut Random,
    ) -> Result<Filled> {
        let memory =
            MEMORY.min(self.monitor.memory_bytes() / (8 * 2 * u64::from(SIDE_BY_SIDE))) as usize;
        let mut sums = Sums::default();
        // The number of remaining items at which patterns are listed next.
        let mut next = u64::MAX;
        loop {
            self.check()?;
            let left = items.left();
            if left <= next {
                next = left * 7 / 8;
                sums.compute(&items.lengths, &items.counts, items.stock_length, memory);
                if let Some(ended) = self.cover(&items, &sums, pieces, random)? {
                    return Ok(ended);
                }
            }
            let mut piece = fill_one(&items, &sums, random)?;
            if piece.is_none() {
                // Compute the sums of the now remaining items.
                sums.compute(&items.lengths, &items.counts, items.stock_length, memory);
                piece = fill_one(&items, &sums, random)?;
            }
            let Some((cuts, waste)) = piece else { return Ok(Filled::Open(mem::take(pieces))) };
            items.slack -= waste;
            for &(kind, count) in &cuts {
                items.counts[kind as usize] -= count;
            }
            pieces.push(cuts);
        }
    }

    /// Searches a cover of the remaining items, if their patterns can be listed; `pieces` holds the
    /// other pieces.
    fn cover(
        &self,
        items: &Items,
        sums: &Sums,
        pieces: &mut Vec<Cuts>,
        random: &mut Random,
    ) -> Result<Option<Filled>> {
        let (mut listed, mut restarts) =
            (list(items, sums, usize::MAX, self.monitor)?, self.number);
        let all = listed.is_some();
        if !all && self.is_sparing() {
            listed = list(items, sums, items.average(), self.monitor)?;
            restarts /= 2;
        }
        let Some(listed) = listed else { return Ok(None) };
        let mut covering = Covering::new(&listed, &items.counts)?;
        let touches = TOUCHES << (restarts + 1).trailing_zeros();
        let cover = covering.search(items.slack, touches, random, || self.check());
        let refuted = all && pieces.is_empty();
        if !matches!(cover, Ok(Cover::Found(_) | Cover::Refuted)) {
            pieces.extend(covering.deepest());
        }
        Ok(match cover? {
            Cover::Found(cover) => {
                Some(Filled::Packing(mem::take(pieces).into_iter().chain(cover).collect()))
            }
            Cover::Refuted if refuted => Some(Filled::Refuted),
            // Patterns that are not listed may succeed.
            Cover::Refuted if !all => None,
            Cover::Refuted | Cover::Open => Some(Filled::Open(mem::take(pieces))),
        })
    }

    /// Pieces with more items than average need others with fewer, which may be rare. Every second
    /// attempt therefore prefers few items.
    fn is_sparing(&self) -> bool {
        self.number.is_multiple_of(2)
    }

    /// An error if the solve must end, or if an earlier attempt settled the question.
    fn check(&self) -> Result<()> {
        match self.settled.load(Ordering::Relaxed) < self.number {
            true => Err(Error::stopped()),
            false => self.monitor.check(),
        }
    }
}

/// Fills a piece, starting with the longest remaining item, as full as the sums allow; `None` if
/// more than the slack would stay unused.
fn fill_one(items: &Items, sums: &Sums, random: &mut Random) -> Result<Option<(Cuts, u64)>> {
    let Some(first) = items.counts.iter().position(|&count| count > 0) else { return Ok(None) };
    let room = items.stock_length - items.lengths[first];
    let Some(filled) = sums.greatest(first, room, items.slack) else { return Ok(None) };
    let waste = room - filled;
    let mut patterns = PatternEnumeration::new(items, sums, usize::MAX);
    patterns.start(first, items.stock_length - waste, 0);
    for _ in 0..TURNS {
        if patterns.room() == 0 {
            return Ok(Some((patterns.cuts()?, waste)));
        }
        if !patterns.forward(|| random.unit() < SKIPPED) && !patterns.back() {
            break;
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::solve::SolveOptions;
    use crate::testing::cpu_context;

    fn sizes(items: &[u64]) -> Vec<Size> {
        let mut lengths = items.to_vec();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        let runs = lengths.chunk_by(|a, b| a == b);
        runs.map(|run| Size { length: run[0], demand: run.len() as u32 }).collect()
    }

    /// The result of a round, and the pieces of its packing.
    fn filled(items: &[u64], stock_length: u64, pieces: u64, context: &Context) -> Option<Filled> {
        let sizes = sizes(items);
        let monitor = Monitor::new(&SolveOptions::default());
        let filled =
            Items::new(&sizes, stock_length, pieces)?.attempt(0, 7, context, &monitor).unwrap();
        if let Filled::Packing(found) = &filled {
            assert!(found.len() as u64 <= pieces);
            let mut cut = vec![0; sizes.len()];
            for cuts in found {
                let load: u64 = cuts
                    .iter()
                    .map(|&(kind, count)| sizes[kind as usize].length * u64::from(count))
                    .sum();
                assert!(load <= stock_length);
                cuts.iter().for_each(|&(kind, count)| cut[kind as usize] += count);
            }
            assert!(cut.iter().zip(&sizes).all(|(&cut, size)| cut == size.demand));
        }
        Some(filled)
    }

    fn fits(items: &[u64], rooms: &mut [u64]) -> bool {
        let Some((&item, rest)) = items.split_first() else { return true };
        (0..rooms.len()).any(|piece| {
            rooms[piece] >= item && {
                rooms[piece] -= item;
                let fits = fits(rest, rooms);
                rooms[piece] += item;
                fits
            }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn agrees_with_exhaustive_search(
            items in prop::collection::vec(1u64..25, 0..9), pieces in 1u64..5, unit in 1u64..3, rest in 0u64..2
        ) {
            let longest = items.iter().max().copied().unwrap_or(1);
            let stock_length = longest.max(items.iter().sum::<u64>().div_ceil(pieces));
            let expected = fits(&items, &mut vec![stock_length; pieces as usize]);
            let scaled: Vec<u64> = items.iter().map(|item| item * unit).collect();
            match filled(&scaled, stock_length * unit + rest.min(unit - 1), pieces, &cpu_context(2)).unwrap_or(Filled::Refuted) {
                Filled::Packing(_) => prop_assert!(expected),
                Filled::Refuted => prop_assert!(!expected),
                Filled::Open(_) => prop_assert!(false, "so few patterns can be listed"),
            }
        }
    }

    #[test]
    fn pieces_too_short_altogether_are_none() {
        assert!(filled(&[3, 3, 3], 4, 2, &cpu_context(2)).is_none());
        assert!(
            filled(&[10, 14, 22, 22, 14], 41, 2, &cpu_context(2)).is_none(),
            "20 of 2 each hold no 41 of 2"
        );
        assert!(
            matches!(filled(&[], 4, 0, &cpu_context(2)), Some(Filled::Packing(found)) if found.is_empty())
        );
    }
}
