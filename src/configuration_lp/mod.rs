//! The configuration LP: the least number of machines for all jobs if each may be loaded up to
//! the target and patterns may be used in fractions. Solved by column generation (Gilmore, Gomory
//! 1961). For P||Cmax, and for cutting stock with stock pieces as machines and items as jobs.
//!
//! If it needs more machines than the instance has, the target is refuted. The proof does not
//! depend on floating point: the dual values are rounded to whole weights. Dynamic programming
//! finds the weight that a machine can hold (the bound of Farley 1990), or branch and bound if its
//! table would be too large. If the program does not refute the target, its patterns lead to a
//! schedule.

pub(crate) mod bin_completion;
mod branches;
mod dive;
mod job_types;
mod prices;
mod pricing;
mod simplex;
mod weighting;

pub(crate) use self::job_types::{JobTypes, Pattern};
pub(crate) use self::weighting::Weighting;

use self::prices::Prices;
use self::pricing::Pricing;
use self::simplex::{Simplex, Sparse, Step, TOLERANCE};
use crate::solve::Monitor;
use crate::{Error, Result};

/// Most types of jobs: with more, a schedule is found sooner without the basis inverse; and the
/// limit beyond which a single step takes too long.
const MAX_TYPES: usize = 400;
const MOST_TYPES: usize = 2500;

/// Most cells of the pricing table: with more, a column takes too long.
const MAX_CELLS: u128 = 1 << 24;

/// Bytes of a cell, and of an element of the basis inverse.
const CELL: u128 = 4;
const ELEMENT: u128 = 8;

/// The program of one instance, with all patterns found so far.
pub(crate) struct ConfigurationLp<'a> {
    types: &'a JobTypes,
    machines: usize,
    monitor: &'a Monitor,
    pool: Vec<Sparse>,
    /// Number of patterns priced so far.
    columns: u64,
    /// Number of table cells, nodes and basis elements that may still be computed.
    work_left: u64,
}

/// The remaining jobs.
#[derive(Debug, Clone)]
struct Rest {
    counts: Vec<u32>,
    machines: usize,
}

/// The program's answer for a target.
pub(crate) enum Relaxation {
    /// Every schedule is at least this long, which is more than the target.
    Refuted(u64),
    /// The program does not need more machines than the instance has, or that was not settled.
    Open(Fractions),
}

/// A fractional packing and the latest weights.
pub(crate) struct Fractions {
    /// Patterns by types, with their fractional numbers of uses.
    patterns: Vec<(Sparse, f64)>,
    pub(crate) weighting: Option<Weighting>,
}

impl Fractions {
    /// The patterns, as types with their counts, each with its number of uses rounded down.
    /// Patterns used less than once are left out.
    pub(crate) fn whole_uses(&self) -> impl Iterator<Item = (&[(u32, u32)], u32)> {
        self.patterns.iter().map(|(pattern, value)| (&pattern[..], *value as u32))
    }
}

impl<'a> ConfigurationLp<'a> {
    /// The program; an `Err` with the reason if it is too large for targets up to `capacity`. It
    /// stops after `work` table cells and basis elements.
    pub(crate) fn new(
        types: &'a JobTypes,
        machines: usize,
        capacity: u64,
        work: u64,
        monitor: &'a Monitor,
    ) -> Result<Self, String> {
        if types.len() > MAX_TYPES {
            return Err(format!("{} different sizes are more than {MAX_TYPES}", types.len()));
        }
        if !has_table(types, capacity, monitor) {
            let cells = Pricing::cells(types, capacity);
            return Err(format!(
                "a table of {cells} cells is too large to fill it for each column"
            ));
        }
        ConfigurationLp::of_any_size(types, machines, work, monitor)
    }

    /// The program for cases without a better method: it does without a table if that is too large.
    /// An `Err` with the reason if it takes too much memory or time.
    pub(crate) fn of_any_size(
        types: &'a JobTypes,
        machines: usize,
        work: u64,
        monitor: &'a Monitor,
    ) -> Result<Self, String> {
        let elements = types.len() as u128 * types.len() as u128;
        if types.len() > MOST_TYPES || !monitor.has_memory(elements * ELEMENT) {
            return Err(format!("a basis of {} different sizes is too large", types.len()));
        }
        let (pool, columns, work_left) = (Vec::new(), 0, work);
        Ok(ConfigurationLp { types, machines, monitor, pool, columns, work_left })
    }

