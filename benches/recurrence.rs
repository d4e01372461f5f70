//! Recurrences: the measurements that the source of the p-fold pipeline leaves open, the rates of
//! the general method, and the fast paths. Arguments name sections (`paper`, `knapsack`,
//! `rates`, `batch`, `fast`); none means all. The device is the first one, or
//! MAKESPAN_BENCH_DEVICE.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints")]

use std::time::Instant;

use makespan::recurrence::{Instance, Method, Options, Output, Semiring, largest_fold, solve};
use makespan::{Context, ContextOptions, Engine, Error, SolveOptions};

/// A reproducible sequence of numbers (Steele, Lea and Flood 2014).
fn numbers(mut state: u64) -> impl FnMut(u64) -> u64 {
    move |below| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    }
}

/// Offsets `smallest`, `smallest + gap`, ... in decreasing order.
fn offsets(smallest: u64, gap: u64, count: u64) -> Vec<u64> {
    (0..count).rev().map(|index| smallest + index * gap).collect()
}

/// (min,+) with random values and weights.
fn min_plus(offsets: Vec<u64>, filled: u64, instances: usize) -> Instance {
    let mut random = numbers(1);
    let initial = (0..offsets[0] * instances as u64).map(|_| random(1000) as i64).collect();
    let weights = offsets.iter().map(|_| random(100) as i64).collect();
    let length = offsets[0] + filled;
    let instance = Instance::batch(Semiring::MinPlus, offsets, initial, length, instances).unwrap();
    instance.with_weights(weights).unwrap()
}

struct Bench {
    contexts: Vec<(&'static str, Context)>,
}

impl Bench {
    fn new() -> Self {
        let device =
            std::env::var("MAKESPAN_BENCH_DEVICE").ok().and_then(|index| index.parse().ok());
        let one =
            ContextOptions { engine: Engine::Cpu, threads: Some(1), ..ContextOptions::default() };
        let all = ContextOptions { threads: None, ..one.clone() };
        let on_device =
            ContextOptions { engine: Engine::Device, device, ..ContextOptions::default() };
        let mut contexts = Vec::new();
        for (name, options) in [("cpu-1", one), ("cpu-all", all), ("device", on_device)] {
            match Context::new(options) {
                Ok(context) => contexts.push((name, context)),
                Err(error) => eprintln!("{name} is left out: {error}"),
            }
        }
        Bench { contexts }
    }

    /// One line for each engine: the best of three runs, of one where they are long.
    fn line(
        &self,
        name: &str,
        instance: &Instance,
        method: Method,
        output: Output,
        engines: &[&str],
    ) {
        for (engine, context) in self.contexts.iter().filter(|(engine, _)| engines.contains(engine))
        {
            let options = Options { method, output, ..Options::default() };
            let mut best = f64::INFINITY;
            let mut outcome = None;
            let begin = Instant::now();
            for _ in 0..3 {
                match solve(context, instance, &options, &SolveOptions::default()) {
                    Ok(found) => {
                        best = best.min(found.report.seconds);
                        outcome = Some(found);
                    }
                    Err(error) if matches!(*error, Error::Unsupported(_)) => return,
                    Err(error) => eprintln!("{name} {engine}: {error}"),
                }
                if begin.elapsed().as_secs_f64() > 2.0 {
                    break;
                }
            }
            let Some(outcome) = outcome else { continue };
            let filled = (instance.length() - instance.preset()) * instance.instances() as u64;
            let width = instance.operands() as u64;
            let rounds = u64::from(width.next_power_of_two().ilog2());
            let count = |name, sequential, tournament| match method {
                Method::Sequential => format!("{sequential}"),
                Method::Tournament => format!("{tournament}"),
                _ => outcome.report.statistics.get(name).map_or(String::new(), |n| n.to_string()),
            };
            let operands = outcome.report.statistics.get("operands").unwrap_or(0) as f64;
            let name = if output == Output::Table {
                format!("{name}, table read")
            } else {
                name.to_owned()
            };
            let chosen = if method == Method::Auto { "auto: " } else { "" };
            println!(
                "| {name} | {chosen}{} | {engine} | {} | {} | {:.3} | {:.2e} |",
                outcome.report.method,
                count("steps", filled * width, filled * rounds),
                count("threads", 1, width),
                best * 1e3,
                operands / best
            );
        }
    }

