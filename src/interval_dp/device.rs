//! The OpenCL engine: the triangle in tiles, one diagonal of tiles after the other. A diagonal's tiles have all their
//! products when their turn comes, since every diagonal that is solved hands out at once the products that it makes
//! possible, to tiles far ahead, too: that keeps the device busy to the end.

use std::sync::Arc;

use super::instance::{CellCost, SplitCost};
use super::number::{Number, from_cell, to_cell, to_cells};
use super::plan::{Costs, Plan, Terms};
use super::semiring::{Cell, CellType, Semiring};
use super::tree::Tree;
use super::{Request, Values};
use crate::context::Pacer;
use crate::opencl::{Arg, Buffer, Device, DeviceKind, Kernel, KernelFamily, Program, Queue};
use crate::solve::Monitor;
use crate::{Error, Result};

const FAMILY: KernelFamily = KernelFamily {
    name: "interval_dp",
    sources: &[include_str!("../../cl/interval_dp.cl"), include_str!("../../cl/interval_dp_tiles.cl")],
    tuning: &[],
};

/// How the tiles are worked on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tiling {
    /// Cells along the edge of a tile.
    pub(super) tile: usize,
    /// Cells along the edge of a work-item's block.
    pub(super) block: usize,
    /// Splits that go through local memory at a time.
    pub(super) panel: usize,
}

impl Tiling {
    /// The tiling for a device and a type of cell.
    pub(super) fn of(device: &Device, cell_type: CellType, expression: bool) -> Self {
        let large = device.info().max_work_group_size >= 256
            && device.info().local_memory_bytes >= 48 << 10
            && device.quirks().inline_ptx;
        match large && !expression {
            // 64 cells in an item's registers; panels fill 33 KiB.
            true => Tiling { tile: 128, block: 8, panel: if cell_type.bytes() == 8 { 8 } else { 16 } },
            false if device.info().max_work_group_size >= 256 => Tiling { tile: 64, block: 4, panel: 8 },
            false => Tiling { tile: 32, block: 4, panel: 8 },
        }
    }

    /// Work-items of a group that works on a tile.
    fn group(&self) -> usize {
        (self.tile / self.block).pow(2)
    }
}

/// Work-items of a group that looks for a split.
const SPLITS_GROUP: usize = 128;
/// Splits that each of its items looks at before they all see whether the best one is found.
const SPLITS_AT_ONCE: u64 = 8;
/// Splits that a launch looks at along one path, some tens of milliseconds.
const SPLITS_OF_LAUNCH: u32 = 1 << 24;

/// Solves the instance in cells of that type.
pub(super) fn solve<V: Number>(
    device: &Device,
    request: &Request<'_, V>,
    cell_type: CellType,
    monitor: &Monitor,
) -> Result<Values<V>> {
    let tiling = Tiling::of(device, cell_type, request.instance.expression().is_some());
    solve_tiled(device, request, cell_type, tiling, monitor)
}

/// As [`solve`], with that tiling.
pub(super) fn solve_tiled<V: Number>(
    device: &Device,
    request: &Request<'_, V>,
    cell_type: CellType,
    tiling: Tiling,
    monitor: &Monitor,
) -> Result<Values<V>> {
    match cell_type {
        CellType::U16 => Table::<V, u16>::new(device, request, tiling, monitor)?.solve(),
        CellType::I32 => Table::<V, i32>::new(device, request, tiling, monitor)?.solve(),
        CellType::I64 => Table::<V, i64>::new(device, request, tiling, monitor)?.solve(),
        CellType::F32 => Table::<V, f32>::new(device, request, tiling, monitor)?.solve(),
        CellType::F64 => Table::<V, f64>::new(device, request, tiling, monitor)?.solve(),
    }
}

/// A table on a device.
struct Table<'a, V, C: Cell> {
    request: &'a Request<'a, V>,
    tiling: Tiling,
    monitor: &'a Monitor,
    queue: Queue,
    device: &'a Device,
    program: Arc<Program>,
    numbers: Numbers<C>,
    cells: Buffer<C>,
    side: usize,
}

