//! Bin completion (Martello, Toth 1990; Korf 2002; Fukunaga, Korf 2007): can the jobs be packed
//! onto the machines with no load above the target? Machine after machine gets the longest
//! remaining job and a completion that no other dominates.
//!
//! A node is cut off if by some [`Weighting`] its jobs weigh more than its machines hold. With the
//! dual values of the configuration LP, only patterns of almost no reduced cost remain. Failed
//! nodes are remembered by all their jobs, so that a hash collision cannot make a refutation wrong.

mod bin;

use std::collections::HashSet;

use self::bin::{Bin, Completions, LOOKS_PER_STEP, bytes_of};
use super::{JobTypes, Pattern, Weighting};
use crate::Result;
use crate::solve::Monitor;

/// Limits of a search.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Effort {
    /// Most completions tried at a node. If there are more, or they exceed the memory, a failure
    /// refutes nothing.
    pub(crate) width: usize,
    /// Most jobs placed, or the same amount of other work.
    pub(crate) steps: u64,
}

/// How a search ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The jobs of each machine used.
    Feasible(Vec<Pattern>),
    /// Exhaustive: the jobs do not fit.
    Infeasible,
    /// The effort is spent.
    Unknown,
}

/// Most bytes of remembered failed nodes and of open completions, if the memory limit allows.
const MEMORY: u64 = 128 << 20;

/// The search for one target.
pub(crate) struct Search<'a> {
    types: &'a JobTypes,
    target: u64,
    /// The first weighting is the times.
    weightings: Vec<Weighting>,
    monitor: &'a Monitor,
    steps: u64,
    nodes: u64,
    failed: HashSet<(u32, Box<[u32]>)>,
    failed_bytes: u64,
    /// Bytes of completions still to be tried.
    open_bytes: u64,
    memory: u64,
}

/// Remaining jobs and machines.
struct Node {
    counts: Vec<u32>,
    machines: usize,
}

impl<'a> Search<'a> {
    /// A search guided by the times and, if given, another weighting.
    pub(crate) fn new(
        types: &'a JobTypes,
        target: u64,
        weighting: Option<Weighting>,
        monitor: &'a Monitor,
    ) -> Self {
        let weightings =
            std::iter::once(Weighting::times(types, target)).chain(weighting).collect();
        Search {
            types,
            target,
            weightings,
            monitor,
            steps: 0,
            nodes: 0,
            failed: HashSet::new(),
            failed_bytes: 0,
            open_bytes: 0,
            memory: MEMORY.min(monitor.memory_bytes() / 4),
        }
    }

    /// Number of nodes visited so far, sets of remaining jobs.
    pub(crate) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Packs `counts` jobs of each type onto the machines.
    ///
    /// # Errors
    /// [`Error::Stopped`](crate::Error::Stopped).
    pub(crate) fn run(
        &mut self,
        counts: &[u32],
        machines: usize,
        effort: Effort,
    ) -> Result<Verdict> {
        let effort = Effort { steps: self.steps.saturating_add(effort.steps), ..effort };
        self.failed.clear();
        self.failed_bytes = 0;
        self.open_bytes = 0;
        let mut node = Node { counts: counts.to_vec(), machines };
        let mut chosen: Vec<Pattern> = Vec::new();
        let mut frames: Vec<Completions> = Vec::new();
        // Whether every failure so far is proved.
        let mut exhaustive = true;
        let mut entered = true;
        loop {
            if entered {
                if node.counts.iter().all(|&count| count == 0) {
                    return Ok(Verdict::Feasible(chosen));
                }
                let frame = self.expand(&node, effort)?;
                exhaustive &= !frame.truncated;
                self.open_bytes += frame.bytes();
                frames.push(frame);
            }
            if self.steps >= effort.steps {
                return Ok(Verdict::Unknown);
            }
            let Some(frame) = frames.last_mut() else {
                return Ok(if exhaustive { Verdict::Infeasible } else { Verdict::Unknown });
            };
            entered = false;
            if let Some(pattern) = frame.patterns.pop() {
                self.open_bytes -= bytes_of(&pattern);
                node.place(&pattern);
                chosen.push(pattern);
                entered = true;
            } else {
                frames.pop();
                // Truncated nodes are remembered too: this run need not visit them again.
                self.remember(&node);
                if let Some(pattern) = chosen.pop() {
                    node.take_back(&pattern);
                }
            }
        }
    }

