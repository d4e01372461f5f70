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
use crate::context::{SpotChecks, sample};
use crate::memory::{Gather, Grow};
use crate::opencl::{Device, DeviceKind};
use crate::random::Random;
use crate::solve::Monitor;
use crate::{Context, Error, Result, parallel};

/// Solves all instances with the method of the plan; `None` where the values need wider integers.
pub(super) fn solve<A: Algebra + ?Sized>(
    context: &Context,
    device: &Device,
    algebra: &A,
    plan: &Plan<'_>,
    monitor: &Monitor,
) -> Result<Option<Found>> {
    if matches!(plan.method, Method::SlidingWindow | Method::Jump) {
        return Err(Error::unsupported(format!("the method {} on a device", plan.method.name())));
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
        Err(error) if matches!(*error, Error::Overflow { .. }) && algebra.is_narrow() => Ok(None),
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
    check_some(context, tables, plan, known, monitor)?;
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

/// Elements that one thread computes at a time.
const TASK: usize = 1 << 10;

/// Computes some of the elements up to `end` again from those that they depend on.
fn check_some<A: Algebra + ?Sized>(
    context: &Context,
    tables: &Tables<'_, A>,
    plan: &Plan<'_>,
    end: usize,
    monitor: &Monitor,
) -> Result<()> {
    // An operator without a callback is for the device to compare; with one, it may be what is wrong.
    if matches!(plan.instance.semiring(), super::Semiring::Custom(_)) {
        return Ok(());
    }
    let (instance, preset) = (plan.instance, tables.problem().preset);
    let instances = instance.instances();
    let mut random = Random::new(end as u64);
    let wanted = (SpotChecks::LEAST as usize).div_ceil(instances);
    for number in 0..instances {
        for run in sample(&mut random, end - preset, wanted) {
            monitor.check()?;
            let run = preset + run.start..preset + run.end;
            let first = run.start.saturating_sub(check::reach(instance) as usize);
            let mut values = Vec::new();
            let read = tables.read(number, first, run.end - first)?;
            tables.problem().algebra.decode_all(&read, &mut values);
            let tasks = run.clone().step_by(TASK);
            let check_task = |begin: usize| {
                let range = begin as u64..run.end.min(begin + TASK) as u64;
                check::check_all(instance, number, first as u64, &values, range)
            };
            context.install(|| parallel::try_for_each(tasks, check_task))??;
        }
    }
    Ok(())
}
