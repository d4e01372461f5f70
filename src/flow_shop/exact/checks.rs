//! Spot checks of the bounds that devices compute.

use super::expand::Expander;
use super::node::Open;
use super::objective::Objective;
use super::problem::Problem;
use crate::context::{SpotChecks, sample, wrong};
use crate::solve::Monitor;
use crate::{Context, Result, parallel};

/// Nodes that one thread bounds at a time.
const TASK: usize = 16;

/// Recomputes the bounds of some nodes' children and compares them with the device's results.
pub(super) fn check_rows<O: Objective, R: Copy + Sync>(
    context: &Context,
    problem: &Problem<'_, O>,
    nodes: &[Open],
    rows: &[R],
    checks: &mut SpotChecks,
    monitor: &Monitor,
    agrees: impl Fn(R, &[[u32; 2]]) -> bool + Sync,
) -> Result<()> {
    let wanted = checks.quota();
    if wanted == 0 {
        return Ok(());
    }
    checks.check(|random| {
        // Each node has at least one child.
        let ranges = sample(random, nodes.len(), usize::try_from(wanted).unwrap_or(usize::MAX));
        let tasks: Vec<_> = ranges
            .into_iter()
            .flat_map(|range| nodes[range.clone()].chunks(TASK).zip(rows[range].chunks(TASK)))
            .collect();
        let count = |(nodes, rows): (&[Open], &[R])| {
            let (mut expander, mut count) = (Expander::default(), 0);
            for (node, &row) in nodes.iter().zip(rows) {
                let expected = expander.bounds(problem, node, monitor)?;
                count += expected.len() as u64;
                if !agrees(row, &expected) {
                    return Err(wrong("bounds of a node's children"));
                }
            }
            Ok(count)
        };
        Ok(context.install(|| parallel::try_map(tasks.into_iter(), count))??.into_iter().sum())
    })
}
