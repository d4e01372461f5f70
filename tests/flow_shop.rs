//! The permutation flow shop from outside: never a false proof, stops in time, results that engines
//! agree on.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use makespan::flow_shop::{
    Bound, Branching, ExactOptions, Instance, Method, Options, Permutation, SearchOptions, solve,
    taillard,
};
use makespan::{
    Context, ContextOptions, Control, Engine, Error, Limits, Outcome, Progress, ProgressCallback,
    SolveOptions, Status, StopHandle,
};

fn context() -> Context {
    Context::new(ContextOptions { engine: Engine::Cpu, ..ContextOptions::default() }).unwrap()
}

fn branch_and_bound(exact: ExactOptions) -> Options {
    Options { method: Method::BranchAndBound, exact, ..Options::default() }
}

fn within(time: Duration) -> SolveOptions {
    SolveOptions {
        limits: Limits { time: Some(time), ..Limits::default() },
        ..SolveOptions::default()
    }
}

/// Fails on a proof above the best makespan known, and on a bound above it.
#[track_caller]
fn assert_sound(
    name: &str,
    instance: &Instance,
    outcome: &Outcome<Permutation>,
    lower: i64,
    upper: i64,
) {
    let (objective, bound) = (outcome.objective.unwrap(), outcome.bound.unwrap());
    let makespan = outcome.solution.as_ref().unwrap().makespan(instance).unwrap();
    assert_eq!(makespan as i64, objective, "{name}");
    assert!(objective >= lower, "{name}: {objective} is below the bound known, {lower}");
    assert!(bound <= upper, "{name}: bound {bound} is above a known schedule of {upper}");
    assert_eq!(outcome.status == Status::Optimal, objective == bound, "{name}");
}

/// Solves one of Taillard's instances; its number chooses the bound and the rule. Returns whether
/// the optimum was proved.
fn solve_taillard(context: &Context, number: usize, time: Duration) -> bool {
    let known = taillard::all().nth(number).unwrap();
    let exact = ExactOptions {
        bound: Bound::ALL[number % Bound::ALL.len()],
        branching: Branching::ALL[number / 3 % Branching::ALL.len()],
        ..ExactOptions::default()
    };
    let instance = known.instance();
    let outcome = solve(context, &instance, &branch_and_bound(exact), &within(time)).unwrap();
    assert_sound(
        &known.name(),
        &instance,
        &outcome,
        known.lower_bound.into(),
        known.upper_bound.into(),
    );
    outcome.status == Status::Optimal
}

#[test]
fn no_proof_contradicts_taillards_best_known_values() {
    let context = context();
    let proved = (0..120)
        .filter(|&number| solve_taillard(&context, number, Duration::from_millis(60)))
        .count();
    assert!(proved > 5, "only {proved} are proved");
}

/// These instances have many jobs per machine and are proved within seconds, at least with the
/// default bound and rule.
#[test]
#[ignore = "takes minutes"]
fn no_long_proof_contradicts_taillards_best_known_values() {
    let context = context();
    let numbers = (0..20).chain(30..50).chain(60..80);
    let proved =
        numbers.filter(|&number| solve_taillard(&context, number, Duration::from_secs(10))).count();
    assert!(proved > 30, "only {proved} are proved");
}

/// The variable names a folder with the instances of Vallada, Ruiz and Framinan and
/// `best_known.csv`; the library has no copy of them.
#[test]
#[allow(clippy::print_stderr, reason = "a test run must show what it did not test")]
fn no_proof_contradicts_the_best_known_values_of_a_folder() {
    let Some(folder) = std::env::var_os("MAKESPAN_VRF_FOLDER").map(PathBuf::from) else {
        eprintln!(
            "skipped: MAKESPAN_VRF_FOLDER does not name the folder of Vallada, Ruiz and Framinan's instances"
        );
        return;
    };
    let context = context();
    let table = std::fs::read_to_string(folder.join("best_known.csv")).unwrap();
    let mut proved = 0;
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [name, jobs, _, best] = fields[..] else { panic!("{line}") };
        if jobs.parse::<usize>().unwrap() > 60 {
            continue;
        }
        let instance =
            Instance::read(folder.join("instances").join(name).with_extension("txt")).unwrap();
        let options = branch_and_bound(ExactOptions::default());
        let outcome =
            solve(&context, &instance, &options, &within(Duration::from_millis(300))).unwrap();
        // A proof may be of a shorter schedule than is known, but not of a longer one.
        assert_sound(name, &instance, &outcome, outcome.bound.unwrap(), best.parse().unwrap());
        proved += usize::from(outcome.status == Status::Optimal);
    }
    assert!(proved > 30, "only {proved} are proved");
}

