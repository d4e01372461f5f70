//! The prices at which the next pattern is sought.

use crate::parallel_machines::job_types::JobTypes;

/// Share of the best prices in those that are tried; at 0.5 the search takes a third more time, at
/// 0.95 too.
const KEPT: f64 = 0.85;

/// Prices between those of the present basis and those of the best bound so far: they jump less
/// from pattern to pattern, and fewer patterns are needed (Wentges 1997).
#[derive(Default)]
pub(super) struct Prices {
    best: Option<Best>,
    /// Whether the prices tried last gave no pattern that gains at those of the basis, which are
    /// next.
    exact: bool,
}

struct Best {
    bound: f64,
    /// So scaled that no pattern is worth more than 1.
    prices: Vec<f64>,
}

impl Prices {
    /// The prices to try at these dual values.
    pub(super) fn at(&self, duals: &[f64]) -> Vec<f64> {
        match &self.best {
            Some(best) if !self.exact => {
                let mixed = |(dual, kept): (&f64, &f64)| (1.0 - KEPT) * dual.max(0.0) + KEPT * kept;
                duals.iter().zip(&best.prices).map(mixed).collect()
            }
            _ => duals.iter().map(|dual| dual.max(0.0)).collect(),
        }
    }

    /// Takes note of weights at which no pattern is worth more than `capacity`; says whether they
    /// are the best so far.
    pub(super) fn note(&mut self, weights: &[u32], counts: &[u32], capacity: u32) -> bool {
        let scaled = |&weight: &u32| f64::from(weight) / f64::from(capacity);
        let prices: Vec<f64> = weights.iter().map(scaled).collect();
        let bound = prices.iter().zip(counts).map(|(price, &count)| price * f64::from(count)).sum();
        let better = self.best.as_ref().is_none_or(|best| bound > best.bound);
        if better {
            self.best = Some(Best { bound, prices });
        }
        better
    }

    /// Goes on after a pattern that gained, or not, at the prices of the basis. False if there is
    /// none that does.
    pub(super) fn go_on(&mut self, gained: bool) -> bool {
        let found_out = !gained && self.exact;
        self.exact = !gained;
        !found_out
    }
}

/// Prices in whole numbers, so scaled that no pattern of at most the capacity is worth more than
/// about 2^31: as fine as 32 bits allow, whatever the number of jobs.
pub(super) fn weights(prices: &[f64], types: &JobTypes, capacity: u64) -> Vec<u32> {
    let jobs = std::iter::zip(&types.counts, &types.times);
    let priced = || prices.iter().zip(jobs.clone());
    // A pattern holds no more than all jobs, nor more than its load of the job that is worth most
    // for its time.
    let all: f64 = priced().map(|(price, (&count, _))| price * f64::from(count)).sum();
    let dearest = priced().map(|(price, (_, &time))| price / time as f64).fold(0.0, f64::max);
    let scale = f64::from(1u32 << 31) / all.min(dearest * capacity as f64);
    prices.iter().map(|price| (price * scale) as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_mixed_until_they_lead_nowhere() {
        let mut prices = Prices::default();
        assert_eq!(prices.at(&[0.5, -0.1]), [0.5, 0.0]);
        assert!(prices.note(&[30, 10], &[1, 2], 100));
        assert!(!prices.note(&[30, 10], &[1, 2], 200), "half the bound");
        let mixed = prices.at(&[1.0, 0.0]);
        assert!((mixed[0] - (0.15 + 0.85 * 0.3)).abs() < 1e-12 && (mixed[1] - 0.085).abs() < 1e-12);
        assert!(prices.go_on(true) && prices.go_on(false));
        assert_eq!(prices.at(&[1.0, 0.0]), [1.0, 0.0]);
        assert!(!prices.go_on(false));
    }

    #[test]
    fn the_weight_of_a_pattern_fits() {
        let types = |counts: [u32; 3]| JobTypes { times: vec![30, 20, 7], counts: counts.to_vec() };
        // All jobs together fit.
        let few = weights(&[1.0 / 3.0, 0.0, 1e-9], &types([3, 2, 1000]), 100_000);
        let sum: u64 =
            few.iter().zip([3, 2, 1000]).map(|(&weight, count)| u64::from(weight) * count).sum();
        assert!(sum <= 1 << 31 && sum > (1 << 31) - 1100, "{sum}");
        // However many there are, 2 + 1 of the first two fit at most.
        let many = weights(&[0.4, 0.25, 0.0], &types([u32::MAX; 3]), 80);
        let best = 2 * u64::from(many[0]) + u64::from(many[1]);
        assert!(best <= 1 << 31 && best > 1 << 30, "{best}");
        assert_eq!(weights(&[0.0; 3], &types([1; 3]), 80), [0; 3]);
    }
}
