//! The trajectories' buffers on a device.

use std::collections::VecDeque;

use super::setup_buffers::{self, SetupBuffers};
use super::{Layout, Scan, Shop};
use crate::Result;
use crate::flow_shop::permutation::is_permutation;
use crate::flow_shop::search::tabu::{Entries, List, Settings, State, TabuList, check_memory};
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
    /// All neighbours, if they are stored, for all trajectories.
    pub(super) stored: Buffer<u16>,
    pub(super) list: Buffer<u32>,
    pub(super) forbidden: Buffer<u32>,
    pub(super) leasts: Buffer<u64>,
    /// The shortest sequence of each trajectory, and its makespan.
    pub(super) bests: Buffer<u32>,
    pub(super) setups: Option<SetupBuffers>,
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
    /// Bytes of the set-ups themselves and numbers of the stored neighbours, once for all
    /// trajectories.
    setup_bytes: u128,
    stored: usize,
}

impl Buffers {
    /// Buffers for the trajectories, with their initial contents.
    pub(super) fn new(
        device: &Device,
        queue: &Queue,
        shop: &Shop,
        states: &[State],
        generation: u64,
        layout: Layout,
        lengths: &Lengths,
    ) -> Result<Self> {
        let all = |length: usize| length * states.len();
        let forbidden = device.buffer(all(lengths.forbidden))?;
        queue.fill(&forbidden, 0, forbidden.len(), u32::MAX)?;
        let bests: Vec<u32> = states
            .iter()
            .flat_map(|state| state.best.order.iter().copied().chain([state.best.value as u32]))
            .collect();
        let mut orders = [
            device.buffer(all(lengths.order))?,
            device.buffer_from(queue, &orders(shop, layout, states))?,
        ];
        // The first step reads the sequences that an earlier one would have left.
        if generation % 2 == 1 {
            orders.swap(0, 1);
        }
        Ok(Buffers {
            times: device.buffer_from(queue, &by_job(shop, layout, |times| times.to_vec()))?,
            front: device.buffer_from(queue, &front(shop, layout))?,
            sums: device.buffer_from(queue, &by_job(shop, layout, sums))?,
            orders,
            sequence_times: device.buffer(all(lengths.tables))?,
            tails: device.buffer(all(lengths.tables))?,
            deltas: device.buffer(all(lengths.deltas))?,
            stored: device.buffer(lengths.stored)?,
            list: device.buffer_from(queue, &list_words(states, lengths.list))?,
            forbidden,
            leasts: device.buffer(all(lengths.leasts) / 2)?,
            bests: device.buffer_from(queue, &bests)?,
            setups: match shop.setups() {
                None => None,
                Some(setups) => Some(SetupBuffers::new(device, queue, shop, setups)?),
            },
        })
    }
}

