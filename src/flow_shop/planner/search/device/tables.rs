//! The numbers of instances in the order in which the kernel reads them.

use super::Shape;
use super::kernels::Shops;
use super::member::Member;
use crate::flow_shop::Objective;
use crate::flow_shop::planner::counts::Counts;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::planner::search::tolerance::Tolerance;
use crate::opencl::{Buffer, Device, Element, Queue};
use crate::{Result, memory};

pub(super) struct Tables {
    times: Buffer<u32>,
    releases: Buffer<u32>,
    fronts: Buffer<u32>,
    first_setups: Buffer<u32>,
    setups: Buffer<u32>,
    kinds: Buffer<u32>,
    scores: Buffer<i64>,
    starts: Buffer<i64>,
    factors: Buffer<i64>,
    tolerances: Buffer<i64>,
    limits: Buffer<u32>,
    plans: Buffer<u32>,
    pub(super) kind_count: u32,
}

/// Words of a job in the running plan: its place, its predecessor, and how many pinned jobs it
/// should precede.
pub(super) const PLAN_WORDS: usize = 3;
/// The place of a job outside the plan, and no job.
const NONE: u32 = u32::MAX;
/// The predecessor of a job outside the plan.
const UNPLANNED: u32 = u32::MAX - 1;

/// The limit of a search that continues from every sequence.
const NO_LIMIT: u32 = u32::MAX;

impl Tables {
    /// The members share the shape, the set-ups and the objective.
    pub(super) fn new(
        device: &Device,
        queue: &Queue,
        members: &[Member<'_>],
        shape: &Shape,
    ) -> Result<Self> {
        let problems = || members.iter().map(|member| member.problem);
        let first = members[0].problem;
        let mut tables = Lists::default();
        for problem in problems() {
            tables.add(problem, shape);
        }
        let setups = first.instance.setups().filter(|_| shape.has_setups);
        let kinds = 0..first.jobs() as u32;
        let kinds: Vec<u32> = setups
            .map_or(Vec::new(), |setups| kinds.map(|job| setups.kind_of(job) as u32).collect());
        let limits = members.iter().map(|member| member.farthest.unwrap_or(NO_LIMIT));
        let scoring = &first.scoring;
        let [inversions, predecessors] = scoring.plan_factors();
        let (makespan, lateness) = (scoring.makespan_factors(), scoring.lateness_factors());
        let factors = [makespan, lateness, inversions, predecessors];
        let factors = factors.iter().flat_map(|cost| cost.0.into_iter().take(shape.stages));
        let upload = Upload { device, queue };
        Ok(Tables {
            times: upload.list(&tables.times)?,
            releases: upload.list(&tables.releases)?,
            fronts: upload.list(&tables.fronts)?,
            first_setups: upload.list(&tables.first_setups)?,
            setups: upload.list(&pairs(first, shape)?)?,
            kinds: upload.list(&kinds)?,
            scores: upload.list(&tables.scores)?,
            starts: upload.list(&tables.starts)?,
            factors: upload.list(&factors.collect::<Vec<_>>())?,
            tolerances: upload.list(&tables.tolerances)?,
            limits: upload.list(&limits.collect::<Vec<_>>())?,
            plans: upload.list(&tables.plans)?,
            kind_count: setups.map_or(0, |setups| setups.kinds() as u32),
        })
    }

    pub(super) fn arguments(&self) -> Shops<'_> {
        Shops {
            times: &self.times,
            releases: &self.releases,
            fronts: &self.fronts,
            first_setups: &self.first_setups,
            setups: &self.setups,
            kinds: &self.kinds,
            scores: &self.scores,
            starts: &self.starts,
            factors: &self.factors,
            tolerances: &self.tolerances,
            limits: &self.limits,
            plans: &self.plans,
        }
    }
}

/// Numbers of one instance after the other.
#[derive(Default)]
struct Lists {
    times: Vec<u32>,
    releases: Vec<u32>,
    fronts: Vec<u32>,
    first_setups: Vec<u32>,
    scores: Vec<i64>,
    starts: Vec<i64>,
    tolerances: Vec<i64>,
    plans: Vec<u32>,
}

impl Lists {
    fn add(&mut self, problem: &Problem<'_>, shape: &Shape) {
        let instance = problem.instance;
        let (jobs, front) = (0..problem.jobs() as u32, problem.pinned_front());
        self.times.extend_from_slice(instance.times());
        if shape.has_releases {
            self.releases.extend(jobs.clone().map(|job| instance.release_time(job)));
        }
        self.fronts.extend(&front.free);
        if let Some(setups) = instance.setups() {
            for job in jobs.clone() {
                let times = 0..problem.machines();
                self.first_setups
                    .extend(times.map(|machine| setups.between(machine, front.last, job)));
            }
        }
        if shape.has_plan {
            self.add_plan(problem);
        }
        let tolerance = Tolerance::of(problem);
        if shape.stages == 0 {
            let factor = problem.scoring.makespan_factors().first();
            self.tolerances.extend(tolerance.choices().iter().map(|most| most[0] / factor));
            return;
        }
        self.tolerances
            .extend(tolerance.choices().iter().flat_map(|most| most.iter().take(shape.stages)));
        for job in jobs {
            self.scores.push(problem.scoring.due_date(job));
            for terms in problem.scoring.terms(job) {
                let released = terms.flow * problem.scoring.release_time(job);
                self.scores.extend([terms.flow, released, terms.tardy, terms.late]);
            }
        }
        self.starts.extend(&front.tally.sums.0[..shape.stages]);
        self.starts.push(front.tally.lateness);
    }

    fn add_plan(&mut self, problem: &Problem<'_>) {
        let (scoring, pinned) = (&problem.scoring, problem.pinned());
        let mut earlier = Counts::new(problem.jobs());
        pinned.iter().filter_map(|&job| scoring.planned_place(job)).for_each(|at| earlier.add(at));
        for job in 0..problem.jobs() as u32 {
            let place = scoring.planned_place(job);
            self.plans.push(place.unwrap_or(NONE));
            self.plans.push(match scoring.planned_before(job) {
                Some(before) => before.unwrap_or(NONE),
                None => UNPLANNED,
            });
            self.plans.push(place.map_or(0, |place| earlier.behind(place)));
        }
        self.plans.push(pinned.last().copied().unwrap_or(NONE));
    }
}

/// The set-ups between two kinds, machine by machine.
fn pairs(problem: &Problem<'_>, shape: &Shape) -> Result<Vec<u32>> {
    let Some(setups) = problem.instance.setups() else { return Ok(Vec::new()) };
    let (kinds, machines) = (setups.kinds(), shape.machines);
    let mut pairs = memory::zeroed::<u32>(kinds * kinds * machines)?;
    for machine in 0..machines {
        for (pair, &time) in setups.matrix(machine).iter().enumerate() {
            pairs[pair * machines + machine] = time;
        }
    }
    Ok(pairs)
}

struct Upload<'a> {
    device: &'a Device,
    queue: &'a Queue,
}

impl Upload<'_> {
    fn list<T: Element>(&self, list: &[T]) -> Result<Buffer<T>> {
        match list {
            [] => self.device.buffer(0),
            _ => self.device.buffer_from(self.queue, list),
        }
    }
}

/// Bytes of an instance.
pub(super) fn bytes(problem: &Problem<'_>) -> u128 {
    let (jobs, machines) = (problem.jobs() as u128, problem.machines() as u128);
    let scores = 1 + 4 * Objective::MAX_STAGES as u128;
    4 * jobs * (2 * machines + 1 + PLAN_WORDS as u128) + 8 * jobs * scores
}
