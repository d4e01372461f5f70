/// 32-bit lanes computed together.
pub(super) const LANES: usize = 16;

/// Numbers of adjacent lanes, in one cache line.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(super) struct Block(pub(super) [u32; LANES]);
