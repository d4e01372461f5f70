//! Tabu search over all swaps with reuse of prefixes.

mod published;
mod render;

use clap::Args;
use makespan::flow_shop::{
    Evaluation, Instance, Method, Neighbourhood, Options, Permutation, SearchOptions, TabuList,
    solve,
};
use makespan::{Context, Limits, Outcome, SolveOptions};

use self::published::{GENERATIONS, Row, TABLE_2};
use crate::common::Result;
use crate::common::engines::{self, NamedEngine};
use crate::common::instances::flow_shop;
use crate::common::log::Log;
use crate::recorded::Lines;
use crate::report::{Items, Report};
use crate::{Reproduction, Run};

/// Tabu search on the device: swaps in full, with the prefix reused, with heads and tails, and from
/// permutations in memory
///
/// A search begins with the jobs in the order of their numbers. Its time is that of the whole
/// search. The evaluations take turns.
#[derive(Args)]
pub(crate) struct Tabu {
    /// Tables and figures; by default all
    #[arg(value_parser = ["table-2"])]
    items: Vec<String>,
    /// Searches of which the median counts; 1 with --quick
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    rounds: u16,
    /// Only this size, such as 900x40
    #[arg(long, value_name = "JOBSxMACHINES", value_parser = parse_size)]
    size: Option<String>,
    /// Only searches of that many generations: 10, 100 or 1000
    #[arg(long, value_parser = parse_generations)]
    generations: Option<u64>,
    /// Keep columns in registers, not in local memory as published
    #[arg(long)]
    registers: bool,
}

const EVALUATIONS: [Evaluation; 4] =
    [Evaluation::Full, Evaluation::Prefix, Evaluation::HeadsAndTails, Evaluation::Stored];
/// Most cells of the completion times that a processor computes in a search, and with --quick.
const MOST_CELLS: u64 = 200_000_000_000;
const MOST_CELLS_QUICK: u64 = 8_000_000_000;

impl Reproduction for Tabu {
    fn name(&self) -> &'static str {
        "tabu"
    }

    fn measure(&self, run: &Run, log: &Log) -> Result<()> {
        let rounds = if run.quick { 1 } else { self.rounds };
        let most = if run.quick { MOST_CELLS_QUICK } else { MOST_CELLS };
        for engine in run.compared.engines().iter().filter(|engine| engine.name != "cores") {
            let is_card = engine.is_device() && engines::has_card(&engine.context);
            for row in TABLE_2.iter().filter(|row| is_asked(&self.size, &row.size())) {
                let instance = flow_shop(row.jobs, row.machines);
                let asked = |number: &u64| is_asked(&self.generations, number);
                for generations in GENERATIONS.into_iter().filter(asked) {
                    if is_card || cells(row, generations) <= most {
                        self.measure_cell(log, engine, &instance, generations, rounds)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn render(&self, lines: &Lines, report: &mut Report) -> Result<()> {
        if Items(&self.items).has("table-2") {
            render::table_2(lines, report);
        }
        Ok(())
    }
}

/// A size of Table 2.
fn parse_size(text: &str) -> std::result::Result<String, String> {
    let is_known = TABLE_2.iter().any(|row| row.size() == text);
    if is_known { Ok(text.to_owned()) } else { Err("no size of Table 2".to_owned()) }
}

fn parse_generations(text: &str) -> std::result::Result<u64, String> {
    let number = text.parse().ok().filter(|number| GENERATIONS.contains(number));
    number.ok_or_else(|| format!("one of {GENERATIONS:?}"))
}

/// Whether an argument leaves a value in; without it, all are.
fn is_asked<T: PartialEq>(only: &Option<T>, value: &T) -> bool {
    only.as_ref().is_none_or(|only| only == value)
}

/// Cells of all swaps of that many generations.
fn cells(row: &Row, generations: u64) -> u64 {
    let (jobs, machines) = (row.jobs as u64, row.machines as u64);
    jobs * (jobs - 1) / 2 * jobs * machines * generations
}

/// As lines name an evaluation.
fn variant(evaluation: Evaluation, generations: u64) -> String {
    let name = match evaluation {
        Evaluation::Full => "full",
        Evaluation::Prefix => "prefix",
        Evaluation::Stored => "stored",
        _ => "heads and tails",
    };
    format!("{name}, {generations} generations")
}

impl Tabu {
    /// A line with the median for each evaluation.
    fn measure_cell(
        &self,
        log: &Log,
        engine: &NamedEngine,
        instance: &Instance,
        generations: u64,
        rounds: u16,
    ) -> Result<()> {
        let mut times = [const { Vec::new() }; EVALUATIONS.len()];
        if engine.is_device() {
            // Builds kernels.
            for evaluation in EVALUATIONS {
                self.search(&engine.context, instance, evaluation, 1)?;
            }
        }
        for _ in 0..rounds {
            for (evaluation, times) in EVALUATIONS.into_iter().zip(&mut times) {
                times.push(self.search(&engine.context, instance, evaluation, generations)?);
            }
        }
        for (evaluation, mut outcomes) in EVALUATIONS.into_iter().zip(times) {
            outcomes.sort_by(|a, b| a.report.seconds.total_cmp(&b.report.seconds));
            let median = &outcomes[outcomes.len() / 2];
            let size = format!("{}x{}", instance.jobs(), instance.machines());
            log.outcome(size, &engine.context, &options(generations), median)
                .class("table-2")
                .variant(variant(evaluation, generations))
                .write()?;
        }
        Ok(())
    }

    fn search(
        &self,
        context: &Context,
        instance: &Instance,
        evaluation: Evaluation,
        generations: u64,
    ) -> Result<Outcome<Permutation>> {
        let search = SearchOptions {
            neighbourhood: Neighbourhood::Swap,
            evaluation: Some(evaluation),
            tabu_list: TabuList::Sequences,
            local_columns: !self.registers && evaluation != Evaluation::HeadsAndTails,
            ..SearchOptions::default()
        };
        let start = Some(Permutation::new((0..instance.jobs() as u32).collect()));
        let own = Options { method: Method::Tabu, start, search, ..Options::default() };
        Ok(solve(context, instance, &own, &options(generations))?)
    }
}

fn options(generations: u64) -> SolveOptions {
    let limits = Limits { iterations: Some(generations), ..Limits::default() };
    SolveOptions { limits, ..SolveOptions::default() }
}
