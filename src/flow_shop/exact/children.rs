//! The bounds of a node's children at both ends.

use super::node::bits;

/// Bounds of the children at both ends, by job. Values of jobs that are not free are meaningless.
#[derive(Debug, Default)]
pub(super) struct Children {
    pub(super) front: Bounds,
    pub(super) back: Bounds,
}

/// Bounds of the children at one end.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    pub(super) values: Vec<u32>,
    /// One bit for each free job whose bound is below the limit.
    pub(super) open: Vec<u32>,
    /// Number of free jobs whose bound is not below the branching limit.
    pub(super) closed: u32,
}

/// The limit for open children, and the branching limit for the choice of the end.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) open: u32,
    pub(super) branching: u32,
}

impl Children {
    /// Whether every child is closed at both ends.
    pub(super) fn are_closed(&self) -> bool {
        self.front.open.iter().chain(&self.back.open).all(|&word| word == 0)
    }

    /// Leaves no child open whose job's bit is in that word.
    #[inline]
    pub(super) fn close(&mut self, word: usize) {
        self.front.open[word] = 0;
        self.back.open[word] = 0;
    }
}

impl Bounds {
    /// The jobs of the open children.
    pub(super) fn open_jobs(&self) -> impl Iterator<Item = u32> + '_ {
        bits(&self.open)
    }

    /// Replaces the bounds by those of the given children, each with its job. `words` is the length
    /// of the bit set of open jobs.
    pub(super) fn replace(
        &mut self,
        words: usize,
        children: impl Iterator<Item = (u32, u32)>,
        limits: Limits,
    ) {
        self.values.resize(32 * words, 0);
        self.open.clear();
        self.open.resize(words, 0);
        self.closed = 0;
        for (job, bound) in children {
            self.values[job as usize] = bound;
            self.open[job as usize / 32] |= u32::from(bound < limits.open) << (job % 32);
            self.closed += u32::from(bound >= limits.branching);
        }
    }
}
