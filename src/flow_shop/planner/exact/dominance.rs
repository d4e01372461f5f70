//! Beginnings with the same jobs, of which only the best are extended.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::cost::Cost;
use super::super::front::Front;
use super::super::problem::Problem;
use crate::flow_shop::Criterion;
use crate::mutex::lock;
use crate::solve::Monitor;

/// Parts of the table with locks of their own.
const PARTS: usize = 64;
/// Beginnings that are kept for the same jobs.
const MOST_ALIKE: usize = 24;
const MOST_BYTES: u64 = 1 << 29;

/// The jobs of a beginning, and what the next job's set-ups and costs ask of the last one.
type Key = (u64, Option<usize>);

/// The beginnings met so far. Once its share of memory is full, it takes up no more.
pub(super) struct Seen<'a> {
    problem: &'a Problem<'a>,
    parts: Vec<Mutex<HashMap<Key, Vec<Beginning>>>>,
    /// Beginnings for which there is room.
    room: AtomicUsize,
    compares_lateness: bool,
    compares_predecessors: bool,
}

struct Beginning {
    free: Box<[u32]>,
    sums: Cost,
    lateness: i64,
}

impl<'a> Seen<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, monitor: &Monitor) -> Self {
        let each = 4 * problem.machines() + 2 * size_of::<Beginning>() + size_of::<Key>() + 32;
        let bytes = (monitor.memory_bytes() / 8).min(MOST_BYTES);
        let mut criteria = problem.instance.objective().criteria();
        Seen {
            problem,
            parts: (0..PARTS).map(|_| Mutex::default()).collect(),
            room: AtomicUsize::new(usize::try_from(bytes).unwrap_or(usize::MAX) / each),
            compares_lateness: problem.scoring.lateness_factors() != Cost::default(),
            compares_predecessors: criteria.any(|one| one == Criterion::NewPredecessors),
        }
    }

    /// Whether another beginning of the same jobs is no worse than this one. Else it is noted.
    ///
    /// The cost of a sequence has two parts: the sums of its beginning, and in each stage a
    /// function of the free times, the lateness so far and the jobs behind it. The function does
    /// not fall. (The latest end is the last machine's free time.) Let these be no larger, and the
    /// sums no later in the order of costs. Then no sequence that continues the other beginning
    /// costs more.
    pub(super) fn dominates(&self, front: &Front, placed: u64) -> bool {
        let key = (placed, self.last(front));
        let hash = placed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58;
        let part = &self.parts[hash as usize % PARTS];
        let mut part = lock(part);
        let alike = part.entry(key).or_default();
        if alike.iter().any(|other| self.is_no_worse(other, front)) {
            return true;
        }
        let new = Beginning {
            free: front.free.as_slice().into(),
            sums: front.tally.sums,
            lateness: front.tally.lateness,
        };
        let before = alike.len();
        alike.retain(|other| !self.is_worse(other, &new));
        self.room.fetch_add(before - alike.len(), Ordering::Relaxed);
        let takes = |room: usize| room.checked_sub(1);
        if alike.len() < MOST_ALIKE
            && self.room.fetch_update(Ordering::Relaxed, Ordering::Relaxed, takes).is_ok()
        {
            alike.push(new);
        }
        if alike.is_empty() {
            part.remove(&key);
        }
        false
    }

    fn last(&self, front: &Front) -> Option<usize> {
        let last = front.last?;
        if self.compares_predecessors {
            return Some(last as usize);
        }
        self.problem.instance.setups().map(|setups| setups.kind_of(last))
    }

    fn is_no_worse(&self, other: &Beginning, front: &Front) -> bool {
        other.sums <= front.tally.sums
            && (!self.compares_lateness || other.lateness <= front.tally.lateness)
            && other.free.iter().zip(&front.free).all(|(other, own)| other <= own)
    }

    fn is_worse(&self, other: &Beginning, new: &Beginning) -> bool {
        new.sums <= other.sums
            && (!self.compares_lateness || new.lateness <= other.lateness)
            && new.free.iter().zip(&other.free).all(|(new, other)| new <= other)
    }
}
