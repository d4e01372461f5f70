//! The order of the methods, and the best selection that they found.

use std::sync::Arc;

use super::bounds::{self, Prices};
use super::branch_and_bound;
use super::reduction::{self, Problem};
use super::{Instance, Method, Selection, dense};
use crate::solve::{Certificate, Found, Monitor, Outcome, Report, Sense};
use crate::{Dispatch, Error, Result, memory};

/// Most rounds of bounds that fix pieces.
const ROUNDS: usize = 8;
/// Nodes of the branch and bound before [`Method::Auto`] turns to the table, at least. A node takes
/// as long as about a hundred cells of the table on two threads. So the branch and bound gets less
/// than half of the table's time there. The number follows from the instance alone, so that all
/// machines return the same selection.
const FEW_NODES: u64 = 1 << 14;
const NODE_CELLS: u64 = 256;

/// The best selection and the best bound so far.
pub(super) struct Search<'a> {
    instance: &'a Instance,
    /// Shared with the progress callback.
    counts: Arc<Vec<u64>>,
    /// The profit as the methods have it; evaluated again at the end.
    profit: u64,
    bound: u64,
    /// Whether the memory limit ended the search.
    pub(super) out_of_memory: bool,
}

impl<'a> Search<'a> {
    /// The items in their order, each as often as it fits. No profit exceeds the sum of all.
    pub(super) fn start(instance: &'a Instance, monitor: &Monitor) -> Result<Self> {
        let bytes = reduction::bytes(instance);
        let what = || format!("a knapsack of {} items", instance.items());
        monitor.expect_lists(bytes, what)?;
        monitor.enter("greedy")?;
        let mut counts = memory::zeroed(instance.items())?;
        let mut room = memory::copied(instance.capacities())?;
        let (mut profit, mut bound) = (0, 0);
        let worthy = instance.profits().iter().zip(&mut counts).enumerate();
        for (item, (&own, taken)) in worthy.filter(|(_, (profit, _))| **profit > 0) {
            let fitting = |(weight, &room): (u64, &u64)| u64::checked_div(room, weight);
            let most = instance.weights_of(item).zip(&room).filter_map(fitting).min();
            let useful = instance.useful_copies(item);
            let count = useful.min(most.unwrap_or(u64::MAX));
            for (room, weight) in room.iter_mut().zip(instance.weights_of(item)) {
                *room -= count * weight;
            }
            *taken = count;
            profit += own * count;
            bound += own * useful;
        }
        let search =
            Search { instance, counts: Arc::new(counts), profit, bound, out_of_memory: false };
        search.note(monitor);
        monitor.report("greedy", None);
        Ok(search)
    }

    fn note(&self, monitor: &Monitor) {
        monitor.note_found(self.profit, Some(self.bound), || {
            let counts = Arc::clone(&self.counts);
            Found::new(move || Some(Selection { counts: memory::copied(&counts).ok()? }))
        });
    }

    /// Takes over copies that fit, if they are worth more.
    pub(super) fn offer(&mut self, counts: &[u64], monitor: &Monitor) -> Result<()> {
        let profit = self.instance.profit_of(counts)?;
        if profit > self.profit {
            (self.counts, self.profit) = (Arc::new(memory::copied(counts)?), profit);
            self.note(monitor);
            monitor.report("start", None);
        }
        Ok(())
    }

    fn is_proved(&self) -> bool {
        self.profit == self.bound
    }

    /// Takes over a selection of the problem's pieces, if it is worth more.
    fn take(&mut self, problem: &Problem, profit: u64, taken: &[bool]) -> Result<()> {
        let worth = problem.worth(profit);
        if worth > self.profit {
            (self.counts, self.profit) = (Arc::new(problem.counts(taken)?), worth);
        }
        Ok(())
    }

    /// Takes over a bound of a problem that has all selections worth more than the best one.
    fn lower(&mut self, problem: &Problem, bound: u64, monitor: &Monitor) {
        self.bound = self.bound.min(problem.worth(bound).max(self.profit));
        self.note(monitor);
    }

