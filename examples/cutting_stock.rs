//! Window frames cut from bars of 6 m: `cargo run --example cutting_stock`.
#![allow(clippy::print_stdout)]

use makespan::cutting_stock::{Instance, Options, solve};
use makespan::{Context, ContextOptions, SolveOptions};

fn main() -> makespan::Result<()> {
    let context = Context::new(ContextOptions::default())?;
    let lengths = vec![2350, 1780, 1240, 980, 655, 410];
    let demands = vec![40, 62, 55, 31, 84, 120];
    let instance = Instance::new(lengths, demands, 6000)?;
    let outcome = solve(&context, &instance, &Options::default(), &SolveOptions::default())?;
    if let (Some(bars), Some(bound)) = (outcome.objective, outcome.bound) {
        println!("{bars} bars, no fewer than {bound}: {}", outcome.status);
    }
    for pattern in outcome.solution.iter().flat_map(|packing| packing.patterns()) {
        let cuts = pattern.cuts.iter();
        let cuts: Vec<String> = cuts
            .map(|cut| format!("{} x {}", cut.count, instance.lengths()[cut.item as usize]))
            .collect();
        println!("{} times {}", pattern.pieces, cuts.join(", "));
    }
    Ok(())
}
