//! Large tables of plain numbers.

use std::ops::{Deref, DerefMut};

use bytemuck::Pod;
use memmap2::MmapMut;

use crate::{Result, memory};

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

/// A list in a table, with room for a fixed number of elements.
pub(crate) struct TableList<C> {
    table: Table<C>,
    len: usize,
}

impl<C: Pod> TableList<C> {
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub(crate) fn with_room(room: usize) -> Result<Self> {
        let refused = || {
            let bytes = room as u128 * size_of::<C>() as u128;
            memory::refused(bytes, format!("a list of {room} elements"))
        };
        Ok(TableList { table: Table::zeroed(room).ok_or_else(refused)?, len: 0 })
    }

    /// Adds an element, for which there must be room.
    #[inline]
    pub(crate) fn push(&mut self, element: C) {
        self.table[self.len] = element;
        self.len += 1;
    }
}

impl<C: Pod> Deref for TableList<C> {
    type Target = [C];

    #[inline]
    fn deref(&self) -> &[C] {
        &self.table[..self.len]
    }
}

impl<C: Pod> DerefMut for TableList<C> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [C] {
        &mut self.table[..self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::testing::assert_error;

    #[test]
    fn a_list_has_what_was_added() {
        let mut list = TableList::with_room(3).unwrap();
        (1..4u64).for_each(|number| list.push(number));
        list[1] += 5;
        assert_eq!(*list, [1, 7, 3]);
        assert_error!(TableList::<u64>::with_room(usize::MAX / 16), Error::OutOfMemory { .. });
    }

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
