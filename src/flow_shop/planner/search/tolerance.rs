//! How much worse a sequence may be for iterated greedy search to continue from it. Whole numbers
//! from a table decide, so that the CPU and devices decide alike.

use crate::flow_shop::planner::cost::Cost;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::{Criterion, Objective};

/// An excess of this many [units](unit) is accepted with probability 1 / e.
const TEMPERATURE: f64 = 0.07;
/// Bits of a random number that choose an entry.
pub(super) const CHOICE_BITS: u32 = 10;
const CHOICES: usize = 1 << CHOICE_BITS;

/// Entries for random numbers in ascending order. Each has, by stage, the largest accepted excess
/// if that stage is the first that differs.
#[derive(Debug, Clone)]
pub(super) struct Tolerance(Vec<[i64; Objective::MAX_STAGES]>);

impl Tolerance {
    pub(super) fn of(problem: &Problem<'_>) -> Self {
        let mut units = [0.0; Objective::MAX_STAGES];
        for (unit, stage) in units.iter_mut().zip(problem.instance.objective().stages()) {
            let terms = stage.terms().iter();
            *unit = terms.map(|&(factor, term)| f64::from(factor) * unit_of(problem, term)).sum();
        }
        let of_choice = |choice: usize| {
            let share = (choice as f64 + 0.5) / CHOICES as f64;
            units.map(|unit| (-share.ln() * TEMPERATURE * unit) as i64)
        };
        Tolerance((0..CHOICES).map(of_choice).collect())
    }

    /// The entries.
    pub(super) fn choices(&self) -> &[[i64; Objective::MAX_STAGES]] {
        &self.0
    }

    /// Whether a random number in [0, 1) accepts a value instead of a better one.
    #[inline]
    pub(super) fn accepts(&self, worse: Cost, better: Cost, unit: f64) -> bool {
        let most = &self.0[(unit * CHOICES as f64) as usize];
        let stages = worse.0.iter().zip(&better.0).zip(most);
        let mut differing = stages.filter(|((worse, better), _)| worse != better);
        differing.next().is_none_or(|((worse, better), most)| worse - better <= *most)
    }
}

/// By how much a typical move changes a criterion.
fn unit_of(problem: &Problem<'_>, criterion: Criterion) -> f64 {
    let instance = problem.instance;
    let time = mean(instance.times());
    let jobs = problem.free_jobs.len() as f64;
    let weight = || if instance.weights().is_empty() { 1.0 } else { mean(instance.weights()) };
    match criterion {
        Criterion::Makespan | Criterion::MaxLateness => time,
        Criterion::TotalFlowTime | Criterion::TotalTardiness => time * jobs.sqrt(),
        Criterion::WeightedFlowTime | Criterion::WeightedTardiness => weight() * time * jobs.sqrt(),
        Criterion::LateJobs | Criterion::NewPredecessors => 1.0,
        Criterion::Inversions => jobs,
    }
}

fn mean(numbers: &[u32]) -> f64 {
    let sum: f64 = numbers.iter().copied().map(f64::from).sum();
    sum / numbers.len().max(1) as f64
}
