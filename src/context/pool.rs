use std::thread::JoinHandle;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A rayon pool whose threads have ended when it has been dropped; rayon's own does not wait for them, and a
/// thread that outlives the library's unloading crashes the host.
#[derive(Debug)]
pub(super) struct Pool {
    pool: Option<ThreadPool>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts the threads, each of which runs `on_start` first; or says why the system does not let it.
    pub(super) fn new(threads: usize, on_start: Option<fn()>) -> Result<Self, String> {
        let mut handles = Vec::new();
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .spawn_handler(|thread| {
                let name = format!("makespan-{}", thread.index());
                handles.push(std::thread::Builder::new().name(name).spawn(move || {
                    if let Some(on_start) = on_start {
                        on_start();
                    }
                    thread.run();
                })?);
                Ok(())
            })
            .build();
        match pool {
            Ok(pool) => Ok(Pool { pool: Some(pool), threads: handles }),
            Err(error) => Err(error.to_string()),
        }
    }

    pub(super) fn get(&self) -> &ThreadPool {
        self.pool.as_ref().expect("the pool is taken in drop alone")
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        drop(self.pool.take());
        for thread in self.threads.drain(..) {
            // A worker's panic has reached the caller of its task already.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    static STARTED: AtomicUsize = AtomicUsize::new(0);

    fn count() {
        STARTED.fetch_add(1, Ordering::SeqCst);
    }

    #[test]
    fn threads_start_with_the_handler_and_end_with_the_pool() {
        let pool = Pool::new(3, Some(count)).unwrap();
        assert_eq!(pool.get().current_num_threads(), 3);
        pool.get().broadcast(|_| ());
        drop(pool);
        assert_eq!(STARTED.load(Ordering::SeqCst), 3);
    }
}
