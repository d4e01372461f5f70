//! The OpenCL engine: whole generations of tabu search on the device, any number of trajectories at
//! once. The host only keeps the queue filled and looks in from time to time.

mod buffers;
mod evaluate;
mod self_test;

use std::sync::Arc;
use std::time::{Duration, Instant};

use self::buffers::{Buffers, Lengths};
use self::evaluate::Evaluate;
use super::{Evaluation, Scan, Shop};
use crate::context::wrong;
use crate::flow_shop::permutation::is_permutation;
use crate::flow_shop::search::evaluator::Found;
use crate::flow_shop::search::moves::Neighbourhood;
use crate::flow_shop::search::tabu::{Settings, TabuList, Trajectories, no_trajectory};
use crate::opencl::{
    Arg, Buffer, Device, Kernel, KernelFamily, Match, Program, Queue, TuningRow, source,
};
use crate::solve::Monitor;
use crate::{Pacer, Result, Units};

pub(super) const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_search",
    sources: &[
        source!("flow_shop_tables.cl"),
        source!("flow_shop_moves.cl"),
        source!("flow_shop_swaps.cl"),
        source!("flow_shop_insertions.cl"),
        source!("flow_shop_step.cl"),
    ],
    tuning: &[
        // Work-items of a group for swaps as published, where there are few groups; where there are
        // many, local memory that one takes at least when the prefix is reused, so that a compute
        // unit has no more of them at once than keep it busy: long ones come first, and short ones
        // where a place becomes free. Fours of positions that a lane of a wavefront takes at once.
        // Rounds of short loops that are unrolled: all, except on a processor, where a compiler
        // takes minutes for what follows.
        TuningRow {
            device: Match::Default,
            defines: &[("SWAP_GROUP", 64), ("PREFIX_BYTES", 0), ("QUADS", 2), ("UNROLL", 1024)],
        },
        TuningRow { device: Match::Architecture("cpu"), defines: &[("UNROLL", 1)] },
        TuningRow {
            device: Match::Vendor("NVIDIA"),
            defines: &[("SWAP_GROUP", 128), ("PREFIX_BYTES", 14_000)],
        },
    ],
    self_test: self_test::compare,
};

/// Between two looks at what the device found.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// Most lanes of a wavefront, and the size of groups that work on one.
const WAVE: usize = 32;
/// Rows of a table that a wavefront fetches ahead.
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
    advance: Kernel,
    buffers: Buffers,
    /// Generations behind the trajectories.
    generation: u64,
    /// When the host looked at what was found.
    looked: Instant,
}

/// How the tables lie in memory; see the kernels.
#[derive(Clone, Copy)]
struct Layout {
    lanes: usize,
    lane_machines: usize,
    quads: usize,
    tiles: usize,
}

impl<'a> DeviceTabu<'a> {
    /// Numbers of moves have 32 bits.
    pub(in crate::flow_shop::search) const MOST_JOBS: usize = 1 << 15;

    /// # Errors
    /// Those of the device, and [`Error::OutOfMemory`] if the trajectories don't fit there.
    pub(in crate::flow_shop::search) fn new(
        device: &Device,
        queue: &'a Queue,
        shop: &'a Shop,
        monitor: &'a Monitor,
        (settings, scan): (Settings, Scan),
        starts: &[Found],
    ) -> Result<Self> {
        let jobs = shop.jobs();
        let lane_machines = shop.machines().div_ceil(WAVE);
        let lanes = shop.machines().div_ceil(lane_machines);
        let defines = [
            ("LANES", lanes as u64),
            ("LANE_MACHINES", lane_machines as u64),
            ("LOCAL_COLUMNS", scan.keeps_local_columns().into()),
            ("ATTRIBUTES", u64::from(settings.list == TabuList::Attributes)),
            // For the self-test.
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
            advance: program.kernel("advance")?,
            buffers,
            generation: 0,
            looked: Instant::now(),
        };
        search.lay_out(&program)?;
        Ok(search)
    }

