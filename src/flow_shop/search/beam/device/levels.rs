//! The selection of a level's best children, the same for every tree.

use std::sync::Arc;

use super::{Size, in_parts};
use crate::opencl::{Buffer, Device, GroupArrays, Kernel, Local, Program, Queue, kernel_arguments};
use crate::{Pacer, Result};

/// Words of the control buffer. The first two have the number of nodes of even and of odd levels.
/// Then follow the last rank to keep or its known digits; the number of children with that rank to
/// keep; whether any were dropped; in two words the number of generated children; and two words for
/// the tree, of even and of odd levels.
pub(in crate::flow_shop) mod control {
    pub(in crate::flow_shop) const LAST: usize = 2;
    pub(in crate::flow_shop) const WANTED: usize = 3;
    pub(in crate::flow_shop) const DROPPED: usize = 4;
    pub(in crate::flow_shop) const CHILDREN: usize = 5;
    pub(in crate::flow_shop) const OF_TREE: usize = 7;
    pub(super) const WORDS: usize = 9;
    /// Bits of a rank's digit in a round.
    pub(in crate::flow_shop) const DIGIT_BITS: u64 = 11;
}

pub(super) const DIGITS: usize = 1 << control::DIGIT_BITS;
pub(super) const ROUNDS: u32 = 3;
/// The rank of a child that leads to no better schedule, and the last rank if all are kept.
pub(super) const NONE: u32 = u32::MAX;
/// Steps per child in each kernel, in nanoseconds of a slow device.
const SELECT_WORK: u64 = 2;

kernel_arguments! {
    /// Counts children by a digit of their ranks.
    pub(in crate::flow_shop) struct Tally<'a> = "flow_shop_level_tally" {
        ranks: &'a Buffer<u32>,
        control: &'a Buffer<u32>,
        tallies: &'a Buffer<u32>,
        first: u32,
        end: u32,
        depth: u32,
        jobs: u32,
        round: u32,
        group_arrays: GroupArrays,
    }

    /// Finds the digit of the last rank to keep.
    pub(in crate::flow_shop) struct Narrow<'a> = "flow_shop_level_narrow" {
        tallies: &'a Buffer<u32>,
        control: &'a Buffer<u32>,
        depth: u32,
        jobs: u32,
        width: u32,
        round: u32,
        sums: Local as uint2,
    }

    /// Counts the children to keep in blocks.
    pub(in crate::flow_shop) struct Count<'a> = "flow_shop_level_count" {
        ranks: &'a Buffer<u32>,
        control: &'a Buffer<u32>,
        counts: &'a Buffer<u32> as uint2,
        first: u32,
        depth: u32,
        jobs: u32,
        group_arrays: GroupArrays,
    }

    /// Finds the first place of each block's children.
    pub(in crate::flow_shop) struct Offset<'a> = "flow_shop_level_offset" {
        counts: &'a Buffer<u32> as uint2,
        control: &'a Buffer<u32>,
        depth: u32,
        jobs: u32,
        sums: Local as uint2,
    }

    /// Lists the children to keep.
    pub(in crate::flow_shop) struct Place<'a> = "flow_shop_level_place" {
        ranks: &'a Buffer<u32>,
        control: &'a Buffer<u32>,
        counts: &'a Buffer<u32> as uint2,
        kept: &'a Buffer<u32>,
        first: u32,
        depth: u32,
        jobs: u32,
        sums: Local as uint2,
    }

    /// Traces the sequence back.
    pub(in crate::flow_shop) struct Trace<'a> = "flow_shop_level_trace" {
        history: &'a Buffer<u32> as uint2,
        steps: &'a Buffer<u32>,
        width: u32,
        jobs: u32,
    }
}

/// Bits of a rank that a round looks at.
pub(super) fn digit_bits(round: u32) -> u32 {
    if round + 1 == ROUNDS {
        u32::BITS - (ROUNDS - 1) * control::DIGIT_BITS as u32
    } else {
        control::DIGIT_BITS as u32
    }
}

