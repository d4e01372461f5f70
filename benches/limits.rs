//! The overshoot of every problem's methods over a time limit: the wall-clock milliseconds from
//! deadline to return for each limit, those of processor time over the threads, and the worst of
//! all.
//!
//! `cargo bench --bench limits -- [--engine auto|cpu|device] [--limits 0.05,0.5,2] [--threads N]
//! [NAME...]`; a name selects the cases that contain it.
#![allow(clippy::print_stdout, reason = "a benchmark prints")]

#[path = "../tests/every_method/mod.rs"]
mod every_method;

use std::time::Duration;

use every_method::Overshoot;
use makespan::{Context, ContextOptions, Engine, SolveOptions};

struct Arguments {
    engine: Engine,
    threads: Option<usize>,
    limits: Vec<f64>,
    names: Vec<String>,
}

fn arguments() -> Arguments {
    let mut arguments = Arguments {
        engine: Engine::Cpu,
        threads: None,
        limits: vec![0.05, 0.5, 2.0],
        names: Vec::new(),
    };
    // Cargo adds this one.
    let mut given = std::env::args().skip(1).filter(|argument| argument != "--bench");
    while let Some(argument) = given.next() {
        let mut value = || given.next().unwrap_or_else(|| panic!("{argument} needs a value"));
        match &*argument {
            "--engine" => {
                arguments.engine = match &*value() {
                    "auto" => Engine::Auto,
                    "cpu" => Engine::Cpu,
                    "device" => Engine::Device,
                    other => panic!("no engine '{other}'"),
                }
            }
            "--threads" => arguments.threads = Some(value().parse().expect("a number of threads")),
            "--limits" => {
                arguments.limits =
                    value().split(',').map(|limit| limit.parse().expect("seconds")).collect();
            }
            _ => arguments.names.push(argument),
        }
    }
    arguments
}

fn main() {
    let Arguments { engine, threads, limits, names } = arguments();
    let context =
        Context::new(ContextOptions { engine, threads, ..ContextOptions::default() }).unwrap();
    let mut worst = (0.0, String::new());
    for case in every_method::all() {
        if !names.is_empty() && !names.iter().any(|name| case.name.contains(name)) {
            continue;
        }
        let mut line = format!("{:40}", case.name);
        for &limit in &limits {
            let time = Duration::from_secs_f64(limit);
            let cell = match case.overshoot(&context, time, SolveOptions::default()) {
                None => "-".into(),
                Some((_, Overshoot { wall, worked })) => {
                    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
                    let (late, worked) =
                        (milliseconds(wall), milliseconds(worked) / context.threads() as f64);
                    if late > worst.0 {
                        worst = (late, format!("{} at {limit} s", case.name));
                    }
                    format!("{late:.1} ({worked:.1})")
                }
            };
            line += &format!(" {cell:>18}");
        }
        println!("{line}");
    }
    println!("worst: {:.1} ms, {}", worst.0, worst.1);
}
