//! The OpenCL engine: it processes a pass level by level; the host only keeps the queue filled.

use super::guide::NO_JOB;
use super::node::{Level, ROWS};
use super::{Shop, TwoEndedTree, self_test};
use crate::flow_shop::end::End;
use crate::flow_shop::search::beam::{DeviceTree, Reached, nodes_within, sequence};
use crate::flow_shop::search::evaluator::{Step, Tree};
use crate::opencl::{
    Arg, Buffer, Device, DeviceInfo, Kernel, KernelFamily, Match, Queue, TuningRow, source,
};
use crate::{Error, Pacer, Result, Units};

pub(super) const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_beam",
    sources: &[source!("flow_shop_beam.cl")],
    #[cfg(test)]
    kernels: &[],
    constants: &[],
    tuning: &[
        // Work-items of a group that expands a node, work-items of all other groups, and children
        // in a block of these.
        TuningRow {
            device: Match::Default,
            defines: &[("EXPAND_GROUP", 64), ("GROUP", 128), ("BLOCK", 2048)],
        },
        TuningRow {
            device: Match::Vendor("NVIDIA"),
            defines: &[("EXPAND_GROUP", 32), ("GROUP", 256), ("BLOCK", 2048)],
        },
    ],
    self_test: self_test::compare,
};

/// Words of the control buffer, and digits of a rank per round; as in the kernels.
const CONTROL_WORDS: usize = 7;
const DROPPED: usize = 4;
const CHILDREN: usize = 5;
const DIGITS: usize = 1 << 11;
const ROUNDS: u32 = 3;
/// Tallying work-groups for each compute unit.
const TALLYING_GROUPS: usize = 8;
/// Steps per child in each selecting kernel, and per machine in the others, in nanoseconds of a
/// slow device.
const SELECT_WORK: u64 = 2;
const MACHINE_WORK: u64 = 8;

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

    fn run(&self, device: &Device, width: usize) -> Result<Reached> {
        let queue = device.queue()?;
        DevicePass::new(self, device, &queue, width)?.run()
    }
}

/// One pass on a device.
struct DevicePass<'a> {
    tree: &'a TwoEndedTree<'a>,
    width: usize,
    queue: &'a Queue,
    pacer: Pacer<'a>,
    kernels: Kernels,
    buffers: Buffers,
    tallying_groups: usize,
}

struct Kernels {
    expand: Kernel,
    tally: Kernel,
    narrow: Kernel,
    count: Kernel,
    offset: Kernel,
    place: Kernel,
    grow: Kernel,
    trace: Kernel,
    expand_group: usize,
    group: usize,
    block: usize,
}

struct Buffers {
    times: Buffer<u32>,
    /// Buffers for even and for odd levels.
    levels: [LevelBuffers; 2],
    sides: Buffer<u8>,
    ranks: Buffer<u32>,
    control: Buffer<u32>,
    tallies: Buffer<u32>,
    counts: Buffer<u32>,
    kept: Buffer<u32>,
    history: Buffer<u32>,
    steps: Buffer<u32>,
}

struct LevelBuffers {
    states: Buffer<u32>,
    placed: Buffer<u32>,
    idle: Buffer<u32>,
}

impl<'a> DevicePass<'a> {
    fn new(
        tree: &'a TwoEndedTree<'a>,
        device: &Device,
        queue: &'a Queue,
        width: usize,
    ) -> Result<Self> {
        let (jobs, machines) = (tree.shop.jobs(), tree.shop.machines());
        let local_bytes = 2 * (16 * machines + jobs);
        if local_bytes as u64 > device.info().local_memory_bytes {
            let sizes = format!("{jobs} jobs on {machines} machines");
            return Err(Error::device_failed(format!("local memory holds no node of {sizes}")));
        }
        let kernels = Kernels::new(device, machines)?;
        Ok(DevicePass {
            tree,
            width,
            queue,
            pacer: Pacer::new(queue, tree.monitor, "beam"),
            buffers: Buffers::new(tree.shop, device, queue, width, kernels.block)?,
            kernels,
            tallying_groups: TALLYING_GROUPS * device.info().compute_units as usize,
        })
    }

    fn run(mut self) -> Result<Reached> {
        let jobs = self.tree.shop.jobs();
        // Only the device knows the number of nodes; this is an upper limit.
        let mut nodes = 1;
        for depth in 0..jobs {
            // The last level contains only schedules.
            let width = if depth + 1 == jobs { 1 } else { self.width };
            let children = nodes * (jobs - depth);
            self.expand(depth, nodes)?;
            self.select(depth, children, width)?;
            nodes = children.min(width);
            self.grow(depth, nodes)?;
        }
        let mut control = [0; CONTROL_WORDS];
        self.queue.read(&self.buffers.control, 0, &mut control)?;
        Ok(Reached {
            order: if control[jobs % 2] > 0 { Some(self.trace()?) } else { None },
            exhaustive: control[DROPPED] == 0,
            children: u64::from(control[CHILDREN]) | u64::from(control[CHILDREN + 1]) << 32,
        })
    }

