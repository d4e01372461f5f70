//! The OpenCL engine: level by level, the replay in a kernel too, so that the table never leaves the device.

use std::time::{Duration, Instant};

use super::UNREACHABLE;
use super::instance::Instance;
use super::levels::Levels;
use crate::opencl::{Arg, Buffer, Device, Kernel, KernelFamily, Match, Queue, TuningRow};
use crate::solve::Monitor;
use crate::{Error, Result};

const FAMILY: KernelFamily = KernelFamily {
    name: "lattice_dp",
    sources: &[include_str!("../../cl/lattice_dp.cl")],
    tuning: &[
        // Work-items of a group, for the levels and for the replay.
        TuningRow { device: Match::Default, defines: &[("LEVEL_GROUP", 64), ("REPLAY_GROUP", 64)] },
        TuningRow {
            device: Match::Vendor("NVIDIA"),
            defines: &[("LEVEL_GROUP", 128), ("REPLAY_GROUP", 256)],
        },
    ],
};

/// Fills the table on the device and replays the cheapest path to the last cell.
pub(super) fn solve(device: &Device, instance: &Instance, monitor: &Monitor) -> Result<Option<Vec<u32>>> {
    let table = Table::new(device, instance)?;
    table.fill(monitor)?;
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
        Ok(Table { device, instance, queue, values, offsets })
    }

    fn kernel(&self, name: &'static str, group: &str) -> Result<(Kernel, usize)> {
        let program = self.device.program(&FAMILY, &[])?;
        let kernel = program.kernel(name)?;
        let wanted = program.define(group).unwrap_or(1) as usize;
        let group = wanted.min(kernel.max_work_group_size());
        Ok((kernel, group))
    }

    /// Number of offsets as the kernels take it.
    fn offset_count(&self) -> Arg<'static> {
        // Positions in the list have 32 bits.
        Arg::U32(self.instance.offsets().len() as u32)
    }

    fn guards(&self) -> [Arg<'static>; 2] {
        self.instance.guards().map(Arg::U64)
    }

    /// Computes all cells; long levels in several launches, so that a stop is soon seen.
    fn fill(&self, monitor: &Monitor) -> Result<()> {
        let instance = self.instance;
        let levels = Levels::new(instance);
        let dimensions: Vec<u64> = instance
            .dimensions()
            .iter()
            .flat_map(|dimension| [dimension.stride, u64::from(dimension.shift)])
            .collect();
        let dimensions = self.device.buffer_from(&self.queue, &dimensions)?;
        let ways = self.device.buffer_from(&self.queue, levels.ways())?;
        let (kernel, group) = self.kernel("lattice_level", "LEVEL_GROUP")?;
        let [guards_low, guards_high] = self.guards();
        let cell_work = instance.offsets().len() as u64 + instance.dimensions().len() as u64;

        self.queue.write(&self.values, 0, &[0])?;
        let mut pacer = Pacer::new(&self.queue, monitor);
        let mut done = 1;
        for level in 1..instance.levels() {
            let width = levels.width(level);
            let mut first = 0;
            while first < width {
                let count = (width - first).min(pacer.room() / cell_work.max(1) + 1);
                let args = [
                    self.values.arg(),
                    self.offsets.arg(),
                    self.offset_count(),
                    dimensions.arg(),
                    Arg::U32(instance.dimensions().len() as u32),
                    ways.arg(),
                    Arg::U32(instance.levels()),
                    guards_low,
                    guards_high,
                    Arg::U32(level),
                    Arg::U64(first),
                    Arg::U64(count),
                ];
                let items = (count as usize).next_multiple_of(group);
                self.queue.launch(&kernel, &args, [items], [group])?;
                first += count;
                done += count;
                pacer.launched(count * cell_work, done as f64 / instance.cells() as f64)?;
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
        let path = self.device.buffer::<u32>(instance.levels() as usize)?;
        let [corner_low, corner_high] = *instance.corner();
        let mut state = [last, corner_low, corner_high, 0];
        let state_buffer = self.device.buffer_from(&self.queue, &state)?;
        let (kernel, group) = self.kernel("lattice_replay", "REPLAY_GROUP")?;
        let [guards_low, guards_high] = self.guards();
        let mut pacer = Pacer::new(&self.queue, monitor);
        let step_work = instance.offsets().len() as u64;
        while state[0] != 0 {
            let before = state[3];
            // One work-group alone: its steps count as if the whole device were busy.
            let steps = (pacer.room() / (step_work * REPLAY_STEP_WORK)).clamp(1, u64::from(u32::MAX));
            let args = [
                self.values.arg(),
                self.offsets.arg(),
                self.offset_count(),
                guards_low,
                guards_high,
                state_buffer.arg(),
                path.arg(),
                Arg::U32(steps as u32),
            ];
            self.queue.launch(&kernel, &args, [group], [group])?;
            self.queue.read(&state_buffer, 0, &mut state)?;
            if state[3] == before {
                return Err(Error::DeviceFailed("a lattice value has no explanation".into()));
            }
            pacer.launched((state[3] - before) * step_work * REPLAY_STEP_WORK, 1.0)?;
        }
        let mut steps = vec![0; state[3] as usize];
        self.queue.read(&path, 0, &mut steps)?;
        let position = |&step: &u32| instance.offsets().get(step as usize).map(|offset| offset.position);
        let path: Option<Vec<u32>> = steps.iter().map(position).collect();
        path.ok_or_else(|| Error::DeviceFailed("the lattice path names no offset".into())).map(Some)
    }
}

/// A look-up of the replay in look-ups of the fill: it uses one work-group of the device.
const REPLAY_STEP_WORK: u64 = 256;

/// A launch without work, in look-ups: keeps thousands of tiny launches from piling up in the queue.
const LAUNCH_WORK: u64 = 1 << 14;

/// Keeps what is queued short enough that a stop is seen within some tens of milliseconds, whatever the speed
/// of the device: it learns how many look-ups take that long.
struct Pacer<'a> {
    queue: &'a Queue,
    monitor: &'a Monitor,
    budget: u64,
    pending: u64,
    since: Instant,
}

