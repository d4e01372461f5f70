//! Many small tables in one launch, each in the local memory of a work-group. Two chunks of tables
//! are in flight at a time, so that the device fills one while the host prepares the other.

use std::sync::Arc;
use std::time::Instant;

use super::self_test;
use crate::context::Ration;
use crate::lattice_dp::Path;
use crate::lattice_dp::cell::CellWidth;
use crate::lattice_dp::instance::{Dimension, Instance};
use crate::opencl::{
    Buffer, Device, DeviceInfo, GroupArrays, Kernel, KernelFamily, Local, Program, Queue, Tunable,
    kernel_arguments, source,
};
use crate::solve::Monitor;
use crate::{Context, Error, Result, parallel};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "lattice_batch",
    sources: &[source!("lattice_batch.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![Tables],
    constants: &[
        ("PLAN_HEAD", PLAN_HEAD as u64),
        ("DIMENSION_WORDS", DIMENSION_WORDS as u64),
        ("COMPONENT_WORDS", COMPONENT_WORDS as u64),
        ("OFFSET_WORDS", OFFSET_WORDS as u64),
        ("RESULT_HEAD", RESULT_HEAD as u64),
    ],
    tuning: &[
        Tunable::power("BATCH_GROUP: work-items of a group", (16, 1024)),
        Tunable::power("BATCH_TABLES: most tables of a launch", (1, 1 << 20)),
        Tunable::power("BATCH_LOOKUPS: most look-ups of a launch", (1 << 16, 1 << 36)),
    ],
    self_test: |trial| self_test::compare_batch(trial, solve),
};

/// Words of a plan's head, of a dimension, of a component, of an offset; see cl/lattice_batch.cl.
const PLAN_HEAD: usize = 5;
const DIMENSION_WORDS: usize = 8;
const COMPONENT_WORDS: usize = 4;
const OFFSET_WORDS: usize = 2;
/// Words of a result's head, before the steps.
const RESULT_HEAD: usize = 2;

kernel_arguments! {
    /// A table in each group.
    struct Tables<'a> = "lattice_batch" {
        plans: &'a Buffer<u32>,
        tables: &'a Buffer<u32>,
        results: &'a Buffer<u16>,
        table: Local as cell_t,
        plan: Local as uint,
        group_arrays: GroupArrays,
    }
}

/// Local memory that the kernel takes in addition to table and plan.
const SPARE_BYTES: u64 = 64;

/// Whether the table fits into a work-group's local memory and the kernel's number types.
pub(in crate::lattice_dp) fn is_small(instance: &Instance, info: &DeviceInfo) -> bool {
    let [low, high] = *instance.guards();
    let bytes = instance.table_bytes().next_multiple_of(4) + 4 * plan_words(instance) as u64;
    instance.cells() <= 1 << 16
        && high == 0
        && low <= u32::MAX.into()
        && instance.longest_path() < u16::MAX.into()
        && plan_words(instance) < u16::MAX.into()
        && bytes + SPARE_BYTES <= info.group_memory_bytes()
}

/// Fills all tables, which must be small, and traces the cheapest paths back. The results keep the
/// order of the instances.
pub(super) fn solve(
    context: &Context,
    device: &Device,
    instances: &[&Instance],
    monitor: &Monitor,
) -> Result<Vec<Option<Path>>> {
    let mut paths: Vec<Option<Path>> = Vec::new();
    paths.resize_with(instances.len(), || None);
    for width in [CellWidth::Bits8, CellWidth::Bits16] {
        solve_in(context, device, instances, width, &mut paths, monitor)?;
    }
    Ok(paths)
}

