//! One tile of the tables.

use super::inner::{Inner, nearest};
use super::window::{REACH, Row, WINDOW, copied};
use super::{NONE, Sequence, Table, known};
use crate::interval_dp::blocks::{CpuCell, NoTerm, Weight};
use crate::interval_dp::cell_instance::CellInstance;
use crate::interval_dp::semiring::MinPlus;
use crate::interval_dp::tiles::{BLOCK, BLOCKS, Factor, Loops, TILE, Tile};
use crate::simd::{HotLoop, Simd};
use crate::solve::Monitor;
use crate::{Result, memory};

/// A finished tile.
pub(super) struct Solved {
    pub(super) paired: Box<Tile<i32>>,
    pub(super) some: Box<Tile<i32>>,
    /// `several` in the first row and in the last column, which other tiles enclose.
    several_above: [i32; TILE],
    several_right: [i32; TILE],
}

impl Solved {
    /// Bytes of a tile with its place.
    pub(super) const BYTES: usize = size_of::<Solved>() + 2 * size_of::<Tile<i32>>() + 8;
}

/// The tables of a tile in work, and the cells of others that it needs.
pub(super) struct Tables<'a> {
    sequence: &'a Sequence<'a>,
    /// The first row and column.
    first: [usize; 2],
    /// Sums over splits until a cell is finished.
    some: Box<Tile<i32>>,
    /// `paired` from [`REACH`] columns before the tile to as many rows below it.
    window: Vec<i32>,
    /// `several` with a column before the tile and a row below it.
    several: Vec<i32>,
    /// `some` of the row below, and of the column before.
    below: [i32; TILE],
    left: [i32; TILE],
    inner: Inner,
}

/// Cells along the edge of `several`.
const SEVERAL: usize = TILE + 1;

impl<'a> Tables<'a> {
    /// Solves tile (p, q), whose neighbours to the left and below are solved.
    pub(super) fn solve(
        sequence: &'a Sequence<'a>,
        table: &Table,
        (p, q): (usize, usize),
        monitor: &Monitor,
    ) -> Result<Solved> {
        let mut tables = Tables {
            sequence,
            first: [p * TILE, q * TILE],
            some: tile(i32::MAX)?,
            window: memory::filled(NONE, WINDOW * WINDOW)?,
            several: memory::filled(NONE, SEVERAL * SEVERAL)?,
            below: [NONE; TILE],
            left: [NONE; TILE],
            inner: Inner::new()?,
        };
        let loops = <i32 as CpuCell>::loops::<MinPlus, NoTerm, Weight>();
        let none = CellInstance::<i32>::of_splits();
        for r in p + 1..q {
            let (a, b) = (&table.tile(p, r).some, &table.tile(r, q).some);
            loops.product(&mut tables.some, a, b, &none, [0; 3]);
            monitor.check()?;
        }
        if p == q {
            tables.solve_diagonal(&loops, &none);
        } else {
            tables.take_neighbours(table, (p, q));
            let (rows, columns) = (&table.tile(p, p).some, &table.tile(q, q).some);
            tables.solve_fringe(&loops, &none, rows, columns);
        }
        tables.finish()
    }

    fn take_neighbours(&mut self, table: &Table, (p, q): (usize, usize)) {
        let (left, below) = (table.tile(p, q - 1), table.tile(p + 1, q));
        let corner = (p + 1 < q).then(|| table.tile(p + 1, q - 1));
        self.below.copy_from_slice(&below.some[..TILE]);
        self.several[TILE * SEVERAL + 1..].copy_from_slice(&below.several_above);
        for row in 0..TILE {
            self.left[row] = left.some[row * TILE + TILE - 1];
            self.several[row * SEVERAL] = left.several_right[row];
            let from = &left.paired[(row + 1) * TILE - REACH..(row + 1) * TILE];
            self.window[row * WINDOW..][..REACH].copy_from_slice(from);
        }
        self.several[TILE * SEVERAL] = corner.map_or(NONE, |corner| corner.several_right[0]);
        for row in 0..REACH {
            let to = &mut self.window[(TILE + row) * WINDOW..][..WINDOW];
            to[REACH..].copy_from_slice(&below.paired[row * TILE..][..TILE]);
            if let Some(corner) = corner {
                to[..REACH].copy_from_slice(&corner.paired[(row + 1) * TILE - REACH..][..REACH]);
            }
        }
    }

