use std::fmt;

use crate::enumeration::enumeration;
use crate::{Error, Result};

enumeration! {
    /// How a dimension of a box is divided. Both rules are readings of Algorithm 4 of Li, Ghalami,
    /// Schwiebert and Grosu 2018.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum DivisorRule {
        /// Divides by the largest divisor of the size that is at most its square root, and by the
        /// size itself if that divisor is 1, as Tables I to VI of the source show.
        #[default]
        Tabulated: "tabulated",
            "The largest divisor of its size up to the square root; the size itself if that is \
             prime";
        /// Divides by the largest divisor of the size that is at most its square root, even if that
        /// is 1, as the algorithm's listing says. A dimension of prime size stays whole.
        Printed: "printed",
            "The largest divisor of its size up to the square root; 1 if the size is prime";
    }
}

impl DivisorRule {
    /// Number of parts of a dimension of this size.
    fn parts(self, size: u32) -> u32 {
        let root =
            (1..=size.isqrt()).rev().find(|&divisor| size.is_multiple_of(divisor)).unwrap_or(1);
        match self {
            DivisorRule::Tabulated if root == 1 => size,
            _ => root,
        }
    }
}

/// A box cut into blocks of one shape, along some of its dimensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    sizes: Vec<u32>,
    /// Number of parts of each dimension, divisors of the sizes.
    parts: Vec<u32>,
}

impl Partition {
    /// Numbers of dimensions to cut that the source tries.
    pub const DIMENSIONS: std::ops::RangeInclusive<usize> = 3..=9;

    /// Cuts the box along its `dimensions` largest dimensions, the first ones of equal sizes. All
    /// others stay whole.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a size of 0.
    pub fn new(sizes: &[u32], dimensions: usize, rule: DivisorRule) -> Result<Self> {
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_cached_key(|&dimension| u64::from(u32::MAX - sizes[dimension]));
        order.truncate(dimensions);
        Partition::along(sizes, &order, rule)
    }

    /// Cuts the box along the dimensions at the given positions. All others stay whole.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a size of 0 or a dimension that the box does not have.
    pub fn along(sizes: &[u32], dimensions: &[usize], rule: DivisorRule) -> Result<Self> {
        if let Some(dimension) = sizes.iter().position(|&size| size == 0) {
            return Err(Error::element("sizes", dimension, "must be at least 1"));
        }
        let mut parts = vec![1; sizes.len()];
        for (index, &dimension) in dimensions.iter().enumerate() {
            let size = sizes.get(dimension).ok_or_else(|| {
                Error::element(
                    "dimensions",
                    index,
                    format!("{dimension}, the box has {}", sizes.len()),
                )
            })?;
            parts[dimension] = rule.parts(*size);
        }
        Ok(Partition { sizes: sizes.to_vec(), parts })
    }

    /// The whole box as one block.
    pub(super) fn whole(sizes: &[u32]) -> Self {
        Partition { sizes: sizes.to_vec(), parts: vec![1; sizes.len()] }
    }

    /// Cuts each dimension into the given number of parts, a divisor of its size.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for another number of dimensions, and for parts that do not
    /// divide their size.
    pub fn into_parts(sizes: &[u32], parts: &[u32]) -> Result<Self> {
        if parts.len() != sizes.len() {
            let reason = format!("{} numbers for {} dimensions", parts.len(), sizes.len());
            return Err(Error::argument("parts", reason));
        }
        for (dimension, (&size, &count)) in sizes.iter().zip(parts).enumerate() {
            if count == 0 || !size.is_multiple_of(count) {
                let reason = format!("is {count}, no divisor of the size {size}");
                return Err(Error::element("parts", dimension, reason));
            }
        }
        Ok(Partition { sizes: sizes.to_vec(), parts: parts.to_vec() })
    }

    /// Number of parts of each dimension, the divisor in the source.
    pub fn parts(&self) -> &[u32] {
        &self.parts
    }

    /// Cells of a block along each dimension.
    pub fn block(&self) -> Vec<u32> {
        self.sizes.iter().zip(&self.parts).map(|(size, parts)| size / parts).collect()
    }

    /// Number of blocks.
    pub fn blocks(&self) -> u64 {
        self.parts.iter().fold(1, |blocks, &parts| blocks.saturating_mul(parts.into()))
    }

    /// Number of block levels: sets of blocks that depend only on blocks of lower levels.
    pub fn block_levels(&self) -> u64 {
        levels(&self.parts)
    }

    /// Number of levels inside a block: sets of its cells that depend only on lower levels.
    pub fn in_block_levels(&self) -> u64 {
        levels(&self.block())
    }
}

