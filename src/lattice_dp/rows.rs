//! The inner loop of the CPU engine: rows of neighbouring cells, one offset at a time.
//!
//! The last dimensions of the box together make a row. An offset maps a whole row of an earlier slab onto a
//! row, shifted by its inner part; a mask shuts out the cells where the inner part does not fit.
#![allow(unsafe_code)]

use std::collections::HashMap;

use super::UNREACHABLE;
use super::instance::{Instance, Offset, Packed, WORDS, fits};
use crate::simd::Simd;

/// Rows are at least this long where the box allows it: two vectors of the widest kind.
const ENOUGH_CELLS: u64 = 64;
/// Masks of longer rows would not stay in the cache.
const MOST_CELLS: u64 = 4096;

/// How an instance's box falls into rows.
pub(super) struct Rows<'a> {
    instance: &'a Instance,
    simd: Simd,
    /// Number of outer dimensions; those from here on are inside a row.
    pub(super) outer: usize,
    /// Cells of a row.
    pub(super) cells: usize,
    /// For each offset of the instance, how it maps rows.
    maps: Vec<RowMap>,
    /// Masks of `cells` entries each: 0 where the inner part fits, [`UNREACHABLE`] elsewhere.
    masks: Vec<u16>,
}

struct RowMap {
    /// The offset without its inner components.
    outer: Packed,
    /// Cells from the row's start where the inner part fits first.
    inner_distance: usize,
    /// Where its mask begins; none is needed where the inner part fits in every cell from `inner_distance` on.
    mask: Option<usize>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(instance: &'a Instance) -> Self {
        let dimensions = instance.dimensions();
        let mut outer = dimensions.len();
        let mut cells = 1;
        while outer > 0 && cells < ENOUGH_CELLS {
            let longer = cells * (u64::from(dimensions[outer - 1].max) + 1);
            if cells > 1 && longer > MOST_CELLS {
                break;
            }
            cells = longer;
            outer -= 1;
        }
        let cells = cells as usize;
        let mut rows =
            Rows { instance, simd: Simd::detect(), outer, cells, maps: Vec::new(), masks: Vec::new() };
        let mut known = HashMap::new();
        rows.maps = instance
            .offsets()
            .iter()
            .map(|offset| Self::map(&mut rows.masks, &mut known, instance, offset, outer, cells))
            .collect();
        rows
    }

    fn map(
        masks: &mut Vec<u16>,
        known: &mut HashMap<Packed, usize>,
        instance: &Instance,
        offset: &Offset,
        outer: usize,
        cells: usize,
    ) -> RowMap {
        let inner_dimensions = &instance.dimensions()[outer..];
        let inner = inner_dimensions.iter().fold([0; WORDS], |inner, dimension| {
            let component = dimension.packed(dimension.component(&offset.packed));
            std::array::from_fn(|word| inner[word] | component[word])
        });
        let distance = |index: usize| {
            let dimension = &inner_dimensions[index];
            u64::from(dimension.component(&offset.packed)) * dimension.stride
        };
        let used: Vec<usize> = (0..inner_dimensions.len()).filter(|&index| distance(index) > 0).collect();
        // Where the row's own first dimension alone is used, cells fit from a point on.
        let plain = used.iter().all(|&index| inner_dimensions[..index].iter().all(|dim| dim.max == 0));
        let mask = (!plain).then(|| {
            *known.entry(inner).or_insert_with(|| {
                let begin = masks.len();
                let mut cell = [0; WORDS];
                for _ in 0..cells {
                    let fits = fits(&inner, &cell, instance.guards());
                    masks.push(if fits { 0 } else { UNREACHABLE });
                    advance(instance, &mut cell, outer..inner_dimensions.len() + outer);
                }
                begin
            })
        });
        RowMap {
            outer: std::array::from_fn(|word| offset.packed[word] & !inner[word]),
            inner_distance: used.iter().map(|&index| distance(index)).sum::<u64>() as usize,
            mask,
        }
    }

    /// Fills `chunk`, whole rows of one slab beginning with its row `first`. `done` is the table up to the
    /// slab, whose cells have the component `component` in `dimension` and 0 before it.
    pub(super) fn fill(
        &self,
        done: &[u16],
        chunk: &mut [u16],
        first: usize,
        dimension: usize,
        component: u32,
    ) {
        match self.simd {
            Simd::Baseline => self.fill_portable(done, chunk, first, dimension, component),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: detected on this processor.
            Simd::Avx2 => unsafe { self.fill_avx2(done, chunk, first, dimension, component) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: detected on this processor.
            Simd::Avx512 => unsafe { self.fill_avx512(done, chunk, first, dimension, component) },
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fill_avx2(&self, done: &[u16], chunk: &mut [u16], first: usize, dimension: usize, component: u32) {
        self.fill_portable(done, chunk, first, dimension, component);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512bw,avx512vl")]
    fn fill_avx512(&self, done: &[u16], chunk: &mut [u16], first: usize, dimension: usize, component: u32) {
        self.fill_portable(done, chunk, first, dimension, component);
    }

    #[inline(always)]
    fn fill_portable(&self, done: &[u16], chunk: &mut [u16], first: usize, dimension: usize, component: u32) {
        let dimensions = self.instance.dimensions();
        let group = dimensions[dimension].group.clone();
        let mut row_cell = self.row_cell(first, dimension, component);
        for (row, target) in (first..).zip(chunk.chunks_exact_mut(self.cells)) {
            let start = done.len() + row * self.cells;
            target.fill(UNREACHABLE);
            for (offset, map) in self.instance.offsets()[group.clone()].iter().zip(&self.maps[group.clone()])
            {
                if !fits(&map.outer, &row_cell, self.instance.guards()) {
                    continue;
                }
                let target = &mut target[map.inner_distance..];
                let source = &done[start + map.inner_distance - offset.distance as usize..][..target.len()];
                match map.mask {
                    None => relax(target, source, offset.cost),
                    Some(mask) => {
                        let mask = &self.masks[mask + map.inner_distance..][..target.len()];
                        relax_masked(target, source, mask, offset.cost);
                    }
                }
            }
            advance(self.instance, &mut row_cell, dimension + 1..self.outer);
        }
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

#[inline(always)]
fn relax(target: &mut [u16], source: &[u16], cost: u16) {
    for (target, &source) in target.iter_mut().zip(source) {
        *target = (*target).min(source.saturating_add(cost));
    }
}

#[inline(always)]
fn relax_masked(target: &mut [u16], source: &[u16], mask: &[u16], cost: u16) {
    for ((target, &source), &mask) in target.iter_mut().zip(source).zip(mask) {
        *target = (*target).min(source.saturating_add(cost) | mask);
    }
}

/// Counts `cell` up by one in these dimensions, the last one fastest; wraps around to zeros.
fn advance(instance: &Instance, cell: &mut Packed, dimensions: std::ops::Range<usize>) {
    for dimension in instance.dimensions()[dimensions].iter().rev().filter(|dimension| dimension.max > 0) {
        let word = dimension.shift as usize / 64;
        let component = dimension.component(cell);
        if component < dimension.max {
            cell[word] += 1 << (dimension.shift % 64);
            return;
        }
        cell[word] -= u64::from(component) << (dimension.shift % 64);
    }
}
