//! Column generation (Gilmore, Gomory 1961), for many lengths: the configuration program and its dives of P||Cmax,
//! with stock pieces for machines and the stock length for the target. A number of pieces that the program refutes
//! raises the bound, by a proof in whole numbers.

use super::Incumbent;
use super::decreasing::{Fit, decreasing};
use super::packing::{Cut, Pattern};
use super::sizes::Size;
use crate::Result;
use crate::parallel_machines::bins::{self, ConfigurationLp, Effort, JobTypes, Relaxation, Search, Verdict};
use crate::random::Random;
use crate::solve::{Monitor, Statistics};

/// Items beyond which the patterns of single pieces take too long.
const MAX_ITEMS: u64 = 1_000_000;

/// Table cells and basis elements of the program, some seconds of one core.
const WORK: u64 = 1 << 33;

/// Rounds, each with four times the dives and the search of the one before.
const ROUNDS: u32 = 3;

/// Dives of the first round for each number of pieces, and by how much the choice among fractions varies after the first.
const DIVES: u32 = 8;
const NOISE: f64 = 0.3;

/// The search for a packing into so many pieces that follows the dives, in the first round.
const WIDTH: usize = 32;
const STEPS: u64 = 200_000;

/// Tries numbers of pieces from the bound up, until one is reached or all below the best packing's are tried; with more
/// effort as long as that proves no optimum.
///
/// # Errors
/// [`Error::Stopped`](crate::Error::Stopped); what was found before is kept.
pub(super) fn close(
    incumbent: &mut Incumbent<'_>,
    seed: u64,
    monitor: &Monitor,
    statistics: &mut Statistics,
) -> Result<()> {
    let (sizes, stock_length) = (incumbent.sizes.list.clone(), incumbent.instance.stock_length());
    if sizes.iter().map(|size| u64::from(size.demand)).sum::<u64>() > MAX_ITEMS {
        return Ok(());
    }
    let types = JobTypes {
        times: sizes.iter().map(|size| size.length).collect(),
        counts: sizes.iter().map(|size| size.demand).collect(),
    };
    let Some(program) = ConfigurationLp::new(&types, 0, stock_length, WORK, monitor) else {
        return Ok(());
    };
    let mut columns =
        Columns { types: &types, stock_length, program, random: Random::new(seed), monitor, statistics };
    let result = (0..ROUNDS).try_for_each(|round| columns.round(round, &sizes, incumbent));
    let generated = columns.program.columns();
    statistics.add("columns", generated);
    result
}

struct Columns<'a> {
    types: &'a JobTypes,
    stock_length: u64,
    program: ConfigurationLp<'a>,
    random: Random,
    monitor: &'a Monitor,
    statistics: &'a mut Statistics,
}

impl Columns<'_> {
    fn round(&mut self, round: u32, sizes: &[Size], incumbent: &mut Incumbent<'_>) -> Result<()> {
        let mut pieces = incumbent.bound;
        while pieces < incumbent.pieces && !self.program.is_exhausted() {
            self.monitor.begin_iteration()?;
            if self.decide(pieces, 4u32.pow(round), sizes, incumbent)? {
                break;
            }
            pieces += 1;
        }
        Ok(())
    }

    /// Whether the items fit into so many pieces: true if a packing was found; the bound is raised if there is none.
    fn decide(
        &mut self,
        pieces: u64,
        factor: u32,
        sizes: &[Size],
        incumbent: &mut Incumbent<'_>,
    ) -> Result<bool> {
        // No more than there are items.
        let bins = pieces as usize;
        self.program.set_machines(bins);
        let fractions = match self.program.decide(self.stock_length, self.stock_length)? {
            Relaxation::Refuted(_) => {
                incumbent.raise(pieces + 1, "columns", self.monitor);
                return Ok(false);
            }
            Relaxation::Open(fractions) => fractions,
        };
        for dive in 0..DIVES * factor {
            if self.program.is_exhausted() {
                break;
            }
            let noise = if dive == 0 { 0.0 } else { NOISE };
            let (fixed, _) =
                self.program.dive(self.stock_length, &fractions, &mut self.random, noise, self.statistics)?;
            let packing = self.complete(&fixed, sizes);
            incumbent.offer(packing, self.monitor);
            self.monitor.report("columns", None);
            if incumbent.pieces <= pieces {
                return Ok(true);
            }
        }
        let mut search = Search::new(self.types, self.stock_length, fractions.weighting, self.monitor);
        let effort = Effort { width: WIDTH * factor as usize, steps: STEPS * u64::from(factor) };
        let verdict = search.run(&self.types.counts, bins, effort);
        self.statistics.add("nodes", search.nodes());
        match verdict? {
            Verdict::Feasible(found) => incumbent.offer(self.complete(&found, sizes), self.monitor),
            Verdict::Infeasible => incumbent.raise(pieces + 1, "columns", self.monitor),
            Verdict::Unknown => {}
        }
        Ok(incumbent.pieces <= pieces)
    }

    /// A packing of all items: pieces that are cut like these, and the rest best-fit decreasing.
    fn complete(&self, fixed: &[bins::Pattern], sizes: &[Size]) -> Vec<Pattern> {
        let mut left = sizes.to_vec();
        for &kind in fixed.iter().flatten() {
            left[kind as usize].demand -= 1;
        }
        let mut sorted: Vec<&bins::Pattern> = fixed.iter().filter(|pattern| !pattern.is_empty()).collect();
        sorted.sort_unstable();
        let alike = sorted.chunk_by(|a, b| a == b).map(|alike| Pattern {
            pieces: alike.len() as u32,
            cuts: alike[0]
                .chunk_by(|a, b| a == b)
                .map(|run| Cut { item: run[0], count: run.len() as u32 })
                .collect(),
        });
        let rest = decreasing(&left, self.stock_length, Fit::Best, self.monitor);
        alike.chain(rest).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::cutting_stock::{Instance, Method, Options, solve};
    use crate::solve::{Report, SolveOptions};
    use crate::{Context, ContextOptions, Engine};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn from_nothing_they_prove_no_more_than_the_table_finds(
            types in prop::collection::vec((1u64..=40, 1u32..4), 1..6), slack in 0u64..20, seed in 0u64..9
        ) {
            let (lengths, demands): (Vec<u64>, Vec<u32>) = types.into_iter().unzip();
            let stock_length = lengths.iter().max().unwrap() + slack;
            let instance = Instance::new(lengths, demands, stock_length).unwrap();
            let options = ContextOptions { engine: Engine::Cpu, threads: Some(1), ..ContextOptions::default() };
            let (context, solve_options) = (Context::new(options).unwrap(), SolveOptions::default());
            let exact = solve(&context, &instance, &Options { method: Method::Exact }, &solve_options).unwrap();
            let optimum = exact.objective.unwrap();

            let monitor = Monitor::new(&solve_options);
            let mut incumbent = Incumbent::start(&instance, &monitor);
            incumbent.bound = 0;
            incumbent.patterns = (0..)
                .zip(&incumbent.sizes.list)
                .map(|(item, size)| Pattern { pieces: size.demand, cuts: vec![Cut { item, count: 1 }] })
                .collect();
            incumbent.pieces = crate::cutting_stock::count(&incumbent.patterns);
            close(&mut incumbent, seed, &monitor, &mut Statistics::default()).unwrap();
            prop_assert_eq!((incumbent.bound, incumbent.pieces), (optimum, optimum));
            // Evaluates the packing anew.
            incumbent.into_outcome(Report::default()).unwrap();
        }
    }
}
