//! The guarantees of every problem's methods about limits and progress.

mod every_method;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use makespan::{
    Context, ContextOptions, Control, Engine, Limits, Progress, ProgressCallback, Sense,
    SolveOptions, Status, Value,
};

const THREADS: usize = 2;
/// Processor time that each thread may take after the deadline.
const OVERSHOOT: Duration = Duration::from_millis(60);
/// A case is late if all of its solves are. A machine with other work may delay one of them.
const ATTEMPTS: usize = 4;

fn context() -> Context {
    let options =
        ContextOptions { engine: Engine::Cpu, threads: Some(THREADS), ..ContextOptions::default() };
    Context::new(options).unwrap()
}

/// One test for all, since processor time is that of the whole process.
#[test]
fn limits_and_progress_hold_for_every_method() {
    let context = context();
    let mut late = Vec::new();
    for case in &every_method::all() {
        late.extend(is_late(&context, case, 50));
        has_the_best_that_costs_nothing(&context, case);
    }
    // They sort for a while, and then search.
    for case in &every_method::with_millions() {
        late.extend(
            [50, 400, 1_500].into_iter().filter_map(|limit| is_late(&context, case, limit)),
        );
        has_the_best_that_costs_nothing(&context, case);
    }
    assert!(late.is_empty(), "{}", late.join("\n"));
}

/// What to say of a case that ends too late in every attempt.
fn is_late(context: &Context, case: &every_method::Case, milliseconds: u64) -> Option<String> {
    let limit = Duration::from_millis(milliseconds);
    let mut least = Duration::MAX;
    for _ in 0..ATTEMPTS {
        least = least.min(overshoot(context, case, limit)? / THREADS as u32);
        if least <= OVERSHOOT {
            return None;
        }
    }
    Some(format!("{}: {least:?} after {limit:?}", case.name))
}

/// Processor time after the deadline of a solve with a limit. Its last progress report must equal the result.
fn overshoot(context: &Context, case: &every_method::Case, limit: Duration) -> Option<Duration> {
    let last = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&last);
    let progress: ProgressCallback = Arc::new(move |progress: &Progress| {
        let Progress { phase, sense, objective, bound, .. } = *progress;
        *kept.lock().unwrap() = Some((phase, sense, objective, bound));
        Control::Continue
    });
    let options = SolveOptions { progress: Some(progress), ..SolveOptions::default() };
    let (ended, overshoot) = case.overshoot(context, limit, options)?;
    traces_its_progress(case, &ended);
    let reported = last.lock().unwrap().take().expect("nothing was reported");
    let expected = ("end", ended.sense, ended.objective, ended.bound);
    assert_eq!(reported, expected, "{}", case.name);
    Some(overshoot.worked)
}

/// Times rise, values become better or stay, and the last ones are those of the result.
fn traces_its_progress(case: &every_method::Case, ended: &every_method::Ended) {
    let trace = &ended.report.trace;
    let sign = if ended.sense == Sense::Minimise { 1.0 } else { -1.0 };
    let cost = |value: Option<Value>, unknown: f64| value.map_or(unknown, |v| sign * v.to_f64());
    let costs: Vec<(f64, f64)> = trace
        .iter()
        .map(|point| (cost(point.objective, f64::INFINITY), cost(point.bound, f64::NEG_INFINITY)))
        .collect();
    let is_sound = trace.is_sorted_by(|a, b| a.seconds < b.seconds)
        && costs.is_sorted_by(|a, b| a != b && a.0 >= b.0 && a.1 <= b.1);
    assert!(is_sound, "{}: {trace:?}", case.name);
    let last = trace.last().expect("a point for the end");
    assert_eq!((last.objective, last.bound), (ended.objective, ended.bound), "{}", case.name);
    let seconds = ended.report.seconds + ended.report.setup_seconds;
    assert!((0.0..seconds + 0.1).contains(&last.seconds), "{}: {seconds}, {last:?}", case.name);
}

fn has_the_best_that_costs_nothing(context: &Context, case: &every_method::Case) {
    let limits = Limits { time: Some(Duration::ZERO), ..Limits::default() };
    let options = SolveOptions { limits, ..SolveOptions::default() };
    let Some(ended) = case.solve(context, &options) else { return };
    assert!(ended.objective.is_some() || !case.has_opening, "{} has no solution", case.name);
    let proved = ended.objective.is_some() && ended.objective == ended.bound;
    let expected = match (ended.objective, proved) {
        (None, _) => Status::Stopped,
        (_, true) => Status::Optimal,
        (_, false) => Status::Feasible,
    };
    assert_eq!(ended.status, expected, "{}", case.name);
}
