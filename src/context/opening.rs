//! Opens devices on other threads, while the CPU or the chosen device works: drivers take up to half
//! a second.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

use super::dispatch::Place;
use super::{Context, Source};
use crate::mutex::lock;
use crate::opencl::FoundDevice;
use crate::owned_threads;

/// Seconds of finding and opening a device, as long as nothing was measured: 0.25 to 0.33 with
/// NVIDIA's driver.
const GUESS: f64 = 0.3;
/// The name under which the experience has the time.
const MODEL: &str = "opening";

/// The thread that opens a device of a context. Dropping it waits for the thread.
pub(super) struct Opening {
    /// The place of a further device; None for the chosen one.
    place: Option<usize>,
    is_done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Context {
    /// Begins to open the device on a thread, if it may be fast and is not open yet. The thread may
    /// outlive the solve: it is joined when the context is freed. Returns what the thread sets at
    /// its end.
    pub(crate) fn open_ahead(&self) -> Arc<AtomicBool> {
        self.begin_opening(None)
    }

    /// Begins to open the further devices, on a thread each. The threads may outlive the solve.
    pub(super) fn open_further_ahead(&self) {
        for place in 0..self.source.further_devices.len() {
            self.begin_opening(Some(place));
        }
    }

    /// Lets a thread open a device, unless one does or has done so. A lost device is opened again.
    fn begin_opening(&self, place: Option<usize>) -> Arc<AtomicBool> {
        let mut openings = lock(&self.openings);
        openings.retain(|opening| {
            opening.place != place || !opening.is_done() || self.source.needs_no_opening(place)
        });
        let found = openings.iter().position(|opening| opening.place == place);
        let index = found.unwrap_or_else(|| {
            openings.push(Opening::begin(&self.source, place));
            openings.len() - 1
        });
        Arc::clone(&openings[index].is_done)
    }

    /// Expected seconds of finding and opening a device.
    pub(super) fn opening_seconds(&self) -> f64 {
        GUESS * self.experience.factor(MODEL, Place::Cpu, GUESS)
    }

    /// Learns how long finding and opening took, once. It counts as the processor's time: the files of
    /// devices are read after they are found.
    pub(super) fn learn_opening(&self) {
        // A measurement of the processor would make it forgotten.
        if !self.processor_speeds().measured {
            return;
        }
        if let Some(seconds) = self.source.opening_times.take() {
            self.experience.learn(MODEL, Place::Cpu, GUESS, seconds);
        }
    }

    /// Whether the chosen device is open, or known to be missing.
    pub(crate) fn knows_device(&self) -> bool {
        self.source.device.is_known()
    }

    /// Whether long searches try the device. They try a missing one as well, and so learn why it
    /// takes no part.
    pub(crate) fn device_may_be_fast(&self) -> bool {
        self.source.may_be_fast()
    }
}

/// How long the process took to find devices and to open one.
#[derive(Default)]
pub(super) struct OpeningTimes {
    search: OnceLock<f64>,
    opening: OnceLock<f64>,
    is_taken: AtomicBool,
}

/// Whether some context of the process has searched for devices. Later searches find the drivers
/// loaded.
static SEARCHED: AtomicBool = AtomicBool::new(false);

impl OpeningTimes {
    /// Notes the seconds of a search, if it was the first of the process.
    pub(super) fn note_search(&self, seconds: f64) {
        if !SEARCHED.swap(true, Ordering::Relaxed) {
            let _ = self.search.set(seconds);
        }
    }

    /// Notes the seconds of opening a device, if it was the first of the context.
    pub(super) fn note_opening(&self, seconds: f64) {
        let _ = self.opening.set(seconds);
    }

    /// The sum of both, once, as soon as both are known.
    fn take(&self) -> Option<f64> {
        let seconds = self.search.get()? + self.opening.get()?;
        let is_first = !self.is_taken.swap(true, Ordering::Relaxed);
        is_first.then_some(seconds)
    }

    /// The times of another process.
    #[cfg(test)]
    pub(super) fn pretend(&self, search: f64, opening: f64) {
        assert!(self.search.set(search).and(self.opening.set(opening)).is_ok());
    }
}

impl Opening {
    fn begin(source: &Arc<Source>, place: Option<usize>) -> Opening {
        let is_done = Arc::new(AtomicBool::new(false));
        let (source, done) = (Arc::clone(source), Arc::clone(&is_done));
        let work = move || {
            source.open_ahead(place);
            done.store(true, Ordering::Release);
        };
        // Without a thread the CPU works alone.
        let thread = owned_threads::spawn("makespan-device", work).ok();
        Opening { place, is_done, thread }
    }