/// Fills the tables whose cells have this width.
fn solve_in(
    context: &Context,
    device: &Device,
    instances: &[&Instance],
    width: CellWidth,
    paths: &mut [Option<Path>],
    monitor: &Monitor,
) -> Result<()> {
    let mut order: Vec<usize> =
        (0..instances.len()).filter(|&index| instances[index].cell_width() == width).collect();
    if order.is_empty() {
        return Ok(());
    }
    // Every table of a launch reserves as much local memory as the largest one: the smaller that
    // is, the more tables run at once.
    order.sort_by_cached_key(|&index| instances[index].cells());
    let mut slots = [Slot::new(device, width)?, Slot::new(device, width)?];
    let queue = device.queue();
    let mut ration = Ration::new(&queue, "lattice batch");
    let mut pending: Option<(usize, &[usize], Vec<u32>, Instant)> = None;
    let mut left = &order[..];
    let mut number = 0;
    while !left.is_empty() {
        monitor.check()?;
        let most = ration.work().min(slots[0].most_lookups);
        let (chunk, rest) = left.split_at(slots[0].chunk_tables(instances, left, most));
        left = rest;
        let slot = number % 2;
        let tables: Vec<&Instance> = chunk.iter().map(|&index| instances[index]).collect();
        let places = slots[slot].launch(context, device, &tables)?;
        let launched = Instant::now();
        let before = pending.replace((slot, chunk, places, launched));
        if let Some((slot, chunk, places, launched)) = before {
            slots[slot].collect(context, instances, chunk, &places, paths)?;
            ration.adapt(launched.elapsed());
        }
        monitor.report("lattice", Some(1.0 - left.len() as f64 / order.len() as f64));
        number += 1;
    }
    if let Some((slot, chunk, places, _)) = pending {
        slots[slot].collect(context, instances, chunk, &places, paths)?;
    }
    Ok(())
}

/// A chunk in flight, with its own queue and buffers.
struct Slot {
    width: CellWidth,
    queue: Queue,
    kernel: Kernel<Tables<'static>>,
    group: usize,
    most_tables: usize,
    most_lookups: u64,
    plans: Buffer<u32>,
    tables: Buffer<u32>,
    results: Buffer<u16>,
}

pub(super) fn program(device: &Device, width: CellWidth) -> Result<Arc<Program>> {
    device.program(&FAMILY, &[("CELL_BYTES", width.bytes())])
}

impl Slot {
    fn new(device: &Device, width: CellWidth) -> Result<Self> {
        let program = program(device, width)?;
        let kernel: Kernel<Tables<'static>> = program.kernel()?;
        let tuned = |name| program.define(name).unwrap_or(1);
        Ok(Slot {
            width,
            queue: device.queue(),
            group: kernel.group("BATCH_GROUP"),
            kernel,
            most_tables: tuned("BATCH_TABLES") as usize,
            most_lookups: tuned("BATCH_LOOKUPS"),
            plans: device.buffer(0)?,
            tables: device.buffer(0)?,
            results: device.buffer(0)?,
        })
    }

    /// How many of the remaining tables make a launch: at most this work, and tables of similar
    /// size.
    fn chunk_tables(&self, instances: &[&Instance], left: &[usize], most_lookups: u64) -> usize {
        let cells = instances[left[0]].cells();
        let mut lookups = 0;
        let alike = |&&index: &&usize| {
            lookups += instances[index].lookups();
            lookups <= most_lookups && instances[index].cells() <= cells + cells / 4 + 256
        };
        left.iter().take(self.most_tables).take_while(alike).count().max(1)
    }

    /// Sends the tables' plans and starts the kernel; returns the place of each result.
    fn launch(
        &mut self,
        context: &Context,
        device: &Device,
        tables: &[&Instance],
    ) -> Result<Vec<u32>> {
        let mut places = Vec::with_capacity(2 * tables.len());
        let (mut plan_words, mut result_words) = (0, 0);
        for instance in tables {
            // A chunk has fewer than 2^31 words: it has fewer than 2^16 tables, each with fewer
            // than 2^16 words of plan.
            places.extend([plan_words as u32, result_words as u32]);
            plan_words += self::plan_words(instance);
            result_words += RESULT_HEAD + instance.longest_path() as usize;
        }
        let mut plans = vec![0; plan_words];
        encode_all(context, tables, self.width, &mut plans)?;
        device.reserve(&mut self.plans, plan_words)?;
        device.reserve(&mut self.tables, places.len())?;
        device.reserve(&mut self.results, result_words)?;
        self.queue.send(&self.plans, 0, plans)?;
        self.queue.send(&self.tables, 0, places.clone())?;
        let most_cells = tables.iter().map(|table| table.cells()).max().unwrap_or(1);
        let most_words = tables.iter().map(|table| self::plan_words(table)).max().unwrap_or(1);
        let arguments = Tables {
            plans: &self.plans,
            tables: &self.tables,
            results: &self.results,
            table: Local((most_cells * self.width.bytes()).next_multiple_of(4) as usize),
            plan: Local(4 * most_words),
            group_arrays: GroupArrays::WORDS,
        };
        self.queue.launch(&self.kernel, &arguments, [tables.len() * self.group], [self.group])?;
        self.queue.flush()?;
        Ok(places)
    }

