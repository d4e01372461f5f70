//! The mappings of cells to work-items and work-groups of Diwan and Tembhurne (2019), with one
//! launch for each phase.
//!
//! A phase solves all cells of one length l; in the paper's count these are n - l + 1. Four
//! conventional mappings use one rule in all phases; the adaptive one follows Eq. 2 of the paper.
//! The paper leaves two points open, which are settled here. A second launch combines the partial
//! sums of several groups for a cell. One-to-one uses a multiple of the compute units as groups if
//! one round of the largest groups does not cover the phase.

use std::sync::Arc;

use super::check::{self, Check};
use super::instance::device_instance;
#[cfg(test)]
use super::kernels::Terms;
use super::kernels::{CONSTANTS, Cells, DIAGONALS, Layout, Table, build};
use super::{pipeline, self_test, traceback, usual_forms};
use crate::context::Pacer;
use crate::interval_dp::number::Value;
use crate::interval_dp::semiring::CellType;
use crate::interval_dp::values::Values;
use crate::interval_dp::view::{Request, View};
use crate::opencl::{
    Buffer, Device, Failing, Kernel, KernelFamily, Local, Program, Trial, Usual, kernel_arguments,
    source,
};
use crate::solve::Monitor;
use crate::{Context, Error, Result};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "interval_dp_mapping",
    sources: &[
        source!("interval_dp.cl"),
        source!("interval_dp_mapping.cl"),
        source!("interval_dp_pipeline.cl"),
    ],
    #[cfg(test)]
    kernels: crate::opencl::declared![
        Items,
        Groups,
        Parts,
        Combine,
        pipeline::Steps,
        Terms,
        check::Part,
        traceback::Walk,
        traceback::Splits
    ],
    constants: CONSTANTS,
    tuning: &[
        pipeline::GROUP,
        traceback::SPLITS_GROUP,
        traceback::SPLITS_AT_ONCE,
        traceback::SPLITS_OF_LAUNCH,
        traceback::LAUNCHES,
        traceback::RUN_STEPS,
        traceback::LONG_RUN,
    ],
    self_test: compare,
};

/// The programs of the usual problems.
pub(in crate::interval_dp) fn usual_programs() -> impl Iterator<Item = Usual> {
    usual_forms().map(|(instance, cell_type)| {
        Usual::new(FAMILY.name, move |device| {
            let instance = instance()?;
            let form = device_instance(&View::of(&instance), cell_type, 1)?;
            build(device, &form.form(), Layout::Square, &FAMILY).map(drop)
        })
    })
}

/// A square by every kernel of the mappings, or diagonals by the pipeline.
fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    if trial.define("SQUARE") == Some(DIAGONALS) {
        return self_test::compare_table(trial, &FAMILY, Layout::Diagonals, &pipeline::fill);
    }
    // Few work-items, so that cells occur with several groups, a group, an item, or part of one.
    let options =
        MappingOptions { groups: 3, k: 1, resident_items: Some(64), ..MappingOptions::default() };
    for mapping in [Mapping::Constant, Mapping::GroupPerCell, Mapping::Adaptive] {
        self_test::compare_table(trial, &FAMILY, Layout::Square, &|table| {
            fill(table, mapping, &options, None)
        })?;
    }
    Ok(())
}

kernel_arguments! {
    /// Cells of a length, some for each work-item.
    pub(super) struct Items<'a> = "interval_mapping_items" {
        table: Cells<'a>,
        length: u32,
        count: u32,
    }

    /// Cells of a length, a group for each.
    struct Groups<'a> = "interval_mapping_groups" {
        table: Cells<'a>,
        length: u32,
        count: u32,
        values: Local as VALUE,
    }

    /// Cells of a length, several groups for each.
    struct Parts<'a> = "interval_mapping_parts" {
        table: Cells<'a>,
        length: u32,
        parts: u32,
        sums: &'a Buffer<u8> as VALUE,
        values: Local as VALUE,
    }

    /// The cells of which several groups have the parts.
    struct Combine<'a> = "interval_mapping_combine" {
        table: Cells<'a>,
        length: u32,
        count: u32,
        parts: u32,
        sums: &'a Buffer<u8> as VALUE,
    }
}

