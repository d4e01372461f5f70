//! Tables I to VII of the paper.

/// A row of Tables I to VI: the sizes of a table, and the sides of its blocks.
pub(super) struct Row {
    pub(super) sizes: &'static [u32],
    /// With 3 dimensions cut.
    pub(super) three: &'static [u32],
    /// With the fastest number of dimensions cut.
    pub(super) fastest: &'static [u32],
    /// Why the printed blocks are others than ours, if they are.
    pub(super) note: &'static str,
}

/// One of Tables I to VI: its number, its cells, and the number of dimensions of its last column.
pub(super) struct Table {
    pub(super) number: &'static str,
    pub(super) item: &'static str,
    pub(super) cells: u64,
    pub(super) fastest: usize,
    pub(super) rows: &'static [Row],
}

const fn row(
    sizes: &'static [u32],
    three: &'static [u32],
    fastest: &'static [u32],
    note: &'static str,
) -> Row {
    Row { sizes, three, fastest, note }
}

pub(super) const TABLES: [Table; 6] = [
    Table {
        number: "I",
        item: "table-1",
        cells: 3456,
        fastest: 5,
        rows: &[
            row(&[6, 4, 6, 6, 4], &[3, 4, 3, 3, 4], &[3, 2, 3, 3, 2], ""),
            row(&[2, 6, 3, 4, 6, 4], &[2, 3, 3, 2, 3, 4], &[2, 3, 1, 2, 3, 2], ""),
            row(
                &[2, 2, 4, 3, 2, 6, 3, 2],
                &[2, 2, 2, 1, 2, 3, 3, 2],
                &[1, 2, 2, 1, 1, 3, 1, 1],
                "the last column cuts 7 dimensions, not 5",
            ),
            row(
                &[3, 2, 3, 2, 2, 2, 2, 3, 4],
                &[1, 2, 1, 2, 2, 2, 2, 3, 2],
                &[1, 1, 1, 2, 2, 2, 2, 1, 2],
                "",
            ),
            row(
                &[2, 3, 2, 2, 3, 3, 2, 2, 2, 2],
                &[2, 1, 2, 2, 1, 1, 2, 2, 2, 2],
                &[2, 1, 1, 1, 1, 1, 2, 2, 2, 2],
                "of equal sizes, the last column takes the third and fourth",
            ),
        ],
    },
    Table {
        number: "II",
        item: "table-2",
        cells: 8640,
        fastest: 5,
        rows: &[
            row(&[5, 3, 6, 3, 4, 4, 2], &[1, 3, 3, 3, 2, 4, 2], &[1, 1, 3, 3, 2, 2, 2], ""),
            row(
                &[5, 6, 2, 3, 2, 2, 4, 3],
                &[1, 3, 2, 3, 2, 2, 2, 3],
                &[1, 3, 2, 1, 2, 2, 2, 1],
                "",
            ),
            row(
                &[3, 3, 4, 3, 2, 2, 5, 2, 2],
                &[1, 3, 2, 3, 2, 2, 1, 2, 2],
                &[1, 1, 2, 1, 2, 2, 1, 2, 2],
                "",
            ),
        ],
    },
    Table {
        number: "III",
        item: "table-3",
        cells: 12_960,
        fastest: 5,
        rows: &[
            row(&[3, 16, 15, 18], &[3, 4, 5, 6], &[1, 4, 5, 6], ""),
            row(&[4, 5, 3, 6, 4, 3, 3], &[2, 1, 3, 3, 4, 3, 3], &[2, 1, 1, 3, 2, 3, 3], ""),
            row(
                &[3, 4, 3, 4, 3, 5, 3, 2],
                &[3, 2, 3, 2, 3, 1, 3, 2],
                &[1, 2, 1, 2, 3, 1, 3, 2],
                "",
            ),
            row(
                &[3, 3, 3, 2, 3, 4, 2, 5, 2],
                &[1, 3, 3, 2, 3, 2, 2, 1, 2],
                &[1, 1, 1, 2, 3, 2, 2, 1, 2],
                "",
            ),
        ],
    },
    Table {
        number: "IV",
        item: "table-4",
        cells: 20_736,
        fastest: 6,
        rows: &[
            row(
                &[4, 4, 6, 6, 2, 3, 3, 2],
                &[2, 4, 3, 3, 2, 3, 3, 1],
                &[2, 1, 2, 2, 1, 1, 1, 1],
                "the column for 3 cuts 4 dimensions; the last one is a misprint: the rule gives a \
                 size of 4 sides of 2, and a size of 6 sides of 3",
            ),
            row(
                &[2, 4, 2, 3, 3, 3, 3, 2, 2, 2, 2],
                &[2, 2, 2, 1, 1, 3, 3, 2, 2, 2, 2],
                &[1, 2, 2, 1, 1, 1, 1, 2, 2, 2, 2],
                "",
            ),
        ],
    },
    Table {
        number: "V",
        item: "table-5",
        cells: 362_880,
        fastest: 7,
        rows: &[
            row(
                &[5, 6, 3, 7, 6, 4, 8, 3],
                &[5, 3, 3, 1, 5, 4, 4, 3],
                &[1, 3, 1, 1, 3, 2, 4, 3],
                "a misprint in the column for 3: 5 does not divide 6",
            ),
            row(
                &[3, 3, 3, 4, 5, 7, 2, 3, 4, 4],
                &[3, 3, 3, 2, 1, 1, 2, 3, 4, 4],
                &[3, 3, 1, 2, 1, 1, 2, 1, 2, 2],
                "of equal sizes, the last column takes the third and the eighth",
            ),
        ],
    },
    Table {
        number: "VI",
        item: "table-6",
        cells: 403_200,
        fastest: 7,
        rows: &[
            row(&[3, 10, 7, 6, 4, 8, 10], &[3, 5, 7, 6, 4, 4, 5], &[1, 5, 1, 3, 2, 4, 5], ""),
            row(
                &[4, 5, 4, 2, 3, 5, 7, 3, 8],
                &[4, 1, 4, 2, 3, 5, 1, 3, 4],
                &[2, 1, 2, 2, 1, 1, 1, 3, 4],
                "",
            ),
        ],
    },
];

/// A row of Table VII: cells, and iterations and milliseconds of the GPU and of OpenMP.
pub(super) struct Search {
    pub(super) cells: u64,
    pub(super) gpu: (u64, f64),
    pub(super) openmp: (u64, f64),
    /// A shape with the paper's number of cells; the paper prints no shape.
    pub(super) shape: &'static [u32],
}

const fn search(cells: u64, gpu: (u64, f64), openmp: (u64, f64), shape: &'static [u32]) -> Search {
    Search { cells, gpu, openmp, shape }
}

pub(super) const TABLE_7: [Search; 5] = [
    search(12_960, (8, 13_183.0), (13, 11_160.0), &[4, 5, 3, 6, 4, 3, 3]),
    search(20_736, (4, 13_031.0), (6, 13_072.0), &[4, 4, 6, 6, 2, 3, 3, 2]),
    search(27_360, (1, 4_559.0), (3, 15_238.0), &[19, 5, 6, 6, 8]),
    search(30_240, (3, 11_139.0), (5, 34_098.0), &[5, 6, 7, 8, 9, 2]),
    search(403_200, (3, 300_881.0), (5, 9_654_220.0), &[3, 10, 7, 6, 4, 8, 10]),
];

/// Block levels, and levels of a block, of Figure 2.
pub(super) const FIGURE_2_LEVELS: (u64, u64) = (7, 4);
