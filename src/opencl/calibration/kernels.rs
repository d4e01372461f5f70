//! The kernels of a calibration. Each run is timed, and its results are compared with the host's.

use std::time::{Duration, Instant};

use super::super::facts::DeviceKind;
use super::super::{
    BARRIER, BARRIER_GIVEN_UP, Buffer, Device, Element, Failing, Kernel, KernelFamily, Local,
    Queue, agree, kernel_arguments, source,
};
use crate::{Result, memory};

/// Work-items of a group, a power of two. It is no tunable: figures of devices are compared.
const GROUP: (&str, u64) = ("CALIBRATION_GROUP", 128);

pub(super) const FAMILY: KernelFamily = KernelFamily {
    name: "calibration",
    sources: &[source!("calibration.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![Launch, AddMin, WideAddMin, Global, LocalReads],
    constants: &[GROUP],
    tuning: &[],
    self_test: |trial| super::try_kernels(trial.device()),
};

pub(super) const BARRIER_FAMILY: KernelFamily = KernelFamily {
    name: "calibration_barrier",
    sources: &[source!("device_barrier.cl"), source!("calibration_barrier.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![Barriers],
    constants: &[BARRIER[0], BARRIER[1], GROUP],
    tuning: &[],
    self_test: |trial| super::try_barrier(trial.device()),
};

kernel_arguments! {
    struct Launch<'a> = "calibration_launch" {
        sum: &'a Buffer<u32>,
        step: u32,
    }

    struct AddMin<'a> = "calibration_add_min" {
        results: &'a Buffer<u32>,
        step: u32,
        rounds: u32,
    }

    struct WideAddMin<'a> = "calibration_wide_add_min" {
        results: &'a Buffer<u64>,
        step: u64,
        rounds: u32,
    }

    struct Global<'a> = "calibration_global" {
        source: &'a Buffer<u32> as uint4,
        target: &'a Buffer<u32> as uint4,
    }

    struct LocalReads<'a> = "calibration_local" {
        results: &'a Buffer<u32>,
        cells: Local as uint,
        rounds: u32,
    }

    struct Barriers<'a> = "calibration_barrier" {
        state: &'a Buffer<u32>,
        mark: u32,
        rounds: u32,
    }
}

/// Pairs of an addition and a minimum in a round of a work-item.
pub(super) const PAIRS: u64 = 8;
/// Reads of local memory in a round of a work-item.
pub(super) const LOCAL_ROWS: u64 = 8;
/// Bytes that a work-item reads from or writes to global memory.
pub(super) const ITEM_BYTES: u64 = 16;
/// Numbers in these bytes.
const ITEM_WORDS: usize = 4;
/// Work-items for each compute unit: enough to hide the time of single instructions.
const ITEMS_PER_UNIT: usize = 1024;
/// Most work-items of a launch.
const MOST_ITEMS: usize = 1 << 22;
/// Most bytes of a copy between host and device.
const COPY_BYTES: u64 = 16 << 20;
/// Bytes of a buffer in global memory: more than the caches of graphics cards have.
const GLOBAL_BYTES: u64 = 128 << 20;
/// The same for processors, which share the memory with the program.
const PROCESSOR_BYTES: u64 = 32 << 20;
/// An arbitrary number in buffers.
const PATTERN: u32 = 0x9e37_79b9;
/// Numbers that are compared at the beginning, in the middle and at the end of a buffer.
const SAMPLE: usize = 2;

/// The kernels, ready to run.
pub(super) struct Bench<'d> {
    device: &'d Device,
    queue: Queue,
    launch: Kernel<Launch<'static>>,
    add_min: Kernel<AddMin<'static>>,
    wide_add_min: Kernel<WideAddMin<'static>>,
    global: Kernel<Global<'static>>,
    local: Kernel<LocalReads<'static>>,
    /// Work-items of a group, a power of two.
    group: usize,
    /// Work-items of a launch.
    items: usize,
    results: Buffer<u32>,
    wide_results: Buffer<u64>,
}