struct Kernels {
    items: Kernel<Items<'static>>,
    groups: Kernel<Groups<'static>>,
    parts: Kernel<Parts<'static>>,
    combine: Kernel<Combine<'static>>,
}

impl Kernels {
    fn new(program: &Arc<Program>) -> Result<Self> {
        Ok(Kernels {
            items: program.kernel()?,
            groups: program.kernel()?,
            parts: program.kernel()?,
            combine: program.kernel()?,
        })
    }

    /// Most work-items of a group of each of them.
    fn largest_group(&self) -> usize {
        let largest = self.items.max_work_group_size().min(self.groups.max_work_group_size());
        let largest = largest.min(self.parts.max_work_group_size());
        largest.min(self.combine.max_work_group_size())
    }
}

/// How a phase's cells are mapped to work-items (the paper's threads) and work-groups (its blocks).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mapping {
    /// Approach 1: in all phases the number of groups that gives each cell of the first phase a
    /// work-item.
    FirstPhase,
    /// Approach 2: one group for each cell.
    GroupPerCell,
    /// Approach 3: a constant number of groups for any size of instance.
    Constant,
    /// Approach 4: in each phase the number of groups that gives each cell a work-item.
    ItemPerCell,
    /// The paper's contribution, Eq. 2. The choice depends on the number of cells: several cells
    /// for each work-item; or one work-item, one group, or several groups for each cell.
    Adaptive,
}

impl Mapping {
    /// All mappings.
    pub const ALL: [Mapping; 5] = [
        Mapping::FirstPhase,
        Mapping::GroupPerCell,
        Mapping::Constant,
        Mapping::ItemPerCell,
        Mapping::Adaptive,
    ];
}

/// Parameters of the mappings. Sizes are clamped to the device's limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappingOptions {
    /// Work-items of a group for the conventional mappings, the same in all phases.
    pub group_size: usize,
    /// Number of groups of [`Mapping::Constant`]; the paper uses 32 and 64.
    pub groups: usize,
    /// The paper's small integer k of Eq. 2, whose value it does not give: in a phase with up to
    /// `k * warp` cells for each unit, each cell gets a group.
    pub k: usize,
    /// Work-items that run in step, the paper's warp; by default the number that the driver prefers.
    pub warp: Option<usize>,
    /// Most work-items that a compute unit holds at once. OpenCL does not report it: the default is
    /// the number of NVIDIA's architectures (2048 for most), elsewhere the largest group.
    pub resident_items: Option<usize>,
}

impl Default for MappingOptions {
    fn default() -> Self {
        MappingOptions { group_size: 64, groups: 64, k: 4, warp: None, resident_items: None }
    }
}

/// The work-items that solve the cells of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Launch {
    /// `groups` groups of `size` work-items; the cells are distributed to the items.
    Items { groups: usize, size: usize },
    /// One group of `size` work-items for each cell.
    Group { size: usize },
    /// `parts` groups for each cell.
    Groups { parts: usize, size: usize },
}

/// Facts of the device for a mapping.
#[derive(Debug, Clone, Copy)]
struct Facts {
    /// The paper's sm.
    units: usize,
    /// The paper's mTB.
    largest_group: usize,
    /// Work-items that run in step.
    warp: usize,
    /// Most work-items of a unit.
    resident_items: usize,
}

/// The launch for `count` cells of a length; the first phase has `first_count`.
fn launch(
    mapping: Mapping,
    options: &MappingOptions,
    facts: Facts,
    first_count: usize,
    count: usize,
    length: usize,
) -> Launch {
    let size = options.group_size.min(facts.largest_group);
    let items = |cells: usize| Launch::Items { groups: cells.div_ceil(size), size };
    match mapping {
        Mapping::FirstPhase => items(first_count),
        Mapping::GroupPerCell => Launch::Group { size },
        Mapping::Constant => Launch::Items { groups: options.groups, size },
        Mapping::ItemPerCell => items(count),
        Mapping::Adaptive => adaptive(options, facts, count, length),
    }
}

