use crate::Result;
use crate::knapsack::core::buffer::table;
use crate::solve::Monitor;
use crate::table::Table;

/// Least words of a table of [`Bits`].
pub(super) const TABLE_WORDS: usize = 1 << 20;

/// A range of words of [`Bits`].
#[derive(Clone, Copy)]
pub(super) struct Place {
    table: usize,
    first: usize,
    words: usize,
}

/// The words of all layers, in tables whose memory is freed at once when a limit ends the search.
#[derive(Default)]
pub(super) struct Bits {
    tables: Vec<Table<u64>>,
    /// Used words of the last table.
    used: usize,
}

impl Bits {
    /// Reserves words for a layer.
    pub(super) fn reserve(&mut self, words: usize, monitor: &Monitor) -> Result<Place> {
        if self.tables.last().is_none_or(|table| table.len() - self.used < words) {
            self.tables.push(table(words.max(TABLE_WORDS), monitor)?);
            self.used = 0;
        }
        Ok(Place { table: self.tables.len() - 1, first: self.used, words })
    }

    pub(super) fn of(&self, place: Place) -> &[u64] {
        &self.tables[place.table][place.first..][..place.words]
    }

    pub(super) fn of_mut(&mut self, place: Place) -> &mut [u64] {
        &mut self.tables[place.table][place.first..][..place.words]
    }

    /// Keeps the words reserved last.
    pub(super) fn keep(&mut self, place: Place) {
        self.used += place.words;
    }

    pub(super) fn bytes(&self) -> usize {
        self.tables.iter().map(|table| table.len() * 8).sum()
    }
}
