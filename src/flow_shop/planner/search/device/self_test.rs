//! Compares the kernel with the CPU.

use std::sync::Mutex;

use super::kernels::{Exchanges, Greedy, Insertions};
use super::{Crowd, DeviceNeighbours, Member, Shape};
use crate::flow_shop::planner::cost::Cost;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::planner::search::evaluators::Evaluators;
use crate::flow_shop::planner::search::tabu::Neighbours;
use crate::flow_shop::planner::search::{greedy, settings};
use crate::flow_shop::search::{Neighbourhood, NeighbourhoodEvaluator, ValuedSequence};
use crate::flow_shop::self_test::{Model, of_model};
use crate::flow_shop::{Instance, Objective};
use crate::opencl::{Device, Failing, Kernel, Queue, Trial, agree};
use crate::solve::{Monitor, SolveOptions, Statistics};
use crate::{Result, parallel};

/// Jobs: more than work-items of a small group, so that some evaluate two positions.
const JOBS: usize = 37;

/// Runs whole trajectories.
pub(super) fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let define = |name| trial.define(name).unwrap_or(0) as usize;
    let shape = Shape {
        machines: define("MACHINES"),
        has_setups: define("SETUPS") == 1,
        has_blocking: define("BLOCKING") == 1,
        has_releases: define("RELEASES") == 1,
        stages: define("STAGES"),
        has_plan: define("PLAN") == 1,
        idle_ties: define("IDLE_TIES") == 1,
    };
    let instance = instance(&shape, JOBS)?;
    let search = Search { instance: &instance, trajectories: 2, iterations: 2 };
    let group = define("GROUP");
    let kernel = shape.kernel_of(trial.device(), group)?;
    if kernel.max_work_group_size() < group {
        // Solves take a program for smaller groups.
        return Ok(());
    }
    let found = search.on_device_by(trial.device(), (kernel, group))?;
    agree("trajectories", &[found], &[search.on_cpu()?])?;
    let problem = Problem::new(&instance);
    let neighbours = Compared {
        device: trial.device(),
        queue: &trial.device().queue(),
        evaluators: &Evaluators::new(&problem),
        monitor: &Monitor::new(&SolveOptions::default()),
    };
    let order = &problem.free_jobs[..];
    let kernel: Kernel<Insertions<'static>> = shape.kernel_of(trial.device(), group)?;
    if kernel.max_work_group_size() >= group {
        let Compared { device, queue, evaluators, monitor } = neighbours;
        let kernel = (kernel, group);
        neighbours.compare(
            DeviceNeighbours::with_insertions(device, queue, monitor, (evaluators, order), kernel)?,
            Neighbourhood::Insertion,
        )?;
    }
    let kernel: Kernel<Exchanges<'static>> = shape.kernel_of(trial.device(), group)?;
    if kernel.max_work_group_size() >= group {
        let Compared { device, queue, evaluators, monitor } = neighbours;
        let kernel = (kernel, group);
        neighbours.compare(
            DeviceNeighbours::with_exchanges(device, queue, monitor, (evaluators, order), kernel)?,
            Neighbourhood::Swap,
        )?;
    }
    Ok(())
}

/// What the evaluators of neighbours share.
#[derive(Clone, Copy)]
struct Compared<'a, 'p> {
    device: &'a Device,
    queue: &'a Queue,
    evaluators: &'a Evaluators<'p>,
    monitor: &'a Monitor,
}

impl Compared<'_, '_> {
    /// Compares the best neighbours of a sequence, among all and among a half of them.
    fn compare(
        &self,
        scan: DeviceNeighbours<'_>,
        neighbourhood: Neighbourhood,
    ) -> Result<(), Failing> {
        let problem = self.evaluators.problem();
        let order = problem.free_jobs.clone();
        let from = ValuedSequence { value: problem.cost(&order), order };
        let moves = neighbourhood.numbers(from.order.len());
        let mut on_cpu = Neighbours::new(self.evaluators, self.monitor, neighbourhood);
        let scan = Mutex::new(scan);
        for forbidden in [Vec::new(), (0..moves).step_by(2).collect()] {
            for cutoff in [from.value, Cost::default()] {
                let found = (&scan).best(&from, &forbidden, cutoff)?;
                agree("neighbours", &[found], &[on_cpu.best(&from, &forbidden, cutoff)?])?;
            }
        }
        Ok(())
    }
}

/// A search on either engine.
pub(super) struct Search<'a> {
    pub(super) instance: &'a Instance,
    pub(super) trajectories: usize,
    pub(super) iterations: u64,
}

