//! Nodes of the search tree: sequences with a fixed beginning and end.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::flow_shop::end::End;
use crate::{Result, memory};

/// A node still to be decomposed, in the form in which it is passed on and kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Open {
    /// No sequence below has a smaller value.
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

    #[inline]
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

    #[inline]
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

    #[inline]
    pub(super) fn back_jobs(&self) -> &[u32] {
        &self.fixed[self.front as usize..]
    }
}

/// A child: its job and its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Child {
    pub(super) bound: u32,
    pub(super) job: u32,
}

/// A node as engines work on it: its free jobs, and the state that its objective bounds children
/// by.
#[derive(Debug, Clone)]
pub(super) struct Node<S> {
    pub(super) state: S,
    /// One bit for each free job, 32 bits per word.
    pub(super) free: Vec<u32>,
    pub(super) free_count: usize,
}

impl<S> Node<S> {
    /// With some jobs free, of an instance that has `jobs` jobs.
    pub(super) fn new(state: S, jobs: usize, free_jobs: &[u32]) -> Self {
        let mut free = vec![0; jobs.div_ceil(32)];
        free_jobs.iter().for_each(|&job| free[job as usize / 32] |= 1 << (job % 32));
        Node { state, free, free_count: free_jobs.len() }
    }

    /// The free jobs by ascending index.
    pub(super) fn free_jobs(&self) -> impl Iterator<Item = u32> + '_ {
        bits(&self.free)
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
