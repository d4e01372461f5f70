use super::job_types::JobTypes;

/// Another size for each job, with the most that any machine of at most the target load can hold of
/// it: if all jobs together weigh more than the machines can hold, the target is refuted. Such
/// weights are a dual feasible function (Johnson 1973; Fekete, Schepers 2001); the times themselves
/// with the target are the plainest, the dual values of the configuration program the best.
#[derive(Debug, Clone)]
pub(crate) struct Weighting {
    /// Weight of each type.
    pub(super) weights: Vec<u64>,
    /// What a machine can hold.
    pub(super) capacity: u64,
}

impl Weighting {
    /// The times, of which a machine holds the target at most.
    pub(super) fn times(types: &JobTypes, target: u64) -> Self {
        Weighting { weights: types.times.clone(), capacity: target }
    }

    /// Counts nothing of jobs shorter than the threshold, and the whole machine for those that
    /// leave no room for such a job (bound L2 of Martello, Toth 1990). The threshold is at most
    /// half the target.
    pub(super) fn threshold(types: &JobTypes, target: u64, threshold: u64) -> Self {
        let weight = |&time: &u64| match time {
            time if time < threshold => 0,
            time if time > target - threshold => target,
            time => time,
        };
        Weighting { weights: types.times.iter().map(weight).collect(), capacity: target }
    }

    /// Counts in whole units, and for jobs longer than half the target all units but those that
    /// still fit beside (Carlier, Clautiaux, Moukrim 2007); twice, so that half a machine is a
    /// whole number, too. The unit is at most half the target.
    pub(super) fn units(types: &JobTypes, target: u64, unit: u64) -> Self {
        let all = target / unit;
        let weight = |&time: &u64| match (2 * time).cmp(&target) {
            std::cmp::Ordering::Less => 2 * (time / unit),
            std::cmp::Ordering::Equal => all,
            std::cmp::Ordering::Greater => 2 * (all - (target - time) / unit),
        };
        Weighting { weights: types.times.iter().map(weight).collect(), capacity: 2 * all }
    }

    /// What so many jobs of each type weigh.
    pub(super) fn weigh(&self, counts: &[u32]) -> u128 {
        let weights = self.weights.iter().zip(counts);
        weights.map(|(&weight, &count)| u128::from(weight) * u128::from(count)).sum()
    }

    /// What stays free on the machines at least; `None` if the jobs do not fit.
    pub(super) fn slack(&self, counts: &[u32], machines: usize) -> Option<u128> {
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
