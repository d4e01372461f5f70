//! Recurrences with fixed offsets: the simplified dynamic program (S-DP) of Matsumae (2022) over a
//! semiring,
//!
//! ```text
//! ST[i] = t_i (+) (w_0 (*) ST[i - a_0]) (+) ... (+) (w_{k-1} (*) ST[i - a_{k-1}]),   a_0 > ... > a_{k-1} > 0
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
//! smaller one. What [`Method::Auto`] takes are others, which do the same operations in the same
//! order with less traffic: neighbouring elements that do not depend on each other gather all their
//! operands at once, and blocks take care of small offsets. Where the instance has a structure,
//! less work is done: a sliding window for consecutive offsets, the period in which an idempotent
//! operator ends, and a jump to one far-away element.
//!
//! # Exactness
//!
//! All methods, engines and numbers of threads give the same values, bit for bit. Values that do
//! not fit are an [`Error::Overflow`], never wrapped around: of any element where a table is
//! filled, of the last one alone where a jump passes the others by. Where the two may differ,
//! whether [`Method::Auto`] jumps depends on the instance alone. There is no floating-point
//! arithmetic.
//!
//! Before they leave, elements of a table are computed anew from those before them, and from their
//! choices: all of a small table, the last and evenly spread ones of a large one. The element that
//! a jump finds is not: that would take the table that it saves.

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
use self::plan::{Plan, Plans};
use crate::memory::Grow;
use crate::opencl::Device;
use crate::solve::{Monitor, Outcome, Report, SolveOptions, Status};
use crate::{Context, Error, Result, memory};

/// How to fill the table. All methods give the same values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// [`Method::Jump`] or [`Method::SlidingWindow`] where they apply and are expected to take less
    /// time, else [`Method::Blocked`]. A jump may be made on the CPU whichever engine is asked for.
    #[default]
    Auto,
    /// Element after element, operand after operand; O(n k) steps.
    Sequential,
    /// The operands of each element meet in pairs; O(n log k) steps on a device, where all pairs of
    /// a round meet at once. The CPU takes one pair after the other.
    Tournament,
    /// The k-stage pipeline: k threads complete one element a step.
    Pipeline,
    /// The pipeline with two operands a visit, k / 2 threads: the source's cure where all threads
    /// of a step read the same element.
    TwoByTwo,
    /// The p-fold pipeline: p k threads complete p elements a step.
    PFold,
    /// Neighbouring elements gather all their operands at once; small offsets are met by blocks.
    Blocked,
    /// For consecutive offsets with one weight: a constant number of operations for each element.
    /// CPU only.
    SlidingWindow,
    /// For one far-away element, [`Output::Last`]: O(a_0^2 log n) operations and no table. The
    /// element is not computed again before it leaves, as there is no table to do so from. Not with
    /// terms or a custom operator. CPU only. Where sums of (+,*) may cancel and a coefficient is
    /// beyond 128 bits, the table is filled instead, by [`Method::Blocked`].
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

/// What [`solve`] returns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Output {
    /// The whole table.
    #[default]
    Table,
    /// The last element alone.
    Last,
}

/// Options of [`solve`] beside those common to all solvers.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// How to fill the table.
    pub method: Method,
    /// What to return.
    pub output: Output,
    /// p of [`Method::PFold`]; by default [`largest_fold`], beyond which the pipeline would read
    /// unfinished elements.
    pub fold: Option<u64>,
    /// Whether to return the choices as well: which offset gave each element its value. With
    /// [`Output::Table`], for (min,+), (max,+) and (max,min), whose (+) returns one of its
    /// operands; (or,and) joins the bits of several.
    pub choices: bool,
}

/// Choice of an element whose value comes from its term, or that nothing reaches.
pub const NO_CHOICE: u32 = u32::MAX;

/// The tables of a batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// The whole tables, one instance after the other; empty with [`Output::Last`].
    pub values: Vec<i64>,
    /// The last element of each instance.
    pub last: Vec<i64>,
    /// For each element that is not preset, one instance after the other, the position of the first
    /// offset that gives its value, or [`NO_CHOICE`]; in a knapsack 0 stands for taking the item
    /// and 1 for leaving it. `None` unless asked for.
    pub choices: Option<Vec<u32>>,
}

/// The largest p for which the p-fold pipeline is correct on this instance: the least of floor(a_q
/// / (k - q)).
pub fn largest_fold(instance: &Instance) -> u64 {
    schedule::largest_fold(instance, 1)
}

/// Fills the tables of an instance.
///
/// The objective is the last element of the first instance, and the bound is the same: there is
/// nothing to choose from, so the status is
/// [`Status::Optimal`] or, after a stop, [`Status::Stopped`]. Statistics: `operands`, those that
/// all elements of the tables completed have by the definition; for the pipelines
/// `steps` and `threads`, steps one after the other and elements worked on in each; `period` where
/// a table ended in one. One iteration limit unit is the whole batch. May be called on several
/// threads at once.
///
/// # Errors
/// [`Error::Overflow`] for an element out of the semiring's range,
/// [`Error::OutOfMemory`] for tables beyond the memory limit, [`Error::InvalidArgument`] for an
/// unsafe fold and for a custom operator's source that does not compile, [`Error::Unsupported`] for
/// a method that does not fit the instance; device errors with
/// [`Engine::Device`](crate::Engine::Device).
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

/// Elements that are made numbers between two looks at the clock.
const DECODED: usize = 1 << 18;

/// What an engine finds.
#[derive(Default)]
struct Found {
    values: Vec<i64>,
    last: Vec<i64>,
    choices: Vec<u32>,
    period: Option<usize>,
}

impl Found {
    /// What the plan wants of one instance's table, `count` elements from `first` on, after a check
    /// by the definition.
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

    /// One instance after the other.
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

/// An engine, to be run in the integers of some algebra, `dyn Algebra` of these types.
trait Engine {
    /// `None` where the values need wider integers.
    fn solve<A: Algebra + ?Sized>(&self, algebra: &A) -> Result<Option<Found>>;
}

/// An algebra of these types that nobody knows more of.
type Any<V, P> = dyn Algebra<Value = V, Partial = P>;

/// Runs an engine in the narrowest integers that do.
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

/// `None` where coefficients beyond 128 bits leave it open whether the elements are in range.
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
