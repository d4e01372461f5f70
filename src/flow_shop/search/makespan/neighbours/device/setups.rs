//! Set-ups: the family of kernels, and the buffers and launches that insertions need for them.

use std::ops::Range;
use std::sync::Arc;

use super::buffers::Buffers;
#[cfg(test)]
use super::kernels::{Advance, SetupInsertions};
use super::kernels::{LayOutSetups, SetupTails};
use super::setup_buffers::{SetupBuffers, row};
use super::{BATCH, Layout, Shop, UNROLL, WAVE, self_test, shared_constants};
use crate::flow_shop::Setups;
use crate::flow_shop::search::tabu::TabuList;
use crate::opencl::{
    Buffer, Device, Kernel, KernelFamily, Local, Program, Queue, Tunable, Usual, source,
};
use crate::{Error, Result};

pub(crate) const SETUP_FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_setup_search",
    sources: &[
        source!("flow_shop_tables.cl"),
        source!("flow_shop_moves.cl"),
        source!("flow_shop_setups.cl"),
        source!("flow_shop_step.cl"),
    ],
    #[cfg(test)]
    kernels: crate::opencl::declared![LayOutSetups, SetupTails, SetupInsertions, Advance],
    constants: &shared_constants(1),
    tuning: &[
        Tunable::power("QUADS: quads of positions that a lane processes at once", QUAD_RANGE),
        UNROLL,
        BATCH,
        Tunable::power("AHEAD: table rows that a wavefront loads in advance", (2, MOST_AHEAD)),
    ],
    self_test: self_test::compare_setups,
};

/// The least and the most quads of a tile, and the most rows that a wavefront loads in advance. It
/// makes as many steps at least for each batch; were a batch shorter, it would run away from the
/// batches and overwrite their columns.
const QUAD_RANGE: (u64, u64) = (1, 2);
const MOST_AHEAD: u64 = 4;
const _: () = assert!(WAVE as u64 / (4 * QUAD_RANGE.1) >= MOST_AHEAD);

/// Tiles of columns that are kept: those between the first and the last lane, those of a batch of
/// one position for each work-item, and those that the wavefront passes beyond it. With such a
/// distance, lanes write to different banks of local memory.
pub(super) fn ring(lanes: usize, quads: usize) -> usize {
    let least = lanes + WAVE / (4 * quads) + MOST_AHEAD as usize;
    (least + 5) / 8 * 8 + 2
}

/// The local memory of a group: passed completion times, the positions' states, the job's times, the
/// columns, and the best moves of the work-items.
pub(super) struct Memory {
    pub(super) chains: Local,
    pub(super) closed: Local,
    pub(super) own: Local,
    pub(super) ring: Local,
    pub(super) group_leasts: Local,
}

impl Memory {
    pub(super) fn new(layout: Layout, bitmaps: usize) -> Self {
        let Layout { lanes, quads, .. } = layout;
        Memory {
            chains: Local(layout.link_bytes()),
            closed: Local(4 * bitmaps * layout.positions().div_ceil(32)),
            own: Local(4 * layout.machines()),
            ring: Local(16 * quads * ring(lanes, quads) * layout.machines()),
            group_leasts: Local(8 * WAVE),
        }
    }

    fn bytes(&self) -> usize {
        let parts = [self.chains, self.closed, self.own, self.ring, self.group_leasts];
        parts.iter().map(|part| part.0).sum()
    }
}

/// Whether the kernels can search a shop with set-ups on a device: times and set-ups must have 16
/// bits, and a group must fit.
pub(super) fn are_searched(device: &Device, shop: &Shop, setups: &Setups) -> bool {
    let ((lanes, lane_machines), quads) = (super::lanes(shop.machines()), quads(device));
    let (ahead, tiles) = (MOST_AHEAD as usize, shop.jobs().div_ceil(4 * quads));
    let memory = Memory::new(Layout { lanes, lane_machines, quads, ahead, tiles }, 2);
    let info = device.info();
    let longest = shop.times().iter().copied().max().unwrap_or(0).max(setups.largest());
    longest <= u16::MAX.into()
        && memory.bytes() as u64 <= info.group_memory_bytes()
        && WAVE <= info.max_work_group_size
}

/// Quads of positions of a tile.
fn quads(device: &Device) -> usize {
    device.tuned(&SETUP_FAMILY, "QUADS")
}

/// The program of trajectories through sequences of jobs on this many machines.
pub(super) fn program(device: &Device, machines: usize, list: TabuList) -> Result<Arc<Program>> {
    let (lanes, lane_machines) = super::lanes(machines);
    let defines = [
        ("LANES", lanes as u64),
        ("LANE_MACHINES", lane_machines as u64),
        ("ATTRIBUTES", u64::from(list == TabuList::Attributes)),
        ("SETUP_ROW", row(machines) as u64),
        ("RING", ring(lanes, quads(device)) as u64),
    ];
    device.program(&SETUP_FAMILY, &defines)
}

pub(in crate::flow_shop::search) fn usual_with_setups(machines: usize, list: TabuList) -> Usual {
    Usual::new(SETUP_FAMILY.name, move |device| program(device, machines, list).map(drop))
}

