use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::waiting::LOOK;
use crate::mutex::lock;
use crate::solve::Monitor;
use crate::{Error, Result};

/// How long a member polls before it sleeps. A sleeping thread needs about as long to wake up.
const AWAKE: Duration = Duration::from_micros(100);

/// Where threads wait for each other, again and again, until one of them leaves.
pub(crate) struct Meeting<'m> {
    members: usize,
    /// Looked at while a member waits.
    monitor: &'m Monitor,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    arrived: usize,
    /// Meetings that all members have attended.
    held: u64,
    /// Whether a member has left.
    is_over: bool,
}

/// A member's place. No meeting takes place any more once one of the seats is dropped.
pub(crate) struct Seat<'a>(&'a Meeting<'a>);

impl<'m> Meeting<'m> {
    pub(crate) fn of(members: usize, monitor: &'m Monitor) -> Self {
        Meeting { members, monitor, state: Mutex::default(), changed: Condvar::new() }
    }

    /// The seats of all members.
    pub(crate) fn seats(&self) -> Vec<Seat<'_>> {
        (0..self.members).map(|_| Seat(self)).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        self.0.state().is_over = true;
        self.0.changed.notify_all();
    }
}

impl Seat<'_> {
    /// Waits for all members.
    ///
    /// # Errors
    /// [`Error::Stopped`] if one does not come any more, or the solve has to stop.
    pub(crate) fn meet(&self) -> Result<()> {
        let mut state = self.0.state();
        let held = state.held;
        state.arrived += 1;
        if state.arrived == self.0.members {
            (state.arrived, state.held) = (0, held + 1);
            self.0.changed.notify_all();
            return Ok(());
        }
        let begun = Instant::now();
        while state.held == held && !state.is_over {
            if begun.elapsed() < AWAKE {
                drop(state);
                thread::yield_now();
                state = self.0.state();
                continue;
            }
            let waited = self.0.changed.wait_timeout(state, LOOK);
            let (waiting, look) = waited.unwrap_or_else(PoisonError::into_inner);
            state = waiting;
            if look.timed_out() {
                // The look may call the user, so no lock is held.
                drop(state);
                self.0.monitor.check()?;
                state = self.0.state();
            }
        }
        if state.held == held { Err(Error::stopped()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::testing::{assert_error, monitor, monitor_that_is_told_to_stop};

    #[test]
    fn members_meet_until_one_leaves() {
        let monitor = monitor();
        let meeting = Meeting::of(2, &monitor);
        let mut seats = meeting.seats();
        let (second, first) = (seats.pop().unwrap(), seats.pop().unwrap());
        thread::scope(|scope| {
            let meets = scope.spawn(move || [second.meet(), second.meet()].map(|met| met.is_ok()));
            assert!(first.meet().is_ok());
            assert!(first.meet().is_ok());
            assert_eq!(meets.join().unwrap(), [true, true]);
        });
        assert_error!(first.meet(), Error::Stopped);
    }

    #[test]
    fn the_callback_may_stop_a_member_that_waits() {
        let monitor = monitor_that_is_told_to_stop();
        let meeting = Meeting::of(2, &monitor);
        let seats = meeting.seats();
        assert_error!(seats[0].meet(), Error::Stopped);
    }
}
