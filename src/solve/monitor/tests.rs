use std::thread;

use proptest::prelude::*;

use super::memory::LITTLE;
use super::reports::REPORT_INTERVAL;
use super::*;
use crate::solve::{Certificate, Control, Offset, Progress, Report, TracePoint, Value};

fn values(objective: Option<i64>, bound: Option<i64>) -> Values {
    Values { objective: objective.map(Value::Whole), bound: bound.map(Value::Whole) }
}

/// Notes a solution that is its own objective.
fn note(monitor: &Monitor, objective: Option<i64>, bound: Option<i64>) {
    match (objective, bound) {
        (Some(value), bound) => {
            monitor.note_found(value, bound, || Found::new(move || Some(value)))
        }
        (None, Some(bound)) => monitor.note_bound(bound),
        (None, None) => {}
    }
}

/// Whether a callback can read the solution of a report.
fn shows_its_solution(progress: &Progress<'_>) -> bool {
    progress.incumbent::<i64>().copied().map(Value::Whole) == progress.objective
}

fn with_limits(limits: Limits) -> Monitor {
    Monitor::new(&SolveOptions { limits, ..SolveOptions::default() })
}

#[test]
fn the_first_heuristic_has_a_moment_even_without_time() {
    let whole = with_limits(Limits { time: Some(Duration::ZERO), ..Limits::default() });
    let opening = whole.opening();
    assert!(whole.should_stop() && opening.deadline > whole.deadline);
    assert!(whole.opening().should_stop(), "what was stopped has no opening");
    assert!(Monitor::new(&SolveOptions::default()).opening().deadline.is_none());
}

#[test]
fn a_solve_that_was_stopped_has_a_moment_for_a_first_solution() {
    let stop = StopHandle::new();
    let options = SolveOptions { stop: Some(stop.clone()), ..SolveOptions::default() };
    let whole = Monitor::new(&options);
    stop.stop();
    assert!(whole.should_stop() && !whole.closing().should_stop());
    let closing = with_limits(Limits { time: Some(Duration::ZERO), ..Limits::default() }).closing();
    assert!(!closing.should_stop());
    thread::sleep(OPENING);
    assert!(closing.should_stop());
}

#[test]
fn the_limits_of_a_part_are_not_those_of_the_whole() {
    let whole = with_limits(Limits { iterations: Some(1), ..Limits::default() });
    note(&whole, Some(9), None);
    let part = whole.part(None, Some(2));
    assert_eq!(part.begin_iterations(3), 2);
    assert_eq!(part.begin_iterations(1), 0);
    note(&part, Some(8), Some(7));
    whole.join(&part);
    assert_eq!(whole.lock().values, values(Some(8), Some(7)));
    assert!(part.should_stop() && !whole.should_stop());
    assert!(whole.part(Some(Duration::ZERO), None).should_stop());
    assert!(whole.begin_iteration().is_ok());
}

#[test]
fn what_ends_a_whole_ends_the_solves_with_its_handle() {
    let stop = StopHandle::new();
    let options = SolveOptions { stop: Some(stop.clone()), ..SolveOptions::default() };
    let whole = Monitor::new(&options);
    let own = SolveOptions { stop: Some(StopHandle::of(&whole)), ..SolveOptions::default() };
    let solve = Monitor::new(&own);
    assert!(!solve.should_stop());
    stop.stop();
    assert!(solve.should_stop() && whole.should_stop());
}

#[test]
fn a_part_that_is_relieved_ends_without_the_whole() {
    let whole = with_limits(Limits { iterations: Some(3), ..Limits::default() });
    assert!(whole.begin_iteration().is_ok());
    let ready = Arc::new(AtomicBool::new(false));
    let part = {
        let ready = Arc::clone(&ready);
        whole.until(move || ready.load(Ordering::Relaxed))
    };
    assert!(!part.should_stop() && !part.is_relieved());
    assert_eq!(part.begin_iterations(5), 2);
    ready.store(true, Ordering::Relaxed);
    assert!(part.should_stop() && part.is_relieved());
    whole.join(&part);
    assert!(!whole.should_stop());
    assert_eq!(whole.begin_iterations(5), 2);
    // A part that ends for another reason is not relieved.
    let stopped =
        with_limits(Limits { time: Some(Duration::ZERO), ..Limits::default() }).until(|| true);
    assert!(stopped.should_stop() && !stopped.is_relieved());
}

#[test]
fn a_callback_that_stops_a_part_stops_the_whole() {
    let progress: ProgressCallback = Arc::new(|_: &Progress| Control::Stop);
    let whole = Monitor::new(&SolveOptions { progress: Some(progress), ..SolveOptions::default() });
    let part = whole.part(None, None);
    part.report("phase", None);
    assert!(part.should_stop() && !whole.should_stop());
    whole.join(&part);
    assert!(whole.should_stop());
}

#[test]
fn nothing_stops_an_unlimited_solve() {
    let monitor = with_limits(Limits::default());
    assert!(!monitor.should_stop());
    assert!(monitor.begin_iteration().is_ok());
}

