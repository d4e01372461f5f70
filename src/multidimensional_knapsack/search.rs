//! The order of the methods, and the best selection that they found.

use std::sync::Arc;
use std::time::Instant;

use super::bounds::{self, Prices};
use super::branch_and_bound::BranchAndBound;
use super::reduction::{self, Problem};
use super::tree::{Best, Pick, Plan};
use super::{Instance, Method, Selection, dense};
use crate::solve::{Certificate, Found, Monitor, Outcome, Report, Sense};
use crate::{Dispatch, Error, Result, memory};

/// Most rounds of bounds that fix pieces.
const ROUNDS: usize = 8;
/// Nodes between two looks at the clock.
const FIRST_NODES: u64 = 1 << 8;
const MOST_NODES: u64 = 1 << 14;
/// The first nodes of [`Method::Auto`]: 1 / `FEW_CELLS` of the table's cells, up to `FEW_NODES`, and
/// 1 / `MANY_CELLS` more. They take about a tenth of the table's time on a fast device. The number
/// follows from the instance alone.
const FEW_CELLS: u64 = 1 << 6;
const FEW_NODES: u64 = 1 << 14;
const MANY_CELLS: u64 = 1 << 16;
/// Then [`Method::Auto`] turns to the table when the branch and bound has taken 1 / `PARTS` of its
/// time.
const PARTS: f64 = 3.0;
/// A hopeless branch and bound gets less time, by this factor. It still finds good selections, which
/// count if the table is not filled.
const IF_HOPELESS: u64 = 16;

/// The best selection and the best bound so far.
pub(super) struct Search<'a> {
    instance: &'a Instance,
    /// Shared with the progress callback.
    counts: Arc<Vec<u64>>,
    /// The profit as the methods have it; evaluated again at the end.
    profit: u64,
    bound: u64,
    /// What a selection is worth that counts only if the table is not filled, and its copies.
    spare: Option<(u64, Arc<Vec<u64>>)>,
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
        let counts = Arc::new(counts);
        let search = Search { instance, counts, profit, bound, spare: None };
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

    /// Takes over the best selection of the problem's pieces, if it is worth more.
    fn take_best(&mut self, plan: &Plan<'_>, best: &Best) -> Result<()> {
        match best.selection(plan)? {
            Some(taken) => self.take(plan.problem, best.profit, &taken),
            None => Ok(()),
        }
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
        let table = dense::Solver::new(dispatch.context(), monitor, &problem, prices.bound());
        if method == Method::Dense {
            let refused = || dense::beyond_all_memory(&problem, prices.bound(), monitor);
            let table = table.ok_or_else(refused)?;
            monitor.enter("dense")?;
            monitor.begin_iteration()?;
            return self.dense(&problem, &table, dispatch, monitor, report);
        }
        let order = dense::order(&problem)?;
        let plan = Plan::new(&problem, &prices, &order)?;
        let mut search = BranchAndBound::new(&plan, self.known(&problem))?;
        monitor.enter("branch and bound")?;
        monitor.begin_iteration()?;
        match table.filter(|_| method == Method::Auto) {
            Some(table) => self.choose(search, &table, dispatch, monitor, report),
            None => self.branch(&mut search, &mut |_| false, monitor, report).map(|_| ()),
        }
    }

    /// By branch and bound or by the table. After the first nodes, both find the same selection.
    fn choose(
        &mut self,
        mut search: BranchAndBound<'_>,
        table: &dense::Solver<'_>,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<()> {
        let start = Instant::now();
        let factor = if is_hopeless(search.plan, table) { IF_HOPELESS } else { 1 };
        let few = (table.cells() / FEW_CELLS).min(FEW_NODES) + table.cells() / MANY_CELLS;
        let mut is_long = |search: &BranchAndBound<'_>| search.nodes >= few / factor;
        if self.branch(&mut search, &mut is_long, monitor, report)? {
            return Ok(());
        }
        monitor.begin_iteration()?;
        if table.fits() {
            search.pick_of_table();
        }
        if !dispatch.wants_device() {
            let parts = factor as f64 * PARTS;
            let mut is_late = |_: &BranchAndBound<'_>| {
                table.ends_within(dispatch, monitor, parts * start.elapsed().as_secs_f64())
            };
            if self.branch(&mut search, &mut is_late, monitor, report)? {
                return Ok(());
            }
        }
        monitor.enter("dense")?;
        match self.dense(search.plan.problem, table, dispatch, monitor, report) {
            Err(error) if matches!(*error, Error::OutOfMemory { .. }) => {
                monitor.enter("branch and bound")?;
                search.best.pick = Pick::First;
                self.branch(&mut search, &mut |_| false, monitor, report).map(|_| ())
            }
            result => result,
        }
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

    /// Branch and bound, until it is enough. Returns whether the best selection is known.
    fn branch(
        &mut self,
        search: &mut BranchAndBound<'_>,
        is_enough: &mut dyn FnMut(&BranchAndBound<'_>) -> bool,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<bool> {
        let (plan, begin) = (search.plan, search.nodes);
        let mut nodes = FIRST_NODES;
        let is_complete = loop {
            let before = (search.best.profit, search.bound);
            let is_complete = search.advance(nodes)?;
            if is_complete || search.best.pick == Pick::First {
                self.take_best(plan, &search.best)?;
            }
            if before != (search.best.profit, search.bound) {
                self.lower(plan.problem, search.bound, monitor);
                monitor.report("branch and bound", None);
            }
            if is_complete || monitor.should_stop() || is_enough(search) {
                break is_complete;
            }
            nodes = (2 * nodes).min(MOST_NODES);
        };
        report.statistics.add("nodes", search.nodes - begin);
        if is_complete {
            self.bound = self.profit;
            self.note(monitor);
        } else if search.best.pick == Pick::Table
            && let Some(taken) = search.best.selection(plan)?
        {
            let worth = plan.problem.worth(search.best.profit);
            self.spare = Some((worth, Arc::new(plan.problem.counts(&taken)?)));
        }
        monitor.check().map(|()| is_complete)
    }

    fn dense(
        &mut self,
        problem: &Problem,
        table: &dense::Solver<'_>,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
        report: &mut Report,
    ) -> Result<()> {
        let found = table.solve(dispatch, monitor, &mut report.statistics)?;
        self.take(problem, found.profit, &found.taken)?;
        self.bound = self.profit;
        self.note(monitor);
        Ok(())
    }

    /// The outcome, re-checked against the instance.
    pub(super) fn certify(mut self, report: Report) -> Result<Outcome<Selection>> {
        if let Some((worth, counts)) = self.spare.take_if(|(worth, _)| *worth > self.profit) {
            (self.counts, self.profit) = (counts, worth);
        }
        let counts = memory::copied(&self.counts)?;
        let found = self.instance.profit_of(&counts).map_err(Error::defect)?;
        let certificate = Certificate::new(Sense::Maximise, self.profit, found, Some(self.bound))?;
        Ok(certificate.outcome(Some(Selection { counts }), report))
    }
}

/// Whether more subsets of pieces hardly lower the bound than the table has cells. Most of the
/// branch and bound's nodes are such subsets.
fn is_hopeless(plan: &Plan<'_>, table: &dense::Solver<'_>) -> bool {
    let pieces = plan.most_against_gains(plan.prices.bound().saturating_sub(2));
    pieces >= 63 || 1 << pieces > table.cells()
}
