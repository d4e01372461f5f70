//! How much of each stage's value counts as a step of iterated greedy search.

use crate::flow_shop::Criterion;
use crate::flow_shop::planner::cost::Cost;
use crate::flow_shop::planner::problem::Problem;

/// For each stage, by how much a typical move changes it.
#[derive(Debug, Clone)]
pub(super) struct Units(Vec<f64>);

impl Units {
    pub(super) fn of(problem: &Problem<'_>) -> Self {
        let instance = problem.instance;
        let time = mean(instance.times());
        let weight = if instance.weights().is_empty() { 1.0 } else { mean(instance.weights()) };
        let jobs = problem.free_jobs.len() as f64;
        let unit = |criterion: Criterion| match criterion {
            Criterion::Makespan | Criterion::MaxLateness => time,
            Criterion::TotalFlowTime | Criterion::TotalTardiness => time * jobs.sqrt(),
            Criterion::WeightedFlowTime | Criterion::WeightedTardiness => {
                weight * time * jobs.sqrt()
            }
            Criterion::LateJobs | Criterion::NewPredecessors => 1.0,
            Criterion::Inversions => jobs,
        };
        let stages = instance.objective().stages().iter();
        let of_stage = |terms: &[(u32, Criterion)]| {
            terms.iter().map(|&(factor, criterion)| f64::from(factor) * unit(criterion)).sum()
        };
        Units(stages.map(|stage| of_stage(stage.terms())).collect())
    }

    /// The difference in units of the first stage that differs.
    pub(super) fn excess(&self, value: Cost, other: Cost) -> f64 {
        let stages = self.0.iter().zip(value.0.iter().zip(&other.0));
        let mut excesses = stages.filter(|(_, (value, other))| value != other);
        excesses.next().map_or(0.0, |(unit, (&value, &other))| (value - other) as f64 / unit)
    }
}

fn mean(numbers: &[u32]) -> f64 {
    let sum: f64 = numbers.iter().copied().map(f64::from).sum();
    // Without times all sequences are equal.
    (sum / numbers.len() as f64).max(1e-9)
}
