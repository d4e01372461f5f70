//! Parts of a search, to spread it over several hosts or to compare engines on the same work.

use std::time::{Duration, Instant};

use super::limit::Limit;
use super::node::Open;
use super::objective::Objective;
use super::problem::Problem;
use super::search::{COUNTED_ON_CPU, OnDevices};
use super::{Counts, ExactOptions, Slice, cpu};
use crate::flow_shop::distinct::check_distinct;
use crate::flow_shop::incumbent::Best;
use crate::flow_shop::{Instance, Permutation};
use crate::opencl::Device;
use crate::solve::{Monitor, Report, Sense, SolveOptions};
use crate::{Context, Error, Forecast, Result};

/// All sequences with a given beginning and end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subproblem {
    /// The first jobs in order, including pinned ones.
    pub front: Vec<u32>,
    /// The last jobs in order.
    pub back: Vec<u32>,
}

/// What a search of subproblems found, see `search_subproblems`.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Searched {
    /// The best sequence with its value, if one is below the limit.
    pub best: Option<(Permutation, u64)>,
    /// Subproblems still to be searched. If there are none, no sequence of the given subproblems is
    /// shorter than `best`, or than the limit without `best`.
    pub open: Vec<Subproblem>,
    /// Warnings and statistics; the statistics are `nodes` and `bounds`.
    pub report: Report,
}

/// Only its limits end a search of subproblems.
const NO_END: Duration = Duration::from_secs(1 << 30);

/// See [`search_subproblems`](super::search_subproblems).
pub(super) fn search<O: OnDevices>(
    context: &Context,
    instance: &Instance,
    subproblems: &[Subproblem],
    objective: impl FnOnce(&Monitor) -> Result<O>,
    options: &ExactOptions,
    solve_options: &SolveOptions,
) -> Result<Searched> {
    let Some(upper_bound) = options.upper_bound else {
        return Err(Error::argument("upper_bound", "is needed to search subproblems"));
    };
    if options.checkpoint.is_some() {
        return Err(Error::argument("checkpoint", "subproblems are not kept in a file"));
    }
    options.check()?;
    let monitor = context.watch(Sense::Minimise, solve_options)?;
    let mut dispatch = context.dispatch(solve_options.engine)?;
    let nobody = Best { value: u32::MAX, order: Vec::new() };
    let limit = Limit::new(nobody, u32::try_from(upper_bound).unwrap_or(u32::MAX));
    let problem = Problem::new(instance, objective(&monitor)?, options.branching, limit.get());
    let open = open_nodes(&problem, subproblems, &limit, &monitor)?;
    let counts_iterations = solve_options.limits.iterations.is_some();
    if counts_iterations {
        dispatch.cpu_only(COUNTED_ON_CPU)?;
    }
    let end = Instant::now() + NO_END;
    let slice = Slice {
        monitor: &monitor,
        end,
        counts_iterations,
        keeps_open: true,
        keeper: None,
        turns: None,
        idle_threads: 0,
        until: None,
    };
    let team = context.team(&monitor);
    let on_device = |device: &Device| {
        let mut open = open.clone();
        let advanced =
            O::advance(&options.plan(), device, &team, &problem, &limit, &mut open, &slice);
        advanced.map(|counts| (counts, open))
    };
    let on_cpu = |_: &Monitor| {
        let mut open = open.clone();
        cpu::advance(context, &problem, &limit, &mut open, &slice).map(|counts| (counts, open))
    };
    let forecast = Forecast::cpu_preferred("subproblems");
    let searched = dispatch.run(&monitor, &forecast, on_device, on_cpu);
    let (counts, open) = match searched {
        // The kernels were not ready in time.
        Err(error) if matches!(*error, Error::Stopped) => (Counts::default(), open),
        searched => searched?,
    };
    dispatch.shared_with(team);

    let mut report = Report::default();
    report.statistics.add("nodes", counts.nodes);
    report.statistics.add("bounds", counts.bounds);
    dispatch.finish(&monitor, &mut report);
    let best = Some(limit.best()).filter(|best| best.value < problem.initial_limit);
    let best = best.map(|best| checked::<O>(instance, best)).transpose()?;
    let open = open.iter().map(Subproblem::of).collect();
    Ok(Searched { best, open, report })
}

/// The nodes of subproblems. Complete sequences are offered to the limit instead.
fn open_nodes<O: Objective>(
    problem: &Problem<'_, O>,
    subproblems: &[Subproblem],
    limit: &Limit,
    monitor: &Monitor,
) -> Result<Vec<Open>> {
    let mut open = Vec::with_capacity(subproblems.len());
    for (index, subproblem) in subproblems.iter().enumerate() {
        let mut part = subproblem.open(problem.instance, index)?;
        let (objective, node) = (&problem.objective, problem.node(&part));
        part.bound = objective.bound(&node);
        if node.free_count == 0 {
            limit.offer(objective.last_value(&node), &part.fixed, monitor);
        } else {
            open.push(part);
        }
    }
    Ok(open)
}

