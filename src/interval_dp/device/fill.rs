//! The launches that fill a triangle of tiles, or a device's share of one.

use std::ops::Range;

use super::check::{self, Check};
use super::kernels::{Cells, Lists, SHARES, Table, Tiling};
use crate::Result;
use crate::context::{Pacer, Units, shares};
use crate::opencl::{Buffer, GroupArrays, Kernel, kernel_arguments};

kernel_arguments! {
    /// The tiles on the diagonal from `first` on.
    pub(super) struct Diagonal<'a> = "interval_diagonal" {
        table: Cells<'a>,
        first: u32,
    }

    /// The products of the `latest` diagonal of tiles, for those at some distances, from tile `first`
    /// of the device's share on.
    pub(super) struct Products<'a> = "interval_products" {
        cells: &'a Buffer<u8> as VALUE,
        lists: Lists<'a>,
        latest: u32,
        distance_first: u32,
        first: u32,
        tiles: u32,
        low: u32,
        high: u32,
        group_arrays: GroupArrays,
    }

    /// The tiles at a distance from the diagonal, from row `first` on, which have all other products.
    pub(super) struct Fringe<'a> = "interval_fringe" {
        table: Cells<'a>,
        distance: u32,
        first: u32,
        group_arrays: GroupArrays,
    }
}

/// The part of every diagonal of tiles that a device computes, in parts of [`SHARES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Share {
    low: u32,
    high: u32,
}

impl Share {
    pub(super) const WHOLE: Share = Share { low: 0, high: SHARES };

    /// The shares of devices with these rates.
    pub(super) fn by_rates(rates: &[f64]) -> Vec<Share> {
        let share = |Range { start, end }| Share { low: start as u32, high: end as u32 };
        shares(SHARES as usize, rates).into_iter().map(share).collect()
    }

    /// The tiles of this share in a diagonal of `tiles` tiles.
    pub(super) fn of(self, tiles: usize) -> Range<usize> {
        let place = |part: u32| tiles * part as usize / SHARES as usize;
        place(self.low)..place(self.high)
    }

    /// At least as many tiles as the share has in any diagonal of up to `tiles` tiles.
    pub(super) fn most(self, tiles: usize) -> usize {
        (tiles * (self.high - self.low) as usize / SHARES as usize + 1).min(tiles)
    }

    fn fraction(self) -> f64 {
        f64::from(self.high - self.low) / f64::from(SHARES)
    }
}

/// A fill under way.
pub(super) struct Fill<'a, 'k, 'c> {
    table: &'a Table<'a>,
    tile: usize,
    /// Work-items of a group that works on a tile.
    group: usize,
    share: Share,
    pacer: Pacer<'a>,
    check: Option<&'k mut Check<'c>>,
    fringe: Kernel<Fringe<'static>>,
    products: Kernel<Products<'static>>,
    group_arrays: GroupArrays,
    /// Products of tiles that were launched, and that the share has in all.
    done: f64,
    all: f64,
}

/// Fills the table, and checks it meanwhile if wanted; returns the pacer, which knows the speed of
/// the fill.
pub(super) fn fill<'a>(
    table: &'a Table<'_>,
    tiling: Tiling,
    check: Option<&mut Check<'_>>,
) -> Result<Pacer<'a>> {
    let mut fill = Fill::new(table, tiling, Share::WHOLE, check)?;
    fill.diagonal()?;
    for latest in 1..fill.side() {
        fill.fringe(latest, (latest + 1) * tiling.tile)?;
        fill.products(latest, latest + 1..fill.end(latest))?;
    }
    Ok(fill.pacer)
}

impl<'a, 'k, 'c> Fill<'a, 'k, 'c> {
    pub(super) fn new(
        table: &'a Table<'a>,
        tiling: Tiling,
        share: Share,
        check: Option<&'k mut Check<'c>>,
    ) -> Result<Self> {
        let side = table.points.div_ceil(tiling.tile) as f64;
        Ok(Fill {
            table,
            tile: tiling.tile,
            group: tiling.group(),
            share,
            pacer: Pacer::new(&table.queue, table.monitor, "interval"),
            check,
            fringe: table.program.kernel()?,
            products: table.program.kernel()?,
            // Both arrays together. Rounding the second one takes up to another unit.
            group_arrays: GroupArrays::of([tiling.local_bytes(table.cell_type), 1]),
            done: side,
            all: side + (side * (side + 1.0) * (side + 2.0) / 6.0 - side) * share.fraction(),
        })
    }

