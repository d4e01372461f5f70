//! Bellman's dense table: the best profit for every capacity, item after item.
//!
//! Only the latest row is kept. A solution also needs a bit for each item and capacity, 1 if
//! the item is taken; it is recorded while rows are filled. Before the last items, only
//! those capacities are filled that the items' weights can reach from the whole capacity.
//!
//! If these decisions need too much memory, the items are divided into parts and the row before
//! each part is kept. The traceback starts with the last part. It knows the capacity left at a
//! part's end, and the part's decisions depend only on the capacities that its weights can reach
//! from there. The part is filled again from the row before it, over that window only, by the same
//! method. With m parts the windows of all parts together are about 2/m of the table if half of all
//! items fit.
//!
//! An item is taken only if that is better, decided from the last item to the first. So the
//! solution is the same for any division into parts and on every engine.

mod bits;
#[cfg(target_arch = "x86_64")]
mod bits_avx512;
pub(super) mod cost_model;
mod decisions;
mod device;
mod profits;
mod sweep;
#[cfg(test)]
mod tests;

pub(crate) use self::device::TIMED;
pub(super) use self::device::usual_programs;

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

use self::bits::Sums;
use self::cost_model::{CostModel, Kind};
use self::device::{DeviceProfits, DeviceSums};
use self::profits::Profits;
use super::bounds::{self, Greedy};
use super::instance::Instance;
use super::reduction::{Piece, Problem};
use crate::solve::{Monitor, Statistics};
use crate::sorting::sort;
use crate::table::{Table, TableList};
use crate::{Context, DeviceInfo, Dispatch, Error, Forecast, Result, parallel};

/// Name of the cost model.
pub(super) const MODEL: &str = "knapsack";
/// Most parts; more would hardly shorten the windows.
const MAX_PARTS: u64 = 16;
/// Values that a thread writes at a time, a multiple of 64: they fill a huge page, which is first
/// touched here.
const VALUES: usize = 1 << 18;
/// Working rows in addition to those before the parts.
const WORK_ROWS: u64 = 2;

/// An item of the table.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Item {
    profit: i64,
    weight: usize,
    /// Its position among the problem's pieces.
    piece: usize,
}

/// An engine that fills rows. A row has a cell for each capacity of a range; capacities below the
/// range count as missing.
trait Rows {
    type Row;

    /// Whether every cell has a value; otherwise only cells of reachable sums do.
    const ALL_CELLS: bool;
    /// Items that are filled into a row in the time that allocating a row takes.
    const ITEMS_PER_ROW: usize;

    /// Number of cells filled so far.
    fn filled(&self) -> u64;
    /// Bytes of a row of `cells` cells.
    fn row_bytes(&self, cells: u64) -> u64;
    /// Bytes of the list of `cells` values if it shares the rows' memory, otherwise 0.
    fn list_bytes(&self, cells: u64) -> u64;
    /// Bytes that rows may take.
    fn memory_bytes(&self) -> u64;
    /// The row before the first item, with `cells` cells.
    fn start(&mut self, cells: usize) -> Result<Self::Row>;
    /// The row after some items; cells below `from` are undefined.
    fn advance(&mut self, row: &Self::Row, items: &[Item], from: usize) -> Result<Self::Row>;
    /// Part of a row; the range starts at a multiple of 64.
    fn window(&mut self, row: &Self::Row, range: Range<usize>) -> Result<Self::Row>;
    /// Whether to decide these items and cells without parts, while other rows hold `held` bytes.
    fn is_leaf(&self, items: &[Item], cells: usize, held: u64) -> bool;
    /// A value that shows whether items changed a cell: its profit, or 1 if its sum is reachable.
    fn value(&mut self, row: &Self::Row, cell: usize) -> Result<i64>;
    /// The capacity at which the traceback starts: the last cell that has a value.
    fn best(&mut self, last: &Self::Row) -> Result<usize>;
    /// The best profit for every capacity of a last row.
    fn values(&mut self, last: Self::Row) -> Result<Table<u64>>;
    /// Decides the items, the last one first, given the row before them and the capacity after
    /// them, which is the row's last cell. Calls `take` with each item taken; returns the capacity
    /// left before them.
    fn decide(
        &mut self,
        row: Self::Row,
        items: &[Item],
        take: &mut dyn FnMut(&Item),
    ) -> Result<usize>;
}