    fn header(&self, title: &str) {
        println!("\n{title}\n\n| instance | method | engine | steps | threads | ms | operands/s |");
        println!("| --- | --- | --- | --- | --- | --- | --- |");
    }

    /// All methods of the source, for k, n and offsets that are consecutive, spread, and far.
    fn paper(&self) {
        self.header("The source's methods");
        for count in [2, 8, 64, 512] {
            for (pattern, offsets) in [
                ("consecutive from 1", offsets(1, 1, count)),
                ("consecutive from 10,000", offsets(10_000, 1, count)),
                ("spread by 100", offsets(100, 100, count)),
            ] {
                let instance = min_plus(offsets, 100_000, 1);
                let name = format!("k {count}, {pattern}, p {}", largest_fold(&instance));
                for method in [
                    Method::Sequential,
                    Method::Tournament,
                    Method::Pipeline,
                    Method::TwoByTwo,
                    Method::PFold,
                    Method::Blocked,
                ] {
                    let engines: &[&str] = match method {
                        // One work-item of a device is too slow to measure.
                        Method::Sequential => &["cpu-1"],
                        _ => &["cpu-1", "device"],
                    };
                    self.line(&name, &instance, method, Output::Last, engines);
                }
            }
        }
    }

    /// The linearised knapsack: k-stage pipeline, p-fold pipeline and plain rows.
    fn knapsack(&self) {
        self.header("0-1 knapsack, linearised");
        for (items, capacity) in [(20, 100_000), (20, 1_000_000), (40, 10_000_000)] {
            let mut random = numbers(2);
            let weights = (0..items).map(|_| 1 + random(1000)).collect();
            let profits = (0..items).map(|_| 1 + random(1000)).collect();
            let instance = Instance::knapsack(weights, profits, capacity).unwrap();
            let name = format!("{items} items, C {capacity}, p {}", largest_fold(&instance));
            if capacity <= 1_000_000 {
                self.line(&name, &instance, Method::Pipeline, Output::Last, &["cpu-1", "device"]);
            }
            for method in [Method::PFold, Method::Blocked] {
                self.line(&name, &instance, method, Output::Last, &["cpu-1", "device"]);
            }
        }
    }

    /// The general method, k = 1,000.
    fn rates(&self) {
        self.header("(min,+), k = 1,000");
        let instance = min_plus(offsets(100_000, 100, 1000), 1_000_000, 1);
        self.line(
            "n 1e6, from 1e5 by 100",
            &instance,
            Method::Blocked,
            Output::Last,
            &["cpu-1", "cpu-all"],
        );
        for (name, gap) in [
            ("n 1e7, from 1e5 by 1", 1),
            ("n 1e7, from 1e5 by 100", 100),
            ("n 1e7, from 1e5 by 900", 900),
        ] {
            let instance = min_plus(offsets(100_000, gap, 1000), 10_000_000, 1);
            self.line(name, &instance, Method::Blocked, Output::Last, &["device"]);
            self.line(name, &instance, Method::Blocked, Output::Table, &["device"]);
        }
        for (name, smallest, gap) in [
            ("n 1e6, from 1 by 1", 1, 1),
            ("n 1e6, from 1 by 10", 1, 10),
            ("n 1e6, from 1,000 by 10", 1000, 10),
        ] {
            let instance = min_plus(offsets(smallest, gap, 1000), 1_000_000, 1);
            self.line(name, &instance, Method::Blocked, Output::Last, &["cpu-1", "device"]);
        }
    }

    /// Batches of 1,000 instances.
    fn batch(&self) {
        self.header("(min,+), k = 1,000, 1,000 instances");
        let near = min_plus(offsets(1100, 6, 1000), 1_000_000, 1000);
        self.line("1e6 each, from 1,100 by 6", &near, Method::Blocked, Output::Last, &["device"]);
        let far = min_plus(offsets(100_000, 50, 1000), 1_000_000, 1000);
        self.line("1e6 each, from 1e5 by 50", &far, Method::Blocked, Output::Last, &["device"]);
        let few = min_plus(offsets(1100, 6, 1000), 10_000, 100);
        self.line(
            "100 of 1e4 each, from 1,100 by 6",
            &few,
            Method::Blocked,
            Output::Last,
            &["cpu-1", "cpu-all"],
        );
    }

