//! Files of times alone: Taillard's, that of Vallada, Ruiz and Framinan, plain matrices.

use super::rows::{Line, Row, check_widths, fault, numbers, row, time};
use crate::flow_shop::Instance;
use crate::{Result, memory};

/// Whether a line is one of Taillard's captions.
pub(super) fn is_caption(line: &Line<'_>) -> bool {
    line.text.starts_with(char::is_alphabetic)
}

/// Taillard's format.
pub(super) fn captioned(lines: &[Line<'_>]) -> Result<Instance> {
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

/// Whether the first line contains the sizes. In a matrix for two machines it does only if the
/// other lines agree with these sizes.
pub(super) fn begins_with_sizes(rows: &[Row]) -> bool {
    let [first, rest @ ..] = rows else { return false };
    let [jobs, machines] = first.numbers[..] else { return false };
    let lines = rest.len() as u64;
    let announced =
        (lines == machines && jobs == 2) || (lines == jobs && (machines == 2 || machines == 1));
    announced || rest.is_empty() || rest.iter().any(|row| row.numbers.len() != 2)
}

/// Reads the times after a line that begins with the sizes.
pub(super) fn after_sizes(sizes: &Row, rows: &[Row]) -> Result<Instance> {
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
pub(super) fn matrix(rows: &[Row]) -> Result<Instance> {
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
