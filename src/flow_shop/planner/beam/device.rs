//! The kernels of the tree on a device.

use std::sync::Arc;

use super::guide::Guide;
use super::score::certainty;
use super::shop::Shop;
use super::tree::ForwardTree;
use super::{self_test, workload};
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::search::beam::device::{self, DeviceNodes, Levels, Size, control};
use crate::flow_shop::search::beam::{DeviceTree, Reached, nodes_within};
use crate::flow_shop::search::evaluator::Tree;
use crate::flow_shop::{Criterion, Instance};
use crate::opencl::{
    Buffer, Device, DeviceInfo, Kernel, KernelFamily, Local, Program, Queue, Usual,
    kernel_arguments, source,
};
use crate::solve::Monitor;
use crate::{Error, Result};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_forward_beam",
    sources: &[source!("flow_shop_levels.cl"), source!("flow_shop_forward_beam.cl")],
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
        ("SIDES", 1),
        ("LAST", control::LAST as u64),
        ("WANTED", control::WANTED as u64),
        ("DROPPED", control::DROPPED as u64),
        ("CHILDREN", control::CHILDREN as u64),
        ("OF_TREE", control::OF_TREE as u64),
        ("DIGIT_BITS", control::DIGIT_BITS),
        ("SUM", SUM as u64),
        ("LATEST", LATEST as u64),
        ("KIND", KIND as u64),
        ("DELAY", DELAY as u64),
        ("OPEN_RELEASE", OPEN_RELEASE as u64),
        ("NODE_WORDS", NODE_WORDS as u64),
        ("DROPS", DROPS as u64),
        ("COMPLETE", COMPLETE as u64),
    ],
    tuning: device::TUNING,
    workloads: workload::WORKLOADS,
    self_test: self_test::compare,
};

/// Words of a node behind its rows: its sum, its largest completion time, the kind of its last job, the bits of its
/// delay, and the sum of the release times of its free jobs.
const SUM: usize = 0;
const LATEST: usize = 1;
const KIND: usize = 2;
const DELAY: usize = 3;
const OPEN_RELEASE: usize = 4;
const NODE_WORDS: usize = 5;
/// Ranks: children that lead to no better sequence are dropped; or complete sequences are ranked by
/// their values.
const ALL: u32 = 0;
const DROPS: u32 = 1;
const COMPLETE: u32 = 2;
/// The kernels store jobs in 16 bits.
const MOST_JOBS: usize = 1 << 16;

kernel_arguments! {
    /// An instance, by machine and by number of a free job.
    struct Tables<'a> {
        times: &'a Buffer<u32>,
        releases: &'a Buffer<u32>,
        setups: &'a Buffer<u32>,
        kinds: &'a Buffer<u32>,
        waste: &'a Buffer<f32>,
    }

    /// The nodes of a level.
    struct Nodes<'a> {
        states: &'a Buffer<u32>,
        placed: &'a Buffer<u32>,
    }

    /// What children are ranked by. Floating-point numbers are given by their bits.
    struct Ranking {
        flow: u64,
        makespan: u64,
        cutoff: u64,
        mode: u32,
        flow_scale: u32,
        makespan_scale: u32,
        rise: u32,
        certainty: u32,
        uncertainty: u32,
    }

    /// Ranks the children of nodes.
    struct Expand<'a> = "flow_shop_forward_beam_expand" {
        tables: Tables<'a>,
        nodes: Nodes<'a>,
        ranks: &'a Buffer<u32>,
        control: &'a Buffer<u32>,
        first: u32,
        depth: u32,
        jobs: u32,
        ranking: Ranking,
        list: Local as ushort,
    }

    /// Computes the nodes of the next level.
    struct Grow<'a> = "flow_shop_forward_beam_grow" {
        tables: Tables<'a>,
        nodes: Nodes<'a>,
        kept: &'a Buffer<u32>,
        control: &'a Buffer<u32>,
        next_states: &'a Buffer<u32>,
        next_placed: &'a Buffer<u32>,
        history: &'a Buffer<u32> as uint2,
        width: u32,
        depth: u32,
        jobs: u32,
        flow: u64,
    }
}

/// What the kernels know of an objective: the factors of the total flow time and the makespan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Model {
    flow: u64,
    makespan: u64,
}

