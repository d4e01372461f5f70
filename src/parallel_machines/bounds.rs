//! Lower bounds on the makespan that need no search.

use super::Instance;

/// The best of: the average load; the longest job; for each j, the j + 1 shortest of the j m + 1 longest jobs,
/// of which some machine must run that many (Dell'Amico and Martello 1995, bound L2); all rounded up to a
/// multiple of the common divisor of the times, as every load is one.
pub(super) fn lower_bound(instance: &Instance, longest_first: &[u32]) -> u64 {
    let time = |position: usize| instance.times()[longest_first[position] as usize];
    if longest_first.is_empty() {
        return 0;
    }
    let machines = instance.useful_machines();
    let sums: Vec<u64> = std::iter::once(0)
        .chain((0..longest_first.len()).scan(0, |sum, position| {
            *sum += time(position);
            Some(*sum)
        }))
        .collect();
    let crowded = (1..)
        .take_while(|per_machine| per_machine * machines < longest_first.len())
        .map(|per_machine| {
            let end = per_machine * machines + 1;
            sums[end] - sums[end - per_machine - 1]
        })
        .max()
        .unwrap_or(0);
    let bound = instance.average().max(time(0)).max(crowded);
    round_up(bound, instance.times().iter().copied().fold(0, gcd))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn round_up(value: u64, unit: u64) -> u64 {
    // With a unit of 0 all times are 0. The result is a load that a schedule on one machine reaches, so it
    // does not exceed the sum of the times by a whole unit.
    if unit == 0 { value } else { value.div_ceil(unit) * unit }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(times: &[u64], machines: u32) -> u64 {
        let instance = Instance::new(times.to_vec(), machines).unwrap();
        lower_bound(&instance, &instance.longest_first())
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
}
