//! What a device found in the trees of a pool, in the host's terms. The host checks that nodes and
//! sequences have every job once.

use std::sync::Arc;

use super::explorer::{Done, Explored, NOBODY};
use crate::context::wrong;
use crate::flow_shop::exact::Counts;
use crate::flow_shop::exact::node::{Jobs, Open};
use crate::flow_shop::exact::objective::Objective;
use crate::flow_shop::exact::pool::Search;
use crate::flow_shop::exact::problem::Problem;
use crate::memory::{Gather, Grow};
use crate::{Error, Result, memory, parallel};

/// Trees that one thread decodes at once.
const TASK: usize = 64;

/// What was found in one tree and what is left of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::flow_shop::exact) struct Tree {
    /// Decomposed nodes, and the sum of their free jobs.
    pub(super) nodes: u64,
    pub(super) free: u64,
    /// The best leaf with its value, if that is below the limit.
    pub(super) best: Option<(u32, Vec<u32>)>,
    pub(super) left: Vec<Open>,
}

/// The trees of a pool, from the device's numbers.
pub(super) fn decode<O: Objective>(
    problem: &Problem<'_, O>,
    roots: &[Open],
    explored: &Explored,
    limit: u32,
) -> Result<Vec<Tree>> {
    let Explored { done, rows, left, best } = explored;
    let jobs = problem.instance.jobs();
    let mut end = 0;
    let parts = done.iter().map(|done| {
        let begin = end;
        end += done.left as usize;
        begin..end
    });
    let parts: Vec<_> = parts.gather()?;
    let one = |index: usize| {
        let entries = left.get(parts[index].clone()).ok_or_else(|| wrong(NODES))?;
        let own = Part {
            root: &roots[index],
            done: done[index],
            row: &rows[index * jobs..][..jobs],
            entries,
            best: best.get(index * jobs..(index + 1) * jobs),
        };
        own.tree(problem, limit)
    };
    let tasks = (0..roots.len()).step_by(TASK).map(|first| first..roots.len().min(first + TASK));
    let trees = parallel::try_map(tasks, |task| task.map(one).try_gather())?;
    trees.into_iter().flatten().gather()
}

/// The nodes that are left of trees, and the work done in these. Offers the best leaves.
pub(in crate::flow_shop::exact) fn summarize<O: Objective>(
    search: &Search<'_, '_, O>,
    trees: Vec<Tree>,
) -> Result<(Vec<Open>, Counts)> {
    let (mut left, mut counts) = (Vec::new(), Counts::default());
    for tree in trees {
        counts.nodes += tree.nodes;
        counts.bounds += tree.free * search.host.problem.branching.bounds_of(1);
        if let Some((value, order)) = tree.best {
            search.limit.offer(value, &order, search.slice.monitor);
        }
        left.try_extend(tree.left)?;
    }
    Ok((left, counts))
}

const NODES: &str = "the nodes left of a tree";

/// The device's numbers of one tree.
struct Part<'a> {
    root: &'a Open,
    done: Done,
    row: &'a [u32],
    entries: &'a [[u32; 4]],
    best: Option<&'a [u32]>,
}

impl Part<'_> {
    fn tree<O: Objective>(&self, problem: &Problem<'_, O>, limit: u32) -> Result<Tree> {
        let value = self.done.limit;
        let best = match self.best {
            Some(order) if value < limit => {
                let found = O::value(problem.instance, order).map_err(|error| match *error {
                    Error::InvalidArgument { .. } => wrong("a tree's best sequence"),
                    other => Box::new(other),
                })?;
                if found != u64::from(value) {
                    return Err(wrong("the value of a tree's best sequence"));
                }
                Some((value, memory::copied(order)?))
            }
            _ => None,
        };
        if !self.entries.is_empty() {
            self.check_row()?;
        }
        let (nodes, free) = (self.done.nodes.into(), self.done.free.into());
        Ok(Tree { nodes, free, best, left: self.left()? })
    }

    /// Expects every job once, and the root's where they were.
    fn check_row(&self) -> Result<()> {
        let jobs = self.row.len();
        let mut seen = vec![false; jobs];
        let is_new = |&job: &u32| {
            seen.get_mut(job as usize).is_some_and(|seen| !std::mem::replace(seen, true))
        };
        let (front, back) = (self.root.front_jobs(), self.root.back_jobs());
        let keeps = self.row.starts_with(front) && self.row.ends_with(back);
        if self.row.iter().all(is_new) && keeps { Ok(()) } else { Err(wrong(NODES)) }
    }

    fn left(&self) -> Result<Vec<Open>> {
        let (root, row, jobs) = (self.root, self.row, self.row.len());
        let at_ends = [root.front, root.back_jobs().len() as u32];
        let length: usize = self.entries.iter().map(|entry| fixed(entry).min(jobs) + 1).sum();
        let mut list = memory::list(length)?;
        let mut places = memory::list(self.entries.len())?;
        for entry in self.entries {
            let &[_, child, front, back] = entry;
            let [at_front, at_back] = [front, back].map(|count| count as usize);
            // A node that was decomposed, or is next to be, has at least two free jobs.
            if front < at_ends[0] || back < at_ends[1] || fixed(entry) + 2 > jobs {
                return Err(wrong(NODES));
            }
            let start = list.len();
            list.extend_from_slice(&row[..at_front]);
            if child != NOBODY {
                if !row[at_front..jobs - at_back].contains(&(child >> 1)) {
                    return Err(wrong(NODES));
                }
                list.push(child >> 1);
            }
            list.extend_from_slice(&row[jobs - at_back..]);
            places.push((start, list.len() - start));
        }
        let list = Arc::new(list);
        let node = |(&(start, len), &[bound, child, front, back]): (&(usize, usize), &[u32; 4])| {
            if child == NOBODY && [front, back] == at_ends {
                return root.clone();
            }
            let at_front = u32::from(child != NOBODY && child & 1 == 0);
            Open { bound, front: front + at_front, fixed: Jobs::part(&list, start, len) }
        };
        places.iter().zip(self.entries).map(node).gather()
    }
}

/// Jobs that an entry's parent fixes.
fn fixed(&[_, _, front, back]: &[u32; 4]) -> usize {
    front as usize + back as usize
}
