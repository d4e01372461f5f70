//! Bounds of the children of given subproblems: the bounding step of a search, without the search.

use std::time::{Duration, Instant};

use super::{Bound, Makespan, device};
use crate::context::SpotChecks;
use crate::flow_shop::Instance;
use crate::flow_shop::exact::Branching;
use crate::flow_shop::exact::checks::check_rows;
use crate::flow_shop::exact::expand::Expander;
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::objective::Objective;
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::subproblem::Subproblem;
use crate::opencl::Device;
use crate::solve::{Monitor, Report, Sense, SolveOptions};
use crate::{Context, Dispatch, Forecast, Result, parallel};

/// Lower bounds of the children of subproblems, see [`bound_children`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ChildBounds {
    /// For each subproblem in turn, and each of its free jobs by ascending index: the bounds of the
    /// child with the job appended to the front and of the child with the job prepended to the
    /// back.
    pub values: Vec<[u32; 2]>,
    /// Time for bounding, without transfers to and from a device.
    pub bounding: Duration,
    /// Warnings and statistics of the solve.
    pub report: Report,
}

/// Most nodes that a device bounds between two checks of the limits.
const MOST_NODES_PER_LOOK: usize = 1 << 18;
/// Nodes that one thread bounds at once.
const TASK: usize = 16;
/// Steps of bounding before the first check: about a tenth of a second on the slowest device.
const FIRST_STEPS: usize = 1 << 27;
/// Target time of a device's work between two checks.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// Bounds all children of subproblems, for callers with their own search.
///
/// A child of a subproblem has one more job at the front or at the back. Its bound is LB1 with
/// [`Bound::OneMachine`], otherwise LB2 over all pairs of machines. The child that fixes the only
/// free job has its makespan as bound. May be called on several threads at once.
///
/// # Errors
/// [`InvalidArgument`](crate::Error::InvalidArgument), with the subproblem's index, for jobs that
/// don't exist or occur twice and for missing pinned jobs;
/// [`OutOfMemory`](crate::Error::OutOfMemory) if bounds or tables don't fit;
/// [`Stopped`](crate::Error::Stopped) if a limit is reached; and errors of the device.
pub fn bound_children(
    context: &Context,
    instance: &Instance,
    bound: Bound,
    subproblems: &[Subproblem],
    solve_options: &SolveOptions,
) -> Result<ChildBounds> {
    let monitor = context.watch(Sense::Minimise, solve_options)?;
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let (values, bounding) = bound_watched(instance, bound, subproblems, &mut dispatch, &monitor)?;
    let mut report = Report::default();
    dispatch.finish(&monitor, &mut report);
    Ok(ChildBounds { values, bounding, report })
}

/// The values of [`bound_children`] and the time they took, under the caller's monitor.
pub(in crate::flow_shop) fn bound_watched(
    instance: &Instance,
    bound: Bound,
    subproblems: &[Subproblem],
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
) -> Result<(Vec<[u32; 2]>, Duration)> {
    let context = dispatch.context();
    let nodes: Result<Vec<Open>> =
        subproblems.iter().enumerate().map(|(index, part)| part.open(instance, index)).collect();
    let nodes = nodes?;
    check_memory(instance, &nodes, monitor)?;
    let problem = Makespan::problem(instance, bound, Branching::default(), u32::MAX, monitor)?;
    if problem.root.free_count == 0 {
        // No subproblem has a child.
        return Ok((Vec::new(), Duration::ZERO));
    }
    dispatch.run(
        monitor,
        &Forecast::cpu_preferred("bounds"),
        |device| on_device(context, device, &problem, &nodes, monitor),
        |monitor| on_cpu(context, &problem, &nodes, monitor),
    )
}

/// Checks for memory to hold the bounds twice, which putting them together needs.
fn check_memory(instance: &Instance, nodes: &[Open], monitor: &Monitor) -> Result<()> {
    let children: usize = nodes.iter().map(|node| instance.jobs() - node.fixed.len()).sum();
    let required = 2 * children as u128 * size_of::<[u32; 2]>() as u128;
    monitor.check_memory(required, || format!("bounds of {children} pairs of children"))
}

