//! Recovering the tree from a table on a device: the splits along the optimal path are looked for anew.
//!
//! A work-group walks down from each open cell, always into the larger part, and leaves the smaller ones for the next
//! launch, so that a tree of n leaves takes about log n launches. A walk is a chain of steps that wait for each other,
//! though, and a tree that leans to one side is as deep as it has leaves. Therefore a walk ends that kept the same first or
//! last point for a while, and the splits of all cells with that point are looked up at once, which is little beside what
//! filling the table took; the host then follows them down.

use super::kernels::Table;
use crate::context::Pacer;
use crate::opencl::Arg;
use crate::{Error, Result};

/// Work-items of a group that looks for a split.
pub(super) const GROUP: usize = 256;
/// Splits that each of its items looks at, at most, before they all see whether the best one is found.
pub(super) const SPLITS_AT_ONCE: u64 = 8;
/// Steps in a row that keep the same end of their cells before the rest of the run is looked up at once.
pub(super) const RUN_STEPS: u64 = 16;
/// Points of a cell below which it is not: the walk is as fast.
const LONG_RUN: u32 = 64;
/// Splits that a launch looks at along one path, some tens of milliseconds.
const SPLITS_OF_LAUNCH: u32 = 1 << 24;
/// How often the splits of half a square of cells may be looked at for runs, so that a tree with many turns can't take
/// longer than by steps alone.
const SQUARES: u64 = 8;

/// Words of an open cell: its first and last point, and which of the two a run of steps kept.
const WORDS: usize = 3;
type Open = [u32; WORDS];
/// The value for the last point; there is another for the first, and 0 for neither.
const KEPT_LAST: u32 = 1;

/// The cell that is split at each point 1 .. n - 1 of a table that is filled. Among splits of equal value the lowest
/// counts.
pub(super) fn splits(table: &Table<'_>) -> Result<Vec<(u32, u32)>> {
    splits_with(table, SQUARES)
}

/// As [`splits`], with so many half squares of cells looked at for runs at most.
pub(super) fn splits_with(table: &Table<'_>, squares: u64) -> Result<Vec<(u32, u32)>> {
    let (queue, points) = (&table.queue, table.points);
    let walk = table.program.kernel("interval_walk")?;
    let group = GROUP.min(walk.max_work_group_size());
    // Open cells do not overlap, so that there are no more than points.
    let mut open = table.device.buffer::<u32>(WORDS * points)?;
    let mut left_over = table.device.buffer::<u32>(WORDS * points)?;
    let (splits, status) = (table.device.buffer::<u32>(2 * points)?, table.device.buffer::<u32>(3)?);
    queue.fill(&splits, 0, 2 * points, 0)?;
    queue.write(&open, 0, &[0, points as u32 - 1, 0])?;
    let half_square = (points as u64).pow(2) / 2;
    let mut runs = Runs { table, splits: vec![[0; 2]; points], budget: squares * half_square };
    let mut count = 1;
    while count > 0 {
        table.monitor.check()?;
        queue.write(&status, 0, &[0; 3])?;
        let lists = [splits.arg(), open.arg(), left_over.arg(), status.arg()];
        let limits = [Arg::U32(SPLITS_OF_LAUNCH), Arg::U32(runs.shortest())];
        let arguments = [&table.arguments()[..], &lists, &limits].concat();
        queue.launch(&walk, &arguments, [count * group], [group])?;
        let mut found = [0; 3];
        queue.read(&status, 0, &mut found)?;
        let [left, with_run, unexplained] = found;
        if unexplained != 0 {
            return Err(unexplained_by(unexplained));
        }
        count = left as usize;
        std::mem::swap(&mut open, &mut left_over);
        if with_run > 0 {
            let mut cells = vec![[0; WORDS]; count];
            queue.read(&open, 0, cells.as_flattened_mut())?;
            let cells = runs.follow(cells)?;
            count = cells.len();
            queue.write(&open, 0, cells.as_flattened())?;
        }
    }
    let mut found = vec![[0; 2]; points];
    queue.read(&splits, 0, found.as_flattened_mut())?;
    // No cell begins and ends at the same point: that is where the walks left nothing.
    let either = |(walked, run): ([u32; 2], [u32; 2])| if run == [0; 2] { walked } else { run };
    let cells = found.into_iter().zip(runs.splits).map(either);
    Ok(cells.skip(1).take(points - 2).map(|[first, last]| (first, last)).collect())
}

