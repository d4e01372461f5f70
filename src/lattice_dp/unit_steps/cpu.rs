//! Threads share the cells of a level.

use super::UnitSteps;
use super::cell::PairCell;
use crate::lattice_dp::cpu::shared_table;
use crate::solve::Monitor;
use crate::{Context, Result, parallel};

/// Cells of a task, a fraction of a millisecond.
pub(super) const TASK_CELLS: u32 = 1 << 12;

pub(super) fn fill<C: PairCell>(
    context: &Context,
    rule: &UnitSteps,
    monitor: &Monitor,
) -> Result<Vec<C>> {
    let table: Vec<C::Atomic> = shared_table(rule.cells.into(), monitor)?;
    C::store(&table[0], C::from_pair(rule.capacity));

    let fill_level = |level| {
        let width = rule.levels.width(level);
        let task = |number: u32| {
            monitor.check()?;
            let ranks = number * TASK_CELLS..width.min((number + 1) * TASK_CELLS);
            fill_ranks::<C>(rule, &table, level, ranks);
            Ok(())
        };
        match width.div_ceil(TASK_CELLS) {
            1 => task(0),
            tasks => parallel::try_for_each(0..tasks, task),
        }
    };
    let fill_all = || (1..rule.levels.len()).try_for_each(fill_level);
    context.install_reporting(monitor, "lattice", || None, fill_all)??;
    // The conversion reuses the allocation.
    Ok(table.into_iter().map(C::into_inner).collect())
}

fn fill_ranks<C: PairCell>(
    rule: &UnitSteps,
    table: &[C::Atomic],
    level: usize,
    ranks: std::ops::Range<u32>,
) {
    let mut cell = rule.levels.vector(level, ranks.start);
    for _ in ranks {
        let place: u32 =
            rule.axes.iter().zip(&cell).map(|(axis, component)| axis.stride * component).sum();
        let mut best = u32::MAX;
        for (axis, &component) in rule.axes.iter().zip(&cell) {
            if component > 0 {
                let before = C::load(&table[(place - axis.stride) as usize]).into();
                best = best.min(rule.add(before, axis.size));
            }
        }
        C::store(&table[place as usize], C::from_pair(best));
        rule.levels.advance(&mut cell);
    }
}
