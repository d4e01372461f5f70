//! The most profitable pallets for a truck with limits of weight, volume and floor:
//! `cargo run --example multidimensional_knapsack`.
#![allow(clippy::print_stdout)]

use makespan::multidimensional_knapsack::{Instance, Options, solve};
use makespan::{Context, ContextOptions, SolveOptions};

fn main() -> makespan::Result<()> {
    let context = Context::new(ContextOptions::default())?;
    let profits = vec![31, 20, 27, 45, 12, 38, 16, 24, 9, 33];
    let weight = [14, 9, 13, 22, 5, 17, 8, 11, 4, 16];
    let volume = [6, 11, 8, 12, 9, 7, 10, 5, 3, 13];
    let floor = [3, 2, 5, 4, 1, 6, 2, 3, 1, 5];
    let weights = [weight, volume, floor].concat();
    let instance = Instance::new(profits, weights, vec![60, 40, 16])?;
    let outcome = solve(&context, &instance, &Options::default(), &SolveOptions::default())?;
    if let (Some(profit), Some(bound)) = (outcome.objective, outcome.bound) {
        println!("profit {profit}, bound {bound}: {}", outcome.status);
    }
    if let Some(selection) = &outcome.solution {
        println!("copies of each pallet: {:?}", selection.counts);
    }
    Ok(())
}
