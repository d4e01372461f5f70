//! Many small knapsacks that share weights, copies and capacity and differ in their profits, as in
//! the pricing of column generation: the dense table of each, in cache or local memory.

mod cpu;
mod device;
mod self_test;
#[cfg(test)]
mod tests;
mod together;
mod workload;

pub(super) use self::device::usual_programs;
pub(crate) use self::workload::TIMED;

use std::sync::atomic::{AtomicU64, Ordering};

use super::dense::cost_model::{CostModel, Kind};
use super::instance::{Instance, UNBOUNDED_PROFIT};
use super::refuse_pinned;
use crate::context::{SpotChecks, sample, wrong};
use crate::gcd::gcd;
use crate::memory::Grow;
use crate::opencl::Device;
use crate::solve::{Certificate, Monitor, Outcome, Report, Sense, SolveOptions, unless_stopped};
use crate::{Context, Error, Forecast, Result, Team, memory, parallel};

/// Optimal solutions of a batch, in the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// The largest profit of each instance.
    pub profits: Vec<u64>,
    /// Copies taken of each item, instance by instance.
    pub counts: Vec<u64>,
}

/// Capacities are below this, so that numbers of copies and sums of two weights fit into 32 bits.
const CAPACITY_LIMIT: u64 = 1 << 29;
/// Most bytes of profits and most instances that an engine gets at once.
const PART_BYTES: usize = 1 << 26;
const PART_INSTANCES: usize = 1 << 20;
/// Cells whose decisions share a word on a device.
const CELLS_OF_WORD: usize = 16;
/// Instances that a thread takes at a time.
const TASK: usize = 64;

/// Solves many knapsacks to optimality that have the weights, copies and capacity of `instance` and
/// their own profits. Those of instance k, which may be 0, are `profits[k * items..(k + 1) *
/// items]`. The profits of `instance` are ignored.
///
/// The objective is the sum of the instances' profits, and `None` beyond 64 bits. Without a limit
/// the status is [`Status::Optimal`](crate::Status::Optimal); if a limit or a stop request comes
/// before all are solved, it is [`Status::Stopped`](crate::Status::Stopped) and there is no
/// solution. Without items the number of instances is 0, since it follows from the number of
/// profits. Runs on all threads, or on a device with one instance in each work-group. An iteration
/// is one instance. The statistic `cells` counts those of the filled tables. Of several optimal
/// solutions, all engines and numbers of threads find the same. May be called on several threads at
/// once.
///
/// # Errors
/// [`Error::InvalidArgument`] if the number of profits is not a multiple of the number of items. If
/// the profits of an instance, with all copies that fit, have a sum of 2^63 or more, the error
/// names the instance's first profit. If an unbounded item without weight has a profit other than
/// 0, it names that profit.
///
/// [`Error::Unsupported`] for pinned copies, for a capacity of 2^29 or more times the common divisor
/// of the weights, and for 2^32 or more copies of an item that weighs nothing. On a device, also for an instance
/// whose table exceeds the local memory.
///
/// [`Error::OutOfMemory`] if the result exceeds the memory limit. Device errors with
/// [`Engine::Device`](crate::Engine::Device).
pub fn solve_profits(
    context: &Context,
    instance: &Instance,
    profits: &[u64],
    options: &SolveOptions,
) -> Result<Outcome<Batch>> {
    let items = instance.items();
    let count = profits.len().checked_div(items).unwrap_or(0);
    if count * items != profits.len() {
        let reason =
            format!("{} profits for {items} items are no whole number of instances", profits.len());
        return Err(Error::argument("profits", reason));
    }
    solve_instances(context, instance, count, profits, options)
}

