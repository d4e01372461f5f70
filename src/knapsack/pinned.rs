//! Copies that every selection has, by reduction: they take their weight from the capacity, and the
//! other copies are those of a knapsack without pinned ones. Its selections are those of the
//! instance less the pinned copies, and its profits are less by theirs.

use std::sync::Arc;

use super::search::Answer;
use super::{Instance, Solution};
use crate::memory::Gather;
use crate::solve::{Found, Monitor, Offset};
use crate::{Result, memory};

/// An instance with pinned copies, and what is left of it without them.
pub(super) struct Rest<'a> {
    pinned: &'a [u64],
    /// Profit of the pinned copies.
    profit: u64,
    pub(super) instance: Instance,
}

impl<'a> Rest<'a> {
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(super) fn new(instance: &'a Instance) -> Result<Self> {
        let pinned = instance.pinned();
        // No overflow: the instance has checked both sums.
        let sum = |list: &[u64]| pinned.iter().zip(list).map(|(count, each)| count * each).sum();
        let (profit, weight): (u64, u64) = (sum(instance.profits()), sum(instance.weights()));
        let copies = pinned.iter().zip(instance.copies()).map(|(pinned, &copies)| match copies {
            Instance::UNBOUNDED => copies,
            copies => copies - pinned,
        });
        let rest = Instance::bounded(
            memory::copied(instance.profits())?,
            memory::copied(instance.weights())?,
            copies.gather()?,
            instance.capacity() - weight,
        )?;
        Ok(Rest { pinned, profit, instance: rest })
    }

    /// The part of the solve that fills the rest.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(super) fn watch(&self, monitor: &Monitor) -> Result<Monitor> {
        let pinned: Arc<Vec<u64>> = Arc::new(memory::copied(self.pinned)?);
        let found = move |found: Found| {
            let pinned = Arc::clone(&pinned);
            found.map(move |solution: &Solution| {
                Some(Solution { counts: with(&pinned, &solution.counts).ok()? })
            })
        };
        // Below 2^63: the profit of copies that fit together.
        let added = self.profit as i64;
        Ok(monitor.reduced(None, Offset { added, highest: i64::MAX, found }))
    }

    /// The selection without its pinned copies, of which it has all.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(super) fn without(&self, counts: &[u64]) -> Result<Vec<u64>> {
        counts.iter().zip(self.pinned).map(|(count, pinned)| count - pinned).gather()
    }

    /// What an answer for the rest says of the instance.
    pub(super) fn answer(&self, Answer { mut counts, profit, bound }: Answer) -> Answer {
        // In place, since there may be millions.
        counts.iter_mut().zip(self.pinned).for_each(|(count, pinned)| *count += pinned);
        Answer { counts, profit: profit + self.profit, bound: bound.saturating_add(self.profit) }
    }
}

/// The selection with the pinned copies.
fn with(pinned: &[u64], counts: &[u64]) -> Result<Vec<u64>> {
    counts.iter().zip(pinned).map(|(count, pinned)| count + pinned).gather()
}