impl<'a, V: Number, C: Cell> Table<'a, V, C> {
    fn new(
        device: &'a Device,
        request: &'a Request<'a, V>,
        tiling: Tiling,
        monitor: &'a Monitor,
    ) -> Result<Self> {
        let instance = request.instance;
        let plan = Plan::<V, C>::new(instance, tiling.tile);
        let program = build(device, &plan, Layout::Triangle, tiling, &FAMILY)?;
        let queue = device.queue()?;
        let side = plan.padded / tiling.tile;
        let cells = allocate(device, side * (side + 1) / 2 * tiling.tile * tiling.tile, monitor)?;
        let numbers = Numbers::new(device, &queue, &plan, cells.len())?;
        let table = Table { request, tiling, monitor, queue, device, program, numbers, cells, side };
        if let Terms::Function = plan.terms {
            table.check_expression(&plan)?;
        }
        if let Costs::Table = plan.costs {
            table.write_weights()?;
        }
        Ok(table)
    }

    fn solve(self) -> Result<Values<V>> {
        self.fill()?;
        let points = self.request.instance.points();
        let tree = match self.request.instance.semiring().selects() {
            true => Some(Tree::new(points, &self.splits()?)),
            false => None,
        };
        let value = self.cell(0, points - 1)?;
        let cells = self.request.cells.iter().map(|&(i, j)| self.cell(i, j)).collect::<Result<_>>()?;
        Ok(Values { value, cells, tree, cell_type: C::TYPE })
    }

    fn place(&self, i: usize, j: usize) -> usize {
        let tile = self.tiling.tile;
        let (p, q) = (i / tile, j / tile);
        (q * (q + 1) / 2 + p) * tile * tile + i % tile * tile + j % tile
    }

    fn cell(&self, i: usize, j: usize) -> Result<V> {
        let mut cell = [C::default()];
        self.queue.read(&self.cells, self.place(i, j), &mut cell)?;
        Ok(from_cell(cell[0]))
    }

    /// The arguments that most kernels begin with.
    fn arguments(&self) -> [Arg<'_>; 5] {
        self.numbers.arguments(&self.cells, self.request.instance.points())
    }

    fn fill(&self) -> Result<()> {
        let (side, group) = (self.side, self.tiling.group());
        let kernel = |name| self.program.kernel(name);
        let [cells, weights, numbers, padded, points] = self.arguments();
        let mut pacer = Pacer::new(&self.queue, self.monitor, "interval");
        let tile_work = (self.tiling.tile as u64).pow(3);
        let all = side as f64 * (side as f64 + 1.0) * (side as f64 + 2.0) / 6.0;
        let mut done = side as f64;

        let diagonal = kernel("interval_diagonal")?;
        let items = self.tiling.tile.min(diagonal.max_work_group_size());
        let arguments = [cells, weights, numbers, padded, points];
        self.queue.launch(&diagonal, &arguments, [side * items], [items])?;
        pacer.launched(side as u64 * tile_work / 6, None)?;

        let (fringe, products) = (kernel("interval_fringe")?, kernel("interval_products")?);
        for latest in 1..side {
            let tiles = side - latest;
            let arguments = [cells, weights, numbers, padded, points, Arg::U32(latest as u32)];
            self.queue.launch(&fringe, &arguments, [tiles * group], [group])?;
            done += tiles as f64;
            pacer.launched(tiles as u64 * tile_work, Some(done / all))?;
            let mut distance = latest + 1;
            let end = (2 * latest + 1).min(side);
            while distance < end {
                let rows = tiles - 1;
                let room = pacer.room() / (rows as u64 * 2 * tile_work);
                let count = (room as usize).clamp(1, end - distance);
                let arguments = [
                    cells,
                    numbers,
                    padded,
                    points,
                    Arg::U32(latest as u32),
                    Arg::U32(distance as u32),
                    Arg::U32(side as u32),
                ];
                self.queue.launch(&products, &arguments, [rows * group, count], [group, 1])?;
                distance += count;
                done += 2.0 * (rows * count) as f64;
                pacer.launched((rows * count) as u64 * 2 * tile_work, Some((done / all).min(1.0)))?;
            }
        }
        Ok(())
    }

