//! Lower bounds on the makespan, without search.

use super::Instance;
use crate::configuration_lp::{JobTypes, Weighting};
use crate::gcd::gcd;
use crate::solve::Monitor;
use crate::{Result, memory};

/// The best of three bounds: the average load; the longest job; for each j, the sum of the j + 1
/// shortest of the j m + 1 longest jobs, since some machine must run that many of them (Dell'Amico
/// and Martello 1995, bound L2). All are rounded up to a multiple of the common divisor of the
/// times, as every load is one.
///
/// # Errors
/// [`Error::Stopped`](crate::Error::Stopped) if there are many jobs, and
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub(super) fn lower_bound(
    instance: &Instance,
    longest_first: &[u32],
    monitor: &Monitor,
) -> Result<u64> {
    let time = |position: usize| instance.times()[longest_first[position] as usize];
    if longest_first.is_empty() {
        return Ok(0);
    }
    let machines = instance.useful_machines();
    let mut sums = memory::list(longest_first.len() + 1)?;
    sums.push(0);
    for position in 0..longest_first.len() {
        monitor.check_later_step(position)?;
        sums.push(sums[position] + time(position));
    }
    let crowded = (1..)
        .take_while(|per_machine| per_machine * machines < longest_first.len())
        .map(|per_machine| {
            let end = per_machine * machines + 1;
            sums[end] - sums[end - per_machine - 1]
        })
        .max()
        .unwrap_or(0);
    let bound = instance.average().max(time(0)).max(crowded);
    let mut unit = 0;
    for &time in instance.times() {
        unit = gcd(unit, time);
        if unit == 1 {
            break;
        }
    }
    Ok(round_up(bound, unit))
}

fn round_up(value: u64, unit: u64) -> u64 {
    // With a unit of 0 all times are 0. The result does not overflow: it is the load of a schedule
    // on one machine at most, so it does not exceed the sum of the times by a whole unit.
    if unit == 0 { value } else { value.div_ceil(unit) * unit }
}

/// Most groups of machines and jobs that [`crowded_groups`] looks at, some milliseconds.
const MAX_GROUPS: usize = 1 << 23;

/// Of the j = a m + b longest jobs, 0 < b <= m, the l >= b machines with most of them run at least
/// a l + b. Their average load is at least that of as many of the shortest of the j (Haouari,
/// Gharbi, Jemmali 2006, lifting). 0 if there are too many cases.
pub(super) fn crowded_groups(instance: &Instance, longest_first: &[u32]) -> u64 {
    let machines = instance.useful_machines();
    if longest_first.len().saturating_mul(machines) > MAX_GROUPS {
        return 0;
    }
    let mut sums = vec![0];
    for &job in longest_first {
        sums.push(sums[sums.len() - 1] + instance.times()[job as usize]);
    }
    let mut best = 0;
    for jobs in 1..=longest_first.len() {
        let (each, extra) = ((jobs - 1) / machines, (jobs - 1) % machines + 1);
        for group in extra..=machines {
            let crowd = each * group + extra;
            best = best.max((sums[jobs] - sums[jobs - crowd]).div_ceil(group as u64));
        }
    }
    best
}

/// Most word operations of [`reachable_load`], some tens of milliseconds.
const MAX_WORDS: u128 = 1 << 26;

/// Words shifted between two checks for stops.
const WORDS_PER_CHECK: usize = 1 << 22;

/// The least load from `lower` on that a set of jobs can have, since every makespan is such a load.
/// Returns `lower` if finding out takes too long, or if that load exceeds `upper`.
///
/// # Errors
/// [`Error::Stopped`](crate::Error::Stopped).
pub(super) fn reachable_load(
    instance: &Instance,
    lower: u64,
    upper: u64,
    monitor: &Monitor,
) -> Result<u64> {
    let words = u128::from(upper / 64 + 1);
    if words * instance.jobs() as u128 > MAX_WORDS || !monitor.has_memory(8 * words) {
        return Ok(lower);
    }
    let mut loads = vec![0u64; words as usize];
    loads[0] = 1;
    for (job, &time) in instance.times().iter().enumerate() {
        if job % (WORDS_PER_CHECK / loads.len()).max(1) == 0 {
            monitor.check()?;
        }
        if time <= upper {
            add_job(&mut loads, time);
        }
    }
    let reached = |load: &u64| loads[(load / 64) as usize] >> (load % 64) & 1 == 1;
    Ok((lower..=upper).find(reached).unwrap_or(lower))
}

/// Adds a job to a set of loads, one bit for each load: every load may grow by the time.
fn add_job(loads: &mut [u64], time: u64) {
    let (words, bits) = ((time / 64) as usize, time % 64);
    for word in (words..loads.len()).rev() {
        let low = if bits > 0 && word > words { loads[word - words - 1] >> (64 - bits) } else { 0 };
        loads[word] |= loads[word - words] << bits | low;
    }
}

/// Most weightings tried for one target.
const MAX_WEIGHTINGS: usize = 64;

