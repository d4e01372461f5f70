//! The engines' turns in a search: which one works on the next slice, and for how long.

use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use crate::context::{Crewing, EngineTrial};
use crate::mutex::lock;

/// The engines' turns. Nodes are the measure of work.
pub(super) struct Turns {
    state: Mutex<State>,
}

struct State {
    trial: EngineTrial,
    side: Crewing,
    length: Duration,
    /// The time up to which the present slice was recorded.
    noted: Instant,
    /// The slice's nodes up to then.
    nodes: u64,
    /// Turns that do not depend on rates, the next one first.
    #[cfg(test)]
    rota: std::collections::VecDeque<Crewing>,
}

impl Turns {
    pub(super) fn new() -> Self {
        let state = State {
            trial: EngineTrial::default(),
            side: Crewing::Cpu,
            length: Duration::ZERO,
            noted: Instant::now(),
            nodes: 0,
            #[cfg(test)]
            rota: [].into(),
        };
        Turns { state: Mutex::new(state) }
    }

    /// Turns in this order, again and again.
    #[cfg(test)]
    pub(super) fn in_order(order: &[Crewing]) -> Self {
        let turns = Turns::new();
        turns.lock().rota = order.iter().copied().collect();
        turns
    }

    /// Chooses the engine of the next slice, given whether the device is ready.
    pub(super) fn next(&self, is_ready: bool) -> Crewing {
        let mut state = self.lock();
        state.choose(|side| match side {
            Crewing::Cpu => true,
            Crewing::Device | Crewing::Both => is_ready,
        });
        state.noted = Instant::now();
        state.nodes = 0;
        state.side
    }

    /// The length of the slice.
    pub(super) fn length(&self) -> Duration {
        self.lock().length
    }

    /// Records a slice on the CPU, also one that waits for a device.
    pub(super) fn on_cpu(&self, nodes: u64) {
        let mut state = self.lock();
        state.side = Crewing::Cpu;
        state.note(nodes);
    }

    /// A device has the nodes and begins its slice.
    pub(super) fn set_out(&self) -> (Crewing, Duration) {
        let mut state = self.lock();
        state.charge();
        (state.side, state.length)
    }

    /// Records the nodes of a device's slice so far. Returns how the slice continues, if it does.
    pub(super) fn go_on(&self, nodes: u64) -> Option<(Crewing, Duration)> {
        let mut state = self.lock();
        let used = state.side;
        state.note(nodes);
        state.choose(|_| true);
        if state.side.has_device() {
            return Some((state.side, state.length));
        }
        // The time in which the nodes are handed over is still that of the device.
        state.side = used;
        None
    }

    /// Records the rest of a device's slice, which ended with these nodes.
    pub(super) fn end(&self, nodes: u64) {
        let mut state = self.lock();
        // A slice without any nodes is a measured rate as well: otherwise it would be a first trial
        // again and again.
        if nodes > state.nodes || nodes == 0 { state.note(nodes) } else { state.charge() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl State {
    fn choose(&mut self, able: impl Fn(Crewing) -> bool) {
        #[cfg(test)]
        if let Some(side) = self.rota.pop_front() {
            self.rota.push_back(side);
            self.side = if able(side) { side } else { Crewing::Cpu };
            self.length = Duration::from_millis(5);
            return;
        }
        (self.side, self.length) = self.trial.next(able);
    }

    fn note(&mut self, nodes: u64) {
        let (side, more) = (self.side, nodes.saturating_sub(self.nodes));
        let time = self.time();
        self.trial.note(side, more, time);
        self.nodes = nodes;
    }

    fn charge(&mut self) {
        let (side, time) = (self.side, self.time());
        self.trial.charge(side, time);
    }

    /// The time since the last record.
    fn time(&mut self) -> Duration {
        let now = Instant::now();
        now - std::mem::replace(&mut self.noted, now)
    }
}
