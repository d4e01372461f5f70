//! Branch and bound on a device: it branches, bounds, prunes and selects by itself. The host hands it open nodes, looks
//! in now and then, and takes back what is open when the search is to stop.
//!
//! The device keeps its open nodes in levels by their number of free jobs, one array of each word of a node, so that a
//! step reads and writes neighbouring words and takes the same loops for all its nodes. A step decomposes a batch of
//! the deepest level that has one, which keeps the levels short; cl/flow_shop_tree.cl explains the rest.

use std::time::{Duration, Instant};

use super::Counts;
use super::branching::Branching;
use super::limit::Limit;
use super::node::{Open, State};
use super::packed::{Layout, Packed};
use super::problem::Problem;
use super::{Bound, Slice};
use crate::flow_shop::completion;
use crate::opencl::{Arg, Buffer, Device, DeviceKind, Kernel, KernelFamily, Match, Queue, TuningRow};
use crate::solve::Monitor;
use crate::{Error, Result};

const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_tree",
    sources: &[include_str!("../../../cl/flow_shop_tree.cl")],
    tuning: &[
        TuningRow { device: Match::Default, defines: &[("GROUP", 64)] },
        TuningRow { device: Match::Vendor("NVIDIA"), defines: &[("GROUP", 128)] },
    ],
};

/// Sequences of different makespans that the device can keep between two looks of the host.
const FOUND_ROWS: usize = 4096;
/// Nodes of a batch for each compute unit.
const NODES_PER_UNIT: usize = 1024;
/// Nodes of a level for each of a batch, as far as there is memory: room for the children of the next batch.
const BATCHES_PER_LEVEL: usize = 16;
/// Local memory that the processing times may take.
const LOCAL_TIMES_BYTES: u64 = 24 << 10;
/// How long the device works between two looks of the host, about.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);
/// How often the least open bound is asked for.
const BOUND_INTERVAL: Duration = Duration::from_millis(250);

/// Words of the device's state, as the kernels number them.
const LIMIT: usize = 0;
const LEAST: usize = 6;
const OVERFLOW: usize = 7;
const COUNTS: usize = 8;

/// How many nodes a step takes and a level holds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) batch: usize,
    pub(super) capacity: usize,
}

impl Sizes {
    /// As large as pays, and fits into the device's memory.
    fn of(device: &Device, layout: &Layout, monitor: &Monitor) -> Result<Self> {
        let info = device.info();
        let wanted = info.compute_units as usize * NODES_PER_UNIT;
        let mut bytes = info.max_allocation_bytes.min(info.global_memory_bytes / 2);
        if info.kind == DeviceKind::Cpu {
            // Its memory is the host's.
            bytes = bytes.min(monitor.memory_bytes());
        }
        let slot_bytes = (layout.levels() * layout.words() * size_of::<u32>()) as u64;
        let capacity =
            usize::try_from(bytes / slot_bytes).unwrap_or(usize::MAX).min(wanted * BATCHES_PER_LEVEL);
        // A batch and the children of one more node.
        let least = layout.free_jobs + 2;
        if capacity < least {
            let what = format!("open nodes of {} free jobs on {}", layout.free_jobs, info.name);
            let required = u128::from(slot_bytes) * least as u128;
            return Err(Error::OutOfMemory { what, required, limit: bytes });
        }
        Ok(Sizes { batch: wanted.min(capacity - layout.free_jobs), capacity })
    }
}

/// Searches below the open nodes until there are none or the slice ends; leaves those that are open then.
pub(super) fn advance(
    device: &Device,
    problem: &Problem<'_>,
    limit: &Limit,
    open: &mut Vec<Open>,
    slice: &Slice<'_>,
) -> Result<Counts> {
    let layout = Layout::of(problem)?;
    let sizes = Sizes::of(device, &layout, slice.monitor)?;
    let mut tree = Tree::new(device, problem, layout, sizes, limit)?;
    tree.search(limit, open, slice)
}

/// The search tree on one device.
pub(super) struct Tree<'a> {
    problem: &'a Problem<'a>,
    layout: Layout,
    sizes: Sizes,
    queue: Queue,
    plan: Kernel,
    expand: Kernel,
    least: Kernel,
    group: usize,
    times: Buffer<u32>,
    pairs: Buffer<i32>,
    pool: Buffer<u32>,
    state: Buffer<u32>,
    totals: Buffer<u64>,
    found: Buffer<u32>,
    /// The makespan that the device's best sequence had at the last look.
    known_limit: u32,
}

