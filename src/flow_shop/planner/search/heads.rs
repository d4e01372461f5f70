//! A sequence with the times at which machines become free behind each of its beginnings.

use std::sync::Arc;

use super::spread::Lane;
use super::tables::{BLOCKING_LAG, COLUMNS, MARGIN, Tables};
use crate::flow_shop::planner::problem::Problem;
use crate::simd::{self, Simd};
use crate::{Result, memory};

/// Positions evaluated together.
pub(super) const LANES: usize = 32;

/// A sequence without the pinned jobs, with heads that are computed when needed.
pub(super) struct Heads<'a, T> {
    pub(super) tables: Arc<Tables<'a, T>>,
    pub(super) simd: Simd,
    pub(super) order: Vec<u32>,
    /// Length of a row of positions.
    pub(super) stride: usize,
    /// Rows by machine, with margins. For each position, the time from which on the machine can be
    /// set up for the job there.
    heads: Vec<T>,
    /// For each job of the sequence, a row of the set-ups before it, with margins; then a row of
    /// zeros. Without set-ups a single row of zeros.
    links: Vec<T>,
    /// Heads are valid up to this position.
    known: usize,
    /// Set-ups of a job at each position: before it, and before the next one, by machine.
    entering: Vec<T>,
    leaving: Vec<T>,
    /// Scratch: the set-ups of one job, and words of them.
    near: Vec<T>,
    words: Vec<u64>,
}

impl<'a, T: Lane> Heads<'a, T> {
    pub(super) fn new(tables: Arc<Tables<'a, T>>) -> Result<Self> {
        let jobs = tables.problem.free_jobs.len();
        let (rows, stride) = (tables.rows, Self::stride(jobs));
        let (links, width) = match &tables.setups {
            Some(setups) => (tables.problem.jobs() + 1, setups.width),
            None => (1, 0),
        };
        Ok(Heads {
            simd: Simd::detect(),
            order: memory::list(jobs + 1)?,
            stride,
            heads: memory::zeroed(rows * stride)?,
            links: memory::zeroed(links * rows)?,
            known: 0,
            entering: memory::zeroed(width * stride)?,
            leaving: memory::zeroed(width * stride)?,
            near: Vec::new(),
            words: Vec::new(),
            tables,
        })
    }

    /// Row length for all positions, for extra columns that are computed with the last ones, and
    /// for surplus lanes.
    pub(super) fn stride(jobs: usize) -> usize {
        (jobs + COLUMNS).next_multiple_of(LANES) + LANES
    }

    #[inline]
    /// Bytes of the links, if a number has `bytes` bytes.
    pub(super) fn links_bytes(problem: &Problem<'_>, bytes: usize) -> u128 {
        let links = if problem.instance.setups().is_some() { problem.jobs() + 1 } else { 1 };
        links as u128 * (problem.machines() + 2 * MARGIN) as u128 * bytes as u128
    }

    pub(super) fn set(&mut self, order: &[u32]) {
        self.order.clear();
        self.order.extend_from_slice(order);
        self.known = 0;
        for position in 0..order.len() {
            self.link(position);
        }
    }

    pub(super) fn insert(&mut self, position: usize, job: u32) {
        self.order.insert(position, job);
        self.known = self.known.min(position);
        self.link(position);
        self.link(position + 1);
    }

    pub(super) fn remove(&mut self, position: usize) -> u32 {
        let job = self.order.remove(position);
        self.known = self.known.min(position);
        self.link(position);
        job
    }

    /// Computes the set-ups before the job at a position, if there is one.
    #[inline]
    fn link(&mut self, position: usize) {
        let Some(setups) = &self.tables.setups else { return };
        let Some(&job) = self.order.get(position) else { return };
        let (rows, machines) = (self.tables.rows, self.tables.machines);
        let before = position.checked_sub(1).map(|before| self.order[before]);
        self.links[job as usize * rows + MARGIN..][..machines]
            .copy_from_slice(&setups.into(before, job)[..machines]);
    }

    /// The set-ups before the job at a position, with margins; none behind the last job.
    #[inline(always)]
    pub(super) fn links(&self, position: usize) -> &[T] {
        let rows = self.tables.rows;
        let zeros = self.links.len() / rows - 1;
        let row = match self.order.get(position) {
            Some(&job) if zeros > 0 => job as usize,
            _ => zeros,
        };
        &self.links[row * rows..][..rows]
    }

    /// The heads from the first machine on: `heads[machine * stride + position]`.
    #[inline]
    pub(super) fn heads(&self) -> &[T] {
        &self.heads[MARGIN * self.stride..]
    }

    /// The time at which the job before a position ends; its heads must be known.
    #[inline]
    pub(super) fn completion(&self, position: usize) -> u32 {
        self.heads[(MARGIN + self.tables.machines - 1) * self.stride + position].to_u32()
    }

