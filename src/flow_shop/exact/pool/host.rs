use super::HostPool;
use super::bounder::Orders;
use crate::flow_shop::end::End;
use crate::flow_shop::exact::Slice;
use crate::flow_shop::exact::branching::Branching;
use crate::flow_shop::exact::children::{Bounds, Limits};
use crate::flow_shop::exact::limit::Limit;
use crate::flow_shop::exact::node::{Open, bits};
use crate::flow_shop::exact::objective::Objective;
use crate::flow_shop::exact::problem::Problem;
use crate::memory::{Gather, Grow};
use crate::{Result, memory, parallel};

/// Parents that one thread branches at once.
const TASK: usize = 64;

/// The host's work on its pool: selecting, branching, pruning.
pub(in crate::flow_shop::exact) struct Host<'a, O: Objective> {
    pub(in crate::flow_shop::exact) problem: &'a Problem<'a, O>,
    pub(in crate::flow_shop::exact) options: &'a HostPool,
}

impl<O: Objective> Host<'_, O> {
    pub(in crate::flow_shop::exact) fn free_count(&self, node: &Open) -> usize {
        self.problem.instance.jobs() - node.fixed.len()
    }

    /// Writes one bit for each free job of a node.
    fn free_jobs(&self, node: &Open, free: &mut Vec<u32>) {
        free.clone_from(&self.problem.root.free);
        node.fixed.iter().for_each(|&job| free[job as usize / 32] &= !(1 << (job % 32)));
    }

    /// Takes the next nodes off the open ones, no more than `most_nodes`: one, and more while their
    /// weights, by their numbers of free jobs, are no more than `most` in total. Complete sequences
    /// are offered.
    pub(in crate::flow_shop::exact) fn select(
        &self,
        open: &mut Vec<Open>,
        most_nodes: usize,
        most: usize,
        weight: impl Fn(usize) -> usize,
        limit: &Limit,
        slice: &Slice<'_, O>,
    ) -> Vec<Open> {
        let mut parents = Vec::new();
        let mut sum = 0;
        while parents.len() < most_nodes && (parents.is_empty() || sum < most) {
            let Some(node) = open.pop() else { break };
            if node.bound >= limit.get() {
                continue;
            }
            let free_count = self.free_count(&node);
            if free_count == 1 {
                self.offer(&node, limit, slice);
                continue;
            }
            let more = weight(free_count);
            if sum > 0 && sum + more > most {
                open.push(node);
                break;
            }
            sum += more;
            parents.push(node);
        }
        if self.options.sorted {
            parents.sort_by_cached_key(|node| {
                (self.free_count(node) as u64) << 32 | u64::from(node.front)
            });
        }
        parents
    }

    /// Offers the only sequence of a node with one free job.
    pub(super) fn offer(&self, node: &Open, limit: &Limit, slice: &Slice<'_, O>) {
        let leaf = self.problem.node(node);
        let last: Vec<u32> = leaf.free_jobs().collect();
        let order = [node.front_jobs(), &last, node.back_jobs()].concat();
        limit.offer(self.problem.objective.last_value(&leaf), &order, slice.monitor);
    }

    /// The sequences of nodes: the front, the free jobs by number, the back.
    pub(in crate::flow_shop::exact) fn orders(&self, parents: &[Open]) -> Result<Orders> {
        let jobs = self.problem.instance.jobs();
        let mut orders = Orders { jobs: memory::zeroed(parents.len() * jobs)?, ends: Vec::new() };
        let tasks = orders.jobs.chunks_mut(jobs * TASK).zip(parents.chunks(TASK));
        parallel::for_each(tasks, |(rows, parents)| {
            let mut free = Vec::new();
            for (row, node) in rows.chunks_mut(jobs).zip(parents) {
                self.free_jobs(node, &mut free);
                let sequence = node.front_jobs().iter().copied().chain(bits(&free));
                let sequence = sequence.chain(node.back_jobs().iter().copied());
                row.iter_mut().zip(sequence).for_each(|(place, job)| *place = job);
            }
        });
        let ends = parents.iter().flat_map(|node| [node.front, node.back_jobs().len() as u32]);
        orders.ends.try_extend(ends)?;
        Ok(orders)
    }

    /// The sequences of parents and their children, ordered by parent, end and job. A child is its
    /// parent's index and twice the position of its job, plus 1 at the back.
    pub(super) fn children(&self, parents: &[Open]) -> Result<(Orders, Vec<[u32; 2]>)> {
        let orders = self.orders(parents)?;
        let children_of = |(number, node): (usize, &Open)| {
            let front = node.front;
            let positions = front..front + self.free_count(node) as u32;
            let at = move |end: &End| {
                let back = u32::from(*end == End::Back);
                positions.clone().map(move |position| [number as u32, position << 1 | back])
            };
            self.ends().iter().flat_map(at)
        };
        let children_of_all = |(task, parents): (usize, &[Open])| {
            (task * TASK..).zip(parents).flat_map(children_of).gather()
        };
        let children = parallel::try_map(parents.chunks(TASK).enumerate(), children_of_all)?;
        Ok((orders, children.into_iter().flatten().gather()?))
    }

    /// The ends at which to bound children.
    fn ends(&self) -> &'static [End] {
        match self.problem.branching {
            Branching::Forward => &[End::Front],
            Branching::Backward => &[End::Back],
            _ => &[End::Front, End::Back],
        }
    }

    /// The bounds of each parent's children, ordered by end and job.
    pub(super) fn rows<'b>(&self, parents: &[Open], bounds: &'b [u32]) -> Result<Vec<&'b [u32]>> {
        let mut rest = bounds;
        let row = |node: &Open| {
            let (row, others) = rest.split_at(self.free_count(node) * self.ends().len());
            rest = others;
            row
        };
        parents.iter().map(row).gather()
    }

    /// Whether a row holds the expected bounds of the children at the front and at the back, by
    /// job.
    pub(super) fn agrees(&self, row: &[u32], expected: &[[u32; 2]]) -> bool {
        let at =
            |&end: &End| expected.iter().map(move |bounds| bounds[usize::from(end == End::Back)]);
        self.ends().iter().flat_map(at).eq(row.iter().copied())
    }

    /// The open children of each parent, at the end chosen from its children's bounds.
    pub(super) fn branch(&self, parents: &[Open], bounds: &[u32], limit: u32) -> Result<Vec<Open>> {
        let rows = self.rows(parents, bounds)?;
        let branch_all = |(parents, rows): (&[Open], &[&[u32]])| {
            let (mut scratch, mut children) = (Scratch::default(), Vec::new());
            for (node, row) in parents.iter().zip(rows) {
                self.branch_one(node, row, limit, &mut scratch, &mut children)?;
            }
            Ok(children)
        };
        let children = parallel::try_map(parents.chunks(TASK).zip(rows.chunks(TASK)), branch_all)?;
        children.into_iter().flatten().gather()
    }

    fn branch_one(
        &self,
        node: &Open,
        row: &[u32],
        limit: u32,
        scratch: &mut Scratch,
        children: &mut Vec<Open>,
    ) -> Result<()> {
        let Scratch { free, front, back } = scratch;
        self.free_jobs(node, free);
        let limits = Limits { open: limit, branching: self.problem.initial_limit };
        for (&end, values) in self.ends().iter().zip(row.chunks_exact(self.free_count(node))) {
            let at_end = if end == End::Front { &mut *front } else { &mut *back };
            at_end.replace(free.len(), bits(free).zip(values.iter().copied()), limits);
        }
        let end = self.problem.branching.choose(free, front, back);
        let chosen = if end == End::Front { front } else { back };
        for job in chosen.open_jobs() {
            children.try_push(node.child(chosen.values[job as usize], job, end)?)?;
        }
        Ok(())
    }
}

/// Scratch for branching, reused from node to node.
#[derive(Default)]
struct Scratch {
    free: Vec<u32>,
    front: Bounds,
    back: Bounds,
}
