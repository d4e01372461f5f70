//! The thread that builds a device's programs, so that a solve that waits for one notices a stop at
//! once.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::cache::Key;
use super::device::{Device, Opened};
use super::program::Program;
use super::recipe::Recipe;
use super::trial::{Failing, Trial};
use crate::mutex::lock;
use crate::{Error, Result, owned_threads};

/// A waiter for a program that may give up.
pub(crate) trait Patience: Send + Sync {
    /// Whether to keep waiting; called many times per second.
    fn lasts(&self) -> bool;
}

/// Time between two checks of the waiter's patience.
const LOOK_INTERVAL: Duration = Duration::from_millis(5);

/// Builds programs one after the other. Dropping it waits for the build under way and drops the
/// others.
pub(super) struct Builder {
    builds: Arc<Builds>,
    thread: Option<JoinHandle<()>>,
}

/// A program that waits for its build, is being built, or is finished.
pub(crate) struct Build {
    recipe: Arc<Recipe>,
    outcome: OnceLock<Result<Arc<Program>, Refusal>>,
}

/// Why there is no such program. It can be cloned for every request.
#[derive(Clone)]
enum Refusal {
    Barred(String),
    /// The device's groups or memory are too small.
    Unsupported(String),
    User {
        argument: &'static str,
        reason: String,
    },
    /// The failure may be temporary; a new request tries again.
    Failed(String),
}

/// Addresses of a family's sources and tuning rows, and the requested defines.
pub(super) type Request = (usize, usize, Vec<(&'static str, u64)>);

#[derive(Default)]
struct Builds {
    state: Mutex<State>,
    /// Signalled when a build starts to wait or is finished.
    changed: Condvar,
}

#[derive(Default)]
struct State {
    known: HashMap<Key, Arc<Build>>,
    /// The same builds by request: hashing the sources for the key takes longer than a small
    /// launch.
    requests: HashMap<Request, Arc<Build>>,
    /// Builds that a solve asked for.
    waiting: VecDeque<Arc<Build>>,
    /// Builds ahead of their use, which begin when no solve waits.
    ahead: VecDeque<Arc<Build>>,
    closing: bool,
}

/// Who asks for a program.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Need {
    /// A solve.
    #[default]
    Now,
    /// A program that asks ahead of its solves.
    Ahead,
}

impl Builder {
    pub(super) fn start(opened: Arc<Opened>) -> Result<Builder> {
        let builds = Arc::<Builds>::default();
        let work = {
            let builds = Arc::clone(&builds);
            move || builds.work(&opened)
        };
        let thread = owned_threads::spawn("makespan-kernels", work);
        let failed =
            |error| Error::device_failed(format!("no thread to build kernels on: {error}"));
        Ok(Builder { builds, thread: Some(thread.map_err(failed)?) })
    }

    /// The build of an earlier identical request.
    pub(super) fn known(&self, request: &Request, need: Need) -> Option<Arc<Build>> {
        let mut state = self.builds.lock();
        let known = state.requests.get(request).filter(|build| build.is_good()).cloned();
        known.inspect(|build| state.hurry(build, need))
    }

    /// The build of a recipe. It starts when the earlier ones that a solve asked for are finished,
    /// and if it is built ahead, when all earlier ones are.
    pub(super) fn request(
        &self,
        recipe: Recipe,
        request: Option<Request>,
        need: Need,
    ) -> Arc<Build> {
        let mut state = self.builds.lock();
        let known = state.known.get(&recipe.key).filter(|build| build.is_good()).cloned();
        let known = known.inspect(|build| state.hurry(build, need));
        let build = known.unwrap_or_else(|| {
            let build = Arc::new(Build { recipe: Arc::new(recipe), outcome: OnceLock::new() });
            state.known.insert(build.recipe.key, Arc::clone(&build));
            match need {
                Need::Now => state.waiting.push_back(Arc::clone(&build)),
                Need::Ahead => state.ahead.push_back(Arc::clone(&build)),
            }
            self.builds.changed.notify_all();
            build
        });
        if let Some(request) = request {
            state.requests.insert(request, Arc::clone(&build));
        }
        build
    }

    /// Waits until the build is finished or the patience ends.
    pub(super) fn wait(&self, build: &Build, patience: Option<&dyn Patience>) {
        while !build.is_done() && patience.is_none_or(Patience::lasts) {
            let state = self.builds.lock();
            // The loop's condition sees the outcome.
            drop(
                self.builds.changed.wait_timeout_while(state, LOOK_INTERVAL, |_| !build.is_done()),
            );
        }
    }

    /// Forgets a build ahead that has not begun, unless a solve asked for it meanwhile.
    pub(super) fn withdraw(&self, build: &Arc<Build>) {
        let mut state = self.builds.lock();
        if take(&mut state.ahead, build).is_some() {
            state.known.remove(&build.recipe.key);
            state.requests.retain(|_, known| !Arc::ptr_eq(known, build));
        }
    }

    /// Builds ahead that have not begun.
    #[cfg(test)]
    pub(super) fn ahead(&self) -> usize {
        self.builds.lock().ahead.len()
    }

    /// Whether the program's self-test failed.
    #[cfg(test)]
    pub(super) fn is_barred(&self, key: &Key) -> bool {
        let known = self.builds.lock().known.get(key).cloned();
        known.is_some_and(|build| matches!(build.outcome.get(), Some(Err(Refusal::Barred(_)))))
    }
}

impl Drop for Builder {
    fn drop(&mut self) {
        *self.builds.lock() = State { closing: true, ..State::default() };
        self.builds.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // Panics on the thread are caught there.
            let _ = thread.join();
        }
    }
}