    /// The tables' times of the first sequences, and what swaps take of them.
    fn lay_out(&self, program: &Arc<Program>) -> Result<()> {
        let Buffers { times, sums, orders: [_, order], sequence_times, deltas, .. } = &self.buffers;
        let positions = self.layout.positions();
        let launch = |name, rows: &Buffer<u32>, table, items: usize| {
            // The first step takes the sequences over.
            let args = [rows.arg(), order.arg(), table, Arg::U32(self.layout.tiles as u32)];
            let range = [items.next_multiple_of(WAVE), self.trajectories];
            self.queue.launch(&program.kernel(name)?, &args, range, [WAVE, 1])
        };
        launch("lay_out", times, sequence_times.arg(), 2 * positions)?;
        if self.scan.has_deltas() {
            launch("lay_out_deltas", sums, deltas.arg(), positions)?;
        }
        Ok(())
    }

    /// The makespans of all neighbours of all trajectories, in as many launches as the pacer wants.
    fn evaluate(&mut self) -> Result<()> {
        let (buffers, evaluate) = (&self.buffers, &self.evaluate);
        let order = &buffers.orders[(self.generation % 2) as usize];
        let group_work = self.scan.group_work(self.jobs, self.layout.machines(), evaluate.group);
        let sequence = match (self.scan.reads_orders(), self.scan.has_deltas()) {
            (true, _) => vec![buffers.times.arg(), buffers.front.arg(), order.arg()],
            (_, true) => vec![buffers.sums.arg(), order.arg(), buffers.deltas.arg()],
            _ => vec![buffers.sequence_times.arg()],
        };
        let listed = 2 * self.entries() as u32;
        let mut trajectory = 0;
        while trajectory < self.trajectories {
            let some = self.pacer.share(Units::of(group_work), self.trajectories - trajectory);
            let units = Units::of(group_work * some as u64);
            self.pacer.launch(0..evaluate.groups, units, &mut |part| {
                let common = [
                    buffers.rests.arg(),
                    buffers.forbidden.arg(),
                    buffers.bests.arg(),
                    buffers.leasts.arg(),
                    Arg::U32(self.jobs as u32),
                    Arg::U32(self.layout.tiles as u32),
                    Arg::U32(2 * self.settings.tenure as u32),
                    Arg::U32(listed),
                    Arg::U32(part.start as u32),
                    Arg::U32(evaluate.groups as u32),
                ];
                let args: Vec<Arg<'_>> = sequence
                    .iter()
                    .copied()
                    .chain(common)
                    .chain(evaluate.own.iter().copied())
                    .collect();
                let (range, group) = ([part.len() * evaluate.group, some], [evaluate.group, 1]);
                self.queue.launch_from(&evaluate.kernel, &args, [0, trajectory], range, group)?;
                Ok(None)
            })?;
            trajectory += some;
        }
        Ok(())
    }

    /// On to the best neighbour by so many of its groups' results for each trajectory.
    fn advance(&mut self, leasts: usize) -> Result<()> {
        let buffers = &self.buffers;
        let now = (self.generation % 2) as usize;
        let args = [
            buffers.front.arg(),
            buffers.sums.arg(),
            buffers.orders[1 - now].arg(),
            buffers.orders[now].arg(),
            buffers.sequence_times.arg(),
            buffers.rests.arg(),
            buffers.deltas.arg(),
            buffers.list.arg(),
            buffers.forbidden.arg(),
            buffers.leasts.arg(),
            buffers.bests.arg(),
            Arg::U32(leasts as u32),
            Arg::U32(self.jobs as u32),
            Arg::U32(self.layout.tiles as u32),
            Arg::U32(u32::from(self.scan.neighbourhood == Neighbourhood::Insertion)),
            Arg::U32(self.scan.directions()),
            Arg::U32(self.scan.has_deltas().into()),
            Arg::U32(self.settings.tenure as u32),
            Arg::U32((self.generation % self.settings.tenure as u64) as u32),
            Arg::Local(8 * WAVE),
            Arg::Local(self.layout.link_bytes()),
        ];
        let groups = OTHER_GROUPS + self.entries();
        // Tables by machine, and a look at each entry of the list.
        let work = (self.jobs * (self.layout.machines() + self.entries())) as u64;
        self.pacer.launch(0..self.trajectories, Units::of(work), &mut |part| {
            let range = [groups * WAVE, part.len()];
            self.queue.launch_from(&self.advance, &args, [0, part.start], range, [WAVE, 1])?;
            Ok(None)
        })
    }

