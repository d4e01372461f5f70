//! Spot checks of tables on a device: the host computes again all cells of some windows of
//! neighbouring points, and some long cells, always including the last one.

use std::ops::Range;

use super::instance::DeviceInstance;
use super::kernels::{Layout, SPLITS_GROUP, Table, Tiling};
use crate::context::{SpotChecks, places, wrong};
use crate::interval_dp::instance::pairs;
use crate::memory::Gather;
use crate::opencl::{Buffer, Kernel, kernel_arguments};
use crate::{Context, Result, memory, parallel};

/// Points of a window in a table of tiles: two windows have enough cells, and each covers diagonal
/// tiles and tiles that are products.
const TILED_POINTS: usize = 401;
/// Points of a window in a table without tiles, and if only the device can compute the split costs.
const SQUARE_POINTS: usize = 96;
const EXPRESSION_POINTS: usize = 32;
/// Long cells to check, in addition to the last one.
const LONG_CELLS: usize = 1;

kernel_arguments! {
    /// A rectangle of the table.
    pub(super) struct Part<'a> = "interval_part" {
        cells: &'a Buffer<u8> as VALUE,
        points: u32,
        first_row: u32,
        rows: u32,
        first_column: u32,
        columns: u32,
        turned: u32,
        part: &'a Buffer<u8> as VALUE,
    }
}

impl Table<'_> {
    /// Computes as many cells again as spot checks require.
    pub(super) fn check(&self, context: &Context, instance: &dyn DeviceInstance) -> Result<()> {
        let knows_terms = !self.for_devices;
        let unit = match self.layout {
            Layout::Triangle(Tiling { tile, .. }) => tile,
            Layout::Square => 1,
        };
        let width = match self.layout {
            _ if !knows_terms => EXPRESSION_POINTS,
            // A small table is checked as a whole.
            _ if pairs(self.points) as u64 <= SpotChecks::LEAST => self.points,
            Layout::Triangle(_) => TILED_POINTS,
            Layout::Square => SQUARE_POINTS,
        };
        let mut random = places();
        let mut left = SpotChecks::LEAST as usize;
        let places = self.points.saturating_sub(width).div_ceil(unit) + 1;
        let mut firsts: Vec<usize> = (0..places).gather()?;
        let count = places.min(left / pairs(width).max(1) + 1);
        random.choose(&mut firsts, count);
        let largest = width.pow(2).max(self.points);
        let mut reader = PartReader::new(self, largest)?;
        for first in &firsts[..count] {
            let window = first * unit..(first * unit + width).min(self.points);
            left =
                left.saturating_sub(self.check_window(context, instance, window, &mut reader)?);
        }
        if !knows_terms {
            return Ok(());
        }
        let last = self.points - 1;
        let long = (0..LONG_CELLS).map(|_| {
            let i = random.below(last as u64) as usize;
            (i, i + 1 + random.below((last - i) as u64) as usize)
        });
        long.chain([(0, last)]).try_for_each(|(i, j)| self.check_long(instance, i, j, &mut reader))
    }

    /// Computes all cells between the points of a window again; returns their number.
    fn check_window(
        &self,
        context: &Context,
        instance: &dyn DeviceInstance,
        window: Range<usize>,
        reader: &mut PartReader<'_>,
    ) -> Result<usize> {
        let Range { start: first, end } = window;
        let (points, bytes) = (window.len(), self.cell_type.bytes());
        let splits = |i: usize| (i + 2..end).flat_map(move |j| (i + 1..j).map(move |k| [i, k, j]));
        let terms = match self.for_devices {
            // Another kernel computes the split costs.
            true => {
                let triples = window.clone().flat_map(splits).flatten().map(|point| point as u32);
                self.terms(&triples.gather()?)?
            }
            false => Vec::new(),
        };
        let mut begins = vec![0];
        for i in window.clone() {
            begins.push(begins[i - first] + (i + 2..end).map(|j| j - i - 1).sum::<usize>());
        }
        let [rows, columns] = reader.read(window.clone(), window.clone())?;
        let place = |i: usize, j: usize| ((i - first) * points + j - first) * bytes;
        let check_row = |i: usize| {
            self.monitor.check()?;
            let mut terms = terms.get(begins[i - first] * bytes..).unwrap_or_default();
            for j in i + 1..end {
                let row = &rows[place(i, i + 1)..][..(j - i) * bytes];
                let column = &columns[place(j, i + 1)..][..(j - i - 1) * bytes];
                let (row, found) = row.split_at(column.len());
                let of_cell = terms.split_off(..column.len().min(terms.len())).unwrap_or_default();
                compare(instance, [i, j], found, row, column, of_cell)?;
            }
            Ok(())
        };
        context.install(|| parallel::try_for_each(window, check_row))??;
        Ok(points * (points - 1) / 2)
    }

    /// Computes one cell again from its row and its column.
    fn check_long(
        &self,
        instance: &dyn DeviceInstance,
        i: usize,
        j: usize,
        reader: &mut PartReader<'_>,
    ) -> Result<()> {
        self.monitor.check()?;
        let [row, _] = reader.read(i..i + 1, i + 1..j + 1)?;
        let row = row.to_vec();
        let [_, column] = reader.read(i + 1..j, j..j + 1)?;
        let (row, found) = row.split_at(column.len());
        compare(instance, [i, j], found, row, column, &[])
    }
}

/// Reads rectangles of a table.
struct PartReader<'a> {
    table: &'a Table<'a>,
    kernel: Kernel<Part<'static>>,
    part: Buffer<u8>,
    /// The last rectangle, row after row, and column after column.
    read: [Vec<u8>; 2],
}

impl<'a> PartReader<'a> {
    /// A reader of rectangles of up to `largest` cells.
    fn new(table: &'a Table<'a>, largest: usize) -> Result<Self> {
        let bytes = largest * table.cell_type.bytes();
        Ok(PartReader {
            table,
            kernel: table.program.kernel()?,
            part: table.device.buffer(bytes)?,
            read: [memory::filled(0, bytes)?, memory::filled(0, bytes)?],
        })
    }

    /// The cells of these points, row after row, and column after column; any values for i >= j.
    fn read(&mut self, rows: Range<usize>, columns: Range<usize>) -> Result<[&[u8]; 2]> {
        let Table { queue, cell_type, points, .. } = self.table;
        let count = rows.len() * columns.len();
        let group = SPLITS_GROUP.min(self.kernel.max_work_group_size());
        for (turned, read) in (0..).zip(&mut self.read) {
            let arguments = Part {
                cells: self.table.cells().cells,
                points: *points as u32,
                first_row: rows.start as u32,
                rows: rows.len() as u32,
                first_column: columns.start as u32,
                columns: columns.len() as u32,
                turned,
                part: &self.part,
            };
            queue.launch(&self.kernel, &arguments, [count.next_multiple_of(group)], [group])?;
            queue.read(&self.part, 0, &mut read[..count * cell_type.bytes()])?;
        }
        Ok(self.read.each_ref().map(|read| &read[..count * cell_type.bytes()]))
    }
}

/// Compares a cell with the value that its splits give.
fn compare(
    instance: &dyn DeviceInstance,
    [i, j]: [usize; 2],
    found: &[u8],
    row: &[u8],
    column: &[u8],
    terms: &[u8],
) -> Result<()> {
    match instance.explains([i, j], found, row, column, terms) {
        true => Ok(()),
        false => Err(wrong(&format!("cell ({i}, {j})"))),
    }
}