/// Eq. 2 of the paper.
fn adaptive(options: &MappingOptions, facts: Facts, count: usize, length: usize) -> Launch {
    let Facts { units, largest_group, .. } = facts;
    let warp = options.warp.unwrap_or(facts.warp).min(largest_group);
    let resident_items = options.resident_items.unwrap_or(facts.resident_items);
    let capacity = resident_items.saturating_mul(units);
    if count > capacity {
        // Many-to-one: as many items as the device holds.
        Launch::Items { groups: capacity.div_ceil(largest_group), size: largest_group }
    } else if count > options.k.saturating_mul(warp).saturating_mul(units) {
        // One-to-one: a group for each unit, whose size decreases from the largest to k warps in
        // steps of a warp.
        let groups = units * count.div_ceil(units * largest_group);
        let size = count.div_ceil(groups).next_multiple_of(warp).min(largest_group);
        Launch::Items { groups, size }
    } else if count >= units {
        // One-to-many with a group for each cell, which grows in steps of a warp as cells become
        // fewer.
        let size = (capacity / count / warp).max(1) * warp;
        Launch::Group { size: size.min(largest_group) }
    } else {
        // One-to-many with several groups for a cell: enough to fill the units, each with at least
        // a warp's splits.
        let parts = units.div_ceil(count).min(length.div_ceil(warp)).max(1);
        let size = (length / parts).next_multiple_of(warp).clamp(warp, largest_group);
        Launch::Groups { parts, size }
    }
}

/// Solves the instance with this mapping in cells of the given type. If `checker` is given, some
/// cells are computed again.
pub(in crate::interval_dp) fn solve(
    checker: Option<&Context>,
    device: &Device,
    request: &Request<'_>,
    cell_type: CellType,
    mapping: Mapping,
    options: &MappingOptions,
    monitor: &Monitor,
) -> Result<Values<Value>> {
    let instance = device_instance(&request.view, cell_type, 1)?;
    let table = Table::new(device, &*instance, Layout::Square, &FAMILY, monitor)?;
    check::filled(checker, &table, &*instance, request, |check| {
        fill(&table, mapping, options, check)
    })
}

/// Fills a square table, and checks it meanwhile if wanted; returns the pacer, which knows the speed
/// of the fill.
pub(super) fn fill<'a>(
    table: &'a Table<'_>,
    mapping: Mapping,
    options: &MappingOptions,
    mut check: Option<&mut Check<'_>>,
) -> Result<Pacer<'a>> {
    let kernels = Kernels::new(&table.program)?;
    let local = table.device.info().group_memory_bytes() as usize / 2 / table.cell_type.bytes();
    let units = table.device.info().compute_units as usize;
    let largest_group = kernels.largest_group().min(local).min(1024);
    if largest_group == 0 {
        let name = &table.device.info().name;
        return Err(Error::device_failed(format!("{name} has no local memory for two cells")));
    }
    let facts = Facts {
        units,
        largest_group,
        warp: kernels.items.preferred_multiple(),
        resident_items: table.device.info().resident_items(),
    };
    // Several groups for each cell only occur with fewer cells than units; then there are fewer
    // than twice as many groups as units.
    let sums = table.device.buffer::<u8>(2 * units * table.cell_type.bytes())?;
    let mut pacer = Pacer::new(&table.queue, table.monitor, "interval");
    for length in 1..table.points {
        let count = table.points - length;
        let launch = launch(mapping, options, facts, table.points - 1, count, length);
        Phase { table, kernels: &kernels, length, count }.launch(launch, &sums)?;
        let (work, fraction) = (count as u64 * length as u64, length as f64 / table.points as f64);
        check::launched(&mut check, &mut pacer, work, fraction, length + 1)?;
    }
    Ok(pacer)
}

/// The cells of one length of a square table.
struct Phase<'a> {
    table: &'a Table<'a>,
    kernels: &'a Kernels,
    length: usize,
    count: usize,
}

