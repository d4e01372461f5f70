//! The end of the sequence at which a node is decomposed.

use super::children::Bounds;
use super::node::bits;
use crate::enumeration::enumeration;
use crate::flow_shop::end::End;

enumeration! {
    /// Where a node's children fix their jobs.
    ///
    /// The rules compare the bounds of the children at the front with those at the back, over all
    /// free jobs. A child is closed if its bound is not below the search's initial upper bound.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Branching {
        /// At the end with more closed children; on a tie as `MaxSum`.
        #[default]
        MinBranch: "min-branch", "The end with fewer open children";
        /// At the end where the smallest bound of both ends occurs less often; on a tie at the end
        /// with more closed children; on a second tie at the back.
        MinMin: "min-min",
            "The end where the smallest bound is rarer; on a tie, the end with fewer open \
             children";
        /// At the end with the larger sum of bounds; on a tie at the front.
        MaxSum: "max-sum", "The end with the larger sum of bounds";
        /// Always at the front.
        Forward: "forward", "The front";
        /// Always at the back.
        Backward: "backward", "The back";
        /// Like `MinMin`, but at the front on the first tie.
        MinMinFront: "min-min-front",
            "The end where the smallest bound is rarer; on a tie, the front";
    }
}

impl Branching {
    /// Number of children to bound for the choice of the end.
    pub(super) fn bounds_of(self, free_jobs: usize) -> u64 {
        match self {
            Branching::Forward | Branching::Backward => free_jobs as u64,
            Branching::MinBranch
            | Branching::MinMin
            | Branching::MinMinFront
            | Branching::MaxSum => 2 * free_jobs as u64,
        }
    }

    /// The end at which to decompose the node, from its children's bounds at both ends.
    pub(super) fn choose(self, free: &[u32], front: &Bounds, back: &Bounds) -> End {
        use std::cmp::Ordering::{Equal, Greater, Less};
        match self {
            Branching::Forward => End::Front,
            Branching::Backward => End::Back,
            Branching::MaxSum => max_sum(free, front, back),
            Branching::MinBranch => match front.closed.cmp(&back.closed) {
                Greater => End::Front,
                Less => End::Back,
                Equal => max_sum(free, front, back),
            },
            Branching::MinMin | Branching::MinMinFront => {
                let least =
                    |bounds: &Bounds| bits(free).map(|job| bounds.values[job as usize]).min();
                let smallest = least(front).min(least(back));
                let times = |bounds: &Bounds| {
                    bits(free).filter(|&job| Some(bounds.values[job as usize]) == smallest).count()
                };
                match times(front).cmp(&times(back)) {
                    Less => End::Front,
                    Greater => End::Back,
                    Equal if self == Branching::MinMinFront || front.closed > back.closed => {
                        End::Front
                    }
                    Equal => End::Back,
                }
            }
        }
    }
}

fn max_sum(free: &[u32], front: &Bounds, back: &Bounds) -> End {
    let more_at_front =
        |job: u32| i64::from(front.values[job as usize]) - i64::from(back.values[job as usize]);
    if bits(free).map(more_at_front).sum::<i64>() < 0 { End::Back } else { End::Front }
}
