//! The common parts of all solvers: options, limits, stopping, progress and results.

mod certificate;
mod found;
mod limits;
mod milestones;
mod monitor;
mod outcome;
mod progress;
mod reduction;
mod stop;
mod trace;
mod value;

pub(crate) use certificate::Certificate;
pub(crate) use found::Found;
pub use limits::Limits;
pub(crate) use monitor::{Monitor, STEPS_PER_CHECK};
pub use outcome::{Objective, Outcome, Report, Statistics, Status};
pub use progress::{Control, Progress, ProgressCallback};
pub(crate) use reduction::{Offset, Reduction};
pub use stop::StopHandle;
pub(crate) use stop::unless_stopped;
pub use trace::TracePoint;
pub use value::Value;
pub(crate) use value::Values;

use std::fmt;

use crate::enumeration::enumeration;

/// The engine for the heavy work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Engine {
    /// The faster engine by a model fitted to measurements; the CPU if the device is missing or
    /// fails.
    #[default]
    Auto,
    /// The CPU. No OpenCL library is opened.
    Cpu,
    /// The OpenCL device. A missing or failing device is an error.
    Device,
}

enumeration! {
    Engine {
        Auto: "auto", "The faster one by estimate";
        Cpu: "cpu", "The CPU, without a look for OpenCL";
        Device: "device", "The OpenCL device; an error without one";
    }
}

/// Whether lower or higher objectives are better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// Lower ones, such as costs. Also set if neither is better, as in recurrences that count.
    Minimise,
    /// Higher ones, such as profits.
    Maximise,
}

enumeration! {
    Sense {
        Minimise: "minimise", "Lower objectives are better";
        Maximise: "maximise", "Higher objectives are better";
    }
}

impl Sense {
    pub(crate) fn reversed(self) -> Sense {
        match self {
            Sense::Minimise => Sense::Maximise,
            Sense::Maximise => Sense::Minimise,
        }
    }

    /// Whether the first value is better.
    pub(crate) fn prefers<V: PartialOrd>(self, value: V, other: V) -> bool {
        match self {
            Sense::Minimise => value < other,
            Sense::Maximise => value > other,
        }
    }
}

/// Options common to all solvers. The default has no limits and uses the context's engine.
#[derive(Clone, Default)]
pub struct SolveOptions {
    /// Limits that end the solve early.
    pub limits: Limits,
    /// Seed of random numbers; equal seeds give equal results.
    pub seed: u64,
    /// Engine for this solve; `None` for the context's.
    pub engine: Option<Engine>,
    /// Handle by which any thread can end the solve.
    pub stop: Option<StopHandle>,
    /// Callback that receives progress and can end the solve.
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
