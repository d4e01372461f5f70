//! How short the flow shop schedules are: deviations from the best known makespans.
//!
//! ```text
//! cargo bench --bench flow_shop_quality -- taillard [NAME=VALUE ...]
//! cargo bench --bench flow_shop_quality -- vrf=FOLDER [NAME=VALUE ...]
//! ```
//!
//! Prints a line for each instance and the average relative percentage deviation by class. The
//! folder has `instances/` and `best_known.csv` with lines `name,jobs,machines,best`. A makespan
//! below a proved bound ends the run. Values:
//!
//! * `milliseconds`: an instance gets jobs x machines / 2 times this number (30); `seconds`: or this
//!   number of seconds
//! * `method`, `engine`, `seed`: as the command has them (auto, cpu, 0)
//! * `neighbourhood`, `tabu-list`, `tenure`: of tabu search, as the command has them (insertion,
//!   attributes, 10)
//! * `threads`: of each solve (2); `runs`: solves side by side (1)
//! * `classes`: such as `100x20,200x20` (all); `names`: such as `ta051,ta111` (all)
//! * `first`, `per-class`: the instances of a class from this number on (0), and how many (all)
#![allow(clippy::print_stdout, reason = "a measuring program")]

use std::collections::{BTreeMap, HashMap};
use std::error::Error;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use makespan::flow_shop::{
    Instance, Method, Neighbourhood, Options, SearchOptions, TabuList, solve, taillard,
};
use makespan::{Context, ContextOptions, Control, Engine, Limits, Progress, SolveOptions};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// An instance with its best known makespan.
struct Case {
    name: String,
    instance: Instance,
    best: u64,
}

/// The measurement.
struct Plan {
    method: Method,
    search: SearchOptions,
    engine: Engine,
    seed: u64,
    threads: usize,
    milliseconds: u64,
    seconds: Option<u64>,
}

/// The time of the last improvement of the makespan, from the progress callback.
#[derive(Default)]
struct Last {
    makespan: Option<u64>,
    at: Duration,
}

fn main() -> Result<()> {
    let mut values: HashMap<String, String> = HashMap::new();
    for word in std::env::args().skip(1).filter(|word| word != "--bench") {
        let (name, value) = word.split_once('=').unwrap_or((&word, ""));
        values.insert(name.to_owned(), value.to_owned());
    }
    let cases = match (values.contains_key("taillard"), values.get("vrf")) {
        (true, _) => taillard_cases(),
        (_, Some(folder)) => vrf_cases(Path::new(folder))?,
        _ => return Err("usage: flow_shop_quality taillard|vrf=FOLDER [NAME=VALUE ...]".into()),
    };
    let method = values.get("method").map_or("auto", String::as_str);
    let engine = values.get("engine").map_or("cpu", String::as_str);
    let plan = Plan {
        method: Method::ALL
            .into_iter()
            .find(|known| known.name() == method)
            .ok_or("no such method")?,
        engine: match engine {
            "cpu" => Engine::Cpu,
            "device" => Engine::Device,
            "auto" => Engine::Auto,
            _ => return Err("no such engine".into()),
        },
        search: search(&values)?,
        seed: number(&values, "seed", 0)?,
        threads: number(&values, "threads", 2)?,
        milliseconds: number(&values, "milliseconds", 30)?,
        seconds: values.get("seconds").map(|seconds| seconds.parse()).transpose()?,
    };
    let cases = chosen(cases, &values)?;
    let deviations = run(&cases, &plan, number(&values, "runs", 1)?)?;
    print(&cases, &deviations);
    Ok(())
}

/// The options of tabu search.
fn search(values: &HashMap<String, String>) -> Result<SearchOptions> {
    let usual = SearchOptions::default();
    let neighbourhood = match values.get("neighbourhood").map(String::as_str) {
        None | Some("insertion") => Neighbourhood::Insertion,
        Some("swap") => Neighbourhood::Swap,
        _ => return Err("no such neighbourhood".into()),
    };
    let tabu_list = match values.get("tabu-list").map(String::as_str) {
        None | Some("attributes") => TabuList::Attributes,
        Some("sequences") => TabuList::Sequences,
        _ => return Err("no such tabu list".into()),
    };
    Ok(SearchOptions {
        neighbourhood,
        tabu_list,
        tenure: number(values, "tenure", usual.tenure)?,
        ..usual
    })
}

fn number<T: std::str::FromStr>(values: &HashMap<String, String>, name: &str, usual: T) -> Result<T>
where
    T::Err: Error + Send + Sync + 'static,
{
    Ok(values.get(name).map(|value| value.parse()).transpose()?.unwrap_or(usual))
}

fn taillard_cases() -> Vec<Case> {
    let case = |known: taillard::Known| Case {
        name: known.name(),
        instance: known.instance(),
        best: known.upper_bound.into(),
    };
    taillard::all().map(case).collect()
}

