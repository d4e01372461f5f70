//! Insertions: all positions for the jobs of a block, one job per lane, by Taillard's acceleration.

use super::tables::{LANES, Tables, Vector};
use super::{BLOCK, Monitor, Result, Time};
use crate::simd::HotLoop;

/// The insertions of a block's jobs. A sequence without the job has the heads of the whole sequence
/// before the job's position, and its tails after it.
pub(super) struct Unit<'a, T> {
    pub(super) tables: &'a Tables<T>,
    pub(super) monitor: &'a Monitor,
    pub(super) block: usize,
    /// Makespans by move index.
    pub(super) makespans: &'a mut [T],
}

impl<T: Time> HotLoop for Unit<'_, T> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let Unit { tables, monitor, block, makespans } = self;
        let first = block * BLOCK;
        let last = (first + BLOCK).min(tables.jobs);
        let own = |machine| *tables.lanes(&tables.times_by_machine, machine, first);
        let own: Vec<Vector<T>> = (0..tables.machines).map(own).collect();
        let splat = |row: &[T]| row.iter().map(|&time| [time; LANES]).collect::<Vec<_>>();

        let mut columns = splat(tables.row(&tables.heads, first));
        for position in first..tables.jobs {
            monitor.check_step(position - first)?;
            let row = &mut makespans[position * BLOCK..][..BLOCK];
            if position < last {
                let removed = position - first;
                let lengths = tables.insert::<true, false>(&mut columns, &own, position, removed);
                row[..removed].copy_from_slice(&lengths[..removed]);
                row[removed..].fill(T::NONE);
            } else {
                row.copy_from_slice(&tables.insert::<false, false>(
                    &mut columns,
                    &own,
                    position,
                    0,
                ));
                row[last - first..].fill(T::NONE);
            }
        }
        let mut columns = splat(tables.row(&tables.tails, last));
        for position in (0..last).rev() {
            monitor.check_step(last - 1 - position)?;
            let row = &mut makespans[position * BLOCK..][..BLOCK];
            if position >= first {
                let removed = position - first;
                let lengths = tables.insert::<true, true>(&mut columns, &own, position, removed);
                row[removed + 1..last - first].copy_from_slice(&lengths[removed + 1..last - first]);
            } else {
                row.copy_from_slice(&tables.insert::<false, true>(&mut columns, &own, position, 0));
                row[last - first..].fill(T::NONE);
            }
        }
        Ok(())
    }
}

impl<T: Time> Tables<T> {
    /// Appends the job at the position in all lanes, except in lane `removed` if that job was
    /// removed from `WITHIN` the block. Then inserts each lane's job after it. `MIRROR` reverses
    /// the direction: tails grow by the job at the position, and each lane's job is inserted before
    /// it. The makespans are the same in both directions.
    #[inline(always)]
    fn insert<const WITHIN: bool, const MIRROR: bool>(
        &self,
        columns: &mut [Vector<T>],
        own: &[Vector<T>],
        position: usize,
        removed: usize,
    ) -> Vector<T> {
        let machines = self.machines;
        let times = self.row(&self.times, position);
        let tails = if MIRROR {
            self.row(&self.heads, position)
        } else {
            self.row(&self.tails, position + 1)
        };
        let (columns, own) = (&mut columns[..machines], &own[..machines]);
        let mut end = [T::default(); LANES];
        let (mut inserted, mut length) = (end, end);
        for step in 0..machines {
            let machine = if MIRROR { machines - 1 - step } else { step };
            let (column, own) = (&mut columns[machine], &own[machine]);
            for lane in 0..LANES {
                let with = end[lane].max(column[lane]).plus(times[machine]);
                end[lane] = if WITHIN && lane == removed { column[lane] } else { with };
                inserted[lane] = inserted[lane].max(end[lane]).plus(own[lane]);
                length[lane] = length[lane].max(inserted[lane].plus(tails[machine]));
            }
            *column = end;
        }
        length
    }
}
