//! The OpenCL engine: whole generations of tabu search on the device, for any number of
//! trajectories. The host only keeps the queue filled and checks the results from time to time.

mod buffers;
mod evaluate;
mod kernels;
mod self_test;
mod workload;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::buffers::{ATTRIBUTE_WORDS, Buffers, Lengths};
use self::evaluate::{Evaluate, FULL, PREFIX};
use self::kernels::{Advance, Insertions, LayOut, LayOutDeltas, Neighbours, Swaps, SwapsBetween};
use super::{Evaluation, Scan, Shop};
use crate::context::wrong;
use crate::flow_shop::permutation::is_permutation;
use crate::flow_shop::search::evaluator::ValuedSequence;
use crate::flow_shop::search::moves::{BLOCK, Neighbourhood};
use crate::flow_shop::search::tabu::{Settings, TabuList, Trajectories, no_trajectory};
use crate::opencl::{
    Arguments, Device, Kernel, KernelFamily, Local, Program, Queue, Tunable, source,
};
use crate::solve::Monitor;
use crate::{Pacer, Result, Units};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_search",
    sources: &[
        source!("flow_shop_tables.cl"),
        source!("flow_shop_moves.cl"),
        source!("flow_shop_swaps.cl"),
        source!("flow_shop_insertions.cl"),
        source!("flow_shop_step.cl"),
    ],
    #[cfg(test)]
    kernels: crate::opencl::declared![
        LayOut,
        LayOutDeltas,
        Insertions,
        SwapsBetween,
        Swaps,
        Advance
    ],
    constants: &[
        ("WAVE", WAVE as u64),
        ("AHEAD", AHEAD as u64),
        ("BLOCK", BLOCK as u64),
        ("ATTRIBUTE_WORDS", ATTRIBUTE_WORDS as u64),
        ("COMPARE", OTHER_GROUPS as u64),
        ("FULL", FULL as u64),
        ("PREFIX", PREFIX as u64),
    ],
    tuning: &[
        Tunable::power(
            "SWAP_GROUP",
            (16, 1024),
            "work-items of a group for swaps as published, if there are few groups",
        ),
        // It limits the resident groups of a compute unit to as many as keep it busy, so that long
        // groups run first and short ones fill gaps.
        Tunable::number(
            "PREFIX_BYTES",
            (0, 1 << 16),
            "least local memory of a group with prefix reuse, if there are many groups",
        ),
        Tunable::power(
            "QUADS",
            (1, 8),
            "quads of positions that a lane of a wavefront processes at once",
        ),
        // A processor's compiler takes minutes for the unrolled code.
        Tunable::power("UNROLL", (1, 1024), "rounds of short loops to unroll; 1024 for all"),
    ],
    workloads: workload::WORKLOADS,
    self_test: self_test::compare,
};

/// Time between two checks of the device's results.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// Most lanes of a wavefront, and the size of groups of one wavefront.
const WAVE: usize = 32;
/// Table rows that a wavefront loads in advance.
const AHEAD: usize = 4;

/// Trajectories of one shop on a device.
pub(in crate::flow_shop::search) struct DeviceTabu<'a> {
    pacer: Pacer<'a>,
    shop: &'a Shop,
    settings: Settings,
    scan: Scan,
    jobs: usize,
    trajectories: usize,
    queue: &'a Queue,
    layout: Layout,
    evaluate: Evaluate,
    advance: Kernel<Advance<'static>>,
    buffers: Buffers,
    /// Generations completed.
    generation: u64,
    /// The time of the last check of results.
    looked: Instant,
}

/// The layout of the tables in memory; the kernels describe it.
#[derive(Clone, Copy)]
struct Layout {
    lanes: usize,
    lane_machines: usize,
    quads: usize,
    tiles: usize,
}

impl<'a> DeviceTabu<'a> {
    /// More jobs would have move indices above 32 bits.
    pub(in crate::flow_shop::search) const MOST_JOBS: usize = 1 << 15;

