//! The makespans of all neighbours of a sequence: on the CPU with vectors and threads, on a device
//! as whole generations of tabu search.

mod device;
mod insertions;
mod swaps;
mod tables;

pub(in crate::flow_shop) use self::device::DeviceTabu;
pub(crate) use self::device::{TIMED, TIMED_SETUPS};
pub(in super::super) use self::device::{usual, usual_with_setups};

use self::tables::{LANES, Tables, Vector};
use super::{Shop, Time};
use crate::enumeration::enumeration;
use crate::flow_shop::search::evaluator::{NeighbourhoodEvaluator, ValuedSequence};
use crate::flow_shop::search::moves::{BLOCK, Neighbourhood};
use crate::simd::{HotLoop, Simd};
use crate::solve::Monitor;
use crate::{Result, memory, parallel};

enumeration! {
    /// How to compute the makespan of a swap. All ways lead to the same search.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum Evaluation {
        /// All positions.
        Full: "full", "All positions";
        /// All positions of permutations in memory, as Czapiński and Barnes (2011) have it. They
        /// are written once: n^2 (n - 1) / 2 positions of 16 bits for n jobs.
        Stored: "stored", "All positions, of permutations that are in memory";
        /// From the first changed position; the heads before it are shared with the parent.
        Prefix: "prefix", "From the first changed position to the end";
        /// From the first to the last changed position, joined there with the parent's tails.
        #[default]
        HeadsAndTails: "heads-and-tails", "From the first to the last changed position";
    }
}

/// The neighbourhood to evaluate, and how; see [`SearchOptions`].
#[derive(Debug, Clone, Copy)]
pub(in crate::flow_shop) struct Scan {
    pub(in super::super) neighbourhood: Neighbourhood,
    pub(in super::super) evaluation: Evaluation,
    pub(in super::super) local_columns: bool,
}

impl Scan {
    /// Number of completion times computed for a neighbourhood.
    pub(in super::super) fn work(&self, shop: &Shop) -> u64 {
        let jobs = shop.jobs() as u64;
        let columns = match (self.neighbourhood, self.evaluation) {
            (Neighbourhood::Insertion, _) => 2,
            (_, Evaluation::HeadsAndTails) => jobs / 3 + 1,
            (_, Evaluation::Prefix) => 2 * jobs / 3 + 1,
            (_, Evaluation::Full | Evaluation::Stored) => jobs,
        };
        self.neighbourhood.moves(shop.jobs()) * columns * shop.machines() as u64
    }
}

impl Scan {
    /// Whether all neighbours are in memory as permutations.
    fn stores_neighbours(&self) -> bool {
        self.neighbourhood == Neighbourhood::Swap && self.evaluation == Evaluation::Stored
    }

    /// Numbers of all these permutations.
    fn stored_numbers(&self, jobs: usize) -> u128 {
        let numbers = u128::from(self.neighbourhood.moves(jobs)) * jobs as u128;
        if self.stores_neighbours() { numbers } else { 0 }
    }
}

/// Evaluates neighbourhoods one after the other, in 16 bits while all neighbours' times fit. The
/// width does not change the results.
pub(in super::super) struct CpuNeighbours<'a> {
    shop: &'a Shop,
    monitor: &'a Monitor,
    scan: Scan,
    simd: Simd,
    narrow: Option<Neighbours<'a, u16>>,
    wide: Option<Neighbours<'a, u32>>,
}

impl<'a> CpuNeighbours<'a> {
    pub(in super::super) fn new(shop: &'a Shop, monitor: &'a Monitor, scan: Scan) -> Self {
        CpuNeighbours::with(shop, monitor, scan, Simd::detect())
    }

    fn with(shop: &'a Shop, monitor: &'a Monitor, scan: Scan, simd: Simd) -> Self {
        CpuNeighbours { shop, monitor, scan, simd, narrow: None, wide: None }
    }

