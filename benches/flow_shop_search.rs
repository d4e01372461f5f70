//! Tabu search of the flow shop: how fast it evaluates neighbours.
//!
//! ```text
//! cargo bench --bench flow_shop_search -- table2 [registers]
//! cargo bench --bench flow_shop_search -- tabu cpu|device [TRAJECTORIES]
//! ```
//!
//! `table2` prints the time of tabu search with swaps evaluated in full over that with the prefix
//! reused and with heads and tails, on the first device; full and prefix keep columns in local
//! memory, as published, or in registers. `tabu` prints neighbours a second in whole generations,
//! on one thread or on the first device.
#![allow(clippy::print_stdout, reason = "a measuring program")]

use std::error::Error;
use std::ops::Range;
use std::time::{Duration, Instant};

use makespan::flow_shop::{
    Evaluation, Instance, Method, Neighbourhood, Options, SearchOptions, TabuList, solve,
};
use makespan::{Context, ContextOptions, Engine, Limits, SolveOptions};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|word| word != "--bench").collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words[..] {
        ["table2"] => table2(true),
        ["table2", "registers"] => table2(false),
        ["tabu", "cpu"] => rates(Engine::Cpu, 1),
        ["tabu", "device"] => rates(Engine::Device, 1),
        ["tabu", "device", trajectories] => rates(Engine::Device, trajectories.parse()?),
        _ => {
            println!(
                "usage: flow_shop_search table2 [registers]|tabu cpu|tabu device [TRAJECTORIES]"
            );
            Ok(())
        }
    }
}

/// Jobs, machines, and what the published table has for 10, 100 and 1000 generations.
const SIZES: [(usize, usize, [f64; 3]); 8] = [
    (100, 15, [0.83, 0.65, 0.61]),
    (150, 20, [0.95, 0.87, 0.85]),
    (200, 25, [1.01, 1.03, 1.03]),
    (350, 25, [1.12, 1.28, 1.33]),
    (500, 30, [1.15, 1.30, 1.34]),
    (650, 30, [1.15, 1.32, 1.36]),
    (800, 35, [1.20, 1.35, 1.37]),
    (900, 40, [1.31, 1.47, 1.50]),
];
/// Seed of the generated instances.
const SEED: u64 = 12345;

fn table2(local_columns: bool) -> Result<()> {
    let context =
        Context::new(ContextOptions { engine: Engine::Device, ..ContextOptions::default() })?;
    println!("jobs machines generations full(s) prefix published heads-and-tails");
    for (jobs, machines, published) in SIZES {
        let instance = generate(jobs, machines)?;
        for (generations, published) in [10, 100, 1000].into_iter().zip(published) {
            let seconds = |evaluation| {
                let search = SearchOptions {
                    neighbourhood: Neighbourhood::Swap,
                    evaluation: Some(evaluation),
                    tabu_list: TabuList::Sequences,
                    local_columns: local_columns && evaluation != Evaluation::HeadsAndTails,
                    ..SearchOptions::default()
                };
                tabu_seconds(&context, &instance, search, generations)
            };
            let full = seconds(Evaluation::Full)?;
            let (prefix, both) =
                (seconds(Evaluation::Prefix)?, seconds(Evaluation::HeadsAndTails)?);
            let (prefix, both) = (full / prefix, full / both);
            println!(
                "{jobs:4} {machines:8} {generations:11} {full:7.3} {prefix:6.2} {published:9.2} {both:15.2}"
            );
        }
    }
    Ok(())
}

/// Sizes whose rates are of interest.
const RATE_SIZES: [(usize, usize); 5] = [(100, 20), (200, 20), (500, 20), (900, 40), (800, 60)];
/// Duration of a measurement of a rate.
const RATE_TIME: Duration = Duration::from_millis(500);

fn rates(engine: Engine, trajectories: usize) -> Result<()> {
    let context =
        Context::new(ContextOptions { engine, threads: Some(1), ..ContextOptions::default() })?;
    println!("jobs machines neighbourhood trajectories generation(us) neighbours/s");
    for (jobs, machines) in RATE_SIZES {
        let instance = generate(jobs, machines)?;
        for neighbourhood in [Neighbourhood::Insertion, Neighbourhood::Swap] {
            let search = SearchOptions {
                neighbourhood,
                trajectories: Some(trajectories),
                ..SearchOptions::default()
            };
            let options = Options { method: Method::Tabu, search, ..Options::default() };
            let run = |limits| {
                let solve_options = SolveOptions { limits, ..SolveOptions::default() };
                solve(&context, &instance, &options, &solve_options).map(|outcome| outcome.report)
            };
            // The first one builds the kernels as well.
            run(Limits { iterations: Some(1), ..Limits::default() })?;
            let start = run(Limits { iterations: Some(1), ..Limits::default() })?.seconds;
            let time = Some(RATE_TIME + Duration::from_secs_f64(start));
            let report = run(Limits { time, ..Limits::default() })?;
            let count = |name| report.statistics.get(name).unwrap_or(0) as f64;
            let (name, seconds) = (format!("{neighbourhood:?}"), report.seconds - start);
            let (micros, rate) =
                (seconds / count("iterations") * 1e6, count("evaluations") / seconds);
            println!(
                "{jobs:4} {machines:8} {name:13} {trajectories:12} {micros:14.1} {rate:12.3e}"
            );
        }
    }
    Ok(())
}

/// Without the work that is done once. Both times are the least of several, so that the rest of a
/// short search is meaningful.
fn tabu_seconds(
    context: &Context,
    instance: &Instance,
    search: SearchOptions,
    generations: u64,
) -> Result<f64> {
    let options = Options { method: Method::Tabu, search, ..Options::default() };
    let run = |iterations| -> Result<f64> {
        let limits = Limits { iterations: Some(iterations), ..Limits::default() };
        let solve_options = SolveOptions { limits, ..SolveOptions::default() };
        Ok(solve(context, instance, &options, &solve_options)?.report.seconds)
    };
    let least = |iterations| -> Result<f64> {
        let begin = Instant::now();
        let (mut seconds, mut runs) = (f64::INFINITY, 0);
        while runs < REPETITIONS.start
            || runs < REPETITIONS.end && begin.elapsed() < REPETITION_TIME
        {
            seconds = seconds.min(run(iterations)?);
            runs += 1;
        }
        Ok(seconds)
    };
    Ok(least(generations + 1)? - least(1)?)
}

/// Number of repetitions of a search: more for short ones, within a time limit.
const REPETITIONS: Range<u32> = 3..80;
const REPETITION_TIME: Duration = Duration::from_millis(400);

/// Times by Taillard's generator.
fn generate(jobs: usize, machines: usize) -> Result<Instance> {
    let mut state = SEED;
    let mut times = vec![0; jobs * machines];
    for machine in 0..machines {
        for job in 0..jobs {
            state = state * 16807 % 2_147_483_647;
            times[job * machines + machine] = 1 + (99 * state / 2_147_483_647) as u32;
        }
    }
    Ok(Instance::new(jobs, machines, times)?)
}
