use std::collections::BTreeMap;
use std::ops::Range;

use super::cell::{Cell, CellWidth};
use crate::{Error, Result};

/// 64-bit words of a packed vector. A box of fewer than 2^40 cells needs fewer than 80 bits, and a
/// gap at most before the second word.
pub(super) const WORDS: usize = 2;

/// A vector with a bit field for each component, under a guard bit: `s <= v` componentwise exactly
/// if no guard bit is borrowed in `(v | guards) - s`. No field straddles two words.
pub(super) type Packed = [u64; WORDS];

/// Whether `s <= v` in every component.
pub(super) fn fits(s: &Packed, v: &Packed, guards: &Packed) -> bool {
    (0..WORDS).all(|word| ((v[word] | guards[word]) - s[word]) & guards[word] == guards[word])
}

/// One dimension of the box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dimension {
    /// Largest component, the size less 1.
    pub(super) max: u32,
    /// Distance in cells of neighbours in this dimension; 1 in the last dimension.
    pub(super) stride: u64,
    /// Bit position of the component in a packed vector, counted across the words.
    pub(super) shift: u32,
    /// The offsets whose first nonzero component is this one.
    pub(super) group: Range<usize>,
    /// The later dimensions that the group's offsets use too.
    pub(super) partners: Vec<usize>,
    /// Position in the caller's list of sizes.
    pub(super) position: usize,
}

impl Dimension {
    /// This dimension's component of a packed vector.
    pub(super) fn component(&self, packed: &Packed) -> u32 {
        (packed[self.shift as usize / 64] >> (self.shift % 64)) as u32 & self.component_mask()
    }

    /// Mask for the bits of a component.
    pub(super) fn component_mask(&self) -> u32 {
        u32::MAX.checked_shr(self.max.leading_zeros()).unwrap_or(0)
    }

    /// A packed vector with only this component nonzero.
    pub(super) fn packed(&self, component: u32) -> Packed {
        let mut packed = [0; WORDS];
        packed[self.shift as usize / 64] = u64::from(component) << (self.shift % 64);
        packed
    }
}

/// An offset vector, ready for the inner loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offset {
    pub(super) packed: Packed,
    /// Distance in cells of the step.
    pub(super) distance: u64,
    pub(super) cost: u16,
    /// Position in the caller's list.
    pub(super) position: u32,
}

/// A box with offset vectors and their costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// In layout order: the dimension that the fewest offsets use comes first, because most cells
    /// look only at its group.
    dimensions: Vec<Dimension>,
    /// By group; inside a group in the caller's order.
    offsets: Vec<Offset>,
    /// Index into `offsets` by position in the caller's list; `None` for an offset that leaves the
    /// box.
    by_position: Vec<Option<u32>>,
    /// The offsets that leave the box, by position.
    unused: BTreeMap<u32, (Vec<u32>, u16)>,
    guards: Packed,
    corner: Packed,
    cells: u64,
    /// Total number of partners of all dimensions.
    partners: usize,
    /// Upper limit of all reachable values.
    largest_value: u64,
}

impl Instance {
    /// Creates an instance from the box's sizes (number of values of each component, at least 1; no
    /// sizes give a box of one cell) and the offset vectors with their costs. Vectors that do not
    /// fit into the box are allowed and never used.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a size of 0, a vector whose length differs from that of
    /// `sizes`, or a vector of zeros; [`Error::OutOfMemory`] if the box has 2^40 cells or more;
    /// [`Error::Unsupported`] if a value might exceed 65,534. The bound on values is the sum of the
    /// largest components, each times the cost of a single step in its direction, or times the
    /// largest cost where there is no such step.
    pub fn new<V: AsRef<[u32]>>(
        sizes: &[u32],
        offsets: impl IntoIterator<Item = (V, u16)>,
    ) -> Result<Self> {
        let cells = count_cells(sizes)?;
        let mut vectors = Vec::new();
        let (mut given, mut unused) = (0, BTreeMap::new());
        for (position, (vector, cost)) in offsets.into_iter().enumerate() {
            check_vector(position, vector.as_ref(), sizes.len())?;
            given = position + 1;
            if vector.as_ref().iter().zip(sizes).all(|(&component, &size)| component < size) {
                vectors.push((position as u32, vector, cost));
            } else {
                unused.insert(position as u32, (vector.as_ref().to_vec(), cost));
            }
        }
        let mut uses = vec![0usize; sizes.len()];
        for (_, vector, _) in &vectors {
            uses.iter_mut()
                .zip(vector.as_ref())
                .for_each(|(uses, &component)| *uses += usize::from(component > 0));
        }
        let (dimensions, guards) = lay_out(sizes, cells, &uses)?;
        let mut instance = Instance {
            dimensions,
            offsets: Vec::new(),
            by_position: vec![None; given],
            unused,
            guards,
            corner: [0; WORDS],
            cells,
            partners: 0,
            largest_value: 0,
        };
        let largest: Vec<u32> = sizes.iter().map(|size| size - 1).collect();
        instance.corner = instance.pack(&largest);
        instance.offsets = vectors
            .iter()
            .map(|(position, vector, cost)| instance.offset(*position, vector.as_ref(), *cost))
            .collect();
        instance.group_offsets();
        instance.bound_values()?;
        Ok(instance)
    }