impl<'d> Bench<'d> {
    pub(super) fn new(device: &'d Device) -> Result<Self> {
        let program = device.program(&FAMILY, &[])?;
        let (launch, add_min) = (program.kernel::<Launch>()?, program.kernel::<AddMin>()?);
        let wide_add_min = program.kernel::<WideAddMin>()?;
        let (global, local) = (program.kernel::<Global>()?, program.kernel::<LocalReads>()?);
        let define = GROUP.0;
        let least = [launch.group(define), add_min.group(define), wide_add_min.group(define)];
        let least = least.into_iter().chain([global.group(define), local.group(define)]).min();
        let group = power_of_two(least.unwrap_or(1).min(device.info().max_work_item_sizes[0]));
        let units = device.info().compute_units.max(1) as usize;
        let items = (units * ITEMS_PER_UNIT).min(MOST_ITEMS).next_multiple_of(group);
        Ok(Bench {
            queue: device.queue(),
            results: device.buffer(items)?,
            wide_results: device.buffer(items)?,
            device,
            launch,
            add_min,
            wide_add_min,
            global,
            local,
            group,
            items,
        })
    }

    /// Work-items of a launch for the rates.
    pub(super) fn items(&self) -> u64 {
        self.items as u64
    }

    /// Launches one after the other, and one wait at the end.
    pub(super) fn launches(&self, count: u64) -> Result<Duration, Failing> {
        self.count_launches("launches", count, |_| Ok(()))
    }

    /// Launches, each with a wait.
    pub(super) fn round_trips(&self, count: u64) -> Result<Duration, Failing> {
        self.count_launches("launches with a wait", count, Queue::finish)
    }

    fn count_launches(
        &self,
        what: &str,
        count: u64,
        after_each: impl Fn(&Queue) -> Result<()>,
    ) -> Result<Duration, Failing> {
        self.queue.fill(&self.results, 0, 1, 0)?;
        let arguments = Launch { sum: &self.results, step: 3 };
        let time = self.timed(|queue| {
            for _ in 0..count {
                queue.launch(&self.launch, &arguments, [self.group], [self.group])?;
                after_each(queue)?;
            }
            Ok(())
        })?;
        let mut sum = [0];
        self.queue.read(&self.results, 0, &mut sum)?;
        agree(what, &sum, &[(count as u32).wrapping_mul(3)])?;
        Ok(time)
    }

    /// Most numbers of a copy between host and device.
    pub(super) fn most_copied(&self) -> u64 {
        let info = self.device.info();
        let bytes = COPY_BYTES.min(info.max_allocation_bytes).min(info.global_memory_bytes / 8);
        (bytes / 4).max(1)
    }

    /// Memory of the device for copies, which the driver has provided.
    pub(super) fn copied(&self, numbers: usize) -> Result<Buffer<u32>> {
        let buffer = self.device.buffer(numbers)?;
        self.queue.fill(&buffer, 0, numbers, PATTERN)?;
        Ok(buffer)
    }

    /// A copy of that many numbers to the device.
    pub(super) fn to_device(
        &self,
        buffer: &Buffer<u32>,
        data: &[u32],
    ) -> Result<Duration, Failing> {
        let time = self.timed(|queue| queue.write(buffer, 0, data))?;
        self.agree_in_samples("a copy to the device", buffer, data.len(), |place| data[place])?;
        Ok(time)
    }

    /// A copy of all of `found` back to the host, which must be `data`.
    pub(super) fn to_host(
        &self,
        buffer: &Buffer<u32>,
        data: &[u32],
        found: &mut [u32],
    ) -> Result<Duration, Failing> {
        self.queue.write(buffer, 0, data)?;
        found.fill(0);
        let time = self.timed(|queue| queue.read(buffer, 0, found))?;
        agree("a copy to the host", found, data)?;
        Ok(time)
    }

    /// Rounds of additions and minima of 32-bit integers.
    pub(super) fn add_min(&self, rounds: u64) -> Result<Duration, Failing> {
        let (results, step, rounds) = (&self.results, 5, rounds as u32);
        let arguments = AddMin { results, step, rounds };
        let time = self
            .timed(|queue| queue.launch(&self.add_min, &arguments, [self.items], [self.group]))?;
        let expected = |item: usize| add_min_of(item as u64, u64::from(step), rounds) as u32;
        self.agree_in_samples("32-bit minima", results, self.items, expected)?;
        Ok(time)
    }

