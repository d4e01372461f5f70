//! The most profitable orders for a week of sixty hours: `cargo run --example knapsack`.
#![allow(clippy::print_stdout)]

use makespan::knapsack::{Instance, Options, solve};
use makespan::{Context, ContextOptions, SolveOptions};

fn main() -> makespan::Result<()> {
    let context = Context::new(ContextOptions::default())?;
    let profits = vec![31, 20, 27, 45, 12, 38, 16, 24, 9, 33];
    let hours = vec![14, 9, 13, 22, 5, 17, 8, 11, 4, 16];
    let instance = Instance::new(profits, hours, 60)?;
    let outcome = solve(&context, &instance, &Options::default(), &SolveOptions::default())?;
    if let (Some(profit), Some(bound)) = (outcome.objective, outcome.bound) {
        println!("profit {profit}, bound {bound}: {}", outcome.status);
    }
    if let Some(solution) = &outcome.solution {
        println!("copies of each order: {:?}", solution.counts);
    }
    Ok(())
}
