//! The CPU engine: fills the upper triangle in tiles.

use std::sync::OnceLock;

use super::blocks::CpuCell;
use super::cell_instance::CellInstance;
use super::number::Value;
use super::semiring::{CellType, Semiring, by_cell_type};
use super::tiles::{Loops, TILE, Tile};
use super::values::Values;
use super::view::Request;
use super::{schedule, traceback};
use crate::memory::Gather;
use crate::solve::Monitor;
use crate::{Context, Result, memory};

/// Solves the instance in cells of the given type; 16 bits become 32.
pub(super) fn solve(
    context: &Context,
    request: &Request<'_>,
    cell_type: CellType,
    monitor: &Monitor,
) -> Result<Values<Value>> {
    by_cell_type!(cell_type, solve_as(context, request, monitor))
}

fn solve_as<C: CpuCell>(
    context: &Context,
    request: &Request<'_>,
    monitor: &Monitor,
) -> Result<Values<Value>> {
    let instance = &CellInstance::<C>::new(&request.view, TILE)?.minimising();
    let side = instance.padded / TILE;
    let table = Table::new(side, monitor)?;
    let loops = Loops::of(instance);
    let refused = OnceLock::new();
    let solve = |p, q| match solve_tile(instance, &loops, &table, (p, q), monitor) {
        Ok(tile) => table.set(p, q, tile),
        Err(error) => {
            // Of several errors the first one is kept.
            let _ = refused.set(error);
            false
        }
    };
    let solved = schedule::solve_all(context, side, monitor, &solve);
    refused.into_inner().map_or(solved, Err)?;
    traceback::values(instance, request, &|i, j| table.cell(i, j), monitor)
}

/// The tiles of the upper triangle. Each is written once.
struct Table<C> {
    tiles: Vec<OnceLock<Box<Tile<C>>>>,
}

impl<C: CpuCell> Table<C> {
    fn new(side: usize, monitor: &Monitor) -> Result<Self> {
        let tiles = schedule::tiles(side);
        let required =
            tiles as u128 * (size_of::<Tile<C>>() + size_of::<OnceLock<Box<Tile<C>>>>()) as u128;
        let what = || format!("a triangle of {tiles} tiles of {TILE} x {TILE} {}", C::TYPE);
        monitor.check_memory(required, what)?;
        Ok(Table { tiles: (0..tiles).map(|_| OnceLock::new()).gather()? })
    }

    /// A finished tile.
    #[inline]
    fn tile(&self, p: usize, q: usize) -> &Tile<C> {
        self.tiles[schedule::place(p, q)].get().expect("a tile is used after it is solved")
    }

    /// Stores a tile; returns false if its place was taken.
    fn set(&self, p: usize, q: usize, tile: Box<Tile<C>>) -> bool {
        self.tiles[schedule::place(p, q)].set(tile).is_ok()
    }

    fn cell(&self, i: usize, j: usize) -> C {
        self.tile(i / TILE, j / TILE)[i % TILE * TILE + j % TILE]
    }
}

/// Computes tile (p, q).
///
/// # Errors
/// [`Error::Stopped`](crate::Error::Stopped) and [`Error::OutOfMemory`](crate::Error::OutOfMemory).
fn solve_tile<C: CpuCell>(
    instance: &CellInstance<'_, C>,
    loops: &Loops<C>,
    table: &Table<C>,
    (p, q): (usize, usize),
    monitor: &Monitor,
) -> Result<Box<Tile<C>>> {
    let mut to = filled(instance.semiring.zero())?;
    let (row, column) = (p * TILE, q * TILE);
    for r in p + 1..q {
        loops.product(
            &mut to,
            table.tile(p, r),
            table.tile(r, q),
            instance,
            [row, r * TILE, column],
        );
        monitor.check()?;
    }
    let weights = weights(instance, p, q)?;
    if instance.encloses() {
        enclose(&mut to, &weights, instance.semiring, table, (p, q));
    }
    match p == q {
        true => loops.diagonal(&mut to, &weights, instance, row),
        false => loops.fringe(
            &mut to,
            table.tile(p, p),
            table.tile(q, q),
            &weights,
            instance,
            [row, column],
        ),
    }
    Ok(to)
}

/// Adds to the sums what cells of a tile's last row and first column enclose, which lies in other
/// tiles. In a tile on the diagonal, it writes the empty cells (i, i) instead.
fn enclose<C: CpuCell>(
    to: &mut Tile<C>,
    weights: &Tile<C>,
    semiring: Semiring,
    table: &Table<C>,
    (p, q): (usize, usize),
) {
    if p == q {
        (0..TILE).for_each(|row| to[row * TILE + row] = semiring.one());
        return;
    }
    let mut relax = |place: usize, enclosed: C| {
        to[place] = semiring.plus(to[place], semiring.times(enclosed, weights[place]));
    };
    let last = TILE - 1;
    let (below, left) = (table.tile(p + 1, q), table.tile(p, q - 1));
    for step in 0..last {
        relax(last * TILE + step + 1, below[step]);
        relax(step * TILE, left[(step + 1) * TILE + last]);
    }
    // Next to the diagonal, the corner is a leaf.
    if p + 1 < q {
        relax(last * TILE, table.tile(p + 1, q - 1)[last]);
    }
}

fn weights<C: CpuCell>(instance: &CellInstance<'_, C>, p: usize, q: usize) -> Result<Box<Tile<C>>> {
    let mut weights = filled(instance.semiring.one())?;
    for (i, line) in (p * TILE..).zip(weights.chunks_exact_mut(TILE)) {
        for (j, weight) in (q * TILE..).zip(line) {
            if i < j {
                *weight = instance.weight_by_call(i, j);
            }
        }
    }
    Ok(weights)
}

fn filled<C: CpuCell>(value: C) -> Result<Box<Tile<C>>> {
    let cells = memory::filled(value, TILE * TILE)?;
    Ok(cells.into_boxed_slice().try_into().expect("it has that length"))
}
