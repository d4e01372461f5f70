//! The table of prefix reuse that Czapiński and Barnes 2011 published.

use std::ops::Range;
use std::time::{Duration, Instant};

use clap::Args;
use makespan::flow_shop::{
    Evaluation, Instance, Method, Neighbourhood, Options, SearchOptions, TabuList, solve,
};
use makespan::{Context, Limits, SolveOptions};

use crate::Result;
use crate::common::engines;
use crate::common::instances::flow_shop;
use crate::log::Log;

/// Tabu search on the device: swaps in full, with the prefix reused, and with heads and tails
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
/// Number of repetitions of a search: more for short ones, within a time limit.
const REPETITIONS: Range<u32> = 3..80;
const REPETITION_TIME: Duration = Duration::from_millis(400);

impl Prefix {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let Some(device) = engines::device(None) else { return Ok(()) };
        println!("jobs machines generations full(s) prefix published heads-and-tails");
        for (jobs, machines, published) in SIZES {
            let instance = flow_shop(jobs, machines);
            for (generations, published) in [10, 100, 1000].into_iter().zip(published) {
                let seconds =
                    |evaluation| self.seconds(log, &device, &instance, evaluation, generations);
                let full = seconds(Evaluation::Full)?;
                let (prefix, both) =
                    (seconds(Evaluation::Prefix)?, seconds(Evaluation::HeadsAndTails)?);
                let (prefix, both) = (full / prefix, full / both);
                println!(
                    "{jobs:4} {machines:8} {generations:11} {full:7.3} {prefix:6.2} \
                     {published:9.2} {both:15.2}"
                );
            }
        }
        Ok(())
    }

    /// The time of these generations, without the work that is done once. Both times are the least
    /// of several, so that the rest of a short search is meaningful.
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
        let options = Options { method: Method::Tabu, search, ..Options::default() };
        let iterated = |iterations| {
            let limits = Limits { iterations: Some(iterations), ..Limits::default() };
            SolveOptions { limits, ..SolveOptions::default() }
        };
        let least = |iterations| -> Result<_> {
            let (begin, solve_options) = (Instant::now(), iterated(iterations));
            let mut best = solve(device, instance, &options, &solve_options)?;
            let mut runs = 1;
            while runs < REPETITIONS.start
                || runs < REPETITIONS.end && begin.elapsed() < REPETITION_TIME
            {
                let outcome = solve(device, instance, &options, &solve_options)?;
                best = if outcome.report.seconds < best.report.seconds { outcome } else { best };
                runs += 1;
            }
            Ok((solve_options, best))
        };
        let (solve_options, outcome) = least(generations + 1)?;
        let seconds = outcome.report.seconds - least(1)?.1.report.seconds;
        let size = format!("{}x{}", instance.jobs(), instance.machines());
        log.outcome(size, device, &solve_options, &outcome)
            .variant(format!("{evaluation:?}").to_lowercase())
            .seconds(seconds)
            .with("generations", generations)
            .write()?;
        Ok(seconds)
    }
}
