//! The table of prefix reuse that Czapiński and Barnes 2011 published.

use clap::Args;
use makespan::flow_shop::{
    Evaluation, Instance, Method, Neighbourhood, Options, Permutation, SearchOptions, TabuList,
    solve,
};
use makespan::{Context, Limits, SolveOptions};

use crate::Result;
use crate::common::engines;
use crate::common::instances::flow_shop;
use crate::log::Log;

/// Tabu search on the device: swaps in full, with the prefix reused, and with heads and tails
///
/// A search begins with the jobs in the order of their numbers. Its time is that of the whole search.
/// The figures are medians of five; the evaluations take turns.
#[derive(Args)]
pub(crate) struct Prefix {
    /// Keep columns in registers, not in local memory as published
    #[arg(long)]
    registers: bool,
}

/// Jobs, machines, and what the published table has for 10, 100 and 1000 generations.
const SIZES: [(usize, usize, [f64; 3]); 8] = [
    (100, 15, [0.83, 0.65, 0.61]),
    (150, 20, [0.95, 0.87, 0.85]),
    (200, 25, [1.01, 1.03, 1.03]),
    (350, 25, [1.12, 1.28, 1.33]),
    (500, 30, [1.15, 1.30, 1.34]),
    (650, 30, [1.15, 1.32, 1.36]),
    (800, 35, [1.20, 1.35, 1.37]),
    (900, 40, [1.31, 1.47, 1.50]),
];
const ROUNDS: usize = 5;
const EVALUATIONS: [Evaluation; 3] =
    [Evaluation::Full, Evaluation::Prefix, Evaluation::HeadsAndTails];

impl Prefix {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let Some(device) = engines::device(None) else { return Ok(()) };
        println!("jobs machines generations full(s) prefix published heads-and-tails");
        for (jobs, machines, published) in SIZES {
            let instance = flow_shop(jobs, machines);
            for (generations, published) in [10, 100, 1000].into_iter().zip(published) {
                let mut times = [const { Vec::new() }; 3];
                // The first round builds kernels.
                for round in 0..=ROUNDS {
                    for (evaluation, times) in EVALUATIONS.into_iter().zip(&mut times) {
                        let seconds =
                            self.seconds(log, &device, &instance, evaluation, generations)?;
                        if round > 0 {
                            times.push(seconds);
                        }
                    }
                }
                let [full, prefix, both] = times.map(median);
                let (prefix, both) = (full / prefix, full / both);
                println!(
                    "{jobs:4} {machines:8} {generations:11} {full:8.4} {prefix:6.2} \
                     {published:9.2} {both:15.2}"
                );
            }
        }
        Ok(())
    }

    /// The time of a search of these generations.
    fn seconds(
        &self,
        log: &Log,
        device: &Context,
        instance: &Instance,
        evaluation: Evaluation,
        generations: u64,
    ) -> Result<f64> {
        let search = SearchOptions {
            neighbourhood: Neighbourhood::Swap,
            evaluation: Some(evaluation),
            tabu_list: TabuList::Sequences,
            local_columns: !self.registers && evaluation != Evaluation::HeadsAndTails,
            ..SearchOptions::default()
        };
        let start = Some(Permutation::new((0..instance.jobs() as u32).collect()));
        let options = Options { method: Method::Tabu, start, search, ..Options::default() };
        let limits = Limits { iterations: Some(generations), ..Limits::default() };
        let solve_options = SolveOptions { limits, ..SolveOptions::default() };
        let outcome = solve(device, instance, &options, &solve_options)?;
        let seconds = outcome.report.seconds;
        let size = format!("{}x{}", instance.jobs(), instance.machines());
        log.outcome(size, device, &solve_options, &outcome)
            .variant(format!("{evaluation:?}").to_lowercase())
            .with("generations", generations)
            .write()?;
        Ok(seconds)
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
