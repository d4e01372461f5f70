//! Lower bounds. Each is a theorem; see docs/src/mathematics.md.

mod ascent;
mod assignment;
mod line;
mod one_machine;
mod parts;
mod paths;
mod positions;
mod simple;
mod tardiness;
#[cfg(test)]
mod tests;
mod tour;

pub(super) use self::parts::Parts;
pub(super) use self::simple::simple;

use self::line::{Line, SCALE};
use self::one_machine::Job;
use self::parts::{MANY, View};
use self::paths::Paths;
use self::positions::rounded_up;
use self::tardiness::Tardiness;
use self::tour::Tour;
use super::cost::Cost;
use super::front::Front;
use super::problem::Problem;
use super::scoring::Terms;
use crate::solve::Monitor;

// Exact searches read the numbers of all jobs, which a stop may leave out for more jobs.
const _: () = assert!(super::MOST_JOBS < MANY);

/// Steps of the choice of weights, and their elementary steps for all lines together.
const STEPS: usize = 40;
const WORK: usize = 1 << 30;
/// Most numbers of jobs for which weights are chosen.
const MOST_COUNTS: usize = 12;
/// Most jobs for which positions are assigned: a table has a cell for each job and position.
const MOST_ASSIGNED: usize = 4_000;
/// In each stage, paths take at most one in this many parts of the bounds' time that is left.
const PATHS_SHARE: u32 = 4;
/// Bytes of a cell, in the tables of ends and of costs.
const CELL_BYTES: u128 = 16;

/// No sequence has a lower value. It is at least the [`simple`] bound in each stage. If a stop came
/// before, a bound of many jobs is the simple one.
pub(super) fn lower(problem: &Problem<'_>, simple: Cost, monitor: &Monitor) -> Cost {
    let (root, free) = (problem.root(), all_free(problem));
    if free.len() >= MANY && monitor.should_stop() {
        return simple;
    }
    let (bounds, view) = Bounds::of(problem, &root, &free, monitor);
    let mut cost = bounds.of_view(view, None);
    cost.0.iter_mut().zip(simple.0).for_each(|(value, simple)| *value = simple.max(*value));
    cost
}

/// The numbers of all jobs that are not pinned.
fn all_free(problem: &Problem<'_>) -> Vec<usize> {
    (0..problem.free_jobs.len()).collect()
}

impl Problem<'_> {
    /// The front of the pinned jobs with what their order costs.
    pub(super) fn root(&self) -> Front {
        let mut front = self.pinned_front();
        front.tally.sums += self.scoring.beginning_cost(self.pinned(), &self.free_jobs);
        front
    }

    /// Adds a job behind a front, with what its order costs against all jobs that are `later`.
    pub(super) fn fix(&self, front: &mut Front, job: u32, later: impl Iterator<Item = u32>) {
        let scoring = &self.scoring;
        if scoring.has_plan() {
            front.tally.sums += scoring.succession(front.last, job);
            later.for_each(|later| front.tally.sums += scoring.pair(job, later));
        }
        self.append(front, job);
    }
}

/// What the bounds of an instance and of the beginnings of its sequences share.
pub(super) struct Bounds<'a> {
    problem: &'a Problem<'a>,
    monitor: &'a Monitor,
    parts: Parts,
    /// The machines, and means of them.
    lines: Vec<Line>,
    tour: Option<Tour>,
    due: Vec<i64>,
}

