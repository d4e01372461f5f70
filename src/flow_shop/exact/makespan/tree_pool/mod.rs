//! Explores trees below the nodes of a pool by kernels.

mod buffers;
mod self_test;
mod workload;

use std::ops::Range;
use std::sync::Arc;

use self::buffers::{Buffers, most_trees};
pub(crate) use self::workload::TIMED;
use super::pool::{Compact, PAIR_STEPS, TableArguments, Tables, bound_work, defines};
use super::{Bound, Makespan};
use crate::context::{Pacer, Units, wrong};
use crate::flow_shop::Instance;
use crate::flow_shop::exact::Branching;
use crate::flow_shop::exact::device::rule;
use crate::flow_shop::exact::pool::{HostPool, Orders};
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::tree_pool::{Done, Explored, Explorer, NOBODY, Task, TreePooled};
use crate::memory::Gather;
use crate::opencl::{
    Buffer, Device, Kernel, KernelFamily, Queue, Tunable, Usual, kernel_arguments, source,
};
use crate::solve::{Monitor, SolveOptions};
use crate::{Result, memory};

/// Words of a work-item's state; cl/flow_shop_tree_pool.cl describes them.
const FRONT: usize = 0;
const BACK: usize = 1;
const LEVELS: usize = 2;
const TOP: usize = 3;
const NEXT: usize = 4;
const NODES: usize = 5;
const FREE: usize = 6;
const LIMIT: usize = 7;
const BOUND: usize = 8;
const STATE_WORDS: usize = 9;
const EXHAUSTED: u32 = u32::MAX;

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_tree_pool",
    sources: &[source!("flow_shop_pool_bounds.cl"), source!("flow_shop_tree_pool.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![Begin, Explore, Left],
    constants: &[
        ("FRONT", FRONT as u64),
        ("BACK", BACK as u64),
        ("LEVELS", LEVELS as u64),
        ("TOP", TOP as u64),
        ("NEXT", NEXT as u64),
        ("NODES", NODES as u64),
        ("FREE", FREE as u64),
        ("LIMIT", LIMIT as u64),
        ("BOUND", BOUND as u64),
        ("EXHAUSTED", EXHAUSTED as u64),
        ("NOBODY", NOBODY as u64),
        ("FORWARD", rule(Branching::Forward) as u64),
        ("BACKWARD", rule(Branching::Backward) as u64),
        ("MIN_BRANCH", rule(Branching::MinBranch) as u64),
        ("MIN_MIN_FRONT", rule(Branching::MinMinFront) as u64),
        ("MIN_MIN_BACK", rule(Branching::MinMin) as u64),
        ("MAX_SUM", rule(Branching::MaxSum) as u64),
    ],
    tuning: &[
        Tunable::power("GROUP: work-items of a group", (16, 1024)),
        Tunable::power("MOST_STEPS: most children of a tree in a launch", (1, 1 << 16)),
        // A work-item alone is much slower than its share of a full device.
        Tunable::power("MOST_WORK: most work of a launch in a tree", (1 << 10, 1 << 28)),
        Tunable::power("MOST_LEFT: most nodes of a launch", (1 << 12, 1 << 23)),
        PAIR_STEPS,
    ],
    self_test: self_test::compare,
};

/// The program that explores trees of an instance.
pub(super) fn usual(instance: &Arc<Instance>) -> Usual {
    let instance = Arc::clone(instance);
    Usual::new(FAMILY.name, move |device| {
        let monitor = Monitor::new(&SolveOptions::default());
        let (bound, branching) = (Bound::default(), Branching::default());
        let problem = Makespan::problem(&instance, bound, branching, u32::MAX, &monitor)?;
        device.program(&FAMILY, &defines(device, &problem, &HostPool::default())?).map(drop)
    })
}

kernel_arguments! {
    /// The work-items of a launch.
    struct Items {
        items: u32,
        first_item: u32,
        end_item: u32,
    }

    /// Begins at the roots of trees.
    struct Begin<'a> = "flow_shop_tree_begin" {
        rows: &'a Compact as JOB_T,
        ends: &'a Buffer<u32>,
        orders: &'a Compact as JOB_T,
        states: &'a Buffer<u32>,
        limit: u32,
        part: Items,
    }

    /// Continues in the trees.
    struct Explore<'a> = "flow_shop_tree_explore" {
        tables: TableArguments<'a>,
        orders: &'a Compact as JOB_T,
        states: &'a Buffer<u32>,
        all_bounds: &'a Buffer<u32>,
        all_stack_bounds: &'a Buffer<u32>,
        all_stack_jobs: &'a Compact as JOB_T,
        all_levels: &'a Buffer<u32>,
        best: &'a Compact as JOB_T,
        working: &'a Buffer<u32>,
        rule: u32,
        branching_limit: u32,
        budget: u32,
        steps: u32,
        part: Items,
    }

    /// Lists what is left of the trees.
    struct Left<'a> = "flow_shop_tree_left" {
        orders: &'a Compact as JOB_T,
        states: &'a Buffer<u32>,
        all_stack_bounds: &'a Buffer<u32>,
        all_stack_jobs: &'a Compact as JOB_T,
        all_levels: &'a Buffer<u32>,
        offsets: &'a Buffer<u32>,
        rows: &'a Compact as JOB_T,
        left: &'a Buffer<u32> as uint4,
        part: Items,
    }
}

