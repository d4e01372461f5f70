//! Long solves end soon after a stop request, in every phase.

mod processor_time;
mod test_devices;

use std::thread;
use std::time::Duration;

use makespan::parallel_machines::{Instance, Method, Options, solve};
use makespan::{Context, ContextOptions, Engine, Limits, SolveOptions, StopHandle, lattice_dp};
use processor_time::worked_after;
use test_devices::{device_contexts, skipped};

/// One test for all, since processor time is that of the whole process.
#[test]
fn long_solves_end_soon_when_asked() {
    tables_of_the_scheme();
    certified_solving();
    tables_on_devices();
}

fn context(threads: usize) -> Context {
    let options =
        ContextOptions { engine: Engine::Cpu, threads: Some(threads), ..ContextOptions::default() };
    Context::new(options).unwrap()
}

/// Solves with the time limit, then with a stop handle tripped at that time; `late` is the
/// processor time that a solve may take after it.
fn ends_in_time(length: Duration, limits: &Limits, late: Duration, solve: impl Fn(&SolveOptions)) {
    let by_time = Limits { time: Some(length), ..limits.clone() };
    let stop = StopHandle::new();
    for (limits, handle) in [(by_time, None), (limits.clone(), Some(stop.clone()))] {
        let options = SolveOptions { limits, stop: handle, ..SolveOptions::default() };
        let tripper = thread::spawn({
            let stop = stop.clone();
            move || {
                thread::sleep(length);
                stop.stop();
            }
        });
        let ((), worked) = worked_after(length, || solve(&options));
        tripper.join().unwrap();
        assert!(worked < late, "{worked:?} worked after {length:?}");
    }
}

fn tables_of_the_scheme() {
    // 3^20 cells, 7 GB; the longest runs touch one or two of them.
    let instance = Instance::new((0..40).map(|job| 1000 + job / 2 * 50).collect(), 12).unwrap();
    let limits = Limits { memory: Some(16 << 30), ..Limits::default() };
    let options = Options { method: Method::Ptas, epsilon: 0.05, ..Options::default() };
    for (threads, milliseconds) in [(1, 300), (2, 300), (2, 2000)] {
        let context = context(threads as usize);
        ends_in_time(
            Duration::from_millis(milliseconds),
            &limits,
            Duration::from_millis(100) * threads,
            |solve_options| {
                let outcome = solve(&context, &instance, &options, solve_options).unwrap();
                let makespan = outcome.solution.unwrap().makespan(&instance).unwrap();
                assert_eq!(outcome.objective, Some(makespan as i64));
                assert!(outcome.report.interrupted);
            },
        );
    }
}

fn certified_solving() {
    // Two and a half jobs on each machine and times so long that no two sums meet: open for hours.
    let mut state = 1u64;
    let times = (0..90).map(|_| {
        state = state * 16807 % 2147483647;
        let time = 500 + state % 500;
        time * time * time + time % 997
    });
    let instance = Instance::new(times.collect(), 36).unwrap();
    let context = context(1);
    for (method, milliseconds) in [(Method::Auto, 20), (Method::Exact, 150), (Method::Exact, 700)] {
        let options = Options { method, ..Options::default() };
        ends_in_time(
            Duration::from_millis(milliseconds),
            &Limits::default(),
            Duration::from_millis(100),
            |solve_options| {
                let outcome = solve(&context, &instance, &options, solve_options).unwrap();
                let makespan = outcome.solution.unwrap().makespan(&instance).unwrap();
                assert_eq!(outcome.objective, Some(makespan as i64));
                assert!(outcome.report.interrupted, "{method:?}, {milliseconds} ms");
            },
        );
    }
}

fn tables_on_devices() {
    for (device, simulator) in device_contexts() {
        if simulator {
            skipped("a simulator would take too long");
            continue;
        }
        // 4^14 cells and unit steps of all lengths: seconds at least.
        let vectors = (0..14).flat_map(|i| (1..4).map(move |length| (i, length)));
        let offsets = vectors.map(|(i, length)| {
            let vector: [u32; 14] = std::array::from_fn(|j| if i == j { length } else { 0 });
            (vector, 1)
        });
        let lattice = lattice_dp::Instance::new(&[4; 14], offsets).unwrap();
        let options = lattice_dp::Options::default();
        // The first solve builds the kernels, some drivers at the first launch.
        let tiny = lattice_dp::Instance::new(&[2], [([1], 1)]).unwrap();
        lattice_dp::solve(&device, &tiny, &options, &SolveOptions::default()).unwrap();
        // A device may be all cores.
        let cores = thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
        ends_in_time(
            Duration::from_millis(100),
            &Limits::default(),
            Duration::from_millis(200) * cores,
            |solve_options| {
                let outcome =
                    lattice_dp::solve(&device, &lattice, &options, solve_options).unwrap();
                assert!(outcome.report.interrupted || outcome.objective.is_some());
            },
        );
    }
}
