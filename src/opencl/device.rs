//! An opened device, which creates programs, queues and buffers.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use super::buffer::{Buffer, Element};
use super::builder::{Build, Builder, Need, Patience};
use super::cache::{Cache, CacheLocation, Key};
use super::contexts::{Turns, own_context, own_queue, shared_context};
use super::discovery::FoundDevice;
use super::facts::{DeviceInfo, Quirks};
use super::objects::{ContextObject, Owned, QueueObject};
use super::pinned::{HostList, Pinned};
use super::program::Program;
use super::queue::Queue;
use super::recipe::{KernelFamily, Recipe, UserText};
#[cfg(test)]
use super::source::Source;
use super::speeds::DeviceSpeeds;
#[cfg(test)]
use super::testing::{Fault, Lie};
use super::trial::Failing;
#[cfg(test)]
use super::trial::Trial;
use super::tuning::{Defines, Rows, Tuning};
use crate::mutex::lock;
use crate::{Error, Log, Result, memory};

/// An opened device. Threads may share it.
pub(crate) struct Device {
    opened: Arc<Opened>,
    programs: Programs,
    kept: Arc<Mutex<Kept>>,
    #[cfg(test)]
    fault: Fault,
}

/// Objects kept for reuse, by type.
type Kept = HashMap<TypeId, Vec<Box<dyn Any + Send>>>;

/// The data that all views of a device share.
pub(super) struct Opened {
    pub(super) found: FoundDevice,
    pub(super) log: Log,
    tuning: Tuning,
    /// The values of tunables, by family: a small solve has no time to search the rows.
    tuned: Mutex<Vec<(&'static str, Arc<Defines>)>>,
    context: Arc<Owned<ContextObject>>,
    /// The turns of launches, where these may not run at the same time.
    pub(super) turns: Option<Arc<Turns>>,
    /// Keeps measured figures.
    cache: Cache,
    programs_cache: Cache,
    resident: Mutex<()>,
    /// How much work of each kind takes the device a while.
    budgets: Mutex<HashMap<&'static str, u64>>,
    /// Whether work-groups of a launch have waited for each other in vain.
    waited_in_vain: AtomicBool,
    /// Whether tests compare the kernels with the CPU instead of self-tests.
    #[cfg(test)]
    spares_self_tests: AtomicBool,
}

impl Opened {
    pub(super) fn context(&self) -> &Owned<ContextObject> {
        &self.context
    }

    /// The host program's queue, or a new one.
    pub(super) fn queue(&self) -> Result<Arc<Owned<QueueObject>>> {
        match &self.found.host {
            Some(host) => Ok(Arc::clone(&host.queue)),
            None => own_queue(&self.context, &self.found).map(Arc::new),
        }
    }

    pub(super) fn budgets(&self) -> MutexGuard<'_, HashMap<&'static str, u64>> {
        lock(&self.budgets)
    }

    /// See [`Device::waited_in_vain`].
    pub(super) fn waited_in_vain(&self) -> Box<Error> {
        self.waited_in_vain.store(true, Ordering::Relaxed);
        let reason = "the work-groups of a launch waited for each other in vain";
        self.log.warn(|| format!("{}: {reason}", self.found.info.name));
        Error::device_failed(reason)
    }

    /// Whether programs must pass their self-tests.
    pub(super) fn tests_programs(&self) -> bool {
        #[cfg(test)]
        if self.spares_self_tests.load(Ordering::Relaxed) {
            return false;
        }
        true
    }
}

/// The source of programs.
enum Programs {
    /// The build thread.
    Built { builder: Arc<Builder>, wait: Wait },
    /// For a self-test: programs are built at once and not tested.
    OnTrial(Mutex<HashMap<Key, Arc<Program>>>),
}

/// How one step waits for its programs.
#[derive(Default)]
struct Wait {
    /// Waits without limit if there is none.
    patience: Option<Box<dyn Patience>>,
    need: Need,
    waited: Mutex<Waited>,
}

/// How a step waited for its programs so far.
#[derive(Clone, Default)]
pub(crate) struct Waited {
    pub(crate) time: Duration,
    /// The program that the step gave up waiting for.
    pub(crate) missing: Option<Arc<Build>>,
}

impl Device {
    pub(crate) fn open(
        found: FoundDevice,
        cache: Cache,
        tuning: Tuning,
        log: Log,
    ) -> Result<Device> {
        let (context, turns) = match &found.host {
            Some(host) => (Arc::clone(&host.context), None),
            None if found.quirks.launches_in_turn => {
                let (context, turns) = shared_context(&found)?;
                (context, Some(turns))
            }
            None => (Arc::new(own_context(&found)?), None),
        };
        Device::in_context((context, turns), found, cache, tuning, log)
    }

