use std::time::Duration;

/// When a solve ends before it is complete, and how much memory it may take.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Wall-clock time from the start of the solve.
    pub time: Option<Duration>,
    /// Number of the method's own iterations, as its documentation defines them. A run that ends by this
    /// limit is reproducible; one that ends by time is not.
    pub iterations: Option<u64>,
    /// Bytes of host memory for tables; by default half of what the machine, or the container the process runs
    /// in, has free when it matters. A device's own memory is not counted.
    pub memory: Option<u64>,
}

/// Assumed where the operating system does not say how much memory is free.
const FALLBACK_MEMORY: u64 = 2 << 30;

impl Limits {
    /// The memory limit in force, in bytes.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.memory.unwrap_or_else(|| available_memory().map_or(FALLBACK_MEMORY, |free| free / 2))
    }
}

/// Free memory of the machine, or of the container where that is less; known on Linux alone.
fn available_memory() -> Option<u64> {
    [machine_memory(), container_memory()].into_iter().flatten().min()
}

/// What control group version 2 leaves this process.
fn container_memory() -> Option<u64> {
    let read = |name: &str| -> Option<u64> {
        std::fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok()
    };
    Some(read("memory.max")?.saturating_sub(read("memory.current")?))
}

/// Free memory by the kernel's own estimate.
fn machine_memory() -> Option<u64> {
    let info = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
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
