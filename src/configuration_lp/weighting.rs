use super::job_types::JobTypes;

/// A weight for each job, and the largest weight that a machine with at most the target load can
/// hold. If the machines together cannot hold all jobs' weight, the target is refuted. Such weights
/// are a dual feasible function (Johnson 1973; Fekete, Schepers 2001). The simplest are the times
/// with the target, the best are the dual values of the configuration LP.
#[derive(Debug, Clone)]
pub(crate) struct Weighting {
    /// Weight of each type.
    pub(super) weights: Vec<u64>,
    /// Largest weight on a machine.
    pub(super) capacity: u64,
}

impl Weighting {
    /// The times, with the target as capacity.
    pub(crate) fn times(types: &JobTypes, target: u64) -> Self {
        Weighting { weights: types.times.clone(), capacity: target }
    }

    /// Jobs shorter than the threshold weigh nothing. A job that leaves less than the threshold
    /// free weighs a whole machine (bound L2 of Martello, Toth 1990). The threshold is at most half
    /// the target.
    pub(crate) fn threshold(types: &JobTypes, target: u64, threshold: u64) -> Self {
        let weight = |&time: &u64| match time {
            time if time < threshold => 0,
            time if time > target - threshold => target,
            time => time,
        };
        Weighting { weights: types.times.iter().map(weight).collect(), capacity: target }
    }

    /// Counts times in whole units. A job longer than half the target weighs all units minus those
    /// that still fit next to it (Carlier, Clautiaux, Moukrim 2007). Weights are doubled, so that
    /// half a machine is a whole number too. The unit is at most half the target.
    pub(crate) fn units(types: &JobTypes, target: u64, unit: u64) -> Self {
        let all = target / unit;
        let weight = |&time: &u64| match (2 * time).cmp(&target) {
            std::cmp::Ordering::Less => 2 * (time / unit),
            std::cmp::Ordering::Equal => all,
            std::cmp::Ordering::Greater => 2 * (all - (target - time) / unit),
        };
        Weighting { weights: types.times.iter().map(weight).collect(), capacity: 2 * all }
    }

    /// Total weight of `counts` jobs of each type.
    pub(super) fn weigh(&self, counts: &[u32]) -> u128 {
        let weights = self.weights.iter().zip(counts);
        weights.map(|(&weight, &count)| u128::from(weight) * u128::from(count)).sum()
    }

    /// Least weight that stays free on the machines; `None` if the jobs do not fit.
    pub(crate) fn slack(&self, counts: &[u32], machines: usize) -> Option<u128> {
        (u128::from(self.capacity) * machines as u128).checked_sub(self.weigh(counts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_machine_holds_more(
            times in proptest::collection::btree_set(1u64..30, 1..8), target in 30u64..60, threshold in 1u64..15
        ) {
            let times: Vec<u64> = times.into_iter().rev().collect();
            let types = JobTypes { counts: vec![3; times.len()], times };
            for weighting in [
                Weighting::times(&types, target),
                Weighting::threshold(&types, target, threshold),
                Weighting::units(&types, target, threshold),
            ] {
                for mut code in 0..4u32.pow(types.len() as u32) {
                    let (mut load, mut weight) = (0, 0);
                    for kind in 0..types.len() {
                        load += types.times[kind] * u64::from(code % 4);
                        weight += weighting.weights[kind] * u64::from(code % 4);
                        code /= 4;
                    }
                    prop_assert!(load > target || weight <= weighting.capacity, "{weighting:?}");
                }
            }
        }
    }
}
