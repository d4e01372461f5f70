//! Pisinger's classes of 0-1 knapsacks: the seven of "A minimal algorithm" (1997) and the six of
//! "Where are the hard knapsack problems?" (2005). Strongly correlated ones with even weights and
//! an odd capacity are a class more. The generator is our own.

use makespan::knapsack::Instance;

use crate::common::random::Random;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Uncorrelated,
    WeaklyCorrelated,
    StronglyCorrelated,
    InverseStronglyCorrelated,
    AlmostStronglyCorrelated,
    SubsetSum,
    SimilarWeights,
    SpannerUncorrelated,
    SpannerWeakly,
    SpannerStrongly,
    MultipleStrongly,
    ProfitCeiling,
    Circle,
    EvenOdd,
}

impl Class {
    pub(crate) const ALL: [Class; 14] = [
        Class::Uncorrelated,
        Class::WeaklyCorrelated,
        Class::StronglyCorrelated,
        Class::InverseStronglyCorrelated,
        Class::AlmostStronglyCorrelated,
        Class::SubsetSum,
        Class::SimilarWeights,
        Class::SpannerUncorrelated,
        Class::SpannerWeakly,
        Class::SpannerStrongly,
        Class::MultipleStrongly,
        Class::ProfitCeiling,
        Class::Circle,
        Class::EvenOdd,
    ];

    /// `n` items with numbers up to about `r`; the capacity is 50/101 of the sum of the weights for
    /// seed 0, and other parts for other seeds.
    pub(crate) fn generate(self, n: usize, r: u64, seed: u64) -> Instance {
        let mut random = Random(
            seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (self as u64) << 32 ^ r << 8 ^ n as u64,
        );
        let items: Vec<(u64, u64)> = match self {
            Class::SpannerUncorrelated => span(Class::Uncorrelated, n, r, &mut random),
            Class::SpannerWeakly => span(Class::WeaklyCorrelated, n, r, &mut random),
            Class::SpannerStrongly => span(Class::StronglyCorrelated, n, r, &mut random),
            _ => (0..n).map(|_| self.draw(r, &mut random)).collect(),
        };
        let sum: u64 = items.iter().map(|item| item.1).sum();
        let heaviest = items.iter().map(|item| item.1).max().unwrap_or(1);
        let share = if seed == 0 { 50 } else { 1 + (seed * 37) % 100 };
        let (profits, weights) = items.into_iter().unzip();
        let capacity = (sum * share / 101).max(heaviest);
        Instance::new(
            profits,
            weights,
            if self == Class::EvenOdd { capacity | 1 } else { capacity },
        )
        .unwrap()
    }

    /// A profit and a weight.
    fn draw(self, r: u64, random: &mut Random) -> (u64, u64) {
        let w = random.within(1, r);
        match self {
            Class::WeaklyCorrelated => {
                (random.within(w.saturating_sub(r / 10).max(1), w + r / 10), w)
            }
            Class::StronglyCorrelated => (w + r / 10, w),
            Class::InverseStronglyCorrelated => (w, w + r / 10),
            Class::AlmostStronglyCorrelated => {
                (random.within(w + r / 10 - r / 500, w + r / 10 + r / 500), w)
            }
            Class::SubsetSum => (w, w),
            Class::EvenOdd => {
                let even = 2 * w.div_ceil(2);
                (even + r / 10, even)
            }
            Class::SimilarWeights => (random.within(1, r), random.within(100_000, 100_100)),
            Class::MultipleStrongly => (w + (if w.is_multiple_of(6) { 3 } else { 2 }) * r / 10, w),
            Class::ProfitCeiling => (3 * w.div_ceil(3), w),
            Class::Circle => {
                let (radius, w_) = (2.0 * r as f64, w as f64);
                let p = 2.0 / 3.0 * (radius * radius - (w_ - radius) * (w_ - radius)).sqrt();
                (p.round().max(1.0) as u64, w)
            }
            _ => (random.within(1, r), w),
        }
    }
}

/// Multiples 1 to 10 of two small items.
fn span(base: Class, n: usize, r: u64, random: &mut Random) -> Vec<(u64, u64)> {
    let small = |number: u64| (2 * number).div_ceil(10).max(1);
    let spanner: Vec<(u64, u64)> = (0..2)
        .map(|_| {
            let (p, w) = base.draw(r, random);
            (small(p), small(w))
        })
        .collect();
    (0..n)
        .map(|i| {
            let multiple = random.within(1, 10);
            let (p, w) = spanner[i % 2];
            (multiple * p, multiple * w)
        })
        .collect()
}