fn vrf_cases(folder: &Path) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for line in std::fs::read_to_string(folder.join("best_known.csv"))?.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [name, _, _, best] = fields[..] else { continue };
        let instance = Instance::read(folder.join("instances").join(format!("{name}.txt")))?;
        cases.push(Case { name: name.to_owned(), instance, best: best.parse()? });
    }
    Ok(cases)
}

/// The cases asked for, the longest first, so that runs side by side end together.
fn chosen(cases: Vec<Case>, values: &HashMap<String, String>) -> Result<Vec<Case>> {
    let listed = |name: &str, word: &str| {
        values.get(name).is_none_or(|list| list.split(',').any(|listed| listed == word))
    };
    let (first, count): (usize, usize) =
        (number(values, "first", 0)?, number(values, "per-class", usize::MAX)?);
    let mut seen: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut chosen = Vec::new();
    for case in cases {
        let class = size(&case);
        let number = seen.entry(class).or_default();
        *number += 1;
        let within = *number > first && *number - first <= count;
        if within
            && listed("names", &case.name)
            && listed("classes", &format!("{}x{}", class.0, class.1))
        {
            chosen.push(case);
        }
    }
    chosen.sort_by_key(|case| std::cmp::Reverse(case.instance.jobs() * case.instance.machines()));
    Ok(chosen)
}

fn size(case: &Case) -> (usize, usize) {
    (case.instance.jobs(), case.instance.machines())
}

/// The deviation of each case in percent.
fn run(cases: &[Case], plan: &Plan, runs: usize) -> Result<Vec<f64>> {
    let next = AtomicUsize::new(0);
    let deviations = Mutex::new(vec![f64::NAN; cases.len()]);
    let work = || -> Result<()> {
        let context = Context::new(ContextOptions {
            engine: plan.engine,
            threads: Some(plan.threads),
            ..ContextOptions::default()
        })?;
        while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
            let deviation = measure(&context, case, plan)?;
            let index = cases
                .iter()
                .position(|other| std::ptr::eq(case, other))
                .ok_or("a case of no list")?;
            deviations.lock().map_err(|_| "a run failed")?[index] = deviation;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..runs).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a run failed")?)
    })?;
    Ok(deviations.into_inner()?)
}

fn measure(context: &Context, case: &Case, plan: &Plan) -> Result<f64> {
    let (jobs, machines) = size(case);
    let usual = Duration::from_millis((jobs * machines) as u64 * plan.milliseconds / 2);
    let time = plan.seconds.map_or(usual, Duration::from_secs);
    let last = Arc::new(Mutex::new(Last::default()));
    let heard = Arc::clone(&last);
    let progress = Arc::new(move |progress: &Progress| {
        if let Ok(mut last) = heard.lock()
            && last.makespan != progress.incumbent
        {
            *last = Last { makespan: progress.incumbent, at: progress.elapsed };
        }
        Control::Continue
    });
    let solve_options = SolveOptions {
        limits: Limits { time: Some(time), ..Limits::default() },
        seed: plan.seed,
        progress: Some(progress),
        ..SolveOptions::default()
    };
    let options = Options { method: plan.method, search: plan.search, ..Options::default() };
    let outcome = solve(context, &case.instance, &options, &solve_options)?;
    let (makespan, bound) = outcome.objective.zip(outcome.bound).ok_or("no schedule")?;
    if bound > case.best || (makespan == bound && makespan > case.best) {
        return Err(format!("{}: bound {bound} above {}", case.name, case.best).into());
    }
    let deviation = (makespan as f64 / case.best as f64 - 1.0) * 100.0;
    let (seconds, status) = (outcome.report.seconds, outcome.status);
    let at = last.lock().map_or(f64::NAN, |last| last.at.as_secs_f64());
    let counters: Vec<_> = outcome
        .report
        .statistics
        .iter()
        .map(|(name, count)| format!("{count:.2e} {name}"))
        .collect();
    println!(
        "{}: {makespan}, best known {}, {deviation:.2} %, bound {bound}, {status}, {at:.1} of {seconds:.1} s, {}",
        case.name,
        case.best,
        counters.join(", ")
    );
    Ok(deviation)
}

fn print(cases: &[Case], deviations: &[f64]) {
    let mut classes: BTreeMap<(usize, usize), Vec<f64>> = BTreeMap::new();
    for (case, &deviation) in cases.iter().zip(deviations) {
        classes.entry(size(case)).or_default().push(deviation);
    }
    println!("\njobs machines instances deviation in %");
    for ((jobs, machines), deviations) in &classes {
        println!("{jobs:4} {machines:8} {:9} {:9.3}", deviations.len(), mean(deviations));
    }
    println!("mean over {} instances {:.3} %", cases.len(), mean(deviations));
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
