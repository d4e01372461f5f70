//! The usual file formats; see [`Instance::parse`].

use std::path::Path;

use super::Instance;
use crate::memory::{Gather, Grow};
use crate::text::{self, Words};
use crate::{Error, Result, memory};

/// A nonblank line.
struct Line<'t> {
    /// The line's number, from 1.
    number: usize,
    text: &'t str,
}

/// The numbers of a line.
struct Row {
    line: usize,
    numbers: Vec<u64>,
}

impl Instance {
    /// Reads an instance in one of these formats:
    ///
    /// - Taillard's: captions, the sizes between them, and a line for each machine with a time for
    ///   each job;
    /// - that of Vallada, Ruiz and Framinan: `jobs machines`; then a line for each machine with a
    ///   time for each job, or a line for each job with a time for each machine, or a line for each
    ///   job with a machine number from 0 and a time for each machine;
    /// - a plain matrix: a line for each job with a time for each machine.
    ///
    /// Two cases are ambiguous. With as many jobs as machines, the lines after the sizes are
    /// machines. A matrix whose first line may be its sizes is read as sizes and times.
    ///
    /// # Errors
    /// [`Error::Parse`] with the faulty line, and errors of [`Instance::new`].
    pub fn parse(text: &str) -> Result<Self> {
        Ok(Instance::parse_with_doubt(text)?.0)
    }

    /// Reads an instance from a file; see [`Instance::parse`].
    ///
    /// # Errors
    /// [`Error::Io`], and errors of [`Instance::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Instance::parse(&text::read(path.as_ref())?)
    }

    /// Like [`Instance::parse`], and returns whether the text is ambiguous: it was read as sizes and
    /// times, but might be a matrix for two machines, such as `1 2`, `3 4`.
    ///
    /// # Errors
    /// Errors of [`Instance::parse`].
    pub fn parse_with_doubt(text: &str) -> Result<(Self, bool)> {
        parse_with_doubt(text)
    }
}

/// The instance, and whether the text is ambiguous: it was read as sizes and times, but might be a
/// matrix for two machines.
fn parse_with_doubt(text: &str) -> Result<(Instance, bool)> {
    let lines: Vec<Line<'_>> = (1..)
        .zip(text.lines())
        .map(|(number, text)| Line { number, text: text.trim() })
        .filter(|line| !line.text.is_empty())
        .gather()?;
    let Some(first) = lines.first() else { return Err(fault(1, "the file is empty")) };
    if is_caption(first) {
        return Ok((captioned(&lines)?, false));
    }
    let rows = numbers(&lines)?;
    if !begins_with_sizes(&rows) {
        return Ok((matrix(&rows)?, false));
    }
    let reads_two_ways = rows.iter().all(|row| row.numbers.len() == 2);
    Ok((after_sizes(&rows[0], &rows[1..])?, reads_two_ways))
}

fn fault(line: usize, reason: impl Into<String>) -> Box<Error> {
    Box::new(Error::Parse { line, reason: reason.into() })
}

fn is_caption(line: &Line<'_>) -> bool {
    line.text.starts_with(char::is_alphabetic)
}

