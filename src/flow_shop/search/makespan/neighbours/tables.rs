//! What is known of a sequence before its neighbours are evaluated.

use super::{BLOCK, Shop, Time};

/// Neighbours that are evaluated together.
pub(super) const LANES: usize = BLOCK;

pub(super) type Vector<T> = [T; LANES];

/// Times, heads and tails of a sequence.
pub(super) struct Tables<T> {
    pub(super) jobs: usize,
    pub(super) machines: usize,
    /// For each position the times of the job there, for each machine; behind the last one those of
    /// a job without times.
    pub(super) times: Vec<T>,
    /// For each position, and for the end, when the machines are free.
    pub(super) heads: Vec<T>,
    /// For each position, and for the end, the time from the start of the job there to the end of
    /// all.
    pub(super) tails: Vec<T>,
    /// Room of a row of the tables by machine.
    stride: usize,
    /// Times and tails once more, for each machine by position.
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

    /// How many numbers the tables have.
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

    /// A position's numbers in a table, one for each machine.
    #[inline(always)]
    pub(super) fn row<'t>(&self, table: &'t [T], position: usize) -> &'t [T] {
        &table[position * self.machines..][..self.machines]
    }

    /// A machine's numbers in a table by machine, from a position on; behind the last position they
    /// mean nothing.
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

/// Room for all positions and for surplus lanes.
fn stride(shop: &Shop) -> usize {
    shop.jobs().next_multiple_of(LANES) + LANES + 1
}
