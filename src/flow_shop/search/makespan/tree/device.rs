//! The kernels of the tree on a device.

use std::sync::Arc;

use super::guide::{BOUND, IDLE_THEN_BOUND, NO_JOB, ONE_SIDED, PROGRESS_BITS, RankingParameters};
use super::node::{Level, ROWS};
use super::{TwoEndedTree, self_test};
use crate::Result;
use crate::flow_shop::search::beam::device::{self, DeviceNodes, Levels, Size, control};
use crate::flow_shop::search::beam::{DeviceTree, nodes_within};
use crate::flow_shop::search::evaluator::Tree;
use crate::opencl::{
    Buffer, Device, DeviceInfo, GroupArrays, Kernel, KernelFamily, Local, Program, Queue, Usual,
    kernel_arguments, source,
};
use crate::solve::Monitor;

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_beam",
    sources: &[source!("flow_shop_levels.cl"), source!("flow_shop_beam.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![
        Expand,
        Grow,
        device::Tally,
        device::Narrow,
        device::Count,
        device::Offset,
        device::Place,
        device::Trace
    ],
    constants: &[
        ("ROWS", ROWS as u64),
        ("SIDES", 2),
        ("ONE_SIDED", ONE_SIDED as u64),
        ("PROGRESS_BITS", PROGRESS_BITS as u64),
        ("IDLE_THEN_BOUND", IDLE_THEN_BOUND as u64),
        ("BOUND", BOUND as u64),
        ("LAST", control::LAST as u64),
        ("WANTED", control::WANTED as u64),
        ("DROPPED", control::DROPPED as u64),
        ("CHILDREN", control::CHILDREN as u64),
        ("DIGIT_BITS", control::DIGIT_BITS),
    ],
    tuning: device::TUNING,
    self_test: self_test::compare,
};

kernel_arguments! {
    /// The nodes of a level.
    struct Nodes<'a> {
        states: &'a Buffer<u32>,
        placed: &'a Buffer<u32>,
        idle: &'a Buffer<u32> as uint2,
    }

    /// Ranks the children of nodes.
    struct Expand<'a> = "flow_shop_beam_expand" {
        times: &'a Buffer<u32>,
        nodes: Nodes<'a>,
        sides: &'a Buffer<u8>,
        ranks: &'a Buffer<u32>,
        control: &'a Buffer<u32>,
        first: u32,
        depth: u32,
        jobs: u32,
        coarse: u32,
        ranking: RankingParameters,
        list: Local as ushort,
        group_arrays: GroupArrays,
    }

    /// Computes the nodes of the next level.
    struct Grow<'a> = "flow_shop_beam_grow" {
        times: &'a Buffer<u32>,
        nodes: Nodes<'a>,
        sides: &'a Buffer<u8>,
        kept: &'a Buffer<u32>,
        control: &'a Buffer<u32>,
        next_states: &'a Buffer<u32>,
        next_placed: &'a Buffer<u32>,
        next_idle: &'a Buffer<u32> as uint2,
        history: &'a Buffer<u32> as uint2,
        width: u32,
        depth: u32,
        jobs: u32,
        share_bits: u32,
        coarse: u32,
    }
}

impl TwoEndedTree<'_> {
    /// The kernels store jobs in 16 bits.
    pub(in crate::flow_shop::search) const MOST_DEVICE_JOBS: usize = 1 << 16;
}

impl DeviceTree for TwoEndedTree<'_> {
    fn widest(&self, info: &DeviceInfo, limit: u64) -> Result<usize> {
        let jobs = self.shop.jobs();
        let steps = 8 * jobs;
        let node = 2 * self.node_bytes() + 4 * jobs + steps + 16;
        let largest = info.max_allocation_bytes / steps.max(4 * ROWS * self.shop.machines()) as u64;
        Ok(nodes_within(limit, node)?.min(largest).max(1) as usize)
    }

    type Nodes<'t>
        = TwoEndedNodes<'t>
    where
        Self: 't;

    fn monitor(&self) -> &Monitor {
        self.monitor
    }

    fn prepare(
        &self,
        device: &Device,
        queue: &Queue,
        width: usize,
    ) -> Result<(Levels, TwoEndedNodes<'_>)> {
        let size = Size { jobs: self.shop.jobs(), machines: self.shop.machines(), width };
        device::check_local_memory(device, (size.jobs, 2), size.machines)?;
        let program = program(device, size.machines)?;
        let levels = Levels::new(&program, device, queue, size, [0; 2])?;
        Ok((levels, TwoEndedNodes::new(self, &program, device, queue, width)?))
    }
}

