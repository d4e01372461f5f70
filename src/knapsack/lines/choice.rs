//! Choices of pieces with given numbers from each line and a given weight.
//!
//! A search takes neighbours from each line up to about the weight. Then it lists exchanges in one
//! half of the pieces and in the other, by weight, and looks in the two lists for a pair that adds
//! the missing weight.

use std::ops::RangeInclusive;

use super::Line;
use crate::memory::{Gather, Grow};
use crate::random::Random;
use crate::solve::Monitor;
use crate::{Result, memory, sorting};

/// Pieces on each side of a window's end that exchanges are sure to include.
const REACH: usize = 48;
/// Number of attempts, each with another split of the pieces into halves and another initial
/// choice.
pub(super) const ROUNDS: u64 = 12;
/// Most exchanges in each half of the pieces.
const EXCHANGES: usize = 1 << 16;

/// A choice with given numbers of pieces from each line.
pub(super) struct Choice {
    pub(super) taken: Vec<bool>,
    pub(super) weight: i64,
}

/// Pieces whose flips together keep each line's number of pieces, except for the line through 0.
#[derive(Clone, Copy)]
pub(super) struct Exchange {
    /// Weight that the flips add.
    weight: i64,
    /// Up to four pieces; [`NO_PIECE`] for none.
    pieces: [u32; 4],
}

const NO_PIECE: u32 = u32::MAX;

impl Exchange {
    /// Combines two exchanges of up to two pieces; `None` if they share a piece.
    fn and(&self, other: &Exchange) -> Option<Exchange> {
        let [a, b, ..] = self.pieces;
        let [c, d, ..] = other.pieces;
        let is_common = a == c || a == d || b == c || (b == d && b != NO_PIECE);
        (!is_common).then(|| Exchange { weight: self.weight + other.weight, pieces: [a, b, c, d] })
    }
}

impl Choice {
    /// A choice with these numbers of pieces, if one fits. Its weight is below the capacity by
    /// about as much as exchanges add; in every other round it exceeds the capacity instead.
    pub(super) fn new(
        lines: &[Line],
        numbers: &[usize],
        capacity: i64,
        round: u64,
        pieces: usize,
        monitor: &Monitor,
    ) -> Result<Option<Self>> {
        let mut choice = Choice { taken: memory::filled(false, pieces)?, weight: 0 };
        let (lines, through_0) = lines.split_at(lines.partition_point(|line| line.step != 0));
        // Neighbours from each line, as far above the lightest pieces as they fit.
        let windows: Vec<Window<'_>> = lines
            .iter()
            .zip(numbers)
            .map(|(line, &number)| {
                Ok(Window { pieces: &line.pieces, number, prefix: line.weights(false)? })
            })
            .try_gather()?;
        let steps: usize = windows.iter().map(Window::steps).max().unwrap_or(0);
        let weight_at = |step: usize| -> i64 {
            windows.iter().map(|window| window.weight(window.first(step, steps))).sum()
        };
        if weight_at(0) > capacity {
            return Ok(None);
        }
        let mut step = partition_point(steps, |step| weight_at(step) <= capacity);
        let is_above = round % 2 == 1 && step < steps;
        step += usize::from(is_above);
        for window in &windows {
            choice.take(&window.pieces[window.first(step, steps)..][..window.number]);
        }
        if is_above {
            return Ok(Some(choice));
        }
        let ends = windows
            .iter()
            .map(|window| window.reach(window.first(step, steps), REACH << (round % 3)));
        let reach = ends.max().unwrap_or(0);
        let aim = capacity - reach;
        for window in &windows {
            if choice.weight < aim - reach {
                choice.move_up(window, window.first(step, steps), aim);
            }
        }
        for line in through_0 {
            choice.add(&line.pieces, aim, monitor)?;
        }
        Ok(Some(choice))
    }

    fn take(&mut self, pieces: &[(usize, i64)]) {
        for &(place, weight) in pieces {
            self.taken[place] = true;
            self.weight += weight;
        }
    }

    /// Exchanges the piece above a window for the lightest piece inside that frees enough weight.
    fn move_up(&mut self, window: &Window<'_>, first: usize, capacity: i64) {
        let Some(&(above, weight)) = window.pieces.get(first + window.number) else { return };
        let inside = &window.pieces[first..first + window.number];
        let least = weight - (capacity - self.weight);
        let Some(&(place, lighter)) = inside.get(inside.partition_point(|piece| piece.1 < least))
        else {
            return;
        };
        self.taken[place] = false;
        self.taken[above] = true;
        self.weight += weight - lighter;
    }

    /// Adds pieces that fit, in a pseudo-random order.
    fn add(&mut self, pieces: &[(usize, i64)], capacity: i64, monitor: &Monitor) -> Result<()> {
        let key = |index: usize| shuffled(pieces[index].0, ROUNDS);
        for index in sorting::order(pieces.len(), &key, monitor)? {
            let (place, weight) = pieces[index as usize];
            if weight <= capacity - self.weight {
                self.taken[place] = true;
                self.weight += weight;
            }
        }
        Ok(())
    }

