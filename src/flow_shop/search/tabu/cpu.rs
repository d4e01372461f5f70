//! The CPU engine: all neighbours of a sequence, in vector lanes and on all threads.
#![allow(unsafe_code)]

use rayon::prelude::*;

use super::moves::{BLOCK, Neighbourhood};
use super::{Evaluation, Evaluator};
use crate::flow_shop::search::Shop;
use crate::flow_shop::search::time::Time;
use crate::simd::Simd;
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
    simd: Simd,
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

    /// Computes the makespans of all neighbours by number.
    pub(super) fn evaluate(&mut self, order: &[u32]) -> Result<&[T]> {
        self.tables.set(self.shop, order);
        let mut rest = &mut self.makespans[..];
        let mut begin = 0;
        let mut parts = Vec::with_capacity(self.units.len());
        for &end in &self.units {
            let (part, later) = rest.split_at_mut(end - begin);
            parts.push(part);
            (rest, begin) = (later, end);
        }
        let (tables, neighbourhood, evaluation) = (&self.tables, self.neighbourhood, self.evaluation);
        let front: Vec<T> = self.shop.front().iter().map(|&time| T::from_u32(time)).collect();
        parts.into_par_iter().enumerate().try_for_each(|(unit, makespans)| {
            self.monitor.check()?;
            tables.unit(neighbourhood, evaluation, &front, unit, makespans);
            Ok::<_, Error>(())
        })?;
        Ok(&self.makespans)
    }
}

impl<T: Time> Evaluator for CpuEvaluator<'_, T> {
    fn best(&mut self, order: &[u32], forbidden: &[usize]) -> Result<Option<(usize, u32)>> {
        self.evaluate(order)?;
        for &number in forbidden {
            self.makespans[number] = none();
        }
        let Some(&best) = self.makespans.iter().min() else { return Ok(None) };
        let number = self.makespans.iter().position(|&makespan| makespan == best);
        Ok(number.filter(|_| best != none()).map(|number| (number, best.to_u32())))
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
            simd: Simd::detect(),
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

    fn unit(
        &self,
        neighbourhood: Neighbourhood,
        evaluation: Evaluation,
        front: &[T],
        unit: usize,
        makespans: &mut [T],
    ) {
        match self.simd {
            Simd::Baseline => self.unit_portable(neighbourhood, evaluation, front, unit, makespans),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: detected on this processor.
            Simd::Avx2 => unsafe { self.unit_avx2(neighbourhood, evaluation, front, unit, makespans) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: detected on this processor.
            Simd::Avx512 => unsafe { self.unit_avx512(neighbourhood, evaluation, front, unit, makespans) },
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn unit_avx2(
        &self,
        neighbourhood: Neighbourhood,
        evaluation: Evaluation,
        front: &[T],
        unit: usize,
        makespans: &mut [T],
    ) {
        self.unit_portable(neighbourhood, evaluation, front, unit, makespans);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512bw,avx512vl")]
    fn unit_avx512(
        &self,
        neighbourhood: Neighbourhood,
        evaluation: Evaluation,
        front: &[T],
        unit: usize,
        makespans: &mut [T],
    ) {
        self.unit_portable(neighbourhood, evaluation, front, unit, makespans);
    }

    #[inline(always)]
    fn unit_portable(
        &self,
        neighbourhood: Neighbourhood,
        evaluation: Evaluation,
        front: &[T],
        unit: usize,
        makespans: &mut [T],
    ) {
        match neighbourhood {
            Neighbourhood::Swap => self.swaps(evaluation, front, unit, makespans),
            Neighbourhood::Insertion => self.insertions(unit, makespans),
        }
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
        let mut columns = vec![[T::default(); LANES]; self.machines];
        let times: Vec<Vector<T>> =
            (0..self.machines).map(|machine| *self.lanes(&self.times_by_machine, machine, first)).collect();
        makespans.fill(none());

        columns
            .iter_mut()
            .zip(self.row(&self.heads, first))
            .for_each(|(column, &free)| *column = [free; LANES]);
        for position in first..self.jobs {
            let removed = position - first;
            let longest = if removed < LANES {
                self.later::<true>(&mut columns, &times, position, removed)
            } else {
                self.later::<false>(&mut columns, &times, position, removed)
            };
            let lanes = removed.min(LANES);
            makespans[position * BLOCK..][..lanes].copy_from_slice(&longest[..lanes]);
        }
        columns
            .iter_mut()
            .zip(self.row(&self.tails, last))
            .for_each(|(column, &tail)| *column = [tail; LANES]);
        for position in (0..last).rev() {
            let longest = if position >= first {
                self.earlier::<true>(&mut columns, &times, position, position - first)
            } else {
                self.earlier::<false>(&mut columns, &times, position, 0)
            };
            let from = if position >= first { position - first + 1 } else { 0 };
            makespans[position * BLOCK..][from..last - first].copy_from_slice(&longest[from..last - first]);
        }
    }

    /// The job at the position follows in all lanes but the one where it is the removed one, if there is such a lane; then
    /// each lane's job is inserted behind it.
    #[inline(always)]
    fn later<const WITHIN: bool>(
        &self,
        columns: &mut [Vector<T>],
        times: &[Vector<T>],
        position: usize,
        removed: usize,
    ) -> Vector<T> {
        let (mut end, mut inserted, mut longest) =
            ([T::default(); LANES], [T::default(); LANES], [T::default(); LANES]);
        let rows = self.row(&self.times, position).iter().zip(self.row(&self.tails, position + 1));
        for ((column, own), (&time, &tail)) in columns.iter_mut().zip(times).zip(rows) {
            for lane in 0..LANES {
                end[lane] = end[lane].max(column[lane]).plus(time);
                let kept = if WITHIN && lane == removed { column[lane] } else { end[lane] };
                column[lane] = kept;
                inserted[lane] = inserted[lane].max(kept).plus(own[lane]);
                longest[lane] = longest[lane].max(inserted[lane].plus(tail));
            }
        }
        longest
    }

    /// The mirror image: the tails grow by the job at the position, and each lane's job is inserted before it.
    #[inline(always)]
    fn earlier<const WITHIN: bool>(
        &self,
        columns: &mut [Vector<T>],
        times: &[Vector<T>],
        position: usize,
        removed: usize,
    ) -> Vector<T> {
        let mut end = [T::default(); LANES];
        for (column, &time) in columns.iter_mut().zip(self.row(&self.times, position)).rev() {
            for lane in 0..LANES {
                end[lane] = end[lane].max(column[lane]).plus(time);
                column[lane] = if WITHIN && lane == removed { column[lane] } else { end[lane] };
            }
        }
        let (mut inserted, mut longest) = ([T::default(); LANES], [T::default(); LANES]);
        for ((column, own), &head) in columns.iter().zip(times).zip(self.row(&self.heads, position)) {
            for lane in 0..LANES {
                inserted[lane] = inserted[lane].max(head).plus(own[lane]);
                longest[lane] = longest[lane].max(inserted[lane].plus(column[lane]));
            }
        }
        longest
    }

    #[inline(always)]
    fn lanes<'t>(&self, table: &'t [T], machine: usize, position: usize) -> &'t Vector<T> {
        table[machine * self.stride + position..][..LANES].try_into().expect("as long")
    }
}
