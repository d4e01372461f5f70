//! Consecutive offsets with one weight: the operands of an element are a sliding window of the
//! table.
//!
//! Two stacks (Tangwongsan, Hirzel and Schneider 2017) aggregate the window with about three merges
//! for each element and any number of offsets. They need only an associative operator, and keep the
//! order of the offsets.

use super::algebra::Algebra;
use super::instance::{Instance, Offsets};
use super::problem::{Operands, Single};
use super::relax::Window;
use crate::solve::Monitor;
use crate::{Error, Result};

/// Whether the operands of every element are a window of the table with one weight.
pub(super) fn serves(instance: &Instance) -> bool {
    let Offsets::Fixed { offsets, weights } = instance.structure() else { return false };
    let mut weights = weights.iter().flat_map(|weights| weights.chunks(offsets.len()));
    offsets[0] - offsets[offsets.len() - 1] == offsets.len() as u64 - 1
        && weights.all(|weights| weights.iter().all(|&weight| weight == weights[0]))
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