const SEED: u64 = 5;

impl Search<'_> {
    /// The best sequences, and the number of evaluations.
    pub(super) fn on_cpu(&self) -> Result<(Vec<Vec<u32>>, u64)> {
        let (problem, monitor) =
            (Problem::new(self.instance), Monitor::new(&SolveOptions::default()));
        let evaluators = Evaluators::new(&problem);
        let kind = (self.trajectories, settings::OF_ANY_ENGINE);
        let mut trajectories =
            greedy::trajectories(&evaluators, &monitor, &problem.free_jobs, kind, SEED)?;
        parallel::for_each(trajectories.iter_mut(), |search| search.run(self.iterations, true));
        let least = trajectories.iter().map(|search| search.best().value).min();
        let bests = trajectories.iter().map(|search| search.best());
        let bests = bests.filter(|best| Some(best.value) == least);
        let evaluations = trajectories.iter().map(|search| search.evaluations).sum();
        Ok((bests.map(|best| best.order.clone()).collect(), evaluations))
    }

    /// The same on a device.
    pub(super) fn on_device(&self, device: &Device) -> Result<(Vec<Vec<u32>>, u64)> {
        self.on_device_by(device, Shape::of(&Problem::new(self.instance))?.kernel(device)?)
    }

    fn on_device_by(
        &self,
        device: &Device,
        kernel: (Kernel<Greedy<'static>>, usize),
    ) -> Result<(Vec<Vec<u32>>, u64)> {
        let (problem, monitor) =
            (Problem::new(self.instance), Monitor::new(&SolveOptions::default()));
        let members = [Member::new(&Evaluators::new(&problem), &problem.free_jobs)];
        let queue = device.queue();
        let kind = (self.trajectories, SEED);
        let mut crowd = Crowd::with_kernel(device, &queue, &monitor, &members, kind, kernel)?;
        while !crowd.is_at(self.iterations) {
            crowd.advance(self.iterations)?;
        }
        let mut statistics = Statistics::default();
        crowd.count(0, &mut statistics);
        let bests = crowd.bests()?.into_iter().map(|found| found.order);
        Ok((bests.collect(), statistics.get("evaluations").unwrap_or(0)))
    }
}

/// An instance of a shape.
pub(super) fn instance(shape: &Shape, jobs: usize) -> Result<Instance> {
    let model = Model {
        has_setups: shape.has_setups,
        has_releases: shape.has_releases,
        has_blocking: shape.has_blocking,
    };
    let mut instance = of_model(jobs, shape.machines, 0, model)?;
    if shape.has_plan {
        // The last job is not in the plan.
        instance = instance.with_running_plan((0..jobs as u32 - 1).rev().collect())?;
    }
    if shape.idle_ties {
        let stages = ["makespan+3*inversions", "new-predecessors", "makespan", "inversions"];
        let objective = Objective::parse(&stages[..shape.stages].join(","))?;
        return instance.with_objective(objective);
    }
    if shape.stages > 0 {
        let stages = [
            "weighted-tardiness+2*max-lateness+makespan",
            "late-jobs",
            "total-flow-time",
            "total-tardiness",
        ];
        let stages = stages.map(|stage| match shape.has_plan {
            true => format!("{stage}+5*inversions+new-predecessors"),
            false => stage.to_owned(),
        });
        instance = instance.with_objective(Objective::parse(&stages[..shape.stages].join(","))?)?;
    }
    Ok(instance)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow_shop::planner::search::device::FAMILY;
    use crate::flow_shop::planner::search::device::states::{STATE_WORDS, VALUE_WORDS};
    use crate::opencl::DeviceKind;
    use crate::opencl::testing::{Lie, self_testing_devices};

    #[test]
    fn wrong_kernels_are_barred() {
        let is_real =
            |device: &Device| device.info().kind == DeviceKind::Cpu && !device.quirks().simulator;
        for device in self_testing_devices().into_iter().filter(is_real) {
            for stages in [0, 2] {
                let shape = Shape {
                    machines: 5,
                    has_setups: true,
                    has_blocking: false,
                    has_releases: true,
                    stages,
                    ..Shape::default()
                };
                let program = device.program(&FAMILY, &shape.defines(&device, 16)).unwrap();
                let lie = Lie::of("flow_shop_greedy", 1).share(0.95).only(&["states"]);
                // Other words of the states are addresses.
                let lie = lie.at_start_of_records(STATE_WORDS, VALUE_WORDS);
                assert!(device.test_again(&FAMILY, &program, lie).is_err());
            }
        }
    }
}
