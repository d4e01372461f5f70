//! The set-ups in the memory of a device.

use super::Shop;
use crate::flow_shop::Setups;
use crate::opencl::{Buffer, Device, Queue};
use crate::{Result, memory};

/// Set-ups of 16 bits that a kernel reads together.
const BLOCK_SETUPS: usize = 8;

/// The set-ups on a device.
pub(super) struct SetupBuffers {
    pub(super) into: Buffer<u32>,
    pub(super) out_of: Buffer<u32>,
    pub(super) kinds: Buffer<u32>,
    /// The kind of no job.
    pub(super) none: u32,
}

impl SetupBuffers {
    pub(super) fn new(
        device: &Device,
        queue: &Queue,
        shop: &Shop,
        setups: &Setups,
    ) -> Result<Self> {
        let none = setups.kinds();
        let jobs = 0..shop.jobs() as u32;
        let kinds = jobs.map(|job| setups.kind_of(shop.number(job)) as u32);
        let kinds: Vec<u32> = kinds.chain([none as u32]).collect();
        let [into, out_of] = rows(shop, setups)?;
        Ok(SetupBuffers {
            into: device.buffer_from(queue, &into)?,
            out_of: device.buffer_from(queue, &out_of)?,
            kinds: device.buffer_from(queue, &kinds)?,
            none: none as u32,
        })
    }
}

/// Quads of words of a row, with padding: a row begins at a multiple of its size, so that it lies
/// in few cache lines.
pub(super) fn row(machines: usize) -> usize {
    machines.div_ceil(BLOCK_SETUPS).next_power_of_two()
}

/// Bytes of the rows of set-ups.
pub(super) fn bytes(setups: &Setups, machines: usize) -> u128 {
    let (kinds, row) = (setups.kinds() as u128 + 1, row(machines) as u128);
    2 * kinds * kinds * row * 16
}

/// Rows of set-ups by the later and the earlier kind, and by the earlier and the later kind.
fn rows(shop: &Shop, setups: &Setups) -> Result<[Vec<u32>; 2]> {
    let (kinds, machines) = (setups.kinds(), shop.machines());
    let words = 4 * row(machines);
    let length = (kinds + 1) * (kinds + 1) * words;
    let mut rows = [memory::zeroed::<u32>(length)?, memory::zeroed::<u32>(length)?];
    let mut put = |table: usize, kind: usize, other: usize, machine: usize, time: u32| {
        let row = (kind * (kinds + 1) + other) * words;
        rows[table][row + machine / 2] |= time << (machine % 2 * 16);
    };
    for machine in 0..machines {
        for (pair, &time) in setups.matrix(machine).iter().enumerate() {
            let (from, to) = (pair / kinds, pair % kinds);
            put(0, to, from, machine, time);
            put(1, from, to, machine, time);
        }
        for job in 0..shop.jobs() as u32 {
            let number = shop.number(job);
            let first = setups.between(machine, shop.last_pinned(), number);
            put(0, setups.kind_of(number), kinds, machine, first);
        }
    }
    Ok(rows)
}
