//! The optimum by the lattice dynamic program, for few sizes: a cell counts the items of each size
//! cut so far, and a step cuts one piece by one of all patterns.

use std::collections::BTreeMap;

use super::packing::{Cut, Pattern};
use super::sizes::Size;
use crate::lattice_dp;
use crate::solve::{Monitor, Statistics};
use crate::{Dispatch, Error, Result};

/// Cuts the sizes from as few pieces as possible.
///
/// # Errors
/// [`Error::OutOfMemory`] or [`Error::Unsupported`] if the lattice is too large, takes more
/// look-ups than `work_limit`, or has too many patterns; [`Error::Stopped`]; device errors.
pub(super) fn solve(
    sizes: &[Size],
    stock_length: u64,
    work_limit: u64,
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    statistics: &mut Statistics,
) -> Result<Vec<Pattern>> {
    // A saturated demand far exceeds the table's values, which the lattice checks.
    let box_sizes: Vec<u32> = sizes.iter().map(|size| size.demand.saturating_add(1)).collect();
    // Refuses far too large a table before listing its patterns.
    lattice_dp::count_cells(&box_sizes)?;
    let (lengths, demands): (Vec<u64>, Vec<u32>) =
        sizes.iter().map(|size| (size.length, size.demand)).unzip();
    let patterns = lattice_dp::configurations(&lengths, &demands, stock_length, monitor)?;
    let vectors = || patterns.chunks_exact(sizes.len());
    statistics.add("patterns", vectors().len() as u64);
    let lattice = lattice_dp::Instance::new(&box_sizes, vectors().map(|counts| (counts, 1)))?;
    let (cells, lookups) = (lattice.cells(), lattice.lookups());
    if lookups > work_limit {
        let size = format!("a lattice of {cells} cells with {lookups} look-ups by this method");
        return Err(Error::unsupported(size));
    }
    let steps = lattice_dp::solve_table(dispatch, monitor, &lattice, statistics)?
        .ok_or_else(|| Error::internal("single items do not reach the last lattice cell"))?;
    let mut pieces: BTreeMap<u32, u32> = BTreeMap::new();
    steps.into_iter().for_each(|step| *pieces.entry(step).or_default() += 1);
    let pattern = |(step, pieces): (u32, u32)| {
        let counts = &patterns[step as usize * sizes.len()..][..sizes.len()];
        let cuts = (0..).zip(counts).filter(|&(_, &count)| count > 0);
        Pattern { pieces, cuts: cuts.map(|(item, &count)| Cut { item, count }).collect() }
    };
    Ok(pieces.into_iter().map(pattern).collect())
}
