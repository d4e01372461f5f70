//! Log lines of a solve: its phases, its improving values, and its end. Every solve logs only a
//! few.

use std::fmt::Write;
use std::time::Duration;

use super::{Progress, Report, Status, Value, Values};

/// Least time between two lines about better values.
const INTERVAL: Duration = Duration::from_secs(1);

/// What the log already contains about the solve.
#[derive(Debug, Clone, Default)]
pub(super) struct Milestones {
    /// All phases that have begun; phases may alternate.
    phases: Vec<&'static str>,
    /// The time of the last line about values.
    logged: Option<Duration>,
    has_objective: bool,
}

impl Milestones {
    /// Adds what a part of the solve logged.
    pub(super) fn join(&mut self, part: &Milestones) {
        let new: Vec<_> =
            part.phases.iter().copied().filter(|phase| !self.phases.contains(phase)).collect();
        self.phases.extend(new);
        self.logged = self.logged.max(part.logged);
        self.has_objective |= part.has_objective;
    }

    /// The line for a phase, when it begins for the first time.
    pub(super) fn phase(&mut self, phase: &'static str, elapsed: Duration) -> Option<String> {
        if self.phases.contains(&phase) {
            return None;
        }
        self.phases.push(phase);
        Some(format!("phase {phase} after {}", seconds(elapsed)))
    }

    /// The line for the best values, if they are the first ones or enough time has passed since the
    /// last line.
    pub(super) fn values(
        &mut self,
        Values { objective, bound }: Values,
        elapsed: Duration,
    ) -> Option<String> {
        let is_first = objective.is_some() && !self.has_objective;
        if !is_first && self.logged.is_some_and(|logged| elapsed.saturating_sub(logged) < INTERVAL)
        {
            return None;
        }
        self.logged = Some(elapsed);
        self.has_objective = objective.is_some();
        let mut line = String::new();
        describe(&mut line, objective, bound);
        Some(format!("{line}after {}", seconds(elapsed)))
    }
}

/// The line for the end of a solve.
pub(super) fn end(status: Status, report: &Report, last: &Progress<'_>) -> String {
    let mut line = format!("{} ends {status}: ", report.method);
    describe(&mut line, last.objective, last.bound);
    let place = report.device.as_deref().unwrap_or("the CPU");
    let reason = if report.interrupted { ", stopped early" } else { "" };
    format!("{line}on {place} after {}{reason}", seconds(last.elapsed))
}

fn describe(line: &mut String, objective: Option<Value>, bound: Option<Value>) {
    for (name, value) in [("objective", objective), ("bound", bound)] {
        if let Some(value) = value {
            // Writing to a string never fails.
            let _ = write!(line, "{name} {value}, ");
        }
    }
}

fn seconds(elapsed: Duration) -> String {
    format!("{:.3} s", elapsed.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_logged_once_and_values_once_a_second() {
        let mut milestones = Milestones::default();
        let at = Duration::from_millis;
        let values = |objective: Option<i64>, bound: i64| Values {
            objective: objective.map(Value::Whole),
            bound: Some(Value::Whole(bound)),
        };
        assert_eq!(milestones.phase("neh", at(1)).unwrap(), "phase neh after 0.001 s");
        assert_eq!(milestones.values(values(None, 7), at(2)).unwrap(), "bound 7, after 0.002 s");
        let first = milestones.values(values(Some(9), 7), at(3)).unwrap();
        assert_eq!(first, "objective 9, bound 7, after 0.003 s");
        assert_eq!(milestones.values(values(Some(8), 7), at(1002)), None);
        assert_eq!(milestones.phase("neh", at(1002)), None);
        assert!(milestones.phase("beam", at(1002)).is_some());
        assert!(milestones.values(values(Some(7), 7), at(1003)).is_some());
    }
}