    /// Whether all times stay at most `most` if `moved` jobs move.
    pub(super) fn reaches(&self, moved: u32, most: u32) -> bool {
        let jobs = self.order.len();
        let makespan = || match self.known == jobs && jobs > 0 {
            true => self.completion(jobs),
            false => self.tables.problem.latest(&self.order),
        };
        self.tables.reaches(makespan, moved, most)
    }

    /// Computes all heads, and returns the position up to which they were known.
    pub(super) fn complete(&mut self) -> usize {
        if self.known == 0 {
            for (machine, &free) in self.tables.front.iter().enumerate() {
                self.heads[(MARGIN + machine) * self.stride] = free;
            }
        }
        match self.tables.problem.has_blocking {
            true => self.extend::<true>(),
            false => self.extend::<false>(),
        }
        std::mem::replace(&mut self.known, self.order.len())
    }

    /// Computes the heads of some columns at a time. Each step advances every column by one
    /// machine, one machine behind the previous column; with blocking two, since a machine is free
    /// only when the job starts on the next one.
    fn extend<const BLOCKING: bool>(&mut self) {
        let lag = if BLOCKING { BLOCKING_LAG } else { 1 };
        let (tables, machines, stride) =
            (Arc::clone(&self.tables), self.tables.machines, self.stride);
        let mut heads = std::mem::take(&mut self.heads);
        let steps = machines + lag * (COLUMNS - 1) + usize::from(BLOCKING);
        for first in (self.known..self.order.len()).step_by(COLUMNS) {
            let job = |column: usize| self.order.get(first + column).copied();
            // What each column reads in each step. Equal lengths spare checks of indices.
            let times: [&[T]; COLUMNS] =
                simd::array(|column| &tables.times(job(column))[MARGIN - lag * column..][..steps]);
            let links: [&[T]; COLUMNS] =
                simd::array(|column| &self.links(first + column)[MARGIN - lag * column..][..steps]);
            let mut end: [T; COLUMNS] = simd::array(|column| tables.release(job(column)));
            let mut start = [T::default(); COLUMNS];
            for step in 0..steps {
                let known = heads[(MARGIN + step) * stride + first];
                // No job waits behind the last machine.
                let known = if BLOCKING && step >= machines { T::default() } else { known };
                for column in (0..COLUMNS).rev() {
                    let row = MARGIN + step - lag * column;
                    let free = match column {
                        0 => known,
                        _ if BLOCKING => start[column - 1],
                        _ => end[column - 1],
                    };
                    start[column] = end[column].max(free.plus(links[column][step]));
                    end[column] = start[column].plus(times[column][step]);
                    let place = first + column + 1;
                    if BLOCKING {
                        heads[(row - 1) * stride + place] = start[column];
                    } else {
                        heads[row * stride + place] = end[column];
                    }
                }
            }
        }
        self.heads = heads;
    }

    /// Gathers the set-ups before a job at each position, and those behind another one if there is
    /// one.
    pub(super) fn gather(&mut self, first: u32, last: Option<u32>) {
        let Some(setups) = &self.tables.setups else { return };
        let (simd, order, stride) = (self.simd, &self.order[..], self.stride);
        // A copy in the order of memory: rows in the order of jobs would each wait for memory.
        let near = &mut self.near;
        near.clear();
        near.extend_from_slice(setups.all_into(first));
        let start = std::iter::once(setups.into(None, first));
        let rows = start.chain(order.iter().map(|&before| setups.row_of(near, before)));
        T::spread(simd, rows, &mut self.words, &mut self.entering, stride);
        if let Some(last) = last {
            near.clear();
            near.extend_from_slice(setups.all_from(last));
            let rows = order.iter().map(|&after| setups.row_of(near, after));
            T::spread(simd, rows, &mut self.words, &mut self.leaving, stride);
            // Nothing follows the last position.
            for row in self.leaving.chunks_exact_mut(stride) {
                row[order.len()] = T::default();
            }
        }
    }

    /// The gathered set-ups: `setups[machine * stride + position]`, none without set-ups.
    #[inline]
    pub(super) fn gathered(&self) -> (&[T], &[T]) {
        (&self.entering, &self.leaving)
    }
}

/// A vector of a table.
#[inline(always)]
pub(super) fn lanes<T>(table: &[T], place: usize) -> &[T; LANES] {
    table[place..].first_chunk().expect("rows have surplus lanes")
}

#[inline(always)]
pub(super) fn plus<T: Lane>(sums: &mut [T; LANES], others: &[T; LANES]) {
    for lane in 0..LANES {
        sums[lane] = sums[lane].plus(others[lane]);
    }
}

/// Takes over the sums of both parts of paths where they are longer.
#[inline(always)]
pub(super) fn longer<T: Lane>(longest: &mut [T; LANES], before: &[T; LANES], behind: &[T; LANES]) {
    for lane in 0..LANES {
        longest[lane] = longest[lane].max(before[lane].plus(behind[lane]));
    }
}