    /// Ranks the children of all nodes in a level.
    fn expand(&mut self, depth: usize, nodes: usize) -> Result<()> {
        let DevicePass { tree, buffers, kernels, queue, .. } = self;
        let jobs = tree.shop.jobs();
        let ranking = &tree.rankings[depth + 1];
        let level = &buffers.levels[depth % 2];
        let work = ((jobs - depth) * tree.shop.machines()) as u64 * MACHINE_WORK;
        in_parts(&mut self.pacer, nodes, work, |first, count| {
            let head = [
                buffers.times.arg(),
                level.states.arg(),
                level.placed.arg(),
                level.idle.arg(),
                buffers.sides.arg(),
                buffers.ranks.arg(),
                buffers.control.arg(),
                Arg::U32(first as u32),
                Arg::U32(depth as u32),
                Arg::U32(jobs as u32),
                Arg::U32(tree.shares.coarse),
            ];
            let ranking = ranking.parameters().map(Arg::U32);
            let args: Vec<Arg<'_>> =
                head.into_iter().chain(ranking).chain([Arg::Local(2 * jobs)]).collect();
            let group = kernels.expand_group;
            queue.launch(&kernels.expand, &args, [count * group], [group])
        })
    }

    /// Lists the best children of a level: at most `width` of at most `children`.
    fn select(&mut self, depth: usize, children: usize, width: usize) -> Result<()> {
        let DevicePass { tree, buffers, kernels, queue, pacer, tallying_groups, .. } = self;
        let (group, block) = (kernels.group, kernels.block);
        let level = [Arg::U32(depth as u32), Arg::U32(tree.shop.jobs() as u32)];
        let sums = || Arg::Local(8 * group);
        for round in (0..ROUNDS).map(Arg::U32) {
            in_parts(pacer, children, SELECT_WORK, |first, count| {
                let groups = count.div_ceil(block).min(*tallying_groups);
                let (ranks, control, tallies) =
                    (buffers.ranks.arg(), buffers.control.arg(), buffers.tallies.arg());
                let range = [first, first + count].map(|child| Arg::U32(child as u32));
                let args = [ranks, control, tallies, range[0], range[1], level[0], level[1], round];
                queue.launch(&kernels.tally, &args, [groups * group], [group])
            })?;
            let (tallies, control) = (buffers.tallies.arg(), buffers.control.arg());
            let args =
                [tallies, control, level[0], level[1], Arg::U32(width as u32), round, sums()];
            queue.launch(&kernels.narrow, &args, [group], [group])?;
        }
        let blocks = children.div_ceil(block);
        let block_work = block as u64 * SELECT_WORK;
        in_parts(pacer, blocks, block_work, |first, count| {
            let (ranks, control, counts) =
                (buffers.ranks.arg(), buffers.control.arg(), buffers.counts.arg());
            let args = [ranks, control, counts, Arg::U32(first as u32), level[0], level[1]];
            queue.launch(&kernels.count, &args, [count * group], [group])
        })?;
        let args = [buffers.counts.arg(), buffers.control.arg(), level[0], level[1], sums()];
        queue.launch(&kernels.offset, &args, [group], [group])?;
        pacer.launched(blocks as u64, None)?;
        in_parts(pacer, blocks, block_work, |first, count| {
            let args = [
                buffers.ranks.arg(),
                buffers.control.arg(),
                buffers.counts.arg(),
                buffers.kept.arg(),
                Arg::U32(first as u32),
                level[0],
                level[1],
                sums(),
            ];
            queue.launch(&kernels.place, &args, [count * group], [group])
        })
    }

    /// Computes the nodes of the next level.
    fn grow(&mut self, depth: usize, nodes: usize) -> Result<()> {
        let DevicePass { tree, buffers, kernels, queue, .. } = self;
        let (level, next) = (&buffers.levels[depth % 2], &buffers.levels[(depth + 1) % 2]);
        let args = [
            buffers.times.arg(),
            level.states.arg(),
            level.placed.arg(),
            level.idle.arg(),
            buffers.sides.arg(),
            buffers.kept.arg(),
            buffers.control.arg(),
            next.states.arg(),
            next.placed.arg(),
            next.idle.arg(),
            buffers.history.arg(),
            Arg::U32(self.width as u32),
            Arg::U32(depth as u32),
            Arg::U32(tree.shop.jobs() as u32),
            Arg::U32(tree.shares.bits),
            Arg::U32(tree.shares.coarse),
        ];
        let group = kernels.group;
        queue.launch(&kernels.grow, &args, [nodes.next_multiple_of(group)], [group])?;
        self.pacer.launched((nodes * tree.shop.machines()) as u64 * MACHINE_WORK, None)
    }