    /// # Errors
    /// Errors of the device, and [`Error::OutOfMemory`] if the trajectories don't fit there.
    pub(in crate::flow_shop::search) fn new(
        device: &Device,
        queue: &'a Queue,
        shop: &'a Shop,
        monitor: &'a Monitor,
        (settings, scan): (Settings, Scan),
        starts: &[ValuedSequence],
    ) -> Result<Self> {
        let jobs = shop.jobs();
        let lane_machines = shop.machines().div_ceil(WAVE);
        let lanes = shop.machines().div_ceil(lane_machines);
        let defines = [
            ("LANES", lanes as u64),
            ("LANE_MACHINES", lane_machines as u64),
            ("LOCAL_COLUMNS", scan.keeps_local_columns().into()),
            ("ATTRIBUTES", u64::from(settings.list == TabuList::Attributes)),
            // Only the self-test reads this define.
            ("EVALUATE", scan.kernel_number()),
        ];
        let program = device.program(&FAMILY, &defines)?;
        let quads = program.define("QUADS").unwrap_or(1) as usize;
        let layout = Layout { lanes, lane_machines, quads, tiles: jobs.div_ceil(4 * quads) };
        let evaluate = Evaluate::new(&program, device, jobs, &scan, settings.list, layout)?;
        let lengths = Lengths::new(jobs, &settings, &scan, layout, evaluate.groups);
        lengths.check(device, monitor, starts.len())?;
        let buffers = Buffers::new(device, queue, shop, starts, layout, &lengths)?;
        let search = DeviceTabu {
            pacer: Pacer::new(queue, monitor, "tabu"),
            shop,
            settings,
            scan,
            jobs,
            trajectories: starts.len(),
            queue,
            layout,
            evaluate,
            advance: program.kernel()?,
            buffers,
            generation: 0,
            looked: Instant::now(),
        };
        search.lay_out(&program)?;
        Ok(search)
    }

    /// Fills the tables with the times of the first sequences, and with their differences for
    /// swaps.
    fn lay_out(&self, program: &Arc<Program>) -> Result<()> {
        let Buffers { times, sums, orders: [_, order], sequence_times, deltas, .. } = &self.buffers;
        let positions = self.layout.positions();
        let range = |items: usize| [items.next_multiple_of(WAVE), self.trajectories];
        // The first step takes over the start sequences.
        let (orders, tiles) = (order, self.layout.tiles as u32);
        let arguments = LayOut { times, orders, tables: sequence_times, tiles };
        self.queue.launch(&program.kernel()?, &arguments, range(2 * positions), [WAVE, 1])?;
        if self.scan.has_deltas() {
            let arguments = LayOutDeltas { sums, orders, deltas, tiles };
            self.queue.launch(&program.kernel()?, &arguments, range(positions), [WAVE, 1])?;
        }
        Ok(())
    }

    /// Evaluates all neighbours of all trajectories, in as many launches as the pacer requires.
    fn evaluate(&mut self) -> Result<()> {
        let (buffers, evaluate) = (&self.buffers, &self.evaluate);
        let order = &buffers.orders[(self.generation % 2) as usize];
        let group_work = self.scan.group_work(self.jobs, self.layout.machines(), evaluate.group);
        let listed = 2 * self.entries() as u32;
        let mut trajectory = 0;
        while trajectory < self.trajectories {
            let some = self.pacer.share(Units::of(group_work), self.trajectories - trajectory);
            let units = Units::of(group_work * some as u64);
            self.pacer.launch(0..evaluate.groups, units, &mut |part| {
                let neighbours = Neighbours {
                    tails: &buffers.tails,
                    forbidden: &buffers.forbidden,
                    bests: &buffers.bests,
                    leasts: &buffers.leasts,
                    jobs: self.jobs as u32,
                    tiles: self.layout.tiles as u32,
                    most_forbidden: 2 * self.settings.tenure as u32,
                    listed,
                    first_group: part.start as u32,
                    groups: evaluate.groups as u32,
                };
                let range = (trajectory, [part.len(), some]);
                evaluate.launch(self.queue, buffers, order, neighbours, range)?;
                Ok(None)
            })?;
            trajectory += some;
        }
        Ok(())
    }

    /// Moves each trajectory to its best neighbour, given the results of `leasts` groups each.
    fn advance(&mut self, leasts: usize) -> Result<()> {
        let buffers = &self.buffers;
        let now = (self.generation % 2) as usize;
        let arguments = Advance {
            front: &buffers.front,
            sums: &buffers.sums,
            orders: &buffers.orders[1 - now],
            next_orders: &buffers.orders[now],
            times: &buffers.sequence_times,
            tails: &buffers.tails,
            deltas: &buffers.deltas,
            list: &buffers.list,
            forbidden: &buffers.forbidden,
            leasts: &buffers.leasts,
            bests: &buffers.bests,
            leasts_each: leasts as u32,
            jobs: self.jobs as u32,
            tiles: self.layout.tiles as u32,
            insertions: u32::from(self.scan.neighbourhood == Neighbourhood::Insertion),
            directions: self.scan.directions(),
            has_deltas: self.scan.has_deltas().into(),
            tenure: self.settings.tenure as u32,
            slot: (self.generation % self.settings.tenure as u64) as u32,
            group_leasts: Local(8 * WAVE),
            links: Local(self.layout.link_bytes()),
        };
        let groups = OTHER_GROUPS + self.entries();
        // The work of filling tables by machine and of comparing with each entry of the list.
        let work = (self.jobs * (self.layout.machines() + self.entries())) as u64;
        self.pacer.launch(0..self.trajectories, Units::of(work), &mut |part| {
            let range = [groups * WAVE, part.len()];
            self.queue.launch_from(&self.advance, &arguments, [0, part.start], range, [WAVE, 1])?;
            Ok(None)
        })
    }