    fn is_done(&self) -> bool {
        self.is_done.load(Ordering::Acquire)
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            // Its panic has left the device closed, and nothing else.
            let _ = thread.join();
        }
    }
}

impl Source {
    /// Opens a device ahead. The solve asks for it again, without waiting then.
    fn open_ahead(&self, place: Option<usize>) {
        if !self.needs_no_opening(place) {
            let _ = match place {
                Some(place) => self.further_device(place),
                None => self.device(),
            };
        }
    }

    /// Whether the device is open, is known to be missing, or is the chosen one and slow. For the
    /// chosen one, waits for the search for devices.
    fn needs_no_opening(&self, place: Option<usize>) -> bool {
        match place {
            Some(place) => self.further_devices[place].is_known(),
            None => self.device.is_known() || !self.may_be_fast(),
        }
    }

    fn may_be_fast(&self) -> bool {
        self.found_device().map_or(true, FoundDevice::may_be_fast)
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::context::slot::Slot;
    use crate::opencl::testing::real_test_devices;
    use crate::solve::{Limits, Monitor, SolveOptions};
    use crate::testing::context_without_the_device;
    use crate::{ContextOptions, DeviceKind};

    fn ends(opening: &AtomicBool) {
        let start = Instant::now();
        while !opening.load(Ordering::Acquire) {
            assert!(start.elapsed() < Duration::from_secs(60), "it hangs");
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_graphics_card_opens_on_another_thread() {
        for device in real_test_devices() {
            for kind in [DeviceKind::Gpu, DeviceKind::Cpu] {
                let context = Context::pretending(device.info().index, kind, 1);
                assert!(!context.knows_device());
                ends(&context.open_ahead());
                let suits = kind == DeviceKind::Gpu;
                assert_eq!((context.knows_device(), context.device_may_be_fast()), (suits, suits));
                // Asking again is free.
                ends(&context.open_ahead());
            }
            // A thread that is still at work is joined.
            let _ = Context::pretending(device.info().index, DeviceKind::Gpu, 1).open_ahead();
        }
    }

    #[test]
    fn further_devices_open_on_threads_of_their_own() {
        let further_devices: Vec<usize> =
            real_test_devices().iter().map(|device| device.info().index).chain([999]).collect();
        let options = ContextOptions { further_devices, ..ContextOptions::default() };
        let context = Context::new(options).unwrap();
        let slots = || context.source.further_devices.iter();
        assert!(slots().all(|slot| !slot.is_known()));
        context.open_further_ahead();
        // Asking again is free.
        context.open_further_ahead();
        assert_eq!(lock(&context.openings).len(), slots().len());
        lock(&context.openings).iter().for_each(|opening| ends(&opening.is_done));
        let problems: Vec<bool> = slots().map(|slot| slot.problem().is_some()).collect();
        let (missing, devices) = problems.split_last().unwrap();
        assert!(*missing && devices.iter().all(|has_problem| !has_problem));
        assert!(slots().all(Slot::is_known) && !context.knows_device());
    }

    #[test]
    fn a_long_step_opens_further_devices_unless_its_end_is_near() {
        let options = ContextOptions { further_devices: vec![999], ..ContextOptions::default() };
        let context = Context::new(options).unwrap();
        let openings = || lock(&context.openings).len();
        let (now, second) = (Instant::now(), Duration::from_secs(1));
        let Some(long_ago) = now.checked_sub(second) else { return };
        let limited = |limit| {
            let limits = Limits { time: Some(limit), ..Limits::default() };
            context.team(&Monitor::new(&SolveOptions { limits, ..SolveOptions::default() }))
        };
        let (short, long) = (limited(second / 10), limited(60 * second));
        assert!(!short.may_join(long_ago) && !long.may_join(now));
        assert_eq!(openings(), 0);
        assert!(long.may_join(long_ago) && long.may_join(long_ago));
        assert_eq!(openings(), 1);
        lock(&context.openings).iter().for_each(|opening| ends(&opening.is_done));
        // There is nothing to wait for any more.
        assert!(short.may_join(long_ago));
    }

    #[test]
    fn a_missing_device_is_known_to_be_missing() {
        let context = context_without_the_device();
        ends(&context.open_ahead());
        assert!(context.knows_device() && context.device_may_be_fast());
    }
}
