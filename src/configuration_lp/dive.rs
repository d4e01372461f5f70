//! Dives from a fractional solution to a schedule: patterns of large fractions are fixed, the
//! program is solved again for the remaining jobs, and the exact search packs the last machines
//! (diving, as in Degraeve, Peeters 2003).

use super::bin_completion::{Effort, Search, Verdict};
use super::job_types::Pattern;
use super::{ConfigurationLp, Fractions, Relaxation, Rest};
use crate::random::Random;
use crate::solve::Statistics;
use crate::{Result, memory};

/// Patterns with at least this fraction are always fixed.
const WHOLE: f64 = 0.99;

/// Patterns with a smaller fraction are fixed only if they are the first of their round.
const LIKELY: f64 = 0.6;

/// Effort of the search for the last machines.
const FINISH: Effort = Effort { width: 64, steps: 200_000 };

/// Number of machines left to the search.
const LAST_MACHINES: usize = 9;

impl ConfigurationLp<'_> {
    /// Looks for a schedule of at most the target, starting from its fractional packing. With
    /// `random` the choice among fractions varies. Returns the fixed patterns, and whether they
    /// hold all jobs.
    pub(crate) fn dive(
        &mut self,
        target: u64,
        fractions: &Fractions,
        random: &mut Random,
        noise: f64,
        statistics: &mut Statistics,
    ) -> Result<(Vec<Pattern>, bool)> {
        let mut rest = Rest { counts: self.types.counts.clone(), machines: self.machines };
        let mut fixed = Vec::new();
        let mut weighting = fractions.weighting.clone();
        rest.fix(fractions, &mut fixed, random, noise)?;
        while rest.machines > LAST_MACHINES && rest.counts.iter().any(|&count| count > 0) {
            match self.relax(&rest, target, target)? {
                Relaxation::Refuted(_) => return Ok((fixed, false)),
                Relaxation::Open(_) if self.is_exhausted() => return Ok((fixed, false)),
                Relaxation::Open(fractions) => {
                    rest.fix(&fractions, &mut fixed, random, noise)?;
                    weighting = fractions.weighting.or(weighting);
                }
            }
        }
        let mut search = Search::new(self.types, target, weighting, self.monitor);
        let verdict = search.run(&rest.counts, rest.machines, FINISH);
        statistics.add("nodes", search.nodes());
        Ok(match verdict? {
            Verdict::Feasible(patterns) => {
                fixed.extend(patterns);
                (fixed, true)
            }
            _ => (fixed, false),
        })
    }
}

impl Rest {
    /// Fixes the whole uses of patterns and the likeliest others, at least one.
    fn fix(
        &mut self,
        fractions: &Fractions,
        fixed: &mut Vec<Pattern>,
        random: &mut Random,
        noise: f64,
    ) -> Result<()> {
        let mut order: Vec<(f64, Pattern)> = Vec::new();
        let before = fixed.len();
        for (pattern, value) in &fractions.patterns {
            let whole = (value + 1.0 - WHOLE).floor();
            let jobs: Pattern = pattern
                .iter()
                .flat_map(|&(kind, count)| std::iter::repeat_n(kind, count as usize))
                .collect();
            for _ in 0..whole as u32 {
                self.take(&jobs, fixed);
            }
            order.push((value - whole + noise * (random.unit() - 0.5), jobs));
        }
        memory::sort_by_key(&mut order, |&(share, _)| u64::MAX - memory::key(share))?;
        let most = before + 1 + self.machines / 8;
        for (share, jobs) in &order {
            if self.machines <= LAST_MACHINES
                || fixed.len() > before && (*share < LIKELY || fixed.len() >= most)
            {
                break;
            }
            self.take(jobs, fixed);
        }
        Ok(())
    }

    /// Assigns the pattern's jobs to a machine if all of them are left.
    fn take(&mut self, jobs: &[u32], fixed: &mut Vec<Pattern>) {
        let fits = jobs
            .chunk_by(|a, b| a == b)
            .all(|run| self.counts[run[0] as usize] as usize >= run.len());
        if fits && self.machines > 0 {
            for &kind in jobs {
                self.counts[kind as usize] -= 1;
            }
            self.machines -= 1;
            fixed.push(jobs.to_vec());
        }
    }
}
