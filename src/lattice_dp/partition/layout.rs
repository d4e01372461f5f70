use super::UNREACHABLE;
use super::diagonals::Diagonals;
use super::shape::Partition;
use crate::lattice_dp::Path;
use crate::lattice_dp::instance::{Instance, Packed, WORDS, fits};
use crate::{Error, Result};

/// Places of cells are 32-bit numbers.
pub(super) const MOST_CELLS: u64 = 1 << 32;

/// The places of cells in a partitioned table: block after block, row-major by block coordinates,
/// and row-major inside a block, in the instance's order of dimensions.
///
/// In a row-major table, v - s lies a constant distance before v. Here that holds if no component
/// crosses into another block. If s_i modulo the side exceeds v_i modulo the side, a side must be
/// borrowed from the block coordinate, and the place is a further constant away. The subtraction of
/// packed vectors that shows whether s fits also shows which components borrow.
pub(super) struct Layout<'a> {
    pub(super) instance: &'a Instance,
    /// One axis for each dimension, in the instance's order.
    pub(super) axes: Vec<Axis>,
    /// One move for each offset of the instance.
    pub(super) moves: Vec<Move>,
    /// One entry for each bit of a packed vector.
    pub(super) bits: [Bit; 64 * WORDS],
    pub(super) blocks: Diagonals,
    pub(super) inside: Diagonals,
    pub(super) block_cells: u32,
}

/// The contribution of a dimension to a place.
pub(super) struct Axis {
    /// Cells of a block in this dimension.
    pub(super) side: u32,
    /// Distance in cells of neighbouring blocks in this dimension.
    pub(super) block_stride: u32,
    /// Distance in cells of neighbours inside a block.
    pub(super) inner_stride: u32,
    /// Bit position of the component in packed vectors.
    pub(super) shift: u32,
}

/// An offset as a step back in the table.
pub(super) struct Move {
    /// The offset's components modulo the sides.
    pub(super) inner: Packed,
    /// Distance in cells if no component borrows.
    pub(super) distance: u32,
}

/// The meaning of a bit of a packed vector.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bit {
    /// First and last + 1 offset of the dimension's group, if the bit belongs to a component.
    pub(super) group: (u32, u32),
    /// Additional distance in cells of a step, if this is the guard bit of a component that
    /// borrows.
    pub(super) borrow: u32,
}

/// A cell, with all that its value depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) packed: Packed,
    /// Its coordinates inside the block.
    pub(super) inner: Packed,
    pub(super) place: u32,
}

impl<'a> Layout<'a> {
    /// Lays out the table of an instance of fewer than [`MOST_CELLS`] cells, whose box `partition`
    /// divides.
    pub(super) fn new(instance: &'a Instance, partition: &Partition) -> Self {
        let in_order = |list: &[u32]| -> Vec<u32> {
            instance.dimensions().iter().map(|dimension| list[dimension.position]).collect()
        };
        let (parts, sides) = (in_order(partition.parts()), in_order(&partition.block()));
        let axes = axes(instance, &parts, &sides);
        Layout {
            moves: moves(instance, &axes),
            bits: bits(instance, &axes),
            axes,
            blocks: Diagonals::new(&parts),
            inside: Diagonals::new(&sides),
            block_cells: sides.iter().product(),
            instance,
        }
    }

    /// The first cell of the block with these coordinates.
    #[inline]
    pub(super) fn block(&self, coordinates: &[u32]) -> Cell {
        let mut cell = Cell { packed: [0; WORDS], inner: [0; WORDS], place: 0 };
        for (axis, &coordinate) in self.axes.iter().zip(coordinates) {
            axis.add(&mut cell.packed, coordinate * axis.side);
            cell.place += coordinate * axis.block_stride;
        }
        cell
    }

