//! Shared by both device engines: a table on the device, and the kernels for an instance. Only the
//! size of the type of cell matters here: cells are bytes in buffers.

use std::sync::Arc;

use super::instance::{
    COSTS_ENCLOSING, COSTS_NONE, COSTS_SEPARABLE, COSTS_TABLE, DeviceInstance, Form, LISTS,
    TERMS_EXPRESSION, TERMS_NONE, TERMS_PRODUCT,
};
use crate::interval_dp::enclosing::{CLASSES, LEAST_INSIDE, OTHERWISE};
use crate::interval_dp::instance::{KERNEL_PREFIX, pairs};
use crate::interval_dp::number::Value;
use crate::interval_dp::pipeline::Schedule;
use crate::interval_dp::semiring::{CellType, Semiring};
use crate::memory::Grow;
use crate::opencl::{
    Buffer, Device, DeviceKind, KernelFamily, Program, Queue, UserText, bounded_expression,
    kernel_arguments,
};
use crate::random::Random;
use crate::solve::Monitor;
use crate::{Error, Result};

/// The value of the define `SQUARE` for a table by diagonals.
pub(super) const DIAGONALS: u64 = 2;
/// Parts of a diagonal of tiles in which a device's share is counted. Their product with the tiles of
/// a diagonal has 32 bits: a table of more tiles fits no device.
pub(super) const SHARES: u32 = 1 << 12;
/// Words of an open cell: its first and last point, and which of the two a run of steps kept.
pub(super) const OPEN_WORDS: usize = 3;
/// Which point a run of steps kept.
pub(super) const KEPT_NEITHER: u32 = 0;
pub(super) const KEPT_LAST: u32 = 1;
pub(super) const KEPT_FIRST: u32 = 2;

/// Numbers that all kernels share with the host.
pub(in crate::interval_dp) const CONSTANTS: &[(&str, u64)] = &[
    ("CELL_U16", CellType::U16 as u64),
    ("CELL_I32", CellType::I32 as u64),
    ("CELL_I64", CellType::I64 as u64),
    ("CELL_F32", CellType::F32 as u64),
    ("CELL_F64", CellType::F64 as u64),
    ("RING_MIN_PLUS", Semiring::MinPlus as u64),
    ("RING_MAX_PLUS", Semiring::MaxPlus as u64),
    ("RING_MAX_MIN", Semiring::MaxMin as u64),
    ("RING_OR_AND", Semiring::OrAnd as u64),
    ("RING_PLUS_TIMES", Semiring::PlusTimes as u64),
    ("COSTS_NONE", COSTS_NONE),
    ("COSTS_SEPARABLE", COSTS_SEPARABLE),
    ("COSTS_TABLE", COSTS_TABLE),
    ("COSTS_ENCLOSING", COSTS_ENCLOSING),
    ("CLASSES", CLASSES as u64),
    ("OTHERWISE", OTHERWISE as u64),
    ("LEAST_INSIDE", LEAST_INSIDE as u64),
    ("TERMS_NONE", TERMS_NONE),
    ("TERMS_PRODUCT", TERMS_PRODUCT),
    ("TERMS_EXPRESSION", TERMS_EXPRESSION),
    // The order of DeviceInstance::lists.
    ("LEAVES", 0),
    ("ROW", 1),
    ("COLUMN", 2),
    ("LEFT", 3),
    ("SPLIT", 4),
    ("RIGHT", 5),
    ("LISTS", LISTS as u64),
    ("OPEN_WORDS", OPEN_WORDS as u64),
    ("KEPT_NEITHER", KEPT_NEITHER as u64),
    ("KEPT_LAST", KEPT_LAST as u64),
    ("KEPT_FIRST", KEPT_FIRST as u64),
    ("SHARES", SHARES as u64),
];

kernel_arguments! {
    /// The lists of an instance's numbers.
    pub(super) struct Lists<'a> {
        numbers: &'a Buffer<u8> as VALUE,
        padded: u32,
        points: u32,
    }

    /// A table with what its values depend on.
    pub(super) struct Cells<'a> {
        cells: &'a Buffer<u8> as VALUE,
        weights: &'a Buffer<u8> as VALUE,
        lists: Lists<'a>,
    }

    /// The caller's expression at triples of points.
    pub(super) struct Terms<'a> = "interval_terms" {
        triples: &'a Buffer<u32>,
        values: &'a Buffer<u8> as VALUE,
        lists: Lists<'a>,
        count: u32,
    }
}

/// Sizes for work on tiles.
#[derive(Debug, Clone, Copy)]
pub(in crate::interval_dp) struct Tiling {
    /// Cells along the edge of a tile.
    pub(in crate::interval_dp) tile: usize,
    /// Cells along the edge of a work-item's block.
    pub(in crate::interval_dp) block: usize,
    /// Splits of one panel in local memory.
    pub(in crate::interval_dp) panel: usize,
}

