//! The cheapest path through a box of 9 x 8 x 7 cells: `cargo run --example lattice_dp`.
#![allow(clippy::print_stdout)]

use makespan::lattice_dp::{Instance, Options, solve};
use makespan::{Context, ContextOptions, SolveOptions};

fn main() -> makespan::Result<()> {
    let context = Context::new(ContextOptions::default())?;
    let moves = [
        ([1, 0, 0], 3),
        ([0, 1, 0], 3),
        ([0, 0, 1], 3),
        ([1, 1, 0], 4),
        ([0, 1, 1], 4),
        ([1, 1, 1], 5),
    ];
    let instance = Instance::new(&[9, 8, 7], moves)?;
    let outcome = solve(&context, &instance, &Options::default(), &SolveOptions::default())?;
    if let Some(cost) = outcome.objective {
        println!("the cheapest path costs {cost}: {}", outcome.status);
    }
    for &step in outcome.solution.iter().flat_map(|solution| &solution.steps) {
        println!("move {:?}", instance.vector(step).unwrap_or_default());
    }
    Ok(())
}
