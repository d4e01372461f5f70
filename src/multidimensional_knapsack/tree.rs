//! A depth-first search with the bound of fixed multipliers, in steps.
//!
//! Let B be the bound of some multipliers and g_j the gain of piece j, see `bounds.rs`. A selection
//! that takes pieces of negative gain or leaves out pieces of positive gain is worth at most B less
//! the sum of these |g_j|. The pieces with the largest |g_j| are decided first, each first as its
//! gain says. A piece whose |g_j| is more than the bound can lose is decided as its gain says: a run
//! of such pieces is one step.

use std::cmp::Reverse;

use super::bounds::{Prices, scaled};
use super::reduction::Problem;
use crate::memory::Gather;
use crate::{Result, memory};

/// What all trees of a problem have in common. Positions are those in the order of decisions.
pub(super) struct Plan<'a> {
    pub(super) problem: &'a Problem,
    pub(super) prices: &'a Prices,
    /// The piece at each position.
    order: Vec<usize>,
    /// The place of each piece among the items of the table.
    ranks: Vec<usize>,
    /// |g_j| at each position, the largest first.
    losses: Vec<i128>,
    /// The profit of all pieces of positive gain before each position.
    profits_before: Vec<u64>,
    /// Their weights.
    weights_before: Vec<u64>,
}

impl<'a> Plan<'a> {
    /// `items` are the pieces in the order of the table's items.
    pub(super) fn new(problem: &'a Problem, prices: &'a Prices, items: &[usize]) -> Result<Self> {
        let (pieces, dimensions) = (problem.len(), problem.dimensions());
        let mut order: Vec<usize> = (0..pieces).gather()?;
        order.sort_unstable_by_key(|&piece| (Reverse(prices.gains[piece].abs()), piece));
        let mut ranks = memory::zeroed(pieces)?;
        items.iter().enumerate().for_each(|(rank, &piece)| ranks[piece] = rank);
        let losses = order.iter().map(|&piece| prices.gains[piece].abs()).gather()?;
        let mut profits_before = memory::filled(0, pieces + 1)?;
        let mut weights_before = memory::zeroed((pieces + 1) * dimensions)?;
        for (position, &piece) in order.iter().enumerate() {
            let is_taken = u64::from(prices.gains[piece] > 0);
            profits_before[position + 1] =
                profits_before[position] + is_taken * problem.profits[piece];
            let (before, after) = weights_before.split_at_mut((position + 1) * dimensions);
            let before = &before[position * dimensions..];
            for ((after, before), weight) in
                after.iter_mut().zip(before).zip(problem.weights(piece))
            {
                *after = before + is_taken * weight;
            }
        }
        Ok(Plan { problem, prices, order, ranks, losses, profits_before, weights_before })
    }

    /// The most pieces that can be decided against their gains in a selection worth more than
    /// `profit`, by the bound.
    pub(super) fn most_against_gains(&self, profit: u64) -> usize {
        let mut left = self.prices.bound - scaled(profit + 1);
        let is_within = |loss: &&i128| {
            left -= **loss;
            left >= 0
        };
        self.losses.iter().rev().take_while(is_within).count()
    }

    /// Whether to decide a piece so is to take it.
    #[inline]
    fn takes(&self, piece: usize, is_against_gain: bool) -> bool {
        (self.prices.gains[piece] > 0) != is_against_gain
    }

    #[inline]
    fn weights_before(&self, position: usize) -> &[u64] {
        let dimensions = self.problem.dimensions();
        &self.weights_before[position * dimensions..][..dimensions]
    }
}

/// Which selection a search returns, if several are the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pick {
    /// The one that it finds first.
    First,
    /// That of the table. The table decides its last item first, and leaves it out if it can. So its
    /// selection is the smallest, as a binary number in which the piece of rank i has the digit of 2^i.
    Table,
}

/// The best selection so far.
pub(super) struct Best {
    pub(super) profit: u64,
    /// As a binary number; nothing as long as none is worth more than was known.
    taken: Option<Vec<u64>>,
    pick: Pick,
}

impl Best {
    /// No selection, but a profit that is known to be possible.
    pub(super) fn known(profit: u64, pick: Pick) -> Self {
        Best { profit, taken: None, pick }
    }

    /// Which pieces it takes, if it is worth more than was known.
    pub(super) fn selection(&self, plan: &Plan<'_>) -> Result<Option<Vec<bool>>> {
        let is_taken = |words: &[u64], rank: usize| words[rank / 64] >> (rank % 64) & 1 == 1;
        let of = |words: &Vec<u64>| plan.ranks.iter().map(|&rank| is_taken(words, rank)).gather();
        self.taken.as_ref().map(of).transpose()
    }

    /// Selections worth at most this much no longer matter.
    pub(super) fn least(&self) -> u64 {
        match (&self.taken, self.pick) {
            (Some(_), Pick::Table) => self.profit - 1,
            _ => self.profit,
        }
    }

    /// Keeps a selection if it is better.
    fn take(&mut self, profit: u64, number: impl FnOnce() -> Result<Vec<u64>>) -> Result<()> {
        if profit < self.profit || profit <= self.least() {
            return Ok(());
        }
        let number = number()?;
        let is_less = |best: &Vec<u64>| number.iter().rev().lt(best.iter().rev());
        if profit > self.profit || self.taken.as_ref().is_some_and(is_less) {
            (self.profit, self.taken) = (profit, Some(number));
        }
        Ok(())
    }
}

/// A search for the best selection worth more than a target.
pub(super) struct Tree {
    pub(super) target: u64,
    /// Whether no better selection is worth more than the target.
    pub(super) is_complete: bool,
    /// The first position to decide; nothing if the last branch is to be decided otherwise.
    next: Option<usize>,
    path: Vec<Branch>,
    room: Vec<u64>,
    profit: u64,
    /// By how much all decisions together lower the bound.
    loss: i128,
}

