//! Compares a [`Bounder`] with the CPU.

use super::HostPool;
use super::bounder::{Bounder, Orders, Pooled};
use super::host::Host;
use crate::context::Pacer;
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::self_test;
use crate::opencl::{Failing, Trial, agree};
use crate::solve::Monitor;
use crate::{Context, Result};

/// Work-groups of children, and further children that fill part of another group.
const GROUPS: usize = 3;
const MORE: usize = 21;

/// Bounds children of random nodes of a problem that matches the program's defines.
pub(in crate::flow_shop::exact) fn compare<O: Pooled>(
    trial: &Trial<'_>,
    problem: &Problem<'_, O>,
    options: &HostPool,
    monitor: &Monitor,
) -> Result<(), Failing> {
    let mut bounder = O::bounder(problem, trial.device(), options)?;
    let pool = Pool::new(problem, options, GROUPS * bounder.group() + MORE, monitor)?;
    pool.compare(&mut *bounder, monitor)
}

/// Children of random nodes, with their bounds by the CPU.
pub(in crate::flow_shop::exact) struct Pool {
    orders: Orders,
    children: Vec<[u32; 2]>,
    expected: Vec<u32>,
}

impl Pool {
    pub(in crate::flow_shop::exact) fn new<O: Pooled>(
        problem: &Problem<'_, O>,
        options: &HostPool,
        count: usize,
        monitor: &Monitor,
    ) -> Result<Pool> {
        let (parents, mut expected) = parents(problem, count, monitor)?;
        let host = Host { problem, options };
        let (orders, mut children) =
            Context::of_one_thread()?.install(|| host.children(&parents))??;
        children.truncate(count);
        expected.truncate(count);
        Ok(Pool { orders, children, expected })
    }

    /// Compares a bounder's results with the CPU's.
    pub(in crate::flow_shop::exact) fn compare(
        &self,
        bounder: &mut dyn Bounder,
        monitor: &Monitor,
    ) -> Result<(), Failing> {
        bounder.begin(&self.orders, &self.children)?;
        let bounder = &*bounder;
        let found = bounder.bound(&mut Pacer::new(bounder.queue(), monitor, "self-test"))?;
        agree("bounds of a pool", &found, &self.expected)
    }
}

/// Nodes with at least `children` children in total, and the children's bounds in the host's order.
fn parents<O: Pooled>(
    problem: &Problem<'_, O>,
    children: usize,
    monitor: &Monitor,
) -> Result<(Vec<Open>, Vec<u32>)> {
    let (mut parents, mut expected) = (Vec::new(), Vec::new());
    for node in self_test::nodes(problem, [2, usize::MAX]) {
        if expected.len() >= children {
            break;
        }
        let bounds = self_test::bounds(problem, &node, monitor)?;
        expected.extend(
            bounds.iter().map(|[front, _]| front).chain(bounds.iter().map(|[_, back]| back)),
        );
        parents.push(node);
    }
    Ok((parents, expected))
}
