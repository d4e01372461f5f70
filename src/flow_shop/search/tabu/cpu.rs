//! The CPU engine: all neighbours of a sequence, in vector lanes and on all threads.

use rayon::prelude::*;

use super::moves::{BLOCK, Neighbourhood};
use super::{Evaluation, Evaluator};
use crate::flow_shop::search::Shop;
use crate::flow_shop::search::time::Time;
use crate::simd::{HotLoop, Simd};
use crate::solve::Monitor;
use crate::{Error, Result};

/// Neighbours that are evaluated together.
const LANES: usize = BLOCK;

type Vector<T> = [T; LANES];

/// Evaluates the neighbourhood of one sequence after another.
pub(super) struct CpuEvaluator<'a, T: Time> {
    shop: &'a Shop,
    monitor: &'a Monitor,
    neighbourhood: Neighbourhood,
    evaluation: Evaluation,
    tables: Tables<T>,
    /// The makespan of each neighbour by number; the largest number where there is none.
    makespans: Vec<T>,
    /// Where the makespans of each unit of work end: the swaps of one position, or a block of insertions.
    units: Vec<usize>,
}

/// What is known of the sequence.
struct Tables<T> {
    jobs: usize,
    machines: usize,
    /// For each position the times of the job there, for each machine.
    times: Vec<T>,
    /// For each position, and for the end, when the machines are free.
    heads: Vec<T>,
    /// For each position, and for the end, the time from the start of the job there to the end of all.
    tails: Vec<T>,
    /// Room of a row of the tables by machine.
    stride: usize,
    /// Times and tails once more, for each machine by position.
    times_by_machine: Vec<T>,
    tails_by_machine: Vec<T>,
}

impl<'a, T: Time> CpuEvaluator<'a, T> {
    pub(super) fn new(
        shop: &'a Shop,
        monitor: &'a Monitor,
        neighbourhood: Neighbourhood,
        evaluation: Evaluation,
    ) -> Result<Self> {
        let (jobs, machines) = (shop.jobs(), shop.machines());
        let numbers = neighbourhood.numbers(jobs);
        let required = (numbers + 5 * (jobs + 2 * LANES) * machines) as u128 * size_of::<T>() as u128;
        let limit = monitor.memory_bytes();
        if required > u128::from(limit) {
            return Err(Error::OutOfMemory { what: format!("{numbers} neighbours"), required, limit });
        }
        let units = match neighbourhood {
            Neighbourhood::Swap => (1..jobs).map(|row| row * (2 * jobs - row - 1) / 2).collect(),
            Neighbourhood::Insertion => {
                (1..=jobs.div_ceil(BLOCK)).map(|block| block * BLOCK * jobs).collect()
            }
        };
        let makespans = vec![T::default(); numbers];
        let tables = Tables::new(jobs, machines);
        Ok(CpuEvaluator { shop, monitor, neighbourhood, evaluation, tables, makespans, units })
    }

    /// Computes the makespans of all neighbours by number, but for the forbidden ones; gives the least one of each unit.
    fn evaluate(&mut self, order: &[u32], forbidden: &[usize]) -> Result<Vec<T>> {
        self.tables.set(self.shop, order);
        let mut rest = &mut self.makespans[..];
        let mut begin = 0;
        let mut parts = Vec::with_capacity(self.units.len());
        for &end in &self.units {
            let (part, later) = rest.split_at_mut(end - begin);
            parts.push((begin, part));
            (rest, begin) = (later, end);
        }
        let (tables, neighbourhood, evaluation) = (&self.tables, self.neighbourhood, self.evaluation);
        let front: Vec<T> = self.shop.front().iter().map(|&time| T::from_u32(time)).collect();
        let (front, simd) = (&front[..], Simd::detect());
        let unit = |(number, (begin, makespans))| {
            self.monitor.check()?;
            let unit = Unit { tables, neighbourhood, evaluation, front, number, begin, forbidden, makespans };
            Ok(simd.run(unit))
        };
        parts.into_par_iter().enumerate().map(unit).collect()
    }

    /// The makespans of all neighbours by number.
    #[cfg(test)]
    pub(super) fn makespans(&mut self, order: &[u32]) -> Result<&[T]> {
        self.evaluate(order, &[])?;
        Ok(&self.makespans)
    }
}

