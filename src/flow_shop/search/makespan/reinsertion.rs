//! A sequence from which jobs are removed and reinserted. The makespans of all positions for a job
//! are computed at once: Taillard's acceleration with positions in vector lanes.

use std::iter;

use super::{Shop, Time};
use crate::flow_shop::insertion::idle_time;
use crate::flow_shop::search::evaluator::PartialSequence;
use crate::simd::{self, HotLoop, Simd};

/// Positions evaluated together.
const LANES: usize = 32;
/// Columns of a table computed together, each one machine behind the previous one. A single column
/// would be one chain of latencies.
const COLUMNS: usize = 4;
/// Rows before the first machine and after the last, for columns that have not started or are
/// finished.
const MARGIN: usize = COLUMNS - 1;

/// A sequence of some jobs of the shop, with heads and tails that are computed when needed.
pub(in crate::flow_shop::search) struct Reinsertion<'a, T: Time> {
    shop: &'a Shop,
    /// An excess of this size is accepted with probability 1 / e, as Ruiz and Stützle propose.
    temperature: f64,
    simd: Simd,
    order: Vec<u32>,
    /// Times by job, each with zeros in the margins, then one row of zeros.
    times: Vec<T>,
    front: Vec<T>,
    /// Length of a table row.
    stride: usize,
    /// Rows by machine, with margins. For each position, the time at which the machine becomes free
    /// for the job there.
    heads: Vec<T>,
    /// Rows by machine, with margins. For each position, the time from the start of the job there
    /// to the end of the schedule. Rows are aligned at the end of the sequence, so that positions
    /// after a change keep their place: position `p` is at `base() + p`.
    tails: Vec<T>,
    /// Heads are valid up to this position.
    heads_known: usize,
    /// Tails are valid from this place in their rows on.
    tails_known: usize,
    /// For each position, the makespan with the job inserted there.
    makespans: Vec<T>,
}

impl<'a, T: Time> Reinsertion<'a, T> {
    /// Type `T` must hold the times of all evaluated sequences.
    pub(in crate::flow_shop::search) fn new(shop: &'a Shop) -> Self {
        let machines = shop.machines();
        let stride = Self::stride(shop);
        let rows = machines + 2 * MARGIN;
        let mut times = vec![T::default(); (shop.jobs() + 1) * rows];
        for (padded, job) in times.chunks_exact_mut(rows).zip(shop.times().chunks_exact(machines)) {
            padded[MARGIN..]
                .iter_mut()
                .zip(job)
                .for_each(|(time, &of_job)| *time = T::from_u32(of_job));
        }
        Reinsertion {
            shop,
            temperature: 0.7 * shop.mean_time() / 10.0,
            simd: Simd::detect(),
            order: Vec::with_capacity(shop.jobs()),
            times,
            front: shop.front().iter().map(|&time| T::from_u32(time)).collect(),
            stride,
            heads: vec![T::default(); rows * stride],
            tails: vec![T::default(); rows * stride],
            heads_known: 0,
            tails_known: stride,
            makespans: vec![T::default(); stride],
        }
    }

    /// Bytes of the tables.
    pub(in crate::flow_shop::search) fn bytes(shop: &Shop) -> u64 {
        let rows = shop.machines() + 2 * MARGIN;
        (2 * Self::stride(shop) as u64 + shop.jobs() as u64 + 1)
            * rows as u64
            * size_of::<T>() as u64
    }

    /// Row length for all positions, for extra columns that are computed with the last ones, and
    /// for surplus lanes.
    fn stride(shop: &Shop) -> usize {
        (shop.jobs() + 1 + MARGIN).next_multiple_of(LANES) + LANES
    }

    /// Computes `makespans`.
    fn evaluate(&mut self, job: u32) -> &[T] {
        self.complete_heads();
        self.complete_tails();
        let machines = self.shop.machines();
        let places = self.order.len() + 1;
        self.simd.run(Places {
            times: &self.times[job as usize * (machines + 2 * MARGIN) + MARGIN..][..machines],
            heads: &self.heads[MARGIN * self.stride..],
            tails: &self.tails[MARGIN * self.stride + self.base()..],
            stride: self.stride,
            makespans: &mut self.makespans[..places.next_multiple_of(LANES)],
        });
        &self.makespans[..places]
    }