    /// Number of cells of the box.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// Table entries read to fill the table, including those of steps that leave the box.
    pub fn lookups(&self) -> u64 {
        let slabs = |dimension: &Dimension| u64::from(dimension.max) * dimension.stride;
        self.dimensions
            .iter()
            .map(|dimension| slabs(dimension).saturating_mul(dimension.group.len() as u64))
            .fold(0, u64::saturating_add)
    }

    /// Cost of a path given as [`Solution::steps`](super::Solution::steps).
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the path does not lead from the last cell to cell 0 inside the
    /// box.
    pub fn path_cost(&self, steps: &[u32]) -> Result<u64> {
        let mut cell = self.corner;
        let mut cost = 0;
        for (index, &step) in steps.iter().enumerate() {
            let (stray, given) = ("steps", self.by_position.len());
            if step as usize >= given {
                let reason = format!("there is no offset {step}, only {given}");
                return Err(Error::element(stray, index, reason));
            }
            let fitting = self.offset_at(step);
            let fitting = fitting.filter(|offset| fits(&offset.packed, &cell, &self.guards));
            let Some(offset) = fitting else {
                return Err(Error::element(stray, index, "leaves the box"));
            };
            (0..WORDS).for_each(|word| cell[word] -= offset.packed[word]);
            cost += u64::from(offset.cost);
        }
        match cell == [0; WORDS] {
            true => Ok(cost),
            false => Err(Error::argument("steps", "end before cell 0")),
        }
    }

    /// The offset vector at a position of the caller's list; `None` if it leaves the box.
    #[inline]
    pub fn vector(&self, position: u32) -> Option<Vec<u32>> {
        Some(self.unpack(&self.offset_at(position)?.packed))
    }

    /// The offset vectors with their costs, as they were given.
    pub fn given_offsets(&self) -> impl Iterator<Item = (Vec<u32>, u16)> {
        (0..self.by_position.len() as u32).map(|position| match self.offset_at(position) {
            Some(offset) => (self.unpack(&offset.packed), offset.cost),
            None => self.unused.get(&position).cloned().unwrap_or_default(),
        })
    }

    /// A packed vector in the caller's order.
    pub(super) fn unpack(&self, packed: &Packed) -> Vec<u32> {
        let mut vector = vec![0; self.dimensions.len()];
        for dimension in &self.dimensions {
            vector[dimension.position] = dimension.component(packed);
        }
        vector
    }

    /// The sizes of the box in the caller's order.
    pub fn sizes(&self) -> Vec<u32> {
        self.unpack(&self.corner).into_iter().map(|largest| largest + 1).collect()
    }

    /// The number of a cell.
    #[inline]
    pub(super) fn index_of(&self, packed: &Packed) -> u64 {
        self.dimensions.iter().map(|own| u64::from(own.component(packed)) * own.stride).sum()
    }

    fn offset_at(&self, position: u32) -> Option<&Offset> {
        let index = (*self.by_position.get(position as usize)?)?;
        self.offsets.get(index as usize)
    }

    /// The narrowest cells that hold every value.
    pub(super) fn cell_width(&self) -> CellWidth {
        if self.largest_value < u8::UNREACHABLE.into() {
            CellWidth::Bits8
        } else {
            CellWidth::Bits16
        }
    }

    /// Bytes of the table.
    pub(super) fn table_bytes(&self) -> u64 {
        match self.cell_width() {
            CellWidth::Bits8 => self.cells,
            // No overflow: fewer than 2^40 cells.
            CellWidth::Bits16 => self.cells * 2,
        }
    }

    pub(super) fn dimensions(&self) -> &[Dimension] {
        &self.dimensions
    }

