use std::collections::BTreeMap;
use std::fmt;

/// What is known about a solution when a solver returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The objective equals the bound: proved optimal.
    Optimal,
    /// There is a solution, not proved optimal.
    Feasible,
    /// Proved: there is no solution.
    Infeasible,
    /// A limit or a stop request came before any solution.
    Stopped,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Optimal => "optimal",
            Status::Feasible => "feasible",
            Status::Infeasible => "infeasible",
            Status::Stopped => "stopped",
        })
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

    /// The counter of that name; `None` if the solve did not keep it.
    pub fn get(&self, name: &str) -> Option<u64> {
        self.0.get(name).copied()
    }

    /// All counters in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().map(|(&name, &count)| (name, count))
    }
}

/// How a solve went, beside its result.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Report {
    /// Method that ran, in the command's spelling.
    pub method: &'static str,
    /// Device that did the heavy work; `None` if the CPU did.
    pub device: Option<String>,
    /// Why the CPU did the work although a device was asked for or seemed worth it.
    pub fallback: Option<String>,
    /// Whether a limit, the stop handle or the callback ended the solve.
    pub interrupted: bool,
    /// Wall-clock seconds of the solve without `setup_seconds`.
    pub seconds: f64,
    /// Wall-clock seconds spent finding the device and building its kernels.
    pub setup_seconds: f64,
    /// Counters.
    pub statistics: Statistics,
}

/// Result of a solver: a solution of type `S` with its objective and a proved bound on every objective.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Outcome<S, V = u64> {
    /// What is known about the solution.
    pub status: Status,
    /// Objective of `solution`, recomputed from it.
    pub objective: Option<V>,
    /// Proved bound: no solution is better than this.
    pub bound: Option<V>,
    /// Best solution found.
    pub solution: Option<S>,
    /// How the solve went.
    pub report: Report,
}

impl<S> Outcome<S, u64> {
    /// For a minimisation: how many times the optimum the solution may cost at most, objective / bound. `None`
    /// without a solution or with a bound of 0 that the solution does not meet.
    pub fn guarantee(&self) -> Option<f64> {
        match (self.objective?, self.bound?) {
            (objective, bound) if objective == bound => Some(1.0),
            (_, 0) => None,
            (objective, bound) => Some(objective as f64 / bound as f64),
        }
    }
}
