//! Many instances at once: small ones in the local memories of a device, the others as in every
//! [batch](crate::batch).

mod device;
mod workload;

pub(super) use self::device::usual_programs;
pub(super) use self::workload::TIMED;

use super::instance::{CellCost, Instance, SplitCost, pairs};
use super::number::{Number, Value};
use super::semiring::{CellType, Semiring};
use super::solver::Solver;
use super::values::Values;
use super::view::Request;
use super::{Method, Options, Solution, cost_model, serial, solve};
use crate::batch::{Batch as Shared, Fallback, WHOLE, Ways};
use crate::context::{SpotChecks, places, sample, spread, wrong};
use crate::memory::{Gather, Grow};
use crate::opencl::Device;
use crate::solve::{Monitor, Outcome, Report, Sense, SolveOptions, unless_stopped};
use crate::{Context, Dispatch, Forecast, Result, Team, parallel};

/// Solves all instances as [`solve`](super::solve) does, and returns their outcomes in the same
/// order.
///
/// Instances of up to 64 points are spread over the threads of the CPU, or solved on the device,
/// many in one launch. The device takes those with the cubic method, without a table or an
/// [`Expression`](super::Expression) of costs, if no [`Options::cells`] are requested; the report
/// of each then has the time of all. Larger instances are solved one after the other, each on all
/// threads or on the device.
///
/// The limits apply to the whole batch, [`Limits::iterations`](crate::solve::Limits::iterations) to
/// each instance; instances that a limit cuts off are [`Status::Stopped`](crate::Status::Stopped).
/// Progress is reported on the calling thread.
///
/// # Errors
/// Those of the device as a whole; otherwise those of [`solve`](super::solve) for the first
/// instance in order that fails.
pub fn solve_batch<V: Number>(
    context: &Context,
    instances: &[&Instance<V>],
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Vec<Outcome<Solution<V>, V>>> {
    let sense = instances.first().map_or(Sense::Minimise, |first| first.semiring().sense());
    let monitor = context.watch(sense, solve_options)?;
    let shared =
        Shared { context, instances, options: solve_options, monitor: &monitor, share: WHOLE };
    let outcomes = solve_batch_watched(shared, options)?;
    monitor.conclude_batch();
    Ok(outcomes)
}

/// Like [`solve_batch`], under a monitor of the same options. Several batches may share it, and then
/// also share the time limit, stop requests and the progress.
pub(crate) fn solve_batch_watched<V: Number>(
    shared: Shared<'_, Instance<V>>,
    options: &Options,
) -> Result<Vec<Outcome<Solution<V>, V>>> {
    let batch = Batch { shared, options };
    batch.shared.solve(&Ways {
        sense: &|instance| instance.semiring().sense(),
        is_large: &|instance| instance.is_for_devices() || instance.points() > SMALL,
        together: &|outcomes, _| batch.solve_on_device(outcomes),
        solve: &|context, instance, part| solve(context, instance, options, part),
    })
}

type Slot<V> = crate::batch::Slot<Solution<V>, V>;

/// The instances with how they are solved.
struct Batch<'a, V> {
    shared: Shared<'a, Instance<V>>,
    options: &'a Options,
}

/// Properties that instances of one launch share.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Form {
    cell_type: CellType,
    semiring: Semiring,
    has_weights: bool,
    has_terms: bool,
}

