//! A depth-first search with the bound of fixed multipliers, in steps.
//!
//! Let B be the bound of some multipliers and g_j the gain of piece j, see `bounds.rs`. A selection
//! that takes pieces of negative gain or leaves out pieces of positive gain is worth at most B less
//! the sum of these |g_j|. The pieces with the largest |g_j| are decided first, each first as its
//! gain says.

use std::cmp::Reverse;

use super::bounds::{Prices, scaled};
use super::reduction::Problem;
use crate::memory::Gather;
use crate::{Result, memory};

/// What all trees of a problem have in common.
pub(super) struct Plan<'a> {
    pub(super) problem: &'a Problem,
    pub(super) prices: &'a Prices,
    /// The pieces in the order of decisions.
    steps: Vec<Step>,
    /// The weights of each step.
    weights: Vec<u64>,
}

/// A piece to decide.
#[derive(Clone, Copy)]
struct Step {
    piece: usize,
    /// Its place among the items of the table.
    rank: usize,
    profit: u64,
    /// Whether its gain says to take it.
    is_worthy: bool,
    /// By how much the other decision lowers the bound.
    loss: i128,
}

impl<'a> Plan<'a> {
    /// `items` are the pieces in the order of the table's items.
    pub(super) fn new(problem: &'a Problem, prices: &'a Prices, items: &[usize]) -> Result<Self> {
        let step = |(rank, &piece): (usize, &usize)| {
            let (profit, gain) = (problem.profits[piece], prices.gains[piece]);
            Step { piece, rank, profit, is_worthy: gain > 0, loss: gain.abs() }
        };
        let mut steps: Vec<Step> = items.iter().enumerate().map(step).gather()?;
        steps.sort_unstable_by_key(|step| (Reverse(step.loss), step.piece));
        let mut weights = memory::list(problem.len() * problem.dimensions())?;
        steps.iter().for_each(|step| weights.extend_from_slice(problem.weights(step.piece)));
        Ok(Plan { problem, prices, steps, weights })
    }

    /// The most pieces that can be decided against their gains in a selection worth more than
    /// `profit`, by the bound.
    pub(super) fn most_against_gains(&self, profit: u64) -> usize {
        let mut left = self.prices.bound - scaled(profit + 1);
        let is_within = |step: &&Step| {
            left -= step.loss;
            left >= 0
        };
        self.steps.iter().rev().take_while(is_within).count()
    }

    #[inline]
    fn weights(&self, step: usize) -> &[u64] {
        let dimensions = self.problem.dimensions();
        &self.weights[step * dimensions..][..dimensions]
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
    pub(super) pick: Pick,
}

impl Best {
    /// No selection, but a profit that is known to be possible.
    pub(super) fn known(profit: u64, pick: Pick) -> Self {
        Best { profit, taken: None, pick }
    }

    /// Which pieces it takes, if it is worth more than was known.
    pub(super) fn selection(&self, plan: &Plan<'_>) -> Result<Option<Vec<bool>>> {
        let Some(words) = &self.taken else { return Ok(None) };
        let mut taken = memory::filled(false, plan.steps.len())?;
        for &Step { piece, rank, .. } in &plan.steps {
            taken[piece] = words[rank / 64] >> (rank % 64) & 1 == 1;
        }
        Ok(Some(taken))
    }

    /// Selections worth at most this much no longer matter.
    pub(super) fn least(&self) -> u64 {
        match (&self.taken, self.pick) {
            (Some(_), Pick::Table) => self.profit - 1,
            _ => self.profit,
        }
    }

    /// Whether a selection of the same profit is to be preferred.
    #[inline]
    fn comes_after(&self, taken: &[u64]) -> bool {
        let is_less = |best: &Vec<u64>| taken.iter().rev().lt(best.iter().rev());
        self.pick == Pick::Table && self.taken.as_ref().is_some_and(is_less)
    }

