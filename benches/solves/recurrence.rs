//! Recurrences: the general method, the fast paths.

use clap::Args;
use makespan::recurrence::{Instance, Method, Options, Output, Semiring, Solution, solve};
use makespan::{Error, Outcome, SolveOptions};

use crate::common::Result;
use crate::common::engines::NamedEngine;
use crate::common::fastest::fastest;
use crate::common::instances::{min_plus, offsets};
use crate::common::log::Log;
use crate::common::options::Compared;
use crate::common::random::Random;

/// The methods on the engines.
struct Bench<'a> {
    log: &'a Log,
    engines: Vec<NamedEngine>,
}

impl<'a> Bench<'a> {
    /// Prints the head of a table.
    fn new(log: &'a Log, compared: &Compared, title: &str) -> Self {
        let engines = compared.engines();
        println!("\n{title}\n\n| instance | method | engine | ms | operands/s |");
        println!("| --- | --- | --- | --- | --- |");
        Bench { log, engines }
    }

    /// One line for each of these engines, if it is compared.
    fn lines(
        &self,
        name: &str,
        instance: &Instance,
        method: Method,
        output: Output,
        engines: &[&str],
    ) -> Result<()> {
        let options = Options { method, output, ..Options::default() };
        let name = match output {
            Output::Table => format!("{name}, table read"),
            Output::Last => name.to_owned(),
        };
        for NamedEngine { name: engine, context } in &self.engines {
            if !engines.contains(engine) {
                continue;
            }
            let solve_options = SolveOptions::default();
            let solved = fastest(3, 2.0, || solve(context, instance, &options, &solve_options));
            let outcome = match solved {
                Err(error) if matches!(*error, Error::Unsupported(_)) => continue,
                Err(error) => {
                    eprintln!("{name} {engine}: {error}");
                    continue;
                }
                Ok(outcome) => outcome,
            };
            let line = self.log.outcome(&name, context, &solve_options, &outcome);
            line.write()?;
            println!("| {name} | {} |", columns(method, engine, &outcome));
        }
        Ok(())
    }

    fn last(
        &self,
        name: &str,
        instance: &Instance,
        method: Method,
        engines: &[&str],
    ) -> Result<()> {
        self.lines(name, instance, method, Output::Last, engines)
    }
}

/// All columns but the first.
fn columns(method: Method, engine: &str, outcome: &Outcome<Solution, i64>) -> String {
    let report = &outcome.report;
    let chosen = if method == Method::Auto { "auto: " } else { "" };
    format!(
        "{chosen}{} | {engine} | {:.3} | {:.2e}",
        report.method,
        report.seconds * 1e3,
        report.statistics.get("operands").unwrap_or(0) as f64 / report.seconds
    )
}

/// The general method, k = 1,000
#[derive(Args)]
pub(crate) struct Rates {
    #[command(flatten)]
    compared: Compared,
}

impl Rates {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let bench = Bench::new(log, &self.compared, "(min,+), k = 1,000");
        let instance = min_plus(offsets(100_000, 100, 1000), 1_000_000, 1);
        bench.last("n 1e6, from 1e5 by 100", &instance, Method::Blocked, &["core", "cores"])?;
        for gap in [1, 100, 900] {
            let name = format!("n 1e7, from 1e5 by {gap}");
            let instance = min_plus(offsets(100_000, gap, 1000), 10_000_000, 1);
            for output in [Output::Last, Output::Table] {
                bench.lines(&name, &instance, Method::Blocked, output, &["device"])?;
            }
        }
        for (name, smallest, gap) in [
            ("n 1e6, from 1 by 1", 1, 1),
            ("n 1e6, from 1 by 10", 1, 10),
            ("n 1e6, from 1,000 by 10", 1000, 10),
        ] {
            let instance = min_plus(offsets(smallest, gap, 1000), 1_000_000, 1);
            bench.last(name, &instance, Method::Blocked, &["core", "device"])?;
        }
        Ok(())
    }
}

/// Batches of 100 and 1,000 instances
#[derive(Args)]
pub(crate) struct Batch {
    #[command(flatten)]
    compared: Compared,
}

