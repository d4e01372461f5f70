//! Work by which the kernels are timed.

use std::time::Instant;

use crate::Result;
use crate::flow_shop::exact::Branching;
use crate::flow_shop::exact::makespan::{Bound, Makespan};
use crate::flow_shop::exact::pool::HostPool;
use crate::flow_shop::exact::tree_pool::{Pool, TreePooled};
use crate::flow_shop::self_test::instance;
use crate::opencl::{Case, Device, TimedFamily, Workload};
use crate::solve::{Monitor, SolveOptions};

pub(crate) const TIMED: TimedFamily = TimedFamily {
    family: &super::FAMILY,
    workloads: &[Workload {
        name: "trees of a pool",
        tunables: "GROUP MOST_STEPS MOST_WORK PAIR_STEPS",
        case: explore,
    }],
};

const JOBS: usize = 20;
const MACHINES: usize = 10;
/// Trees of the smallest pool, and nodes decomposed in each.
const TREES: usize = 1 << 8;
const BUDGET: usize = 8;

/// Explores the trees of a pool by two machines.
fn explore(_: &Device, size: u32) -> Result<Option<Case>> {
    let trees = TREES << size;
    if trees > HostPool::MAX_SIZE {
        return Ok(None);
    }
    let instance = instance(JOBS, MACHINES, 0, 99)?;
    let (bound, rule, options) = (Bound::TwoMachine, Branching::default(), HostPool::default());
    let monitor = || Monitor::new(&SolveOptions::default());
    let problem = Makespan::problem(&instance, bound, rule, u32::MAX, &monitor())?;
    let pool = Pool::new(&problem, &options, [trees, JOBS / 2, BUDGET], &monitor())?;
    drop(problem);
    Ok(Some(Box::new(move |device| {
        let watch = monitor();
        let problem = Makespan::problem(&instance, bound, rule, u32::MAX, &watch)?;
        let mut explorer = Makespan::explorer(&problem, device, &options, watch.memory_bytes())?;
        let start = Instant::now();
        pool.compare(&problem, &mut *explorer, &watch)?;
        Ok(start.elapsed())
    })))
}
