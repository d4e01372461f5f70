//! The chapter's tables, with our numbers and the printed ones.

use super::published::{POOLS, SCENARIOS, SIZES, Scenario, Size, TABLES, Table};
use super::{ON_DEVICE, SEQUENTIAL, names, variant};
use crate::chart::{Chart, Panel, Series};
use crate::recorded::{Lines, Place, Recorded};
use crate::report::{Report, digits, thousands};

const MACHINES: u64 = 20;

/// A table of the bound: its name, its elements and how often a bound of n' free jobs reads them,
/// as formulas; its elements for n jobs; the bytes of one.
struct Structure {
    name: &'static str,
    size: &'static str,
    accesses: &'static str,
    elements: fn(u64) -> u64,
    bytes: u64,
}

const PAIRS: u64 = MACHINES * (MACHINES - 1) / 2;

const STRUCTURES: [Structure; 6] = [
    Structure {
        name: "PTM",
        size: "n m",
        accesses: "n' m (m - 1)",
        elements: |jobs| jobs * MACHINES,
        bytes: 1,
    },
    Structure {
        name: "LM",
        size: "n m (m - 1) / 2",
        accesses: "n' m (m - 1) / 2",
        elements: |jobs| jobs * PAIRS,
        bytes: 2,
    },
    Structure {
        name: "JM",
        size: "n m (m - 1) / 2",
        accesses: "n m (m - 1) / 2",
        elements: |jobs| jobs * PAIRS,
        bytes: 1,
    },
    Structure { name: "RM", size: "m", accesses: "m (m - 1)", elements: |_| MACHINES, bytes: 2 },
    Structure {
        name: "QM",
        size: "m",
        accesses: "m (m - 1) / 2",
        elements: |_| MACHINES,
        bytes: 2,
    },
    Structure {
        name: "MM",
        size: "m (m - 1)",
        accesses: "m (m - 1)",
        elements: |_| 2 * PAIRS,
        bytes: 2,
    },
];

pub(super) fn accesses(report: &mut Report) {
    report.heading("Table 1: sizes and accesses of the six tables");
    report.paragraph("n jobs, of which n' are free, on m machines; by the chapter's text.");
    let rows = STRUCTURES.map(|structure| {
        [structure.name, structure.size, structure.accesses].map(str::to_owned).to_vec()
    });
    report.table(&["table", "elements", "accesses for a bound"], &rows);
}

pub(super) fn bytes(report: &mut Report) {
    report.heading("Table 2: bytes of the six tables");
    report.paragraph(
        "By the formulas of Table 1 for 20 machines, with the chapter's types: PTM and JM have one \
         byte, the others two. The printed numbers could not be copied.",
    );
    let rows = SIZES.map(|size| {
        let bytes = |structure: &Structure| (structure.elements)(size.jobs) * structure.bytes;
        let mut row = vec![size.name.to_owned()];
        row.extend(STRUCTURES.iter().map(|structure| thousands(bytes(structure))));
        row
    });
    let mut head = vec!["jobs x machines"];
    head.extend(STRUCTURES.map(|structure| structure.name));
    report.table(&head, &rows);
}

/// The line of a list on one core of the same machine, if it is the same list.
fn one_core<'a>(lines: &'a Lines, line: &Recorded) -> Option<&'a Recorded> {
    let core = lines.find(SEQUENTIAL, &line.instance, "list", &line.place().core())?;
    Some(core).filter(|core| core.count("nodes") == line.count("nodes"))
}

/// The mean speed-up over the instances of a size, and their number.
fn speed_up(
    lines: &Lines,
    (class, variant): (&str, &str),
    size: &Size,
    place: &Place,
) -> Option<(f64, usize)> {
    let found = names(size).filter_map(|name| {
        let line = lines.find(class, &name, variant, place)?;
        Some(one_core(lines, line)?.seconds / line.seconds)
    });
    let found: Vec<f64> = found.collect();
    let count = found.len();
    (count > 0).then(|| (found.iter().sum::<f64>() / count as f64, count))
}

