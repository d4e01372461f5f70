//! The Hochbaum-Shmoys approximation scheme (J. ACM 34, 1987), as laid out by Li, Ghalami, Schwiebert and
//! Grosu (IPDPSW 2018, Algorithm 1), with exact rational rounding.
//!
//! *Decision*: can the long jobs, rounded down to classes, be packed onto m machines? "No" proves that every
//! schedule is longer than T. "Yes" gives a schedule of at most (1 + 1/k) T: the true load of a packed machine
//! is below (k^2 + k) units, and a short job that ended later would find all machines above T, against
//! T >= the average load. *Search*: the decision is monotone in T, so bisection finds the least T accepted.

use std::collections::HashMap;

use super::Instance;
use super::completion::{Effort, Search, Verdict};
use super::job_types::{JobTypes, Pattern};
use super::lpt::LeastLoaded;
use super::rounding::{self, Class};
use crate::lattice_dp;
use crate::solve::{Monitor, Statistics};
use crate::{Dispatch, Error, Result};

/// What the search has found so far; sound whenever it ends.
#[derive(Debug)]
pub(super) struct Findings {
    /// Every schedule is at least this long.
    pub(super) bound: u64,
    /// Shortest schedule built, with its makespan.
    pub(super) best: Option<(u64, Vec<u32>)>,
    /// Why some target could not be decided: its table is too large.
    pub(super) refused: Option<Error>,
}

/// The scheme for one instance and one precision.
pub(super) struct Scheme<'a, 'c> {
    pub(super) instance: &'a Instance,
    pub(super) longest_first: &'a [u32],
    pub(super) k: u64,
    /// Steps of the sparse search that goes before the table; 0 for tables alone.
    pub(super) sparse_steps: u64,
    /// Look-ups a table may take before it is refused.
    pub(super) work_limit: u64,
    pub(super) dispatch: &'a mut Dispatch<'c>,
    pub(super) monitor: &'a Monitor,
    pub(super) statistics: &'a mut Statistics,
    /// Packings by class vector: with exact rounding they depend on nothing else, and targets share them.
    pub(super) known: HashMap<Vec<Class>, Packing>,
}

/// The job counts by class of each machine used, one machine after the other; `None` if m machines do not do.
type Packing = Option<Vec<u32>>;

impl Scheme<'_, '_> {
    /// Searches the least accepted target from `lower`, a lower bound, to `upper`, the makespan of a known
    /// schedule, which the decision would accept. A stop ends the search early; what it found is sound.
    ///
    /// # Errors
    /// All but a stop and tables that are too large.
    pub(super) fn search(&mut self, lower: u64, upper: u64) -> Result<Findings> {
        let mut findings = Findings { bound: lower, best: None, refused: None };
        let (mut lower, mut upper) = (lower, upper);
        while lower < upper {
            let target = lower + (upper - lower) / 2;
            match self.decide(target) {
                Ok(None) => {
                    lower = target + 1;
                    findings.bound = lower;
                }
                Ok(Some(found)) => {
                    // A schedule shorter than the target shows that its own length would be accepted.
                    upper = target.min(found.0);
                    findings.keep_best(found);
                }
                Err(Error::Stopped) => break,
                Err(error @ (Error::OutOfMemory { .. } | Error::Unsupported(_))) => {
                    lower = target + 1;
                    findings.refused = Some(error);
                }
                Err(error) => return Err(error),
            }
            self.monitor.note(findings.best.as_ref().map(|best| best.0), Some(findings.bound));
            self.monitor.report("scheme", None);
        }
        Ok(findings)
    }

    /// A schedule of at most (1 + 1/k) times the target with its makespan, or the proof that there is none of
    /// at most the target itself.
    pub(super) fn decide(&mut self, target: u64) -> Result<Option<(u64, Vec<u32>)>> {
        self.monitor.check()?;
        self.statistics.add("targets", 1);
        let times = self.instance.times();
        let longest_first = self.longest_first.iter().map(|&job| times[job as usize]);
        let classes = rounding::classes(longest_first, self.k, target);
        if !self.known.contains_key(&classes) {
            let packing = self.pack(&classes)?;
            self.known.insert(classes.clone(), packing);
        }
        self.known[&classes].as_ref().map(|packing| self.schedule(&classes, packing)).transpose()
    }

    fn pack(&mut self, classes: &[Class]) -> Result<Packing> {
        let machines = self.instance.useful_machines();
        let capacity = self.k * self.k;
        let units: u128 = classes.iter().map(|class| u128::from(class.units) * u128::from(class.jobs)).sum();
        if units > machines as u128 * u128::from(capacity) {
            return Ok(None);
        }
        if classes.is_empty() {
            return Ok(Some(Vec::new()));
        }
        match self.pack_sparse(classes)? {
            Verdict::Feasible(patterns) => Ok(Some(counts_by_class(&patterns, classes.len()))),
            Verdict::Infeasible => Ok(None),
            Verdict::Unknown => self.pack_dense(classes),
        }
    }

