//! Files that begin with the numbers of jobs and of machines.

use super::rows::{Row, fault, time};
use crate::Result;
use crate::memory::Grow;

/// The sizes and the lines after them.
pub(super) struct Headed<'r> {
    pub(super) jobs: u64,
    pub(super) machines: u64,
    pub(super) rows: &'r [Row],
    /// Whether the sizes are on two lines.
    pub(super) on_two_lines: bool,
    /// The line of the last size.
    line: usize,
}

impl<'r> Headed<'r> {
    /// The sizes on one line or on two.
    pub(super) fn new(rows: &'r [Row]) -> Result<Self> {
        let (jobs, machines, used) = match rows {
            [first, ..] if first.numbers.len() == 2 => (first.numbers[0], first.numbers[1], 1),
            [first, second, ..] if first.numbers.len() == 1 && second.numbers.len() == 1 => {
                (first.numbers[0], second.numbers[0], 2)
            }
            _ => {
                let line = rows.first().map_or(1, |row| row.line);
                return Err(fault(line, "the numbers of jobs and of machines are expected"));
            }
        };
        let line = rows[used - 1].line;
        if jobs == 0 || machines == 0 {
            return Err(fault(line, "there must be at least 1 job and 1 machine"));
        }
        Ok(Headed { jobs, machines, rows: &rows[used..], on_two_lines: used == 2, line })
    }

    /// Whether there are as many numbers after the sizes as this count for jobs and machines.
    pub(super) fn has(&self, count: impl Fn(u128, u128) -> Option<u128>) -> bool {
        let given: usize = self.rows.iter().map(|row| row.numbers.len()).sum();
        count(self.jobs.into(), self.machines.into()) == Some(given as u128)
    }

    /// The lines from the beginning.
    pub(super) fn cursor(&self) -> Cursor<'r> {
        Cursor { rows: self.rows, line: self.line }
    }
}

/// The lines that are not read yet.
pub(super) struct Cursor<'r> {
    rows: &'r [Row],
    /// The last line that was read.
    line: usize,
}

impl<'r> Cursor<'r> {
    /// The next line. `what` stands there.
    pub(super) fn next(&mut self, what: impl Fn() -> String) -> Result<&'r Row> {
        let Some((row, rest)) = self.rows.split_first() else {
            let expected = format!("the file ends where {} are expected", what());
            return Err(fault(self.line, expected));
        };
        (self.rows, self.line) = (rest, row.line);
        Ok(row)
    }

    /// The next line's numbers as times, `width` of `what`.
    pub(super) fn times(
        &mut self,
        width: u64,
        what: impl Fn() -> String,
        times: &mut Vec<u32>,
    ) -> Result<()> {
        let row = self.next(&what)?;
        let given = row.numbers.len();
        if given as u64 != width {
            let reason = format!("{given} numbers, where {} are expected: {width}", what());
            return Err(fault(row.line, reason));
        }
        row.numbers.iter().try_for_each(|&number| times.try_push(time(row, number)?))
    }

    /// Refuses more lines.
    pub(super) fn finish(self) -> Result<()> {
        match self.rows.first() {
            None => Ok(()),
            Some(row) => Err(fault(row.line, "the file should end before this line")),
        }
    }
}
