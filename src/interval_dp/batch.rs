//! Many instances at once: small ones in the local memories of a device or a thread each, large ones one after the
//! other.

mod device;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::instance::{CellCost, Instance, SplitCost};
use super::number::Number;
use super::semiring::{CellType, Semiring};
use super::{Method, Options, Solution, Solver, cost_model, solve};
use crate::solve::{Engine, Limits, Monitor, Outcome, Report, SolveOptions, Status};
use crate::{Context, Error, Result};

/// Solves all instances as [`solve`] does, and returns their outcomes in the same order. Instances of up to 64 points
/// are spread over the threads of the CPU, or solved many at a time on the device where they take the cubic method,
/// have neither a table nor an [`Expression`](super::Expression) of costs and no other [`Options::cells`] are wanted;
/// the report of each then has the time of all. Larger ones are solved one after the other, each on all threads or on
/// the device. The limits hold for the whole batch, [`Limits::iterations`] for each instance; what they cut off is
/// [`Status::Stopped`]. Progress is reported on the calling thread.
///
/// # Errors
/// Those of [`solve`], of the first instance that has one.
pub fn solve_batch<V: Number>(
    context: &Context,
    instances: &[&Instance<V>],
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Vec<Outcome<Solution<V>, V>>> {
    let batch = Batch { context, instances, options, solve_options, monitor: Monitor::new(solve_options) };
    batch.solve()
}

struct Batch<'a, V> {
    context: &'a Context,
    instances: &'a [&'a Instance<V>],
    options: &'a Options,
    solve_options: &'a SolveOptions,
    monitor: Monitor,
}

type Solved<V> = Outcome<Solution<V>, V>;

/// What instances that are solved in one launch have in common.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Form {
    cell_type: CellType,
    semiring: Semiring,
    has_weights: bool,
    has_terms: bool,
}

impl<V: Number> Batch<'_, V> {
    fn solve(&self) -> Result<Vec<Solved<V>>> {
        let mut outcomes: Vec<Option<Solved<V>>> = Vec::new();
        outcomes.resize_with(self.instances.len(), || None);
        self.solve_on_device(&mut outcomes)?;
        self.solve_on_threads(&mut outcomes)?;
        let solve_rest = |(&instance, outcome): (&&Instance<V>, Option<_>)| match outcome {
            Some(outcome) => Ok(outcome),
            None if self.monitor.should_stop() => Ok(stopped()),
            None => {
                let limit = self.solve_options.limits.time;
                let left = limit.map(|time| time.saturating_sub(self.monitor.elapsed()));
                let limits = Limits { time: left, ..self.solve_options.limits.clone() };
                let options = SolveOptions { limits, ..self.solve_options.clone() };
                solve(self.context, instance, self.options, &options)
            }
        };
        self.instances.iter().zip(outcomes).map(solve_rest).collect()
    }

    /// Solves those instances that a device solves many at a time, if that is wanted or faster.
    fn solve_on_device(&self, outcomes: &mut [Option<Solved<V>>]) -> Result<()> {
        for (form, members) in self.forms()? {
            let some: Vec<&Instance<V>> = members.iter().map(|&member| self.instances[member]).collect();
            let relaxations = some.iter().map(|instance| instance.relaxations()).sum();
            let threads = self.context.threads();
            let mut dispatch = self.context.dispatch(self.solve_options.engine)?;
            let found = dispatch.run(
                cost_model::batch_is_promising(some.len(), relaxations, threads),
                |info| cost_model::batch_is_faster(some.len(), relaxations, threads, info),
                |device| match device::has_room(device.info(), form.cell_type) {
                    true => device::solve(device, &some, form.cell_type, &self.monitor).map(Some),
                    false => Ok(None),
                },
                || Ok(None),
            );
            let found = match found {
                Err(Error::Stopped) => None,
                found => found?,
            };
            let mut report = Report { method: Method::Cubic.name(), ..Report::default() };
            dispatch.finish(&self.monitor, &mut report);
            for (member, values) in members.into_iter().zip(found.into_iter().flatten()) {
                let solver = Solver::new(self.instances[member], self.options, &self.monitor);
                let mut report = report.clone();
                report.statistics.add("relaxations", self.instances[member].relaxations());
                outcomes[member] = Some(solver.certify(solver.with_bound(values), report)?);
            }
        }
        Ok(())
    }

    /// The instances that may be solved in the same launch.
    fn forms(&self) -> Result<Vec<(Form, Vec<usize>)>> {
        let mut forms: Vec<(Form, Vec<usize>)> = Vec::new();
        if !self.options.cells.is_empty() || self.solve_options.limits.iterations == Some(0) {
            return Ok(forms);
        }
        for (member, &instance) in self.instances.iter().enumerate() {
            let solver = Solver::new(instance, self.options, &self.monitor);
            let has_lists = !matches!(instance.cell_cost(), CellCost::Table(_))
                && !matches!(instance.split_cost(), SplitCost::Expression(_));
            if instance.points() > device::POINTS || !has_lists || solver.method()? != Method::Cubic {
                continue;
            }
            let form = Form {
                cell_type: solver.cell_type()?,
                semiring: instance.semiring(),
                has_weights: instance.has_weights(),
                has_terms: instance.has_terms(),
            };
            match forms.iter_mut().find(|(known, _)| *known == form) {
                Some((_, members)) => members.push(member),
                None => forms.push((form, vec![member])),
            }
        }
        Ok(forms)
    }

    /// Solves the small instances that are left on a thread each, unless a device is demanded for them.
    fn solve_on_threads(&self, outcomes: &mut [Option<Solved<V>>]) -> Result<()> {
        let wants_device = self.context.wants_device(self.solve_options.engine);
        let quiet = SolveOptions {
            limits: Limits { time: None, ..self.solve_options.limits.clone() },
            engine: Some(Engine::Cpu),
            progress: None,
            ..self.solve_options.clone()
        };
        let done = AtomicUsize::new(0);
        let solve_small = |(&instance, outcome): (&&Instance<V>, &mut Option<Solved<V>>)| {
            done.fetch_add(1, Ordering::Relaxed);
            if outcome.is_some() || wants_device || instance.is_for_devices() || instance.points() > SMALL {
                return Ok(());
            }
            *outcome = Some(match self.monitor.should_stop() {
                true => stopped(),
                false => solve(self.context, instance, self.options, &quiet)?,
            });
            Ok(())
        };
        let fraction = || Some(done.load(Ordering::Relaxed) as f64 / self.instances.len() as f64);
        self.context.install_reporting(&self.monitor, "batch", fraction, || {
            self.instances.par_iter().zip(outcomes).try_for_each(solve_small)
        })?
    }
}