    /// Number of list entries, including the present one.
    fn entries(&self) -> usize {
        (self.generation + 1).min(self.settings.tenure as u64) as usize
    }
}

impl Trajectories for DeviceTabu<'_> {
    fn generation(&mut self) -> Result<Option<Cow<'_, ValuedSequence>>> {
        if self.generation == 0 {
            // The first step takes over the start sequences.
            self.advance(0)?;
        }
        self.evaluate()?;
        self.generation += 1;
        self.advance(self.evaluate.groups)?;
        if self.looked.elapsed() < LOOK_INTERVAL {
            return Ok(None);
        }
        self.looked = Instant::now();
        self.best().map(|best| Some(Cow::Owned(best)))
    }

    fn best(&self) -> Result<ValuedSequence> {
        let jobs = self.jobs;
        let mut bests = vec![0; self.buffers.bests.len()];
        self.queue.read(&self.buffers.bests, 0, &mut bests)?;
        let best =
            bests.chunks_exact(jobs + 1).min_by_key(|best| best[jobs]).ok_or_else(no_trajectory)?;
        let (order, value) = (&best[..jobs], best[jobs]);
        if !is_permutation(order.iter().copied(), jobs) || self.shop.makespan(order) != value {
            return Err(wrong("the makespan of a trajectory's best sequence"));
        }
        Ok(ValuedSequence { order: order.to_vec(), value: value.into() })
    }
}

/// Groups of `advance` that do other work than comparing list entries.
const OTHER_GROUPS: usize = 3;

/// The kernels that evaluate neighbourhoods.
const EVALUATE_KERNELS: [&str; 3] = [Insertions::KERNEL, SwapsBetween::KERNEL, Swaps::KERNEL];

impl Scan {
    fn kernel(&self) -> &'static str {
        EVALUATE_KERNELS[self.kernel_number() as usize]
    }

    fn kernel_number(&self) -> u64 {
        match (self.neighbourhood, self.evaluation) {
            (Neighbourhood::Insertion, _) => 0,
            (Neighbourhood::Swap, Evaluation::HeadsAndTails) => 1,
            (Neighbourhood::Swap, _) => 2,
        }
    }

    /// Whether neighbours are evaluated job by job, without the tables of times by position.
    pub(super) fn reads_orders(&self) -> bool {
        self.neighbourhood == Neighbourhood::Swap && self.evaluation != Evaluation::HeadsAndTails
    }

    /// Whether neighbours are evaluated with the differences of adjacent jobs.
    fn has_deltas(&self) -> bool {
        self.neighbourhood == Neighbourhood::Swap && !self.reads_orders()
    }

    /// Whether a swap's column of completion times is in local memory.
    fn keeps_local_columns(&self) -> bool {
        self.local_columns && self.reads_orders()
    }

    /// Number of directions for which tables are needed.
    fn directions(&self) -> u32 {
        match (self.neighbourhood, self.evaluation) {
            (Neighbourhood::Insertion, _) | (_, Evaluation::HeadsAndTails) => 2,
            (_, Evaluation::Prefix) => 1,
            (_, Evaluation::Full) => 0,
        }
    }

    /// Work of an evaluating group, in nanoseconds of a slow device.
    fn group_work(&self, jobs: usize, machines: usize, group: usize) -> u64 {
        let columns = match (self.neighbourhood, self.evaluation) {
            (Neighbourhood::Insertion, _) => 2 * jobs,
            (_, Evaluation::HeadsAndTails) => 2 * (jobs / 3 + 1) * group,
            (_, Evaluation::Prefix) => (2 * jobs / 3 + 1) * group,
            (_, Evaluation::Full) => jobs * group,
        };
        columns as u64 * machines as u64
    }
}

impl Layout {
    /// Number of machines, rounded up to full lanes.
    fn machines(&self) -> usize {
        self.lanes * self.lane_machines
    }

    /// Length of a job's row of times, in full vectors.
    fn row(&self) -> usize {
        self.machines().next_multiple_of(4)
    }

    /// Number of positions, rounded up to full tiles.
    fn positions(&self) -> usize {
        self.tiles * 4 * self.quads
    }

    /// Number of elements in a table.
    fn table(&self) -> usize {
        (self.tiles + self.lanes + AHEAD) * 4 * self.quads * self.machines()
    }

    /// Bytes of the buffers in which lanes pass one quantity on, alternating between two.
    fn link_bytes(&self) -> usize {
        2 * 16 * self.quads * (self.lanes + 1)
    }
}
