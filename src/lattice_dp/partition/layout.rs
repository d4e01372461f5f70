use super::UNREACHABLE;
use super::diagonals::Diagonals;
use super::shape::Partition;
use crate::lattice_dp::Path;
use crate::lattice_dp::instance::{Instance, Packed, WORDS, fits};
use crate::{Error, Result};

/// Places of cells are numbers of 32 bits.
pub(super) const MOST_CELLS: u64 = 1 << 32;

/// Where the cells of a partitioned table lie: block after block, row-major by block coordinates,
/// and row-major inside a block, in the instance's order of dimensions.
///
/// Inside a row-major table, v - s lies a constant before v. Here that holds as long as no
/// component crosses into another block: where the part of s_i beyond whole sides is more than that
/// of v_i, a side has to be borrowed from the block coordinate, and the place is a constant further
/// away. The same subtraction of packed vectors that tells whether s fits tells which components
/// borrow.
pub(super) struct Layout<'a> {
    pub(super) instance: &'a Instance,
    /// In the instance's order of dimensions.
    pub(super) axes: Vec<Axis>,
    /// For each offset of the instance.
    pub(super) moves: Vec<Move>,
    /// For each bit of a packed vector.
    pub(super) bits: [Bit; 64 * WORDS],
    pub(super) blocks: Diagonals,
    pub(super) inside: Diagonals,
    pub(super) block_cells: u32,
}

/// How one dimension adds to a place.
pub(super) struct Axis {
    /// Cells of a block in this dimension.
    pub(super) side: u32,
    /// Cells from a block to the next in this dimension.
    pub(super) block_stride: u32,
    /// Cells from neighbour to neighbour inside a block.
    pub(super) inner_stride: u32,
    /// Bit position of the component in packed vectors.
    pub(super) shift: u32,
}

/// An offset as a step back in the table.
pub(super) struct Move {
    /// The offset's components beyond whole sides.
    pub(super) inner: Packed,
    /// Distance in cells if no component borrows.
    pub(super) distance: u32,
}

/// What a bit of a packed vector stands for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Bit {
    /// The offsets of the dimension's group, first and last + 1, where the bit belongs to a
    /// component.
    pub(super) group: (u32, u32),
    /// Cells by which a step goes further back where this is the guard bit of a component that
    /// borrows.
    pub(super) borrow: u32,
}

/// A cell with what its value depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) packed: Packed,
    /// Its coordinates inside the block.
    pub(super) inner: Packed,
    pub(super) place: u32,
}

impl<'a> Layout<'a> {
    /// Lays out the table of an instance of fewer than [`MOST_CELLS`] cells. The partition is one
    /// of its box.
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

    /// The first cell of the block of these coordinates.
    pub(super) fn block(&self, coordinates: &[u32]) -> Cell {
        let mut cell = Cell { packed: [0; WORDS], inner: [0; WORDS], place: 0 };
        for (axis, &coordinate) in self.axes.iter().zip(coordinates) {
            axis.add(&mut cell.packed, coordinate * axis.side);
            cell.place += coordinate * axis.block_stride;
        }
        cell
    }

    /// The cell of these coordinates inside the block that begins with `first`.
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

    /// The cell that has this number in the order of the box, not of the blocks.
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

    /// Goes on to the next cell of the block, if there is one.
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

    /// The value of a cell, given those of the cells before it by their places.
    pub(super) fn value(&self, cell: &Cell, value_at: impl Fn(u32) -> u16) -> u16 {
        let (first, end) = self.group(cell);
        let through = |offset: u32| Some(self.through(cell, offset, &value_at)?.0);
        (first..end).filter_map(through).min().unwrap_or(UNREACHABLE)
    }

    /// Walks from the last cell back to cell 0, by the first offset that explains each cell's
    /// value.
    pub(super) fn replay(&self, value_at: impl Fn(u32) -> u16) -> Result<Option<Path>> {
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

    /// The cell of the largest components; it is the last in the table too.
    fn last(&self) -> Cell {
        let packed = *self.instance.corner();
        Cell { packed, inner: self.inner(&packed), place: (self.instance.cells() - 1) as u32 }
    }

    /// A vector's components beyond whole sides.
    fn inner(&self, packed: &Packed) -> Packed {
        inner(self.instance, &self.axes, packed)
    }

    /// The offsets that matter to a cell: those of the group of its first component above 0. None
    /// for cell 0.
    fn group(&self, cell: &Cell) -> (u32, u32) {
        let word = cell.packed.iter().position(|&word| word != 0);
        word.map_or((0, 0), |word| {
            self.bits[64 * word + cell.packed[word].trailing_zeros() as usize].group
        })
    }

    /// What a cell costs with that offset as its last step, and the place of the cell before it, if
    /// that is inside the box.
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

    /// Takes away from this dimension's component of a packed vector.
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
    // A dimension without an extent has no bits.
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
