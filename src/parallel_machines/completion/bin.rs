use super::Effort;
use crate::Result;
use crate::parallel_machines::job_types::{JobTypes, Pattern};
use crate::parallel_machines::weighting::Weighting;
use crate::solve::Monitor;

/// Looks at a count that take as long as a job placed, about.
pub(super) const LOOKS_PER_STEP: u64 = 8;

/// Turns between two looks at the clock: one takes as long as a look at each job of the pattern.
const TURNS_PER_CHECK: usize = 256;

/// One machine at a node of the search.
pub(super) struct Bin<'a> {
    pub(super) types: &'a JobTypes,
    pub(super) target: u64,
    /// The times first.
    pub(super) weightings: &'a [Weighting],
    /// How much of each weighting all machines may leave unused.
    pub(super) slacks: Vec<u128>,
    /// Bytes that the completions may take; one is listed in any case.
    pub(super) room: u64,
}

/// What a machine may be given.
pub(super) struct Completions {
    /// The best last.
    pub(super) patterns: Vec<Pattern>,
    /// Whether there were more than are listed.
    pub(super) truncated: bool,
}

/// What a listed pattern takes.
pub(super) fn bytes_of(pattern: &Pattern) -> u64 {
    (size_of::<Pattern>() + size_of_val(&pattern[..])) as u64
}

impl Completions {
    pub(super) fn bytes(&self) -> u64 {
        self.patterns.iter().map(bytes_of).sum()
    }
}

impl Bin<'_> {
    /// The completions of the longest job left that are not dominated and leave no more unused than
    /// the slacks, as far as the effort goes; its steps count from the start of the search.
    /// `counts` are the jobs left; they come back unchanged.
    pub(super) fn completions(
        &self,
        counts: &mut [u32],
        effort: Effort,
        steps: &mut u64,
        monitor: &Monitor,
    ) -> Result<Completions> {
        let mut found: Vec<(u64, Pattern)> = Vec::new();
        let mut truncated = false;
        let mut bytes = 0;
        let rest_from = self.time_from(counts);
        let least_load = u128::from(self.target).saturating_sub(self.slacks[0]) as u64;
        let Some(first) = counts.iter().position(|&count| count > 0) else {
            return Ok(Completions { patterns: Vec::new(), truncated });
        };
        let mut pattern = vec![first as u32];
        counts[first] -= 1;
        let mut load = self.types.times[first];
        let mut next = first;
        for turn in 0usize.. {
            if turn.is_multiple_of(TURNS_PER_CHECK) {
                monitor.check()?;
            }
            // Fill up greedily; evaluate; take the last job back and go on behind it.
            if load + rest_from[next].min(self.target - load) >= least_load {
                while let Some(kind) = self.longest_fitting(counts, next, self.target - load) {
                    counts[kind] -= 1;
                    load += self.types.times[kind];
                    pattern.push(kind as u32);
                    next = kind;
                    *steps += 1;
                }
                let undominated =
                    load >= least_load && !self.dominated(counts, &pattern, load, steps);
                if let Some(waste) = undominated.then(|| self.waste(&pattern)).flatten() {
                    bytes += bytes_of(&pattern);
                    if found.len() == effort.width || bytes > self.room && !found.is_empty() {
                        truncated = true;
                        break;
                    }
                    found.push((waste, pattern.clone()));
                }
            }
            *steps += 1;
            if *steps >= effort.steps {
                truncated = true;
                break;
            }
            if pattern.len() == 1 {
                break;
            }
            let last = pattern.pop().expect("more than one") as usize;
            counts[last] += 1;
            load -= self.types.times[last];
            next = last + 1;
        }
        for &kind in &pattern {
            counts[kind as usize] += 1;
        }
        // Stable: among equals the greediest is tried first.
        found.sort_by_cached_key(|completion| completion.0);
        let patterns = found.into_iter().rev().map(|completion| completion.1).collect();
        Ok(Completions { patterns, truncated })
    }

    /// The time of all jobs left of each type and those after it, and 0 at the end.
    fn time_from(&self, counts: &[u32]) -> Vec<u64> {
        let mut sums = vec![0; counts.len() + 1];
        for kind in (0..counts.len()).rev() {
            sums[kind] = sums[kind + 1] + self.types.times[kind] * u64::from(counts[kind]);
        }
        sums
    }

    /// The first type from `from` on that fits and has a job left.
    fn longest_fitting(&self, counts: &[u32], from: usize, room: u64) -> Option<usize> {
        let longer = self.types.times[from..].partition_point(|&time| time > room);
        (from + longer..counts.len()).find(|&kind| counts[kind] > 0)
    }

    /// Whether another job fits, or a job can be replaced by a longer one that is left: then
    /// whatever can be done after the pattern can be done after the fuller one, too (Martello, Toth
    /// 1990).
    fn dominated(&self, counts: &[u32], pattern: &[u32], load: u64, steps: &mut u64) -> bool {
        let room = self.target - load;
        let times = &self.types.times;
        if self.longest_fitting(counts, 0, room).is_some() {
            return true;
        }
        let mut looks = 0;
        let dominated = pattern.chunk_by(|a, b| a == b).any(|run| {
            let kind = run[0] as usize;
            let longer = (0..kind).rev().take_while(|&longer| times[longer] - times[kind] <= room);
            longer.inspect(|_| looks += 1).any(|longer| counts[longer] > 0)
        });
        *steps += looks / LOOKS_PER_STEP;
        dominated
    }

    /// What the pattern leaves unused, over all weightings, in millionths of their capacities;
    /// `None` if it is more than a slack.
    fn waste(&self, pattern: &[u32]) -> Option<u64> {
        let mut total = 0;
        for (weighting, &slack) in self.weightings.iter().zip(&self.slacks) {
            let weight: u64 = pattern.iter().map(|&kind| weighting.weights[kind as usize]).sum();
            let unused = weighting.capacity - weight;
            if u128::from(unused) > slack {
                return None;
            }
            total +=
                (u128::from(unused) * 1_000_000 / u128::from(weighting.capacity.max(1))) as u64;
        }
        Some(total)
    }
}