/// Instances of up to so many points are not worth more than one thread.
const SMALL: usize = 64;

fn stopped<S, V>() -> Outcome<S, V> {
    let report = Report { interrupted: true, ..Report::default() };
    Outcome { status: Status::Stopped, objective: None, bound: None, solution: None, report }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval_dp::testing::instance;
    use crate::opencl::testing::test_devices;
    use crate::{ContextOptions, StopHandle};

    fn chains() -> Vec<Instance<i64>> {
        let chain = |len: usize| {
            let dimensions = (0..len as i64).map(|index| 1 + index * 7919 % 31).collect();
            Instance::matrix_chain(dimensions).unwrap()
        };
        (2..40).chain([64, 65, 200]).chain(2..40).map(chain).collect()
    }

    fn refer(instances: &[Instance<i64>]) -> Vec<&Instance<i64>> {
        instances.iter().collect()
    }

    fn context() -> Context {
        let options = ContextOptions { engine: Engine::Cpu, threads: Some(3), ..ContextOptions::default() };
        Context::new(options).unwrap()
    }

    #[test]
    fn a_batch_is_its_instances_one_by_one() {
        let (context, chains) = (context(), chains());
        for method in [Method::Auto, Method::Cubic] {
            let options = Options { method, ..Options::default() };
            let outcomes =
                solve_batch(&context, &refer(&chains), &options, &SolveOptions::default()).unwrap();
            assert_eq!(outcomes.len(), chains.len());
            for (chain, outcome) in chains.iter().zip(outcomes) {
                let single = solve(&context, chain, &options, &SolveOptions::default()).unwrap();
                assert_eq!(outcome.objective, single.objective);
                assert_eq!(outcome.solution, single.solution);
            }
        }
    }

    #[test]
    fn devices_solve_small_instances_alike() {
        for device in test_devices() {
            let options = ContextOptions {
                engine: Engine::Device,
                device: Some(device.info().index),
                ..ContextOptions::default()
            };
            let context = Context::new(options).unwrap();
            let sizes = if device.quirks().simulator { 2..6 } else { 2..65usize };
            let mut instances: Vec<Instance<i64>> = Vec::new();
            // Each form is a program to build.
            let forms = [
                (Semiring::MinPlus, 1, 1),
                (Semiring::MaxPlus, 0, 0),
                (Semiring::MaxMin, 1, 0),
                (Semiring::PlusTimes, 0, 0),
            ];
            for points in sizes {
                for (semiring, cell_cost, split_cost) in forms {
                    instances.push(instance(points, semiring, cell_cost, split_cost, points as u64));
                }
            }
            let cubic = Options { method: Method::Cubic, ..Options::default() };
            let outcomes =
                solve_batch(&context, &refer(&instances), &cubic, &SolveOptions::default()).unwrap();
            let serial = Options { method: Method::Serial, ..Options::default() };
            for (instance, outcome) in instances.iter().zip(outcomes) {
                let single = solve(&context, instance, &serial, &SolveOptions::default()).unwrap();
                assert_eq!((outcome.status, outcome.objective), (single.status, single.objective));
                let (found, expected) = (outcome.solution.unwrap(), single.solution.unwrap());
                assert_eq!(found.tree, expected.tree);
                assert_eq!(outcome.report.device.as_ref(), Some(&device.info().name));
            }
        }
    }

    #[test]
    fn a_batch_stops_and_fails_as_a_whole() {
        let (context, mut chains) = (context(), chains());
        let stop = StopHandle::new();
        stop.stop();
        let options = SolveOptions { stop: Some(stop), ..SolveOptions::default() };
        let outcomes = solve_batch(&context, &refer(&chains), &Options::default(), &options).unwrap();
        assert!(outcomes.iter().all(|outcome| outcome.status == Status::Stopped));
        chains.push(Instance::matrix_chain(vec![4_000_000; 5]).unwrap());
        assert!(
            solve_batch(&context, &refer(&chains), &Options::default(), &SolveOptions::default()).is_err()
        );
        assert!(
            solve_batch::<i64>(&context, &[], &Options::default(), &SolveOptions::default())
                .unwrap()
                .is_empty()
        );
    }
}
