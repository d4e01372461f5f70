//! How long the phases of a portfolio take.

use crate::flow_shop::search::Shop;

/// The shares of the time after which the phases are over; 0 of those that are left out. Iterated
/// greedy search takes the rest.
pub(super) struct Plan {
    pub(super) beam: f64,
    pub(super) first_greedy: f64,
    pub(super) proof: f64,
}

impl Plan {
    pub(super) fn of(shop: &Shop) -> Self {
        match (shop.jobs(), shop.machines()) {
            // The optimum is soon found, and most of these are proved in seconds.
            (..=20, _) => Plan { beam: 0.1, first_greedy: 0.25, proof: 1.0 },
            // Few machines: often the root's bound is the optimum, and if not, branch and bound is
            // quick or hopeless.
            (_, ..=10) => Plan { beam: 0.4, first_greedy: 0.0, proof: 0.5 },
            // The beam leads where there are many jobs, even more so on many machines.
            (300.., _) | (200.., 40..) => Plan { beam: 0.8, first_greedy: 0.0, proof: 0.0 },
            _ => Plan { beam: 0.5, first_greedy: 0.0, proof: 0.0 },
        }
    }

    /// What the others do with the time of iterated greedy search.
    pub(super) fn without_greedy(self) -> Self {
        Plan {
            beam: if self.proof > 0.0 { self.beam } else { 1.0 },
            first_greedy: 0.0,
            proof: self.proof.ceil(),
        }
    }
}