fn on_device(
    context: &Context,
    device: &Device,
    problem: &Problem<'_, Makespan<'_>>,
    nodes: &[Open],
    monitor: &Monitor,
) -> Result<(Vec<[u32; 2]>, Duration)> {
    let evaluator = device::evaluator(device, problem)?;
    let mut checks = SpotChecks::new();
    let mut values = Vec::new();
    let mut bounding = Duration::ZERO;
    let mut rest = nodes;
    let mut count =
        (FIRST_STEPS / problem.objective.steps_per_node()).clamp(1, MOST_NODES_PER_LOOK);
    while !rest.is_empty() {
        monitor.check()?;
        let (some, others) = rest.split_at(count.min(rest.len()));
        let before = values.len();
        let elapsed = evaluator.evaluate(some, &mut values)?;
        check(context, problem, some, &values[before..], &mut checks, monitor)?;
        if elapsed < LOOK_INTERVAL / 2 {
            count = (count * 2).min(MOST_NODES_PER_LOOK);
        } else if elapsed > LOOK_INTERVAL * 2 {
            count = (count / 2).max(1);
        }
        bounding += elapsed;
        rest = others;
        monitor.report("bounds", None);
    }
    Ok((values, bounding))
}

fn on_cpu(
    context: &Context,
    problem: &Problem<'_, Makespan<'_>>,
    nodes: &[Open],
    monitor: &Monitor,
) -> Result<(Vec<[u32; 2]>, Duration)> {
    let start = Instant::now();
    let bound = |nodes: &[Open]| {
        let (mut expander, mut rows) = (Expander::default(), Vec::new());
        for node in nodes {
            monitor.check()?;
            rows.extend(expander.bounds(problem, node, monitor)?);
        }
        Ok(rows)
    };
    let work = || parallel::try_map(nodes.chunks(TASK), bound);
    let parts = context.install_reporting(monitor, "bounds", || None, work)??;
    Ok((parts.concat(), start.elapsed()))
}

/// Recomputes the bounds of some of the nodes.
fn check(
    context: &Context,
    problem: &Problem<'_, Makespan<'_>>,
    nodes: &[Open],
    values: &[[u32; 2]],
    checks: &mut SpotChecks,
    monitor: &Monitor,
) -> Result<()> {
    let mut rest = values;
    let rows: Vec<&[[u32; 2]]> = nodes
        .iter()
        .map(|node| {
            let (row, others) = rest.split_at(problem.instance.jobs() - node.fixed.len());
            rest = others;
            row
        })
        .collect();
    check_rows(context, problem, nodes, &rows, checks, monitor, |row, expected| row == expected)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::flow_shop::exact::testing::problem;
    use crate::flow_shop::testing::{instances, lengthened};
    use crate::opencl::testing::test_devices;
    use crate::testing::{check_cases, cpu_context, monitor};

    /// Subproblems of an instance, made from shuffled free jobs and the number of them at each end.
    fn subproblems(instance: &Instance) -> impl Strategy<Value = Vec<Subproblem>> + use<> {
        let pinned = instance.pinned().to_vec();
        let free = Just(instance.free_jobs()).prop_shuffle();
        let one = (free, 0..8usize, 0..8usize).prop_map(move |(free, front, back)| {
            let front = front.min(free.len());
            let back = back.min(free.len() - front);
            let all = [&pinned[..], &free[..front]].concat();
            Subproblem { front: all, back: free[free.len() - back..].to_vec() }
        });
        prop::collection::vec(one, 1..20)
    }

    fn inputs() -> impl Strategy<Value = (Instance, Vec<Subproblem>, Bound)> {
        let scaled = (instances(9, 3), prop::bool::weighted(0.3))
            .prop_map(|(instance, long)| lengthened(&instance, if long { 5_000 } else { 1 }));
        scaled.prop_flat_map(|instance| {
            let parts = subproblems(&instance);
            (Just(instance), parts, prop::sample::select(&Bound::ALL[..2]))
        })
    }

    #[test]
    fn devices_bound_like_the_cpu() {
        let context = cpu_context(1);
        for device in test_devices() {
            let cases = if device.quirks().simulator { 6 } else { 60 };
            let run = |(instance, parts, bound): (Instance, Vec<Subproblem>, Bound)| {
                if instance.free_jobs().is_empty() {
                    return Ok(());
                }
                let monitor = monitor();
                let problem = problem(&instance, bound, Branching::default(), u32::MAX);
                let nodes: Vec<Open> =
                    parts.iter().map(|part| part.open(&instance, 0).unwrap()).collect();
                let (found, _) = on_device(&context, &device, &problem, &nodes, &monitor).unwrap();
                let (expected, _) = on_cpu(&context, &problem, &nodes, &monitor).unwrap();
                prop_assert_eq!(found, expected);
                Ok(())
            };
            check_cases(cases, &inputs(), run);
        }
    }
}