/// The kernels that select children, and what the trees share with them.
pub(in crate::flow_shop) struct Levels {
    size: Size,
    tally: Kernel<Tally<'static>>,
    narrow: Kernel<Narrow<'static>>,
    count: Kernel<Count<'static>>,
    offset: Kernel<Offset<'static>>,
    place: Kernel<Place<'static>>,
    trace: Kernel<Trace<'static>>,
    group: usize,
    block: usize,
    /// Most groups of a launch that tallies.
    tallying_groups: usize,
    pub(in crate::flow_shop) ranks: Buffer<u32>,
    pub(in crate::flow_shop) control: Buffer<u32>,
    tallies: Buffer<u32>,
    counts: Buffer<u32>,
    pub(in crate::flow_shop) kept: Buffer<u32>,
    pub(in crate::flow_shop) history: Buffer<u32>,
    steps: Buffer<u32>,
}

/// The result of a pass in the control words.
pub(super) struct Counts {
    pub(super) nodes: u32,
    pub(super) dropped: bool,
    pub(super) children: u64,
}

impl Levels {
    /// The kernels of a tree's program. The tree's words begin as `of_tree`.
    pub(in crate::flow_shop) fn new(
        program: &Arc<Program>,
        device: &Device,
        queue: &Queue,
        size: Size,
        of_tree: [u32; 2],
    ) -> Result<Self> {
        let Size { jobs, width, .. } = size;
        let block = program.tuned("BLOCK");
        let mut control = [0; control::WORDS];
        control[0] = 1;
        control[control::OF_TREE..].copy_from_slice(&of_tree);
        let mut levels = Levels {
            size,
            tally: program.kernel()?,
            narrow: program.kernel()?,
            count: program.kernel()?,
            offset: program.kernel()?,
            place: program.kernel()?,
            trace: program.kernel()?,
            group: 0,
            block,
            tallying_groups: program.tuned("UNIT_GROUPS") * device.info().compute_units as usize,
            ranks: device.buffer(width * jobs)?,
            control: device.buffer_from(queue, &control)?,
            tallies: device.buffer_from(queue, &[0; DIGITS])?,
            counts: device.buffer(2 * (width * jobs).div_ceil(block))?,
            kept: device.buffer(width)?,
            history: device.buffer(2 * width * jobs)?,
            steps: device.buffer(jobs)?,
        };
        levels.group = levels.largest_group();
        Ok(levels)
    }

    /// Work-items of the groups: a power of two that all kernels allow.
    fn largest_group(&self) -> usize {
        let groups = [
            self.tally.group("GROUP"),
            self.narrow.group("GROUP"),
            self.count.group("GROUP"),
            self.offset.group("GROUP"),
            self.place.group("GROUP"),
        ];
        1 << groups.into_iter().min().unwrap_or(1).max(1).ilog2()
    }

    pub(in crate::flow_shop) fn size(&self) -> Size {
        self.size
    }

    /// Lists the best children of a level: at most `width` of at most `children`.
    pub(super) fn select(
        &self,
        queue: &Queue,
        pacer: &mut Pacer<'_>,
        depth: usize,
        children: usize,
        width: usize,
    ) -> Result<()> {
        let Levels { group, control, tallies, .. } = self;
        for round in 0..ROUNDS {
            self.tally(queue, pacer, (depth, children), round)?;
            let (depth, jobs, width) = (depth as u32, self.size.jobs as u32, width as u32);
            let sums = Local(8 * group);
            let arguments = Narrow { tallies, control, depth, jobs, width, round, sums };
            queue.launch(&self.narrow, &arguments, [*group], [*group])?;
        }
        self.list(queue, pacer, depth, children)
    }

    /// Counts the children by a digit of their ranks.
    fn tally(
        &self,
        queue: &Queue,
        pacer: &mut Pacer<'_>,
        (depth, children): (usize, usize),
        round: u32,
    ) -> Result<()> {
        let Levels { group, block, tallying_groups, .. } = *self;
        let Levels { ranks, control, tallies, .. } = self;
        let (depth, jobs) = (depth as u32, self.size.jobs as u32);
        in_parts(pacer, children, SELECT_WORK, |first, count| {
            let groups = count.div_ceil(block).min(tallying_groups);
            let [first, end] = [first, first + count].map(|child| child as u32);
            let group_arrays = GroupArrays::of([4 * DIGITS]);
            let arguments =
                Tally { ranks, control, tallies, first, end, depth, jobs, round, group_arrays };
            queue.launch(&self.tally, &arguments, [groups * group], [group])
        })
    }