    /// The cell that is split at each point 1 .. n - 1.
    fn splits(&self) -> Result<Vec<(u32, u32)>> {
        let points = self.request.instance.points();
        let roots = [0, points as u32 - 1];
        find_splits(self.device, &self.queue, &self.program, &self.arguments(), points, &roots, self.monitor)
    }

    /// Writes the cell costs of a table, in the cells' layout.
    fn write_weights(&self) -> Result<()> {
        let (tile, instance) = (self.tiling.tile, self.request.instance);
        let points = instance.points();
        for q in 0..self.side {
            self.monitor.check()?;
            let mut column = vec![C::default(); (q + 1) * tile * tile];
            for (i, line) in column.chunks_exact_mut(tile).enumerate() {
                for (j, weight) in (q * tile..points).zip(line) {
                    if i < j {
                        *weight = instance.weight(i, j).map_or(C::default(), to_cell);
                    }
                }
            }
            self.queue.write(self.numbers.weights(), self.place(0, q * tile), &column)?;
        }
        Ok(())
    }

    /// Compares the expression with its function on some triples of points.
    fn check_expression(&self, plan: &Plan<'_, V, C>) -> Result<()> {
        let points = plan.instance.points();
        if points < 3 {
            return Ok(());
        }
        let triples: Vec<u32> = sample_triples(points).into_iter().flatten().collect();
        let count = triples.len() / 3;
        let buffer = self.device.buffer_from(&self.queue, &triples)?;
        let values = self.device.buffer::<C>(count)?;
        let [_, _, numbers, padded, points] = self.arguments();
        let arguments = [buffer.arg(), values.arg(), numbers, padded, points, Arg::U32(count as u32)];
        self.queue.launch(&self.program.kernel("interval_terms")?, &arguments, [count], [1])?;
        let mut found = vec![C::default(); count];
        self.queue.read(&values, 0, &mut found)?;
        for (triple, found) in triples.chunks_exact(3).zip(found) {
            let [i, k, j] = [triple[0], triple[1], triple[2]];
            let expected = plan.term(i as usize, k as usize, j as usize);
            let close = match C::TYPE {
                CellType::F32 => 1e-4,
                _ => 1e-9,
            };
            let difference = (found.to_f64() - expected.to_f64()).abs();
            if !(found == expected || C::TYPE.is_float() && difference <= close * expected.to_f64().abs()) {
                let reason =
                    format!("its value at ({i}, {k}, {j}) is {found:?}, the function's {expected:?}");
                return Err(Error::argument("source", reason));
            }
        }
        Ok(())
    }
}

/// Triples of points, some at the ends, most drawn by a fixed rule.
fn sample_triples(points: usize) -> Vec<[u32; 3]> {
    let last = points as u32 - 1;
    let mut triples = vec![[0, 1, 2], [0, 1, last], [0, last - 1, last], [last - 2, last - 1, last]];
    let mut state = 1u64;
    for _ in 0..200 {
        let mut drawn = [0; 3].map(|_: u32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 33) % points as u64) as u32
        });
        drawn.sort_unstable();
        if drawn[0] < drawn[1] && drawn[1] < drawn[2] {
            triples.push(drawn);
        }
    }
    triples
}

/// How cells lie in their buffer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Layout {
    /// Tiles of the upper triangle, column after column.
    Triangle = 0,
    /// Rows of the whole square.
    Square = 1,
}