    /// Entries of the list, the present one too.
    fn entries(&self) -> usize {
        (self.generation + 1).min(self.settings.tenure as u64) as usize
    }
}

impl Trajectories for DeviceTabu<'_> {
    fn generation(&mut self) -> Result<Option<u64>> {
        if self.generation == 0 {
            // The first step takes the starts over.
            self.advance(0)?;
        }
        self.evaluate()?;
        self.generation += 1;
        self.advance(self.evaluate.groups)?;
        if self.looked.elapsed() < LOOK_INTERVAL {
            return Ok(None);
        }
        self.looked = Instant::now();
        self.best().map(|best| Some(best.value))
    }

    fn best(&self) -> Result<Found> {
        let jobs = self.jobs;
        let mut bests = vec![0; self.buffers.bests.len()];
        self.queue.read(&self.buffers.bests, 0, &mut bests)?;
        let best =
            bests.chunks_exact(jobs + 1).min_by_key(|best| best[jobs]).ok_or_else(no_trajectory)?;
        let (order, value) = (&best[..jobs], best[jobs]);
        if !is_permutation(order.iter().copied(), jobs) || self.shop.makespan(order) != value {
            return Err(wrong("the makespan of a trajectory's best sequence"));
        }
        Ok(Found { order: order.to_vec(), value: value.into() })
    }
}

/// Groups of `advance` that do not compare with an entry of the list.
const OTHER_GROUPS: usize = 3;

/// The kernels that evaluate.
const EVALUATE_KERNELS: [&str; 3] =
    ["evaluate_insertions", "evaluate_swaps_between", "evaluate_swaps"];

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

    /// Whether neighbours are evaluated job by job, not by the tables' times.
    pub(super) fn reads_orders(&self) -> bool {
        self.neighbourhood == Neighbourhood::Swap && self.evaluation != Evaluation::HeadsAndTails
    }

    /// Whether neighbours are evaluated by what each two jobs next to each other mean.
    fn has_deltas(&self) -> bool {
        self.neighbourhood == Neighbourhood::Swap && !self.reads_orders()
    }

    /// Whether a swap's column of completion times is in local memory.
    fn keeps_local_columns(&self) -> bool {
        self.local_columns && self.reads_orders()
    }

    /// Directions in which tables are needed.
    fn directions(&self) -> u32 {
        match (self.neighbourhood, self.evaluation) {
            (Neighbourhood::Insertion, _) | (_, Evaluation::HeadsAndTails) => 2,
            (_, Evaluation::Prefix) => 1,
            (_, Evaluation::Full) => 0,
        }
    }

    /// Steps of a group that evaluates in nanoseconds of a slow device.
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
    /// With those that fill up the lanes.
    fn machines(&self) -> usize {
        self.lanes * self.lane_machines
    }

    /// Room of a job's times, in whole vectors.
    fn row(&self) -> usize {
        self.machines().next_multiple_of(4)
    }

    /// With those that fill up the tiles.
    fn positions(&self) -> usize {
        self.tiles * 4 * self.quads
    }

    /// Numbers of a table.
    fn table(&self) -> usize {
        (self.tiles + self.lanes + AHEAD) * 4 * self.quads * self.machines()
    }

    /// What the lanes hand on of one quantity, in turns.
    fn link_bytes(&self) -> usize {
        2 * 16 * self.quads * (self.lanes + 1)
    }
}