/// [`solve_profits`] for `count` instances, each with its profits.
pub(crate) fn solve_instances(
    context: &Context,
    instance: &Instance,
    count: usize,
    profits: &[u64],
    options: &SolveOptions,
) -> Result<Outcome<Batch>> {
    refuse_pinned(instance, "a batch of knapsacks")?;
    let monitor = context.watch(Sense::Maximise, options)?;
    let mut dispatch = context.dispatch(options.engine)?;
    let shared = Shared::new(instance)?;
    let what = || format!("a batch of knapsacks of {count} x {} items", instance.items());
    let bytes = count as u128 * (instance.items() * size_of::<u64>() + size_of::<u64>()) as u128;
    monitor.check_memory(bytes, what)?;
    let threads = context.threads();
    let solved = AtomicU64::new(0);
    let team = context.team(&monitor);
    // The results of all parts, and those of the batch.
    let is_shared = !team.places().is_empty() && monitor.has_memory(2 * bytes);
    let run = |kind: Kind, device: Option<&Device>, monitor: &Monitor| {
        if device.is_none() {
            monitor.check_memory(
                bytes + cpu::table_bytes(&shared) * threads.min(count) as u128,
                what,
            )?;
        }
        solved.store(0, Ordering::Relaxed);
        let job = Job { context, monitor, shared: &shared, instances: count, solved: &solved };
        match kind {
            Kind::Small => {
                solve_on::<i32>(&job, count, profits, device, is_shared.then_some(&team))
            }
            _ => solve_on::<i64>(&job, count, profits, device, is_shared.then_some(&team)),
        }
    };
    let found = monitor.begin_together(count as u64).and_then(|()| {
        let largest_sum = || shared.largest_sum(profits, &monitor);
        let largest = context.install_reporting(&monitor, "batch", || None, largest_sum)??;
        let kind = if i32::try_from(largest).is_ok() { Kind::Small } else { Kind::Large };
        let model = CostModel { kind, light: shared.cells_of(count as u64), heavy: 0, threads };
        dispatch.run_with(
            Some(&team),
            &monitor,
            &Forecast {
                cpu: &|| model.cpu_seconds(&context.processor_speeds()),
                device: &|info, speeds| match device::serves(shared.cells, info) {
                    true => model.device_seconds(speeds),
                    false => f64::INFINITY,
                },
                ..Forecast::of("knapsack-batch")
            },
            |device| run(kind, Some(device), &monitor),
            |monitor| run(kind, None, monitor),
        )
    });
    dispatch.shared_with(team);
    let batch = unless_stopped(found)?;
    let mut report = Report { method: "batch", ..Report::default() };
    report.statistics.add("cells", shared.cells_of(solved.load(Ordering::Relaxed)));
    dispatch.finish(&monitor, &mut report);
    let certificate = match &batch {
        Some(batch) => {
            Certificate::of_batch(Sense::Maximise, batch.profits.iter().copied().map(Some))
        }
        None => Certificate::stopped(Sense::Maximise, None),
    };
    Ok(monitor.conclude(certificate.outcome(batch, report)))
}

/// Data that all instances share.
struct Shared<'a> {
    instance: &'a Instance,
    bundles: Vec<Bundle>,
    /// Items without weight. An instance takes all copies of those that have a profit.
    free: Vec<usize>,
    /// Number of capacities, from 0 on, in units of the weights' common divisor.
    cells: usize,
}

/// A number of copies of an item, taken together or not at all.
struct Bundle {
    item: usize,
    copies: u32,
    /// Weight of all the copies, in units of the common divisor.
    weight: u32,
}

/// A batch in progress.
#[derive(Clone, Copy)]
struct Job<'a> {
    context: &'a Context,
    monitor: &'a Monitor,
    shared: &'a Shared<'a>,
    /// Number of instances of the batch.
    instances: usize,
    /// Number of instances whose tables are filled.
    solved: &'a AtomicU64,
}

/// An engine for tables with profits of one width.
trait Engine<T> {
    /// Computes the largest profit of each instance, and the bits of the bundles that this takes.
    /// `profits` are the bundles' profits.
    fn solve(&mut self, profits: Vec<T>, values: &mut [T], taken: &mut [u32]) -> Result<()>;
}

impl<'a> Shared<'a> {
    fn new(instance: &'a Instance) -> Result<Self> {
        let weighs = |item: &usize| instance.weights()[*item] > 0;
        let useful = (0..instance.items()).filter(|&item| instance.useful_copies(item) > 0);
        let free: Vec<usize> = useful.clone().filter(|item| !weighs(item)).collect();
        let useful = useful.filter(weighs);
        let many = free.iter().map(|&item| instance.copies()[item]);
        if let Some(copies) =
            many.filter(|&copies| copies != Instance::UNBOUNDED).find(|&copies| copies >> 32 > 0)
        {
            return Err(Error::unsupported(format!(
                "a batch of knapsacks with {copies} copies of an item that weighs nothing, 2^32 or more"
            )));
        }
        let divisor =
            useful.clone().fold(0, |divisor, item| gcd(divisor, instance.weights()[item])).max(1);
        let capacity = instance.capacity() / divisor;
        if capacity >= CAPACITY_LIMIT {
            return Err(Error::unsupported(format!(
                "a batch of knapsacks of capacity {capacity}, 2^29 or more"
            )));
        }
        let mut bundles = Vec::new();
        for item in useful {
            let weight = instance.weights()[item] / divisor;
            let mut left = instance.useful_copies(item);
            let mut copies = 1;
            while left > 0 {
                copies = copies.min(left);
                bundles.try_push(Bundle {
                    item,
                    copies: copies as u32,
                    weight: (copies * weight) as u32,
                })?;
                left -= copies;
                copies *= 2;
            }
        }
        Ok(Shared { instance, bundles, free, cells: capacity as usize + 1 })
    }

