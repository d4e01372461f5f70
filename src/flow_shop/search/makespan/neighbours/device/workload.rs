//! Work by which the kernels are timed.

use super::from_scratch::{SetupSearch, instance_with_setups};
use super::{DeviceTabu, MOST_UNIT_GROUPS, Scan, Shop};
use crate::flow_shop::search::makespan::{CpuNeighbours, Evaluation};
use crate::flow_shop::search::moves::Neighbourhood;
use crate::flow_shop::search::tabu::{self, HostTabu, Settings, State, TabuList};
use crate::flow_shop::self_test::instance;
use crate::opencl::{Case, DeviceKind, TimedFamily, Workload, agree, timed};
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Error, Result};

pub(crate) const TIMED: TimedFamily = TimedFamily {
    family: &super::FAMILY,
    workloads: &[
        Workload {
            name: "swaps as published",
            tunables: "SWAP_GROUP FEW_GROUPS",
            case: |_, size| {
                case(size, JOBS, (Neighbourhood::Swap, Evaluation::Full), false).map(Some)
            },
        },
        Workload {
            name: "swaps with prefix reuse",
            tunables: "PREFIX_BYTES AT_ONCE",
            case: |device, size| {
                let jobs = (CROWD * f64::from(device.info().compute_units)).sqrt() as usize;
                case(size, jobs.max(4), (Neighbourhood::Swap, Evaluation::Prefix), true).map(Some)
            },
        },
        Workload {
            name: "swaps",
            tunables: "QUADS AHEAD BATCH MOST_FETCHED",
            case: |_, size| swaps(size).map(Some),
        },
        Workload {
            name: "insertions",
            tunables: "QUADS AHEAD BATCH PARTS",
            case: |_, size| insertions(size).map(Some),
        },
        Workload {
            name: "several generations of insertions",
            tunables: "UNIT_GROUPS",
            case: |device, size| match device.resident_groups() {
                1 => Ok(None),
                groups => several_generations(size, groups).map(Some),
            },
        },
        // A processor's compiler takes minutes for unrolled loops.
        Workload {
            name: "unrolled insertions",
            tunables: "UNROLL",
            case: |device, size| match device.info().kind {
                DeviceKind::Cpu => Ok(None),
                _ => insertions(size).map(Some),
            },
        },
    ],
};

pub(crate) const TIMED_SETUPS: TimedFamily = TimedFamily {
    family: &super::setups::SETUP_FAMILY,
    workloads: &[
        Workload {
            name: "insertions with set-ups",
            tunables: "QUADS AHEAD BATCH",
            case: |_, size| with_setups(size).map(Some),
        },
        // A processor's compiler takes minutes for unrolled loops.
        Workload {
            name: "unrolled insertions with set-ups",
            tunables: "UNROLL",
            case: |device, size| match device.info().kind {
                DeviceKind::Cpu => Ok(None),
                _ => with_setups(size).map(Some),
            },
        },
    ],
};

const JOBS: usize = 100;
/// Fewer with set-ups, since the host computes each makespan from scratch.
const SETUP_JOBS: usize = 60;
const MACHINES: usize = 20;
const TRAJECTORIES: usize = 2;
const TENURE: usize = 8;
/// Twice the swaps for each compute unit that small groups process, if there are many groups.
const CROWD: f64 = 2.0 * 640.0;

fn swaps(size: u32) -> Result<Case> {
    case(size, JOBS, (Neighbourhood::Swap, Evaluation::HeadsAndTails), false)
}

fn insertions(size: u32) -> Result<Case> {
    case(size, JOBS, (Neighbourhood::Insertion, Evaluation::HeadsAndTails), false)
}

fn with_setups(size: u32) -> Result<Case> {
    let instance = instance_with_setups(SETUP_JOBS, MACHINES, 0)?;
    let search = SetupSearch::new(&instance, TabuList::default(), 2 << size)?;
    let expected = search.on_host()?;
    Ok(Box::new(move |device| {
        let (found, time) = search.on_device(device)?;
        agree("insertions with set-ups", &[found], std::slice::from_ref(&expected))?;
        Ok(time)
    }))
}

/// Enough trajectories for the most groups that each compute unit may have.
fn several_generations(size: u32, units: usize) -> Result<Case> {
    let ways = (Neighbourhood::Insertion, Evaluation::HeadsAndTails);
    let trajectories = (units * MOST_UNIT_GROUPS as usize).div_ceil(2 * JOBS);
    led(size, (JOBS, trajectories), ways, false, |search| search.at_once())
}

/// Some generations of a few trajectories, by two launches each.
fn case(
    size: u32,
    jobs: usize,
    ways: (Neighbourhood, Evaluation),
    local_columns: bool,
) -> Result<Case> {
    led(size, (jobs, TRAJECTORIES), ways, local_columns, |search| Some(search.one_by_one()))
}

/// Some generations of trajectories.
fn led(
    size: u32,
    (jobs, trajectories): (usize, usize),
    (neighbourhood, evaluation): (Neighbourhood, Evaluation),
    local_columns: bool,
    launched: fn(DeviceTabu<'_>) -> Option<DeviceTabu<'_>>,
) -> Result<Case> {
    let generations = 2 << size;
    let scan = Scan { neighbourhood, evaluation, local_columns };
    let settings = Settings { neighbourhood, list: TabuList::default(), tenure: TENURE };
    let shop = Shop::of(&instance(jobs, MACHINES, 0, 99)?);
    let first: Vec<u32> = (0..jobs as u32).collect();
    let monitor = Monitor::new(&SolveOptions::default());
    let value = |order: &[u32]| shop.makespan(order).into();
    let starts = tabu::starts(&first, trajectories, 1, &monitor, value)?;
    let states = State::at(&settings, &starts);
    let evaluator = || CpuNeighbours::new(&shop, &monitor, scan);
    let on_host = || {
        let host = HostTabu::new(&settings, &states, &monitor, 0, evaluator)?;
        tabu::run(host, &monitor, generations)
    };
    let expected = Context::of_all_threads()?.install(on_host)??;
    Ok(Box::new(move |device| {
        let (queue, monitor) = (device.queue(), Monitor::new(&SolveOptions::default()));
        let search = DeviceTabu::new(device, &queue, &shop, &monitor, (settings, scan), &states)?;
        let without = || Error::unsupported("several generations in one launch");
        let search = launched(search).ok_or_else(without)?;
        queue.finish()?;
        let (found, time) = timed(|| tabu::run(search, &monitor, generations))?;
        agree(scan.kernel(), &[found], std::slice::from_ref(&expected))?;
        Ok(time)
    }))
}
