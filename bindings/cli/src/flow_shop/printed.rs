//! The schedule as it is printed.

use makespan::flow_shop::{Instance, Permutation};
use serde::Serialize;

use super::named::{NEVER_LATE, Named};
use crate::failure::Failure;
use crate::labels::Labels;
use crate::table::{StageValue, Table};

/// The schedule as it is printed.
#[derive(Serialize)]
pub(super) struct PrintedSchedule<'a> {
    #[serde(skip_serializing_if = "Labels::is_empty")]
    pub(super) job_names: &'a Labels,
    #[serde(skip_serializing_if = "Labels::is_empty")]
    pub(super) machine_names: &'a Labels,
    /// The jobs in their sequence.
    pub(super) permutation: Vec<u32>,
    /// For each job its start times on the machines.
    pub(super) starts: Vec<Vec<u64>>,
    /// Its ends there.
    pub(super) ends: Vec<Vec<u64>>,
    /// The set-up time before each job on the machines, if there are set-ups.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    setups: Vec<Vec<u32>>,
    /// The time before which no machine may begin each job, if jobs have one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    release_times: Vec<u32>,
    /// The due date of each job, if jobs have one; null for a job that is never late.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    due_dates: Vec<Option<i64>>,
    /// The end of each job, if jobs have due dates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    completions: Vec<u64>,
    /// The time by which each job ends after its due date.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tardiness: Vec<u64>,
    #[serde(skip)]
    objectives: Vec<StageValue>,
}

impl<'a> PrintedSchedule<'a> {
    pub(super) fn new(named: &'a Named, permutation: &Permutation) -> Result<Self, Failure> {
        let Named { instance, jobs: job_names, machines: machine_names, .. } = named;
        let starts = permutation.starts(instance)?;
        let end = |(start, &time): (&u64, &u32)| start + u64::from(time);
        let ends: Vec<u64> = starts.iter().zip(instance.times()).map(end).collect();
        let (mut completions, mut tardiness) = (Vec::new(), Vec::new());
        for (&due, job) in instance.due_dates().iter().zip(ends.chunks(instance.machines())) {
            let end = job[job.len() - 1];
            completions.push(end);
            tardiness.push((end.cast_signed() - due).max(0).cast_unsigned());
        }
        let mut objectives = Vec::new();
        if !instance.objective().is_makespan() {
            let values = permutation.values(instance)?;
            let stages = instance.objective().stages().iter().zip(values);
            objectives = stages
                .map(|(stage, value)| StageValue { name: stage.to_string(), value })
                .collect();
        }
        let by_job = |list: &[u64]| list.chunks(instance.machines()).map(<[u64]>::to_vec).collect();
        Ok(PrintedSchedule {
            job_names,
            machine_names,
            permutation: permutation.jobs().to_vec(),
            starts: by_job(&starts),
            ends: by_job(&ends),
            setups: setups(instance, permutation.jobs()),
            release_times: instance.release_times().to_vec(),
            due_dates: instance.due_dates().iter().copied().map(finite).collect(),
            completions,
            tardiness,
            objectives,
        })
    }

    /// The time at which the last job ends.
    pub(super) fn makespan(&self) -> Option<u64> {
        self.ends.iter().filter_map(|ends| ends.last().copied()).max()
    }
}

fn finite(due: i64) -> Option<i64> {
    Some(due).filter(|&due| due != NEVER_LATE)
}

/// The set-up times of the jobs in this sequence on each machine; none without set-ups.
fn setups(instance: &Instance, sequence: &[u32]) -> Vec<Vec<u32>> {
    if instance.setups().is_none() {
        return Vec::new();
    }
    let mut setups = vec![Vec::new(); instance.jobs()];
    let mut before = None;
    for &job in sequence {
        let on = |machine| instance.setup(machine, before, job);
        setups[job as usize] = (0..instance.machines()).map(on).collect();
        before = Some(job);
    }
    setups
}

impl Table for PrintedSchedule<'_> {
    fn columns(&self) -> Vec<&'static str> {
        vec!["job", "machine", "start", "end"]
    }

    /// The operations in the order of their starts.
    fn rows(&self) -> Box<dyn Iterator<Item = Vec<String>> + '_> {
        let on_all =
            |&job: &u32| (0..self.starts[job as usize].len()).map(move |on| (job as usize, on));
        let mut operations: Vec<(usize, usize)> =
            self.permutation.iter().flat_map(on_all).collect();
        operations.sort_by_key(|&(job, machine)| self.starts[job][machine]);
        Box::new(operations.into_iter().map(|(job, machine)| {
            let (start, end) = (self.starts[job][machine], self.ends[job][machine]);
            let names = [self.job_names.of(job), self.machine_names.of(machine)];
            names.into_iter().chain([start, end].map(|time| time.to_string())).collect()
        }))
    }

    fn objectives(&self) -> &[StageValue] {
        &self.objectives
    }
}
