//! Work by which the kernel is timed.

use std::sync::atomic::AtomicU64;

use super::cpu::CpuBatch;
use super::device::DeviceBatch;
use super::{Engine, Job, Shared};
use crate::knapsack::Instance;
use crate::opencl::{Case, TimedFamily, Workload, agree, timed};
use crate::random::Random;
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Result};

pub(crate) const TIMED: TimedFamily = TimedFamily {
    family: &super::device::FAMILY,
    workloads: &[
        Workload {
            name: "tables of 900 cells",
            tunables: "MOST_EACH LEAST_GROUP UNIT_GROUPS",
            case: |_, size| batch(size, 900),
        },
        Workload {
            name: "tables of 150 cells",
            tunables: "MOST_EACH LEAST_GROUP UNIT_GROUPS",
            case: |_, size| batch(size, 150),
        },
    ],
};

const ITEMS: usize = 40;
/// Instances of the smallest batch, and doublings of the largest.
const INSTANCES: usize = 128;
const MOST_DOUBLINGS: u32 = 10;

/// Solves instances with tables of some cells.
fn batch(size: u32, cells: u64) -> Result<Option<Case>> {
    if size > MOST_DOUBLINGS {
        return Ok(None);
    }
    let mut random = Random::new(4);
    let weights = (0..ITEMS).map(|_| 1 + random.below(cells / 4)).collect();
    let instance = Instance::new(vec![1; ITEMS], weights, cells - 1)?;
    let bundles = Shared::new(&instance)?.bundles.len();
    let profits: Vec<i32> =
        (0..(INSTANCES << size) * bundles).map(|_| random.below(1000) as i32).collect();
    let context = Context::of_all_threads()?;
    let on_cpu: fn(&Job<'_>, &[i32]) -> Result<Solved> =
        |job, profits| solved(&mut CpuBatch { job }, job.shared, profits);
    let expected = with_job(&context, &instance, |job| on_cpu(job, &profits))?;
    Ok(Some(Box::new(move |device| {
        let (found, time) = with_job(&context, &instance, |job| {
            let mut engine = DeviceBatch::<i32>::new(job, device)?;
            timed(|| solved(&mut engine, job.shared, &profits))
        })?;
        agree("knapsack_batch", &found.0, &expected.0)?;
        agree("knapsack_batch", &found.1, &expected.1)?;
        Ok(time)
    })))
}

/// Values, and words of taken bundles.
type Solved = (Vec<i32>, Vec<u32>);

fn with_job<T>(
    context: &Context,
    instance: &Instance,
    work: impl FnOnce(&Job<'_>) -> Result<T>,
) -> Result<T> {
    let shared = Shared::new(instance)?;
    let monitor = Monitor::maximising(&SolveOptions::default());
    let (shared, monitor, solved) = (&shared, &monitor, &AtomicU64::new(0));
    work(&Job { context, monitor, shared, instances: 0, solved })
}

fn solved(engine: &mut dyn Engine<i32>, shared: &Shared<'_>, profits: &[i32]) -> Result<Solved> {
    let count = profits.len() / shared.bundles.len();
    let (mut values, mut taken) = (vec![0; count], vec![0; count * shared.words()]);
    engine.solve(profits.to_vec(), &mut values, &mut taken)?;
    Ok((values, taken))
}
