//! Work by which the kernels are timed.

use super::Shape;
use super::self_test::instance;
use crate::Result;
use crate::flow_shop::Instance;
use crate::flow_shop::exact::general::General;
use crate::flow_shop::exact::objective::Objective;
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::proof::{self, Proof};
use crate::opencl::{TimedFamily, Workload};
use crate::solve::Monitor;

/// Rounds matter in searches that no CPU could repeat in time for a comparison.
pub(crate) const TIMED: TimedFamily = TimedFamily {
    family: &super::FAMILY,
    workloads: &[Workload {
        name: "proofs of weighted tardiness",
        tunables: "GROUP TILE_NODES BRANCH_GROUP",
        case: |_, size| {
            let shape = Shape { machines: 10, has_setups: true, ..Shape::default() };
            proof::case(Search { instance: instance(&shape, JOBS + size as usize)? })
        },
    }],
};

/// Jobs of the smallest instance.
const JOBS: usize = 7;

struct Search {
    instance: Instance,
}

impl Proof for Search {
    type Objective<'a> = General<'a>;

    fn heuristic(&self, _monitor: &Monitor) -> Result<u32> {
        let order: Vec<u32> = (0..self.instance.jobs() as u32).collect();
        Ok(General::value(&self.instance, &order)? as u32)
    }

    fn problem<'a>(&'a self, limit: u32, monitor: &Monitor) -> Result<Problem<'a, General<'a>>> {
        General::problem(&self.instance, limit, monitor)
    }
}
