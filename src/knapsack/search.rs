//! The order of the methods, and the best solution that they found.

use std::sync::Arc;

use super::bounds::Greedy;
use super::core::{Core, Ended, TooLarge, WorkLimit};
use super::reduction::Problem;
use super::selection::{self, Selection, pieces_of};
use super::{Instance, Method, Solution, bounds, dense, lines};
use crate::solve::{Certificate, Monitor, Outcome, Report, Sense, unless_stopped};
use crate::{Context, Dispatch, Error, Result};

/// [`Method::Auto`] turns to the table when the core has used 1 / `CORE_SHARE` as many states and
/// cells as the table has cells. The table fills a cell in a fraction of the core's time.
const CORE_SHARE: u64 = 4;
/// The same for subset sums. Their table has a bit for each cell, and all threads fill it: a state of
/// the core takes as long as tens of thousands of cells. The core gets a small part of that time.
const SUMS_SHARE: u64 = 1 << 20;
/// Work that the core may always do before the table of a subset sum.
const SUMS_WORK: u64 = 1 << 9;
/// Work limit of a first core, before analysing the pieces' lines.
const PROBE: WorkLimit = WorkLimit { states: 1 << 19, all: 1 << 25 };
/// Work that the core may always do before the comparison with the table.
const CORE_WORK: u64 = 1 << 28;

/// The best solution and the best bound so far, in units of the reduced problem.
pub(super) struct Search<'a> {
    problem: &'a Arc<Problem>,
    /// Shared with the progress callback.
    taken: Arc<Vec<bool>>,
    /// The greedy solution, with its copies.
    greedy: Selection,
    profit: i64,
    bound: i64,
    /// Whether the memory limit ended the search.
    pub(super) out_of_memory: bool,
}

impl<'a> Search<'a> {
    /// # Errors
    /// [`Error::Stopped`] if there are many items, and [`Error::OutOfMemory`].
    pub(super) fn start(problem: &'a Arc<Problem>, monitor: &Monitor) -> Result<Self> {
        let Greedy { taken, profit, bound } = bounds::greedy(problem, monitor)?;
        let greedy = Selection::new(problem, &taken, |step| monitor.check_later_step(step))?;
        let taken = Arc::new(taken);
        let search = Search { problem, taken, greedy, profit, bound, out_of_memory: false };
        search.note(monitor);
        monitor.report("greedy", None);
        Ok(search)
    }

    /// Takes over these copies, which fit, if they are worth more, unless a stop comes.
    pub(super) fn offer(&mut self, counts: &[u64], monitor: &Monitor) -> Result<()> {
        let taken = pieces_of(self.problem, counts, |step| monitor.check_later_step(step));
        let Some(taken) = unless_stopped(taken)? else { return Ok(()) };
        let profit = self.problem.profit(&taken);
        if profit > self.profit {
            (self.taken, self.profit) = (Arc::new(taken), profit);
            self.note(monitor);
            monitor.report("start", None);
        }
        Ok(())
    }

    fn note(&self, monitor: &Monitor) {
        let [profit, bound] = [self.profit, self.bound].map(|profit| self.problem.scaled(profit));
        let taken = || selection::found(self.problem, Some(Arc::clone(&self.taken)));
        monitor.note_found(profit, Some(bound), taken);
    }

