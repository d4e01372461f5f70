//! Compares the kernels of all three families with the CPU.
//!
//! A user's expression is not run on numbers for which it is not meant: its kernels are compared
//! with another expression in its place.

use std::sync::Arc;

use super::instance::{
    COSTS_ENCLOSING, COSTS_SEPARABLE, COSTS_TABLE, TERMS_EXPRESSION, TERMS_NONE, TERMS_PRODUCT,
    device_instance,
};
use super::kernels::{Layout, Table, Tiling};
use crate::Result;
use crate::context::Pacer;
use crate::interval_dp::enclosing::{CLASSES, Enclosing};
use crate::interval_dp::number::Value;
use crate::interval_dp::semiring::{CellType, Semiring};
use crate::interval_dp::values::Values;
use crate::interval_dp::view::Request;
use crate::interval_dp::{CellCost, Expression, Instance, SplitCost, serial};
use crate::opencl::{Device, Failing, KernelFamily, Trial, agree};
use crate::random::Random;
use crate::solve::{Monitor, SolveOptions};

/// Points in addition to whole tiles.
const MORE: usize = 5;
/// Points of a table for the mappings.
const MAPPED: usize = 45;
/// Points of the instances in a batch: fewest, most, and numbers that leave work-items idle.
const BATCH: [usize; 6] = [2, 64, 3, 33, 17, 64];
/// Distance of nonzero leaves for sums of products, which would otherwise overflow every type of
/// cell.
const GROWING: usize = 10;
/// The value of all leaves where cells may enclose others.
const LEAF: i64 = 40;

/// What fills a table.
type FillTable<'f> = dyn for<'a> Fn(&'a Table<'_>) -> Result<Pacer<'a>> + 'f;

/// A table of a family that `fill` fills: a triangle of three tiles along each edge, the last ones
/// not full, or a square.
pub(super) fn compare_table(
    trial: &Trial<'_>,
    family: &KernelFamily,
    layout: Layout,
    fill: &FillTable<'_>,
) -> Result<(), Failing> {
    let points = points(layout);
    let (instance, enclosing) = (instance(trial, points, 1)?, enclosing(trial, points));
    compare_fill(trial, family, layout, (&instance, enclosing.as_ref()), fill)
}

/// Compares a table that is filled by Knuth's bound, if the program has its kernel.
pub(super) fn compare_knuth(
    trial: &Trial<'_>,
    family: &KernelFamily,
    layout: Layout,
    fill: &FillTable<'_>,
) -> Result<(), Failing> {
    let has = |name, value: u64| trial.define(name) == Some(value);
    let is_whole = matches!(cell_type(trial), CellType::I32 | CellType::I64);
    if !is_whole
        || !has("RING", Semiring::MinPlus as u64)
        || !has("TERMS", TERMS_NONE)
        || encloses(trial)
    {
        return Ok(());
    }
    let mut random = Random::new(3);
    let points = points(layout);
    let leaves = (1..points).map(|_| random.below(84) as i64).collect();
    // The costs are the weights of a search tree's keys. Cells between heavy keys have many splits.
    let mut weight = |key: usize| if key % 19 == 7 { 1000 } else { random.below(20) as i64 };
    let mut sum = 0;
    let column: Vec<i64> = (0..points)
        .map(|key| {
            sum += weight(key);
            sum
        })
        .collect();
    let row: Vec<i64> = column.iter().map(|before| sum - before).collect();
    let cell_cost = match trial.define("COSTS") {
        Some(COSTS_SEPARABLE) => CellCost::Separable { row, column },
        Some(COSTS_TABLE) => {
            let of_row = |i: usize| column[i + 1..].iter().map(move |cost| (i, *cost));
            let costs = (0..points).flat_map(of_row).map(|(i, cost)| row[i] + cost);
            CellCost::Table(costs.collect())
        }
        _ => CellCost::None,
    };
    let instance = Instance::custom(Semiring::MinPlus, leaves, cell_cost, SplitCost::None)?;
    compare_fill(trial, family, layout, (&instance, None), fill)
}

/// The points of a table of a layout.
fn points(layout: Layout) -> usize {
    match layout {
        Layout::Triangle(Tiling { tile, .. }) => 2 * tile + MORE,
        Layout::Square | Layout::Diagonals => MAPPED,
    }
}

