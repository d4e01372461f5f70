use super::Effort;
use crate::Result;
use crate::configuration_lp::{JobTypes, Pattern, Weighting};
use crate::solve::Monitor;

/// Look-ups of a count that take about as long as placing a job.
pub(super) const LOOKS_PER_STEP: u64 = 8;

/// Iterations between two checks for stops. One takes as long as looking at each job of the
/// pattern.
const TURNS_PER_CHECK: usize = 256;

/// One machine at a node of the search.
pub(super) struct Bin<'a> {
    pub(super) types: &'a JobTypes,
    pub(super) target: u64,
    /// The first weighting is the times.
    pub(super) weightings: &'a [Weighting],
    /// For each weighting the amount that all machines together may leave unused.
    pub(super) slacks: Vec<u128>,
    /// Most bytes of the completions; at least one is listed.
    pub(super) room: u64,
}

/// The completions of a machine.
pub(super) struct Completions {
    /// The best one is last.
    pub(super) patterns: Vec<Pattern>,
    /// Whether more exist than are listed.
    pub(super) truncated: bool,
}

/// Bytes of a listed pattern.
pub(super) fn bytes_of(pattern: &Pattern) -> u64 {
    (size_of::<Pattern>() + size_of_val(&pattern[..])) as u64
}

impl Completions {
    pub(super) fn bytes(&self) -> u64 {
        self.patterns.iter().map(bytes_of).sum()
    }
}

impl Bin<'_> {
    /// The undominated completions of the longest remaining job that leave at most the slacks
    /// unused, within the effort, whose steps count from the start of the search. `counts` are the
    /// remaining jobs, and are unchanged at the end.
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
            // Fill greedily; evaluate; remove the last job and continue after it.
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
        // The sort is stable: of equals the greediest is tried first.
        found.sort_by_cached_key(|completion| completion.0);
        let patterns = found.into_iter().rev().map(|completion| completion.1).collect();
        Ok(Completions { patterns, truncated })
    }

    /// For each type the total time of its remaining jobs and those of later types; 0 at the end.
    fn time_from(&self, counts: &[u32]) -> Vec<u64> {
        let mut sums = vec![0; counts.len() + 1];
        for kind in (0..counts.len()).rev() {
            sums[kind] = sums[kind + 1] + self.types.times[kind] * u64::from(counts[kind]);
        }
        sums
    }

    /// The first type from `from` on that fits and has a job left.
    #[inline]
    fn longest_fitting(&self, counts: &[u32], from: usize, room: u64) -> Option<usize> {
        let longer = self.types.times[from..].partition_point(|&time| time > room);
        (from + longer..counts.len()).find(|&kind| counts[kind] > 0)
    }

    /// Whether another job fits, or a job can be replaced by a longer remaining one. Every
    /// completion of the other machines is then also possible with the fuller pattern (Martello,
    /// Toth 1990).
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

    /// The sum over all weightings of the amounts that the pattern leaves unused, in millionths of
    /// the capacities; `None` if one is more than its slack.
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