/// The least target from `lower` to `upper` that no weighting refutes, of those that are tried.
///
/// # Errors
/// [`Error::Stopped`](crate::Error::Stopped).
pub(super) fn weighted(
    types: &JobTypes,
    machines: usize,
    lower: u64,
    upper: u64,
    monitor: &Monitor,
) -> Result<u64> {
    // A refuted target refutes all smaller ones, so the steps may grow.
    let (mut lower, mut step) = (lower, 1);
    while lower < upper {
        let target = (lower + step - 1).min(upper - 1);
        if refuted(types, machines, target, monitor)? {
            lower = target + 1;
            step *= 2;
        } else if step > 1 {
            step = 1;
        } else {
            break;
        }
    }
    Ok(lower)
}

fn refuted(types: &JobTypes, machines: usize, target: u64, monitor: &Monitor) -> Result<bool> {
    // Weightings only change where a job stops to count, or starts to fill its machine.
    let half = target / 2;
    let change = |&time: &u64| if time <= half { time } else { target - time + 1 };
    let sizes: Vec<u64> = types.times.iter().map(change).filter(|&size| size <= half).collect();
    for &size in sizes.iter().step_by(sizes.len().div_ceil(MAX_WEIGHTINGS).max(1)) {
        monitor.check()?;
        for weighting in
            [Weighting::threshold(types, target, size), Weighting::units(types, target, size)]
        {
            if weighting.slack(&types.counts, machines).is_none() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel_machines::job_types::job_types;
    use crate::solve::SolveOptions;
    use crate::testing::monitor;

    fn bound(times: &[u64], machines: u32) -> u64 {
        let instance = Instance::new(times.to_vec(), machines).unwrap();
        lower_bound(&instance, &instance.longest_first(&monitor()).unwrap(), &monitor()).unwrap()
    }

    fn groups(times: &[u64], machines: u32) -> u64 {
        let instance = Instance::new(times.to_vec(), machines).unwrap();
        crowded_groups(&instance, &instance.longest_first(&monitor()).unwrap())
    }

    fn reachable(times: &[u64], lower: u64, upper: u64) -> u64 {
        let instance = Instance::new(times.to_vec(), 2).unwrap();
        reachable_load(&instance, lower, upper, &Monitor::new(&SolveOptions::default())).unwrap()
    }

    fn by_weight(times: &[u64], machines: usize, lower: u64, upper: u64) -> u64 {
        let instance = Instance::new(times.to_vec(), machines as u32).unwrap();
        let longest_first = instance.longest_first(&monitor()).unwrap();
        let types = job_types(&instance, &longest_first, &monitor()).unwrap();
        weighted(&types, machines, lower, upper, &monitor()).unwrap()
    }

    #[test]
    fn a_million_jobs_on_one_machine_take_no_time() {
        assert_eq!(bound(&vec![3; 1_000_000], 1), 3_000_000);
    }

    #[test]
    fn each_bound_has_its_instance() {
        assert_eq!(bound(&[], 3), 0);
        assert_eq!(bound(&[0, 0], 1), 0);
        assert_eq!(bound(&[3, 3, 3, 2], 3), 5, "two of the four longest share a machine");
        assert_eq!(bound(&[9, 1, 1], 3), 9, "longest job");
        assert_eq!(bound(&[1, 1, 1, 1, 1], 2), 3, "average, rounded up");
        assert_eq!(bound(&[10, 10, 5, 5, 5], 3), 15, "average 12 is no multiple of 5");
        assert_eq!(bound(&[2, 2, 2, 2, 2, 2, 2], 3), 6, "three of the seven share a machine");
    }

    #[test]
    fn a_group_of_machines_is_crowded() {
        // Two machines run at least four of the five longest: 9, 8, 5 and 5 are the shortest four.
        assert_eq!((bound(&[10, 9, 8, 5, 5, 2], 3), groups(&[10, 9, 8, 5, 5, 2], 3)), (13, 14));
        assert_eq!((groups(&[6, 6, 6, 6, 5], 3), groups(&[], 3)), (12, 0));
    }

    #[test]
    fn the_makespan_is_a_sum_of_jobs() {
        assert_eq!(reachable(&[4, 6, 7, 9], 12, 26), 13);
        assert_eq!(reachable(&[100, 300, 1000], 101, 2000), 300);
        assert_eq!(
            reachable(&[100, 300, 64], 465, 2000),
            465,
            "beyond all of them nothing is claimed"
        );
        assert_eq!(reachable(&[7, 7], 8, 13), 8);
        assert_eq!(reachable(&[u64::MAX >> 2], 8, u64::MAX >> 2), 8, "too many loads");
    }

    #[test]
    fn weightings_refute_what_the_average_does_not() {
        // At 11, the average, the job of 10 has no space for the 2.
        assert_eq!((bound(&[10, 7, 3, 2], 2), by_weight(&[10, 7, 3, 2], 2, 11, 13)), (11, 12));
        // In units of 4 at 23: 12 and three of 9 weigh 6, 4, 4, 4 and the 4 weighs 2, but a machine
        // holds 10.
        assert_eq!(
            (bound(&[12, 9, 9, 9, 4, 3], 2), by_weight(&[12, 9, 9, 9, 4, 3], 2, 23, 25)),
            (23, 24)
        );
        assert_eq!(by_weight(&[5, 5], 3, 5, 5), 5);
    }
}
