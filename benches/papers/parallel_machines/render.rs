//! The tables and figures, with our numbers and the printed ones.

use makespan::lattice_dp::{DivisorRule, Launches, Partition, Traversal};

use super::published::{FIGURE_2_LEVELS, TABLE_7, TABLES, Table};
use super::{FIGURE_3, Fill, LAUNCHES, search_variant, shape};
use crate::chart::{Chart, Panel, Series};
use crate::common::Result;
use crate::recorded::{Lines, Place};
use crate::report::{Report, digits, thousands};

pub(super) fn figure_1(report: &mut Report) {
    report.heading("Figure 1: the cells that OPT(2, 3) depends on");
    report.paragraph(
        "Each cell with its level, the sum of its components. Cells of a level are independent, so \
         cores share them. OPT(2, 3) is in level 5, the last one, and reads the cells v - s of all \
         configurations s that fit a machine.",
    );
    let rows: Vec<Vec<String>> = (0..=2)
        .map(|first| {
            let levels = (0..=3).map(|second| format!("level {}", first + second));
            std::iter::once(format!("**n1 = {first}**")).chain(levels).collect()
        })
        .collect();
    report.table(&["", "n2 = 0", "n2 = 1", "n2 = 2", "n2 = 3"], &rows);
}

pub(super) fn figure_2(report: &mut Report) -> Result<()> {
    report.heading("Figure 2: a box of 6 x 6 x 6 cells by the divisor (3, 3, 3)");
    let partition = Partition::into_parts(&[6, 6, 6], &[3, 3, 3])?;
    let levels = (partition.block_levels(), partition.in_block_levels());
    report.paragraph(&format!(
        "Blocks of {}, {} of them, {} block levels (printed {}), {} levels in a block (printed {}).",
        sides(&partition.block()),
        partition.blocks(),
        levels.0,
        FIGURE_2_LEVELS.0,
        levels.1,
        FIGURE_2_LEVELS.1,
    ));
    let rows: Vec<Vec<String>> = (0..levels.0)
        .map(|level| {
            let blocks = blocks_of_level(partition.parts(), level);
            vec![level.to_string(), blocks.len().to_string(), blocks.join(" ")]
        })
        .collect();
    report.table(&["block level", "blocks", "which run together"], &rows);
    Ok(())
}

/// The blocks of a box in three dimensions whose coordinates have that sum.
fn blocks_of_level(parts: &[u32], level: u64) -> Vec<String> {
    let mut blocks = Vec::new();
    for x in 0..parts[0] {
        for y in 0..parts[1] {
            let rest = level.checked_sub(u64::from(x + y));
            if let Some(z) = rest.filter(|&z| z < u64::from(parts[2])) {
                blocks.push(format!("({x},{y},{z})"));
            }
        }
    }
    blocks
}

fn sides(sizes: &[u32]) -> String {
    let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
    format!("({})", sizes.join(", "))
}

pub(super) fn table(table: &Table, report: &mut Report) -> Result<()> {
    let Table { number, cells, fastest, rows, .. } = table;
    report.heading(&format!("Table {number}: blocks of tables of {} cells", thousands(*cells)));
    let mut cells = Vec::new();
    for row in *rows {
        let mut line = vec![row.sizes.len().to_string(), sides(row.sizes)];
        for (dimensions, printed) in [(3, row.three), (*fastest, row.fastest)] {
            let ours = Partition::new(row.sizes, dimensions, DivisorRule::Tabulated)?.block();
            line.push(sides(printed));
            line.push(if ours == printed { "the same".to_owned() } else { sides(&ours) });
        }
        line.push(row.note.to_owned());
        cells.push(line);
    }
    let last = format!("DIM{fastest}, printed");
    let head = ["#dim", "sizes", "DIM3, printed", "ours", last.as_str(), "ours", "why they differ"];
    report.table(&head, &cells);
    Ok(())
}

