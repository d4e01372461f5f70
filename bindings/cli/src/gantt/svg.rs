//! Writing SVG: shapes, text, and what XML does not allow.

use std::fmt::Write;

const FONT: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";
/// Average width of a character by font size, in a wide face, since the reader's font is unknown.
const CHARACTER_WIDTH: f64 = 0.62;

/// An SVG file under construction.
pub(super) struct Svg(String);

/// The part of a text that is placed at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    /// A white page.
    pub(super) fn new(width: f64, height: f64, title: &str) -> Self {
        let mut svg = Svg(String::new());
        svg.put(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{}" viewBox="0 0 {width} {0}" "#,
            Short(height)
        ));
        svg.put(format_args!(
            "role=\"img\" font-family=\"{FONT}\">\n<title>{}</title>\n",
            escaped(title)
        ));
        svg.rectangle(0.0, 0.0, width, height, "#ffffff", None);
        svg
    }

    pub(super) fn finish(mut self) -> String {
        self.0.push_str("</svg>\n");
        self.0
    }

    pub(super) fn rectangle(
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

    /// A vertical or horizontal line between two points.
    pub(super) fn line(
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

    pub(super) fn text(
        &mut self,
        at: (f64, f64),
        size: f64,
        anchor: Anchor,
        colour: &str,
        text: &str,
    ) {
        self.styled_text(at, size, anchor, colour, "", text);
    }

    pub(super) fn bold_text(&mut self, at: (f64, f64), size: f64, colour: &str, text: &str) {
        self.styled_text(at, size, Anchor::Start, colour, r#" font-weight="bold""#, text);
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
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * CHARACTER_WIDTH * size
}

/// The text, cut to a width if it is wider.
pub(super) fn shortened(text: &str, size: f64, width: f64) -> String {
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