/// A table of so many cells; the memory limit counts where the device's memory is the host's.
pub(super) fn allocate<C: Cell>(device: &Device, cells: usize, monitor: &Monitor) -> Result<Buffer<C>> {
    let (required, limit) = (cells as u128 * size_of::<C>() as u128, monitor.memory_bytes());
    if device.info().kind == DeviceKind::Cpu && required > limit.into() {
        return Err(Error::OutOfMemory { what: format!("a table of {cells} {}", C::TYPE), required, limit });
    }
    device.buffer(cells)
}

/// Builds a family of kernels for an instance.
pub(super) fn build<V: Number, C: Cell>(
    device: &Device,
    plan: &Plan<'_, V, C>,
    layout: Layout,
    tiling: Tiling,
    family: &KernelFamily,
) -> Result<Arc<Program>> {
    if C::TYPE == CellType::F64 && !device.info().has_extension("cl_khr_fp64") {
        return Err(Error::DeviceFailed(format!("{} has no double precision", device.info().name)));
    }
    let cell = match C::TYPE {
        CellType::U16 => 0,
        CellType::I32 => 1,
        CellType::I64 => 2,
        CellType::F32 => 3,
        CellType::F64 => 4,
    };
    let ring = match plan.instance.semiring() {
        Semiring::MinPlus => 0,
        Semiring::MaxPlus => 1,
        Semiring::MaxMin => 2,
        Semiring::OrAnd => 3,
        Semiring::PlusTimes => 4,
    };
    let costs = match plan.instance.cell_cost() {
        CellCost::None => 0,
        CellCost::Separable { .. } => 1,
        CellCost::Table(_) => 2,
    };
    let (terms, source) = match plan.instance.split_cost() {
        SplitCost::None => (0, String::new()),
        SplitCost::Product { .. } => (1, String::new()),
        SplitCost::Expression(expression) => match &expression.source {
            Some(source) => (2, definition(source, C::TYPE)),
            None => {
                return Err(Error::DeviceFailed("the split cost has no OpenCL C form".into()));
            }
        },
    };
    let unroll = if terms == 2 { 1 } else { tiling.panel as u64 };
    let defines = [
        ("CELL", cell),
        ("RING", ring),
        ("COSTS", costs),
        ("TERMS", terms),
        ("LAYOUT", layout as u64),
        ("TILE", tiling.tile as u64),
        ("BLOCK", tiling.block as u64),
        ("PANEL", tiling.panel as u64),
        ("PANEL_UNROLL", unroll),
        ("FRINGE_UNROLL", 1),
        ("SPLITS_GROUP", SPLITS_GROUP as u64),
        ("SPLITS_AT_ONCE", SPLITS_AT_ONCE),
    ];
    match terms {
        2 => device.program_with(family, &defines, &source),
        _ => device.program(family, &defines),
    }
}

/// The function of a caller's expression, which begins on the first line, so that the lines in messages are its own.
fn definition(expression: &str, cell_type: CellType) -> String {
    let value = match cell_type {
        CellType::U16 => "ushort",
        CellType::I32 => "int",
        CellType::I64 => "long",
        CellType::F32 => "float",
        CellType::F64 => "double",
    };
    format!(
        "typedef {value} VALUE; static VALUE interval_term(uint i, uint k, uint j, uint points, \
         __global const VALUE *data) {{ return (VALUE)({expression}\n); }}\n"
    )
}

/// The numbers of an instance on a device.
pub(super) struct Numbers<C: Cell> {
    numbers: Buffer<C>,
    weights: Buffer<C>,
    padded: u32,
}

