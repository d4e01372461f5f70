//! The trajectories' buffers on a device.

use super::{Layout, Scan, Shop};
use crate::Result;
use crate::flow_shop::search::evaluator::ValuedSequence;
use crate::flow_shop::search::tabu::{Settings, TabuList, check_memory};
use crate::opencl::{Buffer, Device, Queue};
use crate::solve::Monitor;

pub(super) struct Buffers {
    pub(super) times: Buffer<u32>,
    pub(super) front: Buffer<u32>,
    /// Prefix sums of the jobs' times over machines.
    pub(super) sums: Buffer<u32>,
    /// The sequences of even and of odd generations.
    pub(super) orders: [Buffer<u32>; 2],
    /// The times of the sequence and the tails behind each position, in both directions.
    pub(super) sequence_times: Buffer<u32>,
    pub(super) tails: Buffer<u32>,
    /// Differences of adjacent jobs, if swaps use them.
    pub(super) deltas: Buffer<i32>,
    pub(super) list: Buffer<u32>,
    pub(super) forbidden: Buffer<u32>,
    pub(super) leasts: Buffer<u64>,
    /// The shortest sequence of each trajectory, and its makespan.
    pub(super) bests: Buffer<u32>,
}

/// Numbers of 32-bit words per trajectory.
pub(super) struct Lengths {
    order: usize,
    tables: usize,
    deltas: usize,
    list: usize,
    forbidden: usize,
    leasts: usize,
    best: usize,
}

impl Buffers {
    /// Buffers for the trajectories, with their initial contents.
    pub(super) fn new(
        device: &Device,
        queue: &Queue,
        shop: &Shop,
        starts: &[ValuedSequence],
        layout: Layout,
        lengths: &Lengths,
    ) -> Result<Self> {
        let all = |length: usize| length * starts.len();
        let forbidden = device.buffer(all(lengths.forbidden))?;
        queue.fill(&forbidden, 0, forbidden.len(), u32::MAX)?;
        let bests: Vec<u32> = starts
            .iter()
            .flat_map(|start| start.order.iter().copied().chain([start.value as u32]))
            .collect();
        Ok(Buffers {
            times: device.buffer_from(queue, &by_job(shop, layout, |times| times.to_vec()))?,
            front: device.buffer_from(queue, &front(shop, layout))?,
            sums: device.buffer_from(queue, &by_job(shop, layout, sums))?,
            orders: [
                device.buffer(all(lengths.order))?,
                device.buffer_from(queue, &orders(shop, layout, starts))?,
            ],
            sequence_times: device.buffer(all(lengths.tables))?,
            tails: device.buffer(all(lengths.tables))?,
            deltas: device.buffer(all(lengths.deltas))?,
            list: device.buffer(all(lengths.list))?,
            forbidden,
            leasts: device.buffer(all(lengths.leasts) / 2)?,
            bests: device.buffer_from(queue, &bests)?,
        })
    }
}

impl Lengths {
    pub(super) fn new(
        jobs: usize,
        settings: &Settings,
        scan: &Scan,
        layout: Layout,
        groups: usize,
    ) -> Self {
        let entry = match settings.list {
            TabuList::Sequences => jobs,
            TabuList::Attributes => ATTRIBUTE_WORDS,
        };
        Lengths {
            order: layout.positions(),
            tables: 2 * layout.table(),
            deltas: if scan.has_deltas() {
                (layout.positions() + 4) * layout.machines()
            } else {
                0
            },
            list: settings.tenure * entry,
            forbidden: 2 * settings.tenure,
            leasts: 2 * groups,
            best: jobs + 1,
        }
    }

    /// Refuses `trajectories` trajectories if the device has too little memory.
    pub(super) fn check(
        &self,
        device: &Device,
        monitor: &Monitor,
        trajectories: usize,
    ) -> Result<()> {
        let Lengths { order, tables, deltas, list, forbidden, leasts, best } = *self;
        let numbers = [2 * order, 2 * tables, deltas, list, forbidden, leasts, best];
        let bytes: u128 =
            numbers.into_iter().map(|number| number as u128 * size_of::<u32>() as u128).sum();
        check_memory(bytes, trajectories, device.info().buffer_bytes(monitor.memory_bytes()))
    }
}

/// Words of two jobs, each with the position it left.
pub(super) const ATTRIBUTE_WORDS: usize = 4;

/// A row of numbers for each job, computed from its times, and a last row for a job of zero times.
fn by_job(shop: &Shop, layout: Layout, numbers: impl Fn(&[u32]) -> Vec<u32>) -> Vec<u32> {
    let row = layout.row();
    let mut rows = Vec::with_capacity((shop.jobs() + 1) * row);
    let mut times = vec![0; row];
    for job in shop.times().chunks_exact(shop.machines()) {
        times[..job.len()].copy_from_slice(job);
        rows.extend(numbers(&times));
    }
    rows.resize((shop.jobs() + 1) * row, 0);
    rows
}

/// Prefix sums of times over machines.
fn sums(times: &[u32]) -> Vec<u32> {
    let add = |sum: &mut u32, time: &u32| {
        *sum += time;
        Some(*sum)
    };
    times.iter().scan(0, add).collect()
}

/// The front: a job starts on a machine only after all earlier machines are free.
fn front(shop: &Shop, layout: Layout) -> Vec<u32> {
    let mut front: Vec<u32> = shop.front().to_vec();
    (1..front.len()).for_each(|machine| front[machine] = front[machine].max(front[machine - 1]));
    front.resize(layout.row(), front.last().copied().unwrap_or(0));
    front
}

fn orders(shop: &Shop, layout: Layout, starts: &[ValuedSequence]) -> Vec<u32> {
    let mut orders = Vec::with_capacity(starts.len() * layout.positions());
    for (number, start) in (1..).zip(starts) {
        orders.extend_from_slice(&start.order);
        orders.resize(number * layout.positions(), shop.jobs() as u32);
    }
    orders
}
