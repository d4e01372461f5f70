//! Work on a unit.

use super::{Checkpoint, Unit, UpperBound};
use crate::flow_shop::Method;
use crate::flow_shop::exact::limit::Limit;
use crate::flow_shop::exact::search::run_part;
use crate::flow_shop::incumbent::found;
use crate::solve::{Report, Sense, SolveOptions};
use crate::{Context, Error, Result};

impl Unit {
    /// Searches below the open nodes for schedules shorter than the limit and the upper bound,
    /// until none is left or a limit or the stop handle ends the run. The unit is then what
    /// remains. The budget is the time limit, the iteration limit, or both: each decomposed node is
    /// an iteration, and one CPU thread searches. The engine is chosen as for
    /// [`solve`](crate::flow_shop::solve).
    ///
    /// The report's statistics are the `nodes` and `bounds` of this run, which are also added to
    /// the unit. Several runs of different units may share one upper bound.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with an iteration limit on a device; [`Error::OutOfMemory`] if the
    /// search does not fit; [`Error::DeviceWrong`] if a device was wrong; and errors of the engine.
    /// The unit is then unchanged, or only the rest of it is open. A device that was wrong may also
    /// have been so in earlier runs: units that it worked on must be done again, from before those
    /// runs.
    pub fn run(
        &mut self,
        context: &Context,
        options: &SolveOptions,
        upper_bound: &UpperBound,
    ) -> Result<Report> {
        let monitor = context.watch(Sense::Minimise, options)?;
        let mut dispatch = context.dispatch(options.engine)?;
        let mut report = Report { method: Method::BranchAndBound.name(), ..Report::default() };
        let tree = self.tree.clone();
        let exact = &tree.options().exact;
        let Checkpoint { branching_limit, best, limit, .. } = &self.search;
        monitor.note_found(best.value, None, || found(&best.order));
        let limit = Limit::shared(best.clone(), *limit, upper_bound.shared());
        let problem = match tree.problem(*branching_limit, &monitor) {
            // No node has been decomposed.
            Err(error) if matches!(*error, Error::Stopped) => {
                dispatch.finish(&monitor, &mut report);
                return Ok(report);
            }
            problem => problem?,
        };
        let open = self.take_open();
        let before = open.clone();
        let is_counted = options.limits.iterations.is_some();
        let (left, searched) =
            run_part(&problem, &limit, &monitor, exact, is_counted, open, &mut dispatch);
        let search = &mut self.search;
        // The host has evaluated the schedules of a device, also of a wrong one.
        (search.best, search.limit) = (limit.best(), limit.get());
        if left.was_misled {
            search.open = before.into();
            let reason = "it may also have been wrong in earlier work on this search tree";
            return Err(Error::device_wrong(reason));
        }
        search.open = left.open.into();
        search.by_device |= dispatch.used_device();
        search.counts.nodes += left.counts.nodes;
        search.counts.bounds += left.counts.bounds;
        self.drop_closed();
        searched?;
        report.statistics.add("nodes", left.counts.nodes);
        report.statistics.add("bounds", left.counts.bounds);
        dispatch.finish(&monitor, &mut report);
        Ok(report)
    }
}
