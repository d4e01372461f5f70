//! Writing SVG: shapes, text, and what XML does not allow.

use std::fmt::Write;

const FONT: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";
/// Lines in a square of 8 units, for bars that differ by more than their colours.
const HATCHES: [&str; 6] = [
    "M-2 2L2 -2M0 8L8 0M6 10L10 6",
    "M-2 6L2 10M0 0L8 8M6 -2L10 2",
    "M0 4H8",
    "M4 0V8",
    "M0 4H8M4 0V8",
    "M0 8L8 0M0 0L8 8",
];
/// Average width of a character by font size, in a wide face, since the reader's font is unknown.
const CHARACTER_WIDTH: f64 = 0.62;

/// An SVG file under construction.
pub(crate) struct Svg(String);

/// The part of a text that is placed at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    /// A white page with the rules of its style sheet.
    pub(crate) fn new(width: f64, height: f64, title: &str, style: &str) -> Self {
        let mut svg = Svg(String::new());
        svg.put(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{}" viewBox="0 0 {width} {0}" "#,
            Short(height)
        ));
        svg.put(format_args!(
            "role=\"img\" font-family=\"{FONT}\">\n<title>{}</title>\n",
            escaped(title)
        ));
        if !style.is_empty() {
            svg.put(format_args!("<style>\n{style}</style>\n"));
        }
        svg.rectangle(0.0, 0.0, width, height, "#ffffff", None);
        svg
    }

    /// Patterns that [`hatched`](Self::hatched) draws.
    pub(crate) fn define_hatches(&mut self) {
        self.put(format_args!("<defs>\n"));
        for (number, lines) in HATCHES.iter().enumerate() {
            self.put(format_args!(
                "<pattern id=\"hatch-{number}\" width=\"8\" height=\"8\" \
                 patternUnits=\"userSpaceOnUse\"><path d=\"{lines}\" stroke=\"#1f2933\" \
                 stroke-opacity=\"0.28\" stroke-width=\"1.4\" fill=\"none\"/></pattern>\n"
            ));
        }
        self.put(format_args!("</defs>\n"));
    }

    /// Lines of a pattern on a rectangle.
    pub(crate) fn hatched(&mut self, x: f64, y: f64, width: f64, height: f64, pattern: usize) {
        let (x, y, width, height) = (Short(x), Short(y), Short(width), Short(height));
        self.put(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
             fill=\"url(#hatch-{})\" pointer-events=\"none\"/>\n",
            pattern % HATCHES.len()
        ));
    }

    /// Shapes that belong together, up to [`close_group`](Self::close_group).
    pub(crate) fn open_group(&mut self, class: &str) {
        self.put(format_args!("<g class=\"{class}\">\n"));
    }

    pub(crate) fn close_group(&mut self) {
        self.put(format_args!("</g>\n"));
    }

    /// Lines from point to point.
    pub(crate) fn thread(&mut self, points: &[(f64, f64)]) {
        self.put(format_args!("<polyline class=\"thread\" points=\""));
        for (number, &(x, y)) in points.iter().enumerate() {
            let gap = if number > 0 { " " } else { "" };
            self.put(format_args!("{gap}{},{}", Short(x), Short(y)));
        }
        self.put(format_args!("\"/>\n"));
    }

    /// A circle with a tooltip.
    pub(crate) fn circle(
        &mut self,
        at: (f64, f64),
        radius: f64,
        colours: [&str; 2],
        tooltip: &str,
    ) {
        let ([fill, stroke], tooltip) = (colours, escaped(tooltip));
        self.put(format_args!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{fill}\" stroke=\"{stroke}\" \
             stroke-width=\"1.5\"><title>{tooltip}</title></circle>\n",
            Short(at.0),
            Short(at.1),
            Short(radius)
        ));
    }

    /// Half an ellipse above two points of the same height.
    pub(crate) fn arc(&mut self, from: (f64, f64), to_x: f64, rise: f64, tooltip: &str) {
        let (y, radius) = (Short(from.1), Short((to_x - from.0) / 2.0));
        self.put(format_args!(
            "<path d=\"M{} {y}A{radius} {} 0 0 1 {} {y}\" fill=\"none\" stroke=\"#52606d\" \
             stroke-width=\"1.3\"><title>{}</title></path>\n",
            Short(from.0),
            Short(rise),
            Short(to_x),
            escaped(tooltip)
        ));
    }

    pub(crate) fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }

    pub(crate) fn rectangle(
        &mut self,
        x: f64,
        y: f64,
        width: f64,
        height: f64,
        fill: &str,
        tooltip: Option<&str>,
    ) {
        let (x, y, width, height) = (Short(x), Short(y), Short(width), Short(height));
        self.put(format_args!(
            r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}""#
        ));
        match tooltip {
            Some(tooltip) => {
                self.put(format_args!("><title>{}</title></rect>\n", escaped(tooltip)))
            }
            None => self.put(format_args!("/>\n")),
        }
    }

    /// A line between two points.
    pub(crate) fn line(
        &mut self,
        from: (f64, f64),
        to: (f64, f64),
        width: f64,
        colour: &str,
        dashed: bool,
    ) {
        let (x1, y1, x2, y2) = (Short(from.0), Short(from.1), Short(to.0), Short(to.1));
        let dashes = if dashed { r#" stroke-dasharray="6 4""# } else { "" };
        self.put(format_args!(
            "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" stroke=\"{colour}\" \
             stroke-width=\"{width}\"{dashes}/>\n"
        ));
    }

    pub(crate) fn text(
        &mut self,
        at: (f64, f64),
        size: f64,
        anchor: Anchor,
        colour: &str,
        text: &str,
    ) {
        self.styled_text(at, size, anchor, colour, "", text);
    }

    pub(crate) fn bold_text(&mut self, at: (f64, f64), size: f64, colour: &str, text: &str) {
        self.styled_text(at, size, Anchor::Start, colour, r#" font-weight="bold""#, text);
    }

    /// Text in the middle of a place, upright.
    pub(crate) fn upright_text(&mut self, at: (f64, f64), size: f64, colour: &str, text: &str) {
        let turn = format!(r#" transform="rotate(-90 {} {})""#, Short(at.0), Short(at.1));
        self.styled_text(at, size, Anchor::Middle, colour, &turn, text);
    }

    fn styled_text(
        &mut self,
        at: (f64, f64),
        size: f64,
        anchor: Anchor,
        colour: &str,
        style: &str,
        text: &str,
    ) {
        let (x, y, size) = (Short(at.0), Short(at.1), Short(size));
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => r#" text-anchor="middle""#,
            Anchor::End => r#" text-anchor="end""#,
        };
        let text = escaped(text);
        self.put(format_args!(
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{colour}\"{anchor}{style}>{text}</text>\n"
        ));
    }

    fn put(&mut self, text: std::fmt::Arguments<'_>) {
        self.0.write_fmt(text).expect("a string takes all text");
    }
}

/// Estimated width of a text, rather too large than too small.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * CHARACTER_WIDTH * size
}

