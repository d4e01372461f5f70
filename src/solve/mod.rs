//! What every solver shares: options, limits, stopping, progress and the form of a result.

mod limits;
mod milestones;
mod monitor;
mod outcome;
mod progress;
mod stop;

pub use limits::Limits;
pub(crate) use monitor::Monitor;
pub use outcome::{Objective, Outcome, Report, Statistics, Status};
pub use progress::{Control, Progress, ProgressCallback};
pub use stop::StopHandle;

use std::fmt;

/// Which engine does the heavy work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Engine {
    /// The faster one by a model fitted to measurements; the CPU where the device is missing or
    /// fails.
    #[default]
    Auto,
    /// The CPU; OpenCL is not even looked for.
    Cpu,
    /// The OpenCL device; that it is missing or fails is an error.
    Device,
}

/// Options common to all solvers. The default has no limit and takes the context's engine.
#[derive(Clone, Default)]
pub struct SolveOptions {
    /// When to end the solve before it is complete.
    pub limits: Limits,
    /// Seed of the methods that draw random numbers; the same seed gives the same result.
    pub seed: u64,
    /// Engine for this solve; `None` takes the context's.
    pub engine: Option<Engine>,
    /// Lets any thread end the solve.
    pub stop: Option<StopHandle>,
    /// Hears of progress and may end the solve.
    pub progress: Option<ProgressCallback>,
}

impl fmt::Debug for SolveOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SolveOptions")
            .field("limits", &self.limits)
            .field("seed", &self.seed)
            .field("engine", &self.engine)
            .field("stop", &self.stop)
            .field("progress", &self.progress.is_some())
            .finish()
    }
}
