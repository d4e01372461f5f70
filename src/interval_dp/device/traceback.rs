//! Traceback in a table on a device: recovers the tree by finding the splits along the optimal path
//! again.
//!
//! A work-group walks down from each open cell, always into the larger part, and leaves the smaller
//! parts for the next launch, so that a tree of n leaves takes about log n launches. But the steps
//! of a walk depend on each other, and a tree that leans to one side is as deep as it has leaves. A
//! walk therefore ends after some steps in a row that kept the same first or last point, a *run*.
//! Then the splits of all cells with that point are found in one launch, which costs little
//! compared with filling the table, and the host follows the run through them.

use super::kernels::{Cells, KEPT_FIRST, KEPT_LAST, KEPT_NEITHER, OPEN_WORDS, Table};
use crate::Result;
use crate::context::{Pacer, wrong};
use crate::interval_dp::number::Value;
use crate::interval_dp::tree::Tree;
use crate::interval_dp::values::Values;
use crate::interval_dp::view::Request;
use crate::opencl::{Buffer, GroupArrays, Kernel, Tunable, kernel_arguments};

// The tunables of the families that have these kernels.
pub(super) const SPLITS_GROUP: Tunable =
    Tunable::power("SPLITS_GROUP: work-items of a group for splits", (16, 1024));
// Then the group checks whether the best split is found.
pub(super) const SPLITS_AT_ONCE: Tunable =
    Tunable::power("SPLITS_AT_ONCE: most splits of a work-item at once", (1, 64));
// Slower devices look at fewer.
pub(super) const SPLITS_OF_LAUNCH: Tunable =
    Tunable::power("SPLITS_OF_LAUNCH: most splits of a walk in a launch", (1 << 10, 1 << 28));
// Reading results may take longer than launching. Launches after the first read in the device's
// memory which cells are left open.
pub(super) const LAUNCHES: Tunable =
    Tunable::number("LAUNCHES: launches of walks at once", (1, 16));
// The rest of the run is then looked up as a whole.
pub(super) const RUN_STEPS: Tunable = Tunable::power("RUN_STEPS: steps of a run", (1, 256));
// In smaller cells walking is as fast.
pub(super) const LONG_RUN: Tunable =
    Tunable::power("LONG_RUN: least points of a run", (2, 1 << 16));

/// Look-ups of splits cost this many relaxations of the fill, which reads neighbouring cells.
const WORK_OF_SPLIT: u64 = 16;
/// Limit of the splits looked at for runs, in numbers of half squares of cells. A tree with many
/// turns must not take longer than by walking.
const SQUARES: u64 = 8;

type Open = [u32; OPEN_WORDS];

kernel_arguments! {
    /// Steps down from open cells.
    pub(super) struct Walk<'a> = "interval_traceback" {
        table: Cells<'a>,
        splits: &'a Buffer<u32>,
        open: &'a Buffer<u32>,
        left_over: &'a Buffer<u32>,
        status: &'a Buffer<u32>,
        launch: u32,
        max_splits: u32,
        long_run: u32,
        group_arrays: GroupArrays,
    }

    /// The split of each of some cells.
    pub(super) struct Splits<'a> = "interval_splits" {
        table: Cells<'a>,
        wanted: &'a Buffer<u32>,
        splits: &'a Buffer<u32>,
        begin: u32,
        group_arrays: GroupArrays,
    }
}

impl Table<'_> {
    /// The values of a filled table, with its tree. The pacer is that of the fill.
    pub(super) fn values(&self, request: &Request<'_>, pacer: Pacer<'_>) -> Result<Values<Value>> {
        let (points, cell_type) = (self.points, self.cell_type);
        let (mut tree, mut pairs) = (None, None);
        if self.encloses {
            pairs = Some(enclosed(self, pacer)?);
        } else if self.semiring.selects() {
            tree = Some(Tree::new(points, &splits(self, pacer)?)?);
        }
        let terms = match tree.as_ref().filter(|_| self.for_devices) {
            Some(tree) => {
                let triples =
                    tree.nodes().iter().flat_map(|node| [node.first, node.split, node.last]);
                Some(self.read_all(&self.terms(&triples.collect::<Vec<_>>())?).collect())
            }
            None => None,
        };
        let value = self.cell(0, points - 1)?;
        let cells = request.cells.iter().map(|&(i, j)| self.cell(i, j)).collect::<Result<_>>()?;
        Ok(Values { value, cells, tree, pairs, terms, cell_type })
    }
}

