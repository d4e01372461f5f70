//! Idempotent operators without weights: the table ends in a period.
//!
//! Let g be the greatest common divisor of the offsets. Where the last a_0 + g elements are the
//! same for all i of one residue modulo g, the last g of them combine equal values only and are
//! that value; so does and is every further element. Without weights and terms, an idempotent and
//! commutative operator comes to that point. It is not assumed here but looked at, when the table
//! has doubled: a caller's operator may not be what was promised.

use super::instance::{Instance, Offsets};
use crate::Result;
use crate::gcd::gcd;
use crate::solve::Monitor;

/// Elements that are copied between two looks at the clock.
const LONGEST_COPY: usize = 1 << 20;

/// The period that the table ends in if it ends in any; `None` where nothing promises one.
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

/// By which element a table that ends in a period is known to: where i - r - a_0 is beyond the
/// Frobenius number of the offsets, which is at most 2 a_0 floor(a_0 / k) for those without a
/// common divisor (Erdős and Graham 1972), element i depends on each preset element r of its
/// residue. One more [`tail`] shows it, when the table has doubled.
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

/// Elements at a table's end that tell whether it has come to its period.
pub(super) fn tail(preset: usize, period: usize) -> usize {
    preset + period
}

/// Whether the elements of a table's [`tail`] repeat with this period.
pub(super) fn is_reached<V: PartialEq>(tail: &[V], period: usize) -> bool {
    tail.iter().zip(&tail[period.min(tail.len())..]).all(|(earlier, later)| earlier == later)
}

/// Repeats what the first `from` elements end in.
pub(super) fn repeat<V: Copy>(
    table: &mut [V],
    mut from: usize,
    period: usize,
    monitor: &Monitor,
) -> Result<()> {
    // The known part grows with every copy, so that copies get long; each is of whole periods.
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