    /// Traces the sequence back from the only node of the last level.
    fn trace(&self) -> Result<Vec<u32>> {
        let jobs = self.tree.shop.jobs();
        let (history, steps) = (self.buffers.history.arg(), self.buffers.steps.arg());
        let args = [history, steps, Arg::U32(self.width as u32), Arg::U32(jobs as u32)];
        self.queue.launch(&self.kernels.trace, &args, [1], [1])?;
        let mut steps = vec![0; jobs];
        self.queue.read(&self.buffers.steps, 0, &mut steps)?;
        if let Some(step) = steps.iter().find(|&&step| (step >> 1) as usize >= jobs) {
            return Err(Error::device_wrong(format!(
                "a beam that places job {} of {jobs}",
                step >> 1
            )));
        }
        let step =
            |&step: &u32| Step { parent: 0, job: step >> 1, side: End::BOTH[(step & 1) as usize] };
        Ok(sequence(steps.iter().rev().map(step)))
    }
}

impl Kernels {
    fn new(device: &Device, machines: usize) -> Result<Self> {
        let program = device.program(&FAMILY, &[("MACHINES", machines as u64)])?;
        let kernel = |name| program.kernel(name);
        let [expand, tally, narrow, count, offset, place, grow, trace] =
            ["expand", "tally", "narrow", "count", "offset", "place", "grow", "trace"].map(kernel);
        let (expand, tally, narrow, count, offset, place, grow) =
            (expand?, tally?, narrow?, count?, offset?, place?, grow?);
        let tuned = |name| program.define(name).unwrap_or(1) as usize;
        let most =
            [&tally, &narrow, &count, &offset, &place, &grow].map(Kernel::max_work_group_size);
        let group = most.into_iter().fold(tuned("GROUP"), usize::min).max(1);
        let expand_group = tuned("EXPAND_GROUP").min(expand.max_work_group_size());
        let (group, block) = (1 << group.ilog2(), tuned("BLOCK"));
        Ok(Kernels {
            expand,
            tally,
            narrow,
            count,
            offset,
            place,
            grow,
            trace: trace?,
            expand_group,
            group,
            block,
        })
    }
}

impl Buffers {
    fn new(
        shop: &Shop,
        device: &Device,
        queue: &Queue,
        width: usize,
        block: usize,
    ) -> Result<Self> {
        let (jobs, machines) = (shop.jobs(), shop.machines());
        let levels = [0; 2].map(|_| LevelBuffers::new(device, jobs, machines, width));
        let [even, odd] = levels;
        let levels = [even?, odd?];
        queue.write(&levels[0].states, 0, &Level::root(shop).states)?;
        queue.fill(&levels[0].placed, 0, jobs.div_ceil(32), 0)?;
        queue.write(&levels[0].idle, 0, &[NO_JOB; 2])?;
        let mut control = [0; CONTROL_WORDS];
        control[0] = 1;
        Ok(Buffers {
            times: device.buffer_from(queue, &shop.times_by_machine())?,
            levels,
            sides: device.buffer(width)?,
            ranks: device.buffer(width * jobs)?,
            control: device.buffer_from(queue, &control)?,
            tallies: device.buffer_from(queue, &[0; DIGITS])?,
            counts: device.buffer(2 * (width * jobs).div_ceil(block))?,
            kept: device.buffer(width)?,
            history: device.buffer(2 * width * jobs)?,
            steps: device.buffer(jobs)?,
        })
    }
}

impl LevelBuffers {
    fn new(device: &Device, jobs: usize, machines: usize, nodes: usize) -> Result<Self> {
        Ok(LevelBuffers {
            states: device.buffer(ROWS * machines * nodes)?,
            placed: device.buffer(jobs.div_ceil(32) * nodes)?,
            idle: device.buffer(2 * nodes)?,
        })
    }
}

/// Launches work for `total` items in parts, each given by its first item and count.
fn in_parts(
    pacer: &mut Pacer<'_>,
    total: usize,
    work: u64,
    mut launch: impl FnMut(usize, usize) -> Result<()>,
) -> Result<()> {
    pacer.launch(0..total, Units::of(work), &mut |part| {
        launch(part.start, part.len()).map(|()| None)
    })
}