    /// Waits for the launch and reads its paths.
    fn collect(
        &self,
        context: &Context,
        instances: &[&Instance],
        chunk: &[usize],
        places: &[u32],
        paths: &mut [Option<Path>],
    ) -> Result<()> {
        let last = instances[chunk[chunk.len() - 1]];
        let words = places[places.len() - 1] as usize + RESULT_HEAD + last.longest_path() as usize;
        let mut results = vec![0; words];
        self.queue.read(&self.results, 0, &mut results)?;
        let width = self.width;
        let decode = |(chunk, places): (&[usize], &[u32])| -> Result<Vec<_>> {
            let tables = chunk.iter().zip(places.chunks_exact(2));
            tables
                .map(|(&index, place)| {
                    decode(instances[index], width, &results[place[1] as usize..])
                })
                .collect()
        };
        let parts = chunk.chunks(TASK_TABLES).zip(places.chunks(2 * TASK_TABLES));
        let decoded = context.install(|| parallel::try_map(parts, decode))??;
        for (&index, path) in chunk.iter().zip(decoded.into_iter().flatten()) {
            paths[index] = path;
        }
        Ok(())
    }
}

fn plan_words(instance: &Instance) -> usize {
    let dimensions = instance.dimensions();
    PLAN_HEAD
        + DIMENSION_WORDS * dimensions.len()
        + COMPONENT_WORDS * instance.partners()
        + OFFSET_WORDS * instance.offsets().len()
}

/// Writes the plans in sequence, on all threads.
fn encode_all(
    context: &Context,
    tables: &[&Instance],
    width: CellWidth,
    plans: &mut [u32],
) -> Result<()> {
    let mut pieces = Vec::with_capacity(tables.len().div_ceil(TASK_TABLES));
    let mut left = plans;
    for tables in tables.chunks(TASK_TABLES) {
        let words = tables.iter().map(|table| plan_words(table)).sum();
        let (piece, rest) = left.split_at_mut(words);
        pieces.push((tables, piece));
        left = rest;
    }
    let encode_piece = |(tables, mut piece): (&[&Instance], &mut [u32])| {
        for instance in tables {
            let (plan, rest) = piece.split_at_mut(plan_words(instance));
            encode(instance, width, plan);
            piece = rest;
        }
    };
    if pieces.len() == 1 {
        pieces.into_iter().for_each(encode_piece);
        return Ok(());
    }
    context.install(|| parallel::for_each(pieces.into_iter(), encode_piece))
}

/// Tables that a thread prepares at a time.
const TASK_TABLES: usize = 256;

fn encode(instance: &Instance, width: CellWidth, plan: &mut [u32]) {
    let dimensions = instance.dimensions();
    let words = plan.len() as u32;
    plan[..PLAN_HEAD].copy_from_slice(&[
        words,
        dimensions.len() as u32,
        instance.cells() as u32 - 1,
        instance.guards()[0] as u32,
        instance.corner()[0] as u32,
    ]);
    let first_component = PLAN_HEAD + DIMENSION_WORDS * dimensions.len();
    let first_offset = first_component + COMPONENT_WORDS * instance.partners();
    let mut component = first_component;
    for (dimension, words) in
        dimensions.iter().zip(plan[PLAN_HEAD..].chunks_exact_mut(DIMENSION_WORDS))
    {
        let next_component = component + COMPONENT_WORDS * dimension.partners.len();
        words.copy_from_slice(&[
            dimension.stride as u32,
            dimension.max,
            // A dimension of size 1 has no bits to shift.
            dimension.shift % 32,
            dimension.component_mask(),
            component as u32,
            next_component as u32,
            (first_offset + OFFSET_WORDS * dimension.group.start) as u32,
            (first_offset + OFFSET_WORDS * dimension.group.end) as u32,
        ]);
        component = next_component;
    }
    let partners = dimensions.iter().flat_map(|dimension| &dimension.partners);
    for (&partner, words) in partners.zip(plan[first_component..].chunks_exact_mut(COMPONENT_WORDS))
    {
        let Dimension { stride, max, shift, .. } = dimensions[partner];
        words.copy_from_slice(&[inverse(stride), inverse(u64::from(max) + 1), max + 1, shift]);
    }
    for (offset, words) in
        instance.offsets().iter().zip(plan[first_offset..].chunks_exact_mut(OFFSET_WORDS))
    {
        let cost = u32::from(offset.cost.min(width.unreachable()));
        words.copy_from_slice(&[offset.packed[0] as u32, offset.distance as u32 | cost << 16]);
    }
}