/// The kernels that rebuild the tables of sequences.
pub(super) struct SetupLaunches {
    lay_out: Kernel<LayOutSetups<'static>>,
    tails: Kernel<SetupTails<'static>>,
}

impl SetupLaunches {
    pub(super) fn new(program: &Arc<Program>) -> Result<Self> {
        Ok(SetupLaunches { lay_out: program.kernel()?, tails: program.kernel()? })
    }

    /// Fills the tables of some trajectories for their sequences.
    pub(super) fn rebuild(
        &self,
        queue: &Queue,
        buffers: &Buffers,
        orders: &Buffer<u32>,
        layout: Layout,
        part: Range<usize>,
    ) -> Result<()> {
        let Some(SetupBuffers { into, kinds, none, .. }) = &buffers.setups else {
            return Err(Error::internal("a search with set-ups has none"));
        };
        let (steps, tails, tiles) = (&buffers.sequence_times, &buffers.tails, layout.tiles as u32);
        let (first, count) = ([0, part.start], part.len());
        let lay_out = LayOutSetups {
            job_times: &buffers.times,
            into,
            kinds,
            orders,
            steps,
            tiles,
            none: *none,
        };
        let items = (2 * layout.positions() * layout.machines()).next_multiple_of(WAVE);
        queue.launch_from(&self.lay_out, &lay_out, first, [items, count], [WAVE, 1])?;
        let chains = Local(layout.link_bytes());
        let wave = SetupTails { front: &buffers.front, steps, tails, tiles, chains };
        queue.launch_from(&self.tails, &wave, first, [2 * WAVE, count], [WAVE, 1])
    }
}

#[cfg(test)]
mod tests {
    use super::super::DeviceTabu;
    use super::super::from_scratch::{SetupSearch, instance_with_setups};
    use super::*;
    use crate::flow_shop::Instance;
    use crate::flow_shop::search::moves::Neighbourhood;
    use crate::opencl::testing::test_devices;

    /// Both engines find the same best sequences. A device may have too little local memory if that is
    /// less than a full profile of OpenCL promises.
    fn check(device: &Device, instance: &Instance, list: TabuList) {
        let search = SetupSearch::new(instance, list, 5).unwrap();
        match search.on_device(device) {
            Err(error) if device.info().group_memory_bytes() < 32 << 10 => {
                assert!(matches!(*error, Error::Unsupported(_)), "{error}");
            }
            found => assert_eq!(found.unwrap().0, search.on_host().unwrap()),
        }
    }

    #[test]
    fn searches_on_devices_are_those_of_the_host() {
        for device in test_devices() {
            // Lanes with one machine and with two; a part of the last tile and of the last word; rings
            // that wrap around twice. A simulator takes minutes for as many jobs.
            let (sizes, lists): (&[_], &[_]) = match device.quirks().simulator {
                true => (&[(2, 1, 0), (9, 3, 1), (4, 35, 0)], &TabuList::ALL[..1]),
                false => (&[(2, 1, 0), (34, 3, 1), (9, 35, 0), (150, 1, 0)], &TabuList::ALL),
            };
            for &(jobs, machines, pinned) in sizes {
                let instance = instance_with_setups(jobs, machines, pinned).unwrap();
                lists.iter().for_each(|&list| check(&device, &instance, list));
            }
        }
    }

    #[test]
    fn families_and_the_jobs_of_a_running_plan_count_on_devices() {
        let times: Vec<u32> = (0..36).map(|place| 5 + place * 7 % 11).collect();
        let between = (0..9).map(|pair| 1 + pair * 5 % 13).collect();
        let families = (0..12).map(|job| job % 3).collect();
        let setups = Setups::between_families(3, families, between).unwrap();
        let setups = setups.after(vec![2, 0, 1]).unwrap();
        let instance = Instance::new(12, 3, times).unwrap().with_setups(setups).unwrap();
        for device in test_devices() {
            check(&device, &instance, TabuList::default());
            let pinned = instance.clone().with_pinned(vec![7, 4]).unwrap();
            check(&device, &pinned, TabuList::default());
        }
    }

    #[test]
    fn long_times_have_no_kernels_on_devices() {
        let instance = |longest: u32| {
            let setups = Setups::between_jobs(2, vec![0, 3, 65_535, 0]).unwrap();
            let instance = Instance::new(2, 1, vec![1, longest]).unwrap();
            Shop::of(&instance.with_setups(setups).unwrap())
        };
        for device in test_devices() {
            let has_kernels = |longest: u32| {
                DeviceTabu::has_kernels(&device, &instance(longest), Neighbourhood::Insertion)
            };
            assert!(has_kernels(65_535) && !has_kernels(65_536));
        }
    }

    #[test]
    fn kept_columns_suffice_for_a_batch_and_spread_over_banks() {
        for lanes in 1..=WAVE {
            for quads in [QUAD_RANGE.0 as usize, QUAD_RANGE.1 as usize] {
                let ring = ring(lanes, quads);
                assert!(
                    ring >= lanes + WAVE / (4 * quads) + MOST_AHEAD as usize - 2 && ring % 8 == 2
                );
            }
        }
    }
}
