//! Recurrences with fixed offsets: the simplified dynamic program (S-DP) of Matsumae (2022) over a
//! semiring,
//!
//! ```text
//! ST[i] = t_i (+) (w_0 (*) ST[i - a_0]) (+) ... (+) (w_{k-1} (*) ST[i - a_{k-1}]),
//!         a_0 > ... > a_{k-1} > 0
//! ```
//!
//! with the first a_0 elements preset. Change making, rod cutting and unbounded knapsack are such
//! recurrences over (min,+) and (max,+), counting is one over (+,*), reachability one over
//! (or,and).
//!
//! # Methods
//!
//! The source's own methods can be chosen: the sequential one, a tournament for each element, the
//! k-stage pipeline, the 2-by-2 pipeline, and the p-fold pipeline with the largest safe p or a
//! smaller one. [`Method::Auto`] chooses others, which do the same operations in the same order
//! with less memory traffic: neighbouring elements that do not depend on each other gather all
//! their operands at once, and blocks handle small offsets. Three structures allow less work:
//! consecutive offsets allow a sliding window, an idempotent operator makes the table periodic, and
//! a single distant element can be found by a jump.
//!
//! # Exactness
//!
//! All methods, engines and numbers of threads give the same values, bit for bit. There is no
//! floating-point arithmetic. Values never wrap around: a value that does not fit is an
//! [`Error::Overflow`]. Filling a table reports this for any element, a jump only for the last one.
//! If the two may differ, [`Method::Auto`] decides to jump by the instance only.
//!
//! Before elements of a table are returned, they are computed again from earlier elements and from
//! their choices: all elements of a small table; the last one and evenly spaced ones of a large
//! table. An element found by a jump is not checked: that would need the table that the jump
//! avoids.

mod algebra;
mod batch;
mod blocked;
mod check;
mod choices;
mod cost_model;
mod cpu;
mod device;
mod engine;
mod exact_jump;
mod filled_tables;
mod format;
mod instance;
mod jump;
mod options;
mod period;
mod pipeline;
mod plain;
mod plan;
mod plans;
mod problem;
mod relax;
mod scales;
mod schedule;
mod semiring;
mod solution;
#[cfg(test)]
mod tests;
mod window;

pub use batch::solve_batch;
pub use instance::Instance;
pub use options::{Method, Options, Output};
pub(crate) use scales::SCALES;
pub use semiring::{Callback, FINITE_LIMIT, MODULUS_LIMIT, Operator, Semiring};
pub use solution::{NO_CHOICE, Solution};

pub(crate) const KERNEL_FAMILIES: &[crate::opencl::TimedFamily] = &[device::TIMED];

use std::cell::Cell;
use std::sync::atomic::Ordering;

use self::algebra::Algebra;
use self::cost_model::Core;
use self::engine::{Engine, run};
use self::filled_tables::FilledTables;
use self::plan::EnginePlan;
use self::plans::EnginePlans;
use crate::opencl::Device;
use crate::solve::{Certificate, Monitor, Outcome, Report, SolveOptions, unless_stopped};
use crate::{Context, Error, Forecast, Result};

/// Name of the cost model of a single table.
const MODEL: &str = "recurrence";

/// The programs of usual semirings.
pub(crate) fn usual_programs() -> Vec<crate::opencl::Usual> {
    device::usual_programs()
}

/// The largest p for which the p-fold pipeline is correct on this instance: the minimum of
/// floor(a_q / (k - q)) over q.
pub fn largest_fold(instance: &Instance) -> u64 {
    schedule::largest_fold(instance, 1)
}

