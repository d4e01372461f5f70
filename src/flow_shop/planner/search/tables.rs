//! The numbers of an instance in the order and the type in which the evaluators read them.

use super::spread::Lane;
use super::tolerance::Tolerance;
use crate::Result;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::planner::scoring::Tally;
use crate::flow_shop::{Criterion, Instance};
use crate::memory;

/// Columns of a table of heads or tails computed together. A single one would be one chain of
/// latencies.
pub(super) const COLUMNS: usize = 4;
/// Machines by which a column is behind the previous one with blocking. Without it they are 1.
pub(super) const BLOCKING_LAG: usize = 2;
/// Rows before the first machine and after the last, for columns that have not started or are
/// finished.
pub(super) const MARGIN: usize = BLOCKING_LAG * (COLUMNS - 1) + 1;

/// Times in type `T`, which must hold those of all evaluated sequences.
pub(super) struct Tables<'a, T> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) machines: usize,
    /// Length of a job's row: the machines and both margins.
    pub(super) rows: usize,
    /// Times by job, each with zeros in the margins, then one row of zeros.
    times: Vec<T>,
    /// Release times by job, then a zero.
    releases: Vec<T>,
    pub(super) setups: Option<SetupTables<T>>,
    /// The state behind the pinned jobs.
    pub(super) front: Vec<T>,
    pub(super) tally: Tally,
    pub(super) tolerance: Tolerance,
    reach: Reach,
}

/// Set-ups with the machines of a pair side by side.
pub(super) struct SetupTables<T> {
    kinds: usize,
    kind_of: Vec<u32>,
    /// Length of a row: the machines, rounded up to whole words.
    pub(super) width: usize,
    /// `into[(job * kinds + before) * width + machine]`, by kinds.
    into: Vec<T>,
    /// `from[(job * kinds + after) * width + machine]`, by kinds.
    from: Vec<T>,
    /// Behind the pinned jobs: `first[job * width + machine]`.
    first: Vec<T>,
}

impl<'a, T: Lane> Tables<'a, T> {
    pub(super) fn new(problem: &'a Problem<'a>) -> Result<Self> {
        let (instance, machines) = (problem.instance, problem.machines());
        let rows = machines + 2 * MARGIN;
        let mut times = memory::zeroed::<T>((problem.jobs() + 1) * rows)?;
        for (padded, job) in times.chunks_exact_mut(rows).zip(0..problem.jobs() as u32) {
            for (time, &of_job) in padded[MARGIN..].iter_mut().zip(instance.job(job)) {
                *time = T::from_u32(of_job);
            }
        }
        let release = |job| T::from_u32(instance.release_time(job));
        let front = problem.pinned_front();
        Ok(Tables {
            problem,
            machines,
            rows,
            times,
            releases: (0..problem.jobs() as u32).map(release).chain([T::default()]).collect(),
            setups: SetupTables::of(instance, front.last)?,
            front: front.free.iter().map(|&time| T::from_u32(time)).collect(),
            tally: front.tally,
            tolerance: Tolerance::of(problem),
            reach: Reach::of(problem),
        })
    }

    /// Bytes of these tables.
    pub(super) fn bytes(problem: &Problem<'_>) -> u128 {
        let (jobs, machines) = (problem.jobs() as u128, problem.machines() as u128);
        let kinds = problem.instance.setups().map_or(0, |setups| setups.kinds() as u128);
        let words = (jobs + 1) * (machines + 2 * MARGIN as u128)
            + (2 * kinds * kinds + jobs) * (machines + 3);
        words * size_of::<T>() as u128
    }

    /// A job's times, with margins; without a job the row of zeros.
    #[inline(always)]
    pub(super) fn times(&self, job: Option<u32>) -> &[T] {
        let none = self.releases.len() - 1;
        &self.times[job.map_or(none, |job| job as usize) * self.rows..][..self.rows]
    }

    #[inline(always)]
    pub(super) fn release(&self, job: Option<u32>) -> T {
        self.releases[job.map_or(self.releases.len() - 1, |job| job as usize)]
    }

    pub(super) fn has_releases(&self) -> bool {
        !self.problem.instance.release_times().is_empty()
    }

    /// Whether all times stay at most `most` if `moved` jobs of a sequence move. Its makespan is
    /// computed only if it matters.
    #[inline]
    pub(super) fn reaches(&self, makespan: impl Fn() -> u32, moved: u32, most: u32) -> bool {
        let reach = &self.reach;
        reach.horizon <= most || reach.longest(makespan(), moved) <= most
    }
}