/// The problem's items by weight, lightest first, so that most of them can be filled together.
fn items(problem: &Problem, monitor: &Monitor) -> Result<TableList<Item>> {
    let mut items = TableList::with_room(problem.pieces.len())?;
    for (piece, &Piece { profit, weight, .. }) in problem.pieces.iter().enumerate() {
        monitor.check_later_step(piece)?;
        items.push(Item { profit, weight: weight as usize, piece });
    }
    sort(&mut items, |a, b| (a.weight, a.piece).cmp(&(b.weight, b.piece)), monitor)?;
    Ok(items)
}

/// Number of cells of a row, for capacities from 0 on.
fn cells(problem: &Problem) -> Result<usize> {
    let cells = problem.capacity as u64 + 1;
    usize::try_from(cells).map_err(|_| too_large(cells, u128::from(cells) * 4, u64::MAX))
}

fn too_large(cells: u64, required: u128, limit: u64) -> Box<Error> {
    Box::new(Error::OutOfMemory {
        what: format!("a knapsack table of {cells} capacities"),
        required,
        limit,
    })
}

/// Refuses a table if `count` rows and `more` bytes exceed the engine's memory.
fn check_memory(rows: &impl Rows, cells: usize, count: u64, more: u64) -> Result<()> {
    let required = u128::from(rows.row_bytes(cells as u64)) * u128::from(count) + u128::from(more);
    let limit = rows.memory_bytes();
    if required > limit.into() { Err(too_large(cells as u64, required, limit)) } else { Ok(()) }
}

/// Work on rows of any kind.
trait Job {
    type Output;

    fn run<R: Rows>(&self, rows: &mut R) -> Result<Self::Output>;
}

/// Cells of the table, if a 64-bit number holds them.
pub(super) fn work(problem: &Problem) -> Option<u64> {
    (problem.capacity as u64 + 1).checked_mul(problem.pieces.len() as u64)
}

/// The problem's pieces that the best solution takes. `bound` is an upper bound on its profit.
pub(super) fn solve(
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    problem: &Problem,
    bound: i64,
    statistics: &mut Statistics,
) -> Result<Vec<bool>> {
    choose(dispatch, monitor, problem, bound, statistics, &Solve { problem, monitor })
}

/// The largest profit for every capacity of the instance.
pub(super) fn profile(
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    instance: &Instance,
    problem: &Problem,
    statistics: &mut Statistics,
) -> Result<Table<u64>> {
    let capacities = u128::from(instance.capacity()) + 1;
    let in_units = (problem.weight_unit, problem.profit_unit, problem.free_profit) != (1, 1, 0);
    // The problem's list, and the instance's list made from it.
    let listed = capacities + if in_units { problem.capacity as u128 + 1 } else { 0 };
    monitor.check_memory(listed * size_of::<u64>() as u128, || {
        format!("the profits of {capacities} capacities")
    })?;
    let Greedy { bound, .. } = bounds::greedy(problem, monitor)?;
    let values =
        choose(dispatch, monitor, problem, bound, statistics, &Profile { problem, monitor })?;
    if !in_units {
        return Ok(values);
    }
    let all = instance.capacity() as usize + 1;
    fill_values(
        dispatch.context(),
        monitor,
        all,
        || Ok(()),
        |(), first, all| {
            for (capacity, value) in (first as u64..).zip(all) {
                *value = problem.scaled(values[(capacity / problem.weight_unit) as usize] as i64);
            }
            Ok(())
        },
    )
}

/// Writes the values of many capacities on all threads. `fill` gets a thread's `scratch`, the first
/// capacity of a stretch and the slice for its values.
fn fill_values<S>(
    context: &Context,
    monitor: &Monitor,
    cells: usize,
    scratch: impl Fn() -> Result<S> + Send + Sync,
    fill: impl Fn(&mut S, usize, &mut [u64]) -> Result<()> + Send + Sync,
) -> Result<Table<u64>> {
    let required = cells as u128 * size_of::<u64>() as u128;
    let refused = || too_large(cells as u64, required, monitor.memory_bytes());
    let mut values = Table::zeroed(cells).ok_or_else(refused)?;
    let parts = values.chunks_mut(VALUES).enumerate();
    let work = || {
        parallel::try_for_each_with(parts, scratch, |scratch, (index, values)| {
            monitor.check()?;
            fill(scratch, index * VALUES, values)
        })
    };
    context.install_reporting(monitor, "dense", || None, work)??;
    Ok(values)
}

