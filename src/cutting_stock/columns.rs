//! Column generation (Gilmore, Gomory 1961), for many lengths: the configuration LP and its
//! dives, with stock pieces as machines and the stock length as target. The program's
//! optimum is a bound, proved in whole numbers, and so is a number of pieces that the program or
//! the search refutes.
//!
//! Of a very large number of items, most are cut by the whole uses of the program's patterns. Dives
//! only pack the remaining items, which are as few as patterns for any demands.

use std::collections::BTreeMap;

use super::decreasing::{Fit, decreasing};
use super::incumbent::{Incumbent, count};
use super::packing::{Cut, Pattern};
use super::sizes::{MAX_ITEMS, Size, items};
use crate::Result;
use crate::configuration_lp::bin_completion::{Effort, Search, Verdict};
use crate::configuration_lp::{self, ConfigurationLp, Fractions, JobTypes, Relaxation};
use crate::random::Random;
use crate::solve::{Monitor, Statistics};

/// Table cells, nodes and basis elements of the program without a time limit, some seconds of one
/// core.
const WORK: u64 = 1 << 33;

/// The same if pieces leave almost nothing unused: the program then hardly ever proves more, and
/// dives do not fill pieces exactly.
const TIGHT_WORK: u64 = 1 << 31;

/// Rounds, each with four times the dives and search steps of the previous one.
const ROUNDS: u32 = 3;

/// Dives of the first round for each number of pieces, and the variation of the choice among
/// fractions after the first.
const DIVES: u32 = 8;
const NOISE: f64 = 0.3;

/// Width and steps of the search after the dives for a number of pieces, in the first round.
const WIDTH: usize = 32;
const STEPS: u64 = 200_000;

/// The optimum of the program in fractions.
pub(super) struct Relaxed<'a> {
    program: ConfigurationLp<'a>,
    fractions: Fractions,
    /// Work limit of a program.
    work: u64,
}

/// Raises the bound to the optimum of the program of these types; `None` if the program is too
/// large. Uses less effort if pieces are `tight`.
///
/// # Errors
/// [`Error::Stopped`](crate::Error::Stopped); the bound so far is kept.
pub(super) fn relax<'a>(
    incumbent: &mut Incumbent<'_>,
    types: &'a JobTypes,
    tight: bool,
    monitor: &'a Monitor,
    statistics: &mut Statistics,
) -> Result<Option<Relaxed<'a>>> {
    let work = match tight {
        true => TIGHT_WORK,
        false if monitor.has_deadline() => u64::MAX,
        false => WORK,
    };
    let mut program = match ConfigurationLp::of_any_size(types, 0, work, monitor) {
        Ok(program) => program,
        Err(reason) => {
            incumbent.left_out = Some(format!("column generation is left out: {reason}"));
            return Ok(None);
        }
    };
    monitor.enter("columns")?;
    monitor.begin_iteration()?;
    let (bound, fractions) = program.fewest_machines(incumbent.instance.stock_length());
    statistics.add("columns", program.columns());
    incumbent.raise(bound, "columns", monitor);
    Ok(Some(Relaxed { program, fractions: fractions?, work }))
}

impl Relaxed<'_> {
    /// Tries numbers of pieces from the bound upwards, until one is reached or all below the best
    /// packing's are tried. Repeats that with more effort as long as the optimum is not proved. At
    /// most `max_items` items are searched individually.
    ///
    /// # Errors
    /// [`Error::Stopped`](crate::Error::Stopped); earlier results are kept.
    pub(super) fn dive(
        self,
        max_items: u64,
        incumbent: &mut Incumbent<'_>,
        seed: u64,
        monitor: &Monitor,
        statistics: &mut Statistics,
    ) -> Result<()> {
        let Relaxed { mut program, fractions, work } = self;
        let (sizes, stock_length) =
            (incumbent.sizes.list.clone(), incumbent.instance.stock_length());
        let (fixed, sizes) = match items(&sizes) <= max_items {
            true => (Vec::new(), sizes),
            false => cut_whole_uses(&fractions, sizes),
        };
        let rest = job_types(&sizes);
        if !fixed.is_empty() {
            // Few of the earlier patterns suit the remaining items.
            match ConfigurationLp::of_any_size(&rest, 0, work, monitor) {
                Ok(of_rest) => program = of_rest,
                Err(reason) => {
                    incumbent.left_out =
                        Some(format!("column generation ends with its bound: {reason}"));
                    return Ok(());
                }
            }
        }
        let (counted, random) = (program.columns(), Random::new(seed));
        let fewest = count(&fixed);
        let mut columns = Columns {
            types: &rest,
            stock_length,
            program,
            fixed,
            fewest,
            random,
            monitor,
            statistics,
        };
        incumbent.offer(columns.complete(&[], &sizes), monitor);
        let left = items(&sizes);
        if left > max_items.max(MAX_ITEMS) {
            incumbent.left_out = Some(format!(
                "no search improves the packing: {left} items are more than {MAX_ITEMS}"
            ));
            return Ok(());
        }
        if !columns.fixed.is_empty() {
            let (of_rest, fractions) = columns.program.fewest_machines(stock_length);
            fractions?;
            columns.fewest += of_rest;
        }
        let result = (0..ROUNDS).try_for_each(|round| columns.round(round, &sizes, incumbent));
        let generated = columns.program.columns() - counted;
        statistics.add("columns", generated);
        result
    }
}

