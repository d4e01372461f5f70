//! Work by which the kernels are timed.

use crate::Result;
use crate::flow_shop::Instance;
use crate::flow_shop::exact::Branching;
use crate::flow_shop::exact::makespan::{Bound, Makespan};
use crate::flow_shop::exact::objective::Objective;
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::proof::{self, Proof};
use crate::flow_shop::neh::neh;
use crate::flow_shop::self_test::instance;
use crate::opencl::{Case, TimedFamily, Workload};
use crate::solve::Monitor;

/// The sizes and numbers of rounds and of stacks are missing: they matter in searches of many
/// seconds, which no CPU could repeat for a comparison.
pub(crate) const TIMED: TimedFamily = TimedFamily {
    family: &super::FAMILY,
    workloads: &[
        Workload {
            name: "one-machine bound",
            tunables: "GROUP TILE_NODES TILE_BYTES PACKED_PTX NEAR_BYTES BRANCH_GROUP",
            case: |_, size| search(size, Bound::OneMachine),
        },
        Workload {
            name: "two-machine bound",
            tunables: "GROUP JOHNSON_NODES JOHNSON_BYTES PACKED_PTX BRANCH_GROUP",
            case: |_, size| search(size, Bound::TwoMachine),
        },
    ],
};

/// Jobs of the smallest instance. Each further job makes the tree a few times as large.
const JOBS: usize = 9;
const MACHINES: usize = 10;

struct Search {
    instance: Instance,
    bound: Bound,
}

fn search(size: u32, bound: Bound) -> Result<Option<Case>> {
    let instance = instance(JOBS + size as usize, MACHINES, 0, 99)?;
    proof::case(Search { instance, bound })
}

impl Proof for Search {
    type Objective<'a> = Makespan<'a>;

    fn heuristic(&self, monitor: &Monitor) -> Result<u32> {
        // Every value has 31 bits.
        Ok(Makespan::value(&self.instance, &neh(&self.instance, monitor)?)? as u32)
    }

    fn problem<'a>(&'a self, limit: u32, monitor: &Monitor) -> Result<Problem<'a, Makespan<'a>>> {
        Makespan::problem(&self.instance, self.bound, Branching::default(), limit, monitor)
    }
}
