//! Charts of curves as SVG, in the style of the book's other charts.
//!
//! Criterion's plotters has no titles for screen readers and no classes, so its charts would not
//! look like the others.

use std::fmt::Write as _;

const WIDTH: f64 = 760.0;
/// Of a panel: left of the axis, right of it, below it, and the height of the plot itself.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 18.0;
const BELOW: f64 = 46.0;
const PLOT: f64 = 190.0;
const LEGEND_ROW: f64 = 17.0;
const COLOURS: [&str; 10] = [
    "#0969da", "#1a7f37", "#9a6700", "#cf222e", "#8250df", "#1b7c83", "#bf3989", "#57606a",
    "#bc4c00", "#0a3069",
];

/// Panels next to and below each other.
pub(crate) struct Chart {
    pub(crate) title: String,
    pub(crate) panels: Vec<Panel>,
}

pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    pub(crate) series: Vec<Series>,
}

/// A curve. Its colour is that of its number, so that a published curve can have that of ours.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) colour: usize,
    pub(crate) is_published: bool,
}

impl Chart {
    pub(crate) fn svg(&self) -> String {
        let columns = if self.panels.len() == 1 { 1 } else { 2 };
        let width = WIDTH / columns as f64;
        let rows: Vec<&[Panel]> = self.panels.chunks(columns).collect();
        let heights = rows.iter().map(|row| {
            let legends = row.iter().map(|panel| panel.legend(width).1).max().unwrap_or(0);
            26.0 + LEGEND_ROW * legends as f64 + PLOT + BELOW
        });
        let heights: Vec<f64> = heights.collect();
        let height = 40.0 + heights.iter().sum::<f64>();
        let mut svg = Svg::new(&self.title, height);
        let mut top = 40.0;
        for (row, height) in rows.iter().zip(&heights) {
            for (column, panel) in row.iter().enumerate() {
                panel.draw(&mut svg, column as f64 * width, top, width, *height);
            }
            top += height;
        }
        svg.text.push_str("</svg>\n");
        svg.text
    }
}

impl Panel {
    /// Where the entries of the legend are, from its corner, and the number of its rows.
    fn legend(&self, width: f64) -> (Vec<(f64, usize)>, usize) {
        let (mut places, mut x, mut row) = (Vec::new(), 0.0, 0);
        for series in &self.series {
            let wide = 34.0 + 6.4 * series.name.chars().count() as f64;
            if x > 0.0 && x + wide > width - LEFT - RIGHT {
                (x, row) = (0.0, row + 1);
            }
            places.push((x, row));
            x += wide;
        }
        (places, row + 1)
    }

    fn draw(&self, svg: &mut Svg, left: f64, top: f64, width: f64, height: f64) {
        let all = || self.series.iter().flat_map(|series| &series.points);
        let from = left + LEFT;
        let bottom = top + height - BELOW;
        let x = Scale::new(all().map(|point| point.0), 8.0, true, from, left + width - RIGHT);
        let y = Scale::new(all().map(|point| point.1), 20.0, false, bottom, bottom - PLOT);
        svg.write(from, top + 12.0, "start", "t", &self.title);
        let (places, _) = self.legend(width);
        for (series, (x, row)) in self.series.iter().zip(places) {
            let (x, y) = (from + x, top + 28.0 + row as f64 * LEGEND_ROW);
            svg.line(&[(x, y), (x + 20.0, y)], series);
            svg.write(x + 25.0, y + 4.0, "start", "s", &series.name);
        }
        for tick in &y.ticks {
            let at = y.place(*tick);
            svg.grid((from, at), (left + width - RIGHT, at));
            svg.write(from - 6.0, at + 4.0, "end", "s", &short(*tick));
        }
        for tick in &x.ticks {
            let at = x.place(*tick);
            svg.grid((at, bottom - PLOT), (at, bottom));
            svg.write(at, bottom + 15.0, "middle", "s", &short(*tick));
        }
        let scale = if y.is_logarithmic { ", log scale" } else { "" };
        let middle = (from + left + width - RIGHT) / 2.0;
        svg.write(middle, bottom + 33.0, "middle", "a", self.x);
        svg.upwards(left + 13.0, bottom - PLOT / 2.0, &format!("{}{scale}", self.y));
        for series in &self.series {
            let place = |&(at, value): &(f64, f64)| (x.place(at), y.place(value));
            let points: Vec<_> = series.points.iter().map(place).collect();
            svg.line(&points, series);
            if !series.is_published {
                svg.dots(&points, series);
            }
        }
    }
}

/// From values to places.
struct Scale {
    is_logarithmic: bool,
    least: f64,
    most: f64,
    begin: f64,
    end: f64,
    ticks: Vec<f64>,
}

