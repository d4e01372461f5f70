//! Spot checks of tables that a device filled: the host computes some cells again from the cells
//! that they depend on.

use std::ops::Range;
use std::sync::Mutex;
use std::time::Instant;

use crate::context::{SpotChecks, sample, wrong};
use crate::lattice_dp::Path;
use crate::lattice_dp::cell::Cell;
use crate::lattice_dp::instance::{Instance, Packed, WORDS, fits};
use crate::lattice_dp::rows::advance;
use crate::{Context, Result, memory, parallel};

/// Tables of up to this many bytes are read as a whole; larger ones in stretches.
const WHOLE_BYTES: u64 = 1 << 26;
/// Stretches of a larger table; each takes one read for every offset.
const STRETCHES: usize = 2;
/// Cells that one thread computes at a time.
const TASK: u64 = 4096;

/// The spot checks of a solve, shared by several tables.
pub(in crate::lattice_dp) type Checks = Mutex<SpotChecks>;

/// Compares the path's value with the last cell. Then compares the last cell and some cells from
/// number `from` on with their definition. `read` reads cells from a given number on.
pub(super) fn check<C: Cell>(
    context: &Context,
    instance: &Instance,
    from: u64,
    read: &(dyn Fn(u64, &mut [C]) -> Result<()> + Sync),
    path: Option<&Path>,
    checks: &Checks,
) -> Result<()> {
    let mut value = [C::ZERO];
    read(instance.cells() - 1, &mut value)?;
    check_value(value[0], path)?;
    check_cells(context, instance, from..instance.cells(), 0, read, checks)
}

/// Compares the path's value with the last cell.
pub(super) fn check_value<C: Cell>(last: C, path: Option<&Path>) -> Result<()> {
    match path.map_or(C::UNREACHABLE.value(), |path| path.value) == last.value() {
        true => Ok(()),
        false => Err(wrong("the value of a lattice path")),
    }
}

/// Compares the last one and some others of these cells with their definition. `read` reads cells from
/// number `origin` on.
pub(super) fn check_cells<C: Cell>(
    context: &Context,
    instance: &Instance,
    range: Range<u64>,
    origin: u64,
    read: &(dyn Fn(u64, &mut [C]) -> Result<()> + Sync),
    checks: &Checks,
) -> Result<()> {
    let begun = Instant::now();
    let (wanted, mut random) = SpotChecks::begin(checks);
    if wanted == 0 || range.is_empty() {
        return Ok(());
    }
    let (from, last) = (range.start, range.end - 1);
    let mut ranges = sample(&mut random, (last + 1 - from) as usize, wanted as usize);
    let is_whole = (last + 1 - origin) * C::WIDTH.bytes() <= WHOLE_BYTES;
    if !is_whole {
        random.choose(&mut ranges, STRETCHES);
        ranges.truncate(STRETCHES);
    }
    let mut pieces = Vec::new();
    for range in ranges {
        pieces.extend(of_one_group(instance, from + range.start as u64..from + range.end as u64));
    }
    pieces.extend(of_one_group(instance, last..last + 1));
    let cells = pieces.iter().map(|(_, piece)| piece.end - piece.start).sum();
    if is_whole {
        let mut table = memory::filled(C::ZERO, (last + 1 - origin) as usize)?;
        read(origin, &mut table)?;
        let from_table = |first: u64, cells: &mut [C]| {
            cells.copy_from_slice(&table[(first - origin) as usize..][..cells.len()]);
            Ok(())
        };
        let small = |(dimension, piece): (usize, Range<u64>)| {
            let starts = piece.clone().step_by(TASK as usize);
            starts
                .map(move |start| (dimension, start..piece.end.min(start + TASK)))
                .collect::<Vec<_>>()
        };
        let tasks: Vec<_> = pieces.into_iter().flat_map(small).collect();
        let work =
            |(dimension, piece)| check_piece(instance, dimension, piece, origin, &from_table);
        context.install(|| parallel::try_for_each(tasks.into_iter(), work))??;
    } else {
        pieces.into_iter().try_for_each(|(dimension, piece)| {
            check_piece(instance, dimension, piece, origin, read)
        })?;
    }
    SpotChecks::end(checks, cells, begun);
    Ok(())
}

/// Splits a range of cells by their first dimension above 0, whose group has the offsets that they
/// depend on.
fn of_one_group(instance: &Instance, range: Range<u64>) -> Vec<(usize, Range<u64>)> {
    let parts = instance.dimensions().iter().enumerate().map(|(number, dimension)| {
        let end = dimension.stride * (u64::from(dimension.max) + 1);
        (number, range.start.max(dimension.stride)..range.end.min(end))
    });
    parts.filter(|(_, part)| part.start < part.end).collect()
}

fn check_piece<C: Cell>(
    instance: &Instance,
    dimension: usize,
    cells: Range<u64>,
    origin: u64,
    read: &dyn Fn(u64, &mut [C]) -> Result<()>,
) -> Result<()> {
    let dimensions = instance.dimensions();
    let len = (cells.end - cells.start) as usize;
    let mut found = memory::filled(C::ZERO, len)?;
    read(cells.start, &mut found)?;
    let mut places = memory::list(len)?;
    let mut cell = packed(instance, cells.start);
    for _ in 0..len {
        places.push(cell);
        advance(instance, &mut cell, dimension..dimensions.len());
    }
    let mut least = memory::filled(C::UNREACHABLE, len)?;
    let mut before = memory::filled(C::ZERO, len)?;
    for offset in &instance.offsets()[dimensions[dimension].group.clone()] {
        // For cells less than `distance` behind the first one, the offset leads out of the box.
        let skipped = ((origin + offset.distance).saturating_sub(cells.start) as usize).min(len);
        read(
            (cells.start + skipped as u64).saturating_sub(offset.distance),
            &mut before[skipped..],
        )?;
        let cost = C::from_cost(offset.cost);
        for ((least, place), &before) in least.iter_mut().zip(&places).zip(&before).skip(skipped) {
            if fits(&offset.packed, place, instance.guards()) {
                *least = (*least).min(before.plus(cost));
            }
        }
    }
    if least == found { Ok(()) } else { Err(wrong("the cells of a lattice")) }
}

/// The packed vector of the cell with this number.
fn packed(instance: &Instance, index: u64) -> Packed {
    let mut packed = [0; WORDS];
    for dimension in instance.dimensions() {
        let part =
            dimension.packed((index / dimension.stride % (u64::from(dimension.max) + 1)) as u32);
        (0..WORDS).for_each(|word| packed[word] |= part[word]);
    }
    packed
}
