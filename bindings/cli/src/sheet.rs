//! Instances in CSV files: a header with the names of the columns, then a row for each job or item.

use std::path::Path;
use std::str::FromStr;

use csv::{ReaderBuilder, StringRecord, Trim};
use makespan::{Error, Result};

use crate::failure::Failure;
use crate::labels::Labels;
use crate::names::shown_instance;

/// Characters that may separate the columns. The first of them in the header does.
const SEPARATORS: [char; 3] = [',', ';', '\t'];

/// How to read the instance.
#[derive(clap::Args)]
pub(crate) struct FormatOption {
    /// Read FILE as CSV, although its name does not end in .csv
    #[arg(long)]
    csv: bool,
}

impl FormatOption {
    pub(crate) fn is_csv(&self, file: &Path) -> bool {
        self.csv || file.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
    }
}

/// The value of an option for what CSV files lack.
pub(crate) fn lacking<T>(value: Option<T>, option: &str, file: &Path) -> Result<T, Failure> {
    value.ok_or_else(|| {
        Failure::usage(format!("{}: a CSV file needs --{option} beside it", shown_instance(file)))
    })
}

/// Refuses an option for what other files have themselves.
pub(crate) fn refuse_for_others(is_given: bool, option: &str, file: &Path) -> Result<(), Failure> {
    match is_given {
        false => Ok(()),
        true => Err(Failure::usage(format!(
            "--{option} is for CSV files; {} has its own",
            shown_instance(file)
        ))),
    }
}

/// A CSV file.
pub(crate) struct Sheet {
    header: StringRecord,
    rows: Vec<(usize, StringRecord)>,
}