/// Compares a filled table with the recurrence as defined.
fn compare_fill(
    trial: &Trial<'_>,
    family: &KernelFamily,
    layout: Layout,
    (instance, enclosing): (&Instance<i64>, Option<&Enclosing>),
    fill: &FillTable<'_>,
) -> Result<(), Failing> {
    let points = instance.points();
    let tile = match layout {
        Layout::Triangle(Tiling { tile, .. }) => tile,
        Layout::Square | Layout::Diagonals => 1,
    };
    let monitor = Monitor::new(&SolveOptions::default());
    let cells: Vec<(usize, usize)> =
        (0..points).flat_map(|i| (i + 1..points).map(move |j| (i, j))).collect();
    let request = |cells| match enclosing {
        Some(enclosing) => Request::enclosing(instance, enclosing, cells),
        None => Request::new(instance, cells),
    };
    let in_cells = device_instance(&request(&[]).view, cell_type(trial), tile)?;
    let table = Table::new(trial.device(), &*in_cells, layout, family, &monitor)?;
    let pacer = fill(&table)?;
    let found = Values { cells: table.all()?, ..table.values(&request(&[]), pacer)? };
    agree_with_recurrence(family.name, &request(&cells), found)
}

/// What solves a batch on a device.
type SolveBatch = fn(&Device, &[&Instance<i64>], CellType, &Monitor) -> Result<Vec<Values<Value>>>;

/// Instances of all sizes in one launch.
pub(in crate::interval_dp) fn compare_batch(
    trial: &Trial<'_>,
    solve: SolveBatch,
) -> Result<(), Failing> {
    let (monitor, cell_type) = (Monitor::new(&SolveOptions::default()), cell_type(trial));
    let instances: Result<Vec<Instance<i64>>> =
        BATCH.into_iter().zip(1..).map(|(points, seed)| instance(trial, points, seed)).collect();
    let instances = instances?;
    let all: Vec<&Instance<i64>> = instances.iter().collect();
    for (found, instance) in solve(trial.device(), &all, cell_type, &monitor)?.into_iter().zip(all)
    {
        let expected = serial::solve(&Request::new(instance, &[]), cell_type, &monitor)?;
        agree("interval_batch", &[(found.value, found.tree)], &[(expected.value, expected.tree)])?;
    }
    Ok(())
}

/// Compares a table, its tree and the values of its expression with the recurrence as defined.
fn agree_with_recurrence(
    what: &str,
    request: &Request<'_>,
    found: Values<Value>,
) -> Result<(), Failing> {
    let expected =
        serial::solve(request, found.cell_type, &Monitor::new(&SolveOptions::default()))?;
    let (found, expected) = (found.into_numbers::<i64>(), expected.into_numbers());
    agree(what, &found.cells, &expected.cells)?;
    agree(what, &[found.pairs], &[expected.pairs])?;
    agree(what, &[(found.value, found.tree)], &[(expected.value, expected.tree)])
}

/// The type of cell that a program is built for.
fn cell_type(trial: &Trial<'_>) -> CellType {
    let number = trial.define("CELL").unwrap_or_default() as usize;
    CellType::ALL.get(number).copied().unwrap_or(CellType::F64)
}

fn encloses(trial: &Trial<'_>) -> bool {
    trial.define("COSTS") == Some(COSTS_ENCLOSING)
}

/// The costs of enclosing for a program that has them.
fn enclosing(trial: &Trial<'_>, points: usize) -> Option<Enclosing> {
    let mut random = Random::new(2);
    encloses(trial).then(|| Enclosing {
        classes: (1..points).map(|_| random.below(CLASSES as u64) as u8).collect(),
        costs: [(); CLASSES * CLASSES].map(|()| random.below(2 * LEAF as u64 + 1) as i64),
        otherwise: 2 * LEAF,
        least_inside: 2,
    })
}

