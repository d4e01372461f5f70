mod memory;
mod reports;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::ops::Deref;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use super::milestones::Milestones;
use super::trace::Trace;
use super::{Found, Limits, ProgressCallback, Reduction, Sense, SolveOptions, StopHandle, Values};
use crate::{Error, Log, Result};

/// Least time for the first heuristic of a solve; it may exceed a shorter time limit by this much.
const OPENING: Duration = Duration::from_millis(15);

/// Steps of a loop between two checks of the clock; see [`Monitor::check_step`].
pub(crate) const STEPS_PER_CHECK: usize = 1 << 14;

/// Watches one solve: its clock, its limits and its sources of stop requests. All threads of the
/// solve share it; a clone watches the same solve.
#[derive(Clone)]
pub(crate) struct Monitor(Arc<Watch>);

/// The data of a [`Monitor`].
pub(crate) struct Watch {
    sense: Sense,
    /// The thread that called the solver, as [`this_thread`] knows it.
    caller: usize,
    start: Instant,
    deadline: Option<Instant>,
    limits: Limits,
    /// Asked of the operating system once for the solve with all its parts.
    memory_bytes: Arc<OnceLock<u64>>,
    /// Bytes that each phase needs for its lists.
    lists: AtomicUsize,
    /// When there was room for them, in microseconds from the start.
    roomy: AtomicU64,
    /// Shared with parts whose iterations count for the whole solve.
    iterations: Arc<AtomicU64>,
    stop: Option<StopHandle>,
    progress: Option<ProgressCallback>,
    log: Log,
    /// The reduced problem that this part solves, whose values its phases note.
    reduction: Option<Arc<dyn Reduction>>,
    /// Set once a caller that must end its work was asked to stop.
    stopped: AtomicBool,
    /// Set once the callback requested a stop.
    told: AtomicBool,
    /// Whether the work of this part can now continue elsewhere.
    relief: Option<Box<dyn Fn() -> bool + Send + Sync>>,
    /// Set once `relief` has ended this part.
    relieved: AtomicBool,
    state: Mutex<State>,
}

/// The values for the callback, kept here so that every phase can report them.
struct State {
    /// The best ones.
    values: Values,
    /// The solution with the best objective, if there is a callback.
    found: Option<Found>,
    /// Better solutions so far.
    solutions: u64,
    /// Those of a part begin with its own.
    trace: Trace,
    phase: &'static str,
    /// The time of the last report, or of the start.
    heard: Instant,
    /// Whether there are best values that were not reported yet.
    news: bool,
    /// What the log already contains.
    milestones: Milestones,
}

impl State {
    /// Takes over better values; returns whether there are any. `found` makes the solution with the
    /// objective, if it is better.
    fn improve(
        &mut self,
        values: Values,
        sense: Sense,
        found: impl FnOnce() -> Option<Found>,
    ) -> bool {
        let best = self.values.best(values, sense);
        let is_new = best != self.values;
        if best.objective != self.values.objective {
            self.found = found();
            self.solutions += 1;
        }
        self.news |= is_new;
        self.values = best;
        is_new
    }
}

impl Monitor {
    /// Watches a minimisation.
    pub(crate) fn new(options: &SolveOptions) -> Self {
        Monitor::start(Sense::Minimise, options)
    }

    /// Watches a maximisation.
    pub(crate) fn maximising(options: &SolveOptions) -> Self {
        Monitor::start(Sense::Maximise, options)
    }

    pub(crate) fn start(sense: Sense, options: &SolveOptions) -> Self {
        let start = Instant::now();
        Monitor(Arc::new(Watch {
            sense,
            caller: this_thread(),
            start,
            // A limit beyond the clock's range is no limit.
            deadline: options.limits.time.and_then(|limit| start.checked_add(limit)),
            limits: options.limits.clone(),
            memory_bytes: Arc::default(),
            lists: AtomicUsize::new(0),
            roomy: AtomicU64::new(memory::NEVER),
            iterations: Arc::default(),
            stop: options.stop.clone(),
            progress: options.progress.clone(),
            log: Log::default(),
            reduction: None,
            stopped: AtomicBool::new(false),
            told: AtomicBool::new(false),
            relief: None,
            relieved: AtomicBool::new(false),
            state: Mutex::new(State {
                values: Values::default(),
                found: None,
                solutions: 0,
                trace: Trace::default(),
                phase: "start",
                heard: start,
                news: true,
                milestones: Milestones::default(),
            }),
        }))
    }

    /// Writes milestones to this log.
    pub(crate) fn logging(mut self, log: Log) -> Self {
        // A new monitor has no clones.
        if let Some(watch) = Arc::get_mut(&mut self.0) {
            watch.log = log;
        }
        self
    }

