use crate::flow_shop::completion::{append, prepend};
use crate::flow_shop::end::End;

/// Heads, tails and remaining times around the free jobs of a node, by machine; see
/// [`Surroundings`](crate::flow_shop::bounds::Surroundings).
#[derive(Debug, Clone)]
pub(in crate::flow_shop::exact) struct State {
    pub(super) front: Vec<u32>,
    pub(super) back: Vec<u32>,
    pub(super) remaining: Vec<u32>,
}

impl State {
    /// Fixes a job by its times, next to those that are fixed at that end already.
    pub(super) fn fix(&mut self, times: &[u32], end: End) {
        match end {
            End::Front => append(&mut self.front, times),
            End::Back => prepend(&mut self.back, times),
        }
        self.remaining.iter_mut().zip(times).for_each(|(sum, time)| *sum -= time);
    }

    /// Overwrites this state with the child of `parent` that fixes the job; reuses the memory.
    pub(super) fn become_child(&mut self, parent: &State, times: &[u32], end: End) {
        match end {
            End::Front => {
                chain(self.front.iter_mut().zip(&parent.front).zip(times));
                self.back.copy_from_slice(&parent.back);
            }
            End::Back => {
                chain(self.back.iter_mut().zip(&parent.back).zip(times).rev());
                self.front.copy_from_slice(&parent.front);
            }
        }
        for ((sum, &old), &time) in self.remaining.iter_mut().zip(&parent.remaining).zip(times) {
            *sum = old - time;
        }
    }

    /// The one-machine bound; with one free job it is the makespan.
    pub(super) fn one_machine(&self) -> u32 {
        let sums = self.front.iter().zip(&self.remaining).zip(&self.back);
        sums.map(|((front, remaining), back)| front + remaining + back).max().unwrap_or(0)
    }

    /// The makespan when these jobs are between the front and the back.
    pub(super) fn makespan_with<'t>(&self, jobs: impl Iterator<Item = &'t [u32]>) -> u32 {
        let mut ends = self.front.clone();
        jobs.for_each(|times| append(&mut ends, times));
        ends.iter().zip(&self.back).map(|(end, back)| end + back).max().unwrap_or(0)
    }
}

/// Appends a job in the given machine order: updates the times in place, in one pass.
fn chain<'a>(machines: impl Iterator<Item = ((&'a mut u32, &'a u32), &'a u32)>) {
    let mut end = 0;
    for ((new, &old), &time) in machines {
        end = old.max(end) + time;
        *new = end;
    }
}
