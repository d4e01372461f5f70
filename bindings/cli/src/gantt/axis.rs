//! The time axis: positions of times, and the choice of labelled times.

use crate::columns::grouped_by;

/// Round distances of ticks, per power of ten.
const ROUND: [u64; 3] = [1, 2, 5];

/// Maps times to positions.
pub(super) struct Axis {
    pub(super) left: f64,
    pub(super) right: f64,
    /// Time at the right end, at least 1.
    end: u64,
    tick_distance: u64,
}

impl Axis {
    /// An axis from 0 to `end` that has room for `max_ticks` labels.
    pub(super) fn new(left: f64, right: f64, end: u64, max_ticks: u64) -> Self {
        let end = end.max(1);
        Axis { left, right, end, tick_distance: round_up(end.div_ceil(max_ticks)) }
    }

    pub(super) fn x(&self, time: u64) -> f64 {
        self.left + time as f64 / self.end as f64 * (self.right - self.left)
    }

    pub(super) fn ticks(&self) -> impl Iterator<Item = u64> {
        (0..=self.end / self.tick_distance).map(|tick| tick * self.tick_distance)
    }
}

/// The least round number that is not below `number`, or the greatest of its type.
pub(super) fn round_up(number: u64) -> u64 {
    let mut power = 1u64;
    loop {
        for digit in ROUND {
            match power.checked_mul(digit) {
                Some(round) if round < number => {}
                Some(round) => return round,
                None => return u64::MAX,
            }
        }
        match power.checked_mul(10) {
            Some(next) => power = next,
            None => return u64::MAX,
        }
    }
}

/// A number with a thin space between groups of three digits.
pub(crate) fn grouped(number: u64) -> String {
    grouped_by("\u{2009}", number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_not_too_many() {
        let ticks = |end, max| Axis::new(0.0, 1.0, end, max).ticks().collect::<Vec<_>>();
        assert_eq!(ticks(0, 10), [0, 1]);
        assert_eq!(ticks(7, 4), [0, 2, 4, 6]);
        assert_eq!(ticks(1043, 6), [0, 200, 400, 600, 800, 1000]);
        assert_eq!(ticks(u64::MAX, 1), [0, u64::MAX]);
        assert!(ticks(i64::MAX as u64, 5).len() <= 6);
    }

    #[test]
    fn positions_follow_time() {
        let axis = Axis::new(100.0, 300.0, 50, 5);
        assert_eq!([0, 25, 50].map(|time| axis.x(time)), [100.0, 200.0, 300.0]);
    }

    #[test]
    fn digits_stand_in_threes() {
        let plain = |number| grouped(number).replace('\u{2009}', " ");
        assert_eq!([0, 999, 1000, 1234567].map(plain), ["0", "999", "1 000", "1 234 567"]);
    }
}
