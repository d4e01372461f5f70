//! A model with one stage as tables of 32-bit numbers, which branch and bound on hosts and devices
//! reads.

use super::super::bounds::Parts;
use super::super::problem::Problem;
use super::super::scoring::Terms;
use crate::flow_shop::Instance;
use crate::solve::Monitor;
use crate::{Error, Result};

/// The tables of a model. Jobs that are not pinned are numbered in ascending order.
pub(in crate::flow_shop) struct Numbers {
    pub(in crate::flow_shop) machines: usize,
    /// The jobs by their numbers.
    pub(in crate::flow_shop) jobs: Vec<u32>,
    /// Factors of the makespan, the largest lateness, and the number of late jobs.
    pub(in crate::flow_shop) makespan: i32,
    pub(in crate::flow_shop) lateness: i32,
    pub(in crate::flow_shop) late: i32,
    /// `times[job * machines + machine]`. A load is the time with the least gap before it; a tail
    /// is the sum of the times behind it.
    pub(in crate::flow_shop) times: Vec<i32>,
    pub(in crate::flow_shop) loads: Vec<i32>,
    pub(in crate::flow_shop) tails: Vec<i32>,
    pub(in crate::flow_shop) terms: Vec<JobTerms>,
    /// The jobs and their loads by ascending load, machine by machine.
    pub(in crate::flow_shop) by_load: Vec<[i32; 2]>,
    /// The jobs by ascending due date, and by descending factor of the flow time.
    pub(in crate::flow_shop) by_due: Vec<i32>,
    pub(in crate::flow_shop) by_flow: Vec<i32>,
    /// The factors of the tardiness in ascending order, each with its distance from the one before.
    pub(in crate::flow_shop) levels: Vec<[i32; 2]>,
    pub(in crate::flow_shop) releases: Option<Releases>,
    /// `setups[(before * jobs + job) * machines + machine]`; behind those of all jobs are those of
    /// the first job that is not pinned.
    pub(in crate::flow_shop) setups: Option<Vec<i32>>,
    pub(in crate::flow_shop) plan: Option<Plan>,
    pub(in crate::flow_shop) has_blocking: bool,
    pub(in crate::flow_shop) root: Root,
    /// What the objective is above the sum of these numbers: it may be negative.
    pub(in crate::flow_shop) offset: i64,
}

/// What a job adds to the objective.
#[derive(Debug, Clone, Copy)]
pub(in crate::flow_shop) struct JobTerms {
    pub(in crate::flow_shop) release: i32,
    /// Factors of the flow time and of the tardiness.
    pub(in crate::flow_shop) flow: i32,
    pub(in crate::flow_shop) tardy: i32,
    pub(in crate::flow_shop) due: i32,
    /// How much earlier the job is due than the latest one, for the largest lateness.
    pub(in crate::flow_shop) delivery: i32,
}

/// Orders of an instance with release times.
pub(in crate::flow_shop) struct Releases {
    /// The jobs by ascending end if each were alone, and these ends.
    pub(in crate::flow_shop) by_end: Vec<[i32; 2]>,
    /// The jobs by ascending head less gap, and these numbers, machine by machine.
    pub(in crate::flow_shop) by_head: Vec<[i32; 2]>,
}

/// What the order of two jobs costs.
pub(in crate::flow_shop) struct Plan {
    /// `follows[before * jobs + job]`, with a last row for the first job that is not pinned.
    pub(in crate::flow_shop) follows: Vec<i32>,
    /// `pairs[earlier * jobs + later]`.
    pub(in crate::flow_shop) pairs: Vec<i32>,
}

/// The state behind the pinned jobs.
pub(in crate::flow_shop) struct Root {
    pub(in crate::flow_shop) free: Vec<i32>,
    pub(in crate::flow_shop) sum: i32,
    pub(in crate::flow_shop) latest: i32,
    pub(in crate::flow_shop) lateness: i32,
}

/// Refuses a model whose values are no 31-bit numbers.
pub(super) fn check(problem: &Problem<'_>) -> Result<()> {
    let refused = |what: &str| {
        let reason = format!("branch and bound on a device or with a checkpoint for {what}");
        Err(Error::unsupported(reason))
    };
    if problem.scoring.stages > 1 {
        refused("a list of objectives")
    } else if largest(problem) > i32::MAX as u128 {
        refused("objectives beyond 31 bits")
    } else {
        Ok(())
    }
}

