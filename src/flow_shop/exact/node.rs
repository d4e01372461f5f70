//! Nodes of the search tree: sequences with a fixed beginning and end.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use super::problem::Problem;
use crate::flow_shop::completion::{append, prepend};
use crate::{Result, memory};

/// The end of the sequence at which a job is fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Front,
    Back,
}

/// A node still to be decomposed, in the form in which it is passed on and kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Open {
    /// A lower bound of all sequences below the node.
    pub(super) bound: u32,
    /// Number of fixed jobs at the front, including pinned jobs.
    pub(super) front: u32,
    /// The fixed jobs of the front, then those of the back, both in sequence order.
    pub(super) fixed: Jobs,
}

/// A range of a list that many nodes share, since a device returns millions of nodes at once.
#[derive(Clone)]
pub(super) struct Jobs {
    list: Arc<Vec<u32>>,
    start: u32,
    len: u32,
}

impl Jobs {
    /// `len` jobs of the list from `start` on.
    pub(super) fn part(list: &Arc<Vec<u32>>, start: usize, len: usize) -> Self {
        Jobs { list: Arc::clone(list), start: start as u32, len: len as u32 }
    }
}

impl From<Vec<u32>> for Jobs {
    fn from(jobs: Vec<u32>) -> Self {
        Jobs { start: 0, len: jobs.len() as u32, list: Arc::new(jobs) }
    }
}

impl Deref for Jobs {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.list[self.start as usize..][..self.len as usize]
    }
}

impl PartialEq for Jobs {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Jobs {}

impl fmt::Debug for Jobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Open {
    /// About the most bytes that a node takes in an instance with `jobs` jobs, if its jobs are in a
    /// list of their own.
    pub(super) fn bytes(jobs: usize) -> u64 {
        (size_of::<Open>() + size_of::<Vec<u32>>() + 4 * size_of::<usize>() + 4 * jobs) as u64
    }

    pub(super) fn front_jobs(&self) -> &[u32] {
        &self.fixed[..self.front as usize]
    }

    /// The child that fixes one more job.
    pub(super) fn child(&self, bound: u32, job: u32, end: End) -> Result<Open> {
        let mut fixed = memory::list(self.fixed.len() + 1)?;
        fixed.extend_from_slice(self.front_jobs());
        fixed.push(job);
        fixed.extend_from_slice(self.back_jobs());
        Ok(Open { bound, front: self.front + u32::from(end == End::Front), fixed: fixed.into() })
    }

    pub(super) fn back_jobs(&self) -> &[u32] {
        &self.fixed[self.front as usize..]
    }
}

/// Heads, tails and remaining times around the free jobs of a node, by machine; see
/// [`Surroundings`](crate::flow_shop::bounds::Surroundings).
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) front: Vec<u32>,
    pub(super) back: Vec<u32>,
    pub(super) remaining: Vec<u32>,
    /// One bit for each free job, 32 bits per word.
    pub(super) free: Vec<u32>,
    pub(super) free_count: usize,
}

impl State {
    /// The state of a node, computed from the root down.
    pub(super) fn of(problem: &Problem<'_>, node: &Open) -> Self {
        let mut state = problem.root.clone();
        node.front_jobs()[problem.pinned()..]
            .iter()
            .for_each(|&job| state.fix(problem, job, End::Front));
        node.back_jobs().iter().rev().for_each(|&job| state.fix(problem, job, End::Back));
        state
    }

    /// Fixes a free job next to the jobs already fixed at that end.
    pub(super) fn fix(&mut self, problem: &Problem<'_>, job: u32, end: End) {
        let times = problem.instance.job(job);
        match end {
            End::Front => append(&mut self.front, times),
            End::Back => prepend(&mut self.back, times),
        }
        self.remaining.iter_mut().zip(times).for_each(|(sum, time)| *sum -= time);
        self.free[job as usize / 32] &= !(1 << (job % 32));
        self.free_count -= 1;
    }

    /// Overwrites this state with the child of `parent` that fixes the job; reuses the memory.
    pub(super) fn become_child(
        &mut self,
        problem: &Problem<'_>,
        parent: &State,
        job: u32,
        end: End,
    ) {
        let times = problem.instance.job(job);
        match end {
            End::Front => {
                chain(self.front.iter_mut().zip(&parent.front).zip(times));
                self.back.copy_from_slice(&parent.back);
            }
            End::Back => {
                chain(self.back.iter_mut().zip(&parent.back).zip(times).rev());
                self.front.copy_from_slice(&parent.front);
            }
        }
        for ((sum, &old), &time) in self.remaining.iter_mut().zip(&parent.remaining).zip(times) {
            *sum = old - time;
        }
        self.free.copy_from_slice(&parent.free);
        self.free[job as usize / 32] &= !(1 << (job % 32));
        self.free_count = parent.free_count - 1;
    }

    /// The free jobs by ascending index.
    pub(super) fn free_jobs(&self) -> impl Iterator<Item = u32> + '_ {
        bits(&self.free)
    }

    /// The one-machine bound; with one free job it is the makespan.
    pub(super) fn one_machine(&self) -> u32 {
        let sums = self.front.iter().zip(&self.remaining).zip(&self.back);
        sums.map(|((front, remaining), back)| front + remaining + back).max().unwrap_or(0)
    }

    /// The makespan of the sequence with the last free job.
    pub(super) fn last_makespan(&self, problem: &Problem<'_>) -> u32 {
        let mut ends = self.front.clone();
        self.free_jobs().for_each(|job| append(&mut ends, problem.instance.job(job)));
        ends.iter().zip(&self.back).map(|(end, back)| end + back).max().unwrap_or(0)
    }
}

/// Appends a job in the given machine order: updates the times in place, in one pass.
fn chain<'a>(machines: impl Iterator<Item = ((&'a mut u32, &'a u32), &'a u32)>) {
    let mut end = 0;
    for ((new, &old), &time) in machines {
        end = old.max(end) + time;
        *new = end;
    }
}

/// The positions of the set bits.
pub(super) fn bits(words: &[u32]) -> impl Iterator<Item = u32> + '_ {
    (0..).zip(words).flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = rest.trailing_zeros();
            let found = rest != 0;
            rest &= rest.wrapping_sub(1);
            found.then_some(index * 32 + bit)
        })
    })
}
