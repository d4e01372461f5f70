//! The recurrences as defined, by which the host checks the cells of a device.

use std::ops::Range;

use super::triangle::Cells;
use super::{LARGEST_LOOP, LEAST_HAIRPIN, NONE, Sequence, known};
use crate::context::{SpotChecks, places, wrong};
use crate::{Context, Result, parallel};

/// Points of a window along the diagonal: two have [`SpotChecks::LEAST`] cells together.
const WINDOW: usize = 401;
/// Long cells that are checked in addition.
const LONG: usize = 64;

/// Checks all cells of two windows along the diagonal, or of all points if there are few, and some
/// long cells, on the context's threads.
pub(super) fn check(context: &Context, sequence: &Sequence<'_>, cells: &impl Cells) -> Result<()> {
    let (len, mut random) = (sequence.len, places());
    let mut below = |count: usize| random.below(count as u64) as usize;
    let (windows, window) = match len * len / 2 <= SpotChecks::LEAST as usize {
        true => (1, len + 1),
        false => (2, WINDOW),
    };
    let firsts: Vec<usize> = (0..windows).map(|_| below(len + 2 - window)).collect();
    let rows = firsts.into_iter().flat_map(|first| {
        let end = first + window;
        (first..end).map(move |i| (i, i + 1..end))
    });
    let long = (0..LONG).map(|_| {
        let i = below(len.max(1));
        let j = i + 1 + below((len - i).max(1));
        (i, j..j + 1)
    });
    let long: Vec<_> =
        long.filter(|(_, range)| range.start <= len).chain([(0, len..len + 1)]).collect();
    let check = |(i, columns)| match holds(sequence, cells, i, columns) {
        true => Ok(()),
        false => Err(wrong("the energies of a folding")),
    };
    context.install(|| parallel::try_for_each(rows.chain(long), check))?
}

/// Whether cells of a row are as the recurrences define them.
pub(super) fn holds(
    sequence: &Sequence<'_>,
    cells: &impl Cells,
    i: usize,
    mut columns: Range<usize>,
) -> bool {
    columns
        .all(|j| i >= j || [cells.paired(i, j), cells.some(i, j)] == defined(sequence, cells, i, j))
}

/// `paired` and `some` of a cell, from those of others.
fn defined(sequence: &Sequence<'_>, cells: &impl Cells, i: usize, j: usize) -> [i32; 2] {
    let energies = sequence.energies;
    if i + 1 == j {
        return [NONE; 2];
    }
    let several = |i: usize, j: usize| {
        let split = |k: usize| cells.some(i, k) + cells.some(k, j);
        known((i + 1..j).map(split).min().unwrap_or(NONE))
    };
    let mut paired = NONE;
    if let Some(kind) = sequence.kind(i, j) {
        paired = energies.of_hairpin(j - i - 2);
        paired = paired.min(several(i + 1, j - 1) + energies.multi + energies.branch);
        for left in 0..=LARGEST_LOOP {
            for right in 0..=LARGEST_LOOP - left {
                let (k, l) = (i + 1 + left, (j - 1).saturating_sub(right));
                if k + 2 + LEAST_HAIRPIN > l {
                    break;
                }
                let energy = match (left + right, sequence.kind(k, l)) {
                    (0, Some(inner)) => energies.stack[kind][inner],
                    (0, None) => continue,
                    _ => energies.of_interior(left, right),
                };
                paired = paired.min(cells.paired(k, l) + energy);
            }
        }
        paired = known(paired);
    }
    let longer = cells.some(i + 1, j).min(cells.some(i, j - 1)) + energies.unpaired;
    [paired, known(several(i, j).min(paired + energies.branch).min(longer))]
}
