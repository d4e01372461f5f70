//! The value of a sequence from its completion times, job by job.

use super::cost::Cost;
use super::counts::Counts;
use crate::flow_shop::{Criterion, Instance, Objective};

/// An objective prepared for an instance.
#[derive(Debug, Clone)]
pub(super) struct Scoring {
    /// Number of stages.
    pub(super) stages: usize,
    /// `jobs[job * stages + stage]`.
    jobs: Vec<Terms>,
    /// Release time and due date of each job, side by side for caches.
    dates: Vec<(i64, i64)>,
    /// Whether single jobs count, and not the end of all alone.
    counts_jobs: bool,
    /// Factors of the makespan and of the largest lateness in each stage.
    makespan: Cost,
    lateness: Cost,
    /// Factors of inversions and of new predecessors in each stage.
    inversions: Cost,
    predecessors: Cost,
    /// For each job its place in the running plan.
    place: Vec<Option<u32>>,
    /// For each job of the running plan its predecessor there.
    predecessor: Vec<Option<Option<u32>>>,
}

/// What a job with completion time C adds to a stage: `flow` (C - r) + `tardy` max(0, C - d) + `late`
/// if C > d.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) flow: i64,
    pub(super) tardy: i64,
    pub(super) late: i64,
}

/// The score of the beginning of a sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tally {
    /// Sums over its jobs.
    pub(super) sums: Cost,
    /// Its largest completion time and lateness.
    pub(super) latest: i64,
    pub(super) lateness: i64,
}

impl Tally {
    /// That of the empty sequence.
    pub(super) const EMPTY: Tally =
        Tally { sums: Cost([0; Objective::MAX_STAGES]), latest: 0, lateness: NO_LATENESS };
}

/// Below every lateness, and far from an overflow.
const NO_LATENESS: i64 = i64::MIN >> 32;

impl Scoring {
    pub(super) fn new(instance: &Instance) -> Self {
        let stages = instance.objective().stages();
        let jobs = 0..instance.jobs() as u32;
        let terms = |job: u32| {
            let weight = i64::from(instance.weight(job));
            stages.iter().map(move |stage| Terms::new(stage.terms(), weight))
        };
        let factors = |wanted: Criterion| {
            let mut cost = Cost::default();
            for (value, stage) in cost.0.iter_mut().zip(stages) {
                let of_wanted = stage.terms().iter().filter(|(_, criterion)| *criterion == wanted);
                *value = of_wanted.map(|&(factor, _)| i64::from(factor)).sum();
            }
            cost
        };
        let (mut place, mut predecessor) =
            (vec![None; instance.jobs()], vec![None; instance.jobs()]);
        let mut before = None;
        for (at, &job) in (0..).zip(instance.running_plan()) {
            place[job as usize] = Some(at);
            predecessor[job as usize] = Some(before.replace(job));
        }
        let lateness = factors(Criterion::MaxLateness);
        let by_job: Vec<Terms> = jobs.clone().flat_map(terms).collect();
        let has_terms = by_job.iter().any(|terms| *terms != Terms::default());
        let dates = |job: u32| (instance.release_time(job).into(), instance.due_date(job));
        Scoring {
            stages: stages.len(),
            jobs: by_job,
            dates: jobs.map(dates).collect(),
            counts_jobs: has_terms || lateness != Cost::default(),
            makespan: factors(Criterion::Makespan),
            lateness,
            inversions: factors(Criterion::Inversions),
            predecessors: factors(Criterion::NewPredecessors),
            place,
            predecessor,
        }
    }

    /// What a job adds to each stage.
    #[inline]
    pub(super) fn terms(&self, job: u32) -> &[Terms] {
        &self.jobs[job as usize * self.stages..][..self.stages]
    }

    #[inline]
    pub(super) fn release_time(&self, job: u32) -> i64 {
        self.dates[job as usize].0
    }

    #[inline]
    pub(super) fn due_date(&self, job: u32) -> i64 {
        self.dates[job as usize].1
    }

    /// Whether the end of a single job counts. Else only the end of all does.
    pub(super) fn counts_jobs(&self) -> bool {
        self.counts_jobs
    }

    /// The factors of the makespan in each stage.
    pub(super) fn makespan_factors(&self) -> Cost {
        self.makespan
    }

    /// The factors of the largest lateness in each stage.
    pub(super) fn lateness_factors(&self) -> Cost {
        self.lateness
    }

    /// The factors of inversions and of new predecessors in each stage.
    pub(super) fn plan_factors(&self) -> [Cost; 2] {
        [self.inversions, self.predecessors]
    }

    /// The place of a job in the running plan.
    pub(super) fn planned_place(&self, job: u32) -> Option<u32> {
        self.place[job as usize]
    }

    /// The predecessor of a job in the running plan; `None` for a job outside the plan.
    pub(super) fn planned_before(&self, job: u32) -> Option<Option<u32>> {
        self.predecessor[job as usize]
    }

    /// Whether the running plan has two jobs in the opposite order.
    pub(super) fn is_inverted(&self, earlier: u32, later: u32) -> bool {
        let places = self.planned_place(earlier).zip(self.planned_place(later));
        places.is_some_and(|(first, second)| first > second)
    }

