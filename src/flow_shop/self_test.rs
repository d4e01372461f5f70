//! Instances for the self-tests of the kernels.

use super::Instance;
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
