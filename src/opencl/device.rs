//! An opened device: makes programs, queues and buffers.
#![allow(unsafe_code)]

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::ptr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cl3::context::create_context;

use super::buffer::{Buffer, Element};
use super::cache::{Cache, CacheLocation, Key};
use super::discovery::FoundDevice;
use super::facts::{DeviceInfo, Quirks};
use super::objects::{ContextObject, Owned};
use super::program::Program;
use super::queue::Queue;
use super::recipe::{KernelFamily, Recipe, UserText};
use super::status::failed;
#[cfg(test)]
use super::testing::{Fault, Lie};
use super::trial::{Failing, Trial};
use crate::{Error, Log, Result};

/// A device with a context of its own. Threads may share it.
pub(crate) struct Device {
    opened: Arc<Opened>,
    kept: Mutex<HashMap<TypeId, Vec<Box<dyn Any + Send>>>>,
    /// The programs of a trial, if this is the device as a self-test sees it.
    on_trial: Option<Mutex<HashMap<Key, Arc<Program>>>>,
    #[cfg(test)]
    fault: Fault,
}

/// What the device and its views for self-tests share.
struct Opened {
    found: FoundDevice,
    context: Owned<ContextObject>,
    cache: Cache,
    log: Log,
    built: Mutex<Built>,
    resident: Mutex<()>,
}

#[derive(Default)]
struct Built {
    programs: HashMap<Key, Arc<Program>>,
    /// The same programs by what was asked for: hashing the sources for the key takes longer than a small launch.
    requests: HashMap<Request, Arc<Program>>,
    /// Why others are not to be used.
    barred: HashMap<Key, String>,
    time: Duration,
}

