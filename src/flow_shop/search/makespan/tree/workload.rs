//! Work by which the kernels are timed.

use super::{Guide, TwoEndedTree};
use crate::flow_shop::bounds;
use crate::flow_shop::search::{Shop, beam};
use crate::flow_shop::self_test::instance;
use crate::opencl::{Case, Device, TimedFamily, Workload, agree, timed};
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Result};

pub(crate) const TIMED: TimedFamily = TimedFamily {
    family: &super::device::FAMILY,
    workloads: &[Workload {
        name: "passes",
        tunables: "EXPAND_GROUP GROUP BLOCK UNIT_GROUPS",
        case: pass,
    }],
};

const JOBS: usize = 50;
const MACHINES: usize = 20;
/// Nodes of a level in the smallest case, and doublings of the largest.
const WIDTH: usize = 64;
const MOST_DOUBLINGS: u32 = 10;

/// A pass through the tree.
fn pass(_: &Device, size: u32) -> Result<Option<Case>> {
    if size > MOST_DOUBLINGS {
        return Ok(None);
    }
    let instance = instance(JOBS, MACHINES, 0, 99)?;
    let (shop, width) = (Shop::of(&instance), WIDTH << size);
    let bound = bounds::one_machine(&instance);
    let context = Context::of_all_threads()?;
    let expected = {
        let watch = Monitor::new(&SolveOptions::default());
        let tree = TwoEndedTree::new(&shop, &watch, bound, Guide::IdleThenBound, u32::MAX);
        context.install(|| beam::on_cpu(&tree, &watch, width))??
    };
    Ok(Some(Box::new(move |device| {
        let watch = Monitor::new(&SolveOptions::default());
        let tree = TwoEndedTree::new(&shop, &watch, bound, Guide::IdleThenBound, u32::MAX);
        let (found, time) =
            timed(|| beam::on_device(&context, &tree, device, &watch, width, &|_| ()))?;
        agree("a pass", &[found], std::slice::from_ref(&expected))?;
        Ok(time)
    })))
}