impl<C: Cell> Numbers<C> {
    /// `weights` is the number of cells that have a cost in a table.
    pub(super) fn new<V: Number>(
        device: &Device,
        queue: &Queue,
        plan: &Plan<'_, V, C>,
        weights: usize,
    ) -> Result<Self> {
        let padded = plan.padded;
        let nothing = vec![C::default(); padded];
        let (row, column) = match &plan.costs {
            Costs::Separable { row, column } => (row, column),
            _ => (&nothing, &nothing),
        };
        let [left, split, right] = match &plan.terms {
            Terms::Product { left, split, right } => [left, split, right],
            _ => [&nothing; 3],
        };
        let mut numbers =
            [&plan.leaves, row, column, left, split, right].map(|list| &list[..padded]).concat();
        if let Some(expression) = plan.instance.expression() {
            numbers.extend(to_cells::<V, C>(&expression.data, 0));
        }
        let numbers = device.buffer_from(queue, &numbers)?;
        let weights = match plan.costs {
            Costs::Table => device.buffer(weights)?,
            _ => device.buffer(0)?,
        };
        Ok(Numbers { numbers, weights, padded: padded as u32 })
    }

    /// Where cell costs of a table belong, in the cells' layout.
    pub(super) fn weights(&self) -> &Buffer<C> {
        &self.weights
    }

    /// Cells, weights, numbers, padded, points.
    pub(super) fn arguments<'b>(&'b self, cells: &'b Buffer<C>, points: usize) -> [Arg<'b>; 5] {
        [cells.arg(), self.weights.arg(), self.numbers.arg(), Arg::U32(self.padded), Arg::U32(points as u32)]
    }
}