impl<T: Time> Evaluator for CpuEvaluator<'_, T> {
    fn best(&mut self, order: &[u32], forbidden: &[usize]) -> Result<Option<(usize, u32)>> {
        let leasts = self.evaluate(order, forbidden)?;
        let Some((unit, &best)) = leasts.iter().enumerate().min_by_key(|&(_, least)| least) else {
            return Ok(None);
        };
        let begin = unit.checked_sub(1).map_or(0, |before| self.units[before]);
        let number = self.makespans[begin..self.units[unit]].iter().position(|&makespan| makespan == best);
        Ok(number.filter(|_| best != none()).map(|number| (begin + number, best.to_u32())))
    }
}

/// Some of the neighbours, for one thread.
struct Unit<'a, T> {
    tables: &'a Tables<T>,
    neighbourhood: Neighbourhood,
    evaluation: Evaluation,
    front: &'a [T],
    number: usize,
    /// Number of the first neighbour.
    begin: usize,
    forbidden: &'a [usize],
    makespans: &'a mut [T],
}

impl<T: Time> HotLoop for Unit<'_, T> {
    type Output = T;

    /// Gives the least makespan of the neighbours that are not forbidden.
    #[inline(always)]
    fn run(self) -> T {
        match self.neighbourhood {
            Neighbourhood::Swap => {
                self.tables.swaps(self.evaluation, self.front, self.number, self.makespans);
            }
            Neighbourhood::Insertion => self.tables.insertions(self.number, self.makespans),
        }
        for number in self.forbidden {
            let own = number.checked_sub(self.begin).and_then(|own| self.makespans.get_mut(own));
            own.into_iter().for_each(|makespan| *makespan = none());
        }
        let (vectors, rest) = self.makespans.as_chunks::<LANES>();
        let mut leasts: Vector<T> = [none(); LANES];
        for vector in vectors {
            for lane in 0..LANES {
                leasts[lane] = leasts[lane].min(vector[lane]);
            }
        }
        leasts.iter().chain(rest).copied().min().unwrap_or_else(none)
    }
}

/// The makespan of what is no neighbour.
fn none<T: Time>() -> T {
    T::from_u32(T::MAX)
}

impl<T: Time> Tables<T> {
    fn new(jobs: usize, machines: usize) -> Self {
        let stride = jobs.next_multiple_of(LANES) + LANES + 1;
        Tables {
            jobs,
            machines,
            times: vec![T::default(); jobs * machines],
            heads: vec![T::default(); (jobs + 1) * machines],
            tails: vec![T::default(); (jobs + 1) * machines],
            stride,
            times_by_machine: vec![T::default(); stride * machines],
            tails_by_machine: vec![T::default(); stride * machines],
        }
    }