    /// Watches a part of the solve with additional limits: `time` from now on, and `iterations`,
    /// which don't count for the whole solve. [`Monitor::join`] ends the part.
    pub(crate) fn part(&self, time: Option<Duration>, iterations: Option<u64>) -> Monitor {
        Monitor(Arc::new(self.new_part(time, iterations, None)))
    }

    /// Watches a part that also ends when its work can continue elsewhere, see
    /// [`Monitor::is_relieved`]. The part's iterations don't count for the whole solve.
    pub(crate) fn until(&self, relief: impl Fn() -> bool + Send + Sync + 'static) -> Monitor {
        let begun = self.iterations.load(Ordering::Relaxed);
        let iterations = self.limits.iterations.map(|limit| limit.saturating_sub(begun));
        Monitor(Arc::new(self.new_part(None, iterations, Some(Box::new(relief)))))
    }

    /// Watches a part of several that run at once. Like that of [`Monitor::until`] it ends when its
    /// work can continue elsewhere. It also ends with the whole solve, whose stop another part may
    /// have noticed.
    pub(crate) fn one_of_several(
        &self,
        relief: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Monitor {
        let whole = self.clone();
        self.until(move || relief() || whole.is_over())
    }

    /// Watches the solve of a reduced problem, for `time` at most. Its iterations count for the
    /// whole solve. Its values and solutions are reported as those of the whole solve's problem,
    /// which is not reduced itself. [`Monitor::join`] ends the part.
    pub(crate) fn reduced(
        &self,
        time: Option<Duration>,
        reduction: impl Reduction + 'static,
    ) -> Monitor {
        let part = self.new_part(time, self.limits.iterations, None);
        let iterations = Arc::clone(&self.iterations);
        Monitor(Arc::new(Watch { iterations, reduction: Some(Arc::new(reduction)), ..part }))
    }

    /// Whether this part has ended because its work can continue elsewhere.
    pub(crate) fn is_relieved(&self) -> bool {
        self.relieved.load(Ordering::Relaxed)
    }

    /// Whether this part can end because its work continues elsewhere.
    pub(crate) fn has_relief(&self) -> bool {
        self.relief.is_some()
    }

    fn new_part(
        &self,
        time: Option<Duration>,
        iterations: Option<u64>,
        relief: Option<Box<dyn Fn() -> bool + Send + Sync>>,
    ) -> Watch {
        let end = time.and_then(|time| Instant::now().checked_add(time));
        let state = self.lock();
        let State { values, solutions, phase, heard, news, .. } = *state;
        let (found, milestones) = (state.found.clone(), state.milestones.clone());
        drop(state);
        Watch {
            sense: self.sense,
            caller: self.caller,
            start: self.start,
            deadline: self.deadline.into_iter().chain(end).min(),
            limits: Limits { iterations, ..self.limits.clone() },
            memory_bytes: Arc::clone(&self.memory_bytes),
            lists: AtomicUsize::new(self.lists.load(Ordering::Relaxed)),
            roomy: AtomicU64::new(self.roomy.load(Ordering::Relaxed)),
            iterations: Arc::default(),
            stop: self.stop.clone(),
            progress: self.progress.clone(),
            log: self.log.clone(),
            reduction: self.reduction.clone(),
            stopped: AtomicBool::new(self.interrupted()),
            told: AtomicBool::new(self.told.load(Ordering::Relaxed)),
            relief,
            relieved: AtomicBool::new(false),
            state: Mutex::new(State {
                values,
                found,
                solutions,
                trace: Trace::default(),
                phase,
                heard,
                news,
                milestones,
            }),
        }
    }

    /// Watches the first heuristic of a solve. It is so fast that it runs even under the shortest
    /// time limit. [`Monitor::join`] ends the part.
    pub(crate) fn opening(&self) -> Monitor {
        let part = self.new_part(None, None, None);
        let deadline =
            part.deadline.max(self.start.checked_add(OPENING)).filter(|_| part.deadline.is_some());
        Monitor(Arc::new(Watch { deadline, ..part }))
    }

    /// Watches the search for a first solution after a limit has ended the solve without one. It is
    /// as short as an [opening](Monitor::opening), and nothing else stops it.
    pub(crate) fn closing(&self) -> Monitor {
        let part = self.new_part(None, None, None);
        Monitor(Arc::new(Watch {
            deadline: Instant::now().checked_add(OPENING),
            stop: None,
            progress: None,
            stopped: AtomicBool::new(false),
            ..part
        }))
    }

    /// Takes over from a part what concerns the whole solve: a stop by the callback, the time of
    /// the last report, the best values and their trace.
    pub(crate) fn join(&self, part: &Monitor) {
        if part.told.load(Ordering::Relaxed) {
            self.obey();
        }
        let ended = part.lock();
        let mut state = self.lock();
        state.milestones.join(&ended.milestones);
        state.trace.join(&ended.trace, self.sense);
        let is_new = state.improve(ended.values, self.sense, || ended.found.clone());
        if ended.solutions > state.solutions && ended.values.objective == state.values.objective {
            state.found = ended.found.clone();
            state.solutions = ended.solutions;
        }
        state.heard = state.heard.max(ended.heard);
        if state.values == ended.values && state.solutions == ended.solutions {
            state.news = ended.news;
        }
        drop(ended);
        if is_new {
            self.log_values(state, self.elapsed());
        } else {
            drop(state);
        }
        if part.interrupted() {
            // The part may have ended because the whole solve must stop, which is latched only by a
            // check.
            self.should_stop();
            if Arc::ptr_eq(&self.iterations, &part.iterations) && self.has_spent_iterations() {
                self.stopped.store(true, Ordering::Relaxed);
            }
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// The time before the time limit, if there is one.
    pub(crate) fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Whether less than `time` is left before the time limit.
    pub(crate) fn ends_within(&self, time: Duration) -> bool {
        self.left().is_some_and(|left| left < time)
    }

    /// Whether the solve has a time limit.
    pub(crate) fn has_deadline(&self) -> bool {
        self.deadline.is_some()
    }

    /// Whether the solve must end; cheap enough for every few thousand steps of an inner loop. A
    /// caller that gets `true` must cut its work short. This also calls the callback if its last
    /// call was long enough ago, so that phases without progress reports can be stopped as quickly.
    pub(crate) fn should_stop(&self) -> bool {
        if !self.interrupted() {
            self.ask();
        }
        self.is_over()
    }

    /// [`Monitor::should_stop`] without the callback. It is for a part whose whole solve calls the
    /// callback, with newer values.
    pub(crate) fn is_over(&self) -> bool {
        let stop = self.interrupted()
            || self.stop.as_ref().is_some_and(StopHandle::is_stopped)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        let relieved = !stop && self.relief.as_ref().is_some_and(|is_ready| is_ready());
        if relieved {
            self.relieved.store(true, Ordering::Relaxed);
        }
        if stop || relieved {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stop || relieved
    }

    /// [`Monitor::should_stop`] as an error, for use with `?`.
    pub(crate) fn check(&self) -> Result<()> {
        if self.should_stop() { Err(Error::stopped()) } else { Ok(()) }
    }

    /// [`Monitor::check`] in the first and every 2^14th step of a loop with short steps.
    #[inline]
    pub(crate) fn check_step(&self, step: usize) -> Result<()> {
        if step.is_multiple_of(STEPS_PER_CHECK) { self.check() } else { Ok(()) }
    }

    /// [`Monitor::check_step`], except in the first step: short loops are completed under any limit.
    #[inline]
    pub(crate) fn check_later_step(&self, step: usize) -> Result<()> {
        if step == 0 { Ok(()) } else { self.check_step(step) }
    }

    /// [`Monitor::check_step`] for steps that take as long as `length` short ones.
    #[inline]
    pub(crate) fn check_long_step(&self, step: usize, length: usize) -> Result<()> {
        let steps = STEPS_PER_CHECK / length.clamp(1, STEPS_PER_CHECK);
        if step.is_multiple_of(steps) { self.check() } else { Ok(()) }
    }

    /// Whether a limit or stop request has cut the solve short.
    pub(crate) fn interrupted(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Starts an iteration; fails if none is left.
    #[inline]
    pub(crate) fn begin_iteration(&self) -> Result<()> {
        let begun = self.iterations.fetch_add(1, Ordering::Relaxed);
        if self.limits.iterations.is_some_and(|limit| begun >= limit) {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.check()
    }

    /// Whether more iterations were to start than the limit allows.
    fn has_spent_iterations(&self) -> bool {
        let begun = self.iterations.load(Ordering::Relaxed);
        self.limits.iterations.is_some_and(|limit| begun > limit)
    }

    /// Starts several iterations at once and returns their number, which the limit may reduce.
    pub(crate) fn begin_iterations(&self, wanted: u64) -> u64 {
        let begun = self.iterations.fetch_add(wanted, Ordering::Relaxed);
        let left =
            self.limits.iterations.map_or(wanted, |limit| limit.saturating_sub(begun).min(wanted));
        if left == 0 {
            self.stopped.store(true, Ordering::Relaxed);
        }
        left
    }

    /// Starts several iterations, or none if the limit does not allow all of them.
    pub(crate) fn begin_together(&self, wanted: u64) -> Result<()> {
        if wanted > 0 && self.begin_iterations(wanted) < wanted {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.check()
    }
}

/// A number of the calling thread that no other one has while it lives: where its own variable is.
/// Its `ThreadId` takes longer, and loops ask for it.
fn this_thread() -> usize {
    thread_local! {
        static HERE: Cell<u8> = const { Cell::new(0) };
    }
    HERE.with(|here| ptr::from_ref(here).addr())
}

impl Deref for Monitor {
    type Target = Watch;

    fn deref(&self) -> &Watch {
        &self.0
    }
}