    /// Exchanges of the pieces of a half, by weight, including the empty one.
    pub(super) fn exchanges(
        &self,
        lines: &[Line],
        round: u64,
        half: u64,
        monitor: &Monitor,
    ) -> Result<Vec<Exchange>> {
        let mut exchanges = vec![Exchange { weight: 0, pieces: [NO_PIECE; 4] }];
        let each = EXCHANGES / lines.len();
        for line in lines {
            let is_own = |place| shuffled(place, round) >> 63 == half;
            let [inside, outside] = self.nearest(line, is_own, each.isqrt(), monitor)?;
            if line.step == 0 {
                let removed = inside.iter().map(|&(place, weight)| (place, -weight));
                exchanges.try_extend(removed.chain(outside.iter().copied()).map(
                    |(place, weight)| Exchange {
                        weight,
                        pieces: [place as u32, NO_PIECE, NO_PIECE, NO_PIECE],
                    },
                ))?;
            }
            for &(removed, lost) in &inside {
                for &(added, gained) in &outside {
                    let pieces = [removed as u32, added as u32, NO_PIECE, NO_PIECE];
                    exchanges.try_push(Exchange { weight: gained - lost, pieces })?;
                }
            }
        }
        // Combine exchanges in pairs if there are few.
        let single = exchanges.len();
        for first in 1..single {
            if exchanges.len() >= EXCHANGES {
                break;
            }
            let both = exchanges[1..first].iter().filter_map(|other| exchanges[first].and(other));
            let both = both.gather()?;
            exchanges.try_extend(both)?;
        }
        memory::sort_by_key(&mut exchanges, |exchange| exchange.weight.abs_diff(i64::MIN))?;
        Ok(exchanges)
    }

    /// At most `most` of the half's pieces of a line that are in the choice, and as many that are
    /// not. Pieces near one of the other kind come first.
    fn nearest(
        &self,
        line: &Line,
        is_own: impl Fn(usize) -> bool,
        most: usize,
        monitor: &Monitor,
    ) -> Result<[Vec<(usize, i64)>; 2]> {
        let own: Vec<(usize, i64)> =
            line.pieces.iter().filter(|piece| is_own(piece.0)).copied().gather()?;
        let is_taken = |piece: &(usize, i64)| self.taken[piece.0];
        // Distance to the nearest piece of the other kind, below or above.
        let mut distances = memory::filled(usize::MAX, own.len())?;
        for backwards in [false, true] {
            let mut same = usize::MAX;
            for step in 0..own.len() {
                let place = if backwards { own.len() - 1 - step } else { step };
                let before = if backwards { place + 1 } else { place.wrapping_sub(1) };
                let changes =
                    own.get(before).is_some_and(|piece| is_taken(piece) != is_taken(&own[place]));
                same = if changes { 1 } else { same.saturating_add(1) };
                distances[place] = distances[place].min(same);
            }
        }
        let order = sorting::order(own.len(), &|place| distances[place] as u64, monitor)?;
        let of = |taken: bool| {
            let places = order.iter().map(|&place| own[place as usize]);
            places.filter(|piece| is_taken(piece) == taken).take(most).gather()
        };
        Ok([of(true)?, of(false)?])
    }

    /// The choice after two exchanges, one of each half, that together add a weight within the
    /// range, or the largest below it.
    pub(super) fn exchange(
        &self,
        [one, other]: [Vec<Exchange>; 2],
        missing: &RangeInclusive<i64>,
    ) -> Result<Option<Choice>> {
        let mut best: Option<(i64, [Exchange; 2])> = None;
        let mut heavier = other.iter().rev().peekable();
        for exchange in &one {
            while heavier.next_if(|other| exchange.weight + other.weight > *missing.end()).is_some()
            {
            }
            let Some(other) = heavier.peek() else { break };
            let weight = exchange.weight + other.weight;
            if best.as_ref().is_none_or(|best| weight > best.0) {
                best = Some((weight, [*exchange, **other]));
            }
            if weight >= *missing.start() {
                break;
            }
        }
        let Some((weight, both)) = best else { return Ok(None) };
        let mut choice =
            Choice { taken: memory::copied(&self.taken)?, weight: self.weight + weight };
        for piece in
            both.iter().flat_map(|exchange| exchange.pieces).filter(|&piece| piece != NO_PIECE)
        {
            choice.taken[piece as usize] = !choice.taken[piece as usize];
        }
        Ok(Some(choice))
    }
}

/// Neighbouring pieces of a line.
struct Window<'a> {
    pieces: &'a [(usize, i64)],
    number: usize,
    /// Total weight of the line's first pieces, for each number of pieces.
    prefix: Vec<i64>,
}

impl Window<'_> {
    /// Number of pieces by which the window can move up.
    fn steps(&self) -> usize {
        self.pieces.len() - self.number
    }

    /// First piece of the window after step `step` of `steps` that all windows make together.
    fn first(&self, step: usize, steps: usize) -> usize {
        if steps == 0 { 0 } else { (step as u128 * self.steps() as u128 / steps as u128) as usize }
    }

    /// Weight that an exchange across the upper end of the window at `first` typically adds.
    fn reach(&self, first: usize, pieces: usize) -> i64 {
        let end = first + self.number;
        let near = &self.pieces
            [end.saturating_sub(pieces).max(first)..(end + pieces).min(self.pieces.len())];
        near.first().zip(near.last()).map_or(0, |(one, other)| other.1 - one.1)
    }

    fn weight(&self, first: usize) -> i64 {
        self.prefix[first + self.number] - self.prefix[first]
    }
}

/// The last number in 0..=last for which `holds`; it must hold for 0, and for none after the first
/// that fails.
fn partition_point(last: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, last);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if holds(middle) { low = middle } else { high = middle - 1 }
    }
    low
}

/// A pseudo-random number for each piece, different in each round.
pub(super) fn shuffled(piece: usize, round: u64) -> u64 {
    Random::at(piece as u64 + (round << 32))
}
