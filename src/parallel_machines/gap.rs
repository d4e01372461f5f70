//! Closes the gap between bound and makespan. Targets between them are decided by the configuration
//! program, dives along its fractions, bin completion guided by its weights, and improvement from
//! new initial schedules. The effort grows from round to round; in the end the search is
//! exhaustive.

use super::improve;
use super::incumbent::Incumbent;
use super::job_types::schedule;
use super::lpt::LeastLoaded;
use crate::Result;
use crate::configuration_lp::bin_completion::{self, Search, Verdict};
use crate::configuration_lp::{
    ConfigurationLp, Fractions, JobTypes, Pattern, Relaxation, Weighting,
};
use crate::random::Random;
use crate::solve::Statistics;

/// Total effort.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Rounds, each with about four times the work of the previous one.
    rounds: u32,
    /// Table cells and basis elements of the configuration LP.
    lp_work: u64,
}

impl Effort {
    /// Effort of some seconds.
    pub(super) const AUTO: Effort = Effort { rounds: 3, lp_work: 1 << 33 };
    /// Effort until the proof.
    pub(super) const EXACT: Effort = Effort { rounds: u32::MAX, lp_work: u64::MAX };
}

/// Steps and width of the search, and subsets of the improvement, in the first round.
const STEPS: u64 = 200_000;
const WIDTH: usize = 32;
const SUBSETS: u64 = 1 << 21;

/// Dives along one fractional packing in the first round.
const DIVES: u64 = 3;

/// Most targets of a round that may stay unsettled.
const UNSETTLED: u32 = 6;

/// Targets refuted in sequence before the steps between them grow.
const SINGLE_STEPS: u32 = 4;

/// Variation of the choice among fractions from dive to dive.
const NOISE: f64 = 0.3;

/// Subsets of the improvement after a dive.
const REPAIR_SUBSETS: u64 = 1 << 17;

/// The instance with the present knowledge, and the means to extend it.
pub(super) struct Gap<'g, 'a> {
    incumbent: &'g mut Incumbent<'a>,
    types: &'g JobTypes,
    random: Random,
    statistics: &'g mut Statistics,
}

impl<'g, 'a> Gap<'g, 'a> {
    pub(super) fn new(
        incumbent: &'g mut Incumbent<'a>,
        types: &'g JobTypes,
        seed: u64,
        statistics: &'g mut Statistics,
    ) -> Self {
        Gap { incumbent, types, random: Random::new(seed), statistics }
    }

    /// Works until the makespan is proved optimal or the effort is spent.
    ///
    /// # Errors
    /// [`Error::Stopped`](crate::Error::Stopped).
    pub(super) fn close(&mut self, effort: Effort) -> Result<()> {
        let monitor = self.incumbent.monitor;
        let machines = self.incumbent.instance.useful_machines();
        let makespan = self.incumbent.makespan();
        // If the program is too large, the rounds do without it.
        let mut lp =
            ConfigurationLp::new(self.types, machines, makespan, effort.lp_work, monitor).ok();
        let result = self.rounds(effort.rounds, &mut lp);
        if let Some(lp) = lp {
            self.statistics.add("columns", lp.columns());
        }
        result
    }

    fn rounds(&mut self, rounds: u32, lp: &mut Option<ConfigurationLp<'_>>) -> Result<()> {
        for round in 0..rounds {
            if self.incumbent.is_optimal() {
                break;
            }
            let factor = 4u64.saturating_pow(round);
            self.improve(SUBSETS.saturating_mul(factor))?;
            self.climb(factor, lp)?;
        }
        Ok(())
    }

    /// Decides targets from the bound upwards. A refuted target raises the bound, a schedule lowers
    /// the makespan.
    fn climb(&mut self, factor: u64, lp: &mut Option<ConfigurationLp<'_>>) -> Result<()> {
        // Targets below `first` are settled or abandoned for this round.
        let mut first = self.incumbent.bound();
        let mut target = first;
        let (mut refuted, mut unsettled) = (0, 0);
        while target < self.incumbent.makespan() && unsettled < UNSETTLED {
            let (bound, makespan) = (self.incumbent.bound(), self.incumbent.makespan());
            self.decide(target, factor, lp)?;
            first = first.max(self.incumbent.bound());
            if self.incumbent.makespan() < makespan {
                (target, refuted) = (first, 0);
            } else if self.incumbent.bound() > bound {
                refuted += 1;
                let stride = 1u64 << (u32::saturating_sub(refuted, SINGLE_STEPS)).min(62);
                target = (first + stride - 1).min(makespan - 1).max(first);
            } else {
                unsettled += 1;
                first = target + 1;
                target += (makespan - target).div_ceil(2);
            }
        }
        Ok(())
    }

