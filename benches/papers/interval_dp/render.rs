//! Speed-ups over the three loops, by chain and mapping.

use super::{Curves, SWEEPS, Sweep, YARDSTICK};
use crate::chart::{Chart, Panel, Series};
use crate::recorded::{Lines, Place, unique};
use crate::report::{Report, digits, thousands};

const NO_DEVICE: &str = "The mappings run on devices only, and no device has been measured.";

/// The matrices of a class's chains, in ascending order.
pub(super) fn sizes(lines: &Lines, class: &str, place: &Place) -> Vec<usize> {
    let of_place = lines.of(class).filter(|line| line.place() == *place);
    let mut sizes = unique(of_place.filter_map(|line| line.instance.parse().ok()));
    sizes.sort_unstable();
    sizes
}

/// Those that the yardstick has too.
fn chains(lines: &Lines, class: &str, place: &Place) -> Vec<usize> {
    let mut sizes = sizes(lines, class, place);
    sizes.retain(|&matrices| yardstick(lines, matrices, place).is_some());
    sizes
}

/// Seconds of the three loops on one core of the same machine.
fn yardstick(lines: &Lines, matrices: usize, place: &Place) -> Option<f64> {
    let line = lines.find("figure-8", &matrices.to_string(), YARDSTICK, &place.core())?;
    Some(line.seconds)
}

fn speed_up(
    lines: &Lines,
    (class, variant): (&str, &str),
    matrices: usize,
    place: &Place,
) -> Option<f64> {
    let line = lines.find(class, &matrices.to_string(), variant, place)?;
    Some(yardstick(lines, matrices, place)? / line.seconds)
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(String::new, digits)
}

/// A curve of speed-ups by chain.
fn curve(lines: &Lines, of: (&str, &str), place: &Place, name: String, colour: usize) -> Series {
    let points = chains(lines, of.0, place)
        .into_iter()
        .filter_map(|matrices| Some((matrices as f64, speed_up(lines, of, matrices, place)?)));
    Series { name, points: points.collect(), colour, is_published: false }
}

pub(super) fn sweep(lines: &Lines, sweep: &Sweep, report: &mut Report) {
    let number = sweep.figure.trim_start_matches("figure-");
    let approach = match number {
        "3" => "1, by block size",
        "4" => "2, by block size",
        "5" => "3 with 32 threads or blocks",
        "6" => "3 with 64 threads or blocks",
        _ => "4, by block size",
    };
    report.heading(&format!("Figure {number}: approach {approach}"));
    report.paragraph("Speed-ups over three plain loops on one core. The paper prints no numbers.");
    let mut places = lines.places(sweep.figure);
    places.retain(|place| !chains(lines, sweep.figure, place).is_empty());
    if places.is_empty() {
        report.paragraph(NO_DEVICE);
        return;
    }
    let mut panels = Vec::new();
    for place in &places {
        for curves in sweep.curves {
            let ways = curves.ways();
            let label = lines.label(place);
            report.paragraph(&format!("**{label}**"));
            let mut head = vec!["matrices".to_owned(), "three loops, s".to_owned()];
            head.extend(ways.iter().map(|(name, _)| name.clone()));
            let rows = chains(lines, sweep.figure, place).into_iter().map(|matrices| {
                let mut row =
                    vec![thousands(matrices as u64), shown(yardstick(lines, matrices, place))];
                row.extend(ways.iter().map(|(name, _)| {
                    shown(speed_up(lines, (sweep.figure, name), matrices, place))
                }));
                row
            });
            report.table(&head, &rows.collect::<Vec<_>>());
            let series = ways.iter().enumerate().map(|(colour, (name, _))| {
                curve(lines, (sweep.figure, name), place, name.clone(), colour)
            });
            let kind = match curves {
                Curves::Sizes => String::new(),
                Curves::GroupsOf(size) => format!(", groups of {size}"),
                Curves::SizesOf(groups) => format!(", {groups} groups"),
            };
            panels.push(panel(format!("{label}{kind}"), series.collect()));
        }
    }
    let title = format!("Interval programs, Figure {number}: approach {approach}");
    report.chart(&format!("interval-dp-{}", sweep.figure), &Chart { title, panels });
}

fn panel(title: String, series: Vec<Series>) -> Panel {
    Panel { title, x: "matrices", y: "speed-up over one core", series }
}

/// The best speed-up of a sweep at a chain.
fn best(lines: &Lines, sweep: &Sweep, matrices: usize, place: &Place) -> Option<f64> {
    let ways = sweep.curves.iter().flat_map(Curves::ways);
    let all = ways.filter_map(|(name, _)| speed_up(lines, (sweep.figure, &name), matrices, place));
    all.max_by(f64::total_cmp)
}

/// Approach 3 has two figures.
fn best_of_approach(lines: &Lines, approach: usize, matrices: usize, place: &Place) -> Option<f64> {
    let sweeps = match approach {
        1 => &SWEEPS[..1],
        2 => &SWEEPS[1..2],
        3 => &SWEEPS[2..4],
        _ => &SWEEPS[4..],
    };
    let all = sweeps.iter().filter_map(|sweep| best(lines, sweep, matrices, place));
    all.max_by(f64::total_cmp)
}

pub(super) fn figure_8(lines: &Lines, report: &mut Report) {
    report.heading("Figure 8: the best of each approach, and the adaptive mapping");
    report.paragraph(
        "Speed-ups over three plain loops on one core. Of the figure, the text prints one number: \
         the adaptive mapping is more than 30 times as fast for its largest chain, and the best \
         earlier result, of Wu et al., was 13.40 times. Columns 1 to 4 have the best group size and \
         number of groups of each approach. *Tiles* is `--method cubic`; by default, chains are \
         solved by Hu and Shing's algorithm.",
    );
    let mut panels = Vec::new();
    let mut rows = Vec::new();
    for place in lines.places("figure-8") {
        let sizes = chains(lines, "figure-8", &place);
        let label = lines.label(&place);
        for &matrices in &sizes {
            let approach = |number| best_of_approach(lines, number, matrices, &place);
            let of = |variant| speed_up(lines, ("figure-8", variant), matrices, &place);
            let mut row = vec![
                label.clone(),
                thousands(matrices as u64),
                shown(yardstick(lines, matrices, &place)),
            ];
            row.extend([1, 2, 3, 4].map(|number| shown(approach(number))));
            row.extend(["gmm", "tiles"].map(|variant| shown(of(variant))));
            rows.push(row);
        }
        let conventional = [1, 2, 3, 4].map(|number| {
            let points = sizes.iter().filter_map(|&matrices| {
                let value = best_of_approach(lines, number, matrices, &place)?;
                Some((matrices as f64, value))
            });
            let name = format!("approach {number}");
            Series { name, points: points.collect(), colour: number - 1, is_published: false }
        });
        let mut series: Vec<Series> = conventional.into();
        series.push(curve(lines, ("figure-8", "gmm"), &place, "adaptive".to_owned(), 4));
        series.push(curve(lines, ("figure-8", "tiles"), &place, "tiles".to_owned(), 5));
        series.retain(|series| !series.points.is_empty());
        if !series.is_empty() {
            panels.push(panel(label, series));
        }
    }
    let head = ["place", "matrices", "three loops, s", "1", "2", "3", "4", "adaptive", "tiles"];
    report.table(&head, &rows);
    if !panels.is_empty() {
        let title = "Interval programs, Figure 8: speed-ups of the approaches, and of tiles";
        report.chart("interval-dp-figure-8", &Chart { title: title.to_owned(), panels });
    }
}