/// An instance that would use this program. Its numbers are small enough to be exact in all types
/// of cells.
fn instance(trial: &Trial<'_>, points: usize, seed: u64) -> Result<Instance<i64>> {
    let mut random = Random::new(seed);
    let mut list =
        |len: usize, most: u64| (0..len).map(|_| random.below(most + 1) as i64).collect::<Vec<_>>();
    let number = trial.define("RING").unwrap_or_default() as usize;
    let semiring = Semiring::ALL.get(number).copied().unwrap_or(Semiring::PlusTimes);
    let counts = semiring == Semiring::PlusTimes;
    let most = if counts { 1 } else { 19 };
    let leaves = match counts {
        true => (0..points - 1).map(|leaf| i64::from(leaf % GROWING > 0)).collect(),
        false if encloses(trial) => vec![LEAF; points - 1],
        false => list(points - 1, 83),
    };
    let cell_cost = match trial.define("COSTS") {
        Some(COSTS_SEPARABLE) => {
            CellCost::Separable { row: list(points, most / 2), column: list(points, most / 2) }
        }
        Some(COSTS_TABLE) => CellCost::Table(list(points * (points - 1) / 2, most)),
        _ => CellCost::None,
    };
    let split_cost = match trial.define("TERMS") {
        Some(TERMS_PRODUCT) => SplitCost::Product {
            left: list(points, 3),
            split: list(points, 3),
            right: list(points, 3),
        },
        Some(TERMS_EXPRESSION) => {
            let data = list(points, most);
            let numbers = data.clone();
            SplitCost::Expression(Expression {
                function: Some(Arc::new(move |_, k, _| numbers[k])),
                magnitude: most as i64,
                source: Some("data[k]".into()),
                data,
            })
        }
        _ => SplitCost::None,
    };
    Instance::custom(semiring, leaves, cell_cost, split_cost)
}

#[cfg(test)]
mod tests {
    use crate::interval_dp::batch;
    use crate::interval_dp::device::kernels::DIAGONALS;
    use crate::interval_dp::device::{self, mapping};
    use crate::opencl::DeviceInfo;
    use crate::opencl::testing::{expect_lies_to_be_noticed, expect_lies_to_be_noticed_where};

    fn form(cell: u64, ring: u64, costs: u64, terms: u64, tile: u64) -> Vec<(&'static str, u64)> {
        let tiles = tile > 1;
        vec![
            ("CELL", cell),
            ("RING", ring),
            ("SELECTS", (ring < 3).into()),
            ("COSTS", costs),
            ("TERMS", terms),
            ("SQUARE", (!tiles).into()),
            ("TILE", tile),
            ("BLOCK", if tiles { 4 } else { 1 }),
            ("PANEL", if tiles { 8 } else { 1 }),
            ("PANEL_UNROLL", 1),
            ("FRINGE_UNROLL", 1),
            ("TURN_UNROLL", 1),
        ]
    }

    #[test]
    fn wrong_kernels_are_barred() {
        let tiles: [(_, &[&str]); 5] = [
            ("interval_diagonal", &["cells"]),
            ("interval_fringe", &["cells"]),
            ("interval_products", &["cells"]),
            ("interval_pack", &["tiles"]),
            ("interval_unpack", &["cells"]),
        ];
        for (cell, ring, costs, terms) in
            [(1, 0, 1, 1), (2, 1, 2, 0), (0, 2, 1, 0), (1, 3, 0, 0), (0, 0, 3, 0)]
        {
            // All devices allow groups for tiles of this size.
            expect_lies_to_be_noticed(&device::FAMILY, &form(cell, ring, costs, terms, 16), &tiles);
        }
        let by_knuth: [(_, &[&str]); 1] = [("interval_knuth", &["cells"])];
        for (cell, costs) in [(1, 1), (2, 2)] {
            expect_lies_to_be_noticed(&device::FAMILY, &form(cell, 0, costs, 0, 16), &by_knuth);
        }
        let mapped =
            ["interval_mapping_items", "interval_mapping_groups", "interval_mapping_combine"]
                .map(|name| (name, &["cells"][..]));
        expect_lies_to_be_noticed(&mapping::FAMILY, &form(2, 4, 0, 0, 1), &mapped);
        let pipeline: [(_, &[&str]); 2] =
            [("interval_mapping_items", &["cells"]), ("interval_pipeline", &["cells"])];
        let by_diagonals = form(1, 0, 2, 1, 1).into_iter().map(|define| match define {
            ("SQUARE", _) => ("SQUARE", DIAGONALS),
            other => other,
        });
        let by_diagonals: Vec<_> = by_diagonals.collect();
        expect_lies_to_be_noticed(&mapping::FAMILY, &by_diagonals, &pipeline);
        for (cell, ring, costs, terms) in [(1, 0, 1, 1), (2, 1, 1, 0)] {
            let lies: [(_, &[&str]); 2] =
                [("interval_batch", &["values"]), ("interval_batch", &["splits"])];
            // A table of 64 points with its splits.
            let most_bytes = if cell == 1 { 20 << 10 } else { 36 << 10 };
            let has_room = |info: &DeviceInfo| info.group_memory_bytes() >= most_bytes;
            let form = form(cell, ring, costs, terms, 1);
            expect_lies_to_be_noticed_where(has_room, batch::TIMED.family, &form, &lies);
        }
    }
}
