//! Consecutive offsets with one weight: the operands of an element are a sliding window of the
//! table.
//!
//! Two stacks (Tangwongsan, Hirzel and Schneider 2017) aggregate the window with about three merges
//! for each element and any number of offsets. They need only an associative operator, and keep the
//! order of the offsets.

use super::algebra::Algebra;
use super::instance::{Instance, Offsets};
use super::problem::{Operands, Single};
use crate::solve::Monitor;
use crate::{Error, Result, memory};

/// Whether the operands of every element are a window of the table with one weight.
pub(super) fn serves(instance: &Instance) -> bool {
    let Offsets::Fixed { offsets, weights } = instance.structure() else { return false };
    let mut weights = weights.iter().flat_map(|weights| weights.chunks(offsets.len()));
    offsets[0] - offsets[offsets.len() - 1] == offsets.len() as u64 - 1
        && weights.all(|weights| weights.iter().all(|&weight| weight == weights[0]))
}

/// A window that slides along a table.
pub(super) struct Window<'a, V> {
    /// The largest offset, and the number of offsets.
    reach: usize,
    size: usize,
    weight: V,
    /// The first element to fill, and the terms from it on.
    from: usize,
    terms: Option<&'a [V]>,
}

/// Fills the table from the first element that is not preset.
pub(super) fn fill<A: Algebra + ?Sized>(
    single: &Single<'_, A>,
    table: &mut [A::Value],
    monitor: &Monitor,
) -> Result<()> {
    let Operands::Fixed { offsets, .. } = &single.problem.operands else {
        return Err(Error::internal("a window over rows"));
    };
    let window = Window {
        reach: offsets[0],
        size: offsets.len(),
        weight: single.weights[0],
        from: single.problem.preset,
        terms: single.terms,
    };
    match single.problem.algebra.slide(&window, table, monitor)? {
        true => Ok(()),
        false => Err(single.problem.instance.semiring().out_of_range()),
    }
}

/// [`fill`] for one algebra; returns whether all elements are in range.
pub(super) fn slide<A: Algebra + ?Sized>(
    algebra: &A,
    window: &Window<'_, A::Value>,
    table: &mut [A::Value],
    monitor: &Monitor,
) -> Result<bool> {
    let &Window { reach, size, weight, from, terms } = window;
    let weigh = |value| algebra.weigh(weight, value);
    // Aggregates from each element of the window's older part to the end of that part, last element
    // first.
    let mut older: Vec<A::Partial> = memory::list(size)?;
    // Aggregate of the newer part, which grows.
    let mut newer: Option<A::Partial> = None;
    let mut in_range = true;
    for at in from..table.len() {
        monitor.check_step(at - from)?;
        let begin = at - reach;
        if older.is_empty() {
            for &value in table[begin..][..size].iter().rev() {
                let next =
                    older.last().map_or(weigh(value), |&last| algebra.merge(weigh(value), last));
                older.push(next);
            }
            newer = None;
        } else {
            let value = weigh(table[begin + size - 1]);
            newer = Some(newer.map_or(value, |newer| algebra.merge(newer, value)));
        }
        let aggregate = match (older.pop(), newer) {
            (Some(older), Some(newer)) => algebra.merge(older, newer),
            (Some(older), None) => older,
            (None, _) => return Err(Error::internal("an empty window")),
        };
        let partial = match terms {
            Some(terms) => algebra.merge(algebra.lift(terms[at - from]), aggregate),
            None => aggregate,
        };
        table[at] = algebra.finish(partial, &mut in_range);
    }
    Ok(in_range)
}
