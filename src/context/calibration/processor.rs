//! Measures how fast the processor is, within 50 ms.

use std::convert::Infallible;
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use rayon::ThreadPool;

use crate::context::ProcessorSpeeds;
use crate::context::pool::Pools;
use crate::simd::{HotLoop, Simd};
use crate::stopwatch::Stopwatch;
use crate::{memory, parallel};

const WATCH: Stopwatch =
    Stopwatch { enough: Duration::from_micros(500), budget: Duration::from_micros(1_500) };
/// Measurements of a rate, the best of which counts: other work of the machine may interrupt one.
const TRIES: usize = 3;

/// Numbers of a block: with the widest vectors, two blocks fit into the registers.
const BLOCK: usize = 64;
/// Memory of each thread: more than its own caches have.
const THREAD_BYTES: u64 = 8 << 20;
/// Memory of one core that is measured alone, and the least of all threads.
const CORE_BYTES: u64 = 16 << 20;
/// Most memory.
const MOST_BYTES: u64 = 256 << 20;
/// Passes over the memory; the first one also makes the system provide it.
const PASSES: usize = 3;
/// How often the threads are woken.
const WAKES: usize = 15;
/// Most seconds for each thread. Threads wake one after another. A longer time has other causes.
const MOST_WAKE: f64 = 5e-5;
/// Threads without work look for some before they sleep.
const SLEEP: Duration = Duration::from_micros(300);

/// Measures the processor with the threads of a pool, while `goes_on`, which is asked before each
/// figure; `None` if it has returned false. Memory that the system refuses leaves the estimate of
/// its rates.
pub(in crate::context) fn calibrate(
    pools: &Pools,
    goes_on: &dyn Fn() -> bool,
) -> Option<ProcessorSpeeds> {
    if !goes_on() {
        return None;
    }
    let pool = pools.lend();
    let pool = pool.get();
    let threads = pool.map_or(1, ThreadPool::current_num_threads);
    let estimate = ProcessorSpeeds::estimate(threads);
    let (core_memory_rate, memory_rate) =
        memory_rates(pool, threads).unwrap_or((estimate.core_memory_rate, estimate.memory_rate));
    Some(ProcessorSpeeds {
        measured: true,
        measured_at: Some(SystemTime::now()),
        core_add_min_rate: goes_on().then(add_min_rate)?,
        core_serial_rate: goes_on().then(serial_rate)?,
        core_memory_rate,
        memory_rate,
        wake_seconds: goes_on().then(|| pool.map_or(0.0, wake_seconds))?,
    })
}

/// Units of work per second.
fn rate(mut work: impl FnMut(u64)) -> f64 {
    let mut timed = |amount| {
        let start = Instant::now();
        work(amount);
        Ok::<_, Infallible>(start.elapsed())
    };
    let mut measured = || {
        let Ok(seconds) = WATCH.unit_seconds(1..=u64::from(u32::MAX), &mut timed);
        1.0 / seconds
    };
    (0..TRIES).map(|_| measured()).fold(0.0, f64::max)
}

/// Pairs of an addition and a minimum per second, with the widest vectors.
fn add_min_rate() -> f64 {
    let (mut cells, others) = ([u32::MAX; BLOCK], black_box([1u32 << 30; BLOCK]));
    let blocks = rate(|rounds| {
        let relax = Relax { cells: &mut cells, others: &others, rounds };
        Simd::detect().run(relax);
        black_box(&mut cells);
    });
    blocks * BLOCK as f64
}

/// Rounds over two blocks, which stay in registers.
struct Relax<'a> {
    cells: &'a mut [u32; BLOCK],
    others: &'a [u32; BLOCK],
    rounds: u64,
}

impl HotLoop for Relax<'_> {
    type Output = ();

    #[inline(always)]
    #[allow(
        clippy::needless_range_loop,
        reason = "without link-time optimisation, an iterator is a call for each round"
    )]
    fn run(self) {
        let (mut cells, others) = (*self.cells, *self.others);
        for round in 0..self.rounds as u32 {
            for place in 0..BLOCK {
                cells[place] = cells[place].min(others[place].wrapping_sub(round));
            }
        }
        *self.cells = cells;
    }
}

