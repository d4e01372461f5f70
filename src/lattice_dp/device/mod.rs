//! The OpenCL engines. Kernels make the traceback too, so that the table never leaves the device.

mod batch;
mod check;
mod parts;
mod resident;
mod self_test;
mod slab_plan;
mod slabs;
mod together;
mod traceback;
mod windows;
mod workload;

pub(super) use batch::is_small;
pub(super) use check::Checks;
pub(super) use parts::device_holds;
pub(super) use slabs::REPLAY_LOOKUPS;
pub(super) use traceback::{TRACEBACK_HEAD, Traceback};
pub(crate) use workload::{BATCH, RESIDENT, SLABS};

use std::time::Instant;

use super::cell::CellWidth;
use super::instance::Instance;
use super::{Launches, Path, cost_model, cpu, fit_together, solve_each};
use crate::context::{SpotChecks, sample, wrong};
use crate::lattice_dp::windows::Windows;
use crate::opencl::{Device, DeviceInfo, DeviceKind, Usual};
use crate::solve::Monitor;
use crate::{Context, Error, Result, Team, parallel};

/// The programs of tables in one buffer and of batches.
pub(super) fn usual_programs() -> impl Iterator<Item = Usual> {
    [CellWidth::Bits8, CellWidth::Bits16].into_iter().flat_map(|width| {
        let resident = move |device: &Device| match device.resident_groups() {
            // Such a device fills tables by launches.
            1 => Ok(()),
            _ => device.program(&resident::FAMILY, &parts::single(width)).map(drop),
        };
        let slabs =
            move |device: &Device| device.program(&slabs::FAMILY, &parts::single(width)).map(drop);
        let batch = move |device: &Device| batch::program(device, width).map(drop);
        [
            Usual::new(slabs::FAMILY.name, slabs),
            Usual::new(resident::FAMILY.name, resident),
            Usual::new(batch::FAMILY.name, batch),
        ]
    })
}

/// Fills the table on the device and traces the cheapest path to its last cell back. If the groups
/// of a persistent kernel wait for each other in vain, it proceeds by launches.
pub(super) fn solve(
    context: &Context,
    device: &Device,
    instance: &Instance,
    launches: Launches,
    checks: &Checks,
    monitor: &Monitor,
) -> Result<Option<Path>> {
    monitor.check()?;
    let launches = possible_launches(device, launches, resident::work(instance), instance)?[0];
    let width = instance.cell_width();
    if let Some(windows) = within_memory(device.info(), instance, monitor)? {
        return match width {
            CellWidth::Bits8 => {
                windows::solve::<u8>(context, device, instance, &windows, checks, monitor)
            }
            CellWidth::Bits16 => {
                windows::solve::<u16>(context, device, instance, &windows, checks, monitor)
            }
        };
    }
    if launches == Launches::Persistent {
        let solved = match width {
            CellWidth::Bits8 => resident::solve::<u8>(context, device, instance, checks, monitor),
            CellWidth::Bits16 => resident::solve::<u16>(context, device, instance, checks, monitor),
        };
        if solved.is_ok() || !device.has_waited_in_vain() {
            return solved;
        }
    }
    match width {
        CellWidth::Bits8 => slabs::solve::<u8>(context, device, instance, checks, monitor),
        CellWidth::Bits16 => slabs::solve::<u16>(context, device, instance, checks, monitor),
    }
}

/// Fills the table on the device together with those of the team, if that is worth while; else like
/// [`solve_all`].
pub(super) fn solve_with(
    context: &Context,
    (team, device): (&Team<'_>, &Device),
    instances: &[&Instance],
    launches: Launches,
    checks: &Checks,
    monitor: &Monitor,
) -> Result<Vec<Option<Path>>> {
    let is_worth_sharing = |instance| {
        let (speeds, processor) = (device.speeds(), context.processor_speeds());
        cost_model::is_worth_sharing(instance, device.info(), &speeds, &processor)
    };
    match instances {
        [instance]
            if launches != Launches::Persistent
                && !team.places().is_empty()
                && within_memory(device.info(), instance, monitor)?.is_none()
                && is_worth_sharing(instance) =>
        {
            let on = (team, device);
            let path = match instance.cell_width() {
                CellWidth::Bits8 => together::solve::<u8>(context, on, instance, checks, monitor),
                CellWidth::Bits16 => together::solve::<u16>(context, on, instance, checks, monitor),
            };
            Ok(vec![path?])
        }
        _ => solve_all(context, device, instances, launches, checks, monitor),
    }
}

/// Segments for a table that exceeds the memory; `None` for a table within it.
fn within_memory(
    info: &DeviceInfo,
    instance: &Instance,
    monitor: &Monitor,
) -> Result<Option<Windows>> {
    if info.kind == DeviceKind::Cpu {
        // A CPU device uses the host's memory.
        let windows = Windows::within_memory(instance, monitor);
        if windows.is_none() {
            cpu::check_memory(instance.cells(), instance.table_bytes().into(), monitor)?;
        }
        return Ok(windows);
    }
    Ok(windows_on(info, instance))
}

/// Segments for a table that exceeds a graphics card's memory, if they do not; `None` for a table
/// within it, too.
pub(super) fn windows_on(info: &DeviceInfo, instance: &Instance) -> Option<Windows> {
    // Leave memory for the driver.
    let room = info.global_memory_bytes / 8 * 7 / instance.cell_width().bytes();
    match device_holds(instance.table_bytes(), info) {
        true => None,
        false => Windows::new(instance, room),
    }
}

/// Launches that can fill the table of an instance with `work` look-ups and cells: the requested
/// ones or, for `Auto`, the likely fastest first.
pub(super) fn possible_launches(
    device: &Device,
    launches: Launches,
    work: u64,
    instance: &Instance,
) -> Result<&'static [Launches]> {
    let groups = device.resident_groups();
    let steps: u64 = instance.dimensions().iter().map(|dimension| u64::from(dimension.max)).sum();
    let is_brief = |[group_work, most_steps]: [u64; 2]| {
        work <= groups as u64 * group_work && steps <= most_steps
    };
    let tuned = |name| device.tuned(&resident::FAMILY, name) as u64;
    let brief = is_brief([tuned("GROUP_WORK"), tuned("MOST_STEPS")]);
    match launches {
        // A single group would leave most of the device idle.
        Launches::Auto if brief && groups > 1 => Ok(&[Launches::Persistent, Launches::Stepwise]),
        Launches::Auto | Launches::Stepwise => Ok(&[Launches::Stepwise]),
        Launches::Persistent if brief || is_brief([GROUP_WORK, MOST_STEPS]) => {
            Ok(&[Launches::Persistent])
        }
        Launches::Persistent => Err(Error::unsupported(format!(
            "a persistent kernel for more than a few milliseconds: a lattice of {} cells on {}",
            instance.cells(),
            device.info().name
        ))),
    }
}

