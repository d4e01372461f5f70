//! Random instances, and their optima by definition, for the tests of the methods.

use std::sync::Arc;
use std::time::Duration;
use std::{fs, thread};

use proptest::prelude::*;

use super::Instance;
use super::reduction::Problem;
use super::selection::Selection;
use crate::StopHandle;
use crate::solve::{Monitor, SolveOptions};

/// Instances of all variants with up to a few dozen items and a capacity up to some thousands. Many
/// have items of equal or nearly equal efficiency.
pub(super) fn instances() -> impl Strategy<Value = Instance> {
    let any = (1u64..60, 1u64..60).boxed();
    let heavy = (1u64..9, 40u64..400).boxed();
    let with_zeros = (prop_oneof![Just(0), 1u64..40], prop_oneof![Just(0), 1u64..40]).boxed();
    let correlated = (1u64..200).prop_map(|w| (w + 10, w)).boxed();
    let sums = (1u64..300).prop_map(|w| (w, w)).boxed();
    let item = prop_oneof![Just(any), Just(heavy), Just(with_zeros), Just(correlated), Just(sums)];
    let copies = prop_oneof![
        Just(Just(1).boxed()),
        Just(prop_oneof![Just(0), 1u64..9, Just(Instance::UNBOUNDED)].boxed()),
    ];
    let capacity = prop_oneof![9 => 1u64..3000, 1 => Just(0)];
    (item, copies, capacity).prop_flat_map(|(item, copies, capacity)| {
        proptest::collection::vec((item, copies), 0..40).prop_map(move |items| {
            let (numbers, mut copies): (Vec<(u64, u64)>, Vec<u64>) = items.into_iter().unzip();
            for (copies, _) in copies.iter_mut().zip(&numbers).filter(|(_, item)| item.1 == 0) {
                *copies = (*copies).min(5);
            }
            let (profits, weights) = numbers.into_iter().unzip();
            Instance::bounded(profits, weights, copies, capacity).unwrap()
        })
    })
}

/// The reduced problem, created without a limit.
pub(super) fn reduced(instance: &Instance) -> Arc<Problem> {
    Arc::new(Problem::new(instance, &Monitor::maximising(&SolveOptions::default())).unwrap())
}

/// Number of copies of each item in these pieces.
pub(super) fn counts_of(problem: &Problem, taken: &[bool]) -> Vec<u64> {
    Selection::new(problem, taken, |_| Ok(())).unwrap().into_counts()
}

/// The largest profit for every capacity, computed copy by copy.
pub(super) fn best_profits(instance: &Instance) -> Vec<u64> {
    let mut best = vec![0; instance.capacity() as usize + 1];
    for item in 0..instance.items() {
        let (profit, weight) = (instance.profits()[item], instance.weights()[item] as usize);
        if profit == 0 {
            continue;
        }
        for _ in 0..instance.useful_copies(item) {
            for capacity in (weight..best.len()).rev() {
                best[capacity] = best[capacity].max(best[capacity - weight] + profit);
            }
        }
    }
    best
}

/// Processor time that `run` takes after a stop, which is requested after `work` of processor time.
/// None if the operating system does not measure it. `run` must work only on this thread.
pub(crate) fn time_after_stop(work: Duration, run: impl FnOnce(&SolveOptions)) -> Option<Duration> {
    let task = fs::read_link("/proc/thread-self").ok()?;
    let taken = || -> Option<Duration> {
        let times =
            fs::read_to_string(std::path::Path::new("/proc").join(&task).join("schedstat")).ok()?;
        Some(Duration::from_nanos(times.split(' ').next()?.parse().ok()?))
    };
    let (stop, begun) = (StopHandle::new(), taken()?);
    let options = SolveOptions { stop: Some(stop.clone()), ..SolveOptions::default() };
    thread::scope(|scope| {
        let watcher = scope.spawn(|| {
            while !stop.is_stopped() && taken()? < begun + work {
                thread::sleep(Duration::from_millis(1));
            }
            stop.stop();
            taken()
        });
        run(&options);
        let ended = taken();
        stop.stop();
        Some(ended?.saturating_sub(watcher.join().ok()??))
    })
}
