//! The OpenCL engine: whole generations of tabu search on the device, for any number of
//! trajectories. The host only keeps the queue filled and checks the results from time to time.

mod buffers;
mod evaluate;
mod from_scratch;
mod kernels;
mod self_test;
mod setup_buffers;
mod setups;
mod workload;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::buffers::{ATTRIBUTE_WORDS, Buffers, Lengths};
use self::evaluate::{Evaluate, FULL, PREFIX};
use self::kernels::{
    Advance, Insertions, LayOut, LayOutDeltas, Neighbours, Swaps, SwapsBetween, WriteSwaps,
};
use self::setups::SetupLaunches;
pub(in crate::flow_shop::search) use self::setups::usual_with_setups;
pub(crate) use self::workload::{TIMED, TIMED_SETUPS};
use super::{Evaluation, Scan, Shop};
use crate::context::wrong;
use crate::flow_shop::permutation::is_permutation;
use crate::flow_shop::search::evaluator::ValuedSequence;
use crate::flow_shop::search::moves::{BLOCK, Neighbourhood};
use crate::flow_shop::search::tabu::{
    Paced, Settings, State, TabuList, Trajectories, no_trajectory,
};
use crate::flow_shop::{Instance, Setups};
use crate::opencl::{
    Arguments, Buffer, Device, Kernel, KernelFamily, Local, Program, Queue, Tunable, Usual, source,
};
use crate::solve::Monitor;
use crate::{Error, Pacer, Result, Units};

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
        WriteSwaps,
        Swaps,
        Advance
    ],
    constants: &shared_constants(0),
    tuning: &[
        Tunable::power(
            "SWAP_GROUP: work-items of a group for swaps as published, if there are few groups",
            (16, 1024),
        ),
        // It limits the resident groups of a compute unit to as many as keep it busy, so that long
        // groups run first and short ones fill gaps.
        Tunable::number(
            "PREFIX_BYTES: least local memory of a group with prefix reuse, if there are many groups",
            (0, 1 << 16),
        ),
        Tunable::power(
            "QUADS: quads of positions that a lane of a wavefront processes at once",
            (1, 8),
        ),
        UNROLL,
        BATCH,
        // The rows before and after the present one are among them.
        Tunable::power("AHEAD: table rows that a wavefront loads in advance", (4, 16)),
        // In between, small groups balance the load better.
        Tunable::number("FEW_GROUPS: most large groups that are few", (1, 64)),
        Tunable::number("AT_ONCE: small groups that keep a compute unit busy", (1, 256)),
        Tunable::number("PARTS: parts of a trajectory's insertions", (1, 64)),
        Tunable::power("MOST_FETCHED: machines with deltas read early", (1, 32)),
    ],
    self_test: self_test::compare,
};

// A processor's compiler takes minutes for the unrolled code.
const UNROLL: Tunable =
    Tunable::power("UNROLL: rounds of short loops to unroll; 1024 for all", (1, 1024));

// It reads them whether they are needed or not, so that latencies overlap.
const BATCH: Tunable = Tunable::power("BATCH: numbers that a work-item reads together", (1, 64));

/// The constants of programs with and without set-ups.
const fn shared_constants(setups: u64) -> [(&'static str, u64); 7] {
    [
        ("WAVE", WAVE as u64),
        ("BLOCK", BLOCK as u64),
        ("ATTRIBUTE_WORDS", ATTRIBUTE_WORDS as u64),
        ("COMPARE", OTHER_GROUPS as u64),
        ("FULL", FULL as u64),
        ("PREFIX", PREFIX as u64),
        ("SETUPS", setups),
    ]
}

/// Time between two checks of the device's results.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
/// Most lanes of a wavefront, and the size of groups of one wavefront.
const WAVE: usize = 32;

/// Trajectories of one shop on a device.
pub(in crate::flow_shop) struct DeviceTabu<'a> {
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
    /// What rebuilds the tables if there are set-ups.
    setups: Option<SetupLaunches>,
    buffers: Buffers,
    /// Generations completed, counted as if the first entry of the given lists were that of
    /// generation 0.
    generation: u64,
    /// Whether there are tables of the present sequences.
    has_tables: bool,
    /// The time of the last check of results.
    looked: Instant,
}