/// The device's part.
struct TreeExplorer<'a, 'i> {
    problem: &'a Problem<'a, Makespan<'i>>,
    device: &'a Device,
    queue: Queue,
    begin: Kernel<Begin<'static>>,
    explore: Kernel<Explore<'static>>,
    left: Kernel<Left<'static>>,
    group: usize,
    tables: Tables,
    buffers: Buffers,
    task: Task,
    /// Memory of the host, which is that of a processor as a device.
    memory_bytes: u64,
}

impl TreePooled for Makespan<'_> {
    fn explorer<'a>(
        problem: &'a Problem<'a, Self>,
        device: &'a Device,
        options: &HostPool,
        memory_bytes: u64,
    ) -> Result<Box<dyn Explorer + 'a>> {
        let program = device.program(&FAMILY, &defines(device, problem, options)?)?;
        let queue = device.queue();
        let explore: Kernel<Explore<'static>> = program.kernel()?;
        let (begin, left) = (program.kernel()?, program.kernel()?);
        let group = explore.group("GROUP").min(group_of(&begin)).min(group_of(&left));
        let tables = Tables::new(device, &queue, problem)?;
        let task = Task { trees: 0, free: 2, limit: 0, budget: 1 };
        let buffers = Buffers::new(device, problem)?;
        Ok(Box::new(TreeExplorer {
            problem,
            device,
            queue,
            begin,
            explore,
            left,
            group,
            tables,
            buffers,
            task,
            memory_bytes,
        }))
    }
}

fn group_of<A>(kernel: &Kernel<A>) -> usize {
    kernel.max_work_group_size()
}

impl TreeExplorer<'_, '_> {
    fn items(&self, part: &Range<usize>) -> Items {
        Items {
            items: self.task.trees as u32,
            first_item: part.start as u32,
            end_item: part.end as u32,
        }
    }

    fn size(&self, part: &Range<usize>) -> [usize; 1] {
        [part.len().next_multiple_of(self.group)]
    }

    /// One word of all states.
    fn word(&self, word: usize) -> Result<Vec<u32>> {
        let trees = self.task.trees;
        let mut values = memory::zeroed(trees)?;
        self.queue.read(&self.buffers.states, word * trees, &mut values)?;
        Ok(values)
    }

    /// The work done in each tree.
    fn done(&self) -> Result<Vec<Done>> {
        let (nodes, free, limits) = (self.word(NODES)?, self.word(FREE)?, self.word(LIMIT)?);
        let (next, tops) = (self.word(NEXT)?, self.word(TOP)?);
        let entries = self.task.entries() as u32;
        let done = |index: usize| {
            let most_free = u64::from(nodes[index]) * self.task.free as u64;
            let idle = nodes[index] == 0 && next[index] != EXHAUSTED;
            let too_many = tops[index] > entries || nodes[index] as usize > self.task.budget;
            if idle || too_many || u64::from(free[index]) > most_free {
                return Err(wrong("the states of trees"));
            }
            let left = if next[index] == EXHAUSTED { 0 } else { tops[index] + 1 };
            Ok(Done { nodes: nodes[index], free: free[index], limit: limits[index], left })
        };
        (0..self.task.trees).map(done).try_gather()
    }

