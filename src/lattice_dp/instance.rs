use crate::{Error, Result};

/// 64-bit words of a packed vector. A table of 2^39 cells needs 78 bits at most, a cell sum below 2^16 given.
pub(super) const WORDS: usize = 2;

/// A vector with each component in a bit field of its own, under a guard bit: `s <= v` componentwise exactly
/// if no guard bit is borrowed in `(v | guards) - s`. Fields do not straddle words.
pub(super) type Packed = [u64; WORDS];

/// Whether `s <= v` in every component.
pub(super) fn fits(s: &Packed, v: &Packed, guards: &Packed) -> bool {
    (0..WORDS).all(|word| ((v[word] | guards[word]) - s[word]) & guards[word] == guards[word])
}

/// One dimension of the box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dimension {
    /// Largest component, the size less 1.
    pub(super) max: u32,
    /// Cells between neighbours in this dimension; the last dimension is contiguous.
    pub(super) stride: u64,
    /// Bit position of the component in a packed vector, counted through the words.
    pub(super) shift: u32,
}

/// An offset vector, ready for the inner loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offset {
    pub(super) packed: Packed,
    /// The vector as a distance in cells.
    pub(super) distance: u64,
    pub(super) cost: u16,
    /// Position in the caller's list.
    pub(super) position: u32,
}

/// A box with offset vectors and their costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    dimensions: Vec<Dimension>,
    offsets: Vec<Offset>,
    guards: Packed,
    corner: Packed,
    cells: u64,
    levels: u32,
}

impl Instance {
    /// Makes an instance of the box's sizes (number of values of each component, at least 1; no size at all is
    /// a box of one cell) and the offset vectors with their costs. Vectors that do not fit into the box are
    /// allowed and never used.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a size of 0, a vector of another length than `sizes` or a vector of
    /// zeros; [`Error::OutOfMemory`] if the box has 2^40 cells or more; [`Error::Unsupported`] if a value
    /// might exceed 65,534 (sum of the largest components times the largest cost).
    pub fn new<V: AsRef<[u32]>>(sizes: &[u32], offsets: impl IntoIterator<Item = (V, u16)>) -> Result<Self> {
        let cells = count_cells(sizes)?;
        let (dimensions, guards) = lay_out(sizes, cells)?;
        let levels = 1 + dimensions.iter().map(|dimension| dimension.max).sum::<u32>();
        let mut instance =
            Instance { dimensions, offsets: Vec::new(), guards, corner: [0; WORDS], cells, levels };
        let largest: Vec<u32> = sizes.iter().map(|size| size - 1).collect();
        instance.corner = instance.pack(&largest);
        for (position, (vector, cost)) in offsets.into_iter().enumerate() {
            instance.add_offset(position, vector.as_ref(), cost)?;
        }
        instance.check_values()?;
        Ok(instance)
    }

    /// Number of cells of the box.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Number of levels: the sum of the last cell's components, plus 1.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// Cost of a path given as [`Solution::steps`](super::Solution::steps).
    ///
    /// # Errors
    /// [`Error::Internal`] if the path does not lead from the last cell to cell 0 inside the box.
    pub fn path_cost(&self, steps: &[u32]) -> Result<u64> {
        let stray = || Error::Internal("a lattice path leaves the box or misses cell 0".into());
        let mut cell = self.corner;
        let mut cost = 0;
        for &step in steps {
            // Positions rise along the offsets; those that do not fit into the box are missing.
            let index = self.offsets.binary_search_by_key(&step, |offset| offset.position);
            let offset = &self.offsets[index.map_err(|_| stray())?];
            if !fits(&offset.packed, &cell, &self.guards) {
                return Err(stray());
            }
            (0..WORDS).for_each(|word| cell[word] -= offset.packed[word]);
            cost += u64::from(offset.cost);
        }
        if cell == [0; WORDS] { Ok(cost) } else { Err(stray()) }
    }

    pub(super) fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    pub(super) fn offsets(&self) -> &[Offset] {
        &self.offsets
    }

    pub(super) fn guards(&self) -> &Packed {
        &self.guards
    }

    /// The last cell.
    pub(super) fn corner(&self) -> &Packed {
        &self.corner
    }

    fn add_offset(&mut self, position: usize, vector: &[u32], cost: u16) -> Result<()> {
        let given = vector.len();
        if given != self.dimensions.len() {
            let reason = format!("has {given} components, the box {}", self.dimensions.len());
            return Err(Error::element("offsets", position, reason));
        }
        if vector.iter().all(|&component| component == 0) {
            return Err(Error::element("offsets", position, "is all zeros"));
        }
        let position =
            u32::try_from(position).map_err(|_| Error::argument("offsets", "more than 2^32 vectors"))?;
        let inside = vector.iter().zip(&self.dimensions).all(|(&component, dim)| component <= dim.max);
        if inside {
            let distance =
                vector.iter().zip(&self.dimensions).map(|(&c, dim)| u64::from(c) * dim.stride).sum();
            self.offsets.push(Offset { packed: self.pack(vector), distance, cost, position });
        }
        Ok(())
    }

    fn pack(&self, vector: &[u32]) -> Packed {
        let mut packed = [0; WORDS];
        for (&component, dimension) in vector.iter().zip(&self.dimensions) {
            packed[dimension.shift as usize / 64] |= u64::from(component) << (dimension.shift % 64);
        }
        packed
    }