/// The layout of the tables in memory; the kernels describe it.
#[derive(Clone, Copy)]
struct Layout {
    lanes: usize,
    lane_machines: usize,
    quads: usize,
    /// Table rows that a wavefront loads in advance.
    ahead: usize,
    tiles: usize,
}

/// The program of trajectories through sequences of jobs on this many machines.
pub(in crate::flow_shop::search) fn usual(machines: usize, list: TabuList, scan: Scan) -> Usual {
    Usual::new(FAMILY.name, move |device| {
        device.program(&FAMILY, &defines(machines, list, &scan)).map(drop)
    })
}

/// Lanes of a wavefront that work on the machines, and the machines of a lane.
fn lanes(machines: usize) -> (usize, usize) {
    let lane_machines = machines.div_ceil(WAVE);
    (machines.div_ceil(lane_machines), lane_machines)
}

fn defines(machines: usize, list: TabuList, scan: &Scan) -> [(&'static str, u64); 6] {
    let (lanes, lane_machines) = lanes(machines);
    [
        ("LANES", lanes as u64),
        ("LANE_MACHINES", lane_machines as u64),
        ("LOCAL_COLUMNS", scan.keeps_local_columns().into()),
        ("STORED", scan.stores_neighbours().into()),
        ("ATTRIBUTES", u64::from(list == TabuList::Attributes)),
        // Only the self-test reads this define.
        ("EVALUATE", scan.kernel_number()),
    ]
}

/// The program for the sequences of a shop.
fn program(device: &Device, shop: &Shop, list: TabuList, scan: &Scan) -> Result<Arc<Program>> {
    let machines = shop.machines();
    match shop.setups() {
        None => device.program(&FAMILY, &defines(machines, list, scan)),
        Some(_) => setups::program(device, machines, list),
    }
}

impl<'a> DeviceTabu<'a> {
    /// More jobs would have move indices above 32 bits.
    pub(in crate::flow_shop) const MOST_JOBS: usize = 1 << 15;

    /// Whether there are kernels for such searches on a device. Without set-ups only too many jobs have
    /// none.
    pub(in crate::flow_shop) fn has_kernels(
        device: &Device,
        shop: &Shop,
        neighbourhood: Neighbourhood,
    ) -> bool {
        shop.jobs() <= Self::MOST_JOBS
            && shop.setups().is_none_or(|setups| {
                neighbourhood == Neighbourhood::Insertion
                    && setups::are_searched(device, shop, setups)
            })
    }

    /// Bytes of the host's copies of the set-ups.
    pub(in crate::flow_shop) fn setup_bytes(instance: &Instance) -> u128 {
        let bytes = |setups: &Setups| {
            4 * setups.times().len() as u128 + setup_buffers::bytes(setups, instance.machines())
        };
        instance.setups().map_or(0, bytes)
    }

    /// Continues from these states, which have made equally many generations.
    ///
    /// # Errors
    /// Errors of the device; [`Error::OutOfMemory`] if the trajectories don't fit there;
    /// [`Error::Unsupported`] without [kernels](DeviceTabu::has_kernels).
    pub(in crate::flow_shop) fn new(
        device: &Device,
        queue: &'a Queue,
        shop: &'a Shop,
        monitor: &'a Monitor,
        (settings, scan): (Settings, Scan),
        states: &[State],
    ) -> Result<Self> {
        if !DeviceTabu::has_kernels(device, shop, settings.neighbourhood) {
            let what = "tabu search of such a flow shop with set-ups on this device";
            return Err(Error::unsupported(what));
        }
        let jobs = shop.jobs();
        let (lanes, lane_machines) = lanes(shop.machines());
        let program = program(device, shop, settings.list, &scan)?;
        let (quads, ahead) = (program.tuned("QUADS"), program.tuned("AHEAD"));
        let tiles = jobs.div_ceil(4 * quads);
        let layout = Layout { lanes, lane_machines, quads, ahead, tiles };
        let evaluate = Evaluate::new(&program, device, shop, &scan, settings.list, layout)?;
        let lengths = Lengths::new(shop, &settings, &scan, layout, evaluate.groups);
        lengths.check(device, monitor, states.len())?;
        let entries = states.first().map_or(1, |state| buffers::entries(&state.list));
        let generation = entries as u64 - 1;
        let buffers = Buffers::new(device, queue, shop, states, generation, layout, &lengths)?;
        let setups = shop.setups().map(|_| SetupLaunches::new(&program)).transpose()?;
        let mut search = DeviceTabu {
            pacer: Pacer::new(queue, monitor, "tabu"),
            shop,
            settings,
            scan,
            jobs,
            trajectories: states.len(),
            queue,
            layout,
            evaluate,
            advance: program.kernel()?,
            setups,
            buffers,
            generation,
            has_tables: false,
            looked: Instant::now(),
        };
        if search.setups.is_none() {
            search.lay_out(&program)?;
        }
        if search.scan.stores_neighbours() {
            search.store(&program)?;
        }
        Ok(search)
    }

    /// Fills the tables with the times of the first sequences, and with their differences for
    /// swaps.
    fn lay_out(&mut self, program: &Arc<Program>) -> Result<()> {
        let Buffers { times, sums, orders, sequence_times, deltas, .. } = &self.buffers;
        let (positions, has_deltas) = (self.layout.positions(), self.scan.has_deltas());
        // The first step takes over the given sequences.
        let (orders, tiles) = (&orders[self.given()], self.layout.tiles as u32);
        let lay_out: Kernel<LayOut<'static>> = program.kernel()?;
        let lay_out_deltas: Kernel<LayOutDeltas<'static>> = program.kernel()?;
        let units = Units::of((3 * positions * self.shop.machines()) as u64);
        self.pacer.launch(0..self.trajectories, units, &mut |part| {
            let first = [0, part.start];
            let range = |items: usize| [items.next_multiple_of(WAVE), part.len()];
            let arguments = LayOut { times, orders, tables: sequence_times, tiles };
            let items = range(2 * positions);
            self.queue.launch_from(&lay_out, &arguments, first, items, [WAVE, 1])?;
            if has_deltas {
                let arguments = LayOutDeltas { sums, orders, deltas, tiles };
                let items = range(positions);
                self.queue.launch_from(&lay_out_deltas, &arguments, first, items, [WAVE, 1])?;
            }
            Ok(None)
        })
    }

    /// Writes all neighbours, as positions of the present sequence, which is the same for all
    /// sequences.
    fn store(&mut self, program: &Arc<Program>) -> Result<()> {
        let kernel: Kernel<WriteSwaps<'static>> = program.kernel()?;
        let (stored, jobs) = (&self.buffers.stored, self.jobs);
        let numbers = self.scan.neighbourhood.numbers(jobs);
        self.pacer.launch(0..numbers, Units::of(jobs as u64), &mut |part| {
            let [first_number, end_number] = [part.start, part.end].map(|number| number as u32);
            let arguments = WriteSwaps { stored, jobs: jobs as u32, first_number, end_number };
            let items = part.len().next_multiple_of(WAVE);
            self.queue.launch(&kernel, &arguments, [items], [WAVE])?;
            Ok(None)
        })
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

    /// Makes the tables of the given sequences, and finds the moves that the given lists forbid.
    fn begin(&mut self) -> Result<()> {
        // The latest entry of attributes is known, and is not that of the next move.
        let slot = match self.settings.list {
            TabuList::Attributes => u32::MAX,
            TabuList::Sequences => self.slot(),
        };
        self.advance(0, slot)?;
        self.has_tables = true;
        Ok(())
    }

    /// Moves each trajectory to its best neighbour, given the results of `leasts` groups each. Each
    /// list gets an entry in the slot.
    fn advance(&mut self, leasts: usize, slot: u32) -> Result<()> {
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
            directions: if self.setups.is_some() { 0 } else { self.scan.directions() },
            has_deltas: self.scan.has_deltas().into(),
            tenure: self.settings.tenure as u32,
            slot,
            group_leasts: Local(8 * WAVE),
            links: Local(self.layout.link_bytes()),
        };
        let groups = OTHER_GROUPS + self.entries();
        // The work of filling tables by machine and of comparing with each entry of the list.
        let work = (self.jobs * (self.layout.machines() + self.entries())) as u64;
        self.pacer.launch(0..self.trajectories, Units::of(work), &mut |part| {
            let range = [groups * WAVE, part.len()];
            let first = [0, part.start];
            self.queue.launch_from(&self.advance, &arguments, first, range, [WAVE, 1])?;
            if let Some(setups) = &self.setups {
                let orders = &buffers.orders[now];
                setups.rebuild(self.queue, buffers, orders, self.layout, part)?;
            }
            Ok(None)
        })
    }

    /// Number of list entries, including the present one.
    fn entries(&self) -> usize {
        (self.generation + 1).min(self.settings.tenure as u64) as usize
    }

    /// The place of the latest list entry.
    fn slot(&self) -> u32 {
        (self.generation % self.settings.tenure as u64) as u32
    }

    /// The place among `orders` of the sequences before the last step.
    fn given(&self) -> usize {
        1 - (self.generation % 2) as usize
    }
}

impl Trajectories for DeviceTabu<'_> {
    type Value = u64;

    fn generation(&mut self) -> Result<Option<Cow<'_, ValuedSequence>>> {
        if !self.has_tables {
            self.begin()?;
        }
        self.evaluate()?;
        self.generation += 1;
        self.advance(self.evaluate.groups, self.slot())?;
        if self.looked.elapsed() < LOOK_INTERVAL {
            return Ok(None);
        }
        self.looked = Instant::now();
        self.best().map(|best| Some(Cow::Owned(best)))
    }

    fn best(&self) -> Result<ValuedSequence> {
        let bests = self.read(&self.buffers.bests)?;
        let jobs = self.jobs;
        let best = bests.chunks_exact(jobs + 1).min_by_key(|best| best[jobs]);
        self.checked_best(best.ok_or_else(no_trajectory)?)
    }

    fn states(&self) -> Result<Vec<State>> {
        let present = self.given();
        let present = if self.has_tables { 1 - present } else { present };
        let orders = self.read(&self.buffers.orders[present])?;
        let bests = self.read(&self.buffers.bests)?;
        let list = self.read(&self.buffers.list)?;
        let lists = buffers::lists(&self.settings, self.jobs, self.generation, &list);
        let lists = lists.ok_or_else(|| wrong("a tabu list"))?;
        let orders = orders.chunks_exact(self.layout.positions());
        let each = orders.zip(bests.chunks_exact(self.jobs + 1)).zip(lists);
        let state = |((order, best), list): ((&[u32], &[u32]), _)| {
            let order = &order[..self.jobs];
            if !is_permutation(order.iter().copied(), self.jobs) {
                return Err(wrong("a trajectory's sequence"));
            }
            let value = self.shop.makespan(order).into();
            let present = ValuedSequence { order: order.to_vec(), value };
            Ok(State { present, best: self.checked_best(best)?, list })
        };
        each.map(state).collect()
    }
}