    /// The completions to try at a node; none if it cannot succeed.
    fn expand(&mut self, node: &Node, effort: Effort) -> Result<Completions> {
        self.monitor.check()?;
        self.nodes += 1;
        self.steps += 1 + node.counts.len() as u64 / LOOKS_PER_STEP;
        let none = Completions { patterns: Vec::new(), truncated: false };
        if self.failed.contains(&key(node)) {
            return Ok(none);
        }
        let mut slacks = Vec::with_capacity(self.weightings.len());
        for weighting in &self.weightings {
            let Some(slack) = weighting.slack(&node.counts, node.machines) else { return Ok(none) };
            slacks.push(slack);
        }
        let room = self.memory.saturating_sub(self.open_bytes);
        let bin = Bin {
            types: self.types,
            target: self.target,
            weightings: &self.weightings,
            slacks,
            room,
        };
        bin.completions(&mut node.counts.clone(), effort, &mut self.steps, self.monitor)
    }

    fn remember(&mut self, node: &Node) {
        let key = key(node);
        let bytes = (size_of_val(&*key.1) + size_of_val(&key)) as u64;
        if self.failed_bytes + bytes <= self.memory && self.failed.insert(key) {
            self.failed_bytes += bytes;
        }
    }
}

impl Node {
    fn place(&mut self, pattern: &[u32]) {
        for &kind in pattern {
            self.counts[kind as usize] -= 1;
        }
        self.machines -= 1;
    }

    fn take_back(&mut self, pattern: &[u32]) {
        for &kind in pattern {
            self.counts[kind as usize] += 1;
        }
        self.machines += 1;
    }
}

/// A node's key, without the leading types, which have no jobs left.
#[inline]
fn key(node: &Node) -> (u32, Box<[u32]>) {
    let first = node.counts.iter().position(|&count| count > 0).unwrap_or(node.counts.len());
    (node.machines as u32, node.counts[first..].into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::SolveOptions;
    use proptest::prelude::*;

    const ALL: Effort = Effort { width: usize::MAX, steps: u64::MAX };

    fn types_of(times: &[u64]) -> JobTypes {
        let mut longest_first = times.to_vec();
        longest_first.sort_unstable_by(|a, b| b.cmp(a));
        JobTypes::new(longest_first)
    }

    fn decide(times: &[u64], machines: u32, target: u64, effort: Effort) -> Verdict {
        let types = types_of(times);
        let monitor = Monitor::new(&SolveOptions::default());
        Search::new(&types, target, None, &monitor)
            .run(&types.counts, machines as usize, effort)
            .unwrap()
    }

    fn fits(times: &[u64], loads: &mut [u64], target: u64) -> bool {
        let Some((&time, rest)) = times.split_first() else { return true };
        (0..loads.len()).any(|machine| {
            loads[machine] += time;
            let fits = loads[machine] <= target && fits(rest, loads, target);
            loads[machine] -= time;
            fits
        })
    }

    #[test]
    fn a_narrow_search_refutes_nothing() {
        let times = [6, 5, 5, 4, 4, 3, 3];
        assert_eq!(decide(&times, 2, 14, ALL), Verdict::Infeasible);
        assert_eq!(decide(&[7, 6, 5, 4, 4, 2, 2], 3, 9, ALL), Verdict::Infeasible);
        assert_eq!(
            decide(&[7, 6, 5, 4, 4, 2, 2], 3, 9, Effort { width: 1, steps: 100 }),
            Verdict::Infeasible
        );
        assert_eq!(decide(&[5; 9], 4, 14, Effort { width: 9, steps: 3 }), Verdict::Unknown);
    }

    proptest! {
        #[test]
        fn agrees_with_exhaustive_search(
            times in proptest::collection::vec(1u64..25, 1..9), machines in 1u32..5, room in 0u64..6
        ) {
            let longest = *times.iter().max().unwrap();
            let target = longest.max(times.iter().sum::<u64>().div_ceil(u64::from(machines))) + room;
            let types = types_of(&times);
            match decide(&times, machines, target, ALL) {
                Verdict::Feasible(patterns) => {
                    prop_assert!(patterns.len() <= machines as usize);
                    prop_assert!(patterns.iter().all(|pattern| types.load(pattern) <= target));
                    let jobs: usize = patterns.iter().map(Vec::len).sum();
                    prop_assert_eq!(jobs, times.len());
                }
                Verdict::Infeasible => {
                    prop_assert!(!fits(&times, &mut vec![0; machines as usize], target));
                }
                Verdict::Unknown => prop_assert!(false, "there was no limit"),
            }
        }
    }
}