/// No value is larger.
fn largest(problem: &Problem<'_>) -> u128 {
    let (scoring, horizon) = (&problem.scoring, u128::from(problem.instance.horizon().max(1)));
    let of_job = |job: u32| {
        let Terms { flow, tardy, late } = scoring.terms(job)[0];
        let early = scoring.due_date(job).min(0).unsigned_abs();
        let [flow, tardy, late] = [flow, tardy, late].map(|factor| u128::from(factor as u64));
        (flow + tardy) * horizon + tardy * u128::from(early) + late
    };
    let factors = [scoring.makespan_factors(), scoring.lateness_factors()];
    let [makespan, lateness] = factors.map(|cost| u128::from(cost.first() as u64));
    let [inversion, predecessor] =
        scoring.plan_factors().map(|cost| u128::from(cost.first() as u64));
    let jobs = problem.jobs() as u128;
    let sum = (0..problem.jobs() as u32).map(of_job).sum::<u128>()
        + (makespan + 2 * lateness) * horizon
        + inversion * (jobs * jobs / 2)
        + predecessor * jobs;
    // Overdue jobs are late by one more than their end at least.
    sum.max(horizon + 1)
}

/// The due date after which no job decides the largest lateness: some job is due at the least date
/// and ends before the horizon.
fn latest_due(problem: &Problem<'_>) -> i64 {
    let due = || (0..problem.jobs() as u32).map(|job| problem.scoring.due_date(job));
    let (least, most) = (due().min().unwrap_or(0), due().max().unwrap_or(0));
    most.min(least + i64::from(problem.instance.horizon()))
}

/// What the objective of an instance is above the sum of its [`Numbers`].
pub(in crate::flow_shop) fn offset(instance: &Instance) -> i64 {
    offset_of(&Problem::new(instance))
}

fn offset_of(problem: &Problem<'_>) -> i64 {
    match problem.scoring.lateness_factors().first() {
        0 => 0,
        factor => -factor * latest_due(problem),
    }
}

impl Numbers {
    /// The tables of an instance.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a list of objectives or values beyond 31 bits.
    pub(in crate::flow_shop) fn of(instance: &Instance, monitor: &Monitor) -> Result<Self> {
        let problem = Problem::new(instance);
        check(&problem)?;
        Ok(Numbers::new(&problem, monitor))
    }