/// Fills the tables of an instance.
///
/// The objective is the last element of the first instance, and the bound is the same, since a
/// recurrence has no decisions. The status is [`Status::Optimal`](crate::Status::Optimal) or, after
/// a stop, [`Status::Stopped`](crate::Status::Stopped). Statistics: `operands`, the operands by
/// definition of all elements in the completed tables; for the methods of Matsumae (2022) `steps` and
/// `threads`, the number of steps one after the other and the operands or pairs processed at once in
/// each; `period` if a table ended in one.
/// One unit of the iteration limit is the whole batch. May be called on several threads at once.
///
/// # Errors
/// [`Error::Overflow`] for an element out of the semiring's range; [`Error::OutOfMemory`] for
/// tables beyond the memory limit; [`Error::InvalidArgument`] for an unsafe fold and for a custom
/// operator whose source does not compile; [`Error::Unsupported`] for a method that does not fit
/// the instance; device errors with [`Engine::Device`](crate::Engine::Device).
pub fn solve(
    context: &Context,
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Solution>> {
    let sense = instance.semiring().sense();
    let monitor = context.watch(sense, solve_options)?;
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let plans = EnginePlans::new(context, instance, options, solve_options.engine)?;
    let (cpu, device) = (&plans.cpu, &plans.device);
    let on_host = Cell::new(plans.jump.as_ref().unwrap_or(cpu));
    let mut on_engine = || {
        on_host.set(cpu);
        let threads = context.threads();
        let core = Core::of(&context.processor_speeds());
        dispatch.run(
            &monitor,
            &Forecast {
                cpu: &|| cost_model::cpu_seconds(cpu, threads, core),
                device: &|info, speeds| {
                    cost_model::device_seconds(device, info, speeds, threads, core)
                },
                // A single table has another share of serial work.
                ..Forecast::of(if instance.instances() > 1 { "recurrences" } else { MODEL })
            },
            |opened| on_device(context, opened, device, &monitor),
            |monitor| on_cpu(context, cpu, monitor),
        )
    };
    let result = monitor.begin_iteration().and_then(|()| match &plans.jump {
        Some(jump) => match jump_on_cpu(context, jump, &monitor)? {
            Some(found) => Ok(found),
            None => on_engine(),
        },
        None => on_engine(),
    });
    let mut report = Report::default();
    dispatch.finish(&monitor, &mut report);
    let ran = if report.device.is_some() { device } else { on_host.get() };
    report.method = ran.method.name();
    report.statistics.add("operands", instance.work_of(ran.completed.load(Ordering::Relaxed)));
    let Some(found) = unless_stopped(result)? else {
        return Ok(monitor.conclude(Certificate::stopped(sense, None).outcome(None, report)));
    };
    if let Some((steps, threads)) = cpu.steps_and_threads()? {
        report.statistics.add("steps", steps);
        report.statistics.add("threads", threads);
    }
    if let Some(period) = found.period {
        report.statistics.add("period", period as u64);
    }
    let certificate = Certificate::proved(sense, found.last.first().copied());
    let choices = options.choices.then_some(found.choices);
    let solution = Solution { values: found.values, last: found.last, choices };
    Ok(monitor.conclude(certificate.outcome(Some(solution), report)))
}

struct OnCpu<'a> {
    plan: &'a EnginePlan<'a>,
    threads: usize,
    monitor: &'a Monitor,
}

impl Engine for OnCpu<'_> {
    fn solve<A: Algebra + ?Sized>(&self, algebra: &A) -> Result<Option<FilledTables>> {
        cpu::solve(algebra, self.plan, self.threads, self.monitor)
    }
}

fn on_cpu(context: &Context, plan: &EnginePlan<'_>, monitor: &Monitor) -> Result<FilledTables> {
    if plan.instance.semiring().is_for_devices() {
        return Err(Error::unsupported("a custom operator on the CPU without a callback"));
    }
    let engine = OnCpu { plan, threads: context.threads(), monitor };
    context.install_reporting(monitor, "recurrence", || None, || run(plan.instance, &engine))?
}

/// `None` if coefficients beyond 128 bits leave open whether the elements are in range.
fn jump_on_cpu(
    context: &Context,
    plan: &EnginePlan<'_>,
    monitor: &Monitor,
) -> Result<Option<FilledTables>> {
    let instance = plan.instance;
    if jump::stays_in_range(instance) {
        return on_cpu(context, plan, monitor).map(Some);
    }
    let find = || exact_jump::last_elements(instance, context.threads(), monitor);
    let Some(last) = context.install_reporting(monitor, "recurrence", || None, find)?? else {
        return Ok(None);
    };
    plan.completed.store(last.len(), Ordering::Relaxed);
    Ok(Some(FilledTables { last, ..FilledTables::default() }))
}

struct OnDevice<'a> {
    context: &'a Context,
    device: &'a Device,
    plan: &'a EnginePlan<'a>,
    monitor: &'a Monitor,
}

impl Engine for OnDevice<'_> {
    fn solve<A: Algebra + ?Sized>(&self, algebra: &A) -> Result<Option<FilledTables>> {
        device::solve(self.context, self.device, algebra, self.plan, self.monitor)
    }
}

fn on_device(
    context: &Context,
    device: &Device,
    plan: &EnginePlan<'_>,
    monitor: &Monitor,
) -> Result<FilledTables> {
    run(plan.instance, &OnDevice { context, device, plan, monitor })
}
