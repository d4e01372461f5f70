//! The work-items' trees in a device's memory.

use super::STATE_WORDS;
use crate::flow_shop::exact::makespan::Makespan;
use crate::flow_shop::exact::makespan::pool::{Compact, job_width};
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::tree_pool::Task;
use crate::opencl::{Buffer, Device, DeviceKind, Element};
use crate::{DeviceInfo, Error, Result};

pub(super) struct Buffers {
    /// The sequences of roots and of what is left, and the numbers of jobs at the roots' ends.
    pub(super) rows: Compact,
    pub(super) ends: Buffer<u32>,
    /// The sequences of the present nodes, and the work-items' states.
    pub(super) orders: Compact,
    pub(super) states: Buffer<u32>,
    /// The bounds of the present nodes' children.
    pub(super) bounds: Buffer<u32>,
    /// The open children of the paths, and where those of each node begin.
    pub(super) stack_bounds: Buffer<u32>,
    pub(super) stack_jobs: Compact,
    pub(super) levels: Buffer<u32>,
    /// The best leaves.
    pub(super) best: Compact,
    /// The number of trees with more to do.
    pub(super) working: Buffer<u32>,
}

impl Buffers {
    pub(super) fn new(device: &Device, problem: &Problem<'_, Makespan<'_>>) -> Result<Self> {
        let jobs = || Compact::new(device, job_width(problem), 0);
        let words = || device.buffer(0);
        Ok(Buffers {
            rows: jobs()?,
            ends: words()?,
            orders: jobs()?,
            states: words()?,
            bounds: words()?,
            stack_bounds: words()?,
            stack_jobs: jobs()?,
            levels: words()?,
            best: jobs()?,
            working: device.buffer(1)?,
        })
    }

    /// Makes room for the trees of a pool.
    pub(super) fn reserve(
        &mut self,
        device: &Device,
        problem: &Problem<'_, Makespan<'_>>,
        task: Task,
    ) -> Result<()> {
        let (trees, jobs) = (task.trees, problem.instance.jobs());
        let entries = trees * task.entries();
        for (words, each) in [
            (&mut self.ends, 2),
            (&mut self.states, STATE_WORDS),
            (&mut self.bounds, 2 * task.free),
            (&mut self.levels, task.levels()),
        ] {
            reserve(device, words, trees * each)?;
        }
        reserve(device, &mut self.stack_bounds, entries)?;
        let width = job_width(problem);
        for list in [&mut self.rows, &mut self.orders, &mut self.best] {
            list.reserve(device, width, trees * jobs)?;
        }
        self.stack_jobs.reserve(device, width, entries)
    }
}

/// Enlarges a buffer. The old one is freed first, since both might not fit.
fn reserve<T: Element>(device: &Device, buffer: &mut Buffer<T>, len: usize) -> Result<()> {
    if buffer.len() < len {
        *buffer = device.buffer(0)?;
        *buffer = device.buffer(len)?;
    }
    Ok(())
}

/// The number of trees that a device has room for.
pub(super) fn most_trees(
    info: &DeviceInfo,
    problem: &Problem<'_, Makespan<'_>>,
    task: Task,
    memory_bytes: u64,
) -> Result<usize> {
    let mut room = info.global_memory_bytes / 2;
    if info.kind == DeviceKind::Cpu {
        // A processor's device memory is the host's memory.
        room = room.min(memory_bytes / 4);
    }
    let (width, entries) = (job_width(problem), task.entries() as u64);
    let jobs = problem.instance.jobs() as u64;
    let words = STATE_WORDS + 2 + 2 * task.free + task.levels();
    let tree = 3 * jobs * width + entries * (width + 4) + 4 * words as u64;
    let longest = (4 * entries).max(8 * jobs);
    let most = (room / tree).min(info.max_allocation_bytes / longest);
    if most == 0 {
        return Err(Box::new(Error::OutOfMemory {
            what: format!("the tree of a work-item on {}", info.name),
            required: tree.into(),
            limit: room,
        }));
    }
    // Sequence numbers of work-items and words of a state have 32 bits.
    Ok(usize::try_from(most).unwrap_or(usize::MAX).min(u32::MAX as usize / STATE_WORDS / 2))
}