impl Sheet {
    /// Reads the text of a file. A fault is an [`Error::Parse`] with its line.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let first = text.lines().next().unwrap_or_default();
        let separator = first.chars().find(|c| SEPARATORS.contains(c)).unwrap_or(',');
        let mut reader = ReaderBuilder::new()
            .delimiter(separator as u8)
            .trim(Trim::All)
            .from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| fault(text, error))?.clone();
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| fault(text, error))?;
            let line = record.position().map_or(1, |position| line(text, position));
            rows.try_reserve(1).map_err(|_| too_long(text))?;
            rows.push((line, record));
        }
        Ok(Sheet { header, rows })
    }

    /// Refuses columns of other names, and two of one name.
    pub(crate) fn check_columns(&self, known: &[&str]) -> Result<()> {
        for (column, name) in self.header.iter().enumerate() {
            if !known.contains(&name) {
                let known = known.join(", ");
                return Err(parse(1, format!("'{name}' is no column; the columns are {known}")));
            }
            if self.header.iter().take(column).any(|other| other == name) {
                return Err(parse(1, format!("there are two columns {name}")));
            }
        }
        Ok(())
    }

    /// The numbers of a column, or `None` if there is no such column.
    pub(crate) fn numbers<T: FromStr>(&self, name: &str) -> Result<Option<Vec<T>>> {
        let column = self.header.iter().position(|other| other == name);
        column.map(|column| self.numbers_at(column, parse_number)).transpose()
    }

    /// The numbers of a column that may be `inf`, for this number.
    pub(crate) fn numbers_or_inf(&self, name: &str, inf: u64) -> Result<Option<Vec<u64>>> {
        let parse = |cell: &str| if cell == "inf" { Ok(inf) } else { parse_number(cell) };
        let column = self.header.iter().position(|other| other == name);
        column.map(|column| self.numbers_at(column, parse)).transpose()
    }

    /// The numbers of a column that has to be there.
    pub(crate) fn needed<T: FromStr>(&self, name: &str) -> Result<Vec<T>> {
        self.numbers(name)?.ok_or_else(|| parse(1, format!("there is no column {name}")))
    }

    /// The numbers of a column, or `None` if there is no such column. Empty cells have this number.
    pub(crate) fn numbers_or<T: FromStr + Copy>(
        &self,
        name: &str,
        usual: T,
    ) -> Result<Option<Vec<T>>> {
        let parse = |cell: &str| if cell.is_empty() { Ok(usual) } else { parse_number(cell) };
        let column = self.header.iter().position(|other| other == name);
        column.map(|column| self.numbers_at(column, parse)).transpose()
    }

    /// The same for numbers that may be negative.
    pub(crate) fn signed_or(&self, name: &str, usual: i64) -> Result<Option<Vec<i64>>> {
        let parse = |cell: &str| match cell.strip_prefix('-') {
            _ if cell.is_empty() => Ok(usual),
            Some(digits) => parse_number(digits).map(|number: i64| -number),
            None => parse_number(cell),
        };
        let column = self.header.iter().position(|other| other == name);
        column.map(|column| self.numbers_at(column, parse)).transpose()
    }

    /// Refuses two columns of one of these names.
    pub(crate) fn check_once(&self, names: &[&str]) -> Result<()> {
        let twice = |name: &&&str| self.header.iter().filter(|other| other == *name).count() > 1;
        match names.iter().find(twice) {
            None => Ok(()),
            Some(name) => Err(parse(1, format!("there are two columns {name}"))),
        }
    }

    /// The numbers of all columns but the first and those of other names, row by row.
    pub(crate) fn matrix<T: FromStr>(&self, others: &[&str]) -> Result<Vec<T>> {
        let columns: Vec<usize> = self.columns_without(others).map(|(column, _)| column).collect();
        let cells = self.rows.iter().flat_map(|row| columns.iter().map(move |&at| (row, at)));
        cells.map(|(row, column)| self.number_at(row, column, parse_number)).collect()
    }

    /// The texts of a column; none if there is no such column.
    pub(crate) fn labels(&self, name: &str) -> Labels {
        let column = self.header.iter().position(|other| other == name);
        column.map_or_else(Labels::default, |column| self.labels_at(column))
    }

    /// The texts of a column.
    pub(crate) fn labels_at(&self, column: usize) -> Labels {
        Labels::new(self.rows.iter().map(|(_, row)| row[column].to_owned()))
    }

    /// The names of all columns but the first and those of other names.
    pub(crate) fn column_labels(&self, others: &[&str]) -> Labels {
        Labels::new(self.columns_without(others).map(|(_, name)| name.to_owned()))
    }

    /// All columns but the first and those of other names.
    fn columns_without(&self, others: &[&str]) -> impl Iterator<Item = (usize, &str)> {
        self.header.iter().enumerate().skip(1).filter(|(_, name)| !others.contains(name))
    }

    /// Number of rows below the header.
    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The library's error for a row of a list, with the line and the column that the list came
    /// from.
    pub(crate) fn locate(&self, error: Box<Error>, columns: &[(&str, &str)]) -> Box<Error> {
        let Error::InvalidArgument { argument, index: Some(index), reason } = &*error else {
            return error;
        };
        let column = columns.iter().find(|(list, _)| list == argument);
        match (column, self.rows.get(*index)) {
            (Some((_, column)), Some((line, _))) => {
                parse(*line, format!("column {column}: {reason}"))
            }
            _ => error,
        }
    }

    fn numbers_at<T>(
        &self,
        column: usize,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Vec<T>> {
        self.rows.iter().map(|row| self.number_at(row, column, &parse)).collect()
    }

    fn number_at<T>(
        &self,
        (line, row): &(usize, StringRecord),
        column: usize,
        number: impl Fn(&str) -> Result<T, String>,
    ) -> Result<T> {
        number(&row[column])
            .map_err(|reason| parse(*line, format!("column {}: {reason}", &self.header[column])))
    }
}

fn parse_number<T: FromStr>(cell: &str) -> Result<T, String> {
    let is_number = !cell.is_empty() && cell.bytes().all(|byte| byte.is_ascii_digit());
    let start: String = cell.chars().take(24).collect();
    match cell.parse() {
        Ok(number) if is_number => Ok(number),
        _ if is_number => Err(format!("{start} does not fit into {} bits", 8 * size_of::<T>())),
        _ => Err(format!("'{}' is not a whole number", start.escape_debug())),
    }
}

/// The refusal of a list as long as the text, for which there is no memory.
fn too_long(text: &str) -> Box<Error> {
    let bytes = text.len();
    Box::new(Error::OutOfMemory {
        what: "the rows of the file".into(),
        required: bytes as u128,
        limit: bytes as u64,
    })
}

/// The line of a row, after the empty lines that the reader has skipped before it.
fn line(text: &str, position: &csv::Position) -> usize {
    let rest = text.get(position.byte() as usize..).unwrap_or_default();
    let skipped = rest.chars().take_while(|c| matches!(c, '\r' | '\n')).filter(|&c| c == '\n');
    position.line() as usize + skipped.count()
}

/// A fault of the reader as an error with its line.
fn fault(text: &str, error: csv::Error) -> Box<Error> {
    let line = error.position().map_or(1, |position| line(text, position));
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            parse(line, format!("{len} columns in place of the header's {expected_len}"))
        }
        _ => parse(line, error.to_string()),
    }
}

fn parse(line: usize, reason: String) -> Box<Error> {
    Box::new(Error::Parse { line, reason })
}
