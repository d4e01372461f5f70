//! Heads, times, tails and gaps of the jobs that are not pinned, machine by machine.

use super::super::front::Front;
use super::super::problem::Problem;
use crate::flow_shop::Instance;
use crate::solve::Monitor;

/// Most gaps that are kept. Larger instances do without, and their bounds are weaker.
const MOST_GAPS: usize = 1 << 26;

/// From this number of jobs on, a loop over all jobs asks whether to stop.
pub(super) const MANY: usize = 1_000;

/// What the bounds of one instance need. Jobs are numbered by their places in `jobs`.
pub(in crate::flow_shop::planner) struct Parts {
    pub(in crate::flow_shop::planner) jobs: Vec<u32>,
    pub(in crate::flow_shop::planner) machines: usize,
    /// `times[job * machines + machine]`, and so on. Empty after a stop, if there are many jobs.
    pub(in crate::flow_shop::planner) times: Vec<i64>,
    /// No job starts sooner on a machine.
    pub(in crate::flow_shop::planner) heads: Vec<i64>,
    /// The times of a job behind a machine.
    pub(in crate::flow_shop::planner) tails: Vec<i64>,
    pub(in crate::flow_shop::planner) gaps: Option<Gaps>,
}

/// How long a machine is idle between two jobs at least.
pub(in crate::flow_shop::planner) struct Gaps {
    jobs: usize,
    /// `cells[(machine * jobs + from) * jobs + to]`.
    cells: Vec<u32>,
}

impl Parts {
    pub(in crate::flow_shop::planner) fn new(
        problem: &Problem<'_>,
        root: &Front,
        monitor: &Monitor,
    ) -> Self {
        let (instance, machines) = (problem.instance, problem.machines());
        let jobs = problem.free_jobs.clone();
        if jobs.len() >= MANY && monitor.should_stop() {
            let [times, heads, tails] = [(); 3].map(|()| Vec::new());
            return Parts { jobs, machines, times, heads, tails, gaps: None };
        }
        let cells = jobs.len() * machines;
        let [mut times, mut heads, mut tails] = [(); 3].map(|()| Vec::with_capacity(cells));
        for &job in &jobs {
            let mut end = i64::from(instance.release_time(job));
            let mut left: i64 = instance.job(job).iter().copied().map(i64::from).sum();
            for (&time, &free) in instance.job(job).iter().zip(&root.free) {
                let (time, start) = (i64::from(time), end.max(free.into()));
                left -= time;
                end = start + time;
                times.push(time);
                heads.push(start);
                tails.push(left);
            }
        }
        let gaps = Gaps::new(instance, &jobs, monitor);
        Parts { jobs, machines, times, heads, tails, gaps }
    }

    /// The weighted sum over the machines for each job.
    pub(super) fn mean(&self, list: &[i64], weights: &[i64]) -> Vec<i64> {
        let row = |row: &[i64]| row.iter().zip(weights).map(|(value, weight)| value * weight).sum();
        list.chunks_exact(self.machines).map(row).collect()
    }
}

impl Gaps {
    /// None if all are 0 or if there are too many.
    fn new(instance: &Instance, jobs: &[u32], monitor: &Monitor) -> Option<Self> {
        if instance.setups().is_none() && !instance.has_blocking() {
            return None;
        }
        let count = jobs.len().checked_mul(jobs.len())?.checked_mul(instance.machines())?;
        if count > MOST_GAPS || !monitor.has_memory(4 * count as u128) {
            return None;
        }
        let mut cells = Vec::with_capacity(count);
        for machine in 0..instance.machines() {
            for &from in jobs {
                if jobs.len() >= MANY && monitor.should_stop() {
                    return None;
                }
                cells.extend(jobs.iter().map(|&to| gap(instance, machine, from, to)));
            }
        }
        Some(Gaps { jobs: jobs.len(), cells })
    }

    /// The gap of a machine.
    pub(in crate::flow_shop::planner) fn between(
        &self,
        machine: usize,
        from: usize,
        to: usize,
    ) -> i64 {
        self.cells[(machine * self.jobs + from) * self.jobs + to].into()
    }

    /// The weighted sum over the machines: `mean[from * jobs + to]`.
    pub(super) fn mean(&self, weights: &[i64]) -> Vec<i64> {
        let size = self.jobs * self.jobs;
        let mut mean = vec![0; size];
        for (cells, &weight) in self.cells.chunks_exact(size).zip(weights) {
            if weight > 0 {
                mean.iter_mut().zip(cells).for_each(|(sum, &gap)| *sum += weight * i64::from(gap));
            }
        }
        mean
    }
}

/// How long a machine is idle between two jobs at least: while it is set up, and with blocking until
/// the later job has left the machine before, which the earlier job left when it started here.
fn gap(instance: &Instance, machine: usize, from: u32, to: u32) -> u32 {
    let own = instance.setup(machine, Some(from), to);
    if machine == 0 || !instance.has_blocking() {
        return own;
    }
    let before = instance.setup(machine - 1, Some(from), to) + instance.job(to)[machine - 1];
    own.max(before.saturating_sub(instance.job(from)[machine]))
}

/// A front, and the jobs behind it.
pub(super) struct View<'a> {
    pub(super) front: &'a Front,
    /// The jobs, by their numbers in [`Parts`].
    pub(super) jobs: &'a [usize],
    /// `place[job]` is the place in `jobs`, or `usize::MAX`.
    place: Vec<usize>,
    /// `starts[place * machines + machine]` if the job follows the front at once.
    pub(super) starts: Vec<i64>,
    /// When the job ends then, and when it ends at least.
    pub(super) first_ends: Vec<i64>,
    pub(super) ends: Vec<i64>,
}

impl<'a> View<'a> {
    pub(super) fn new(
        problem: &Problem<'_>,
        parts: &Parts,
        front: &'a Front,
        jobs: &'a [usize],
    ) -> Self {
        let instance = problem.instance;
        let mut view = View {
            front,
            jobs,
            place: vec![usize::MAX; parts.jobs.len()],
            starts: Vec::with_capacity(jobs.len() * parts.machines),
            first_ends: Vec::with_capacity(jobs.len()),
            ends: Vec::with_capacity(jobs.len()),
        };
        for (place, &at) in jobs.iter().enumerate() {
            view.place[at] = place;
            let job = parts.jobs[at];
            let mut first = i64::from(instance.release_time(job));
            let mut end = first;
            for (machine, &time) in instance.job(job).iter().enumerate() {
                let free = i64::from(front.free[machine]);
                let setup = i64::from(instance.setup(machine, front.last, job));
                first = first.max(free + setup);
                view.starts.push(first);
                first += i64::from(time);
                end = end.max(free) + i64::from(time);
            }
            view.first_ends.push(first);
            view.ends.push(end);
        }
        view
    }

    /// The places of those of a list that are in the view.
    pub(super) fn places<'b>(&'b self, list: &'b [u32]) -> impl Iterator<Item = usize> + 'b {
        list.iter().map(|&at| self.place[at as usize]).filter(|&place| place != usize::MAX)
    }
}