/// Layout of the cells in their buffer.
#[derive(Debug, Clone, Copy)]
pub(in crate::interval_dp) enum Layout {
    /// Tiles of the upper triangle, column after column.
    Triangle(Tiling),
    /// Rows of the whole square.
    Square,
    /// The cells of each length, from the shortest on.
    Diagonals,
}

impl Layout {
    fn len(self, points: usize) -> usize {
        match self {
            Layout::Triangle(Tiling { tile, .. }) => {
                let side = points.div_ceil(tile);
                side * (side + 1) / 2 * tile * tile
            }
            Layout::Square => points * points,
            Layout::Diagonals => pairs(points),
        }
    }

    fn place(self, points: usize, i: usize, j: usize) -> usize {
        match self {
            Layout::Triangle(Tiling { tile, .. }) => {
                let (p, q) = (i / tile, j / tile);
                (q * (q + 1) / 2 + p) * tile * tile + i % tile * tile + j % tile
            }
            Layout::Square => i * points + j,
            Layout::Diagonals => Schedule { points }.place(j - i, i),
        }
    }
}

/// A table on a device, with the numbers that its kernels read.
pub(super) struct Table<'a> {
    pub(super) device: &'a Device,
    pub(super) queue: Queue,
    pub(super) program: Arc<Program>,
    pub(super) monitor: &'a Monitor,
    pub(super) points: usize,
    pub(super) layout: Layout,
    pub(super) cell_type: CellType,
    pub(super) semiring: Semiring,
    padded: u32,
    cells: Buffer<u8>,
    weights: Buffer<u8>,
    numbers: Buffer<u8>,
    /// Whether split costs are an expression that only a device can compute.
    pub(super) for_devices: bool,
    /// Whether cells may enclose others.
    pub(super) encloses: bool,
}

impl<'a> Table<'a> {
    /// A table for an instance whose lists are padded as the layout requires.
    pub(super) fn new(
        device: &'a Device,
        instance: &dyn DeviceInstance,
        layout: Layout,
        family: &KernelFamily,
        monitor: &'a Monitor,
    ) -> Result<Self> {
        let (form, [points, padded]) = (instance.form(), instance.sizes());
        let program = build(device, &form, layout, family)?;
        let queue = device.queue();
        let (cell_type, len) = (form.cell_type, layout.len(points));
        let cells = allocate(device, len, cell_type, monitor)?;
        let weights = match form.costs {
            COSTS_TABLE => allocate(device, len, cell_type, monitor)?,
            _ => device.buffer(0)?,
        };
        let mut numbers = Vec::new();
        write_numbers(instance, &mut numbers)?;
        let numbers = device.buffer_from(&queue, &numbers)?;
        let table = Table {
            device,
            queue,
            program,
            monitor,
            points,
            layout,
            cell_type,
            semiring: form.semiring,
            padded: padded as u32,
            cells,
            weights,
            numbers,
            for_devices: form.for_devices,
            encloses: form.costs == COSTS_ENCLOSING,
        };
        if form.costs == COSTS_TABLE {
            table.write_weights(instance)?;
        }
        table.check_expression(instance)?;
        Ok(table)
    }

