//! The prices at which the next pattern is sought.

/// Share of the best prices in those that are tried; at 0.5 the search takes a third more time, at 0.95 too.
const KEPT: f64 = 0.85;

/// Prices between those of the present basis and those of the best bound so far: they jump less from pattern to
/// pattern, and fewer patterns are needed (Wentges 1997).
#[derive(Default)]
pub(super) struct Prices {
    best: Option<Best>,
    /// Whether the prices tried last gave no pattern that gains at those of the basis, which are next.
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

    /// Takes note of weights at which no pattern is worth more than `capacity`; says whether they are the best so
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

    /// Goes on after a pattern that gained, or not, at the prices of the basis. False if there is none that does.
    pub(super) fn go_on(&mut self, gained: bool) -> bool {
        let found_out = !gained && self.exact;
        self.exact = !gained;
        !found_out
    }
}

/// Prices in whole numbers, so scaled that all jobs together weigh what 32 bits hold.
pub(super) fn weights(prices: &[f64], counts: &[u32]) -> Vec<u32> {
    let all: f64 = prices.iter().zip(counts).map(|(price, &count)| price * f64::from(count)).sum();
    let scale = f64::from(1u32 << 31) / all;
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
    fn the_sum_of_all_weights_fits() {
        let weights = weights(&[1.0 / 3.0, 0.0, 1e-9], &[7, 2, 1000]);
        let sum: u64 =
            weights.iter().zip([7, 2, 1000]).map(|(&weight, count)| u64::from(weight) * count).sum();
        assert!(sum <= 1 << 31 && sum > (1 << 31) - 1100);
    }
}