    /// The automatic choice, next to the general method.
    fn fast(&self) {
        self.header("Fast paths");
        let slide = |count: u64| {
            let initial = (0..count + 999).map(|i| (i * i % 1009) as i64).collect();
            let instance =
                Instance::new(Semiring::MinPlus, offsets(1000, 1, count), initial, 1_000_000)
                    .unwrap();
            let one = vec![1; count as usize];
            instance.with_weights(one).unwrap()
        };
        for count in [16, 64, 1000] {
            let (name, instance) = (format!("window of {count}, n 1e6"), slide(count));
            for method in [Method::SlidingWindow, Method::Blocked] {
                self.line(&name, &instance, method, Output::Last, &["cpu-1"]);
            }
        }
        let modular = |filled: u64| {
            let offsets = vec![1000, 600, 300, 7];
            let initial = (0..1000).map(|i| i * i).collect();
            Instance::new(Semiring::Modular(998_244_353), offsets, initial, 1000 + filled).unwrap()
        };
        for filled in [1_000_000, 100_000_000] {
            for method in [Method::Jump, Method::Blocked] {
                let name = format!("modular, one element, order 1,000, n {filled}");
                self.line(&name, &modular(filled), method, Output::Last, &["cpu-1"]);
            }
        }
        self.line(
            "modular, order 1,000, n 1e18",
            &modular(1 << 60),
            Method::Jump,
            Output::Last,
            &["cpu-1"],
        );
        let initial: Vec<i64> = (0..1000).map(|i| i * 7919 % 1009).collect();
        let idempotent = |weights: Option<Vec<i64>>| {
            let instance =
                Instance::new(Semiring::MaxMin, vec![1000, 700, 430], initial.clone(), 100_000_000)
                    .unwrap();
            weights.map_or_else(
                || instance.clone(),
                |weights| instance.clone().with_weights(weights).unwrap(),
            )
        };
        self.line(
            "(max,min), ends in a period, n 1e8",
            &idempotent(None),
            Method::Blocked,
            Output::Last,
            &["cpu-1"],
        );
        // One weight below the others has no effect here, but the library cannot know that.
        let weights = vec![i64::MAX, i64::MAX, i64::MAX - 1];
        let plain = idempotent(Some(weights));
        self.line(
            "(max,min) with weights, n 1e8",
            &plain,
            Method::Blocked,
            Output::Last,
            &["cpu-1"],
        );
        self.dense();
    }

    /// All offsets up to the largest: a period comes early or never, and a jump has many powers to
    /// replace.
    fn dense(&self) {
        for (semiring, weighted, largest, length) in [
            (Semiring::MinPlus, false, 3000, 1_000_000),
            (Semiring::MaxMin, false, 3000, 1_000_000),
            (Semiring::MaxMin, false, 1000, 300_000),
            (Semiring::MinPlus, true, 1000, 34_000),
            (Semiring::Modular(998_244_353), true, 1000, 34_000),
            (Semiring::MinPlus, true, 1000, 3_000_000),
        ] {
            let mut random = numbers(3);
            let name = format!("{}, offsets from {largest}, n {length}", semiring.name());
            let name = if weighted { format!("{name}, weights") } else { name };
            let initial = (0..largest).map(|_| random(1_000_000) as i64).collect();
            let instance =
                Instance::new(semiring, offsets(1, 1, largest), initial, length).unwrap();
            let weights = (0..largest).map(|_| random(1000) as i64).collect();
            let instance =
                if weighted { instance.with_weights(weights).unwrap() } else { instance };
            for method in [Method::Auto, Method::Jump, Method::SlidingWindow, Method::Blocked] {
                self.line(&name, &instance, method, Output::Last, &["cpu-1"]);
            }
        }
    }
}

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let bench = Bench::new();
    type Section = (&'static str, fn(&Bench));
    let sections: [Section; 5] = [
        ("paper", Bench::paper),
        ("knapsack", Bench::knapsack),
        ("rates", Bench::rates),
        ("batch", Bench::batch),
        ("fast", Bench::fast),
    ];
    for (name, section) in sections {
        if wanted.is_empty() || wanted.iter().any(|wanted| wanted == name) {
            section(&bench);
        }
    }
}
