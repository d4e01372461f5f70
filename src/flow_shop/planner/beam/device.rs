//! The kernels of the tree on a device.

use std::sync::Arc;

use super::model::Model;
use super::score::certainty;
use super::self_test;
use super::shape::Shape;
use super::shop::Shop;
use super::tree::ForwardTree;
use crate::Result;
use crate::flow_shop::Instance;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::search::beam::device::{self, DeviceNodes, Levels, Size, control};
use crate::flow_shop::search::beam::{DeviceTree, nodes_within};
use crate::flow_shop::search::evaluator::Tree;
use crate::opencl::{
    Buffer, Device, DeviceInfo, GroupArrays, Kernel, KernelFamily, Local, Program, Queue, Tunable,
    Usual, kernel_arguments, source,
};
use crate::solve::Monitor;

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
        ("OPEN_FLOW", OPEN_FLOW as u64),
        ("WORST", WORST as u64),
        ("NODE_WORDS", NODE_WORDS as u64),
        ("TERM_WORDS", TERM_WORDS as u64),
        ("DROPS", DROPS as u64),
        ("COMPLETE", COMPLETE as u64),
    ],
    tuning: &[
        device::TUNING[0],
        device::TUNING[1],
        device::TUNING[2],
        device::TUNING[3],
        Tunable::power("STRIPS: most strips of an outlook's jobs", (16, 64)),
    ],
    self_test: self_test::compare,
};

/// Words of a node behind its rows: its sum, its largest completion time, the kind of its last job,
/// the bits of its delay, and the sum of the release times of its free jobs.
const SUM: usize = 0;
const LATEST: usize = 1;
const KIND: usize = 2;
const DELAY: usize = 3;
const OPEN_RELEASE: usize = 4;
const NODE_WORDS: usize = 5;
/// More words if jobs have terms of their own: the sum of the factors of its free jobs' flow times,
/// which then also multiply the release times, and its largest lateness.
const OPEN_FLOW: usize = 5;
const WORST: usize = 6;
const TERM_WORDS: usize = 2;
/// Ranks: children that lead to no better sequence are dropped; or complete sequences are ranked by
/// their values.
const ALL: u32 = 0;
const DROPS: u32 = 1;
const COMPLETE: u32 = 2;
/// Bytes of a child in local memory, if jobs have terms of their own.
const CHILD_BYTES: usize = 16;
/// Bytes of a `strip`.
const STRIP_BYTES: usize = 48;

kernel_arguments! {
    /// An instance, by machine and by number of a free job.
    struct Tables<'a> {
        times: &'a Buffer<u32>,
        releases: &'a Buffer<u32>,
        setups: &'a Buffer<u32>,
        kinds: &'a Buffer<u32>,
        waste: &'a Buffer<f32>,
        /// What each job adds; empty if it is the same multiple of the flow time for all.
        terms: &'a Buffer<u32> as uint4,
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
        lateness: u64,
        cutoff: u64,
        /// No sequence has a lower value.
        lowest: u64,
        mode: u32,
        flow_scale: u32,
        makespan_scale: u32,
        lateness_scale: u32,
        rise: u32,
        certainty: u32,
        uncertainty: u32,
        begin: u32,
        rate: u32,
        grain: u32,
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
        children: Local as child,
        group_arrays: GroupArrays,
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

/// The program for these parts of an instance.
fn program(shape: &Shape, device: &Device) -> Result<Arc<Program>> {
    device.program(&FAMILY, &shape.defines())
}

/// The program for an instance.
pub(crate) fn usual(instance: &Instance) -> Usual {
    let instance = instance.clone();
    let request = move |device: &Device| {
        let problem = Problem::new(&instance);
        Model::of(&problem)?;
        program(&Shape::of(&problem), device).map(drop)
    };
    Usual::new(FAMILY.name, request).by_name()
}

impl DeviceTree for ForwardTree<'_> {
    fn widest(&self, info: &DeviceInfo, limit: u64) -> Result<usize> {
        let jobs = self.jobs();
        let steps = 8 * jobs;
        let node = 2 * (self.node_bytes() + 4 * (NODE_WORDS + TERM_WORDS)) + 4 * jobs + steps + 16;
        let largest = info.max_allocation_bytes / steps.max(self.node_bytes()) as u64;
        Ok(nodes_within(limit, node)?.min(largest).max(1) as usize)
    }

    type Nodes<'t>
        = ForwardNodes<'t>
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
    ) -> Result<(Levels, ForwardNodes<'_>)> {
        let problem = self.shop.problem;
        let size = Size { jobs: self.jobs(), machines: problem.machines(), width };
        let shape = Shape::of(problem);
        let job_bytes = 2 + if shape.has_terms { CHILD_BYTES } else { 0 };
        device::check_local_memory(device, (size.jobs, job_bytes), size.machines)?;
        let program = program(&shape, device)?;
        let root = self.root();
        let least = root.nodes[0].tally.sums.first() as u32;
        let levels = Levels::new(&program, device, queue, size, [least, u32::MAX])?;
        Ok((levels, ForwardNodes::new(self, &program, device, queue, width)?))
    }
}

