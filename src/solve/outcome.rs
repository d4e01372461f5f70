use std::collections::BTreeMap;
use std::fmt;

use super::trace::Trace;
use super::{Certificate, Sense, TracePoint, Value, Values};
use crate::Result;
use crate::enumeration::enumeration;

/// What a solver's result is known to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The objective equals the bound: proved optimal.
    Optimal,
    /// There is a solution, but it is not proved optimal.
    Feasible,
    /// Proved: there is no solution, or none as good as required. The bound then limits the
    /// objective of any solution.
    Infeasible,
    /// A limit or stop request ended the solve before it had a solution.
    Stopped,
}

enumeration! {
    Status {
        Optimal: "optimal", "Proved optimal";
        Feasible: "feasible", "A solution, not proved optimal";
        Infeasible: "infeasible", "Proved: no solution, or none as good as requested";
        Stopped: "stopped", "Ended by a limit or a stop request before any solution";
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Counters of a solve by name (`cells`, `nodes`, ...). The names are stable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics(BTreeMap<&'static str, u64>);

impl Statistics {
    pub(crate) fn add(&mut self, name: &'static str, amount: u64) {
        let counter = self.0.entry(name).or_default();
        *counter = counter.saturating_add(amount);
    }

    /// The counter with this name; `None` if the solve has none.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.get(name).copied()
    }

    /// All counters, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().map(|(&name, &count)| (name, count))
    }
}

/// How a solve went, in addition to its result.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Report {
    /// The method that ran, in the command's spelling.
    pub method: &'static str,
    /// The devices that did the heavy work, separated by commas; `None` if the CPU did.
    pub device: Option<String>,
    /// Why the CPU did the work although a device was requested or seemed faster.
    pub fallback: Option<String>,
    /// Problems that did not end the solve: a checkpoint that was not written, a further device
    /// that failed.
    pub warning: Option<String>,
    /// Whether a limit, the stop handle or the callback ended the solve.
    pub interrupted: bool,
    /// Wall-clock seconds of the solve without `setup_seconds`.
    pub seconds: f64,
    /// Wall-clock seconds spent finding the device and building its kernels.
    pub setup_seconds: f64,
    /// Counters.
    pub statistics: Statistics,
    /// The best values over time: a point whenever one of them became better, and the returned
    /// values in the last one. Of a long list older points are left out, so that there are at most
    /// 4096. A [`TracePoint`] counts the seconds from the start of the solve, with
    /// `setup_seconds`.
    pub trace: Vec<TracePoint>,
}

/// The result of a solver: a solution of type `S`, its objective, and a proved bound on all
/// objectives.
#[derive(Debug, Clone)]
pub struct Outcome<S, V = i64> {
    /// Whether the solution is optimal.
    pub status: Status,
    /// Objective of `solution`, recomputed from it.
    pub objective: Option<V>,
    /// Proved bound: no solution is better than this.
    pub bound: Option<V>,
    /// Whether lower or higher objectives are better.
    pub sense: Sense,
    /// Number of lexicographic stages of the objective.
    pub stages: u32,
    /// Best solution found.
    pub solution: Option<S>,
    /// How the solve went.
    pub report: Report,
    /// Private, so that only a certificate makes an outcome.
    pub(super) guarantee: Option<f64>,
}

/// Number types of objectives: `i64`, and `f64` for problems with real numbers.
pub trait Objective: Copy + PartialOrd + fmt::Debug + Into<Value> + 'static {
    /// The nearest floating-point number.
    fn to_f64(self) -> f64;
}

impl Objective for i64 {
    fn to_f64(self) -> f64 {
        self as f64
    }
}

impl Objective for f64 {
    fn to_f64(self) -> f64 {
        self
    }
}

impl<S, V: Objective> Outcome<S, V> {
    /// The same with a trace of the end alone, if its solve kept none.
    pub(crate) fn traced(mut self) -> Self {
        if self.report.trace.is_empty() {
            let (objective, bound) = (self.objective.map(V::into), self.bound.map(V::into));
            let seconds = self.report.seconds + self.report.setup_seconds;
            let trace = Trace::of_end(seconds, Values { objective, bound });
            self.report.trace = trace.into_points();
        }
        self
    }
}

impl<S, V> Outcome<S, V> {
    /// A factor by which the solution is at most worse than the optimum: objective / bound for
    /// costs, bound / objective for profits, 1 for a proved optimum. `None` without a solution, or
    /// if objective and bound differ and one of them is not positive.
    pub fn guarantee(&self) -> Option<f64> {
        self.guarantee
    }
}

impl<S, V: Objective> Outcome<S, V> {
    /// The outcome with a bound that another solve of the same instance proved, if it is better. A
    /// solution that meets it is optimal, unless the objective has several stages.
    ///
    /// # Errors
    /// [`Error::Internal`](crate::Error::Internal) if the solution is better than the bound.
    pub fn with_bound(self, bound: V) -> Result<Self> {
        // The better of two bounds is the worse value.
        let is_better = self.bound.is_none_or(|own| self.sense.prefers(own, bound));
        if is_better { Certificate::again(self, bound) } else { Ok(self) }
    }
}
