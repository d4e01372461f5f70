//! The Hochbaum-Shmoys approximation scheme (J. ACM 34, 1987), in the formulation of Li, Ghalami,
//! Schwiebert and Grosu (IPDPSW 2018, Algorithm 1), with exact rational rounding.
//!
//! *Decision*: can the long jobs, rounded down to classes, be packed onto m machines? "No" proves
//! that every schedule is longer than T. "Yes" gives a schedule of at most (1 + 1/k) T: the true
//! load of a packed machine is below (k^2 + k) units, and a short job that ended later would find
//! all machines above T, although T >= the average load.
//!
//! *Search*: the decision is monotone in T, so bisection finds the least T accepted. So does the
//! source's division of the interval into segments (Algorithm 3), whose middles are decided in
//! parallel: the search continues between two neighbours of which the lower is rejected and the
//! upper accepted. The source's first segments start at shares of the lower bound; equal shares of
//! the interval are the default.

use std::collections::HashMap;
use std::slice;
use std::sync::Arc;

use super::Instance;
use super::incumbent::found;
use super::lpt::LeastLoaded;
use super::options::SegmentShares;
use super::rounding::{self, Class};
use super::schedule::Assignment;
use crate::configuration_lp::bin_completion::{Effort, Search, Verdict};
use crate::configuration_lp::{JobTypes, Pattern};
use crate::lattice_dp;
use crate::solve::{Monitor, Statistics};
use crate::{Dispatch, Error, Result};

/// The search's findings so far; sound at any time.
#[derive(Debug)]
pub(super) struct Findings {
    /// Every schedule is at least this long.
    pub(super) bound: u64,
    /// Shortest schedule built, with its makespan.
    pub(super) best: Option<Assignment>,
    /// The reason why some target could not be decided: its table is too large.
    pub(super) refused: Option<Box<Error>>,
}

/// The scheme for one instance and one precision.
pub(super) struct Scheme<'a, 'c> {
    pub(super) instance: &'a Instance,
    pub(super) longest_first: &'a [u32],
    pub(super) k: u64,
    /// Number of segments of the interval whose middles are decided in parallel; at least 1.
    pub(super) segments: u32,
    /// Where the first segments lie.
    pub(super) shares: SegmentShares,
    /// How tables are filled.
    pub(super) tables: lattice_dp::Options,
    /// Steps of the sparse search before the table; 0 for tables only.
    pub(super) sparse_steps: u64,
    /// Most look-ups of a table before it is refused.
    pub(super) work_limit: u64,
    pub(super) dispatch: &'a mut Dispatch<'c>,
    pub(super) monitor: &'a Monitor,
    pub(super) statistics: &'a mut Statistics,
    /// Packings by class vector. With exact rounding they depend on nothing else, and targets share
    /// them.
    pub(super) known: HashMap<Vec<Class>, Packing>,
}

/// The job counts by class of each used machine, one machine after the other; `None` if m machines
/// are not enough.
type Packing = Option<Vec<u32>>;

/// The decision on a target.
enum Decision {
    /// A schedule of at most (1 + 1/k) times the target.
    Accepted(Assignment),
    /// Every schedule is longer than the target.
    Rejected,
    /// Its table is too large.
    Refused,
}

