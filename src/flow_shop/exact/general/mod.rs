//! Any model and any single stage of an objective: set-ups, release times, blocking. Children fix
//! the next job at the front.

mod bound;
mod device;
mod tag;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use self::bound::{Room, State};
use super::children::{Children, Limits};
use super::limit::Limit;
use super::node::{Node, Open};
use super::objective::Objective;
use super::options::Plan;
use super::problem::Problem;
use super::search::OnDevices;
use super::{Branching, Counts, ExactOptions, Slice, device as on_device, search};
use crate::flow_shop::end::End;
use crate::flow_shop::incumbent::Incumbent;
use crate::flow_shop::planner::{Numbers, offset};
use crate::flow_shop::{Instance, Permutation};
use crate::opencl::{Device, Usual};
use crate::solve::{Monitor, Statistics};
use crate::{Dispatch, Error, Result, Team};

pub(super) const KERNEL_FAMILIES: &[crate::opencl::TimedFamily] = &[device::TIMED];

/// The program of an instance's proofs.
pub(super) fn usual(instance: &Arc<Instance>) -> Usual {
    device::usual(instance)
}

/// Requests the program for an instance.
pub(super) fn request(instance: &Instance, device: &Device) -> Result<()> {
    device::request(instance, device)
}

/// Searches for the best sequence; see [`search::run`]. The values of the incumbent and its monitor
/// are those of the numbers.
pub(in crate::flow_shop) fn run(
    incumbent: &mut Incumbent<'_>,
    numbers: Numbers,
    options: &ExactOptions,
    counts_iterations: bool,
    dispatch: &mut Dispatch<'_>,
    statistics: &mut Statistics,
) -> Result<()> {
    let instance = incumbent.instance;
    let options = ExactOptions { branching: Branching::Forward, ..options.clone() };
    let objective = || Ok(General { instance, numbers });
    search::run(incumbent, objective, &options, counts_iterations, dispatch, statistics)
}

/// A search for the best sequence of a model.
pub(super) struct General<'a> {
    instance: &'a Instance,
    numbers: Numbers,
}

/// Scratch for bounding.
#[derive(Default)]
pub(super) struct Scratch {
    child: Option<State>,
    room: Room,
}

impl<'a> General<'a> {
    /// The problem of a search for values below a limit.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a list of objectives or values beyond 31 bits.
    fn problem(instance: &'a Instance, limit: u32, monitor: &Monitor) -> Result<Problem<'a, Self>> {
        let objective = General { instance, numbers: Numbers::of(instance, monitor)? };
        Ok(Problem::new(instance, objective, Branching::Forward, limit))
    }

    /// The number of a job that is not pinned.
    fn number(&self, job: u32) -> usize {
        self.numbers.jobs.binary_search(&job).unwrap_or_default()
    }

    fn bound_of(&self, state: &State, room: &mut Room) -> u32 {
        // Below the root, gaps may be larger than the set-ups behind the last pinned job.
        self.numbers.bound(state, room).max(0) as u32
    }
}

impl Objective for General<'_> {
    type State = State;
    type Scratch = Scratch;

    fn file_tag(instance: &Instance) -> Vec<u8> {
        tag::of(instance)
    }

    fn value(instance: &Instance, order: &[u32]) -> Result<u64> {
        let values = Permutation::new(order.to_vec()).values(instance)?;
        let value = values[0] - offset(instance);
        u64::try_from(value).map_err(|_| Error::internal(format!("a value of {value}")))
    }

    fn root(&self) -> State {
        State::root(&self.numbers)
    }

    /// All jobs are fixed at the front.
    fn fix(&self, state: &mut State, job: u32, _end: End) {
        self.numbers.append(state, self.number(job));
    }

    fn bound(&self, node: &Node<State>) -> u32 {
        self.bound_of(&node.state, &mut Room::default())
    }

    fn last_value(&self, node: &Node<State>) -> u32 {
        let mut state = node.state.clone();
        node.free_jobs().for_each(|job| self.fix(&mut state, job, End::Front));
        self.bound_of(&state, &mut Room::default())
    }

    fn bound_children(
        &self,
        node: &Node<State>,
        limits: Limits,
        _monitor: &Monitor,
        scratch: &mut Scratch,
        children: &mut Children,
    ) -> Result<()> {
        let Scratch { child, room } = scratch;
        let state = child.get_or_insert_with(|| node.state.clone());
        let bounds = node.free_jobs().map(|job| {
            self.become_child(state, &node.state, job, End::Front);
            (job, self.bound_of(state, room))
        });
        children.front.replace(node.free.len(), bounds, limits);
        children.back.replace(node.free.len(), std::iter::empty(), limits);
        Ok(())
    }

    fn steps_per_node(&self) -> usize {
        let jobs = self.numbers.jobs.len();
        jobs * jobs * (4 * self.numbers.machines + self.numbers.levels.len() + 4)
    }

    fn state_bytes(&self) -> u128 {
        (size_of::<State>() + 4 * self.numbers.machines) as u128
    }
}

impl OnDevices for General<'_> {
    /// There is no pool.
    fn advance(
        _plan: &Plan,
        device: &Device,
        team: &Team<'_>,
        problem: &Problem<'_, Self>,
        limit: &Limit,
        open: &mut Vec<Open>,
        slice: &Slice<'_, Self>,
    ) -> Result<Counts> {
        on_device::advance(device, team, problem, limit, open, slice)
    }
}
