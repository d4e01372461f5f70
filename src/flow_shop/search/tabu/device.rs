//! The OpenCL engine: whole generations on the device, any number of trajectories at once. The host only keeps the queue
//! filled and looks in from time to time.

use std::time::{Duration, Instant};

use super::moves::Neighbourhood;
use super::{Evaluation, Found, Settings};
use crate::flow_shop::search::Shop;
use crate::opencl::{Arg, Buffer, Device, Kernel, KernelFamily, Match, Queue, TuningRow};
use crate::solve::Monitor;
use crate::{Error, Pacer, Result};

const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_search",
    sources: &[include_str!("../../../../cl/flow_shop_search.cl")],
    tuning: &[
        // Work-items of a group for swaps, and for insertions, whose few long chains want many groups.
        TuningRow { device: Match::Default, defines: &[("SWAP_GROUP", 64), ("INSERTION_GROUP", 32)] },
        TuningRow {
            device: Match::Vendor("NVIDIA"),
            defines: &[("SWAP_GROUP", 128), ("INSERTION_GROUP", 32)],
        },
    ],
};

/// Between two looks at what the device found.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// Trajectories of one shop on a device.
pub(super) struct DeviceTabu<'a> {
    shop: &'a Shop,
    pacer: Pacer<'a>,
    monitor: &'a Monitor,
    settings: Settings,
    trajectories: usize,
    queue: &'a Queue,
    evaluate: Kernel,
    /// Work-items of a group that evaluates, and such groups for each trajectory.
    group: usize,
    groups: usize,
    advance: Kernel,
    advance_group: usize,
    buffers: Buffers,
    /// Generations behind the trajectories.
    generation: u64,
}

struct Buffers {
    times: Buffer<u32>,
    front: Buffer<u32>,
    /// The sequences of even and of odd generations.
    orders: [Buffer<u32>; 2],
    heads: Buffer<u32>,
    tails: Buffer<u32>,
    list: Buffer<u32>,
    forbidden: Buffer<u32>,
    leasts: Buffer<u32>,
    /// For each trajectory its shortest sequence and the makespan.
    bests: Buffer<u32>,
}

impl<'a> DeviceTabu<'a> {
    pub(super) fn new(
        device: &Device,
        queue: &'a Queue,
        shop: &'a Shop,
        monitor: &'a Monitor,
        settings: Settings,
        starts: &[Vec<u32>],
    ) -> Result<Self> {
        let (jobs, machines) = (shop.jobs(), shop.machines());
        let local_columns = settings.neighbourhood == Neighbourhood::Swap && settings.local_columns;
        let defines = [("MACHINES", machines as u64), ("LOCAL_COLUMNS", local_columns.into())];
        let program = device.program(&FAMILY, &defines)?;
        let (evaluate, wanted, items) = match settings.neighbourhood {
            Neighbourhood::Swap => ("evaluate_swaps", "SWAP_GROUP", settings.neighbourhood.numbers(jobs)),
            Neighbourhood::Insertion => ("evaluate_insertions", "INSERTION_GROUP", jobs),
        };
        let evaluate = program.kernel(evaluate)?;
        let mut group = (program.define(wanted).unwrap_or(1) as usize).min(evaluate.max_work_group_size());
        if local_columns {
            let item_bytes = 4 * (machines + 2);
            group = group.min(device.info().local_memory_bytes as usize / item_bytes);
        }
        if group == 0 {
            return Err(Error::DeviceFailed(format!("local memory holds no column of {machines} machines")));
        }
        let group = 1 << group.ilog2();
        let groups =
            items.div_ceil(group) * if settings.neighbourhood == Neighbourhood::Swap { 1 } else { 2 };
        let advance = program.kernel("advance")?;
        let advance_group = machines.next_power_of_two().max(32);
        let buffers = Buffers::new(device, queue, shop, &settings, starts, groups)?;
        let search = DeviceTabu {
            shop,
            pacer: Pacer::new(queue, monitor, "tabu"),
            monitor,
            settings,
            trajectories: starts.len(),
            queue,
            evaluate,
            group,
            groups,
            advance,
            advance_group,
            buffers,
            generation: 0,
        };
        search.advance(0)?;
        Ok(search)
    }

    /// Runs generations until a limit, at most `most` of them.
    pub(super) fn run(mut self, most: u64) -> Result<(Found, u64)> {
        let mut looked = Instant::now();
        let mut generations = 0;
        while generations < most && self.monitor.begin_iterations(1) == 1 {
            match self.next_generation() {
                Err(Error::Stopped) => break,
                generation => generation?,
            }
            generations += 1;
            if looked.elapsed() >= LOOK_INTERVAL {
                self.monitor.note(Some(self.best()?.makespan.into()), None);
                looked = Instant::now();
            }
        }
        Ok((self.best()?, generations))
    }

    fn next_generation(&mut self) -> Result<()> {
        self.evaluate()?;
        self.generation += 1;
        self.advance(self.groups)?;
        self.pacer.launched(self.advance_work(), None)
    }