    /// Most bytes of one evaluator.
    pub(in super::super) fn bytes(shop: &Shop, scan: &Scan) -> u128 {
        let always_narrow = shop.fits::<u16>(shop.horizon().into(), 0);
        let wide = if always_narrow { 0 } else { Neighbours::<u32>::bytes(shop, scan) };
        Neighbours::<u16>::bytes(shop, scan) + wide
    }
}

impl NeighbourhoodEvaluator for CpuNeighbours<'_> {
    type Value = u64;

    fn best(
        &mut self,
        from: &ValuedSequence,
        forbidden: &[usize],
        cutoff: u64,
    ) -> Result<Option<(usize, u64)>> {
        let CpuNeighbours { shop, monitor, scan, simd, narrow, wide } = self;
        if shop.fits::<u16>(from.value, MOVED) {
            let neighbours =
                narrow.get_or_insert_with(|| Neighbours::new(shop, monitor, *scan, *simd));
            neighbours.best(from, forbidden, cutoff)
        } else {
            let neighbours =
                wide.get_or_insert_with(|| Neighbours::new(shop, monitor, *scan, *simd));
            neighbours.best(from, forbidden, cutoff)
        }
    }
}

/// Most jobs that a move reorders, without those that only shift.
const MOVED: u32 = 2;

/// Evaluates neighbourhoods with integers of one width, which must hold all times.
struct Neighbours<'a, T: Time> {
    shop: &'a Shop,
    monitor: &'a Monitor,
    neighbourhood: Neighbourhood,
    evaluation: Evaluation,
    simd: Simd,
    tables: Tables<T>,
    /// The makespan of each neighbour by move index; [`Time::NONE`] if the index is no move.
    makespans: Vec<T>,
    /// If neighbours are stored: for each of them and each of its positions, the position of the
    /// present sequence from which the job comes. Empty before the first generation.
    stored: Vec<u16>,
    /// The end of each unit of work among the makespans; a unit is the swaps of one position, or a
    /// block of insertions.
    units: Vec<usize>,
}

impl<'a, T: Time> Neighbours<'a, T> {
    fn new(shop: &'a Shop, monitor: &'a Monitor, scan: Scan, simd: Simd) -> Self {
        let Scan { neighbourhood, evaluation, .. } = scan;
        let jobs = shop.jobs();
        let units = match neighbourhood {
            Neighbourhood::Swap => (1..jobs).map(|row| row * (2 * jobs - row - 1) / 2).collect(),
            Neighbourhood::Insertion => {
                (1..=jobs.div_ceil(BLOCK)).map(|block| block * BLOCK * jobs).collect()
            }
        };
        let makespans = vec![T::default(); neighbourhood.numbers(jobs)];
        let tables = Tables::new(shop);
        let stored = Vec::new();
        Neighbours {
            shop,
            monitor,
            neighbourhood,
            evaluation,
            simd,
            tables,
            makespans,
            stored,
            units,
        }
    }

    fn bytes(shop: &Shop, scan: &Scan) -> u128 {
        let jobs = shop.jobs() as u128;
        // Slightly too large in both cases, without an overflow.
        let numbers = match scan.neighbourhood {
            Neighbourhood::Swap => jobs * jobs / 2,
            Neighbourhood::Insertion => jobs * (jobs + BLOCK as u128),
        };
        (numbers + Tables::<T>::elements(shop)) * size_of::<T>() as u128
            + scan.stored_numbers(shop.jobs()) * size_of::<u16>() as u128
            + jobs * size_of::<usize>() as u128
    }

    /// All neighbours as permutations of positions.
    fn permutations(&self) -> Result<Vec<u16>> {
        let (jobs, monitor) = (self.shop.jobs(), self.monitor);
        let mut stored = memory::zeroed(self.makespans.len() * jobs)?;
        let rows = parts(&mut stored, self.units.iter().map(|&end| end * jobs));
        let write = |(first, (_, row)): (usize, (usize, &mut [u16]))| {
            for (second, sequence) in (first + 1..).zip(row.chunks_exact_mut(jobs)) {
                monitor.check()?;
                // 2^16 jobs would take 2^48 bytes.
                (0..).zip(&mut *sequence).for_each(|(position, own)| *own = position);
                sequence.swap(first, second);
            }
            Ok(())
        };
        parallel::try_map(rows.into_iter().enumerate(), write)?;
        Ok(stored)
    }

