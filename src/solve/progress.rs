use std::sync::Arc;
use std::time::Duration;

use super::{Sense, Value};

/// The state of a running solve, passed to the progress callback.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Progress {
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
    /// Finished share of the present phase, in 0..=1, if known.
    pub fraction: Option<f64>,
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
/// is better, and in between at most twenty times a second. The last call, in the phase "end", has
/// the returned values; its answer has no effect. It is also the only call after an answer of
/// [`Control::Stop`].
pub type ProgressCallback = Arc<dyn Fn(&Progress) -> Control + Send + Sync>;