    /// Whether `job` has not followed `before` in the running plan, or begun it.
    fn is_new(&self, before: Option<u32>, job: u32) -> bool {
        self.planned_before(job).is_some_and(|planned| planned != before)
    }

    /// Whether the objective compares with a running plan.
    #[inline]
    pub(super) fn has_plan(&self) -> bool {
        self.inversions != Cost::default() || self.predecessors != Cost::default()
    }

    /// Whether each of these jobs adds the same multiple of its flow time, and lateness does not
    /// count.
    pub(super) fn is_uniform(&self, jobs: &[u32]) -> bool {
        let first = jobs.first().map_or(&[][..], |&job| self.terms(job));
        let has_flow_only = first.iter().all(|terms| terms.tardy == 0 && terms.late == 0);
        let are_alike = || jobs.iter().all(|&job| self.terms(job) == first);
        self.lateness == Cost::default() && has_flow_only && are_alike()
    }

    /// Counts a job that ends at `completion`.
    #[inline(always)]
    pub(super) fn add(&self, tally: &mut Tally, job: u32, completion: i64) {
        let flow = completion - self.release_time(job);
        let lateness = completion - self.due_date(job);
        for (sum, terms) in tally.sums.0.iter_mut().zip(self.terms(job)) {
            *sum += terms.of(flow, lateness);
        }
        tally.latest = tally.latest.max(completion);
        tally.lateness = tally.lateness.max(lateness);
    }

    /// The value of a tally without the comparison with the running plan.
    #[inline]
    pub(super) fn cost(&self, tally: &Tally) -> Cost {
        let mut cost = tally.sums;
        for stage in 0..self.stages {
            cost.0[stage] +=
                self.makespan.0[stage] * tally.latest + self.lateness.0[stage] * tally.lateness;
        }
        cost
    }

    /// The cost of `later` anywhere behind `earlier`.
    #[inline]
    pub(super) fn pair(&self, earlier: u32, later: u32) -> Cost {
        if self.is_inverted(earlier, later) { self.inversions } else { Cost::default() }
    }

    /// The cost of `job` directly behind `before`, or at the beginning.
    #[inline]
    pub(super) fn succession(&self, before: Option<u32>, job: u32) -> Cost {
        if self.is_new(before, job) { self.predecessors } else { Cost::default() }
    }

    /// The inversions and the new predecessors of a sequence.
    pub(super) fn changes(&self, order: &[u32]) -> [u64; 2] {
        let mut earlier = Counts::new(self.place.len());
        let (mut changes, mut before) = ([0; 2], None);
        for &job in order {
            if let Some(place) = self.planned_place(job) {
                changes[0] += u64::from(earlier.behind(place));
                earlier.add(place);
            }
            changes[1] += u64::from(self.is_new(before, job));
            before = Some(job);
        }
        changes
    }

    /// The comparison of a sequence with the running plan.
    pub(super) fn order_cost(&self, order: &[u32]) -> Cost {
        match self.has_plan() {
            true => self.cost_of(self.changes(order)),
            false => Cost::default(),
        }
    }

    /// The part of that cost that the beginning of a sequence decides: the order of the jobs behind it
    /// does not change it.
    pub(super) fn beginning_cost(&self, beginning: &[u32], behind: &[u32]) -> Cost {
        if !self.has_plan() || beginning.is_empty() {
            return Cost::default();
        }
        let [whole, apart] = [&[beginning, behind].concat(), behind].map(|jobs| self.changes(jobs));
        self.cost_of([whole[0] - apart[0], self.changes(beginning)[1]])
    }

    /// The cost of inversions and new predecessors.
    fn cost_of(&self, changes: [u64; 2]) -> Cost {
        let [inversions, predecessors] = changes.map(|count| count as i64);
        let mut cost = Cost::default();
        for (stage, value) in cost.0.iter_mut().enumerate() {
            *value =
                self.inversions.0[stage] * inversions + self.predecessors.0[stage] * predecessors;
        }
        cost
    }
}

impl Terms {
    fn new(terms: &[(u32, Criterion)], weight: i64) -> Self {
        let mut sum = Terms::default();
        for &(factor, criterion) in terms {
            let factor = i64::from(factor);
            match criterion {
                Criterion::TotalFlowTime => sum.flow += factor,
                Criterion::WeightedFlowTime => sum.flow += factor * weight,
                Criterion::TotalTardiness => sum.tardy += factor,
                Criterion::WeightedTardiness => sum.tardy += factor * weight,
                Criterion::LateJobs => sum.late += factor,
                Criterion::Makespan
                | Criterion::MaxLateness
                | Criterion::Inversions
                | Criterion::NewPredecessors => {}
            }
        }
        sum
    }

    /// The sum for a job of this flow time and lateness.
    #[inline(always)]
    pub(super) fn of(&self, flow: i64, lateness: i64) -> i64 {
        self.flow * flow + self.tardy * lateness.max(0) + self.late * i64::from(lateness > 0)
    }
}
