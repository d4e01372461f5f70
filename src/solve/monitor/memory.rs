//! The memory limit.

use std::sync::atomic::Ordering;

use super::Monitor;
use crate::{Error, Result, memory};

/// Bytes that are granted without asking the operating system.
pub(super) const LITTLE: u128 = 1 << 20;

/// Microseconds for which a look at the free memory holds: too few to fill the headroom.
const FRESH: u64 = 200;

/// The time of a look before the first one.
pub(super) const NEVER: u64 = u64::MAX;

impl Monitor {
    pub(crate) fn memory_bytes(&self) -> u64 {
        *self.memory_bytes.get_or_init(|| self.limits.memory_bytes())
    }

    /// Whether `bytes` bytes are within the memory limit. A megabyte always is, unless the caller
    /// set a limit: asking the operating system takes as long as some small problems.
    pub(crate) fn has_memory(&self, bytes: u128) -> bool {
        let little =
            self.limits.memory.is_none_or(|given| bytes <= given.into()) && bytes <= LITTLE;
        little || bytes <= self.memory_bytes().into()
    }

    /// Refuses `required` bytes if they exceed the memory limit; `what` describes their purpose and
    /// size.
    pub(crate) fn check_memory(&self, required: u128, what: impl FnOnce() -> String) -> Result<()> {
        if self.has_memory(required) { Ok(()) } else { Err(self.out_of_memory(required, what())) }
    }

    /// The error for `required` bytes, refused by the limit or by the operating system.
    pub(crate) fn out_of_memory(&self, required: u128, what: String) -> Box<Error> {
        Box::new(Error::OutOfMemory { what, required, limit: self.memory_bytes() })
    }

    /// Refuses lists that grow with the input if their bytes exceed the memory limit. The limit is
    /// meant for tables, so a megabyte of lists is always allowed.
    pub(crate) fn check_lists(&self, required: u128, what: impl FnOnce() -> String) -> Result<()> {
        if required <= LITTLE { Ok(()) } else { self.check_memory(required, what) }
    }

    /// Announces the total bytes of the lists that grow with the input; `what` describes them. Each
    /// later phase starts only if there is room for them. Refuses like [`Monitor::check_lists`],
    /// and if the system lacks the memory.
    pub(crate) fn expect_lists(&self, required: u128, what: impl FnOnce() -> String) -> Result<()> {
        self.check_lists(required, what)?;
        self.lists.store(usize::try_from(required).unwrap_or(usize::MAX), Ordering::Relaxed);
        self.look_for_room()
    }

    /// Refuses to start a phase without room for its lists. Short phases that follow each other
    /// share one look: it takes the system as long as they take.
    pub(crate) fn check_room(&self) -> Result<()> {
        let (now, seen) = (self.microseconds(), self.roomy.load(Ordering::Relaxed));
        if (seen..seen.saturating_add(FRESH)).contains(&now) {
            Ok(())
        } else {
            self.look_for_room()
        }
    }

    fn look_for_room(&self) -> Result<()> {
        memory::check_room(self.lists.load(Ordering::Relaxed))?;
        self.roomy.store(self.microseconds(), Ordering::Relaxed);
        Ok(())
    }

    fn microseconds(&self) -> u64 {
        self.elapsed().as_micros() as u64
    }
}
