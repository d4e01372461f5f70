//! The CPU engine.

use std::ops::Range;
use std::sync::atomic::Ordering;

use super::algebra::Algebra;
use super::blocked::Blocks;
use super::filled_tables::FilledTables;
use super::plan::EnginePlan;
use super::problem::{Problem, Single};
use super::schedule::Schedule;
use super::{Method, Output, check, choices, jump, period, pipeline, window};
use crate::memory::Gather;
use crate::solve::Monitor;
use crate::table::Table;
use crate::{Error, Result, parallel};

/// Solves all instances by the plan's method; `None` if the values need wider integers.
pub(super) fn solve<A: Algebra + ?Sized>(
    algebra: &A,
    plan: &EnginePlan<'_>,
    threads: usize,
    monitor: &Monitor,
) -> Result<Option<FilledTables>> {
    let count = plan.instance.instances();
    let side_by_side = threads > 1 && count >= threads;
    check_memory(plan, bytes::<A>(), if side_by_side { threads } else { 1 }, monitor)?;
    let Some(problem) = Problem::new(algebra, plan.instance)? else { return Ok(None) };
    plan.completed.store(0, Ordering::Relaxed);
    let solve = |number: usize, threads: usize| {
        let found = solve_one(&problem, plan, number, threads, monitor)?;
        plan.completed.fetch_add(1, Ordering::Relaxed);
        Ok(found)
    };
    let parts = if side_by_side {
        parallel::try_map(0..count, |number| solve(number, 1))
    } else {
        (0..count).map(|number| solve(number, threads)).try_gather()
    };
    match parts {
        // The conversion reuses the list's memory.
        Ok(parts) => {
            parts.into_iter().collect::<Option<Vec<_>>>().map(FilledTables::join).transpose()
        }
        // The caller tries wider integers next; only the widest report the overflow.
        Err(error) if matches!(*error, Error::Overflow { .. }) && algebra.is_narrow() => Ok(None),
        Err(error) => Err(error),
    }
}

fn solve_one<A: Algebra + ?Sized>(
    problem: &Problem<'_, A>,
    plan: &EnginePlan<'_>,
    number: usize,
    threads: usize,
    monitor: &Monitor,
) -> Result<Option<FilledTables>> {
    let Some(initial) = problem.initial(number)? else { return Ok(None) };
    let single = problem.single(number);
    let algebra = problem.algebra;
    if plan.method == Method::Jump {
        let value = jump::element(&single, &initial, plan.instance.length() - 1, monitor)?;
        let last = algebra.decode(value);
        return Ok(Some(FilledTables { last: vec![last], ..FilledTables::default() }));
    }
    let Some(mut table) = Table::<A::Value>::zeroed(problem.length) else {
        let required = problem.length as u128 * size_of::<A::Value>() as u128;
        return Err(
            monitor.out_of_memory(required, format!("a table of {} elements", problem.length))
        );
    };
    table[..initial.len()].copy_from_slice(&initial);
    drop(initial);
    let period = fill(&single, &mut table, plan, threads, monitor)?;
    // A check of the last element needs only the elements that it depends on.
    let first = match plan.output {
        Output::Table => 0,
        Output::Last => table.len().saturating_sub(check::reach(plan.instance) as usize + 1),
    };
    let decode = |range: Range<usize>, numbers: &mut _| {
        algebra.decode_all(&table[first + range.start..first + range.end], numbers);
    };
    let mut found =
        FilledTables::of_table(table.len() - first, &decode, first, plan, number, monitor)?;
    found.period = period;
    if plan.choices {
        found.choices = choices::choices(&single, &table, monitor)?;
        check::check_choices(plan.instance, number, &found.values, &found.choices)?;
    }
    Ok(Some(found))
}

/// Fills the table; returns the period that it ends in, if one was found.
fn fill<A: Algebra + ?Sized>(
    single: &Single<'_, A>,
    table: &mut [A::Value],
    plan: &EnginePlan<'_>,
    threads: usize,
    monitor: &Monitor,
) -> Result<Option<usize>> {
    let preset = single.problem.preset;
    if let Some(schedule) = plan.schedule()? {
        pipeline::pipeline(single, table, &schedule, threads, monitor)?;
        return Ok(None);
    }
    match plan.method {
        Method::Sequential => pipeline::sequential(single, table, monitor)?,
        Method::Tournament => pipeline::tournament(single, table, monitor)?,
        Method::SlidingWindow => window::fill(single, table, monitor)?,
        _ => match Blocks::new(single, monitor, threads) {
            Some(blocks) => return fill_periodic(&blocks, table, preset, plan, monitor),
            // Each row is a step of independent elements.
            None => {
                let schedule = Schedule::new(plan.instance, plan.instance.operands(), None)?;
                pipeline::pipeline(single, table, &schedule, threads, monitor)?;
            }
        },
    }
    Ok(None)
}

/// Fills the table in parts, and checks for the period whenever its length has doubled.
fn fill_periodic<A: Algebra + ?Sized>(
    blocks: &Blocks<'_, A>,
    table: &mut [A::Value],
    preset: usize,
    plan: &EnginePlan<'_>,
    monitor: &Monitor,
) -> Result<Option<usize>> {
    let Some(period) = plan.period else {
        blocks.fill(table, preset)?;
        return Ok(None);
    };
    let mut known = preset;
    while known < table.len() {
        let end = known.saturating_mul(2).min(table.len());
        blocks.fill(&mut table[..end], known)?;
        known = end;
        if known < table.len()
            && period::is_reached(&table[known - period::tail(preset, period)..known], period)
        {
            period::repeat(table, known, period, monitor)?;
            return Ok(Some(period));
        }
    }
    Ok(None)
}

/// Bytes of a value and of a partial result.
pub(super) fn bytes<A: Algebra + ?Sized>() -> [usize; 2] {
    [size_of::<A::Value>(), size_of::<A::Partial>()]
}

/// Refuses tables beyond the memory limit; `at_once` tables are processed at a time.
pub(super) fn check_memory(
    plan: &EnginePlan<'_>,
    bytes: [usize; 2],
    at_once: usize,
    monitor: &Monitor,
) -> Result<()> {
    let instance = plan.instance;
    let (count, length) = (instance.instances(), u128::from(instance.length()));
    let working = match plan.method {
        Method::Jump => jump::bytes(instance, bytes),
        // There are no more partial results than preset elements, or they stay in the caches.
        _ => {
            let [value, partial] = bytes;
            length * value as u128 + u128::from(instance.preset()) * partial as u128
        }
    };
    // Returned values have 64 bits.
    let result = match plan.output {
        Output::Table => count as u128 * length * if plan.choices { 12 } else { 8 },
        Output::Last => count as u128 * 8,
    };
    monitor.check_memory(at_once as u128 * working + result, || match plan.method {
        Method::Jump => {
            format!("a jump over {} preset elements in {count} tables", instance.preset())
        }
        _ => format!("a recurrence of {count} tables of {length} elements"),
    })
}