    /// The makespans of all neighbours of all trajectories, in as many launches as the pacer wants.
    fn evaluate(&mut self) -> Result<()> {
        let buffers = &self.buffers;
        let jobs = self.shop.jobs();
        let (makespans, numbers) = (Arg::Local(4 * self.group), Arg::Local(4 * self.group));
        let orders = &buffers.orders[(self.generation % 2) as usize];
        let most_forbidden = Arg::U32(2 * self.settings.tenure as u32);
        let group_work = self.group_work();
        let mut first = 0;
        while first < self.groups {
            let room = (self.pacer.room() / (group_work * self.trajectories as u64).max(1)) as usize + 1;
            let count = room.min(self.groups - first);
            let range = [count * self.group, self.trajectories];
            let common = [
                buffers.times.arg(),
                buffers.front.arg(),
                orders.arg(),
                buffers.heads.arg(),
                buffers.tails.arg(),
                buffers.forbidden.arg(),
                buffers.leasts.arg(),
                Arg::U32(jobs as u32),
                most_forbidden,
                Arg::U32(first as u32),
                Arg::U32(self.groups as u32),
                makespans,
                numbers,
            ];
            match self.settings.neighbourhood {
                Neighbourhood::Insertion => {
                    self.queue.launch(&self.evaluate, &common, range, [self.group, 1])?;
                }
                Neighbourhood::Swap => {
                    let column =
                        if self.settings.local_columns { 4 * self.group * self.shop.machines() } else { 0 };
                    let own = [Arg::U32(self.settings.evaluation as u32), Arg::Local(column)];
                    let args: Vec<Arg<'_>> = common.into_iter().chain(own).collect();
                    self.queue.launch(&self.evaluate, &args, range, [self.group, 1])?;
                }
            }
            first += count;
            self.pacer.launched(count as u64 * self.trajectories as u64 * group_work, None)?;
        }
        Ok(())
    }

    /// On to the best neighbour by so many of its groups' results for each trajectory.
    fn advance(&self, leasts: usize) -> Result<()> {
        let buffers = &self.buffers;
        let now = (self.generation % 2) as usize;
        let tables = match (self.settings.neighbourhood, self.settings.evaluation) {
            (Neighbourhood::Insertion, _) | (_, Evaluation::HeadsAndTails) => 3,
            (_, Evaluation::Prefix) => 1,
            (_, Evaluation::Full) => 0,
        };
        let items = self.advance_group;
        let args = [
            buffers.times.arg(),
            buffers.front.arg(),
            buffers.orders[1 - now].arg(),
            buffers.orders[now].arg(),
            buffers.heads.arg(),
            buffers.tails.arg(),
            buffers.list.arg(),
            buffers.forbidden.arg(),
            buffers.leasts.arg(),
            buffers.bests.arg(),
            Arg::U32(leasts as u32),
            Arg::U32(self.shop.jobs() as u32),
            Arg::U32(u32::from(self.settings.neighbourhood == Neighbourhood::Insertion)),
            Arg::U32(tables),
            Arg::U32(self.settings.tenure as u32),
            // Beyond the first round of the list only its remainder counts.
            Arg::U32(self.list_slot()),
            Arg::Local(4 * items),
            Arg::Local(4 * items),
            Arg::Local(8 * self.shop.machines()),
        ];
        self.queue.launch(&self.advance, &args, [3 * items, self.trajectories], [items, 1])
    }

    fn list_slot(&self) -> u32 {
        let tenure = self.settings.tenure as u64;
        let slot = if self.generation < tenure { self.generation } else { tenure + self.generation % tenure };
        slot as u32
    }

    /// Steps of a launch in nanoseconds of a slow device.
    fn group_work(&self) -> u64 {
        let (jobs, machines) = (self.shop.jobs() as u64, self.shop.machines() as u64);
        let columns = match (self.settings.neighbourhood, self.settings.evaluation) {
            (Neighbourhood::Insertion, _) => 2 * jobs,
            (_, Evaluation::HeadsAndTails) => jobs / 3 + 1,
            (_, Evaluation::Prefix) => 2 * jobs / 3 + 1,
            (_, Evaluation::Full) => jobs,
        };
        columns * machines * self.group as u64
    }

    fn advance_work(&self) -> u64 {
        (self.shop.jobs() * self.shop.machines() * self.trajectories) as u64
    }

    /// The shortest sequence of all trajectories.
    fn best(&self) -> Result<Found> {
        let jobs = self.shop.jobs();
        let mut bests = vec![0; self.buffers.bests.len()];
        self.queue.read(&self.buffers.bests, 0, &mut bests)?;
        let best = bests.chunks_exact(jobs + 1).min_by_key(|best| best[jobs]);
        let best = best.ok_or_else(|| Error::Internal("a search without a trajectory".into()))?;
        Ok(Found { order: best[..jobs].to_vec(), makespan: best[jobs] })
    }
}

impl Buffers {
    fn new(
        device: &Device,
        queue: &Queue,
        shop: &Shop,
        settings: &Settings,
        starts: &[Vec<u32>],
        groups: usize,
    ) -> Result<Self> {
        let (jobs, machines) = (shop.jobs(), shop.machines());
        let row = machines.next_multiple_of(4);
        let mut times = Vec::with_capacity(jobs * row);
        for job in shop.times().chunks_exact(machines) {
            times.extend_from_slice(job);
            times.resize(times.len().next_multiple_of(row), 0);
        }
        let too_large = || Error::OutOfMemory {
            what: "the trajectories on the device".into(),
            required: u128::MAX,
            limit: device.info().max_allocation_bytes,
        };
        let each = |elements: usize| starts.len().checked_mul(elements).ok_or_else(too_large);
        let bests: Vec<u32> =
            starts.iter().flat_map(|start| start.iter().copied().chain([shop.makespan(start)])).collect();
        Ok(Buffers {
            times: device.buffer_from(queue, &times)?,
            front: device.buffer_from(queue, shop.front())?,
            orders: [device.buffer(each(jobs)?)?, device.buffer_from(queue, &starts.concat())?],
            heads: device.buffer(each((jobs + 1) * row)?)?,
            tails: device.buffer(each((jobs + 1) * row)?)?,
            list: device.buffer(each(settings.tenure.checked_mul(jobs).ok_or_else(too_large)?)?)?,
            forbidden: device.buffer(each(2 * settings.tenure + 1)?)?,
            leasts: device.buffer(each(2 * groups)?)?,
            bests: device.buffer_from(queue, &bests)?,
        })
    }
}