    /// Tries to find a schedule of at most the target or to refute it.
    fn decide(
        &mut self,
        target: u64,
        factor: u64,
        lp: &mut Option<ConfigurationLp<'_>>,
    ) -> Result<()> {
        self.incumbent.monitor.begin_iteration()?;
        let mut weighting = None;
        if let Some(lp) = lp.as_mut().filter(|lp| !lp.is_exhausted()) {
            self.incumbent.monitor.enter("configuration program")?;
            match lp.decide(target, self.incumbent.makespan() - 1)? {
                Relaxation::Refuted(bound) => {
                    self.incumbent.raise("configuration program", bound);
                    return Ok(());
                }
                Relaxation::Open(fractions) => {
                    if self.dive(lp, target, &fractions, DIVES.saturating_mul(factor))? {
                        return Ok(());
                    }
                    weighting = fractions.weighting;
                }
            }
        }
        self.search(target, weighting, factor)
    }

    /// Dives until it finds a schedule of at most the target.
    fn dive(
        &mut self,
        lp: &mut ConfigurationLp<'_>,
        target: u64,
        fractions: &Fractions,
        dives: u64,
    ) -> Result<bool> {
        self.incumbent.monitor.enter("dive")?;
        for dive in 0..dives {
            if lp.is_exhausted() {
                break;
            }
            let noise = if dive == 0 { 0.0 } else { NOISE };
            let (patterns, complete) =
                lp.dive(target, fractions, &mut self.random, noise, self.statistics)?;
            if complete {
                let found = schedule(self.types, &self.incumbent.longest_first, &patterns);
                self.incumbent.offer("dive", found);
                return Ok(true);
            }
            self.repair(patterns)?;
            if self.incumbent.makespan() <= target {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Assigns the jobs that a dive left to the least loads, and improves the result.
    fn repair(&mut self, mut patterns: Vec<Pattern>) -> Result<()> {
        let Incumbent { instance, monitor, .. } = *self.incumbent;
        let mut left = self.types.counts.clone();
        for &kind in patterns.iter().flatten() {
            left[kind as usize] -= 1;
        }
        patterns.resize(instance.useful_machines(), Pattern::new());
        let mut machines =
            LeastLoaded::new(patterns.iter().map(|pattern| self.types.load(pattern)));
        for (kind, &count) in left.iter().enumerate() {
            for _ in 0..count {
                patterns[machines.place(self.types.times[kind]).0 as usize].push(kind as u32);
            }
        }
        let (_, start) = schedule(self.types, &self.incumbent.longest_first, &patterns);
        let (bound, seed) = (self.incumbent.bound(), self.random.next());
        let better = improve::improve(instance, &start, bound, REPAIR_SUBSETS, seed, monitor)?;
        self.incumbent.offer("dive", better);
        Ok(())
    }

    fn search(&mut self, target: u64, weighting: Option<Weighting>, factor: u64) -> Result<()> {
        let Incumbent { instance, monitor, .. } = *self.incumbent;
        monitor.enter("search")?;
        let effort = bin_completion::Effort {
            width: WIDTH.saturating_mul(factor as usize),
            steps: STEPS.saturating_mul(factor),
        };
        let mut search = Search::new(self.types, target, weighting, monitor);
        let verdict = search.run(&self.types.counts, instance.useful_machines(), effort);
        self.statistics.add("nodes", search.nodes());
        match verdict? {
            Verdict::Feasible(patterns) => {
                let found = schedule(self.types, &self.incumbent.longest_first, &patterns);
                self.incumbent.offer("search", found);
            }
            Verdict::Infeasible => self.incumbent.raise("search", target + 1),
            Verdict::Unknown => {}
        }
        Ok(())
    }

    fn improve(&mut self, subsets: u64) -> Result<()> {
        let Incumbent { instance, monitor, .. } = *self.incumbent;
        monitor.enter("subset sums")?;
        let (bound, seed) = (self.incumbent.bound(), self.random.next());
        let better =
            improve::improve(instance, self.incumbent.assignment(), bound, subsets, seed, monitor)?;
        self.incumbent.offer("subset sums", better);
        Ok(())
    }
}