/// A piece with two ways to decide it, behind a run of pieces that are decided as their gains say.
#[derive(Clone, Copy)]
struct Branch {
    /// The position of the run.
    run: usize,
    position: usize,
    is_against_gain: bool,
    /// Whether the piece is decided. One that does not fit can't be taken.
    is_decided: bool,
}

impl Tree {
    pub(super) fn new(problem: &Problem, target: u64) -> Result<Self> {
        Ok(Tree {
            target,
            is_complete: false,
            next: Some(0),
            path: memory::list(problem.len())?,
            room: memory::copied(&problem.capacities)?,
            profit: 0,
            loss: 0,
        })
    }

    /// Starts again at the root, with another target.
    pub(super) fn restart(&mut self, plan: &Plan<'_>, target: u64) {
        (self.target, self.is_complete, self.next) = (target, false, Some(0));
        self.path.clear();
        self.room.copy_from_slice(&plan.problem.capacities);
        (self.profit, self.loss) = (0, 0);
    }

    /// Continues for up to `most` nodes. Returns their number.
    pub(super) fn advance(&mut self, plan: &Plan<'_>, best: &mut Best, most: u64) -> Result<u64> {
        let mut nodes = 0;
        while nodes < most && !self.is_complete {
            // What the bound can still lose.
            let slack = plan.prices.bound - self.loss - scaled(best.least().max(self.target) + 1);
            match self.next.take() {
                Some(start) => {
                    nodes += 1;
                    self.descend(plan, slack, start, best)?;
                }
                None => self.go_back(plan, slack),
            }
        }
        Ok(nodes)
    }

    /// Decides the pieces from a position on that only one way is left for, and the next one as its
    /// gain says.
    #[inline]
    fn descend(
        &mut self,
        plan: &Plan<'_>,
        slack: i128,
        start: usize,
        best: &mut Best,
    ) -> Result<()> {
        let position = start + plan.losses[start..].partition_point(|loss| *loss > slack);
        let [before, after] = [start, position].map(|position| plan.weights_before(position));
        let mut weights = after.iter().zip(before).map(|(after, before)| after - before);
        if slack < 0 || self.room.iter().any(|&room| weights.next().is_some_and(|w| w > room)) {
            return Ok(());
        }
        let profit = plan.profits_before[position] - plan.profits_before[start];
        if position == plan.order.len() {
            return best.take(self.profit + profit, || self.number(plan));
        }
        for (room, (after, before)) in self.room.iter_mut().zip(after.iter().zip(before)) {
            *room -= after - before;
        }
        self.profit += profit;
        self.path.push(Branch { run: start, position, is_against_gain: false, is_decided: false });
        self.decide(plan, false);
        Ok(())
    }

    /// Decides the last branch the other way, or leaves it.
    #[inline]
    fn go_back(&mut self, plan: &Plan<'_>, slack: i128) {
        let Some(&Branch { run, position, is_against_gain, is_decided }) = self.path.last() else {
            self.is_complete = true;
            return;
        };
        if is_decided {
            self.undo(plan, position, is_against_gain);
        }
        if !is_against_gain && plan.losses[position] <= slack {
            return self.decide(plan, true);
        }
        self.path.pop();
        let [before, after] = [run, position].map(|position| plan.weights_before(position));
        for (room, (after, before)) in self.room.iter_mut().zip(after.iter().zip(before)) {
            *room += after - before;
        }
        self.profit -= plan.profits_before[position] - plan.profits_before[run];
    }

    /// Decides the last branch, if that is possible.
    #[inline]
    fn decide(&mut self, plan: &Plan<'_>, is_against_gain: bool) {
        let Some(branch) = self.path.last_mut() else { return };
        let piece = plan.order[branch.position];
        let weights = plan.problem.weights(piece);
        let takes = plan.takes(piece, is_against_gain);
        let is_decided = !takes || weights.iter().zip(&self.room).all(|(w, room)| w <= room);
        (branch.is_against_gain, branch.is_decided) = (is_against_gain, is_decided);
        if !is_decided {
            return;
        }
        if takes {
            self.room.iter_mut().zip(weights).for_each(|(room, weight)| *room -= weight);
            self.profit += plan.problem.profits[piece];
        }
        if is_against_gain {
            self.loss += plan.losses[branch.position];
        }
        self.next = Some(branch.position + 1);
    }

    #[inline]
    fn undo(&mut self, plan: &Plan<'_>, position: usize, is_against_gain: bool) {
        let piece = plan.order[position];
        if plan.takes(piece, is_against_gain) {
            let weights = plan.problem.weights(piece);
            self.room.iter_mut().zip(weights).for_each(|(room, weight)| *room += weight);
            self.profit -= plan.problem.profits[piece];
        }
        if is_against_gain {
            self.loss -= plan.losses[position];
        }
    }

    /// The selection at the end of the path, see [`Pick::Table`].
    fn number(&self, plan: &Plan<'_>) -> Result<Vec<u64>> {
        let mut words = memory::zeroed(plan.ranks.len().div_ceil(64))?;
        let mut toggle = |rank: usize| words[rank / 64] ^= 1 << (rank % 64);
        let pieces = (0..plan.ranks.len()).filter(|&piece| plan.takes(piece, false));
        pieces.for_each(|piece| toggle(plan.ranks[piece]));
        let against = self.path.iter().filter(|branch| branch.is_against_gain);
        against.for_each(|branch| toggle(plan.ranks[plan.order[branch.position]]));
        Ok(words)
    }
}
