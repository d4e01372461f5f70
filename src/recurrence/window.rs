//! Consecutive offsets with one weight: the operands of an element are a window of the table that slides along.
//!
//! Two stacks (Tangwongsan, Hirzel and Schneider 2017) aggregate it with some three merges an element, whatever the
//! number of offsets, for any associative operator and in the order of the offsets.

use super::algebra::Algebra;
use super::instance::{Instance, Offsets};
use super::problem::{Operands, Single, out_of_range};
use crate::solve::Monitor;
use crate::{Error, Result};

/// Whether the operands of every element are a window of the table with one weight.
pub(super) fn serves(instance: &Instance) -> bool {
    let Offsets::Fixed { offsets, weights } = instance.structure() else { return false };
    let mut weights = weights.iter().flat_map(|weights| weights.chunks(offsets.len()));
    offsets[0] - offsets[offsets.len() - 1] == offsets.len() as u64 - 1
        && weights.all(|weights| weights.iter().all(|&weight| weight == weights[0]))
}

/// Fills the table from element `from` on.
pub(super) fn fill<A: Algebra>(
    single: &Single<'_, A>,
    table: &mut [A::Value],
    from: usize,
    monitor: &Monitor,
) -> Result<()> {
    let Operands::Fixed { offsets, .. } = &single.problem.operands else {
        return Err(Error::Internal("a window over rows".into()));
    };
    let (algebra, size) = (single.problem.algebra, offsets.len());
    let (largest, weight) = (offsets[0], single.weights[0]);
    let weigh = |value| algebra.weigh(weight, value);
    // Aggregates from each element of the older part of the window to that part's end, last element first.
    let mut older: Vec<A::Partial> = Vec::with_capacity(size);
    // Aggregate of the newer part, which is the one that grows.
    let mut newer: Option<A::Partial> = None;
    let mut in_range = true;
    for at in from..table.len() {
        monitor.check_step(at - from)?;
        let begin = at - largest;
        if older.is_empty() {
            for &value in table[begin..][..size].iter().rev() {
                let next = older.last().map_or(weigh(value), |&last| algebra.merge(weigh(value), last));
                older.push(next);
            }
            newer = None;
        } else {
            let value = weigh(table[begin + size - 1]);
            newer = Some(newer.map_or(value, |newer| algebra.merge(newer, value)));
        }
        let window = match (older.pop(), newer) {
            (Some(older), Some(newer)) => algebra.merge(older, newer),
            (Some(older), None) => older,
            (None, _) => return Err(Error::Internal("an empty window".into())),
        };
        let partial = match single.terms {
            Some(terms) => algebra.merge(algebra.lift(terms[at - single.problem.preset]), window),
            None => window,
        };
        table[at] = algebra.finish(partial, &mut in_range);
    }
    if in_range { Ok(()) } else { Err(out_of_range()) }
}