impl<V: Number> Batch<'_, V> {
    /// Solves, many in one launch, the instances that suit the device, if requested or faster.
    fn solve_on_device(&self, outcomes: &[Slot<V>]) -> Result<Vec<Fallback>> {
        let mut fallbacks = Vec::new();
        let Shared { context, instances, options, monitor, .. } = self.shared;
        for (form, members) in self.forms()? {
            let some: Vec<&Instance<V>> =
                members.iter().map(|&member| instances[member]).gather()?;
            let relaxations = some.iter().map(|instance| instance.relaxations()).sum();
            let mut dispatch = context.dispatch(options.engine)?;
            let team = context.team(monitor);
            let part = if team.places().is_empty() { some.len() } else { PART };
            let solve = |device: &Device, number: usize, monitor: &Monitor| {
                let some = &some[number * part..some.len().min((number + 1) * part)];
                let found = device::solve(Some(context), device, some, form.cell_type, monitor)?;
                self.check(some, &found, form.cell_type, monitor)?;
                Ok((found.len() == some.len(), found))
            };
            let found =
                on_engine(&mut dispatch, &team, some.len(), relaxations, &form, &|device| {
                    let mut all = Vec::new();
                    for (is_whole, found) in
                        spread(&team, device, some.len().div_ceil(part), &solve)?
                    {
                        all.try_extend(found)?;
                        if !is_whole {
                            break;
                        }
                    }
                    Ok(all)
                });
            dispatch.shared_with(team);
            let found = found?;
            let mut report = Report { method: Method::Cubic.name(), ..Report::default() };
            dispatch.finish(monitor, &mut report);
            let certify = |(&member, values): (&usize, Values<Value>)| {
                let solver = Solver::new(instances[member], self.options, monitor);
                let mut report = report.clone();
                report.statistics.add("relaxations", instances[member].relaxations());
                // Each member comes once.
                let _ = outcomes[member].set(solver.certify(solver.with_bound(values), report)?);
                Ok(())
            };
            let found = members.iter().zip(found);
            context.install(|| parallel::try_for_each(found, certify))??;
            let fallback = report.fallback.map(|reason| Fallback { reason, instances: members });
            fallbacks.extend(fallback);
        }
        Ok(fallbacks)
    }

    /// Evaluates the trees that a device found, and solves some of the instances again.
    fn check(
        &self,
        instances: &[&Instance<V>],
        found: &[Values<Value>],
        cell_type: CellType,
        monitor: &Monitor,
    ) -> Result<()> {
        // A stop leaves out the last ones.
        let instances = &instances[..found.len()];
        let parts = instances.chunks(device::TOGETHER).zip(found.chunks(device::TOGETHER));
        let check_trees = |(instances, found): (&[&Instance<V>], &[Values<Value>])| {
            let mut all = instances.iter().zip(found);
            all.try_for_each(|(instance, values)| {
                Solver::new(instance, self.options, monitor).check_tree(values)
            })
        };
        let cells: usize = instances.iter().map(|instance| pairs(instance.points())).sum();
        let wanted = (SpotChecks::LEAST as usize * instances.len()).div_ceil(cells.max(1));
        let chosen = sample(&mut places(), instances.len(), wanted).into_iter().flatten();
        let chosen: Vec<usize> = chosen.collect();
        let check_one = |&index: &usize| {
            let instance = instances[index];
            // A rounded sum depends on the order of its terms.
            if !V::WHOLE && instance.semiring() == Semiring::PlusTimes {
                return Ok(());
            }
            let again = serial::solve(&Request::new(instance, &[]), cell_type, monitor)?;
            if again.value == found[index].value {
                Ok(())
            } else {
                Err(wrong("the value of a small instance"))
            }
        };
        self.shared.context.install(|| {
            parallel::try_for_each(parts, check_trees)?;
            parallel::try_for_each(chosen.iter(), check_one)
        })?
    }

    /// The instances by form; those of one form are solved in the same launch. An instance that
    /// fails here fails again in its own turn.
    fn forms(&self) -> Result<Vec<(Form, Vec<usize>)>> {
        let mut forms: Vec<(Form, Vec<usize>)> = Vec::new();
        if !self.options.cells.is_empty() || self.shared.options.limits.iterations == Some(0) {
            return Ok(forms);
        }
        let parts = self.shared.instances.chunks(device::TOGETHER);
        let form = |some: &[&Instance<V>]| {
            some.iter().map(|instance| Ok(self.form(instance))).try_gather()
        };
        let found: Vec<Vec<Option<Form>>> =
            self.shared.context.install(|| parallel::try_map(parts, form))??;
        for (member, form) in found.into_iter().flatten().enumerate() {
            let Some(form) = form else { continue };
            match forms.iter_mut().find(|(known, _)| *known == form) {
                Some((_, members)) => members.try_push(member)?,
                None => forms.push((form, vec![member])),
            }
        }
        Ok(forms)
    }

    /// The form of an instance that a device can solve together with others.
    fn form(&self, instance: &Instance<V>) -> Option<Form> {
        let has_lists = !matches!(instance.cell_cost(), CellCost::Table(_))
            && !matches!(instance.split_cost(), SplitCost::Expression(_));
        if instance.points() > device::POINTS || !has_lists {
            return None;
        }
        let solver = Solver::new(instance, self.options, self.shared.monitor);
        let cell_type = match solver.method().ok()? {
            Method::Cubic => solver.cell_type().ok()?,
            Method::Knuth if solver.may_be_cubic() => solver.knuth_type(),
            _ => return None,
        };
        Some(Form {
            cell_type,
            semiring: instance.semiring(),
            has_weights: instance.has_weights(),
            has_terms: instance.has_terms(),
        })
    }
}

