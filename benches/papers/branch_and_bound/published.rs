//! The tables of the chapter, counted in their order.
//!
//! Of the tables of speed-ups, the rows of 200 jobs and the numbers that the text repeats are here;
//! the others could not be copied. The numbers of Tables 1 and 2 follow from the chapter's formulas.

use makespan::flow_shop::{Exploration, Placement};

/// Nodes of a pool, in all tables of speed-ups.
pub(super) const POOLS: [usize; 7] =
    [1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18];

/// Speed-ups by pool.
type Row = [Option<f64>; 7];

/// A way to work on pools, with what is printed for it.
pub(super) struct Scenario {
    pub(super) item: &'static str,
    /// As lines name it. The first scenario of an item is that of the printed table.
    pub(super) name: &'static str,
    pub(super) exploration: Exploration,
    pub(super) sorted: bool,
    pub(super) branch_free: bool,
    pub(super) placement: Placement,
    /// By size.
    pub(super) printed: &'static [(&'static str, Row)],
}

/// A table of speed-ups.
pub(super) struct Table {
    pub(super) item: &'static str,
    pub(super) title: &'static str,
}

pub(super) const TABLES: [Table; 6] = [
    Table { item: "table-4", title: "Table 4: parallel tree exploration" },
    Table { item: "table-5", title: "Table 5: parallel evaluation of bounds" },
    Table { item: "table-6", title: "Table 6: less divergence" },
    Table { item: "table-7", title: "Table 7: PTM in local memory" },
    Table { item: "table-8", title: "Table 8: JM in local memory" },
    Table { item: "table-9", title: "Table 9: PTM and JM in local memory" },
];

const fn all(row: [f64; 7]) -> Row {
    let [a, b, c, d, e, f, g] = row;
    [Some(a), Some(b), Some(c), Some(d), Some(e), Some(f), Some(g)]
}

const fn last(value: f64) -> Row {
    [None, None, None, None, None, None, Some(value)]
}

const fn bounds(
    item: &'static str,
    name: &'static str,
    (sorted, branch_free, placement): (bool, bool, Placement),
    printed: &'static [(&'static str, Row)],
) -> Scenario {
    let exploration = Exploration::HostPool;
    Scenario { item, name, exploration, sorted, branch_free, placement, printed }
}

pub(super) const SCENARIOS: [Scenario; 10] = [
    Scenario {
        item: "table-4",
        name: "trees",
        exploration: Exploration::TreePool,
        sorted: false,
        branch_free: false,
        placement: Placement::Global,
        printed: &[
            ("20x20", last(40.50)),
            ("200x20", all([1.12, 2.89, 3.57, 4.23, 6.442, 8.32, 13.4])),
        ],
    },
    Scenario {
        item: "table-4",
        name: "trees, sorted, branch-free, both tables on chip",
        exploration: Exploration::TreePool,
        sorted: true,
        branch_free: true,
        placement: Placement::Both,
        printed: &[],
    },
    bounds(
        "table-5",
        "bounds",
        (false, false, Placement::Global),
        &[("20x20", last(38.40)), ("200x20", last(71.69))],
    ),
    bounds(
        "table-6",
        "bounds, sorted, branch-free",
        (true, true, Placement::Global),
        &[("200x20", all([46.63, 60.88, 63.80, 67.51, 73.47, 75.94, 77.46]))],
    ),
    bounds("table-6", "bounds, sorted", (true, false, Placement::Global), &[]),
    bounds("table-6", "bounds, branch-free", (false, true, Placement::Global), &[]),
    bounds(
        "table-7",
        "bounds, sorted, branch-free, times on chip",
        (true, true, Placement::Times),
        &[("200x20", all([54.03, 67.75, 68.43, 72.17, 82.01, 88.35, 90.51]))],
    ),
    bounds(
        "table-8",
        "bounds, sorted, branch-free, orders on chip",
        (true, true, Placement::Johnson),
        &[("200x20", all([63.01, 79.40, 81.40, 84.02, 93.61, 96.56, 97.83]))],
    ),
    bounds(
        "table-8",
        "bounds, sorted, branch-free, part of the orders on chip",
        (true, true, Placement::PartOfJohnson),
        &[],
    ),
    bounds(
        "table-9",
        "bounds, sorted, branch-free, both tables on chip",
        (true, true, Placement::Both),
        &[],
    ),
];

/// A group of Taillard's instances with 20 machines, and Table 3.
pub(super) struct Size {
    pub(super) name: &'static str,
    pub(super) jobs: u64,
    /// The number of its first instance.
    pub(super) first: u32,
    /// Nodes of one of our lists.
    pub(super) nodes: u64,
    /// Minutes of one of the paper's lists on one core.
    pub(super) minutes: u64,
}

pub(super) const SIZES: [Size; 4] = [
    Size { name: "20x20", jobs: 20, first: 21, nodes: 80_000, minutes: 10 },
    Size { name: "50x20", jobs: 50, first: 51, nodes: 30_000, minutes: 50 },
    Size { name: "100x20", jobs: 100, first: 81, nodes: 15_000, minutes: 150 },
    Size { name: "200x20", jobs: 200, first: 101, nodes: 8_000, minutes: 300 },
];