#[test]
fn an_upper_bound_below_the_optimum_proves_itself_alone() {
    let known = taillard::find("ta003").unwrap();
    let upper_bound = u64::from(known.upper_bound) - 5;
    let exact = ExactOptions { upper_bound: Some(upper_bound), ..ExactOptions::default() };
    let outcome =
        solve(&context(), &known.instance(), &branch_and_bound(exact), &SolveOptions::default())
            .unwrap();
    assert_eq!((outcome.status, outcome.bound), (Status::Infeasible, Some(upper_bound as i64)));
    assert_eq!((outcome.objective, outcome.solution), (None, None));
    assert!(!outcome.report.interrupted);
}

#[test]
fn a_time_limit_and_a_stop_end_the_search_soon() {
    let instance = Instance::named("ta051").unwrap();
    let options = branch_and_bound(ExactOptions::default());
    let outcome =
        solve(&context(), &instance, &options, &within(Duration::from_millis(50))).unwrap();
    assert!(outcome.report.interrupted && outcome.status == Status::Feasible);
    assert!(outcome.bound.unwrap() >= 3_000);

    let stop = StopHandle::new();
    stop.stop();
    let stopped = SolveOptions { stop: Some(stop), ..SolveOptions::default() };
    let outcome = solve(&context(), &instance, &options, &stopped).unwrap();
    assert!(outcome.report.interrupted && outcome.solution.is_some());
}

#[test]
fn every_search_ends_by_time_by_a_stop_and_by_the_callback() {
    let instance = Instance::named("ta081").unwrap();
    for (method, phase) in [
        (Method::Auto, "beam"),
        (Method::Beam, "beam"),
        (Method::IteratedGreedy, "iterated greedy"),
        (Method::Tabu, "tabu"),
    ] {
        let options = Options { method, ..Options::default() };
        let in_phase = Arc::new(AtomicBool::new(false));
        let heard = Arc::clone(&in_phase);
        let progress: ProgressCallback = Arc::new(move |progress: &Progress| {
            let stops = progress.phase == phase;
            heard.fetch_or(stops, Ordering::Relaxed);
            if stops { Control::Stop } else { Control::Continue }
        });
        let stop = StopHandle::new();
        stop.stop();
        let hour = Limits { time: Some(Duration::from_secs(3600)), ..Limits::default() };
        for solve_options in [
            SolveOptions {
                limits: hour.clone(),
                progress: Some(progress),
                ..SolveOptions::default()
            },
            SolveOptions { limits: hour, stop: Some(stop), ..SolveOptions::default() },
            within(Duration::from_millis(50)),
        ] {
            let outcome = solve(&context(), &instance, &options, &solve_options).unwrap();
            assert!(outcome.report.interrupted, "{method:?}");
            let makespan = outcome.solution.unwrap().makespan(&instance).unwrap();
            assert_eq!(makespan as i64, outcome.objective.unwrap());
        }
        assert!(in_phase.load(Ordering::Relaxed), "{method:?} told of no phase {phase}");
    }
}

#[test]
fn auto_ends_where_none_is_as_short_as_sought() {
    let instance = Instance::named("ta021").unwrap();
    let exact = ExactOptions { upper_bound: Some(1900), ..ExactOptions::default() };
    let options = Options { exact, ..Options::default() };
    let outcome =
        solve(&context(), &instance, &options, &within(Duration::from_secs(3600))).unwrap();
    assert_eq!((outcome.status, outcome.report.interrupted), (Status::Infeasible, false));
}

