//! Swaps: lanes for the jobs that are exchanged with one job.

use super::tables::{LANES, Tables, Vector};
use super::{Evaluation, Monitor, Result, Time};
use crate::simd::{self, HotLoop};

/// The swaps of one position with each later one.
pub(super) struct Unit<'a, T> {
    pub(super) tables: &'a Tables<T>,
    pub(super) monitor: &'a Monitor,
    pub(super) evaluation: Evaluation,
    pub(super) first: usize,
    /// For stored neighbours, the permutations from the unit's first one on.
    pub(super) stored: &'a [u16],
    /// Makespans by move index.
    pub(super) makespans: &'a mut [T],
}

impl<T: Time> HotLoop for Unit<'_, T> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let Unit { tables, monitor, evaluation, first, stored, makespans } = self;
        let mut columns = vec![[T::default(); LANES]; tables.machines];
        for (chunk, makespans) in makespans.chunks_mut(LANES).enumerate() {
            monitor.check()?;
            let second = first + 1 + chunk * LANES;
            let reuses = matches!(evaluation, Evaluation::Prefix | Evaluation::HeadsAndTails);
            let start = if reuses { first } else { 0 };
            let free = tables.row(&tables.heads, start);
            columns.iter_mut().zip(free).for_each(|(column, &free)| *column = [free; LANES]);
            if evaluation == Evaluation::Stored {
                let begin = chunk * LANES * tables.jobs;
                let permutations = &stored[begin..][..makespans.len() * tables.jobs];
                tables.append_permuted(&mut columns, permutations);
                let lengths = tables.lengths(&columns, None);
                makespans.copy_from_slice(&lengths[..makespans.len()]);
                continue;
            }
            tables.append_all(&mut columns, start, first);
            tables.append_seconds(&mut columns, second);
            tables.append_all(&mut columns, first + 1, second);
            let with_tails = evaluation == Evaluation::HeadsAndTails;
            let last = (second + LANES).min(tables.jobs);
            for position in second..last {
                tables.append_exchanged(&mut columns, position, first, second, with_tails);
            }
            if !with_tails {
                tables.append_all(&mut columns, last, tables.jobs);
            }
            let lengths = tables.lengths(&columns, with_tails.then_some(second + 1));
            makespans.copy_from_slice(&lengths[..makespans.len()]);
        }
        Ok(())
    }
}

impl<T: Time> Tables<T> {
    /// Appends the jobs of a range of positions to the columns of all lanes, four jobs at a time: a
    /// single job is one chain of latencies.
    #[inline(always)]
    fn append_all(&self, columns: &mut [Vector<T>], from: usize, to: usize) {
        let machines = self.machines;
        let columns = &mut columns[..machines];
        for position in (from..to).step_by(4) {
            // The row after the last job is zero and changes nothing.
            let row = |job| {
                self.row(&self.times, if position + job < to { position + job } else { self.jobs })
            };
            let [times0, times1, times2, times3] = simd::array(row);
            // An array of these would not stay in registers.
            let none = [T::default(); LANES];
            let (mut end0, mut end1, mut end2, mut end3) = (none, none, none, none);
            for machine in 0..machines {
                let column = &mut columns[machine];
                for lane in 0..LANES {
                    end0[lane] = end0[lane].max(column[lane]).plus(times0[machine]);
                    end1[lane] = end1[lane].max(end0[lane]).plus(times1[machine]);
                    end2[lane] = end2[lane].max(end1[lane]).plus(times2[machine]);
                    end3[lane] = end3[lane].max(end2[lane]).plus(times3[machine]);
                }
                *column = end3;
            }
        }
    }

    /// Appends all jobs by a permutation for each lane. Lanes without one append nothing.
    #[inline(always)]
    fn append_permuted(&self, columns: &mut [Vector<T>], permutations: &[u16]) {
        for position in 0..self.jobs {
            let rows: [&[T]; LANES] = simd::array(|lane| {
                let row = permutations.get(lane * self.jobs + position);
                self.row(&self.times, row.map_or(self.jobs, |&row| row.into()))
            });
            let mut end = [T::default(); LANES];
            for (machine, column) in columns.iter_mut().enumerate() {
                for lane in 0..LANES {
                    end[lane] = end[lane].max(column[lane]).plus(rows[lane][machine]);
                }
                *column = end;
            }
        }
    }

    /// Appends the lanes' second jobs, at the positions from `second` on, in the first job's place.
    #[inline(always)]
    fn append_seconds(&self, columns: &mut [Vector<T>], second: usize) {
        let mut end = [T::default(); LANES];
        for (machine, column) in columns.iter_mut().enumerate() {
            let times = self.lanes(&self.times_by_machine, machine, second);
            for lane in 0..LANES {
                end[lane] = end[lane].max(column[lane]).plus(times[lane]);
            }
            *column = end;
        }
    }

    /// Appends the job of a position, or in the lane whose second job it is, the first job. With
    /// tails that lane is then complete and remains unchanged.
    #[inline(always)]
    fn append_exchanged(
        &self,
        columns: &mut [Vector<T>],
        position: usize,
        first: usize,
        second: usize,
        with_tails: bool,
    ) {
        let own = position - second;
        let machines = self.machines;
        let (times, firsts) = (self.row(&self.times, position), self.row(&self.times, first));
        let columns = &mut columns[..machines];
        let mut end = [T::default(); LANES];
        for machine in 0..machines {
            let column = &mut columns[machine];
            let (time, exchanged) = (times[machine], firsts[machine]);
            for lane in 0..LANES {
                let time = if lane == own { exchanged } else { time };
                end[lane] = end[lane].max(column[lane]).plus(time);
                column[lane] = if with_tails && lane < own { column[lane] } else { end[lane] };
            }
        }
    }

    /// The completion time of the last machine in each lane. `tails_from` adds the tails from a
    /// position on, if the later jobs were not appended.
    #[inline(always)]
    fn lengths(&self, columns: &[Vector<T>], tails_from: Option<usize>) -> Vector<T> {
        let mut longest = [T::default(); LANES];
        for (machine, column) in columns.iter().enumerate() {
            let none = [T::default(); LANES];
            let tails = tails_from
                .map_or(&none, |position| self.lanes(&self.tails_by_machine, machine, position));
            for lane in 0..LANES {
                longest[lane] = longest[lane].max(column[lane].plus(tails[lane]));
            }
        }
        longest
    }
}
