//! Instances that differ in their numbers alone, such as variants of a plan: a device searches them
//! side by side.

use std::cell::RefCell;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use super::cost::Cost;
use super::incumbent::Incumbent;
use super::problem::Problem;
use super::search::{Crowd, Evaluators, Extent, LEAST_LEFT, Member, Rates};
use super::{beam_share, bounds, check, construct, exact, has_flow_times, start};
use crate::batch::{Fallback, OnCpu, Slot, part_of, share_of_memory};
use crate::context::Readiness;
use crate::flow_shop::{Instance, Method, Options, Permutation};
use crate::opencl::Device;
use crate::solve::{Monitor, Report, Sense, SolveOptions, Statistics, unless_stopped};
use crate::{Context, Dispatch, Error, Forecast, Result, parallel};

/// A batch with what its solves share.
pub(in crate::flow_shop) struct Variants<'a> {
    pub(in crate::flow_shop) context: &'a Context,
    pub(in crate::flow_shop) instances: &'a [&'a Instance],
    pub(in crate::flow_shop) options: &'a Options,
    pub(in crate::flow_shop) solve_options: &'a SolveOptions,
    pub(in crate::flow_shop) monitor: &'a Monitor,
}

/// The part of a time limit that the bounds may take.
const BOUND_SHARE: f64 = 0.1;
/// Instances for each thread from which on `auto` tries a device: it is fast only if it searches
/// many at once.
const LEAST_EACH: usize = 16;
/// The longest wait for a device and its kernel, and its part of the time that is left. Instances
/// that the CPU solves meanwhile would have worse results than the others.
const PATIENCE: Duration = Duration::from_millis(500);
const PATIENCE_SHARE: u32 = 10;
const SEARCH: &str = "iterated greedy search";

/// An instance that is not solved yet.
#[derive(Clone, Copy)]
struct Unsolved<'a> {
    /// Its place in the batch.
    index: usize,
    problem: &'a Problem<'a>,
    /// With a thread's share of the memory limit.
    monitor: &'a Monitor,
    /// With the whole memory limit.
    alone: &'a Monitor,
}

/// An instance with its best sequence.
struct Variant<'a> {
    index: usize,
    incumbent: Incumbent<'a>,
    statistics: Statistics,
}

