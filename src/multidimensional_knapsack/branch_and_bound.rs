//! Branch and bound, depth first, with the bound of fixed multipliers.
//!
//! Let B be the bound of some multipliers and g_j the gain of piece j, see `bounds.rs`. A selection
//! that takes pieces of negative gain or leaves out pieces of positive gain is worth at most B less
//! the sum of these |g_j|. The pieces with the largest |g_j| are decided first, each first as its
//! gain says.

use super::bounds::{Prices, scaled};
use super::reduction::Problem;
use crate::memory::Gather;
use crate::solve::Monitor;
use crate::{Result, memory};

/// What a search has found.
pub(super) struct Ended {
    /// The best selection that is worth more than what was known, with its profit.
    pub(super) best: Option<(u64, Vec<bool>)>,
    /// Whether no other selection is worth more.
    pub(super) is_complete: bool,
    pub(super) nodes: u64,
}

/// Searches for selections worth more than `known`, in up to `most` nodes.
pub(super) fn search(
    problem: &Problem,
    prices: &Prices,
    known: u64,
    most: u64,
    monitor: &Monitor,
) -> Result<Ended> {
    let mut order = (0..problem.len()).gather()?;
    memory::sort_by_key(&mut order, |&piece: &usize| {
        memory::key(-(prices.gains[piece] as f64).abs())
    })?;
    let mut tree = Tree {
        problem,
        prices,
        known,
        room: memory::copied(&problem.capacities)?,
        path: memory::list(problem.len())?,
        profit: 0,
        loss: 0,
        best: None,
    };
    let (mut tried, mut nodes) = (memory::filled(0u8, problem.len())?, 0);
    loop {
        let depth = tree.path.len();
        if depth < order.len() && tried[depth] < 2 {
            let is_first = tried[depth] == 0;
            tried[depth] += 1;
            if tree.enter(order[depth], is_first) {
                if let Some(next) = tried.get_mut(depth + 1) {
                    *next = 0;
                }
                nodes += 1;
                if nodes == most {
                    return Ok(Ended { best: tree.best, is_complete: false, nodes });
                }
                if monitor.check_step(nodes as usize).is_err() {
                    return Ok(Ended { best: tree.best, is_complete: false, nodes });
                }
            }
            continue;
        }
        if depth == order.len() {
            tree.note(&order)?;
        }
        if depth == 0 {
            return Ok(Ended { best: tree.best, is_complete: true, nodes });
        }
        tree.leave(order[depth - 1]);
    }
}

struct Tree<'a> {
    problem: &'a Problem,
    prices: &'a Prices,
    known: u64,
    room: Vec<u64>,
    /// Whether the pieces decided so far are taken, and by how much each lowers the bound.
    path: Vec<(bool, i128)>,
    profit: u64,
    /// By how much all of them lower the bound.
    loss: i128,
    best: Option<(u64, Vec<bool>)>,
}

impl Tree<'_> {
    /// Decides a piece as its gain says, or otherwise. Returns whether the node is worth a search.
    #[inline]
    fn enter(&mut self, piece: usize, as_gain_says: bool) -> bool {
        let gain = self.prices.gains[piece];
        let (takes, loss) = if as_gain_says { (gain > 0, 0) } else { (gain <= 0, gain.abs()) };
        if self.prices.bound - self.loss - loss < scaled(self.known + 1) {
            return false;
        }
        if takes {
            let weights = self.problem.weights(piece);
            if weights.iter().zip(&self.room).any(|(weight, room)| weight > room) {
                return false;
            }
            self.room.iter_mut().zip(weights).for_each(|(room, weight)| *room -= weight);
            self.profit += self.problem.profits[piece];
        }
        self.path.push((takes, loss));
        self.loss += loss;
        true
    }

    #[inline]
    fn leave(&mut self, piece: usize) {
        let Some((took, loss)) = self.path.pop() else { return };
        self.loss -= loss;
        if took {
            let weights = self.problem.weights(piece);
            self.room.iter_mut().zip(weights).for_each(|(room, weight)| *room += weight);
            self.profit -= self.problem.profits[piece];
        }
    }

    /// Keeps the selection if it is worth more than what is known.
    fn note(&mut self, order: &[usize]) -> Result<()> {
        if self.profit > self.known {
            let mut taken = memory::filled(false, order.len())?;
            order.iter().zip(&self.path).for_each(|(&piece, &(took, _))| taken[piece] = took);
            self.known = self.profit;
            self.best = Some((self.profit, taken));
        }
        Ok(())
    }
}