impl Scheme<'_, '_> {
    /// Searches for the least accepted target from `lower`, a lower bound, to `upper`, the makespan
    /// of a known schedule, which would be accepted. A stop ends the search early; its findings are
    /// sound.
    ///
    /// # Errors
    /// All except a stop and tables that are too large.
    pub(super) fn search(&mut self, lower: u64, upper: u64) -> Result<Findings> {
        let mut findings = Findings { bound: lower, best: None, refused: None };
        let (mut lower, mut upper, mut shares) = (lower, upper, self.shares);
        while lower < upper {
            let targets = match shares {
                SegmentShares::Interval => middles(lower, upper, self.segments),
                SegmentShares::LowerBound => middles_from_zero(lower, upper, self.segments),
            };
            shares = SegmentShares::Interval;
            let decisions = match self.decide(&targets, &mut findings.refused) {
                Err(error) if matches!(*error, Error::Stopped) => break,
                decisions => decisions?,
            };
            // Abandon undecided targets and all targets above the least accepted one.
            let mut open = true;
            for (target, decision) in targets.into_iter().zip(decisions) {
                match decision {
                    // Below the lower bound the schedule has no guarantee.
                    Decision::Accepted(found) if target < lower => findings.keep_best(found),
                    Decision::Accepted(found) => {
                        // A schedule shorter than the target proves that its makespan would be
                        // accepted.
                        upper = upper.min(target).min(found.0);
                        findings.keep_best(found);
                        open = false;
                    }
                    Decision::Rejected => {
                        lower = lower.max(target + 1);
                        findings.bound = lower;
                    }
                    Decision::Refused if open => lower = lower.max(target + 1),
                    Decision::Refused => {}
                }
            }
            let bound = findings.bound;
            match &findings.best {
                Some((makespan, assignment)) => {
                    let found = || found(&Arc::new(assignment.clone()));
                    self.monitor.note_found(*makespan, Some(bound), found);
                }
                None => self.monitor.note_bound(bound),
            }
            self.monitor.report("scheme", None);
        }
        Ok(findings)
    }

    /// Decides targets, in ascending order, in parallel. `refused` becomes the reason if a table is
    /// too large.
    fn decide(
        &mut self,
        targets: &[u64],
        refused: &mut Option<Box<Error>>,
    ) -> Result<Vec<Decision>> {
        self.monitor.check()?;
        self.statistics.add("rounds", 1);
        self.statistics.add("targets", targets.len() as u64);
        let rounded: Vec<Vec<Class>> = targets.iter().map(|&target| self.classes(target)).collect();
        self.pack_unknown(&rounded, refused)?;
        let decide = |classes: &Vec<Class>| match self.known.get(classes) {
            None => Ok(Decision::Refused),
            Some(None) => Ok(Decision::Rejected),
            Some(Some(packing)) => Ok(Decision::Accepted(self.schedule(classes, packing)?)),
        };
        rounded.iter().map(decide).collect()
    }

    fn classes(&self, target: u64) -> Vec<Class> {
        let times = self.instance.times();
        let longest_first = self.longest_first.iter().map(|&job| times[job as usize]);
        rounding::classes(longest_first, self.k, target)
    }

    /// Packs class vectors that are not known yet, the tables in parallel; refused ones stay
    /// unknown.
    fn pack_unknown(
        &mut self,
        rounded: &[Vec<Class>],
        refused: &mut Option<Box<Error>>,
    ) -> Result<()> {
        let mut tables: Vec<Dense<'_>> = Vec::new();
        for classes in rounded {
            if self.known.contains_key(classes)
                || tables.iter().any(|table| table.classes == classes)
            {
                continue;
            }
            match self.pack_without_table(classes)? {
                Some(packing) => {
                    self.known.insert(classes.clone(), packing);
                }
                None => match self.table(classes) {
                    Ok(table) => tables.push(table),
                    Err(error) => *refused = Some(refusal(error)?),
                },
            }
        }
        match self.fill(&tables) {
            // A table that is too large must not keep the others from being filled.
            Err(error) if tables.len() > 1 => {
                refusal(error)?;
                for table in &tables {
                    if let Err(error) = self.fill(slice::from_ref(table)) {
                        *refused = Some(refusal(error)?);
                    }
                }
            }
            Err(error) => *refused = Some(refusal(error)?),
            Ok(()) => {}
        }
        Ok(())
    }

