//! The cheapest order of multiplying six matrices: `cargo run --example interval_dp`.
#![allow(clippy::print_stdout)]

use makespan::interval_dp::{Instance, Options, solve};
use makespan::{Context, ContextOptions, SolveOptions};

fn main() -> makespan::Result<()> {
    let context = Context::new(ContextOptions::default())?;
    // Matrix i has dimensions[i] rows and dimensions[i + 1] columns.
    let instance = Instance::matrix_chain(vec![30i64, 35, 15, 5, 10, 20, 25])?;
    let outcome = solve(&context, &instance, &Options::default(), &SolveOptions::default())?;
    if let Some(multiplications) = outcome.objective {
        println!("{multiplications} multiplications: {}", outcome.status);
    }
    if let Some(tree) = outcome.solution.as_ref().and_then(|solution| solution.tree.as_ref()) {
        println!("{}", tree.parenthesisation());
    }
    Ok(())
}