    fn set(&mut self, shop: &Shop, order: &[u32]) {
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

    fn row<'t>(&self, table: &'t [T], position: usize) -> &'t [T] {
        &table[position * self.machines..][..self.machines]
    }

    /// Makespans with the job at `first` and each later one exchanged.
    #[inline(always)]
    fn swaps(&self, evaluation: Evaluation, front: &[T], first: usize, makespans: &mut [T]) {
        let mut columns = vec![[T::default(); LANES]; self.machines];
        for (chunk, makespans) in makespans.chunks_mut(LANES).enumerate() {
            let second = first + 1 + chunk * LANES;
            let start = match evaluation {
                Evaluation::Full => front,
                _ => self.row(&self.heads, first),
            };
            columns.iter_mut().zip(start).for_each(|(column, &free)| *column = [free; LANES]);
            if evaluation == Evaluation::Full {
                (0..first).for_each(|position| self.append(&mut columns, position));
            }
            // The jobs of the lanes take the first one's place.
            let mut end = [T::default(); LANES];
            for (machine, column) in columns.iter_mut().enumerate() {
                let times = self.lanes(&self.times_by_machine, machine, second);
                for lane in 0..LANES {
                    end[lane] = end[lane].max(column[lane]).plus(times[lane]);
                }
                *column = end;
            }
            (first + 1..second).for_each(|position| self.append(&mut columns, position));
            let last = (second + LANES).min(self.jobs);
            let stop = if evaluation == Evaluation::HeadsAndTails { last } else { self.jobs };
            for position in second..stop {
                self.append_exchanged(&mut columns, position, first, second, evaluation);
            }
            let mut longest = [T::default(); LANES];
            for (machine, column) in columns.iter().enumerate() {
                let tails = match evaluation {
                    Evaluation::HeadsAndTails => *self.lanes(&self.tails_by_machine, machine, second + 1),
                    _ => [T::default(); LANES],
                };
                for lane in 0..LANES {
                    longest[lane] = longest[lane].max(column[lane].plus(tails[lane]));
                }
            }
            makespans.copy_from_slice(&longest[..makespans.len()]);
        }
    }

    /// The job at the position goes through the machines in all lanes.
    #[inline(always)]
    fn append(&self, columns: &mut [Vector<T>], position: usize) {
        let mut end = [T::default(); LANES];
        for (column, &time) in columns.iter_mut().zip(self.row(&self.times, position)) {
            for lane in 0..LANES {
                end[lane] = end[lane].max(column[lane]).plus(time);
            }
            *column = end;
        }
    }

    /// The same at the positions where the lanes have their second job, whose place the first job takes there. With tails
    /// the lanes are complete then and keep still.
    #[inline(always)]
    fn append_exchanged(
        &self,
        columns: &mut [Vector<T>],
        position: usize,
        first: usize,
        second: usize,
        evaluation: Evaluation,
    ) {
        let own = position - second;
        let freeze = evaluation == Evaluation::HeadsAndTails;
        let mut end = [T::default(); LANES];
        let times = self.row(&self.times, position).iter().zip(self.row(&self.times, first));
        for (column, (&time, &exchanged)) in columns.iter_mut().zip(times) {
            for lane in 0..LANES {
                let time = if lane == own { exchanged } else { time };
                end[lane] = end[lane].max(column[lane]).plus(time);
                column[lane] = if freeze && lane < own { column[lane] } else { end[lane] };
            }
        }
    }

    /// Makespans with each job of a block at each other position. The sequences without the job share their heads with
    /// the whole one before its place, and their tails behind it.
    #[inline(always)]
    fn insertions(&self, block: usize, makespans: &mut [T]) {
        let first = block * BLOCK;
        let last = (first + BLOCK).min(self.jobs);
        let own: Vec<Vector<T>> =
            (0..self.machines).map(|machine| *self.lanes(&self.times_by_machine, machine, first)).collect();
        let splat = |row: &[T]| row.iter().map(|&time| [time; LANES]).collect::<Vec<_>>();

        let mut columns = splat(self.row(&self.heads, first));
        for position in first..self.jobs {
            let row = &mut makespans[position * BLOCK..][..BLOCK];
            if position < last {
                let removed = position - first;
                let lengths = self.insert::<true, false>(&mut columns, &own, position, removed);
                row[..removed].copy_from_slice(&lengths[..removed]);
                row[removed..].fill(none());
            } else {
                row.copy_from_slice(&self.insert::<false, false>(&mut columns, &own, position, 0));
                row[last - first..].fill(none());
            }
        }
        let mut columns = splat(self.row(&self.tails, last));
        for position in (0..last).rev() {
            let row = &mut makespans[position * BLOCK..][..BLOCK];
            if position >= first {
                let removed = position - first;
                let lengths = self.insert::<true, true>(&mut columns, &own, position, removed);
                row[removed + 1..last - first].copy_from_slice(&lengths[removed + 1..last - first]);
            } else {
                row.copy_from_slice(&self.insert::<false, true>(&mut columns, &own, position, 0));
                row[last - first..].fill(none());
            }
        }
    }

    /// The job at the position follows in all lanes but the `removed` one, if it is removed `WITHIN` the block; then each
    /// lane's job is inserted behind it. Seen in a `MIRROR` the tails grow by the job at the position, and each lane's job
    /// is inserted before it: from behind its way through the machines is as long.
    #[inline(always)]
    fn insert<const WITHIN: bool, const MIRROR: bool>(
        &self,
        columns: &mut [Vector<T>],
        own: &[Vector<T>],
        position: usize,
        removed: usize,
    ) -> Vector<T> {
        let machines = self.machines;
        let times = self.row(&self.times, position);
        let rests =
            if MIRROR { self.row(&self.heads, position) } else { self.row(&self.tails, position + 1) };
        let (columns, own) = (&mut columns[..machines], &own[..machines]);
        let mut end = [T::default(); LANES];
        let (mut inserted, mut length) = (end, end);
        for step in 0..machines {
            let machine = if MIRROR { machines - 1 - step } else { step };
            let (column, own) = (&mut columns[machine], &own[machine]);
            for lane in 0..LANES {
                let with = end[lane].max(column[lane]).plus(times[machine]);
                end[lane] = if WITHIN && lane == removed { column[lane] } else { with };
                inserted[lane] = inserted[lane].max(end[lane]).plus(own[lane]);
                length[lane] = length[lane].max(inserted[lane].plus(rests[machine]));
            }
            *column = end;
        }
        length
    }

    #[inline(always)]
    fn lanes<'t>(&self, table: &'t [T], machine: usize, position: usize) -> &'t Vector<T> {
        table[machine * self.stride + position..][..LANES].try_into().expect("as long")
    }
}
