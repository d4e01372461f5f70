//! Nodes that wait for a thread.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::super::cost::Cost;
use super::node::Node;
use crate::mutex::lock;

pub(super) struct Queue {
    state: Mutex<State>,
    wake: Condvar,
    /// Threads that wait for nodes.
    hungry: AtomicUsize,
    /// Decomposed nodes, and how many there may be.
    nodes: AtomicU64,
    most_nodes: u64,
}

struct State {
    open: Vec<Node>,
    /// Threads that search below a node.
    working: usize,
    /// Whether the search has been cut short. Nodes given after that stay here.
    over: bool,
}

impl Queue {
    pub(super) fn new(root: Node, most_nodes: u64) -> Self {
        Queue {
            state: Mutex::new(State { open: vec![root], working: 0, over: false }),
            wake: Condvar::new(),
            hungry: AtomicUsize::new(0),
            nodes: AtomicU64::new(0),
            most_nodes,
        }
    }

    /// A node to search below. Waits while other threads may still give nodes away. None when the
    /// search is complete or cut short.
    pub(super) fn take(&self) -> Option<(Node, Working<'_>)> {
        let mut state = self.lock();
        loop {
            if state.over {
                return None;
            }
            if let Some(node) = state.open.pop() {
                state.working += 1;
                return Some((node, Working(self)));
            }
            if state.working == 0 {
                self.wake.notify_all();
                return None;
            }
            self.hungry.fetch_add(1, Ordering::Relaxed);
            state = self.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            self.hungry.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Lets threads take nodes, also after a search was cut short.
    pub(super) fn begin(&self) {
        self.lock().over = false;
    }

    /// Counts a node that is to be decomposed. False if there were enough.
    pub(super) fn count(&self) -> bool {
        let counts = |nodes: u64| (nodes < self.most_nodes).then_some(nodes + 1);
        self.nodes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, counts).is_ok()
    }

    pub(super) fn has_hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }

    pub(super) fn give(&self, nodes: impl IntoIterator<Item = Node>) {
        self.lock().open.extend(nodes);
        self.wake.notify_all();
    }

    pub(super) fn end(&self, open: Vec<Node>) {
        let mut state = self.lock();
        state.over = true;
        state.open.extend(open);
        self.wake.notify_all();
    }

    /// The number of decomposed nodes.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes.load(Ordering::Relaxed)
    }

    /// The least bound of an open node, if there is one and no thread is at work.
    pub(super) fn least(&self) -> Option<Cost> {
        self.lock().open.iter().map(|node| node.bound).min()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// A thread that searches below a node. Dropping it also counts the thread out if it panicked, so
/// that no other thread waits for it.
pub(super) struct Working<'q>(&'q Queue);

impl Drop for Working<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.working -= 1;
        if state.working == 0 {
            self.0.wake.notify_all();
        }
    }
}