impl Model {
    /// Refuses what has no kernel.
    pub(super) fn of(problem: &Problem<'_>) -> Result<Self> {
        let objective = problem.instance.objective();
        let mut model = Model { flow: 0, makespan: 0 };
        for &(factor, criterion) in objective.stages().iter().flat_map(|stage| stage.terms()) {
            match criterion {
                Criterion::TotalFlowTime => model.flow += u64::from(factor),
                Criterion::Makespan => model.makespan += u64::from(factor),
                other => {
                    let reason = format!("beam search on a device for {}", other.name());
                    return Err(Error::unsupported(reason));
                }
            }
        }
        if objective.stages().len() > 1 {
            let reason = "beam search on a device for a list of objectives";
            return Err(Error::unsupported(reason));
        }
        let (jobs, horizon) = (problem.jobs() as u64, u64::from(problem.instance.horizon()));
        let flow = model.flow.saturating_mul(jobs);
        let sum = flow.saturating_add(model.makespan).saturating_mul(horizon);
        if sum.max(jobs * horizon) >= u32::MAX.into() || problem.free_jobs.len() > MOST_JOBS {
            let reason = "beam search on a device for sums beyond 32 bits or more than 65536 jobs";
            return Err(Error::unsupported(reason));
        }
        Ok(model)
    }
}

/// The parts of an instance that the kernels are compiled for.
pub(super) struct Shape {
    pub(super) machines: usize,
    pub(super) has_setups: bool,
    pub(super) has_blocking: bool,
    pub(super) has_releases: bool,
    pub(super) has_makespan: bool,
}

impl Shape {
    fn of(problem: &Problem<'_>) -> Self {
        let mut criteria = problem.instance.objective().criteria();
        Shape {
            machines: problem.machines(),
            has_setups: problem.instance.setups().is_some(),
            has_blocking: problem.has_blocking,
            has_releases: !problem.instance.release_times().is_empty(),
            has_makespan: criteria.any(|criterion| criterion == Criterion::Makespan),
        }
    }

    fn program(&self, device: &Device) -> Result<Arc<Program>> {
        let defines = [
            ("MACHINES", self.machines as u64),
            ("SETUPS", self.has_setups.into()),
            ("BLOCKING", self.has_blocking.into()),
            ("RELEASES", self.has_releases.into()),
            ("MAKESPAN", self.has_makespan.into()),
        ];
        device.program(&FAMILY, &defines)
    }
}

/// The program for an instance.
pub(crate) fn usual(instance: &Instance) -> Usual {
    let instance = instance.clone();
    let request = move |device: &Device| {
        let problem = Problem::new(&instance);
        Model::of(&problem)?;
        Shape::of(&problem).program(device).map(drop)
    };
    Usual::new(FAMILY.name, request).by_name()
}

impl DeviceTree for ForwardTree<'_> {
    fn widest(&self, info: &DeviceInfo, limit: u64) -> Result<usize> {
        let jobs = self.jobs();
        let steps = 8 * jobs;
        let node = 2 * (self.node_bytes() + 4 * NODE_WORDS) + 4 * jobs + steps + 16;
        let largest = info.max_allocation_bytes / steps.max(self.node_bytes()) as u64;
        Ok(nodes_within(limit, node)?.min(largest).max(1) as usize)
    }

    fn run(&self, device: &Device, width: usize, progress: &dyn Fn(usize)) -> Result<Reached> {
        let (queue, problem) = (device.queue(), self.shop.problem);
        let size = Size { jobs: self.jobs(), machines: problem.machines(), width };
        device::check_local_memory(device, size.jobs, size.machines)?;
        let program = Shape::of(problem).program(device)?;
        let root = self.root();
        let least = root.nodes[0].tally.sums.first() as u32;
        let levels = Levels::new(&program, device, &queue, size, [least, u32::MAX])?;
        let nodes = ForwardNodes::new(self, &program, device, &queue, width)?;
        device::run(&nodes, &levels, &queue, self.monitor, progress)
    }
}

/// The nodes of one pass.
struct ForwardNodes<'a> {
    tree: &'a ForwardTree<'a>,
    model: Model,
    expand: Kernel<Expand<'static>>,
    grow: Kernel<Grow<'static>>,
    tables: TableBuffers,
    /// Buffers for even and for odd levels.
    levels: [LevelBuffers; 2],
}

struct TableBuffers {
    times: Buffer<u32>,
    releases: Buffer<u32>,
    setups: Buffer<u32>,
    kinds: Buffer<u32>,
    waste: Buffer<f32>,
}

struct LevelBuffers {
    states: Buffer<u32>,
    placed: Buffer<u32>,
}

impl<'a> ForwardNodes<'a> {
    fn new(
        tree: &'a ForwardTree<'a>,
        program: &Arc<Program>,
        device: &Device,
        queue: &Queue,
        width: usize,
    ) -> Result<Self> {
        let (shop, root) = (tree.shop, tree.root());
        let (jobs, view) = (shop.jobs.len(), root.node(0));
        let record = [view.front, view.work, &root_words(shop)].concat();
        let level = || LevelBuffers::new(device, jobs, record.len(), width);
        let levels = [level()?, level()?];
        queue.write(&levels[0].states, 0, &record)?;
        queue.fill(&levels[0].placed, 0, jobs.div_ceil(32), 0)?;
        Ok(ForwardNodes {
            tree,
            model: Model::of(shop.problem)?,
            expand: program.kernel()?,
            grow: program.kernel()?,
            tables: TableBuffers::new(shop, &tree.guide, device, queue, tree.monitor)?,
            levels,
        })
    }

