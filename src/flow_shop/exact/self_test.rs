//! Helpers for the self-tests of the kernel families.

use super::expand::Expander;
use super::node::Open;
use super::objective::Objective;
use super::problem::Problem;
use crate::Result;
use crate::random::Random;
use crate::solve::Monitor;

/// Nodes with random jobs fixed at both ends and `least` to `most` free jobs, if the instance has
/// as many.
pub(super) fn nodes<O: Objective>(
    problem: &Problem<'_, O>,
    [least, most]: [usize; 2],
) -> impl Iterator<Item = Open> + use<O> {
    let pinned = problem.instance.pinned().to_vec();
    let mut jobs = problem.instance.free_jobs();
    let (least, most) = (least.min(jobs.len()), most.min(jobs.len()));
    let mut random = Random::new(2);
    std::iter::repeat_with(move || {
        let free = least + random.below((most - least) as u64 + 1) as usize;
        let fixed = jobs.len() - free;
        random.choose(&mut jobs, fixed);
        let front = pinned.len() + random.below(fixed as u64 + 1) as usize;
        let fixed = [&pinned[..], &jobs[..fixed]].concat();
        Open { bound: 0, front: front as u32, fixed: fixed.into() }
    })
}

/// The bounds of a node's children at the front and at the back, computed by the CPU.
pub(super) fn bounds<O: Objective>(
    problem: &Problem<'_, O>,
    node: &Open,
    monitor: &Monitor,
) -> Result<Vec<[u32; 2]>> {
    Expander::default().bounds(problem, node, monitor)
}

/// A limit that keeps about half of the nodes' children at the front open.
pub(super) fn limit<O: Objective>(
    problem: &Problem<'_, O>,
    nodes: &[Open],
    monitor: &Monitor,
) -> Result<u32> {
    let mut all = Vec::new();
    for node in nodes {
        all.extend(bounds(problem, node, monitor)?.into_iter().map(|[front, _]| front));
    }
    all.sort_unstable();
    Ok(all[all.len() / 2])
}
