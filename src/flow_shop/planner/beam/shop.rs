use std::sync::OnceLock;

use super::super::front::Front;
use super::super::problem::Problem;
use super::block::{Block, LANES};
use crate::flow_shop::Criterion;
use crate::simd::Simd;
use crate::solve::Monitor;
use crate::{Result, memory};

/// An instance prepared for beams.
pub(super) struct Shop<'a> {
    pub(super) problem: &'a Problem<'a>,
    pub(super) simd: Simd,
    /// The free jobs, the most urgent first. Nodes and lanes number them in this order.
    pub(super) jobs: Vec<u32>,
    /// The front of the pinned jobs. Its sums include their comparison with the running plan.
    pub(super) root: Front,
    pub(super) setups: Option<SetupRows>,
    /// Whether the makespan counts.
    pub(super) has_makespan: bool,
}

/// The set-ups behind each kind of job, in the order in which lanes read them.
pub(super) struct SetupRows {
    /// The kind of each job.
    kinds: Vec<usize>,
    /// Blocks of a kind.
    stride: usize,
    /// For each kind, and then for the first job of a sequence: for each vector of jobs, the set-ups
    /// of all machines.
    blocks: Vec<Block>,
    /// The same in the order in which kernels read them, once a device needs them.
    by_machine: OnceLock<Vec<u32>>,
}

impl<'a> Shop<'a> {
    pub(super) fn new(problem: &'a Problem<'a>, monitor: &Monitor) -> Result<Self> {
        let jobs = by_urgency(problem);
        Ok(Shop {
            simd: Simd::detect(),
            setups: SetupRows::new(problem, &jobs, monitor)?,
            has_makespan: problem.instance.objective().criteria().any(|c| c == Criterion::Makespan),
            problem,
            jobs,
            root: problem.root(),
        })
    }

    pub(super) fn machines(&self) -> usize {
        self.problem.machines()
    }

    /// The times of a job by its number.
    #[inline]
    pub(super) fn times(&self, number: usize) -> &[u32] {
        self.problem.instance.job(self.jobs[number])
    }

    /// The sequence of the pinned jobs and these numbers.
    pub(super) fn sequence(&self, numbers: &[u32]) -> Vec<u32> {
        let free = numbers.iter().map(|&number| self.jobs[number as usize]);
        self.problem.pinned().iter().copied().chain(free).collect()
    }

    /// The row of the set-ups behind a job.
    pub(super) fn kind_behind(&self, last: Option<u32>) -> usize {
        self.setups.as_ref().map_or(0, |setups| setups.kind_behind(last))
    }

    /// Words of a set of jobs.
    pub(super) fn words(&self) -> usize {
        self.jobs.len().div_ceil(64)
    }
}

/// The free jobs by due date, or where due dates don't count, by weight for their work.
fn by_urgency(problem: &Problem<'_>) -> Vec<u32> {
    let instance = problem.instance;
    let mut jobs = problem.free_jobs.clone();
    if instance.objective().criteria().any(Criterion::has_due_dates) {
        jobs.sort_by_cached_key(|&job| instance.due_date(job).abs_diff(i64::MIN));
    } else {
        let work = |job: u32| instance.job(job).iter().copied().map(f64::from).sum::<f64>();
        let ratio = |job: u32| work(job) / f64::from(instance.weight(job)).max(1e-3);
        jobs.sort_by_cached_key(|&job| memory::key(ratio(job)));
    }
    jobs
}

impl SetupRows {
    fn new(problem: &Problem<'_>, jobs: &[u32], monitor: &Monitor) -> Result<Option<Self>> {
        let instance = problem.instance;
        let Some(setups) = instance.setups() else { return Ok(None) };
        let machines = problem.machines();
        let stride = jobs.len().div_ceil(LANES) * machines;
        let count = (setups.kinds() + 1) * stride;
        monitor.check_memory((count * size_of::<Block>()) as u128, || {
            format!("the set-ups of {} jobs for a beam", jobs.len())
        })?;
        let kinds: Vec<usize> = (0..problem.jobs() as u32).map(|job| setups.kind_of(job)).collect();
        let mut blocks = memory::filled(Block([0; LANES]), count)?;
        for (kind, blocks) in blocks.chunks_exact_mut(stride.max(1)).enumerate() {
            let before = kinds.iter().position(|&other| other == kind).map(|job| job as u32);
            if before.is_none() && kind < setups.kinds() {
                continue;
            }
            for (number, &job) in jobs.iter().enumerate() {
                let rows = &mut blocks[number / LANES * machines..][..machines];
                for (machine, row) in rows.iter_mut().enumerate() {
                    row.0[number % LANES] = instance.setup(machine, before, job);
                }
            }
        }
        Ok(Some(SetupRows { kinds, stride, blocks, by_machine: OnceLock::new() }))
    }

    /// The blocks behind a job.
    pub(super) fn behind(&self, last: Option<u32>) -> &[Block] {
        &self.blocks[self.kind_behind(last) * self.stride..][..self.stride]
    }

    fn kind_behind(&self, last: Option<u32>) -> usize {
        match last {
            Some(job) => self.kinds[job as usize],
            None => self.blocks.len() / self.stride - 1,
        }
    }

    /// The set-ups behind each kind of job, and then for the first job, by machine and number.
    pub(super) fn by_machine(&self, shop: &Shop<'_>, monitor: &Monitor) -> Result<&[u32]> {
        if let Some(table) = self.by_machine.get() {
            return Ok(table);
        }
        let (machines, jobs) = (shop.machines(), shop.jobs.len());
        let kinds = self.blocks.len() / self.stride;
        let count = kinds * machines * jobs;
        // In addition to the blocks.
        let bytes = self.blocks.len() * size_of::<Block>() + count * size_of::<u32>();
        monitor
            .check_memory(bytes as u128, || format!("the set-ups of {jobs} jobs for a device"))?;
        let mut table = memory::zeroed::<u32>(count)?;
        for (row, times) in table.chunks_exact_mut(jobs).enumerate() {
            let (kind, machine) = (row / machines, row % machines);
            let blocks = &self.blocks[kind * self.stride..][..self.stride];
            for (number, time) in times.iter_mut().enumerate() {
                *time = blocks[number / LANES * machines + machine].0[number % LANES];
            }
        }
        Ok(self.by_machine.get_or_init(|| table))
    }
}
