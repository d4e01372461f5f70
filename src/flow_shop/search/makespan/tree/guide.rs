//! Guides rank nodes by promise. They compute with integers only, so that every engine ranks nodes
//! equally.

use super::Shop;
use crate::opencl::kernel_arguments;

/// The idle time of a side without jobs.
pub(super) const NO_JOB: u32 = u32::MAX;

/// The rank of nodes in a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::flow_shop::search) enum Guide {
    /// First by weighted idle time of the machines, later more and more by the bound.
    IdleThenBound,
    /// By the bound, on ties by idle time.
    Bound,
}

/// A node's idle time is a sum of shares, one for each machine: the idle time until the last job
/// ended there, divided by that end. So early idle time costs more, and work makes up for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Shares {
    /// A share of 1 is represented by 2 to this power.
    pub(super) bits: u32,
    /// Low bits dropped from times to make them smaller than 2^24; a device's division is too
    /// imprecise for larger ones.
    pub(super) coarse: u32,
    /// Larger than any sum of both sides' idle times.
    pub(super) end: u64,
}

impl Shares {
    pub(super) fn of(shop: &Shop) -> Self {
        // Both sides' sums must stay below 2^31.
        let count = 2 * shop.machines() as u64;
        let bits = (30 - count.ilog2().min(30)).min(20);
        Shares {
            bits,
            coarse: bits_of(shop.horizon().into()).saturating_sub(24),
            end: (count << bits) + 1,
        }
    }

    /// The share of idle time until a job ended, rounded down. Unused lanes may return any number.
    #[inline(always)]
    pub(super) fn share(self, idle: u32, end: u32) -> u32 {
        let (idle, end) = (idle >> self.coarse, (end >> self.coarse).max(1));
        // Signed integers convert to floating point in one instruction. Adding 2^23 leaves the
        // integer part in the low bits.
        let scale = (1u32 << self.bits) as f32;
        let near = (idle as i32 as f32 * scale / end as i32 as f32 + 8_388_608.0).to_bits();
        let share = near.wrapping_sub(0x4b00_0000);
        // The share is exact or one too large, which the sign of the remainder shows.
        let left = (idle << self.bits).wrapping_sub(share.wrapping_mul(end)) as i32;
        share.wrapping_add_signed(left >> 31)
    }
}

/// Converts bounds and idle times of one level's children to ranks; smaller ranks are better.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ranking {
    guide: Guide,
    /// Whether the children are complete schedules.
    complete: bool,
    share_bits: u32,
    /// Share of placed jobs, times 2^16.
    progress: u32,
    root_bound: u32,
    pub(super) upper: u32,
    /// Shift that keeps the guide's numbers below 2^31: to the right, or for the bound to the left.
    shift: u32,
    /// Right shift of idle times if they only break ties between bounds.
    idle_shift: u32,
}

/// Rank of nodes with jobs at only one end: after all others.
pub(super) const ONE_SIDED: u32 = 1 << 31;
/// Fraction bits of `progress`.
pub(super) const PROGRESS_BITS: u32 = 16;
/// The guides for kernels. Complete schedules, the last number, are ranked by their makespan.
pub(super) const IDLE_THEN_BOUND: u32 = 0;
pub(super) const BOUND: u32 = 1;
const COMPLETE: u32 = 2;

kernel_arguments! {
    /// A ranking for kernels.
    pub(super) struct RankingParameters {
        guide: u32,
        share_bits: u32,
        progress: u32,
        root_bound: u32,
        upper: u32,
        shift: u32,
        idle_shift: u32,
    }
}