/// The sequence, with its value computed by the independent evaluator.
fn checked<O: Objective>(instance: &Instance, best: Best) -> Result<(Permutation, u64)> {
    let value = O::value(instance, &best.order)?;
    if value != u64::from(best.value) {
        return Err(Error::internal(format!("value {value}, expected {}", best.value)));
    }
    Ok((Permutation::new(best.order), value))
}

impl Subproblem {
    fn of(node: &Open) -> Self {
        Subproblem { front: node.front_jobs().to_vec(), back: node.back_jobs().to_vec() }
    }

    /// The node of this subproblem, with no bound yet. `index` is the subproblem's index in its
    /// list, for errors.
    pub(super) fn open(&self, instance: &Instance, index: usize) -> Result<Open> {
        let fixed = [&self.front[..], &self.back].concat();
        let fault = |reason| Error::element("subproblems", index, reason);
        check_distinct("subproblems", &fixed, instance.jobs()).map_err(|error| match *error {
            Error::InvalidArgument { reason, .. } => fault(reason),
            other => Box::new(other),
        })?;
        if !self.front.starts_with(instance.pinned()) {
            return Err(fault("does not begin with the pinned jobs".into()));
        }
        Ok(Open { bound: 0, front: self.front.len() as u32, fixed: fixed.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::flow_shop::exact::{Bound, search_subproblems};
    use crate::flow_shop::taillard;
    use crate::testing::{cpu_context, limited};

    fn options(upper_bound: u64) -> ExactOptions {
        ExactOptions { upper_bound: Some(upper_bound), ..ExactOptions::default() }
    }

    #[test]
    fn a_search_in_parts_has_the_same_tree() {
        let known = taillard::find("ta014").unwrap();
        let (instance, context) = (known.instance(), cpu_context(1));
        let options = options(known.upper_bound.into());
        let some = limited(Limits { iterations: Some(5_000), ..Limits::default() });
        let first =
            search_subproblems(&context, &instance, &[Subproblem::default()], &options, &some)
                .unwrap();
        assert!(!first.open.is_empty());
        let (one, other) = first.open.split_at(first.open.len() / 2);
        let rest = [one, other].map(|part| {
            search_subproblems(&context, &instance, part, &options, &SolveOptions::default())
                .unwrap()
        });
        assert!(rest.iter().all(|part| part.open.is_empty() && part.best.is_none()));
        let nodes = |part: &Searched| part.report.statistics.get("nodes").unwrap();
        assert_eq!(nodes(&first) + rest.iter().map(nodes).sum::<u64>(), 19_285);
    }

    #[test]
    fn complete_sequences_are_evaluated() {
        let instance = Instance::new(2, 2, vec![5, 1, 1, 5]).unwrap();
        let parts = [
            Subproblem { front: vec![0], back: vec![1] },
            Subproblem { front: vec![1], back: vec![0] },
        ];
        let search = |bound| {
            search_subproblems(
                &cpu_context(1),
                &instance,
                &parts,
                &options(bound),
                &SolveOptions::default(),
            )
            .unwrap()
        };
        let (best, makespan) = search(100).best.unwrap();
        assert_eq!((best.jobs(), makespan), (&[1, 0][..], 7));
        assert_eq!(search(7).best, None);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let instance = Instance::new(3, 1, vec![1, 2, 3]).unwrap().with_pinned(vec![2]).unwrap();
        let fault = |front: &[u32], back: &[u32]| {
            let part = Subproblem { front: front.to_vec(), back: back.to_vec() };
            let parts = [Subproblem { front: vec![2], back: vec![] }, part];
            let solve_options = SolveOptions::default();
            let searched =
                search_subproblems(&cpu_context(1), &instance, &parts, &options(9), &solve_options);
            let bounds = super::super::bound_children(
                &cpu_context(1),
                &instance,
                Bound::OneMachine,
                &parts,
                &solve_options,
            );
            let text = searched.unwrap_err().to_string();
            assert_eq!(text, bounds.unwrap_err().to_string());
            text
        };
        assert_eq!(fault(&[2, 7], &[]), "subproblems[1]: there is no job 7, only 3");
        assert_eq!(fault(&[2, 1], &[1]), "subproblems[1]: job 1 stands at position 1 already");
        assert_eq!(fault(&[0], &[]), "subproblems[1]: does not begin with the pinned jobs");
    }
}