/// Walks down from the `roots`, pairs of first and last points, and returns the cell that is split at each point
/// 1 .. n - 1.
pub(super) fn find_splits(
    device: &Device,
    queue: &Queue,
    program: &Arc<Program>,
    arguments: &[Arg<'_>; 5],
    points: usize,
    roots: &[u32],
    monitor: &Monitor,
) -> Result<Vec<(u32, u32)>> {
    let kernel: Kernel = program.kernel("interval_splits")?;
    let group = SPLITS_GROUP.min(kernel.max_work_group_size());
    let splits = device.buffer::<u32>(2 * points)?;
    queue.fill(&splits, 0, 2 * points, 0)?;
    let mut open = device.buffer::<u32>((2 * points).max(roots.len()))?;
    let mut left_over = device.buffer::<u32>((2 * points).max(roots.len()))?;
    queue.write(&open, 0, roots)?;
    let status = device.buffer::<u32>(2)?;
    let mut count = roots.len() / 2;
    while count > 0 {
        monitor.check()?;
        queue.write(&status, 0, &[0, 0])?;
        let [cells, weights, numbers, padded, all] = *arguments;
        let arguments = [
            cells,
            weights,
            numbers,
            padded,
            all,
            splits.arg(),
            open.arg(),
            left_over.arg(),
            status.arg(),
            Arg::U32(SPLITS_OF_LAUNCH),
        ];
        queue.launch(&kernel, &arguments, [count * group], [group])?;
        let mut found = [0; 2];
        queue.read(&status, 0, &mut found)?;
        if found[1] != 0 {
            return Err(Error::DeviceFailed(format!("no split explains the cell split at {}", found[1])));
        }
        count = found[0] as usize;
        std::mem::swap(&mut open, &mut left_over);
    }
    let mut found = vec![0; 2 * points];
    queue.read(&splits, 0, &mut found)?;
    Ok(found.chunks_exact(2).skip(1).take(points - 2).map(|cell| (cell[0], cell[1])).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};

    use super::*;
    use crate::interval_dp::testing::{instance, instances};
    use crate::interval_dp::{Instance, serial};
    use crate::opencl::testing::test_devices;
    use crate::solve::SolveOptions;

    fn cells(points: usize) -> Vec<(usize, usize)> {
        (0..points).flat_map(|i| (i + 1..points).step_by(1 + points / 40).map(move |j| (i, j))).collect()
    }

    /// Solves on the device and compares values and trees with the recurrence word for word.
    fn compare(device: &Device, instance: &Instance<i64>, cell_type: CellType, tiling: Tiling) {
        let monitor = Monitor::new(&SolveOptions::default());
        let wanted = cells(instance.points());
        let request = Request { instance, cells: &wanted };
        let found = solve_tiled(device, &request, cell_type, tiling, &monitor).unwrap();
        let expected = serial::solve(&request, cell_type, &monitor).unwrap();
        assert_eq!(found.value, expected.value);
        assert_eq!(found.cells, expected.cells);
        assert_eq!(found.tree, expected.tree);
    }

    const SMALL: Tiling = Tiling { tile: 8, block: 2, panel: 4 };

    #[test]
    fn small_tiles_equal_the_recurrence() {
        for device in test_devices() {
            let (cases, most) = if device.quirks().simulator { (3, 30) } else { (12, 90usize) };
            let types = prop_oneof![
                Just(CellType::I32),
                Just(CellType::I64),
                Just(CellType::F32),
                Just(CellType::F64)
            ];
            let result = TestRunner::new(Config::with_cases(cases)).run(
                &(instances(2..most), types),
                |(instance, cell_type)| {
                    let bitwise = instance.semiring() == Semiring::OrAnd;
                    let cell_type = if bitwise { CellType::I32 } else { cell_type };
                    compare(&device, &instance, cell_type, SMALL);
                    Ok(())
                },
            );
            result.unwrap();
        }
    }

    #[test]
    fn sixteen_bits_equal_the_recurrence() {
        for device in test_devices() {
            let points = if device.quirks().simulator { 20 } else { 300 };
            let tiling =
                if device.quirks().simulator { SMALL } else { Tiling::of(&device, CellType::U16, false) };
            for semiring in [Semiring::MinPlus, Semiring::MaxPlus, Semiring::MaxMin] {
                let leaves: Vec<i64> = (0..points - 1).map(|leaf| leaf * 7919 % 83).collect();
                let row = vec![0; points as usize];
                let column: Vec<i64> = (0..points).map(|j| j * 104_729 % 19).collect();
                let costs = CellCost::Separable { row, column };
                let instance = Instance::custom(semiring, leaves, costs, SplitCost::None).unwrap();
                compare(&device, &instance, CellType::U16, tiling);
            }
        }
    }

    #[test]
    fn whole_tiles_equal_the_recurrence() {
        for device in test_devices().into_iter().filter(|device| !device.quirks().simulator) {
            for (points, seed) in [(2, 1), (129, 3), (400, 4)] {
                for split_cost in 0..3 {
                    for cell_type in [CellType::I32, CellType::I64, CellType::F64] {
                        let instance = instance(points, Semiring::MinPlus, 1, split_cost, seed);
                        let tiling = Tiling::of(&device, cell_type, split_cost == 2);
                        compare(&device, &instance, cell_type, tiling);
                    }
                }
            }
        }
    }

    #[test]
    fn expressions_that_do_not_compile_or_agree_are_refused() {
        let monitor = Monitor::new(&SolveOptions::default());
        for device in test_devices() {
            let refusal = |source: &str| {
                let expression = crate::interval_dp::Expression {
                    function: Arc::new(|i, k, j| (i + k + j) as i64),
                    magnitude: 100,
                    source: Some(source.into()),
                    data: vec![],
                };
                let terms = SplitCost::Expression(expression);
                let instance =
                    Instance::custom(Semiring::MinPlus, vec![0i64; 10], CellCost::None, terms).unwrap();
                let request = Request { instance: &instance, cells: &[] };
                solve_tiled(&device, &request, CellType::I32, SMALL, &monitor).map(|values| values.value)
            };
            assert!(refusal("i + k + j").is_ok());
            let Err(Error::InvalidArgument { argument: "source", reason, .. }) = refusal("i +\n no_name")
            else {
                panic!("it compiles")
            };
            assert!(reason.contains("no_name") && reason.contains(":2"), "{reason}");
            let Err(error) = refusal("i + k - j") else { panic!("it agrees") };
            assert!(error.to_string().starts_with("source: its value at ("), "{error}");
        }
    }
}
