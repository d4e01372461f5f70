//! Spot checks of tables on a device: the host computes again all cells of some windows of
//! neighbouring points, and some long cells, always including the last one.
//!
//! A window is final long before the table. The host reads it as soon as it is, through a queue of
//! its own, and checks it while the device works on.

use std::ops::Range;
use std::time::Duration;

use super::fill::Share;
use super::instance::DeviceInstance;
use super::kernels::{Layout, Table, Tiling};
use crate::context::{Pacer, SpotChecks, places, wrong};
use crate::interval_dp::instance::pairs;
use crate::interval_dp::number::Value;
use crate::interval_dp::values::Values;
use crate::interval_dp::view::Request;
use crate::memory::Gather;
use crate::opencl::{Buffer, Kernel, Queue, kernel_arguments};
use crate::random::Random;
use crate::{Context, Result, memory, parallel};

/// Points of a window in a table of tiles: two windows have enough cells, and each covers diagonal
/// tiles and tiles that are products.
const TILED_POINTS: usize = 401;
/// Points of a window in a table without tiles, and if only the device can compute the split costs.
const SQUARE_POINTS: usize = 96;
const EXPRESSION_POINTS: usize = 32;
/// Long cells to check, in addition to the last one.
const LONG_CELLS: usize = 1;
/// Shortest batch of launches to check during: reading a window takes less time.
const LONG_BATCH: Duration = Duration::from_millis(1);

kernel_arguments! {
    /// A rectangle of the table.
    pub(super) struct Part<'a> = "interval_part" {
        cells: &'a Buffer<u8> as VALUE,
        points: u32,
        first_row: u32,
        rows: u32,
        first_column: u32,
        columns: u32,
        part: &'a Buffer<u8> as VALUE,
    }
}

/// The spot checks of a table during and after its fill.
pub(super) struct Check<'a> {
    table: &'a Table<'a>,
    context: &'a Context,
    random: Random,
    /// First points of the windows, in ascending order.
    firsts: Vec<usize>,
    reader: PartReader<'a>,
    windows: Windows<'a>,
    /// All cells between fewer neighbouring points than these are final.
    span: usize,
    /// Rows of the windows that have been checked.
    checked: usize,
}

/// The windows, once they are final.
struct Windows<'a> {
    table: &'a Table<'a>,
    instance: &'a dyn DeviceInstance,
    /// Points of a window; the last one may have fewer.
    width: usize,
    list: Vec<Window>,
}

/// The cells between neighbouring points.
struct Window {
    points: Range<usize>,
    /// The cells, row after row; any values for i >= j.
    rows: Vec<u8>,
    /// The same, column after column; empty before the check begins.
    columns: Vec<u8>,
    /// The split costs, row after row, if only the device can compute them.
    terms: Vec<u8>,
}

/// Counts a launch of a fill. Continues its check while the pacer waits. After the launch all
/// cells between fewer than `span` neighbouring points are final.
pub(super) fn launched(
    check: &mut Option<&mut Check<'_>>,
    pacer: &mut Pacer<'_>,
    work: u64,
    fraction: f64,
    span: usize,
) -> Result<()> {
    let Some(check) = check.as_mut().filter(|_| pacer.last_batch() >= LONG_BATCH) else {
        return pacer.launched(work, Some(fraction));
    };
    if pacer.launched_polling(work, Some(fraction), &mut || check.go_on())? {
        check.span = span;
    }
    Ok(())
}

/// Has a table filled, checks it meanwhile and afterwards if `checker` is given, and returns its
/// values.
pub(super) fn filled<'a>(
    checker: Option<&'a Context>,
    table: &'a Table<'a>,
    instance: &'a dyn DeviceInstance,
    request: &Request<'_>,
    fill: impl FnOnce(Option<&mut Check<'a>>) -> Result<Pacer<'a>>,
) -> Result<Values<Value>> {
    let mut check = checker.map(|context| Check::new(table, context, instance)).transpose()?;
    let pacer = fill(check.as_mut())?;
    check.map_or(Ok(()), Check::finish)?;
    table.values(request, pacer)
}

impl<'a> Check<'a> {
    /// Chooses as many windows as spot checks require.
    pub(super) fn new(
        table: &'a Table<'a>,
        context: &'a Context,
        instance: &'a dyn DeviceInstance,
    ) -> Result<Self> {
        Check::of_share(table, context, instance, Share::WHOLE)
    }

