use std::hint::black_box;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, mpsc};
use std::thread::{self, JoinHandle};

use rayon::{ThreadBuilder, ThreadPool, ThreadPoolBuilder};

use crate::mutex::lock;
use crate::{memory, owned_threads};

/// Address space that the system reserves for a thread, in addition to the common headroom: its
/// stack, and with glibc a malloc arena of 64 MB. To align the arena, glibc first requests twice
/// its size. If that failed, glibc would try again at every allocation, and the other threads would
/// briefly lack the address space that each attempt takes.
const THREAD_BYTES: usize =
    if cfg!(all(target_env = "gnu", target_pointer_width = "64")) { 132 << 20 } else { 4 << 20 };

/// As many pools as there are concurrent solves. Within one pool, the work of one solve would wait
/// for that of another, whereas the operating system shares the processor fairly among threads.
#[derive(Debug)]
pub(super) struct Pools {
    /// Threads of each pool. How many cores there are is asked at the first need: the answer is in
    /// files of the system, and takes longer than some solves.
    threads: OnceLock<usize>,
    on_start: Option<fn()>,
    pools: Mutex<Vec<Place>>,
}

#[derive(Debug)]
struct Place {
    pool: Arc<Pool>,
    users: usize,
}

/// A larger thread count is a mistake in the caller's units.
pub(super) const MAX_THREADS: usize = 1024;

/// Solves share pools once there are `MANY_POOLS`, and one more pool would exceed `MANY_THREADS`
/// threads.
const MANY_POOLS: usize = 4;
const MANY_THREADS: usize = 1024;

impl Pools {
    /// Pools of `threads` threads, or of one for each core, started when first needed. Each thread
    /// first runs `on_start`. With 0 threads, the calling thread does the work.
    pub(super) fn new(threads: Option<usize>, on_start: Option<fn()>) -> Self {
        let threads = threads.map(OnceLock::from).unwrap_or_default();
        Pools { threads, on_start, pools: Mutex::default() }
    }

    /// Pools on a system that starts no threads.
    #[cfg(test)]
    pub(super) fn empty() -> Self {
        let pool = Arc::new(Pool::with(1, |_| Err(io::ErrorKind::WouldBlock.into())));
        Pools {
            threads: 1.into(),
            on_start: None,
            pools: Mutex::new(vec![Place { pool, users: 0 }]),
        }
    }

    /// The number of threads that a pool is to have.
    pub(super) fn wanted(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, |cores| cores.get());
        *self.threads.get_or_init(|| cores().min(MAX_THREADS))
    }

    /// The threads of a pool: the requested number, or as many as the system starts, or 1 if the
    /// callers do the work.
    pub(super) fn threads(&self) -> usize {
        let started = |place: &Place| place.pool.get().map_or(1, ThreadPool::current_num_threads);
        self.lock().first().map_or_else(|| self.wanted().max(1), started)
    }

    /// Whether threads have started.
    pub(super) fn have_started(&self) -> bool {
        !self.lock().is_empty()
    }

    /// Lends an idle pool, otherwise the one with the fewest users.
    pub(super) fn lend(&self) -> Lent<'_> {
        let mut pools = self.lock();
        let least = (0..pools.len()).min_by_key(|&index| pools[index].users);
        let index = match least {
            Some(least) if pools[least].users == 0 || !self.may_add(pools.len()) => least,
            least => match (Pool::new(self.wanted(), self.on_start), least) {
                (Pool { pool: None, .. }, Some(least)) => least,
                (pool, _) => {
                    pools.push(Place { pool: Arc::new(pool), users: 0 });
                    pools.len() - 1
                }
            },
        };
        pools[index].users += 1;
        Lent { pools: self, index, pool: Arc::clone(&pools[index].pool) }
    }

    /// Whether the caller is a thread of one of the pools.
    pub(super) fn is_inside(&self) -> bool {
        rayon::current_thread_index().is_some()
            && self.lock().iter().any(|place| place.pool.is_inside())
    }

    fn may_add(&self, pools: usize) -> bool {
        pools < MANY_POOLS || (pools + 1) * self.wanted() <= MANY_THREADS
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Place>> {
        lock(&self.pools)
    }
}

/// A pool in use.
pub(super) struct Lent<'a> {
    pools: &'a Pools,
    index: usize,
    pool: Arc<Pool>,
}

impl Lent<'_> {
    /// The threads, if the system started any.
    pub(super) fn get(&self) -> Option<&ThreadPool> {
        self.pool.get()
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.pools.lock()[self.index].users -= 1;
    }
}

