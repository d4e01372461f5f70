//! A file's jobs on its machines: `cargo run --example parallel_machines -- FILE [cpu|device]`.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;
use std::time::Duration;

use makespan::parallel_machines::{Instance, Method, Options, solve};
use makespan::{Context, ContextOptions, Engine, Limits, SolveOptions};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let engine = match arguments.get(2).map(String::as_str) {
        Some("cpu") => Engine::Cpu,
        Some("device") => Engine::Device,
        _ => Engine::Auto,
    };
    match run(arguments.get(1).map(String::as_str), engine) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(file: Option<&str>, engine: Engine) -> makespan::Result<()> {
    let context = Context::new(ContextOptions { engine, ..ContextOptions::default() })?;
    let instance = match file {
        Some(file) => Instance::read(file)?,
        None => Instance::new(vec![81, 64, 59, 46, 37, 35, 29, 17, 11], 3)?,
    };
    let options = Options { method: Method::Ptas, epsilon: 0.2, ..Options::default() };
    let limits = Limits { time: Some(Duration::from_secs(10)), ..Limits::default() };
    let solve_options = SolveOptions { limits, ..SolveOptions::default() };
    let outcome = solve(&context, &instance, &options, &solve_options)?;

    if let (Some(schedule), Some(makespan)) = (&outcome.solution, outcome.objective) {
        let device = outcome.report.device.as_deref().unwrap_or("the CPU");
        println!("makespan {makespan}, {}, on {device}", outcome.status);
        let machines: Vec<String> = schedule.assignment().iter().map(u32::to_string).collect();
        println!("machines: {}", machines.join(" "));
    }
    Ok(())
}
