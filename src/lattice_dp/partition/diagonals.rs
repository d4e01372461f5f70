/// The anti-diagonal levels of a box: the sets of its vectors with equal sums of components. No
/// vector is stored. The vectors of a level are numbered in lexicographic order, and counts of
/// vectors lead from a number to its vector.
#[derive(Debug)]
pub(super) struct Diagonals {
    sizes: Vec<u32>,
    levels: usize,
    /// Row d, one word for each level: how many vectors of the dimensions from d on have that sum.
    counts: Vec<u32>,
}

impl Diagonals {
    /// The levels of a box of fewer than 2^32 cells.
    pub(super) fn new(sizes: &[u32]) -> Self {
        let levels = levels(sizes);
        let mut counts = vec![0; (sizes.len() + 1) * levels];
        counts[sizes.len() * levels] = 1;
        for (dimension, &size) in sizes.iter().enumerate().rev() {
            let (earlier, later) = counts.split_at_mut((dimension + 1) * levels);
            let row = &mut earlier[dimension * levels..];
            // Sliding sum over the later row, with one entry for each value of the component.
            let mut window = 0;
            for level in 0..levels {
                window += later[level];
                if level >= size as usize {
                    window -= later[level - size as usize];
                }
                row[level] = window;
            }
        }
        Diagonals { sizes: sizes.to_vec(), levels, counts }
    }

    /// Bytes that [`Diagonals::new`] takes.
    pub(super) fn bytes(sizes: &[u32]) -> u128 {
        (sizes.len() as u128 + 1) * levels(sizes) as u128 * size_of::<u32>() as u128
    }

    pub(super) fn levels(&self) -> u32 {
        self.levels as u32
    }

    /// Number of vectors of a level.
    pub(super) fn width(&self, level: u32) -> u32 {
        self.counts[level as usize]
    }

    /// The rows of counts, for a kernel that finds vectors in the same way.
    pub(super) fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The vector with this number in a level.
    pub(super) fn vector(&self, level: u32, mut number: u32) -> Vec<u32> {
        let mut left = level as usize;
        let component = |dimension: usize| {
            let later = &self.counts[(dimension + 1) * self.levels..];
            let mut component = 0;
            while number >= later[left - component] {
                number -= later[left - component];
                component += 1;
            }
            left -= component;
            component as u32
        };
        (0..self.sizes.len()).map(component).collect()
    }

    /// Advances to the next vector of the level, if there is one.
    pub(super) fn advance(&self, vector: &mut [u32]) {
        // Increment the last component that can grow while a later one is positive. Move the rest
        // of the later components' sum to the end.
        let mut behind = 0;
        for dimension in (0..vector.len()).rev() {
            if behind > 0 && vector[dimension] + 1 < self.sizes[dimension] {
                vector[dimension] += 1;
                behind -= 1;
                for later in (dimension + 1..vector.len()).rev() {
                    vector[later] = behind.min(self.sizes[later] - 1);
                    behind -= vector[later];
                }
                return;
            }
            behind += vector[dimension];
        }
    }
}

fn levels(sizes: &[u32]) -> usize {
    sizes.iter().map(|&size| size as usize - 1).sum::<usize>() + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_level_has_its_vectors_in_order(sizes in proptest::collection::vec(1u32..6, 0..5)) {
            let diagonals = Diagonals::new(&sizes);
            let mut all: Vec<Vec<u32>> = vec![Vec::new()];
            for &size in &sizes {
                all = all.iter().flat_map(|v| (0..size).map(|c| [&v[..], &[c]].concat())).collect();
            }
            for level in 0..diagonals.levels() {
                let expected: Vec<_> = all.iter().filter(|v| v.iter().sum::<u32>() == level).collect();
                prop_assert_eq!(diagonals.width(level) as usize, expected.len());
                let mut next = diagonals.vector(level, 0);
                for (number, expected) in (0..).zip(expected) {
                    prop_assert_eq!(&diagonals.vector(level, number), expected);
                    prop_assert_eq!(&next, expected);
                    diagonals.advance(&mut next);
                }
            }
            prop_assert_eq!(Diagonals::bytes(&sizes), 4 * diagonals.counts().len() as u128);
        }
    }
}
