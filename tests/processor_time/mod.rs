//! How late a solve ends on a shared machine: in processor time of this process, which other
//! processes do not change.

use std::thread;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

/// Does the work, and returns the processor time that all threads of this process took after that
/// limit.
pub(crate) fn worked_after<T>(limit: Duration, work: impl FnOnce() -> T) -> (T, Duration) {
    let deadline = Instant::now() + limit;
    let watch = thread::spawn(move || {
        thread::sleep(deadline.saturating_duration_since(Instant::now()));
        processor_time()
    });
    let done = work();
    let after = processor_time();
    (done, after.saturating_sub(watch.join().unwrap()))
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