/// A place with a way to launch: what a table of times is about.
struct Way {
    place: Place,
    launches: Launches,
    label: String,
}

fn ways(lines: &Lines, class: &str) -> Vec<Way> {
    let mut ways = Vec::new();
    for place in lines.places(class) {
        let several: &[Launches] =
            if place.is_device() && class != "figure-3" { &LAUNCHES } else { &[Launches::Auto] };
        for &launches in several {
            let named = lines.label(&place);
            let label = match launches {
                Launches::Auto => named,
                _ => format!("{named}, launches {}", launches.name()),
            };
            ways.push(Way { place: place.clone(), launches, label });
        }
    }
    ways
}

/// Seconds of a fill. More dimensions than a table has change nothing.
fn seconds(lines: &Lines, class: &str, sizes: &[u32], fill: Fill, way: &Way) -> Option<f64> {
    let fill = match fill {
        Fill::Blocks(cut) => Fill::Blocks(cut.min(sizes.len().max(3))),
        other => other,
    };
    let variant = fill.variant(way.launches);
    lines.find(class, &format!("{sizes:?}"), &variant, &way.place).map(|line| line.seconds)
}

/// A table of microseconds: a row for each shape, a column for each fill.
fn times(lines: &Lines, class: &str, shapes: &[Vec<u32>], way: &Way, report: &mut Report) {
    let mut head = vec!["cells".to_owned(), "sizes".to_owned()];
    head.extend(Fill::all().into_iter().map(Fill::name));
    let rows = shapes.iter().map(|sizes| {
        let cells = sizes.iter().map(|&size| u64::from(size)).product();
        let mut row = vec![thousands(cells), sides(sizes)];
        row.extend(Fill::all().into_iter().map(|fill| {
            match fill.is_for(sizes.len()) {
                true => seconds(lines, class, sizes, fill, way)
                    .map_or_else(String::new, |seconds| digits(seconds * 1e6)),
                false => "-".to_owned(),
            }
        }));
        row
    });
    report.table(&head, &rows.collect::<Vec<_>>());
}

pub(super) fn figure_3(lines: &Lines, report: &mut Report) {
    report.heading("Figure 3: times of 36 tables by their size");
    report.paragraph(
        "Microseconds for table and path. The paper prints curves without numbers, and not the \
         shapes. Ours are boxes of five to nine dimensions with almost equal sides. The paper's \
         OMP16 and OMP28 fill by *levels* on cores. *Slabs* are the library's default.",
    );
    let parts = FIGURE_3.map(|(part, sizes)| {
        let shapes: Vec<Vec<u32>> = sizes
            .into_iter()
            .enumerate()
            .map(|(place, cells)| shape(cells, 5 + place % 5))
            .collect();
        (part, shapes)
    });
    for (number, way) in ways(lines, "figure-3").iter().enumerate() {
        report.paragraph(&format!("**{}**", way.label));
        times(lines, "figure-3", &parts.clone().map(|part| part.1).concat(), way, report);
        let panels = parts.iter().map(|(part, shapes)| {
            let series = Fill::all().into_iter().enumerate().map(|(colour, fill)| {
                let points = shapes.iter().filter_map(|sizes| {
                    let cells: u32 = sizes.iter().product();
                    let seconds = seconds(lines, "figure-3", sizes, fill, way)?;
                    Some((f64::from(cells), seconds * 1e6))
                });
                let mut points: Vec<(f64, f64)> = points.collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                Series { name: fill.name(), points, colour, is_published: false }
            });
            Panel {
                title: format!("Part {part}"),
                x: "cells",
                y: "microseconds",
                series: series.collect(),
            }
        });
        let title = format!("P||Cmax, Figure 3: times of 36 tables, {}", way.label);
        let name = format!("parallel-machines-figure-3-{}", number + 1);
        report.chart(&name, &Chart { title, panels: panels.collect() });
    }
}