    /// The same device with further rows, above all others. It shares nothing else but the
    /// driver's context: it builds its own programs, keeps them in memory alone and logs nothing.
    pub(crate) fn retuned(&self, rows: Rows) -> Result<Device> {
        let Opened { context, turns, found, tuning, .. } = &*self.opened;
        let log = Log::default();
        let cache = Cache::new(&CacheLocation::Off, log.clone());
        let context = (Arc::clone(context), turns.clone());
        Device::in_context(context, found.clone(), cache, tuning.below(rows), log)
    }

    /// The device with programs that need not pass their self-tests.
    pub(crate) fn untested(&self) -> Device {
        Device {
            opened: Arc::clone(&self.opened),
            programs: Programs::OnTrial(Mutex::default()),
            kept: Arc::default(),
            #[cfg(test)]
            fault: self.fault.clone(),
        }
    }

    /// The values of a family's tunables.
    pub(crate) fn tuning_of(&self, family: &KernelFamily) -> Arc<Defines> {
        let find = || Arc::new(self.opened.tuning.values(family, self.info()));
        let mut known = lock(&self.opened.tuned);
        let index = known.iter().position(|(name, _)| *name == family.name).unwrap_or_else(|| {
            known.push((family.name, find()));
            known.len() - 1
        });
        Arc::clone(&known[index].1)
    }

    /// The value of one tunable.
    #[inline(never)] // for size
    pub(crate) fn tuned(&self, family: &KernelFamily, name: &str) -> usize {
        self.tuning_of(family)[name] as usize
    }

    fn in_context(
        (context, turns): (Arc<Owned<ContextObject>>, Option<Arc<Turns>>),
        found: FoundDevice,
        cache: Cache,
        tuning: Tuning,
        log: Log,
    ) -> Result<Device> {
        let programs_cache = match found.quirks.goes_without_cache() {
            true => Cache::new(&CacheLocation::Off, log.clone()),
            false => cache.clone(),
        };
        let opened = Arc::new(Opened {
            found,
            log,
            tuning,
            tuned: Mutex::default(),
            context,
            turns,
            cache,
            programs_cache,
            resident: Mutex::default(),
            budgets: Mutex::default(),
            waited_in_vain: AtomicBool::default(),
            #[cfg(test)]
            spares_self_tests: AtomicBool::default(),
        });
        let builder = Arc::new(Builder::start(Arc::clone(&opened))?);
        Ok(Device {
            opened,
            programs: Programs::Built { builder, wait: Wait::default() },
            kept: Arc::default(),
            #[cfg(test)]
            fault: Fault::default(),
        })
    }

    /// The device for a program's self-test; requests with this key return the program under test.
    pub(super) fn on_trial(opened: &Arc<Opened>, key: Key, program: &Arc<Program>) -> Device {
        let programs = HashMap::from([(key, Arc::clone(program))]);
        Device {
            opened: Arc::clone(opened),
            programs: Programs::OnTrial(Mutex::new(programs)),
            kept: Arc::default(),
            #[cfg(test)]
            fault: Fault::default(),
        }
    }

    /// The device for one step of a solve. It waits for programs while `patience` lasts, and
    /// reports how it waited.
    pub(crate) fn for_step(&self, patience: impl Patience + 'static) -> Device {
        self.view(patience, Need::Now)
    }

    /// The device for building programs ahead of their use: those of solves are built first. A
    /// program that has not begun is forgotten if `patience` ends.
    pub(crate) fn ahead(&self, patience: impl Patience + 'static) -> Device {
        self.view(patience, Need::Ahead)
    }

    fn view(&self, patience: impl Patience + 'static, need: Need) -> Device {
        let programs = match &self.programs {
            Programs::Built { builder, .. } => {
                let wait = Wait { patience: Some(Box::new(patience)), need, ..Wait::default() };
                Programs::Built { builder: Arc::clone(builder), wait }
            }
            Programs::OnTrial(programs) => Programs::OnTrial(Mutex::new(lock(programs).clone())),
        };
        Device {
            opened: Arc::clone(&self.opened),
            programs,
            kept: Arc::clone(&self.kept),
            #[cfg(test)]
            fault: self.fault.clone(),
        }
    }

    /// How the step waited so far.
    pub(crate) fn waited(&self) -> Waited {
        match &self.programs {
            Programs::Built { wait, .. } => lock(&wait.waited).clone(),
            Programs::OnTrial(_) => Waited::default(),
        }
    }

