//! Nodes on their way between the members of a crew.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Records of nodes that no member has, and what the members say of themselves.
pub(in super::super) struct Exchange {
    state: Mutex<State>,
    changed: Condvar,
    /// Words of a record.
    words: usize,
}

struct State {
    waiting: Vec<u32>,
    /// Members that search.
    searching: usize,
    /// Those of them without nodes, and the nodes that all of these have room for.
    hungry: usize,
    room: usize,
    /// Whether the host wants nodes for the CPU's threads.
    host_wants: bool,
    is_over: bool,
}

/// What the host has to do for the members.
pub(in super::super) enum Need {
    Nothing,
    /// A member has no nodes, and none are waiting: up to this number.
    Nodes(usize),
    /// The same, and no member has nodes.
    AllNodes(usize),
}

impl Exchange {
    pub(super) fn new(waiting: Vec<u32>, members: usize, words: usize) -> Self {
        let searching = members;
        let (hungry, room, host_wants, is_over) = (0, 0, false, false);
        let state = State { waiting, searching, hungry, room, host_wants, is_over };
        Exchange { state: Mutex::new(state), changed: Condvar::new(), words }
    }

    /// The records that are left.
    pub(super) fn into_waiting(self) -> Vec<u32> {
        self.state.into_inner().unwrap_or_else(PoisonError::into_inner).waiting
    }

    /// Adds records.
    pub(in super::super) fn put(&self, records: &[u32]) {
        self.lock().waiting.extend_from_slice(records);
        self.changed.notify_all();
    }

    /// Words of the records that wait.
    pub(super) fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    /// A member has no nodes and room for `most`, until it takes some or gives up.
    pub(super) fn begin_hunger(&self, most: usize) {
        let mut state = self.lock();
        state.hungry += 1;
        state.room += most;
    }

    pub(super) fn give_up(&self, most: usize) {
        self.lock().end_hunger(most);
    }

    /// A hungry member's part of the waiting records, at most `most`, the deepest nodes. Waits for
    /// records if there are none; may return none.
    pub(super) fn take(&self, most: usize, patience: Duration) -> Vec<u32> {
        let mut state = self.lock();
        if state.waiting.is_empty() && !state.is_over {
            let waited = self.changed.wait_timeout(state, patience);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        let nodes = state.waiting.len() / self.words;
        let part = nodes.div_ceil(state.hungry.max(1)).min(most);
        if part > 0 {
            state.end_hunger(most);
        }
        state.split_off(part * self.words)
    }

    /// Whether a member with nodes should give some.
    pub(super) fn is_wanting(&self) -> bool {
        let state = self.lock();
        state.waiting.is_empty() && (state.hungry > 0 || state.host_wants)
    }

    /// Up to `most` waiting records for the CPU's threads. Without any, members are asked.
    pub(in super::super) fn take_for_host(&self, most: usize) -> Vec<u32> {
        let mut state = self.lock();
        let records = state.split_off(most * self.words);
        state.host_wants = records.is_empty();
        records
    }

    pub(in super::super) fn need(&self) -> Need {
        let state = self.lock();
        match state.hungry {
            _ if !state.waiting.is_empty() => Need::Nothing,
            0 => Need::Nothing,
            hungry if hungry == state.searching => Need::AllNodes(state.room),
            _ => Need::Nodes(state.room),
        }
    }

    /// A member no longer searches.
    pub(super) fn leave(&self) {
        self.lock().searching -= 1;
        self.changed.notify_all();
    }

    /// Asks all members to end.
    pub(in super::super) fn stop(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    pub(super) fn is_over(&self) -> bool {
        self.lock().is_over
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn end_hunger(&mut self, room: usize) {
        self.hungry -= 1;
        self.room -= room;
    }

    /// Removes up to `words` words of the waiting records, the last ones.
    fn split_off(&mut self, words: usize) -> Vec<u32> {
        let left = self.waiting.len().saturating_sub(words);
        self.waiting.split_off(left)
    }
}
