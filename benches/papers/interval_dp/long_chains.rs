//! Chains for which Eq. 2 gives each cell of the first phases a work-item.
//!
//! It does so in phases with more than k warps of cells for each unit: 16,896 cells on an H200 with k
//! = 4. The three plain loops would take an hour or more for such chains, so the table has seconds.

use makespan::interval_dp::{Kind, Mapping, MappingOptions, Method};

use super::{Measured, render};
use crate::common::Result;
use crate::common::engines::NamedEngine;
use crate::common::instances::interval;
use crate::common::log::Log;
use crate::recorded::Lines;
use crate::report::{Report, digits, thousands};

pub(super) const NAME: &str = "long-chains";
const MATRICES: [usize; 3] = [8192, 16_384, 20_000];
/// Values of the paper's small integer k.
const KS: [usize; 3] = [1, 2, 4];

fn adaptive(k: usize) -> String {
    format!("adaptive, k = {k}")
}

/// The columns: a name, the method and its parameters.
fn columns() -> Vec<(String, Method, MappingOptions)> {
    let of = |mapping, k| (Method::Mapping(mapping), MappingOptions { k, ..Default::default() });
    let conventional = [("2", Mapping::GroupPerCell), ("4", Mapping::ItemPerCell)];
    let conventional = conventional.map(|(name, mapping)| (name.to_owned(), of(mapping, 4)));
    let adaptive = KS.map(|k| (adaptive(k), of(Mapping::Adaptive, k)));
    let tiles = ("tiles".to_owned(), (Method::Cubic, MappingOptions::default()));
    let all = conventional.into_iter().chain(adaptive).chain([tiles]);
    all.map(|(name, (method, mapping))| (name, method, mapping)).collect()
}

/// Measures chains of `matrices`; without any, those of the book.
pub(super) fn measure(log: &Log, engine: &NamedEngine, matrices: &[usize]) -> Result<()> {
    let sizes = if matrices.is_empty() { &MATRICES } else { matrices };
    for &matrices in sizes {
        let chain = interval(Kind::MatrixChain, matrices + 1, 1);
        let measured = Measured { log, engine, chain: &chain };
        for (name, method, mapping) in columns() {
            measured.solve(NAME, &name, method, mapping)?;
        }
    }
    Ok(())
}

pub(super) fn render(lines: &Lines, report: &mut Report) {
    report.heading("Long chains: where Eq. 2 maps cells to work-items one to one");
    report.paragraph(
        "Seconds. The adaptive mapping gives each cell a work-item in phases with more than 32 k cells \
         for each unit: on 132 units, more than 4,224 cells with k = 1, 8,448 with k = 2 and 16,896 \
         with k = 4. Columns 2 and 4 are approaches 2 and 4 with groups of 64.",
    );
    let columns = columns();
    let mut head = vec!["place".to_owned(), "matrices".to_owned()];
    head.extend(columns.iter().map(|(name, ..)| name.clone()));
    let mut rows = Vec::new();
    for place in lines.places(NAME) {
        for matrices in render::sizes(lines, NAME, &place) {
            let seconds = |name: &str| {
                let line = lines.find(NAME, &matrices.to_string(), name, &place);
                line.map_or_else(String::new, |line| digits(line.seconds))
            };
            let mut row = vec![lines.label(&place), thousands(matrices as u64)];
            row.extend(columns.iter().map(|(name, ..)| seconds(name)));
            rows.push(row);
        }
    }
    report.table(&head, &rows);
}
