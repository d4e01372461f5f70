//! The OpenCL engine: the tables stay on the device, and the host queues launches.

mod approach;
mod checks;
mod coded;
mod fill;
mod kernels;
mod response;
mod self_test;
mod tables;
#[cfg(test)]
mod tests;
mod workload;

use std::ops::Range;
use std::sync::atomic::Ordering;

use self::approach::Approach;
use self::checks::Checks;
use self::coded::{Coded, Facts};
use self::tables::Tables;
pub(crate) use self::workload::TIMED;
use super::algebra::{Algebra, CUSTOM, MAX_MIN, MIN_PLUS, MODULAR, OR_AND, SUM_PRODUCT};
use super::engine::{Engine, run};
use super::filled_tables::FilledTables;
use super::instance::Instance;
use super::plan::EnginePlan;
use super::problem::Problem;
use super::{Method, Output, Semiring, check, cpu, period};
use crate::memory::Gather;
use crate::opencl::{Device, DeviceKind, Failing, KernelFamily, Trial, Tunable, Usual, source};
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Error, Result};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "recurrence",
    sources: &[
        source!("recurrence.cl"),
        source!("recurrence_pipeline.cl"),
        source!("recurrence_gather.cl"),
        source!("recurrence_blocks.cl"),
    ],
    #[cfg(test)]
    kernels: crate::opencl::declared![
        kernels::Sequential,
        kernels::Tournament,
        kernels::Pipeline,
        kernels::Gather,
        kernels::InRing,
        kernels::History,
        kernels::Respond,
        kernels::Check
    ],
    constants: &[
        ("MIN_PLUS", MIN_PLUS),
        ("SUM_PRODUCT", SUM_PRODUCT),
        ("MODULAR", MODULAR),
        ("OR_AND", OR_AND),
        ("MAX_MIN", MAX_MIN),
        ("CUSTOM", CUSTOM),
    ],
    tuning: &[
        Tunable::power("PLAN_PART: operands of a plan in local memory at a time", (64, 4096)),
        Tunable::power("GROUP: work-items of a group in launches of many groups", (64, 1024)),
        Tunable::power("MOST_OUTPUTS: elements of a work-item if there are many", (1, 8)),
        Tunable::power("UNIT_GROUPS: least groups of a compute unit with MOST_OUTPUTS", (1, 64)),
        Tunable::power("UNIT_ITEMS: work-items that fill a compute unit", (64, 1 << 16)),
        Tunable::power("MOST_SLICES: work-items that share one of few elements", (1, 16)),
        Tunable::power("FEW_SLICES: work-items that share one of more elements", (1, 16)),
        Tunable::power("SINGLE_GROUP: most work-items of an only group", (64, 1024)),
        Tunable::number("ALONE_ROUNDS: rounds of one group instead of a launch", (1, 64)),
        Tunable::power("RING_STEP: most elements of a step in a ring", (64, 4096)),
        Tunable::power("LEAST_RING: least elements in a ring", (64, 1 << 14)),
        Tunable::power("LEAST_BLOCK: elements of the smallest block", (64, 1 << 16)),
        Tunable::power("MOST_BLOCK: elements of the largest block", (64, 1 << 16)),
        Tunable::power("LEAST_PART: least elements of a block's part", (1, 4096)),
        Tunable::power("UNROLL: operands of an unrolled loop", (1, 32)),
    ],
    self_test: compare,
};

/// Offsets, length and preset values of the recurrences whose programs are built ahead.
const USUAL_OFFSETS: [u64; 4] = [600, 500, 300, 200];
const USUAL_LENGTH: u64 = 1 << 14;

/// The programs of minima and of sums modulo a number, by all approaches that are fast.
pub(super) fn usual_programs() -> Vec<Usual> {
    let semirings = [Semiring::MinPlus, Semiring::Modular(1_000_000_007)];
    let usual = |semiring: Semiring| {
        Usual::new(FAMILY.name, move |device| {
            let [first, ..] = USUAL_OFFSETS;
            let (offsets, initial) = (USUAL_OFFSETS.to_vec(), vec![1; first as usize]);
            let instance = Instance::new(semiring.clone(), offsets, initial, USUAL_LENGTH)?;
            run(&instance, &Ahead { device, instance: &instance }).map(drop)
        })
    };
    semirings.into_iter().map(usual).collect()
}

/// Requests programs and runs no kernel.
struct Ahead<'a> {
    device: &'a Device,
    instance: &'a Instance,
}

impl Engine for Ahead<'_> {
    fn solve<A: Algebra + ?Sized>(&self, algebra: &A) -> Result<Option<FilledTables>> {
        let Ahead { device, instance } = *self;
        let Some(problem) = Problem::new(algebra, instance)? else { return Ok(None) };
        let Some(tables) = Tables::new(device, &FAMILY, &problem)? else { return Ok(None) };
        let bytes = size_of::<A::Value>();
        let chosen = approach::choose(instance, bytes, device)?;
        let ring = approach::ring(instance, bytes, device).map(Approach::Ring);
        let monitor = Monitor::new(&SolveOptions::default());
        for approach in [chosen, Approach::Gather].into_iter().chain(ring) {
            let none = problem.facts().preset;
            tables.fill(&approach, none, none, &monitor)?;
        }
        tables.check_program()?;
        Ok(Some(FilledTables::default()))
    }
}

fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    self_test::compare(trial, &FAMILY)
}

/// Solves all instances by the plan's method; `None` if the values need wider integers.
pub(super) fn solve<A: Algebra + ?Sized>(
    context: &Context,
    device: &Device,
    algebra: &A,
    plan: &EnginePlan<'_>,
    monitor: &Monitor,
) -> Result<Option<FilledTables>> {
    let approach = approach(plan, size_of::<A::Value>(), device)?;
    solve_by(&approach, context, device, algebra, plan, monitor)
}

fn approach(plan: &EnginePlan<'_>, value_bytes: usize, device: &Device) -> Result<Approach> {
    if matches!(plan.method, Method::SlidingWindow | Method::Jump) {
        return Err(Error::unsupported(format!("the method {} on a device", plan.method.name())));
    }
    Ok(match plan.method {
        Method::Sequential => Approach::Sequential,
        Method::Tournament => Approach::Tournament,
        _ => match plan.schedule()? {
            Some(schedule) => Approach::Pipeline(schedule),
            None => approach::choose(plan.instance, value_bytes, device)?,
        },
    })
}

fn solve_by<A: Algebra + ?Sized>(
    approach: &Approach,
    context: &Context,
    device: &Device,
    algebra: &A,
    plan: &EnginePlan<'_>,
    monitor: &Monitor,
) -> Result<Option<FilledTables>> {
    // A CPU device keeps all tables in host memory; for other devices, one table at a time.
    let at_once = if device.info().kind == DeviceKind::Cpu { plan.instance.instances() } else { 1 };
    cpu::check_memory(plan, cpu::bytes::<A>(), at_once, monitor)?;
    match Problem::new(algebra, plan.instance)? {
        Some(problem) => solve_coded(approach, context, device, &problem, plan, monitor),
        None => Ok(None),
    }
}

fn solve_coded(
    approach: &Approach,
    context: &Context,
    device: &Device,
    problem: &dyn Coded,
    plan: &EnginePlan<'_>,
    monitor: &Monitor,
) -> Result<Option<FilledTables>> {
    let Some(tables) = Tables::new(device, &FAMILY, problem)? else { return Ok(None) };
    match fill_and_read(context, &tables, approach, plan, monitor) {
        Err(error) if matches!(*error, Error::Overflow { .. }) && problem.facts().is_narrow => {
            Ok(None)
        }
        result => result.map(Some),
    }
}

fn fill_and_read(
    context: &Context,
    tables: &Tables<'_>,
    approach: &Approach,
    plan: &EnginePlan<'_>,
    monitor: &Monitor,
) -> Result<FilledTables> {
    let problem = tables.problem();
    let Facts { length, value_bytes, .. } = problem.facts();
    let (known, reached) = fill(tables, approach, plan, monitor)?;
    if tables.is_out_of_range()? {
        return Err(plan.instance.semiring().out_of_range());
    }
    if plan.instance.semiring().is_for_devices() {
        tables.check(known)?;
    }
    let first = match plan.output {
        Output::Last if reached.is_none() => {
            length.saturating_sub(check::reach(plan.instance) as usize + 1)
        }
        _ => 0,
    };
    plan.completed.store(0, Ordering::Relaxed);
    let mut checks = Checks::new(context, plan.instance);
    let parts = (0..plan.instance.instances()).map(|number| {
        monitor.check()?;
        if plan.output == Output::Last {
            checks.read_and_check(tables, number, known, monitor)?;
        }
        let mut table = tables.read(number, first, known.saturating_sub(first))?;
        if let Some(period) = reached {
            table.grow(length * value_bytes)?;
            period::repeat(table.bytes(), known * value_bytes, period * value_bytes, monitor)?;
        }
        let end = if reached.is_some() { length } else { known };
        let decode = |range: Range<usize>, numbers: &mut _| problem.decode(&table, range, numbers);
        let mut found = FilledTables::of_table(
            end.saturating_sub(first),
            &decode,
            first,
            plan,
            number,
            monitor,
        )?;
        found.period = reached;
        if plan.output == Output::Table {
            checks.check_table(number, &found.values[..known])?;
        }
        if plan.choices {
            let choose = || problem.choices(number, &table, monitor);
            found.choices = context.install_reporting(monitor, "choices", || None, choose)??;
            check::check_choices(plan.instance, number, &found.values, &found.choices)?;
        }
        plan.completed.fetch_add(1, Ordering::Relaxed);
        Ok(found)
    });
    FilledTables::join(parts.try_gather()?)
}

/// Fills the tables. Returns the number of known elements, and the period of the others if it has
/// been reached.
fn fill(
    tables: &Tables<'_>,
    approach: &Approach,
    plan: &EnginePlan<'_>,
    monitor: &Monitor,
) -> Result<(usize, Option<usize>)> {
    let Facts { preset, length, value_bytes, .. } = tables.problem().facts();
    // To find a period, the table is filled in parts, each as long as all before it; a pipeline
    // runs without interruption.
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
            let mut tail = tables.read(0, known - tail, tail)?;
            reached = period::is_reached(tail.bytes(), period * value_bytes).then_some(period);
        }
    }
    Ok((known, reached))
}
