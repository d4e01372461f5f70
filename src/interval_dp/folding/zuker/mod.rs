//! Zuker's model: the structure of least energy.
//!
//! Points lie between the bases; cell (i, j) has the bases i to j - 1. Three tables:
//!
//! ```text
//! paired(i, j) = least of a hairpin, of a stack, bulge or interior loop around paired(k, l), and of
//!                multi + branch + several(i + 1, j - 1); its ends are a pair
//! several(i, j) = least over i < k < j of some(i, k) + some(k, j)
//! some(i, j) = least of several(i, j), of paired(i, j) + branch, and of some(i + 1, j) and
//!              some(i, j - 1) + unpaired
//! outside(j) = least of outside(j - 1) and over i of outside(i) + paired(i, j)
//! ```
//!
//! `several` is the interval recurrence with one more candidate for each cell, so that its tiles
//! fill `some`. The interior loops have at most [`LARGEST_LOOP`] unpaired bases, a fixed number of
//! candidates for a cell.

mod definition;
pub(in crate::interval_dp) mod device;
mod inner;
mod tile;
mod trace;
mod triangle;
mod window;

use std::sync::OnceLock;

use self::tile::{Solved, Tables};
use self::triangle::Cells;
use super::base::Base;
use super::energies::{Energies, LARGEST_LOOP, LEAST_HAIRPIN};
use super::instance::Instance;
use super::{Found, Method, Options};
use crate::interval_dp::tiles::TILE;
use crate::interval_dp::{cost_model, schedule};
use crate::memory::Gather;
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Context, Dispatch, Error, Forecast, Result, memory};

/// A value that no structure has: sums of two fit, and so do sums with all energies. Values from
/// half of it on mean the same.
const NONE: i32 = 1 << 29;

/// [`NONE`] for all values that mean it.
#[inline(always)]
fn known(value: i32) -> i32 {
    if value < NONE / 2 { value } else { NONE }
}

/// A sequence with its energies, padded to whole tiles.
struct Sequence<'a> {
    energies: &'a Energies,
    len: usize,
    /// The bases, then as many as fill the last tile.
    bases: Vec<Option<Base>>,
}

impl<'a> Sequence<'a> {
    /// The bases of an instance, padded to `padded`.
    fn new(instance: &Instance, energies: &'a Energies, padded: usize) -> Result<Self> {
        let mut bases = memory::filled(None, padded)?;
        for (place, &base) in bases.iter_mut().zip(instance.bases()) {
            *place = Some(base);
        }
        Ok(Sequence { energies, len: instance.len(), bases })
    }

    /// The kind of the pair of the ends of cell (i, j); `None` if they can't pair.
    #[inline(always)]
    fn kind(&self, i: usize, j: usize) -> Option<usize> {
        if j < i + 2 + LEAST_HAIRPIN || j > self.len {
            return None;
        }
        Energies::kind(self.bases[i]?, self.bases[j - 1]?)
    }
}

/// Finds the structure of least energy on the chosen engine.
pub(super) fn solve(
    instance: &Instance,
    energies: &Energies,
    options: &Options,
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
) -> Result<Found> {
    if options.method == Method::Serial {
        return Err(Error::unsupported("the method serial for Zuker's model"));
    }
    if options.cell_type.is_some() {
        return Err(Error::argument("cell_type", "Zuker's model has cells of 32 bits"));
    }
    energies.check(instance.len(), NONE / 2)?;
    let context = dispatch.context();
    let (points, splits) = (instance.len() + 1, instance.relaxations() as f64);
    let forecast = Forecast {
        cpu: &|| {
            let speeds = context.processor_speeds();
            cost_model::folding_cpu_seconds(points, splits, context.threads(), &speeds)
        },
        device: &|info, speeds| {
            cost_model::folding_device_seconds(points, device::bytes(points), splits, info, speeds)
        },
        ..Forecast::of("folding")
    };
    let on_device = |chosen: &Device| {
        let sequence = Sequence::new(instance, energies, instance.len())?;
        let triangle = device::solve(context, chosen, &sequence, monitor)?;
        let outside = triangle.outside(monitor)?;
        found(&sequence, &triangle, &outside, monitor)
    };
    let on_cpu = |monitor: &Monitor| solve_on_cpu(context, instance, energies, monitor);
    dispatch.run(monitor, &forecast, on_device, on_cpu)
}