    /// What the children behind `depth` placed jobs are ranked by.
    fn ranking(&self, depth: usize) -> Ranking {
        let ForwardTree { guide, cutoff, .. } = self.tree;
        let jobs = self.tree.jobs();
        let later = (jobs - depth - 1) as f32;
        let certainty = certainty(depth, jobs);
        let flow_scale = guide.uniform.unwrap_or(0.0);
        let mode = match (depth + 1 == jobs, 2 * depth >= jobs) {
            (true, _) => COMPLETE,
            (false, true) => DROPS,
            (false, false) => ALL,
        };
        Ranking {
            flow: self.model.flow,
            makespan: self.model.makespan,
            cutoff: cutoff.first().clamp(0, u32::MAX.into()) as u64,
            mode,
            flow_scale: flow_scale.to_bits(),
            makespan_scale: guide.makespan.to_bits(),
            rise: (flow_scale * later).to_bits(),
            certainty: certainty.to_bits(),
            uncertainty: (1.0 - certainty).to_bits(),
        }
    }
}

impl DeviceNodes for ForwardNodes<'_> {
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
        let jobs = self.tree.jobs();
        let arguments = Expand {
            tables: self.tables.arguments(),
            nodes: self.levels[depth % 2].arguments(),
            ranks: &levels.ranks,
            control: &levels.control,
            first: first as u32,
            depth: depth as u32,
            jobs: jobs as u32,
            ranking: self.ranking(depth),
            list: Local(2 * jobs),
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
            tables: self.tables.arguments(),
            nodes: self.levels[depth % 2].arguments(),
            kept: &levels.kept,
            control: &levels.control,
            next_states: &next.states,
            next_placed: &next.placed,
            history: &levels.history,
            width: levels.size().width as u32,
            depth: depth as u32,
            jobs: self.tree.jobs() as u32,
            flow: self.model.flow,
        };
        queue.launch_from(&self.grow, &arguments, [first], [count], [self.grow_group()])
    }
}

impl TableBuffers {
    fn new(
        shop: &Shop<'_>,
        guide: &Guide,
        device: &Device,
        queue: &Queue,
        monitor: &Monitor,
    ) -> Result<Self> {
        let instance = shop.problem.instance;
        let numbers = 0..shop.jobs.len();
        let times = (0..shop.machines())
            .flat_map(|machine| numbers.clone().map(move |number| shop.times(number)[machine]));
        let releases = shop.jobs.iter().map(|&job| instance.release_time(job));
        let kinds = shop.jobs.iter().map(|&job| shop.kind_behind(Some(job)) as u32);
        let setups = match &shop.setups {
            Some(setups) => device.buffer_from(queue, setups.by_machine(shop, monitor)?)?,
            None => device.buffer(0)?,
        };
        Ok(TableBuffers {
            times: device.buffer_from(queue, &times.collect::<Vec<_>>())?,
            releases: device.buffer_from(queue, &releases.collect::<Vec<_>>())?,
            kinds: device.buffer_from(queue, &kinds.collect::<Vec<_>>())?,
            waste: device.buffer_from(queue, &guide.waste)?,
            setups,
        })
    }

    fn arguments(&self) -> Tables<'_> {
        let TableBuffers { times, releases, setups, kinds, waste } = self;
        Tables { times, releases, setups, kinds, waste }
    }
}

impl LevelBuffers {
    fn arguments(&self) -> Nodes<'_> {
        let LevelBuffers { states, placed } = self;
        Nodes { states, placed }
    }

    fn new(device: &Device, jobs: usize, record: usize, nodes: usize) -> Result<Self> {
        Ok(LevelBuffers {
            states: device.buffer(record * nodes)?,
            placed: device.buffer(jobs.div_ceil(32) * nodes)?,
        })
    }
}

/// The words of the root.
fn root_words(shop: &Shop<'_>) -> [u32; NODE_WORDS] {
    let (tally, instance) = (&shop.root.tally, shop.problem.instance);
    let mut words = [0; NODE_WORDS];
    words[SUM] = tally.sums.first() as u32;
    words[LATEST] = tally.latest as u32;
    words[KIND] = shop.kind_behind(shop.root.last) as u32;
    words[DELAY] = 0f32.to_bits();
    words[OPEN_RELEASE] = shop.jobs.iter().map(|&job| instance.release_time(job)).sum();
    words
}
