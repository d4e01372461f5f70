//! Gantt charts as SVG: rows of bars over an axis, such as that of time, with marked times.
//!
//! The bars of a job are a group: while the pointer is on one of them, a viewer that knows style
//! sheets shows only these.
//!
//! From the top: title, subtitle, captions of the marks, rows, tick labels. Captions and tick
//! labels are on different sides of the rows, so that they can't meet. The same chart always gives
//! the same text.

mod axis;
mod layout;

use std::collections::BTreeMap;

use axis::grouped;
use layout::Layout;

use crate::svg::{Anchor, Svg, shortened, text_width};

/// A schedule to be drawn, or another solution of rows with bars.
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) subtitle: String,
    /// Name of the axis, with its unit.
    pub(crate) across: String,
    /// What a row is.
    pub(crate) down: &'static str,
    /// Rows from the top, such as machines.
    pub(crate) rows: Vec<Row>,
    pub(crate) marks: Vec<Mark>,
}

pub(crate) struct Row {
    pub(crate) label: String,
    pub(crate) bars: Vec<Bar>,
    /// Times that matter in this row.
    pub(crate) ticks: Vec<Tick>,
}

/// A stretch of time, such as a job on a machine.
pub(crate) struct Bar {
    /// Shown in the bar if there is room, and as a tooltip anyway.
    pub(crate) label: String,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) fill: Fill,
    /// Bars of the same number are shown together.
    pub(crate) group: Option<usize>,
}

/// The axis of time in a unit, if it is known.
pub(crate) fn time_axis(unit: Option<&str>) -> String {
    unit.map_or("time".into(), |unit| format!("time ({unit})"))
}

/// The colour of a bar.
#[derive(Clone, Copy)]
pub(crate) enum Fill {
    /// Bars of the same number have the same colour and hatching.
    Colour(usize),
    /// Red, for what is late.
    Alarm,
    /// Grey and without a label, for what is no work.
    Quiet,
}

impl Fill {
    fn colour(self) -> &'static str {
        match self {
            Fill::Colour(number) => FILLS[number % FILLS.len()],
            Fill::Alarm => ALARM,
            Fill::Quiet => QUIET,
        }
    }

    /// The pattern of lines on the colour, of which there are fewer than jobs.
    fn hatch(self) -> Option<usize> {
        match self {
            Fill::Colour(number) => (number / FILLS.len() % HATCHINGS).checked_sub(1),
            Fill::Alarm | Fill::Quiet => None,
        }
    }
}

/// A time that matters in one row, drawn as a short line.
pub(crate) struct Tick {
    /// Shown as a tooltip.
    pub(crate) label: String,
    pub(crate) at: u64,
}

/// A time that matters, drawn as a line across all rows.
pub(crate) struct Mark {
    pub(crate) at: u64,
    pub(crate) caption: String,
    pub(crate) dashed: bool,
}

impl Mark {
    /// The end of a schedule and the proved bound on it.
    pub(crate) fn of_makespan(makespan: Option<i64>, bound: Option<i64>) -> Vec<Mark> {
        let mark = |at: Option<i64>, caption: &str, dashed| {
            at.and_then(|at| at.try_into().ok()).map(|at| Mark {
                at,
                caption: format!("{caption} {}", grouped(at)),
                dashed,
            })
        };
        if makespan == bound {
            return Vec::from_iter(mark(makespan, "makespan = lower bound", false));
        }
        let end = mark(makespan, "makespan", false);
        mark(bound, "lower bound", true).into_iter().chain(end).collect()
    }
}

const WIDTH: f64 = 1200.0;
const MARGIN: f64 = 24.0;
const TITLE_SIZE: f64 = 20.0;
const TEXT_SIZE: f64 = 12.0;
/// Labels in bars may shrink to this before they are left out.
const MIN_BAR_TEXT_SIZE: f64 = 7.0;
/// Narrower bars have no hatching, which would be noise.
const MIN_HATCHED_WIDTH: f64 = 6.0;
/// Bars without hatching, and those with each pattern.
const HATCHINGS: usize = 7;
/// From the middle of a capital letter to its base line, by font size.
const HALF_HEIGHT: f64 = 0.35;
const HEADER_HEIGHT: f64 = 74.0;
const CAPTION_HEIGHT: f64 = 18.0;
const FOOTER_HEIGHT: f64 = 56.0;