impl<'a> Tree<'a> {
    pub(super) fn new(
        device: &Device,
        problem: &'a Problem<'a>,
        layout: Layout,
        sizes: Sizes,
        limit: &Limit,
    ) -> Result<Self> {
        let program = device.program(&FAMILY, &defines(device, problem, &layout, sizes))?;
        let queue = device.queue()?;
        let times = device.buffer_from(&queue, &layout.times(problem.instance))?;
        let pairs = device.buffer_from(&queue, &steps(problem))?;
        let pool = device.buffer(layout.levels() * layout.words() * sizes.capacity)?;
        let mut words = vec![0; COUNTS + layout.free_jobs + 1];
        words[LIMIT] = limit.get();
        words[LEAST] = u32::MAX;
        let state = device.buffer_from(&queue, &words)?;
        let totals = device.buffer_from(&queue, &[0u64; 2])?;
        let found = device.buffer(FOUND_ROWS * (layout.free_jobs + 1))?;
        queue.fill(&found, 0, FOUND_ROWS, 0)?;
        let group = program.define("GROUP").unwrap_or(1) as usize;
        let kernel = |name| program.kernel(name);
        let (plan, expand, least) = (kernel("tree_plan")?, kernel("tree_expand")?, kernel("tree_least")?);
        let known_limit = limit.get();
        Ok(Tree {
            problem,
            layout,
            sizes,
            queue,
            plan,
            expand,
            least,
            group,
            times,
            pairs,
            pool,
            state,
            totals,
            found,
            known_limit,
        })
    }

    /// Searches below the nodes until none is open or the slice ends, and leaves what is open then.
    pub(super) fn search(
        &mut self,
        limit: &Limit,
        open: &mut Vec<Open>,
        slice: &Slice<'_>,
    ) -> Result<Counts> {
        let mut words = vec![0; self.state.len()];
        let mut steps = 1;
        let mut last_bound = Instant::now();
        loop {
            self.upload(open)?;
            let start = Instant::now();
            self.step(steps)?;
            self.queue.read(&self.state, 0, &mut words)?;
            self.exchange(&words, limit, slice.monitor)?;
            let elapsed = start.elapsed();
            if elapsed < LOOK_INTERVAL / 2 {
                steps = (steps * 2).min(1 << 10);
            } else if elapsed > LOOK_INTERVAL * 2 {
                steps = (steps / 2).max(1);
            }
            let on_device = words[COUNTS..].iter().any(|&count| count > 0);
            if !on_device && open.is_empty() {
                break;
            }
            if last_bound.elapsed() >= BOUND_INTERVAL {
                last_bound = Instant::now();
                let waiting = open.iter().map(|node| node.bound).min().unwrap_or(u32::MAX);
                let bound = self.least_bound(&words)?.min(waiting).min(limit.get());
                slice.monitor.note(None, Some(bound.into()));
            }
            slice.monitor.report("branch and bound", None);
            let stops = slice.monitor.should_stop();
            if stops && !slice.keeps_open {
                // The root stands for all that is open below it.
                let waiting = open.iter().map(|node| node.bound).min().unwrap_or(u32::MAX);
                let bound = self.least_bound(&words)?.min(waiting);
                *open = vec![Open { bound, ..self.problem.root_node() }];
                break;
            }
            if stops || Instant::now() >= slice.end {
                self.download(&words, open)?;
                break;
            }
        }
        let mut totals = [0; 2];
        // The last step is counted by the plan of the next.
        self.queue.launch(&self.plan, &[self.state.arg(), self.totals.arg()], [1], [1])?;
        self.queue.read(&self.totals, 0, &mut totals)?;
        let [nodes, bounds] = totals;
        Ok(Counts { nodes, bounds })
    }

    /// Queues some steps.
    fn step(&self, steps: usize) -> Result<()> {
        let items = self.sizes.batch.next_multiple_of(self.group);
        let plan = [self.state.arg(), self.totals.arg()];
        let expand = [
            self.times.arg(),
            self.pairs.arg(),
            self.pool.arg(),
            self.state.arg(),
            self.found.arg(),
            Arg::U32(self.problem.initial_limit),
        ];
        for _ in 0..steps {
            self.queue.launch(&self.plan, &plan, [1], [1])?;
            self.queue.launch(&self.expand, &expand, [items], [self.group])?;
        }
        Ok(())
    }

    /// Takes over a better sequence of the device, or gives it the limit that others have found.
    fn exchange(&mut self, words: &[u32], limit: &Limit, monitor: &Monitor) -> Result<()> {
        if words[OVERFLOW] != 0 {
            return Err(Error::DeviceFailed("a sequence was found and lost".into()));
        }
        let theirs = words[LIMIT];
        if theirs < self.known_limit {
            limit.offer(theirs, &self.found_order(theirs)?, monitor);
            self.queue.fill(&self.found, 0, FOUND_ROWS, 0)?;
        }
        let ours = limit.get();
        if ours < theirs {
            self.queue.write(&self.state, LIMIT, &[ours])?;
        }
        self.known_limit = ours.min(theirs);
        Ok(())
    }

    /// The sequence of a makespan that the device has found, checked.
    fn found_order(&self, makespan: u32) -> Result<Vec<u32>> {
        let mut table = vec![0; self.found.len()];
        self.queue.read(&self.found, 0, &mut table)?;
        let (makespans, orders) = table.split_at(FOUND_ROWS);
        let row = makespans.iter().position(|&kept| kept == makespan + 1);
        let row = row.ok_or_else(|| Error::DeviceFailed("the best sequence was not kept".into()))?;
        let packed = &orders[row * self.layout.free_jobs..][..self.layout.free_jobs];
        let order = self.layout.sequence(self.problem.instance, packed);
        let order = order.filter(|order| completion::makespan(self.problem.instance, order) == makespan);
        order.ok_or_else(|| Error::DeviceFailed("a sequence is not as long as its makespan says".into()))
    }

