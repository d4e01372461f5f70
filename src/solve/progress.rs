use std::sync::Arc;
use std::time::Duration;

/// What a running solve knows; passed to the progress callback.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Progress {
    /// Wall-clock time since the solve began.
    pub elapsed: Duration,
    /// What the solver is doing, in a word or two.
    pub phase: &'static str,
    /// Objective of the best solution so far.
    pub incumbent: Option<u64>,
    /// Best proved bound on the objective so far.
    pub bound: Option<u64>,
    /// [`Progress::incumbent`] as the nearest real number. At the end of a solve also where it is
    /// negative or no whole number.
    pub incumbent_f64: Option<f64>,
    /// [`Progress::bound`] likewise.
    pub bound_f64: Option<f64>,
    /// Share of the present phase that is done, in 0..=1, where it is known.
    pub fraction: Option<f64>,
}

/// Answer of the progress callback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// Go on.
    Continue,
    /// End the solve soon and return what there is.
    Stop,
}

/// Hears of progress, at most some twenty times a second, on the thread that called the solver; the
/// last time, in the phase "end", with the values that the solver returns. That answer has no
/// effect.
pub type ProgressCallback = Arc<dyn Fn(&Progress) -> Control + Send + Sync>;
