//! Compares the kernels with the CPU.

use super::guide::{Guide, WEIGHTINGS};
use super::shape::Shape;
use super::shop::Shop;
use super::tree::ForwardTree;
use crate::flow_shop::planner::cost::Cost;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::search::beam::{Pass, on_cpu, on_device};
use crate::flow_shop::self_test::{Model, of_model};
use crate::flow_shop::{Instance, Objective};
use crate::opencl::{Device, Failing, Trial, agree};
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Result};

/// Jobs, and kept nodes per level: several blocks of children, the last one partly filled.
const JOBS: usize = 24;
/// Jobs enough for strips of several jobs in usual groups.
const JOBS_IN_STRIPS: usize = 70;
const WIDTH: usize = 150;

/// Runs whole passes: one for all sequences, one for those that are better than the first found.
pub(super) fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let define = |name| trial.define(name).unwrap_or(0) as usize;
    let shape = Shape {
        machines: define("MACHINES"),
        has_setups: define("SETUPS") == 1,
        has_blocking: define("BLOCKING") == 1,
        has_releases: define("RELEASES") == 1,
        has_makespan: define("MAKESPAN") == 1,
        has_terms: define("TERMS") == 1,
        has_late_jobs: define("LATE_JOBS") == 1,
        has_lateness: define("LATENESS") == 1,
    };
    let context = Context::of_one_thread()?;
    let jobs = if shape.has_terms { JOBS_IN_STRIPS } else { JOBS };
    let work = Work { instance: &instance(&shape, jobs)?, context: &context, width: WIDTH };
    let mut cutoff = Cost::WORST;
    for _ in 0..2 {
        let expected = work.on_cpu(cutoff)?;
        let found = work.on_device(trial.device(), cutoff)?;
        cutoff = expected.found.as_ref().map_or(cutoff, |found| found.value);
        agree("a pass", &[found], &[expected])?;
    }
    Ok(())
}

/// A pass on either engine.
pub(super) struct Work<'a> {
    pub(super) instance: &'a Instance,
    pub(super) context: &'a Context,
    pub(super) width: usize,
}

impl Work<'_> {
    pub(super) fn on_cpu(&self, cutoff: Cost) -> Result<Pass<Cost>> {
        self.with_tree(cutoff, |tree, watch| {
            self.context.install(|| on_cpu(tree, watch, self.width))?
        })
    }

    pub(super) fn on_device(&self, device: &Device, cutoff: Cost) -> Result<Pass<Cost>> {
        self.with_tree(cutoff, |tree, watch| {
            on_device(self.context, tree, device, watch, self.width, &|_| ())
        })
    }

    fn with_tree(
        &self,
        cutoff: Cost,
        run: impl FnOnce(&ForwardTree<'_>, &Monitor) -> Result<Pass<Cost>>,
    ) -> Result<Pass<Cost>> {
        let (problem, watch) =
            (Problem::new(self.instance), Monitor::new(&SolveOptions::default()));
        let shop = Shop::new(&problem, &watch)?;
        let order: Vec<u32> = (0..problem.jobs() as u32).collect();
        let guide = Guide::new(&shop, WEIGHTINGS[1], &order, problem.cost(&order));
        run(&ForwardTree::new(&shop, &watch, guide, cutoff)?, &watch)
    }
}

/// An instance of a shape.
pub(super) fn instance(shape: &Shape, jobs: usize) -> Result<Instance> {
    let model = Model {
        has_setups: shape.has_setups,
        has_releases: shape.has_releases,
        has_blocking: shape.has_blocking,
    };
    let parts = [
        (true, "2*total-flow-time"),
        (shape.has_makespan, "7*makespan"),
        (shape.has_terms, "weighted-flow-time+3*weighted-tardiness"),
        (shape.has_late_jobs, "900*late-jobs"),
        (shape.has_lateness, "9*max-lateness"),
    ];
    let parts: Vec<_> = parts.iter().filter(|(has, _)| *has).map(|(_, part)| *part).collect();
    of_model(jobs, shape.machines, 2, model)?.with_objective(Objective::parse(&parts.join("+"))?)
}

#[cfg(test)]
mod tests {
    use crate::flow_shop::planner::beam::device::FAMILY;
    use crate::opencl::testing::expect_lies_to_be_noticed;

    #[test]
    fn wrong_kernels_are_barred() {
        // Lies in node indices and in kinds would make other kernels access memory outside their
        // buffers; without set-ups there are no kinds.
        let lies: [(_, &[&str]); 3] = [
            ("flow_shop_forward_beam_expand", &["ranks"]),
            ("flow_shop_forward_beam_grow", &["next_states"]),
            ("flow_shop_level_trace", &["steps"]),
        ];
        let shape = [("SETUPS", 0), ("BLOCKING", 0), ("RELEASES", 1), ("MAKESPAN", 1)];
        for has_terms in [0, 1] {
            let terms = ["TERMS", "LATE_JOBS", "LATENESS"].map(|name| (name, has_terms));
            let defines = [&[("MACHINES", 6)], &shape[..], &terms].concat();
            expect_lies_to_be_noticed(&FAMILY, &defines, &lies);
        }
    }
}