    /// The cells and what their values depend on.
    pub(super) fn cells(&self) -> Cells<'_> {
        Cells { cells: &self.cells, weights: &self.weights, lists: self.lists() }
    }

    pub(super) fn lists(&self) -> Lists<'_> {
        Lists { numbers: &self.numbers, padded: self.padded, points: self.points as u32 }
    }

    /// The error if no split explains the value of a cell with this last point: either the device
    /// or the caller's expression is wrong.
    pub(super) fn unexplained(&self, last: u32) -> Box<Error> {
        let reason = format!("no split explains a cell that ends at point {last}");
        if self.for_devices { Error::internal(reason) } else { Error::device_wrong(reason) }
    }

    fn byte(&self, i: usize, j: usize) -> usize {
        self.layout.place(self.points, i, j) * self.cell_type.bytes()
    }

    pub(super) fn cell(&self, i: usize, j: usize) -> Result<Value> {
        let mut cell = [0; size_of::<u64>()];
        self.queue.read(&self.cells, self.byte(i, j), &mut cell[..self.cell_type.bytes()])?;
        Ok(Value::read(self.cell_type, &cell))
    }

    /// The cells of all pairs of points of a filled table, row after row.
    pub(super) fn all(&self) -> Result<Vec<Value>> {
        let mut bytes = vec![0; self.layout.len(self.points) * self.cell_type.bytes()];
        self.queue.read(&self.cells, 0, &mut bytes)?;
        let pairs = (0..self.points).flat_map(|i| (i + 1..self.points).map(move |j| (i, j)));
        Ok(pairs.map(|(i, j)| Value::read(self.cell_type, &bytes[self.byte(i, j)..])).collect())
    }

    pub(super) fn read_all(&self, cells: &[u8]) -> impl Iterator<Item = Value> {
        cells.chunks_exact(self.cell_type.bytes()).map(|cell| Value::read(self.cell_type, cell))
    }

    /// Writes the cell costs of a table, in the cells' layout.
    fn write_weights(&self, instance: &dyn DeviceInstance) -> Result<()> {
        let (points, bytes) = (self.points, self.cell_type.bytes());
        let write = |i, j, cells: &[u8]| {
            self.monitor.check()?;
            self.queue.write(&self.weights, self.byte(i, j), cells)
        };
        match self.layout {
            Layout::Triangle(Tiling { tile, .. }) => (0..points.div_ceil(tile)).try_for_each(|q| {
                let mut column = vec![0; (q + 1) * tile * tile * bytes];
                for (i, line) in column.chunks_exact_mut(tile * bytes).enumerate() {
                    instance.write_weights(i, q * tile..points, line);
                }
                write(0, q * tile, &column)
            }),
            Layout::Square => (0..points - 1).try_for_each(|i| {
                let mut row = vec![0; (points - i - 1) * bytes];
                instance.write_weights(i, i + 1..points, &mut row);
                write(i, i + 1, &row)
            }),
            Layout::Diagonals => (1..points).try_for_each(|length| {
                let mut diagonal = vec![0; (points - length) * bytes];
                for (i, cell) in diagonal.chunks_exact_mut(bytes).enumerate() {
                    instance.write_weights(i, i + length..i + length + 1, cell);
                }
                write(0, length, &diagonal)
            }),
        }
    }

    /// Evaluates the caller's expression at triples of points.
    pub(super) fn terms(&self, triples: &[u32]) -> Result<Vec<u8>> {
        let count = triples.len() / 3;
        let mut found = vec![0; count * self.cell_type.bytes()];
        let points = self.device.buffer_from(&self.queue, triples)?;
        let values = self.device.buffer(found.len())?;
        let arguments =
            Terms { triples: &points, values: &values, lists: self.lists(), count: count as u32 };
        self.queue.launch(&self.program.kernel()?, &arguments, [count], [1])?;
        self.queue.read(&values, 0, &mut found)?;
        Ok(found)
    }

    /// Compares the caller's expression with the caller's function on some triples of points, if
    /// both exist.
    fn check_expression(&self, instance: &dyn DeviceInstance) -> Result<()> {
        if self.points < 3 || instance.term([0, 1, 2]).is_none() {
            return Ok(());
        }
        let triples = sample_triples(self.points);
        let found = self.terms(&triples)?;
        for (triple, found) in triples.chunks_exact(3).zip(self.read_all(&found)) {
            let [i, k, j] = [0, 1, 2].map(|place| triple[place] as usize);
            let Some(expected) = instance.term([i, k, j]) else { continue };
            let close = match self.cell_type {
                CellType::F32 => 1e-4,
                _ => 1e-9,
            };
            let difference = (found.to_f64() - expected.to_f64()).abs();
            let is_close = difference <= close * expected.to_f64().abs();
            if !(found == expected || self.cell_type.is_float() && is_close) {
                let reason = format!(
                    "its value at ({i}, {k}, {j}) is {found:?}, the function's {expected:?}"
                );
                return Err(Error::argument("source", reason));
            }
        }
        Ok(())
    }
}

/// Triples of points, some at the ends, most drawn by a fixed rule.
fn sample_triples(points: usize) -> Vec<u32> {
    let last = points as u32 - 1;
    let mut triples =
        vec![[0, 1, 2], [0, 1, last], [0, last - 1, last], [last - 2, last - 1, last]];
    let mut random = Random::new(1);
    for _ in 0..200 {
        let mut drawn = [(); 3].map(|()| random.below(points as u64) as u32);
        drawn.sort_unstable();
        if drawn[0] < drawn[1] && drawn[1] < drawn[2] {
            triples.push(drawn);
        }
    }
    triples.into_flattened()
}

/// Appends an instance's lists in the kernels' order, followed by the data of the caller's
/// expression.
pub(in crate::interval_dp) fn write_numbers(
    instance: &dyn DeviceInstance,
    numbers: &mut Vec<u8>,
) -> Result<()> {
    let ([_, padded], (lists, data)) = (instance.sizes(), instance.lists());
    let cell = instance.form().cell_type.bytes();
    for list in lists {
        let begin = numbers.len();
        numbers.try_resize(begin + padded * cell, 0)?;
        for (number, &given) in numbers[begin..].iter_mut().zip(list) {
            *number = given;
        }
    }
    if let Some(data) = data {
        numbers.try_extend((data.len() as u64 / cell as u64).to_ne_bytes())?;
        numbers.try_extend(data.iter().copied())?;
    }
    Ok(())
}

