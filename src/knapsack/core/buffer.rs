//! The core's lists, in tables whose memory is freed at once when a limit ends the search.

use bytemuck::Pod;

use crate::Result;
use crate::solve::Monitor;
use crate::table::Table;

/// A list with spare capacity.
pub(super) struct Buffer<T> {
    table: Table<T>,
    len: usize,
}

impl<T> Buffer<T> {
    pub(super) fn of(elements: Vec<T>) -> Self {
        Buffer { len: elements.len(), table: Table::Small(elements) }
    }
}

impl<T> Default for Buffer<T> {
    fn default() -> Self {
        Buffer::of(Vec::new())
    }
}

impl<T: Pod> Buffer<T> {
    /// Resizes to `len` elements, which may have any value.
    pub(super) fn resize(&mut self, len: usize, monitor: &Monitor) -> Result<&mut [T]> {
        if self.table.len() < len {
            // Twice as many, so that few steps allocate.
            self.table = table(2 * len, monitor)?;
        }
        self.len = len;
        Ok(&mut self.table[..len])
    }

    /// Keeps the first `len` elements.
    pub(super) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[T] {
        &self.table[..self.len]
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        size_of_val(&self.table[..]) as u64
    }

    /// Additional bytes of `spare` if it is resized to twice this number of elements.
    pub(super) fn growth(&self, spare: &Self) -> u64 {
        ((4 * self.len * size_of::<T>()) as u64).saturating_sub(spare.bytes())
    }
}

/// A table of zeros, if the system has enough memory.
pub(super) fn table<T: Pod>(len: usize, monitor: &Monitor) -> Result<Table<T>> {
    let refused =
        || monitor.out_of_memory((len * size_of::<T>()) as u128, "the core of a knapsack".into());
    Table::zeroed(len).ok_or_else(refused)
}