    /// Fills the tables and stores their packings.
    fn fill(&mut self, tables: &[Dense<'_>]) -> Result<()> {
        let lattices: Vec<&lattice_dp::Instance> =
            tables.iter().map(|table| &table.lattice).collect();
        let paths = lattice_dp::solve_tables(
            self.dispatch,
            self.monitor,
            &lattices,
            &self.tables,
            self.statistics,
        )?;
        let machines = self.instance.useful_machines();
        for (table, path) in tables.iter().zip(paths) {
            let path = path
                .ok_or_else(|| Error::internal("single jobs do not reach the last lattice cell"))?;
            let packing = (path.steps.len() <= machines).then(|| table.packing(&path.steps));
            self.known.insert(table.classes.to_vec(), packing);
        }
        Ok(())
    }

    /// Packs the classes if that needs no table.
    fn pack_without_table(&mut self, classes: &[Class]) -> Result<Option<Packing>> {
        let machines = self.instance.useful_machines();
        let capacity = self.k * self.k;
        let units: u128 =
            classes.iter().map(|class| u128::from(class.units) * u128::from(class.jobs)).sum();
        let is_too_long = classes.iter().any(|class| class.units > capacity);
        if is_too_long || units > machines as u128 * u128::from(capacity) {
            return Ok(Some(None));
        }
        if classes.is_empty() {
            return Ok(Some(Some(Vec::new())));
        }
        Ok(match self.pack_sparse(classes)? {
            Verdict::Feasible(patterns) => Some(Some(counts_by_class(&patterns, classes.len()))),
            Verdict::Infeasible => Some(None),
            Verdict::Unknown => None,
        })
    }

    /// Searches only the states that are reached: the rounded jobs are an instance with the target
    /// k^2 units. If few states are reached, it quickly decides what no table could hold.
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

    fn table<'t>(&self, classes: &'t [Class]) -> Result<Dense<'t>> {
        let sizes: Vec<u32> = classes.iter().map(|class| class.jobs + 1).collect();
        // Refuses thousands of classes before listing their configurations.
        lattice_dp::count_cells(&sizes)?;
        let (units, jobs): (Vec<u64>, Vec<u32>) =
            classes.iter().map(|class| (class.units, class.jobs)).unzip();
        let configurations =
            lattice_dp::configurations(&units, &jobs, self.k * self.k, self.monitor)?;
        let steps = configurations.chunks_exact(classes.len()).map(|counts| (counts, 1));
        let lattice = lattice_dp::Instance::new(&sizes, steps)?;
        self.check_work(&lattice)?;
        Ok(Dense { classes, configurations, lattice })
    }

    fn check_work(&self, lattice: &lattice_dp::Instance) -> Result<()> {
        let (cells, lookups) = (lattice.cells(), lattice.lookups());
        if lookups > self.work_limit {
            let size = format!("a lattice of {cells} cells with {lookups} look-ups by this method");
            return Err(Error::unsupported(size));
        }
        Ok(())
    }

    /// Assigns the jobs of each class as in the packing, and the short jobs, longest first, to the
    /// least load.
    fn schedule(&self, classes: &[Class], packing: &[u32]) -> Result<Assignment> {
        let times = self.instance.times();
        let mut loads = vec![0; self.instance.useful_machines()];
        let mut assignment = vec![0; self.instance.jobs()];
        // The next job of each class in `longest_first`, which lists class after class.
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

/// The table that decides one class vector.
struct Dense<'t> {
    classes: &'t [Class],
    /// Vectors of job counts, one after the other.
    configurations: Vec<u32>,
    lattice: lattice_dp::Instance,
}

impl Dense<'_> {
    /// The job counts of each machine, one after the other, from the configurations' positions.
    fn packing(&self, path: &[u32]) -> Vec<u32> {
        let classes = self.classes.len();
        let configuration =
            |&step: &u32| &self.configurations[step as usize * classes..][..classes];
        path.iter().flat_map(configuration).copied().collect()
    }
}

/// The middles of `segments` equal segments of the targets from `lower` to `upper`, ascending and
/// distinct; all are below `upper`. One segment is bisection.
fn middles(lower: u64, upper: u64, segments: u32) -> Vec<u64> {
    let (length, segments) = (u128::from(upper - lower), u128::from(segments));
    let middle = |segment| lower + (length * (2 * segment + 1) / (2 * segments)) as u64;
    let mut middles: Vec<u64> = (0..segments).map(middle).collect();
    middles.dedup();
    middles
}

