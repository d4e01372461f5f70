//! The OpenCL engine: the CPU fills the small slabs at the table's head, the device the large ones; the replay
//! is a kernel too, so that the table never leaves the device.

use super::instance::Instance;
use super::pacer::Pacer;
use super::{UNREACHABLE, cpu};
use crate::opencl::{Arg, Buffer, Device, Kernel, KernelFamily, Match, Queue, TuningRow};
use crate::solve::Monitor;
use crate::{Context, Error, Result};

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
) -> Result<Option<Vec<u32>>> {
    let table = Table::new(device, instance)?;
    table.fill(context, monitor)?;
    table.replay(monitor)
}

/// The table of one instance on a device, with what its kernels read.
struct Table<'a> {
    device: &'a Device,
    instance: &'a Instance,
    queue: Queue,
    values: Buffer<u16>,
    /// Four words each: the packed vector, the distance, the cost.
    offsets: Buffer<u64>,
    head_cells: u64,
}

impl<'a> Table<'a> {
    fn new(device: &'a Device, instance: &'a Instance) -> Result<Self> {
        let cells = usize::try_from(instance.cells()).map_err(|_| Error::Overflow { what: "the table" })?;
        let queue = device.queue()?;
        let values = device.buffer(cells)?;
        let offsets: Vec<u64> = instance
            .offsets()
            .iter()
            .flat_map(|offset| [offset.packed[0], offset.packed[1], offset.distance, offset.cost.into()])
            .collect();
        let offsets = device.buffer_from(&queue, &offsets)?;
        let head_cells = device.program(&FAMILY, &[])?.define("HEAD_CELLS").unwrap_or(1);
        Ok(Table { device, instance, queue, values, offsets, head_cells })
    }

    fn kernel(&self, name: &'static str, group: &str) -> Result<(Kernel, usize)> {
        let program = self.device.program(&FAMILY, &[])?;
        let kernel = program.kernel(name)?;
        let wanted = program.define(group).unwrap_or(1) as usize;
        let group = wanted.min(kernel.max_work_group_size());
        Ok((kernel, group))
    }

    fn guards(&self) -> [Arg<'static>; 2] {
        self.instance.guards().map(Arg::U64)
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

        let layout: Vec<u64> =
            dimensions.iter().flat_map(|dimension| [dimension.stride, u64::from(dimension.shift)]).collect();
        let layout = self.device.buffer_from(&self.queue, &layout)?;
        let (kernel, group) = self.kernel("lattice_slab", "SLAB_GROUP")?;
        let [guards_low, guards_high] = self.guards();
        let mut pacer = Pacer::new(&self.queue, monitor);
        for (i, dimension) in dimensions.iter().enumerate().take(large).rev() {
            // Dividing out a component takes about as long as a look-up.
            let cell_work = (dimension.group.len() + dimensions.len() - i) as u64;
            for component in 1..=dimension.max {
                let base = u64::from(component) * dimension.stride;
                let [base_low, base_high] = dimension.packed(component);
                let mut first = 0;
                while first < dimension.stride {
                    let count = (dimension.stride - first).min(pacer.room() / cell_work + 1);
                    let args = [
                        self.values.arg(),
                        self.offsets.arg(),
                        Arg::U32(dimension.group.start as u32),
                        Arg::U32(dimension.group.len() as u32),
                        layout.arg(),
                        Arg::U32(i as u32 + 1),
                        Arg::U32((dimensions.len() - i) as u32 - 1),
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
        self.queue.finish()
    }

    /// The path to the last cell, by the same rule as on the CPU.
    fn replay(&self, monitor: &Monitor) -> Result<Option<Vec<u32>>> {
        let instance = self.instance;
        let last = instance.cells() - 1;
        let mut value = [0];
        self.queue.read(&self.values, last as usize, &mut value)?;
        if value[0] == UNREACHABLE {
            return Ok(None);
        }
        let path = self.device.buffer::<u32>(instance.longest_path() as usize)?;
        let [corner_low, corner_high] = *instance.corner();
        let mut state = [last, corner_low, corner_high, 0];
        let state_buffer = self.device.buffer_from(&self.queue, &state)?;
        let (kernel, group) = self.kernel("lattice_replay", "REPLAY_GROUP")?;
        let [guards_low, guards_high] = self.guards();
        let mut pacer = Pacer::new(&self.queue, monitor);
        for dimension in instance.dimensions() {
            let step_work = dimension.group.len() as u64 * REPLAY_WORK;
            let remaining = |state: &[u64; 4]| dimension.component(&[state[1], state[2]]);
            // What remains is known without a look at the device as long as one launch finishes the dimension.
            while remaining(&state) > 0 {
                let before = state[3];
                let steps = (pacer.room() / step_work.max(1)).clamp(1, u64::from(u32::MAX)) as u32;
                let args = [
                    self.values.arg(),
                    self.offsets.arg(),
                    Arg::U32(dimension.group.start as u32),
                    Arg::U32(dimension.group.len() as u32),
                    Arg::U32(dimension.shift),
                    Arg::U64(u64::from(u32::MAX >> dimension.max.leading_zeros())),
                    guards_low,
                    guards_high,
                    state_buffer.arg(),
                    path.arg(),
                    Arg::U32(steps),
                ];
                self.queue.launch(&kernel, &args, [group], [group])?;
                self.queue.read(&state_buffer, 0, &mut state)?;
                if state[3] == before {
                    return Err(Error::DeviceFailed("a lattice value has no explanation".into()));
                }
                pacer.launched((state[3] - before) * step_work, None)?;
            }
        }
        let mut steps = vec![0; state[3] as usize];
        self.queue.read(&path, 0, &mut steps)?;
        let position = |&step: &u32| instance.offsets().get(step as usize).map(|offset| offset.position);
        let path: Option<Vec<u32>> = steps.iter().map(position).collect();
        path.ok_or_else(|| Error::DeviceFailed("the lattice path names no offset".into())).map(Some)
    }
}

/// A look-up of the replay in look-ups of the fill: it keeps one work-group of the device busy.
const REPLAY_WORK: u64 = 256;

#[cfg(test)]
mod tests {
    use super::super::pacer::FIRST_BUDGET;
    use super::*;
    use crate::lattice_dp::testing::{brute_force, instances};
    use crate::opencl::testing::test_devices;
    use crate::solve::{SolveOptions, StopHandle};
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

    #[test]
    fn a_stop_is_seen_between_launches() {
        for device in test_devices() {
            let stop = StopHandle::new();
            stop.stop();
            let monitor = Monitor::new(&SolveOptions { stop: Some(stop), ..SolveOptions::default() });
            let queue = device.queue().unwrap();
            let mut pacer = Pacer::new(&queue, &monitor);
            assert!(pacer.launched(FIRST_BUDGET / 2, None).is_ok());
            assert!(matches!(pacer.launched(FIRST_BUDGET / 2, None), Err(Error::Stopped)));
        }
    }
}
