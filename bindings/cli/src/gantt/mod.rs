//! Gantt charts as SVG: rows of bars over a time axis, with marked times.
//!
//! From the top: title, subtitle, captions of the marks, rows, tick labels. Captions and tick
//! labels are on different sides of the rows, so that they can't meet. The same chart always gives
//! the same text.

mod axis;
mod layout;
mod svg;

use axis::grouped;
use layout::Layout;
use svg::{Anchor, Svg, shortened, text_width};

/// A schedule to be drawn.
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) subtitle: String,
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
}

/// The colour of a bar.
#[derive(Clone, Copy)]
pub(crate) enum Fill {
    /// Bars of the same number have the same colour.
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
/// From the middle of a capital letter to its base line, by font size.
const HALF_HEIGHT: f64 = 0.35;
const HEADER_HEIGHT: f64 = 74.0;
const CAPTION_HEIGHT: f64 = 18.0;
const FOOTER_HEIGHT: f64 = 56.0;

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
        let mut svg = Svg::new(WIDTH, layout.bottom() + FOOTER_HEIGHT, &self.title);
        self.draw_header(&mut svg);
        self.draw_rows(&layout, &mut svg);
        self.draw_axis(&layout, &mut svg);
        self.draw_bars(&layout, &mut svg);
        self.draw_ticks(&layout, &mut svg);
        self.draw_marks(&layout, &mut svg);
        self.draw_bar_labels(&layout, &mut svg);
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
            "time",
        );
    }

    fn draw_bars(&self, layout: &Layout, svg: &mut Svg) {
        for (index, row) in self.rows.iter().enumerate() {
            let (y, height) = (layout.bar_top(index), layout.bar_height());
            for bar in &row.bars {
                let (x, width) = layout.bar_extent(bar);
                let tooltip =
                    format!("{}: {} to {}", bar.label, grouped(bar.start), grouped(bar.end));
                svg.rectangle(x, y, width, height, bar.fill.colour(), Some(&tooltip));
            }
        }
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

    fn draw_bar_labels(&self, layout: &Layout, svg: &mut Svg) {
        for (index, row) in self.rows.iter().enumerate() {
            for bar in row.bars.iter().filter(|bar| !matches!(bar.fill, Fill::Quiet)) {
                let (x, width) = layout.bar_extent(bar);
                let widest = (width - 4.0) / text_width(&bar.label, 1.0);
                let size = widest.min(layout.bar_height() * 0.8).min(TEXT_SIZE);
                if size >= MIN_BAR_TEXT_SIZE {
                    let at = (x + width / 2.0, layout.row_middle(index) + size * HALF_HEIGHT);
                    svg.text(at, size, Anchor::Middle, INK, &bar.label);
                }
            }
        }
    }
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
        };
        let row = |row| Row { label: format!("row {row}"), bars: vec![bar(row)], ticks: vec![] };
        let mark = |&at: &u64| Mark { at, caption: format!("mark {at}"), dashed: false };
        Chart {
            title: "<A & \"B\">\u{7}".into(),
            subtitle: String::new(),
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
}
