//! Guides rank nodes by the cost that they seem to lead to.
//!
//! A machine's waste is the time behind which it was free for its next job, set-ups, waiting and
//! blocked times included. The completion time of a later job is estimated by the number of jobs
//! before it and the mean waste of the machines so far: waste delays all jobs behind. For the total
//! flow time the estimate is the flow time of the placed jobs plus the mean waste for each other
//! job. This is the guide "alpha" of Libralesso and others times a constant.

use super::super::cost::Cost;
use super::super::problem::Problem;
use super::shop::Shop;

/// How much waste delays later jobs, and how much more that of the first machines than that of the
/// last ones does.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weighting {
    pub(super) factor: f32,
    pub(super) power: f32,
}

/// Those of all guides.
pub(super) const WEIGHTINGS: [Weighting; 3] = [
    Weighting { factor: 0.8, power: 0.0 },
    Weighting { factor: 1.2, power: 0.3 },
    Weighting { factor: 1.2, power: 0.6 },
];

/// Those of the guides that compete. The last one is worth its time only where the makespan counts.
pub(super) fn competing(shop: &Shop<'_>) -> &'static [Weighting] {
    if shop.has_makespan { &WEIGHTINGS } else { &WEIGHTINGS[..2] }
}

/// A guide for nodes of a shop. All stages of the objective make one sum, in which later stages
/// count little.
pub(super) struct Guide {
    scales: [f64; 4],
    /// What the jobs add to the sum, by number.
    pub(super) terms: Vec<JobTerms>,
    pub(super) makespan: f32,
    pub(super) lateness: f32,
    /// What a machine's waste counts in the delay of later jobs.
    pub(super) waste: Vec<f32>,
    /// The estimated time between the ends of two jobs, and until the end of the first without
    /// waste.
    pub(super) rate: f32,
    lead: f32,
    /// The unit of fixed-point costs, a power of two.
    pub(super) grain: f32,
    /// What each later job adds for a unit of waste, if that is the same for all jobs and nothing
    /// else is to be estimated.
    pub(super) uniform: Option<f32>,
}

/// What a job of completion time C adds: `flow` (C - `release`) + `tardy` max(0, C - `due`) + `late`
/// if C > `due`.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct JobTerms {
    pub(super) flow: f32,
    pub(super) tardy: f32,
    pub(super) late: f32,
    pub(super) release: f32,
    pub(super) due: f32,
}

impl JobTerms {
    #[inline(always)]
    pub(super) fn of(&self, end: f32) -> f32 {
        let lateness = end - self.due;
        let late = if lateness > 0.0 { self.late } else { 0.0 };
        self.flow * (end - self.release) + self.tardy * lateness.max(0.0) + late
    }
}

impl Guide {
    /// A guide towards sequences better than `order`.
    pub(super) fn new(shop: &Shop<'_>, weighting: Weighting, order: &[u32], cost: Cost) -> Self {
        let problem = shop.problem;
        let scoring = &problem.scoring;
        let scales = scales(&cost, scoring.stages);
        let sum = |cost: &Cost| sum(&scales, cost) as f32;
        let terms: Vec<_> = shop.jobs.iter().map(|&job| job_terms(problem, &scales, job)).collect();
        let (makespan, lateness) =
            (sum(&scoring.makespan_factors()), sum(&scoring.lateness_factors()));
        let machines = shop.machines() as f32;
        let waste = |machine: usize| {
            let early = (machines - machine as f32) / machines;
            weighting.factor * early.powf(weighting.power) / machines
        };
        let first = terms.first().copied().unwrap_or_default();
        let is_uniform = scoring.is_uniform(&shop.jobs);
        let (rate, lead) = pace(shop, order);
        let grain = grain(problem, &terms);
        Guide {
            scales,
            makespan,
            lateness,
            waste: (0..shop.machines()).map(waste).collect(),
            rate,
            lead,
            grain,
            uniform: is_uniform.then_some(first.flow),
            terms,
        }
    }

    /// The estimated end of the first job behind the children of a node with `depth` placed jobs,
    /// without waste.
    pub(super) fn begin(&self, depth: usize) -> f32 {
        self.lead + (depth + 1) as f32 * self.rate
    }

    /// A cost as a fixed-point number.
    #[inline(always)]
    pub(super) fn grains(&self, cost: f32) -> i64 {
        (cost * (1.0 / self.grain)) as i64
    }

    /// The sum of the stages.
    pub(super) fn sum(&self, cost: &Cost) -> f64 {
        sum(&self.scales, cost)
    }
}

fn sum(scales: &[f64; 4], cost: &Cost) -> f64 {
    scales.iter().zip(cost.0).map(|(scale, value)| scale * value as f64).sum()
}

/// The factors of the stages: all of a later stage counts as a small part of the stage before.
fn scales(cost: &Cost, stages: usize) -> [f64; 4] {
    let size = |stage: usize| cost.0[stage].unsigned_abs().max(1) as f64;
    let mut scales = [0.0; 4];
    let mut share = size(0);
    for (stage, scale) in scales.iter_mut().take(stages).enumerate() {
        *scale = share / size(stage);
        share /= 64.0;
    }
    scales
}

fn job_terms(problem: &Problem<'_>, scales: &[f64; 4], job: u32) -> JobTerms {
    let scoring = &problem.scoring;
    let mut sum = JobTerms {
        release: scoring.release_time(job) as f32,
        due: scoring.due_date(job) as f32,
        ..JobTerms::default()
    };
    for (&scale, terms) in scales.iter().zip(scoring.terms(job)) {
        sum.flow += (scale * terms.flow as f64) as f32;
        sum.tardy += (scale * terms.tardy as f64) as f32;
        sum.late += (scale * terms.late as f64) as f32;
    }
    sum
}

/// A power of two, so small that 64 bits just hold the sum of what all jobs add. No time of an
/// estimate is later than some horizons.
fn grain(problem: &Problem<'_>, terms: &[JobTerms]) -> f32 {
    const HORIZONS: f64 = 16.0;
    const BITS: i32 = 60;
    let latest = HORIZONS * (f64::from(problem.instance.horizon()) + 1.0);
    let most = |terms: &JobTerms| {
        let [flow, tardy, late] = [terms.flow, terms.tardy, terms.late].map(f64::from);
        let [release, due] = [terms.release, terms.due].map(|time| latest + f64::from(time.abs()));
        flow * release + tardy * due + late
    };
    let sum = terms.iter().map(most).sum::<f64>().max(1.0);
    let exponent = (sum.to_bits() >> 52) as i32 - 1022;
    2f32.powi(exponent - BITS)
}

/// The time between the ends of two jobs in a known sequence, and the mean time until the end of the
/// first.
fn pace(shop: &Shop<'_>, order: &[u32]) -> (f32, f32) {
    let (jobs, machines) = (shop.jobs.len().max(1) as f64, shop.machines() as f64);
    let work = |number: usize| shop.times(number).iter().copied().map(f64::from).sum::<f64>();
    let work: f64 = (0..shop.jobs.len()).map(work).sum();
    let begin = shop.root.free.iter().copied().map(f64::from).sum::<f64>() / machines;
    let mean = work / (jobs * machines);
    let lead = begin + work / jobs - mean;
    let mut front = shop.problem.empty();
    order.iter().for_each(|&job| shop.problem.append(&mut front, job));
    let rate = (front.tally.latest as f64 - lead) / jobs;
    (rate.max(mean) as f32, lead as f32)
}
