use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use super::found::{Found, Shown};
use super::{Sense, Value};

/// The state of a running solve, passed to the progress callback.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// Wall-clock time since the start of the solve.
    pub elapsed: Duration,
    /// The solver's current phase, in one or two words.
    pub phase: &'static str,
    /// Whether lower or higher objectives are better.
    pub sense: Sense,
    /// Number of lexicographic stages of the objective.
    pub stages: u32,
    /// Objective of the best solution so far.
    pub objective: Option<Value>,
    /// Best proved bound on the objective so far.
    pub bound: Option<Value>,
    /// Number of better solutions so far. It also grows with a solution of the same objective that
    /// is better in a later stage.
    pub solutions: u64,
    /// Finished share of the present phase, in 0..=1, if known.
    pub fraction: Option<f64>,
    pub(super) incumbent: Incumbent<'a>,
}

/// Where the best solution so far is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Incumbent<'a> {
    Nowhere,
    /// In a running solve.
    Found(&'a Found),
    /// In the result.
    Returned(Shown<'a>),
}

impl<'a> Progress<'a> {
    /// The best solution so far, of the type that the solve returns; its objective is
    /// [`Progress::objective`]. It is made at the first request. `None` without a solution, for
    /// another type, and if there is no memory for it. Solvers that find their only solution at the
    /// end show it in the last report, and batches show none.
    pub fn incumbent<S: Any>(&self) -> Option<&'a S> {
        match self.incumbent {
            Incumbent::Nowhere => None,
            Incumbent::Found(found) => found.solution()?.downcast_ref(),
            Incumbent::Returned(solution) => solution.downcast_ref(),
        }
    }
}

/// Answer of the progress callback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Continue the solve.
    Continue,
    /// End the solve soon and return the best result so far.
    Stop,
}

/// The progress callback. It runs on the thread that called the solver: when a solution or a bound
/// is better, if only in a later stage of the objective, and in between at most twenty times a second. The last call, in the phase "end", has
/// the returned values; its answer has no effect. It is also the only call after an answer of
/// [`Control::Stop`].
pub type ProgressCallback = Arc<dyn Fn(&Progress<'_>) -> Control + Send + Sync>;