/// The pairs of leaves on the optimal path of a filled table, by their first leaves.
fn enclosed(table: &Table<'_>, pacer: Pacer<'_>) -> Result<Vec<(u32, u32)>> {
    // A cell looks at few ways, so that a run takes no less time at once.
    let cells = walked(table, pacer, launches(table), 0)?;
    let pair = |(point, [first, last]): (usize, [u32; 2])| match point == first as usize
        && last > first + 1
        && (last as usize) < table.points
    {
        true => Ok((first, last - 1)),
        false => Err(wrong("a pair of the optimal path")),
    };
    cells.into_iter().enumerate().filter(|&(_, cell)| cell != [0; 2]).map(pair).collect()
}

/// For each point 1 .. n - 1 of a filled table the cell that it splits. Of splits with equal values
/// the lowest is taken. The pacer knows how fast the table was filled.
fn splits(table: &Table<'_>, pacer: Pacer<'_>) -> Result<Vec<(u32, u32)>> {
    splits_with(table, pacer, launches(table), SQUARES)
}

/// Like [`splits`], with `launches` launches in a sequence and at most `squares` half squares of
/// splits looked at for runs.
pub(super) fn splits_with(
    table: &Table<'_>,
    pacer: Pacer<'_>,
    launches: usize,
    squares: u64,
) -> Result<Vec<(u32, u32)>> {
    let cells = walked(table, pacer, launches, squares)?.into_iter();
    Ok(cells.skip(1).take(table.points - 2).map(|[first, last]| (first, last)).collect())
}

fn launches(table: &Table<'_>) -> usize {
    table.program.tuned("LAUNCHES")
}

/// Walks down the optimal path of a filled table. Returns for each point the cell that it splits, or
/// the cell from it on that encloses another one; [0, 0] if there is none.
fn walked(
    table: &Table<'_>,
    pacer: Pacer<'_>,
    launches: usize,
    squares: u64,
) -> Result<Vec<[u32; 2]>> {
    let points = table.points;
    let half_square = (points as u64).pow(2) / 2;
    let walks = Walks::new(table, launches)?;
    let most = table.program.tuned("SPLITS_OF_LAUNCH") as u64;
    let mut runs =
        Runs { table, pacer, splits: vec![[0; 2]; points], budget: squares * half_square };
    let mut open = vec![[0, points as u32 - 1, KEPT_NEITHER]];
    while !open.is_empty() {
        table.monitor.check()?;
        let splits = (runs.pacer.room() / WORK_OF_SPLIT).clamp(1, most);
        let left = walks.follow(open, runs.shortest(), splits as u32)?;
        runs.pacer.launched(splits * WORK_OF_SPLIT, None)?;
        open = runs.follow(left)?;
    }
    let either = |(walked, run): ([u32; 2], [u32; 2])| if run == [0; 2] { walked } else { run };
    Ok(walks.splits()?.into_iter().zip(runs.splits).map(either).collect())
}

/// The walks on the device.
struct Walks<'a> {
    table: &'a Table<'a>,
    kernel: Kernel<Walk<'static>>,
    launches: usize,
    /// The open cells before and after a launch, alternating.
    lists: [Buffer<u32>; 2],
    /// For each point the cell that it splits, if a walk found it.
    splits: Buffer<u32>,
    /// The last point of a cell that no split explains, or 0; then the numbers of open cells before
    /// each launch and after the last.
    status: Buffer<u32>,
}

impl<'a> Walks<'a> {
    fn new(table: &'a Table<'a>, launches: usize) -> Result<Self> {
        let Table { device, queue, program, points, .. } = table;
        // Open cells do not overlap, so there are fewer of them than points.
        let lists = [device.buffer(OPEN_WORDS * points)?, device.buffer(OPEN_WORDS * points)?];
        let splits = device.buffer(2 * points)?;
        queue.fill(&splits, 0, 2 * points, 0)?;
        let status = device.buffer(launches + 2)?;
        Ok(Walks { table, kernel: program.kernel()?, launches, lists, splits, status })
    }