fn solve_on_cpu(
    context: &Context,
    instance: &Instance,
    energies: &Energies,
    monitor: &Monitor,
) -> Result<Found> {
    let points = instance.len() + 1;
    let side = points.div_ceil(TILE);
    let tiles = schedule::tiles(side);
    let required = tiles as u128 * Solved::BYTES as u128 + 8 * points as u128;
    monitor
        .check_memory(required, || format!("two triangles of {tiles} tiles of {TILE} x {TILE}"))?;
    let sequence = Sequence::new(instance, energies, side * TILE)?;
    let table = Table { tiles: (0..tiles).map(|_| OnceLock::new()).gather()? };
    let refused = OnceLock::new();
    let solve = |p, q| match Tables::solve(&sequence, &table, (p, q), monitor) {
        Ok(tile) => table.tiles[schedule::place(p, q)].set(tile).is_ok(),
        Err(error) => {
            // Of several errors the first one is kept.
            let _ = refused.set(error);
            false
        }
    };
    let solved = schedule::solve_all(context, side, monitor, &solve);
    refused.into_inner().map_or(solved, Err)?;
    let outside = outside(&sequence, &table, monitor)?;
    found(&sequence, &table, &outside, monitor)
}

/// The structure of the tables.
fn found(
    sequence: &Sequence<'_>,
    table: &impl Cells,
    outside: &[i32],
    monitor: &Monitor,
) -> Result<Found> {
    let pairs = trace::pairs(sequence, table, outside, monitor)?;
    Ok(Found { pairs, value: outside[sequence.len].into() })
}

/// The tiles of the upper triangle. Each is written once.
struct Table {
    tiles: Vec<OnceLock<Solved>>,
}

impl Table {
    /// A finished tile.
    fn tile(&self, p: usize, q: usize) -> &Solved {
        self.tiles[schedule::place(p, q)].get().expect("a tile is used after it is solved")
    }
}

impl Cells for Table {
    fn paired(&self, i: usize, j: usize) -> i32 {
        self.tile(i / TILE, j / TILE).paired[i % TILE * TILE + j % TILE]
    }

    fn some(&self, i: usize, j: usize) -> i32 {
        match i < j {
            true => self.tile(i / TILE, j / TILE).some[i % TILE * TILE + j % TILE],
            false => NONE,
        }
    }
}

/// The least energies of the first bases, by their number.
fn outside(sequence: &Sequence<'_>, table: &Table, monitor: &Monitor) -> Result<Vec<i32>> {
    let points = sequence.len + 1;
    let mut outside = memory::filled(0, points)?;
    for q in 0..points.div_ceil(TILE) {
        // From all tiles above the diagonal at once; within it, column by column.
        let mut best = [NONE; TILE];
        for p in 0..q {
            monitor.check()?;
            let tile = table.tile(p, q);
            for (row, before) in tile.paired.chunks_exact(TILE).zip(&outside[p * TILE..]) {
                for (best, paired) in best.iter_mut().zip(row) {
                    *best = (*best).min(before + paired);
                }
            }
        }
        for j in (q * TILE).max(1)..points.min((q + 1) * TILE) {
            let mut least = outside[j - 1].min(best[j % TILE]);
            for (i, before) in (q * TILE..j).zip(&outside[q * TILE..j]) {
                least = least.min(before + table.paired(i, j));
            }
            outside[j] = least;
        }
    }
    Ok(outside)
}
