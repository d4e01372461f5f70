//! The OpenCL engine: the tables stay on the device, and the host queues launches.

mod approach;
mod fill;
mod response;
mod self_test;
mod tables;
#[cfg(test)]
mod tests;

use std::sync::atomic::Ordering;

use self::approach::Approach;
use self::tables::Tables;
use super::algebra::Algebra;
use super::plan::Plan;
use super::problem::Problem;
use super::{Found, Method, Output, check, choices, cpu, period};
use crate::memory::{Gather, Grow};
use crate::opencl::{Device, DeviceKind};
use crate::solve::Monitor;
use crate::{Context, Error, Result};

/// Solves all instances with the method of the plan; `None` where the values need wider integers.
pub(super) fn solve<A: Algebra + ?Sized>(
    context: &Context,
    device: &Device,
    algebra: &A,
    plan: &Plan<'_>,
    monitor: &Monitor,
) -> Result<Option<Found>> {
    if matches!(plan.method, Method::SlidingWindow | Method::Jump) {
        return Err(Error::Unsupported(format!("the method {} on a device", plan.method.name())));
    }
    let approach = match plan.method {
        Method::Sequential => Approach::Sequential,
        Method::Tournament => Approach::Tournament,
        _ => match plan.schedule()? {
            Some(schedule) => Approach::Pipeline(schedule),
            None => approach::choose(plan.instance, size_of::<A::Value>(), device.info())?,
        },
    };
    solve_by(&approach, context, device, algebra, plan, monitor)
}

fn solve_by<A: Algebra + ?Sized>(
    approach: &Approach,
    context: &Context,
    device: &Device,
    algebra: &A,
    plan: &Plan<'_>,
    monitor: &Monitor,
) -> Result<Option<Found>> {
    // The tables of a processor's device lie in the host's memory, of others one at a time.
    let at_once = if device.info().kind == DeviceKind::Cpu { plan.instance.instances() } else { 1 };
    cpu::check_memory::<A>(plan, at_once, monitor)?;
    let Some(problem) = Problem::new(algebra, plan.instance)? else { return Ok(None) };
    let Some(tables) = Tables::new(device, &problem)? else { return Ok(None) };
    match fill_and_read(context, &tables, approach, plan, monitor) {
        Err(Error::Overflow { .. }) if algebra.is_narrow() => Ok(None),
        result => result.map(Some),
    }
}

fn fill_and_read<A: Algebra + ?Sized>(
    context: &Context,
    tables: &Tables<'_, A>,
    approach: &Approach,
    plan: &Plan<'_>,
    monitor: &Monitor,
) -> Result<Found> {
    let problem = tables.problem();
    let (preset, length) = (problem.preset, problem.length);
    // Where a period may end the table, it is filled in parts, each as long as all before; a pipeline runs through.
    let in_parts = !matches!(approach, Approach::Pipeline(_)) && plan.method == Method::Blocked;
    let period = plan.period.filter(|_| plan.instance.instances() == 1 && in_parts);
    let mut known = preset;
    let mut reached = None;
    while known < length && reached.is_none() {
        let end = if period.is_some() { known.saturating_mul(2).min(length) } else { length };
        tables.fill(approach, known, end, monitor)?;
        known = end;
        if let Some(period) = period.filter(|_| known < length) {
            let tail = period::tail(preset, period);
            let tail = tables.read(0, known - tail, tail)?;
            reached = period::is_reached(&tail, period).then_some(period);
        }
    }
    if tables.is_out_of_range()? {
        return Err(plan.instance.semiring().out_of_range());
    }
    if plan.instance.semiring().is_for_devices() {
        tables.check(known)?;
    }
    let first = match plan.output {
        Output::Last if reached.is_none() => length.saturating_sub(check::reach(plan.instance) as usize + 1),
        _ => 0,
    };
    plan.completed.store(0, Ordering::Relaxed);
    let parts = (0..plan.instance.instances()).map(|number| {
        monitor.check()?;
        let mut table = tables.read(number, first, known.saturating_sub(first))?;
        if let Some(period) = reached {
            table.try_resize(length, A::Value::default())?;
            period::repeat(&mut table, known, period, monitor)?;
        }
        let mut found = Found::of_table(problem.algebra, &table, first, plan, number, monitor)?;
        found.period = reached;
        if plan.choices {
            let single = problem.single(number);
            let choose = || choices::choices(&single, &table, monitor);
            found.choices = context.install_reporting(monitor, "choices", || None, choose)??;
            check::check_choices(plan.instance, number, &found.values, &found.choices)?;
        }
        plan.completed.fetch_add(1, Ordering::Relaxed);
        Ok(found)
    });
    Found::join(parts.try_gather()?)
}