    /// Computes the makespans of all neighbours by move index, except forbidden ones that don't
    /// lead below `cutoff`; returns the least one of each unit.
    fn evaluate(&mut self, order: &[u32], forbidden: &[usize], cutoff: u64) -> Result<Vec<T>> {
        self.tables.set(self.shop, order);
        let is_stored =
            self.neighbourhood == Neighbourhood::Swap && self.evaluation == Evaluation::Stored;
        if is_stored && self.stored.is_empty() {
            self.stored = self.permutations()?;
        }
        let parts = parts(&mut self.makespans, self.units.iter().copied());
        let (tables, monitor, simd) = (&self.tables, self.monitor, self.simd);
        let (jobs, stored) = (self.shop.jobs(), &self.stored[..]);
        let (neighbourhood, evaluation) = (self.neighbourhood, self.evaluation);
        let unit = |(number, (begin, makespans)): (usize, (usize, &mut [T]))| {
            match neighbourhood {
                Neighbourhood::Swap => {
                    simd.run(swaps::Unit {
                        tables,
                        monitor,
                        evaluation,
                        first: number,
                        stored: stored.get(begin * jobs..).unwrap_or_default(),
                        makespans,
                    })?;
                }
                Neighbourhood::Insertion => {
                    simd.run(insertions::Unit { tables, monitor, block: number, makespans })?;
                }
            }
            for number in forbidden {
                let own = number.checked_sub(begin).and_then(|own| makespans.get_mut(own));
                own.into_iter()
                    .filter(|own| u64::from(own.to_u32()) >= cutoff)
                    .for_each(|own| *own = T::NONE);
            }
            Ok(simd.run(Least(makespans)))
        };
        parallel::try_map(parts.into_iter().enumerate(), unit)
    }

    /// The makespans of all neighbours by move index.
    #[cfg(test)]
    fn makespans(&mut self, order: &[u32]) -> Result<&[T]> {
        self.evaluate(order, &[], 0)?;
        Ok(&self.makespans)
    }
}

impl<T: Time> NeighbourhoodEvaluator for Neighbours<'_, T> {
    type Value = u64;

    fn best(
        &mut self,
        from: &ValuedSequence,
        forbidden: &[usize],
        cutoff: u64,
    ) -> Result<Option<(usize, u64)>> {
        let leasts = self.evaluate(&from.order, forbidden, cutoff)?;
        let Some((unit, &best)) = leasts.iter().enumerate().min_by_key(|&(_, least)| least) else {
            return Ok(None);
        };
        let begin = unit.checked_sub(1).map_or(0, |before| self.units[before]);
        let number =
            self.makespans[begin..self.units[unit]].iter().position(|&makespan| makespan == best);
        Ok(number.filter(|_| best != T::NONE).map(|number| (begin + number, best.to_u32().into())))
    }
}

/// Cuts a list at these ends, and returns each part with its beginning.
fn parts<T>(list: &mut [T], ends: impl Iterator<Item = usize>) -> Vec<(usize, &mut [T])> {
    let (mut rest, mut begin) = (list, 0);
    let cut = |end| {
        let (part, later) = std::mem::take(&mut rest).split_at_mut(end - begin);
        let part = (begin, part);
        (rest, begin) = (later, end);
        part
    };
    ends.map(cut).collect()
}

/// Finds the least of some makespans.
struct Least<'a, T>(&'a [T]);

impl<T: Time> HotLoop for Least<'_, T> {
    type Output = T;

    #[inline(always)]
    fn run(self) -> T {
        let (vectors, rest) = self.0.as_chunks::<LANES>();
        let mut leasts: Vector<T> = [T::NONE; LANES];
        for vector in vectors {
            for lane in 0..LANES {
                leasts[lane] = leasts[lane].min(vector[lane]);
            }
        }
        leasts.iter().chain(rest).copied().min().unwrap_or(T::NONE)
    }
}

#[cfg(test)]
mod tests;
