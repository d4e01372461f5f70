use std::fmt;

use crate::enumeration::enumeration;
use crate::{Error, Result};

enumeration! {
    /// What a schedule is judged by. C_j is the completion time of job j on the last machine, r_j
    /// its release time, d_j its due date and w_j its weight. Lower values are better.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Criterion {
        /// max C_j.
        Makespan: "makespan", "The time at which the last job ends";
        /// Σ (C_j - r_j).
        TotalFlowTime: "total-flow-time", "The sum of the times from release to end";
        /// Σ w_j (C_j - r_j).
        WeightedFlowTime: "weighted-flow-time", "The same, weighted";
        /// Σ max(0, C_j - d_j).
        TotalTardiness: "total-tardiness", "The sum of the times by which jobs end after their due dates";
        /// Σ w_j max(0, C_j - d_j).
        WeightedTardiness: "weighted-tardiness", "The same, weighted";
        /// max (C_j - d_j), which may be negative.
        MaxLateness: "max-lateness", "The largest difference of end and due date, which may be negative";
        /// The number of jobs with C_j > d_j.
        LateJobs: "late-jobs", "The number of jobs that end after their due dates";
        /// The number of pairs of jobs of the running plan whose order is reversed.
        Inversions: "inversions", "Pairs of jobs whose order is not that of the running plan";
        /// The number of jobs of the running plan that follow another job than there, or that begin
        /// the sequence and did not, or did and do not.
        NewPredecessors: "new-predecessors", "Jobs that follow another job than in the running plan";
    }
}

impl Criterion {
    /// Whether it compares with due dates.
    pub fn has_due_dates(self) -> bool {
        use Criterion::{LateJobs, MaxLateness, TotalTardiness, WeightedTardiness};
        matches!(self, LateJobs | MaxLateness | TotalTardiness | WeightedTardiness)
    }

    /// Whether it weights jobs.
    pub fn has_weights(self) -> bool {
        matches!(self, Criterion::WeightedFlowTime | Criterion::WeightedTardiness)
    }

    /// Whether it compares with a running plan.
    pub fn has_plan(self) -> bool {
        matches!(self, Criterion::Inversions | Criterion::NewPredecessors)
    }
}

/// A weighted sum of criteria.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    terms: Vec<(u32, Criterion)>,
}

impl Stage {
    /// The factors and criteria of the sum.
    pub fn terms(&self) -> &[(u32, Criterion)] {
        &self.terms
    }
}

/// An objective: one or several stages. Of two schedules the better one has the lower value of the
/// first stage in which they differ.
///
/// As a text, stages are separated by commas, the terms of a sum by `+`, and a factor stands before
/// its criterion with `*`: `late-jobs,total-tardiness+5*inversions`.
///
/// ```
/// use makespan::flow_shop::Objective;
///
/// let objective = Objective::parse("late-jobs, total-tardiness + 5*makespan")?;
/// assert_eq!(objective.stages().len(), 2);
/// assert_eq!(objective.to_string(), "late-jobs,total-tardiness+5*makespan");
/// # Ok::<(), Box<makespan::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objective {
    stages: Vec<Stage>,
}

impl Default for Objective {
    fn default() -> Self {
        Criterion::Makespan.into()
    }
}

impl From<Criterion> for Objective {
    fn from(criterion: Criterion) -> Self {
        Objective { stages: vec![Stage { terms: vec![(1, criterion)] }] }
    }
}

impl Objective {
    /// Most stages.
    pub const MAX_STAGES: usize = 4;

    /// An objective with these stages, each a sum of criteria with factors.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] without a stage, with more than [`Objective::MAX_STAGES`], for a
    /// stage without a term, and for a factor of 0.
    pub fn new(stages: Vec<Vec<(u32, Criterion)>>) -> Result<Self> {
        let fault = |reason: String| Error::argument("objective", reason);
        if stages.is_empty() || stages.len() > Self::MAX_STAGES {
            let most = Self::MAX_STAGES;
            return Err(fault(format!("{} stages; there must be 1 to {most}", stages.len())));
        }
        for (number, stage) in (1..).zip(&stages) {
            if stage.is_empty() {
                return Err(fault(format!("stage {number} is empty")));
            }
            if stage.iter().any(|&(factor, _)| factor == 0) {
                return Err(fault(format!("a factor of stage {number} is 0")));
            }
        }
        Ok(Objective { stages: stages.into_iter().map(|terms| Stage { terms }).collect() })
    }

    /// Reads an objective from a text.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] that names the wrong word.
    pub fn parse(text: &str) -> Result<Self> {
        let stage = |text: &str| text.split('+').map(term).collect::<Result<Vec<_>>>();
        Objective::new(text.split(',').map(stage).collect::<Result<_>>()?)
    }

    /// The stages, the most important one first.
    pub fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// All criteria, stage by stage.
    pub fn criteria(&self) -> impl Iterator<Item = Criterion> + '_ {
        self.stages.iter().flat_map(|stage| &stage.terms).map(|&(_, criterion)| criterion)
    }

    /// Whether it is the makespan alone.
    pub fn is_makespan(&self) -> bool {
        matches!(&self.stages[..], [stage] if stage.terms == [(1, Criterion::Makespan)])
    }
}

/// A criterion with its factor.
fn term(text: &str) -> Result<(u32, Criterion)> {
    let fault = |reason: String| Error::argument("objective", reason);
    let (factor, name) = match text.split_once('*') {
        None => (1, text.trim()),
        Some((factor, name)) => {
            let factor = factor.trim();
            let wrong = |_| fault(format!("\"{}\" is no factor", factor.escape_debug()));
            (factor.parse().map_err(wrong)?, name.trim())
        }
    };
    let criterion = Criterion::ALL.into_iter().find(|criterion| criterion.name() == name);
    let unknown = || {
        let names: Vec<_> = Criterion::ALL.iter().map(|criterion| criterion.name()).collect();
        fault(format!("\"{}\" is none of {}", name.escape_debug(), names.join(", ")))
    };
    Ok((factor, criterion.ok_or_else(unknown)?))
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (factor, criterion)) in self.terms.iter().enumerate() {
            if place > 0 {
                f.write_str("+")?;
            }
            if *factor != 1 {
                write!(f, "{factor}*")?;
            }
            f.write_str(criterion.name())?;
        }
        Ok(())
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, stage) in self.stages.iter().enumerate() {
            if place > 0 {
                f.write_str(",")?;
            }
            stage.fmt(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_and_written() {
        for criterion in Criterion::ALL {
            let text = Objective::from(criterion).to_string();
            assert_eq!(Objective::parse(&text).unwrap(), criterion.into());
        }
        let objective = Objective::parse(" late-jobs , 3 * makespan + total-flow-time ").unwrap();
        assert_eq!(objective.to_string(), "late-jobs,3*makespan+total-flow-time");
        assert!(Objective::default().is_makespan() && !objective.is_makespan());
    }

    #[test]
    fn wrong_words_are_named() {
        for (text, message) in [
            ("", "objective: \"\" is none of makespan, "),
            ("makespan,", "objective: \"\" is none of "),
            ("2*lateness", "objective: \"lateness\" is none of "),
            ("x*makespan", "objective: \"x\" is no factor"),
            ("0*makespan", "objective: a factor of stage 1 is 0"),
            (
                "makespan,makespan,makespan,makespan,makespan",
                "objective: 5 stages; there must be 1 to 4",
            ),
        ] {
            let error = Objective::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(message), "{error}");
        }
    }
}