    /// The additional idle time of the machines with the job at the position, whose heads must be
    /// known.
    fn idle_time(&self, job: u32, position: usize) -> i64 {
        let next = self.order.get(position).map(|&next| self.shop.job(next));
        idle_time(self.shop.job(job), next, |machine, later| {
            self.heads[(MARGIN + machine) * self.stride + position + later].to_u32()
        })
    }

    /// The place of the first position's tails in their rows; surplus lanes read beyond the last
    /// row.
    fn base(&self) -> usize {
        self.stride - LANES - self.order.len() - 1
    }

    fn complete_heads(&mut self) {
        if self.heads_known == 0 {
            for (machine, &free) in self.front.iter().enumerate() {
                self.heads[(MARGIN + machine) * self.stride] = free;
            }
        }
        let (rows, stride) = (self.shop.machines() + 2 * MARGIN, self.stride);
        let (order, times, heads) = (&self.order[..], &self.times[..], &mut self.heads[..]);
        for first in (self.heads_known..order.len()).step_by(COLUMNS) {
            let times = columns(times, rows, |column| order.get(first + column));
            let mut end = [T::default(); COLUMNS];
            // Each step advances every column by one machine, one machine behind the previous
            // column.
            for step in MARGIN..rows {
                let before = heads[step * stride + first];
                for column in (0..COLUMNS).rev() {
                    let before = if column == 0 { before } else { end[column - 1] };
                    end[column] = end[column].max(before).plus(times[column][step - column]);
                    heads[(step - column) * stride + first + column + 1] = end[column];
                }
            }
        }
        self.heads_known = order.len();
    }

    fn complete_tails(&mut self) {
        let (base, rows, stride) = (self.base(), self.shop.machines() + 2 * MARGIN, self.stride);
        let (order, times, tails) = (&self.order[..], &self.times[..], &mut self.tails[..]);
        // The column of the end always stays zero.
        let unknown = order.len().min(self.tails_known.saturating_sub(base));
        for last in (1..=unknown).rev().step_by(COLUMNS) {
            let times = columns(times, rows, |column| order.get((last - 1).wrapping_sub(column)));
            let place = base + last;
            let mut end = [T::default(); COLUMNS];
            for step in (0..rows - MARGIN).rev() {
                let before = tails[step * stride + place];
                for column in (0..COLUMNS).rev() {
                    let before = if column == 0 { before } else { end[column - 1] };
                    end[column] = end[column].max(before).plus(times[column][step + column]);
                    tails[(step + column) * stride + place - column - 1] = end[column];
                }
            }
        }
        self.tails_known = base;
    }
}

/// The times of the jobs in some columns, as rows of `rows` numbers. A column without a job gets
/// the last row, which is zero.
#[inline(always)]
fn columns<'t, 'j, T>(
    times: &'t [T],
    rows: usize,
    job: impl Fn(usize) -> Option<&'j u32>,
) -> [&'t [T]; COLUMNS] {
    let none = times.len() / rows - 1;
    simd::array(|column| &times[rows * job(column).map_or(none, |&job| job as usize)..][..rows])
}

impl<T: Time> PartialSequence for Reinsertion<'_, T> {
    type Value = u64;

    fn order(&self) -> &[u32] {
        &self.order
    }

    #[inline]
    fn set(&mut self, order: &[u32]) {
        self.order.clear();
        self.order.extend_from_slice(order);
        self.heads_known = 0;
        self.tails_known = self.stride;
    }

    #[inline]
    fn insert(&mut self, position: usize, job: u32) {
        self.order.insert(position, job);
        self.heads_known = self.heads_known.min(position);
        self.tails_known = self.tails_known.max(self.base() + position + 1);
    }

    fn remove(&mut self, position: usize) -> u32 {
        self.heads_known = self.heads_known.min(position);
        self.tails_known = self.tails_known.max(self.base() + position + 1);
        self.order.remove(position)
    }

    fn value(&mut self) -> u64 {
        self.shop.makespan(&self.order).into()
    }

    fn accepts(&self, worse: u64, better: u64, unit: f64) -> bool {
        unit < (-((worse - better) as f64) / self.temperature).exp()
    }

    /// On ties the machines' idle time decides, as in NEH, then the first position.
    fn best_place(&mut self, job: u32) -> (usize, u64) {
        self.evaluate(job);
        let places = &self.makespans[..=self.order.len()];
        let shortest = places.iter().copied().min().unwrap_or_default();
        let mut ties = (0..places.len()).filter(|&position| places[position] == shortest);
        let first = ties.next().unwrap_or(0);
        let mut ties = ties.peekable();
        // Only ties need idle times.
        let best = if ties.peek().is_some() {
            let all = iter::once(first).chain(ties);
            all.min_by_key(|&position| self.idle_time(job, position)).unwrap_or(first)
        } else {
            first
        };
        (best, shortest.to_u32().into())
    }

    fn reaches(&self, value: u64, moved: u32) -> bool {
        self.shop.fits::<T>(value, moved)
    }
}