/// Runs the job on the kind of rows that the problem allows and on the requested engine.
fn choose<J: Job>(
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    problem: &Problem,
    bound: i64,
    statistics: &mut Statistics,
    job: &J,
) -> Result<J::Output> {
    let context = dispatch.context();
    let kind = match (problem.is_subset_sum, i32::try_from(bound)) {
        (true, _) => Kind::Sums,
        (_, Ok(_)) => Kind::Small,
        _ => Kind::Large,
    };
    let cell_bits = match kind {
        Kind::Sums => 1,
        Kind::Small => 32,
        Kind::Large => 64,
    };
    let cells = work(problem).unwrap_or(u64::MAX);
    let light =
        light_pieces(problem, cell_bits, monitor)? * (cells / problem.pieces.len().max(1) as u64);
    let model = CostModel { kind, light, heavy: cells - light, threads: context.threads() };
    let (output, filled) = dispatch.run(
        monitor,
        &Forecast {
            cpu: &|| model.cpu_seconds(&context.processor_speeds()),
            device: &|info, speeds| match has_room(info, problem, cell_bits) {
                true => model.device_seconds(speeds),
                false => f64::INFINITY,
            },
            ..Forecast::of(MODEL)
        },
        |device| match kind {
            Kind::Sums => run(DeviceSums::new(context, monitor, device)?, job),
            Kind::Small => run(DeviceProfits::<i32>::new(context, monitor, device)?, job),
            Kind::Large => run(DeviceProfits::<i64>::new(context, monitor, device)?, job),
        },
        |monitor| match kind {
            Kind::Sums => run(Sums::new(context, monitor), job),
            Kind::Small => run(Profits::<i32>::new(context, monitor), job),
            Kind::Large => run(Profits::<i64>::new(context, monitor), job),
        },
    )?;
    statistics.add("cells", filled);
    Ok(output)
}

/// Whether a device can hold the rows of a solve.
fn has_room(info: &DeviceInfo, problem: &Problem, cell_bits: u64) -> bool {
    let bytes = (problem.capacity as u128 + 1) * u128::from(cell_bits) / 8;
    bytes <= info.max_allocation_bytes.into()
        && bytes * u128::from(WORK_ROWS + 3) <= info.global_memory_bytes.into()
}

/// Number of pieces whose weight spans at most half of [`sweep::NEAR_BYTES`].
fn light_pieces(problem: &Problem, cell_bits: u64, monitor: &Monitor) -> Result<u64> {
    let heaviest = (sweep::NEAR_BYTES as u64 * 8 / 2 / cell_bits) as i64;
    let mut light = 0;
    for (step, piece) in problem.pieces.iter().enumerate() {
        monitor.check_later_step(step)?;
        light += u64::from(piece.weight <= heaviest);
    }
    Ok(light)
}

fn run<R: Rows, J: Job>(mut rows: R, job: &J) -> Result<(J::Output, u64)> {
    let output = job.run(&mut rows)?;
    Ok((output, rows.filled()))
}

struct Solve<'a> {
    problem: &'a Problem,
    monitor: &'a Monitor,
}

impl Job for Solve<'_> {
    type Output = Vec<bool>;

    fn run<R: Rows>(&self, rows: &mut R) -> Result<Vec<bool>> {
        let (items, cells) = (items(self.problem, self.monitor)?, cells(self.problem)?);
        check_memory(rows, cells, WORK_ROWS + 3, 0)?;
        let mut taken = vec![false; self.problem.pieces.len()];
        let start = rows.start(cells)?;
        let mut take = |item: &Item| taken[item.piece] = true;
        if R::ALL_CELLS {
            trace(rows, start, &items, cells, None, 0, &mut take)?;
            return Ok(taken);
        }
        let parts = parts(rows, &items, cells, 0);
        let before = forward(rows, start, &parts, 0)?;
        let held = before.len() as u64 * rows.row_bytes(cells as u64);
        let (Some(row), Some(part)) = (before.last(), parts.last()) else { return Ok(taken) };
        let last = rows.advance(row, part, 0)?;
        let best = rows.best(&last)?;
        drop(last);
        back(rows, before, &parts, best, Some(1), held, &mut take)?;
        Ok(taken)
    }
}

