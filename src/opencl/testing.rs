//! Devices for tests: the machine's devices, and faults that make them fail or return wrong
//! numbers.
#![allow(unsafe_code)]

use std::collections::BTreeSet;
use std::io::Write;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use cl3::command_queue::{enqueue_read_buffer, enqueue_write_buffer};
use cl3::info_type::InfoType;
use cl3::memory::{CL_MEM_SIZE, get_mem_object_info};
use cl3::types::CL_TRUE;

use super::arguments::{Arg, ArgList};
use super::discovery::FoundDevice;
use super::objects::{MemoryObject, Owned, QueueObject};
use super::queue::enqueued;
use super::{
    Cache, CacheLocation, Device, DeviceInfo, DeviceKind, HostOpenCl, KernelFamily, Tuning,
    discover,
};
use crate::random::Random;
use crate::{Error, Log, Result};

/// Rows with the least or the most values of all tunables that a test has time for: unrolled loops
/// take a processor's compiler minutes, the largest rounds take gigabytes, and the longest parts of a
/// plan take more local memory than some devices have.
pub(crate) fn extreme_rows(most: bool) -> String {
    const LEFT_OUT: [&str; 4] = ["UNROLL", "ROUND_BOUNDS", "JOHNSON_ROUND_BOUNDS", "PLAN_PART"];
    let mut rows = "makespan tuning 1\n".to_owned();
    for family in crate::kernel_families::all() {
        for tunable in family.tuning {
            let (name, range) = (tunable.name(), tunable.range);
            let value = if most { range.most() } else { range.least() };
            if !LEFT_OUT.contains(&name) {
                rows.push_str(&format!("{} default {name} {value}\n", family.name));
            }
        }
    }
    rows
}

/// A device's faults: it fails after some number of commands, or one of its kernels returns wrong
/// numbers.
#[derive(Clone)]
pub(crate) struct Fault {
    commands: Arc<AtomicI64>,
    lie: Arc<Mutex<Option<Lie>>>,
    told: Arc<AtomicU64>,
    /// How many times as long each launch takes.
    slowness: Arc<AtomicU64>,
    pins_nothing: Arc<AtomicBool>,
}

impl Default for Fault {
    /// A device without faults.
    fn default() -> Self {
        Fault {
            commands: Arc::new(AtomicI64::new(i64::MAX)),
            lie: Arc::default(),
            told: Arc::default(),
            slowness: Arc::default(),
            pins_nothing: Arc::default(),
        }
    }
}

impl Fault {
    pub(super) fn set(&self, commands: i64) {
        self.commands.store(commands, Ordering::Relaxed);
    }

    pub(super) fn set_slowness(&self, factor: u64) {
        self.slowness.store(factor, Ordering::Relaxed);
    }

    pub(super) fn refuse_to_pin(&self) {
        self.pins_nothing.store(true, Ordering::Relaxed);
    }

    pub(super) fn pins(&self) -> Result<()> {
        match self.pins_nothing.load(Ordering::Relaxed) {
            true => Err(Error::device_failed("no pinned memory in the test")),
            false => Ok(()),
        }
    }

    /// Runs a launch, and waits until it has taken as long as it would on a slow device.
    pub(super) fn slowly<T>(
        &self,
        launch: impl FnOnce() -> T,
        finish: impl Fn() -> Result<()>,
    ) -> Result<T> {
        let factor = self.slowness.load(Ordering::Relaxed);
        if factor <= 1 {
            return Ok(launch());
        }
        finish()?;
        let start = Instant::now();
        let launched = launch();
        finish()?;
        std::thread::sleep(start.elapsed() * (factor - 1) as u32);
        Ok(launched)
    }

    pub(super) fn set_lie(&self, lie: Lie) {
        *self.lie.lock().unwrap() = Some(lie);
        self.told.store(0, Ordering::Relaxed);
    }

    pub(super) fn told(&self) -> u64 {
        self.told.load(Ordering::Relaxed)
    }