/// The program of passes through sequences of jobs on this many machines.
pub(in crate::flow_shop::search) fn usual(machines: usize) -> Usual {
    Usual::new(FAMILY.name, move |device| program(device, machines).map(drop))
}

fn program(device: &Device, machines: usize) -> Result<Arc<Program>> {
    device.program(&FAMILY, &[("MACHINES", machines as u64)])
}

/// The nodes of one pass.
pub(in crate::flow_shop) struct TwoEndedNodes<'a> {
    tree: &'a TwoEndedTree<'a>,
    expand: Kernel<Expand<'static>>,
    grow: Kernel<Grow<'static>>,
    times: Buffer<u32>,
    /// Buffers for even and for odd levels.
    levels: [LevelBuffers; 2],
    sides: Buffer<u8>,
}

struct LevelBuffers {
    states: Buffer<u32>,
    placed: Buffer<u32>,
    idle: Buffer<u32>,
}

impl<'a> TwoEndedNodes<'a> {
    fn new(
        tree: &'a TwoEndedTree<'a>,
        program: &Arc<Program>,
        device: &Device,
        queue: &Queue,
        width: usize,
    ) -> Result<Self> {
        let (jobs, machines) = (tree.shop.jobs(), tree.shop.machines());
        let level = || LevelBuffers::new(device, jobs, machines, width);
        let levels = [level()?, level()?];
        queue.write(&levels[0].states, 0, &Level::root(tree.shop).states)?;
        queue.fill(&levels[0].placed, 0, jobs.div_ceil(32), 0)?;
        queue.write(&levels[0].idle, 0, &[NO_JOB; 2])?;
        Ok(TwoEndedNodes {
            tree,
            expand: program.kernel()?,
            grow: program.kernel()?,
            times: device.buffer_from(queue, &tree.shop.times_by_machine())?,
            levels,
            sides: device.buffer(width)?,
        })
    }
}

impl DeviceNodes for TwoEndedNodes<'_> {
    const HAS_LEAST: bool = false;

    fn records(&self, depth: usize) -> Vec<(&Buffer<u32>, usize)> {
        let LevelBuffers { states, placed, idle } = &self.levels[depth % 2];
        let (jobs, machines) = (self.tree.shop.jobs(), self.tree.shop.machines());
        vec![(states, ROWS * machines), (placed, jobs.div_ceil(32)), (idle, 2)]
    }

    fn grow_group(&self) -> usize {
        self.grow.group("GROUP")
    }

    fn expand(
        &self,
        queue: &Queue,
        levels: &Levels,
        depth: usize,
        (first, count): (usize, usize),
    ) -> Result<()> {
        let jobs = self.tree.shop.jobs();
        let arguments = Expand {
            times: &self.times,
            nodes: self.levels[depth % 2].nodes(),
            sides: &self.sides,
            ranks: &levels.ranks,
            control: &levels.control,
            first: first as u32,
            depth: depth as u32,
            jobs: jobs as u32,
            coarse: self.tree.shares.coarse,
            ranking: self.tree.rankings[depth + 1].parameters(),
            list: Local(2 * jobs),
            group_arrays: GroupArrays::of([32 * self.tree.shop.machines(), 4, 4, 4]),
        };
        let group = self.expand.group("EXPAND_GROUP");
        queue.launch(&self.expand, &arguments, [count * group], [group])
    }

    fn grow(
        &self,
        queue: &Queue,
        levels: &Levels,
        depth: usize,
        (first, count): (usize, usize),
    ) -> Result<()> {
        let next = &self.levels[(depth + 1) % 2];
        let arguments = Grow {
            times: &self.times,
            nodes: self.levels[depth % 2].nodes(),
            sides: &self.sides,
            kept: &levels.kept,
            control: &levels.control,
            next_states: &next.states,
            next_placed: &next.placed,
            next_idle: &next.idle,
            history: &levels.history,
            width: levels.size().width as u32,
            depth: depth as u32,
            jobs: self.tree.shop.jobs() as u32,
            share_bits: self.tree.shares.bits,
            coarse: self.tree.shares.coarse,
        };
        queue.launch_from(&self.grow, &arguments, [first], [count], [self.grow_group()])
    }
}

impl LevelBuffers {
    fn nodes(&self) -> Nodes<'_> {
        Nodes { states: &self.states, placed: &self.placed, idle: &self.idle }
    }

    fn new(device: &Device, jobs: usize, machines: usize, nodes: usize) -> Result<Self> {
        Ok(LevelBuffers {
            states: device.buffer(ROWS * machines * nodes)?,
            placed: device.buffer(jobs.div_ceil(32) * nodes)?,
            idle: device.buffer(2 * nodes)?,
        })
    }
}
