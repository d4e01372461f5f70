//! What devices know of the makespan: its tables, and its kernels with those of the search.

mod evaluator;
mod form;
mod kernels;
mod self_test;
mod tables;

use std::sync::Arc;

use self::evaluator::Evaluator;
use self::form::Form;
use self::tables::Use;
use super::Makespan;
use super::state::State;
use crate::Result;
#[cfg(test)]
use crate::flow_shop::exact::device;
use crate::flow_shop::exact::device::{Batch, CONSTANTS, Explored, Layout, Tables};
use crate::flow_shop::exact::problem::Problem;
use crate::opencl::{
    Buffer, Device, Failing, KernelFamily, Match, Program, Queue, Source, Trial, TuningRow, source,
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
        // Work-items of a group; most nodes of a tile, for each bound; local memory of a tile and
        // of the two-machine bound; children to bound in a round, for each bound.
        TuningRow {
            device: Match::Default,
            defines: &[
                ("GROUP", 64),
                ("TILE_NODES", 32),
                ("JOHNSON_NODES", 4),
                ("TILE_BYTES", 20 << 10),
                ("JOHNSON_BYTES", 20 << 10),
                ("ROUND_BOUNDS", 1 << 15),
                ("JOHNSON_ROUND_BOUNDS", 1 << 12),
                ("PACKED_PTX", 0),
            ],
        },
        TuningRow {
            device: Match::Vendor("NVIDIA"),
            defines: &[
                ("GROUP", 256),
                ("JOHNSON_BYTES", 30 << 10),
                ("ROUND_BOUNDS", 1 << 22),
                ("JOHNSON_ROUND_BOUNDS", 1 << 20),
            ],
        },
        // From this architecture on, one instruction processes two 16-bit numbers.
        TuningRow { device: Match::Architecture("sm_90"), defines: &[("PACKED_PTX", 1)] },
    ],
    self_test: compare,
};

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