    pub(super) fn command(&self) -> Result<()> {
        match self.commands.fetch_sub(1, Ordering::Relaxed) {
            1.. => Ok(()),
            _ => Err(Error::device_failed("a fault of the test")),
        }
    }

    /// Fill byte of new buffers if a kernel lies. A lie changes only words that the kernel writes,
    /// and uninitialised memory may hold the same kernel's earlier results, which would hide its
    /// writes.
    pub(super) fn nonsense(&self) -> Option<u8> {
        self.lie.lock().unwrap().is_some().then_some(0xa5)
    }

    /// The contents of the buffers before a launch, if the launched kernel lies.
    pub(super) fn before<'a>(
        &self,
        queue: &Owned<QueueObject>,
        kernel: &str,
        list: &ArgList<'a>,
    ) -> Result<Vec<Before<'a>>> {
        let mut buffers: Vec<Before<'a>> = Vec::new();
        let Some(only) = self
            .lie
            .lock()
            .unwrap()
            .as_ref()
            .filter(|lie| lie.kernel == kernel)
            .map(|lie| lie.only)
        else {
            return Ok(buffers);
        };
        for (arg, name) in list.args().iter().zip(list.names()) {
            let &Arg::Buffer(object, width) = arg else { continue };
            let is_new = buffers.iter().all(|known| known.object.raw() != object.raw());
            if is_new && (only.is_empty() || only.contains(&name.as_str())) {
                buffers.push(Before { object, width, bytes: read(queue, object)? });
            }
        }
        Ok(buffers)
    }

    /// Changes some of the words that the launch wrote.
    pub(super) fn after(&self, queue: &Owned<QueueObject>, buffers: &[Before<'_>]) -> Result<()> {
        let mut lie = self.lie.lock().unwrap();
        let Some(lie) = lie.as_mut() else { return Ok(()) };
        for Before { object, width, bytes } in buffers {
            let mut words = read(queue, object)?;
            let (record, wrong) = lie.records;
            let written: Vec<usize> = (0..words.len() / width)
                .filter(|word| word % record < wrong)
                .map(|word| word * width)
                .filter(|&at| words[at..at + width] != bytes[at..at + width])
                .collect();
            let truth = words.clone();
            let mut place = lie.next;
            while let Some(&at) = written.get(usize::try_from(place).unwrap()) {
                let other = written[lie.random.below(written.len() as u64) as usize];
                lie.change(&mut words[at..at + width], &truth[other..other + width]);
                self.told.fetch_add(1, Ordering::Relaxed);
                place += 1 + lie.gap();
            }
            lie.next = place - written.len() as u64;
            if words != truth {
                write(queue, object, &words)?;
            }
        }
        Ok(())
    }
}

/// A kernel that returns wrong numbers: each word that it writes is wrong with equal probability.
pub(crate) struct Lie {
    kernel: &'static str,
    share: f64,
    /// The arguments with wrong words; empty for all arguments.
    only: &'static [&'static str],
    /// Words of a record in these buffers, and how many of them may be wrong, the first ones.
    records: (usize, usize),
    random: Random,
    /// Words to skip before the next wrong one.
    next: u64,
}

impl Lie {
    /// Makes one of 10,000 written words wrong.
    pub(crate) fn of(kernel: &'static str, seed: u64) -> Lie {
        let (only, records, random) = (&[], (1, 1), Random::new(seed));
        Lie { kernel, share: 0.0, only, records, random, next: 0 }.share(1e-4)
    }

    /// Sets another probability, below 1.
    pub(crate) fn share(mut self, share: f64) -> Lie {
        self.share = share;
        self.next = self.gap();
        self
    }

