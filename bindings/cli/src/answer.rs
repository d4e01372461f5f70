//! The result of a solve, as a JSON object for programs and as a summary for people.

use std::collections::BTreeMap;

use makespan::Outcome;
use serde::Serialize;

use crate::console;
use crate::failure::Failure;
use crate::options::Common;

/// The JSON result. Scripts depend on the names of its fields.
#[derive(Serialize)]
pub(crate) struct Answer<'a, T> {
    problem: &'static str,
    instance: &'a str,
    method: &'static str,
    /// `cpu` or `device`.
    engine: &'static str,
    device: Option<&'a str>,
    /// Why the CPU worked where the device was to.
    fallback: Option<&'a str>,
    /// `optimal`, `feasible`, `infeasible` or `stopped`.
    status: String,
    interrupted: bool,
    objective: Option<u64>,
    bound: Option<u64>,
    /// How many times the optimum the objective is at most.
    guarantee: Option<f64>,
    seconds: f64,
    setup_seconds: f64,
    solution: Option<T>,
    statistics: BTreeMap<&'static str, u64>,
}

/// What the summary says that the JSON object does not.
pub(crate) struct Wording {
    /// Size of the instance, such as "12 jobs on 3 machines".
    pub(crate) size: String,
    /// What the objective is called.
    pub(crate) objective: &'static str,
}

impl<'a, T: Serialize> Answer<'a, T> {
    /// The result of `problem` on the instance of that name, with its solution in the form it is printed in.
    pub(crate) fn new<S>(
        problem: &'static str,
        instance: &'a str,
        outcome: &'a Outcome<S>,
        solution: Option<T>,
    ) -> Self {
        let report = &outcome.report;
        Answer {
            problem,
            instance,
            method: report.method,
            engine: if report.device.is_some() { "device" } else { "cpu" },
            device: report.device.as_deref(),
            fallback: report.fallback.as_deref(),
            status: outcome.status.to_string(),
            interrupted: report.interrupted,
            objective: outcome.objective,
            bound: outcome.bound,
            guarantee: outcome.guarantee(),
            seconds: report.seconds,
            setup_seconds: report.setup_seconds,
            solution,
            statistics: report.statistics.iter().collect(),
        }
    }

    /// Prints the result and writes it to the file asked for.
    pub(crate) fn publish(&self, common: &Common, wording: &Wording) -> Result<(), Failure> {
        let mut json = serde_json::to_string(self)
            .map_err(|error| Failure::other(format!("the result can't be put into JSON: {error}")))?;
        json.push('\n');
        if common.json {
            console::write(&json)?;
        } else {
            console::write(&self.summary(wording))?;
        }
        common.output.as_ref().map_or(Ok(()), |file| file.write(&json))
    }

    fn summary(&self, wording: &Wording) -> String {
        let interrupted = if self.interrupted { ", ended early" } else { "" };
        let lines = [
            ("method", Some(self.method.to_owned())),
            ("engine", Some(self.device.map_or("CPU".to_owned(), |device| format!("device {device}")))),
            ("fallback", self.fallback.map(str::to_owned)),
            ("status", Some(format!("{}{interrupted}", self.status))),
            (wording.objective, self.objective.map(|objective| objective.to_string())),
            ("bound", self.bound.map(|bound| bound.to_string())),
            ("guarantee", self.objective.zip(self.bound).and_then(|(value, bound)| excess(value, bound))),
            ("time", Some(self.time())),
        ];
        let mut summary = format!("{}: {}\n", self.instance, wording.size);
        for (name, value) in lines {
            if let Some(value) = value {
                summary += &format!("  {name:<10} {value}\n");
            }
        }
        summary
    }

    fn time(&self) -> String {
        let setup = match self.setup_seconds {
            setup if setup < 1e-3 => String::new(),
            setup => format!(" and {} to set up the device", duration(setup)),
        };
        format!("{}{setup}", duration(self.seconds))
    }
}

fn duration(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.2} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

/// How far above the optimum a value is at most; `None` where the bound says nothing.
pub(crate) fn excess(value: u64, bound: u64) -> Option<String> {
    if value == bound {
        return Some("proved optimal".into());
    }
    let gap = u128::from(value.checked_sub(bound)?);
    // Rounded up: a guarantee must not promise more than was proved.
    let hundredths = (bound > 0).then(|| (gap * 10_000).div_ceil(bound.into()))?;
    Some(format!("at most {}.{:02} % above the optimum", hundredths / 100, hundredths % 100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_excess_is_rounded_up() {
        let excess = |value, bound| excess(value, bound).unwrap();
        assert_eq!(excess(7, 7), "proved optimal");
        assert_eq!(excess(0, 0), "proved optimal");
        assert_eq!(excess(105, 100), "at most 5.00 % above the optimum");
        assert_eq!(excess(4, 3), "at most 33.34 % above the optimum");
        assert_eq!(excess(u64::MAX, 1), "at most 1844674407370955161400.00 % above the optimum");
    }

    #[test]
    fn a_bound_of_zero_says_nothing() {
        assert_eq!(excess(1, 0), None);
    }
}
