//! Seven jobs on three machines: `cargo run --example parallel_machines`.
#![allow(clippy::print_stdout)]

use std::time::Duration;

use makespan::{Context, ContextOptions, Limits, SolveOptions, parallel_machines};

fn main() -> makespan::Result<()> {
    let context = Context::new(ContextOptions::default())?;
    let instance = parallel_machines::Instance::new(vec![5, 5, 4, 4, 3, 3, 3], 3)?;
    let limits = Limits { time: Some(Duration::from_secs(10)), ..Limits::default() };
    let solve_options = SolveOptions { limits, ..SolveOptions::default() };
    let outcome = parallel_machines::solve(&context, &instance, &Default::default(), &solve_options)?;

    if let (Some(schedule), Some(makespan)) = (&outcome.solution, outcome.objective) {
        for (job, (time, machine)) in instance.times().iter().zip(schedule.assignment()).enumerate() {
            println!("job {job}, {time} hours: machine {machine}");
        }
        println!("all done after {makespan} hours, {}", outcome.status);
    }
    Ok(())
}