    /// Cells of the tables of `instances` instances.
    fn cells_of(&self, instances: u64) -> u64 {
        (self.cells as u64).saturating_mul(self.bundles.len() as u64).saturating_mul(instances)
    }

    /// Number of words for one bit for each bundle of an instance.
    fn words(&self) -> usize {
        self.bundles.len().div_ceil(32)
    }

    /// Items without weight that an instance with these profits takes, with all their copies.
    fn free_copies<'p>(&'p self, profits: &'p [u64]) -> impl Iterator<Item = (usize, u64)> + 'p {
        let free = self.free.iter().filter(|&&item| profits[item] > 0);
        free.map(|&item| (item, self.instance.copies()[item]))
    }

    /// The profit of those copies.
    fn free_profit(&self, profits: &[u64]) -> u128 {
        let worth = |(item, copies)| u128::from(profits[item]) * u128::from(copies);
        self.free_copies(profits).map(worth).sum()
    }

    /// The largest sum of the profits of all copies of an instance.
    fn largest_sum(&self, profits: &[u64], monitor: &Monitor) -> Result<i64> {
        let sum = |profits: &[u64]| {
            let worth =
                |bundle: &Bundle| u128::from(profits[bundle.item]) * u128::from(bundle.copies);
            self.bundles.iter().map(worth).sum::<u128>() + self.free_profit(profits)
        };
        let items = self.instance.items().max(1);
        let largest_of = |profits: &[u64]| {
            monitor.check()?;
            Ok(profits.chunks(items).map(sum).max())
        };
        let largest = parallel::try_map(profits.chunks(items * TASK), largest_of)?;
        let largest = largest.into_iter().flatten().max().unwrap_or(0);
        i64::try_from(largest).map_err(|_| {
            let first =
                profits.chunks(items).position(|own| sum(own) > i64::MAX as u128).unwrap_or(0);
            let mut free = self.free_copies(&profits[first * items..][..items]);
            if let Some((item, _)) = free.find(|&(_, copies)| copies == Instance::UNBOUNDED) {
                let reason = format!("the number of copies {UNBOUNDED_PROFIT}");
                return Error::element("profits", first * items + item, reason);
            }
            Error::element(
                "profits",
                first * items,
                format!("instance {first} has profits of 2^63 or more in sum"),
            )
        })
    }

    /// Turns an instance's bits into numbers of copies, and checks these and the profit against the
    /// instance.
    fn count(&self, profits: &[u64], value: u64, taken: &[u32], counts: &mut [u64]) -> Result<()> {
        for (index, bundle) in self.bundles.iter().enumerate() {
            counts[bundle.item] +=
                u64::from((taken[index / 32] >> (index % 32) & 1) * bundle.copies);
        }
        for (item, copies) in self.free_copies(profits) {
            counts[item] = copies;
        }
        let (mut weight, mut profit) = (0u128, 0u128);
        let shared = self.instance.weights().iter().zip(self.instance.copies());
        for ((&count, &own), (&heavy, &copies)) in counts.iter().zip(profits).zip(shared) {
            if count > copies {
                return Err(Error::internal("a batch takes more copies than exist"));
            }
            weight += u128::from(count) * u128::from(heavy);
            profit += u128::from(count) * u128::from(own);
        }
        if weight > self.instance.capacity().into() || profit != value.into() {
            let what =
                format!("a solution of a batch weighs {weight} and is worth {profit}, not {value}");
            return Err(Error::internal(what));
        }
        Ok(())
    }
}

/// Solves `count` instances on the threads, or on a device and those of the team.
fn solve_on<T: cpu::Profit>(
    job: &Job<'_>,
    count: usize,
    profits: &[u64],
    device: Option<&Device>,
    team: Option<&Team<'_>>,
) -> Result<Batch> {
    match (device, team) {
        (None, _) => solve_parts::<T>(job, count, profits, None),
        (Some(device), Some(team)) => together::solve::<T>(job, count, profits, (team, device)),
        (Some(device), None) => {
            solve_parts::<T>(job, count, profits, Some((device, &mut SpotChecks::new())))
        }
    }
}

