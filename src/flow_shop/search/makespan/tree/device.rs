//! The OpenCL engine: it processes a pass level by level; the host only keeps the queue filled.

use std::sync::Arc;

use super::guide::{BOUND, IDLE_THEN_BOUND, NO_JOB, ONE_SIDED, PROGRESS_BITS, RankingParameters};
use super::node::{Level, ROWS};
use super::{Shop, TwoEndedTree, self_test, workload};
use crate::flow_shop::end::End;
use crate::flow_shop::search::beam::{DeviceTree, Reached, nodes_within, sequence};
use crate::flow_shop::search::evaluator::{Step, Tree};
use crate::opencl::{
    Buffer, Device, DeviceInfo, Kernel, KernelFamily, Local, Program, Queue, Tunable, Usual,
    kernel_arguments, source,
};
use crate::{Error, Pacer, Result, Units};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_beam",
    sources: &[source!("flow_shop_beam.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![Expand, Tally, Narrow, Count, Offset, Place, Grow, Trace],
    constants: &[
        ("ROWS", ROWS as u64),
        ("ONE_SIDED", ONE_SIDED as u64),
        ("PROGRESS_BITS", PROGRESS_BITS as u64),
        ("IDLE_THEN_BOUND", IDLE_THEN_BOUND as u64),
        ("BOUND", BOUND as u64),
        ("LAST", LAST as u64),
        ("WANTED", WANTED as u64),
        ("DROPPED", DROPPED as u64),
        ("CHILDREN", CHILDREN as u64),
        ("DIGIT_BITS", DIGIT_BITS),
    ],
    tuning: &[
        Tunable::power("EXPAND_GROUP", (16, 1024), "work-items of a group that expands a node"),
        Tunable::power("GROUP", (16, 1024), "work-items of all other groups"),
        Tunable::power("BLOCK", (256, 1 << 16), "children in a block"),
    ],
    workloads: workload::WORKLOADS,
    self_test: self_test::compare,
};

/// Words of the control buffer. The first two have the number of nodes of even and of odd levels.
/// Then follow the last rank to keep or its known digits; the number of children with that rank to
/// keep; whether any were dropped; and in two words the number of generated children.
const LAST: usize = 2;
const WANTED: usize = 3;
const DROPPED: usize = 4;
const CHILDREN: usize = 5;
const CONTROL_WORDS: usize = 7;
/// Bits of a rank's digit in a round, and the rounds.
const DIGIT_BITS: u64 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;
const ROUNDS: u32 = 3;
/// Tallying work-groups for each compute unit.
const TALLYING_GROUPS: usize = 8;
/// Steps per child in each selecting kernel, and per machine in the others, in nanoseconds of a
/// slow device.
const SELECT_WORK: u64 = 2;
const MACHINE_WORK: u64 = 8;

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
    }

    /// Counts children by a digit of their ranks.
    struct Tally<'a> = "flow_shop_beam_tally" {
        ranks: &'a Buffer<u32>,
        control: &'a Buffer<u32>,
        tallies: &'a Buffer<u32>,
        first: u32,
        end: u32,
        depth: u32,
        jobs: u32,
        round: u32,
    }

    /// Finds the digit of the last rank to keep.
    struct Narrow<'a> = "flow_shop_beam_narrow" {
        tallies: &'a Buffer<u32>,
        control: &'a Buffer<u32>,
        depth: u32,
        jobs: u32,
        width: u32,
        round: u32,
        sums: Local as uint2,
    }

    /// Counts the children to keep in blocks.
    struct Count<'a> = "flow_shop_beam_count" {
        ranks: &'a Buffer<u32>,
        control: &'a Buffer<u32>,
        counts: &'a Buffer<u32> as uint2,
        first: u32,
        depth: u32,
        jobs: u32,
    }

    /// Finds the first place of each block's children.
    struct Offset<'a> = "flow_shop_beam_offset" {
        counts: &'a Buffer<u32> as uint2,
        control: &'a Buffer<u32>,
        depth: u32,
        jobs: u32,
        sums: Local as uint2,
    }

    /// Lists the children to keep.
    struct Place<'a> = "flow_shop_beam_place" {
        ranks: &'a Buffer<u32>,
        control: &'a Buffer<u32>,
        counts: &'a Buffer<u32> as uint2,
        kept: &'a Buffer<u32>,
        first: u32,
        depth: u32,
        jobs: u32,
        sums: Local as uint2,
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

    /// Traces the sequence back.
    struct Trace<'a> = "flow_shop_beam_trace" {
        history: &'a Buffer<u32> as uint2,
        steps: &'a Buffer<u32>,
        width: u32,
        jobs: u32,
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

    fn run(&self, device: &Device, width: usize, progress: &dyn Fn(usize)) -> Result<Reached> {
        let queue = device.queue();
        DevicePass::new(self, device, &queue, width)?.run(progress)
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
    expand: Kernel<Expand<'static>>,
    tally: Kernel<Tally<'static>>,
    narrow: Kernel<Narrow<'static>>,
    count: Kernel<Count<'static>>,
    offset: Kernel<Offset<'static>>,
    place: Kernel<Place<'static>>,
    grow: Kernel<Grow<'static>>,
    trace: Kernel<Trace<'static>>,
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

    fn run(mut self, progress: &dyn Fn(usize)) -> Result<Reached> {
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
            progress(depth + 1);
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
            let arguments = Expand {
                times: &buffers.times,
                nodes: level.nodes(),
                sides: &buffers.sides,
                ranks: &buffers.ranks,
                control: &buffers.control,
                first: first as u32,
                depth: depth as u32,
                jobs: jobs as u32,
                coarse: tree.shares.coarse,
                ranking: ranking.parameters(),
                list: Local(2 * jobs),
            };
            let group = kernels.expand_group;
            queue.launch(&kernels.expand, &arguments, [count * group], [group])
        })
    }

    /// Lists the best children of a level: at most `width` of at most `children`.
    fn select(&mut self, depth: usize, children: usize, width: usize) -> Result<()> {
        let DevicePass { tree, buffers, kernels, queue, pacer, tallying_groups, .. } = self;
        let (group, block) = (kernels.group, kernels.block);
        let Buffers { ranks, control, tallies, counts, kept, .. } = buffers;
        let (depth, jobs) = (depth as u32, tree.shop.jobs() as u32);
        let sums = Local(8 * group);
        for round in 0..ROUNDS {
            in_parts(pacer, children, SELECT_WORK, |first, count| {
                let groups = count.div_ceil(block).min(*tallying_groups);
                let [first, end] = [first, first + count].map(|child| child as u32);
                let arguments = Tally { ranks, control, tallies, first, end, depth, jobs, round };
                queue.launch(&kernels.tally, &arguments, [groups * group], [group])
            })?;
            let width = width as u32;
            let arguments = Narrow { tallies, control, depth, jobs, width, round, sums };
            queue.launch(&kernels.narrow, &arguments, [group], [group])?;
        }
        let blocks = children.div_ceil(block);
        let block_work = block as u64 * SELECT_WORK;
        in_parts(pacer, blocks, block_work, |first, count| {
            let arguments = Count { ranks, control, counts, first: first as u32, depth, jobs };
            queue.launch(&kernels.count, &arguments, [count * group], [group])
        })?;
        let arguments = Offset { counts, control, depth, jobs, sums };
        queue.launch(&kernels.offset, &arguments, [group], [group])?;
        pacer.launched(blocks as u64, None)?;
        in_parts(pacer, blocks, block_work, |first, count| {
            let first = first as u32;
            let arguments = Place { ranks, control, counts, kept, first, depth, jobs, sums };
            queue.launch(&kernels.place, &arguments, [count * group], [group])
        })
    }

    /// Computes the nodes of the next level.
    fn grow(&mut self, depth: usize, nodes: usize) -> Result<()> {
        let DevicePass { tree, buffers, kernels, queue, .. } = self;
        let (level, next) = (&buffers.levels[depth % 2], &buffers.levels[(depth + 1) % 2]);
        let arguments = Grow {
            times: &buffers.times,
            nodes: level.nodes(),
            sides: &buffers.sides,
            kept: &buffers.kept,
            control: &buffers.control,
            next_states: &next.states,
            next_placed: &next.placed,
            next_idle: &next.idle,
            history: &buffers.history,
            width: self.width as u32,
            depth: depth as u32,
            jobs: tree.shop.jobs() as u32,
            share_bits: tree.shares.bits,
            coarse: tree.shares.coarse,
        };
        let group = kernels.group;
        let work = (group * tree.shop.machines()) as u64 * MACHINE_WORK;
        in_parts(&mut self.pacer, nodes.div_ceil(group), work, |first, count| {
            let [first, items] = [first, count].map(|groups| groups * group);
            queue.launch_from(&kernels.grow, &arguments, [first], [items], [group])
        })
    }

    /// Traces the sequence back from the only node of the last level.
    fn trace(&self) -> Result<Vec<u32>> {
        let jobs = self.tree.shop.jobs();
        let Buffers { history, steps, .. } = &self.buffers;
        let arguments = Trace { history, steps, width: self.width as u32, jobs: jobs as u32 };
        self.queue.launch(&self.kernels.trace, &arguments, [1], [1])?;
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

/// The program of passes through sequences of jobs on this many machines.
pub(in crate::flow_shop::search) fn usual(machines: usize) -> Usual {
    Usual::new(FAMILY.name, move |device| program(device, machines).map(drop))
}

fn program(device: &Device, machines: usize) -> Result<Arc<Program>> {
    device.program(&FAMILY, &[("MACHINES", machines as u64)])
}

impl Kernels {
    fn new(device: &Device, machines: usize) -> Result<Self> {
        let program = program(device, machines)?;
        let mut kernels = Kernels {
            expand: program.kernel()?,
            tally: program.kernel()?,
            narrow: program.kernel()?,
            count: program.kernel()?,
            offset: program.kernel()?,
            place: program.kernel()?,
            grow: program.kernel()?,
            trace: program.kernel()?,
            expand_group: 0,
            group: 0,
            block: program.define("BLOCK").unwrap_or(1) as usize,
        };
        kernels.expand_group = kernels.expand.group("EXPAND_GROUP");
        let groups = [
            kernels.tally.group("GROUP"),
            kernels.narrow.group("GROUP"),
            kernels.count.group("GROUP"),
            kernels.offset.group("GROUP"),
            kernels.place.group("GROUP"),
            kernels.grow.group("GROUP"),
        ];
        let group = groups.into_iter().min().unwrap_or(1).max(1);
        kernels.group = 1 << group.ilog2();
        Ok(kernels)
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