/// The middles of the source's first segments: shares of the lower bound, and from the last share to
/// `upper`. Ascending and distinct; all are below `upper`. All but the last are below the lower bound.
fn middles_from_zero(lower: u64, upper: u64, segments: u32) -> Vec<u64> {
    let (bound, segments) = (u128::from(lower), u128::from(segments));
    let begin = |segment| (bound * segment / segments) as u64;
    let end = |segment| if segment + 1 < segments { begin(segment + 1) } else { upper };
    let mut middles: Vec<u64> =
        (0..segments).map(|segment| begin(segment).midpoint(end(segment))).collect();
    middles.retain(|&target| target > 0);
    middles.dedup();
    middles
}

/// Returns the error if it says that a table is too large, and fails with any other error.
fn refusal(error: Box<Error>) -> Result<Box<Error>> {
    let is_too_large = matches!(*error, Error::OutOfMemory { .. } | Error::Unsupported(_));
    if is_too_large { Ok(error) } else { Err(error) }
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
    fn keep_best(&mut self, found: Assignment) {
        if self.best.as_ref().is_none_or(|best| found.0 < best.0) {
            self.best = Some(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SolveOptions;
    use crate::lattice_dp::{DivisorRule, Traversal};
    use crate::parallel_machines::{Schedule, bounds};
    use crate::testing::{cpu_context, monitor};
    use proptest::prelude::*;

    /// Runs `work` with the scheme for an instance; returns its result and the statistics.
    fn with_scheme<T>(
        instance: &Instance,
        k: u64,
        (segments, tables): (u32, lattice_dp::Options),
        work: impl FnOnce(&mut Scheme<'_, '_>) -> T,
    ) -> (T, Statistics) {
        let context = cpu_context(2);
        let monitor = Monitor::new(&SolveOptions::default());
        let mut statistics = Statistics::default();
        let mut scheme = Scheme {
            instance,
            longest_first: &instance.longest_first(&monitor).unwrap(),
            k,
            segments,
            shares: SegmentShares::default(),
            tables,
            sparse_steps: 0,
            work_limit: u64::MAX,
            dispatch: &mut context.dispatch(None).unwrap(),
            monitor: &monitor,
            statistics: &mut statistics,
            known: HashMap::new(),
        };
        (work(&mut scheme), statistics)
    }

    fn instances() -> impl Strategy<Value = Instance> {
        let time = prop_oneof![1u64..30, 50u64..100, 20u64..300];
        (proptest::collection::vec(time, 1..14), 1u32..6)
            .prop_map(|(times, machines)| Instance::new(times, machines).unwrap())
    }

    /// The interval that the source searches.
    fn interval(instance: &Instance) -> (u64, u64) {
        let longest_first = instance.longest_first(&monitor()).unwrap();
        let longest = instance.times()[longest_first[0] as usize];
        (
            bounds::lower_bound(instance, &longest_first, &monitor()).unwrap(),
            instance.average() + longest,
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn decisions_are_monotone_and_keep_their_word(instance in instances(), k in 1u64..6) {
            let (lower, upper) = interval(&instance);
            let targets: Vec<u64> = (lower..=upper).collect();
            let way = || (1, Traversal::Slabs.into());
            let (decisions, statistics) =
                with_scheme(&instance, k, way(), |scheme| scheme.decide(&targets, &mut None).unwrap());
            let accepted: Vec<bool> =
                decisions.iter().map(|decision| matches!(decision, Decision::Accepted(_))).collect();
            prop_assert!(accepted.is_sorted() && accepted[accepted.len() - 1], "{:?}", accepted);
            for (&target, decision) in targets.iter().zip(decisions) {
                if let Decision::Accepted((makespan, assignment)) = decision {
                    prop_assert_eq!(Schedule::new(assignment).makespan(&instance).unwrap(), makespan);
                    prop_assert!(makespan * k <= (k + 1) * target);
                }
            }
            // Targets with the same classes share a table.
            let classes = |scheme: &mut Scheme<'_, '_>| {
                targets.iter().map(|&target| scheme.classes(target)).collect::<std::collections::HashSet<_>>()
            };
            let (classes, _) = with_scheme(&instance, k, way(), classes);
            prop_assert!(statistics.get("tables").unwrap_or(0) <= classes.len() as u64);
        }

        #[test]
        fn all_splits_and_traversals_find_the_same_bound(instance in instances(), k in 1u64..6, segments in 2u32..9) {
            let (lower, upper) = interval(&instance);
            let blocks = |rule| lattice_dp::Options::by_blocks(None, rule);
            let search = |way| with_scheme(&instance, k, way, |scheme| scheme.search(lower, upper).unwrap());
            let (bisection, _) = search((1, Traversal::Slabs.into()));
            let (split, statistics) = search((segments, Traversal::Slabs.into()));
            prop_assert_eq!(split.bound, bisection.bound);
            prop_assert!(split.refused.is_none());
            let makespan = split.best.as_ref().map_or(upper, |best| best.0);
            prop_assert!(makespan * k <= (k + 1) * split.bound);
            let published = |scheme: &mut Scheme<'_, '_>| {
                scheme.shares = SegmentShares::LowerBound;
                scheme.search(lower, upper).unwrap()
            };
            let (published, _) = with_scheme(&instance, k, (segments, Traversal::Slabs.into()), published);
            prop_assert_eq!(published.bound, bisection.bound);
            let makespan = published.best.as_ref().map_or(upper, |best| best.0);
            prop_assert!(makespan * k <= (k + 1) * published.bound);
            for tables in [Traversal::Levels.into(), blocks(DivisorRule::Tabulated), blocks(DivisorRule::Printed)] {
                let (same, other) = search((segments, tables));
                prop_assert_eq!((same.bound, &same.best), (split.bound, &split.best));
                prop_assert_eq!(other.get("cells"), statistics.get("cells"));
            }
        }
    }

    #[test]
    fn middles_are_those_of_equal_segments() {
        assert_eq!(middles(10, 20, 1), [15]);
        assert_eq!(middles(10, 11, 1), [10]);
        assert_eq!(middles(0, 80, 4), [10, 30, 50, 70]);
        assert_eq!(middles(5, 8, 4), [5, 6, 7]);
        assert_eq!(middles(0, u64::MAX, 2), [u64::MAX / 4, u64::MAX / 4 * 3 + 2]);
        assert_eq!(middles(7, 8, 64), [7]);
    }

    #[test]
    fn the_published_segments_start_at_shares_of_the_lower_bound() {
        assert_eq!(middles_from_zero(80, 120, 4), [10, 30, 50, 90]);
        assert_eq!(middles_from_zero(80, 90, 1), [45]);
        assert_eq!(middles_from_zero(1, 2, 4), [1]);
    }

    #[test]
    fn targets_with_the_same_classes_share_a_table() {
        // Three long jobs of two units each, at both targets.
        let instance = Instance::new(vec![30, 30, 29, 10, 10], 2).unwrap();
        let way = (4, Traversal::Slabs.into());
        let targets = [56, 57, 56];
        let ((), statistics) = with_scheme(&instance, 2, way, |scheme| {
            assert_eq!(scheme.classes(56), scheme.classes(57));
            scheme.decide(&targets, &mut None).unwrap();
            scheme.decide(&targets, &mut None).unwrap();
        });
        assert_eq!((statistics.get("targets"), statistics.get("tables")), (Some(6), Some(1)));
    }

    #[test]
    fn a_table_that_is_too_large_does_not_keep_the_others_from_being_filled() {
        let instance = Instance::new(vec![30, 29, 28, 27, 26, 25, 24, 23], 4).unwrap();
        let targets = [56, 150];
        let way = (2, Traversal::Slabs.into());
        let (decisions, _) = with_scheme(&instance, 6, way, |scheme| {
            let small = scheme.classes(150);
            scheme.work_limit = scheme.table(&small).unwrap().lattice.lookups();
            let mut refused = None;
            let decisions = scheme.decide(&targets, &mut refused).unwrap();
            assert!(matches!(refused.as_deref(), Some(Error::Unsupported(_))));
            decisions
        });
        assert!(matches!(decisions[..], [Decision::Refused, Decision::Accepted(_)]));
    }
}
