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
mod blocked;
mod check;
mod choices;
mod cost_model;
mod cpu;
mod device;
mod exact_jump;
mod format;
mod instance;
mod jump;
mod period;
mod pipeline;
mod plan;
mod plans;
mod problem;
mod relax;
mod schedule;
mod semiring;
#[cfg(test)]
mod tests;
mod window;

pub use instance::Instance;
pub use semiring::{Callback, FINITE_LIMIT, MODULUS_LIMIT, Operator, Semiring};

use std::cell::Cell;
use std::ops::Range;
use std::sync::atomic::Ordering;

use self::algebra::{Algebra, Custom, MaxMin, MinPlus, Modular, OrAnd, Plain, SumProduct};
use self::plan::Plan;
use self::plans::Plans;
use crate::memory::Grow;
use crate::opencl::Device;
use crate::solve::{Monitor, Outcome, Report, SolveOptions, Status};
use crate::{Context, Error, Result, memory};

/// The way to fill the table. All methods give the same values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// [`Method::Jump`] or [`Method::SlidingWindow`] if they apply and are expected to take less
    /// time, otherwise [`Method::Blocked`]. A jump may run on the CPU for any requested engine.
    #[default]
    Auto,
    /// Element after element, operand after operand; O(n k) steps.
    Sequential,
    /// Merges the operands of each element in pairs; O(n log k) steps on a device, which merges all
    /// pairs of a round at once. The CPU merges one pair after the other.
    Tournament,
    /// The k-stage pipeline: k threads complete one element in each step.
    Pipeline,
    /// The pipeline with two operands for each visit and k / 2 threads: the source's remedy if all
    /// threads of a step read the same element.
    TwoByTwo,
    /// The p-fold pipeline: p k threads complete p elements in each step.
    PFold,
    /// Neighbouring elements gather all their operands at once; blocks handle small offsets.
    Blocked,
    /// For consecutive offsets of equal weight: a constant number of operations for each element.
    /// CPU only.
    SlidingWindow,
    /// For one distant element, [`Output::Last`]: O(a_0^2 log n) operations and no table. The
    /// element is not computed again, since there is no table for that. Not with terms or a custom
    /// operator. CPU only. If sums of (+,*) may cancel and a coefficient exceeds 128 bits, the
    /// table is filled by [`Method::Blocked`] instead.
    Jump,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 9] = [
        Method::Auto,
        Method::Sequential,
        Method::Tournament,
        Method::Pipeline,
        Method::TwoByTwo,
        Method::PFold,
        Method::Blocked,
        Method::SlidingWindow,
        Method::Jump,
    ];

    /// The method's name in the command's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Sequential => "sequential",
            Method::Tournament => "tournament",
            Method::Pipeline => "pipeline",
            Method::TwoByTwo => "two-by-two",
            Method::PFold => "p-fold",
            Method::Blocked => "blocked",
            Method::SlidingWindow => "sliding-window",
            Method::Jump => "jump",
        }
    }
}

/// The part of the table that [`solve`] returns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Output {
    /// The whole table.
    #[default]
    Table,
    /// Only the last element.
    Last,
}

/// Options of [`solve`] in addition to those common to all solvers.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The way to fill the table.
    pub method: Method,
    /// The part of the table to return.
    pub output: Output,
    /// p of [`Method::PFold`]; by default [`largest_fold`]. A larger p would read unfinished
    /// elements.
    pub fold: Option<u64>,
    /// Whether to return the choices too: which offset gives each element its value. Requires
    /// [`Output::Table`] and (min,+), (max,+) or (max,min), whose (+) returns one of its operands;
    /// (or,and) combines the bits of several.
    pub choices: bool,
}

/// Choice of an element that takes its value from its term, or that nothing reaches.
pub const NO_CHOICE: u32 = u32::MAX;