    /// Rounds of additions and minima of 64-bit integers.
    pub(super) fn wide_add_min(&self, rounds: u64) -> Result<Duration, Failing> {
        // A step beyond 32 bits.
        let (results, step, rounds) = (&self.wide_results, (1 << 40) + 5, rounds as u32);
        let arguments = WideAddMin { results, step, rounds };
        let time = self.timed(|queue| {
            queue.launch(&self.wide_add_min, &arguments, [self.items], [self.group])
        })?;
        let expected = |item: usize| add_min_of(item as u64, step, rounds);
        self.agree_in_samples("64-bit minima", results, self.items, expected)?;
        Ok(time)
    }

    /// Most work-groups of a copy within global memory.
    fn most_copying_groups(&self) -> u64 {
        let info = self.device.info();
        let usual = match info.kind {
            DeviceKind::Cpu => PROCESSOR_BYTES,
            _ => GLOBAL_BYTES,
        };
        let bytes = usual.min(info.max_allocation_bytes).min(info.global_memory_bytes / 8);
        (bytes / (ITEM_BYTES * self.group as u64)).max(1)
    }

    /// A copy within global memory by that many work-groups, in several launches if the memory is
    /// too small for one.
    pub(super) fn global(
        &self,
        memory: &mut Option<[Buffer<u32>; 2]>,
        groups: u64,
    ) -> Result<Duration, Failing> {
        let at_once = groups.min(self.most_copying_groups());
        let launches = groups.div_ceil(at_once);
        let items = at_once as usize * self.group;
        let words = items * ITEM_WORDS;
        if memory.as_ref().is_none_or(|[source, _]| source.len() < words) {
            // The old buffers go first.
            *memory = None;
            let buffers = [self.device.buffer(words)?, self.device.buffer(words)?];
            // Both, so that the driver provides the memory before the clock runs.
            for buffer in &buffers {
                self.queue.fill(buffer, 0, words, PATTERN)?;
            }
            *memory = Some(buffers);
        }
        let Some([source, target]) = memory else { return Ok(Duration::ZERO) };
        let arguments = Global { source, target };
        let time = self.timed(|queue| {
            (0..launches)
                .try_for_each(|_| queue.launch(&self.global, &arguments, [items], [self.group]))
        })?;
        let expected = |place: usize| PATTERN.wrapping_add((place / ITEM_WORDS) as u32);
        self.agree_in_samples("a copy in global memory", target, words, expected)?;
        // The launches may do slightly more than was asked for.
        Ok(time.mul_f64(groups as f64 / (launches * at_once) as f64))
    }

    /// Bytes that a group reads, or writes, in a copy within global memory.
    pub(super) fn group_bytes(&self) -> u64 {
        ITEM_BYTES * self.group as u64
    }

    /// Work-items of a group whose cells fit into local memory; none if there is too little.
    fn local_group(&self) -> Option<usize> {
        let room = self.device.info().local_memory_bytes / (4 * LOCAL_ROWS);
        let fitting = usize::try_from(room).unwrap_or(usize::MAX).min(self.group);
        (fitting > 0).then(|| power_of_two(fitting))
    }

    /// Whether there is local memory.
    pub(super) fn has_local(&self) -> bool {
        self.local_group().is_some()
    }

    /// Rounds of reads from local memory.
    pub(super) fn local(&self, rounds: u64) -> Result<Duration, Failing> {
        let Some(group) = self.local_group() else { return Ok(Duration::ZERO) };
        let (results, rounds) = (&self.results, rounds as u32);
        let cells = Local(group * LOCAL_ROWS as usize * 4);
        let arguments = LocalReads { results, cells, rounds };
        let time =
            self.timed(|queue| queue.launch(&self.local, &arguments, [self.items], [group]))?;
        let expected = |item: usize| local_reads_of(item, group, rounds);
        self.agree_in_samples("reads of local memory", results, self.items, expected)?;
        Ok(time)
    }

    /// Runs commands to their end.
    fn timed(&self, commands: impl FnOnce(&Queue) -> Result<()>) -> Result<Duration> {
        self.queue.finish()?;
        let start = Instant::now();
        commands(&self.queue)?;
        self.queue.finish()?;
        Ok(start.elapsed())
    }

    fn agree_in_samples<T: Element + PartialEq + std::fmt::Debug + Default>(
        &self,
        what: &str,
        buffer: &Buffer<T>,
        len: usize,
        expected: impl Fn(usize) -> T,
    ) -> Result<(), Failing> {
        let count = SAMPLE.min(len);
        for from in [0, (len - count) / 2, len - count] {
            let mut found = [T::default(); SAMPLE];
            self.queue.read(buffer, from, &mut found[..count])?;
            let expected: Vec<T> = (from..from + count).map(&expected).collect();
            agree(what, &found[..count], &expected)?;
        }
        Ok(())
    }
}

