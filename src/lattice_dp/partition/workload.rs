//! Work by which the kernels are timed.

use super::device::{Table, group_cells};
use super::layout::Layout;
use super::{DivisorRule, Order, Partition, Way, cpu};
use crate::lattice_dp::{Children, Instance, Launches, cpu as by_slabs, self_test, workload};
use crate::opencl::{Case, Device, TimedFamily, Workload, agree, timed};
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Result};

pub(crate) const TIMED: TimedFamily = TimedFamily {
    family: &super::device::FAMILY,
    workloads: &[
        Workload {
            name: "levels",
            tunables: "LEVEL_GROUP",
            case: |_, size| fill(size, self_test::OFFSETS, BY_LEVELS),
        },
        Workload {
            name: "blocks",
            tunables: "BLOCK_GROUP GROUP_CELLS",
            case: |_, size| {
                fill(size, self_test::OFFSETS, Way { order: Order::Blocks, ..BY_LEVELS })
            },
        },
        Workload {
            name: "children",
            tunables: "CHILD_GROUP",
            case: |_, size| {
                fill(size, MANY_OFFSETS, Way { children: Children::Parallel, ..BY_LEVELS })
            },
        },
        Workload {
            name: "blocks in one launch",
            tunables: "PERSISTENT_GROUP",
            case: |device, size| match device.resident_groups() {
                1 => Ok(None),
                _ if size > MOST_AT_ONCE => Ok(None),
                _ => fill(
                    size,
                    self_test::OFFSETS,
                    Way { order: Order::Blocks, launches: Launches::Persistent, ..BY_LEVELS },
                ),
            },
        },
        Workload {
            name: "traceback",
            tunables: "TRACEBACK_GROUP REPLAY_LOOKUPS",
            case: trace_back,
        },
    ],
};

/// Number of the largest box for one launch, which is a matter of milliseconds.
const MOST_AT_ONCE: u32 = 6;
/// Offsets that several work-items share.
const MANY_OFFSETS: usize = 1000;
const BY_LEVELS: Way =
    Way { order: Order::Levels, launches: Launches::Stepwise, children: Children::Loop };

fn monitor() -> Monitor {
    Monitor::new(&SolveOptions::default())
}

fn partition(instance: &Instance, order: Order) -> Result<Partition> {
    match order {
        Order::Blocks => Partition::new(&instance.sizes(), 3, DivisorRule::Tabulated),
        Order::Levels => Ok(Partition::whole(&instance.sizes())),
    }
}

/// Fills a table.
fn fill(size: u32, offsets: usize, way: Way) -> Result<Option<Case>> {
    let Some(instance) = workload::instance(size, offsets)? else { return Ok(None) };
    let partition = partition(&instance, way.order)?;
    let expected: Vec<u16> = {
        let (layout, watch) = (Layout::new(&instance, &partition), monitor());
        let table = cpu::Table::new(&layout, &watch)?;
        table.fill(&Context::of_all_threads()?, way.order, &watch)?;
        (0..instance.cells() as u32).map(|place| table.value_at(place)).collect()
    };
    Ok(Some(Box::new(move |device| {
        let layout = Layout::new(&instance, &partition);
        let table = Table::new(device, &layout, way)?;
        let ((), time) = timed(|| match way.launches {
            Launches::Persistent => table.fill_at_once(device.resident_groups()),
            _ => {
                table.fill(group_cells(device), &monitor())?;
                table.finish()
            }
        })?;
        agree("lattice_partition", &table.read()?, &expected)?;
        Ok(time)
    })))
}

/// Traces a path back, with many offsets for each step.
fn trace_back(_: &Device, size: u32) -> Result<Option<Case>> {
    let offsets = 40 << (size / 2);
    let Some(instance) = workload::instance(size.div_ceil(2), offsets)? else { return Ok(None) };
    let partition = partition(&instance, Order::Levels)?;
    let expected = by_slabs::solve(&Context::of_all_threads()?, &instance, &monitor())?;
    Ok(Some(Box::new(move |device| {
        let layout = Layout::new(&instance, &partition);
        let table = Table::new(device, &layout, BY_LEVELS)?;
        table.fill(group_cells(device), &monitor())?;
        table.finish()?;
        let (path, time) = timed(|| table.traceback(&monitor()))?;
        agree("lattice_partition_traceback", &[path], std::slice::from_ref(&expected))?;
        Ok(time)
    })))
}