/// The nodes of one pass.
pub(in crate::flow_shop) struct ForwardNodes<'a> {
    tree: &'a ForwardTree<'a>,
    /// Words of a node.
    record: usize,
    group_arrays: GroupArrays,
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
    terms: Buffer<u32>,
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
        let model = Model::of(shop.problem)?;
        let record = [view.front, view.work, &root_words(shop, &model)].concat();
        let strips = program.tuned("STRIPS");
        let level = || LevelBuffers::new(device, jobs, record.len(), width);
        let levels = [level()?, level()?];
        queue.write(&levels[0].states, 0, &record)?;
        queue.fill(&levels[0].placed, 0, jobs.div_ceil(32), 0)?;
        Ok(ForwardNodes {
            tree,
            record: record.len(),
            group_arrays: GroupArrays::of([
                4 * record.len(),
                STRIP_BYTES * strips,
                8 * strips,
                4,
                4,
            ]),
            model,
            expand: program.kernel()?,
            grow: program.kernel()?,
            tables: TableBuffers::new(tree, &model, device, queue)?,
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
            lateness: self.model.lateness,
            cutoff: cutoff.first().cast_unsigned(),
            lowest: self.model.lowest.cast_unsigned(),
            mode,
            flow_scale: flow_scale.to_bits(),
            makespan_scale: guide.makespan.to_bits(),
            lateness_scale: guide.lateness.to_bits(),
            rise: (flow_scale * later).to_bits(),
            certainty: certainty.to_bits(),
            uncertainty: (1.0 - certainty).to_bits(),
            begin: guide.begin(depth).to_bits(),
            rate: guide.rate.to_bits(),
            grain: guide.grain.to_bits(),
        }
    }
}

impl DeviceNodes for ForwardNodes<'_> {
    const HAS_LEAST: bool = true;

    fn records(&self, depth: usize) -> Vec<(&Buffer<u32>, usize)> {
        let LevelBuffers { states, placed } = &self.levels[depth % 2];
        vec![(states, self.record), (placed, self.tree.jobs().div_ceil(32))]
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
            children: Local(CHILD_BYTES * if self.model.has_terms { jobs } else { 1 }),
            group_arrays: self.group_arrays,
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
    fn new(tree: &ForwardTree<'_>, model: &Model, device: &Device, queue: &Queue) -> Result<Self> {
        let &ForwardTree { shop, ref guide, monitor, .. } = tree;
        let instance = shop.problem.instance;
        let numbers = 0..shop.jobs.len();
        let times = (0..shop.machines())
            .flat_map(|machine| numbers.clone().map(move |number| shop.times(number)[machine]));
        let releases = shop.jobs.iter().map(|&job| instance.release_time(job));
        let kinds = shop.jobs.iter().map(|&job| shop.kind_behind(Some(job)) as u32);
        let terms = match model.has_terms {
            true => shop.jobs.iter().flat_map(|&job| model.terms(shop.problem, job)).collect(),
            false => Vec::new(),
        };
        let setups = match &shop.setups {
            Some(setups) => device.buffer_from(queue, setups.by_machine(shop, monitor)?)?,
            None => device.buffer(0)?,
        };
        Ok(TableBuffers {
            times: device.buffer_from(queue, &times.collect::<Vec<_>>())?,
            releases: device.buffer_from(queue, &releases.collect::<Vec<_>>())?,
            kinds: device.buffer_from(queue, &kinds.collect::<Vec<_>>())?,
            waste: device.buffer_from(queue, &guide.waste)?,
            terms: device.buffer_from(queue, &terms)?,
            setups,
        })
    }

    fn arguments(&self) -> Tables<'_> {
        let TableBuffers { times, releases, setups, kinds, waste, terms } = self;
        Tables { times, releases, setups, kinds, waste, terms }
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
fn root_words(shop: &Shop<'_>, model: &Model) -> Vec<u32> {
    let (tally, problem) = (&shop.root.tally, shop.problem);
    let flow = |job: u32| if model.has_terms { model.terms(problem, job)[0] } else { 1 };
    let mut words = vec![0; NODE_WORDS + if model.has_terms { TERM_WORDS } else { 0 }];
    words[SUM] = tally.sums.first() as u32;
    words[LATEST] = tally.latest as u32;
    words[KIND] = shop.kind_behind(shop.root.last) as u32;
    words[DELAY] = 0f32.to_bits();
    let release = |&job: &u32| flow(job) * problem.instance.release_time(job);
    words[OPEN_RELEASE] = shop.jobs.iter().map(release).sum();
    if model.has_terms {
        words[OPEN_FLOW] = shop.jobs.iter().map(|&job| flow(job)).sum();
        words[WORST] = (tally.lateness as i32).cast_unsigned();
    }
    words
}
