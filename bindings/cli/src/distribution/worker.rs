//! A worker: runs its unit in slices and reports after each.

use super::{Order, Report, Work};

/// Least and most seconds of a slice.
const SLICE: (f64, f64) = (1.0, 5.0);
/// A slice lasts at least this many times as long as the report after it.
const REPORT_SHARE: f64 = 100.0;

/// What a worker has to do next.
#[derive(Debug)]
pub enum Action<W> {
    /// Run this unit for a slice, then call [`Worker::ended`].
    Run(W),
    /// End the slice early.
    Interrupt,
    /// Lower the upper bound of the present slice and later ones.
    Lower(u64),
    /// Stop working.
    Quit,
}

/// The state of a worker.
#[derive(Debug)]
pub struct Worker<W> {
    state: State<W>,
    slice: f64,
    reported: f64,
}

#[derive(Debug)]
enum State<W> {
    Running,
    /// Has reported this remainder, and waits for an order.
    Waiting(Option<W>),
    Ended,
}

impl<W: Work> Worker<W> {
    /// A worker without work, at a time in seconds of any clock. Its report asks for the first unit.
    pub fn new(now: f64) -> (Self, Report<W>) {
        let worker = Worker { state: State::Waiting(None), slice: SLICE.0, reported: now };
        (worker, Report { remainder: None, seconds: 0.0 })
    }

    /// How long the next slice lasts, in seconds.
    pub fn slice(&self) -> f64 {
        self.slice
    }

    /// Whether the coordinator has ended the work.
    pub fn has_ended(&self) -> bool {
        matches!(self.state, State::Ended)
    }

    /// Obeys an order.
    pub fn order(&mut self, order: Order<W>, now: f64) -> Option<Action<W>> {
        match order {
            Order::Bound(value) => Some(Action::Lower(value)),
            Order::End => {
                let was_running = matches!(self.state, State::Running);
                self.state = State::Ended;
                Some(if was_running { Action::Interrupt } else { Action::Quit })
            }
            // The report is under way already unless the worker runs.
            Order::Report => matches!(self.state, State::Running).then_some(Action::Interrupt),
            Order::Work(unit) => Some(self.run(unit, now)),
            Order::Continue => match &mut self.state {
                State::Waiting(remainder) => {
                    remainder.take().map(|remainder| self.run(remainder, now))
                }
                State::Running | State::Ended => None,
            },
        }
    }

    fn run(&mut self, unit: W, now: f64) -> Action<W> {
        self.state = State::Running;
        self.slice = (REPORT_SHARE * (now - self.reported)).clamp(SLICE.0, SLICE.1);
        Action::Run(unit)
    }

    /// The report after a slice of `seconds`.
    pub fn ended(&mut self, remainder: W, seconds: f64, now: f64) -> Report<W> {
        if !self.has_ended() {
            self.state = State::Waiting(Some(remainder.clone().without_work()));
        }
        self.reported = now;
        Report { remainder: Some(remainder), seconds }
    }
}
