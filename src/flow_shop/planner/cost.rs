use std::ops::{Add, AddAssign, SubAssign};

use crate::flow_shop::Objective;

/// The values of an objective's stages; unused ones are 0. The order is that of schedules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cost(pub(super) [i64; Objective::MAX_STAGES]);

impl Cost {
    /// Worse than every schedule.
    pub(super) const WORST: Cost = Cost([i64::MAX; Objective::MAX_STAGES]);

    /// The value of the first stage.
    pub(super) fn first(&self) -> i64 {
        self.0[0]
    }
}

impl Add for Cost {
    type Output = Cost;

    #[inline]
    fn add(mut self, other: Cost) -> Cost {
        self += other;
        self
    }
}

impl AddAssign for Cost {
    #[inline]
    fn add_assign(&mut self, other: Cost) {
        for (value, more) in self.0.iter_mut().zip(&other.0) {
            *value += more;
        }
    }
}

impl SubAssign for Cost {
    #[inline]
    fn sub_assign(&mut self, other: Cost) {
        for (value, less) in self.0.iter_mut().zip(&other.0) {
            *value -= less;
        }
    }
}
