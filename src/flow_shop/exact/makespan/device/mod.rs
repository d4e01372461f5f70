//! What devices know of the makespan: its tables, and its kernels with those of the search.

mod evaluator;
mod form;
mod kernels;
mod self_test;
mod tables;
mod workload;

use std::sync::Arc;

use self::evaluator::Evaluator;
use self::form::Form;
use self::tables::Use;
pub(crate) use self::workload::TIMED;
use super::state::State;
use super::{Bound, Makespan};
use crate::Result;
use crate::flow_shop::Instance;
use crate::flow_shop::exact::device;
use crate::flow_shop::exact::device::{Batch, CONSTANTS, Explored, Layout, Tables};
use crate::flow_shop::exact::problem::Problem;
use crate::opencl::{
    Buffer, Device, Failing, KernelFamily, Program, Queue, Source, Trial, Tunable, Usual, source,
};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop",
    sources: &[
        Source::Text("#define STATE_WORDS ((MACHINES + 3) / 4 * 8 * PAIR_WORDS)"),
        source!("flow_shop_nodes.cl"),
        source!("flow_shop_bounds.cl"),
        source!("flow_shop_explore.cl"),
    ],
    #[cfg(test)]
    kernels: crate::opencl::declared![
        kernels::Children,
        kernels::Expand,
        device::Advance,
        device::Branch,
        device::Smallest,
        device::Tails,
        device::Sample,
        device::Shift
    ],
    constants: CONSTANTS,
    tuning: &[
        Tunable::power("GROUP: work-items of a group", (16, 1024)),
        Tunable::power("TILE_NODES: most nodes of a tile, one-machine bound", (1, 256)),
        Tunable::power("JOHNSON_NODES: most nodes of a tile, two-machine bound", (1, 64)),
        Tunable::number(
            "TILE_BYTES: local memory of a tile, one-machine bound",
            (1 << 10, 1 << 17),
        ),
        Tunable::number(
            "JOHNSON_BYTES: local memory of a tile, two-machine bound",
            (1 << 10, 1 << 17),
        ),
        Tunable::power(
            "ROUND_BOUNDS: children to bound in a round, one-machine bound",
            (1 << 12, 1 << 24),
        ),
        Tunable::power(
            "JOHNSON_ROUND_BOUNDS: children to bound in a round, two-machine bound",
            (1 << 10, 1 << 22),
        ),
        Tunable::number(
            "PACKED_PTX: whether inline PTX processes two 16-bit numbers in one instruction",
            (0, 1),
        ),
        Tunable::number("NEAR_BYTES: most bytes of times in local memory", (0, 1 << 16)),
        Tunable::power("UNIT_GROUPS: most groups of a compute unit", (1, 1024)),
        device::BRANCH_GROUP,
        device::STACK_BATCHES,
        device::MOST_ROUNDS,
    ],
    self_test: compare,
};

/// The program of a search for the shortest makespan of an instance.
pub(super) fn usual(instance: &Arc<Instance>) -> Usual {
    let instance = Arc::clone(instance);
    Usual::new(FAMILY.name, move |device| {
        let form = Form::of(&instance);
        let layout = form.layout(&instance)?;
        let is_near = tables::near_times_bytes(device, &form, &layout) > 0;
        let defines = tables::defines(&form, is_near, &layout, Bound::default(), Use::Search);
        device.program(&FAMILY, &defines).map(drop)
    })
}

fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    self_test::compare(trial, &FAMILY)
}

/// What bounds the children of lists of nodes on a device.
pub(super) fn evaluator<'a, 'i>(
    device: &'a Device,
    problem: &'a Problem<'a, Makespan<'i>>,
) -> Result<Evaluator<'a, 'i>> {
    Evaluator::new(device, &FAMILY, problem)
}

impl Explored for Makespan<'_> {
    fn layout(&self) -> Result<Layout> {
        Form::of(self.instance).layout(self.instance)
    }

    fn push_state(&self, state: &State, words: &mut Vec<u32>) {
        Form::of(self.instance).push_state(state, words);
    }

    fn tables<'a>(
        device: &'a Device,
        queue: &Queue,
        problem: &Problem<'_, Self>,
    ) -> Result<Box<dyn Tables + 'a>> {
        Ok(Box::new(tables::Tables::new(device, queue, &FAMILY, problem, Use::Search)?))
    }
}

impl Tables for tables::Tables<'_> {
    fn device(&self) -> &Device {
        self.device()
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn program(&self) -> Result<Arc<Program>> {
        self.program()
    }

    fn group(&self) -> usize {
        self.group
    }

    fn tile_nodes(&self) -> usize {
        self.tile_nodes
    }

    fn round_bounds(&self) -> usize {
        self.round_bounds
    }

    fn expand(&self, queue: &Queue, batch: Batch<'_>, groups: usize) -> Result<()> {
        self.expand(queue, batch, groups)
    }

    fn times(&self) -> &Buffer<u32> {
        self.times()
    }
}
