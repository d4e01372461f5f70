//! Work by which the kernels are timed.

use super::self_test::{Work, instance};
use super::shape::Shape;
use crate::flow_shop::planner::cost::Cost;
use crate::opencl::{Case, Device, TimedFamily, Workload, agree, timed};
use crate::{Context, Result};

pub(crate) const TIMED: TimedFamily = TimedFamily {
    family: &super::device::FAMILY,
    workloads: &[Workload {
        name: "passes",
        tunables: "EXPAND_GROUP GROUP BLOCK UNIT_GROUPS STRIPS",
        case: pass,
    }],
};

const JOBS: usize = 50;
/// Nodes of a level in the smallest case, and doublings of the largest.
const WIDTH: usize = 64;
const MOST_DOUBLINGS: u32 = 10;

/// A pass through the tree.
fn pass(_: &Device, size: u32) -> Result<Option<Case>> {
    if size > MOST_DOUBLINGS {
        return Ok(None);
    }
    let shape = Shape {
        machines: 20,
        has_setups: false,
        has_blocking: false,
        has_releases: false,
        has_makespan: false,
        has_terms: false,
        has_late_jobs: false,
        has_lateness: false,
    };
    let (instance, width) = (instance(&shape, JOBS)?, WIDTH << size);
    let context = Context::of_all_threads()?;
    let expected = Work { instance: &instance, context: &context, width }.on_cpu(Cost::WORST)?;
    Ok(Some(Box::new(move |device| {
        let work = Work { instance: &instance, context: &context, width };
        let (found, time) = timed(|| work.on_device(device, Cost::WORST))?;
        agree("a pass", &[found], std::slice::from_ref(&expected))?;
        Ok(time)
    })))
}
