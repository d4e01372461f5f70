//! The p-fold pipeline of Matsumae 2022: steps of its examples, and its methods measured, which the
//! paper leaves as future work.

mod render;
mod steps;

use clap::Args;
use makespan::recurrence::{Instance, Method, Options, Output, largest_fold, solve};
use makespan::{Error, SolveOptions};

use crate::common::Result;
use crate::common::engines::NamedEngine;
use crate::common::fastest::fastest;
use crate::common::instances::{min_plus, offsets};
use crate::common::log::Log;
use crate::common::random::Random;
use crate::recorded::Lines;
use crate::report::{Items, Report};
use crate::{Reproduction, Run};

/// Steps of the pipelines, and the methods measured: k, n, and offsets that are consecutive, spread
/// and far, the linearised knapsack
#[derive(Args)]
pub(crate) struct Pipeline {
    /// Figures, or the measurements that the paper does not have; by default all
    #[arg(value_parser = ITEMS)]
    items: Vec<String>,
}

const ITEMS: [&str; 8] =
    ["figure-3", "figure-4", "figure-5", "figure-6", "figure-7", "figure-8", "methods", "knapsack"];

impl Reproduction for Pipeline {
    fn name(&self) -> &'static str {
        "pipeline"
    }

    fn measure(&self, run: &Run, log: &Log) -> Result<()> {
        let items = Items(&self.items);
        for engine in run.compared.engines().iter().filter(|engine| engine.name != "cores") {
            if items.has("methods") {
                methods(log, engine, run.quick)?;
            }
            if items.has("knapsack") {
                knapsacks(log, engine, run.quick)?;
            }
        }
        Ok(())
    }

    fn render(&self, lines: &Lines, report: &mut Report) -> Result<()> {
        let items = Items(&self.items);
        for figure in render::FIGURES.iter().filter(|figure| items.has(figure.item)) {
            render::figure(figure, report);
        }
        if items.has("figure-6") {
            render::wrong_folds(report);
            render::missed_elements(report);
        }
        if items.has("figure-8") {
            render::figure_8(report)?;
        }
        if items.has("methods") {
            render::methods(lines, report);
        }
        if items.has("knapsack") {
            render::knapsack(lines, report);
        }
        Ok(())
    }
}

/// All methods, by the number and the pattern of the offsets.
fn methods(log: &Log, engine: &NamedEngine, quick: bool) -> Result<()> {
    let counts: &[u64] = if quick { &[8, 512] } else { &[2, 8, 64, 512] };
    for &count in counts {
        for (pattern, offsets) in [
            ("consecutive from 1", offsets(1, 1, count)),
            ("consecutive from 10,000", offsets(10_000, 1, count)),
            ("spread by 100", offsets(100, 100, count)),
        ] {
            let instance = min_plus(offsets, 100_000, 1);
            let name = format!("k {count}, {pattern}, p {}", largest_fold(&instance));
            for method in [
                Method::Sequential,
                Method::Tournament,
                Method::Pipeline,
                Method::TwoByTwo,
                Method::PFold,
                Method::Blocked,
            ] {
                // One work-item of a device is too slow to measure.
                if method != Method::Sequential || !engine.is_device() {
                    measure(log, engine, "methods", &name, &instance, method)?;
                }
            }
        }
    }
    Ok(())
}

/// The linearised knapsack: k-stage pipeline, p-fold pipeline and plain rows.
fn knapsacks(log: &Log, engine: &NamedEngine, quick: bool) -> Result<()> {
    let sizes: &[(usize, u64)] = match quick {
        true => &[(20, 100_000), (20, 1_000_000)],
        false => &[(20, 100_000), (20, 1_000_000), (40, 10_000_000)],
    };
    for &(items, capacity) in sizes {
        let mut random = Random(2);
        let weights = (0..items).map(|_| random.within(1, 1000)).collect();
        let profits = (0..items).map(|_| random.within(1, 1000)).collect();
        let instance = Instance::knapsack(weights, profits, capacity)?;
        let name = format!("{items} items, C {capacity}, p {}", largest_fold(&instance));
        for method in [Method::Pipeline, Method::PFold, Method::Blocked] {
            // A step for each element is too slow for millions of them.
            let most = if quick { 100_000 } else { 1_000_000 };
            if method != Method::Pipeline || capacity <= most {
                measure(log, engine, "knapsack", &name, &instance, method)?;
            }
        }
    }
    Ok(())
}

/// A line with the best of some solves, or with one where they are long, if the engine has the
/// method.
fn measure(
    log: &Log,
    engine: &NamedEngine,
    class: &str,
    name: &str,
    instance: &Instance,
    method: Method,
) -> Result<()> {
    let options = Options { method, output: Output::Last, ..Options::default() };
    let solve_options = SolveOptions::default();
    let solve = || solve(&engine.context, instance, &options, &solve_options);
    // The first solve builds kernels.
    let first = match solve() {
        Err(error) if matches!(*error, Error::Unsupported(_)) => return Ok(()),
        first => first?,
    };
    let is_long = first.report.seconds > 2.0 && !engine.is_device();
    let best = if is_long { first } else { fastest(3, 2.0, solve)? };
    log.outcome(name, &engine.context, &solve_options, &best).class(class).write()
}
