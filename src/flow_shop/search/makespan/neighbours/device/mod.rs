//! The OpenCL engine: whole generations of tabu search on the device, for any number of
//! trajectories. The host only keeps the queue filled and checks the results from time to time.

mod buffers;
mod evaluate;
mod from_scratch;
mod generations;
mod kernels;
mod layout;
mod scan;
mod self_test;
mod setup_buffers;
mod setups;
mod workload;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::buffers::{ATTRIBUTE_WORDS, Buffers, Lengths};
use self::evaluate::{Evaluate, FULL, PREFIX};
use self::generations::{COUNTS, First, GAVE_UP, NEXT_TICKET, Several};
use self::kernels::{Advance, LayOut, LayOutDeltas, Neighbours, WriteSwaps};
#[cfg(test)]
use self::kernels::{Insertions, SeveralGenerations, Swaps, SwapsBetween};
use self::layout::{Layout, WAVE, lanes};
use self::setups::SetupLaunches;
pub(in crate::flow_shop::search) use self::setups::usual_with_setups;
pub(crate) use self::workload::{TIMED, TIMED_SETUPS};
use super::{Scan, Shop};
use crate::context::wrong;
use crate::flow_shop::permutation::is_permutation;
use crate::flow_shop::search::evaluator::ValuedSequence;
use crate::flow_shop::search::moves::{BLOCK, Neighbourhood};
use crate::flow_shop::search::tabu::{
    Paced, Settings, State, TabuList, Trajectories, no_trajectory,
};
use crate::flow_shop::{Instance, Setups};
use crate::opencl::{
    BARRIER, Buffer, Device, Kernel, KernelFamily, Local, Program, Queue, Tunable, Usual, source,
};
use crate::solve::Monitor;
use crate::{Error, Pacer, Result, Units};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_search",
    sources: &[
        source!("device_barrier.cl"),
        source!("flow_shop_tables.cl"),
        source!("flow_shop_moves.cl"),
        source!("flow_shop_swaps.cl"),
        source!("flow_shop_insertions.cl"),
        source!("flow_shop_step.cl"),
        source!("flow_shop_generations.cl"),
    ],
    #[cfg(test)]
    kernels: crate::opencl::declared![
        LayOut,
        LayOutDeltas,
        Insertions,
        SwapsBetween,
        WriteSwaps,
        Swaps,
        Advance,
        SeveralGenerations
    ],
    constants: &CONSTANTS,
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
        Tunable::number(
            "UNIT_GROUPS: groups of a compute unit that make several generations at once",
            (1, MOST_UNIT_GROUPS),
        ),
    ],
    self_test: self_test::compare,
};

const MOST_UNIT_GROUPS: u64 = 64;

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

const CONSTANTS: [(&str, u64); 12] = {
    let [a, b, c, d, e, f, g] = shared_constants(0);
    let [polls, given_up] = BARRIER;
    let (gave_up, ticket) = (("GAVE_UP", GAVE_UP as u64), ("NEXT_TICKET", NEXT_TICKET as u64));
    [a, b, c, d, e, f, g, polls, given_up, gave_up, ticket, ("COUNTS", COUNTS as u64)]
};

/// Time between two checks of the device's results.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);
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
    /// Launches of several generations, if work-groups may wait for each other.
    several: Option<Several>,
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

/// The program of trajectories through sequences of jobs on this many machines.
pub(in crate::flow_shop::search) fn usual(machines: usize, list: TabuList, scan: Scan) -> Usual {
    Usual::new(FAMILY.name, move |device| {
        device.program(&FAMILY, &defines(machines, list, &scan)).map(drop)
    })
}

