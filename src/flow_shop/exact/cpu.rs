//! The CPU engine: every thread searches its own nodes depth first. If another thread has none, it
//! gives away half of its shallowest open children.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::expand::Expander;
use super::limit::Limit;
use super::node::{Child, Node, Open};
use super::objective::Objective;
use super::problem::Problem;
use super::{Counts, Slice};
use crate::flow_shop::end::End;
use crate::mutex::lock;
use crate::solve::Monitor;
use crate::{Context, Error, Result, parallel};

/// Steps of bounding between two checks of the clock: some milliseconds at most.
const STEPS_PER_LOOK: usize = 1 << 20;
/// Most nodes between two checks, for small nodes.
const MOST_NODES_PER_LOOK: usize = 256;

/// Searches below the open nodes, last ones first, until none is left or the slice ends; leaves the
/// remaining open nodes in `open`.
pub(super) fn advance<O: Objective>(
    context: &Context,
    problem: &Problem<'_, O>,
    limit: &Limit,
    open: &mut Vec<Open>,
    slice: &Slice<'_, O>,
) -> Result<Counts> {
    let most = context.threads().saturating_sub(slice.idle_threads).max(1);
    let threads = if slice.counts_iterations { 1 } else { most };
    let threads = fitting_threads(problem, threads, slice.monitor)?;
    let shared = Shared {
        queue: Mutex::new(Queue { open: std::mem::take(open), working: 0, over: false }),
        wake: Condvar::new(),
        hungry: AtomicUsize::new(0),
        decomposed: AtomicU64::new(0),
        bounds: AtomicU64::new(0),
    };
    let work =
        || parallel::for_each(0..threads, |_| Worker::new(problem, limit, &shared, slice).run());
    context.install_reporting(slice.monitor, "branch and bound", || None, work)?;
    let counts =
        Counts { nodes: shared.decomposed.into_inner(), bounds: shared.bounds.into_inner() };
    *open = shared.queue.into_inner().unwrap_or_else(PoisonError::into_inner).open;
    Ok(counts)
}

/// The number of threads that fit into memory. At each depth a thread has a state and the waiting
/// children, which become separate nodes when it gives them away: n²/2 nodes with n/3 fixed jobs on
/// average.
fn fitting_threads<O: Objective>(
    problem: &Problem<'_, O>,
    threads: usize,
    monitor: &Monitor,
) -> Result<usize> {
    let [jobs, machines] =
        [problem.instance.jobs(), problem.instance.machines()].map(|size| size as u128);
    let level = problem.objective.state_bytes() + jobs / 8 + jobs * size_of::<Child>() as u128;
    let given = jobs * u128::from(Open::bytes(problem.instance.jobs() / 3)) / 2;
    let (required, limit) = (jobs * (level + given), monitor.memory_bytes());
    match u128::from(limit) / required.max(1) {
        0 => {
            let what = format!("a search of {jobs} jobs on {machines} machines by one thread");
            Err(Box::new(Error::OutOfMemory { what, required, limit }))
        }
        fitting => Ok(threads.min(usize::try_from(fitting).unwrap_or(threads))),
    }
}

/// The data that the threads of one slice share.
struct Shared {
    queue: Mutex<Queue>,
    wake: Condvar,
    /// Threads that wait for nodes.
    hungry: AtomicUsize,
    decomposed: AtomicU64,
    bounds: AtomicU64,
}

struct Queue {
    open: Vec<Open>,
    /// Threads that search below a node.
    working: usize,
    /// Whether the slice has ended. Nodes given after that stay in the queue.
    over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        lock(&self.queue)
    }

    /// A node to search below. Waits while other threads may still give nodes away. None when the
    /// search is complete or the slice over.
    fn take(&self) -> Option<(Open, Working<'_>)> {
        let mut queue = self.lock();
        loop {
            if queue.over {
                return None;
            }
            if let Some(open) = queue.open.pop() {
                queue.working += 1;
                return Some((open, Working(self)));
            }
            if queue.working == 0 {
                self.wake.notify_all();
                return None;
            }
            self.hungry.fetch_add(1, Ordering::Relaxed);
            queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
            self.hungry.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn give(&self, nodes: impl IntoIterator<Item = Open>) {
        self.lock().open.extend(nodes);
        self.wake.notify_all();
    }

    fn end(&self) {
        self.lock().over = true;
        self.wake.notify_all();
    }
}

/// A thread that searches below a node. Dropping it also counts the thread out if it panicked, so
/// that no other thread waits for it.
struct Working<'s>(&'s Shared);

