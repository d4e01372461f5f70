//! Work by which the kernels are timed.

use super::parts::Parts;
use super::slabs::{SPAN, Table, most_head_cells};
use super::{GROUP_WORK, batch, resident};
use crate::lattice_dp::cell::CellWidth;
use crate::lattice_dp::{Instance, Path, cpu, self_test, workload};
use crate::opencl::{Case, Device, TimedFamily, Workload, agree, timed};
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Result};

pub(crate) const SLABS: TimedFamily = TimedFamily {
    family: &super::slabs::FAMILY,
    workloads: &[
        Workload { name: "slabs", tunables: "SLAB_GROUP HEAD_CELLS", case: fill_slabs },
        Workload {
            name: "traceback",
            tunables: "TRACEBACK_GROUP REPLAY_LOOKUPS",
            case: trace_back,
        },
    ],
};

pub(crate) const BATCH: TimedFamily = TimedFamily {
    family: &super::batch::FAMILY,
    workloads: &[Workload {
        name: "small tables",
        tunables: "BATCH_GROUP BATCH_TABLES BATCH_LOOKUPS",
        case: fill_batch,
    }],
};

pub(crate) const RESIDENT: TimedFamily = TimedFamily {
    family: &super::resident::FAMILY,
    workloads: &[Workload {
        name: "whole tables",
        tunables: "RESIDENT_GROUP HEAD_CELLS",
        case: fill_at_once,
    }],
};

fn monitor() -> Monitor {
    Monitor::new(&SolveOptions::default())
}

/// Fills a table slab by slab.
fn fill_slabs(_: &Device, size: u32) -> Result<Option<Case>> {
    let Some(instance) = workload::instance(size, self_test::OFFSETS)? else { return Ok(None) };
    let context = Context::of_all_threads()?;
    let expected: Vec<u8> = match instance.cell_width() {
        CellWidth::Bits8 => cpu::fill::<u8>(&context, &instance, 0, &monitor())?.to_vec(),
        CellWidth::Bits16 => {
            let cells = cpu::fill::<u16>(&context, &instance, 0, &monitor())?;
            bytemuck::cast_slice(&cells).to_vec()
        }
    };
    Ok(Some(Box::new(move |device| {
        let parts = Parts::new(device, instance.cells(), instance.cell_width())?;
        let table = Table::new(device, &instance, parts, most_head_cells(device), SPAN)?;
        let ((), time) = timed(|| {
            table.fill(&context, &monitor())?;
            table.finish()
        })?;
        agree("lattice_slabs", &table.read()?, &expected)?;
        Ok(time)
    })))
}

/// Traces a path back, with many offsets for each step.
fn trace_back(_: &Device, size: u32) -> Result<Option<Case>> {
    let offsets = 40 << (size / 2);
    let Some(instance) = workload::instance(size.div_ceil(2), offsets)? else { return Ok(None) };
    let context = Context::of_all_threads()?;
    let expected = cpu::solve(&context, &instance, &monitor())?;
    Ok(Some(Box::new(move |device| {
        let parts = Parts::new(device, instance.cells(), instance.cell_width())?;
        let table = Table::new(device, &instance, parts, most_head_cells(device), SPAN)?;
        table.fill(&context, &monitor())?;
        table.finish()?;
        let (path, time) = timed(|| table.traceback(&monitor()))?;
        agree("the path of lattice_slabs", &[path], std::slice::from_ref(&expected))?;
        Ok(time)
    })))
}

/// Different tables of a batch, all of the smallest batch, and doublings of the largest.
const KINDS: u32 = 60;
const TABLES: usize = 240;
const MOST_DOUBLINGS: u32 = 10;

/// Fills many small tables.
fn fill_batch(_: &Device, size: u32) -> Result<Option<Case>> {
    if size > MOST_DOUBLINGS {
        return Ok(None);
    }
    let kind = |number: u32| {
        let sizes = [4 + number % 5, 5 + number % 4, 6 + number % 3];
        self_test::instance(&sizes, self_test::OFFSETS, 300)
    };
    let kinds = (0..KINDS).map(kind).collect::<Result<Vec<Instance>>>()?;
    let context = Context::of_all_threads()?;
    let solve = |instance: &Instance| cpu::solve(&context, instance, &monitor());
    let paths = kinds.iter().map(solve).collect::<Result<Vec<Option<Path>>>>()?;
    Ok(Some(Box::new(move |device| {
        let all: Vec<&Instance> = kinds.iter().cycle().take(TABLES << size).collect();
        let (found, time) = timed(|| batch::solve(&context, device, &all, &monitor()))?;
        found.chunks(paths.len()).try_for_each(|some| agree("lattice_batch", some, &paths))?;
        Ok(time)
    })))
}

/// Fills a table in one launch, if groups may wait for each other.
fn fill_at_once(device: &Device, size: u32) -> Result<Option<Case>> {
    let Some(instance) = workload::instance(size, self_test::OFFSETS)? else { return Ok(None) };
    let groups = device.resident_groups();
    if groups == 1 || resident::work(&instance) > groups as u64 * GROUP_WORK {
        return Ok(None);
    }
    let context = Context::of_all_threads()?;
    let expected = cpu::fill::<u16>(&context, &instance, 0, &monitor())?;
    Ok(Some(Box::new(move |device| {
        let mut desk = resident::Desk::<u16>::new(device)?;
        let (_, time) = timed(|| {
            let most_head = device.tuned(&resident::FAMILY, "HEAD_CELLS") as u64;
            let shape = (device.resident_groups(), most_head);
            desk.solve(&context, device, &instance, shape, &monitor())
        })?;
        agree("lattice_resident", &desk.read(&instance)?, &expected)?;
        Ok(time)
    })))
}
