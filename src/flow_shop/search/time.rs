use crate::flow_shop::instance::MAX_HORIZON;

/// Numbers that hold the times of a schedule: 16 bits where they suffice, since twice as many fit into a vector.
pub(super) trait Time: Copy + Ord + Default + Send + Sync + 'static {
    /// The longest schedule that these numbers hold; what is longer may be taken for this.
    const MAX: u32;

    /// `time` is within range.
    fn from_u32(time: u32) -> Self;
    fn to_u32(self) -> u32;
    /// The sum, or the largest number where that is less.
    fn plus(self, other: Self) -> Self;
}

impl Time for u16 {
    const MAX: u32 = u16::MAX as u32;

    #[inline(always)]
    fn from_u32(time: u32) -> Self {
        time as u16
    }

    #[inline(always)]
    fn to_u32(self) -> u32 {
        self.into()
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

impl Time for u32 {
    const MAX: u32 = MAX_HORIZON as u32;

    #[inline(always)]
    fn from_u32(time: u32) -> Self {
        time
    }

    #[inline(always)]
    fn to_u32(self) -> u32 {
        self
    }

    /// No sum of times of an instance reaches the end of the range; only lanes without a meaning may.
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}