    pub(super) fn run(
        &mut self,
        method: Method,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<()> {
        let problem = Problem::new(self.instance, monitor)?;
        let Some((problem, prices)) = self.shrink(problem, method, monitor)? else { return Ok(()) };
        let core = Core { problem: &problem, prices: &prices };
        match method {
            Method::Greedy => {}
            Method::BranchAndBound => self.branch(&core, u64::MAX, monitor, report)?,
            Method::Dense => self.dense(&core, dispatch, monitor, report)?,
            Method::Auto => {
                let cells = dense::work(core.problem);
                let nodes = cells.map_or(u64::MAX, |cells| (cells / NODE_CELLS).max(FEW_NODES));
                self.branch(&core, nodes, monitor, report)?;
                match self.dense(&core, dispatch, monitor, report) {
                    Err(error) if matches!(*error, Error::OutOfMemory { .. }) => {
                        self.branch(&core, u64::MAX, monitor, report)?;
                        self.out_of_memory = !self.is_proved();
                    }
                    result => result?,
                }
            }
        }
        Ok(())
    }

    /// Bounds, selects greedily and fixes items, round by round. Returns the problem that is left,
    /// with multipliers; nothing if the best selection is proved.
    fn shrink(
        &mut self,
        mut problem: Problem,
        method: Method,
        monitor: &Monitor,
    ) -> Result<Option<(Problem, Prices)>> {
        for round in 1.. {
            self.take(&problem, 0, &[])?;
            if problem.len() == 0 {
                // No other selection is left.
                self.lower(&problem, 0, monitor);
                break;
            }
            let found = bounds::search(&problem, self.known(&problem), monitor)?;
            self.take(&problem, found.profit, &found.taken)?;
            self.lower(&problem, found.prices.bound(), monitor);
            monitor.report("greedy", None);
            monitor.check()?;
            if method == Method::Greedy || self.is_proved() {
                break;
            }
            let fixed = found.prices.fixed(self.known(&problem))?;
            if round == ROUNDS || fixed.iter().all(Option::is_none) {
                return Ok(Some((problem, found.prices)));
            }
            match problem.fixed(&fixed)? {
                Some(rest) => problem = rest,
                None => {
                    self.bound = self.profit;
                    break;
                }
            }
        }
        self.note(monitor);
        Ok(None)
    }

    /// The best known profit in units of a problem, whose least selection is known.
    fn known(&self, problem: &Problem) -> u64 {
        problem.profit_of(self.profit).unwrap_or(0)
    }

    fn branch(
        &mut self,
        core: &Core<'_>,
        most: u64,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<()> {
        if self.is_proved() {
            return Ok(());
        }
        monitor.enter("branch and bound")?;
        monitor.begin_iteration()?;
        let (Core { problem, prices }, known) = (core, self.known(core.problem));
        let ended = branch_and_bound::search(problem, prices, known, most, monitor)?;
        report.statistics.add("nodes", ended.nodes);
        if let Some((profit, taken)) = ended.best {
            self.take(problem, profit, &taken)?;
        }
        if ended.is_complete {
            self.bound = self.profit;
        }
        self.note(monitor);
        monitor.report("branch and bound", None);
        monitor.check()
    }

    fn dense(
        &mut self,
        core: &Core<'_>,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<()> {
        if self.is_proved() {
            return Ok(());
        }
        monitor.enter("dense")?;
        monitor.begin_iteration()?;
        let Core { problem, prices } = core;
        let statistics = &mut report.statistics;
        let found = dense::solve(dispatch, monitor, problem, prices.bound(), statistics)?;
        self.take(problem, found.profit, &found.taken)?;
        self.bound = self.profit;
        self.note(monitor);
        Ok(())
    }

    /// The outcome, re-checked against the instance.
    pub(super) fn certify(self, report: Report) -> Result<Outcome<Selection>> {
        let counts = memory::copied(&self.counts)?;
        let found = self.instance.profit_of(&counts).map_err(Error::defect)?;
        let certificate = Certificate::new(Sense::Maximise, self.profit, found, Some(self.bound))?;
        Ok(certificate.outcome(Some(Selection { counts }), report))
    }
}

/// A problem that has all selections worth more than the best one, and multipliers.
struct Core<'a> {
    problem: &'a Problem,
    prices: &'a Prices,
}