    /// Least bound of the nodes open on the device.
    fn least_bound(&self, words: &[u32]) -> Result<u32> {
        self.queue.write(&self.state, LEAST, &[u32::MAX])?;
        for level in 2..=self.layout.free_jobs {
            let count = words[COUNTS + level] as usize;
            let items = count.min(self.sizes.batch).next_multiple_of(self.group);
            let args = [self.pool.arg(), self.state.arg(), Arg::U32(level as u32)];
            self.queue.launch(&self.least, &args, [items], [self.group])?;
        }
        let mut least = [0];
        self.queue.read(&self.state, LEAST, &mut least)?;
        Ok(least[0])
    }

    /// Moves open nodes to the device, those that come next first, as far as there is room for them.
    fn upload(&self, open: &mut Vec<Open>) -> Result<()> {
        if open.is_empty() {
            return Ok(());
        }
        let mut counts = vec![0; self.layout.free_jobs + 1];
        self.queue.read(&self.state, COUNTS, &mut counts)?;
        let mut levels: Vec<Vec<Packed>> = (0..=self.layout.free_jobs).map(|_| Vec::new()).collect();
        let mut waiting = Vec::new();
        for node in open.drain(..).rev() {
            let state = State::of(self.problem, &node);
            let level = state.free_count;
            let room = (self.sizes.capacity / 2).saturating_sub(counts[level] as usize);
            if levels[level].len() < room {
                levels[level].push(self.layout.pack(self.problem, &node, &state));
            } else {
                waiting.push(node);
            }
        }
        waiting.reverse();
        *open = waiting;
        for (level, nodes) in levels.iter().enumerate().skip(2) {
            let first = counts[level] as usize;
            for word in 0..if nodes.is_empty() { 0 } else { self.layout.words() } {
                let plane: Vec<u32> = nodes.iter().map(|node| node[word]).collect();
                self.queue.write(&self.pool, self.place(level, word, first), &plane)?;
            }
            counts[level] += nodes.len() as u32;
        }
        self.queue.write(&self.state, COUNTS, &counts)
    }

    /// Takes all open nodes off the device.
    fn download(&self, words: &[u32], open: &mut Vec<Open>) -> Result<()> {
        for level in (2..=self.layout.free_jobs).rev() {
            let count = words[COUNTS + level] as usize;
            let mut planes = vec![vec![0; count]; self.layout.words()];
            for (word, plane) in planes.iter_mut().enumerate() {
                self.queue.read(&self.pool, self.place(level, word, 0), plane)?;
            }
            for slot in 0..count {
                let node: Packed = planes.iter().map(|plane| plane[slot]).collect();
                let node = self.layout.unpack(self.problem.instance, &node, level);
                open.push(node.ok_or_else(|| Error::DeviceFailed("an open node is damaged".into()))?);
            }
        }
        let none = vec![0; self.layout.free_jobs + 1];
        self.queue.write(&self.state, COUNTS, &none)
    }

    fn place(&self, level: usize, word: usize, slot: usize) -> usize {
        ((level - 2) * self.layout.words() + word) * self.sizes.capacity + slot
    }
}

fn defines(
    device: &Device,
    problem: &Problem<'_>,
    layout: &Layout,
    sizes: Sizes,
) -> [(&'static str, u64); 11] {
    let instance = problem.instance;
    let local = device.info().local_memory_bytes.min(LOCAL_TIMES_BYTES);
    let times_bytes = (instance.jobs() * layout.times_stride() * size_of::<u32>()) as u64;
    let bound = match problem.bound {
        Bound::OneMachine => 0,
        Bound::TwoMachine => 1,
        Bound::Refined => 2,
    };
    let branching = match problem.branching {
        Branching::Forward => 0,
        Branching::Backward => 1,
        Branching::MinBranch => 2,
        Branching::MinMin => 3,
        Branching::MaxSum => 4,
    };
    [
        ("JOBS", instance.jobs() as u64),
        ("MACHINES", instance.machines() as u64),
        ("FREE", layout.free_jobs as u64),
        ("CAPACITY", sizes.capacity as u64),
        ("BATCH", sizes.batch as u64),
        ("WIDE", u64::from(layout.is_wide)),
        ("ORDER_BITS", u64::from(layout.order_bits)),
        ("LOCAL_TIMES", u64::from(times_bytes <= local)),
        ("FOUND_ROWS", FOUND_ROWS as u64),
        ("BOUND", bound),
        ("BRANCHING", branching),
    ]
}

/// Johnson's orders as the kernel reads them: for each pair of machines and each job three words.
fn steps(problem: &Problem<'_>) -> Vec<i32> {
    let pairs = problem.pairs.iter().flat_map(|pairs| &pairs.list);
    let steps = pairs.flat_map(|pair| &pair.steps);
    steps.flat_map(|step| [step.job as i32, step.map.add as i32, step.map.least as i32]).collect()
}