/// Bytes of the header that holds the number of a caller's data.
const DATA_HEADER_BYTES: usize = size_of::<u64>();

/// A buffer for `cells` cells. The memory limit counts if the device uses the host's memory.
pub(super) fn allocate(
    device: &Device,
    cells: usize,
    cell_type: CellType,
    monitor: &Monitor,
) -> Result<Buffer<u8>> {
    let required = cells as u128 * cell_type.bytes() as u128;
    let largest = device.info().max_allocation_bytes;
    let limit = match device.info().kind {
        DeviceKind::Cpu => monitor.memory_bytes().min(largest),
        _ => largest,
    };
    if required > limit.into() {
        let what = format!("a table of {cells} {cell_type} on {}", device.info().name);
        return Err(Box::new(Error::OutOfMemory { what, required, limit }));
    }
    device.buffer(required as usize)
}

/// Builds a family of kernels.
pub(in crate::interval_dp) fn build(
    device: &Device,
    form: &Form<'_>,
    layout: Layout,
    family: &KernelFamily,
) -> Result<Arc<Program>> {
    if form.cell_type == CellType::F64 && !device.info().has_double_precision() {
        return Err(Error::device_failed(format!(
            "{} has no double precision",
            device.info().name
        )));
    }
    let no_tiles = Tiling { tile: 1, block: 1, panel: 1 };
    let (square, tiling) = match layout {
        Layout::Triangle(tiling) => (0, tiling),
        Layout::Square => (1, no_tiles),
        Layout::Diagonals => (DIAGONALS, no_tiles),
    };
    // Unrolled loops do not help a processor, and the compiler for one crashes on them; see
    // `Quirks`.
    let rolled = device.info().kind == DeviceKind::Cpu;
    let defines = [
        ("CELL", form.cell_type as u64),
        ("RING", form.semiring as u64),
        ("SELECTS", form.semiring.selects().into()),
        ("COSTS", form.costs),
        ("TERMS", form.terms),
        ("SQUARE", square),
        ("TILE", tiling.tile as u64),
        ("BLOCK", tiling.block as u64),
        ("PANEL", tiling.panel as u64),
        (
            "PANEL_UNROLL",
            if form.terms == TERMS_EXPRESSION || rolled { 1 } else { tiling.panel as u64 },
        ),
        ("FRINGE_UNROLL", 1),
        ("TURN_UNROLL", if rolled { 1 } else { tiling.block as u64 }),
    ];
    match (form.terms, form.source) {
        (TERMS_EXPRESSION, Some(source)) => {
            let (before, text) = definition(source, form.cell_type)?;
            let user = UserText { argument: "source", before: &before, text: &text };
            device.program_with(family, &defines, user)
        }
        (TERMS_EXPRESSION, None) => {
            Err(Error::device_failed("the split cost has no OpenCL C form"))
        }
        _ => device.program(family, &defines),
    }
}

/// The text before and after a caller's expression in its function. The expression starts on its
/// own line, so that positions in messages are positions in the expression. Indices of `data` out
/// of range, also negative ones, give 0.
fn definition(expression: &str, cell_type: CellType) -> Result<(String, String)> {
    let (value, count) = match cell_type {
        CellType::U16 => ("ushort", "as_ulong(vload4(0, data))"),
        CellType::I32 => ("int", "as_ulong(vload2(0, data))"),
        CellType::I64 => ("long", "as_ulong(data[0])"),
        CellType::F32 => ("float", "as_ulong(vload2(0, (global const uint *)data))"),
        CellType::F64 => ("double", "as_ulong(data[0])"),
    };
    let header = DATA_HEADER_BYTES / cell_type.bytes();
    let before = format!(
        "typedef {value} VALUE;\n\
         static VALUE interval_datum(global const VALUE *data, ulong index)\n\
         {{ return index < {count} ? data[index + {header}] : (VALUE)0; }}\n\
         #define READ(index) interval_datum(data, (index) | 0)\n\
         static VALUE interval_term(uint i, uint k, uint j, uint points, global const VALUE *data)\n\
         {{ return (VALUE)(\n"
    );
    let bounded = bounded_expression(expression, KERNEL_PREFIX)
        .map_err(|fault| Error::argument("source", fault.to_string()))?;
    Ok((before, format!("{bounded}\n); }}\n#undef READ\n")))
}
