//! Ranking the cells of a level: which cell is the r-th with component sum l, without a list of cells.

use super::instance::{Instance, Packed, WORDS};

/// `ways(i, s)`: in how many ways the components of dimensions i.. can sum to s.
#[derive(Debug)]
pub(super) struct Levels {
    levels: usize,
    ways: Vec<u64>,
}

/// A cell in the two forms the recurrence needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) index: u64,
    pub(super) packed: Packed,
}

impl Levels {
    pub(super) fn new(instance: &Instance) -> Self {
        let levels = instance.levels() as usize;
        let dimensions = instance.dimensions();
        let mut ways = vec![0; (dimensions.len() + 1) * levels];
        ways[dimensions.len() * levels] = 1;
        for (i, dimension) in dimensions.iter().enumerate().rev() {
            let (head, tail) = ways.split_at_mut((i + 1) * levels);
            let (row, next) = (&mut head[i * levels..], &tail[..levels]);
            // A sliding window of max + 1 entries of the next row.
            let mut window = 0;
            for sum in 0..levels {
                window += next[sum];
                if let Some(gone) = sum.checked_sub(dimension.max as usize + 1) {
                    window -= next[gone];
                }
                row[sum] = window;
            }
        }
        Levels { levels, ways }
    }

    /// Number of cells of a level.
    pub(super) fn width(&self, level: u32) -> u64 {
        self.ways[level as usize]
    }

    /// The table of ways, one row of as many entries as there are levels for each dimension, and one more.
    pub(super) fn ways(&self) -> &[u64] {
        &self.ways
    }

    /// The cell of that rank, in lexicographic order, among those of a level.
    pub(super) fn cell(&self, instance: &Instance, level: u32, mut rank: u64) -> Cell {
        let mut left = level as usize;
        let mut cell = Cell { index: 0, packed: [0; WORDS] };
        for (i, dimension) in instance.dimensions().iter().enumerate() {
            let next = &self.ways[(i + 1) * self.levels..][..self.levels];
            let mut component = 0;
            while rank >= next[left - component] {
                rank -= next[left - component];
                component += 1;
            }
            left -= component;
            cell.index += component as u64 * dimension.stride;
            cell.packed[dimension.shift as usize / 64] |= (component as u64) << (dimension.shift % 64);
        }
        cell
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_enumerate_each_cell_once_on_its_level() {
        let sizes = [3, 1, 4, 2];
        let instance = Instance::new(&sizes, std::iter::empty::<([u32; 4], u16)>()).unwrap();
        let levels = Levels::new(&instance);
        let mut seen = vec![false; instance.cells() as usize];
        for level in 0..instance.levels() {
            let mut last = None;
            for rank in 0..levels.width(level) {
                let cell = levels.cell(&instance, level, rank);
                assert!(last < Some(cell.index), "lexicographic order");
                last = Some(cell.index);
                let components = components(&instance, &cell);
                assert_eq!(components.iter().sum::<u64>(), u64::from(level));
                assert!(!std::mem::replace(&mut seen[cell.index as usize], true));
            }
        }
        assert!(seen.into_iter().all(|seen| seen));
    }

    /// Components by the cell's index, checked against its packed form.
    fn components(instance: &Instance, cell: &Cell) -> Vec<u64> {
        let dimensions = instance.dimensions().iter();
        dimensions
            .map(|dimension| {
                let component = cell.index / dimension.stride % (u64::from(dimension.max) + 1);
                let field = cell.packed[dimension.shift as usize / 64] >> (dimension.shift % 64);
                assert!(
                    dimension.max == 0
                        || field & (u64::from(dimension.max).next_power_of_two() * 2 - 1) == component
                );
                component
            })
            .collect()
    }
}