    pub(super) fn run(
        &mut self,
        method: Method,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<()> {
        let context = dispatch.context();
        match method {
            Method::Greedy => {}
            Method::Dense => self.dense(dispatch, monitor, report)?,
            Method::Core => {
                self.out_of_memory = self.core(context, u64::MAX, monitor, report)?.is_some()
            }
            Method::Auto => {
                let cells = dense::work(self.problem);
                let limit = cells.map_or(u64::MAX, |cells| match self.problem.is_subset_sum {
                    true => (cells / SUMS_SHARE).max(SUMS_WORK),
                    false => (cells / CORE_SHARE).max(CORE_WORK),
                });
                let Some(ended) = self.core(context, limit, monitor, report)? else {
                    return Ok(());
                };
                match self.dense(dispatch, monitor, report) {
                    // The table is too large. If only the work limit ended the core, the core
                    // continues.
                    Err(error) if matches!(*error, Error::OutOfMemory { .. }) => {
                        self.out_of_memory = ended == TooLarge::Memory
                            || self.core(context, u64::MAX, monitor, report)?.is_some();
                    }
                    result => result?,
                }
            }
        }
        Ok(())
    }

    /// Searches the core. Returns the limit that it exceeded, except limits of the solve.
    fn core(
        &mut self,
        context: &Context,
        work_limit: u64,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<Option<TooLarge>> {
        if self.profit == self.bound || monitor.begin_iteration().is_err() {
            return Ok(None);
        }
        match self.search_core(context, work_limit, monitor, report) {
            Ok(Some(Ended::TooLarge(limit))) => Ok(Some(limit)),
            // Memory that the system refuses counts as beyond the memory limit.
            Err(error) if matches!(*error, Error::OutOfMemory { .. }) => Ok(Some(TooLarge::Memory)),
            ended => unless_stopped(ended).map(|_| None),
        }
    }

    fn search_core(
        &mut self,
        context: &Context,
        work_limit: u64,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<Option<Ended>> {
        let mut core = Core::new(context, self.problem, monitor)?;
        core.learn(self.profit, self.bound);
        let probe = WorkLimit { states: PROBE.states, all: PROBE.all.min(work_limit) };
        let mut ended = core.search(monitor, probe)?;
        // A smaller limit was used up by the probe.
        if ended == Some(Ended::TooLarge(TooLarge::Work)) && work_limit > PROBE.states {
            self.follow_lines(monitor)?;
            core.learn(self.profit, self.bound);
            ended = core.search(monitor, WorkLimit { states: u64::MAX, all: work_limit })?;
        }
        let found = core.into_result(&mut report.statistics)?;
        self.bound = self.bound.min(found.bound);
        if let Some(taken) = found.taken {
            (self.taken, self.profit) = (Arc::new(taken), found.profit);
        }
        self.note(monitor);
        Ok(ended)
    }

    /// Uses the solution and bound by lines, if the pieces lie on few lines.
    fn follow_lines(&mut self, monitor: &Monitor) -> Result<()> {
        let found = match lines::solve(self.problem, monitor) {
            Ok(Some(found)) => found,
            // The core works without them.
            Ok(None) => return Ok(()),
            Err(error) if matches!(*error, Error::Stopped | Error::OutOfMemory { .. }) => {
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        self.bound = self.bound.min(found.bound);
        if let Some((taken, profit)) = found.best.filter(|best| best.1 > self.profit) {
            (self.taken, self.profit) = (Arc::new(taken), profit);
        }
        self.note(monitor);
        Ok(())
    }

    fn dense(
        &mut self,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<()> {
        if self.profit == self.bound || monitor.begin_iteration().is_err() {
            return Ok(());
        }
        match dense::solve(dispatch, monitor, self.problem, self.bound, &mut report.statistics) {
            Ok(taken) => {
                (self.profit, self.taken) = (self.problem.profit(&taken), Arc::new(taken));
                self.bound = self.profit;
                self.note(monitor);
                Ok(())
            }
            Err(error) if matches!(*error, Error::Stopped) => Ok(()),
            Err(error) => Err(error),
        }
    }

    pub(super) fn into_answer(mut self) -> Result<Answer> {
        self.greedy.change_to(self.problem, &self.taken)?;
        let counts = self.greedy.into_counts();
        let [profit, bound] = [self.profit, self.bound].map(|profit| self.problem.scaled(profit));
        Ok(Answer { counts, profit, bound })
    }
}

/// The best copies of a search, their profit as it has counted it, and its bound.
pub(super) struct Answer {
    pub(super) counts: Vec<u64>,
    pub(super) profit: u64,
    pub(super) bound: u64,
}

impl Answer {
    /// The outcome, re-checked against the instance.
    pub(super) fn certify(self, instance: &Instance, report: Report) -> Result<Outcome<Solution>> {
        let Answer { counts, profit: claimed, bound } = self;
        let profit = instance.profit_of(&counts).map_err(Error::defect)?;
        let certificate = Certificate::new(Sense::Maximise, claimed, profit, Some(bound))?;
        Ok(certificate.outcome(Some(Solution { counts }), report))
    }
}