    /// Chooses windows whose tiles are in this share of their diagonals, or nearly so.
    pub(super) fn of_share(
        table: &'a Table<'a>,
        context: &'a Context,
        instance: &'a dyn DeviceInstance,
        share: Share,
    ) -> Result<Self> {
        let unit = match table.layout {
            Layout::Triangle(Tiling { tile, .. }) => tile,
            Layout::Square | Layout::Diagonals => 1,
        };
        let width = match table.layout {
            _ if table.for_devices => EXPRESSION_POINTS,
            // A small table is checked as a whole.
            _ if pairs(table.points) as u64 <= SpotChecks::LEAST => table.points,
            Layout::Triangle(_) => TILED_POINTS,
            Layout::Square | Layout::Diagonals => SQUARE_POINTS,
        };
        let mut random = places();
        let places = table.points.saturating_sub(width).div_ceil(unit) + 1;
        let among = if share.of(places).is_empty() { 0..places } else { share.of(places) };
        let mut firsts: Vec<usize> = among.map(|place| place * unit).gather()?;
        let count = firsts.len().min(SpotChecks::LEAST as usize / pairs(width).max(1) + 1);
        random.choose(&mut firsts, count);
        firsts.truncate(count);
        // Only the last window may be shorter.
        firsts.sort_unstable();
        let reader = PartReader::new(table, width.pow(2).max(table.points))?;
        let windows = Windows { table, instance, width, list: Vec::new() };
        Ok(Check { table, context, random, firsts, reader, windows, span: 0, checked: 0 })
    }

    /// Does a part of the check while the device works; false if nothing can be checked yet or any
    /// more.
    fn go_on(&mut self) -> Result<bool> {
        if self.windows.list.is_empty() {
            if self.span <= self.windows.width {
                return Ok(false);
            }
            self.read_windows()?;
        } else if !self.windows.turn()? {
            if self.checked == self.windows.rows() {
                return Ok(false);
            }
            self.windows.check_row(self.checked)?;
            self.checked += 1;
        }
        Ok(true)
    }

    /// Checks the other rows, and long cells, after the fill.
    pub(super) fn finish(mut self) -> Result<()> {
        self.table.queue.finish()?;
        if self.windows.list.is_empty() {
            self.read_windows()?;
        }
        while self.windows.turn()? {}
        if self.checked < self.windows.rows() {
            let left = self.checked..self.windows.rows();
            let windows = &self.windows;
            let check = || parallel::try_for_each(left, |row| windows.check_row(row));
            self.context.install(check)??;
        }
        if self.table.for_devices {
            return Ok(());
        }
        let last = self.table.points - 1;
        for _ in 0..LONG_CELLS {
            let i = self.random.below(last as u64) as usize;
            let j = i + 1 + self.random.below((last - i) as u64) as usize;
            self.check_long(i, j)?;
        }
        self.check_long(0, last)
    }

    fn read_windows(&mut self) -> Result<()> {
        for &first in &self.firsts {
            let points = first..(first + self.windows.width).min(self.table.points);
            let rows = self.reader.read(points.clone(), points.clone())?;
            let terms = match self.table.for_devices {
                true => self.table.terms(&splits_of(&points)?)?,
                false => Vec::new(),
            };
            self.windows.list.push(Window { points, rows, columns: Vec::new(), terms });
        }
        Ok(())
    }

    /// Computes one cell again from its row and its column.
    fn check_long(&self, i: usize, j: usize) -> Result<()> {
        self.table.monitor.check()?;
        let row = self.reader.read(i..i + 1, i + 1..j + 1)?;
        let column = self.reader.read(i + 1..j, j..j + 1)?;
        let enclosed = match self.table.encloses && j > i + 2 {
            true => self.reader.read(i + 1..i + 2, j - 1..j)?,
            false => Vec::new(),
        };
        let (row, found) = row.split_at(column.len());
        compare(self.windows.instance, [i, j], found, [row, &column, &enclosed], &[])
    }
}