    pub(super) fn into_pacer(self) -> Pacer<'a> {
        self.pacer
    }

    /// Tiles along the edge of the triangle.
    pub(super) fn side(&self) -> usize {
        self.table.points.div_ceil(self.tile)
    }

    /// The end of the distances at which tiles have products of the `latest` diagonal.
    pub(super) fn end(&self, latest: usize) -> usize {
        (2 * latest + 1).min(self.side())
    }

    /// Work of a product of two tiles with all its splits.
    fn tile_work(&self) -> u64 {
        (self.tile as u64).pow(3)
    }

    /// Solves all tiles on the diagonal, not only those of the share: they are little work.
    pub(super) fn diagonal(&mut self) -> Result<()> {
        let (table, side) = (self.table, self.side());
        let diagonal: Kernel<Diagonal<'static>> = table.program.kernel()?;
        let items = self.tile.min(diagonal.max_work_group_size());
        let units = Units::of(self.tile_work() / 6);
        self.pacer.launch(0..side, units, &mut |tiles| {
            let arguments = Diagonal { table: table.cells(), first: tiles.start as u32 };
            table.queue.launch(&diagonal, &arguments, [tiles.len() * items], [items])?;
            Ok(None)
        })
    }

    /// Solves the tiles of the share at distance `latest`. Afterwards all cells between fewer than
    /// `span` neighbouring points are final.
    pub(super) fn fringe(&mut self, latest: usize, span: usize) -> Result<()> {
        let table = self.table;
        let Range { mut start, end } = self.share.of(self.side() - latest);
        while start < end {
            let some = self.pacer.share(Units::of(self.tile_work()), end - start);
            let arguments = Fringe {
                table: table.cells(),
                distance: latest as u32,
                first: start as u32,
                group_arrays: self.group_arrays,
            };
            let size = [some * self.group];
            table.queue.launch(&self.fringe, &arguments, size, [self.group])?;
            start += some;
            self.done += some as f64;
            let ready = if start == end { span } else { latest * self.tile };
            self.launched(some as u64 * self.tile_work(), ready)?;
        }
        Ok(())
    }

    /// Adds the products of the `latest` diagonal to the tiles of the share at these distances.
    pub(super) fn products(&mut self, latest: usize, distances: Range<usize>) -> Result<()> {
        let (table, side, Share { low, high }) = (self.table, self.side(), self.share);
        let Range { start: mut distance, end } = distances;
        while distance < end {
            let rows = self.share.most(side - distance);
            let room = self.pacer.room() / (rows as u64 * 2 * self.tile_work());
            let count = (room as usize).clamp(1, end - distance);
            let row_work = count as u64 * 2 * self.tile_work();
            let mut first = 0;
            while first < rows {
                let some = self.pacer.share(Units::of(row_work), rows - first);
                let arguments = Products {
                    cells: table.cells().cells,
                    lists: table.lists(),
                    latest: latest as u32,
                    distance_first: distance as u32,
                    first: first as u32,
                    tiles: side as u32,
                    low,
                    high,
                    group_arrays: self.group_arrays,
                };
                let size = [some * self.group, count];
                table.queue.launch(&self.products, &arguments, size, [self.group, 1])?;
                first += some;
                self.done += 2.0 * (some * count) as f64;
                self.launched(some as u64 * row_work, (latest + 1) * self.tile)?;
            }
            distance += count;
        }
        Ok(())
    }

    /// Waits for the device unless it may be given the products of the `latest` diagonal at these
    /// distances without a wait.
    pub(super) fn make_room(&mut self, distances: Range<usize>) -> Result<()> {
        let side = self.side();
        let tiles: usize = distances.map(|distance| self.share.most(side - distance)).sum();
        let fraction = Some((self.done / self.all).min(1.0));
        self.pacer.make_room(tiles as u64 * 2 * self.tile_work(), fraction)
    }

    /// Counts a launch. All cells between fewer than `span` points are final after it.
    fn launched(&mut self, work: u64, span: usize) -> Result<()> {
        let fraction = (self.done / self.all).min(1.0);
        check::launched(&mut self.check, &mut self.pacer, work, fraction, span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_cover_every_diagonal_once_and_follow_the_rates() {
        for rates in [&[1.0][..], &[1.0, 1.0], &[1.0, 3.0], &[5.0, 1e-9, 2.0], &[1.0; 7]] {
            let shares = Share::by_rates(rates);
            for tiles in (1..70).chain([1024, 99_999]) {
                let mut next = 0;
                for (share, rate) in shares.iter().zip(rates) {
                    let part = share.of(tiles);
                    assert_eq!(part.start, next);
                    next = part.end;
                    let fair = tiles as f64 * rate / rates.iter().sum::<f64>();
                    let off = 1.0 + 2.0 * tiles as f64 / f64::from(SHARES);
                    assert!((part.len() as f64 - fair).abs() <= off, "{rates:?} {tiles}");
                    assert!((1..=tiles).all(|fewer| share.of(fewer).len() <= share.most(tiles)));
                }
                assert_eq!(next, tiles);
            }
        }
        assert_eq!(Share::by_rates(&[2.0]), [Share::WHOLE]);
    }
}
