//! Depth-first search below open nodes.

use std::cmp::Reverse;
use std::sync::{Mutex, MutexGuard};

use super::super::bounds::Bounds;
use super::super::cost::Cost;
use super::super::incumbent::Incumbent;
use super::super::problem::Problem;
use super::dominance::Seen;
use super::node::Node;
use super::queue::Queue;
use crate::mutex::lock;
use crate::solve::Monitor;

/// What the threads of a search share.
pub(super) struct Worker<'a, 'i> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) bounds: &'a Bounds<'a>,
    pub(super) seen: &'a Seen<'a>,
    pub(super) queue: &'a Queue,
    pub(super) best: &'a Mutex<&'a mut Incumbent<'i>>,
}

impl<'a, 'i> Worker<'a, 'i> {
    /// Searches until no node is left or a limit is reached. Then the open nodes return to the
    /// queue.
    pub(super) fn run(&self, monitor: &Monitor, counts_iterations: bool) {
        while let Some((node, _working)) = self.queue.take() {
            let mut open = vec![node];
            while let Some(node) = open.pop() {
                let best = self.best().cost();
                if node.bound >= best {
                    continue;
                }
                let begins = !monitor.should_stop()
                    && (!counts_iterations || monitor.begin_iterations(1) == 1)
                    && self.queue.count();
                if !begins {
                    open.push(node);
                    self.queue.end(open);
                    return;
                }
                open.extend(self.children(&node, best));
                if open.len() > 1 && self.queue.has_hungry() {
                    self.queue.give(open.drain(..open.len() / 2));
                }
            }
        }
    }

    /// The children of a node that may be better than the best sequence, the least bound last.
    fn children(&self, node: &Node, best: Cost) -> Vec<Node> {
        let jobs = self.bounds.jobs();
        let places = |set: u64| (0..jobs.len()).filter(move |place| set >> place & 1 == 1);
        let mut children = Vec::new();
        for place in places(node.free) {
            let free = node.free & !(1 << place);
            let mut front = node.front.clone();
            self.problem.fix(&mut front, jobs[place], places(free).map(|place| jobs[place]));
            let list: Vec<usize> = places(free).collect();
            let order = || [&node.order[..], &[jobs[place]]].concat();
            if list.is_empty() {
                self.best().offer(&order());
                continue;
            }
            if self.seen.dominates(&front, free) {
                continue;
            }
            let bound = self.bounds.behind(&front, &list, Some(best)).max(node.bound);
            if bound < best {
                children.push(Node { front, order: order(), free, bound });
            }
        }
        children.sort_by_key(|child| Reverse(child.bound));
        children
    }

    fn best(&self) -> MutexGuard<'a, &'a mut Incumbent<'i>> {
        lock(self.best)
    }
}