pub(super) fn sequential(lines: &Lines, report: &mut Report) {
    report.heading("Table 3: times of the lists on one core");
    report.paragraph(
        "Sums over the lists, and mean speed-ups over one core. LB2 over all pairs of machines, \
         branching at the front, the best known makespan as limit. Every engine decomposes the \
         same number of nodes. The paper's lists take much longer: one core of a Xeon E5520 bounds \
         each child with a walk, which this library does for all children of a node at once \
         (12 to 84 times faster). So speed-ups here divide by a faster core.",
    );
    let mut rows = Vec::new();
    for core in lines.places(SEQUENTIAL).into_iter().filter(Place::is_one_core) {
        for size in &SIZES {
            let lists = names(size)
                .filter_map(|name| lines.find(SEQUENTIAL, &name, "list", &core))
                .collect::<Vec<_>>();
            if lists.is_empty() {
                continue;
            }
            let nodes = lists.iter().filter_map(|line| line.count("nodes")).sum();
            let seconds = lists.iter().map(|line| line.seconds).sum::<f64>();
            let gains = |class, variant| {
                let places = lines.places(class).into_iter();
                let others = places.filter(|place| place.core() == core && *place != core);
                let shown = others.filter_map(|place| {
                    let (gain, _) = speed_up(lines, (class, variant), size, &place)?;
                    Some(format!("{} {}", lines.label(&place), digits(gain)))
                });
                shown.collect::<Vec<_>>().join("; ")
            };
            rows.push(vec![
                size.name.to_owned(),
                lists.len().to_string(),
                thousands(nodes),
                size.minutes.to_string(),
                lines.label(&core),
                digits(seconds),
                gains(SEQUENTIAL, "list"),
                gains(ON_DEVICE, ON_DEVICE),
            ]);
        }
    }
    let head = [
        "jobs x machines",
        "lists",
        "nodes",
        "published, minutes a list",
        "here",
        "seconds",
        "speed-up of all cores",
        "of the whole tree on the device",
    ];
    report.table(&head, &rows);
}

/// The pools of a scenario's lines, in order.
fn pools(lines: &Lines, scenario: &Scenario, place: &Place) -> Vec<usize> {
    let suffix = |line: &Recorded| {
        let (name, pool) = line.variant().rsplit_once(", pools of ")?;
        pool.parse().ok().filter(|_| name == scenario.name)
    };
    let of_place = lines.of(scenario.item).filter(|line| line.place() == *place);
    let mut pools: Vec<usize> = of_place.filter_map(suffix).collect();
    pools.sort_unstable();
    pools.dedup();
    pools
}

pub(super) fn speed_ups(lines: &Lines, table: &Table, report: &mut Report) {
    report.heading(table.title);
    report.paragraph("Mean speed-ups over one core, by the nodes of a pool.");
    let scenarios = || SCENARIOS.iter().filter(|scenario| scenario.item == table.item);
    let mut head = vec!["jobs x machines".to_owned(), "".to_owned(), "lists".to_owned()];
    let places = lines.places(table.item);
    let mut columns = POOLS.to_vec();
    for (scenario, place) in scenarios().flat_map(|one| places.iter().map(move |p| (one, p))) {
        columns.extend(pools(lines, scenario, place));
    }
    columns.sort_unstable();
    columns.dedup();
    head.extend(columns.iter().map(|&pool| thousands(pool as u64)));
    let mut rows = Vec::new();
    for size in &SIZES {
        for scenario in scenarios() {
            let printed = scenario.printed.iter().find(|(name, _)| *name == size.name);
            let printed = |pool: usize| {
                let column = POOLS.iter().position(|&known| known == pool)?;
                printed.and_then(|(_, row)| row[column])
            };
            if columns.iter().any(|&pool| printed(pool).is_some()) {
                rows.push(row(size, "published, Tesla C2050", "10", &columns, |pool| {
                    printed(pool).map(as_printed)
                }));
            }
            for place in &places {
                let found = |pool: usize| {
                    let variant = variant(scenario, pool);
                    speed_up(lines, (table.item, &variant), size, place)
                };
                let Some(lists) = columns.iter().find_map(|&pool| found(pool)) else { continue };
                let label = format!("{}, {}", lines.label(place), scenario.name);
                let lists = lists.1.to_string();
                rows.push(row(size, &label, &lists, &columns, |pool| {
                    found(pool).map(|(gain, _)| digits(gain))
                }));
                let ratio = |pool| Some(digits(found(pool)?.0 / printed(pool)?));
                if columns.iter().any(|&pool| ratio(pool).is_some()) {
                    rows.push(row(size, "ours / published", "", &columns, ratio));
                }
            }
        }
    }
    report.table(&head, &rows);
    if places.is_empty() {
        report.paragraph("Pools are for devices, and no device has been measured.");
    }
}