    /// The cell with these coordinates inside the block that starts with `first`.
    #[inline]
    pub(super) fn cell(&self, first: &Cell, coordinates: &[u32]) -> Cell {
        let mut cell = *first;
        for (axis, &coordinate) in self.axes.iter().zip(coordinates) {
            axis.add(&mut cell.packed, coordinate);
            axis.add(&mut cell.inner, coordinate);
            cell.place += coordinate * axis.inner_stride;
        }
        cell
    }

    /// The place of a cell.
    pub(super) fn place_of(&self, packed: &Packed) -> u64 {
        let both = self.instance.dimensions().iter().zip(&self.axes);
        let parts = both.map(|(dimension, axis)| {
            let component = dimension.component(packed);
            component / axis.side * axis.block_stride + component % axis.side * axis.inner_stride
        });
        u64::from(parts.sum::<u32>())
    }

    /// The cell with this number in the row-major order of the box, not of the blocks.
    pub(super) fn cell_of(&self, index: u64) -> Cell {
        let dimensions = self.instance.dimensions().iter();
        let components =
            dimensions.map(|own| (index / own.stride % (u64::from(own.max) + 1)) as u32);
        let split = components
            .zip(&self.axes)
            .map(|(component, axis)| (component / axis.side, component % axis.side));
        let (blocks, inside): (Vec<u32>, Vec<u32>) = split.unzip();
        self.cell(&self.block(&blocks), &inside)
    }

    /// Advances to the next cell of the block, if there is one.
    pub(super) fn advance(&self, cell: &mut Cell) {
        cell.place += 1;
        let both = self.instance.dimensions().iter().zip(&self.axes);
        for (dimension, axis) in both.rev().filter(|(_, axis)| axis.side > 1) {
            let component = dimension.component(&cell.inner);
            if component + 1 < axis.side {
                axis.add(&mut cell.packed, 1);
                axis.add(&mut cell.inner, 1);
                return;
            }
            axis.subtract(&mut cell.packed, component);
            axis.subtract(&mut cell.inner, component);
        }
    }

    /// The value of a cell. `value_at` gives the values of earlier cells by their places.
    pub(super) fn value(&self, cell: &Cell, value_at: impl Fn(u32) -> u16) -> u16 {
        let (first, end) = self.group(cell);
        let through = |offset: u32| Some(self.through(cell, offset, &value_at)?.0);
        (first..end).filter_map(through).min().unwrap_or(UNREACHABLE)
    }

    /// Traces the path from the last cell back to cell 0. Each step is the first offset that
    /// explains the cell's value.
    pub(super) fn traceback(&self, value_at: impl Fn(u32) -> u16) -> Result<Option<Path>> {
        let mut cell = self.last();
        let value = value_at(cell.place);
        if value == UNREACHABLE {
            return Ok(None);
        }
        let mut steps = Vec::new();
        while cell.packed != [0; WORDS] {
            let (first, end) = self.group(&cell);
            let expected = value_at(cell.place);
            let explaining = (first..end).find_map(|offset| {
                let (value, place) = self.through(&cell, offset, &value_at)?;
                (value == expected).then_some((offset as usize, place))
            });
            let unexplained = || Error::internal("a lattice value has no explanation");
            let (offset, place) = explaining.ok_or_else(unexplained)?;
            let step = &self.instance.offsets()[offset];
            steps.push(step.position);
            cell.packed = std::array::from_fn(|word| cell.packed[word] - step.packed[word]);
            cell = Cell { inner: self.inner(&cell.packed), place, ..cell };
        }
        Ok(Some(Path { value, steps }))
    }

    /// The cell of the largest components, which is also the last one of the table.
    fn last(&self) -> Cell {
        let packed = *self.instance.corner();
        Cell { packed, inner: self.inner(&packed), place: (self.instance.cells() - 1) as u32 }
    }

    /// A vector's components modulo the sides.
    fn inner(&self, packed: &Packed) -> Packed {
        inner(self.instance, &self.axes, packed)
    }

