//! The prices for which the next pattern is searched.

use super::job_types::JobTypes;

/// Share of the best prices in the tried ones. With 0.5 or 0.95 the search takes a third more time.
const KEPT: f64 = 0.85;

/// Smoothed prices, between those of the current basis and those of the best bound so far. They
/// vary less from pattern to pattern, so fewer patterns are needed (Wentges 1997).
#[derive(Default)]
pub(super) struct Prices {
    best: Option<Best>,
    /// Whether to try the basis prices next, because the pattern found for the latest prices has no
    /// gain at them.
    exact: bool,
}

struct Best {
    bound: f64,
    /// Scaled so that no pattern's value exceeds 1.
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

    /// Records weights at which no pattern exceeds `capacity`; returns whether they are the best so
    /// far.
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

    /// Continues after a pattern that has a gain at the prices of the basis, or not. Returns false
    /// if no pattern has one.
    pub(super) fn go_on(&mut self, gained: bool) -> bool {
        let found_out = !gained && self.exact;
        self.exact = !gained;
        !found_out
    }
}

/// Prices as whole numbers, scaled so that no pattern within the capacity exceeds a value of about
/// 2^31: the finest that 32 bits allow, for any number of jobs.
pub(super) fn weights(prices: &[f64], types: &JobTypes, capacity: u64) -> Vec<u32> {
    let jobs = std::iter::zip(&types.counts, &types.times);
    let priced = || prices.iter().zip(jobs.clone());
    // The value of a pattern is at most that of all jobs, and at most its load times the best value
    // for time.
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
        // For any number of jobs, at most 2 + 1 of the first two fit.
        let many = weights(&[0.4, 0.25, 0.0], &types([u32::MAX; 3]), 80);
        let best = 2 * u64::from(many[0]) + u64::from(many[1]);
        assert!(best <= 1 << 31 && best > 1 << 30, "{best}");
        assert_eq!(weights(&[0.0; 3], &types([1; 3]), 80), [0; 3]);
    }
}