impl Variants<'_> {
    /// Fills the slots of the instances that a device has searched, if it is asked for or turns out
    /// to be faster. Until it is ready, `on_cpu` solves instances: see
    /// [`Ways::together`](crate::batch::Ways).
    pub(in crate::flow_shop) fn solve(
        &self,
        slots: &[Slot<Permutation, i64>],
        on_cpu: OnCpu<'_>,
    ) -> Result<Vec<Fallback>> {
        if !self.can_use_a_device() || self.monitor.should_stop() {
            return Ok(Vec::new());
        }
        let dispatch = self.context.dispatch(self.solve_options.engine)?;
        let is_asked_for = dispatch.wants_device();
        let may_be_faster = dispatch.is_auto() && self.may_be_faster_on_a_device();
        if !is_asked_for && !may_be_faster {
            return Ok(Vec::new());
        }
        self.options.check(&self.solve_options.limits)?;
        self.instances.iter().try_for_each(|instance| check(instance, self.options))?;
        let problems: Vec<Problem<'_>> =
            self.instances.iter().map(|instance| Problem::new(instance)).collect();
        let count = self.instances.len();
        let share = share_of_memory(self.context, self.monitor, self.solve_options, count);
        let monitors = self.monitors(share)?;
        let alone = self.monitors(self.solve_options.limits.memory)?;
        let parts: Vec<Unsolved<'_>> = (0..count)
            .map(|index| Unsolved {
                index,
                problem: &problems[index],
                monitor: &monitors[index],
                alone: &alone[index],
            })
            .collect();
        match is_asked_for {
            true => self.solve_on_device(dispatch, &parts, slots),
            false => self.try_device(dispatch, &parts, slots, on_cpu),
        }
    }

    fn can_use_a_device(&self) -> bool {
        self.instances.len() > 1
            && matches!(self.options.method, Method::Auto | Method::IteratedGreedy)
            && self.instances.iter().all(|instance| !instance.is_plain())
    }

    /// Whether `auto` tries a device: for many instances that a device can search all at once.
    fn may_be_faster_on_a_device(&self) -> bool {
        if !self.extent().only_time() || !self.has_enough(self.instances.len()) {
            return false;
        }
        let first = Problem::new(self.instances[0]);
        let is_like = |instance: &&Instance| {
            let problem = Problem::new(instance);
            problem.free_jobs.len() > 1 && Member::are_alike(&first, &problem)
        };
        !self.has_better_way(&first) && self.instances.iter().all(is_like)
    }

    /// Whether `auto` has a way on the CPU that was not compared with a search on a device: a
    /// proof, or a beam for another objective than flow times.
    fn has_better_way(&self, problem: &Problem<'_>) -> bool {
        let has_beam = beam_share(problem.instance).is_some();
        self.options.method == Method::Auto
            && (exact::is_small(problem) || has_beam && !has_flow_times(problem.instance))
    }

    /// Whether instances and time are enough to try a device.
    fn has_enough(&self, instances: usize) -> bool {
        instances >= LEAST_EACH * self.context.threads()
            && !self.monitor.ends_within(Duration::from_secs_f64(LEAST_LEFT))
    }

    /// A monitor for each instance, with the other limits of the batch.
    fn monitors(&self, memory: Option<u64>) -> Result<Vec<Monitor>> {
        let part = part_of(self.monitor, self.solve_options, memory);
        let monitor = |_| self.context.watch(Sense::Minimise, &part);
        (0..self.instances.len()).map(monitor).collect()
    }

    /// Solves all instances, those that are alike at once.
    fn solve_on_device(
        &self,
        mut dispatch: Dispatch<'_>,
        parts: &[Unsolved<'_>],
        slots: &[Slot<Permutation, i64>],
    ) -> Result<Vec<Fallback>> {
        let mut variants = self.start_all(parts)?;
        let mut groups = groups(&variants);
        while let Some(group) = groups.pop() {
            let time = self.monitor.left().map(|left| left / (groups.len() + 1) as u32);
            let part = self.monitor.part(time, None);
            let cell = RefCell::new(&mut variants);
            let searched = dispatch.run(
                &part,
                &Forecast::device_only(SEARCH),
                |device| self.search(device, &part, &group, &mut cell.borrow_mut()),
                |_| Err(Error::internal("a device was asked for")),
            );
            unless_stopped(searched)?;
            self.monitor.join(&part);
        }
        self.conclude(dispatch, variants, slots)
    }

    /// Solves instances on the CPU until a device is ready, and the others there if it turns out to
    /// be faster.
    fn try_device(
        &self,
        mut dispatch: Dispatch<'_>,
        parts: &[Unsolved<'_>],
        slots: &[Slot<Permutation, i64>],
        on_cpu: OnCpu<'_>,
    ) -> Result<Vec<Fallback>> {
        let left = self.monitor.left().unwrap_or(PATIENCE * PATIENCE_SHARE);
        let patience = Instant::now() + PATIENCE.min(left / PATIENCE_SHARE);
        loop {
            let is_open = match dispatch.readiness(self.monitor, true) {
                Readiness::Ready => break,
                Readiness::Opening(is_open) => is_open,
                Readiness::Later | Readiness::Never => return Ok(Vec::new()),
            };
            let until = self.monitor.until(move || is_open.load(Ordering::Acquire));
            let solved = self.meanwhile(&until, patience, on_cpu);
            self.monitor.join(&until);
            if unless_stopped(solved)?.is_some() {
                return Ok(Vec::new());
            }
        }
        // What a device has found before it fails still counts.
        let variants = RefCell::new(Vec::new());
        let searched = dispatch.run(
            self.monitor,
            &Forecast::device_preferred(SEARCH),
            |device| {
                let unsolved = parts.iter().copied();
                let unsolved: Vec<Unsolved<'_>> =
                    unsolved.filter(|part| slots[part.index].get().is_none()).collect();
                self.search_if_faster(device, &unsolved, &mut variants.borrow_mut())
            },
            |until| self.meanwhile(until, patience, on_cpu),
        );
        unless_stopped(searched)?;
        self.conclude(dispatch, variants.into_inner(), slots)
    }

    /// Waits a moment for the device. If it is not ready then, the CPU solves instances until it
    /// is.
    fn meanwhile(&self, until: &Monitor, patience: Instant, on_cpu: OnCpu<'_>) -> Result<()> {
        // Without a relief, no device is awaited.
        while until.has_relief() && Instant::now() < patience {
            if self.monitor.should_stop() || until.is_over() {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        if until.is_relieved() { Err(Error::stopped()) } else { on_cpu(until) }
    }

    /// Searches all instances together until a limit, if the device is faster than the CPU and
    /// there are enough of them. They must be alike.
    fn search_if_faster<'a>(
        &self,
        device: &Device,
        parts: &[Unsolved<'a>],
        variants: &mut Vec<Variant<'a>>,
    ) -> Result<()> {
        if !self.has_enough(parts.len()) {
            return Ok(());
        }
        let problems: Vec<&Problem<'_>> = parts.iter().map(|part| part.problem).collect();
        let (extent, threads) = (self.extent(), self.context.threads());
        let rates = Rates::measure(device, self.monitor, &problems, &extent, threads)?;
        self.context.log().info(|| format!("{SEARCH}: {rates}"));
        if rates.favour_device() {
            *variants = self.start_all(parts)?;
            for group in groups(variants) {
                unless_stopped(self.search(device, self.monitor, &group, variants))?;
            }
        }
        Ok(())
    }

    /// Constructs the first sequences on the threads. Instances that need more than their share of
    /// the memory limit follow one by one.
    fn start_all<'a>(&self, parts: &[Unsolved<'a>]) -> Result<Vec<Variant<'a>>> {
        let start = |&part: &Unsolved<'a>| match self.start(part, part.monitor, parts.len()) {
            Err(error) if matches!(*error, Error::OutOfMemory { .. }) => Ok(None),
            variant => variant.map(Some),
        };
        let run = || parallel::try_map(parts.iter(), start);
        let started = self.context.install_reporting(self.monitor, "start", || None, run)??;
        let alone = |&part: &Unsolved<'a>| self.start(part, part.alone, 1);
        let parts = parts.iter().zip(started);
        parts.map(|(part, started)| started.map_or_else(|| alone(part), Ok)).collect()
    }

    /// Constructs a first sequence and computes a bound. If time alone is limited, it is a quick
    /// one, since a device improves it faster.
    fn start<'a>(
        &self,
        Unsolved { index, problem, .. }: Unsolved<'a>,
        monitor: &'a Monitor,
        at_once: usize,
    ) -> Result<Variant<'a>> {
        // Their tables are freed at the end, so that a batch needs those of each thread alone.
        let evaluators = Evaluators::new(problem);
        let construct = |opening: &Monitor| match self.extent().only_time() {
            true => construct::construct_quickly(problem, &evaluators, opening),
            false => construct::construct(problem, &evaluators, opening),
        };
        let mut incumbent = start(problem, &construct, self.options, monitor)?;
        let share = |left: Duration| self.share_of_one(left.mul_f64(BOUND_SHARE), at_once);
        let part = monitor.part(monitor.left().map(share), None);
        incumbent.raise(bounds::lower(problem, incumbent.bound(), &part));
        let mut statistics = Statistics::default();
        if self.options.method == Method::Auto {
            exact::prove_small(&mut incumbent, problem, self.context, &mut statistics)?;
        }
        Ok(Variant { index, incumbent, statistics })
    }

    /// The time of an instance, if the threads share the time for `count`.
    fn share_of_one(&self, all: Duration, count: usize) -> Duration {
        all.mul_f64((self.context.threads() as f64 / count as f64).min(1.0))
    }

    fn extent(&self) -> Extent<'_> {
        Extent::new(self.options.search.trajectories, &self.solve_options.limits)
    }

    /// Searches a group until a limit. If time alone is limited, it ends once all of it is optimal.
    fn search(
        &self,
        device: &Device,
        monitor: &Monitor,
        group: &[usize],
        variants: &mut [Variant<'_>],
    ) -> Result<()> {
        let starts: Vec<Vec<u32>> =
            group.iter().map(|&place| variants[place].incumbent.free_order().to_vec()).collect();
        let members: Vec<Member<'_>> = group
            .iter()
            .zip(&starts)
            .map(|(&place, start)| {
                Member::new(&Evaluators::new(variants[place].incumbent.problem()), start)
            })
            .collect();
        let extent = self.extent();
        let (each, queue) = (extent.on_device(device, members.len()), device.queue());
        let seed = self.solve_options.seed;
        let mut crowd = Crowd::new(device, &queue, monitor, &members, each, seed)?;
        let iterations = extent.iterations(members[0].problem);
        let bounds: Vec<Cost> =
            group.iter().map(|&place| variants[place].incumbent.bound()).collect();
        let is_optimal =
            |crowd: &Crowd<'_>, member: usize| crowd.best_value(member) == bounds[member].0;
        crowd.advance_while(iterations, |crowd| {
            !extent.only_time() || !(0..bounds.len()).all(|member| is_optimal(crowd, member))
        })?;
        for found in crowd.bests()? {
            variants[group[found.member]].incumbent.offer_free(&found.order);
        }
        for (member, &place) in group.iter().enumerate() {
            crowd.count(member, &mut variants[place].statistics);
        }
        Ok(())
    }

    /// Fills the slots that are empty. Returns why the device did not search, if it was to.
    fn conclude(
        &self,
        dispatch: Dispatch<'_>,
        variants: Vec<Variant<'_>>,
        slots: &[Slot<Permutation, i64>],
    ) -> Result<Vec<Fallback>> {
        let mut report = Report { method: self.options.method.name(), ..Report::default() };
        dispatch.finish(self.monitor, &mut report);
        for Variant { index, incumbent, statistics } in variants {
            if slots[index].get().is_some() {
                continue;
            }
            let warning = match (self.instances[index].unused(), &report.warning) {
                (Some(unused), Some(other)) => Some(format!("{unused}; {other}")),
                (unused, other) => unused.or_else(|| other.clone()),
            };
            let (monitor, report) =
                (incumbent.monitor, Report { statistics, warning, ..report.clone() });
            let _ = slots[index].set(monitor.conclude(incumbent.into_outcome(report)?));
        }
        let instances = (0..slots.len()).collect();
        Ok(report.fallback.map(|reason| Fallback { reason, instances }).into_iter().collect())
    }
}

