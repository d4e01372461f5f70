//! Large tables of plain numbers.

use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use memmap2::MmapMut;

/// The cells of a table, zeroed by the operating system page by page on first use.
pub(crate) enum Table<C> {
    Small(Vec<C>),
    /// In huge pages if available: filling causes fewer page faults, and a stopped solve can
    /// release gigabytes at once.
    Large(MmapMut),
}

/// Tables of at least this many bytes are mapped: the size of a few huge pages.
const LARGE: usize = 1 << 23;

impl<C: Pod> Table<C> {
    /// A table of zeros; `None` if the system lacks the memory.
    pub(crate) fn zeroed(cells: usize) -> Option<Self> {
        let bytes = cells.checked_mul(size_of::<C>())?;
        if bytes < LARGE {
            return bytemuck::allocation::try_zeroed_vec(cells).ok().map(Table::Small);
        }
        let map = MmapMut::map_anon(bytes).ok()?;
        #[cfg(target_os = "linux")]
        // This is only a hint: the table also works without huge pages.
        let _ = map.advise(memmap2::Advice::HugePage);
        Some(Table::Large(map))
    }
}

impl<C: Pod> Deref for Table<C> {
    type Target = [C];

    #[inline]
    fn deref(&self) -> &[C] {
        match self {
            Table::Small(cells) => cells,
            Table::Large(map) => bytemuck::cast_slice(map),
        }
    }
}

impl<C: Pod> DerefMut for Table<C> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [C] {
        match self {
            Table::Small(cells) => cells,
            Table::Large(map) => bytemuck::cast_slice_mut(map),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_are_zeroed_and_keep_values() {
        for cells in [0, 1, LARGE / 2 - 1, LARGE / 2, LARGE] {
            let mut table = Table::<u16>::zeroed(cells).unwrap();
            assert_eq!(table.len(), cells);
            assert!(table.iter().all(|&cell| cell == 0));
            if let Some(last) = table.last_mut() {
                *last = 7;
                assert_eq!(table[cells - 1], 7);
            }
        }
        assert!(Table::<u8>::zeroed(usize::MAX).is_none());
        assert!(Table::<u16>::zeroed(usize::MAX / 4).is_none());
    }
}
