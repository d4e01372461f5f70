//! The lines of a file and their numbers.

use crate::memory::{Gather, Grow};
use crate::text::Words;
use crate::{Error, Result};

/// A nonblank line.
pub(super) struct Line<'t> {
    /// The line's number, from 1.
    pub(super) number: usize,
    pub(super) text: &'t str,
}

/// The numbers of a line.
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) numbers: Vec<u64>,
}

/// The nonblank lines of a text; at least one.
pub(super) fn lines(text: &str) -> Result<Vec<Line<'_>>> {
    let lines: Vec<Line<'_>> = (1..)
        .zip(text.lines())
        .map(|(number, text)| Line { number, text: text.trim() })
        .filter(|line| !line.text.is_empty())
        .gather()?;
    if lines.is_empty() { Err(fault(1, "the file is empty")) } else { Ok(lines) }
}

pub(super) fn fault(line: usize, reason: impl Into<String>) -> Box<Error> {
    Box::new(Error::Parse { line, reason: reason.into() })
}

/// The numbers of all lines.
pub(super) fn numbers(lines: &[Line<'_>]) -> Result<Vec<Row>> {
    lines.iter().map(row).try_gather()
}

/// The numbers of a line.
pub(super) fn row(line: &Line<'_>) -> Result<Row> {
    let mut words = Words::new(line.text);
    let mut numbers = Vec::new();
    while words.clone().next().is_some() {
        let position = numbers.len() + 1;
        let number = words.number(|| format!("number {position} of the line"));
        numbers.try_push(number.map_err(|error| match *error {
            Error::Parse { reason, .. } => fault(line.number, reason),
            other => Box::new(other),
        })?)?;
    }
    Ok(Row { line: line.number, numbers })
}

/// The common length of all lines.
pub(super) fn check_widths(rows: &[Row]) -> Result<usize> {
    let width = rows.first().map_or(0, |row| row.numbers.len());
    match rows.iter().find(|row| row.numbers.len() != width) {
        None => Ok(width),
        Some(ragged) => {
            let reason =
                format!("{} numbers, where the lines before have {width}", ragged.numbers.len());
            Err(fault(ragged.line, reason))
        }
    }
}

/// A number as a time.
pub(super) fn time(row: &Row, number: u64) -> Result<u32> {
    let beyond = |_| fault(row.line, format!("the time {number} does not fit into 32 bits"));
    u32::try_from(number).map_err(beyond)
}