/// Computes the makespans with a job at each position of a sequence.
struct Places<'a, T> {
    /// The job's times.
    times: &'a [T],
    /// Rows by machine at distance `stride`, from the first position on.
    heads: &'a [T],
    tails: &'a [T],
    stride: usize,
    makespans: &'a mut [T],
}

impl<T: Time> HotLoop for Places<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (vector, makespans) in self.makespans.chunks_exact_mut(LANES).enumerate() {
            let mut end = [T::default(); LANES];
            let mut longest = [T::default(); LANES];
            for (machine, &time) in self.times.iter().enumerate() {
                let row = machine * self.stride + vector * LANES;
                let heads: &[T; LANES] = self.heads[row..][..LANES].try_into().expect("as long");
                // Lanes after the last position read data after the row; their results are not
                // used.
                let tails: &[T; LANES] = self.tails[row..][..LANES].try_into().expect("as long");
                for lane in 0..LANES {
                    end[lane] = end[lane].max(heads[lane]).plus(time);
                    longest[lane] = longest[lane].max(end[lane].plus(tails[lane]));
                }
            }
            makespans.copy_from_slice(&longest);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::flow_shop::Instance;
    use crate::flow_shop::insertion::Insertion;
    use crate::flow_shop::testing::instances;
    use crate::random::Random;

    fn check<T: Time>(instance: &Instance, shop: &Shop, seed: u64) -> Result<(), TestCaseError> {
        let mut random = Random::new(seed);
        let mut sequence = Reinsertion::<T>::new(shop);
        let order: Vec<u32> = (0..shop.jobs() as u32).collect();
        sequence.set(&order);
        let mut out = Vec::new();
        for _ in 0..30 {
            let length = sequence.order().len() as u64;
            if out.is_empty() || (length > 0 && random.below(2) == 0) {
                out.push(sequence.remove(random.below(length) as usize));
            }
            let job = out.pop().unwrap();
            let makespans: Vec<u32> =
                sequence.evaluate(job).iter().map(|makespan| makespan.to_u32()).collect();
            for (position, &makespan) in makespans.iter().enumerate() {
                let mut with = sequence.order().to_vec();
                with.insert(position, job);
                prop_assert_eq!(makespan, shop.makespan(&with));
            }
            let (position, best) = sequence.best_place(job);
            prop_assert_eq!(Some(best), makespans.iter().copied().min().map(u64::from));
            let (present, number) =
                (shop.sequence(sequence.order()), *shop.sequence(&[job]).last().unwrap());
            let pinned = instance.pinned().len();
            let of_neh = Insertion::new(instance).best(&present, number, pinned);
            prop_assert_eq!((pinned + position, best), (of_neh.0, of_neh.1.into()));
            let elsewhere = random.below(makespans.len() as u64) as usize;
            sequence.insert(if random.below(2) == 0 { position } else { elsewhere }, job);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn every_place_has_its_makespan_and_the_best_is_that_of_neh(
            instance in instances(40, 5), seed in any::<u64>(),
        ) {
            let shop = Shop::of(&instance);
            prop_assume!(shop.jobs() > 0);
            check::<u16>(&instance, &shop, seed)?;
            check::<u32>(&instance, &shop, seed)?;
        }
    }
}