/// Solves `instances` instances of a form on a device, if requested or faster, or the first of them
/// if stopped. Returns none otherwise.
fn on_engine(
    dispatch: &mut Dispatch<'_>,
    team: &Team<'_>,
    instances: usize,
    relaxations: u64,
    form: &Form,
    solve: &dyn Fn(&Device) -> Result<Vec<Values<Value>>>,
) -> Result<Vec<Values<Value>>> {
    let context = dispatch.context();
    let threads = context.threads();
    let found = dispatch.run_with(
        Some(team),
        team.monitor(),
        &Forecast {
            // On the CPU the instances are solved later.
            learns: false,
            cpu: &|| {
                let speeds = context.processor_speeds();
                cost_model::batch_cpu_seconds(instances, relaxations, threads, &speeds)
            },
            device: &|_, speeds| cost_model::batch_device_seconds(instances, relaxations, speeds),
            ..Forecast::of("interval-batch")
        },
        |device| match device::has_room(device.info(), form.cell_type) {
            true => solve(device),
            false => Ok(Vec::new()),
        },
        |_| Ok(Vec::new()),
    );
    Ok(unless_stopped(found)?.unwrap_or_default())
}

/// Instances that each of several devices takes at a time.
const PART: usize = 1 << 14;
/// Most points of an instance for which one thread is best.
const SMALL: usize = 64;

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::Status;
    use crate::interval_dp::testing::instance;
    use crate::opencl::testing::test_devices;
    use crate::solve::{Control, Limits, Progress};
    use crate::testing::{
        context_without_the_device, cpu_context, device_context, limited, stopped,
    };

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

    #[test]
    fn a_batch_is_its_instances_one_by_one() {
        let (context, chains) = (cpu_context(3), chains());
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
    fn a_missing_device_is_the_reason_of_the_instances_that_it_leaves() {
        let context = context_without_the_device();
        let [small, large] = [20, 65].map(|len| Instance::matrix_chain(vec![3; len]).unwrap());
        let mut instances = vec![&small; 20_000];
        instances[7] = &large;
        let own = Options { method: Method::Cubic, ..Options::default() };
        let options = SolveOptions::default();
        let monitor = context.watch(Sense::Minimise, &options).unwrap();
        let shared = Shared {
            context: &context,
            instances: &instances,
            options: &options,
            monitor: &monitor,
            share: WHOLE,
        };
        let outcomes: Vec<Slot<i64>> = instances.iter().map(|_| Slot::new()).collect();
        let fallbacks = Batch { shared, options: &own }.solve_on_device(&outcomes).unwrap();
        let [Fallback { reason, instances }] = &fallbacks[..] else { panic!("there is one form") };
        assert!(reason.starts_with("no OpenCL device: "), "{reason}");
        assert!(instances.iter().copied().eq((0..20_000).filter(|&index| index != 7)));
    }

    #[test]
    fn devices_solve_small_instances_alike() {
        for device in test_devices() {
            let (context, cpu) = (device_context(&device), cpu_context(1));
            let sizes = if device.quirks().simulator { 2..6 } else { 2..65usize };
            let mut instances: Vec<Instance<i64>> = Vec::new();
            // Each form needs its own program.
            let forms = [
                (Semiring::MinPlus, 1, 1),
                (Semiring::MaxPlus, 0, 0),
                (Semiring::MaxMin, 1, 0),
                (Semiring::PlusTimes, 0, 0),
            ];
            for points in sizes {
                for (semiring, cell_cost, split_cost) in forms {
                    instances.push(instance(
                        points,
                        semiring,
                        cell_cost,
                        split_cost,
                        points as u64,
                    ));
                }
            }
            let cubic = Options { method: Method::Cubic, ..Options::default() };
            let outcomes =
                solve_batch(&context, &refer(&instances), &cubic, &SolveOptions::default())
                    .unwrap();
            let serial = Options { method: Method::Serial, ..Options::default() };
            for (instance, outcome) in instances.iter().zip(outcomes) {
                let single = solve(&cpu, instance, &serial, &SolveOptions::default()).unwrap();
                assert_eq!((outcome.status, outcome.objective), (single.status, single.objective));
                let (found, expected) = (outcome.solution.unwrap(), single.solution.unwrap());
                assert_eq!(found.tree, expected.tree);
                assert_eq!(outcome.report.device.as_ref(), Some(&device.info().name));
            }
        }
    }

    #[test]
    fn devices_solve_small_search_trees_together() {
        for device in test_devices() {
            let (context, cpu) = (device_context(&device), cpu_context(1));
            let tree = |keys: i64| {
                let weights: Vec<i64> = (0..keys).map(|key| key * 7919 % 31).collect();
                Instance::search_tree(&weights, &vec![1; weights.len() + 1]).unwrap()
            };
            let trees: Vec<Instance<i64>> = (1..8).map(tree).collect();
            let (auto, limits) = (Options::default(), SolveOptions::default());
            // A device with little local memory solves them one by one.
            let are_together = device::has_room(device.info(), CellType::I32);
            let method = if are_together { "cubic" } else { "knuth" };
            let outcomes = solve_batch(&context, &refer(&trees), &auto, &limits).unwrap();
            for (tree, outcome) in trees.iter().zip(outcomes) {
                let single = solve(&cpu, tree, &auto, &limits).unwrap();
                assert_eq!((outcome.status, outcome.objective), (single.status, single.objective));
                assert_eq!(outcome.solution, single.solution);
                assert_eq!(outcome.report.method, method);
                assert_eq!(outcome.report.device.as_ref(), Some(&device.info().name));
            }
        }
    }

    #[test]
    fn a_batch_stops_and_fails_as_a_whole() {
        let (context, mut chains) = (cpu_context(3), chains());
        let options = stopped();
        let outcomes =
            solve_batch(&context, &refer(&chains), &Options::default(), &options).unwrap();
        assert!(outcomes.iter().all(|outcome| outcome.status == Status::Stopped));
        chains.push(Instance::matrix_chain(vec![4_000_000; 5]).unwrap());
        assert!(
            solve_batch(&context, &refer(&chains), &Options::default(), &SolveOptions::default())
                .is_err()
        );
        assert!(
            solve_batch::<i64>(&context, &[], &Options::default(), &SolveOptions::default())
                .unwrap()
                .is_empty()
        );
    }

    #[test]
    fn the_error_is_that_of_the_first_instance_on_any_number_of_threads() {
        // Each instance gets its own error for cells out of range, which names its number of
        // points.
        let chains: Vec<Instance<i64>> = [30, 100, 6, 9, 5, 8, 7]
            .map(|len| Instance::matrix_chain(vec![2; len]).unwrap())
            .into();
        let options = Options { cells: vec![(0, 5)], ..Options::default() };
        for threads in [1, 2, 7] {
            let context = cpu_context(threads);
            for _ in 0..10 {
                let error =
                    solve_batch(&context, &refer(&chains), &options, &SolveOptions::default());
                assert_eq!(
                    error.unwrap_err().to_string(),
                    "cells[0]: there is no cell (0, 5): it needs 0 < 5 < 5"
                );
            }
        }
        // Also with instances too large for one thread among the small ones.
        let options = Options { cells: vec![(0, 50)], ..Options::default() };
        let chains = [200, 45, 100, 40].map(|len| Instance::matrix_chain(vec![2i64; len]).unwrap());
        let error =
            solve_batch(&cpu_context(3), &refer(&chains), &options, &SolveOptions::default());
        assert!(error.unwrap_err().to_string().ends_with("0 < 50 < 45"));
        let error =
            solve_batch(&cpu_context(3), &refer(&chains[2..]), &options, &SolveOptions::default());
        assert!(error.unwrap_err().to_string().ends_with("0 < 50 < 40"));
    }

    /// Options whose callback requests a stop at its first call only.
    fn stopping_once() -> SolveOptions {
        let calls = AtomicUsize::new(0);
        let once = move |_: &Progress| match calls.fetch_add(1, Ordering::Relaxed) {
            0 => Control::Stop,
            _ => Control::Continue,
        };
        SolveOptions { progress: Some(std::sync::Arc::new(once)), ..SolveOptions::default() }
    }

    #[test]
    fn batches_that_share_a_monitor_end_together() {
        let (context, options) =
            (cpu_context(3), Options { method: Method::Cubic, ..Options::default() });
        let whole = Instance::matrix_chain(vec![3i64; 200]).unwrap();
        let real = Instance::matrix_chain(vec![3.0; 5]).unwrap();
        let solve_options = stopping_once();
        let monitor = Monitor::new(&solve_options);
        while !monitor.should_stop() {
            monitor.report("until the callback is called", None);
        }
        let (context, solve_options, monitor) = (&context, &solve_options, &monitor);
        let (instances, share) = (&[&whole][..], (0.0, 0.5));
        let shared = Shared { context, instances, options: solve_options, monitor, share };
        let outcomes = solve_batch_watched(shared, &options).unwrap();
        assert_eq!(outcomes[0].status, Status::Stopped);
        let (instances, share) = (&[&real][..], (0.5, 1.0));
        let shared = Shared { context, instances, options: solve_options, monitor, share };
        let outcomes = solve_batch_watched(shared, &options).unwrap();
        assert_eq!((outcomes[0].status, outcomes[0].report.interrupted), (Status::Stopped, true));
    }

    #[test]
    fn the_limit_of_iterations_is_for_each_instance() {
        let chains = chains();
        for (iterations, status) in [(0, Status::Feasible), (1, Status::Optimal)] {
            let solve_options =
                limited(Limits { iterations: Some(iterations), ..Limits::default() });
            let outcomes =
                solve_batch(&cpu_context(3), &refer(&chains), &Options::default(), &solve_options)
                    .unwrap();
            assert!(outcomes.iter().all(|outcome| outcome.status == status));
        }
    }
}
