//! New rows of a device in a text with other rows.

use super::super::recipe::KernelFamily;
use super::rows::{Row, Rows, header};

/// The text with these rows in place of the values that it has for the same names and devices. All
/// its other lines stay as they are. A blank text has no rows.
///
/// # Errors
/// The fault of a text that can't be read.
pub(crate) fn merged(
    text: &str,
    families: &[&'static KernelFamily],
    rows: &Rows,
) -> Result<String, String> {
    let empty = header();
    let text = if text.trim().is_empty() { &*empty } else { text };
    Rows::parse(text, families)?;
    let mut lines = Vec::new();
    for line in text.lines() {
        // The first line of the format is no row either.
        let Ok(Some(row)) = Row::of_line(line, families) else {
            lines.push(line.to_owned());
            continue;
        };
        let mut left = row.clone();
        rows.iter().for_each(|new| left.give_way_to(new));
        if left == row {
            lines.push(line.to_owned());
        } else if !left.is_empty() {
            lines.push(left.to_string());
        }
    }
    lines.extend(rows.iter().map(Row::to_string));
    Ok(lines.join("\n") + "\n")
}
