//! The inner loop of the CPU engine: rows of neighbouring cells, one offset at a time.
//!
//! A row is the product of the last dimensions of the box. An offset maps a whole row of an earlier
//! slab onto a row, shifted by the offset's inner part; a mask excludes the cells where the inner
//! part does not fit.

use std::collections::HashMap;

use super::cell::Cell;
use super::instance::{Instance, Offset, Packed, WORDS, fits};
use crate::simd::{HotLoop, Simd};

/// Least bytes of a row, if the box allows it: one vector of the widest kind. Tables of
/// `LARGE_CELLS` cells and more have rows of two, since longer masks pay there.
const ENOUGH_BYTES: u64 = 64;
const LARGE_CELLS: u64 = 1 << 18;
/// Masks of longer rows would exceed the cache.
const MOST_CELLS: u64 = 4096;

/// The division of an instance's box into rows.
pub(super) struct Rows<'a, C> {
    instance: &'a Instance,
    simd: Simd,
    /// Number of outer dimensions; the later ones are inside a row.
    pub(super) outer: usize,
    /// Cells of a row.
    pub(super) cells: usize,
    /// The map of rows for each offset of the instance.
    maps: Vec<RowMap>,
    /// Masks of `cells` entries each: 0 where the inner part fits, [`Cell::UNREACHABLE`] elsewhere.
    masks: Vec<C>,
}

struct RowMap {
    /// The offset without its inner components.
    outer: Packed,
    /// Distance in cells from the row's start to the first cell where the inner part fits.
    inner_distance: usize,
    /// Start of the mask; `None` if the inner part fits in every cell from `inner_distance` on.
    mask: Option<usize>,
}

/// The masks collected so far; offsets with the same inner part share one.
struct Masks<'a, C> {
    instance: &'a Instance,
    outer: usize,
    entries: Vec<C>,
    known: HashMap<Packed, usize>,
}

impl<C: Cell> Masks<'_, C> {
    fn map(&mut self, offset: &Offset) -> RowMap {
        let dimensions = &self.instance.dimensions()[self.outer..];
        let mut inner = [0; WORDS];
        let mut inner_distance = 0;
        // If only the row's first dimension is used, the inner part fits in all cells from a point
        // on.
        let mut plain = true;
        for (i, dimension) in dimensions.iter().enumerate() {
            let component = dimension.component(&offset.packed);
            if component > 0 {
                let packed = dimension.packed(component);
                (0..WORDS).for_each(|word| inner[word] |= packed[word]);
                inner_distance += u64::from(component) * dimension.stride;
                plain &= dimensions[..i].iter().all(|earlier| earlier.max == 0);
            }
        }
        RowMap {
            outer: std::array::from_fn(|word| offset.packed[word] & !inner[word]),
            inner_distance: inner_distance as usize,
            mask: (!plain).then(|| self.mask(inner)),
        }
    }

    /// Start of the mask for an inner part.
    fn mask(&mut self, inner: Packed) -> usize {
        let (dimensions, entries) = (&self.instance.dimensions()[self.outer..], &mut self.entries);
        *self.known.entry(inner).or_insert_with(|| {
            let begin = entries.len();
            entries.push(C::ZERO);
            // The last dimension varies fastest. Each earlier dimension repeats the mask so far for
            // every component that is large enough.
            for dimension in dimensions.iter().rev() {
                let part = entries.len() - begin;
                let (least, max) = (dimension.component(&inner) as usize, dimension.max as usize);
                entries.resize(begin + part * (max + 1), C::UNREACHABLE);
                for component in least.max(1)..=max {
                    entries.copy_within(begin..begin + part, begin + component * part);
                }
                if least > 0 {
                    entries[begin..begin + part].fill(C::UNREACHABLE);
                }
            }
            begin
        })
    }
}