pub(super) fn figure_4(lines: &Lines, report: &mut Report) {
    report.heading("Figure 4: times of the shapes of Tables I to VI by the dimensions cut");
    report.paragraph(
        "Microseconds for table and path. The paper prints curves without numbers; with 3 and 4 \
         dimensions cut, 403,200 cells took it more than 10,800,000 ms.",
    );
    let shapes = TABLES.iter().flat_map(|table| table.rows).map(|row| row.sizes.to_vec());
    let shapes: Vec<Vec<u32>> = shapes.collect();
    for (number, way) in ways(lines, "figure-4").iter().enumerate() {
        report.paragraph(&format!("**{}**", way.label));
        times(lines, "figure-4", &shapes, way, report);
        let panels = TABLES.iter().map(|table| {
            let series = table.rows.iter().enumerate().map(|(colour, row)| {
                let points = Partition::DIMENSIONS.filter_map(|cut| {
                    let fill = Fill::Blocks(cut);
                    Some((cut as f64, seconds(lines, "figure-4", row.sizes, fill, way)? * 1e6))
                });
                let name = format!("{} dimensions", row.sizes.len());
                Series { name, points: points.collect(), colour, is_published: false }
            });
            Panel {
                title: format!("Table {}: {} cells", table.number, thousands(table.cells)),
                x: "dimensions cut",
                y: "microseconds",
                series: series.collect(),
            }
        });
        let title = format!("P||Cmax, Figure 4: times by the dimensions cut, {}", way.label);
        let name = format!("parallel-machines-figure-4-{}", number + 1);
        report.chart(&name, &Chart { title, panels: panels.collect() });
    }
}

pub(super) fn table_7(lines: &Lines, report: &mut Report) {
    report.heading("Table VII: rounds and times of whole searches");
    report.paragraph(
        "At epsilon = 0.3. The paper's GPU has the quarter split over blocks, its OpenMP bisection \
         over levels. It prints neither instances nor shapes; ours make a table of that size at one \
         target. So rounds differ with the instance, and times compare orders of magnitude only.",
    );
    for way in &ways(lines, "table-7") {
        report.paragraph(&format!("**{}**", way.label));
        let rows = TABLE_7.iter().map(|row| {
            let found = |traversal: Traversal, segments| {
                let variant = search_variant(traversal.name(), way.launches, segments);
                lines.find("table-7", &format!("{:?}", row.shape), &variant, &way.place)
            };
            let milliseconds = |traversal, segments| {
                found(traversal, segments)
                    .map_or_else(String::new, |line| digits(line.seconds * 1e3))
            };
            let count = |segments, name| {
                let line = found(Traversal::Blocks, segments);
                line.and_then(|line| line.count(name)).map_or_else(String::new, thousands)
            };
            let mut cells = vec![thousands(row.cells)];
            for (segments, (rounds, time), traversal) in
                [(4, row.gpu, Traversal::Blocks), (1, row.openmp, Traversal::Levels)]
            {
                let gain = found(traversal, segments)
                    .map_or_else(String::new, |line| digits(time / (line.seconds * 1e3)));
                cells.extend([
                    format!("{} ({rounds})", count(segments, "rounds")),
                    count(segments, "targets"),
                    count(segments, "tables"),
                    milliseconds(Traversal::Slabs, segments),
                    milliseconds(traversal, segments),
                    thousands(time as u64),
                    gain,
                ]);
            }
            cells
        });
        let head = [
            "cells",
            "quarter split: rounds (GPU, printed)",
            "targets",
            "tables",
            "slabs, ms",
            "blocks, ms",
            "GPU, printed, ms",
            "printed / blocks",
            "bisection: rounds (OpenMP, printed)",
            "targets",
            "tables",
            "slabs, ms",
            "levels, ms",
            "OpenMP, printed, ms",
            "printed / levels",
        ];
        report.table(&head, &rows.collect::<Vec<_>>());
    }
}
