//! What a search on a device asks of its objective.

use std::sync::Arc;

use super::kernels::Batch;
use super::layout::Layout;
use crate::Result;
use crate::flow_shop::exact::objective::Objective;
use crate::flow_shop::exact::problem::Problem;
use crate::opencl::{Buffer, Device, Program, Queue};

/// An objective whose search trees a device explores.
pub(in crate::flow_shop::exact) trait Explored: Objective {
    /// The layout of the records of nodes.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`](crate::Error::DeviceFailed) for an instance that the kernels can't
    /// number.
    fn layout(&self) -> Result<Layout>;

    /// Appends the words of a record before its tail.
    fn push_state(&self, state: &Self::State, words: &mut Vec<u32>);

    /// The tables and kernels of a search.
    fn tables<'a>(
        device: &'a Device,
        queue: &Queue,
        problem: &Problem<'_, Self>,
    ) -> Result<Box<dyn Tables + 'a>>;
}

/// The tables of one problem on one device, and the kernels of its search: those of
/// cl/flow_shop_explore.cl after the objective's own source.
pub(in crate::flow_shop::exact) trait Tables: Send + Sync {
    fn device(&self) -> &Device;

    fn layout(&self) -> &Layout;

    fn program(&self) -> Result<Arc<Program>>;

    /// Work-items of a work-group.
    fn group(&self) -> usize;

    /// Nodes of a tile, the unit of work of a group.
    fn tile_nodes(&self) -> usize;

    /// About the number of children to bound in a round.
    fn round_bounds(&self) -> usize;

    /// Launches `flow_shop_expand` in that many groups.
    fn expand(&self, queue: &Queue, batch: Batch<'_>, groups: usize) -> Result<()>;

    /// The times of all jobs, for `flow_shop_branch`.
    fn times(&self) -> &Buffer<u32>;
}