/// With two decimals, or with all that are printed.
fn as_printed(value: f64) -> String {
    let short = format!("{value:.2}");
    if short.parse() == Ok(value) { short } else { value.to_string() }
}

fn row(
    size: &Size,
    label: &str,
    lists: &str,
    pools: &[usize],
    cell: impl Fn(usize) -> Option<String>,
) -> Vec<String> {
    let mut row = vec![size.name.to_owned(), label.to_owned(), lists.to_owned()];
    row.extend(pools.iter().map(|&pool| cell(pool).unwrap_or_default()));
    row
}

/// The curves of all tables of speed-ups: a chart of the printed ones, and one for each device.
pub(super) fn charts(lines: &Lines, report: &mut Report) {
    report.heading("The speed-ups as curves");
    let mut places: Vec<Place> = Vec::new();
    for place in TABLES.iter().flat_map(|table| lines.places(table.item)) {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    for (number, place) in places.iter().map(Some).chain([None]).enumerate() {
        let panels = TABLES.iter().filter_map(|table| panel(lines, table, place));
        let (title, name) = match place {
            Some(place) => (
                format!("Branch and bound, {}; published dashed", lines.label(place)),
                format!("branch-and-bound-{}", number + 1),
            ),
            None => (
                "Branch and bound, as published, Tesla C2050".to_owned(),
                "branch-and-bound-published".to_owned(),
            ),
        };
        report.chart(&name, &Chart { title, panels: panels.collect() });
    }
}

/// The curves of a table by size, with the published ones dashed.
fn panel(lines: &Lines, table: &Table, place: Option<&Place>) -> Option<Panel> {
    let scenario = SCENARIOS.iter().find(|scenario| scenario.item == table.item)?;
    let mut series = Vec::new();
    for (colour, size) in SIZES.iter().enumerate() {
        let ours = place.into_iter().flat_map(|place| {
            let found = move |pool: usize| {
                let variant = variant(scenario, pool);
                let (gain, _) = speed_up(lines, (table.item, &variant), size, place)?;
                Some((pool as f64, gain))
            };
            pools(lines, scenario, place).into_iter().filter_map(found)
        });
        let name = size.name.to_owned();
        series.push(Series { name, points: ours.collect(), colour, is_published: false });
        let printed = scenario.printed.iter().find(|(name, _)| *name == size.name);
        let printed = printed.into_iter().flat_map(|(_, row)| {
            let points = POOLS.iter().zip(row);
            points.filter_map(|(&pool, value)| Some((pool as f64, (*value)?)))
        });
        let name = format!("{}, published", size.name);
        series.push(Series { name, points: printed.collect(), colour, is_published: true });
    }
    // A point is no curve.
    series.retain(|series| series.points.len() > usize::from(series.is_published));
    let title = table.title.to_owned();
    (!series.is_empty()).then_some(Panel { title, x: "nodes of a pool", y: "speed-up", series })
}