fn defines(machines: usize, list: TabuList, scan: &Scan) -> [(&'static str, u64); 6] {
    let (lanes, lane_machines) = lanes(machines);
    [
        ("LANES", lanes as u64),
        ("LANE_MACHINES", lane_machines as u64),
        ("LOCAL_COLUMNS", scan.keeps_local_columns().into()),
        ("STORED", scan.stores_neighbours().into()),
        ("ATTRIBUTES", u64::from(list == TabuList::Attributes)),
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
            several: None,
            setups,
            buffers,
            generation,
            has_tables: false,
            looked: Instant::now(),
        };
        if search.setups.is_none() {
            search.lay_out(&program)?;
        }
        let is_searched = search.setups.is_none() && scan.neighbourhood == Neighbourhood::Insertion;
        if is_searched && device.resident_groups() > 1 {
            search.several = Some(search.launches_of_several(device, &program)?);
        }
        if search.scan.stores_neighbours() {
            search.store(&program)?;
        }
        Ok(search)
    }

    fn launches_of_several(&self, device: &Device, program: &Arc<Program>) -> Result<Several> {
        let list = (self.settings.list, self.settings.tenure);
        let sizes = (self.jobs, self.trajectories);
        Several::new((device, self.queue), program, self.layout, sizes, list)
    }

    /// Makes each generation by two launches.
    pub(super) fn one_by_one(self) -> Self {
        DeviceTabu { several: None, ..self }
    }

    /// Makes all generations in one launch, if there is such a kernel for this device.
    pub(super) fn at_once(self) -> Option<Self> {
        self.several.is_some().then(|| self.with_budget(u64::MAX))
    }

    /// The same on any device, by this number of work-groups.
    #[cfg(test)]
    pub(super) fn at_once_by(mut self, device: &Device, groups: usize) -> Result<Self> {
        let program = program(device, self.shop, self.settings.list, &self.scan)?;
        self.several = Some(self.launches_of_several(device, &program)?.with_groups(groups));
        Ok(self.with_budget(u64::MAX))
    }

    /// Fills the tables with the times of the first sequences, and with their differences for
    /// swaps.
    fn lay_out(&mut self, program: &Arc<Program>) -> Result<()> {
        let Buffers { times, sums, orders, sequence_times, deltas, .. } = &self.buffers;
        let (positions, has_deltas) = (self.layout.positions(), self.scan.has_deltas());
        // The first step takes over the given sequences.
        let (orders, tiles) = (&orders[1 - self.present()], self.layout.tiles as u32);
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
        let order = &buffers.orders[self.present()];
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
        let now = self.present();
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
        let work = self.step_work();
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

    /// Makes one generation by two launches.
    fn one_generation(&mut self) -> Result<()> {
        self.evaluate()?;
        self.generation += 1;
        self.advance(self.evaluate.groups, self.slot())
    }

    /// Makes at most `most` generations: several in one launch, if there is such a kernel and the
    /// pacer allows a whole generation. Adds the complete ones to `made`.
    fn some_generations(&mut self, most: u64, made: &mut u64) -> Result<()> {
        let work = self.generation_work();
        let Some(several) = self.several.as_ref().filter(|_| work <= self.pacer.budget()) else {
            self.one_generation()?;
            *made += 1;
            return Ok(());
        };
        self.pacer.make_room(work, None)?;
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(several.most());
        let count = self.pacer.share(Units::of(work), most);
        let slot = ((self.generation + 1) % self.settings.tenure as u64) as u32;
        let first = First { present: self.present(), entries: self.entries(), slot };
        several.launch(self.queue, &self.buffers, self.layout, first, count)?;
        self.generation += count as u64;
        // The pacer checks the limits only after the launch is complete.
        *made += count as u64;
        self.pacer.launched(work.saturating_mul(count as u64), None)
    }

    /// Work of a whole generation, in the pacer's units.
    fn generation_work(&self) -> u64 {
        let machines = self.layout.machines();
        let group_work = self.scan.group_work(self.jobs, machines, self.evaluate.group);
        let each = group_work.saturating_mul(self.evaluate.groups as u64) + self.step_work();
        each.saturating_mul(self.trajectories as u64)
    }

    /// Work of filling a trajectory's tables by machine and of comparing with each entry of its list.
    fn step_work(&self) -> u64 {
        (self.jobs * (self.layout.machines() + self.entries())) as u64
    }

    /// Number of list entries, including the present one.
    fn entries(&self) -> usize {
        (self.generation + 1).min(self.settings.tenure as u64) as usize
    }

    /// The place of the latest list entry.
    fn slot(&self) -> u32 {
        (self.generation % self.settings.tenure as u64) as u32
    }

    /// The place of the present sequences among `orders`. Those before the last step, or those
    /// given, have the other place.
    fn present(&self) -> usize {
        (self.generation % 2) as usize
    }
}

impl Trajectories for DeviceTabu<'_> {
    type Value = u64;

    fn stride(&self) -> u64 {
        match self.several {
            Some(_) => (self.pacer.budget() / self.generation_work().max(1)).max(1),
            None => 1,
        }
    }

    fn generations(&mut self, count: u64, made: &mut u64) -> Result<()> {
        if !self.has_tables {
            self.begin()?;
        }
        let end = *made + count;
        while *made < end {
            self.some_generations(end - *made, made)?;
        }
        Ok(())
    }

    fn news(&mut self) -> Result<Option<Cow<'_, ValuedSequence>>> {
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
        let present = if self.has_tables { self.present() } else { 1 - self.present() };
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
        self.several.iter().try_for_each(|several| several.check(self.queue))?;
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