    pub(super) fn partners(&self) -> usize {
        self.partners
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

    /// Upper limit of a path's number of steps.
    pub(super) fn longest_path(&self) -> u64 {
        self.dimensions.iter().map(|dimension| u64::from(dimension.max)).sum()
    }

    fn offset(&self, position: u32, vector: &[u32], cost: u16) -> Offset {
        let distance =
            |dimension: &Dimension| u64::from(vector[dimension.position]) * dimension.stride;
        let distance = self.dimensions.iter().map(distance).sum();
        Offset { packed: self.pack(vector), distance, cost, position }
    }

    /// Packs a vector given in the caller's order.
    #[inline]
    fn pack(&self, vector: &[u32]) -> Packed {
        self.dimensions.iter().fold([0; WORDS], |packed, dimension| {
            let component = dimension.packed(vector[dimension.position]);
            std::array::from_fn(|word| packed[word] | component[word])
        })
    }

    fn group_offsets(&mut self) {
        let dimensions = &mut self.dimensions;
        let first =
            |offset: &Offset| dimensions.iter().position(|dim| dim.component(&offset.packed) > 0);
        self.offsets.sort_by_cached_key(|offset| first(offset).map_or(0, |first| first as u64 + 1));
        let mut begin = 0;
        for dimension in dimensions {
            let rest = &self.offsets[begin..];
            let end =
                begin + rest.partition_point(|offset| dimension.component(&offset.packed) > 0);
            dimension.group = begin..end;
            begin = end;
        }
        for i in 0..self.dimensions.len() {
            let group = &self.offsets[self.dimensions[i].group.clone()];
            let used = |&j: &usize| {
                let other = &self.dimensions[j];
                other.max > 0 && group.iter().any(|offset| other.component(&offset.packed) > 0)
            };
            let partners: Vec<usize> = (i + 1..self.dimensions.len()).filter(used).collect();
            self.partners += partners.len();
            self.dimensions[i].partners = partners;
        }
        for (index, offset) in (0..).zip(&self.offsets) {
            self.by_position[offset.position as usize] = Some(index);
        }
    }

    /// Refuses an instance in which a value might reach that of an unreachable cell.
    fn bound_values(&mut self) -> Result<()> {
        let dearest = self.offsets.iter().map(|offset| offset.cost).max().unwrap_or(0);
        let any = self.longest_path() * u64::from(dearest);
        // With a single-unit step in every direction, a cell costs no more than a path of such
        // steps.
        let single = |dimension: &Dimension| {
            let unit = dimension.packed(1);
            let group = self.offsets[dimension.group.clone()].iter();
            let cheapest =
                group.filter(|offset| offset.packed == unit).map(|offset| offset.cost).min();
            cheapest.map(|cost| u64::from(dimension.max) * u64::from(cost))
        };
        let singles: Option<u64> =
            self.dimensions.iter().filter(|dim| dim.max > 0).map(single).sum();
        self.largest_value = singles.map_or(any, |singles| singles.min(any));
        if self.largest_value >= u16::UNREACHABLE.into() {
            let largest = self.largest_value;
            return Err(Error::unsupported(format!("lattice values up to {largest}, above 65534")));
        }
        Ok(())
    }
}

/// More cells than any machine holds. Below this limit no index or byte count overflows.
const MAX_CELLS: u64 = 1 << 40;

/// Number of cells of a box of these sizes.
///
/// # Errors
/// Those of [`Instance::new`] that concern the sizes.
pub(crate) fn count_cells(sizes: &[u32]) -> Result<u64> {
    if let Some(dimension) = sizes.iter().position(|&size| size == 0) {
        return Err(Error::element("sizes", dimension, "must be at least 1"));
    }
    let cells = sizes.iter().try_fold(1u128, |cells, &size| cells.checked_mul(size.into()));
    match cells {
        Some(cells) if cells < MAX_CELLS.into() => Ok(cells as u64),
        _ => {
            let shown = cells.map_or("2^128 or more".into(), |cells| cells.to_string());
            Err(Box::new(Error::OutOfMemory {
                what: format!("a lattice of {shown} cells"),
                required: cells.map_or(u128::MAX, |cells| cells.saturating_mul(2)),
                limit: MAX_CELLS * 2,
            }))
        }
    }
}

fn check_vector(position: usize, vector: &[u32], dimensions: usize) -> Result<()> {
    let given = vector.len();
    if given != dimensions {
        let reason = format!("has {given} components, the box {dimensions}");
        return Err(Error::element("offsets", position, reason));
    }
    if vector.iter().all(|&component| component == 0) {
        return Err(Error::element("offsets", position, "is all zeros"));
    }
    if u32::try_from(position).is_err() {
        return Err(Error::argument("offsets", "more than 2^32 vectors"));
    }
    Ok(())
}

/// Order, strides and bit fields of the dimensions, without their groups, and the guard bits.
/// `uses` is the number of offsets that use each dimension.
fn lay_out(sizes: &[u32], cells: u64, uses: &[usize]) -> Result<(Vec<Dimension>, Packed)> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    // Of groups with equal costs, the one with more cells comes first.
    order.sort_by_cached_key(|&position| u64::from(u32::MAX - sizes[position]));
    order.sort_by_cached_key(|&position| uses[position] as u64);
    let mut dimensions = Vec::with_capacity(sizes.len());
    let mut guards = [0; WORDS];
    let mut stride = cells;
    let mut free = 0;
    for position in order {
        let max = sizes[position] - 1;
        stride /= u64::from(sizes[position]);
        // A component that is always 0 needs no bits: no vector inside the box uses it.
        let bits = if max == 0 { 0 } else { u32::BITS - max.leading_zeros() + 1 };
        if free / 64 != (free + bits).saturating_sub(1) / 64 {
            free = free.next_multiple_of(64);
        }
        if free + bits > 64 * WORDS as u32 {
            return Err(Error::unsupported(format!(
                "a lattice of {} dimensions this large",
                sizes.len()
            )));
        }
        let shift = free.min(64 * WORDS as u32 - 1);
        dimensions.push(Dimension {
            max,
            stride,
            shift,
            group: 0..0,
            partners: Vec::new(),
            position,
        });
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
    fn the_dimension_used_least_comes_first() {
        let offsets: [(&[u32], u16); 4] =
            [(&[0, 0, 1], 1), (&[1, 0, 2], 1), (&[0, 0, 2], 1), (&[1, 0, 0], 1)];
        let lattice = instance(&[2, 1, 3], &offsets).unwrap();
        let layout: Vec<_> = lattice
            .dimensions()
            .iter()
            .map(|dim| (dim.position, dim.stride, dim.group.clone()))
            .collect();
        assert_eq!(layout, [(1, 6, 0..0), (0, 3, 0..2), (2, 1, 2..4)]);
        let offsets: Vec<_> =
            lattice.offsets().iter().map(|offset| (offset.position, offset.distance)).collect();
        assert_eq!(offsets, [(1, 5), (3, 3), (0, 1), (2, 2)]);
        assert_eq!(lattice.lookups(), 3 * 2 + 2 * 2);
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
        let ragged = instance(&[2], &[(&[1], 1), (&[1, 1], 1)]);
        assert_eq!(message(ragged), "offsets[1]: has 2 components, the box 1");
        assert_eq!(message(instance(&[2], &[(&[0], 1)])), "offsets[0]: is all zeros");
        assert!(
            message(instance(&[1 << 20, 1 << 20], &[]))
                .starts_with("a lattice of 1099511627776 cells needs")
        );
        assert!(
            message(instance(&[u32::MAX; 9], &[]))
                .starts_with("a lattice of 2^128 or more cells needs")
        );
        let dear = instance(&[3000], &[(&[1], 30)]);
        assert_eq!(message(dear), "not supported: lattice values up to 89970, above 65534");
    }

    #[test]
    fn paths_are_checked() {
        let lattice = instance(&[3, 2], &[(&[5, 0], 9), (&[1, 0], 2), (&[1, 1], 3)]).unwrap();
        assert_eq!(lattice.path_cost(&[1, 2]).unwrap(), 5);
        let refusal = |steps: &[u32]| lattice.path_cost(steps).unwrap_err().to_string();
        assert_eq!(refusal(&[1]), "steps: end before cell 0");
        assert_eq!(refusal(&[2, 2]), "steps[1]: leaves the box");
        assert_eq!(refusal(&[0]), "steps[0]: leaves the box");
        assert_eq!(refusal(&[7]), "steps[0]: there is no offset 7, only 3");
    }

    #[test]
    fn offsets_are_given_back() {
        let given: &[(&[u32], u16)] = &[(&[5, 0], 9), (&[1, 0], 2), (&[1, 1], 3)];
        let offsets: Vec<_> = instance(&[3, 2], given).unwrap().given_offsets().collect();
        assert_eq!(offsets, [(vec![5, 0], 9), (vec![1, 0], 2), (vec![1, 1], 3)]);
    }
}
