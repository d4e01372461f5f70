//! Several generations in one launch, whose work-groups share the trajectories without a pause
//! between two generations.

use std::sync::Arc;

use super::buffers::Buffers;
use super::evaluate::closed_bytes;
use super::kernels::SeveralGenerations;
use super::{Layout, OTHER_GROUPS, WAVE};
use crate::Result;
use crate::flow_shop::search::tabu::TabuList;
use crate::opencl::{Buffer, Device, GroupArrays, Kernel, Local, Program, Queue};

/// The word of `state` that says whether a group gave up. It is never cleared, so that launches in
/// the queue end at once.
pub(super) const GAVE_UP: usize = 0;
/// The first of the words that a launch begins with at zero: the next ticket.
pub(super) const NEXT_TICKET: usize = 1;
/// The first of the counts of trajectories, two for each.
pub(super) const COUNTS: usize = 2;
/// Most tickets of a launch; each group takes one more than there are.
const MOST_TICKETS: usize = 1 << 30;

pub(super) struct Several {
    kernel: Kernel<SeveralGenerations<'static>>,
    state: Buffer<u32>,
    /// Work-groups of a launch.
    groups: usize,
    /// Tickets of a generation.
    tickets: usize,
    jobs: usize,
    tenure: usize,
    trajectories: usize,
    closed: Local,
}

/// The first generation of a launch.
pub(super) struct First {
    /// The place of the present sequences among `orders`.
    pub(super) present: usize,
    pub(super) entries: usize,
    pub(super) slot: u32,
}

impl Several {
    pub(super) fn new(
        (device, queue): (&Device, &Queue),
        program: &Arc<Program>,
        layout: Layout,
        (jobs, trajectories): (usize, usize),
        (list, tenure): (TabuList, usize),
    ) -> Result<Self> {
        let tickets = trajectories * (2 * jobs + OTHER_GROUPS + tenure);
        // Of groups with tickets, any number may wait: other launches can't keep them from running.
        let groups = device.resident_groups() * program.tuned("UNIT_GROUPS");
        let state = device.buffer(COUNTS + 2 * trajectories)?;
        queue.fill(&state, 0, state.len(), 0)?;
        Ok(Several {
            kernel: program.kernel()?,
            state,
            groups: groups.min(tickets),
            tickets,
            jobs,
            tenure,
            trajectories,
            closed: closed_bytes(list, layout),
        })
    }

    #[cfg(test)]
    pub(super) fn with_groups(self, groups: usize) -> Self {
        Several { groups, ..self }
    }

    /// Most generations of a launch.
    pub(super) fn most(&self) -> usize {
        MOST_TICKETS / self.tickets
    }

    pub(super) fn launch(
        &self,
        queue: &Queue,
        buffers: &Buffers,
        layout: Layout,
        first: First,
        generations: usize,
    ) -> Result<()> {
        queue.fill(&self.state, NEXT_TICKET, self.state.len() - NEXT_TICKET, 0)?;
        let arguments = SeveralGenerations {
            state: &self.state,
            front: &buffers.front,
            orders: &buffers.orders[first.present],
            next_orders: &buffers.orders[1 - first.present],
            times: &buffers.sequence_times,
            tails: &buffers.tails,
            list: &buffers.list,
            forbidden: &buffers.forbidden,
            leasts: &buffers.leasts,
            bests: &buffers.bests,
            jobs: self.jobs as u32,
            tiles: layout.tiles as u32,
            tenure: self.tenure as u32,
            entries: first.entries as u32,
            slot: first.slot,
            trajectories: self.trajectories as u32,
            generations: generations as u32,
            group_leasts: Local(8 * WAVE),
            links: Local(3 * layout.link_bytes()),
            closed: self.closed,
            group_arrays: GroupArrays::WORDS,
        };
        queue.launch(&self.kernel, &arguments, [self.groups * WAVE], [WAVE])
    }

    /// Waits for the launches.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`](crate::Error::DeviceFailed) if work-groups waited for each other in
    /// vain; no results are then whole.
    pub(super) fn check(&self, queue: &Queue) -> Result<()> {
        let mut gave_up = [0];
        queue.read(&self.state, GAVE_UP, &mut gave_up)?;
        if gave_up[0] == 0 { Ok(()) } else { Err(queue.waited_in_vain()) }
    }
}
