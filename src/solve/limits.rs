use std::time::Duration;

use crate::memory;

/// When a solve ends before it is complete, and how much memory it may take.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Wall-clock time from the start of the solve.
    pub time: Option<Duration>,
    /// Number of the method's own iterations, as its documentation defines them. A run that ends by
    /// this limit is reproducible; one that ends by time is not.
    pub iterations: Option<u64>,
    /// Bytes of host memory for tables; by default half of what the machine, the container the
    /// process runs in and the limits of the process leave when it matters. A device's own memory
    /// is not counted.
    pub memory: Option<u64>,
}

/// Assumed where the operating system does not say how much memory is free.
const FALLBACK_MEMORY: u64 = 2 << 30;

impl Limits {
    /// The memory limit in force, in bytes. One that is given holds within the address space that
    /// is left.
    pub(crate) fn memory_bytes(&self) -> u64 {
        match self.memory {
            Some(given) => memory::address_space().map_or(given, |left| left.min(given)),
            None => memory::available().map_or(FALLBACK_MEMORY, |free| free / 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_given_memory_limit_is_taken_as_it_is() {
        assert_eq!(Limits { memory: Some(17), ..Limits::default() }.memory_bytes(), 17);
    }

    #[test]
    fn the_default_memory_limit_is_of_the_order_of_a_machine() {
        let limit = Limits::default().memory_bytes();
        assert!((1 << 24..1 << 50).contains(&limit), "{limit}");
    }
}