#[test]
fn auto_does_without_the_trajectories_that_there_is_no_memory_for() {
    let instance = Instance::named("ta051").unwrap();
    let run = |method| {
        let search = SearchOptions { trajectories: Some(1 << 16), ..SearchOptions::default() };
        let limits = Limits { memory: Some(64 << 20), iterations: Some(3), ..Limits::default() };
        let solve_options = SolveOptions { limits, ..SolveOptions::default() };
        solve(
            &context(),
            &instance,
            &Options { method, search, ..Options::default() },
            &solve_options,
        )
    };
    let outcome = run(Method::Auto).unwrap();
    assert!(outcome.solution.is_some());
    assert!(outcome.report.warning.unwrap().starts_with("iterated greedy search was left out: "));
    assert!(matches!(
        run(Method::IteratedGreedy).err().as_deref(),
        Some(Error::OutOfMemory { .. })
    ));
}

#[test]
fn a_checkpoint_of_another_instance_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("search");
    let exact = || ExactOptions { checkpoint: Some(path.clone()), ..ExactOptions::default() };
    let limits = within(Duration::from_millis(20));
    let run = |name| {
        solve(&context(), &Instance::named(name).unwrap(), &branch_and_bound(exact()), &limits)
    };
    run("ta021").unwrap();
    let Error::InvalidArgument { argument: "checkpoint", reason, .. } = *run("ta022").unwrap_err()
    else {
        panic!("another error");
    };
    assert!(reason.ends_with("belongs to another instance"), "{reason}");
    std::fs::write(&path, "7").unwrap();
    assert!(matches!(
        run("ta021").err().as_deref(),
        Some(Error::InvalidArgument { argument: "checkpoint", .. })
    ));
    // A file that can't be written is noticed at once.
    let missing = folder.path().join("missing/search");
    let exact = ExactOptions { checkpoint: Some(missing), ..ExactOptions::default() };
    let refused =
        solve(&context(), &Instance::named("ta021").unwrap(), &branch_and_bound(exact), &limits);
    assert!(matches!(refused.as_ref().err().map(Box::as_ref), Some(Error::Io { .. })));
}

#[test]
fn what_a_checkpoint_looks_for_stays_and_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let run = |upper_bound| {
        let checkpoint = Some(folder.path().join("search"));
        let exact = ExactOptions { upper_bound, checkpoint, ..ExactOptions::default() };
        let instance = Instance::named("ta003").unwrap();
        solve(&context(), &instance, &branch_and_bound(exact), &SolveOptions::default()).unwrap()
    };
    let first = run(Some(1070));
    assert_eq!((first.status, first.report.warning), (Status::Infeasible, None));
    let second = run(None);
    assert_eq!((second.status, second.report.statistics.get("nodes")), (Status::Feasible, Some(0)));
    assert!(second.report.warning.unwrap().contains("schedules shorter than 1070"));
}

#[test]
fn a_search_that_runs_out_of_memory_keeps_its_schedule() {
    let instance = Instance::named("ta051").unwrap();
    let limits = Limits { memory: Some(20 << 10), ..Limits::default() };
    let solve_options = SolveOptions { limits, ..SolveOptions::default() };
    let outcome =
        solve(&context(), &instance, &branch_and_bound(ExactOptions::default()), &solve_options)
            .unwrap();
    assert_eq!((outcome.status, outcome.report.interrupted), (Status::Feasible, false));
    let makespan = outcome.solution.unwrap().makespan(&instance).unwrap();
    assert_eq!(makespan as i64, outcome.objective.unwrap());
    assert!(outcome.report.warning.unwrap().starts_with("branch and bound ended early: "));
}

#[test]
fn a_search_beyond_the_memory_is_refused() {
    let instance = Instance::new(600, 30, vec![1; 18_000]).unwrap();
    let limits = Limits { memory: Some(4 << 20), ..Limits::default() };
    let exact = ExactOptions { bound: Bound::TwoMachine, ..ExactOptions::default() };
    let solve_options = SolveOptions { limits, ..SolveOptions::default() };
    let refused = solve(&context(), &instance, &branch_and_bound(exact), &solve_options);
    assert!(matches!(refused.as_ref().err().map(Box::as_ref), Some(Error::OutOfMemory { .. })));
}
