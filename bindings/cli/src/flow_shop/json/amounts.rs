//! Times of a document in the units of the instance.

use super::Fault;
use super::document::{Amount, Document};
use super::instant::{Clock, Elapsed};

/// How a part of a unit is rounded.
#[derive(Clone, Copy)]
pub(super) enum Rounding {
    Up,
    Down,
}

/// Reads times and counts the ones that it changes.
pub(super) struct Amounts {
    clock: Option<Clock>,
    rounded: Tally,
    early: Tally,
}

/// How often something happened, and where first.
#[derive(Default)]
struct Tally {
    count: u64,
    first: String,
}

impl Tally {
    fn add(&mut self, place: impl Fn() -> String) {
        if self.count == 0 {
            self.first = place();
        }
        self.count += 1;
    }

    /// A warning if it happened.
    fn warning(&self, of_one: &str, of_several: &str) -> Option<String> {
        let first = &self.first;
        match self.count {
            0 => None,
            1 => Some(format!("{first} {of_one}")),
            count => Some(format!("{count} times {of_several}, the first is {first}")),
        }
    }
}

impl Amounts {
    pub(super) fn new(document: &Document) -> Result<Self, Fault> {
        let clock = match (&document.start, document.time_unit) {
            (Some(start), Some(unit)) => {
                Some(Clock::new(start, unit).map_err(|reason| format!("start: {reason}"))?)
            }
            (Some(_), None) => return Err("start: needs time_unit beside it".into()),
            (None, _) => None,
        };
        Ok(Amounts { clock, rounded: Tally::default(), early: Tally::default() })
    }

    /// A time of 32 bits before which nothing happens; 0 if it is not given or before the start.
    pub(super) fn time(
        &mut self,
        amount: Option<&Amount>,
        place: impl Fn() -> String,
    ) -> Result<u32, Fault> {
        let Some(amount) = amount else { return Ok(0) };
        let time = self.units(amount, Rounding::Up, &place)?;
        if time < 0 {
            self.early.add(place);
            return Ok(0);
        }
        u32::try_from(time).map_err(|_| format!("{}: {time} does not fit into 32 bits", place()))
    }

    /// A number of units, which may be negative.
    pub(super) fn units(
        &mut self,
        amount: &Amount,
        rounding: Rounding,
        place: impl Fn() -> String,
    ) -> Result<i64, Fault> {
        let Elapsed { whole, has_rest } = match amount {
            Amount::Whole(number) => Elapsed { whole: *number, has_rest: false },
            // Numbers beyond 64 bits become the largest one, which is refused later.
            Amount::Fraction(number) => {
                Elapsed { whole: number.floor() as i64, has_rest: number.fract() != 0.0 }
            }
            Amount::Instant(instant) => {
                let fault = |reason: String| format!("{}: {reason}", place());
                let missing = || fault("an instant needs start and time_unit in the file".into());
                let clock = self.clock.as_ref().ok_or_else(missing)?;
                clock.elapsed(instant).map_err(fault)?
            }
        };
        if !has_rest {
            return Ok(whole);
        }
        self.rounded.add(place);
        Ok(match rounding {
            Rounding::Down => whole,
            Rounding::Up => whole.saturating_add(1),
        })
    }

    /// What the user should know.
    pub(super) fn warnings(&self) -> Vec<String> {
        let rounded = "rounded to whole units";
        let early = "before 0 and count as 0";
        let warnings = [
            self.rounded.warning(&format!("is {rounded}"), &format!("are {rounded}")),
            self.early.warning("is before 0 and counts as 0", &format!("are {early}")),
        ];
        warnings.into_iter().flatten().collect()
    }
}