/// A rayon pool that joins its threads on drop. Rayon's own drop does not wait, and a thread that
/// outlives the library's unloading crashes the host.
#[derive(Debug)]
struct Pool {
    /// None if the system starts no threads; then the calling threads do the work.
    pool: Option<ThreadPool>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts `threads` threads, or as many as the system starts. Each first runs `on_start`.
    fn new(threads: usize, on_start: Option<fn()>) -> Self {
        Pool::with(threads, |thread| spawn(thread, on_start))
    }

    fn with(threads: usize, spawn: impl Fn(ThreadBuilder) -> io::Result<JoinHandle<()>>) -> Self {
        let mut pool = Pool { pool: None, threads: Vec::new() };
        let mut wanted = threads;
        while wanted > 0 && pool.pool.is_none() {
            let handles = &mut pool.threads;
            let built = ThreadPoolBuilder::new().num_threads(wanted).spawn_handler(|thread| {
                handles.push(spawn(thread)?);
                Ok(())
            });
            pool.pool = built.build().ok();
            if pool.pool.is_none() {
                // The threads that did start are ending: rayon has requested that.
                wanted = pool.threads.len().min(wanted - 1);
                pool.join();
            }
        }
        pool
    }

    fn get(&self) -> Option<&ThreadPool> {
        self.pool.as_ref()
    }

    /// Whether the caller is a thread of this pool.
    fn is_inside(&self) -> bool {
        self.get().is_some_and(|pool| pool.current_thread_index().is_some())
    }

    fn join(&mut self) {
        for thread in self.threads.drain(..) {
            // A worker's panic has already reached the caller of its task.
            let _ = thread.join();
        }
    }
}

/// Starts a thread if memory allows, and waits until its malloc arena is reserved.
fn spawn(thread: ThreadBuilder, on_start: Option<fn()>) -> io::Result<JoinHandle<()>> {
    memory::check_room(THREAD_BYTES).map_err(io::Error::other)?;
    let name = format!("makespan-{}", thread.index());
    let (sender, started) = mpsc::sync_channel(1);
    let run = move || {
        // A thread's first allocation makes the allocator reserve an arena for it. Only then does
        // the next thread check how much memory is left.
        drop(black_box(Vec::<u8>::with_capacity(1)));
        // The receiver is waiting, so this can't fail.
        let _ = sender.send(());
        if let Some(on_start) = on_start {
            on_start();
        }
        thread.run();
    };
    let handle = owned_threads::spawn(&name, run)?;
    // An error means that the thread has already ended.
    let _ = started.recv();
    Ok(handle)
}

impl Drop for Pool {
    fn drop(&mut self) {
        drop(self.pool.take());
        self.join();
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
        let pool = Pool::new(3, Some(count));
        assert_eq!(pool.get().unwrap().current_num_threads(), 3);
        pool.get().unwrap().broadcast(|_| ());
        drop(pool);
        assert_eq!(STARTED.load(Ordering::SeqCst), 3);
    }

    #[test]
    fn those_at_work_at_once_have_pools_of_their_own_as_long_as_these_are_few() {
        let pools = Pools::new(Some(400), None);
        let indices = |lent: &[Lent<'_>]| lent.iter().map(|lent| lent.index).collect::<Vec<_>>();
        let mut lent: Vec<_> = (0..6).map(|_| pools.lend()).collect();
        assert_eq!(indices(&lent), [0, 1, 2, 3, 0, 1]);
        lent.drain(2..3);
        lent.push(pools.lend());
        assert_eq!(indices(&lent), [0, 1, 3, 0, 1, 2]);
        assert!(!pools.is_inside() && lent[3].get().unwrap().install(|| pools.is_inside()));
        assert!(!Pools::new(Some(1), None).lend().get().unwrap().install(|| pools.is_inside()));
    }

    #[test]
    fn few_threads_are_started_for_every_solve() {
        let pools = Pools::new(Some(2), None);
        let lent: Vec<_> = (0..20).map(|_| pools.lend()).collect();
        assert!(lent.iter().enumerate().all(|(index, lent)| lent.index == index));
    }

    #[test]
    fn there_are_as_many_threads_as_the_system_lets_start() {
        for (most, expected) in [(0, None), (1, Some(1)), (2, Some(2)), (9, Some(4))] {
            let limited = |thread: ThreadBuilder| match thread.index() < most {
                true => spawn(thread, None),
                false => Err(io::ErrorKind::WouldBlock.into()),
            };
            let pool = Pool::with(4, limited);
            assert_eq!(pool.get().map(ThreadPool::current_num_threads), expected);
        }
    }
}
