//! The OpenCL engine: the CPU fills the small slabs at the table's head, the device the large ones; the replay
//! is a kernel too, so that the table never leaves the device.

use std::ops::Range;

use super::instance::Instance;
use super::{Path, UNREACHABLE, cpu};
use crate::opencl::{Arg, Buffer, Device, DeviceKind, Kernel, KernelFamily, Match, Queue, TuningRow};
use crate::solve::Monitor;
use crate::{Context, Error, Pacer, Result};

const FAMILY: KernelFamily = KernelFamily {
    name: "lattice_dp",
    sources: &[include_str!("../../cl/lattice_dp.cl")],
    tuning: &[
        // Work-items of a group for the slabs and for the replay; the most cells that the CPU fills.
        TuningRow {
            device: Match::Default,
            defines: &[("SLAB_GROUP", 64), ("REPLAY_GROUP", 64), ("HEAD_CELLS", 1 << 14)],
        },
        TuningRow { device: Match::Vendor("NVIDIA"), defines: &[("SLAB_GROUP", 256), ("REPLAY_GROUP", 256)] },
    ],
};

/// Fills the table on the device and replays the cheapest path to the last cell.
pub(super) fn solve(
    context: &Context,
    device: &Device,
    instance: &Instance,
    monitor: &Monitor,
) -> Result<Option<Path>> {
    if device.info().kind == DeviceKind::Cpu {
        // Its memory is the host's.
        cpu::check_memory(instance.cells(), monitor)?;
    }
    let table = Table::new(device, instance)?;
    monitor.check()?;
    table.fill(context, monitor)?;
    table.replay(monitor)
}

/// The table of one instance on a device, with what its kernels read.
struct Table<'a> {
    device: &'a Device,
    instance: &'a Instance,
    queue: Queue,
    values: Buffer<u16>,
    plan: Plan,
    rows: Buffer<u64>,
    head_cells: u64,
}

impl<'a> Table<'a> {
    fn new(device: &'a Device, instance: &'a Instance) -> Result<Self> {
        let cells = usize::try_from(instance.cells()).map_err(|_| Error::Overflow { what: "the table" })?;
        let queue = device.queue()?;
        let values = device.buffer(cells)?;
        let plan = Plan::new(instance);
        let rows = device.buffer_from(&queue, &plan.rows)?;
        let head_cells = device.program(&FAMILY, &[])?.define("HEAD_CELLS").unwrap_or(1);
        Ok(Table { device, instance, queue, values, plan, rows, head_cells })
    }

    fn kernel(&self, name: &'static str, group: &str) -> Result<(Kernel, usize)> {
        let program = self.device.program(&FAMILY, &[])?;
        let kernel = program.kernel(name)?;
        let wanted = program.define(group).unwrap_or(1) as usize;
        let group = wanted.min(kernel.max_work_group_size());
        Ok((kernel, group))
    }

    /// Computes all cells; large slabs in several launches, so that a stop is soon seen.
    fn fill(&self, context: &Context, monitor: &Monitor) -> Result<()> {
        let dimensions = self.instance.dimensions();
        let large = dimensions
            .iter()
            .take_while(|dimension| dimension.stride * (u64::from(dimension.max) + 1) > self.head_cells)
            .count();
        let head = cpu::fill(context, self.instance, large, monitor)?;
        self.queue.write(&self.values, 0, &head)?;

        let (kernel, group) = self.kernel("lattice_slab", "SLAB_GROUP")?;
        let [guards_low, guards_high] = self.instance.guards().map(Arg::U64);
        let mut pacer = Pacer::new(&self.queue, monitor, "lattice");
        for (i, dimension) in dimensions.iter().enumerate().take(large).rev() {
            let components = &self.plan.components[i];
            // Dividing out a component takes about as long as a look-up.
            let cell_work = (dimension.group.len() + components.len() + 1) as u64;
            for component in 1..=dimension.max {
                let base = u64::from(component) * dimension.stride;
                let [base_low, base_high] = dimension.packed(component);
                let mut first = 0;
                while first < dimension.stride {
                    let count = (dimension.stride - first).min(pacer.room() / cell_work + 1);
                    let args = [
                        self.values.arg(),
                        self.rows.arg(),
                        Arg::U32(dimension.group.start as u32),
                        Arg::U32(dimension.group.end as u32),
                        Arg::U32(components.start as u32),
                        Arg::U32(components.end as u32),
                        guards_low,
                        guards_high,
                        Arg::U64(base),
                        Arg::U64(base_low),
                        Arg::U64(base_high),
                        Arg::U64(first),
                        Arg::U64(count),
                    ];
                    self.queue.launch(&kernel, &args, [(count as usize).next_multiple_of(group)], [group])?;
                    first += count;
                    let fraction = (base + first) as f64 / self.instance.cells() as f64;
                    pacer.launched(count * cell_work, Some(fraction))?;
                }
            }
        }
        Ok(())
    }

