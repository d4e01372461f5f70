//! Exact rational rounding of the Hochbaum-Shmoys scheme.
//!
//! For a precision k and a target makespan T, a job of time t is *long* if k t > T. The unit is the
//! rational number T/k^2. A long job's class is its time in whole units, c = floor(t k^2 / T). It
//! is from k to k^2 for targets that are at least the longest time. A machine holds k^2 units. The
//! source rounds to multiples of floor(T/k^2) instead. That is zero for small T, and the decision
//! is then not monotone in T. With the rational unit it is. Only integer products occur.

use crate::{Error, Result};

/// Largest precision: beyond it the scheme gains nothing and k^2 would exceed 64 bits.
pub(super) const MAX_PRECISION: u64 = 1 << 31;

/// The smallest k with 1/k <= epsilon, exactly; at most 2^31.
///
/// # Errors
/// [`Error::InvalidArgument`] if epsilon is not in (0, 1].
pub(super) fn precision(epsilon: f64) -> Result<u64> {
    if !(epsilon > 0.0 && epsilon <= 1.0) {
        return Err(Error::argument(
            "epsilon",
            format!("must be above 0 and at most 1, not {epsilon}"),
        ));
    }
    if epsilon < 1.0 / MAX_PRECISION as f64 {
        return Ok(MAX_PRECISION);
    }
    // A normal number in [2^-31, 1]: epsilon = mantissa / 2^scale with a scale from 52 to 83.
    let bits = epsilon.to_bits();
    let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    let scale = 1075 - (bits >> 52);
    Ok((1u128 << scale).div_ceil(mantissa) as u64)
}

/// Jobs of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Class {
    /// Time in units, rounded down.
    pub(super) units: u64,
    /// Number of jobs.
    pub(super) jobs: u32,
}

/// The classes of the long jobs, longest first, from all times, longest first.
pub(super) fn classes(longest_first: impl Iterator<Item = u64>, k: u64, target: u64) -> Vec<Class> {
    let (k, target) = (u128::from(k), u128::from(target));
    let long = longest_first.map(u128::from).take_while(|time| k * time > target);
    let mut classes: Vec<Class> = Vec::new();
    for time in long {
        // At most k^2 if the target is at least the longest time.
        let units = u64::try_from(time * k * k / target).unwrap_or(u64::MAX);
        match classes.last_mut() {
            Some(last) if last.units == units => last.jobs += 1,
            _ => classes.push(Class { units, jobs: 1 }),
        }
    }
    classes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precision_is_the_exact_reciprocal_rounded_up() {
        for (epsilon, k) in [
            (1.0, 1),
            (0.5, 2),
            (0.3, 4),
            (0.25, 4),
            (0.1, 10),
            (0.05, 20),
            (0.02, 50),
            (0.01, 100),
        ] {
            assert_eq!(precision(epsilon).unwrap(), k, "{epsilon}");
        }
        // The doubles nearest 1/3 and 1/49 are a little below, so one more is needed.
        assert_eq!(precision(1.0 / 3.0).unwrap(), 4);
        assert_eq!(precision(f64::EPSILON / 4.0).unwrap(), MAX_PRECISION);
        assert_eq!(precision(f64::from_bits(1)).unwrap(), MAX_PRECISION);
        assert_eq!(precision(2f64.powi(-31)).unwrap(), MAX_PRECISION);
        assert_eq!(precision(2f64.powi(-30)).unwrap(), MAX_PRECISION / 2);
        for wrong in [0.0, -0.1, 1.0 + f64::EPSILON, f64::NAN, f64::INFINITY] {
            assert!(precision(wrong).is_err(), "{wrong}");
        }
    }

    fn sizes(times: &[u64], k: u64, target: u64) -> Vec<(u64, u32)> {
        classes(times.iter().copied(), k, target)
            .iter()
            .map(|class| (class.units, class.jobs))
            .collect()
    }

    #[test]
    fn classes_follow_the_definition() {
        // k = 4, T = 16: a unit is exactly 1, jobs above 4 are long.
        assert_eq!(sizes(&[16, 9, 9, 5, 4, 1], 4, 16), [(16, 1), (9, 2), (5, 1)]);
        // T < k^2, where the source's unit is zero.
        assert_eq!(sizes(&[3, 1, 1], 4, 3), [(16, 1), (5, 2)]);
        assert_eq!(sizes(&[], 4, 1), []);
    }

    #[test]
    fn the_decision_the_source_gets_wrong_is_monotone_here() {
        // With a unit of floor(T/k^2), jobs 99 and 88 share a machine at T = 175 but not at 176.
        let together =
            |target| sizes(&[99, 88], 4, target).iter().map(|class| class.0).sum::<u64>() <= 16;
        let accepted: Vec<bool> = (99..=187).map(together).collect();
        assert!(accepted.is_sorted() && !accepted[0] && accepted[187 - 99]);
    }
}
