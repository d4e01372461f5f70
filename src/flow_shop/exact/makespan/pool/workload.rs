//! Work by which the kernel is timed.

use std::time::Instant;

use crate::Result;
use crate::flow_shop::exact::Branching;
use crate::flow_shop::exact::makespan::{Bound, Makespan};
use crate::flow_shop::exact::pool::{HostPool, Pool, Pooled};
use crate::flow_shop::self_test::instance;
use crate::opencl::{Case, Device, TimedFamily, Workload};
use crate::solve::{Monitor, SolveOptions};

pub(crate) const TIMED: TimedFamily = TimedFamily {
    family: &super::FAMILY,
    workloads: &[Workload {
        name: "children of a pool",
        tunables: "GROUP PAIR_STEPS",
        case: bound,
    }],
};

const JOBS: usize = 20;
const MACHINES: usize = 10;
/// Children of the smallest pool.
const CHILDREN: usize = 1 << 10;

/// Bounds a pool of children by two machines.
fn bound(_: &Device, size: u32) -> Result<Option<Case>> {
    let children = CHILDREN << size;
    if children > HostPool::MAX_SIZE {
        return Ok(None);
    }
    let instance = instance(JOBS, MACHINES, 0, 99)?;
    let monitor = || Monitor::new(&SolveOptions::default());
    let (bound, rule, options) = (Bound::TwoMachine, Branching::default(), HostPool::default());
    let problem = Makespan::problem(&instance, bound, rule, u32::MAX, &monitor())?;
    let pool = Pool::new(&problem, &options, children, &monitor())?;
    drop(problem);
    Ok(Some(Box::new(move |device| {
        let watch = monitor();
        let problem = Makespan::problem(&instance, bound, rule, u32::MAX, &watch)?;
        let mut bounder = Makespan::bounder(&problem, device, &options)?;
        let start = Instant::now();
        pool.compare(&mut *bounder, &watch)?;
        Ok(start.elapsed())
    })))
}