    /// Makes the device fail after `commands` more commands to its queues.
    #[cfg(test)]
    pub(crate) fn fail_after(&self, commands: i64) {
        self.fault.set(commands);
    }

    /// Makes each launch take this many times as long from now on.
    #[cfg(test)]
    pub(crate) fn slow_down(&self, factor: u64) {
        self.fault.set_slowness(factor);
    }

    /// Lets the driver pin no more memory from now on.
    #[cfg(test)]
    pub(crate) fn refuse_to_pin(&self) {
        self.fault.refuse_to_pin();
    }

    /// Makes a kernel of the device return wrong numbers from now on.
    #[cfg(test)]
    pub(crate) fn lie(&self, lie: Lie) {
        self.fault.set_lie(lie);
    }

    /// Number of wrong words that the present lie has written.
    #[cfg(test)]
    pub(crate) fn lies_told(&self) -> u64 {
        self.fault.told()
    }

    pub(crate) fn info(&self) -> &DeviceInfo {
        &self.opened.found.info
    }

    /// How fast the device is, measured or estimated.
    pub(crate) fn speeds(&self) -> DeviceSpeeds {
        self.opened.found.speeds()
    }

    /// Notes what was measured, here and on disk.
    pub(crate) fn learn(&self, speeds: DeviceSpeeds) {
        self.opened.found.learn(speeds, &self.opened.cache);
    }

    /// Whether the device is measured only if the program asks for it: commands would disturb the
    /// program's own queue, and a simulator is slow.
    pub(crate) fn is_measured_on_demand_only(&self) -> bool {
        self.opened.found.host.is_some() || self.quirks().simulator
    }

    pub(crate) fn quirks(&self) -> Quirks {
        self.opened.found.quirks
    }