    /// The tables of an instance that was [checked](check).
    pub(super) fn new(problem: &Problem<'_>, monitor: &Monitor) -> Self {
        let (scoring, root) = (&problem.scoring, problem.root());
        let parts = Parts::new(problem, &root, monitor);
        let (machines, jobs) = (parts.machines, parts.jobs.clone());
        let count = jobs.len();
        let short = |list: &[i64]| -> Vec<i32> { list.iter().map(|&value| value as i32).collect() };
        let (times, tails, heads) = (short(&parts.times), short(&parts.tails), short(&parts.heads));
        let gap = |job: usize, machine: usize| match &parts.gaps {
            Some(gaps) => {
                let before = (0..count).filter(|&before| before != job);
                before.map(|before| gaps.between(machine, before, job)).min().unwrap_or(0) as i32
            }
            None => 0,
        };
        let gaps: Vec<i32> =
            (0..count * machines).map(|cell| gap(cell / machines, cell % machines)).collect();
        let loads: Vec<i32> = times.iter().zip(&gaps).map(|(time, gap)| time + gap).collect();
        let by_machine = |value: &dyn Fn(usize) -> i32| -> Vec<[i32; 2]> {
            let of_machine = |machine| sorted(count, |job| value(job * machines + machine));
            (0..machines).flat_map(of_machine).collect()
        };
        let lateness = scoring.lateness_factors().first() as i32;
        let latest_due = if lateness > 0 { latest_due(problem) } else { 0 };
        let horizon = i64::from(problem.instance.horizon());
        let terms: Vec<JobTerms> = jobs
            .iter()
            .map(|&job| {
                let (due, Terms { flow, tardy, .. }) =
                    (scoring.due_date(job), scoring.terms(job)[0]);
                // A date before 0 matters only for the tardiness.
                let earliest = if tardy > 0 { due } else { -1 };
                JobTerms {
                    release: scoring.release_time(job) as i32,
                    flow: flow as i32,
                    tardy: tardy as i32,
                    due: due.clamp(earliest.min(horizon), horizon) as i32,
                    delivery: if lateness > 0 { (latest_due - due).max(0) as i32 } else { 0 },
                }
            })
            .collect();
        let numbered = |key: &dyn Fn(u32) -> i64| -> Vec<i32> {
            let mut list: Vec<i32> = (0..count as i32).collect();
            list.sort_by_cached_key(|&job| key(jobs[job as usize]));
            list
        };
        let has_releases = !problem.instance.release_times().is_empty();
        let releases = has_releases.then(|| Releases {
            by_end: sorted(count, |job| {
                let last = job * machines + machines - 1;
                heads[last] + times[last]
            }),
            by_head: by_machine(&|cell| heads[cell] - gaps[cell]),
        });
        Numbers {
            makespan: scoring.makespan_factors().first() as i32,
            lateness,
            late: scoring.terms(0)[0].late as i32,
            by_load: by_machine(&|cell| loads[cell]),
            by_due: numbered(&|job| scoring.due_date(job)),
            by_flow: numbered(&|job| -scoring.terms(job)[0].flow),
            levels: levels(&terms),
            releases,
            setups: setups(problem, &jobs, root.last),
            plan: plan(problem, &jobs, root.last),
            has_blocking: problem.has_blocking,
            root: Root {
                free: root.free.iter().map(|&free| free as i32).collect(),
                sum: root.tally.sums.first() as i32,
                latest: root.tally.latest as i32,
                lateness: match problem.pinned() {
                    [] => 0,
                    _ => (root.tally.lateness + latest_due).max(0) as i32,
                },
            },
            offset: offset_of(problem),
            machines,
            times,
            loads,
            tails,
            terms,
            jobs,
        }
    }
}

/// The numbers below `count` by ascending value, with their values.
fn sorted(count: usize, value: impl Fn(usize) -> i32) -> Vec<[i32; 2]> {
    let mut list: Vec<[i32; 2]> = (0..count).map(|job| [job as i32, value(job)]).collect();
    list.sort_by_cached_key(|&[_, value]| i64::from(value));
    list
}

fn levels(terms: &[JobTerms]) -> Vec<[i32; 2]> {
    // None is negative.
    let mut factors: Vec<u32> = terms.iter().map(|terms| terms.tardy.unsigned_abs()).collect();
    factors.push(0);
    factors.sort_unstable();
    factors.dedup();
    factors.windows(2).map(|pair| [pair[1] as i32, (pair[1] - pair[0]) as i32]).collect()
}

/// The jobs that may precede another one, behind them the last pinned one or none.
fn predecessors(jobs: &[u32], last: Option<u32>) -> impl Iterator<Item = Option<u32>> {
    jobs.iter().copied().map(Some).chain([last])
}

fn setups(problem: &Problem<'_>, jobs: &[u32], last: Option<u32>) -> Option<Vec<i32>> {
    let setups = problem.instance.setups()?;
    let row = |before, job| {
        (0..problem.machines()).map(move |machine| setups.between(machine, before, job) as i32)
    };
    let rows = predecessors(jobs, last)
        .flat_map(|before| jobs.iter().flat_map(move |&job| row(before, job)));
    Some(rows.collect())
}

fn plan(problem: &Problem<'_>, jobs: &[u32], last: Option<u32>) -> Option<Plan> {
    let scoring = &problem.scoring;
    scoring.has_plan().then(|| Plan {
        follows: predecessors(jobs, last)
            .flat_map(|before| jobs.iter().map(move |&job| scoring.succession(before, job)))
            .map(|cost| cost.first() as i32)
            .collect(),
        pairs: jobs
            .iter()
            .flat_map(|&earlier| jobs.iter().map(move |&later| scoring.pair(earlier, later)))
            .map(|cost| cost.first() as i32)
            .collect(),
    })
}