impl<'a, C: Cell> Rows<'a, C> {
    pub(super) fn new(instance: &'a Instance) -> Self {
        let dimensions = instance.dimensions();
        let mut outer = dimensions.len();
        let mut cells = 1;
        let enough = if instance.cells() < LARGE_CELLS { ENOUGH_BYTES } else { 2 * ENOUGH_BYTES };
        while outer > 0 && cells * (size_of::<C>() as u64) < enough {
            let longer = cells * (u64::from(dimensions[outer - 1].max) + 1);
            if cells > 1 && longer > MOST_CELLS {
                break;
            }
            cells = longer;
            outer -= 1;
        }
        let cells = cells as usize;
        let mut masks = Masks { instance, outer, entries: Vec::new(), known: HashMap::new() };
        let maps = instance.offsets().iter().map(|offset| masks.map(offset)).collect();
        Rows { instance, simd: Simd::detect(), outer, cells, maps, masks: masks.entries }
    }

    /// Fills `chunk`, which holds whole rows of one slab, starting with row `first`. `done` is the
    /// table up to the slab. The slab's cells have `component` in `dimension` and 0 before it.
    pub(super) fn fill(
        &self,
        done: &[C],
        chunk: &mut [C],
        first: usize,
        dimension: usize,
        component: u32,
    ) {
        self.simd.run(Fill { rows: self, done, chunk, first, dimension, component });
    }

    /// The first cell of a slab's row.
    fn row_cell(&self, row: usize, dimension: usize, component: u32) -> Packed {
        let mut left = row as u64 * self.cells as u64;
        let dimensions = self.instance.dimensions();
        let mut cell = dimensions[dimension].packed(component);
        for dimension in &dimensions[dimension + 1..self.outer] {
            let component = dimension.packed((left / dimension.stride) as u32);
            left %= dimension.stride;
            (0..WORDS).for_each(|word| cell[word] |= component[word]);
        }
        cell
    }
}

/// Arguments of [`Rows::fill`].
struct Fill<'f, 'a, C> {
    rows: &'f Rows<'a, C>,
    done: &'f [C],
    chunk: &'f mut [C],
    first: usize,
    dimension: usize,
    component: u32,
}

impl<C: Cell> HotLoop for Fill<'_, '_, C> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Fill { rows, done, chunk, first, dimension, component } = self;
        let instance = rows.instance;
        let group = instance.dimensions()[dimension].group.clone();
        let (offsets, maps) = (&instance.offsets()[group.clone()], &rows.maps[group]);
        let mut row_cell = rows.row_cell(first, dimension, component);
        for (row, target) in (first..).zip(chunk.chunks_exact_mut(rows.cells)) {
            let start = done.len() + row * rows.cells;
            target.fill(C::UNREACHABLE);
            for (offset, map) in offsets.iter().zip(maps) {
                if !fits(&map.outer, &row_cell, instance.guards()) {
                    continue;
                }
                let target = &mut target[map.inner_distance..];
                let source =
                    &done[start + map.inner_distance - offset.distance as usize..][..target.len()];
                match map.mask {
                    None => relax(target, source, C::from_cost(offset.cost)),
                    Some(mask) => {
                        let mask = &rows.masks[mask + map.inner_distance..][..target.len()];
                        relax_masked(target, source, mask, C::from_cost(offset.cost));
                    }
                }
            }
            advance(instance, &mut row_cell, dimension + 1..rows.outer);
        }
    }
}

#[inline(always)]
fn relax<C: Cell>(target: &mut [C], source: &[C], cost: C) {
    for (target, &source) in target.iter_mut().zip(source) {
        *target = (*target).min(source.plus(cost));
    }
}

#[inline(always)]
fn relax_masked<C: Cell>(target: &mut [C], source: &[C], mask: &[C], cost: C) {
    for ((target, &source), &mask) in target.iter_mut().zip(source).zip(mask) {
        *target = (*target).min(source.plus(cost).max(mask));
    }
}

/// Increments `cell` in these dimensions, the last one fastest; wraps around to zeros.
#[inline]
pub(super) fn advance(instance: &Instance, cell: &mut Packed, dimensions: std::ops::Range<usize>) {
    for dimension in
        instance.dimensions()[dimensions].iter().rev().filter(|dimension| dimension.max > 0)
    {
        let word = dimension.shift as usize / 64;
        let component = dimension.component(cell);
        if component < dimension.max {
            cell[word] += 1 << (dimension.shift % 64);
            return;
        }
        cell[word] -= u64::from(component) << (dimension.shift % 64);
    }
}