/// The same one by one: each pair needs the one before.
fn serial_rate() -> f64 {
    let (mut first, mut second) = (black_box(0u32), black_box(9u32));
    let step = black_box(3u32);
    let rounds = rate(|rounds| {
        for _ in 0..rounds {
            first = first.wrapping_add(step).min(second);
            second = second.wrapping_add(step).min(first);
        }
        (first, second) = black_box((first, second));
    });
    2.0 * rounds
}

/// Bytes per second that one core, and all threads, read from and write to memory.
fn memory_rates(pool: Option<&ThreadPool>, threads: usize) -> Option<(f64, f64)> {
    let wanted = (threads as u64 * THREAD_BYTES).clamp(CORE_BYTES, MOST_BYTES);
    let bytes = memory::available().map_or(wanted, |left| wanted.min(left / 8));
    let mut cells: Vec<u32> = memory::zeroed(bytes as usize / 4).ok()?;
    let share = cells.len().div_ceil(threads).max(1);
    let all = best_pass(&mut cells, |cells| match pool {
        Some(pool) => pool.install(|| parallel::for_each(cells.chunks_mut(share), pass)),
        None => pass(cells),
    });
    let alone = cells.len().min(CORE_BYTES as usize / 4);
    let core = best_pass(&mut cells[..alone], pass);
    Some((core, all))
}

/// Bytes per second of the fastest pass.
fn best_pass(cells: &mut [u32], pass: impl Fn(&mut [u32])) -> f64 {
    let times = (0..PASSES).map(|_| {
        let start = Instant::now();
        pass(cells);
        start.elapsed()
    });
    let best = times.min().unwrap_or_default().max(Duration::from_nanos(1));
    2.0 * size_of_val(cells) as f64 / best.as_secs_f64()
}

/// Reads and writes every cell.
fn pass(cells: &mut [u32]) {
    Simd::detect().run(Pass(cells));
}

struct Pass<'a>(&'a mut [u32]);

impl HotLoop for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for cell in self.0.iter_mut() {
            *cell = cell.wrapping_add(1);
        }
        black_box(self.0);
    }
}

/// Seconds to wake all threads and to join them.
fn wake_seconds(pool: &ThreadPool) -> f64 {
    let times = [(); WAKES].map(|()| {
        thread::sleep(SLEEP);
        let start = Instant::now();
        pool.broadcast(|_| ());
        start.elapsed()
    });
    undisturbed(times, pool.current_num_threads())
}

/// The seconds of most wakes without other work of the machine, which makes them longer: the lower
/// quartile, up to a bound.
fn undisturbed(mut wakes: [Duration; WAKES], threads: usize) -> f64 {
    wakes.sort_unstable();
    wakes[WAKES / 4].as_secs_f64().min(MOST_WAKE * threads as f64)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn the_processor_is_measured_in_time() {
        for threads in [0, 1, 2] {
            let pools = Pools::new(Some(threads), None);
            // The threads start at the first need.
            drop(pools.lend());
            let timed = || {
                let start = Instant::now();
                let speeds = calibrate(&pools, &|| true).unwrap();
                (start.elapsed().as_secs_f64(), speeds)
            };
            // Ten times the promise, and the best of some tries, for a machine with other work.
            let (seconds, speeds) =
                (0..5).map(|_| timed()).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
            assert!(speeds.measured && speeds.measured_at.is_some());
            assert!(seconds < 0.5, "{seconds}");
            let rates = [
                speeds.core_add_min_rate,
                speeds.core_serial_rate,
                speeds.core_memory_rate,
                speeds.memory_rate,
            ];
            assert!(rates.iter().all(|rate| (1e6..1e13).contains(rate)), "{speeds:?}");
            assert_eq!(speeds.wake_seconds > 0.0, threads > 0, "{speeds:?}");
        }
    }

    #[test]
    fn other_work_does_not_count_as_a_wake() {
        let (short, long) = (Duration::from_micros(20), Duration::from_millis(3));
        let mut wakes = [long; WAKES];
        assert_eq!(undisturbed(wakes, 2), 2.0 * MOST_WAKE);
        wakes[WAKES - 4..].fill(short);
        assert_eq!(undisturbed(wakes, 2), short.as_secs_f64());
    }

    #[test]
    fn it_ends_before_the_next_figure() {
        let pools = Pools::new(Some(1), None);
        for figures in 0..4 {
            let asked = Cell::new(0);
            let goes_on = || asked.replace(asked.get() + 1) < figures;
            assert_eq!(calibrate(&pools, &goes_on), None);
            assert_eq!(asked.get(), figures + 1);
        }
    }
}
