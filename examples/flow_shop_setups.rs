//! Four jobs through two machines, with set-ups between colours, due dates and an objective of two
//! stages: `cargo run --example flow_shop_setups`.
#![allow(clippy::print_stdout)]

use makespan::flow_shop::{Instance, Objective, Options, Setups, solve};
use makespan::{Context, ContextOptions, SolveOptions};

fn main() -> makespan::Result<()> {
    let context = Context::new(ContextOptions::default())?;
    // The colours of the jobs; from white to red takes 3, back takes 7.
    let setups = Setups::between_families(2, vec![0, 1, 0, 1], vec![0, 3, 7, 0])?;
    let instance = Instance::parse("5 4\n3 6\n6 2\n2 5\n")?
        .with_setups(setups)?
        .with_due_dates(vec![12, 14, 22, 30])?
        .with_objective(Objective::parse("total-tardiness,makespan")?)?;
    let outcome = solve(&context, &instance, &Options::default(), &SolveOptions::default())?;
    if let Some(sequence) = &outcome.solution {
        println!("sequence {:?}", sequence.jobs());
        for (stage, value) in instance.objective().stages().iter().zip(sequence.values(&instance)?)
        {
            println!("{stage} {value}");
        }
    }
    Ok(())
}
