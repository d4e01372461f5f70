//! Tables and numbers for people.

/// A number with a separator between groups of three digits.
pub(crate) fn grouped_by(separator: &str, number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(separator)
}

/// Puts the cells of a column below each other.
pub(crate) fn align(rows: &[impl AsRef<[String]>]) -> String {
    let mut widths: Vec<usize> = Vec::new();
    for row in rows {
        widths.resize(widths.len().max(row.as_ref().len()), 0);
        for (width, cell) in widths.iter_mut().zip(row.as_ref()) {
            *width = cell.chars().count().max(*width);
        }
    }
    let mut text = String::new();
    for row in rows {
        let cells = row.as_ref().iter().zip(&widths);
        let cells: Vec<String> = cells.map(|(cell, &width)| format!("{cell:<width$}")).collect();
        text += cells.join("  ").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_stand_below_each_other() {
        let rows = [["a", "bb"], ["ccc", "d"]].map(|row| row.map(str::to_owned));
        assert_eq!(align(&rows), "a    bb\nccc  d\n");
    }

    #[test]
    fn digits_stand_in_groups() {
        let numbers = [7, 999, 1_000, 16_384_000].map(|number| grouped_by(",", number));
        assert_eq!(numbers, ["7", "999", "1,000", "16,384,000"]);
    }
}