/// Where a family's sources and tuning rows lie, and the defines asked for.
type Request = (usize, usize, Vec<(&'static str, u64)>);

impl Device {
    pub(crate) fn open(found: FoundDevice, cache: Cache, log: Log) -> Result<Device> {
        let raw = create_context(&[found.handle.id()], ptr::null(), None, ptr::null_mut())
            .map_err(|code| failed(&format!("clCreateContext on {}", found.info.name), code))?;
        // SAFETY: the driver has just created the object for us.
        let context = unsafe { Owned::new(raw) };
        let cache = match found.quirks.simulator {
            true => Cache::new(&CacheLocation::Off, log.clone()),
            false => cache,
        };
        let (built, resident) = Default::default();
        let opened = Opened { found, context, cache, log, built, resident };
        Ok(Device::of(Arc::new(opened), None))
    }

    fn of(opened: Arc<Opened>, on_trial: Option<Mutex<HashMap<Key, Arc<Program>>>>) -> Device {
        Device {
            opened,
            kept: Mutex::default(),
            on_trial,
            #[cfg(test)]
            fault: Fault::default(),
        }
    }

    /// Lets the device fail after so many more commands to its queues.
    #[cfg(test)]
    pub(crate) fn fail_after(&self, commands: i64) {
        self.fault.set(commands);
    }

    /// Lets a kernel of the device return wrong numbers from now on.
    #[cfg(test)]
    pub(crate) fn lie(&self, lie: Lie) {
        self.fault.set_lie(lie);
    }

    /// How many wrong numbers the present lie has put in.
    #[cfg(test)]
    pub(crate) fn lies_told(&self) -> u64 {
        self.fault.told()
    }

    pub(crate) fn info(&self) -> &DeviceInfo {
        &self.opened.found.info
    }

    pub(crate) fn quirks(&self) -> Quirks {
        self.opened.found.quirks
    }

    /// The kernel family with these defines, which outrank its tuning rows. Each combination is built and tested once;
    /// threads that ask meanwhile wait.
    pub(crate) fn program(
        &self,
        family: &KernelFamily,
        defines: &[(&'static str, u64)],
    ) -> Result<Arc<Program>> {
        if self.on_trial.is_some() {
            return self.build(Recipe::new(family, defines, None, &self.opened.found));
        }
        let request = (family.sources.as_ptr() as usize, family.tuning.as_ptr() as usize, defines.to_vec());
        let known = self.opened.built().requests.get(&request).cloned();
        if let Some(program) = known {
            return Ok(program);
        }
        let program = self.build(Recipe::new(family, defines, None, &self.opened.found))?;
        self.opened.built().requests.insert(request, Arc::clone(&program));
        Ok(program)
    }

    /// [`Device::program`] after a text of the user's, which the family's sources call. What the compiler finds wrong
    /// is an [`Error::InvalidArgument`] about it, with the messages about its lines.
    pub(crate) fn program_with(
        &self,
        family: &KernelFamily,
        defines: &[(&'static str, u64)],
        user: UserText<'_>,
    ) -> Result<Arc<Program>> {
        self.build(Recipe::new(family, defines, Some(user), &self.opened.found))
    }

    /// Whether the self-test of such a program has failed, so that another variant has to do.
    pub(crate) fn is_barred(&self, family: &KernelFamily, defines: &[(&'static str, u64)]) -> bool {
        let recipe = Recipe::new(family, defines, None, &self.opened.found);
        self.opened.built().barred.contains_key(&recipe.key)
    }

    fn build(&self, recipe: Recipe) -> Result<Arc<Program>> {
        let (key, name) = (recipe.key, recipe.family);
        if let Some(programs) = &self.on_trial {
            let mut programs = programs.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(program) = programs.get(&key) {
                return Ok(Arc::clone(program));
            }
            let program = self.opened.compile(recipe).map_err(|failing| self.refusal(name, failing))?;
            programs.insert(key, Arc::clone(&program));
            return Ok(program);
        }
        let mut built = self.opened.built();
        if let Some(program) = built.programs.get(&key) {
            return Ok(Arc::clone(program));
        }
        if let Some(reason) = built.barred.get(&key) {
            return Err(Error::DeviceFailed(reason.clone()));
        }
        let start = Instant::now();
        let program = self.opened.compile(recipe).and_then(|program| self.tested(program));
        built.time += start.elapsed();
        let is_wrong = matches!(program, Err(Failing::Wrong(_)));
        let program = program.map_err(|failing| self.refusal(name, failing));
        match &program {
            Ok(program) => {
                built.programs.insert(key, Arc::clone(program));
            }
            Err(Error::DeviceFailed(reason)) if is_wrong => {
                self.opened.log.warn(|| reason.clone());
                built.barred.insert(key, reason.clone());
            }
            Err(_) => {}
        }
        program
    }

    /// The program, if its kernels agree with the CPU.
    fn tested(&self, program: Arc<Program>) -> Result<Arc<Program>, Failing> {
        if !program.has_passed() {
            let programs = HashMap::from([(program.key(), Arc::clone(&program))]);
            let view = Device::of(Arc::clone(&self.opened), Some(Mutex::new(programs)));
            program.test(|self_test| self_test(&Trial::new(&view, &program)))?;
        }
        Ok(program)
    }

    fn refusal(&self, family: &str, failing: Failing) -> Error {
        match failing {
            Failing::Wrong(reason) => Error::DeviceFailed(format!(
                "kernels {family} are barred on {}, they fail their self-test: {reason}",
                self.info().name
            )),
            Failing::Error(error) => error,
        }
    }

    /// Time spent on building programs since the device was opened.
    pub(crate) fn build_seconds(&self) -> f64 {
        self.opened.built().time.as_secs_f64()
    }

    /// The most work-groups that may wait for each other inside a kernel, of up to a quarter of the work-items
    /// that a compute unit can hold; 1 where it is not known that several run at once.
    pub(crate) fn resident_groups(&self) -> usize {
        if self.quirks().resident_groups { self.info().compute_units as usize } else { 1 }
    }

    /// Holds off other launches whose groups wait for each other, as long as the guard lives: groups of two launches
    /// could keep each other from becoming resident.
    pub(crate) fn resident_launch(&self) -> MutexGuard<'_, ()> {
        self.opened.resident.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn queue(&self) -> Result<Queue> {
        let queue = Queue::create(&self.opened.context, &self.opened.found)?;
        #[cfg(test)]
        let queue = queue.with_fault(self.fault.clone());
        Ok(queue)
    }

    /// A buffer with unspecified contents.
    pub(crate) fn buffer<T: Element>(&self, len: usize) -> Result<Buffer<T>> {
        Buffer::create(&self.opened.context, self.info(), len)
    }

    /// A buffer with these contents, copied by way of `queue`.
    pub(crate) fn buffer_from<T: Element>(&self, queue: &Queue, data: &[T]) -> Result<Buffer<T>> {
        let buffer = self.buffer(data.len())?;
        queue.write(&buffer, 0, data)?;
        Ok(buffer)
    }

    /// Makes room for `len` elements in a buffer; what was in it is lost.
    pub(crate) fn reserve<T: Element>(&self, buffer: &mut Buffer<T>, len: usize) -> Result<()> {
        if buffer.len() < len {
            *buffer = self.buffer(len)?;
        }
        Ok(())
    }

    /// Something of this type that was kept for its next use, such as a queue with kernels and buffers: making and freeing
    /// them takes longer than a small launch.
    pub(crate) fn take<T: Any + Send>(&self) -> Option<T> {
        let kept = self.kept().get_mut(&TypeId::of::<T>())?.pop()?;
        kept.downcast().ok().map(|kept| *kept)
    }

    /// Keeps something until it is taken, at the latest until the device is dropped. It should be small, and of a few
    /// types: as many are kept as were in use at once.
    pub(crate) fn keep<T: Any + Send>(&self, kept: T) {
        self.kept().entry(TypeId::of::<T>()).or_default().push(Box::new(kept));
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<TypeId, Vec<Box<dyn Any + Send>>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Opened {
    fn compile(&self, recipe: Recipe) -> Result<Arc<Program>, Failing> {
        Program::build(recipe, &self.context, &self.found, &self.cache, &self.log).map(Arc::new)
    }

    fn built(&self) -> MutexGuard<'_, Built> {
        self.built.lock().unwrap_or_else(PoisonError::into_inner)
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
        moves::<crate::opencl::Kernel>();
    }

    #[test]
    fn what_is_kept_is_found_by_its_type_and_once() {
        for device in test_devices() {
            device.keep(7u32);
            device.keep(device.queue().unwrap());
            assert_eq!(device.take::<u64>(), None);
            assert_eq!(device.take::<u32>(), Some(7));
            assert_eq!(device.take::<u32>(), None);
            assert!(device.take::<Queue>().is_some());
        }
    }

    #[test]
    fn what_a_device_made_may_outlive_it() {
        for device in test_devices() {
            let queue = device.queue().unwrap();
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