/// Most look-ups and cells for each work-group of a persistent kernel that is asked for. Tuning rows
/// do not change it. It takes a few milliseconds, during which it cannot notice a stop request. In
/// larger tables launches take little of the time. Estimates count on it, too.
pub(super) const GROUP_WORK: u64 = 1 << 18;
/// Most barriers of such a kernel, for the same reason.
const MOST_STEPS: u64 = 1 << 12;
/// Cells that the CPU usually fills, for estimates.
const HEAD_CELLS: u64 = 1 << 14;

/// Number of leading dimensions whose slabs the device usually fills; the CPU fills the rest.
pub(super) fn large_dimensions(instance: &Instance) -> usize {
    slabs::large_dimensions(instance, HEAD_CELLS)
}

/// Solves several instances: many small tables in one launch, larger ones in parallel where memory
/// allows it.
pub(super) fn solve_all(
    context: &Context,
    device: &Device,
    instances: &[&Instance],
    launches: Launches,
    checks: &Checks,
    monitor: &Monitor,
) -> Result<Vec<Option<Path>>> {
    if let [instance] = instances {
        return Ok(vec![solve(context, device, instance, launches, checks, monitor)?]);
    }
    let is_small = |&index: &usize| {
        launches == Launches::Auto && batch::is_small(instances[index], device.info())
    };
    let (small, large): (Vec<usize>, Vec<usize>) = (0..instances.len()).partition(is_small);
    let pick =
        |indices: &[usize]| indices.iter().map(|&index| instances[index]).collect::<Vec<_>>();
    let solved_small = batch::solve(context, device, &pick(&small), monitor)?;
    check_small(context, &pick(&small), &solved_small, checks, monitor)?;
    let solved_large = solve_large(context, device, &pick(&large), launches, checks, monitor)?;
    let mut paths: Vec<Option<Path>> = Vec::new();
    paths.resize_with(instances.len(), || None);
    let solved = solved_small.into_iter().chain(solved_large);
    small.into_iter().chain(large).zip(solved).for_each(|(index, path)| paths[index] = path);
    Ok(paths)
}

/// Solves some of the small instances again on the host, since their tables are not kept.
fn check_small(
    context: &Context,
    instances: &[&Instance],
    paths: &[Option<Path>],
    checks: &Checks,
    monitor: &Monitor,
) -> Result<()> {
    let begun = Instant::now();
    let (quota, mut random) = SpotChecks::begin(checks);
    let cells = instances.iter().map(|instance| instance.cells()).sum::<u64>().max(1);
    let wanted = (u128::from(quota) * instances.len() as u128).div_ceil(cells.into());
    if wanted == 0 || instances.is_empty() {
        return Ok(());
    }
    let ranges =
        sample(&mut random, instances.len(), usize::try_from(wanted).unwrap_or(usize::MAX));
    let chosen: Vec<usize> = ranges.into_iter().flatten().collect();
    let solve_one =
        |&index: &usize| match cpu::solve(context, instances[index], monitor)? == paths[index] {
            true => Ok(instances[index].cells()),
            false => Err(wrong("the path of a small lattice")),
        };
    let solved: Vec<u64> = context.install(|| parallel::try_map(chosen.iter(), solve_one))??;
    SpotChecks::end(checks, solved.into_iter().sum(), begun);
    Ok(())
}

fn solve_large(
    context: &Context,
    device: &Device,
    instances: &[&Instance],
    launches: Launches,
    checks: &Checks,
    monitor: &Monitor,
) -> Result<Vec<Option<Path>>> {
    let side_by_side = fit_together(instances, room_for_several(device), monitor);
    solve_each(context, instances, side_by_side, monitor, |instance| {
        solve(context, device, instance, launches, checks, monitor)
    })
}

/// Bytes of tables that a device can fill side by side.
pub(super) fn room_for_several(device: &Device) -> u64 {
    // Leave memory for the driver.
    if device.quirks().simulator { 0 } else { device.info().global_memory_bytes / 4 * 3 }
}