    /// Limits the wrong words to the buffers of these arguments.
    pub(crate) fn only(self, arguments: &'static [&'static str]) -> Lie {
        Lie { only: arguments, ..self }
    }

    /// Limits the wrong words to the first `wrong` ones of each record of `words`. The others may be
    /// addresses for kernels.
    pub(crate) fn at_start_of_records(self, words: usize, wrong: usize) -> Lie {
        Lie { records: (words, wrong), ..self }
    }

    /// The number of right words before the next wrong one.
    fn gap(&mut self) -> u64 {
        ((1.0 - self.random.unit()).ln() / (1.0 - self.share).ln()) as u64
    }

    /// Makes a plausible wrong value: slightly too high, slightly too low, or another word's value.
    fn change(&mut self, word: &mut [u8], other: &[u8]) {
        let kind = self.random.below(3);
        if kind == 2 && word != other {
            return word.copy_from_slice(other);
        }
        let mut bytes = [0; 8];
        bytes[..word.len()].copy_from_slice(word);
        let (value, little) = (u64::from_le_bytes(bytes), 1 + self.random.below(3));
        let wrong = if kind == 0 { value.wrapping_add(little) } else { value.wrapping_sub(little) };
        word.copy_from_slice(&wrong.to_le_bytes()[..word.len()]);
    }
}

/// The contents of a buffer before a launch.
pub(super) struct Before<'a> {
    object: &'a Owned<MemoryObject>,
    width: usize,
    bytes: Vec<u8>,
}

fn read(queue: &Owned<QueueObject>, object: &Owned<MemoryObject>) -> Result<Vec<u8>> {
    let size: usize = get_mem_object_info(object.raw(), CL_MEM_SIZE).map(InfoType::into).unwrap();
    let mut bytes = vec![0u8; size];
    let target = bytes.as_mut_ptr().cast();
    // SAFETY: the call blocks until all bytes of the buffer are in the vector, which has the
    // capacity.
    let read = unsafe {
        enqueue_read_buffer(queue.raw(), object.raw(), CL_TRUE, 0, size, target, 0, ptr::null())
    };
    enqueued(read, || "clEnqueueReadBuffer".to_owned())?;
    Ok(bytes)
}

fn write(queue: &Owned<QueueObject>, object: &Owned<MemoryObject>, bytes: &[u8]) -> Result<()> {
    let (size, source) = (bytes.len(), bytes.as_ptr().cast());
    // SAFETY: the call blocks until the bytes were read, and there are as many as the buffer has.
    let written = unsafe {
        enqueue_write_buffer(queue.raw(), object.raw(), CL_TRUE, 0, size, source, 0, ptr::null())
    };
    enqueued(written, || "clEnqueueWriteBuffer".to_owned())
}

/// Whether each thread of the device runs a group to its end before it begins the next one. Threads
/// of Mesa's rusticl switch between groups.
pub(crate) fn runs_groups_one_by_one(device: &Device) -> bool {
    device.info().platform == "Portable Computing Language"
}

/// All devices of this machine, without a kernel cache.
///
/// If `MAKESPAN_TEST_PLATFORM` is set, only devices of platforms whose name contains it. Finding
/// none is then a failure: a run on a chosen implementation must not pass without testing anything.
///
/// Programs must pass their self-tests first, unless `MAKESPAN_TEST_SELF_TESTS` is `off`: with slow
/// compilers, self-tests take most of the time of tests that compare the kernels with the CPU
/// anyway.
///
/// The name of the test must say that it uses devices, see [`check_name`].
pub(crate) fn test_devices() -> Vec<Device> {
    let devices = self_testing_devices();
    if std::env::var("MAKESPAN_TEST_SELF_TESTS").is_ok_and(|value| value == "off") {
        devices.iter().for_each(Device::spare_self_tests);
    }
    devices
}

/// The same devices without simulators, for tests that would take them too long.
pub(crate) fn real_test_devices() -> Vec<Device> {
    let (simulators, real): (Vec<_>, Vec<_>) =
        test_devices().into_iter().partition(|device| device.quirks().simulator);
    if real.is_empty() && !simulators.is_empty() {
        skipped("a simulator would take too long");
    }
    real
}