    /// Number of patterns priced so far.
    pub(crate) fn columns(&self) -> u64 {
        self.columns
    }

    /// Whether the work limit is reached.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.work_left == 0
    }

    /// Sets another number of machines for later decisions.
    pub(crate) fn set_machines(&mut self, machines: usize) {
        self.machines = machines;
    }

    /// Tries to refute the target. `capacity`, at least the target, is the largest target that a
    /// refutation may cover.
    pub(crate) fn decide(&mut self, target: u64, capacity: u64) -> Result<Relaxation> {
        let rest = Rest { counts: self.types.counts.clone(), machines: self.machines };
        self.relax(&rest, target, capacity)
    }

    /// A lower bound on the number of machines for the target, which is the program's value rounded
    /// up and proved like a refutation (Farley 1990), and the program's packing. If stopped, the
    /// bound is the one proved so far.
    pub(crate) fn fewest_machines(&mut self, target: u64) -> (u64, Result<Fractions>) {
        let mut proved = 0;
        let counts = &self.types.counts;
        let fractions = self.generate(counts, None, target, target, &mut proved).and_then(
            |found| match found {
                Relaxation::Open(fractions) => Ok(fractions),
                Relaxation::Refuted(_) => {
                    Err(Error::internal("a refutation without a number of machines"))
                }
            },
        );
        (proved as u64, fractions)
    }

    fn relax(&mut self, rest: &Rest, target: u64, capacity: u64) -> Result<Relaxation> {
        self.generate(&rest.counts, Some(rest.machines), target, capacity, &mut 0)
    }

    /// Generates patterns until it is settled whether the jobs fit on `machines` machines, or how
    /// many they need. Returns the number of machines that is proved necessary.
    fn generate(
        &mut self,
        counts: &[u32],
        machines: Option<usize>,
        target: u64,
        capacity: u64,
        proved: &mut u128,
    ) -> Result<Relaxation> {
        let rows = Rows::new(self.types, counts);
        let mut simplex = self.start(&rows, target)?;
        let mut table =
            has_table(&rows.types, capacity, self.monitor).then(|| Pricing::new(capacity));
        let mut prices = Prices::default();
        let mut weighting = None;
        while self.optimise(&mut simplex)? {
            let enough = machines.map_or(*proved, |machines| machines as u128);
            if simplex.needed(&rows.types.counts) <= enough as f64 + TOLERANCE {
                break;
            }
            let weights = prices::weights(&prices.at(simplex.duals()), &rows.types, capacity);
            let (most, pattern) = self.price(&rows.types, &weights, target, table.as_mut())?;
            self.columns += 1;
            let proof = Weighting { weights: rows.spread(&weights), capacity: u64::from(most) };
            let weight = proof.weigh(counts);
            *proved = weight.div_ceil(u128::from(most.max(1))).max(*proved);
            if let Some(machines) = machines.filter(|&machines| *proved > machines as u128) {
                // The least load at which the machines could hold the weight.
                let share = weight.div_ceil(machines.max(1) as u128) as u64;
                let bound = table
                    .map_or(target + 1, |table| table.least_load(share).unwrap_or(capacity + 1));
                return Ok(Relaxation::Refuted(bound));
            }
            if prices.note(&weights, &rows.types.counts, most) {
                weighting = Some(proof);
            }
            let pattern = sparse(&pattern);
            let gains = simplex.gain(&pattern) > TOLERANCE;
            if gains {
                self.pool.push(rows.original(&pattern));
                simplex.add(pattern);
            }
            if !prices.go_on(gains) {
                break;
            }
        }
        let patterns =
            simplex.patterns().map(|(pattern, value)| (rows.original(pattern), value)).collect();
        Ok(Relaxation::Open(Fractions { patterns, weighting }))
    }

    /// A most valuable pattern for the target, or nearly so, and an upper bound on all patterns'
    /// values.
    fn price(
        &mut self,
        types: &JobTypes,
        weights: &[u32],
        target: u64,
        table: Option<&mut Pricing>,
    ) -> Result<(u32, Pattern)> {
        let Some(table) = table else {
            let priced = branches::price(types, weights, target, self.monitor)?;
            self.spend(priced.nodes * types.len() as u64);
            return Ok((priced.most, priced.pattern));
        };
        table.fill(types, weights)?;
        self.spend(table.size());
        Ok((table.value(target), table.pattern(target)))
    }

    /// The program with the earlier patterns that are still usable.
    fn start(&self, rows: &Rows, target: u64) -> Result<Simplex> {
        let alone: Vec<u32> = std::iter::zip(&rows.types.times, &rows.types.counts)
            .map(|(&time, &count)| u64::from(count).min(target / time) as u32)
            .collect();
        let mut simplex = Simplex::new(&rows.types.counts, &alone)?;
        let short = self.pool.iter().filter(|pattern| self.load(pattern) <= target);
        short
            .filter_map(|pattern| rows.translate(pattern))
            .for_each(|pattern| simplex.add(pattern));
        Ok(simplex)
    }

    /// Solves the program with its present patterns. False if the method is stuck or the work limit
    /// is reached.
    fn optimise(&mut self, simplex: &mut Simplex) -> Result<bool> {
        while !self.is_exhausted() {
            self.monitor.check()?;
            self.spend(simplex.elements());
            match simplex.step() {
                Step::Entered => {}
                Step::Optimal => return Ok(true),
                Step::Stuck => break,
            }
        }
        Ok(false)
    }

    fn load(&self, pattern: &Sparse) -> u64 {
        pattern
            .iter()
            .map(|&(kind, count)| self.types.times[kind as usize] * u64::from(count))
            .sum()
    }

    fn spend(&mut self, work: u64) {
        self.work_left = self.work_left.saturating_sub(work);
    }
}