impl Phase<'_> {
    fn launch(&self, launch: Launch, sums: &Buffer<u8>) -> Result<()> {
        let &Phase { kernels, count: cells, .. } = self;
        let (queue, table) = (&self.table.queue, self.table.cells());
        let (length, count) = (self.length as u32, cells as u32);
        let local = |size: usize| Local(size * self.table.cell_type.bytes());
        match launch {
            Launch::Items { groups, size } => {
                let arguments = Items { table, length, count };
                queue.launch(&kernels.items, &arguments, [groups * size], [size])
            }
            Launch::Group { size } => {
                let arguments = Groups { table, length, count, values: local(size) };
                queue.launch(&kernels.groups, &arguments, [cells * size], [size])
            }
            Launch::Groups { parts, size } => {
                let (items, parts) = (cells * parts * size, parts as u32);
                let arguments = Parts { table, length, parts, sums, values: local(size) };
                queue.launch(&kernels.parts, &arguments, [items], [size])?;
                let arguments = Combine { table, length, count, parts, sums };
                queue.launch(&kernels.combine, &arguments, [cells], [1])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::interval_dp::serial;
    use crate::interval_dp::testing::instances;
    use crate::opencl::testing::test_devices;
    use crate::solve::SolveOptions;
    use crate::testing::check_cases;

    const H200: Facts = Facts { units: 132, largest_group: 1024, warp: 32, resident_items: 2048 };

    #[test]
    fn the_adaptive_mapping_follows_equation_2() {
        let options = MappingOptions::default();
        let at = |count, length| adaptive(&options, H200, count, length);
        assert_eq!(at(270_337, 2), Launch::Items { groups: 264, size: 1024 });
        assert_eq!(at(270_336, 2), Launch::Items { groups: 264, size: 1024 });
        assert_eq!(at(135_168, 2), Launch::Items { groups: 132, size: 1024 });
        assert_eq!(at(135_000, 2), Launch::Items { groups: 132, size: 1024 });
        assert_eq!(at(16_897, 9), Launch::Items { groups: 132, size: 160 });
        assert_eq!(at(16_896, 9), Launch::Group { size: 32 });
        assert_eq!(at(132, 9000), Launch::Group { size: 1024 });
        assert_eq!(at(131, 9000), Launch::Groups { parts: 2, size: 1024 });
        assert_eq!(at(1, 9000), Launch::Groups { parts: 132, size: 96 });
        assert_eq!(at(1, 40), Launch::Groups { parts: 2, size: 32 });
    }

    #[test]
    fn conventional_mappings_keep_to_their_rule() {
        let options = MappingOptions { group_size: 64, groups: 32, ..MappingOptions::default() };
        let at = |mapping, count| launch(mapping, &options, H200, 1000, count, 10);
        for count in [1000, 10] {
            assert_eq!(at(Mapping::FirstPhase, count), Launch::Items { groups: 16, size: 64 });
            assert_eq!(at(Mapping::GroupPerCell, count), Launch::Group { size: 64 });
            assert_eq!(at(Mapping::Constant, count), Launch::Items { groups: 32, size: 64 });
        }
        assert_eq!(at(Mapping::ItemPerCell, 1000), Launch::Items { groups: 16, size: 64 });
        assert_eq!(at(Mapping::ItemPerCell, 10), Launch::Items { groups: 1, size: 64 });
    }

    #[test]
    fn all_mappings_on_a_device_equal_the_recurrence() {
        let monitor = Monitor::new(&SolveOptions::default());
        for device in test_devices() {
            let (cases, most) = if device.quirks().simulator { (2, 12usize) } else { (6, 60) };
            let types = prop_oneof![Just(CellType::I32), Just(CellType::I64), Just(CellType::F64)];
            check_cases(cases, &(instances(2..most), types), |(instance, cell_type)| {
                let bitwise = instance.semiring() == crate::interval_dp::Semiring::OrAnd;
                let cell_type = if bitwise { CellType::I32 } else { cell_type };
                if cell_type == CellType::F64 && !device.info().has_double_precision() {
                    return Ok(());
                }
                let request = Request::new(&instance, &[(0, 1)]);
                let expected = serial::solve(&request, cell_type, &monitor).unwrap();
                // Small values, so that all ranges of Eq. 2 occur.
                let options = MappingOptions {
                    group_size: 8,
                    groups: 3,
                    k: 2,
                    warp: Some(4),
                    resident_items: Some(8),
                };
                for mapping in Mapping::ALL {
                    let found =
                        solve(None, &device, &request, cell_type, mapping, &options, &monitor)
                            .unwrap();
                    prop_assert_eq!(found.value, expected.value, "{:?}", mapping);
                    prop_assert_eq!(&found.cells, &expected.cells);
                    prop_assert_eq!(&found.tree, &expected.tree, "{:?}", mapping);
                }
                Ok(())
            });
        }
    }
}