impl Build {
    /// The program's kernel family.
    pub(crate) fn family(&self) -> &'static str {
        self.recipe.family
    }

    pub(crate) fn is_done(&self) -> bool {
        self.outcome.get().is_some()
    }

    /// Whether the build has not failed for a temporary reason.
    fn is_good(&self) -> bool {
        !matches!(self.outcome.get(), Some(Err(Refusal::Failed(_))))
    }

    /// Why the device has no such program, unless the user's text is at fault.
    pub(crate) fn failure(&self) -> Option<&str> {
        match self.outcome.get()? {
            Err(Refusal::User { .. }) | Ok(_) => None,
            Err(
                Refusal::Unsupported(reason) | Refusal::Barred(reason) | Refusal::Failed(reason),
            ) => Some(reason),
        }
    }

    /// The outcome, if the build is finished.
    pub(super) fn program(&self) -> Option<Result<Arc<Program>>> {
        self.outcome.get().map(|outcome| outcome.clone().map_err(Refusal::into_error))
    }
}

impl Builds {
    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn work(&self, opened: &Arc<Opened>) {
        while let Some(build) = self.next() {
            let outcome = run(opened, &build.recipe);
            // Waiters check the outcome under the lock.
            let state = self.lock();
            // Only this thread sets the outcome.
            let _ = build.outcome.set(outcome);
            drop(state);
            self.changed.notify_all();
        }
    }

    /// The build that has waited longest, those of solves first; none when the device is closed.
    fn next(&self) -> Option<Arc<Build>> {
        let is_idle = |state: &mut State| {
            !state.closing && state.waiting.is_empty() && state.ahead.is_empty()
        };
        let state = self.changed.wait_while(self.lock(), is_idle);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        state.waiting.pop_front().or_else(|| state.ahead.pop_front())
    }
}

impl State {
    /// Moves a build ahead to those of solves if a solve needs it.
    fn hurry(&mut self, build: &Arc<Build>, need: Need) {
        if need == Need::Now
            && let Some(build) = take(&mut self.ahead, build)
        {
            self.waiting.push_back(build);
        }
    }
}

/// Takes a build out of a queue.
fn take(queue: &mut VecDeque<Arc<Build>>, build: &Arc<Build>) -> Option<Arc<Build>> {
    let position = queue.iter().position(|queued| Arc::ptr_eq(queued, build))?;
    queue.remove(position)
}

impl Refusal {
    fn into_error(self) -> Box<Error> {
        match self {
            Refusal::User { argument, reason } => Error::argument(argument, reason),
            Refusal::Unsupported(reason) => Error::unsupported(reason),
            Refusal::Barred(reason) | Refusal::Failed(reason) => Error::device_failed(reason),
        }
    }
}