    /// Reads what is left of some trees.
    fn read_left(
        &self,
        part: Range<usize>,
        done: &[Done],
        pacer: &mut Pacer<'_>,
        left: &mut [[u32; 4]],
    ) -> Result<()> {
        let Buffers { orders, states, stack_bounds, stack_jobs, levels, .. } = &self.buffers;
        let mut offsets = memory::list(part.len())?;
        let mut end = 0;
        for done in &done[part.clone()] {
            offsets.push(end);
            end += done.left;
        }
        let offsets = self.device.buffer_from(&self.queue, &offsets)?;
        let found = self.device.buffer(4 * left.len())?;
        let arguments = Left {
            orders,
            states,
            all_stack_bounds: stack_bounds,
            all_stack_jobs: stack_jobs,
            all_levels: levels,
            offsets: &offsets,
            rows: &self.buffers.rows,
            left: &found,
            part: self.items(&part),
        };
        self.queue.launch(&self.left, &arguments, self.size(&part), [self.group])?;
        let work = left.len() + part.len() * self.problem.instance.jobs();
        pacer.launched(work as u64, None)?;
        self.queue.read(&found, 0, left.as_flattened_mut())
    }
}

impl Explorer for TreeExplorer<'_, '_> {
    fn queue(&self) -> &Queue {
        &self.queue
    }

    fn group(&self) -> usize {
        self.group
    }

    fn most_trees(&self, task: Task) -> Result<usize> {
        most_trees(self.device.info(), self.problem, task, self.memory_bytes)
    }

    fn begin(&mut self, roots: &Orders, task: Task) -> Result<()> {
        self.task = task;
        self.buffers.reserve(self.device, self.problem, task)?;
        let Buffers { rows, ends, orders, states, .. } = &self.buffers;
        rows.write(&self.queue, &roots.jobs)?;
        self.queue.write(ends, 0, &roots.ends)?;
        let all = 0..task.trees;
        let (limit, part) = (task.limit, self.items(&all));
        let arguments = Begin { rows, ends, orders, states, limit, part };
        self.queue.launch(&self.begin, &arguments, self.size(&all), [self.group])
    }

    fn step(&self, pacer: &mut Pacer<'_>) -> Result<(usize, usize)> {
        let Task { trees, budget, .. } = self.task;
        let Buffers {
            orders, states, bounds, stack_bounds, stack_jobs, levels, best, working, ..
        } = &self.buffers;
        let work = bound_work(self.problem);
        let sweep = work.saturating_mul(trees as u64);
        let tuned = |name| self.device.tuned(&FAMILY, name) as u64;
        let most = (tuned("MOST_WORK") / work).clamp(1, tuned("MOST_STEPS"));
        let steps = (pacer.room() / sweep).clamp(1, most);
        self.queue.fill(working, 0, 1, 0)?;
        let units = Units::of(work.saturating_mul(steps)).at_least(self.group);
        pacer.launch(0..trees, units, &mut |part| {
            let arguments = Explore {
                tables: self.tables.arguments(),
                orders,
                states,
                all_bounds: bounds,
                all_stack_bounds: stack_bounds,
                all_stack_jobs: stack_jobs,
                all_levels: levels,
                best,
                working,
                rule: rule(self.problem.branching),
                branching_limit: self.problem.initial_limit,
                budget: budget as u32,
                steps: steps as u32,
                part: self.items(&part),
            };
            self.queue.launch(&self.explore, &arguments, self.size(&part), [self.group])?;
            Ok(None)
        })?;
        let mut count = [0];
        self.queue.read(working, 0, &mut count)?;
        Ok((count[0] as usize, steps as usize))
    }

    fn end(&self, pacer: &mut Pacer<'_>) -> Result<Explored> {
        let (trees, jobs) = (self.task.trees, self.problem.instance.jobs());
        let done = self.done()?;
        let count = done.iter().map(|done| done.left as usize).sum();
        let mut left = memory::zeroed::<[u32; 4]>(count)?;
        let (mut first, mut rest) = (0, &mut left[..]);
        let most = self.device.tuned(&FAMILY, "MOST_LEFT");
        while first < trees {
            let (mut end, mut entries) = (first, 0);
            while end < trees && (end == first || entries + done[end].left as usize <= most) {
                entries += done[end].left as usize;
                end += 1;
            }
            let (part, others) = rest.split_at_mut(entries);
            self.read_left(first..end, &done, pacer, part)?;
            (first, rest) = (end, others);
        }
        let mut rows = memory::zeroed(trees * jobs)?;
        self.buffers.rows.read(&self.queue, 0, &mut rows)?;
        let improved = done.iter().any(|done| done.limit < self.task.limit);
        let mut best = memory::zeroed(if improved { trees * jobs } else { 0 })?;
        self.buffers.best.read(&self.queue, 0, &mut best)?;
        Ok(Explored { done, rows, left, best })
    }
}
