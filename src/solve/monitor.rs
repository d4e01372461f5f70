use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use super::milestones::{self, Milestones};
use super::{
    Control, Limits, Objective, Outcome, Progress, ProgressCallback, Sense, SolveOptions,
    StopHandle,
};
use crate::{Error, Log, LogLevel, Result, memory};

const REPORT_INTERVAL: Duration = Duration::from_millis(50);

/// Least time for the first heuristic of a solve; it may exceed a shorter time limit by this much.
const OPENING: Duration = Duration::from_millis(15);

/// Steps of a loop between two checks of the clock; see [`Monitor::check_step`].
const STEPS_PER_CHECK: usize = 1 << 14;

/// Bytes that are granted without asking the operating system.
const LITTLE: u128 = 1 << 20;

/// Watches one solve: its clock, its limits and its sources of stop requests. All threads of the
/// solve share it; a clone watches the same solve.
#[derive(Clone)]
pub(crate) struct Monitor(Arc<Watch>);

/// The data of a [`Monitor`].
pub(crate) struct Watch {
    sense: Sense,
    /// The thread that called the solver.
    caller: ThreadId,
    start: Instant,
    deadline: Option<Instant>,
    limits: Limits,
    /// Asked of the operating system once.
    memory_bytes: OnceLock<u64>,
    /// Bytes that each phase needs for its lists.
    lists: AtomicUsize,
    iterations: AtomicU64,
    stop: Option<StopHandle>,
    progress: Option<ProgressCallback>,
    log: Log,
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
    incumbent: Option<u64>,
    bound: Option<u64>,
    phase: &'static str,
    /// The time of the last report, or of the start.
    heard: Instant,
    /// Whether there are best values that were not reported yet.
    news: bool,
    /// What the log already contains.
    milestones: Milestones,
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