/// The places of the variants that a search may improve, those that are alike together.
fn groups(variants: &[Variant<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (place, variant) in variants.iter().enumerate() {
        let problem = variant.incumbent.problem();
        if problem.free_jobs.len() < 2 || variant.incumbent.is_optimal() {
            continue;
        }
        let is_like = |group: &&mut Vec<usize>| {
            Member::are_alike(variants[group[0]].incumbent.problem(), problem)
        };
        match groups.iter_mut().find(is_like) {
            Some(group) => group.push(place),
            None => groups.push(vec![place]),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::flow_shop::solve_batch;
    use crate::testing::{context_without_the_device, cpu_context, limited};

    /// Variants of an instance.
    fn variants(count: u32) -> Vec<Instance> {
        let times = |number: u32| (0..60).map(|time| 1 + (time * 7 + number) % 11).collect();
        let variant = |number| Instance::new(20, 3, times(number)).unwrap();
        (0..count).map(|number| variant(number).with_blocking().unwrap()).collect()
    }

    fn seconds(seconds: u64) -> SolveOptions {
        limited(Limits { time: Some(Duration::from_secs(seconds)), ..Limits::default() })
    }

    #[test]
    fn auto_tries_a_device_for_many_alike_instances_under_a_time_limit() {
        let context = &cpu_context(2);
        let is_tried = |instances: &[Instance], method, solve_options: &SolveOptions| {
            let instances: Vec<&Instance> = instances.iter().collect();
            let options = &Options { method, ..Options::default() };
            let monitor = &context.watch(Sense::Minimise, solve_options).unwrap();
            let (context, instances) = (context, &instances[..]);
            Variants { context, instances, options, solve_options, monitor }
                .may_be_faster_on_a_device()
        };
        let mut instances = variants(32);
        let greedy = Method::IteratedGreedy;
        assert!(is_tried(&instances, greedy, &seconds(5)));
        assert!(is_tried(&instances, Method::Auto, &seconds(5)));
        assert!(!is_tried(&instances[..31], greedy, &seconds(5)));
        assert!(!is_tried(&instances, greedy, &seconds(0)));
        let iterations = Limits { iterations: Some(9), ..seconds(5).limits };
        assert!(!is_tried(&instances, greedy, &limited(iterations)));
        // A search of a variant has nothing to move.
        let jobs = (0..20).collect();
        instances[7] = instances[7].clone().with_pinned(jobs).unwrap();
        assert!(!is_tried(&instances, greedy, &seconds(5)));
        instances[7] = Instance::new(20, 3, vec![1; 60]).unwrap();
        assert!(!is_tried(&instances, greedy, &seconds(5)));
    }

    #[test]
    fn without_a_device_the_cpu_solves_all_variants() {
        let context = context_without_the_device();
        let instances = variants(16 * context.threads() as u32);
        let instances: Vec<&Instance> = instances.iter().collect();
        let outcomes = solve_batch(&context, &instances, &Options::default(), &seconds(2)).unwrap();
        for outcome in outcomes {
            assert!(outcome.solution.is_some());
            let reason = outcome.report.fallback.unwrap();
            assert!(reason.starts_with("no OpenCL device: "), "{reason}");
        }
    }
}