    /// The kernel family with these defines, which override its tuning rows. Each combination is
    /// built and tested once, on the device's build thread; [`Error::Stopped`] if the step's
    /// patience ends first.
    pub(crate) fn program(
        &self,
        family: &KernelFamily,
        defines: &[(&'static str, u64)],
    ) -> Result<Arc<Program>> {
        let recipe = || Recipe::new(family, defines, None, &self.opened.tuning, &self.opened.found);
        match &self.programs {
            Programs::Built { builder, wait } => {
                let request = (
                    family.sources.as_ptr() as usize,
                    family.tuning.as_ptr() as usize,
                    defines.to_vec(),
                );
                let known = builder.known(&request, wait.need);
                let build =
                    known.unwrap_or_else(|| builder.request(recipe(), Some(request), wait.need));
                wait.program(builder, build)
            }
            Programs::OnTrial(programs) => self.opened.untested(programs, recipe()),
        }
    }

    /// Like [`Device::program`], with the user's text before the family's sources, which call it. A
    /// compiler error is an [`Error::InvalidArgument`] for the text, with the messages for its
    /// lines.
    pub(crate) fn program_with(
        &self,
        family: &KernelFamily,
        defines: &[(&'static str, u64)],
        user: UserText<'_>,
    ) -> Result<Arc<Program>> {
        let recipe =
            Recipe::new(family, defines, Some(user), &self.opened.tuning, &self.opened.found);
        match &self.programs {
            Programs::Built { builder, wait } => {
                wait.program(builder, builder.request(recipe, None, wait.need))
            }
            Programs::OnTrial(programs) => self.opened.untested(programs, recipe),
        }
    }

    /// Whether the program's self-test failed.
    #[cfg(test)]
    pub(crate) fn is_barred(&self, family: &KernelFamily, defines: &[(&'static str, u64)]) -> bool {
        match &self.programs {
            Programs::Built { builder, .. } => builder.is_barred(
                &Recipe::new(family, defines, None, &self.opened.tuning, &self.opened.found).key,
            ),
            Programs::OnTrial(_) => false,
        }
    }

    /// Builds ahead that have not begun.
    #[cfg(test)]
    pub(crate) fn builds_ahead(&self) -> usize {
        match &self.programs {
            Programs::Built { builder, .. } => builder.ahead(),
            Programs::OnTrial(_) => 0,
        }
    }

    /// Skips self-tests from now on.
    #[cfg(test)]
    pub(crate) fn spare_self_tests(&self) {
        self.opened.spares_self_tests.store(true, Ordering::Relaxed);
    }

    /// The verdict of a family's self-test if `from` is replaced by `to` in its sources.
    #[cfg(test)]
    pub(crate) fn test_changed(
        &self,
        family: &KernelFamily,
        defines: &[(&'static str, u64)],
        [from, to]: [&str; 2],
    ) -> Result<(), Failing> {
        let texts: Vec<_> = family.sources.iter().map(Source::text).collect();
        assert!(texts.iter().any(|text| text.contains(from)), "{from}");
        let changed = texts.iter().map(|text| Source::Text(text.replace(from, to).leak()));
        let sources: Vec<Source> = changed.collect();
        let key = Recipe::new(family, defines, None, &self.opened.tuning, &self.opened.found).key;
        let other = KernelFamily { sources: sources.leak(), ..*family };
        let recipe =
            Arc::new(Recipe::new(&other, defines, None, &self.opened.tuning, &self.opened.found));
        let program = self.opened.build(&recipe)?;
        Trial::new(&Device::on_trial(&self.opened, key, &program), &program).run(family.self_test)
    }

    /// The verdict of a family's self-test on a program that has passed, if a kernel now returns
    /// wrong numbers.
    #[cfg(test)]
    pub(crate) fn test_again(
        &self,
        family: &KernelFamily,
        program: &Arc<Program>,
        lie: Lie,
    ) -> Result<(), Failing> {
        let view = Device::on_trial(&self.opened, program.key(), program);
        view.lie(lie);
        Trial::new(&view, program).run(family.self_test)
    }

    /// Most work-groups that may wait for each other inside a kernel, if each has at most a quarter
    /// of the work-items that a compute unit can hold; 1 if it is not known that several run at
    /// once.
    pub(crate) fn resident_groups(&self) -> usize {
        match self.quirks().resident_groups && !self.has_waited_in_vain() {
            true => self.info().compute_units as usize,
            false => 1,
        }
    }

    /// The error of a launch whose groups waited for each other in vain. From now on no groups of
    /// this device wait.
    pub(crate) fn waited_in_vain(&self) -> Box<Error> {
        self.opened.waited_in_vain()
    }

    /// Whether groups have waited in vain: the work must then proceed by launches.
    pub(crate) fn has_waited_in_vain(&self) -> bool {
        self.opened.waited_in_vain.load(Ordering::Relaxed)
    }

    /// Whether a launch must be short, so that work proceeds by many launches. Logs a warning where
    /// a longer one was wanted.
    pub(crate) fn needs_short_launches(&self) -> bool {
        let is_limited = self.quirks().short_loops;
        if is_limited {
            let reason =
                "its loops end early in long launches, so that shorter ones take their place";
            self.opened.log.warn(|| format!("{}: {reason}", self.info().name));
        }
        is_limited
    }

    /// While the guard lives, no other launch with groups that wait for each other may start:
    /// groups of two launches could prevent each other from becoming resident.
    pub(crate) fn resident_launch(&self) -> MutexGuard<'_, ()> {
        lock(&self.opened.resident)
    }

    /// Whether the device still copies a number there and back. A driver that has lost its device
    /// refuses every command of the context.
    pub(crate) fn answers(&self) -> bool {
        let queue = self.queue();
        let mut found = [0u32];
        let copied =
            self.buffer_from(&queue, &[SIGN]).and_then(|buffer| queue.read(&buffer, 0, &mut found));
        copied.is_ok() && found == [SIGN]
    }

    /// Whether both are views of one opened device.
    pub(crate) fn is_view_of(&self, other: &Device) -> bool {
        Arc::ptr_eq(&self.opened, &other.opened)
    }

    pub(crate) fn queue(&self) -> Queue {
        let queue = Queue::new(&self.opened);
        #[cfg(test)]
        let queue = queue.with_fault(self.fault.clone());
        queue
    }

    /// A buffer with unspecified contents.
    pub(crate) fn buffer<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        #[cfg(test)]
        if let Some(byte) = self.fault.nonsense() {
            return Buffer::filled(&self.opened.context, self.info(), len, byte);
        }
        Buffer::create(&self.opened.context, self.info(), len)
    }

    /// Zeros for copies: in pinned memory, which copies reach at full speed, if the driver has any.
    pub(crate) fn host_list(&self, len: usize) -> Result<HostList> {
        match self.pinned(len) {
            Ok(pinned) => Ok(Box::new(pinned)),
            Err(_) => Ok(Box::new(memory::zeroed::<u8>(len)?)),
        }
    }

    /// Zeros in memory of the host that copies reach at full speed.
    pub(super) fn pinned(&self, len: usize) -> Result<Pinned> {
        #[cfg(test)]
        self.fault.pins()?;
        Pinned::zeros(&self.opened, self.queue(), len)
    }

    /// A buffer with these contents, copied through `queue`.
    pub(crate) fn buffer_from<T: Element>(&self, queue: &Queue, data: &[T]) -> Result<Buffer<T>> {
        let buffer = self.buffer(data.len())?;
        queue.write(&buffer, 0, data)?;
        Ok(buffer)
    }

    /// Enlarges a buffer to at least `len` elements; its contents are lost.
    pub(crate) fn reserve<T: Element>(&self, buffer: &mut Buffer<T>, len: usize) -> Result<()> {
        if buffer.len() < len {
            *buffer = self.buffer(len)?;
        }
        Ok(())
    }

    /// A kept object of this type for reuse, such as a queue with kernels and buffers: creating and
    /// freeing these takes longer than a small launch.
    pub(crate) fn take<T: Any + Send>(&self) -> Option<T> {
        let kept = self.kept().get_mut(&TypeId::of::<T>())?.pop()?;
        kept.downcast().ok().map(|kept| *kept)
    }

    /// Keeps an object until it is taken or the device is dropped. It should be small and of one of
    /// few types: as many are kept as were in use at once.
    pub(crate) fn keep<T: Any + Send>(&self, kept: T) {
        self.kept().entry(TypeId::of::<T>()).or_default().push(Box::new(kept));
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        lock(&self.kept)
    }
}

/// Constants of cl/device_barrier.cl: the polls after which a group gives up, about a tenth of a
/// second on a graphics card, and the count of arrivals that says so.
pub(crate) const BARRIER: [(&str, u64); 2] =
    [("BARRIER_POLLS", 1 << 17), ("BARRIER_GIVEN_UP", BARRIER_GIVEN_UP as u64)];
pub(crate) const BARRIER_GIVEN_UP: u32 = 1 << 31;

/// The number that [`Device::answers`] copies.
const SIGN: u32 = 0x5ca1_ab1e;

impl Opened {
    pub(super) fn build(&self, recipe: &Arc<Recipe>) -> Result<Arc<Program>, Failing> {
        Program::build(recipe, &self.context, &self.found, &self.programs_cache, &self.log)
            .map(Arc::new)
    }

    /// A program for a trial, without a self-test.
    fn untested(
        &self,
        programs: &Mutex<HashMap<Key, Arc<Program>>>,
        recipe: Recipe,
    ) -> Result<Arc<Program>> {
        let mut programs = lock(programs);
        if let Some(program) = programs.get(&recipe.key) {
            return Ok(Arc::clone(program));
        }
        let program = self.build(&Arc::new(recipe)).map_err(|failing| match failing {
            Failing::Wrong(reason) => Error::device_failed(reason),
            Failing::Error(error) => error,
        })?;
        programs.insert(program.key(), Arc::clone(&program));
        Ok(program)
    }
}

impl Wait {
    fn program(&self, builder: &Builder, build: Arc<Build>) -> Result<Arc<Program>> {
        if let Some(program) = build.program() {
            return program;
        }
        let start = Instant::now();
        builder.wait(&build, self.patience.as_deref());
        let mut waited = lock(&self.waited);
        waited.time += start.elapsed();
        build.program().unwrap_or_else(|| {
            if self.need == Need::Ahead {
                builder.withdraw(&build);
            }
            waited.missing = Some(build);
            Err(Error::stopped())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::opencl::testing::test_devices;

    #[test]
    fn devices_are_shared_and_kernels_move() {
        fn shared<T: Send + Sync>() {}
        fn moves<T: Send>() {}
        shared::<Device>();
        shared::<Program>();
        shared::<Queue>();
        shared::<Buffer<u64>>();
        moves::<crate::opencl::Kernel<()>>();
    }

    #[test]
    fn what_is_kept_is_found_by_its_type_and_once() {
        for device in test_devices() {
            device.keep(7u32);
            device.keep(device.queue());
            assert_eq!(device.take::<u64>(), None);
            assert_eq!(device.take::<u32>(), Some(7));
            assert_eq!(device.take::<u32>(), None);
            assert!(device.take::<Queue>().is_some());
        }
    }

    #[test]
    fn what_a_device_made_may_outlive_it() {
        for device in test_devices() {
            let queue = device.queue();
            let buffer = device.buffer_from(&queue, &[1u32, 2, 3]).unwrap();
            drop(device);
            let mut found = [0; 3];
            queue.read(&buffer, 0, &mut found).unwrap();
            drop(buffer);
            queue.finish().unwrap();
            assert_eq!(found, [1, 2, 3]);
        }
    }
}