    /// Keeps a selection if it is better. Returns whether it is.
    fn take(&mut self, profit: u64, taken: &[u64]) -> Result<bool> {
        let is_better = profit > self.profit || profit == self.profit && self.comes_after(taken);
        if is_better {
            (self.profit, self.taken) = (profit, Some(memory::copied(taken)?));
        }
        Ok(is_better)
    }
}

/// A search for the best selection worth more than a target.
pub(super) struct Tree {
    pub(super) target: u64,
    /// Whether no better selection is worth more than the target.
    pub(super) is_complete: bool,
    room: Vec<u64>,
    /// Whether the pieces decided so far are taken.
    path: Vec<bool>,
    /// How many ways to decide each piece of the path, and the next one, were tried.
    tried: Vec<u8>,
    /// The pieces taken, as a binary number.
    taken: Vec<u64>,
    profit: u64,
    /// By how much all decisions together lower the bound.
    loss: i128,
}

impl Tree {
    pub(super) fn new(problem: &Problem, target: u64) -> Result<Self> {
        Ok(Tree {
            target,
            is_complete: false,
            room: memory::copied(&problem.capacities)?,
            path: memory::list(problem.len())?,
            tried: memory::zeroed(problem.len() + 1)?,
            taken: memory::zeroed(problem.len().div_ceil(64))?,
            profit: 0,
            loss: 0,
        })
    }

    /// Starts again with another target. The tree is complete, so that its path is empty.
    pub(super) fn restart(&mut self, target: u64) {
        (self.target, self.is_complete, self.tried[0]) = (target, false, 0);
    }

    /// Continues for up to `most` nodes. Returns their number.
    pub(super) fn advance(&mut self, plan: &Plan<'_>, best: &mut Best, most: u64) -> Result<u64> {
        let (mut limits, mut nodes) = (Limits::new(plan, best, self.target), 0);
        while nodes < most && !self.is_complete {
            let depth = self.path.len();
            let is_leaf = depth == plan.steps.len();
            if is_leaf && best.take(self.profit, &self.taken)? {
                limits = Limits::new(plan, best, self.target);
            }
            if is_leaf || self.tried[depth] == 2 {
                self.is_complete = depth == 0;
                self.leave(plan);
                continue;
            }
            let as_gain_says = self.tried[depth] == 0;
            self.tried[depth] += 1;
            if self.enter(plan, best, &limits, as_gain_says) {
                self.tried[depth + 1] = 0;
                nodes += 1;
            }
        }
        Ok(nodes)
    }

    /// Decides the next piece as its gain says, or otherwise. Returns whether the node is worth a
    /// search.
    #[inline]
    fn enter(&mut self, plan: &Plan<'_>, best: &Best, limits: &Limits, as_gain_says: bool) -> bool {
        let depth = self.path.len();
        let Step { rank, profit, is_worthy, loss, .. } = plan.steps[depth];
        let loss = if as_gain_says { self.loss } else { self.loss + loss };
        if loss > limits.most {
            return false;
        }
        let takes = as_gain_says == is_worthy;
        if takes {
            let weights = plan.weights(depth);
            if weights.iter().zip(&self.room).any(|(weight, room)| weight > room) {
                return false;
            }
            self.room.iter_mut().zip(weights).for_each(|(room, weight)| *room -= weight);
            self.profit += profit;
            self.taken[rank / 64] |= 1 << (rank % 64);
        }
        self.path.push(takes);
        self.loss = loss;
        // Further pieces make the number larger.
        let is_too_late = loss > limits.of_better && !best.comes_after(&self.taken);
        if is_too_late {
            self.leave(plan);
        }
        !is_too_late
    }

    #[inline]
    fn leave(&mut self, plan: &Plan<'_>) {
        let Some(took) = self.path.pop() else { return };
        let depth = self.path.len();
        let Step { rank, profit, is_worthy, loss, .. } = plan.steps[depth];
        if took != is_worthy {
            self.loss -= loss;
        }
        if took {
            let weights = plan.weights(depth);
            self.room.iter_mut().zip(weights).for_each(|(room, weight)| *room += weight);
            self.profit -= profit;
            self.taken[rank / 64] &= !(1 << (rank % 64));
        }
    }
}

/// By how much the decisions of a node may lower the bound.
struct Limits {
    most: i128,
    /// The same for selections worth more than the best one.
    of_better: i128,
}

impl Limits {
    fn new(plan: &Plan<'_>, best: &Best, target: u64) -> Self {
        let down_to = |profit: u64| plan.prices.bound - scaled(profit + 1);
        Limits { most: down_to(best.least().max(target)), of_better: down_to(best.profit) }
    }
}
