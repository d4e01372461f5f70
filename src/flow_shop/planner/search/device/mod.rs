//! Iterated greedy search on a device: a group searches each trajectory, with the CPU's random
//! numbers, and finds the CPU's sequences. Trajectories may belong to several instances that differ
//! in their numbers alone.

mod crowd;
mod kernels;
mod member;
mod neighbours;
mod self_test;
mod states;
mod tables;
#[cfg(test)]
mod tests;
mod together;
mod workload;

pub(in crate::flow_shop::planner) use self::crowd::{Crowd, Found};
pub(in crate::flow_shop::planner) use self::member::Member;
pub(in crate::flow_shop::planner) use self::neighbours::DeviceNeighbours;
pub(in crate::flow_shop::planner) use self::together::go_on_together;

use self::kernels::Greedy;
pub(crate) use self::workload::TIMED;
use super::evaluators::is_two_sided;
use super::settings::TAKEN;
use super::tolerance::CHOICE_BITS;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::{Instance, Objective};
use crate::opencl::{Arguments, Device, Kernel, KernelFamily, Tunable, Usual, source};
use crate::{Error, Result};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_greedy",
    sources: &[source!("flow_shop_greedy.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![Greedy, kernels::Insertions, kernels::Exchanges],
    constants: &[
        ("TAKEN", TAKEN as u64),
        ("CHOICE_BITS", CHOICE_BITS as u64),
        ("MOST_STAGES", Objective::MAX_STAGES as u64),
        ("RANDOM", states::RANDOM as u64),
        ("PHASE", states::PHASE as u64),
        ("COUNT", states::COUNT as u64),
        ("ALL", states::ALL as u64),
        ("TURN", states::TURN as u64),
        ("LENGTH", states::LENGTH as u64),
        ("IDLE", states::IDLE as u64),
        ("PUT", states::PUT as u64),
        ("KNOWN_HEADS", states::KNOWN_HEADS as u64),
        ("KNOWN_TAILS", states::KNOWN_TAILS as u64),
        ("ITERATIONS", states::ITERATIONS as u64),
        ("EVALUATIONS", states::EVALUATIONS as u64),
        ("CHANGES", states::CHANGES as u64),
        ("CURRENT_CHANGES", states::CURRENT_CHANGES as u64),
        ("PLAN_WORDS", tables::PLAN_WORDS as u64),
        ("FIRST_TAKEN", states::FIRST_TAKEN as u64),
        ("FIRST_VALUE", states::FIRST_VALUE as u64),
        ("STATE_WORDS", states::STATE_WORDS as u64),
        ("READY", states::READY),
        ("DESCENT", states::DESCENT),
        ("PART", states::PART),
        ("PUTTING", states::PUTTING),
        ("WHOLE", states::WHOLE),
    ],
    tuning: &[
        Tunable::power("GREEDY_GROUP: work-items of a group with heads and tails", (16, 1024)),
        Tunable::power("SUM_GROUP: work-items of a group without tails", (16, 1024)),
        Tunable::power("MOST_PLACEMENTS: most placements of a launch", (1, 1 << 20)),
        Tunable::power("TABLE_GROUPS: most groups of a launch", (16, 1024)),
        Tunable::power("LEAST_CHUNK: fewest jobs that a group loads together", (1, 16)),
    ],
    self_test: self_test::compare,
};

/// Most jobs whose inversions have 32 bits.
const MOST_PLANNED: usize = 1 << 16;

/// What a program is compiled for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Shape {
    machines: usize,
    has_setups: bool,
    has_blocking: bool,
    has_releases: bool,
    /// Numbers of a sequence's value, or 0 for the makespan alone.
    stages: usize,
    /// Whether sequences are compared with a running plan. The makespan then has no tails.
    has_plan: bool,
    /// Whether idle time decides between positions of one value.
    idle_ties: bool,
}

impl Shape {
    fn of(problem: &Problem<'_>) -> Result<Self> {
        if problem.jobs() > MOST_PLANNED && problem.scoring.has_plan() {
            let reason = format!("a comparison of {} jobs with a running plan", problem.jobs());
            return Err(Error::unsupported(reason));
        }
        let (has_plan, is_two_sided) = (problem.scoring.has_plan(), is_two_sided(problem));
        let stages = if is_two_sided && !has_plan { 0 } else { problem.scoring.stages };
        Ok(Shape {
            machines: problem.machines(),
            has_setups: problem.instance.setups().is_some(),
            has_blocking: problem.has_blocking,
            has_releases: !problem.instance.release_times().is_empty(),
            stages,
            has_plan,
            idle_ties: is_two_sided && has_plan,
        })
    }

    /// Numbers of a sequence's value on the device.
    fn values(&self) -> usize {
        self.stages.max(1)
    }

    /// Work-items of a group: at least one for each machine, and no more than `most`.
    fn group(&self, device: &Device, most: usize) -> Result<usize> {
        let name = if self.stages == 0 { "GREEDY_GROUP" } else { "SUM_GROUP" };
        let tuned = device.tuned(&FAMILY, name);
        let least = self.machines.next_power_of_two();
        if least > most {
            let reason = format!("{} machines in groups of {most} work-items", self.machines);
            return Err(Error::unsupported(reason));
        }
        // A power of two that is not above `most`.
        Ok(tuned.min(1 << most.ilog2()).max(least))
    }

    /// A kernel with groups that the device and the kernel itself allow.
    fn kernel<A: Arguments>(&self, device: &Device) -> Result<(Kernel<A>, usize)> {
        let mut most = device.info().max_work_group_size.max(1);
        loop {
            let group = self.group(device, most)?;
            let kernel = self.kernel_of(device, group)?;
            match kernel.max_work_group_size() {
                allowed if allowed >= group => return Ok((kernel, group)),
                allowed => most = allowed.max(1),
            }
        }
    }

    fn kernel_of<A: Arguments>(&self, device: &Device, group: usize) -> Result<Kernel<A>> {
        device.program(&FAMILY, &self.defines(device, group))?.kernel()
    }

    /// Jobs whose times a work-group loads together.
    fn chunk(&self, device: &Device) -> usize {
        self.machines.next_power_of_two().max(device.tuned(&FAMILY, "LEAST_CHUNK"))
    }

    fn defines(&self, device: &Device, group: usize) -> [(&'static str, u64); 9] {
        [
            ("MACHINES", self.machines as u64),
            ("SETUPS", self.has_setups.into()),
            ("BLOCKING", self.has_blocking.into()),
            ("RELEASES", self.has_releases.into()),
            ("STAGES", self.stages as u64),
            ("PLAN", self.has_plan.into()),
            ("IDLE_TIES", self.idle_ties.into()),
            ("GROUP", group as u64),
            ("CHUNK", self.chunk(device) as u64),
        ]
    }
}

/// Refuses a model for which there is no kernel.
pub(in crate::flow_shop::planner) fn check_device_model(problem: &Problem<'_>) -> Result<()> {
    Shape::of(problem).map(drop)
}

/// The program for an instance. The makespan alone has other searches.
pub(crate) fn usual(instance: &Instance) -> Usual {
    let instance = instance.clone();
    let request = move |device: &Device| {
        let shape = Shape::of(&Problem::new(&instance))?;
        shape.kernel::<Greedy<'_>>(device).map(drop)
    };
    Usual::new(FAMILY.name, request).by_name()
}
