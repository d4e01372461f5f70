//! Which end of the sequence a node is decomposed at.

use super::lanes::Bounds;
use super::node::{End, bits};

/// Where the jobs of a node's children are fixed.
///
/// F and B are the bounds of the children at the front and at the back, over all free jobs; a child
/// is closed if its bound is not below the upper bound that the search began with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Branching {
    /// Always at the front.
    Forward,
    /// Always at the back.
    Backward,
    /// At the end with more closed children; else by `MaxSum`.
    #[default]
    MinBranch,
    /// At the end where the smallest bound of both occurs less often; else at the end with more
    /// closed children, the back if there are equally many.
    MinMin,
    /// Like `MinMin`, but at the front wherever the smallest bound occurs equally often.
    MinMinFront,
    /// At the end with the larger sum of bounds, the front if they are equal.
    MaxSum,
}

impl Branching {
    /// All rules.
    pub const ALL: [Branching; 6] = [
        Branching::Forward,
        Branching::Backward,
        Branching::MinBranch,
        Branching::MinMin,
        Branching::MinMinFront,
        Branching::MaxSum,
    ];

    /// The rule's name in the command's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Branching::Forward => "forward",
            Branching::Backward => "backward",
            Branching::MinBranch => "min-branch",
            Branching::MinMin => "min-min",
            Branching::MinMinFront => "min-min-front",
            Branching::MaxSum => "max-sum",
        }
    }

    /// How many children are bounded for the choice among so many free jobs.
    pub(super) fn bounds_of(self, free_jobs: usize) -> u64 {
        match self {
            Branching::Forward | Branching::Backward => free_jobs as u64,
            Branching::MinBranch
            | Branching::MinMin
            | Branching::MinMinFront
            | Branching::MaxSum => 2 * free_jobs as u64,
        }
    }

    /// The end at which the node is decomposed, from the bounds of its children at both.
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
