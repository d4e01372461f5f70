//! Instants of the calendar as times of an instance.

use jiff::Timestamp;
use serde::Deserialize;

/// The length of one unit of the instance's times.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Unit {
    Seconds,
    Minutes,
    Hours,
}

impl Unit {
    pub(super) fn name(self) -> &'static str {
        match self {
            Unit::Seconds => "seconds",
            Unit::Minutes => "minutes",
            Unit::Hours => "hours",
        }
    }

    fn seconds(self) -> i128 {
        match self {
            Unit::Seconds => 1,
            Unit::Minutes => 60,
            Unit::Hours => 3600,
        }
    }
}

/// The instant that is time 0, and the unit of times.
pub(super) struct Clock {
    start: Timestamp,
    unit: Unit,
}

/// The whole units before an instant, and whether a part of one is left.
pub(super) struct Elapsed {
    pub(super) whole: i64,
    pub(super) has_rest: bool,
}

impl Clock {
    /// A clock that begins at an ISO 8601 instant.
    pub(super) fn new(start: &str, unit: Unit) -> Result<Self, String> {
        Ok(Clock { start: parse(start)?, unit })
    }

    /// The time of an ISO 8601 instant, which may be before the start.
    pub(super) fn elapsed(&self, instant: &str) -> Result<Elapsed, String> {
        let nanoseconds = parse(instant)?.as_nanosecond() - self.start.as_nanosecond();
        let unit = self.unit.seconds() * 1_000_000_000;
        // Years have four digits, so the seconds fit.
        let whole = nanoseconds.div_euclid(unit) as i64;
        Ok(Elapsed { whole, has_rest: nanoseconds.rem_euclid(unit) != 0 })
    }
}

fn parse(text: &str) -> Result<Timestamp, String> {
    text.parse().map_err(|_| {
        let text: String = text.chars().take(40).collect();
        format!(
            "\"{}\" is no instant with a time zone, such as 2026-01-05T06:00:00Z or \
             2026-01-05T07:00:00+01:00",
            text.escape_debug()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_of_any_zone_are_times() {
        let clock = Clock::new("2026-01-05T06:00:00Z", Unit::Minutes).unwrap();
        let time = |text| clock.elapsed(text).map(|time| (time.whole, time.has_rest)).unwrap();
        assert_eq!(time("2026-01-05T06:00:00Z"), (0, false));
        assert_eq!(time("2026-01-05T08:30:00+01:00"), (90, false));
        assert_eq!(time("2026-01-06 06:00:59.5Z"), (1440, true));
        assert_eq!(time("2026-01-05T05:59:30Z"), (-1, true));
    }

    #[test]
    fn a_zone_is_needed() {
        let clock = Clock::new("2026-01-05T06:00:00Z", Unit::Hours).unwrap();
        for text in ["2026-01-05T06:00:00", "2026-01-05", "tomorrow", "", "2026-02-30T00:00:00Z"] {
            let error = clock.elapsed(text).err().unwrap();
            assert!(error.contains("is no instant with a time zone"), "{error}");
        }
    }
}
