/// Integers that hold the times of a schedule: 16 bits if they suffice, since twice as many fit
/// into a vector. Sums wrap around; if `Shop::fits` holds, no meaningful sum does.
pub(in crate::flow_shop) trait Time:
    Copy + Ord + Default + Send + Sync + 'static
{
    /// Larger than every time that fits: a missing value.
    const NONE: Self;

    /// Converts a time, which must be in range.
    fn from_u32(time: u32) -> Self;
    fn to_u32(self) -> u32;
    fn plus(self, other: Self) -> Self;
}

impl Time for u16 {
    const NONE: Self = u16::MAX;

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
        self.wrapping_add(other)
    }
}

impl Time for u32 {
    const NONE: Self = u32::MAX;

    #[inline(always)]
    fn from_u32(time: u32) -> Self {
        time
    }

    #[inline(always)]
    fn to_u32(self) -> u32 {
        self
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}
