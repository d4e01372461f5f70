//! Instances for the self-tests of the kernels.

use super::{Instance, Setups};
use crate::Result;
use crate::random::Random;

/// An instance with times up to `longest`, which occurs, with ready times and pinned jobs.
pub(super) fn instance(
    jobs: usize,
    machines: usize,
    pinned: usize,
    longest: u32,
) -> Result<Instance> {
    let mut random = Random::new(1);
    // Keeps schedules shorter than 2^31.
    let most = longest.min((1 << 29) / (jobs + machines) as u32).max(1);
    let mut draw = |count: usize| -> Vec<u32> {
        (0..count).map(|_| 1 + random.below(most.into()) as u32).collect()
    };
    let (mut times, ready) = (draw(jobs * machines), draw(machines));
    times[0] = longest;
    Instance::new(jobs, machines, times)?
        .with_ready_times(ready)?
        .with_pinned((0..pinned as u32).collect())
}

/// What an instance has besides its times.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Model {
    pub(super) has_setups: bool,
    pub(super) has_releases: bool,
    pub(super) has_blocking: bool,
}

/// An instance of a model with due dates and weights.
pub(super) fn of_model(
    jobs: usize,
    machines: usize,
    pinned: usize,
    model: Model,
) -> Result<Instance> {
    let mut random = Random::new(3);
    let mut draw = |count: usize, most: u64| -> Vec<u32> {
        (0..count).map(|_| random.below(most) as u32).collect()
    };
    let mut instance = instance(jobs, machines, pinned, 99)?;
    if model.has_setups {
        let setups = draw(machines * jobs * jobs, 60);
        instance = instance.with_setups(Setups::between_jobs(jobs, setups)?)?;
    }
    let longest = 50 * jobs as u64;
    if model.has_releases {
        instance = instance.with_release_times(draw(jobs, longest))?;
    }
    if model.has_blocking {
        instance = instance.with_blocking()?;
    }
    let due = draw(jobs, 2 * longest).into_iter().map(i64::from).collect();
    instance.with_due_dates(due)?.with_weights(draw(jobs, 9))
}
