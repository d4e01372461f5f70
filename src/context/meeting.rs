use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::{Error, Result};

/// Where threads wait for each other, again and again, until one of them leaves.
pub(crate) struct Meeting {
    members: usize,
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
pub(crate) struct Seat<'a>(&'a Meeting);

impl Meeting {
    pub(crate) fn of(members: usize) -> Self {
        Meeting { members, state: Mutex::default(), changed: Condvar::new() }
    }

    /// The seats of all members.
    pub(crate) fn seats(&self) -> Vec<Seat<'_>> {
        (0..self.members).map(|_| Seat(self)).collect()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
    /// [`Error::Stopped`] if one does not come any more.
    pub(crate) fn meet(&self) -> Result<()> {
        let mut state = self.0.state();
        let held = state.held;
        state.arrived += 1;
        if state.arrived == self.0.members {
            (state.arrived, state.held) = (0, held + 1);
            self.0.changed.notify_all();
            return Ok(());
        }
        while state.held == held && !state.is_over {
            state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.held == held { Err(Error::stopped()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::testing::assert_error;

    #[test]
    fn members_meet_until_one_leaves() {
        let meeting = Meeting::of(2);
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
}
