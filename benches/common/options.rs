//! Arguments that suites share.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::{Args, ValueEnum};
use makespan::{Context, Limits, SolveOptions, flow_shop};

use super::Result;
use super::engines::{self, NamedEngine};

/// Where all solves of a suite run.
#[derive(Args)]
pub(crate) struct On {
    #[arg(long, value_enum, default_value_t)]
    engine: Engine,
    /// Threads of each solve
    #[arg(long)]
    threads: Option<usize>,
}

/// How all solves of a suite run.
#[derive(Args)]
pub(crate) struct Run {
    #[command(flatten)]
    on: On,
    /// Seconds for each solve
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<f64>,
    #[arg(long, default_value_t)]
    seed: u64,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum Engine {
    Auto,
    #[default]
    Cpu,
    Device,
}

impl On {
    /// A context with that many threads, or one for each core, if the arguments have no number.
    pub(crate) fn context(&self, threads: Option<usize>) -> Result<Context> {
        let engine = match self.engine {
            Engine::Auto => makespan::Engine::Auto,
            Engine::Cpu => makespan::Engine::Cpu,
            Engine::Device => makespan::Engine::Device,
        };
        Ok(Context::new(engines::with_device(engine, self.threads.or(threads)))?)
    }
}

impl Run {
    /// A context with that many threads if the arguments have no number.
    pub(crate) fn context(&self, threads: usize) -> Result<Context> {
        self.on.context(Some(threads))
    }

    /// Options with that limit in seconds if the arguments have none.
    pub(crate) fn solve_options(&self, seconds: Option<f64>) -> SolveOptions {
        let time = self.time_limit.or(seconds).map(Duration::from_secs_f64);
        let limits = Limits { time, ..Limits::default() };
        SolveOptions { limits, seed: self.seed, ..SolveOptions::default() }
    }
}

/// Which instances a suite solves.
#[derive(Args)]
pub(crate) struct Selection {
    /// Only these classes, such as 100x20,200x20
    #[arg(long, value_delimiter = ',')]
    classes: Vec<String>,
    /// Only these instances, such as ta051,ta111
    #[arg(long, value_delimiter = ',')]
    names: Vec<String>,
    /// Leave out that many instances of each class
    #[arg(long, default_value_t = 0)]
    first: usize,
    /// At most that many instances of each class
    #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
    per_class: usize,
}

impl Selection {
    /// The selected ones of all cases, whose classes and names the functions return.
    pub(crate) fn of<C>(
        &self,
        cases: Vec<C>,
        class: impl Fn(&C) -> String,
        name: impl Fn(&C) -> &String,
    ) -> Vec<C> {
        let listed = |list: &[String], word: &String| list.is_empty() || list.contains(word);
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut chosen = Vec::new();
        for case in cases {
            let class = class(&case);
            let number = seen.entry(class.clone()).or_default();
            *number += 1;
            let within = *number > self.first && *number - self.first <= self.per_class;
            if within && listed(&self.names, name(&case)) && listed(&self.classes, &class) {
                chosen.push(case);
            }
        }
        chosen
    }
}

/// A method of the flow shop by its name.
pub(crate) fn flow_shop_method(name: &str) -> std::result::Result<flow_shop::Method, String> {
    method(name, flow_shop::Method::ALL, flow_shop::Method::name)
}

/// Options with a time limit.
pub(crate) fn limited(seconds: f64) -> SolveOptions {
    let limits = Limits { time: Some(Duration::from_secs_f64(seconds)), ..Limits::default() };
    SolveOptions { limits, ..SolveOptions::default() }
}

/// For suites that compare engines.
#[derive(Args)]
pub(crate) struct Compared {
    /// Engines to compare: one core, all cores, the device
    #[arg(long = "engine", global = true, value_parser = engines::NAMES, value_delimiter = ',',
        default_values = engines::NAMES)]
    engines: Vec<String>,
    /// Threads of `cores` and `device`; by default one for each core
    #[arg(long, global = true)]
    threads: Option<usize>,
}

impl Compared {
    /// Those that there are.
    pub(crate) fn engines(&self) -> Vec<NamedEngine> {
        let wanted = |name: &&str| self.engines.iter().any(|engine| engine == name);
        let names: Vec<_> = engines::NAMES.into_iter().filter(wanted).collect();
        engines::found(&names, self.threads)
    }
}

/// The method of that name.
pub(crate) fn method<M: Copy, const N: usize>(
    name: &str,
    all: [M; N],
    name_of: fn(M) -> &'static str,
) -> std::result::Result<M, String> {
    let known = all.into_iter().find(|&method| name_of(method) == name);
    known.ok_or_else(|| format!("one of {}", all.map(name_of).join(", ")))
}
