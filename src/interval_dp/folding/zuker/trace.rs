//! The pairs of a structure of least energy, found again in the tables.

use super::triangle::Cells;
use super::{LARGEST_LOOP, LEAST_HAIRPIN, NONE, Sequence};
use crate::memory::Grow;
use crate::solve::Monitor;
use crate::{Error, Result};

/// Splits between two checks for stops, about a millisecond.
const STEPS: usize = 1 << 14;

/// A part of the structure that is still to be explained.
enum Part {
    /// Cell (i, j), whose ends are a pair.
    Paired(usize, usize),
    /// Cell (i, j) of a loop, with one pair or more.
    Some(usize, usize),
    /// Cell (i, j) of a loop, with two pairs or more of this energy.
    Several(usize, usize, i32),
}

struct Trace<'a, C> {
    sequence: &'a Sequence<'a>,
    table: &'a C,
    monitor: &'a Monitor,
    open: Vec<Part>,
    steps: usize,
}

/// The pairs by their bases. Of equal candidates the first counts, in the order of the recurrences.
pub(super) fn pairs(
    sequence: &Sequence<'_>,
    table: &impl Cells,
    outside: &[i32],
    monitor: &Monitor,
) -> Result<Vec<(u32, u32)>> {
    let mut trace = Trace { sequence, table, monitor, open: Vec::new(), steps: 0 };
    let mut j = sequence.len;
    while j > 0 {
        if outside[j] == outside[j - 1] {
            j -= 1;
            continue;
        }
        let wanted = outside[j];
        let first = trace.first(0..j, |i| outside[i] + table.paired(i, j) == wanted)?;
        let i = first.ok_or_else(|| unexplained(0, j))?;
        trace.open.try_push(Part::Paired(i, j))?;
        j = i;
    }
    let mut pairs = Vec::new();
    while let Some(part) = trace.open.pop() {
        match part {
            Part::Paired(i, j) => {
                pairs.try_push((i as u32, j as u32 - 1))?;
                trace.paired(i, j)?;
            }
            Part::Some(i, j) => trace.some(i, j)?,
            Part::Several(i, j, wanted) => trace.several(i, j, wanted)?,
        }
    }
    Ok(pairs)
}

impl<C: Cells> Trace<'_, C> {
    /// The first place that suits.
    fn first(
        &mut self,
        mut places: impl Iterator<Item = usize>,
        suits: impl Fn(usize) -> bool,
    ) -> Result<Option<usize>> {
        let mut steps = self.steps;
        let found = places.find_map(|place| {
            steps += 1;
            let checked = match steps.is_multiple_of(STEPS) {
                true => self.monitor.check(),
                false => Ok(()),
            };
            match checked {
                Err(error) => Some(Err(error)),
                Ok(()) => suits(place).then_some(Ok(place)),
            }
        });
        self.steps = steps;
        found.transpose()
    }

    /// What lies inside a pair.
    fn paired(&mut self, i: usize, j: usize) -> Result<()> {
        let (sequence, energies) = (self.sequence, self.sequence.energies);
        let wanted = self.table.paired(i, j);
        let kind = sequence.kind(i, j).ok_or_else(|| unexplained(i, j))?;
        let inside = j - i - 2;
        if energies.of_hairpin(inside) == wanted {
            return Ok(());
        }
        for left in 0..=LARGEST_LOOP.min(inside.saturating_sub(2 + LEAST_HAIRPIN)) {
            for right in 0..=LARGEST_LOOP - left {
                let (k, l) = (i + 1 + left, (j - 1).saturating_sub(right));
                let Some(inner) = sequence.kind(k, l) else { continue };
                let energy = match left + right {
                    0 => energies.stack[kind][inner],
                    _ => energies.of_interior(left, right),
                };
                if self.table.paired(k, l) + energy == wanted {
                    return self.open.try_push(Part::Paired(k, l));
                }
            }
        }
        let several = wanted - energies.multi - energies.branch;
        self.open.try_push(Part::Several(i + 1, j - 1, several))
    }

    fn some(&mut self, i: usize, j: usize) -> Result<()> {
        let (table, energies) = (self.table, self.sequence.energies);
        let wanted = table.some(i, j);
        let part = if table.paired(i, j) + energies.branch == wanted {
            Part::Paired(i, j)
        } else if table.some(i + 1, j) + energies.unpaired == wanted {
            Part::Some(i + 1, j)
        } else if table.some(i, j - 1) + energies.unpaired == wanted {
            Part::Some(i, j - 1)
        } else {
            Part::Several(i, j, wanted)
        };
        self.open.try_push(part)
    }

    fn several(&mut self, i: usize, j: usize, wanted: i32) -> Result<()> {
        let table = self.table;
        let suits = |k| table.some(i, k) + table.some(k, j) == wanted;
        let split = if wanted < NONE / 2 { self.first(i + 1..j, suits)? } else { None };
        let k = split.ok_or_else(|| unexplained(i, j))?;
        self.open.try_push(Part::Some(k, j))?;
        self.open.try_push(Part::Some(i, k))
    }
}

fn unexplained(i: usize, j: usize) -> Box<Error> {
    Error::internal(format!("nothing explains the energy of cell ({i}, {j})"))
}
