//! The CPU engine: row-major order on one thread, level by level on several.

use std::sync::atomic::{AtomicU16, Ordering};

use rayon::prelude::*;

use super::UNREACHABLE;
use super::instance::{Instance, Packed, WORDS, fits};
use super::levels::{Cell, Levels};
use crate::solve::Monitor;
use crate::{Context, Error, Result};

/// Below this many look-ups, waking other threads for each level costs more than they bring.
const PARALLEL_LOOKUPS: u64 = 1 << 22;

/// Look-ups between two looks at the clock, some milliseconds.
const LOOKUPS_PER_CHECK: u64 = 1 << 20;

/// Small enough that all threads get some of a level.
const MOST_CELLS_PER_TASK: u64 = 1 << 12;

/// Fills the table and replays the cheapest path to the last cell.
pub(super) fn solve(context: &Context, instance: &Instance, monitor: &Monitor) -> Result<Option<Vec<u32>>> {
    let table = fill(context, instance, monitor)?;
    Ok(replay(instance, &table))
}

/// The values of all cells, row-major.
pub(super) fn fill(context: &Context, instance: &Instance, monitor: &Monitor) -> Result<Vec<AtomicU16>> {
    let table = allocate(instance, monitor)?;
    let lookups = instance.cells().saturating_mul(instance.offsets().len() as u64);
    if context.threads() == 1 || lookups < PARALLEL_LOOKUPS {
        fill_in_order(instance, &table, monitor)?;
    } else {
        fill_by_levels(context, instance, &table, monitor)?;
    }
    Ok(table)
}

/// The table, if it fits into the memory limit. Its cells are all written before they are read.
fn allocate(instance: &Instance, monitor: &Monitor) -> Result<Vec<AtomicU16>> {
    let limit = monitor.memory_bytes();
    let cells = usize::try_from(instance.cells()).unwrap_or(usize::MAX);
    let table = if instance.cells() <= limit / size_of::<AtomicU16>() as u64 {
        // Zeroed by the operating system, page by page on first use.
        bytemuck::allocation::try_zeroed_vec(cells).ok()
    } else {
        None
    };
    table.ok_or_else(|| Error::OutOfMemory {
        what: format!("a lattice of {} cells", instance.cells()),
        required: u128::from(instance.cells()) * size_of::<AtomicU16>() as u128,
        limit,
    })
}

fn cells_per_check(instance: &Instance) -> u64 {
    (LOOKUPS_PER_CHECK / (instance.offsets().len() as u64 + 1)).max(1)
}

/// Every predecessor v - s of a cell comes before it in row-major order.
fn fill_in_order(instance: &Instance, table: &[AtomicU16], monitor: &Monitor) -> Result<()> {
    let cells_per_check = cells_per_check(instance);
    let mut cell = Cell { index: 0, packed: [0; WORDS] };
    while advance(instance, &mut cell) {
        if cell.index.is_multiple_of(cells_per_check) {
            monitor.report("lattice", Some(cell.index as f64 / instance.cells() as f64));
            monitor.check()?;
        }
        compute(instance, table, &cell);
    }
    Ok(())
}

/// Moves to the next cell in row-major order; false after the last one.
fn advance(instance: &Instance, cell: &mut Cell) -> bool {
    cell.index += 1;
    for dimension in instance.dimensions().iter().rev().filter(|dimension| dimension.max > 0) {
        let (word, shift) = (dimension.shift as usize / 64, dimension.shift % 64);
        let largest = u64::from(dimension.max) << shift;
        let field = u64::MAX >> u64::from(dimension.max).leading_zeros() << shift;
        if cell.packed[word] & field != largest {
            cell.packed[word] += 1 << shift;
            return true;
        }
        cell.packed[word] &= !field;
    }
    false
}

