//! Nodes on their way between the members of a crew.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::mutex::lock;
use crate::solve::Monitor;
use crate::{Error, Result};

/// Records of nodes that no member has, and the members' needs.
pub(in super::super) struct Exchange {
    state: Mutex<State>,
    changed: Condvar,
    /// Words of a record, and the number of members.
    words: usize,
    members: usize,
}

struct State {
    waiting: Vec<u32>,
    /// Words for which members have made room, and that they will add.
    reserved: usize,
    /// Members that search.
    searching: usize,
    /// Those of them without nodes, and the nodes that all of these have room for.
    hungry: usize,
    room: usize,
    /// Nodes that the host wants for the CPU's threads.
    host_wants: usize,
    is_over: bool,
    /// Why the host has no memory for more records.
    refusal: Option<Box<Error>>,
}

/// A member that takes part in the search, until this is dropped.
pub(super) struct Attendance<'a>(&'a Exchange);

impl Drop for Attendance<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.searching -= 1;
        // The nodes of a thread that panicked are lost.
        state.is_over |= thread::panicking();
        self.0.changed.notify_all();
    }
}

/// What the host has to do for the members.
pub(in super::super) enum Need {
    Nothing,
    /// Some members have no nodes, and none are waiting. They have room for this number.
    NodesForSome(usize),
    /// The same of all members.
    NodesForAll(usize),
}

impl Exchange {
    pub(super) fn new(waiting: Vec<u32>, members: usize, words: usize) -> Self {
        let searching = members;
        let (reserved, hungry, room, host_wants) = (0, 0, 0, 0);
        let (is_over, refusal) = (false, None);
        let state =
            State { waiting, reserved, searching, hungry, room, host_wants, is_over, refusal };
        Exchange { state: Mutex::new(state), changed: Condvar::new(), words, members }
    }

    /// The records that are left, and why the host has refused some.
    pub(super) fn end(self) -> (Vec<u32>, Option<Box<Error>>) {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        (state.waiting, state.refusal)
    }

    pub(in super::super) fn members(&self) -> usize {
        self.members
    }

    /// A member begins to search.
    pub(super) fn attend(&self) -> Attendance<'_> {
        Attendance(self)
    }

    /// Adds records.
    pub(in super::super) fn put(&self, records: &[u32]) {
        self.lock().waiting.extend_from_slice(records);
        self.changed.notify_all();
    }

    /// Makes room for records that a member is about to [add](Exchange::put_reserved). If the memory
    /// limit refuses them, the search ends.
    pub(super) fn reserve(&self, nodes: usize, monitor: &Monitor) -> bool {
        let mut state = self.lock();
        let words = state.waiting.len() + state.reserved + nodes * self.words;
        let required = words as u128 * size_of::<u32>() as u128;
        let what = || "open nodes beyond the device's memory".to_owned();
        match monitor.check_memory(required, what) {
            Ok(()) => state.reserved += nodes * self.words,
            Err(error) => {
                state.refusal = Some(error);
                state.is_over = true;
                self.changed.notify_all();
                return false;
            }
        }
        true
    }

    /// Adds records for which there is room.
    pub(super) fn put_reserved(&self, nodes: usize, taken: Result<Vec<u32>>) -> Result<()> {
        let mut state = self.lock();
        state.reserved -= nodes * self.words;
        state.waiting.extend(taken?);
        self.changed.notify_all();
        Ok(())
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

    /// How many nodes a member should give that can spare `most`.
    pub(super) fn wanted(&self, most: usize) -> usize {
        let state = self.lock();
        match (state.waiting.is_empty(), state.hungry) {
            (false, _) => 0,
            (true, 0) => state.host_wants.min(most),
            (true, _) => most,
        }
    }

    /// Up to `most` waiting records for the CPU's threads. Without any, members are asked.
    pub(in super::super) fn take_for_host(&self, most: usize) -> Vec<u32> {
        let mut state = self.lock();
        let records = state.split_off(most * self.words);
        state.host_wants = if records.is_empty() { most } else { 0 };
        records
    }

    /// The CPU's threads have nodes.
    pub(in super::super) fn host_has_nodes(&self) {
        self.lock().host_wants = 0;
    }

    pub(in super::super) fn need(&self) -> Need {
        let state = self.lock();
        match state.hungry {
            _ if !state.waiting.is_empty() => Need::Nothing,
            0 => Need::Nothing,
            hungry if hungry == state.searching => Need::NodesForAll(state.room),
            _ => Need::NodesForSome(state.room),
        }
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
        lock(&self.state)
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
