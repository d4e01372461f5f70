//! Tables of a sequence for the evaluation of its neighbours.

use super::{BLOCK, Shop, Time};

/// Neighbours evaluated together.
pub(super) const LANES: usize = BLOCK;

pub(super) type Vector<T> = [T; LANES];

/// Times, heads and tails of a sequence.
pub(super) struct Tables<T> {
    pub(super) jobs: usize,
    pub(super) machines: usize,
    /// For each position, the times of the job there on all machines; zeros after the last
    /// position.
    pub(super) times: Vec<T>,
    /// For each position and the end, the times at which the machines become free.
    pub(super) heads: Vec<T>,
    /// For each position and the end, the times from the start of the job there to the end of the
    /// schedule.
    pub(super) tails: Vec<T>,
    /// Row length of the tables by machine.
    stride: usize,
    /// Copies of times and tails, by machine and then by position.
    pub(super) times_by_machine: Vec<T>,
    pub(super) tails_by_machine: Vec<T>,
}

impl<T: Time> Tables<T> {
    pub(super) fn new(shop: &Shop) -> Self {
        let (jobs, machines, stride) = (shop.jobs(), shop.machines(), stride(shop));
        Tables {
            jobs,
            machines,
            times: vec![T::default(); (jobs + 1) * machines],
            heads: vec![T::default(); (jobs + 1) * machines],
            tails: vec![T::default(); (jobs + 1) * machines],
            stride,
            times_by_machine: vec![T::default(); stride * machines],
            tails_by_machine: vec![T::default(); stride * machines],
        }
    }

    /// Total number of elements in the tables.
    pub(super) fn elements(shop: &Shop) -> u128 {
        (3 * (shop.jobs() as u128 + 1) + 2 * stride(shop) as u128) * shop.machines() as u128
    }

    pub(super) fn set(&mut self, shop: &Shop, order: &[u32]) {
        let machines = self.machines;
        for (machine, &free) in shop.front().iter().enumerate() {
            self.heads[machine] = T::from_u32(free);
        }
        for (position, &job) in order.iter().enumerate() {
            let mut end = T::default();
            for (machine, &time) in shop.job(job).iter().enumerate() {
                let time = T::from_u32(time);
                end = end.max(self.heads[position * machines + machine]).plus(time);
                self.heads[(position + 1) * machines + machine] = end;
                self.times[position * machines + machine] = time;
                self.times_by_machine[machine * self.stride + position] = time;
            }
        }
        for position in (0..order.len()).rev() {
            let mut end = T::default();
            for machine in (0..machines).rev() {
                let later = self.tails[(position + 1) * machines + machine];
                end = end.max(later).plus(self.times[position * machines + machine]);
                self.tails[position * machines + machine] = end;
                self.tails_by_machine[machine * self.stride + position] = end;
            }
        }
    }

    /// A position's entries in a table, one for each machine.
    #[inline(always)]
    pub(super) fn row<'t>(&self, table: &'t [T], position: usize) -> &'t [T] {
        &table[position * self.machines..][..self.machines]
    }

    /// A machine's entries in a table by machine, from a position on. Entries after the last
    /// position are meaningless.
    #[inline(always)]
    pub(super) fn lanes<'t>(
        &self,
        table: &'t [T],
        machine: usize,
        position: usize,
    ) -> &'t Vector<T> {
        table[machine * self.stride + position..][..LANES].try_into().expect("as long")
    }
}

/// Row length for all positions and for surplus lanes.
fn stride(shop: &Shop) -> usize {
    shop.jobs().next_multiple_of(LANES) + LANES + 1
}
