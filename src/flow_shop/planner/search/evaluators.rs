//! The choice of an evaluator for a problem.

use std::sync::{Arc, OnceLock};

use super::heads::Heads;
use super::places::Sequence;
use super::prefix::Prefix;
use super::spread::Lane;
use super::sums::{Score, Sum};
use super::tables::{Reach, Tables};
use super::two_sided::TwoSided;
use crate::Result;
use crate::flow_shop::Criterion;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::search::Time;
use crate::solve::Monitor;

/// Makes sequences for a problem. Their tables are made once.
pub(in crate::flow_shop::planner) struct Evaluators<'a> {
    problem: &'a Problem<'a>,
    reach: Reach,
    /// Largest time with 16 bits for which no sum needs more than 32 bits.
    most: u32,
    narrow: OnceLock<Arc<Tables<'a, u16>>>,
    wide: OnceLock<Arc<Tables<'a, u32>>>,
    short_sums: OnceLock<Arc<Vec<Score<i32>>>>,
    long_sums: OnceLock<Arc<Vec<Score<i64>>>>,
}

impl<'a> Evaluators<'a> {
    pub(in crate::flow_shop::planner) fn new(problem: &'a Problem<'a>) -> Self {
        Evaluators {
            problem,
            reach: Reach::of(problem),
            most: (u16::NONE.to_u32() - 1).min(<i32 as Sum>::most(problem)),
            narrow: OnceLock::new(),
            wide: OnceLock::new(),
            short_sums: OnceLock::new(),
            long_sums: OnceLock::new(),
        }
    }

    pub(in crate::flow_shop::planner) fn problem(&self) -> &'a Problem<'a> {
        self.problem
    }

    /// A sequence for all orders of jobs.
    pub(in crate::flow_shop::planner) fn widest(&self) -> Result<Sequence<'a>> {
        self.sequence(self.reach.horizon, 0)
    }

    /// A sequence for all orders that result from one of this makespan by moving jobs. Others may
    /// follow as long as [`PartialSequence::reaches`] allows them.
    pub(in crate::flow_shop::planner) fn sequence(
        &self,
        makespan: u32,
        moved: u32,
    ) -> Result<Sequence<'a>> {
        let is_narrow = self.is_narrow(self.reach.longest(makespan, moved));
        match (is_two_sided(self.problem), is_narrow) {
            (true, true) => Ok(Box::new(TwoSided::new(self.narrow()?)?)),
            (true, false) => Ok(Box::new(TwoSided::new(self.wide()?)?)),
            (false, true) => self.prefix(self.narrow()?, &self.short_sums),
            (false, false) => self.prefix(self.wide()?, &self.long_sums),
        }
    }

    /// The longest schedule from which a search for `makespan` continues, if there is a limit.
    pub(in crate::flow_shop::planner) fn farthest(&self, makespan: u32, moved: u32) -> Option<u32> {
        let is_narrow = self.is_narrow(self.reach.longest(makespan, moved));
        let most = if is_narrow { self.most_narrow() } else { u32::NONE.to_u32() - 1 };
        self.reach.farthest(most, moved)
    }

    /// Whether the smaller numbers suffice for schedules of this length.
    fn is_narrow(&self, longest: u32) -> bool {
        longest <= self.most_narrow()
    }

    /// The longest schedule with the smaller numbers.
    fn most_narrow(&self) -> u32 {
        if is_two_sided(self.problem) { u16::NONE.to_u32() - 1 } else { self.most }
    }

    /// Refuses tables and sequences that exceed the memory limit.
    pub(in crate::flow_shop::planner) fn check_memory(
        &self,
        makespan: u32,
        moved: u32,
        sequences: usize,
        monitor: &Monitor,
    ) -> Result<()> {
        let is_narrow = self.is_narrow(self.reach.longest(makespan, moved));
        let (tables, bytes) = match is_narrow {
            true => (Tables::<u16>::bytes(self.problem), size_of::<u16>()),
            false => (Tables::<u32>::bytes(self.problem), size_of::<u32>()),
        };
        let jobs = self.problem.free_jobs.len();
        // Heads, tails or states behind a job, and gathered set-ups.
        let rows = 6 * (self.problem.machines() + 16) as u128;
        let links = Heads::<u16>::links_bytes(self.problem, bytes);
        let each =
            rows * Heads::<u16>::stride(jobs) as u128 * bytes as u128 + 256 * jobs as u128 + links;
        let required = tables + each * sequences as u128;
        monitor.check_memory(required, || "heads and tails of the trajectories".into())
    }

    fn prefix<T: Lane, S: Sum>(
        &self,
        tables: Arc<Tables<'a, T>>,
        scores: &OnceLock<Arc<Vec<Score<S>>>>,
    ) -> Result<Sequence<'a>> {
        let scores = made(scores, || Score::all(self.problem))?;
        let most = (T::NONE.to_u32() - 1).min(S::most(self.problem));
        Ok(Box::new(Prefix::new(tables, scores, most)?))
    }

    fn narrow(&self) -> Result<Arc<Tables<'a, u16>>> {
        made(&self.narrow, || Tables::new(self.problem))
    }

    fn wide(&self) -> Result<Arc<Tables<'a, u32>>> {
        made(&self.wide, || Tables::new(self.problem))
    }
}

/// Whether costs follow from the makespan and the order of jobs.
pub(super) fn is_two_sided(problem: &Problem<'_>) -> bool {
    use Criterion::{Inversions, Makespan, NewPredecessors};
    let mut criteria = problem.instance.objective().criteria();
    criteria.all(|criterion| matches!(criterion, Makespan | Inversions | NewPredecessors))
}

/// What the cell contains, made now if it is empty.
fn made<T>(cell: &OnceLock<Arc<T>>, make: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
    if let Some(present) = cell.get() {
        return Ok(Arc::clone(present));
    }
    let new = Arc::new(make()?);
    Ok(Arc::clone(cell.get_or_init(|| new)))
}
