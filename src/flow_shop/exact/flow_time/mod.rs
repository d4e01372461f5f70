//! Another objective than the makespan, to show that the engines do not know which one it is: the
//! total flow time of small instances. Its bound is simple, and each child computes its
//! state again.

mod device;
mod pool;
mod tests;

use super::Branching;
use super::children::{Bounds, Children, Limits};
use super::node::Node;
use super::objective::Objective;
use super::problem::Problem;
use crate::Result;
use crate::flow_shop::completion::append;
use crate::flow_shop::end::End;
use crate::flow_shop::{Instance, Permutation};
use crate::solve::Monitor;

/// A search for the smallest sum of completion times.
pub(super) struct FlowTime {
    instance: Instance,
}

/// The ends of a sequence.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// From when on the machines are free behind the front.
    free_from: Vec<u32>,
    /// The sum of the front's completion times.
    done: u32,
    /// The jobs at the back, the last one first.
    back: Vec<u32>,
}

impl FlowTime {
    fn problem(instance: &Instance, branching: Branching, initial_limit: u32) -> Problem<'_, Self> {
        let objective = FlowTime { instance: instance.clone() };
        Problem::new(instance, objective, branching, initial_limit)
    }

    fn append(&self, state: &mut State, job: u32) {
        append(&mut state.free_from, self.instance.job(job));
        state.done += state.free_from.last().unwrap();
    }

    /// The value of the sequence whose middle is these jobs.
    fn value_with(&self, state: &State, middle: impl Iterator<Item = u32>) -> u32 {
        let mut whole = state.clone();
        middle.chain(state.back.iter().rev().copied()).for_each(|job| self.append(&mut whole, job));
        whole.done
    }

    /// With the free jobs in any order: on each machine the shortest comes first, and then the
    /// back; behind that machine no job waits. Without free jobs it is the value.
    fn bound_of(&self, state: &State, free: &[u32]) -> u32 {
        if free.is_empty() {
            return self.value_with(state, free.iter().copied());
        }
        let on_machine = |machine: usize| {
            let time = |&job: &u32| self.instance.job(job)[machine];
            let mut times: Vec<u32> = free.iter().map(time).collect();
            times.sort_unstable();
            times.extend(state.back.iter().rev().map(time));
            let mut end = state.free_from[machine];
            let ends = times.iter().map(|time| {
                end += time;
                end
            });
            let tails = free.iter().chain(&state.back);
            let rest = |&job: &u32| self.instance.job(job)[machine + 1..].iter().sum::<u32>();
            state.done + ends.sum::<u32>() + tails.map(rest).sum::<u32>()
        };
        (0..self.instance.machines()).map(on_machine).max().unwrap()
    }
}

impl Objective for FlowTime {
    type State = State;
    type Scratch = ();

    fn file_tag(_instance: &Instance) -> Vec<u8> {
        b"total flow time".to_vec()
    }

    fn value(instance: &Instance, order: &[u32]) -> Result<u64> {
        // It refuses what is no sequence.
        Permutation::new(order.to_vec()).makespan(instance)?;
        let objective = FlowTime { instance: instance.clone() };
        let nothing = State {
            free_from: instance.ready_times().to_vec(),
            done: 0,
            back: order.iter().rev().copied().collect(),
        };
        Ok(objective.value_with(&nothing, std::iter::empty()).into())
    }

    fn root(&self) -> State {
        let free_from = self.instance.ready_times().to_vec();
        let mut state = State { free_from, done: 0, back: Vec::new() };
        self.instance.pinned().iter().for_each(|&job| self.append(&mut state, job));
        state
    }

    fn fix(&self, state: &mut State, job: u32, end: End) {
        match end {
            End::Front => self.append(state, job),
            End::Back => state.back.push(job),
        }
    }

    fn bound(&self, node: &Node<State>) -> u32 {
        self.bound_of(&node.state, &node.free_jobs().collect::<Vec<_>>())
    }

    fn last_value(&self, node: &Node<State>) -> u32 {
        self.value_with(&node.state, node.free_jobs())
    }

    fn bound_children(
        &self,
        node: &Node<State>,
        limits: Limits,
        _monitor: &Monitor,
        (): &mut (),
        children: &mut Children,
    ) -> Result<()> {
        let at_end = |end, bounds: &mut Bounds| {
            let child = |job: u32| {
                let mut state = node.state.clone();
                self.fix(&mut state, job, end);
                let others: Vec<u32> = node.free_jobs().filter(|&other| other != job).collect();
                (job, self.bound_of(&state, &others))
            };
            bounds.replace(node.free.len(), node.free_jobs().map(child), limits);
        };
        at_end(End::Front, &mut children.front);
        at_end(End::Back, &mut children.back);
        Ok(())
    }

    fn steps_per_node(&self) -> usize {
        2 * self.instance.jobs().pow(2) * self.instance.machines()
    }

    fn state_bytes(&self) -> u128 {
        4 * (self.instance.machines() + self.instance.jobs()) as u128
    }
}
