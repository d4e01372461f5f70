use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::signals;

/// As many pools as solves work at the same time: the work of one would wait for that of another in the same pool,
/// where the operating system shares the processor fairly among threads.
#[derive(Debug)]
pub(super) struct Pools {
    threads: usize,
    on_start: Option<fn()>,
    pools: Mutex<Vec<Place>>,
}

#[derive(Debug)]
struct Place {
    pool: Arc<Pool>,
    users: usize,
}

/// Pools are shared when there are as many as this, and the threads of one more would be beyond the other number.
const MANY_POOLS: usize = 4;
const MANY_THREADS: usize = 1024;

impl Pools {
    /// Pools of `threads` threads, which start when they are first needed; each thread runs `on_start` first.
    pub(super) fn new(threads: usize, on_start: Option<fn()>) -> Self {
        Pools { threads, on_start, pools: Mutex::default() }
    }

    /// A pool that nobody uses, or else the one with the fewest users; or why the system starts no threads.
    pub(super) fn lend(&self) -> Result<Lent<'_>, String> {
        let mut pools = self.lock();
        let least = (0..pools.len()).min_by_key(|&index| pools[index].users);
        let index = match least {
            Some(least) if pools[least].users == 0 || !self.may_add(pools.len()) => least,
            least => match (Pool::new(self.threads, self.on_start), least) {
                (Ok(pool), _) => {
                    pools.push(Place { pool: Arc::new(pool), users: 0 });
                    pools.len() - 1
                }
                (Err(_), Some(least)) => least,
                (Err(reason), None) => return Err(reason),
            },
        };
        pools[index].users += 1;
        Ok(Lent { pools: self, index, pool: Arc::clone(&pools[index].pool) })
    }

    /// Whether this is a thread of one of the pools.
    pub(super) fn is_inside(&self) -> bool {
        rayon::current_thread_index().is_some()
            && self.lock().iter().any(|place| place.pool.get().current_thread_index().is_some())
    }

    fn may_add(&self, pools: usize) -> bool {
        pools < MANY_POOLS || (pools + 1) * self.threads <= MANY_THREADS
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Place>> {
        self.pools.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A pool in use.
pub(super) struct Lent<'a> {
    pools: &'a Pools,
    index: usize,
    pool: Arc<Pool>,
}

impl Lent<'_> {
    pub(super) fn get(&self) -> &ThreadPool {
        self.pool.get()
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.pools.lock()[self.index].users -= 1;
    }
}

/// A rayon pool whose threads have ended when it has been dropped; rayon's own does not wait for them, and a
/// thread that outlives the library's unloading crashes the host.
#[derive(Debug)]
struct Pool {
    pool: Option<ThreadPool>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts the threads, each of which runs `on_start` first; or says why the system does not let it.
    fn new(threads: usize, on_start: Option<fn()>) -> Result<Self, String> {
        let mut handles = Vec::new();
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .spawn_handler(|thread| {
                let name = format!("makespan-{}", thread.index());
                let run = move || {
                    if let Some(on_start) = on_start {
                        on_start();
                    }
                    thread.run();
                };
                handles.push(signals::blocked(|| std::thread::Builder::new().name(name).spawn(run))?);
                Ok(())
            })
            .build();
        match pool {
            Ok(pool) => Ok(Pool { pool: Some(pool), threads: handles }),
            Err(error) => Err(error.to_string()),
        }
    }

    fn get(&self) -> &ThreadPool {
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

    #[test]
    fn those_at_work_at_once_have_pools_of_their_own_as_long_as_these_are_few() {
        let pools = Pools::new(400, None);
        let indices = |lent: &[Lent<'_>]| lent.iter().map(|lent| lent.index).collect::<Vec<_>>();
        let mut lent: Vec<_> = (0..6).map(|_| pools.lend().unwrap()).collect();
        assert_eq!(indices(&lent), [0, 1, 2, 3, 0, 1]);
        lent.drain(2..3);
        lent.push(pools.lend().unwrap());
        assert_eq!(indices(&lent), [0, 1, 3, 0, 1, 2]);
        assert!(!pools.is_inside() && lent[3].get().install(|| pools.is_inside()));
        assert!(!Pools::new(1, None).lend().unwrap().get().install(|| pools.is_inside()));
    }

    #[test]
    fn few_threads_are_started_for_every_solve() {
        let pools = Pools::new(2, None);
        let lent: Vec<_> = (0..20).map(|_| pools.lend().unwrap()).collect();
        assert!(lent.iter().enumerate().all(|(index, lent)| lent.index == index));
    }
}