const FIRST_BUDGET: u64 = 1 << 20;
const TARGET: Duration = Duration::from_millis(20);

impl<'a> Pacer<'a> {
    fn new(queue: &'a Queue, monitor: &'a Monitor) -> Self {
        Pacer { queue, monitor, budget: FIRST_BUDGET, pending: 0, since: Instant::now() }
    }

    /// Work that may still be queued.
    fn room(&self) -> u64 {
        self.budget - self.pending.min(self.budget)
    }

    /// Counts a launch; waits for the device and looks at the clock when enough is queued.
    fn launched(&mut self, work: u64, fraction: f64) -> Result<()> {
        self.pending += work + LAUNCH_WORK;
        if self.pending >= self.budget {
            self.queue.finish()?;
            let elapsed = self.since.elapsed();
            if elapsed < TARGET / 2 {
                self.budget = self.budget.saturating_mul(2);
            } else if elapsed > TARGET * 2 {
                self.budget = (self.budget / 2).max(1);
            }
            self.monitor.report("lattice", Some(fraction));
            self.monitor.check()?;
            self.pending = 0;
            self.since = Instant::now();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice_dp::testing::{brute_force, instances};
    use crate::opencl::testing::test_devices;
    use crate::solve::{SolveOptions, StopHandle};
    use crate::{Context, ContextOptions, Engine};
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};

    #[test]
    fn tables_and_paths_equal_the_cpus_bit_by_bit() {
        let options = ContextOptions { engine: Engine::Cpu, threads: Some(1), ..ContextOptions::default() };
        let cpu = Context::new(options).unwrap();
        for device in test_devices() {
            let cases = if device.quirks().simulator { 12 } else { 200 };
            let monitor = Monitor::new(&SolveOptions::default());
            let result = TestRunner::new(Config::with_cases(cases)).run(&instances(), |instance| {
                let table = Table::new(&device, &instance).unwrap();
                table.queue.fill(&table.values, 0, table.values.len(), 12345).unwrap();
                table.fill(&monitor).unwrap();
                let mut values = vec![0; table.values.len()];
                table.queue.read(&table.values, 0, &mut values).unwrap();
                prop_assert_eq!(values, brute_force(&instance));
                let path = table.replay(&monitor).unwrap();
                prop_assert_eq!(path, super::super::cpu::solve(&cpu, &instance, &monitor).unwrap());
                Ok(())
            });
            result.unwrap();
        }
    }

    #[test]
    fn a_stop_is_seen_between_launches() {
        for device in test_devices() {
            let instance = Instance::new(&[4, 4], [([1, 0], 1), ([0, 1], 1)]).unwrap();
            let stop = StopHandle::new();
            stop.stop();
            let monitor = Monitor::new(&SolveOptions { stop: Some(stop), ..SolveOptions::default() });
            let table = Table::new(&device, &instance).unwrap();
            let mut pacer = Pacer::new(&table.queue, &monitor);
            assert!(pacer.launched(FIRST_BUDGET / 2, 0.0).is_ok());
            assert!(matches!(pacer.launched(FIRST_BUDGET / 2, 0.0), Err(Error::Stopped)));
        }
    }
}
