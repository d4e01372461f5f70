//! What a search on a device knows of the total flow time.

use std::sync::Arc;

use super::{FlowTime, State};
use crate::Result;
use crate::flow_shop::exact::device::{self, Batch, CONSTANTS, Explored, Layout, Tables, Tile};
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::{Branching, self_test};
use crate::flow_shop::self_test::instance;
use crate::opencl::{
    Buffer, Device, Failing, GroupArrays, KernelFamily, Local, Program, Queue, Source, Trial,
    Tunable, kernel_arguments, source,
};
use crate::solve::{Monitor, SolveOptions};

pub(super) const FAMILY: KernelFamily = KernelFamily {
    name: "flow_time",
    sources: &[
        Source::Text(
            "#define WIDE 1\n#define LONG_NUMBERS 0\n#define STATE_WORDS ((MACHINES + 8) / 8 * 8)",
        ),
        source!("flow_shop_nodes.cl"),
        Source::Text(include_str!("bounds.cl")),
        Source::Text(include_str!("explore.cl")),
        source!("flow_shop_explore.cl"),
    ],
    kernels: crate::opencl::declared![
        Expand,
        device::Advance,
        device::Branch,
        device::Smallest,
        device::Tails,
        device::Sample,
        device::Shift
    ],
    constants: CONSTANTS,
    // No row has this family.
    tuning: &[
        Tunable::power("BRANCH_GROUP: for tests", (64, 64)),
        Tunable::number("STACK_BATCHES: for tests", (24, 24)),
        Tunable::power("MOST_ROUNDS: for tests", (256, 256)),
    ],
    self_test: compare,
};

/// Words of four pairs of 32 bits.
const QUAD_WORDS: usize = 8;
const GROUP: usize = 16;
const TILE_NODES: usize = 8;

fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let instance = instance(10, trial.define("MACHINES").unwrap_or(1) as usize, 1, 99)?;
    let monitor = Monitor::new(&SolveOptions::default());
    for rule in Branching::ALL {
        let any = FlowTime::problem(&instance, rule, u32::MAX);
        let nodes: Vec<Open> = self_test::nodes(&any, [1, 6]).take(30).collect();
        let limit = self_test::limit(&any, &nodes, &monitor)?;
        let problem = FlowTime::problem(&instance, rule, limit);
        device::compare(trial, &problem, nodes, &monitor)?;
    }
    Ok(())
}

kernel_arguments! {
    /// Bounds the children of a batch and lists the open ones.
    struct Expand<'a> = "flow_shop_expand" {
        batch: Batch<'a>,
        tile: Tile,
        times: &'a Buffer<u32>,
        group_arrays: GroupArrays,
    }
}

struct FlowTimeTables<'a> {
    device: &'a Device,
    layout: Layout,
    machines: usize,
    times: Buffer<u32>,
}

impl Explored for FlowTime {
    fn layout(&self) -> Result<Layout> {
        let state_words = (self.instance.machines() + 1).next_multiple_of(QUAD_WORDS);
        Layout::new(&self.instance, state_words, QUAD_WORDS)
    }

    fn push_state(&self, state: &State, words: &mut Vec<u32>) {
        let end = words.len() + (state.free_from.len() + 1).next_multiple_of(QUAD_WORDS);
        words.extend(&state.free_from);
        words.push(state.done);
        words.resize(end, 0);
    }

    fn tables<'a>(
        device: &'a Device,
        queue: &Queue,
        problem: &Problem<'_, Self>,
    ) -> Result<Box<dyn Tables + 'a>> {
        let (instance, layout) = (problem.instance, problem.objective.layout()?);
        let times: Vec<u32> =
            layout.job_list().iter().flat_map(|&job| instance.job(job)).copied().collect();
        let times = device.buffer_from(queue, &times)?;
        Ok(Box::new(FlowTimeTables { device, layout, machines: instance.machines(), times }))
    }
}

impl Tables for FlowTimeTables<'_> {
    fn device(&self) -> &Device {
        self.device
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn program(&self) -> Result<Arc<Program>> {
        self.device.program(&FAMILY, &[("MACHINES", self.machines as u64)])
    }

    fn group(&self) -> usize {
        GROUP
    }

    fn tile_nodes(&self) -> usize {
        TILE_NODES
    }

    fn round_bounds(&self) -> usize {
        1 << 10
    }

    fn expand(&self, queue: &Queue, batch: Batch<'_>, groups: usize) -> Result<()> {
        let (layout, quads) = (&self.layout, self.layout.record_words() / QUAD_WORDS);
        let tile = Tile {
            size: quads as u32,
            jobs: layout.jobs() as u32,
            tile_nodes: TILE_NODES as u32,
            stride: quads as u32,
            tile: Local(TILE_NODES * 4 * layout.record_words()),
            open: Local(TILE_NODES * 4),
            near_bounds: Local(TILE_NODES * layout.jobs() * 8),
        };
        let group_arrays = GroupArrays::WORDS;
        let arguments = Expand { batch, tile, group_arrays, times: &self.times };
        queue.launch(&self.program()?.kernel()?, &arguments, [groups * GROUP], [GROUP])
    }

    fn times(&self) -> &Buffer<u32> {
        &self.times
    }
}