    fn solve_diagonal(&mut self, loops: &Loops<i32>, none: &CellInstance<'_, i32>) {
        for p in (0..BLOCKS).rev() {
            self.inner.before = Inner::NOTHING;
            self.solve_block([p, p], None, None);
            for q in p + 1..BLOCKS {
                for r in p + 1..q {
                    let to = &mut self.some;
                    loops.block_product(to, [p, r, q], Factor::Own, Factor::Own, none);
                }
                let left = block(&self.some, p);
                self.solve_block([p, q], Some(&left), None);
            }
        }
    }

    /// Solves a tile whose rows' and columns' diagonal tiles are given.
    fn solve_fringe(
        &mut self,
        loops: &Loops<i32>,
        none: &CellInstance<'_, i32>,
        rows: &Tile<i32>,
        columns: &Tile<i32>,
    ) {
        self.inner.begin_tile(&self.window);
        for p in (0..BLOCKS).rev() {
            self.inner.begin_row(&self.window, p * BLOCK);
            let left = block(rows, p);
            for q in 0..BLOCKS {
                let to = &mut self.some;
                for r in p + 1..BLOCKS {
                    loops.block_product(to, [p, r, q], Factor::Of(rows), Factor::Own, none);
                }
                for r in 0..q {
                    loops.block_product(to, [p, r, q], Factor::Own, Factor::Of(columns), none);
                }
                self.solve_block([p, q], Some(&left), Some(&block(columns, q)));
            }
        }
    }

    /// Solves the cells of a block that has the splits in other blocks. `left` is the diagonal
    /// block of its rows, if that is another one; `below` that of its columns, if that is in
    /// another tile.
    fn solve_block(
        &mut self,
        block: [usize; 2],
        left: Option<&[Row; BLOCK]>,
        below: Option<&[Row; BLOCK]>,
    ) {
        Simd::detect().run(SolveBlock { tables: self, block, left, below });
    }

    fn finish(self) -> Result<Solved> {
        let mut paired = tile(NONE)?;
        for (row, to) in paired.chunks_exact_mut(TILE).enumerate() {
            to.copy_from_slice(&self.window[row * WINDOW + REACH..][..TILE]);
        }
        let mut several = ([NONE; TILE], [NONE; TILE]);
        for place in 0..TILE {
            several.0[place] = self.several[place + 1];
            several.1[place] = self.several[place * SEVERAL + TILE];
        }
        let (several_above, several_right) = several;
        Ok(Solved { paired, some: self.some, several_above, several_right })
    }
}

/// A block on a tile's diagonal.
fn block(tile: &Tile<i32>, place: usize) -> [Row; BLOCK] {
    let mut block = [[NONE; BLOCK]; BLOCK];
    for (row, to) in block.iter_mut().enumerate() {
        to.copy_from_slice(&tile[(place * BLOCK + row) * TILE + place * BLOCK..][..BLOCK]);
    }
    block
}

fn tile(value: i32) -> Result<Box<Tile<i32>>> {
    let cells = memory::filled(value, TILE * TILE)?;
    Ok(cells.into_boxed_slice().try_into().expect("it has that length"))
}

/// Solves the cells of a block row by row from below.
struct SolveBlock<'a, 'b> {
    tables: &'a mut Tables<'b>,
    block: [usize; 2],
    left: Option<&'a [Row; BLOCK]>,
    below: Option<&'a [Row; BLOCK]>,
}

