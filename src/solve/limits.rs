use std::time::Duration;

use crate::memory;

/// Limits that end a solve early, and the memory limit.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Wall-clock time from the start of the solve.
    pub time: Option<Duration>,
    /// Number of the method's iterations, which its documentation defines. A run that ends by this
    /// limit is reproducible, unlike one that ends by time.
    pub iterations: Option<u64>,
    /// Bytes of host memory for tables. The default is half of the memory that the machine, the
    /// process's container and the process limits leave at the time of use. A device's separate
    /// memory does not count.
    pub memory: Option<u64>,
}

/// Used if the operating system does not report the free memory.
const FALLBACK_MEMORY: u64 = 2 << 30;

impl Limits {
    /// The effective memory limit in bytes. A limit set by the caller is reduced to the remaining
    /// address space.
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