    /// The path to the last cell, by the same rule as on the CPU.
    fn replay(&self, monitor: &Monitor) -> Result<Option<Path>> {
        let instance = self.instance;
        let last = instance.cells() - 1;
        let mut value = [0];
        self.queue.read(&self.values, last as usize, &mut value)?;
        if value[0] == UNREACHABLE {
            return Ok(None);
        }
        let [corner_low, corner_high] = *instance.corner();
        let mut walk = vec![0; 4 + instance.longest_path() as usize];
        walk[..4].copy_from_slice(&[last, corner_low, corner_high, 0]);
        let buffer = self.device.buffer_from(&self.queue, &walk)?;
        let (kernel, group) = self.kernel("lattice_replay", "REPLAY_GROUP")?;
        let [guards_low, guards_high] = instance.guards().map(Arg::U64);
        let largest_group = instance.dimensions().iter().map(|dimension| dimension.group.len()).max();
        let max_steps = (REPLAY_LOOKUPS / largest_group.unwrap_or(1).max(1)).max(1);
        let args = [
            self.values.arg(),
            self.rows.arg(),
            Arg::U32(self.plan.dimensions as u32),
            guards_low,
            guards_high,
            buffer.arg(),
            Arg::U32(max_steps as u32),
        ];
        while walk[0] != 0 {
            monitor.check()?;
            let before = walk[3];
            self.queue.launch(&kernel, &args, [group], [group])?;
            self.queue.read(&buffer, 0, &mut walk)?;
            if walk[3] == before {
                return Err(Error::DeviceFailed("a lattice value has no explanation".into()));
            }
        }
        let steps = &walk[4..][..walk[3] as usize];
        let position = |&row: &u64| instance.offsets().get(row as usize).map(|offset| offset.position);
        let steps: Option<Vec<u32>> = steps.iter().map(position).collect();
        let unknown = || Error::DeviceFailed("the lattice path names no offset".into());
        Ok(Some(Path { value: value[0], steps: steps.ok_or_else(unknown)? }))
    }
}

/// Look-ups of one launch of the replay, some tens of milliseconds of one work-group.
const REPLAY_LOOKUPS: usize = 1 << 20;

/// What the kernels read beside the table: rows of four words, as cl/lattice_dp.cl explains them. The offsets
/// come first, so that their rows are their numbers.
struct Plan {
    rows: Vec<u64>,
    /// For each dimension, the rows of the components that its group uses beside its own.
    components: Vec<Range<usize>>,
    /// The row of the first dimension.
    dimensions: usize,
}

impl Plan {
    fn new(instance: &Instance) -> Self {
        let (dimensions, offsets) = (instance.dimensions(), instance.offsets());
        let mut rows: Vec<[u64; 4]> = offsets
            .iter()
            .map(|offset| [offset.packed[0], offset.packed[1], offset.distance, offset.cost.into()])
            .collect();
        let mut components = Vec::with_capacity(dimensions.len());
        for (i, dimension) in dimensions.iter().enumerate() {
            let group = &offsets[dimension.group.clone()];
            let begin = rows.len();
            let used = dimensions[i + 1..]
                .iter()
                .filter(|other| group.iter().any(|offset| other.component(&offset.packed) > 0))
                .map(|other| [other.stride, u64::from(other.max) + 1, other.shift.into(), 0]);
            rows.extend(used);
            components.push(begin..rows.len());
        }
        let first_dimension = rows.len();
        rows.extend(dimensions.iter().map(|dimension| {
            let group = &dimension.group;
            [group.start as u64, group.end as u64, dimension.shift.into(), dimension.component_mask().into()]
        }));
        Plan { rows: rows.concat(), components, dimensions: first_dimension }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice_dp::testing::{brute_force, instances};
    use crate::opencl::testing::test_devices;
    use crate::solve::SolveOptions;
    use crate::{ContextOptions, Engine};
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};

    fn cpu() -> Context {
        let options = ContextOptions { engine: Engine::Cpu, threads: Some(1), ..ContextOptions::default() };
        Context::new(options).unwrap()
    }

    #[test]
    fn tables_and_paths_equal_the_cpus_bit_by_bit() {
        let context = cpu();
        for device in test_devices() {
            let cases = if device.quirks().simulator { 60 } else { 200 };
            let monitor = Monitor::new(&SolveOptions::default());
            let inputs = (instances(), prop_oneof![Just(1), Just(20), Just(u64::MAX)]);
            let result = TestRunner::new(Config::with_cases(cases)).run(&inputs, |(instance, head_cells)| {
                let table = Table { head_cells, ..Table::new(&device, &instance).unwrap() };
                table.queue.fill(&table.values, 0, table.values.len(), 12345).unwrap();
                table.fill(&context, &monitor).unwrap();
                let mut values = vec![0; table.values.len()];
                table.queue.read(&table.values, 0, &mut values).unwrap();
                prop_assert_eq!(values, brute_force(&instance));
                let path = table.replay(&monitor).unwrap();
                prop_assert_eq!(path, cpu::solve(&context, &instance, &monitor).unwrap());
                Ok(())
            });
            result.unwrap();
        }
    }
}
