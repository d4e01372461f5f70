//! The two-machine bound of Lenstra, Lageweg and Rinnooy Kan (1978), "A general bounding scheme for
//! the permutation flow-shop problem", Operations Research 26, 53-67. For each pair of machines,
//! the free jobs are sequenced in Johnson's order, with the time between the two machines as a lag
//! (Mitten 1959).
//!
//! In that order, a job changes the lead d of the second machine v over the first machine u. The
//! new lead is max(d + a, c), with a = p(v) - p(u) and c = lag + p(v). Such maps are closed under
//! composition. Johnson's order without one job is Johnson's order of the remaining jobs. So prefix
//! and suffix compositions over all free jobs give the bounds of all children: O(m^2 n) for a node
//! instead of O(m^2 n^2).

use super::state::State;
use crate::Result;
use crate::flow_shop::Instance;
use crate::flow_shop::completion::{append, prepend};
use crate::flow_shop::end::End;
use crate::flow_shop::exact::node::{Child, Node};
use crate::solve::Monitor;

/// Johnson's orders of all pairs of machines.
pub(super) struct Pairs<'a> {
    instance: &'a Instance,
    pub(super) list: Vec<Pair>,
}

/// A pair of machines u < v, and all jobs in Johnson's order.
pub(super) struct Pair {
    pub(super) first: usize,
    pub(super) second: usize,
    pub(super) steps: Vec<Step>,
}

/// A job in Johnson's order: how it changes the lead of the second machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) job: u32,
    pub(super) map: Map,
}

/// The map d -> max(d + add, least).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Map {
    pub(super) add: i64,
    pub(super) least: i64,
}

impl Map {
    /// The identity. The least lead is so small that adding to it never underflows.
    const IDENTITY: Map = Map { add: 0, least: i64::MIN / 2 };

    /// The composition: this map, then `next`.
    fn then(self, next: Map) -> Map {
        Map { add: self.add + next.add, least: next.least.max(self.least + next.add) }
    }

    fn of(self, lead: i64) -> i64 {
        (lead + self.add).max(self.least)
    }
}

impl<'a> Pairs<'a> {
    pub(super) fn new(instance: &'a Instance, monitor: &Monitor) -> Result<Self> {
        let machines = instance.machines();
        let steps = machines as u128 * (machines as u128 - 1) / 2 * instance.jobs() as u128;
        let required = steps * size_of::<Step>() as u128;
        let what =
            || format!("Johnson's orders of {} jobs on {machines} machines", instance.jobs());
        monitor.check_memory(required, what)?;
        let pairs = (0..machines)
            .flat_map(|first| (first + 1..machines).map(move |second| (first, second)));
        let pair = |(first, second)| {
            monitor.check()?;
            Ok(Pair::new(instance, first, second))
        };
        Ok(Pairs { instance, list: pairs.map(pair).collect::<Result<_>>()? })
    }
}

impl Pair {
    fn new(instance: &Instance, first: usize, second: usize) -> Self {
        // First the jobs that are shorter on the first machine, by rising time and lag; then the
        // others, by falling lag and time.
        let key = |job: u32| {
            let times = instance.job(job);
            let lag: u64 = times[first + 1..second].iter().copied().map(u64::from).sum();
            let (on_first, on_second) = (u64::from(times[first]), u64::from(times[second]));
            if on_first < on_second { on_first + lag } else { u64::MAX - (on_second + lag) }
        };
        let mut jobs: Vec<u32> = (0..instance.jobs() as u32).collect();
        jobs.sort_by_cached_key(|&job| key(job));
        let step = |job: u32| {
            let times = instance.job(job);
            let lag: u32 = times[first + 1..second].iter().sum();
            let add = i64::from(times[second]) - i64::from(times[first]);
            Step { job, map: Map { add, least: i64::from(lag + times[second]) } }
        };
        Pair { first, second, steps: jobs.into_iter().map(step).collect() }
    }
}

/// Scratch for the bounds of one node's children, reused from node to node, and statistics of the
/// pairs that closed children.
#[derive(Debug, Default)]
pub(super) struct Composer {
    /// The steps of the free jobs, and for each step the composition of the steps after it.
    steps: Vec<Step>,
    suffixes: Vec<Map>,
    /// The changed end of each child: one row with all machines per child.
    ends: Vec<u32>,
    /// For each job the index of its child, if it has one.
    child_of: Vec<Option<u32>>,
    /// Pairs by falling success, and how many children each has closed.
    order: Vec<u32>,
    successes: Vec<u32>,
    refined: u32,
}