impl Scale {
    /// A logarithmic one if the values spread over more than that factor. A tick for each value if
    /// asked for, and if there are few.
    fn new(
        values: impl Iterator<Item = f64>,
        spread: f64,
        at_values: bool,
        begin: f64,
        end: f64,
    ) -> Self {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let (mut least, mut most) = match (values.first(), values.last()) {
            (Some(&least), Some(&most)) => (least, most),
            _ => (0.0, 1.0),
        };
        let is_logarithmic = least > 0.0 && most / least > spread;
        let ticks = if at_values && values.len() <= 8 {
            (least, most) = if least < most { (least, most) } else { (0.0, 2.0 * most) };
            values
        } else if is_logarithmic {
            let powers = least.log10().floor() as i32..=most.log10().ceil() as i32;
            powers.map(|power| 10f64.powi(power)).collect()
        } else {
            let power = 10f64.powf(most.log10().floor());
            let steps = [0.1, 0.2, 0.5, 1.0, 2.0].map(|part| part * power);
            let step = steps.into_iter().find(|step| most / step <= 6.0).unwrap_or(power);
            (0..=(most / step).ceil() as u32).map(|count| f64::from(count) * step).collect()
        };
        let ends = (ticks.first().copied(), ticks.last().copied());
        let (least, most) = (ends.0.unwrap_or(least).min(least), ends.1.unwrap_or(most).max(most));
        Scale { is_logarithmic, least, most, begin, end, ticks }
    }

    fn place(&self, value: f64) -> f64 {
        let part = if self.is_logarithmic {
            (value / self.least).ln() / (self.most / self.least).ln()
        } else {
            (value - self.least) / (self.most - self.least)
        };
        self.begin + part * (self.end - self.begin)
    }
}

struct Svg {
    text: String,
}

impl Svg {
    fn new(title: &str, height: f64) -> Self {
        let title = escaped(title);
        let text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
             width=\"{WIDTH}\" height=\"{height:.0}\" role=\"img\">\n<title>{title}</title>\n<style>\n \
             .n{{fill:none;stroke:#d0d7de;stroke-width:1}}\n \
             .l{{fill:none;stroke-width:1.6}}\n \
             .p{{stroke-dasharray:5 4}}\n \
             text{{font-family:sans-serif;font-size:12px;fill:#1f2328}}\n \
             .h{{font-size:14px;font-weight:bold}}\n \
             .t{{font-weight:bold}}\n \
             .s{{font-size:11px;fill:#424a53}}\n\
             </style>\n\
             <rect width=\"{WIDTH}\" height=\"{height:.0}\" fill=\"#ffffff\"/>\n"
        );
        let mut svg = Svg { text };
        svg.write(20.0, 24.0, "start", "h", &title);
        svg
    }

    fn add(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{element}");
    }

    fn write(&mut self, x: f64, y: f64, anchor: &str, class: &str, words: &str) {
        let words = escaped(words);
        self.add(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{words}</text>"
        ));
    }

    fn upwards(&mut self, x: f64, y: f64, words: &str) {
        let words = escaped(words);
        self.add(format_args!(
            "<text transform=\"translate({x:.1},{y:.1}) rotate(-90)\" text-anchor=\"middle\">{words}</text>"
        ));
    }

    fn grid(&mut self, from: (f64, f64), to: (f64, f64)) {
        let ((x, y), (to_x, to_y)) = (from, to);
        self.add(format_args!("<path d=\"M{x:.1},{y:.1} L{to_x:.1},{to_y:.1}\" class=\"n\"/>"));
    }

    fn line(&mut self, points: &[(f64, f64)], series: &Series) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let class = if series.is_published { "l p" } else { "l" };
        let (points, colour) = (points.join(" "), COLOURS[series.colour % COLOURS.len()]);
        self.add(format_args!(
            "<polyline points=\"{points}\" class=\"{class}\" stroke=\"{colour}\"/>"
        ));
    }

    fn dots(&mut self, points: &[(f64, f64)], series: &Series) {
        let colour = COLOURS[series.colour % COLOURS.len()];
        for (x, y) in points {
            self.add(format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.4\" fill=\"{colour}\"/>"
            ));
        }
    }
}

fn escaped(words: &str) -> String {
    words.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// For ticks: large numbers with letters.
fn short(value: f64) -> String {
    let (value, unit) = match value.abs() {
        large if large >= 1e4 && large % 1024.0 == 0.0 => (value / 1024.0, " Ki"),
        large if large >= 1e6 => (value / 1e6, "M"),
        large if large >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let rounded = (value * 1000.0).round() / 1000.0;
    let is_tiny = value != 0.0 && rounded == 0.0;
    if is_tiny { format!("{value:e}") } else { format!("{rounded}{unit}") }
}