/// Barriers across all groups that may wait for each other.
pub(super) struct BarrierBench<'d> {
    device: &'d Device,
    queue: Queue,
    kernel: Kernel<Barriers<'static>>,
    group: usize,
    groups: usize,
    state: Buffer<u32>,
}

impl<'d> BarrierBench<'d> {
    pub(super) fn new(device: &'d Device) -> Result<Self> {
        let kernel: Kernel<Barriers<'static>> =
            device.program(&BARRIER_FAMILY, &[])?.kernel::<Barriers>()?;
        let groups = device.resident_groups();
        let state = device.buffer(1 + 2 * groups)?;
        let group = kernel.group(GROUP.0);
        Ok(BarrierBench { device, queue: device.queue(), kernel, group, groups, state })
    }

    /// Whether groups have waited for each other in vain.
    pub(super) fn has_waited_in_vain(&self) -> bool {
        self.device.has_waited_in_vain()
    }

    /// Most barriers of a launch: the count of arrivals stays below [`BARRIER_GIVEN_UP`].
    pub(super) fn most_barriers(&self) -> u64 {
        u64::from(BARRIER_GIVEN_UP - 1) / self.groups as u64
    }

    /// A launch with that many barriers.
    pub(super) fn barriers(&self, rounds: u64) -> Result<Duration, Failing> {
        let (state, rounds) = (&self.state, rounds as u32);
        let arguments = Barriers { state, mark: PATTERN, rounds };
        self.queue.fill(state, 0, state.len(), 0)?;
        self.queue.finish()?;
        let time = {
            let _alone = self.device.resident_launch();
            let start = Instant::now();
            let items = self.groups * self.group;
            self.queue.launch(&self.kernel, &arguments, [items], [self.group])?;
            self.queue.finish()?;
            start.elapsed()
        };
        let mut arrived = [0];
        self.queue.read(state, 0, &mut arrived)?;
        if arrived[0] >= BARRIER_GIVEN_UP {
            return Err(self.device.waited_in_vain().into());
        }
        // A single group does not count.
        let all = if self.groups > 1 { rounds * self.groups as u32 } else { 0 };
        agree("arrivals at barriers", &arrived, &[all])?;
        let mut found = vec![0; self.groups];
        self.queue.read(state, 1 + self.groups, &mut found)?;
        let next = |group| PATTERN.wrapping_add((group as u32 + 1) % self.groups as u32);
        agree("marks behind a barrier", &found, &(0..self.groups).map(next).collect::<Vec<_>>())?;
        Ok(time)
    }
}

/// The numbers that copies carry.
pub(super) fn pattern(count: usize) -> Result<Vec<u32>> {
    let mut numbers = memory::zeroed(count)?;
    for (place, number) in (0u32..).zip(&mut numbers) {
        *number = PATTERN.wrapping_mul(place | 1);
    }
    Ok(numbers)
}

/// What `ADD_MIN_ROUNDS` computes for a work-item, in 64 bits. The 32-bit kernel has the same
/// numbers as long as none reaches 2^32.
fn add_min_of(item: u64, step: u64, rounds: u32) -> u64 {
    let mut chains = [0, 7, 3, 11, 5, 2, 13, 1].map(|offset: u64| item.wrapping_add(offset));
    for _ in 0..rounds {
        for place in 0..chains.len() {
            let next = chains[(place + 1) % chains.len()];
            chains[place] = chains[place].wrapping_add(step).min(next);
        }
    }
    chains.into_iter().fold(0, |all, chain| all ^ chain)
}

/// What `calibration_local` computes for a work-item.
fn local_reads_of(item: usize, group: usize, rounds: u32) -> u32 {
    let cell = |row: u32, place: usize| row * 16 + (place as u32 & 15);
    let mut sum = (item / group) as u32;
    for round in 0..rounds as usize {
        let place = (item % group + round) & (group - 1);
        for row in (0..LOCAL_ROWS as u32).step_by(2) {
            sum = sum.wrapping_add(cell(row, place)) ^ cell(row + 1, place);
        }
    }
    sum
}

/// The largest power of two that is not above `limit`.
fn power_of_two(limit: usize) -> usize {
    1 << limit.max(1).ilog2()
}
