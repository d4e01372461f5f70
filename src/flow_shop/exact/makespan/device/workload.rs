//! Work by which the kernels are timed.

use std::time::{Duration, Instant};

use crate::flow_shop::Instance;
use crate::flow_shop::exact::limit::Limit;
use crate::flow_shop::exact::makespan::{Bound, Makespan};
use crate::flow_shop::exact::objective::Objective;
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::{Branching, Counts, Slice, cpu, device};
use crate::flow_shop::incumbent::Best;
use crate::flow_shop::neh::neh;
use crate::flow_shop::self_test::instance;
use crate::opencl::{Case, Workload, agree, timed};
use crate::solve::{Limits, Monitor, SolveOptions};
use crate::{Context, Result};

/// The sizes of rounds are missing: they matter in searches of many seconds, which no CPU could
/// repeat in time for a comparison.
pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "one-machine bound",
        tunables: &["GROUP", "TILE_NODES", "TILE_BYTES", "PACKED_PTX"],
        case: |_, size| search(size, Bound::OneMachine),
    },
    Workload {
        name: "two-machine bound",
        tunables: &["GROUP", "JOHNSON_NODES", "JOHNSON_BYTES", "PACKED_PTX"],
        case: |_, size| search(size, Bound::TwoMachine),
    },
];

/// Jobs of the smallest instance. Each further job makes the tree a few times as large.
const JOBS: usize = 9;
const MACHINES: usize = 10;
/// Searches that take the CPU longer are too large.
const LONGEST: Duration = Duration::from_secs(4);

/// The proof that an optimum is one: the tree is the same for any order of the search.
fn search(size: u32, bound: Bound) -> Result<Option<Case>> {
    let instance = instance(JOBS + size as usize, MACHINES, 0, 99)?;
    let Some((optimum, expected)) = on_cpu(&instance, bound)? else { return Ok(None) };
    let context = Context::of_all_threads()?;
    Ok(Some(Box::new(move |device| {
        let watch = Monitor::new(&SolveOptions::default());
        let problem = problem(&instance, bound, optimum, &watch)?;
        let team = context.team(&watch);
        let limit = Limit::new(nothing(), optimum);
        let mut open = vec![problem.root_node()];
        let (found, time) = timed(|| {
            device::advance(device, &team, &problem, &limit, &mut open, &unlimited(&watch))
        })?;
        let list = |counts: &Counts| [counts.nodes, counts.bounds];
        agree("decomposed nodes and bounds", &list(&found), &list(&expected))?;
        Ok(time)
    })))
}

/// The optimum, and the work of the proof, unless that takes too long.
fn on_cpu(instance: &Instance, bound: Bound) -> Result<Option<(u32, Counts)>> {
    let context = Context::of_all_threads()?;
    let limits = Limits { time: Some(LONGEST), ..Limits::default() };
    let watch = Monitor::new(&SolveOptions { limits, ..SolveOptions::default() });
    // Every value has 31 bits.
    let heuristic = Makespan::value(instance, &neh(instance, &watch))? as u32;
    let search = |limit: &Limit| {
        let problem = problem(instance, bound, limit.get(), &watch)?;
        let mut open = vec![problem.root_node()];
        cpu::advance(&context, &problem, limit, &mut open, &unlimited(&watch))
    };
    let limit = Limit::new(nothing(), heuristic);
    search(&limit)?;
    let optimum = limit.get();
    let counts = search(&Limit::new(nothing(), optimum))?;
    Ok((!watch.interrupted()).then_some((optimum, counts)))
}

fn problem<'i>(
    instance: &'i Instance,
    bound: Bound,
    limit: u32,
    monitor: &Monitor,
) -> Result<Problem<'i, Makespan<'i>>> {
    Makespan::problem(instance, bound, Branching::default(), limit, monitor)
}

/// No sequence is known.
fn nothing() -> Best {
    Best { value: u32::MAX, order: Vec::new() }
}

/// A slice that only the end of the search ends.
fn unlimited<O: Objective>(monitor: &Monitor) -> Slice<'_, O> {
    Slice {
        monitor,
        end: Instant::now() + Duration::from_secs(1 << 30),
        counts_iterations: false,
        keeps_open: false,
        keeper: None,
        turns: None,
        idle_threads: 0,
        until: None,
    }
}
