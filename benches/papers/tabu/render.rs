//! Table 2 with ours.

use super::published::{GENERATIONS, Row, TABLE_2};
use super::{EVALUATIONS, variant};
use crate::chart::{Chart, Panel, Series};
use crate::recorded::{Lines, Place};
use crate::report::{Report, digits, thousands};

pub(super) fn table_2(lines: &Lines, report: &mut Report) {
    report.heading("Table 2: speed-ups of prefix reuse");
    report.paragraph(
        "Times of whole searches over that with the prefix reused: with permutations in memory, as \
         by Czapiński and Barnes, which is the paper's ratio, and with neighbours in full. The paper \
         has 16 and 48 KB of local memory; here the device decides. Ours / published takes the \
         column of 48 KB. The last column has the time in full over that with heads and tails, \
         whose columns are in registers; all others have theirs in local memory.",
    );
    let places = lines.places("table-2");
    for place in &places {
        report.paragraph(&format!("**{}**", lines.label(place)));
        let head = [
            "jobs x machines",
            "generations",
            "in full, s",
            "from memory / prefix",
            "published, 16 KB",
            "48 KB",
            "ours / published",
            "in full / prefix",
            "in full / heads and tails",
        ];
        let cells = TABLE_2.iter().flat_map(|row| {
            GENERATIONS.iter().enumerate().map(move |(column, &generations)| {
                let [small, large] = row.speed_ups[column];
                let time = |evaluation| seconds(lines, place, row, generations, evaluation);
                let full = time(0);
                let published = gain(lines, place, row, generations);
                let over = |evaluation| Some(full? / time(evaluation)?);
                let shown = |ratio: Option<f64>| ratio.map_or_else(String::new, digits);
                vec![
                    row.size(),
                    thousands(generations),
                    shown(full),
                    shown(published),
                    format!("{small:.2}"),
                    format!("{large:.2}"),
                    shown(published.map(|ours| ours / large)),
                    shown(over(1)),
                    shown(over(2)),
                ]
            })
        });
        let cells: Vec<_> = cells.filter(|row| !row[2].is_empty()).collect();
        report.table(&head, &cells);
    }
    let panels: Vec<Panel> = places.iter().map(|place| panel(lines, place)).collect();
    if !panels.is_empty() {
        let title = "Tabu search, Table 2: speed-up of prefix reuse, published dashed";
        report.chart("tabu-table-2", &Chart { title: title.to_owned(), panels });
    }
}

fn seconds(
    lines: &Lines,
    place: &Place,
    row: &Row,
    generations: u64,
    evaluation: usize,
) -> Option<f64> {
    let size = row.size();
    let variant = variant(EVALUATIONS[evaluation], generations);
    lines.find("table-2", &size, &variant, place).map(|line| line.seconds)
}

/// The paper's ratio: the time with permutations in memory over that with the prefix reused.
fn gain(lines: &Lines, place: &Place, row: &Row, generations: u64) -> Option<f64> {
    let stored = seconds(lines, place, row, generations, 3)?;
    Some(stored / seconds(lines, place, row, generations, 1)?)
}

fn panel(lines: &Lines, place: &Place) -> Panel {
    let size = |row: &Row| (row.jobs * row.machines) as f64;
    let mut series = Vec::new();
    for (colour, &generations) in GENERATIONS.iter().enumerate() {
        let ours = TABLE_2
            .iter()
            .filter_map(|row| Some((size(row), gain(lines, place, row, generations)?)));
        let published = TABLE_2.iter().map(|row| (size(row), row.speed_ups[colour][1]));
        let name = thousands(generations);
        series.push(Series {
            name: format!("{name} generations"),
            points: ours.collect(),
            colour,
            is_published: false,
        });
        series.push(Series {
            name: format!("{name}, published"),
            points: published.collect(),
            colour,
            is_published: true,
        });
    }
    Panel { title: lines.label(place), x: "jobs x machines", y: "speed-up", series }
}
