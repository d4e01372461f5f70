//! Solutions as tables: in CSV files, and their first rows in the summary.

use csv::Writer;
use serde::Serialize;

use crate::columns::align;
use crate::failure::Failure;
use crate::names::on_one_line;

/// Rows of the summary.
const SHOWN: usize = 10;

/// A stage of an objective with its value.
#[derive(Serialize)]
pub(crate) struct StageValue {
    pub(crate) name: String,
    pub(crate) value: i64,
}

/// A solution that has rows.
pub(crate) trait Table {
    /// The names of the columns.
    fn columns(&self) -> Vec<&'static str>;

    /// As many cells as columns in each row.
    fn rows(&self) -> Box<dyn Iterator<Item = Vec<String>> + '_>;

    /// The values of the stages of an objective, unless it is the usual one of the problem.
    fn objectives(&self) -> &[StageValue] {
        &[]
    }
}

/// The whole table as CSV. A solve without a solution passes `None`.
pub(crate) fn to_csv(table: Option<&dyn Table>) -> Result<String, Failure> {
    let mut writer = Writer::from_writer(Vec::new());
    let failed =
        |error: String| Failure::other(format!("the result can't be put into CSV: {error}"));
    if let Some(table) = table {
        writer.write_record(table.columns()).map_err(|error| failed(error.to_string()))?;
        for row in table.rows() {
            writer.write_record(row).map_err(|error| failed(error.to_string()))?;
        }
    }
    let bytes = writer.into_inner().map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| failed(error.to_string()))
}

/// The first rows for people, and how many more there are.
pub(crate) fn head(table: &dyn Table) -> String {
    let mut rows = table.rows();
    let shown = |cells: Vec<String>| cells.iter().map(|cell| on_one_line(cell)).collect();
    let header = table.columns().into_iter().map(str::to_owned).collect();
    let mut first: Vec<Vec<String>> = vec![header];
    first.extend(rows.by_ref().take(SHOWN).map(shown));
    if first.len() == 1 {
        return String::new();
    }
    let mut text: String = align(&first).lines().map(|line| format!("  {line}\n")).collect();
    let more = rows.count();
    if more > 0 {
        text += &format!("  and {more} more; --output FILE.csv writes all\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Squares(u64);

    impl Table for Squares {
        fn columns(&self) -> Vec<&'static str> {
            vec!["number", "its \"square\""]
        }

        fn rows(&self) -> Box<dyn Iterator<Item = Vec<String>> + '_> {
            Box::new((0..self.0).map(|n| vec![format!("n, {n}"), (n * n).to_string()]))
        }
    }

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let text = to_csv(Some(&Squares(2))).unwrap();
        assert_eq!(text, "number,\"its \"\"square\"\"\"\n\"n, 0\",0\n\"n, 1\",1\n");
        assert_eq!(to_csv(None).unwrap(), "");
    }

    #[test]
    fn the_summary_has_ten_rows() {
        assert_eq!(head(&Squares(0)), "");
        assert_eq!(head(&Squares(1)), "  number  its \"square\"\n  n, 0    0\n");
        let text = head(&Squares(12));
        assert_eq!(text.lines().count(), 12);
        assert!(text.ends_with("  n, 9    81\n  and 2 more; --output FILE.csv writes all\n"));
    }
}