/// The best profits in units of the problem.
struct Profile<'a> {
    problem: &'a Problem,
    monitor: &'a Monitor,
}

impl Job for Profile<'_> {
    type Output = Table<u64>;

    fn run<R: Rows>(&self, rows: &mut R) -> Result<Table<u64>> {
        let cells = cells(self.problem)?;
        check_memory(rows, cells, WORK_ROWS + 1, rows.list_bytes(cells as u64))?;
        let start = rows.start(cells)?;
        let last = rows.advance(&start, &items(self.problem, self.monitor)?, 0)?;
        drop(start);
        rows.values(last)
    }
}

/// Decides the items, the last one first, from the row before them. The row's last cell is the
/// capacity after the items; `worth` is its value then, if known. Other rows hold `held` bytes.
/// Returns the capacity left before the items.
fn trace<R: Rows>(
    rows: &mut R,
    row: R::Row,
    items: &[Item],
    cells: usize,
    worth: Option<i64>,
    held: u64,
    take: &mut dyn FnMut(&Item),
) -> Result<usize> {
    if items.len() <= 1 || rows.is_leaf(items, cells, held) {
        return rows.decide(row, items, take);
    }
    let parts = parts(rows, items, cells, held);
    let before = forward(rows, row, &parts, cells - 1)?;
    let held = held + before.len() as u64 * rows.row_bytes(cells as u64);
    back(rows, before, &parts, cells - 1, worth, held, take)
}

/// Divides the items into as many parts as there is memory for their rows, while other rows hold
/// `held` bytes. About one part is filled again, so few items do not justify the rows of many
/// parts.
fn parts<'i, R: Rows>(rows: &R, items: &'i [Item], cells: usize, held: u64) -> Vec<&'i [Item]> {
    let room = rows.memory_bytes().saturating_sub(held) / rows.row_bytes(cells as u64).max(1);
    let worth = (items.len() / R::ITEMS_PER_ROW).isqrt() as u64;
    let parts = room.saturating_sub(WORK_ROWS + 1).min(worth).clamp(2, MAX_PARTS) as usize;
    items.chunks(items.len().div_ceil(parts).max(1)).collect()
}

/// The rows before each part, filled from the lowest cell that the items can reach from the
/// capacity `last` after all of them.
fn forward<R: Rows>(
    rows: &mut R,
    row: R::Row,
    parts: &[&[Item]],
    last: usize,
) -> Result<Vec<R::Row>> {
    let mut from = vec![last; parts.len()];
    for index in (1..parts.len()).rev() {
        from[index - 1] = lowest(from[index], parts[index]);
    }
    let mut before = vec![row];
    for (index, items) in parts.iter().take(parts.len().saturating_sub(1)).enumerate() {
        before.push(rows.advance(&before[index], items, from[index])?);
    }
    Ok(before)
}

/// The lowest capacity that can be left of this one if items are taken.
fn lowest(capacity: usize, items: &[Item]) -> usize {
    items.iter().try_fold(capacity, |left, item| left.checked_sub(item.weight)).unwrap_or(0)
}

/// Decides the parts, the last one first, from the rows before them and the capacity left after
/// them. From a part that does not change that cell's value, no item is taken.
fn back<R: Rows>(
    rows: &mut R,
    before: Vec<R::Row>,
    parts: &[&[Item]],
    mut capacity: usize,
    mut worth: Option<i64>,
    held: u64,
    take: &mut dyn FnMut(&Item),
) -> Result<usize> {
    for (row, items) in before.into_iter().zip(parts).rev() {
        if worth == Some(rows.value(&row, capacity)?) {
            continue;
        }
        let low = lowest(capacity, items) / 64 * 64;
        let window = rows.window(&row, low..capacity + 1)?;
        capacity = low + trace(rows, window, items, capacity + 1 - low, worth, held, take)?;
        worth = Some(rows.value(&row, capacity)?);
    }
    Ok(capacity)
}
