//! What happens during a solve: signals, and the caller's functions.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use makespan::{Control, Progress as Reported, ProgressCallback, Value};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::ending::is_ending;
use crate::error::wrong_type;
use crate::keywords::take;
use crate::outcome::Number;
use crate::problem::Problem;

/// Time between two looks for signals: a report comes at least every 50 ms.
pub(crate) const SIGNALS: Duration = Duration::from_millis(20);

/// The state of a running solve.
#[pyclass(frozen, get_all, module = "makespan._makespan")]
pub(crate) struct Progress {
    /// Seconds since the start of the solve.
    seconds: f64,
    /// What the solver does, in one or two words.
    phase: &'static str,
    /// Objective of the best solution so far.
    objective: Option<Py<PyAny>>,
    /// Best proved bound so far.
    bound: Option<Py<PyAny>>,
    /// Finished share of the phase, from 0 to 1, if known.
    fraction: Option<f64>,
    /// The best solution, if it is new.
    solution: Option<Py<PyAny>>,
}

#[pymethods]
impl Progress {
    fn __repr__(&self) -> String {
        let number = |value: &Option<Py<PyAny>>| {
            value.as_ref().map_or_else(|| "None".into(), ToString::to_string)
        };
        let (objective, bound) = (number(&self.objective), number(&self.bound));
        let Progress { seconds, phase, .. } = self;
        format!("<Progress {seconds:.3} s, {phase}: objective {objective}, bound {bound}>")
    }
}

/// The caller's functions.
#[derive(Default)]
pub(crate) struct Functions {
    on_solution: Option<Py<PyAny>>,
    on_progress: Option<Py<PyAny>>,
}

impl Functions {
    /// Takes them out of the keywords.
    pub(crate) fn take(keywords: &Bound<'_, PyDict>) -> PyResult<Self> {
        let function = |name| match take(keywords, name)? {
            Some(function) if !function.is_callable() => Err(wrong_type(name, "must be callable")),
            function => Ok(function.map(Bound::unbind)),
        };
        Ok(Functions {
            on_solution: function("on_solution")?,
            on_progress: function("on_progress")?,
        })
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.on_solution.is_none() && self.on_progress.is_none()
    }

    /// Those that a batch calls: it reports no solutions.
    pub(crate) fn of_batch(self) -> Self {
        Functions { on_solution: None, ..self }
    }
}

/// Hears the reports of one solve.
pub(crate) struct Listener<P: Problem> {
    instance: Option<Arc<P::Instance>>,
    functions: Functions,
    failure: Arc<Failure>,
    /// Whether the thread of the solve is the one that handles signals.
    has_signals: bool,
    state: Mutex<State>,
}

struct State {
    looked: Instant,
    objective: Option<Value>,
    solutions: u64,
}

/// Whether this is the interpreter's main thread, which alone handles signals.
pub(crate) fn is_main(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    let main = threading.call_method0("main_thread")?.getattr("ident")?;
    threading.call_method0("get_ident")?.eq(main)
}

/// Why a solve must end: the first exception of a caller's function or of a signal's handler, or that
/// nobody waits for its result.
#[derive(Default)]
pub(crate) struct Failure {
    error: Mutex<Option<PyErr>>,
    is_left: AtomicBool,
}

impl Failure {
    /// Ends the solve; the first exception counts.
    pub(crate) fn set(&self, error: PyErr) {
        let mut first = self.lock();
        if first.is_none() {
            *first = Some(error);
            return;
        }
        // The end of an exception may run Python code, which must not wait for this lock.
        drop(first);
        drop(error);
    }

    /// Ends a solve for whose result nobody waits.
    pub(crate) fn leave(&self) {
        self.is_left.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.is_left.load(Ordering::Relaxed) || self.lock().is_some()
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        self.lock().take()
    }

    fn lock(&self) -> MutexGuard<'_, Option<PyErr>> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P: Problem> Listener<P> {
    /// Without an instance, as in batches, there are no solutions to report.
    pub(crate) fn new(
        instance: Option<Arc<P::Instance>>,
        functions: Functions,
        failure: Arc<Failure>,
        has_signals: bool,
    ) -> Arc<Self> {
        let state = Mutex::new(State { looked: Instant::now(), objective: None, solutions: 0 });
        Arc::new(Listener { instance, functions, failure, has_signals, state })
    }

    pub(crate) fn callback(self: &Arc<Self>) -> ProgressCallback {
        let own = Arc::clone(self);
        Arc::new(move |progress| own.hear(progress))
    }

    /// Takes the interpreter's lock only if a report or a look for signals is due.
    fn hear(&self, progress: &Reported<'_>) -> Control {
        if self.failure.is_set() || is_ending() {
            return Control::Stop;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = progress.objective.is_some()
            && (progress.objective, progress.solutions) != (state.objective, state.solutions);
        (state.objective, state.solutions) = (progress.objective, progress.solutions);
        let has_news = is_new && self.functions.on_solution.is_some();
        let is_time = self.has_signals && state.looked.elapsed() >= SIGNALS;
        if !is_time && !has_news && self.functions.on_progress.is_none() {
            return Control::Continue;
        }
        state.looked = Instant::now();
        // The functions may take long, and the lock of the interpreter, too.
        drop(state);
        let told = Python::try_attach(|py| match self.tell(py, progress, is_new) {
            Ok(()) => Control::Continue,
            Err(error) if error.is_instance_of::<PyStopIteration>(py) => Control::Stop,
            Err(error) => {
                self.failure.set(error);
                Control::Stop
            }
        });
        told.unwrap_or(Control::Stop)
    }

    fn tell(&self, py: Python<'_>, progress: &Reported<'_>, is_new: bool) -> PyResult<()> {
        if self.has_signals {
            py.check_signals()?;
        }
        let Functions { on_solution, on_progress } = &self.functions;
        let on_solution = on_solution.as_ref().filter(|_| is_new);
        if on_solution.is_none() && on_progress.is_none() {
            return Ok(());
        }
        let found = progress.incumbent::<P::Solution>().filter(|_| is_new);
        let solution = found.zip(self.instance.as_ref());
        let solution =
            solution.map(|(found, instance)| P::solution(py, instance, found)).transpose()?;
        let value = |value: Option<Value>| {
            value.map(|value| Number::from(value).into_py_any(py)).transpose()
        };
        let state = Progress {
            seconds: progress.elapsed.as_secs_f64(),
            phase: progress.phase,
            objective: value(progress.objective)?,
            bound: value(progress.bound)?,
            fraction: progress.fraction,
            solution,
        };
        let state = Py::new(py, state)?;
        for function in on_solution.into_iter().chain(on_progress) {
            function.call1(py, (&state,))?;
        }
        Ok(())
    }
}