/// Sizes as the program's job types.
pub(super) fn job_types(sizes: &[Size]) -> JobTypes {
    JobTypes {
        times: sizes.iter().map(|size| size.length).collect(),
        counts: sizes.iter().map(|size| size.demand).collect(),
    }
}

/// Cuts the whole uses of the program's patterns, except one of each, to leave the rest some
/// freedom. Returns the patterns and the remaining sizes.
fn cut_whole_uses(fractions: &Fractions, mut sizes: Vec<Size>) -> (Vec<Pattern>, Vec<Size>) {
    let mut fixed = Vec::new();
    for (pattern, uses) in fractions.whole_uses() {
        let mut uses = uses.saturating_sub(1);
        while uses > 0 {
            // A pattern may cut more than is wanted; the surplus stays on the piece.
            let wanted = |&(item, count): &(u32, u32)| {
                let count = count.min(sizes[item as usize].demand);
                (count > 0).then_some(Cut { item, count })
            };
            let cuts: Vec<Cut> = pattern.iter().filter_map(wanted).collect();
            let most = cuts.iter().map(|cut| sizes[cut.item as usize].demand / cut.count).min();
            let Some(pieces) = most.map(|most| most.min(uses)) else { break };
            cuts.iter().for_each(|cut| sizes[cut.item as usize].demand -= pieces * cut.count);
            fixed.push(Pattern { pieces, cuts });
            uses -= pieces;
        }
    }
    (fixed, sizes)
}

struct Columns<'a> {
    /// The items that are not fixed.
    types: &'a JobTypes,
    stock_length: u64,
    program: ConfigurationLp<'a>,
    /// Pieces that are cut independently of the rest.
    fixed: Vec<Pattern>,
    /// Least number of pieces for the fixed patterns and the rest.
    fewest: u64,
    random: Random,
    monitor: &'a Monitor,
    statistics: &'a mut Statistics,
}