/// Taillard's format.
fn captioned(lines: &[Line<'_>]) -> Result<Instance> {
    let [_, sizes, second, times @ ..] = lines else {
        let last = lines.last().map_or(1, |line| line.number);
        return Err(fault(last, "the file ends where the sizes or the times are expected"));
    };
    if !is_caption(second) {
        return Err(fault(second.number, "'processing times :' is expected"));
    }
    if let Some(more) = times.iter().find(|line| is_caption(line)) {
        return Err(fault(more.number, "a file with one instance is expected"));
    }
    after_sizes(&row(sizes)?, &numbers(times)?)
}

fn numbers(lines: &[Line<'_>]) -> Result<Vec<Row>> {
    lines.iter().map(row).try_gather()
}

fn row(line: &Line<'_>) -> Result<Row> {
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

/// Whether the first line contains the sizes. In a matrix for two machines it does only if the
/// other lines agree with these sizes.
fn begins_with_sizes(rows: &[Row]) -> bool {
    let [first, rest @ ..] = rows else { return false };
    let [jobs, machines] = first.numbers[..] else { return false };
    let lines = rest.len() as u64;
    let announced =
        (lines == machines && jobs == 2) || (lines == jobs && (machines == 2 || machines == 1));
    announced || rest.is_empty() || rest.iter().any(|row| row.numbers.len() != 2)
}

/// Reads the times after a line that begins with the sizes.
fn after_sizes(sizes: &Row, rows: &[Row]) -> Result<Instance> {
    let [jobs, machines, ..] = sizes.numbers[..] else {
        return Err(fault(sizes.line, "the numbers of jobs and of machines are expected"));
    };
    if jobs == 0 || machines == 0 {
        return Err(fault(sizes.line, "there must be at least 1 job and 1 machine"));
    }
    let lines = rows.len() as u64;
    let width = rows.first().map_or(0, |row| row.numbers.len() as u64);
    if lines == machines && width == jobs {
        transposed(rows)
    } else if lines == jobs && width == machines {
        matrix(rows)
    } else if lines == jobs && machines.checked_mul(2) == Some(width) {
        pairs(rows)
    } else if lines == jobs || lines == machines {
        let expected = if lines == jobs { machines } else { jobs };
        Err(fault(rows[0].line, format!("{width} numbers, where {expected} times are expected")))
    } else {
        let last = rows.last().unwrap_or(sizes).line;
        let expected = format!("{machines} (machines) or {jobs} (jobs) are expected");
        Err(fault(last, format!("{lines} lines of times, where {expected}")))
    }
}

/// Reads a line for each job, with a time for each machine.
fn matrix(rows: &[Row]) -> Result<Instance> {
    let machines = check_widths(rows)?;
    let mut times = memory::list(rows.len() * machines)?;
    for row in rows {
        for &number in &row.numbers {
            times.push(time(row, number)?);
        }
    }
    Instance::new(rows.len(), machines, times)
}

/// Reads a line for each machine, with a time for each job.
fn transposed(rows: &[Row]) -> Result<Instance> {
    let jobs = check_widths(rows)?;
    let mut times = memory::list(jobs * rows.len())?;
    for job in 0..jobs {
        for row in rows {
            times.push(time(row, row.numbers[job])?);
        }
    }
    Instance::new(jobs, rows.len(), times)
}

/// Reads a line for each job, with a machine number and a time for each machine.
fn pairs(rows: &[Row]) -> Result<Instance> {
    let machines = check_widths(rows)? / 2;
    let mut times = memory::list(rows.len() * machines)?;
    for row in rows {
        let mut of_job = memory::filled(None, machines)?;
        for pair in row.numbers.chunks_exact(2) {
            let place = usize::try_from(pair[0]).ok().and_then(|machine| of_job.get_mut(machine));
            let place =
                place.ok_or_else(|| fault(row.line, format!("there is no machine {}", pair[0])))?;
            if place.replace(time(row, pair[1])?).is_some() {
                return Err(fault(row.line, format!("machine {} stands there twice", pair[0])));
            }
        }
        // There are as many pairs as machines and no machine occurs twice, so each occurs once.
        times.extend(of_job.into_iter().flatten());
    }
    Instance::new(rows.len(), machines, times)
}

/// The common length of all lines.
fn check_widths(rows: &[Row]) -> Result<usize> {
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

fn time(row: &Row, number: u64) -> Result<u32> {
    let beyond = |_| fault(row.line, format!("the time {number} does not fit into 32 bits"));
    u32::try_from(number).map_err(beyond)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_two_ways_is_told() {
        for text in ["1 2\n3 4\n", "2 1\n3 4", "2 2\n3 4\n5 6", "\n2 2\n\n3 4\n5 6\n"] {
            assert!(parse_with_doubt(text).unwrap().1, "{text:?}");
        }
        // A matrix of three jobs; one of three machines; one job; and captions.
        let captions = "jobs machines\n2 2\nprocessing times\n1 2\n3 4";
        for text in ["9 2\n3 4\n5 6", "1 3\n3 4 5", "3 1\n3 4 5", captions] {
            assert!(!parse_with_doubt(text).unwrap().1, "{text:?}");
        }
        // A single job is no instance, and neither are captions without data or an empty text.
        for text in ["3 4", "a b\nc d", ""] {
            assert!(parse_with_doubt(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn reads_all_formats() {
        let expected = Instance::new(3, 2, vec![7, 1, 5, 2, 3, 9]).unwrap();
        for text in [
            "number of jobs, number of machines, initial seed, upper bound and lower bound :\n\
             3 2 873654221 20 17\nprocessing times :\n 7 5 3\n 1 2 9\n",
            "3 2\n7 5 3\n1 2 9\n",
            "3 2\n\n7 1\n5 2\n3 9",
            "3 2\n0 7 1 1\n1 2 0 5\n0 3 1 9",
            "7 1\n5 2\n3 9",
        ] {
            assert_eq!(Instance::parse(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn one_column_and_one_row() {
        assert_eq!(Instance::parse("4\n5").unwrap(), Instance::new(2, 1, vec![4, 5]).unwrap());
        assert_eq!(Instance::parse("4 5 6").unwrap(), Instance::new(1, 3, vec![4, 5, 6]).unwrap());
        assert_eq!(
            Instance::parse("1 3\n4\n5\n6").unwrap(),
            Instance::new(1, 3, vec![4, 5, 6]).unwrap()
        );
        assert_eq!(
            Instance::parse("3 1\n4\n5\n6").unwrap(),
            Instance::new(3, 1, vec![4, 5, 6]).unwrap()
        );
    }

    #[test]
    fn each_fault_is_named() {
        for (text, message) in [
            ("", "line 1: the file is empty"),
            ("\n \n", "line 1: the file is empty"),
            ("1 2 3\n4 5\n", "line 2: 2 numbers, where the lines before have 3"),
            ("3 2\n7 5 3\n1 2\n", "line 3: 2 numbers, where the lines before have 3"),
            (
                "3 2\n7 5 3\n",
                "line 2: 1 lines of times, where 2 (machines) or 3 (jobs) are expected",
            ),
            ("4 2\n7 5 3\n1 2 9", "line 2: 3 numbers, where 4 times are expected"),
            ("4 2", "line 1: 0 lines of times, where 2 (machines) or 4 (jobs) are expected"),
            ("0 2\n1 2 3", "line 1: there must be at least 1 job and 1 machine"),
            ("1 2 3\n4 -5 6", "line 2: number 2 of the line: -5 is negative"),
            ("1 2 3\n4 x 6", "line 2: number 2 of the line: 'x' is not a whole number"),
            ("1 2 3\n4 4294967296 6", "line 2: the time 4294967296 does not fit into 32 bits"),
            ("3 2\n0 7 1 1\n1 2 1 5\n0 3 1 9", "line 3: machine 1 stands there twice"),
            ("3 2\n0 7 1 1\n1 2 2 5\n0 3 1 9", "line 3: there is no machine 2"),
            (
                "number of jobs\n3 2",
                "line 2: the file ends where the sizes or the times are expected",
            ),
            ("number of jobs\n3 2\n1 2 3\n4", "line 3: 'processing times :' is expected"),
            (
                "number of jobs\n3\ntimes :\n1 2 3",
                "line 2: the numbers of jobs and of machines are expected",
            ),
            (
                "jobs\n1 1\ntimes\n5\njobs\n1 1\ntimes\n5",
                "line 5: a file with one instance is expected",
            ),
        ] {
            assert_eq!(Instance::parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
    }
}
