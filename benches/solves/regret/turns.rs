//! Solves that take turns, so that all of them meet the same state of the machine.

use std::time::Instant;

use super::cases::Answer;
use crate::common::Result;

/// Each solve is repeated until its times add up to `SECONDS`, and `REPEATS` times at most. Short ones
/// are repeated until their times add up to `LEAST_SECONDS`, long ones `LEAST_REPEATS` times, unless
/// their times add up to `MOST_SECONDS` before.
const SECONDS: f64 = 0.5;
const REPEATS: usize = 9;
const LEAST_SECONDS: f64 = 0.02;
const LEAST_REPEATS: usize = 3;
const MOST_SECONDS: f64 = 10.0;

/// The seconds of a solve, if they are not those of the call; its answer, and the reason for its
/// choice of an engine.
pub(super) type Solved = (Option<f64>, Answer, String);

/// A solve with its results.
pub(super) struct Timed<'a> {
    pub(super) name: String,
    solve: Box<dyn Fn() -> Result<Solved> + 'a>,
    /// The shortest time.
    pub(super) seconds: f64,
    /// What the last solve returned.
    pub(super) last: Result<(Answer, String)>,
    repeats: usize,
    /// All times together.
    total: f64,
}

impl<'a> Timed<'a> {
    pub(super) fn new(name: String, solve: impl Fn() -> Result<Solved> + 'a) -> Self {
        let (solve, last) = (Box::new(solve), Err("it did not run".into()));
        Timed { name, solve, seconds: f64::INFINITY, last, repeats: 0, total: 0.0 }
    }

    fn is_due(&self) -> bool {
        let failed = self.repeats > 0 && self.last.is_err();
        let is_short = self.total < LEAST_SECONDS;
        let is_usual = self.repeats < REPEATS && self.total < SECONDS;
        let is_long = self.repeats < LEAST_REPEATS && self.total < MOST_SECONDS;
        (is_short || is_usual || is_long) && !failed
    }

    fn repeat(&mut self) {
        let begun = Instant::now();
        let solved = (self.solve)();
        let elapsed = begun.elapsed().as_secs_f64();
        self.repeats += 1;
        self.total += elapsed;
        self.last = solved.map(|(seconds, answer, reason)| {
            self.seconds = self.seconds.min(seconds.unwrap_or(elapsed));
            (answer, reason)
        });
    }
}

/// Repeats all solves, in rounds of one solve of each. Each begins a round in turn: a solve that
/// follows one on a device finds caches and threads cold.
pub(super) fn take_turns(solves: &mut [Timed<'_>]) {
    let mut first = 0;
    while solves.iter().any(Timed::is_due) {
        let (before, from) = solves.split_at_mut(first);
        from.iter_mut().chain(before).filter(|solve| solve.is_due()).for_each(Timed::repeat);
        first = (first + 1) % solves.len();
    }
}