impl<'a> Bounds<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, monitor: &'a Monitor) -> Self {
        Bounds::of(problem, &problem.root(), &all_free(problem), monitor).0
    }

    /// With a view of the `root` and all jobs behind it.
    fn of<'b>(
        problem: &'a Problem<'a>,
        root: &'b Front,
        all: &'b [usize],
        monitor: &'a Monitor,
    ) -> (Self, View<'b>) {
        let parts = Parts::new(problem, root, monitor);
        let view = View::new(problem, &parts, root, all);
        let due = parts.jobs.iter().map(|&job| problem.scoring.due_date(job)).collect();
        let mut bounds = Bounds { problem, monitor, lines: Vec::new(), tour: None, due, parts };
        if !all.is_empty() {
            bounds.choose(&view);
        }
        (bounds, view)
    }

    /// Chooses the lines: all machines, and means that are good for some numbers of jobs.
    fn choose(&mut self, view: &View<'_>) {
        let (parts, monitor) = (&self.parts, self.monitor);
        let (machines, jobs) = (parts.machines, parts.jobs.len());
        let alone =
            |machine: usize| (0..machines).map(move |other| SCALE * i64::from(other == machine));
        let mut weights: Vec<Vec<i64>> = (0..machines).map(|own| alone(own).collect()).collect();
        let mut mean = ascent::even(machines);
        weights.push(mean.clone());
        let each = if parts.gaps.is_some() { jobs * (machines + 2) } else { machines + 16 } * jobs;
        let most = (WORK / each / STEPS).clamp(1, MOST_COUNTS).min(jobs);
        let counts = if self.problem.scoring.counts_jobs() { most } else { 1 };
        for count in (1..=counts).rev().map(|share| jobs * share / counts) {
            mean = ascent::ascend(machines, &mean, STEPS, |weights| {
                ascent::end_of(parts, view, weights, count, monitor)
            });
            weights.push(mean.clone());
        }
        if self.problem.scoring.makespan_factors() != Cost::default() {
            self.tour = Tour::choose(parts, view, &weights[machines + 1], monitor);
            weights.extend(self.tour.as_ref().map(|tour| tour.weights.clone()));
        }
        weights.sort_unstable();
        weights.dedup();
        let line = |weights: &Vec<i64>| Line::new(&self.parts, weights, &self.due, monitor).ok();
        self.lines = in_time(&weights, jobs, monitor).map_while(line).collect();
    }

    /// The jobs that are not pinned; others are named by their places here.
    pub(super) fn jobs(&self) -> &[u32] {
        &self.parts.jobs
    }

    /// No sequence that begins with a front has a lower value. The jobs behind it are `free`. With a
    /// `target`, the bound may be weak in the stages behind the first one that differs from it.
    ///
    /// The stages are bounded one by one. A schedule is no better than the bound in any stage, so it
    /// is none in the order of schedules.
    pub(super) fn behind(&self, front: &Front, free: &[usize], target: Option<Cost>) -> Cost {
        self.of_view(View::new(self.problem, &self.parts, front, free), target)
    }

    fn of_view(&self, view: View<'_>, target: Option<Cost>) -> Cost {
        let scoring = &self.problem.scoring;
        let mut cost = scoring.cost(&view.front.tally);
        if view.jobs.is_empty() {
            return cost;
        }
        let mut view = Behind::new(self, view, target.is_none());
        for stage in 0..scoring.stages {
            cost.0[stage] = view.stage(stage);
            if target.is_some_and(|target| target.0[stage] != cost.0[stage]) {
                break;
            }
        }
        cost
    }
}

/// The elements until a stop. With few jobs, all of them.
fn in_time<'a, T>(
    list: &'a [T],
    jobs: usize,
    monitor: &'a Monitor,
) -> impl Iterator<Item = &'a T> + use<'a, T> {
    list.iter().take_while(move |_| jobs < MANY || !monitor.should_stop())
}

/// The bounds behind a front. What several stages need is computed once.
struct Behind<'a> {
    bounds: &'a Bounds<'a>,
    view: View<'a>,
    /// Whether bounds that take long are worth it.
    is_thorough: bool,
    /// Whether there is room for a table of jobs and positions.
    has_positions: bool,
    end: Option<i64>,
    lateness: Option<i64>,
    earliest: Option<Vec<i64>>,
}

impl<'a> Behind<'a> {
    fn new(bounds: &'a Bounds<'a>, view: View<'a>, is_thorough: bool) -> Self {
        let jobs = view.jobs.len();
        let cells = jobs as u128 * jobs as u128;
        let has_positions = jobs <= MOST_ASSIGNED && bounds.monitor.has_memory(CELL_BYTES * cells);
        let (end, lateness, earliest) = (None, None, None);
        Behind { bounds, view, is_thorough, has_positions, end, lateness, earliest }
    }

    fn stage(&mut self, stage: usize) -> i64 {
        let (scoring, tally) = (&self.bounds.problem.scoring, &self.view.front.tally);
        let (sum, latest, lateness) = (tally.sums.0[stage], tally.latest, tally.lateness);
        let [makespan, late] =
            [scoring.makespan_factors(), scoring.lateness_factors()].map(|cost| cost.0[stage]);
        let mut value = sum + self.sum(stage);
        if makespan > 0 {
            value += makespan * self.end().max(latest);
        }
        if late > 0 {
            value += late * self.lateness().max(lateness);
        }
        value
    }