#[test]
fn time_and_huge_time() {
    assert!(with_limits(Limits { time: Some(Duration::ZERO), ..Limits::default() }).should_stop());
    assert!(!with_limits(Limits { time: Some(Duration::MAX), ..Limits::default() }).should_stop());
}

#[test]
fn memory_is_refused_beyond_the_limit_alone() {
    let what = || "a table".to_owned();
    let monitor = with_limits(Limits { memory: Some(100), ..Limits::default() });
    assert!(monitor.check_memory(100, what).is_ok());
    let refused = monitor.check_memory(101, what).unwrap_err().to_string();
    assert_eq!(refused, "a table needs 101 bytes, the limit is 100 bytes");
    assert!(with_limits(Limits::default()).check_memory(1 << 20, what).is_ok());
    assert!(with_limits(Limits::default()).check_memory(u128::MAX, what).is_err());
}

#[test]
fn lists_of_a_megabyte_are_within_any_limit() {
    let what = || "a list".to_owned();
    let monitor = with_limits(Limits { memory: Some(100), ..Limits::default() });
    assert!(monitor.expect_lists(LITTLE, what).is_ok());
    assert!(matches!(
        monitor.expect_lists(LITTLE + 1, what).err().as_deref(),
        Some(Error::OutOfMemory { .. })
    ));
    let monitor = with_limits(Limits::default());
    assert!(monitor.expect_lists(u64::MAX.into(), what).is_err());
    assert!(monitor.enter("phase").is_ok());
}

#[test]
fn a_limit_that_nobody_met_cut_nothing_short() {
    let monitor = with_limits(Limits { time: Some(Duration::ZERO), ..Limits::default() });
    assert!(monitor.check_step(1).is_ok());
    assert!(!monitor.interrupted());
    assert!(monitor.check_step(STEPS_PER_CHECK).is_err());
    assert!(monitor.interrupted());
}

#[test]
fn the_iteration_after_the_last_is_refused() {
    let monitor = with_limits(Limits { iterations: Some(2), ..Limits::default() });
    assert!(monitor.begin_iteration().is_ok());
    assert!(monitor.begin_iteration().is_ok());
    assert!(matches!(monitor.begin_iteration().err().as_deref(), Some(Error::Stopped)));
    assert!(monitor.should_stop());
}

#[test]
fn a_maximisation_keeps_the_largest_objective_and_the_smallest_bound() {
    let monitor = Monitor::maximising(&SolveOptions::default());
    for (incumbent, bound) in
        [(Some(3), Some(9)), (Some(5), Some(8)), (Some(4), None), (None, Some(10))]
    {
        note(&monitor, incumbent, bound);
    }
    assert_eq!(monitor.lock().values, values(Some(5), Some(8)));
}

#[test]
fn a_stop_is_not_taken_back() {
    let stop = StopHandle::new();
    let monitor =
        Monitor::new(&SolveOptions { stop: Some(stop.clone()), ..SolveOptions::default() });
    assert!(!monitor.should_stop());
    stop.stop();
    assert!(monitor.should_stop());
    stop.reset();
    assert!(monitor.should_stop());
}

#[test]
fn the_callback_hears_the_best_values_once_and_may_stop() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = heard.clone();
    let progress: ProgressCallback = Arc::new(move |progress: &Progress| {
        assert!(shows_its_solution(progress) && progress.incumbent::<u8>().is_none());
        sink.lock().unwrap().push(Values { objective: progress.objective, bound: progress.bound });
        if progress.objective == Some(Value::Whole(8)) { Control::Stop } else { Control::Continue }
    });
    let monitor =
        Monitor::new(&SolveOptions { progress: Some(progress), ..SolveOptions::default() });
    // After the answer for 8 nothing is reported.
    for (incumbent, bound) in [
        (Some(9), None),
        (None, Some(7)),
        (Some(10), Some(6)),
        (None, None),
        (Some(8), None),
        (Some(7), None),
    ] {
        note(&monitor, incumbent, bound);
        monitor.report("phase", None);
    }
    let expected = [(Some(9), None), (Some(9), Some(7)), (Some(8), Some(7))]
        .map(|(objective, bound)| values(objective, bound));
    assert_eq!(*heard.lock().unwrap(), expected);
    assert!(monitor.should_stop());
}

#[test]
fn a_phase_that_only_looks_whether_to_stop_asks_the_callback() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = heard.clone();
    let progress: ProgressCallback = Arc::new(move |progress: &Progress| {
        sink.lock().unwrap().push(progress.phase);
        Control::Stop
    });
    let monitor =
        Monitor::new(&SolveOptions { progress: Some(progress), ..SolveOptions::default() });
    monitor.enter("phase").unwrap();
    let elsewhere = || {
        thread::sleep(REPORT_INTERVAL);
        monitor.should_stop()
    };
    assert!(
        !thread::scope(|scope| scope.spawn(elsewhere).join().unwrap()),
        "not on another thread"
    );
    assert!(monitor.should_stop() && monitor.should_stop());
    assert_eq!(*heard.lock().unwrap(), ["phase"]);
}