impl Lengths {
    pub(super) fn new(
        shop: &Shop,
        settings: &Settings,
        scan: &Scan,
        layout: Layout,
        groups: usize,
    ) -> Self {
        let (jobs, setups) = (shop.jobs(), shop.setups());
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
            setup_bytes: setups.map_or(0, |setups| setup_buffers::bytes(setups, shop.machines())),
            stored: usize::try_from(scan.stored_numbers(jobs)).unwrap_or(usize::MAX),
        }
    }

    /// Refuses `trajectories` trajectories if the device has too little memory.
    pub(super) fn check(
        &self,
        device: &Device,
        monitor: &Monitor,
        trajectories: usize,
    ) -> Result<()> {
        let Lengths { order, tables, deltas, list, forbidden, leasts, best, .. } = *self;
        let numbers = [2 * order, 2 * tables, deltas, list, forbidden, leasts, best];
        let bytes: u128 =
            numbers.into_iter().map(|number| number as u128 * size_of::<u32>() as u128).sum();
        let limit = device.info().buffer_bytes(monitor.memory_bytes());
        let shared = self.setup_bytes + self.stored as u128 * size_of::<u16>() as u128;
        check_memory(bytes + shared.div_ceil(trajectories as u128), trajectories, limit)
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

/// The front. Without set-ups a job starts on a machine only after all earlier machines are free.
fn front(shop: &Shop, layout: Layout) -> Vec<u32> {
    let mut front: Vec<u32> = shop.front().to_vec();
    if shop.setups().is_none() {
        (1..front.len())
            .for_each(|machine| front[machine] = front[machine].max(front[machine - 1]));
    }
    front.resize(layout.row(), front.last().copied().unwrap_or(0));
    front
}

fn orders(shop: &Shop, layout: Layout, states: &[State]) -> Vec<u32> {
    let mut orders = Vec::with_capacity(states.len() * layout.positions());
    for (number, state) in (1..).zip(states) {
        orders.extend_from_slice(&state.present.order);
        orders.resize(number * layout.positions(), shop.jobs() as u32);
    }
    orders
}

/// In place of a job that did not move.
const NO_JOB: u32 = u32::MAX;

/// Number of entries of a list.
pub(super) fn entries(list: &List) -> usize {
    match list.entries() {
        Entries::Sequences(entries) => entries.len(),
        Entries::Attributes(entries) => entries.len(),
    }
}

/// The lists in the device's form, each in `length` words: the first entry in the first slot.
fn list_words(states: &[State], length: usize) -> Vec<u32> {
    let mut words = Vec::with_capacity(states.len() * length);
    for (number, state) in (1..).zip(states) {
        match state.list.entries() {
            Entries::Sequences(entries) => entries.iter().for_each(|entry| words.extend(entry)),
            Entries::Attributes(entries) => {
                for entry in entries {
                    let mut moved = [NO_JOB, 0, NO_JOB, 0];
                    let places = moved.chunks_exact_mut(2).zip(entry);
                    places.for_each(|(place, &(job, left))| {
                        place.copy_from_slice(&[job, left as u32]);
                    });
                    words.extend(moved);
                }
            }
        }
        words.resize(number * length, 0);
    }
    words
}

/// The lists of all trajectories after a generation, from the words of the device. `None` if they
/// name jobs or positions that there are not.
pub(super) fn lists(
    settings: &Settings,
    jobs: usize,
    generation: u64,
    words: &[u32],
) -> Option<Vec<List>> {
    let tenure = settings.tenure as u64;
    let length = match settings.list {
        TabuList::Sequences => jobs,
        TabuList::Attributes => ATTRIBUTE_WORDS,
    };
    let latest = (generation + 1).saturating_sub(tenure)..=generation;
    let list = |words: &[u32]| {
        let slots = latest.clone().map(|generation| (generation % tenure) as usize * length);
        let entries = slots.map(|first| &words[first..][..length]);
        Some(List::of(
            settings,
            match settings.list {
                TabuList::Sequences => Entries::Sequences(
                    entries.map(|entry| sequence(entry, jobs)).collect::<Option<VecDeque<_>>>()?,
                ),
                TabuList::Attributes => Entries::Attributes(
                    entries
                        .map(|entry| attributes(entry, jobs))
                        .collect::<Option<VecDeque<_>>>()?,
                ),
            },
        ))
    };
    words.chunks_exact(settings.tenure * length).map(list).collect()
}

fn sequence(entry: &[u32], jobs: usize) -> Option<Vec<u32>> {
    is_permutation(entry.iter().copied(), jobs).then(|| entry.to_vec())
}

fn attributes(entry: &[u32], jobs: usize) -> Option<Vec<(u32, usize)>> {
    let moved = entry.chunks_exact(2).filter(|moved| moved[0] != NO_JOB);
    let is_known = |moved: &[u32]| moved.iter().all(|&number| (number as usize) < jobs);
    moved.map(|moved| is_known(moved).then(|| (moved[0], moved[1] as usize))).collect()
}