/// Shows a group and hides the others while the pointer is on one of its bars.
const STYLE: &str = "\
text, .thread { pointer-events: none }
.thread { visibility: hidden; fill: none; stroke: #1f2933; stroke-width: 1.5; stroke-dasharray: 3 2 }
.groups:hover .group { opacity: 0.2 }
.groups:hover .group:hover { opacity: 1 }
.group:hover > rect { stroke: #1f2933; stroke-width: 1 }
.group:hover > .thread { visibility: visible }
";
const INK: &str = "#1f2933";
const FAINT_INK: &str = "#52606d";
const GRID: &str = "#d9dee4";
const BAND: &str = "#f4f6f8";
/// Of bars for what is late, readable with dark text.
const ALARM: &str = "#ff6b5e";
/// Of bars for what is no work.
const QUIET: &str = "#9aa5b1";
const TICK_WIDTH: f64 = 2.0;
const DASHED_INK: &str = "#b3261e";
/// Paul Tol's "light" scheme: distinguishable with any colour vision, and dark text is readable on
/// all of them.
const FILLS: [&str; 8] =
    ["#77aadd", "#ee8866", "#eedd88", "#44bb99", "#ffaabb", "#99ddff", "#bbcc33", "#aaaa00"];

impl Chart {
    /// The chart as a complete SVG file.
    pub(crate) fn to_svg(&self) -> String {
        let layout = Layout::new(self);
        let mut svg = Svg::new(WIDTH, layout.bottom() + FOOTER_HEIGHT, &self.title, STYLE);
        svg.define_hatches();
        self.draw_header(&mut svg);
        self.draw_rows(&layout, &mut svg);
        self.draw_axis(&layout, &mut svg);
        self.draw_bars(&layout, &mut svg);
        self.draw_ticks(&layout, &mut svg);
        self.draw_marks(&layout, &mut svg);
        svg.finish()
    }

    /// The time the chart ends: that of the last bar or mark.
    fn end(&self) -> u64 {
        let bars = self.rows.iter().flat_map(|row| &row.bars).map(|bar| bar.end);
        bars.chain(self.marks.iter().map(|mark| mark.at)).max().unwrap_or(0)
    }

    fn draw_header(&self, svg: &mut Svg) {
        let room = WIDTH - 2.0 * MARGIN;
        let title = shortened(&self.title, TITLE_SIZE, room);
        svg.bold_text((MARGIN, 36.0), TITLE_SIZE, INK, &title);
        let subtitle = shortened(&self.subtitle, TEXT_SIZE, room);
        svg.text((MARGIN, 57.0), TEXT_SIZE, Anchor::Start, FAINT_INK, &subtitle);
    }

    fn draw_rows(&self, layout: &Layout, svg: &mut Svg) {
        let (left, right) = (layout.axis.left, layout.axis.right);
        if layout.is_comfortable() {
            for row in (0..self.rows.len()).step_by(2) {
                svg.rectangle(
                    left,
                    layout.row_top(row),
                    right - left,
                    layout.row_height,
                    BAND,
                    None,
                );
            }
        }
        for row in (0..self.rows.len()).step_by(layout.row_label_step()) {
            let at = (left - 8.0, layout.row_middle(row) + TEXT_SIZE * HALF_HEIGHT);
            let label = shortened(&self.rows[row].label, TEXT_SIZE, layout.row_label_width);
            svg.text(at, TEXT_SIZE, Anchor::End, INK, &label);
        }
    }

    fn draw_axis(&self, layout: &Layout, svg: &mut Svg) {
        let (left, right, bottom) = (layout.axis.left, layout.axis.right, layout.bottom());
        for tick in layout.axis.ticks() {
            let x = layout.axis.x(tick);
            svg.line((x, layout.top), (x, bottom + 5.0), 1.0, GRID, false);
            svg.text((x, bottom + 19.0), TEXT_SIZE, Anchor::Middle, FAINT_INK, &grouped(tick));
        }
        svg.line((left, bottom), (right, bottom), 1.0, FAINT_INK, false);
        svg.text(
            ((left + right) / 2.0, bottom + 38.0),
            TEXT_SIZE,
            Anchor::Middle,
            FAINT_INK,
            &self.across,
        );
        let corner = (left - 8.0, bottom + 19.0);
        svg.text(corner, TEXT_SIZE, Anchor::End, FAINT_INK, self.down);
    }

    fn draw_bars(&self, layout: &Layout, svg: &mut Svg) {
        let mut groups: BTreeMap<Option<usize>, Vec<(usize, &Bar)>> = BTreeMap::new();
        for (index, row) in self.rows.iter().enumerate() {
            for bar in &row.bars {
                groups.entry(bar.group).or_default().push((index, bar));
            }
        }
        svg.open_group("groups");
        for bars in groups.values() {
            svg.open_group("group");
            // Below the bars, so that it strikes no label out.
            let work = bars.iter().filter(|(_, bar)| !matches!(bar.fill, Fill::Quiet));
            let points: Vec<_> = work.flat_map(|&(row, bar)| ends(layout, row, bar)).collect();
            if bars[0].1.group.is_some() && points.len() > 2 {
                svg.thread(&points);
            }
            for &(row, bar) in bars {
                draw_bar(layout, svg, row, bar);
            }
            svg.close_group();
        }
        svg.close_group();
    }

    fn draw_ticks(&self, layout: &Layout, svg: &mut Svg) {
        for (index, row) in self.rows.iter().enumerate() {
            let (y, height) = (layout.row_top(index), layout.row_height);
            for tick in &row.ticks {
                let x = layout.axis.x(tick.at) - TICK_WIDTH / 2.0;
                svg.rectangle(x, y, TICK_WIDTH, height, INK, Some(&tick.label));
            }
        }
    }

    /// Captions stand before their lines, one below the other from the latest mark to the earliest,
    /// so that neither another caption nor another line runs through one.
    fn draw_marks(&self, layout: &Layout, svg: &mut Svg) {
        let mut marks: Vec<&Mark> = self.marks.iter().collect();
        marks.sort_by_key(|mark| std::cmp::Reverse(mark.at));
        for (mark, lane) in marks.into_iter().zip(1..) {
            let colour = if mark.dashed { DASHED_INK } else { INK };
            let x = layout.axis.x(mark.at);
            let base_line = HEADER_HEIGHT + CAPTION_HEIGHT * f64::from(lane) - 5.0;
            // The halo keeps the line visible on bars.
            svg.line((x, layout.top), (x, layout.bottom()), 3.2, "#ffffff", false);
            svg.line((x, base_line - TEXT_SIZE), (x, layout.bottom()), 1.6, colour, mark.dashed);
            let (x, anchor) = layout.caption_place(x, &mark.caption);
            svg.text((x, base_line), TEXT_SIZE, anchor, colour, &mark.caption);
        }
    }
}

fn draw_bar(layout: &Layout, svg: &mut Svg, row: usize, bar: &Bar) {
    let (y, height) = (layout.bar_top(row), layout.bar_height());
    let (x, width) = layout.bar_extent(bar);
    let tooltip = format!("{}: {} to {}", bar.label, grouped(bar.start), grouped(bar.end));
    svg.rectangle(x, y, width, height, bar.fill.colour(), Some(&tooltip));
    let has_room = layout.is_comfortable() && width >= MIN_HATCHED_WIDTH;
    if let Some(hatch) = bar.fill.hatch().filter(|_| has_room) {
        svg.hatched(x, y, width, height, hatch);
    }
    if !matches!(bar.fill, Fill::Quiet) {
        label_bar(svg, (x + width / 2.0, layout.row_middle(row)), (width, height), &bar.label);
    }
}

/// The label along the bar, or upright if only this has room.
fn label_bar(svg: &mut Svg, middle: (f64, f64), (width, height): (f64, f64), label: &str) {
    let length = text_width(label, 1.0);
    let along = ((width - 4.0) / length).min(height * 0.8).min(TEXT_SIZE);
    let upright = ((height - 2.0) / length).min(width * 0.9).min(TEXT_SIZE);
    let (x, y) = middle;
    if along >= MIN_BAR_TEXT_SIZE {
        svg.text((x, y + along * HALF_HEIGHT), along, Anchor::Middle, INK, label);
    } else if upright >= MIN_BAR_TEXT_SIZE {
        svg.upright_text((x + upright * HALF_HEIGHT, y), upright, INK, label);
    }
}

/// The middles of a bar's left and right edges.
fn ends(layout: &Layout, row: usize, bar: &Bar) -> [(f64, f64); 2] {
    let ((x, width), y) = (layout.bar_extent(bar), layout.row_middle(row));
    [(x, y), (x + width, y)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(rows: usize, marks: &[u64]) -> Chart {
        let bar = |row: usize| Bar {
            label: format!("J{row}"),
            start: 0,
            end: 90,
            fill: Fill::Colour(row),
            group: Some(row),
        };
        let row = |row| Row { label: format!("row {row}"), bars: vec![bar(row)], ticks: vec![] };
        let mark = |&at: &u64| Mark { at, caption: format!("mark {at}"), dashed: false };
        Chart {
            title: "<A & \"B\">\u{7}".into(),
            subtitle: String::new(),
            across: "time".into(),
            down: "row",
            rows: (0..rows).map(row).collect(),
            marks: marks.iter().map(mark).collect(),
        }
    }

    /// Position and text of the text elements.
    fn texts(chart: &Chart) -> Vec<(f64, f64, String)> {
        let svg = chart.to_svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let texts = document.descendants().filter(|node| node.has_tag_name("text"));
        let number =
            |node: roxmltree::Node<'_, '_>, name| node.attribute(name).unwrap().parse().unwrap();
        texts
            .map(|node| (number(node, "x"), number(node, "y"), node.text().unwrap_or("").into()))
            .collect()
    }

    #[test]
    fn text_survives_xml() {
        assert_eq!(texts(&chart(1, &[]))[0].2, "<A & \"B\">\u{fffd}");
    }

    #[test]
    fn captions_of_close_marks_stand_below_each_other() {
        let texts = texts(&chart(3, &[98, 100, 99]));
        let captions: Vec<_> = texts.iter().filter(|text| text.2.starts_with("mark")).collect();
        let order: Vec<&str> = captions.iter().map(|caption| caption.2.as_str()).collect();
        assert_eq!(order, ["mark 100", "mark 99", "mark 98"]);
        assert!(captions.windows(2).all(|pair| pair[1].1 - pair[0].1 >= TEXT_SIZE));
    }

    #[test]
    fn row_labels_are_thinned_out_before_they_meet() {
        for rows in [1, 30, 61, 100, 450, 3000] {
            let texts = texts(&chart(rows, &[100]));
            let labels: Vec<_> = texts.iter().filter(|text| text.2.starts_with("row")).collect();
            assert!(labels.windows(2).all(|pair| pair[1].1 - pair[0].1 >= TEXT_SIZE), "{rows}");
        }
    }

    #[test]
    fn tick_labels_do_not_meet() {
        for end in [1, 7, 999, 12_345, 1 << 40, u64::MAX] {
            let texts = texts(&chart(0, &[end]));
            let ticks: Vec<_> =
                texts.iter().filter(|text| text.2.starts_with(char::is_numeric)).collect();
            let apart = |pair: &[&(f64, f64, String)]| {
                let room =
                    (text_width(&pair[0].2, TEXT_SIZE) + text_width(&pair[1].2, TEXT_SIZE)) / 2.0;
                pair[1].0 - pair[0].0 > room
            };
            assert!(ticks.windows(2).all(apart), "{end}: {ticks:?}");
        }
    }

    #[test]
    fn fifty_jobs_differ_by_colour_or_hatching() {
        let looks: std::collections::BTreeSet<_> =
            (0..56).map(|job| (Fill::Colour(job).colour(), Fill::Colour(job).hatch())).collect();
        assert_eq!(looks.len(), 56);
        assert_eq!(Fill::Colour(56).hatch(), None);
        assert!(Fill::Colour(55).hatch().is_some_and(|hatch| hatch + 1 < HATCHINGS));
    }

    #[test]
    fn narrow_bars_have_upright_labels() {
        let bar = |job: u64| Bar {
            label: format!("J{}", job + 10),
            start: job * 20,
            end: job * 20 + 20,
            fill: Fill::Colour(job as usize),
            group: Some(job as usize),
        };
        let row = |row| Row {
            label: format!("row {row}"),
            bars: (0..60).map(bar).collect(),
            ticks: vec![],
        };
        let chart = Chart { rows: (0..10).map(row).collect(), ..chart(0, &[]) };
        let svg = chart.to_svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let is_upright = |node: &roxmltree::Node<'_, '_>| {
            node.attribute("transform").is_some_and(|turn| turn.starts_with("rotate(-90 "))
        };
        let upright = document.descendants().filter(is_upright).count();
        assert_eq!(upright, 600);
        let groups = document.descendants().filter(|node| node.attribute("class") == Some("group"));
        let rows_of = |group: roxmltree::Node<'_, '_>| {
            group.descendants().filter(|node| node.has_tag_name("title")).count()
        };
        let of_groups: Vec<usize> = groups.map(rows_of).collect();
        assert_eq!(of_groups, [10; 60]);
    }
}
