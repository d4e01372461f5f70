//! Five repairs for one mechanic: `cargo run --example single_machine`.
#![allow(clippy::print_stdout)]

use makespan::single_machine::{Instance, Options, solve};
use makespan::{Context, ContextOptions, SolveOptions};

fn main() -> makespan::Result<()> {
    let context = Context::new(ContextOptions::default())?;
    let hours = vec![3, 1, 2, 8, 5];
    let urgency = vec![1, 4, 2, 3, 10];
    let instance = Instance::new(hours, urgency)?;
    let outcome = solve(&context, &instance, &Options::default(), &SolveOptions::default())?;
    if let (Some(cost), Some(bound)) = (outcome.objective, outcome.bound) {
        println!("cost {cost}, bound {bound}: {}", outcome.status);
    }
    if let Some(sequence) = &outcome.solution {
        println!("repairs in sequence: {:?}", sequence.order());
    }
    Ok(())
}