/// The tables of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// The whole tables, instance by instance; empty with [`Output::Last`].
    pub values: Vec<i64>,
    /// The last element of each instance.
    pub last: Vec<i64>,
    /// For each element that is not preset, instance by instance, the position of the first offset
    /// that gives its value, or [`NO_CHOICE`]. In a knapsack 0 means that the item is taken, and 1
    /// that it is left. `None` unless requested.
    pub choices: Option<Vec<u32>>,
}

/// The largest p for which the p-fold pipeline is correct on this instance: the minimum of
/// floor(a_q / (k - q)) over q.
pub fn largest_fold(instance: &Instance) -> u64 {
    schedule::largest_fold(instance, 1)
}

/// Fills the tables of an instance.
///
/// The objective is the last element of the first instance, and the bound is the same, since a
/// recurrence has no decisions. The status is [`Status::Optimal`] or, after a stop,
/// [`Status::Stopped`]. Statistics: `operands`, the operands by definition of all elements in the
/// completed tables; for the pipelines `steps` and `threads`, the number of sequential steps and
/// the elements processed in each; `period` if a table ended in one. One unit of the iteration
/// limit is the whole batch. May be called on several threads at once.
///
/// # Errors
/// [`Error::Overflow`] for an element out of the semiring's range, [`Error::OutOfMemory`] for
/// tables beyond the memory limit, [`Error::InvalidArgument`] for an unsafe fold and for a custom
/// operator's source that does not compile, [`Error::Unsupported`] for a method that does not fit
/// the instance; device errors with [`Engine::Device`](crate::Engine::Device).
pub fn solve(
    context: &Context,
    instance: &Instance,
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Outcome<Solution, i64>> {
    let monitor = context.watch(solve_options)?;
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let plans = Plans::new(context, instance, options, solve_options.engine)?;
    let (cpu, device) = (&plans.cpu, &plans.device);
    let on_host = Cell::new(plans.jump.as_ref().unwrap_or(cpu));
    let mut on_engine = || {
        on_host.set(cpu);
        let threads = context.threads();
        dispatch.run(
            &monitor,
            cost_model::device_is_promising(cpu, threads),
            |info| cost_model::device_is_faster(cpu, device, threads, info),
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
    let found = match result {
        Ok(found) => found,
        Err(error) if matches!(*error, Error::Stopped) => {
            let status = Status::Stopped;
            let outcome = Outcome { status, objective: None, bound: None, solution: None, report };
            return Ok(monitor.conclude(outcome));
        }
        Err(error) => return Err(error),
    };
    if let Some(schedule) = cpu.schedule()? {
        report.statistics.add("steps", schedule.steps() as u64);
        report.statistics.add("threads", schedule.threads() as u64);
    }
    if let Some(period) = found.period {
        report.statistics.add("period", period as u64);
    }
    let objective = found.last.first().copied();
    let choices = options.choices.then_some(found.choices);
    let solution = Solution { values: found.values, last: found.last, choices };
    let (status, solution) = (Status::Optimal, Some(solution));
    Ok(monitor.conclude(Outcome { status, objective, bound: objective, solution, report }))
}

/// Elements that are decoded between two checks for stops.
const DECODED: usize = 1 << 18;

/// An engine's result.
#[derive(Default)]
struct Found {
    values: Vec<i64>,
    last: Vec<i64>,
    choices: Vec<u32>,
    period: Option<usize>,
}

impl Found {
    /// The requested part of one instance's table, whose elements from `first` on are `values`,
    /// after a check by the definition.
    fn of_table(
        count: usize,
        decode: &dyn Fn(Range<usize>, &mut Vec<i64>),
        first: usize,
        plan: &Plan<'_>,
        number: usize,
        monitor: &Monitor,
    ) -> Result<Self> {
        let mut values = memory::list(count)?;
        for begin in (0..count).step_by(DECODED) {
            monitor.check()?;
            decode(begin..count.min(begin + DECODED), &mut values);
        }
        check::check(plan.instance, number, first as u64, &values)?;
        let last = values.last().copied().into_iter().collect();
        let values = if plan.output == Output::Table { values } else { Vec::new() };
        Ok(Found { values, last, ..Found::default() })
    }

    /// Concatenates the results of several instances.
    fn join(parts: Vec<Found>) -> Result<Found> {
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_default();
        for part in parts {
            all.values.try_extend(part.values)?;
            all.last.try_extend(part.last)?;
            all.choices.try_extend(part.choices)?;
            all.period = all.period.or(part.period);
        }
        Ok(all)
    }
}

/// An engine that runs in the integers of any algebra, as `dyn Algebra` of these types.
trait Engine {
    /// `None` if the values need wider integers.
    fn solve<A: Algebra + ?Sized>(&self, algebra: &A) -> Result<Option<Found>>;
}

/// Any algebra of these types.
type Any<V, P> = dyn Algebra<Value = V, Partial = P>;

/// Runs an engine in the narrowest integers that suffice.
fn run(instance: &Instance, engine: &impl Engine) -> Result<Found> {
    let semiring = instance.semiring();
    let plain = |algebra: &Any<i64, i64>| engine.solve(algebra);
    let found = match semiring {
        Semiring::MinPlus | Semiring::MaxPlus => {
            let narrow: &Any<i32, i32> = &MinPlus::<i32>::new(semiring);
            match engine.solve(narrow)? {
                None => plain(&MinPlus::<i64>::new(semiring)),
                found => Ok(found),
            }
        }
        Semiring::SumProduct => engine.solve::<Any<i64, i128>>(&SumProduct),
        Semiring::Modular(modulus) => engine.solve::<Any<u32, u64>>(&Modular::new(*modulus)),
        Semiring::OrAnd => plain(&Plain(OrAnd)),
        Semiring::MaxMin => plain(&Plain(MaxMin)),
        Semiring::Custom(operator) => plain(&Plain(Custom::new(operator, instance.is_weighted()))),
    };
    found?.ok_or_else(|| semiring.out_of_range())
}

struct OnCpu<'a> {
    plan: &'a Plan<'a>,
    threads: usize,
    monitor: &'a Monitor,
}

impl Engine for OnCpu<'_> {
    fn solve<A: Algebra + ?Sized>(&self, algebra: &A) -> Result<Option<Found>> {
        cpu::solve(algebra, self.plan, self.threads, self.monitor)
    }
}

fn on_cpu(context: &Context, plan: &Plan<'_>, monitor: &Monitor) -> Result<Found> {
    if plan.instance.semiring().is_for_devices() {
        return Err(Error::unsupported("a custom operator on the CPU without a callback"));
    }
    let engine = OnCpu { plan, threads: context.threads(), monitor };
    context.install_reporting(monitor, "recurrence", || None, || run(plan.instance, &engine))?
}

/// `None` if coefficients beyond 128 bits leave open whether the elements are in range.
fn jump_on_cpu(context: &Context, plan: &Plan<'_>, monitor: &Monitor) -> Result<Option<Found>> {
    let instance = plan.instance;
    if jump::stays_in_range(instance) {
        return on_cpu(context, plan, monitor).map(Some);
    }
    let find = || exact_jump::last_elements(instance, context.threads(), monitor);
    let Some(last) = context.install_reporting(monitor, "recurrence", || None, find)?? else {
        return Ok(None);
    };
    plan.completed.store(last.len(), Ordering::Relaxed);
    Ok(Some(Found { last, ..Found::default() }))
}

struct OnDevice<'a> {
    context: &'a Context,
    device: &'a Device,
    plan: &'a Plan<'a>,
    monitor: &'a Monitor,
}

impl Engine for OnDevice<'_> {
    fn solve<A: Algebra + ?Sized>(&self, algebra: &A) -> Result<Option<Found>> {
        device::solve(self.context, self.device, algebra, self.plan, self.monitor)
    }
}

fn on_device(
    context: &Context,
    device: &Device,
    plan: &Plan<'_>,
    monitor: &Monitor,
) -> Result<Found> {
    run(plan.instance, &OnDevice { context, device, plan, monitor })
}