/// 2^32 / divisor, rounded up; 0 encodes 2^32.
fn inverse(divisor: u64) -> u32 {
    (1u64 << 32).div_ceil(divisor) as u32
}

/// Decodes the path of a result.
fn decode(instance: &Instance, width: CellWidth, result: &[u16]) -> Result<Option<Path>> {
    let value = result[0];
    if value == width.unreachable() {
        return Ok(None);
    }
    let first_offset = plan_words(instance) - OFFSET_WORDS * instance.offsets().len();
    let steps = (result[1] <= instance.longest_path() as u16)
        .then(|| &result[RESULT_HEAD..][..result[1].into()]);
    let position = |&word: &u16| {
        let index = usize::from(word).checked_sub(first_offset)? / OFFSET_WORDS;
        Some(instance.offsets().get(index)?.position)
    };
    let steps: Option<Vec<u32>> = steps.and_then(|steps| steps.iter().map(position).collect());
    let unexplained = || Error::device_failed("a lattice value has no explanation");
    Ok(Some(Path { value, steps: steps.ok_or_else(unexplained)? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice_dp::cpu;
    use crate::lattice_dp::testing::instances;
    use crate::opencl::testing::{real_test_devices, test_devices};
    use crate::solve::SolveOptions;
    use crate::testing::{check_cases, cpu_context};
    use proptest::prelude::*;

    #[test]
    fn paths_equal_the_cpus_bit_by_bit() {
        for device in test_devices() {
            let cases = if device.quirks().simulator { 5 } else { 40 };
            let batches = proptest::collection::vec(instances(), 0..20);
            let (context, monitor) = (cpu_context(1), Monitor::new(&SolveOptions::default()));
            check_cases(cases, &batches, |batch| {
                let batch: Vec<&Instance> =
                    batch.iter().filter(|instance| is_small(instance, device.info())).collect();
                let expected: Vec<_> = batch
                    .iter()
                    .map(|instance| cpu::solve(&context, instance, &monitor).unwrap())
                    .collect();
                prop_assert_eq!(solve(&context, &device, &batch, &monitor).unwrap(), expected);
                Ok(())
            });
        }
    }

    #[test]
    fn divisions_by_multiplication_are_exact() {
        for divisor in (1..300).chain([1000, 4096, 32767, 32768, 65535]) {
            for number in (0..=u64::from(u16::MAX)).step_by(7).chain([65535]) {
                let inverse = inverse(divisor);
                let quotient =
                    if inverse == 0 { number } else { (number * u64::from(inverse)) >> 32 };
                assert_eq!(quotient, number / divisor, "{number} / {divisor}");
            }
        }
    }

    #[test]
    fn tables_that_fill_the_local_memory_are_solved_and_larger_ones_left_to_others() {
        let units = |sizes: [u32; 2]| Instance::new(&sizes, [([1, 0], 1), ([0, 1], 1)]).unwrap();
        for device in real_test_devices() {
            let room = device.info().group_memory_bytes();
            assert!(!is_small(&units([1 << 9, 1 << 9]), device.info()));
            let cells = (room.min(1 << 16) / 2) as u32 / 100 - 10;
            let instance = units([100, cells.min(500)]);
            assert!(is_small(&instance, device.info()));
            let monitor = Monitor::new(&SolveOptions::default());
            let paths = solve(&cpu_context(1), &device, &[&instance], &monitor).unwrap();
            assert_eq!(paths[0], cpu::solve(&cpu_context(1), &instance, &monitor).unwrap());
        }
    }
}