/// `scripts/test.sh` selects the tests for PoCL by `device` or `self_test` in their names, or by the
/// modules `opencl` and `context`; the simulator gets fewer. A thread that runs a test has its name,
/// unless all tests run on the main thread.
fn check_name(thread: Option<&str>) {
    let is_selected = |name: &str| {
        ["device", "self_test"].iter().any(|part| name.contains(part))
            || ["opencl::", "context::"].iter().any(|module| name.starts_with(module))
    };
    if let Some(name) = thread.filter(|name| name.contains("::")) {
        assert!(is_selected(name), "{name} uses devices: its name must contain \"device\"");
    }
}

/// The same devices, always with self-tests.
pub(crate) fn self_testing_devices() -> Vec<Device> {
    found_devices()
        .into_iter()
        .map(|found| open(found, &CacheLocation::Off, Log::default()))
        .collect()
}

/// The same devices as if they had no local memory.
pub(crate) fn devices_without_local_memory() -> impl Iterator<Item = Device> {
    found_devices().into_iter().map(|mut found| {
        found.info.local_memory_bytes = 0;
        open(found, &CacheLocation::Off, Log::default())
    })
}

/// The same devices without simulators, described by `change` as smaller than they are. The layer
/// refuses what is beyond these limits, as a driver would. For [`ContextOptions::opencl`].
///
/// [`ContextOptions::opencl`]: crate::ContextOptions::opencl
pub(crate) fn smaller_devices(change: impl Fn(&mut DeviceInfo)) -> Vec<HostOpenCl> {
    let real = found_devices().into_iter().filter(|found| !found.quirks.simulator);
    real.map(|mut found| {
        found.info.index = 0;
        change(&mut found.info);
        HostOpenCl::of(found)
    })
    .collect()
}

/// The same devices before they are opened.
pub(crate) fn found_devices() -> Vec<FoundDevice> {
    check_name(std::thread::current().name());
    let wanted = std::env::var("MAKESPAN_TEST_PLATFORM").ok();
    let found = discover();
    let mut devices = found.devices;
    if let Some(wanted) = &wanted {
        devices.retain(|device| device.info.platform.contains(wanted.as_str()));
        assert!(!devices.is_empty(), "no device of a platform {wanted:?}: {:?}", found.reason);
    }
    if devices.is_empty() {
        let reason = found.reason.unwrap_or_default();
        skipped(&format!("there is no OpenCL device ({reason})"));
    }
    devices
}

/// The shipped rows alone.
pub(crate) fn shipped() -> Tuning {
    Tuning::new(&crate::kernel_families::all().collect::<Vec<_>>(), Vec::new())
}

pub(crate) fn open(found: FoundDevice, cache: &CacheLocation, log: Log) -> Device {
    Device::open(found, Cache::new(cache, log.clone()), shipped(), log).unwrap()
}