/// Builds a program and runs its self-test.
fn run(opened: &Arc<Opened>, recipe: &Arc<Recipe>) -> Result<Arc<Program>, Refusal> {
    let family = recipe.family;
    let build_and_test = || {
        let program = opened.build(recipe)?;
        if opened.tests_programs() && !program.has_passed() {
            let view = Device::on_trial(opened, program.key(), &program);
            program.test(|self_test| Trial::new(&view, &program).run(self_test))?;
        }
        Ok(program)
    };
    let panicked =
        |_| Err(Error::device_failed(format!("the build of kernels {family} panicked")).into());
    let built = catch_unwind(AssertUnwindSafe(build_and_test)).unwrap_or_else(panicked);
    built.map_err(|failing| match failing {
        Failing::Wrong(reason) => {
            let device = &opened.found.info.name;
            let reason = format!(
                "kernels {family} are barred on {device}, they fail their self-test: {reason}"
            );
            opened.log.warn(|| reason.clone());
            Refusal::Barred(reason)
        }
        Failing::Error(error) => match *error {
            Error::InvalidArgument { argument, reason, .. } => Refusal::User { argument, reason },
            Error::Unsupported(reason) => Refusal::Unsupported(reason),
            Error::DeviceFailed(reason) => Refusal::Failed(reason),
            other => Refusal::Failed(other.to_string()),
        },
    })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;
    use crate::opencl::testing::self_testing_devices;
    use crate::opencl::trial::SelfTest;
    use crate::opencl::{KernelFamily, Source, UNTESTED};
    use crate::testing::assert_error;

    /// Keeps waiting for this number of checks.
    struct Looks(Mutex<usize>);

    impl Patience for Looks {
        fn lasts(&self) -> bool {
            let mut left = self.0.lock().unwrap();
            let lasts = *left > 0;
            *left = left.saturating_sub(1);
            lasts
        }
    }

    fn family(self_test: SelfTest) -> KernelFamily {
        let sources = &[Source::Text("kernel void f(global uint *out) { out[0] = VALUE; }")];
        KernelFamily {
            name: "builder_test",
            sources,
            kernels: &[],
            constants: &[],
            tuning: &[],
            self_test,
        }
    }

    #[test]
    fn who_loses_patience_goes_without_and_the_program_is_built() {
        static HELD: AtomicBool = AtomicBool::new(true);
        let held = family(|_| {
            while HELD.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            Ok(())
        });
        for device in self_testing_devices() {
            HELD.store(true, Ordering::Relaxed);
            for looks in [0, 3] {
                let step = device.for_step(Looks(Mutex::new(looks)));
                assert_error!(step.program(&held, &[("VALUE", 1)]), Error::Stopped);
                let missing = step.waited().missing.expect("it waited in vain");
                assert!(missing.family() == "builder_test" && !missing.is_done());
            }
            HELD.store(false, Ordering::Relaxed);
            let step = device.for_step(Looks(Mutex::new(usize::MAX)));
            assert!(step.program(&held, &[("VALUE", 1)]).is_ok());
            assert!(step.waited().missing.is_none());
            // A finished program needs no patience.
            assert!(device.for_step(Looks(Mutex::new(0))).program(&held, &[("VALUE", 1)]).is_ok());
        }
    }

    #[test]
    fn a_device_that_is_dropped_leaves_what_has_not_begun() {
        static LEFT: Mutex<Option<Arc<Build>>> = Mutex::new(None);
        // Runs until no one else holds the next build.
        let last = family(|_| {
            while LEFT.lock().unwrap().as_ref().is_none_or(|left| Arc::strong_count(left) > 1) {
                thread::yield_now();
            }
            Ok(())
        });
        let never = family(|_| panic!("nobody needs it any more"));
        for device in self_testing_devices() {
            let step = device.for_step(Looks(Mutex::new(0)));
            assert!(step.program(&last, &[("VALUE", 1)]).is_err());
            assert!(step.program(&never, &[("VALUE", 2)]).is_err());
            *LEFT.lock().unwrap() = step.waited().missing;
            drop((step, device));
            assert!(!LEFT.lock().unwrap().take().unwrap().is_done());
        }
    }

    #[test]
    fn a_program_that_the_device_can_not_run_is_unsupported() {
        let unsupported = family(|_| Err(Error::unsupported("so large a group").into()));
        for device in self_testing_devices() {
            for _ in 0..2 {
                let refused = device.program(&unsupported, &[("VALUE", 1)]).map(drop);
                assert_error!(refused, Error::Unsupported(_));
            }
        }
    }

    #[test]
    fn a_test_that_panics_bars_the_program_and_not_the_next_one() {
        let panicking = family(|_| panic!("a test of what a panic does"));
        for device in self_testing_devices() {
            for _ in 0..2 {
                let refused = device.program(&panicking, &[("VALUE", 1)]);
                let Err(Error::DeviceFailed(reason)) = refused.map_err(|error| *error) else {
                    panic!("it is there")
                };
                assert!(reason.contains("they fail their self-test"), "{reason}");
            }
            assert!(device.program(&family(UNTESTED), &[("VALUE", 2)]).is_ok());
        }
    }

    #[test]
    fn solves_come_before_what_is_built_ahead() {
        static HELD: AtomicBool = AtomicBool::new(true);
        static ORDER: Mutex<Vec<u64>> = Mutex::new(Vec::new());
        let noting = family(|trial| {
            while HELD.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            ORDER.lock().unwrap().push(trial.define("VALUE").unwrap());
            Ok(())
        });
        for device in self_testing_devices() {
            HELD.store(true, Ordering::Relaxed);
            ORDER.lock().unwrap().clear();
            let ask = |view: Device, value| {
                assert!(view.program(&noting, &[("VALUE", value)]).is_err(), "it is held");
            };
            ask(device.for_step(Looks(Mutex::new(0))), 1);
            // Who asks ahead and loses patience withdraws, so these threads have some.
            let ahead = &|value| {
                let view = device.ahead(Looks(Mutex::new(usize::MAX)));
                view.program(&noting, &[("VALUE", value)]).map(drop)
            };
            thread::scope(|scope| {
                let waiting = [2, 3].map(|value| {
                    let thread = scope.spawn(move || ahead(value));
                    while device.builds_ahead() < value as usize - 1 {
                        thread::yield_now();
                    }
                    thread
                });
                ask(device.for_step(Looks(Mutex::new(0))), 4);
                // A solve now needs what was to be built ahead.
                ask(device.for_step(Looks(Mutex::new(0))), 3);
                HELD.store(false, Ordering::Relaxed);
                for thread in waiting {
                    assert!(thread.join().unwrap().is_ok());
                }
            });
            assert_eq!(*ORDER.lock().unwrap(), [1, 4, 3, 2]);
        }
    }

    #[test]
    fn what_nobody_wants_ahead_any_more_is_not_built() {
        static HELD: AtomicBool = AtomicBool::new(true);
        static BUILT: AtomicBool = AtomicBool::new(false);
        let held = family(|_| {
            while HELD.load(Ordering::Relaxed) {
                thread::yield_now();
            }
            Ok(())
        });
        let noted = family(|_| {
            BUILT.store(true, Ordering::Relaxed);
            Ok(())
        });
        for device in self_testing_devices() {
            HELD.store(true, Ordering::Relaxed);
            BUILT.store(false, Ordering::Relaxed);
            let step = device.for_step(Looks(Mutex::new(0)));
            assert!(step.program(&held, &[("VALUE", 1)]).is_err());
            let ahead = device.ahead(Looks(Mutex::new(3)));
            assert_error!(ahead.program(&noted, &[("VALUE", 2)]), Error::Stopped);
            assert_eq!(device.builds_ahead(), 0);
            HELD.store(false, Ordering::Relaxed);
            assert!(device.program(&family(UNTESTED), &[("VALUE", 3)]).is_ok());
            assert!(!BUILT.load(Ordering::Relaxed));
            // It can be asked for again.
            assert!(device.program(&noted, &[("VALUE", 2)]).is_ok());
            assert!(BUILT.load(Ordering::Relaxed));
        }
    }
}