    /// Searches over the states that are reached alone: the rounded jobs are an instance of their own, with
    /// k^2 units as the target. Where few states are reached it decides in no time what no table could hold.
    fn pack_sparse(&mut self, classes: &[Class]) -> Result<Verdict> {
        if self.sparse_steps == 0 {
            return Ok(Verdict::Unknown);
        }
        let types = JobTypes {
            times: classes.iter().map(|class| class.units).collect(),
            counts: classes.iter().map(|class| class.jobs).collect(),
        };
        let mut search = Search::new(&types, self.k * self.k, None, self.monitor);
        let effort = Effort { width: usize::MAX, steps: self.sparse_steps };
        let verdict = search.run(&types.counts, self.instance.useful_machines(), effort);
        self.statistics.add("states", search.nodes());
        verdict
    }

    fn pack_dense(&mut self, classes: &[Class]) -> Result<Packing> {
        let sizes: Vec<u32> = classes.iter().map(|class| class.jobs + 1).collect();
        // Refuses thousands of classes before their configurations are listed.
        lattice_dp::count_cells(&sizes)?;
        let (units, jobs): (Vec<u64>, Vec<u32>) =
            classes.iter().map(|class| (class.units, class.jobs)).unzip();
        let configurations = lattice_dp::configurations(&units, &jobs, self.k * self.k, self.monitor)?;
        let dimensions = classes.len();
        let steps = configurations.chunks_exact(dimensions).map(|counts| (counts, 1));
        let lattice = lattice_dp::Instance::new(&sizes, steps)?;
        self.check_work(&lattice)?;
        let path = lattice_dp::solve_table(self.dispatch, self.monitor, &lattice, self.statistics)?
            .ok_or_else(|| Error::Internal("single jobs do not reach the last lattice cell".into()))?;
        let configuration = |&step: &u32| &configurations[step as usize * dimensions..][..dimensions];
        let machines = self.instance.useful_machines();
        Ok((path.len() <= machines).then(|| path.iter().flat_map(configuration).copied().collect()))
    }

    fn check_work(&self, lattice: &lattice_dp::Instance) -> Result<()> {
        let (cells, lookups) = (lattice.cells(), lattice.lookups());
        if lookups > self.work_limit {
            let size = format!("a lattice of {cells} cells with {lookups} look-ups by this method");
            return Err(Error::Unsupported(size));
        }
        Ok(())
    }

    /// Puts the jobs of each class where the packing has them and the short jobs, from the longest, where the
    /// load is least.
    fn schedule(&self, classes: &[Class], packing: &[u32]) -> Result<(u64, Vec<u32>)> {
        let times = self.instance.times();
        let mut loads = vec![0; self.instance.useful_machines()];
        let mut assignment = vec![0; self.instance.jobs()];
        // The next job of each class in `longest_first`, where the classes stand one after the other.
        let mut next = Vec::with_capacity(classes.len());
        let mut long = 0;
        for class in classes {
            next.push(long);
            long += class.jobs as usize;
        }
        for (machine, counts) in packing.chunks_exact(classes.len().max(1)).enumerate() {
            for (next, &count) in next.iter_mut().zip(counts) {
                for &job in &self.longest_first[*next..][..count as usize] {
                    assignment[job as usize] = machine as u32;
                    loads[machine] += times[job as usize];
                }
                *next += count as usize;
            }
        }
        let mut makespan = loads.iter().copied().max().unwrap_or(0);
        let mut machines = LeastLoaded::new(loads);
        for (step, &job) in self.longest_first[long..].iter().enumerate() {
            self.monitor.check_step(step)?;
            let (machine, load) = machines.place(times[job as usize]);
            assignment[job as usize] = machine;
            makespan = makespan.max(load);
        }
        Ok((makespan, assignment))
    }
}

/// The job counts of each machine, one after the other.
fn counts_by_class(patterns: &[Pattern], classes: usize) -> Vec<u32> {
    let mut counts = vec![0; patterns.len() * classes];
    for (machine, pattern) in patterns.iter().enumerate() {
        for &class in pattern {
            counts[machine * classes + class as usize] += 1;
        }
    }
    counts
}

impl Findings {
    fn keep_best(&mut self, found: (u64, Vec<u32>)) {
        if self.best.as_ref().is_none_or(|best| found.0 < best.0) {
            self.best = Some(found);
        }
    }
}