/// Expects a program to pass its self-test, and to fail it if one of these kernels returns wrong
/// numbers in the buffers of these arguments.
pub(crate) fn expect_lies_to_be_noticed(
    family: &KernelFamily,
    defines: &[(&'static str, u64)],
    lies: &[(&'static str, &'static [&'static str])],
) {
    expect_lies_to_be_noticed_where(|_| true, family, defines, lies);
}

/// The same on devices that can run the program.
pub(crate) fn expect_lies_to_be_noticed_where(
    runs: impl Fn(&DeviceInfo) -> bool,
    family: &KernelFamily,
    defines: &[(&'static str, u64)],
    lies: &[(&'static str, &'static [&'static str])],
) {
    // Simulators are slow, and they exist to find other faults.
    let is_chosen = |device: &Device| !device.quirks().simulator && runs(device.info());
    for device in self_testing_devices().into_iter().filter(is_chosen) {
        let program =
            device.program(family, defines).unwrap_or_else(|error| panic!("{defines:?}: {error}"));
        // A wrong index may make a kernel write outside its buffers, which destroys a graphics
        // card's context.
        let lies = if device.info().kind == DeviceKind::Cpu { lies } else { &[] };
        for &(kernel, arguments) in lies {
            let lie = Lie::of(kernel, 1).share(0.95).only(arguments);
            let again = device.test_again(family, &program, lie);
            assert!(again.is_err(), "{kernel} lies, {defines:?}");
        }
    }
}

/// Says once for each test that it tests nothing. The test harness would hide what macros print.
fn skipped(reason: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    if SAID.lock().is_ok_and(|mut said| said.insert(test.to_owned())) {
        // Nobody may listen.
        let _ = writeln!(std::io::stderr(), "skipped, {reason}: {test}");
    }
}

mod tests {
    use super::*;
    use crate::opencl::{Buffer, Source, UNTESTED, kernel_arguments};

    const FAMILY: KernelFamily = KernelFamily {
        name: "lie_test",
        sources: &[Source::Text("
            kernel void count(global ushort *out, uint n) { size_t i = get_global_id(0); if (i < n) out[i] = i + 1; }
            kernel void copy(global const ushort *source, global ushort *out) { out[get_global_id(0)] = source[get_global_id(0)]; }")],
        kernels: crate::opencl::declared![Count, Copied],
        constants: &[],
        tuning: &[],
        self_test: UNTESTED,
    };

    kernel_arguments! {
        struct Count<'a> = "count" {
            out: &'a Buffer<u16>,
            n: u32,
        }

        struct Copied<'a> = "copy" {
            source: &'a Buffer<u16>,
            out: &'a Buffer<u16>,
        }
    }

    #[test]
    fn only_names_that_are_selected_may_use_devices() {
        let names = [None, Some("main"), Some("opencl::queue::tests::x"), Some("a::devices_x")];
        names.into_iter().for_each(check_name);
        assert!(std::panic::catch_unwind(|| check_name(Some("a::tests::x"))).is_err());
    }

    #[test]
    fn a_kernel_lies_about_the_given_share_of_what_it_writes() {
        for found in found_devices() {
            let device = open(found, &CacheLocation::Off, Log::default());
            let run = |share| {
                device.lie(Lie::of("count", 7).share(share).only(&["out"]));
                let program = device.program(&FAMILY, &[]).unwrap();
                let queue = device.queue();
                let (all, written) = (6_000, 5_000);
                let buffers =
                    [(); 2].map(|()| device.buffer_from(&queue, &vec![0u16; all]).unwrap());
                let [counted, copied] = &buffers;
                let count = Count { out: counted, n: written as u32 };
                queue.launch(&program.kernel().unwrap(), &count, [all], [1]).unwrap();
                let copy = Copied { source: counted, out: copied };
                queue.launch(&program.kernel().unwrap(), &copy, [all], [1]).unwrap();
                let (mut found, mut next) = (vec![0; all], vec![0; all]);
                queue.read(counted, 0, &mut found).unwrap();
                queue.read(copied, 0, &mut next).unwrap();
                assert_eq!(found, next, "another kernel lies");
                assert!(
                    found[written..].iter().all(|&word| word == 0),
                    "a word that was not written"
                );
                let wrong = (0..written).filter(|&i| found[i] != i as u16 + 1).count();
                assert_eq!(wrong as u64, device.lies_told());
                wrong
            };
            assert!((30..80).contains(&run(1e-2)));
            assert!((1_900..2_100).contains(&run(0.4)));
        }
    }

    #[test]
    fn a_kernel_lies_where_the_memory_held_its_results_before() {
        for found in found_devices() {
            let device = open(found, &CacheLocation::Off, Log::default());
            let program = device.program(&FAMILY, &[]).unwrap();
            let queue = device.queue();
            for seed in 0..20 {
                device.lie(Lie::of("count", seed).share(0.1));
                // The buffer is freed after each round, so that the next one probably gets its
                // memory.
                let counted = device.buffer::<u16>(5_000).unwrap();
                let count = Count { out: &counted, n: 5_000 };
                queue.launch(&program.kernel().unwrap(), &count, [5_000], [1]).unwrap();
                assert!((400..600).contains(&device.lies_told()), "{}", device.lies_told());
            }
        }
    }
}
