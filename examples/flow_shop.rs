//! Eight jobs through four machines in the same sequence: `cargo run --example flow_shop`.
#![allow(clippy::print_stdout)]

use makespan::flow_shop::{Instance, Options, solve};
use makespan::{Context, ContextOptions, SolveOptions};

fn main() -> makespan::Result<()> {
    let context = Context::new(ContextOptions::default())?;
    // A line for each job, a column for each machine.
    let times = "5 9 3 7\n2 6 8 4\n7 3 5 5\n4 8 2 9\n6 4 7 3\n3 5 9 6\n8 2 4 8\n5 7 6 2\n";
    let instance = Instance::parse(times)?;
    let outcome = solve(&context, &instance, &Options::default(), &SolveOptions::default())?;
    if let (Some(makespan), Some(bound)) = (outcome.objective, outcome.bound) {
        println!("makespan {makespan}, bound {bound}: {}", outcome.status);
    }
    if let Some(sequence) = &outcome.solution {
        println!("sequence {:?}", sequence.jobs());
    }
    Ok(())
}