    /// The lines of the bounds.
    fn lines(&self) -> impl Iterator<Item = &'a Line> + use<'a> {
        in_time(&self.bounds.lines, self.view.jobs.len(), self.bounds.monitor)
    }

    fn stops(&self) -> impl Fn() -> bool + use<'a> {
        let monitor = self.bounds.monitor;
        || monitor.should_stop()
    }

    /// All jobs end no sooner.
    fn end(&mut self) -> i64 {
        if let Some(end) = self.end {
            return end;
        }
        let jackson = self.jackson(|line, at| line.tails[at]);
        let alone = self.view.ends.iter().copied().max().unwrap_or(0);
        let tour = self.bounds.tour.as_ref();
        let tour = tour.map_or(0, |tour| rounded_up(tour.end(&self.view, &self.stops())));
        *self.end.insert(jackson.max(alone).max(tour))
    }

    /// The largest lateness is no less.
    fn lateness(&mut self) -> i64 {
        if let Some(lateness) = self.lateness {
            return lateness;
        }
        let due = &self.bounds.due;
        let jackson = self.jackson(|line, at| line.tails[at] - SCALE * due[at]);
        let lateness = |(&end, &at): (&i64, &usize)| end - due[at];
        let alone = self.view.ends.iter().zip(self.view.jobs).map(lateness).max();
        *self.lateness.insert(jackson.max(alone.unwrap_or(i64::MIN)))
    }

    /// The places of a list's jobs that are in the view. After a stop, those that come first: the
    /// bound of some of the jobs holds for all of them.
    fn places<'b>(&'b self, list: &'b [u32]) -> impl Iterator<Item = usize> + use<'b, 'a> {
        let monitor = self.bounds.monitor;
        let in_time = move |&(step, _): &(usize, usize)| monitor.check_later_step(step).is_ok();
        self.view.places(list).enumerate().take_while(in_time).map(|(_, place)| place)
    }

    /// The largest bound of a line with these tails.
    fn jackson(&self, tail: impl Fn(&Line, usize) -> i64) -> i64 {
        let view = &self.view;
        let of_line = |line: &Line| {
            let opening = line.opening(view);
            let jobs = self.places(&line.by_head).map(|place| {
                let at = view.jobs[place];
                let head = line.heads[at].max(opening);
                Job { head, time: line.times[at], tail: tail(line, at) }
            });
            one_machine::jackson(jobs)
        };
        self.lines().map(|line| rounded_up(of_line(line))).max().unwrap_or(i64::MIN)
    }

    /// What the jobs add to a stage: all terms by one assignment, or weighted ends and late jobs by
    /// rules that are better for them, and an assignment for the rest. Without the table of
    /// positions, each job counts alone, at its least end.
    fn sum(&mut self, stage: usize) -> i64 {
        let (bounds, scoring) = (self.bounds, &self.bounds.problem.scoring);
        let terms: Vec<Terms> =
            self.view.jobs.iter().map(|&at| scoring.terms(bounds.parts.jobs[at])[stage]).collect();
        let has = |part: fn(&Terms) -> i64| terms.iter().any(|terms| part(terms) != 0);
        let (flow, late) = (has(|terms| terms.flow), has(|terms| terms.late));
        let mut most = self.assigned(&terms);
        if late {
            let factor = terms[0].late;
            let rest: Vec<_> = terms.iter().map(|terms| Terms { late: 0, ..*terms }).collect();
            most = most.max(factor * self.late_jobs() + self.assigned(&rest));
        }
        if flow && (terms.iter().any(|other| other.flow != terms[0].flow) || !self.has_positions) {
            let rest: Vec<_> = terms.iter().map(|terms| Terms { flow: 0, ..*terms }).collect();
            let weights: Vec<_> = terms.iter().map(|terms| terms.flow).collect();
            most = most.max(self.weighted_flow(&weights) + self.assigned(&rest));
        }
        if self.is_thorough && has(|terms| terms.tardy) {
            most = most.max(self.tardiness(&terms));
            most = most.max(self.paths(&terms, most));
        }
        most
    }

    fn assigned(&mut self, terms: &[Terms]) -> i64 {
        if terms.iter().all(|terms| *terms == Terms::default()) {
            return 0;
        }
        let lines = self.lines();
        let Behind { bounds, view, .. } = self;
        let scoring = &bounds.problem.scoring;
        let cost = |place: usize, end: i64| {
            let job = bounds.parts.jobs[view.jobs[place]];
            let flow = end - scoring.release_time(job);
            terms[place].of(flow, end - scoring.due_date(job))
        };
        let is_late = view.jobs.len() >= MANY && bounds.monitor.should_stop();
        if !self.has_positions || is_late {
            return view.ends.iter().enumerate().map(|(place, &end)| cost(place, end)).sum();
        }
        let earliest = self.earliest.get_or_insert_with(|| positions::earliest(lines, view));
        positions::cheapest(earliest, view.jobs.len(), cost, &|| bounds.monitor.should_stop())
    }

    fn late_jobs(&self) -> i64 {
        let Behind { bounds, view, .. } = self;
        let of_line = |line: &Line| {
            let jobs = self.places(&line.by_due).map(|place| {
                let at = view.jobs[place];
                (line.times[at], SCALE * bounds.due[at] - line.tails[at])
            });
            one_machine::late_jobs(line.opening(view), jobs)
        };
        self.lines().map(of_line).max().unwrap_or(0)
    }

    fn weighted_flow(&self, weights: &[i64]) -> i64 {
        let Behind { bounds, view, .. } = self;
        let of_line =
            |line: &Line| positions::weighted_ends(line, view, weights, bounds.monitor).ok();
        let ends = self.lines().map_while(of_line).max().unwrap_or(0);
        let release = |(&at, weight): (&usize, &i64)| {
            weight * bounds.problem.scoring.release_time(bounds.parts.jobs[at])
        };
        ends - view.jobs.iter().zip(weights).map(release).sum::<i64>()
    }

    /// The flow times and the tardiness of the terms by paths. They seldom have a bound above 0 if
    /// no other one is.
    fn paths(&mut self, terms: &[Terms], known: i64) -> i64 {
        let Behind { bounds, view, .. } = self;
        let (jobs, monitor) = (view.jobs.len() as u128, bounds.monitor);
        let has_room = self.has_positions && monitor.has_memory(2 * CELL_BYTES * jobs * jobs);
        let least = |factor: fn(&Terms) -> i64| terms.iter().map(factor).min().unwrap_or(0);
        let (flow, tardy) = (least(|terms| terms.flow), least(|terms| terms.tardy));
        let is_worth_it = has_room && known > 0 && flow + tardy > 0;
        let Some(ends) = self.earliest.as_ref().filter(|_| is_worth_it) else { return 0 };
        let scoring = &bounds.problem.scoring;
        let of_job = |value: &dyn Fn(u32) -> i64| {
            view.jobs.iter().map(|&at| value(bounds.parts.jobs[at])).collect::<Vec<_>>()
        };
        let releases = of_job(&|job| scoring.release_time(job));
        let due = of_job(&|job| scoring.due_date(job));
        let cost = |(cell, &end): (usize, &i64)| {
            let place = cell % view.jobs.len();
            terms[place].of(end - releases[place], end - due[place])
        };
        let costs = ends.iter().enumerate().map(cost).collect();
        let paths = Paths { parts: &bounds.parts, view, flow, tardy, costs, releases, due };
        let part = monitor.part(monitor.left().map(|left| left / PATHS_SHARE), None);
        let found = paths.least(&part);
        monitor.join(&part);
        found
    }

    /// The flow times and the tardiness of the terms.
    fn tardiness(&self, terms: &[Terms]) -> i64 {
        let Behind { bounds, view, .. } = self;
        let flow: Vec<i64> = terms.iter().map(|terms| terms.flow).collect();
        let release = |(&at, flow): (&usize, &i64)| {
            flow * bounds.problem.scoring.release_time(bounds.parts.jobs[at])
        };
        let released: i64 = view.jobs.iter().zip(&flow).map(release).sum();
        let due = view.jobs.iter().map(|&at| bounds.due[at]).collect();
        let tardy = terms.iter().map(|terms| terms.tardy).collect();
        let least = Tardiness { view, flow, tardy, due }.least(&bounds.lines, bounds.monitor);
        least - released
    }
}
