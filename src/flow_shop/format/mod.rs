//! The usual file formats; see [`Instance::parse`].

mod due_dates;
mod headed;
mod rows;
mod setups;
mod times;

use std::path::Path;

use self::headed::Headed;
use self::rows::{Line, Row, fault, lines, numbers};
use super::Instance;
use crate::enumeration::enumeration;
use crate::text;
use crate::{Error, Result};

enumeration! {
    /// A file format; see [`Instance::parse`].
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Format {
        /// The first of the formats that fits.
        #[default]
        Auto: "auto", "The first format that fits";
        /// Captions, and a line of times for each machine.
        Taillard: "taillard", "Taillard's: captions, and a line of times for each machine";
        /// The sizes, then a line of times for each machine or for each job.
        Vrf: "vrf", "Vallada, Ruiz and Framinan's: the sizes, then lines of times";
        /// A line of times for each job, and nothing else.
        Matrix: "matrix", "A line of times for each job";
        /// The sizes, a line of times for each job, and a matrix of set-ups for each machine.
        Setups: "setups", "The sizes, a line of times for each job, a matrix of set-ups for each machine";
        /// The sizes, the due dates, and a line of times for each job.
        DueDates: "due-dates", "The sizes, the due dates, a line of times for each job";
    }
}

impl Instance {
    /// Reads an instance in one of these formats:
    ///
    /// - Taillard's: captions, the sizes between them, and a line for each machine with a time for
    ///   each job;
    /// - that of Vallada, Ruiz and Framinan: `jobs machines`; then a line for each machine with a
    ///   time for each job, or a line for each job with a time for each machine, or a line for each
    ///   job with a machine number from 0 and a time for each machine;
    /// - a plain matrix: a line for each job with a time for each machine;
    /// - with set-ups: `jobs` and `machines` on one line or on two; a line for each job with a time
    ///   for each machine; then for each machine a line for each job with the set-ups after it for
    ///   each job;
    /// - with due dates: `jobs` and `machines` on one line or on two; the due dates on one line or
    ///   more; a line for each job with a time for each machine. The objective is the total
    ///   tardiness.
    ///
    /// Two cases are ambiguous. With as many jobs as machines, the lines after the sizes are
    /// machines. A matrix whose first line may be its sizes is read as sizes and times. Files that
    /// fit one of the first three formats are never read in one of the last two.
    ///
    /// # Errors
    /// [`Error::Parse`] with the faulty line, and errors of [`Instance::new`].
    pub fn parse(text: &str) -> Result<Self> {
        Instance::parse_as(text, Format::Auto)
    }

    /// Reads an instance in this format.
    ///
    /// # Errors
    /// Errors of [`Instance::parse`].
    pub fn parse_as(text: &str, format: Format) -> Result<Self> {
        let lines = lines(text)?;
        match format {
            Format::Auto => Ok(with_doubt(&lines)?.0),
            Format::Taillard if times::is_caption(&lines[0]) => times::captioned(&lines),
            Format::Taillard => Err(fault(lines[0].number, "captions are expected")),
            Format::Vrf => {
                let rows = numbers(&lines)?;
                times::after_sizes(&rows[0], &rows[1..])
            }
            Format::Matrix => times::matrix(&numbers(&lines)?),
            Format::Setups => setups::read(&Headed::new(&numbers(&lines)?)?),
            Format::DueDates => due_dates::read(&Headed::new(&numbers(&lines)?)?),
        }
    }

    /// Reads an instance from a file; see [`Instance::parse`].
    ///
    /// # Errors
    /// [`Error::Io`], and errors of [`Instance::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Instance::read_as(path, Format::Auto)
    }

    /// Reads an instance from a file in this format.
    ///
    /// # Errors
    /// [`Error::Io`], and errors of [`Instance::parse`].
    pub fn read_as(path: impl AsRef<Path>, format: Format) -> Result<Self> {
        Instance::parse_as(&text::read(path.as_ref())?, format)
    }

    /// Like [`Instance::parse`], and returns whether the text is ambiguous: it was read as sizes and
    /// times, but might be a matrix for two machines, such as `1 2`, `3 4`.
    ///
    /// # Errors
    /// Errors of [`Instance::parse`].
    pub fn parse_with_doubt(text: &str) -> Result<(Self, bool)> {
        with_doubt(&lines(text)?)
    }
}

fn with_doubt(lines: &[Line<'_>]) -> Result<(Instance, bool)> {
    if times::is_caption(&lines[0]) {
        return Ok((times::captioned(lines)?, false));
    }
    let rows = numbers(lines)?;
    match of_times_alone(&rows) {
        Err(error) if matches!(*error, Error::Parse { .. }) => {
            Ok((of_more(&rows).unwrap_or(Err(error))?, false))
        }
        read => read,
    }
}

/// An instance without set-ups and due dates, and whether the text is ambiguous.
fn of_times_alone(rows: &[Row]) -> Result<(Instance, bool)> {
    if !times::begins_with_sizes(rows) {
        return Ok((times::matrix(rows)?, false));
    }
    let reads_two_ways = rows.iter().all(|row| row.numbers.len() == 2);
    Ok((times::after_sizes(&rows[0], &rows[1..])?, reads_two_ways))
}

/// An instance with set-ups or due dates, by the number of its numbers; or if it resembles one, the
/// error that says what is wrong with it.
fn of_more(rows: &[Row]) -> Option<Result<Instance>> {
    let file = Headed::new(rows).ok()?;
    let has = |counts: fn(u128, u128) -> Option<u128>| file.has(counts);
    if has(setups::count) {
        Some(setups::read(&file))
    } else if has(due_dates::count) {
        Some(due_dates::read(&file))
    } else if setups::resembles(&file) {
        Some(setups::read(&file))
    } else if due_dates::resembles(&file) {
        Some(due_dates::read(&file))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_two_ways_is_told() {
        for text in ["1 2\n3 4\n", "2 1\n3 4", "2 2\n3 4\n5 6", "\n2 2\n\n3 4\n5 6\n"] {
            assert!(Instance::parse_with_doubt(text).unwrap().1, "{text:?}");
        }
        // A matrix of three jobs; one of three machines; one job; and captions.
        let captions = "jobs machines\n2 2\nprocessing times\n1 2\n3 4";
        for text in ["9 2\n3 4\n5 6", "1 3\n3 4 5", "3 1\n3 4 5", captions] {
            assert!(!Instance::parse_with_doubt(text).unwrap().1, "{text:?}");
        }
        // A single job is no instance, and neither are captions without data or an empty text.
        for text in ["3 4", "a b\nc d", ""] {
            assert!(Instance::parse_with_doubt(text).is_err(), "{text:?}");
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