impl Batch {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let bench = Bench::new(log, &self.compared, "(min,+), k = 1,000, batches");
        // They take a gigabyte.
        if bench.engines.iter().any(NamedEngine::is_device) {
            let near = min_plus(offsets(1100, 6, 1000), 1_000_000, 1000);
            bench.last("1,000 of 1e6, from 1,100 by 6", &near, Method::Blocked, &["device"])?;
            let far = min_plus(offsets(100_000, 50, 1000), 1_000_000, 1000);
            bench.last("1,000 of 1e6, from 1e5 by 50", &far, Method::Blocked, &["device"])?;
        }
        let few = min_plus(offsets(1100, 6, 1000), 10_000, 100);
        bench.last("100 of 1e4, from 1,100 by 6", &few, Method::Blocked, &["core", "cores"])
    }
}

/// The automatic choice, next to the general method: one core
#[derive(Args)]
pub(crate) struct Fast {
    #[command(flatten)]
    compared: Compared,
}

impl Fast {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let bench = Bench::new(log, &self.compared, "Fast paths");
        windows(&bench)?;
        jumps(&bench)?;
        periods(&bench)?;
        dense(&bench)
    }
}

fn windows(bench: &Bench<'_>) -> Result<()> {
    for count in [16u64, 64, 1000] {
        let initial = (0..count + 999).map(|i| (i * i % 1009) as i64).collect();
        let instance =
            Instance::new(Semiring::MinPlus, offsets(1000, 1, count), initial, 1_000_000)?;
        let instance = instance.with_weights(vec![1; count as usize])?;
        let name = format!("window of {count}, n 1e6");
        for method in [Method::SlidingWindow, Method::Blocked] {
            bench.last(&name, &instance, method, &["core"])?;
        }
    }
    Ok(())
}

fn jumps(bench: &Bench<'_>) -> Result<()> {
    let modular = |filled: u64| {
        let initial = (0..1000).map(|i| i * i).collect();
        let semiring = Semiring::Modular(998_244_353);
        Instance::new(semiring, vec![1000, 600, 300, 7], initial, 1000 + filled)
    };
    for filled in [1_000_000, 100_000_000] {
        for method in [Method::Jump, Method::Blocked] {
            let name = format!("modular, one element, order 1,000, n {filled}");
            bench.last(&name, &modular(filled)?, method, &["core"])?;
        }
    }
    bench.last("modular, order 1,000, n 1e18", &modular(1 << 60)?, Method::Jump, &["core"])
}

fn periods(bench: &Bench<'_>) -> Result<()> {
    let initial = (0..1000).map(|i| i * 7919 % 1009).collect();
    let plain = Instance::new(Semiring::MaxMin, vec![1000, 700, 430], initial, 100_000_000)?;
    bench.last("(max,min), ends in a period, n 1e8", &plain, Method::Blocked, &["core"])?;
    // One weight below the others has no effect here, but the library cannot know that.
    let weighted = plain.with_weights(vec![i64::MAX, i64::MAX, i64::MAX - 1])?;
    bench.last("(max,min) with weights, n 1e8", &weighted, Method::Blocked, &["core"])
}

/// All offsets up to the largest: a period comes early or never, and a jump has many powers to
/// replace.
fn dense(bench: &Bench<'_>) -> Result<()> {
    for (semiring, weighted, largest, length) in [
        (Semiring::MinPlus, false, 3000, 1_000_000),
        (Semiring::MaxMin, false, 3000, 1_000_000),
        (Semiring::MaxMin, false, 1000, 300_000),
        (Semiring::MinPlus, true, 1000, 34_000),
        (Semiring::Modular(998_244_353), true, 1000, 34_000),
        (Semiring::MinPlus, true, 1000, 3_000_000),
    ] {
        let mut random = Random(3);
        let name = format!("{}, offsets from {largest}, n {length}", semiring.name());
        let initial = (0..largest).map(|_| random.below(1_000_000) as i64).collect();
        let instance = Instance::new(semiring, offsets(1, 1, largest), initial, length)?;
        let weights = (0..largest).map(|_| random.below(1000) as i64).collect();
        let (name, instance) = match weighted {
            true => (format!("{name}, weights"), instance.with_weights(weights)?),
            false => (name, instance),
        };
        for method in [Method::Auto, Method::Jump, Method::SlidingWindow, Method::Blocked] {
            bench.last(&name, &instance, method, &["core"])?;
        }
    }
    Ok(())
}