    /// No value may be taken for [`UNREACHABLE`](super::UNREACHABLE). A path has fewer steps than levels.
    fn check_values(&self) -> Result<()> {
        let dearest = self.offsets.iter().map(|offset| offset.cost).max().unwrap_or(0);
        let largest = u64::from(self.levels - 1) * u64::from(dearest);
        if largest >= u64::from(super::UNREACHABLE) {
            return Err(Error::Unsupported(format!("lattice values up to {largest}, above 65534")));
        }
        Ok(())
    }
}

/// More cells than any machine holds; below this no index or byte count overflows.
const MAX_CELLS: u64 = 1 << 40;

fn count_cells(sizes: &[u32]) -> Result<u64> {
    if let Some(dimension) = sizes.iter().position(|&size| size == 0) {
        return Err(Error::element("sizes", dimension, "must be at least 1"));
    }
    let cells = sizes.iter().try_fold(1u128, |cells, &size| cells.checked_mul(size.into()));
    match cells {
        Some(cells) if cells < MAX_CELLS.into() => Ok(cells as u64),
        _ => {
            let shown = cells.map_or("2^128 or more".into(), |cells| cells.to_string());
            Err(Error::OutOfMemory {
                what: format!("a lattice of {shown} cells"),
                required: cells.map_or(u128::MAX, |cells| cells.saturating_mul(2)),
                limit: MAX_CELLS * 2,
            })
        }
    }
}

/// Strides and bit fields of the dimensions, and the guard bits.
fn lay_out(sizes: &[u32], cells: u64) -> Result<(Vec<Dimension>, Packed)> {
    let mut dimensions = Vec::with_capacity(sizes.len());
    let mut guards = [0; WORDS];
    let mut stride = cells;
    let mut free = 0;
    for &size in sizes {
        let max = size - 1;
        stride /= u64::from(size);
        // A component that is always 0 takes no bits: no vector inside the box has it.
        let bits = if max == 0 { 0 } else { u32::BITS - max.leading_zeros() + 1 };
        if free / 64 != (free + bits).saturating_sub(1) / 64 {
            free = free.next_multiple_of(64);
        }
        if free + bits > 64 * WORDS as u32 {
            return Err(Error::Unsupported(format!("a lattice of {} dimensions this large", sizes.len())));
        }
        dimensions.push(Dimension { max, stride, shift: free.min(64 * WORDS as u32 - 1) });
        if bits > 0 {
            let guard = free + bits - 1;
            guards[guard as usize / 64] |= 1 << (guard % 64);
        }
        free += bits;
    }
    Ok((dimensions, guards))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(sizes: &[u32], offsets: &[(&[u32], u16)]) -> Result<Instance> {
        Instance::new(sizes, offsets.iter().copied())
    }

    #[test]
    fn strides_are_row_major() {
        let lattice = instance(&[2, 1, 3], &[(&[1, 0, 2], 1)]).unwrap();
        let strides: Vec<u64> = lattice.dimensions().iter().map(|dimension| dimension.stride).collect();
        assert_eq!((lattice.cells(), lattice.levels(), strides), (6, 4, vec![3, 3, 1]));
        assert_eq!(lattice.offsets()[0].distance, 5);
        assert_eq!(instance(&[], &[]).unwrap().cells(), 1);
    }

    #[test]
    fn packed_comparison_is_componentwise_even_across_words() {
        // Thirty-nine dimensions of two values: 78 bits.
        let sizes = [2; 39];
        let lattice = Instance::new(&sizes, std::iter::empty::<([u32; 39], u16)>()).unwrap();
        for high in 0..39 {
            let mut vector = [1; 39];
            vector[high] = 0;
            let without = lattice.pack(&vector);
            assert!(fits(&without, lattice.corner(), lattice.guards()));
            assert!(!fits(lattice.corner(), &without, lattice.guards()));
        }
    }

    #[test]
    fn faults_are_named() {
        let message = |result: Result<Instance>| result.unwrap_err().to_string();
        assert_eq!(message(instance(&[2, 0], &[])), "sizes[1]: must be at least 1");
        assert_eq!(
            message(instance(&[2], &[(&[1], 1), (&[1, 1], 1)])),
            "offsets[1]: has 2 components, the box 1"
        );
        assert_eq!(message(instance(&[2], &[(&[0], 1)])), "offsets[0]: is all zeros");
        assert!(
            message(instance(&[1 << 20, 1 << 20], &[])).starts_with("a lattice of 1099511627776 cells needs")
        );
        assert!(message(instance(&[u32::MAX; 9], &[])).starts_with("a lattice of 2^128 or more cells needs"));
        assert_eq!(
            message(instance(&[3000], &[(&[1], 30)])),
            "not supported: lattice values up to 89970, above 65534"
        );
    }

    #[test]
    fn paths_are_checked() {
        let lattice = instance(&[3, 2], &[(&[5, 0], 9), (&[1, 0], 2), (&[1, 1], 3)]).unwrap();
        assert_eq!(lattice.path_cost(&[1, 2]).unwrap(), 5);
        assert!(lattice.path_cost(&[1]).is_err(), "stops early");
        assert!(lattice.path_cost(&[2, 2]).is_err(), "leaves the box");
        assert!(lattice.path_cost(&[0]).is_err(), "an offset beyond the box");
        assert!(lattice.path_cost(&[7]).is_err(), "no such offset");
    }
}