impl Columns<'_> {
    fn round(&mut self, round: u32, sizes: &[Size], incumbent: &mut Incumbent<'_>) -> Result<()> {
        let mut pieces = incumbent.bound.max(self.fewest);
        while pieces < incumbent.limit() && !self.program.is_exhausted() {
            self.monitor.begin_iteration()?;
            if self.decide(pieces, 4u32.pow(round), sizes, incumbent)? {
                break;
            }
            pieces = incumbent.bound.max(pieces + 1);
        }
        Ok(())
    }

    /// Records that `pieces` pieces are too few, which is no proof if some patterns are fixed.
    fn refute(&self, pieces: u64, incumbent: &mut Incumbent<'_>) {
        if self.fixed.is_empty() {
            incumbent.raise(pieces + 1, "columns", self.monitor);
        }
    }

    /// Whether the items fit into `pieces` pieces: true if a packing was found. The bound is raised
    /// if there is proved to be none.
    fn decide(
        &mut self,
        pieces: u64,
        factor: u32,
        sizes: &[Size],
        incumbent: &mut Incumbent<'_>,
    ) -> Result<bool> {
        // No overflow: at most the number of items.
        let bins = (pieces - count(&self.fixed)) as usize;
        self.program.set_machines(bins);
        let fractions = match self.program.decide(self.stock_length, self.stock_length)? {
            Relaxation::Refuted(_) => {
                self.refute(pieces, incumbent);
                return Ok(false);
            }
            Relaxation::Open(fractions) => fractions,
        };
        for dive in 0..DIVES * factor {
            if self.program.is_exhausted() {
                break;
            }
            let noise = if dive == 0 { 0.0 } else { NOISE };
            let (fixed, _) = self.program.dive(
                self.stock_length,
                &fractions,
                &mut self.random,
                noise,
                self.statistics,
            )?;
            let packing = self.complete(&fixed, sizes);
            incumbent.offer(packing, self.monitor);
            self.monitor.report("columns", None);
            if incumbent.pieces <= pieces {
                return Ok(true);
            }
        }
        let mut search =
            Search::new(self.types, self.stock_length, fractions.weighting, self.monitor);
        let effort = Effort { width: WIDTH * factor as usize, steps: STEPS * u64::from(factor) };
        let verdict = search.run(&self.types.counts, bins, effort);
        self.statistics.add("nodes", search.nodes());
        match verdict? {
            Verdict::Feasible(found) => incumbent.offer(self.complete(&found, sizes), self.monitor),
            Verdict::Infeasible => self.refute(pieces, incumbent),
            Verdict::Unknown => {}
        }
        Ok(incumbent.pieces <= pieces)
    }

    /// A packing of all items: the fixed pieces, the found ones, and the rest by best-fit
    /// decreasing.
    fn complete(&self, found: &[configuration_lp::Pattern], sizes: &[Size]) -> Vec<Pattern> {
        let mut left = sizes.to_vec();
        for &kind in found.iter().flatten() {
            left[kind as usize].demand -= 1;
        }
        let mut counts: BTreeMap<&configuration_lp::Pattern, u32> = BTreeMap::new();
        for pattern in found.iter().filter(|pattern| !pattern.is_empty()) {
            *counts.entry(pattern).or_default() += 1;
        }
        let alike = counts.into_iter().map(|(pattern, pieces)| Pattern {
            pieces,
            cuts: pattern
                .chunk_by(|a, b| a == b)
                .map(|run| Cut { item: run[0], count: run.len() as u32 })
                .collect(),
        });
        let rest = decreasing(&left, self.stock_length, Fit::Best, self.monitor);
        self.fixed.iter().cloned().chain(alike).chain(rest).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Context;
    use crate::cutting_stock::{Instance, Method, Packing, solve};
    use crate::solve::{Outcome, Report, SolveOptions, Status};

    fn solved(instance: &Instance, method: Method) -> Outcome<Packing> {
        let context = Context::of_one_thread().unwrap();
        solve(&context, instance, &method.into(), &SolveOptions::default()).unwrap()
    }

    /// The result of column generation only, starting with a piece for each item.
    fn from_nothing(instance: &Instance, max_items: u64, seed: u64) -> (u64, u64) {
        let monitor = Monitor::new(&SolveOptions::default());
        let mut incumbent = Incumbent::start(instance, &monitor, None).unwrap();
        incumbent.bound = 0;
        let each = |(item, size): (u32, &Size)| {
            let cuts = vec![Cut { item, count: 1 }];
            Pattern { pieces: size.demand, cuts }
        };
        let patterns: Vec<_> = (0..).zip(&incumbent.sizes.list).map(each).collect();
        incumbent.patterns = patterns.into();
        incumbent.pieces = count(&incumbent.patterns);
        let (types, mut statistics) = (job_types(&incumbent.sizes.list), Statistics::default());
        let relaxed =
            relax(&mut incumbent, &types, false, &monitor, &mut statistics).unwrap().unwrap();
        if !incumbent.is_settled() {
            relaxed.dive(max_items, &mut incumbent, seed, &monitor, &mut statistics).unwrap();
        }
        let known = (incumbent.bound, incumbent.pieces);
        // Re-checks the packing.
        incumbent.into_answer().certify(instance, Report::default()).unwrap();
        known
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn from_nothing_they_prove_no_more_than_the_table_finds(
            types in prop::collection::vec((1u64..=40, 1u32..4), 1..6), slack in 0u64..20, seed in 0u64..9
        ) {
            let (lengths, demands): (Vec<u64>, Vec<u32>) = types.into_iter().unzip();
            let stock_length = lengths.iter().max().unwrap() + slack;
            let instance = Instance::new(lengths.clone(), demands.clone(), stock_length).unwrap();
            let optimum = solved(&instance, Method::Exact).objective.unwrap().cast_unsigned();
            prop_assert_eq!(from_nothing(&instance, MAX_ITEMS, seed), (optimum, optimum));
            // With fixed whole uses, the bound must still be sound and packings must hardly be
            // worse: the rest has at most two uses of each pattern.
            const WORSE: u64 = 10;
            let (bound, pieces) = from_nothing(&instance, 0, seed);
            prop_assert!(bound <= optimum && optimum <= pieces && pieces <= optimum + WORSE);
            // Copies of a packing pack as many copies of all items.
            let copies = 1_000_003;
            let many = demands.iter().map(|demand| demand * copies).collect();
            let many = Instance::new(lengths, many, stock_length).unwrap();
            let (bound, pieces) = from_nothing(&many, MAX_ITEMS, seed);
            prop_assert!(bound <= optimum * u64::from(copies));
            prop_assert!(pieces <= bound + WORSE, "{bound} {pieces}");
        }
    }

    #[test]
    fn millions_of_items_take_few_columns() {
        let lengths: Vec<u64> = (0..40).map(|index| 150 + index * 7919 % 350).collect();
        let demands = (0..40).map(|index| 1_000_000 + index * 104_729 % 5_000_000).collect();
        let instance = Instance::new(lengths, demands, 1000).unwrap();
        let outcome = solved(&instance, Method::Auto);
        assert_eq!(outcome.status, Status::Optimal);
        assert!(outcome.objective.unwrap() > 30_000_000);
        assert!(outcome.report.statistics.get("columns").unwrap() < 2000);
    }
}