/// Whether a table of that capacity is suitable for pricing.
fn has_table(types: &JobTypes, capacity: u64, monitor: &Monitor) -> bool {
    let cells = Pricing::cells(types, capacity);
    cells <= MAX_CELLS && monitor.has_memory(cells * CELL)
}

/// A pattern by types, or rows, with the count of each.
fn sparse(pattern: &[u32]) -> Sparse {
    pattern.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect()
}

/// The types that have jobs left; each is a row of the program.
struct Rows {
    /// Type of each row.
    kinds: Vec<u32>,
    types: JobTypes,
    /// Row of each type, if it has one.
    row_of: Vec<Option<u32>>,
}

impl Rows {
    fn new(types: &JobTypes, counts: &[u32]) -> Self {
        let kinds: Vec<u32> =
            (0..types.len() as u32).filter(|&kind| counts[kind as usize] > 0).collect();
        let mut row_of = vec![None; types.len()];
        for (row, &kind) in (0..).zip(&kinds) {
            row_of[kind as usize] = Some(row);
        }
        let pick = |list: &[u64]| kinds.iter().map(|&kind| list[kind as usize]).collect();
        let left = kinds.iter().map(|&kind| counts[kind as usize]).collect();
        let types = JobTypes { times: pick(&types.times), counts: left };
        Rows { kinds, types, row_of }
    }

    /// The pattern by rows, without jobs that are no longer left; `None` if none remains.
    fn translate(&self, pattern: &Sparse) -> Option<Sparse> {
        let entries: Vec<(u32, u32)> = pattern
            .iter()
            .filter_map(|&(kind, count)| {
                let row = self.row_of[kind as usize]?;
                Some((row, count.min(self.types.counts[row as usize])))
            })
            .collect();
        (!entries.is_empty()).then(|| entries.into())
    }

    fn original(&self, pattern: &Sparse) -> Sparse {
        pattern.iter().map(|&(row, count)| (self.kinds[row as usize], count)).collect()
    }

    /// Weights of types from weights of rows; a type without jobs has weight 0.
    fn spread(&self, weights: &[u32]) -> Vec<u64> {
        self.row_of
            .iter()
            .map(|row| row.map_or(0, |row| u64::from(weights[row as usize])))
            .collect()
    }
}