impl Paced for DeviceTabu<'_> {
    fn with_budget(self, budget: u64) -> Self {
        DeviceTabu { pacer: self.pacer.with_budget(budget), ..self }
    }

    fn budget(&self) -> u64 {
        self.pacer.budget()
    }
}

impl DeviceTabu<'_> {
    /// All of a buffer, after the launches.
    fn read(&self, buffer: &Buffer<u32>) -> Result<Vec<u32>> {
        let mut words = vec![0; buffer.len()];
        self.queue.read(buffer, 0, &mut words)?;
        Ok(words)
    }

    /// A best sequence of the device, evaluated again. The last word is its makespan.
    fn checked_best(&self, best: &[u32]) -> Result<ValuedSequence> {
        let (order, value) = (&best[..self.jobs], best[self.jobs]);
        if !is_permutation(order.iter().copied(), self.jobs) || self.shop.makespan(order) != value {
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
            (_, Evaluation::Full | Evaluation::Stored) => 0,
        }
    }

    /// Work of an evaluating group, in nanoseconds of a slow device.
    fn group_work(&self, jobs: usize, machines: usize, group: usize) -> u64 {
        let columns = match (self.neighbourhood, self.evaluation) {
            (Neighbourhood::Insertion, _) => 2 * jobs,
            (_, Evaluation::HeadsAndTails) => 2 * (jobs / 3 + 1) * group,
            (_, Evaluation::Prefix) => (2 * jobs / 3 + 1) * group,
            (_, Evaluation::Full | Evaluation::Stored) => jobs * group,
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
        (self.tiles + self.lanes + self.ahead) * 4 * self.quads * self.machines()
    }

    /// Bytes of the buffers in which lanes pass one quantity on, alternating between two.
    fn link_bytes(&self) -> usize {
        2 * 16 * self.quads * (self.lanes + 1)
    }
}