impl fmt::Display for Partition {
    /// The blocks' number and shape.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} blocks of {:?}", self.blocks(), self.block())
    }
}

/// Number of anti-diagonals of a box.
fn levels(sizes: &[u32]) -> u64 {
    sizes.iter().map(|&size| u64::from(size) - 1).sum::<u64>() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of Tables I to VI: sizes, number of dimensions, block as printed.
    type Row = (&'static [u32], usize, &'static [u32]);

    /// All rows except those below. Of equal sizes, the first dimensions are cut.
    const ROWS: [Row; 30] = [
        (&[6, 4, 6, 6, 4], 3, &[3, 4, 3, 3, 4]),
        (&[6, 4, 6, 6, 4], 5, &[3, 2, 3, 3, 2]),
        (&[2, 6, 3, 4, 6, 4], 3, &[2, 3, 3, 2, 3, 4]),
        (&[2, 6, 3, 4, 6, 4], 5, &[2, 3, 1, 2, 3, 2]),
        (&[2, 2, 4, 3, 2, 6, 3, 2], 3, &[2, 2, 2, 1, 2, 3, 3, 2]),
        (&[3, 2, 3, 2, 2, 2, 2, 3, 4], 3, &[1, 2, 1, 2, 2, 2, 2, 3, 2]),
        (&[3, 2, 3, 2, 2, 2, 2, 3, 4], 5, &[1, 1, 1, 2, 2, 2, 2, 1, 2]),
        (&[2, 3, 2, 2, 3, 3, 2, 2, 2, 2], 3, &[2, 1, 2, 2, 1, 1, 2, 2, 2, 2]),
        (&[5, 3, 6, 3, 4, 4, 2], 3, &[1, 3, 3, 3, 2, 4, 2]),
        (&[5, 3, 6, 3, 4, 4, 2], 5, &[1, 1, 3, 3, 2, 2, 2]),
        (&[5, 6, 2, 3, 2, 2, 4, 3], 3, &[1, 3, 2, 3, 2, 2, 2, 3]),
        (&[5, 6, 2, 3, 2, 2, 4, 3], 5, &[1, 3, 2, 1, 2, 2, 2, 1]),
        (&[3, 3, 4, 3, 2, 2, 5, 2, 2], 3, &[1, 3, 2, 3, 2, 2, 1, 2, 2]),
        (&[3, 3, 4, 3, 2, 2, 5, 2, 2], 5, &[1, 1, 2, 1, 2, 2, 1, 2, 2]),
        (&[3, 16, 15, 18], 3, &[3, 4, 5, 6]),
        (&[3, 16, 15, 18], 5, &[1, 4, 5, 6]),
        (&[4, 5, 3, 6, 4, 3, 3], 3, &[2, 1, 3, 3, 4, 3, 3]),
        (&[4, 5, 3, 6, 4, 3, 3], 5, &[2, 1, 1, 3, 2, 3, 3]),
        (&[3, 4, 3, 4, 3, 5, 3, 2], 3, &[3, 2, 3, 2, 3, 1, 3, 2]),
        (&[3, 4, 3, 4, 3, 5, 3, 2], 5, &[1, 2, 1, 2, 3, 1, 3, 2]),
        (&[3, 3, 3, 2, 3, 4, 2, 5, 2], 3, &[1, 3, 3, 2, 3, 2, 2, 1, 2]),
        (&[3, 3, 3, 2, 3, 4, 2, 5, 2], 5, &[1, 1, 1, 2, 3, 2, 2, 1, 2]),
        (&[2, 4, 2, 3, 3, 3, 3, 2, 2, 2, 2], 3, &[2, 2, 2, 1, 1, 3, 3, 2, 2, 2, 2]),
        (&[2, 4, 2, 3, 3, 3, 3, 2, 2, 2, 2], 6, &[1, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2]),
        (&[5, 6, 3, 7, 6, 4, 8, 3], 7, &[1, 3, 1, 1, 3, 2, 4, 3]),
        (&[3, 3, 3, 4, 5, 7, 2, 3, 4, 4], 3, &[3, 3, 3, 2, 1, 1, 2, 3, 4, 4]),
        (&[3, 10, 7, 6, 4, 8, 10], 3, &[3, 5, 7, 6, 4, 4, 5]),
        (&[3, 10, 7, 6, 4, 8, 10], 7, &[1, 5, 1, 3, 2, 4, 5]),
        (&[4, 5, 4, 2, 3, 5, 7, 3, 8], 3, &[4, 1, 4, 2, 3, 5, 1, 3, 4]),
        (&[4, 5, 4, 2, 3, 5, 7, 3, 8], 7, &[2, 1, 2, 2, 1, 1, 1, 3, 4]),
    ];

    /// Rows that cut other dimensions than the first of the largest. Two break ties differently,
    /// one cuts 7 dimensions in the column for 5, and one 4 in the column for 3. The sides follow
    /// the rule.
    const OTHER_DIMENSIONS: [(&[u32], &[usize], &[u32]); 4] = [
        (&[2, 3, 2, 2, 3, 3, 2, 2, 2, 2], &[1, 2, 3, 4, 5], &[2, 1, 1, 1, 1, 1, 2, 2, 2, 2]),
        (&[3, 3, 3, 4, 5, 7, 2, 3, 4, 4], &[2, 3, 4, 5, 7, 8, 9], &[3, 3, 1, 2, 1, 1, 2, 1, 2, 2]),
        (&[2, 2, 4, 3, 2, 6, 3, 2], &[0, 2, 3, 4, 5, 6, 7], &[1, 2, 2, 1, 1, 3, 1, 1]),
        (&[4, 4, 6, 6, 2, 3, 3, 2], &[0, 2, 3, 7], &[2, 4, 3, 3, 2, 3, 3, 1]),
    ];

    /// Misprints that no rule explains: sides of 1 in a size of 4 and of 2 in a size of 6; a side
    /// of 5 in a size of 6.
    const MISPRINTS: [Row; 2] = [
        (&[4, 4, 6, 6, 2, 3, 3, 2], 6, &[2, 1, 2, 2, 1, 1, 1, 1]),
        (&[5, 6, 3, 7, 6, 4, 8, 3], 3, &[5, 3, 3, 1, 5, 4, 4, 3]),
    ];

    #[test]
    fn the_blocks_are_those_of_tables_1_to_6() {
        let tabulated = DivisorRule::Tabulated;
        for (sizes, dimensions, block) in ROWS {
            assert_eq!(
                Partition::new(sizes, dimensions, tabulated).unwrap().block(),
                block,
                "{sizes:?}"
            );
        }
        for (sizes, dimensions, block) in OTHER_DIMENSIONS {
            assert_eq!(
                Partition::along(sizes, dimensions, tabulated).unwrap().block(),
                block,
                "{sizes:?}"
            );
        }
        for (sizes, dimensions, block) in MISPRINTS {
            assert_ne!(
                Partition::new(sizes, dimensions, tabulated).unwrap().block(),
                block,
                "{sizes:?}"
            );
            let impossible = sizes.iter().zip(block).any(|(size, side)| {
                ![1, tabulated.parts(*size)].contains(&(size / side)) || !size.is_multiple_of(*side)
            });
            assert!(impossible, "{sizes:?}");
        }
    }

    #[test]
    fn the_readings_differ_for_primes() {
        let parts = |rule: DivisorRule| (1..=20).map(|size| rule.parts(size)).collect::<Vec<_>>();
        assert_eq!(
            parts(DivisorRule::Printed),
            [1, 1, 1, 2, 1, 2, 1, 2, 3, 2, 1, 3, 1, 2, 3, 4, 1, 3, 1, 4]
        );
        assert_eq!(
            parts(DivisorRule::Tabulated),
            [1, 2, 3, 2, 5, 2, 7, 2, 3, 2, 11, 3, 13, 2, 3, 4, 17, 3, 19, 4]
        );
    }

    #[test]
    fn levels_are_those_of_the_source() {
        // The source's example: a table of 6 x 6 x 6 cut by (3, 3, 3).
        let example = Partition { sizes: vec![6; 3], parts: vec![3; 3] };
        assert_eq!((example.block_levels(), example.in_block_levels()), (7, 4));
        let levels = |sizes: &[u32], dimensions| {
            Partition::new(sizes, dimensions, DivisorRule::Tabulated).unwrap().block_levels()
        };
        assert_eq!(levels(&[6, 4, 6, 6, 4], 5), 6);
        assert_eq!(levels(&[3, 10, 7, 6, 4, 8, 10], 7), 14);
        assert_eq!(levels(&[4, 5, 4, 2, 3, 5, 7, 3, 8], 7), 20);
        assert_eq!(Partition::whole(&[3, 4]).block_levels(), 1);
        assert_eq!(Partition::whole(&[3, 4]).in_block_levels(), 6);
    }

    #[test]
    fn faults_are_named() {
        let message = |result: Result<Partition>| result.unwrap_err().to_string();
        let rule = DivisorRule::Printed;
        assert_eq!(message(Partition::new(&[2, 0], 3, rule)), "sizes[1]: must be at least 1");
        assert_eq!(
            message(Partition::along(&[2, 3], &[0, 2], rule)),
            "dimensions[1]: 2, the box has 2"
        );
    }
}