fn unexplained_by(last: u32) -> Error {
    Error::DeviceFailed(format!("no split explains a cell that ends at point {last}"))
}

/// The runs, whose cells have an end in common.
struct Runs<'a> {
    table: &'a Table<'a>,
    /// The cell that is split at each point, as far as it was found here.
    splits: Vec<[u32; 2]>,
    /// Splits that may still be looked at.
    budget: u64,
}

impl Runs<'_> {
    /// Points of the shortest cell whose run is to be left to this.
    fn shortest(&self) -> u32 {
        if self.budget == 0 { u32::MAX } else { LONG_RUN }
    }

    /// Finds the splits of the runs among the open cells, and returns the cells that are open then.
    fn follow(&mut self, cells: Vec<Open>) -> Result<Vec<Open>> {
        let (runs, mut open): (Vec<Open>, Vec<Open>) = cells.into_iter().partition(|cell| cell[2] != 0);
        let wanted: Vec<[u32; 2]> = runs.iter().flat_map(members).collect();
        let mut found = self.look_up(&wanted)?.into_iter();
        for run in runs {
            let splits: Vec<u32> = found.by_ref().take((run[1] - run[0] - 1) as usize).collect();
            self.descend(run, &splits, &mut open)?;
        }
        Ok(open)
    }

    /// The splits of these cells.
    fn look_up(&mut self, cells: &[[u32; 2]]) -> Result<Vec<u32>> {
        let Table { device, queue, program, monitor, .. } = self.table;
        let kernel = program.kernel("interval_splits")?;
        let group = GROUP.min(kernel.max_work_group_size());
        let wanted = device.buffer_from(queue, cells.as_flattened())?;
        let splits = device.buffer::<u32>(cells.len())?;
        let mut pacer = Pacer::new(queue, monitor, "tree");
        let mut begin = 0;
        while begin < cells.len() {
            let (room, mut work, mut count) = (pacer.room(), 0, 0);
            for &[first, last] in &cells[begin..] {
                work += u64::from(last - first);
                count += 1;
                if work >= room {
                    break;
                }
            }
            let lists = [wanted.arg(), splits.arg(), Arg::U32(begin as u32)];
            let arguments = [&self.table.arguments()[..], &lists].concat();
            queue.launch(&kernel, &arguments, [count * group], [group])?;
            self.budget = self.budget.saturating_sub(work);
            begin += count;
            pacer.launched(work, None)?;
        }
        let mut found = vec![0; cells.len()];
        queue.read(&splits, 0, &mut found)?;
        Ok(found)
    }

    /// Takes over the splits along a run, given those of all its members, and opens the parts that leave it.
    fn descend(&mut self, run: Open, splits: &[u32], open: &mut Vec<Open>) -> Result<()> {
        let [mut first, mut last, kept] = run;
        while last - first > 1 {
            let member = if kept == KEPT_LAST { first - run[0] } else { run[1] - last };
            let split = splits[member as usize];
            if split <= first || split >= last {
                return Err(unexplained_by(last));
            }
            self.splits[split as usize] = [first, last];
            let (part, rest) = match kept {
                KEPT_LAST => ([first, split], [split, last]),
                _ => ([split, last], [first, split]),
            };
            [first, last] = rest;
            if part[1] - part[0] > 1 {
                open.push([part[0], part[1], 0]);
            }
        }
        Ok(())
    }
}

/// All cells of a run, from the longest on: those that end where it ends, or begin where it begins.
fn members(&[first, last, kept]: &Open) -> impl Iterator<Item = [u32; 2]> {
    (0..last - first - 1).map(move |step| match kept {
        KEPT_LAST => [first + step, last],
        _ => [first, last - step],
    })
}