/// The text, cut to a width if it is wider.
pub(crate) fn shortened(text: &str, size: f64, width: f64) -> String {
    if text_width(text, size) <= width {
        return text.to_owned();
    }
    let room = (width / (CHARACTER_WIDTH * size)) as usize;
    text.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

/// Text for XML: markup is escaped, and characters that XML does not allow are replaced.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            control if control.is_control() => escaped.push(char::REPLACEMENT_CHARACTER),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A coordinate with at most two decimals, finer than any screen or printer.
struct Short(f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", (self.0 * 100.0).round() / 100.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_forbidden_characters_do_no_harm() {
        assert_eq!(escaped("a<b> & \"c\"\u{1}\n"), "a&lt;b&gt; &amp; \"c\"\u{fffd}\u{fffd}");
    }

    #[test]
    fn long_text_is_cut() {
        assert_eq!(shortened("short", 10.0, 100.0), "short");
        let cut = shortened(&"x".repeat(100), 10.0, 100.0);
        assert!(cut.ends_with('…') && text_width(&cut, 10.0) <= 100.0);
    }

    #[test]
    fn coordinates_are_short() {
        let shown = |number| Short(number).to_string();
        assert_eq!([1.0, 1.0 / 3.0, 19.999].map(shown), ["1", "0.33", "20"]);
    }
}