impl Windows<'_> {
    /// Makes the columns of a window that has none; false if all have theirs.
    fn turn(&mut self) -> Result<bool> {
        let Some(window) = self.list.iter_mut().find(|window| window.columns.is_empty()) else {
            return Ok(false);
        };
        window.columns = turned(&window.rows, window.points.len(), self.table.cell_type.bytes())?;
        Ok(true)
    }

    /// Rows of all windows; the last window may be shorter.
    fn rows(&self) -> usize {
        self.list.iter().map(|window| window.points.len()).sum()
    }

    /// Computes the cells of one row again, of all rows of the windows.
    fn check_row(&self, row: usize) -> Result<()> {
        self.table.monitor.check()?;
        let window = &self.list[row / self.width];
        let bytes = self.table.cell_type.bytes();
        let (first, points) = (window.points.start, window.points.len());
        let i = first + row % self.width;
        let place = |i: usize, j: usize| ((i - first) * points + j - first) * bytes;
        let splits_before: usize = (first..i).map(|i| splits_of_row(i, window.points.end)).sum();
        let mut terms = window.terms.get(splits_before * bytes..).unwrap_or_default();
        for j in i + 1..window.points.end {
            let row = &window.rows[place(i, i + 1)..][..(j - i) * bytes];
            let column = &window.columns[place(j, i + 1)..][..(j - i - 1) * bytes];
            let (row, found) = row.split_at(column.len());
            let of_cell = terms.split_off(..column.len().min(terms.len())).unwrap_or_default();
            let enclosed = match j > i + 2 {
                true => &window.rows[place(i + 1, j - 1)..][..bytes],
                false => &[],
            };
            compare(self.instance, [i, j], found, [row, column, enclosed], of_cell)?;
        }
        Ok(())
    }
}

/// The splits of the cells of row i before the point `end`.
fn splits_of_row(i: usize, end: usize) -> usize {
    (i + 2..end).map(|j| j - i - 1).sum()
}

/// The splits (i, k, j) of the cells between these points, row after row.
fn splits_of(points: &Range<usize>) -> Result<Vec<u32>> {
    let end = points.end;
    let of_row = |i: usize| (i + 2..end).flat_map(move |j| (i + 1..j).flat_map(move |k| [i, k, j]));
    points.clone().flat_map(of_row).map(|point| point as u32).gather()
}

/// A square of cells, column after column.
fn turned(rows: &[u8], points: usize, bytes: usize) -> Result<Vec<u8>> {
    let mut columns = memory::zeroed(rows.len())?;
    for (i, row) in rows.chunks_exact(points * bytes).enumerate() {
        for (j, cell) in row.chunks_exact(bytes).enumerate().skip(i + 1) {
            columns[(j * points + i) * bytes..][..bytes].copy_from_slice(cell);
        }
    }
    Ok(columns)
}

/// Reads rectangles of a table whose cells are final.
struct PartReader<'a> {
    table: &'a Table<'a>,
    /// Not the table's, so that nothing waits for the fill.
    queue: Queue,
    kernel: Kernel<Part<'static>>,
    part: Buffer<u8>,
}

impl<'a> PartReader<'a> {
    /// A reader of rectangles of up to `largest` cells.
    fn new(table: &'a Table<'a>, largest: usize) -> Result<Self> {
        let part = table.device.buffer(largest * table.cell_type.bytes())?;
        Ok(PartReader { table, queue: table.device.queue(), kernel: table.program.kernel()?, part })
    }

    /// The cells of these points, row after row; any values for i >= j.
    fn read(&self, rows: Range<usize>, columns: Range<usize>) -> Result<Vec<u8>> {
        let Table { cell_type, points, .. } = self.table;
        let count = rows.len() * columns.len();
        let group = self.kernel.group("SPLITS_GROUP");
        let arguments = Part {
            cells: self.table.cells().cells,
            points: *points as u32,
            first_row: rows.start as u32,
            rows: rows.len() as u32,
            first_column: columns.start as u32,
            columns: columns.len() as u32,
            part: &self.part,
        };
        let mut read = memory::zeroed(count * cell_type.bytes())?;
        self.queue.launch(&self.kernel, &arguments, [count.next_multiple_of(group)], [group])?;
        self.queue.read(&self.part, 0, &mut read)?;
        Ok(read)
    }
}

/// Compares a cell with the value that other cells give: those of its row, of its column, and the
/// one that it encloses.
fn compare(
    instance: &dyn DeviceInstance,
    [i, j]: [usize; 2],
    found: &[u8],
    others: [&[u8]; 3],
    terms: &[u8],
) -> Result<()> {
    match instance.explains([i, j], found, others, terms) {
        true => Ok(()),
        false => Err(wrong(&format!("cell ({i}, {j})"))),
    }
}