/// Values and numbers of copies of `count` instances with their profits, found a part at a time.
fn solve_parts<T: cpu::Profit>(
    job: &Job<'_>,
    count: usize,
    profits: &[u64],
    device: Option<(&Device, &mut SpotChecks)>,
) -> Result<Batch> {
    let &Job { context, monitor, shared, .. } = job;
    let items = shared.instance.items();
    if items == 0 {
        return Ok(Batch { profits: memory::zeroed(count)?, counts: Vec::new() });
    }
    let (mut engine, mut checks): (Box<dyn Engine<T> + '_>, _) = match device {
        Some((device, checks)) => {
            (Box::new(device::DeviceBatch::<T>::new(job, device)?), Some(checks))
        }
        None => (Box::new(cpu::CpuBatch { job }), None),
    };
    let (mut all_values, mut counts) = (memory::list(count)?, memory::zeroed(count * items)?);
    let bytes = (shared.bundles.len() * size_of::<T>()).max(1);
    let part = (PART_BYTES / bytes).clamp(1, PART_INSTANCES);
    for (profits, counts) in profits.chunks(part * items).zip(counts.chunks_mut(part * items)) {
        monitor.check()?;
        let instances = profits.len() / items;
        let (mut values, mut taken) =
            (memory::filled(T::ZERO, instances)?, memory::zeroed(instances * shared.words())?);
        let of_bundles = || of_bundles(shared, profits, monitor);
        let of_bundles = context.install_reporting(monitor, "batch", || None, of_bundles)??;
        engine.solve(of_bundles, &mut values, &mut taken)?;
        if let Some(checks) = checks.as_deref_mut() {
            check_some(job, profits, &values, &taken, checks)?;
        }
        let words = shared.words().max(1);
        // No overflow: their sum is below 2^63.
        let value_of = |index: usize, profits: &[u64]| {
            Into::<i64>::into(values[index]) as u64 + shared.free_profit(profits) as u64
        };
        let tasks = profits.chunks(items * TASK).zip(counts.chunks_mut(items * TASK)).enumerate();
        let count_task = |(task, (profits, counts)): (usize, (&[u64], &mut [u64]))| {
            monitor.check()?;
            let own = profits.chunks(items).zip(counts.chunks_mut(items));
            (task * TASK..).zip(own).try_for_each(|(index, (profits, counts))| {
                let taken = taken.get(index * words..(index + 1) * words).unwrap_or_default();
                shared.count(profits, value_of(index, profits), taken, counts)
            })
        };
        let count_all = || parallel::try_for_each(tasks, count_task);
        context.install_reporting(monitor, "batch", || None, count_all)??;
        let of_each =
            profits.chunks(items).enumerate().map(|(index, profits)| value_of(index, profits));
        all_values.extend(of_each);
        // A part of a shared batch is not the whole.
        let fraction = (job.instances == count).then(|| all_values.len() as f64 / count as f64);
        monitor.report("batch", fraction);
    }
    Ok(Batch { profits: all_values, counts })
}

/// Solves some instances that a device has solved again on the CPU.
fn check_some<T: cpu::Profit>(
    job: &Job<'_>,
    profits: &[u64],
    values: &[T],
    taken: &[u32],
    checks: &mut SpotChecks,
) -> Result<()> {
    let &Job { monitor, shared, .. } = job;
    let (items, bundles, words) = (shared.instance.items(), shared.bundles.len(), shared.words());
    if bundles == 0 {
        return Ok(());
    }
    // Words that the kernel writes: a solution, and two bits for each cell.
    let results = (words + 1 + bundles * shared.cells.div_ceil(CELLS_OF_WORD)) as u64;
    let quota = checks.quota();
    checks.check(|random| {
        let mut checked = 0;
        for range in sample(random, values.len(), quota.div_ceil(results) as usize) {
            let (mut expected, mut bits) =
                (memory::filled(T::ZERO, range.len())?, memory::zeroed(range.len() * words)?);
            let solved = AtomicU64::new(0);
            let own = Job { solved: &solved, ..*job };
            let profits =
                of_bundles(shared, &profits[range.start * items..range.end * items], monitor)?;
            cpu::CpuBatch { job: &own }.solve(profits, &mut expected, &mut bits)?;
            if expected != values[range.clone()]
                || bits != taken[range.start * words..range.end * words]
            {
                return Err(wrong("the solutions of a batch"));
            }
            checked += range.len() as u64 * results;
        }
        Ok(checked)
    })
}

/// The profits of the bundles of each instance.
fn of_bundles<T: cpu::Profit>(
    shared: &Shared<'_>,
    profits: &[u64],
    monitor: &Monitor,
) -> Result<Vec<T>> {
    let (items, bundles) = (shared.instance.items(), shared.bundles.len());
    let mut all = memory::filled(T::ZERO, profits.len() / items * bundles)?;
    if bundles > 0 {
        let tasks = all.chunks_mut(bundles * TASK).zip(profits.chunks(items * TASK));
        parallel::try_for_each(tasks, |(all, profits)| {
            monitor.check()?;
            for (own, profits) in all.chunks_mut(bundles).zip(profits.chunks(items)) {
                for (target, bundle) in own.iter_mut().zip(&shared.bundles) {
                    *target =
                        T::from_profit((profits[bundle.item] * u64::from(bundle.copies)) as i64);
                }
            }
            Ok(())
        })?;
    }
    Ok(all)
}
