//! Idempotent operators without weights: the table ends in a period.
//!
//! Let g be the greatest common divisor of the offsets, and assume that the last a_0 + g elements
//! repeat with period g. Then each of the last g elements combines only equal values, and is equal
//! to them. The same holds for every further element. Without weights and terms, an idempotent and
//! commutative operator always reaches this point. The code does not assume that but checks it
//! whenever the table's length has doubled: a caller's operator may not be as promised.

use super::instance::{Instance, Offsets};
use crate::Result;
use crate::gcd::gcd;
use crate::solve::Monitor;

/// Elements that are copied between two checks for stops.
const LONGEST_COPY: usize = 1 << 20;

/// The period that the table ends in, if it ends in one; `None` if the instance does not promise
/// one.
pub(super) fn candidate(instance: &Instance) -> Option<usize> {
    let Offsets::Fixed { offsets, weights } = instance.structure() else { return None };
    let one = instance.semiring().one();
    let plain =
        weights.as_ref().is_none_or(|weights| weights.iter().all(|&weight| Some(weight) == one));
    if !plain || instance.terms().is_some() || !instance.semiring().is_idempotent() {
        return None;
    }
    usize::try_from(offsets.iter().copied().fold(0, gcd)).ok()
}

/// The element by which a period is known, if the table ends in one. For i - r - a_0 beyond the
/// Frobenius number of the offsets, element i depends on each preset element r of its residue.
/// Without a common divisor of the offsets, this number is at most 2 a_0 floor(a_0 / k) (Erdős and
/// Graham 1972). One more [`tail`] shows the period at the next doubling of the length.
pub(super) fn latest(instance: &Instance) -> Option<u64> {
    let (period, offsets) = (candidate(instance)? as u64, instance.offsets()?);
    let frobenius = offsets[0].saturating_mul(2 * (offsets[0] / period / offsets.len() as u64));
    Some(
        offsets[0]
            .saturating_mul(3)
            .saturating_add(period)
            .saturating_add(frobenius)
            .saturating_mul(2),
    )
}

/// Number of elements at a table's end that show whether it has reached its period.
pub(super) fn tail(preset: usize, period: usize) -> usize {
    preset + period
}

/// Whether the elements of a table's [`tail`] repeat with the given period.
pub(super) fn is_reached<V: PartialEq>(tail: &[V], period: usize) -> bool {
    tail.iter().zip(&tail[period.min(tail.len())..]).all(|(earlier, later)| earlier == later)
}

/// Fills the table from element `from` on with the period that precedes it.
pub(super) fn repeat<V: Copy>(
    table: &mut [V],
    mut from: usize,
    period: usize,
    monitor: &Monitor,
) -> Result<()> {
    // The known part grows with every copy, so copies get longer; each is a multiple of the period.
    let mut known = period;
    let longest = LONGEST_COPY.max(period) / period * period;
    while from < table.len() {
        monitor.check()?;
        let count = known.min(longest).min(table.len() - from);
        table.copy_within(from - known..from - known + count, from);
        from += count;
        known += count;
    }
    Ok(())
}
