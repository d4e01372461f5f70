//! A batch on several devices, each of which takes one part after the other.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::cpu::Profit;
use super::{Batch, Job, solve_parts};
use crate::context::{SpotChecks, spread};
use crate::mutex::lock;
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Error, Result, Team, memory};

/// Cells of a part, some milliseconds of a graphics card.
const PART_CELLS: u64 = 1 << 31;

/// Solves `count` instances with their profits on the chosen device, and on those of the team once
/// it has taken long.
pub(super) fn solve<T: Profit>(
    job: &Job<'_>,
    count: usize,
    profits: &[u64],
    (team, chosen): (&Team<'_>, &Device),
) -> Result<Batch> {
    let most = PART_CELLS / job.shared.cells_of(1).max(1);
    let part = usize::try_from(most).unwrap_or(usize::MAX).max(1);
    solve_in_parts::<T>(job, count, profits, (team, chosen), part)
}

/// The same in parts of `part` instances.
pub(super) fn solve_in_parts<T: Profit>(
    job: &Job<'_>,
    count: usize,
    profits: &[u64],
    (team, chosen): (&Team<'_>, &Device),
    part: usize,
) -> Result<Batch> {
    let items = job.shared.instance.items();
    let checks = Mutex::new(SpotChecks::new());
    let solved = AtomicU64::new(0);
    let solve_part = |device: &Device, number: usize, monitor: &Monitor| {
        let (first, end) = (number * part, count.min((number + 1).saturating_mul(part)));
        // Two devices may solve the same part, which counts once.
        let twice = AtomicU64::new(0);
        let own = Job { monitor, solved: &twice, ..*job };
        let solve = |checks: &mut SpotChecks| {
            let profits = &profits[first * items..end * items];
            solve_parts::<T>(&own, end - first, profits, Some((device, checks)))
        };
        // The results of each further device are checked as if it were alone.
        let found = match device.is_view_of(chosen) {
            true => solve(&mut lock(&checks)),
            false => solve(&mut SpotChecks::new()),
        }?;
        let all = solved.fetch_add((end - first) as u64, Ordering::Relaxed);
        monitor.report("batch", Some((all as f64 / count as f64).min(1.0)));
        Ok(found)
    };
    let parts = spread(team, chosen, count.div_ceil(part), &solve_part)?;
    let (mut values, mut counts) = (memory::list(count)?, memory::list(count * items)?);
    for Batch { profits, counts: own } in parts {
        values.extend(profits);
        counts.extend(own);
    }
    job.solved.store(values.len() as u64, Ordering::Relaxed);
    match values.len() == count {
        true => Ok(Batch { profits: values, counts }),
        false => Err(Error::stopped()),
    }
}
