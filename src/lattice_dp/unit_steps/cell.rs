use std::fmt::Debug;
use std::sync::atomic::{AtomicU16, AtomicU32, Ordering};

use crate::opencl::Element;

/// A cell in a table that several threads fill at once. Each cell has one writer, and its readers
/// come after a join of the threads, so relaxed atomic accesses are enough.
pub(super) trait PairCell: Element + Into<u32> + Default + PartialEq + Debug {
    type Atomic: Default + Send + Sync;
    /// Bytes of a cell, as a define for kernels.
    const BYTES: u64 = size_of::<Self>() as u64;

    /// Converts a pair that is known to fit.
    fn from_pair(pair: u32) -> Self;
    fn load(cell: &Self::Atomic) -> Self;
    fn store(cell: &Self::Atomic, value: Self);
    fn into_inner(cell: Self::Atomic) -> Self;
}

impl PairCell for u16 {
    type Atomic = AtomicU16;

    fn from_pair(pair: u32) -> u16 {
        pair as u16
    }

    fn load(cell: &AtomicU16) -> u16 {
        cell.load(Ordering::Relaxed)
    }

    fn store(cell: &AtomicU16, value: u16) {
        cell.store(value, Ordering::Relaxed);
    }

    fn into_inner(cell: AtomicU16) -> u16 {
        cell.into_inner()
    }
}

impl PairCell for u32 {
    type Atomic = AtomicU32;

    fn from_pair(pair: u32) -> u32 {
        pair
    }

    fn load(cell: &AtomicU32) -> u32 {
        cell.load(Ordering::Relaxed)
    }

    fn store(cell: &AtomicU32, value: u32) {
        cell.store(value, Ordering::Relaxed);
    }

    fn into_inner(cell: AtomicU32) -> u32 {
        cell.into_inner()
    }
}
