//! The time shares of a portfolio's phases.

use crate::flow_shop::search::Shop;

/// The fractions of the time at which the phases end; 0 for phases that are skipped. Iterated
/// greedy search takes the remaining time.
pub(super) struct TimeShares {
    pub(super) beam: f64,
    pub(super) first_greedy: f64,
    pub(super) proof: f64,
}

impl TimeShares {
    pub(super) fn of(shop: &Shop) -> Self {
        match (shop.jobs(), shop.machines()) {
            // The optimum is found early, and most of these instances are proved in seconds.
            (..=20, _) => TimeShares { beam: 0.1, first_greedy: 0.25, proof: 1.0 },
            // Few machines: the root's bound is often the optimum; otherwise branch and bound is
            // either quick or hopeless.
            (_, ..=10) => TimeShares { beam: 0.4, first_greedy: 0.0, proof: 0.5 },
            // Beam search is best for many jobs, especially on many machines.
            (300.., _) | (200.., 40..) => TimeShares { beam: 0.8, first_greedy: 0.0, proof: 0.0 },
            _ => TimeShares { beam: 0.5, first_greedy: 0.0, proof: 0.0 },
        }
    }

    /// Gives the time of iterated greedy search to the other phases.
    pub(super) fn without_greedy(self) -> Self {
        TimeShares {
            beam: if self.proof > 0.0 { self.beam } else { 1.0 },
            first_greedy: 0.0,
            proof: self.proof.ceil(),
        }
    }
}