    /// Lists the children that the control words say to keep.
    fn list(
        &self,
        queue: &Queue,
        pacer: &mut Pacer<'_>,
        depth: usize,
        children: usize,
    ) -> Result<()> {
        let Levels { group, block, .. } = *self;
        let Levels { ranks, control, counts, kept, .. } = self;
        let (depth, jobs) = (depth as u32, self.size.jobs as u32);
        let sums = Local(8 * group);
        let blocks = children.div_ceil(block);
        let block_work = block as u64 * SELECT_WORK;
        in_parts(pacer, blocks, block_work, |first, count| {
            let (first, group_arrays) = (first as u32, GroupArrays::WORDS);
            let arguments = Count { ranks, control, counts, first, depth, jobs, group_arrays };
            queue.launch(&self.count, &arguments, [count * group], [group])
        })?;
        let arguments = Offset { counts, control, depth, jobs, sums };
        queue.launch(&self.offset, &arguments, [group], [group])?;
        pacer.launched(blocks as u64, None)?;
        in_parts(pacer, blocks, block_work, |first, count| {
            let first = first as u32;
            let arguments = Place { ranks, control, counts, kept, first, depth, jobs, sums };
            queue.launch(&self.place, &arguments, [count * group], [group])
        })
    }

    /// The numbers of children by a digit of their ranks, of those with the `known` digits.
    pub(super) fn tallied(
        &self,
        queue: &Queue,
        pacer: &mut Pacer<'_>,
        (depth, children): (usize, usize),
        round: u32,
        known: u32,
    ) -> Result<Vec<u32>> {
        queue.send(&self.control, control::LAST, vec![known])?;
        self.tally(queue, pacer, (depth, children), round)?;
        let mut tallies = vec![0; DIGITS];
        queue.read(&self.tallies, 0, &mut tallies)?;
        queue.fill(&self.tallies, 0, DIGITS, 0)?;
        Ok(tallies)
    }

    /// Lists the children of ranks before the `last` one, and the first `wanted` ones of that rank.
    pub(super) fn keep(
        &self,
        queue: &Queue,
        pacer: &mut Pacer<'_>,
        depth: usize,
        children: usize,
        [last, wanted]: [u32; 2],
    ) -> Result<()> {
        queue.send(&self.control, control::LAST, vec![last, wanted])?;
        self.list(queue, pacer, depth, children)
    }

    /// Sets the number of nodes of a level.
    pub(super) fn set_nodes(&self, queue: &Queue, depth: usize, nodes: usize) -> Result<()> {
        queue.send(&self.control, depth % 2, vec![nodes as u32])
    }

    /// The tree's word of a level.
    pub(super) fn least(&self, queue: &Queue, depth: usize) -> Result<u32> {
        let mut least = [0];
        queue.read(&self.control, control::OF_TREE + depth % 2, &mut least)?;
        Ok(least[0])
    }

    pub(super) fn set_least(&self, queue: &Queue, depth: usize, least: u32) -> Result<()> {
        queue.send(&self.control, control::OF_TREE + depth % 2, vec![least])
    }

    /// The step to a node that was grown from a node of this level: the parent, and twice the job
    /// plus its side.
    pub(super) fn step(&self, queue: &Queue, depth: usize, node: usize) -> Result<[u32; 2]> {
        let mut step = [0; 2];
        queue.read(&self.history, 2 * (depth * self.size.width + node), &mut step)?;
        Ok(step)
    }

    /// Reads the result after the last level.
    pub(super) fn counts(&self, queue: &Queue) -> Result<Counts> {
        let mut words = [0; control::WORDS];
        queue.read(&self.control, 0, &mut words)?;
        let [low, high] = [0, 1].map(|word| u64::from(words[control::CHILDREN + word]));
        Ok(Counts {
            nodes: words[self.size.jobs % 2],
            dropped: words[control::DROPPED] != 0,
            children: low | high << 32,
        })
    }

    /// The steps to the only node of the last level: twice the job, plus its side.
    pub(super) fn trace(&self, queue: &Queue) -> Result<Vec<u32>> {
        let Levels { history, steps, size, .. } = self;
        let arguments = Trace { history, steps, width: size.width as u32, jobs: size.jobs as u32 };
        queue.launch(&self.trace, &arguments, [1], [1])?;
        let mut list = vec![0; size.jobs];
        queue.read(steps, 0, &mut list)?;
        Ok(list)
    }
}