impl Ranking {
    /// The ranking of children with `depth` placed jobs.
    pub(super) fn new(
        guide: Guide,
        shop: &Shop,
        depth: usize,
        root_bound: u32,
        upper: u32,
    ) -> Self {
        let shares = Shares::of(shop);
        let upper = upper.min(shop.horizon() + 1);
        let (shift, idle_shift) = match guide {
            Guide::IdleThenBound => {
                (bits_of(u128::from(upper) * u128::from(shares.end)).saturating_sub(30), 0)
            }
            Guide::Bound => {
                let room = 31 - bits_of(upper.saturating_sub(root_bound).into()).min(31);
                (room, bits_of(shares.end.into()).saturating_sub(room))
            }
        };
        Ranking {
            guide,
            complete: depth == shop.jobs(),
            share_bits: shares.bits,
            progress: ((depth as u64) << PROGRESS_BITS).div_euclid(shop.jobs() as u64) as u32,
            root_bound,
            upper,
            shift,
            idle_shift,
        }
    }

    /// The ranking as kernel arguments; see `rank` in `cl/flow_shop_beam.cl`.
    pub(super) fn parameters(&self) -> RankingParameters {
        let guide = match (self.complete, self.guide) {
            (true, _) => COMPLETE,
            (_, Guide::Bound) => BOUND,
            (_, Guide::IdleThenBound) => IDLE_THEN_BOUND,
        };
        let &Ranking { share_bits, progress, root_bound, upper, shift, idle_shift, .. } = self;
        RankingParameters { guide, share_bits, progress, root_bound, upper, shift, idle_shift }
    }

    /// The rank of a child with a bound below `upper`, and with these idle times at its new job's
    /// side and at the opposite side.
    pub(super) fn key(&self, bound: u32, idle: u32, opposite: u32) -> u32 {
        if self.complete {
            return bound;
        }
        let one_sided = if opposite == NO_JOB { ONE_SIDED } else { 0 };
        let idle = idle + if opposite == NO_JOB { 0 } else { opposite };
        let value = match self.guide {
            Guide::IdleThenBound => {
                let rest = (1 << PROGRESS_BITS) - self.progress;
                let weight = (u64::from(self.progress) << self.share_bits)
                    + u64::from(rest) * u64::from(idle);
                ((u64::from(bound) * (weight >> PROGRESS_BITS)) >> self.shift) as u32
            }
            Guide::Bound => {
                (bound.saturating_sub(self.root_bound) << self.shift) | (idle >> self.idle_shift)
            }
        };
        value | one_sided
    }
}

/// Number of significant bits.
fn bits_of(number: u128) -> u32 {
    128 - number.leading_zeros()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::flow_shop::Instance;

    proptest! {
        #[test]
        fn shares_are_rounded_down(end in 0u32..1 << 24, idle in any::<u32>(), bits in 0u32..=20) {
            for idle in [idle % (end + 1), 0, end] {
                let exact = (u64::from(idle) << bits) / u64::from(end.max(1));
                prop_assert_eq!(u64::from(Shares { bits, coarse: 0, end: 0 }.share(idle, end)), exact);
                prop_assert_eq!(u64::from(Shares { bits, coarse: 3, end: 0 }.share(idle << 3, end << 3)), exact);
            }
        }

        #[test]
        fn keys_grow_with_the_bound_and_the_idle_time(
            (jobs, machines, time) in (1usize..9, 1usize..70, 0u32..400_000),
            depth in 0usize..9,
            (bound, idle, opposite) in (any::<u32>(), any::<u32>(), any::<u32>()),
        ) {
            let shop = Shop::of(&Instance::new(jobs, machines, vec![time; jobs * machines]).unwrap());
            let shares = Shares::of(&shop);
            let half = (shares.end / 2) as u32;
            let (bound, idle, opposite) = (bound % (shop.horizon() + 1), idle % half, opposite % half);
            for guide in [Guide::IdleThenBound, Guide::Bound] {
                let ranking = Ranking::new(guide, &shop, depth.min(jobs), 0, u32::MAX);
                let key = ranking.key(bound, idle, opposite);
                prop_assert!(key < ONE_SIDED);
                prop_assert!(ranking.key(bound + 1, idle, opposite) >= key);
                prop_assert!(ranking.key(bound, idle + 1, opposite) >= key);
                prop_assert!(ranking.complete || ranking.key(bound, idle, NO_JOB) >= ONE_SIDED);
            }
        }
    }
}
