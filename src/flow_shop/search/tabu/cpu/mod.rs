//! The CPU engine: all neighbours of a sequence, in vector lanes and on all threads.

mod insertions;
mod swaps;
mod tables;

use self::tables::{LANES, Tables, Vector};
use super::moves::{BLOCK, Neighbourhood};
use super::{Evaluation, Evaluator, Found, Settings};
use crate::flow_shop::search::Shop;
use crate::flow_shop::search::time::Time;
use crate::simd::{HotLoop, Simd};
use crate::solve::Monitor;
use crate::{Result, parallel};

/// Evaluates the neighbourhood of one sequence after another, in 16 bits while all neighbours' times fit: the numbers are
/// the same in either width.
pub(super) struct CpuEvaluator<'a> {
    shop: &'a Shop,
    monitor: &'a Monitor,
    settings: Settings,
    simd: Simd,
    narrow: Option<Neighbours<'a, u16>>,
    wide: Option<Neighbours<'a, u32>>,
}

impl<'a> CpuEvaluator<'a> {
    pub(super) fn new(shop: &'a Shop, monitor: &'a Monitor, settings: Settings, simd: Simd) -> Self {
        CpuEvaluator { shop, monitor, settings, simd, narrow: None, wide: None }
    }

    /// The most bytes that one takes.
    pub(super) fn bytes(shop: &Shop, settings: &Settings) -> u128 {
        let always_narrow = shop.fits::<u16>(shop.horizon(), 0);
        let wide = if always_narrow { 0 } else { Neighbours::<u32>::bytes(shop, settings) };
        Neighbours::<u16>::bytes(shop, settings) + wide
    }
}

impl Evaluator for CpuEvaluator<'_> {
    fn best(&mut self, from: &Found, forbidden: &[usize], goal: u32) -> Result<Option<(usize, u32)>> {
        let CpuEvaluator { shop, monitor, settings, simd, narrow, wide } = self;
        if shop.fits::<u16>(from.makespan, MOVED) {
            let neighbours = narrow.get_or_insert_with(|| Neighbours::new(shop, monitor, *settings, *simd));
            neighbours.best(from, forbidden, goal)
        } else {
            let neighbours = wide.get_or_insert_with(|| Neighbours::new(shop, monitor, *settings, *simd));
            neighbours.best(from, forbidden, goal)
        }
    }
}

/// Jobs that a move takes to other places, beside those that make room.
pub(super) const MOVED: u32 = 2;

/// Evaluates neighbourhoods in numbers of one width, which must hold their times.
pub(super) struct Neighbours<'a, T: Time> {
    shop: &'a Shop,
    monitor: &'a Monitor,
    neighbourhood: Neighbourhood,
    evaluation: Evaluation,
    simd: Simd,
    tables: Tables<T>,
    /// The makespan of each neighbour by number; [`Time::NONE`] where there is none.
    makespans: Vec<T>,
    /// Where the makespans of each unit of work end: the swaps of one position, or a block of insertions.
    units: Vec<usize>,
}

impl<'a, T: Time> Neighbours<'a, T> {
    pub(super) fn new(shop: &'a Shop, monitor: &'a Monitor, settings: Settings, simd: Simd) -> Self {
        let Settings { neighbourhood, evaluation, .. } = settings;
        let jobs = shop.jobs();
        let units = match neighbourhood {
            Neighbourhood::Swap => (1..jobs).map(|row| row * (2 * jobs - row - 1) / 2).collect(),
            Neighbourhood::Insertion => {
                (1..=jobs.div_ceil(BLOCK)).map(|block| block * BLOCK * jobs).collect()
            }
        };
        let makespans = vec![T::default(); neighbourhood.numbers(jobs)];
        let tables = Tables::new(shop);
        Neighbours { shop, monitor, neighbourhood, evaluation, simd, tables, makespans, units }
    }

    fn bytes(shop: &Shop, settings: &Settings) -> u128 {
        let jobs = shop.jobs() as u128;
        // In each case a little more than there are, without an overflow.
        let numbers = match settings.neighbourhood {
            Neighbourhood::Swap => jobs * jobs / 2,
            Neighbourhood::Insertion => jobs * (jobs + BLOCK as u128),
        };
        (numbers + Tables::<T>::elements(shop)) * size_of::<T>() as u128 + jobs * size_of::<usize>() as u128
    }

    /// Computes the makespans of all neighbours by number, but for the forbidden ones that do not lead below `goal`; gives
    /// the least one of each unit.
    fn evaluate(&mut self, order: &[u32], forbidden: &[usize], goal: u32) -> Result<Vec<T>> {
        self.tables.set(self.shop, order);
        let mut rest = &mut self.makespans[..];
        let mut begin = 0;
        let mut parts = Vec::with_capacity(self.units.len());
        for &end in &self.units {
            let (part, later) = rest.split_at_mut(end - begin);
            parts.push((begin, part));
            (rest, begin) = (later, end);
        }
        let (tables, monitor, simd) = (&self.tables, self.monitor, self.simd);
        let (neighbourhood, evaluation) = (self.neighbourhood, self.evaluation);
        let unit = |(number, (begin, makespans)): (usize, (usize, &mut [T]))| {
            match neighbourhood {
                Neighbourhood::Swap => {
                    simd.run(swaps::Unit { tables, monitor, evaluation, first: number, makespans })?;
                }
                Neighbourhood::Insertion => {
                    simd.run(insertions::Unit { tables, monitor, block: number, makespans })?;
                }
            }
            for number in forbidden {
                let own = number.checked_sub(begin).and_then(|own| makespans.get_mut(own));
                own.into_iter().filter(|own| own.to_u32() >= goal).for_each(|own| *own = T::NONE);
            }
            Ok(simd.run(Least(makespans)))
        };
        parallel::try_map(parts.into_iter().enumerate(), unit)
    }

    /// The makespans of all neighbours by number.
    #[cfg(test)]
    pub(super) fn makespans(&mut self, order: &[u32]) -> Result<&[T]> {
        self.evaluate(order, &[], 0)?;
        Ok(&self.makespans)
    }
}

impl<T: Time> Evaluator for Neighbours<'_, T> {
    fn best(&mut self, from: &Found, forbidden: &[usize], goal: u32) -> Result<Option<(usize, u32)>> {
        let leasts = self.evaluate(&from.order, forbidden, goal)?;
        let Some((unit, &best)) = leasts.iter().enumerate().min_by_key(|&(_, least)| least) else {
            return Ok(None);
        };
        let begin = unit.checked_sub(1).map_or(0, |before| self.units[before]);
        let number = self.makespans[begin..self.units[unit]].iter().position(|&makespan| makespan == best);
        Ok(number.filter(|_| best != T::NONE).map(|number| (begin + number, best.to_u32())))
    }
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
