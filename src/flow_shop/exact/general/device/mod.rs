//! Searches of any model on a device.

mod self_test;
mod tables;
#[cfg(test)]
mod tests;
mod words;
mod workload;

use std::sync::Arc;

use self::tables::GeneralTables;
use self::words::STATE_WORDS;
pub(super) use self::workload::TIMED;
use super::General;
use super::bound::State;
use crate::Result;
use crate::flow_shop::Instance;
use crate::flow_shop::exact::device;
use crate::flow_shop::exact::device::{Explored, Layout, Tables};
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::planner::MOST_JOBS;
use crate::opencl::{Device, KernelFamily, Queue, Source, Tunable, Usual, source};

pub(super) const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_forward_tree",
    sources: &[
        Source::Text(
            "#define WIDE 1\n#define LONG_NUMBERS 0\n\
             #define STATE_WORDS ((MACHINES + OWN_WORDS + 7) / 8 * 8)",
        ),
        source!("flow_shop_nodes.cl"),
        source!("flow_shop_forward_bounds.cl"),
        source!("flow_shop_explore.cl"),
    ],
    #[cfg(test)]
    kernels: crate::opencl::declared![
        tables::Expand,
        device::Advance,
        device::Branch,
        device::Smallest,
        device::Tails,
        device::Sample,
        device::Shift
    ],
    constants: words::CONSTANTS,
    tuning: &[
        Tunable::power("GROUP: work-items of a group", (16, 1024)),
        Tunable::power("TILE_NODES: most nodes of a tile", (1, 64)),
        Tunable::power("ROUND_BOUNDS: children to bound in a round", (1 << 10, 1 << 24)),
        device::BRANCH_GROUP,
        device::STACK_BATCHES,
        device::MOST_ROUNDS,
    ],
    self_test: self_test::compare,
};

/// Words of four pairs of 32 bits.
const QUAD_WORDS: usize = 8;

// The open jobs are the bits of two words.
const _: () = assert!(MOST_JOBS == 64);

/// What a program is compiled for.
#[derive(Debug, Clone, Copy, Default)]
struct Shape {
    machines: usize,
    has_setups: bool,
    has_releases: bool,
    has_blocking: bool,
    has_plan: bool,
}

impl Shape {
    fn of(instance: &Instance) -> Self {
        Shape {
            machines: instance.machines(),
            has_setups: instance.setups().is_some(),
            has_releases: !instance.release_times().is_empty(),
            has_blocking: instance.has_blocking(),
            has_plan: instance.objective().criteria().any(|criterion| criterion.has_plan()),
        }
    }

    fn defines(&self) -> [(&'static str, u64); 5] {
        [
            ("MACHINES", self.machines as u64),
            ("SETUPS", self.has_setups.into()),
            ("RELEASES", self.has_releases.into()),
            ("BLOCKING", self.has_blocking.into()),
            ("PLAN", self.has_plan.into()),
        ]
    }
}

/// The program for an instance. The makespan alone has another search.
pub(super) fn usual(instance: &Arc<Instance>) -> Usual {
    let instance = Arc::clone(instance);
    Usual::new(FAMILY.name, move |device| request(&instance, device)).by_name()
}

pub(super) fn request(instance: &Instance, device: &Device) -> Result<()> {
    device.program(&FAMILY, &Shape::of(instance).defines()).map(drop)
}

impl Explored for General<'_> {
    fn layout(&self) -> Result<Layout> {
        let state_words = (self.numbers.machines + STATE_WORDS).next_multiple_of(QUAD_WORDS);
        Layout::new(self.instance, state_words, QUAD_WORDS)
    }

    fn push_state(&self, state: &State, words: &mut Vec<u32>) {
        let length = (state.free.len() + STATE_WORDS).next_multiple_of(QUAD_WORDS);
        let end = words.len() + length;
        words::push_state(state, words);
        words.resize(end, 0);
    }

    fn tables<'a>(
        device: &'a Device,
        queue: &Queue,
        problem: &Problem<'_, Self>,
    ) -> Result<Box<dyn Tables + 'a>> {
        Ok(Box::new(GeneralTables::new(device, queue, problem)?))
    }
}