/// Cells of one level depend on lower levels alone. The values of a level become visible to the next one
/// where rayon joins its tasks, so relaxed access is enough.
fn fill_by_levels(
    context: &Context,
    instance: &Instance,
    table: &[AtomicU16],
    monitor: &Monitor,
) -> Result<()> {
    let levels = Levels::new(instance);
    let chunk_cells = cells_per_check(instance).min(MOST_CELLS_PER_TASK);
    let mut done = 1;
    for level in 1..instance.levels() {
        let width = levels.width(level);
        let chunks = width.div_ceil(chunk_cells);
        context.install(|| {
            (0..chunks).into_par_iter().try_for_each(|chunk| {
                let ranks = chunk * chunk_cells..width.min((chunk + 1) * chunk_cells);
                ranks.for_each(|rank| compute(instance, table, &levels.cell(instance, level, rank)));
                monitor.check()
            })
        })?;
        done += width;
        monitor.report("lattice", Some(done as f64 / instance.cells() as f64));
    }
    Ok(())
}

fn compute(instance: &Instance, table: &[AtomicU16], cell: &Cell) {
    let guards = instance.guards();
    let value = instance
        .offsets()
        .iter()
        .filter(|offset| fits(&offset.packed, &cell.packed, guards))
        .map(|offset| load(table, cell.index - offset.distance).saturating_add(offset.cost))
        .min()
        .unwrap_or(UNREACHABLE);
    table[cell.index as usize].store(value, Ordering::Relaxed);
}

fn load(table: &[AtomicU16], index: u64) -> u16 {
    table[index as usize].load(Ordering::Relaxed)
}

/// Walks from the last cell back to cell 0, by the first offset that explains each cell's value.
fn replay(instance: &Instance, table: &[AtomicU16]) -> Option<Vec<u32>> {
    let mut cell = Cell { index: instance.cells() - 1, packed: *instance.corner() };
    let mut steps = Vec::new();
    if load(table, cell.index) == UNREACHABLE {
        return None;
    }
    while cell.index > 0 {
        let value = load(table, cell.index);
        let step = instance.offsets().iter().find(|offset| {
            fits(&offset.packed, &cell.packed, instance.guards())
                && load(table, cell.index - offset.distance).saturating_add(offset.cost) == value
        })?;
        cell.index -= step.distance;
        subtract(&mut cell.packed, &step.packed);
        steps.push(step.position);
    }
    Some(steps)
}

fn subtract(v: &mut Packed, s: &Packed) {
    (0..WORDS).for_each(|word| v[word] -= s[word]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice_dp::testing::{brute_force, instances};
    use crate::solve::SolveOptions;
    use crate::{ContextOptions, Engine};
    use proptest::prelude::*;

    fn values(table: &[AtomicU16]) -> Vec<u16> {
        table.iter().map(|value| value.load(Ordering::Relaxed)).collect()
    }

    proptest! {
        #[test]
        fn both_orders_agree_with_the_definition(instance in instances()) {
            let options = ContextOptions { engine: Engine::Cpu, threads: Some(2), ..ContextOptions::default() };
            let context = Context::new(options).unwrap();
            let monitor = Monitor::new(&SolveOptions::default());
            let expected = brute_force(&instance);
            for in_order in [true, false] {
                let table = allocate(&instance, &monitor).unwrap();
                match in_order {
                    true => fill_in_order(&instance, &table, &monitor).unwrap(),
                    false => fill_by_levels(&context, &instance, &table, &monitor).unwrap(),
                }
                prop_assert_eq!(&values(&table), &expected);
                let path = replay(&instance, &table);
                let cost = path.map(|path| instance.path_cost(&path).unwrap());
                let last = *expected.last().unwrap();
                prop_assert_eq!(cost, (last != UNREACHABLE).then_some(last.into()));
            }
        }
    }

    #[test]
    fn a_table_beyond_the_memory_limit_is_refused_with_its_size() {
        let instance = Instance::new(&[1000, 1000], [([1, 0], 1), ([0, 1], 1)]).unwrap();
        let limits = crate::Limits { memory: Some(1_999_999), ..Default::default() };
        let monitor = Monitor::new(&SolveOptions { limits, ..SolveOptions::default() });
        let error = allocate(&instance, &monitor).unwrap_err().to_string();
        assert_eq!(error, "a lattice of 1000000 cells needs 2000000 bytes, the limit is 1999999 bytes");
    }
}
