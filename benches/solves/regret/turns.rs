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
/// A solve that takes this much longer than the shortest one is not repeated, once it was repeated
/// or took `HOPELESS_SECONDS`.
const HOPELESS: f64 = 3.0;
const HOPELESS_SECONDS: f64 = 1.0;
/// The shortest of few times depends on chance. While the first solve's is `DOUBTFUL` times the
/// shortest of all, that solve and those within `CLOSE` times the shortest are repeated. This ends once
/// the first one's times add up to `DOUBTFUL_SECONDS`.
const DOUBTFUL: f64 = 1.1;
const CLOSE: f64 = 1.5;
const DOUBTFUL_SECONDS: f64 = 3.0;

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

    fn is_due(&self, shortest: f64) -> bool {
        let is_known = self.repeats > 1 || self.total > HOPELESS_SECONDS;
        let is_hopeless = is_known && self.seconds > HOPELESS * shortest;
        let is_short = self.total < LEAST_SECONDS;
        let is_usual = self.repeats < REPEATS && self.total < SECONDS;
        let is_long = self.repeats < LEAST_REPEATS && self.total < MOST_SECONDS;
        !self.has_failed() && (is_short || !is_hopeless && (is_usual || is_long))
    }

    fn has_failed(&self) -> bool {
        self.repeats > 0 && self.last.is_err()
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
///
/// The first solve is the measured one. It sets which answers count.
pub(super) fn take_turns(solves: &mut [Timed<'_>]) {
    let mut first = 0;
    loop {
        let due = due(solves);
        if due.is_empty() {
            return;
        }
        let turn = due.partition_point(|&number| number < first);
        due[turn..].iter().chain(&due[..turn]).for_each(|&number| solves[number].repeat());
        first = (first + 1) % solves.len();
    }
}

/// The numbers of the solves of the next round.
fn due(solves: &[Timed<'_>]) -> Vec<usize> {
    let shortest = shortest(solves);
    let measured = &solves[0];
    let is_doubtful = !measured.has_failed()
        && measured.seconds > DOUBTFUL * shortest
        && measured.total < DOUBTFUL_SECONDS;
    let is_due = |number: usize| {
        let solve = &solves[number];
        let is_close = !solve.has_failed() && solve.seconds < CLOSE * shortest;
        match number {
            0 => solve.is_due(f64::INFINITY) || is_doubtful,
            _ => solve.is_due(shortest) || is_doubtful && is_close,
        }
    };
    (0..solves.len()).filter(|&number| is_due(number)).collect()
}

/// The shortest time of a solve with the first one's answer.
fn shortest(solves: &[Timed<'_>]) -> f64 {
    fn answer<'a>(solve: &'a Timed<'_>) -> Option<&'a Answer> {
        solve.last.as_ref().ok().map(|(answer, _)| answer)
    }
    let wanted = answer(&solves[0]).map(|answer| &answer.found);
    let counts = |solve: &&Timed<'_>| {
        answer(solve).is_some_and(|answer| answer.is_whole() && Some(&answer.found) == wanted)
    };
    let others = solves[1..].iter().filter(counts);
    others.map(|solve| solve.seconds).fold(solves[0].seconds, f64::min)
}
