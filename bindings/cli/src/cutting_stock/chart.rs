//! The patterns as a chart: a row for each pattern, with its items along the stock length.

use std::collections::BTreeMap;

use super::PrintedPacking;
use crate::gantt::{Bar, Chart, Fill, Row};

/// With more items in the patterns, equal items of a pattern share a bar.
const MOST_BARS: u64 = 20_000;

pub(super) fn chart(title: String, subtitle: String, packing: &PrintedPacking) -> Chart {
    let all = packing.patterns.iter().flat_map(|pattern| &pattern.items);
    let bars: u64 = all.clone().map(|item| u64::from(item.count)).sum();
    // Colours in the order of the types, so that few types need no hatching.
    let types: BTreeMap<u32, usize> = all.map(|item| (item.item, 0)).collect();
    let types = types.into_keys().zip(0..).collect();
    let drawing = Drawing { packing, types, is_single: bars <= MOST_BARS };
    let rows = (0..packing.patterns.len()).map(|number| drawing.row(number)).collect();
    Chart { title, subtitle, across: "length".into(), down: "pieces", rows, marks: Vec::new() }
}

struct Drawing<'a> {
    packing: &'a PrintedPacking,
    /// Colours of the types.
    types: BTreeMap<u32, usize>,
    /// Whether each item has a bar.
    is_single: bool,
}

impl Drawing<'_> {
    fn row(&self, number: usize) -> Row {
        let pattern = &self.packing.patterns[number];
        let (mut bars, mut start) = (Vec::new(), 0);
        for item in &pattern.items {
            let name = item.name.clone().unwrap_or_else(|| format!("item {}", item.item));
            let (count, label) = match self.is_single {
                true => (1, name),
                false => (item.count, format!("{} × {name}", item.count)),
            };
            let (length, kind) = (item.length * u64::from(count), self.types[&item.item]);
            for _ in 0..item.count / count {
                let (end, fill, label) = (start + length, Fill::Colour(kind), label.clone());
                bars.push(Bar { label, start, end, fill, group: Some(kind) });
                start = end;
            }
        }
        if pattern.waste > 0 {
            let (label, end) = ("waste".into(), start + pattern.waste);
            bars.push(Bar { label, start, end, fill: Fill::Quiet, group: None });
        }
        Row { label: format!("{} ×", pattern.count), bars, ticks: Vec::new() }
    }
}
