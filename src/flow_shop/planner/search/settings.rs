//! Parameters of iterated greedy search, by experiments.

use super::evaluators::is_two_sided;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::search::Settings;

/// Jobs that an iteration removes.
pub(super) const TAKEN: usize = 2;
/// Those of all engines. Devices move no blocks.
pub(super) const OF_ANY_ENGINE: Settings = Settings { taken: TAKEN, longest_block: 1 };

/// Those of the CPU for a problem, where the result may depend on the engine.
pub(super) fn with_blocks(problem: &Problem<'_>) -> Settings {
    Settings { longest_block: longest_block(problem), ..OF_ANY_ENGINE }
}

/// With few machines, what matters is mainly which jobs follow each other, so that blocks of jobs
/// are worth the time that they take from other moves. Only sequences with heads and tails and
/// without a running plan take blocks.
fn longest_block(problem: &Problem<'_>) -> usize {
    let has_setups = problem.instance.setups().is_some();
    match problem.machines() {
        _ if !is_two_sided(problem) || problem.scoring.has_plan() => 1,
        0..=5 if problem.has_blocking => 5,
        0..=10 if has_setups => 3,
        _ => 1,
    }
}

/// How much work the searches have, about.
pub(super) struct Work {
    /// Completion times computed to find the best place of a job.
    scan: u64,
    jobs: u64,
}

/// Completion times computed in a search without a limit: worth about a second.
const USUAL: u64 = 100_000_000;

impl Work {
    pub(super) fn of(problem: &Problem<'_>) -> Self {
        let (jobs, machines) = (problem.free_jobs.len() as u64, problem.machines() as u64);
        let each = match is_two_sided(problem) {
            true => 2 * jobs,
            // Half of the sequence on average, some positions at once.
            false => 2 * jobs + jobs * jobs / 32,
        };
        Work { scan: (each * machines).max(1), jobs: jobs.max(1) }
    }

    /// Number of iterations without a limit. An iteration finds some places for each job.
    pub(super) fn usual_rounds(&self) -> u64 {
        (USUAL / self.iteration()).clamp(1, 500)
    }

    /// Generations of tabu search without a limit, which finds that many best places in each.
    pub(super) fn usual_generations(&self, scans: u64) -> u64 {
        (USUAL / self.scan.saturating_mul(scans.max(1))).clamp(1, 10_000)
    }

    /// Iterations between two exchanges with the incumbent: few if each takes long.
    pub(super) fn round(&self) -> u64 {
        (20_000_000 / self.iteration()).clamp(1, 32)
    }

    fn iteration(&self) -> u64 {
        2 * self.jobs * self.scan
    }
}
