//! Instances that differ in their numbers alone, such as variants of a plan: a device searches them
//! side by side.

use std::cell::RefCell;
use std::time::Duration;

use super::incumbent::Incumbent;
use super::problem::Problem;
use super::search::{Crowd, Evaluators, Extent, Member, each_found};
use super::{bounds, exact, start};
use crate::batch::Slot;
use crate::flow_shop::{Instance, Method, Options, Permutation};
use crate::opencl::Device;
use crate::solve::{Monitor, Report, Sense, SolveOptions, Statistics, unless_stopped};
use crate::{Context, Error, Forecast, Result, parallel};

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

/// An instance with its search.
struct Variant<'a> {
    evaluators: &'a Evaluators<'a>,
    incumbent: Incumbent<'a>,
    statistics: Statistics,
}

impl Variants<'_> {
    /// Whether a device searches the instances together.
    pub(in crate::flow_shop) fn are_for_a_device(&self) -> bool {
        self.instances.len() > 1
            && matches!(self.options.method, Method::Auto | Method::IteratedGreedy)
            && self.context.wants_device(self.solve_options.engine)
            && self.instances.iter().all(|instance| !instance.is_plain())
    }

    /// Solves them, those that are alike at once.
    pub(in crate::flow_shop) fn solve(&self, slots: &[Slot<Permutation, i64>]) -> Result<()> {
        self.options.check(&self.solve_options.limits)?;
        let mut dispatch = self.context.dispatch(self.solve_options.engine)?;
        let problems: Vec<Problem<'_>> =
            self.instances.iter().map(|instance| Problem::new(instance)).collect();
        let evaluators: Vec<Evaluators<'_>> = problems.iter().map(Evaluators::new).collect();
        let monitor = |_| self.context.watch(Sense::Minimise, &SolveOptions::default());
        let monitors = problems.iter().map(monitor).collect::<Result<Vec<_>>>()?;
        let parts = evaluators.iter().zip(&monitors);
        let start = |(evaluators, monitor)| self.start(evaluators, monitor);
        let mut variants = self.context.install(|| parallel::try_map(parts, start))??;
        let mut groups = self.groups(&variants);
        while let Some(group) = groups.pop() {
            let time = self.monitor.left().map(|left| left / (groups.len() + 1) as u32);
            let part = self.monitor.part(time, None);
            let cell = RefCell::new(&mut variants);
            let searched = dispatch.run(
                &part,
                &Forecast::device_only("iterated greedy search"),
                |device| self.search(device, &part, &group, &mut cell.borrow_mut()),
                |_| Err(Error::internal("a device was asked for")),
            );
            unless_stopped(searched)?;
            self.monitor.join(&part);
        }
        let mut report = Report { method: self.options.method.name(), ..Report::default() };
        dispatch.finish(self.monitor, &mut report);
        for ((variant, monitor), slot) in variants.into_iter().zip(&monitors).zip(slots) {
            let report = Report { statistics: variant.statistics, ..report.clone() };
            // Each slot is filled once.
            let _ = slot.set(monitor.conclude(variant.incumbent.into_outcome(report)?));
        }
        Ok(())
    }

    /// Constructs a first sequence and computes a bound.
    fn start<'a>(
        &self,
        evaluators: &'a Evaluators<'a>,
        monitor: &'a Monitor,
    ) -> Result<Variant<'a>> {
        let problem = evaluators.problem();
        problem.instance.objective().check_data(problem.instance)?;
        let mut incumbent = start(problem, evaluators, self.options, monitor)?;
        let time = self.monitor.left().map(|left| self.share_of_one(left.mul_f64(BOUND_SHARE)));
        let part = self.monitor.part(time, None);
        incumbent.raise(bounds::lower(problem, incumbent.bound(), &part));
        let mut statistics = Statistics::default();
        if self.options.method == Method::Auto {
            exact::prove_small(&mut incumbent, problem, self.context, &mut statistics)?;
        }
        Ok(Variant { evaluators, incumbent, statistics })
    }

    /// The time of an instance, if the threads share the time for all.
    fn share_of_one(&self, all: Duration) -> Duration {
        all.mul_f64((self.context.threads() as f64 / self.instances.len() as f64).min(1.0))
    }

    /// The variants that a search may improve, those that are alike together.
    fn groups(&self, variants: &[Variant<'_>]) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for (index, variant) in variants.iter().enumerate() {
            let problem = variant.evaluators.problem();
            if problem.free_jobs.len() < 2 || variant.incumbent.is_optimal() {
                continue;
            }
            let is_like = |group: &&mut Vec<usize>| {
                Member::are_alike(variants[group[0]].evaluators.problem(), problem)
            };
            match groups.iter_mut().find(is_like) {
                Some(group) => group.push(index),
                None => groups.push(vec![index]),
            }
        }
        groups
    }

    /// Searches a group until a limit.
    fn search(
        &self,
        device: &Device,
        monitor: &Monitor,
        group: &[usize],
        variants: &mut [Variant<'_>],
    ) -> Result<()> {
        let starts: Vec<Vec<u32>> =
            group.iter().map(|&index| variants[index].incumbent.free_order().to_vec()).collect();
        let members: Vec<Member<'_>> = group
            .iter()
            .zip(&starts)
            .map(|(&index, start)| Member::new(variants[index].evaluators, start))
            .collect();
        let extent = Extent::new(self.options.search.trajectories, &self.solve_options.limits);
        let (each, queue) = (extent.on_device(device, members.len()), device.queue());
        let seed = self.solve_options.seed;
        let mut crowd = Crowd::new(device, &queue, monitor, &members, each, seed)?;
        let iterations = extent.iterations(members[0].problem);
        each_found(&mut crowd, iterations, |_, found| {
            for found in found {
                variants[group[found.member]].incumbent.offer_free(&found.order);
            }
            true
        })?;
        for (member, &index) in group.iter().enumerate() {
            crowd.count(member, &mut variants[index].statistics);
        }
        Ok(())
    }
}