#[test]
fn a_reduced_problem_is_told_in_the_terms_of_the_solve() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let sink = heard.clone();
    let progress: ProgressCallback = Arc::new(move |progress: &Progress| {
        let values = Values { objective: progress.objective, bound: progress.bound };
        sink.lock().unwrap().push((values, progress.incumbent::<i64>().copied()));
        Control::Continue
    });
    let limits = Limits { iterations: Some(2), ..Limits::default() };
    let options = SolveOptions { limits, progress: Some(progress), ..SolveOptions::default() };
    let whole = Monitor::new(&options);
    whole.begin_iteration().unwrap();
    let found = |found: Found| found.map(|&solution: &i64| Some(solution - 10));
    let part = whole.reduced(None, Offset { added: -10, highest: 15, found });
    // A solution of the reduced problem above the limit has no solution of the solve's own problem.
    for (objective, bound) in [(16i64, 12i64), (15, 11), (14, 13)] {
        part.opening().note_found(objective, Some(bound), || Found::new(move || Some(objective)));
        part.note_found(objective, Some(bound), || Found::new(move || Some(objective)));
        part.report("phase", None);
    }
    let expected = [(None, 2), (Some(5), 2), (Some(4), 3)];
    let expected = expected.map(|(own, bound)| (values(own, Some(bound)), own));
    assert_eq!(*heard.lock().unwrap(), expected);
    // Its iterations are those of the solve.
    part.begin_iteration().unwrap();
    assert!(!whole.interrupted() && part.begin_iteration().is_err());
    whole.join(&part);
    assert!(whole.interrupted());
}

/// What happens to a solve with nested parts.
#[derive(Debug, Clone)]
enum Event {
    /// The monitor at this depth notes values.
    Note(usize, Option<i64>, Option<i64>),
    BeginPart,
    BeginOpening,
    EndPart,
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let value = || prop_oneof![Just(None), (-20i64..20).prop_map(Some)];
    let event = prop_oneof![
        6 => (0usize..3, value(), value()).prop_map(|(depth, a, b)| Event::Note(depth, a, b)),
        1 => Just(Event::BeginPart),
        1 => Just(Event::BeginOpening),
        2 => Just(Event::EndPart),
    ];
    prop::collection::vec(event, 0..60)
}

/// Plays the events with all parts joined, and returns the values that were noted in that order.
fn play(whole: &Monitor, events: &[Event]) -> Vec<Values> {
    let mut noted = Vec::new();
    let mut open = vec![whole.clone()];
    let end = |open: &mut Vec<Monitor>| {
        if open.len() > 1 {
            let part = open.pop().unwrap();
            open.last().unwrap().join(&part);
        }
    };
    for event in events {
        match *event {
            Event::Note(depth, objective, bound) => {
                note(&open[depth.min(open.len() - 1)], objective, bound);
                noted.push(values(objective, bound));
                open[depth.min(open.len() - 1)].report("phase", None);
                // Values of one moment would be one point.
                let now = whole.elapsed();
                while whole.elapsed() == now {}
            }
            Event::BeginPart => open.push(open.last().unwrap().part(None, None)),
            Event::BeginOpening => open.push(open.last().unwrap().opening()),
            Event::EndPart => end(&mut open),
        }
    }
    while open.len() > 1 {
        end(&mut open);
    }
    noted
}

proptest! {
    #[test]
    fn a_trace_has_every_better_value_once(
        events in events(),
        sense in prop::sample::select(Sense::ALL.to_vec()),
        result in (prop_oneof![Just(None), (-30i64..30).prop_map(Some)], -30i64..30),
    ) {
        let progress: ProgressCallback = Arc::new(move |progress: &Progress| {
            assert!(progress.phase == "end" || shows_its_solution(progress));
            Control::Continue
        });
        let options = SolveOptions { progress: Some(progress), ..SolveOptions::default() };
        let whole = Monitor::start(sense, &options);
        let noted = play(&whole, &events);
        let mut expected = vec![Values::default()];
        for values in noted {
            expected.push(expected.last().unwrap().best(values, sense));
        }
        let last = values(result.0, Some(result.1));
        expected.push(last);
        expected.dedup();
        expected.remove(0);

        let certificate = Certificate::stopped(sense, last.bound.map(|_| result.1));
        let mut outcome = certificate.outcome::<()>(None, Report::default());
        outcome.objective = result.0;
        let trace = whole.conclude(outcome).report.trace;
        prop_assert!(trace.is_sorted_by(|a, b| a.seconds < b.seconds));
        let found: Vec<_> = trace
            .iter()
            .map(|&TracePoint { objective, bound, .. }| Values { objective, bound })
            .collect();
        prop_assert_eq!(found, expected);
    }
}
