//! The vectors of capacities, in the order of their numbers in the last dimension first. A row has
//! those that differ in the last dimension only.

use crate::memory::Gather;
use crate::{Error, Result};

/// Most cells of a lattice. A device numbers blocks of 32 cells by 32 bits.
const MOST_CELLS: u128 = 1 << 36;

/// All vectors of capacities up to a largest one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lattice {
    /// Capacities of each dimension, among them 0.
    pub(super) sizes: Vec<usize>,
}

impl Lattice {
    pub(super) fn new(capacities: &[usize]) -> Self {
        Lattice { sizes: capacities.iter().map(|capacity| capacity + 1).collect() }
    }

    /// Number of cells up to these capacities; nothing if no table has as many.
    pub(super) fn cells_of(capacities: &[u64]) -> Option<u64> {
        let size = |&capacity: &u64| u128::from(capacity) + 1;
        let cells = capacities.iter().map(size).try_fold(1u128, u128::checked_mul)?;
        (cells <= MOST_CELLS.min(isize::MAX as u128)).then_some(cells as u64)
    }

    /// The error for a table of this lattice that is too large.
    pub(super) fn too_large(&self, required: u128, limit: u64) -> Box<Error> {
        let capacities: Vec<u64> = self.sizes.iter().map(|&size| size as u64 - 1).collect();
        too_large(&capacities, required, limit)
    }

    pub(super) fn cells(&self) -> usize {
        self.sizes.iter().product()
    }

    /// Cells of a row.
    pub(super) fn row(&self) -> usize {
        self.sizes[self.sizes.len() - 1]
    }

    /// Sizes of all dimensions but the last.
    pub(super) fn leading(&self) -> &[usize] {
        &self.sizes[..self.sizes.len() - 1]
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.leading().iter().product()
    }

    /// The number of a row by its place in the leading dimensions.
    pub(super) fn row_at(&self, place: &[usize]) -> usize {
        self.leading().iter().zip(place).fold(0, |row, (size, at)| row * size + at)
    }

    /// The place of a row in the leading dimensions.
    pub(super) fn place_of(&self, mut row: usize, place: &mut [usize]) {
        for (at, size) in place.iter_mut().zip(self.leading()).rev() {
            (row, *at) = (row / size, row % size);
        }
    }
}

/// The cells from some place on, in all dimensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Window {
    /// The first capacity of each dimension.
    pub(super) first: Vec<usize>,
}

impl Window {
    /// Number of the window's rows.
    pub(super) fn rows(&self, lattice: &Lattice) -> usize {
        lattice.leading().iter().zip(&self.first).map(|(size, first)| size - first).product()
    }

    /// Cells of a row of the window.
    pub(super) fn row(&self, lattice: &Lattice) -> usize {
        lattice.row() - self.first[lattice.sizes.len() - 1]
    }

    pub(super) fn contains(&self, place: &[usize]) -> bool {
        self.first.iter().zip(place).all(|(first, at)| first <= at)
    }

    /// Number of the window's rows before one, which need not be in the window itself.
    pub(super) fn rows_before(&self, lattice: &Lattice, row: usize) -> usize {
        let mut place = [0; super::MOST_DIMENSIONS];
        let sizes = lattice.leading();
        let place = &mut place[..sizes.len()];
        lattice.place_of(row.min(lattice.rows()), place);
        if row >= lattice.rows() {
            return self.rows(lattice);
        }
        let mut before = 0;
        for (dimension, (&at, &first)) in place.iter().zip(&self.first).enumerate() {
            let of_rest = || -> usize {
                let rest = dimension + 1..sizes.len();
                rest.map(|rest| sizes[rest] - self.first[rest]).product()
            };
            if at < first {
                break;
            }
            before += (at - first) * of_rest();
        }
        before
    }

    /// The place of the window's row with a number.
    pub(super) fn place_of(&self, lattice: &Lattice, mut number: usize, place: &mut [usize]) {
        for ((at, size), first) in place.iter_mut().zip(lattice.leading()).zip(&self.first).rev() {
            let span = size - first;
            (number, *at) = (number / span, first + number % span);
        }
    }
}

/// An item of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Item {
    pub(super) profit: u64,
    pub(super) weights: Vec<usize>,
    /// Its position among the problem's pieces.
    pub(super) piece: usize,
}

/// For each item the cells that are needed after it, if the last cell is wanted after all of them.
pub(super) fn windows(lattice: &Lattice, items: &[Item]) -> Result<Vec<Window>> {
    let mut first: Vec<usize> = lattice.sizes.iter().map(|size| size - 1).collect();
    let mut windows: Vec<Window> = items
        .iter()
        .rev()
        .map(|item| {
            let window = Window { first: first.clone() };
            for (first, weight) in first.iter_mut().zip(&item.weights) {
                *first = first.saturating_sub(*weight);
            }
            window
        })
        .gather()?;
    windows.reverse();
    Ok(windows)
}

/// The error for a table that is too large.
pub(super) fn too_large(capacities: &[u64], required: u128, limit: u64) -> Box<Error> {
    let sizes: Vec<String> =
        capacities.iter().map(|most| (u128::from(*most) + 1).to_string()).collect();
    let what = format!("a knapsack table of {} capacities", sizes.join(" x "));
    Box::new(Error::OutOfMemory { what, required, limit })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn rows_of_windows_are_counted(
            sizes in prop::collection::vec((1usize..5, 0usize..5), 1..5),
        ) {
            let capacities: Vec<usize> = sizes.iter().map(|size| size.0 - 1).collect();
            let lattice = Lattice::new(&capacities);
            let window = Window { first: sizes.iter().map(|&(size, first)| first.min(size - 1)).collect() };
            let (mut place, mut number) = (vec![0; sizes.len() - 1], 0);
            for row in 0..lattice.rows() {
                prop_assert_eq!(window.rows_before(&lattice, row), number);
                lattice.place_of(row, &mut place);
                prop_assert_eq!(lattice.row_at(&place), row);
                if place.iter().zip(&window.first).all(|(at, first)| first <= at) {
                    let mut found = vec![0; place.len()];
                    window.place_of(&lattice, number, &mut found);
                    prop_assert_eq!(&found, &place);
                    number += 1;
                }
            }
            prop_assert_eq!(window.rows(&lattice), number);
            prop_assert_eq!(window.rows_before(&lattice, lattice.rows() + 1), number);
        }
    }
}
