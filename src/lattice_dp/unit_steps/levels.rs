/// The most axes of more than one value in a box of fewer than 2^39 cells.
pub(super) const MAX_AXES: usize = 40;

/// The vectors of a box by the sum of their components, in lexicographic order in each level. No
/// vector is stored; its rank in its level identifies it.
#[derive(Debug)]
pub(super) struct Levels {
    /// Largest component of each axis.
    largest: Vec<u32>,
    levels: usize,
    /// Row d, column s: the number of vectors of the axes from d on with sum s. The last row is for
    /// the empty vector.
    counts: Vec<u32>,
}

impl Levels {
    /// Levels of a box with fewer than 2^32 cells.
    pub(super) fn new(largest: Vec<u32>) -> Self {
        let levels = largest.iter().map(|&largest| largest as usize).sum::<usize>() + 1;
        let mut counts = vec![0u32; levels * (largest.len() + 1)];
        counts[levels * largest.len()] = 1;
        for (d, &largest) in largest.iter().enumerate().rev() {
            let (row, next) = counts[levels * d..].split_at_mut(levels);
            // Each count is a sum over the next axis's row: of the sums smaller by at most the
            // largest component, a sliding window.
            let mut window = 0;
            for sum in 0..levels {
                window += next[sum];
                if let Some(left) = sum.checked_sub(largest as usize + 1) {
                    window -= next[left];
                }
                row[sum] = window;
            }
        }
        Levels { largest, levels, counts }
    }

    pub(super) fn len(&self) -> usize {
        self.levels
    }

    /// Number of vectors of a level.
    pub(super) fn width(&self, level: usize) -> u32 {
        self.counts[level]
    }

    /// All counts, in the kernel's layout.
    pub(super) fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// The vector of a level at a rank below the level's width; unused axes are 0.
    pub(super) fn vector(&self, level: usize, rank: u32) -> [u32; MAX_AXES] {
        let (mut sum, mut rank) = (level, rank);
        let mut vector = [0; MAX_AXES];
        for (component, row) in
            vector.iter_mut().zip(self.counts[self.levels..].chunks_exact(self.levels))
        {
            while rank >= row[sum] {
                rank -= row[sum];
                sum -= 1;
                *component += 1;
            }
        }
        vector
    }

    /// Advances a vector to the next one of its level, if there is one.
    pub(super) fn advance(&self, vector: &mut [u32; MAX_AXES]) {
        // Increment one component as far back as possible, and move the rest of the sum behind it
        // as far back as possible.
        let mut behind = 0;
        for axis in (0..self.largest.len()).rev() {
            if behind > 0 && vector[axis] < self.largest[axis] {
                vector[axis] += 1;
                behind -= 1;
                for last in (axis + 1..self.largest.len()).rev() {
                    vector[last] = behind.min(self.largest[last]);
                    behind -= vector[last];
                }
                return;
            }
            behind += vector[axis];
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn levels_have_every_vector_once_in_order(largest in proptest::collection::vec(0u32..4, 0..6)) {
            let levels = Levels::new(largest.clone());
            let mut all = BTreeSet::new();
            for level in 0..levels.len() {
                let mut next = levels.vector(level, 0);
                for rank in 0..levels.width(level) {
                    let vector = levels.vector(level, rank);
                    prop_assert_eq!(next, vector);
                    prop_assert_eq!(vector.iter().sum::<u32>() as usize, level);
                    prop_assert!(vector.iter().zip(&largest).all(|(component, most)| component <= most));
                    prop_assert!(all.insert(vector));
                    levels.advance(&mut next);
                }
            }
            prop_assert_eq!(all.len() as u32, largest.iter().map(|most| most + 1).product::<u32>());
        }
    }
}