impl<T: Lane> SetupTables<T> {
    fn of(instance: &Instance, last: Option<u32>) -> Result<Option<Self>> {
        let Some(setups) = instance.setups() else { return Ok(None) };
        let (kinds, machines) = (setups.kinds(), instance.machines());
        let width = machines.next_multiple_of(4);
        let mut into = memory::zeroed::<T>(kinds * kinds * width)?;
        let mut from = memory::zeroed::<T>(kinds * kinds * width)?;
        for machine in 0..machines {
            for (pair, &time) in setups.matrix(machine).iter().enumerate() {
                let (before, after) = (pair / kinds, pair % kinds);
                let time = T::from_u32(time);
                from[pair * width + machine] = time;
                into[(after * kinds + before) * width + machine] = time;
            }
        }
        let mut first = memory::zeroed::<T>(instance.jobs() * width)?;
        for (row, job) in first.chunks_exact_mut(width).zip(0..instance.jobs() as u32) {
            for (machine, time) in row[..machines].iter_mut().enumerate() {
                *time = T::from_u32(setups.between(machine, last, job));
            }
        }
        let kind_of = (0..instance.jobs() as u32).map(|job| setups.kind_of(job) as u32).collect();
        Ok(Some(SetupTables { kinds, kind_of, width, into, from, first }))
    }

    /// The set-ups of a job behind another one, or behind the pinned jobs.
    #[inline(always)]
    pub(super) fn into(&self, before: Option<u32>, job: u32) -> &[T] {
        match before {
            Some(before) => self.row_of(self.all_into(job), before),
            None => &self.first[job as usize * self.width..][..self.width],
        }
    }

    /// The set-ups of a job behind each kind, row by row.
    #[inline(always)]
    pub(super) fn all_into(&self, job: u32) -> &[T] {
        self.rows(&self.into, job)
    }

    /// The set-ups between a job and each kind behind it, row by row.
    #[inline(always)]
    pub(super) fn all_from(&self, job: u32) -> &[T] {
        self.rows(&self.from, job)
    }

    /// The set-ups between a job and a later one.
    #[inline(always)]
    pub(super) fn from(&self, job: u32, after: u32) -> &[T] {
        self.row_of(self.all_from(job), after)
    }

    /// The row of a job among those of all kinds.
    #[inline(always)]
    pub(super) fn row_of<'t>(&self, rows: &'t [T], job: u32) -> &'t [T] {
        &rows[self.kind_of[job as usize] as usize * self.width..][..self.width]
    }

    #[inline(always)]
    fn rows<'t>(&self, table: &'t [T], job: u32) -> &'t [T] {
        let length = self.kinds * self.width;
        &table[self.kind_of[job as usize] as usize * length..][..length]
    }
}

/// How long schedules can become.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    pub(super) horizon: u32,
    /// Most by which a job that moves lengthens a path through a schedule: its own times, a set-up
    /// at each side, and the one that replaces it where it was. With blocking, a path steps to the
    /// machine before at each next job. The moved job shifts a part of the path by a machine, so that
    /// each set-up of this part may be another one.
    each: u64,
    /// The latest release of a job that is not pinned.
    release: u64,
    /// Whether a better sequence ends no later.
    follows_value: bool,
}

impl Reach {
    pub(super) fn of(problem: &Problem<'_>) -> Self {
        let instance = problem.instance;
        let total = |&job: &u32| instance.job(job).iter().copied().map(u64::from).sum::<u64>();
        let longest = problem.free_jobs.iter().map(total).max().unwrap_or(0);
        let setup = instance.setups().map_or(0, |setups| setups.largest());
        let release = |&job: &u32| instance.release_time(job).into();
        let release = problem.free_jobs.iter().map(release).max().unwrap_or(0);
        let setups = if instance.has_blocking() { instance.machines() as u64 + 2 } else { 3 };
        let mut criteria = instance.objective().stages()[0].terms().iter();
        Reach {
            horizon: instance.horizon(),
            each: longest + setups * u64::from(setup),
            release,
            follows_value: criteria.all(|(_, criterion)| *criterion == Criterion::Makespan),
        }
    }

    /// No path through a schedule is longer if it results from one of this length, or from a better
    /// one, by moving jobs.
    pub(super) fn longest(&self, makespan: u32, moved: u32) -> u32 {
        if !self.follows_value {
            return self.horizon;
        }
        let longest = u64::from(makespan) + self.reserve(moved);
        longest.min(self.horizon.into()) as u32
    }

    /// The longest schedule for which [`Reach::longest`] is at most `most`; `None` if it always is.
    pub(super) fn farthest(&self, most: u32, moved: u32) -> Option<u32> {
        (self.horizon > most).then(|| u64::from(most).saturating_sub(self.reserve(moved)) as u32)
    }

    /// By how much moving jobs may lengthen a path. The path may pass all these jobs, and begin with
    /// the release of one of them.
    fn reserve(&self, moved: u32) -> u64 {
        if moved == 0 { 0 } else { self.release + u64::from(moved) * self.each }
    }
}