/// Steps between two checks of the clock: about a millisecond.
const STEPS_PER_LOOK: usize = 1 << 18;
/// Nodes between two sorts of the pairs.
const SORT_INTERVAL: u32 = 1024;

impl Composer {
    /// Raises the bounds of a node's children at one end to their two-machine bounds. With a limit,
    /// ends as soon as all children reach it. Fails if the solve must stop.
    pub(super) fn raise(
        &mut self,
        pairs: &Pairs<'_>,
        node: &Node<State>,
        end: End,
        children: &mut [Child],
        limit: Option<u32>,
        monitor: &Monitor,
    ) -> Result<()> {
        let instance = pairs.instance;
        self.fix_ends(instance, &node.state, end, children);
        self.sort_pairs(pairs);
        let pairs_per_look = (STEPS_PER_LOOK / (2 * instance.jobs())).max(1);
        for index in 0..self.order.len() {
            if (index + 1).is_multiple_of(pairs_per_look) {
                monitor.check()?;
            }
            let number = self.order[index] as usize;
            let open = |children: &[Child]| {
                limit.map(|limit| children.iter().filter(|child| child.bound < limit).count())
            };
            let before = open(children);
            if before == Some(0) {
                break;
            }
            self.raise_by(instance, &pairs.list[number], node, end, children);
            self.successes[number] += u32::from(open(children) < before);
        }
        Ok(())
    }

    /// Computes the times of the end for each child, with its job fixed there.
    fn fix_ends(&mut self, instance: &Instance, state: &State, end: End, children: &[Child]) {
        self.ends.clear();
        self.child_of.clear();
        self.child_of.resize(instance.jobs(), None);
        for (position, child) in (0..).zip(children) {
            self.child_of[child.job as usize] = Some(position);
            let row = self.ends.len();
            let times = instance.job(child.job);
            self.ends.extend_from_slice(match end {
                End::Front => &state.front,
                End::Back => &state.back,
            });
            match end {
                End::Front => append(&mut self.ends[row..], times),
                End::Back => prepend(&mut self.ends[row..], times),
            }
        }
    }

    fn sort_pairs(&mut self, pairs: &Pairs<'_>) {
        if self.successes.is_empty() {
            self.successes = vec![0; pairs.list.len()];
            self.order = (0..pairs.list.len() as u32).collect();
        }
        self.refined += 1;
        if self.refined.is_multiple_of(SORT_INTERVAL) {
            self.order
                .sort_by_cached_key(|&pair| u64::from(u32::MAX - self.successes[pair as usize]));
            // Recent successes count more.
            self.successes.iter_mut().for_each(|count| *count /= 2);
        }
    }

    fn raise_by(
        &mut self,
        instance: &Instance,
        pair: &Pair,
        node: &Node<State>,
        end: End,
        children: &mut [Child],
    ) {
        let machines = instance.machines();
        let (first, second) = (pair.first, pair.second);
        let state = &node.state;
        let is_free = |job: u32| node.free[job as usize / 32] >> (job % 32) & 1 != 0;
        self.steps.clear();
        self.steps.extend(pair.steps.iter().filter(|step| is_free(step.job)));
        self.suffixes.clear();
        let mut suffix = Map::IDENTITY;
        for step in self.steps.iter().rev() {
            self.suffixes.push(suffix);
            suffix = step.map.then(suffix);
        }
        let mut prefix = Map::IDENTITY;
        for (step, &suffix) in self.steps.iter().zip(self.suffixes.iter().rev()) {
            let without = prefix.then(suffix);
            prefix = prefix.then(step.map);
            let Some(child) = self.child_of[step.job as usize] else { continue };
            let child = child as usize;
            let changed = &self.ends[child * machines..][..machines];
            let (front, back) = match end {
                End::Front => (changed, &state.back[..]),
                End::Back => (&state.front[..], changed),
            };
            // The first machine runs without pause; the second one finishes `lead` later.
            let own = state.remaining[first] - instance.job(step.job)[first];
            let first_end = front[first] + own;
            let lead = without.of(i64::from(front[second]) - i64::from(front[first]));
            let by_first = first_end + back[first];
            let by_second = (i64::from(first_end) + lead) as u32 + back[second];
            children[child].bound = children[child].bound.max(by_first).max(by_second);
        }
    }
}
