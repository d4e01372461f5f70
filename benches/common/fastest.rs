//! The fastest of several solves.

use std::time::Instant;

use makespan::Outcome;

/// The fastest of up to `most` solves. None begins after that many seconds.
pub(crate) fn fastest<S, V>(
    most: usize,
    seconds: f64,
    solve: impl Fn() -> makespan::Result<Outcome<S, V>>,
) -> makespan::Result<Outcome<S, V>> {
    let start = Instant::now();
    let mut best = solve()?;
    for _ in 1..most {
        if start.elapsed().as_secs_f64() > seconds {
            break;
        }
        let outcome = solve()?;
        if outcome.report.seconds < best.report.seconds {
            best = outcome;
        }
    }
    Ok(best)
}
