use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Messages of each device to all others, with a meeting between writing and reading. A device may
/// write while others still read its last message, so each has two letters in turn.
pub(crate) struct Letters<T>([Vec<RwLock<T>>; 2]);

impl<T: Default> Letters<T> {
    pub(crate) fn new(devices: usize) -> Self {
        let list = || (0..devices).map(|_| RwLock::default()).collect();
        Letters([list(), list()])
    }

    /// The letter of a device in a turn, for the device itself.
    pub(crate) fn write(&self, turn: usize, device: usize) -> RwLockWriteGuard<'_, T> {
        self.0[turn % 2][device].write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The letter of a device in a turn, after the meeting.
    pub(crate) fn read(&self, turn: usize, device: usize) -> RwLockReadGuard<'_, T> {
        self.0[turn % 2][device].read().unwrap_or_else(PoisonError::into_inner)
    }
}
