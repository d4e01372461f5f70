//! Batches of small instances, the same as those of `benches/c/calls.c`.

use std::time::{Duration, Instant};

use clap::Args;
use makespan::{Context, ContextOptions, Engine, SolveOptions, flow_shop, knapsack};
use makespan::{parallel_machines, parallel_machines::Instance as Jobs};
use rustix::time::{ClockId, clock_gettime};

use crate::common::Result;
use crate::common::log::Log;

/// Batches of small instances with two threads, to be compared with those from C
#[derive(Args)]
pub(crate) struct Batches {}

const ROUNDS: usize = 5;

/// The numbers of both programs.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Prints the best and the median time of several rounds.
fn print<T>(what: &str, count: usize, solve: impl Fn() -> makespan::Result<Vec<T>>) -> Result<()> {
    let (mut seconds, mut worked) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (start, before) = (Instant::now(), processor_time());
        drop(solve()?);
        seconds.push(start.elapsed());
        worked.push(processor_time() - before);
    }
    for (what, mut times) in [(what, seconds), ("  processor time", worked)] {
        times.sort();
        let [best, median] =
            [0, ROUNDS / 2].map(|place| times[place].as_secs_f64() / count as f64 * 1e6);
        println!("{what:40} best {best:9.3} us, median {median:9.3} us");
    }
    Ok(())
}

/// Processor time of all threads so far.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

impl Batches {
    pub(crate) fn run(&self, _log: &Log) -> Result<()> {
        let (engine, threads) = (Engine::Cpu, Some(2));
        let context = Context::new(ContextOptions { engine, threads, ..Default::default() })?;
        let options = SolveOptions::default();

        let mut numbers = Numbers(1);
        let sacks: Vec<_> = (0..100_000)
            .map(|_| {
                let items = (0..20).map(|_| (1 + numbers.below(30), 1 + numbers.below(30)));
                let (weights, profits) = items.unzip();
                knapsack::Instance::new(profits, weights, 100)
            })
            .collect::<makespan::Result<_>>()?;
        let sacks: Vec<_> = sacks.iter().collect();
        print("100000 knapsacks", sacks.len(), || {
            knapsack::solve_batch(&context, &sacks, &Default::default(), &options)
        })?;

        let mut numbers = Numbers(1);
        let jobs: Vec<_> = (0..100_000)
            .map(|_| Jobs::new((0..20).map(|_| 1 + numbers.below(100)).collect(), 4))
            .collect::<makespan::Result<_>>()?;
        let jobs: Vec<_> = jobs.iter().collect();
        print("100000 P||Cmax", jobs.len(), || {
            parallel_machines::solve_batch(&context, &jobs, &Default::default(), &options)
        })?;

        let mut numbers = Numbers(1);
        let shops: Vec<_> = (0..10_000)
            .map(|_| {
                let times = (0..50).map(|_| 1 + numbers.below(99) as u32).collect();
                flow_shop::Instance::new(10, 5, times)
            })
            .collect::<makespan::Result<_>>()?;
        let shops: Vec<_> = shops.iter().collect();
        let neh = flow_shop::Options { method: flow_shop::Method::Neh, ..Default::default() };
        print("10000 flow shops of 10 x 5 by NEH", shops.len(), || {
            flow_shop::solve_batch(&context, &shops, &neh, &options)
        })
    }
}
