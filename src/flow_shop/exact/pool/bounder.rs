use crate::Result;
use crate::context::Pacer;
use crate::flow_shop::exact::objective::Objective;
use crate::flow_shop::exact::pool::HostPool;
use crate::flow_shop::exact::problem::Problem;
use crate::opencl::{Device, Queue};

/// The sequences of parents, each with the number of jobs at its front and at its back.
pub(in crate::flow_shop::exact) struct Orders {
    pub(in crate::flow_shop::exact) jobs: Vec<u32>,
    pub(in crate::flow_shop::exact) ends: Vec<u32>,
}

/// Bounds pools of children on a device.
pub(in crate::flow_shop::exact) trait Bounder {
    fn queue(&self) -> &Queue;

    /// Work-items of a group.
    fn group(&self) -> usize;

    /// Takes a pool of children: each is its parent's number, and twice the position of its job,
    /// plus 1 at the back.
    fn begin(&mut self, orders: &Orders, children: &[[u32; 2]]) -> Result<()>;

    /// The bounds of the pool's children.
    fn bound(&self, pacer: &mut Pacer<'_>) -> Result<Vec<u32>>;
}

/// An objective with a [`Bounder`].
pub(in crate::flow_shop::exact) trait Pooled: Objective {
    fn bounder<'a>(
        problem: &'a Problem<'a, Self>,
        device: &'a Device,
        options: &HostPool,
    ) -> Result<Box<dyn Bounder + 'a>>;
}
