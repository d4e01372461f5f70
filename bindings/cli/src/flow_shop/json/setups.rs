//! Set-ups of a document.

use makespan::flow_shop::Setups;

use super::document::{Document, Kind, Matrix};
use super::references::Index;
use super::{Fault, narrow, placed};
use crate::flow_shop::named::Named;

/// The set-ups, if there are any.
pub(super) fn setups(
    document: &Document,
    named: &Named,
    jobs: &Index<'_>,
    families: &Index<'_>,
) -> Result<Option<Setups>, Fault> {
    let machines = &document.machines;
    let Some(given) = &document.setups else {
        return match machines.iter().position(|machine| machine.0.last.is_some()) {
            Some(machine) => Err(format!("machines[{machine}].last: there are no setups")),
            None => Ok(None),
        };
    };
    let (kinds, index) = match (given.between, &named.families) {
        (Kind::Jobs, _) => (document.jobs.len(), jobs),
        (Kind::Families, Some(families_of)) => (families_of.count, families),
        (Kind::Families, None) => return Err("setups.between: no job has a family".into()),
    };
    let mut times = Vec::new();
    match (&given.matrix, &given.matrices) {
        (Some(matrix), None) => square(matrix, kinds, "setups.matrix", &mut times)?,
        (None, Some(matrices)) if matrices.len() == machines.len() => {
            for (machine, matrix) in matrices.iter().enumerate() {
                square(matrix, kinds, &format!("setups.matrices[{machine}]"), &mut times)?;
            }
        }
        (None, Some(matrices)) => {
            let (given, machines) = (matrices.len(), machines.len());
            return Err(format!("setups.matrices: {given} elements for {machines} machines"));
        }
        _ => return Err("setups: either matrix or matrices is expected".into()),
    }
    let setups = match (given.between, &named.families) {
        (Kind::Families, Some(families)) => {
            Setups::between_families(kinds, families.of_jobs.clone(), times)
        }
        _ => Setups::between_jobs(kinds, times),
    };
    let setups = setups.map_err(placed)?;
    let first = match &given.first {
        Some(_) if machines.iter().any(|machine| machine.0.last.is_some()) => {
            return Err("setups.first: makes no sense beside last of machines".into());
        }
        Some(rows) => given_first(rows, kinds, machines.len())?,
        None => first_after(document, index, kinds, &setups)?,
    };
    if first.is_empty() {
        Ok(Some(setups))
    } else {
        setups.with_first(first).map(Some).map_err(placed)
    }
}

/// Appends the elements of a matrix.
fn square(matrix: &Matrix, kinds: usize, place: &str, times: &mut Vec<u32>) -> Result<(), Fault> {
    if matrix.len() != kinds {
        return Err(format!("{place}: {} rows, {kinds} are expected", matrix.len()));
    }
    let mut rows = matrix.iter().enumerate();
    rows.try_for_each(|(number, row)| append(row, kinds, &format!("{place}[{number}]"), times))
}

fn append(row: &[u64], kinds: usize, place: &str, times: &mut Vec<u32>) -> Result<(), Fault> {
    if row.len() != kinds {
        return Err(format!("{place}: {} elements, {kinds} are expected", row.len()));
    }
    for (column, &time) in row.iter().enumerate() {
        times.push(narrow(time, || format!("{place}[{column}]"))?);
    }
    Ok(())
}

/// The machines' first set-ups: one row for all, or one for each.
fn given_first(rows: &Matrix, kinds: usize, machines: usize) -> Result<Vec<u32>, Fault> {
    if rows.len() != 1 && rows.len() != machines {
        let given = rows.len();
        return Err(format!("setups.first: {given} rows, 1 or {machines} are expected"));
    }
    let mut first = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        append(row, kinds, &format!("setups.first[{number}]"), &mut first)?;
    }
    Ok(first)
}

/// The machines' first set-ups after their last jobs or families; none for machines without one.
fn first_after(
    document: &Document,
    index: &Index<'_>,
    kinds: usize,
    setups: &Setups,
) -> Result<Vec<u32>, Fault> {
    let machines = &document.machines;
    if machines.iter().all(|machine| machine.0.last.is_none()) {
        return Ok(Vec::new());
    }
    let mut first = Vec::new();
    for (number, machine) in machines.iter().enumerate() {
        match &machine.0.last {
            None => first.resize(first.len() + kinds, 0),
            Some(last) => {
                let last = index.number(last, || format!("machines[{number}].last"))? as usize;
                let cells = kinds * kinds;
                let is_shared = setups.times().len() == cells;
                let matrix = if is_shared { 0 } else { number * cells };
                first.extend_from_slice(&setups.times()[matrix + last * kinds..][..kinds]);
            }
        }
    }
    Ok(first)
}