    fn start(sense: Sense, options: &SolveOptions) -> Self {
        let start = Instant::now();
        Monitor(Arc::new(Watch {
            sense,
            caller: thread::current().id(),
            start,
            // A limit beyond the clock's range is no limit.
            deadline: options.limits.time.and_then(|limit| start.checked_add(limit)),
            limits: options.limits.clone(),
            memory_bytes: OnceLock::new(),
            lists: AtomicUsize::new(0),
            iterations: AtomicU64::new(0),
            stop: options.stop.clone(),
            progress: options.progress.clone(),
            log: Log::default(),
            stopped: AtomicBool::new(false),
            told: AtomicBool::new(false),
            relief: None,
            relieved: AtomicBool::new(false),
            state: Mutex::new(State {
                incumbent: None,
                bound: None,
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

    /// Whether this part has ended because its work can continue elsewhere.
    pub(crate) fn is_relieved(&self) -> bool {
        self.relieved.load(Ordering::Relaxed)
    }

    fn new_part(
        &self,
        time: Option<Duration>,
        iterations: Option<u64>,
        relief: Option<Box<dyn Fn() -> bool + Send + Sync>>,
    ) -> Watch {
        let end = time.and_then(|time| Instant::now().checked_add(time));
        let State { incumbent, bound, phase, heard, news, ref milestones } = *self.lock();
        let milestones = milestones.clone();
        Watch {
            sense: self.sense,
            caller: self.caller,
            start: self.start,
            deadline: self.deadline.into_iter().chain(end).min(),
            limits: Limits { iterations, ..self.limits.clone() },
            memory_bytes: self.memory_bytes.clone(),
            lists: AtomicUsize::new(self.lists.load(Ordering::Relaxed)),
            iterations: AtomicU64::new(0),
            stop: self.stop.clone(),
            progress: self.progress.clone(),
            log: self.log.clone(),
            stopped: AtomicBool::new(self.interrupted()),
            told: AtomicBool::new(self.told.load(Ordering::Relaxed)),
            relief,
            relieved: AtomicBool::new(false),
            state: Mutex::new(State { incumbent, bound, phase, heard, news, milestones }),
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

    /// Takes over from a part what concerns the whole solve: a stop by the callback, the time of
    /// the last report, and the best values.
    pub(crate) fn join(&self, part: &Monitor) {
        if part.told.load(Ordering::Relaxed) {
            self.obey();
        }
        let ended = part.lock();
        self.lock().milestones.join(&ended.milestones);
        self.note(ended.incumbent, ended.bound);
        let mut state = self.lock();
        state.heard = state.heard.max(ended.heard);
        if (state.incumbent, state.bound) == (ended.incumbent, ended.bound) {
            state.news = ended.news;
        }
        drop((state, ended));
        if part.interrupted() {
            // The part may have ended because the whole solve must stop, which is latched only by a
            // check.
            self.should_stop();
        }
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether less than `time` is left before the time limit.
    pub(crate) fn ends_within(&self, time: Duration) -> bool {
        self.deadline
            .is_some_and(|deadline| deadline.saturating_duration_since(Instant::now()) < time)
    }

    /// Whether the solve has a time limit.
    pub(crate) fn has_deadline(&self) -> bool {
        self.deadline.is_some()
    }

    pub(crate) fn memory_bytes(&self) -> u64 {
        *self.memory_bytes.get_or_init(|| self.limits.memory_bytes())
    }

    /// Whether `bytes` bytes are within the memory limit. A megabyte always is, unless the caller
    /// set a limit: asking the operating system takes as long as some small problems.
    pub(crate) fn has_memory(&self, bytes: u128) -> bool {
        let little = self.limits.memory.is_none() && bytes <= LITTLE;
        little || bytes <= self.memory_bytes().into()
    }

    /// Refuses `required` bytes if they exceed the memory limit; `what` describes their purpose and
    /// size.
    pub(crate) fn check_memory(&self, required: u128, what: impl FnOnce() -> String) -> Result<()> {
        if self.has_memory(required) { Ok(()) } else { Err(self.out_of_memory(required, what())) }
    }

    /// The error for `required` bytes, refused by the limit or by the operating system.
    pub(crate) fn out_of_memory(&self, required: u128, what: String) -> Box<Error> {
        Box::new(Error::OutOfMemory { what, required, limit: self.memory_bytes() })
    }

    /// Whether the solve must end; cheap enough for every few thousand steps of an inner loop. A
    /// caller that gets `true` must cut its work short. This also calls the callback if its last
    /// call was long enough ago, so that phases without progress reports can be stopped as quickly.
    pub(crate) fn should_stop(&self) -> bool {
        if !self.interrupted() {
            self.ask();
        }
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
    pub(crate) fn check_step(&self, step: usize) -> Result<()> {
        if step.is_multiple_of(STEPS_PER_CHECK) { self.check() } else { Ok(()) }
    }

    /// [`Monitor::check_step`] for steps that take as long as `length` short ones.
    pub(crate) fn check_long_step(&self, step: usize, length: usize) -> Result<()> {
        let steps = STEPS_PER_CHECK / length.clamp(1, STEPS_PER_CHECK);
        if step.is_multiple_of(steps) { self.check() } else { Ok(()) }
    }

    /// Whether a limit or stop request has cut the solve short.
    pub(crate) fn interrupted(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Starts an iteration; fails if none is left.
    pub(crate) fn begin_iteration(&self) -> Result<()> {
        let begun = self.iterations.fetch_add(1, Ordering::Relaxed);
        if self.limits.iterations.is_some_and(|limit| begun >= limit) {
            self.stopped.store(true, Ordering::Relaxed);
        }
        self.check()
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

    /// Records an objective and a bound if they are better than the known ones. Any thread may call
    /// it.
    pub(crate) fn note(&self, incumbent: Option<u64>, bound: Option<u64>) {
        let mut state = self.lock();
        let known = (state.incumbent, state.bound);
        let incumbents = state.incumbent.into_iter().chain(incumbent);
        let bounds = state.bound.into_iter().chain(bound);
        (state.incumbent, state.bound) = match self.sense {
            Sense::Minimise => (incumbents.min(), bounds.max()),
            Sense::Maximise => (incumbents.max(), bounds.min()),
        };
        if (state.incumbent, state.bound) != known {
            state.news = true;
            let values = (state.incumbent, state.bound);
            let milestone = state.milestones.values(values, self.elapsed());
            self.write(state, milestone);
        }
    }

    /// Refuses lists that grow with the input if their bytes exceed the memory limit. The limit is
    /// meant for tables, so a megabyte of lists is always allowed.
    pub(crate) fn check_lists(&self, required: u128, what: impl FnOnce() -> String) -> Result<()> {
        if required <= LITTLE { Ok(()) } else { self.check_memory(required, what) }
    }

    /// Announces the total bytes of the lists that grow with the input; `what` describes them. Each
    /// later phase starts only if there is room for them. Refuses like [`Monitor::check_lists`],
    /// and if the system lacks the memory.
    pub(crate) fn expect_lists(&self, required: u128, what: impl FnOnce() -> String) -> Result<()> {
        self.check_lists(required, what)?;
        self.lists.store(usize::try_from(required).unwrap_or(usize::MAX), Ordering::Relaxed);
        self.check_room()
    }

    /// Refuses to start a phase without room for its lists.
    pub(crate) fn check_room(&self) -> Result<()> {
        memory::check_room(self.lists.load(Ordering::Relaxed))
    }

    /// Starts a phase. Progress reports name it until the phase makes its own reports. Refuses
    /// without room for the phase's lists.
    pub(crate) fn enter(&self, phase: &'static str) -> Result<()> {
        self.tell_phase(phase);
        self.check_room()
    }

    fn tell_phase(&self, phase: &'static str) {
        let mut state = self.lock();
        state.phase = phase;
        let milestone = state.milestones.phase(phase, self.elapsed());
        self.write(state, milestone);
    }

    /// Ends the solve: reports and logs the returned values.
    pub(crate) fn conclude<S, V: Objective>(&self, outcome: Outcome<S, V>) -> Outcome<S, V> {
        let (objective, bound) = (outcome.objective, outcome.bound);
        let last = Progress {
            elapsed: self.elapsed(),
            phase: "end",
            incumbent: objective.and_then(V::to_u64),
            bound: bound.and_then(V::to_u64),
            incumbent_f64: objective.map(V::to_f64),
            bound_f64: bound.map(V::to_f64),
            fraction: None,
        };
        if let Some(callback) = self.callback() {
            // The solve has ended, so the answer has no effect.
            callback(&last);
        }
        self.log.info(|| milestones::end(outcome.status, &outcome.report, &last));
        outcome
    }

    /// Writes to the log without holding the lock, since the log callback may be slow.
    fn write(&self, state: MutexGuard<'_, State>, milestone: Option<String>) {
        drop(state);
        if let Some(milestone) = milestone {
            self.log.info(|| milestone);
        }
    }

    /// Reports the state of the solve to the callback, unless it was just reported. Acts only on
    /// the thread that called the solver, as the callback's documentation promises.
    pub(crate) fn report(&self, phase: &'static str, fraction: Option<f64>) {
        let is_heard = self.progress.is_some() || self.log.hears(LogLevel::Info);
        if !is_heard || thread::current().id() != self.caller {
            return;
        }
        self.tell_phase(phase);
        let Some(callback) = self.asked_callback() else { return };
        let state = self.lock();
        if state.news || state.heard.elapsed() >= REPORT_INTERVAL {
            self.call(callback, state, fraction);
        }
    }

    /// Reports the present phase again, like [`Monitor::report`].
    fn ask(&self) {
        let Some(callback) = self.asked_callback() else { return };
        let state = self.lock();
        if state.heard.elapsed() >= REPORT_INTERVAL {
            self.call(callback, state, None);
        }
    }

    /// The callback while the solve runs: not after it has asked for a stop.
    fn asked_callback(&self) -> Option<&ProgressCallback> {
        self.callback().filter(|_| !self.told.load(Ordering::Relaxed))
    }

    /// The callback, if it may be called on this thread.
    fn callback(&self) -> Option<&ProgressCallback> {
        self.progress.as_ref().filter(|_| thread::current().id() == self.caller)
    }

    fn call(
        &self,
        callback: &ProgressCallback,
        mut state: MutexGuard<'_, State>,
        fraction: Option<f64>,
    ) {
        let now = Instant::now();
        (state.heard, state.news) = (now, false);
        let progress = Progress {
            elapsed: now - self.start,
            phase: state.phase,
            incumbent: state.incumbent,
            bound: state.bound,
            incumbent_f64: state.incumbent.map(Objective::to_f64),
            bound_f64: state.bound.map(Objective::to_f64),
            fraction,
        };
        drop(state);
        if callback(&progress) == Control::Stop {
            self.obey();
        }
    }

    /// Stops the solve because the callback has asked for it.
    fn obey(&self) {
        self.told.store(true, Ordering::Relaxed);
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Deref for Monitor {
    type Target = Watch;

    fn deref(&self) -> &Watch {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_limits(limits: Limits) -> Monitor {
        Monitor::new(&SolveOptions { limits, ..SolveOptions::default() })
    }

    #[test]
    fn the_first_heuristic_has_a_moment_even_without_time() {
        let whole = with_limits(Limits { time: Some(Duration::ZERO), ..Limits::default() });
        let opening = whole.opening();
        assert!(whole.should_stop() && opening.deadline > whole.deadline);
        assert!(whole.opening().should_stop(), "what was stopped has no opening");
        assert!(Monitor::new(&SolveOptions::default()).opening().deadline.is_none());
    }

    #[test]
    fn the_limits_of_a_part_are_not_those_of_the_whole() {
        let whole = with_limits(Limits { iterations: Some(1), ..Limits::default() });
        whole.note(Some(9), None);
        let part = whole.part(None, Some(2));
        assert_eq!(part.begin_iterations(3), 2);
        assert_eq!(part.begin_iterations(1), 0);
        part.note(Some(8), Some(7));
        whole.join(&part);
        let state = whole.lock();
        assert_eq!((state.incumbent, state.bound), (Some(8), Some(7)));
        drop(state);
        assert!(part.should_stop() && !whole.should_stop());
        assert!(whole.part(Some(Duration::ZERO), None).should_stop());
        assert!(whole.begin_iteration().is_ok());
    }

    #[test]
    fn a_part_that_is_relieved_ends_without_the_whole() {
        let whole = with_limits(Limits { iterations: Some(3), ..Limits::default() });
        assert!(whole.begin_iteration().is_ok());
        let ready = Arc::new(AtomicBool::new(false));
        let part = {
            let ready = Arc::clone(&ready);
            whole.until(move || ready.load(Ordering::Relaxed))
        };
        assert!(!part.should_stop() && !part.is_relieved());
        assert_eq!(part.begin_iterations(5), 2);
        ready.store(true, Ordering::Relaxed);
        assert!(part.should_stop() && part.is_relieved());
        whole.join(&part);
        assert!(!whole.should_stop());
        assert_eq!(whole.begin_iterations(5), 2);
        // A part that ends for another reason is not relieved.
        let stopped =
            with_limits(Limits { time: Some(Duration::ZERO), ..Limits::default() }).until(|| true);
        assert!(stopped.should_stop() && !stopped.is_relieved());
    }

    #[test]
    fn a_callback_that_stops_a_part_stops_the_whole() {
        let progress: ProgressCallback = Arc::new(|_: &Progress| Control::Stop);
        let whole =
            Monitor::new(&SolveOptions { progress: Some(progress), ..SolveOptions::default() });
        let part = whole.part(None, None);
        part.report("phase", None);
        assert!(part.should_stop() && !whole.should_stop());
        whole.join(&part);
        assert!(whole.should_stop());
    }

    #[test]
    fn nothing_stops_an_unlimited_solve() {
        let monitor = with_limits(Limits::default());
        assert!(!monitor.should_stop());
        assert!(monitor.begin_iteration().is_ok());
    }

    #[test]
    fn time_and_huge_time() {
        assert!(
            with_limits(Limits { time: Some(Duration::ZERO), ..Limits::default() }).should_stop()
        );
        assert!(
            !with_limits(Limits { time: Some(Duration::MAX), ..Limits::default() }).should_stop()
        );
    }

    #[test]
    fn memory_is_refused_beyond_the_limit_alone() {
        let what = || "a table".to_owned();
        let monitor = with_limits(Limits { memory: Some(100), ..Limits::default() });
        assert!(monitor.check_memory(100, what).is_ok());
        let refused = monitor.check_memory(101, what).unwrap_err().to_string();
        assert_eq!(refused, "a table needs 101 bytes, the limit is 100 bytes");
        assert!(with_limits(Limits::default()).check_memory(1 << 20, what).is_ok());
        assert!(with_limits(Limits::default()).check_memory(u128::MAX, what).is_err());
    }

    #[test]
    fn lists_of_a_megabyte_are_within_any_limit() {
        let what = || "a list".to_owned();
        let monitor = with_limits(Limits { memory: Some(100), ..Limits::default() });
        assert!(monitor.expect_lists(LITTLE, what).is_ok());
        assert!(matches!(
            monitor.expect_lists(LITTLE + 1, what).err().as_deref(),
            Some(Error::OutOfMemory { .. })
        ));
        let monitor = with_limits(Limits::default());
        assert!(monitor.expect_lists(u64::MAX.into(), what).is_err());
        assert!(monitor.enter("phase").is_ok());
    }

    #[test]
    fn a_limit_that_nobody_met_cut_nothing_short() {
        let monitor = with_limits(Limits { time: Some(Duration::ZERO), ..Limits::default() });
        assert!(monitor.check_step(1).is_ok());
        assert!(!monitor.interrupted());
        assert!(monitor.check_step(STEPS_PER_CHECK).is_err());
        assert!(monitor.interrupted());
    }

    #[test]
    fn the_iteration_after_the_last_is_refused() {
        let monitor = with_limits(Limits { iterations: Some(2), ..Limits::default() });
        assert!(monitor.begin_iteration().is_ok());
        assert!(monitor.begin_iteration().is_ok());
        assert!(matches!(monitor.begin_iteration().err().as_deref(), Some(Error::Stopped)));
        assert!(monitor.should_stop());
    }

    #[test]
    fn a_maximisation_keeps_the_largest_objective_and_the_smallest_bound() {
        let monitor = Monitor::maximising(&SolveOptions::default());
        for (incumbent, bound) in
            [(Some(3), Some(9)), (Some(5), Some(8)), (Some(4), None), (None, Some(10))]
        {
            monitor.note(incumbent, bound);
        }
        let state = monitor.lock();
        assert_eq!((state.incumbent, state.bound), (Some(5), Some(8)));
    }

    #[test]
    fn a_stop_is_not_taken_back() {
        let stop = StopHandle::new();
        let monitor =
            Monitor::new(&SolveOptions { stop: Some(stop.clone()), ..SolveOptions::default() });
        assert!(!monitor.should_stop());
        stop.stop();
        assert!(monitor.should_stop());
        stop.reset();
        assert!(monitor.should_stop());
    }

    #[test]
    fn the_callback_hears_the_best_values_once_and_may_stop() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let sink = heard.clone();
        let progress: ProgressCallback = Arc::new(move |progress: &Progress| {
            sink.lock().unwrap().push((progress.incumbent, progress.bound));
            if progress.incumbent == Some(8) { Control::Stop } else { Control::Continue }
        });
        let monitor =
            Monitor::new(&SolveOptions { progress: Some(progress), ..SolveOptions::default() });
        // After the answer for 8 nothing is reported.
        for (incumbent, bound) in [
            (Some(9), None),
            (None, Some(7)),
            (Some(10), Some(6)),
            (None, None),
            (Some(8), None),
            (Some(7), None),
        ] {
            monitor.note(incumbent, bound);
            monitor.report("phase", None);
        }
        let expected = [(Some(9), None), (Some(9), Some(7)), (Some(8), Some(7))];
        assert_eq!(*heard.lock().unwrap(), expected);
        assert!(monitor.should_stop());
    }

    #[test]
    fn a_phase_that_only_looks_whether_to_stop_asks_the_callback() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let sink = heard.clone();
        let progress: ProgressCallback = Arc::new(move |progress: &Progress| {
            sink.lock().unwrap().push(progress.phase);
            Control::Stop
        });
        let monitor =
            Monitor::new(&SolveOptions { progress: Some(progress), ..SolveOptions::default() });
        monitor.enter("phase").unwrap();
        let elsewhere = || {
            thread::sleep(REPORT_INTERVAL);
            monitor.should_stop()
        };
        assert!(
            !thread::scope(|scope| scope.spawn(elsewhere).join().unwrap()),
            "not on another thread"
        );
        assert!(monitor.should_stop() && monitor.should_stop());
        assert_eq!(*heard.lock().unwrap(), ["phase"]);
    }
}
