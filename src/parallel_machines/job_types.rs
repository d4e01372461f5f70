//! Types of an instance's jobs, and schedules from their patterns.

use super::Instance;
use super::schedule::Assignment;
use crate::Result;
use crate::configuration_lp::{JobTypes, Pattern};
use crate::solve::Monitor;

/// The types of the instance's jobs.
///
/// # Errors
/// [`Error::Stopped`](crate::Error::Stopped).
pub(super) fn job_types(
    instance: &Instance,
    longest_first: &[u32],
    monitor: &Monitor,
) -> Result<JobTypes> {
    let mut types = JobTypes::default();
    for (step, &job) in longest_first.iter().enumerate() {
        monitor.check_step(step)?;
        types.add(instance.times()[job as usize]);
    }
    Ok(types)
}

/// The schedule of these patterns, one for each machine, which together hold every job once. Jobs
/// of time 0 are assigned to machine 0.
pub(super) fn schedule(
    types: &JobTypes,
    longest_first: &[u32],
    patterns: &[Pattern],
) -> Assignment {
    // The next job of each type in `longest_first`, which lists type after type.
    let mut next = Vec::with_capacity(types.len());
    let mut first = 0;
    for &count in &types.counts {
        next.push(first);
        first += count as usize;
    }
    let mut assignment = vec![0; longest_first.len()];
    for (machine, pattern) in (0..).zip(patterns) {
        for &kind in pattern {
            let position = &mut next[kind as usize];
            assignment[longest_first[*position] as usize] = machine;
            *position += 1;
        }
    }
    (patterns.iter().map(|pattern| types.load(pattern)).max().unwrap_or(0), assignment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::monitor;

    #[test]
    fn patterns_become_an_assignment() {
        let instance = Instance::new(vec![3, 0, 5, 3, 9], 2).unwrap();
        let longest_first = instance.longest_first(&monitor()).unwrap();
        let types = job_types(&instance, &longest_first, &monitor()).unwrap();
        assert_eq!((&types.times[..], &types.counts[..]), (&[9, 5, 3][..], &[1, 1, 2][..]));
        assert_eq!(
            schedule(&types, &longest_first, &[vec![1, 2, 2], vec![0]]),
            (11, vec![0, 0, 0, 0, 1])
        );
    }
}
