//! The exploration of one tree on the CPU, by which a device's is checked.

use super::trees::Tree;
use crate::Result;
use crate::flow_shop::end::End;
use crate::flow_shop::exact::expand::Expander;
use crate::flow_shop::exact::node::{Child, Open};
use crate::flow_shop::exact::objective::Objective;
use crate::flow_shop::exact::problem::Problem;
use crate::solve::Monitor;

/// A node of the path with its open children, the next one last.
struct Level {
    node: Open,
    end: End,
    children: Vec<Child>,
}

/// Explores the tree below a root depth first, until `nodes` nodes are decomposed and the next one
/// would be.
pub(in crate::flow_shop::exact) fn explore<O: Objective>(
    problem: &Problem<'_, O>,
    root: &Open,
    limit: u32,
    nodes: u64,
    monitor: &Monitor,
) -> Result<Tree> {
    let mut expander = Expander::default();
    let mut tree = Tree::default();
    let mut path: Vec<Level> = Vec::new();
    let mut limit = limit;
    let mut present = Some(root.clone());
    while let Some(open) = present {
        let node = problem.node(&open);
        if node.free_count == 1 {
            let value = problem.objective.last_value(&node);
            if value < limit {
                limit = value;
                let last: Vec<u32> = node.free_jobs().collect();
                tree.best = Some((value, [open.front_jobs(), &last, open.back_jobs()].concat()));
            }
        } else if tree.nodes == nodes {
            for level in &path {
                for child in &level.children {
                    tree.left.push(level.node.child(child.bound, child.job, level.end)?);
                }
            }
            tree.left.push(open);
            break;
        } else {
            let mut children = Vec::new();
            let (end, _) = expander.expand(problem, &node, limit, monitor, &mut children)?;
            tree.nodes += 1;
            tree.free += node.free_count as u64;
            path.push(Level { node: open, end, children });
        }
        present = next(&mut path, limit)?;
    }
    Ok(tree)
}

/// The last open child of the deepest node that has any.
fn next(path: &mut Vec<Level>, limit: u32) -> Result<Option<Open>> {
    while let Some(level) = path.last_mut() {
        match level.children.pop() {
            Some(child) if child.bound < limit => {
                return level.node.child(child.bound, child.job, level.end).map(Some);
            }
            Some(_) => {}
            None => {
                path.pop();
            }
        }
    }
    Ok(None)
}