    /// Walks down from these cells, and from those that the walks leave open, in one sequence of
    /// launches, each of which looks at `max_splits` splits in each walk. Returns the cells that are
    /// still open, and runs of at least `shortest` points.
    fn follow(&self, open: Vec<Open>, shortest: u32, max_splits: u32) -> Result<Vec<Open>> {
        let Table { queue, points, .. } = self.table;
        let group = self.kernel.group("SPLITS_GROUP");
        let mut groups = open.len();
        let mut status = vec![0; self.launches + 2];
        status[1] = groups as u32;
        queue.send(&self.status, 0, status.clone())?;
        queue.send(&self.lists[0], 0, open.into_flattened())?;
        for launch in 0..self.launches {
            let (before, after) = (&self.lists[launch % 2], &self.lists[(launch + 1) % 2]);
            let arguments = Walk {
                table: self.table.cells(),
                splits: &self.splits,
                open: before,
                left_over: after,
                status: &self.status,
                launch: launch as u32,
                max_splits,
                long_run: shortest,
                group_arrays: splits_arrays(self.table),
            };
            queue.launch(&self.kernel, &arguments, [groups * group], [group])?;
            // An open cell has at least two leaves.
            groups = points / 2;
        }
        queue.read(&self.status, 0, &mut status)?;
        if status[0] != 0 {
            return Err(self.table.unexplained(status[0]));
        }
        let senseless = || wrong("an open cell of the optimal path");
        let count = status[self.launches + 1] as usize;
        let mut left =
            vec![[0; OPEN_WORDS]; if count <= *points { count } else { return Err(senseless()) }];
        queue.read(&self.lists[self.launches % 2], 0, left.as_flattened_mut())?;
        let makes_sense = |&[first, last, kept]: &Open| {
            first < last && (last as usize) < *points && kept <= KEPT_FIRST
        };
        if left.iter().all(makes_sense) { Ok(left) } else { Err(senseless()) }
    }

    fn splits(&self) -> Result<Vec<[u32; 2]>> {
        let mut splits = vec![[0; 2]; self.table.points];
        self.table.queue.read(&self.splits, 0, splits.as_flattened_mut())?;
        Ok(splits)
    }
}

/// The values and the splits of a group.
fn splits_arrays(table: &Table<'_>) -> GroupArrays {
    let items = table.program.tuned("SPLITS_GROUP");
    GroupArrays::of([8 * items, 4 * items])
}

/// The runs, each with cells that share an end.
struct Runs<'a> {
    table: &'a Table<'a>,
    pacer: Pacer<'a>,
    /// For each point the cell that it splits, if a run found it.
    splits: Vec<[u32; 2]>,
    /// Number of splits that may still be looked at.
    budget: u64,
}

impl Runs<'_> {
    /// Least points of a cell whose run the walks leave to `Runs`.
    fn shortest(&self) -> u32 {
        if self.budget == 0 { u32::MAX } else { self.table.program.tuned("LONG_RUN") as u32 }
    }

    /// Finds the splits of the runs among the open cells and returns the cells that are still open.
    fn follow(&mut self, cells: Vec<Open>) -> Result<Vec<Open>> {
        let (runs, mut open): (Vec<Open>, Vec<Open>) =
            cells.into_iter().partition(|cell| cell[2] != KEPT_NEITHER);
        if runs.is_empty() {
            return Ok(open);
        }
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
        let Table { device, queue, program, .. } = self.table;
        let kernel: Kernel<Splits<'static>> = program.kernel()?;
        let group = kernel.group("SPLITS_GROUP");
        let wanted = device.buffer_from(queue, cells.as_flattened())?;
        let splits = device.buffer::<u32>(cells.len())?;
        let mut begin = 0;
        while begin < cells.len() {
            let (room, mut work, mut count) = (self.pacer.room() / WORK_OF_SPLIT, 0, 0);
            for &[first, last] in &cells[begin..] {
                work += u64::from(last - first);
                count += 1;
                if work >= room {
                    break;
                }
            }
            let arguments = Splits {
                table: self.table.cells(),
                wanted: &wanted,
                splits: &splits,
                begin: begin as u32,
                group_arrays: splits_arrays(self.table),
            };
            queue.launch(&kernel, &arguments, [count * group], [group])?;
            self.budget = self.budget.saturating_sub(work);
            begin += count;
            self.pacer.launched(work * WORK_OF_SPLIT, None)?;
        }
        let mut found = vec![0; cells.len()];
        queue.read(&splits, 0, &mut found)?;
        Ok(found)
    }

    /// Follows a run through the splits of its members, and opens the parts that leave it.
    fn descend(&mut self, run: Open, splits: &[u32], open: &mut Vec<Open>) -> Result<()> {
        let [mut first, mut last, kept] = run;
        while last - first > 1 {
            let member = if kept == KEPT_LAST { first - run[0] } else { run[1] - last };
            let split = splits[member as usize];
            if split <= first || split >= last {
                return Err(self.table.unexplained(last));
            }
            self.splits[split as usize] = [first, last];
            let (part, rest) = match kept {
                KEPT_LAST => ([first, split], [split, last]),
                _ => ([split, last], [first, split]),
            };
            [first, last] = rest;
            if part[1] - part[0] > 1 {
                open.push([part[0], part[1], KEPT_NEITHER]);
            }
        }
        Ok(())
    }
}

/// All cells of a run, longest first: they share its last or its first point.
fn members(&[first, last, kept]: &Open) -> impl Iterator<Item = [u32; 2]> {
    (0..last - first - 1).map(move |step| match kept {
        KEPT_LAST => [first + step, last],
        _ => [first, last - step],
    })
}