impl HotLoop for SolveBlock<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        self.tables.inner.begin_block(self.block[1] * BLOCK);
        for row in (0..BLOCK).rev() {
            let mut sums = self.some_row(row);
            if let Some(left) = self.left {
                for (lower, &left) in left[row].iter().enumerate().skip(row + 1) {
                    relax(&mut sums, left, &self.some_row(lower));
                }
            }
            let paired = self.paired_row(row);
            self.some_cells(row, sums, &paired);
        }
        self.tables.inner.end_block(self.block[1] * BLOCK);
    }
}

impl SolveBlock<'_, '_> {
    /// The place of the block's row in the tile, and of its first column.
    #[inline(always)]
    fn place(&self, row: usize) -> [usize; 2] {
        [self.block[0] * BLOCK + row, self.block[1] * BLOCK]
    }

    /// The block's row of `some`.
    #[inline(always)]
    fn some_row(&self, row: usize) -> Row {
        let [row, column] = self.place(row);
        copied(&self.tables.some[..], row * TILE + column)
    }

    /// Finishes the block's row of `paired`, of which all rows below are finished.
    #[inline(always)]
    fn paired_row(&mut self, row: usize) -> Row {
        let [row, column] = self.place(row);
        let (sequence, tables) = (self.tables.sequence, &mut *self.tables);
        let energies = sequence.energies;
        let nearest = nearest(row, column);
        let inside = tables.inner.row(&tables.window, energies, row, column);
        let stacked = copied(&tables.window, nearest);
        let several = copied(&tables.several, (row + 1) * SEVERAL + column);
        let mut paired = [NONE; BLOCK];
        for (place, paired) in paired.iter_mut().enumerate() {
            let (i, j) = (tables.first[0] + row, tables.first[1] + column + place);
            let Some(kind) = sequence.kind(i, j) else { continue };
            let hairpin = energies.of_hairpin(j - i - 2);
            let multi = several[place] + energies.multi + energies.branch;
            let stack = match sequence.kind(i + 1, j - 1) {
                Some(inner) => stacked[place] + energies.stack[kind][inner],
                None => NONE,
            };
            *paired = known(inside[place].min(hairpin).min(multi).min(stack));
        }
        tables.window[row * WINDOW + REACH + column..][..BLOCK].copy_from_slice(&paired);
        paired
    }

    /// Finishes the block's row of `several` and `some`, from the sums over the other splits.
    #[inline(always)]
    fn some_cells(&mut self, row: usize, mut sums: Row, paired: &Row) {
        let [row, column] = self.place(row);
        let (energies, tables) = (self.tables.sequence.energies, &mut *self.tables);
        let mut before = match column {
            0 => tables.left[row],
            _ => tables.some[row * TILE + column - 1],
        };
        for place in 0..BLOCK {
            let (i, j) = (tables.first[0] + row, tables.first[1] + column + place);
            let (mut several, mut some) = (NONE, NONE);
            if i + 1 < j {
                let below = match row + 1 < TILE {
                    true => tables.some[(row + 1) * TILE + column + place],
                    false => tables.below[column + place],
                };
                several = known(sums[place]);
                let longer = below.min(before) + energies.unpaired;
                some = known(several.min(paired[place] + energies.branch).min(longer));
            }
            tables.several[row * SEVERAL + column + place + 1] = several;
            tables.some[row * TILE + column + place] = some;
            before = some;
            if some < NONE {
                let right = match self.below {
                    Some(below) => below[place],
                    None => copied(&tables.some[..], (column + place) * TILE + column),
                };
                relax(&mut sums, some, &right);
            }
        }
    }
}

/// Relaxes sums with a split: `left` is the left part's value, `right` has the right parts.
#[inline(always)]
fn relax(sums: &mut Row, left: i32, right: &Row) {
    for (sum, right) in sums.iter_mut().zip(right) {
        *sum = (*sum).min(left.wrapping_add(*right));
    }
}
