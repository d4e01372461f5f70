//! The configuration program: how many machines do all jobs need at least if each may be filled up
//! to the target, and patterns may be used in fractions? Solved by column generation (Gilmore,
//! Gomory 1961).
//!
//! If it needs more than there are machines, the target is refuted. The proof does not rest on
//! floating point: the dual values are rounded to whole weights. Dynamic programming finds the
//! weight that a machine can hold (the bound of Farley 1990), or branch and bound where its table
//! would be too large. Where the program does not refute the target, its patterns lead to a
//! schedule.

mod branches;
mod dive;
mod prices;
mod pricing;
mod simplex;

use self::prices::Prices;
use self::pricing::Pricing;
use self::simplex::{Simplex, Sparse, Step, TOLERANCE};
use super::job_types::{JobTypes, Pattern};
use super::weighting::Weighting;
use crate::solve::Monitor;
use crate::{Error, Result};

/// Types beyond which a schedule is found sooner without the basis inverse, and beyond which one
/// step takes too long.
const MAX_TYPES: usize = 400;
const MOST_TYPES: usize = 2500;

/// Cells of the pricing table beyond which a column takes too long.
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
    /// Patterns priced so far.
    columns: u64,
    /// Table cells, nodes and basis elements that may still be computed.
    work_left: u64,
}

/// Jobs that are still to be placed.
#[derive(Debug, Clone)]
struct Rest {
    counts: Vec<u32>,
    machines: usize,
}

/// What the program says about a target.
pub(crate) enum Relaxation {
    /// Every schedule is at least this long, which is more than the target.
    Refuted(u64),
    /// The program needs no more machines than there are, or this could not be settled.
    Open(Fractions),
}

/// A fractional packing and the last weights.
pub(crate) struct Fractions {
    /// Patterns by types with how often they are used.
    patterns: Vec<(Sparse, f64)>,
    pub(crate) weighting: Option<Weighting>,
}

impl Fractions {
    /// The patterns, as types with how often each occurs, and how often they are used at least once
    /// fractions are cut off.
    pub(crate) fn whole_uses(&self) -> impl Iterator<Item = (&[(u32, u32)], u32)> {
        self.patterns.iter().map(|(pattern, value)| (&pattern[..], *value as u32))
    }
}

impl<'a> ConfigurationLp<'a> {
    /// The program; where it is too large to be worth it for targets up to
    /// `capacity`, the reason. It gives up after `work` table cells and basis elements.
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

    /// The program where nothing else is as good, without a table if that is too large; the reason
    /// if it takes too much memory or time.
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

    /// Patterns priced so far.
    pub(crate) fn columns(&self) -> u64 {
        self.columns
    }

    /// Whether the work it may do is done.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.work_left == 0
    }

    /// Asks about another number of machines from here on.
    pub(crate) fn set_machines(&mut self, machines: usize) {
        self.machines = machines;
    }

    /// Tries to refute the target; `capacity`, at least the target, is how far a refutation may
    /// reach.
    pub(crate) fn decide(&mut self, target: u64, capacity: u64) -> Result<Relaxation> {
        let rest = Rest { counts: self.types.counts.clone(), machines: self.machines };
        self.relax(&rest, target, capacity)
    }

    /// The number of machines that the program needs for the target, rounded up: a lower bound,
    /// proved like a refutation (Farley 1990), and its packing. Where it is stopped, the bound is
    /// what was proved until then.
    pub(crate) fn fewest_machines(&mut self, target: u64) -> (u64, Result<Fractions>) {
        let mut proved = 0;
        let counts = &self.types.counts;
        let fractions = self.generate(counts, None, target, target, &mut proved).and_then(
            |found| match found {
                Relaxation::Open(fractions) => Ok(fractions),
                Relaxation::Refuted(_) => {
                    Err(Error::internal("no number of machines was to be refuted"))
                }
            },
        );
        (proved as u64, fractions)
    }

    fn relax(&mut self, rest: &Rest, target: u64, capacity: u64) -> Result<Relaxation> {
        self.generate(&rest.counts, Some(rest.machines), target, capacity, &mut 0)
    }

    /// Generates patterns until it is settled whether the jobs fit on so many machines, or how many
    /// they need; says how many are proved to be needed.
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
                // The least load for which the machines could hold the weight.
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

    /// The pattern of at most the target that is worth most, or nearly, and a bound of what any is
    /// worth.
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

    /// The program with the patterns of earlier ones that suit it.
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

    /// Solves the program with the patterns it has. False if the method is stuck or its work done.
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

/// Whether a table of that capacity is worth it to price columns.
fn has_table(types: &JobTypes, capacity: u64, monitor: &Monitor) -> bool {
    let cells = Pricing::cells(types, capacity);
    cells <= MAX_CELLS && cells * CELL <= u128::from(monitor.memory_bytes())
}

/// A pattern by types, or rows, with how often each occurs.
fn sparse(pattern: &[u32]) -> Sparse {
    pattern.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u32)).collect()
}

/// The types that have jobs left: one row of the program each.
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

    /// The pattern by rows, without jobs that are no longer there; nothing if it has none.
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

    /// Weights of rows as weights of types; a type without jobs weighs nothing.
    fn spread(&self, weights: &[u32]) -> Vec<u64> {
        self.row_of
            .iter()
            .map(|row| row.map_or(0, |row| u64::from(weights[row as usize])))
            .collect()
    }
}