    /// The offsets that matter to a cell: the group of its first component above 0. Cell 0 has
    /// none.
    fn group(&self, cell: &Cell) -> (u32, u32) {
        let word = cell.packed.iter().position(|&word| word != 0);
        word.map_or((0, 0), |word| {
            self.bits[64 * word + cell.packed[word].trailing_zeros() as usize].group
        })
    }

    /// The cost of a cell with that offset as its last step, and the place of the cell before it;
    /// `None` if the step leaves the box.
    fn through(
        &self,
        cell: &Cell,
        offset: u32,
        value_at: impl Fn(u32) -> u16,
    ) -> Option<(u16, u32)> {
        let guards = self.instance.guards();
        let step = &self.instance.offsets()[offset as usize];
        if !fits(&step.packed, &cell.packed, guards) {
            return None;
        }
        let way = &self.moves[offset as usize];
        let mut place = cell.place - way.distance;
        for (word, guards) in guards.iter().enumerate() {
            let mut borrowing = !((cell.inner[word] | guards) - way.inner[word]) & guards;
            while borrowing != 0 {
                place -= self.bits[64 * word + borrowing.trailing_zeros() as usize].borrow;
                borrowing &= borrowing - 1;
            }
        }
        Some((value_at(place).saturating_add(step.cost), place))
    }
}

impl Axis {
    /// Adds to this dimension's component of a packed vector.
    fn add(&self, packed: &mut Packed, component: u32) {
        packed[self.shift as usize / 64] += u64::from(component) << (self.shift % 64);
    }

    /// Subtracts from this dimension's component of a packed vector.
    fn subtract(&self, packed: &mut Packed, component: u32) {
        packed[self.shift as usize / 64] -= u64::from(component) << (self.shift % 64);
    }

    fn distance(&self, component: u32) -> u32 {
        component / self.side * self.block_stride + component % self.side * self.inner_stride
    }
}

fn axes(instance: &Instance, parts: &[u32], sides: &[u32]) -> Vec<Axis> {
    let mut inner_stride = 1;
    let mut block_stride = sides.iter().product();
    let mut axes: Vec<Axis> = Vec::with_capacity(sides.len());
    for ((dimension, &parts), &side) in instance.dimensions().iter().zip(parts).zip(sides).rev() {
        axes.push(Axis { side, block_stride, inner_stride, shift: dimension.shift });
        inner_stride *= side;
        // The last product is the number of cells.
        block_stride *= parts;
    }
    axes.reverse();
    axes
}

fn moves(instance: &Instance, axes: &[Axis]) -> Vec<Move> {
    let offsets = instance.offsets().iter();
    let distance = |packed: &Packed| {
        let both = instance.dimensions().iter().zip(axes);
        both.map(|(dimension, axis)| axis.distance(dimension.component(packed))).sum()
    };
    offsets
        .map(|offset| Move {
            inner: inner(instance, axes, &offset.packed),
            distance: distance(&offset.packed),
        })
        .collect()
}

fn inner(instance: &Instance, axes: &[Axis], packed: &Packed) -> Packed {
    let mut inner = [0; WORDS];
    for (dimension, axis) in instance.dimensions().iter().zip(axes) {
        axis.add(&mut inner, dimension.component(packed) % axis.side);
    }
    inner
}

fn bits(instance: &Instance, axes: &[Axis]) -> [Bit; 64 * WORDS] {
    let mut bits = [Bit::default(); 64 * WORDS];
    // A dimension of size 1 has no bits.
    for (dimension, axis) in
        instance.dimensions().iter().zip(axes).filter(|(dimension, _)| dimension.max > 0)
    {
        let first = dimension.shift as usize;
        let guard = first + dimension.component_mask().count_ones() as usize;
        let group = (dimension.group.start as u32, dimension.group.end as u32);
        bits[first..guard].iter_mut().for_each(|bit| bit.group = group);
        bits[guard].borrow = axis.block_stride - axis.side * axis.inner_stride;
    }
    bits
}