impl Drop for Working<'_> {
    fn drop(&mut self) {
        let mut queue = self.0.lock();
        queue.working -= 1;
        if queue.working == 0 {
            self.0.wake.notify_all();
        }
    }
}

/// One level of a thread's path: a node and its children that remain to be visited.
struct Level<S> {
    node: Node<S>,
    /// The end at which the children fix their jobs.
    end: End,
    /// The children, the next one last.
    children: Vec<Child>,
    /// The job and the end by which the node extends its parent.
    step: Option<(u32, End)>,
}

struct Worker<'a, O: Objective> {
    problem: &'a Problem<'a, O>,
    limit: &'a Limit,
    shared: &'a Shared,
    slice: &'a Slice<'a, O>,
    expander: Expander<O>,
    /// The root of the thread's subtree, above all levels.
    base: Open,
    levels: Vec<Level<O::State>>,
    /// Number of levels in use.
    depth: usize,
    nodes_per_look: u32,
    until_look: u32,
    nodes: u64,
    bounds: u64,
}

impl<'a, O: Objective> Worker<'a, O> {
    fn new(
        problem: &'a Problem<'a, O>,
        limit: &'a Limit,
        shared: &'a Shared,
        slice: &'a Slice<'a, O>,
    ) -> Self {
        let base = problem.root_node();
        let expander = Expander::default();
        let (levels, depth) = (Vec::new(), 0);
        let nodes_per_look = (STEPS_PER_LOOK / problem.objective.steps_per_node())
            .clamp(1, MOST_NODES_PER_LOOK) as u32;
        let until_look = nodes_per_look;
        Worker {
            problem,
            limit,
            shared,
            slice,
            expander,
            base,
            levels,
            depth,
            nodes_per_look,
            until_look,
            nodes: 0,
            bounds: 0,
        }
    }

    fn run(mut self) {
        while let Some((open, _working)) = self.shared.take() {
            self.search(open);
        }
        self.shared.decomposed.fetch_add(self.nodes, Ordering::Relaxed);
        self.shared.bounds.fetch_add(self.bounds, Ordering::Relaxed);
    }

    /// Searches below a node until the subtree is complete or the slice ends; gives back the open
    /// nodes.
    fn search(&mut self, open: Open) {
        if open.bound >= self.limit.get() {
            return;
        }
        self.base = open;
        let node = self.problem.node(&self.base);
        match self.levels.first_mut() {
            Some(level) => level.node = node,
            None => {
                self.levels.push(Level { node, end: End::Front, children: Vec::new(), step: None })
            }
        }
        self.depth = 0;
        if !self.enter() {
            self.shared.give([self.base.clone()]);
            return;
        }
        while self.depth > 0 {
            let level = &mut self.levels[self.depth - 1];
            let Some(child) = level.children.pop() else {
                self.depth -= 1;
                continue;
            };
            if child.bound >= self.limit.get() {
                continue;
            }
            let end = level.end;
            self.descend(child, end);
            if !self.enter() {
                self.levels[self.depth - 1].children.push(child);
                self.give_all();
                return;
            }
            if self.shared.hungry.load(Ordering::Relaxed) > 0 {
                self.give_half();
            }
        }
    }

    /// Prepares the node of the child in the level below.
    fn descend(&mut self, child: Child, end: End) {
        if self.levels.len() == self.depth {
            let node = self.levels[self.depth - 1].node.clone();
            self.levels.push(Level { node, end, children: Vec::new(), step: None });
        }
        let (above, below) = self.levels.split_at_mut(self.depth);
        below[0].step = Some((child.job, end));
        let parent = &above[self.depth - 1].node;
        self.problem.become_child(&mut below[0].node, parent, child.job, end);
    }

