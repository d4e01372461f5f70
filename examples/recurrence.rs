//! The fewest coins for each amount: `cargo run --example recurrence`.
#![allow(clippy::print_stdout)]

use makespan::recurrence::{Instance, Options, solve};
use makespan::{Context, ContextOptions, SolveOptions};

fn main() -> makespan::Result<()> {
    let context = Context::new(ContextOptions::default())?;
    // Amounts below the largest coin are given; each further one is reached by one coin more.
    let text = "semiring min-plus\nlength 100\noffsets 7 5 1\nweights 1*3\ninitial 0 1 2 3 4 1 2\n";
    let instance = Instance::parse(text)?;
    let outcome = solve(&context, &instance, &Options::default(), &SolveOptions::default())?;
    if let Some(solution) = &outcome.solution {
        println!("the amounts 90 to 99 need {:?} coins", &solution.values[90..]);
    }
    Ok(())
}
