//! Pisinger's thirteen classes, a folder of instances, and rates of the dense tables.
#![allow(clippy::print_stdout, missing_docs, reason = "a table for people")]

#[path = "knapsack/classes.rs"]
mod classes;

use std::time::Instant;

use makespan::knapsack::{Instance, Options, solve};
use makespan::{Context, ContextOptions, Engine, SolveOptions};

fn one_core() -> Context {
    let options = ContextOptions { engine: Engine::Cpu, threads: Some(1), ..ContextOptions::default() };
    Context::new(options).unwrap()
}

fn run(context: &Context, instance: &Instance) -> (f64, String) {
    let options = SolveOptions::default();
    let start = Instant::now();
    let outcome = solve(context, instance, &Options::default(), &options).unwrap();
    let seconds = start.elapsed().as_secs_f64();
    let counters: Vec<String> =
        outcome.report.statistics.iter().map(|(name, count)| format!("{name} {count}")).collect();
    let (objective, bound) = (outcome.objective.unwrap(), outcome.bound.unwrap());
    (seconds, format!("{} {objective} {bound} {}", outcome.status, counters.join(" ")))
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let context = one_core();
    match arguments.first().map(String::as_str) {
        Some("folder") => {
            let mut files: Vec<_> = std::fs::read_dir(&arguments[1])
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .filter(|path| path.extension().is_some_and(|e| e == "in"))
                .collect();
            files.sort();
            for file in files {
                let instance = Instance::read(&file).unwrap();
                let (seconds, text) = run(&context, &instance);
                println!("{:<50} {seconds:9.4} {text}", file.file_name().unwrap().to_string_lossy());
            }
        }
        _ => {
            for class in classes::Class::ALL {
                if arguments.first().is_some_and(|only| !format!("{class:?}").contains(only.as_str())) {
                    continue;
                }
                for (n, r) in [(1000, 1000), (10000, 1000), (1000, 10000), (10000, 10000)] {
                    let mut worst = (0.0, String::new());
                    for seed in 0..3 {
                        let instance = class.generate(n, r, seed);
                        let this = run(&context, &instance);
                        if this.0 > worst.0 {
                            worst = this;
                        }
                    }
                    println!("{:<24} n {n:6} R {r:6} {:9.4} {}", format!("{class:?}"), worst.0, worst.1);
                }
            }
        }
    }
}