    /// Decomposes the node prepared in the next level, or evaluates it if it is complete. Returns
    /// false if it has to wait for another slice.
    fn enter(&mut self) -> bool {
        if !self.may_go_on() {
            return false;
        }
        let depth = self.depth;
        let level = &mut self.levels[depth];
        if level.node.free_count <= 1 {
            self.complete();
            return true;
        }
        level.children.clear();
        let (limit, monitor) = (self.limit.get(), self.slice.monitor);
        let expanded =
            self.expander.expand(self.problem, &level.node, limit, monitor, &mut level.children);
        let Ok((end, bounds)) = expanded else { return self.end() };
        self.nodes += 1;
        level.end = end;
        self.bounds += bounds;
        // A level without children needs no return to it.
        self.depth += usize::from(!level.children.is_empty());
        true
    }

    fn may_go_on(&mut self) -> bool {
        self.until_look -= 1;
        if self.until_look == 0 {
            self.until_look = self.nodes_per_look;
            if self.slice.is_over() {
                return self.end();
            }
        }
        if self.slice.counts_iterations && self.slice.monitor.begin_iteration().is_err() {
            return self.end();
        }
        true
    }

    /// Ends the slice for all threads.
    fn end(&self) -> bool {
        self.shared.end();
        false
    }

    /// Offers the complete sequence of the node in the next level.
    fn complete(&mut self) {
        let value = self.problem.objective.last_value(&self.levels[self.depth].node);
        if value < self.limit.get() {
            let mut open = self.open(self.depth + 1, None);
            let middle: Vec<u32> = self.levels[self.depth].node.free_jobs().collect();
            let mut order = open.front_jobs().to_vec();
            order.extend(middle);
            order.extend_from_slice(open.back_jobs());
            open.bound = value;
            self.limit.offer(value, &order, self.slice.monitor);
        }
    }

    /// The node of level `levels`, or its given child.
    fn open(&self, levels: usize, child: Option<(Child, End)>) -> Open {
        let mut front = self.base.front_jobs().to_vec();
        let mut back: Vec<u32> = self.base.back_jobs().iter().rev().copied().collect();
        let steps = self.levels[1..levels.max(1)].iter().filter_map(|level| level.step);
        for (job, end) in steps.chain(child.map(|(child, end)| (child.job, end))) {
            match end {
                End::Front => front.push(job),
                End::Back => back.push(job),
            }
        }
        let count = front.len() as u32;
        front.extend(back.into_iter().rev());
        Open { bound: child.map_or(0, |(child, _)| child.bound), front: count, fixed: front.into() }
    }

    /// Gives all open nodes of the subtree back. If the search ends for good, the root with the
    /// least bound replaces them: making the nodes of many jobs takes long.
    fn give_all(&mut self) {
        let mut open = Vec::new();
        for depth in 1..=self.depth {
            let level = &self.levels[depth - 1];
            if !self.slice.keeps_open && self.slice.monitor.should_stop() {
                let left =
                    self.levels[depth - 1..self.depth].iter().flat_map(|level| &level.children);
                let least = left.map(|child| child.bound).min();
                open.extend(least.map(|bound| Open { bound, ..self.problem.root_node() }));
                break;
            }
            open.extend(
                level.children.iter().map(|&child| self.open(depth, Some((child, level.end)))),
            );
        }
        self.shared.give(open);
    }

    /// Gives away every other child of the shallowest level with several children. If no level has
    /// several, gives away the shallowest child, unless it is the only one left.
    fn give_half(&mut self) {
        let several = (0..self.depth).find(|&depth| self.levels[depth].children.len() > 1);
        let single = || {
            let mut with_any =
                (0..self.depth).filter(|&depth| !self.levels[depth].children.is_empty());
            let shallowest = with_any.next()?;
            with_any.next().map(|_| shallowest)
        };
        let Some(depth) = several.or_else(single) else { return };
        let level = &mut self.levels[depth];
        let end = level.end;
        let mut position = 0;
        let mut given = Vec::new();
        // With several children, the last one, which is next in this thread, stays.
        let count = level.children.len();
        level.children.retain(|&child| {
            let gives = count == 1 || (count - 1 - position) % 2 == 1;
            position += 1;
            if gives {
                given.push(child);
            }
            !gives
        });
        let open: Vec<Open> =
            given.into_iter().map(|child| self.open(depth + 1, Some((child, end)))).collect();
        self.shared.give(open);
    }
}
