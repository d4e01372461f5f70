//! Parallel tree exploration, the first approach of Melab, Chakroun, Mezmaz and Tuyttens: the host
//! keeps the open nodes and selects pools of them, deepest first. On the device each work-item
//! branches, bounds and prunes the tree below one node. What is left of the trees comes back.
//!
//! Our choices where the paper is silent: a work-item explores depth first, children with small
//! bounds first, and returns the rest once it has decomposed a number of nodes; the branching rule
//! chooses the end of each node; each of several devices takes its own pool; a round also ends when
//! few trees are left in it, so that lanes get new ones.

mod explorer;
mod member;
mod replay;
mod self_test;
#[cfg(test)]
mod tests;
mod trees;

pub(super) use self::explorer::{Done, Explored, Explorer, NOBODY, Task, TreePooled};
pub(super) use self::self_test::{FREE, Pool, compare};

use self::member::Member;
use self::trees::Tree;
use super::keeper::Keeper;
use super::limit::Limit;
use super::node::Open;
use super::pool::{Host, HostPool, take_in};
use super::problem::Problem;
use super::{Counts, Slice};
use crate::context::side_by_side;
use crate::memory::Grow;
use crate::opencl::Device;
use crate::{Error, Result, Team};

/// Searches below the open nodes until none is left or the slice ends; leaves the remaining open
/// nodes in `open`.
pub(super) fn advance<O: TreePooled>(
    device: &Device,
    team: &Team<'_>,
    problem: &Problem<'_, O>,
    options: &HostPool,
    limit: &Limit,
    open: &mut Vec<Open>,
    slice: &Slice<'_, O>,
) -> Result<Counts> {
    let mut crew = Crew { problem, options, team, limit, slice, members: Vec::new(), left: 1 };
    crew.members.push(Member::new(device, None, problem, options, slice.monitor)?);
    let mut counts = Counts::default();
    let mut alone = true;
    while !open.is_empty() && !slice.is_over() {
        if alone && open.len() > options.size {
            alone = false;
            match crew.call() {
                // All nodes are open.
                Err(error) if matches!(*error, Error::Stopped) => break,
                called => called?,
            }
        }
        let is_stopped = crew.round(open, &mut counts)?;
        slice.monitor.report("branch and bound", None);
        if is_stopped || slice.keeper.is_some_and(Keeper::is_due) {
            break;
        }
    }
    Ok(counts)
}

/// The devices that explore pools at the same time.
struct Crew<'a, 's, 'c, O: TreePooled> {
    problem: &'a Problem<'a, O>,
    options: &'a HostPool,
    team: &'a Team<'c>,
    limit: &'a Limit,
    slice: &'a Slice<'s, O>,
    /// The chosen device is the first.
    members: Vec<Member<'a>>,
    /// Most nodes left of a tree, on the average of a round.
    left: usize,
}

impl<'a, O: TreePooled> Crew<'a, '_, '_, O> {
    fn host(&self) -> Host<'a, O> {
        Host { problem: self.problem, options: self.options }
    }

    /// Adds the further devices. Their kernels are built side by side.
    fn call(&mut self) -> Result<()> {
        let (problem, options) = (self.problem, self.options);
        let (team, monitor) = (self.team, self.slice.monitor);
        let able = team.able();
        let new = |&(place, device): &(usize, &'a Device)| {
            Member::new(device, Some(place), problem, options, monitor)
        };
        for (index, member) in
            side_by_side(able.iter().map(|one| move || new(one))).into_iter().enumerate()
        {
            let place = able[index].0;
            match member {
                Ok(member) => {
                    team.joined(place);
                    self.members.push(member);
                }
                Err(error) if error.is_device_failure() => {
                    team.leave_out(place, &error);
                    if matches!(*error, Error::DeviceWrong(_)) {
                        return Err(error);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Each device explores a pool of the open nodes. Returns whether a stop came; the pools are
    /// then open as before.
    fn round(&mut self, open: &mut Vec<Open>, counts: &mut Counts) -> Result<bool> {
        let Crew { limit, slice, .. } = *self;
        let (host, context) = (self.host(), self.team.context());
        let mut pools = Vec::new();
        for (index, member) in self.members.iter().enumerate() {
            let share = open.len().div_ceil(self.members.len() - index);
            let room = self.most_trees(open.len()).min(member.most_trees(&host)?);
            let pool = host.select(open, room.min(share), |_| 1, limit, slice);
            pools.push((pool, room));
        }
        let below = limit.get();
        let explore = |(member, (pool, room)): (&'_ mut Member<'a>, &(Vec<Open>, usize))| {
            member.explore(context, &host, (pool, *room), below, slice)
        };
        let work = self.members.iter_mut().zip(&pools).map(|part| move || explore(part));
        let explored = side_by_side(work);
        let mut is_stopped = false;
        for (index, trees) in explored.into_iter().enumerate().rev() {
            let pool = std::mem::take(&mut pools[index].0);
            let member = &mut self.members[index];
            let checked = trees.and_then(|trees| {
                member.check(context, &host, &pool, &trees, below, slice.monitor)?;
                Ok(trees)
            });
            match (checked, member.place) {
                (Ok(trees), _) => self.take(trees, open, counts)?,
                (Err(error), _) if matches!(*error, Error::Stopped) => {
                    is_stopped = true;
                    open.try_extend(pool)?;
                }
                (Err(error), Some(place)) if error.is_device_failure() => {
                    self.team.leave_out(place, &error);
                    if matches!(*error, Error::DeviceWrong(_)) {
                        return Err(error);
                    }
                    self.members.remove(index);
                    open.try_extend(pool)?;
                }
                (Err(error), _) => return Err(error),
            }
        }
        Ok(is_stopped)
    }

    /// Trees whose rest is likely to fit into memory beside the open nodes.
    fn most_trees(&self, open: usize) -> usize {
        let node = Open::bytes(self.problem.instance.jobs());
        let bytes = self.slice.monitor.memory_bytes() / 2 / node;
        let room = usize::try_from(bytes).unwrap_or(usize::MAX).saturating_sub(open);
        self.options.size.min(room / self.left).max(1)
    }

    /// Takes over what was found in trees and what is left of them.
    fn take(&mut self, trees: Vec<Tree>, open: &mut Vec<Open>, counts: &mut Counts) -> Result<()> {
        let (count, mut left) = (trees.len(), Vec::new());
        for tree in trees {
            counts.nodes += tree.nodes;
            counts.bounds += tree.free * self.problem.branching.bounds_of(1);
            if let Some((value, order)) = tree.best {
                self.limit.offer(value, &order, self.slice.monitor);
            }
            left.try_extend(tree.left)?;
        }
        self.left = self.left.max(left.len().div_ceil(count.max(1)));
        take_in(&self.host(), left, self.limit, open, self.slice)
    }
}
