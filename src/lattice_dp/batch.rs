//! Many lattices at once: many small tables in one launch of a device, the others as in every
//! [batch](crate::batch).

use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Instance, Launches, MODEL, Options, Path, Solution, Traversal, cpu, solve};
use super::{certify, check_paths, cost_model, device};
use crate::batch::{Batch, Fallback, OnCpu, Slot, WHOLE, Ways};
use crate::context::{SpotChecks, spread};
use crate::memory::Gather;
use crate::opencl::Device;
use crate::solve::{Monitor, Outcome, Report, Sense, SolveOptions, Statistics, unless_stopped};
use crate::{Context, Forecast, Result};

/// Largest number of lattices that a device solves between two reports, in several launches at
/// once.
const CHUNK: usize = 1 << 16;
/// The same if several devices may share the batch.
const SHARED_CHUNK: usize = 1 << 13;
/// Most instances of a short batch: each takes about 10 µs in addition to its look-ups, and waking
/// the threads takes about 100 µs.
const FEW: usize = 8;

/// Solves many instances at once, each as [`solve`] does, and returns their outcomes in the same
/// order. Small ones are solved each on one thread of the CPU, or by slabs on a device, many in one
/// launch; the report of each then has the time of all. Large ones are solved one after the other.
///
/// The limits apply to the whole batch, [`Limits::iterations`](crate::Limits::iterations) to each
/// instance. Instances that a limit leaves out are [`Status::Stopped`](crate::Status::Stopped).
///
/// # Errors
/// Those of the device as a whole; otherwise those of [`solve`] for the first instance in order
/// that fails.
pub fn solve_batch(
    context: &Context,
    instances: &[&Instance],
    options: &Options,
    solve_options: &SolveOptions,
) -> Result<Vec<Outcome<Solution>>> {
    options.check_lattice()?;
    let monitor = &context.watch(Sense::Minimise, solve_options)?;
    let batch = Batch { context, instances, options: solve_options, monitor, share: WHOLE };
    let by_slabs = options.traversal == Traversal::Slabs && options.launches == Launches::Auto;
    let on_device = by_slabs && instances.len() > 1 && solve_options.limits.iterations != Some(0);
    let is_short = is_short(instances);
    let outcomes = batch.solve(&Ways {
        sense: &|_| Sense::Minimise,
        is_large: &|instance| is_short || instance.lookups() >= cpu::PARALLEL_LOOKUPS as u64,
        together: &|outcomes, on_cpu| match on_device {
            true => solve_on_device(&batch, outcomes, on_cpu),
            false => Ok(Vec::new()),
        },
        solve: &|context, instance, part| solve(context, instance, options, part),
    })?;
    monitor.conclude_batch();
    Ok(outcomes)
}

/// Whether waking other threads takes longer than to solve one instance after the other.
fn is_short(instances: &[&Instance]) -> bool {
    let lookups = instances.iter().take(FEW).map(|instance| instance.lookups());
    instances.len() <= FEW && lookups.fold(0, u64::saturating_add) < cpu::PARALLEL_LOOKUPS as u64
}

/// Solves all instances on the device, if requested or faster, until a stop.
fn solve_on_device(
    &Batch { context, instances, options, monitor, .. }: &Batch<'_, Instance>,
    outcomes: &[Slot<Solution, i64>],
    on_cpu: OnCpu<'_>,
) -> Result<Vec<Fallback>> {
    let mut dispatch = context.dispatch(options.engine)?;
    let checks = device::Checks::new(SpotChecks::new());
    let team = context.team(monitor);
    let size = if team.places().is_empty() { CHUNK } else { SHARED_CHUNK };
    let solve = |chosen: &Device| {
        let left: Vec<usize> =
            (0..instances.len()).filter(|&index| outcomes[index].get().is_none()).gather()?;
        let chunks: Vec<&[usize]> = left.chunks(size).collect();
        let solved = AtomicUsize::new(instances.len() - left.len());
        let part = |device: &Device, number: usize, monitor: &Monitor| {
            let chunk = chunks[number];
            let some: Vec<&Instance> = chunk.iter().map(|&index| instances[index]).gather()?;
            // The results of each further device are checked as if it were alone.
            let further = device::Checks::new(SpotChecks::new());
            let checks = if device.is_view_of(chosen) { &checks } else { &further };
            let paths = device::solve_all(context, device, &some, Launches::Auto, checks, monitor)?;
            check_paths(context, &some, &paths)?;
            // Two devices may solve the same chunk.
            let solved = solved.fetch_add(chunk.len(), Ordering::Relaxed) + chunk.len();
            monitor.report("batch", Some((solved as f64 / instances.len() as f64).min(1.0)));
            Ok(chunk.iter().copied().zip(paths).collect::<Vec<_>>())
        };
        let found: Vec<(usize, Option<Path>)> =
            spread(&team, chosen, chunks.len(), &part)?.into_iter().flatten().collect();
        Ok(found)
    };
    let found = dispatch.run_with(
        Some(&team),
        monitor,
        &Forecast {
            cpu: &|| {
                let processor = context.processor_speeds();
                cost_model::cpu_seconds(instances, context.threads(), &processor, monitor)
            },
            device: &|info, speeds| {
                cost_model::device_seconds(instances, info, speeds, &context.processor_speeds())
            },
            ..Forecast::of(MODEL)
        },
        solve,
        |monitor| on_cpu(monitor).map(|()| Vec::new()),
    );
    dispatch.shared_with(team);
    let mut report = Report { method: Traversal::Slabs.name(), ..Report::default() };
    dispatch.finish(monitor, &mut report);
    for (index, path) in unless_stopped(found)?.unwrap_or_default() {
        let mut statistics = Statistics::default();
        statistics.add("tables", 1);
        statistics.add("cells", instances[index].cells());
        let report = Report { statistics, ..report.clone() };
        // Each index comes once.
        let _ = outcomes[index].set(certify(instances[index], Some(path), report)?);
    }
    let instances = (0..instances.len()).gather()?;
    Ok(report.fallback.map(|reason| Fallback { reason, instances }).into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::testing::{context_without_the_device, limited};

    #[test]
    fn a_missing_device_is_the_reason_of_the_instances_that_it_leaves() {
        let context = context_without_the_device();
        let lattice = Instance::new(&[3, 3], [([1, 1], 1)]).unwrap();
        // Without memory for a table on the CPU, the batch looks for a device.
        let options = &limited(Limits { memory: Some(1), ..Limits::default() });
        let monitor = &context.watch(Sense::Minimise, options).unwrap();
        let (context, instances) = (&context, &[&lattice; 3][..]);
        let batch = Batch { context, instances, options, monitor, share: WHOLE };
        let outcomes = [Slot::new(), Slot::new(), Slot::new()];
        let fallbacks = solve_on_device(&batch, &outcomes, &|_| Ok(())).unwrap();
        let [Fallback { reason, instances }] = &fallbacks[..] else { panic!("no reason") };
        assert!(reason.starts_with("no OpenCL device: "), "{reason}");
        assert_eq!(instances[..], [0, 1, 2]);
    }
}
