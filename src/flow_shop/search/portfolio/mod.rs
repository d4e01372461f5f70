//! The search methods with an objective's evaluators: one alone, or several under one limit.

mod beam;
mod iterated_greedy;
mod proof;
mod tabu;
mod time_shares;

use std::marker::PhantomData;
use std::time::Duration;

use self::time_shares::TimeShares;
use super::evaluator::ValuedSequence;
use super::objective::Objective;
use super::{SearchOptions, Shop};
use crate::flow_shop::incumbent::found;
use crate::flow_shop::{ExactOptions, Incumbent};
use crate::solve::{Monitor, SolveOptions, Statistics};
use crate::{Context, Dispatch, Error, Result};

/// A search for a better incumbent, in one or several phases.
pub(super) struct Portfolio<'a, 'i, O> {
    pub(super) objective: PhantomData<O>,
    pub(super) context: &'a Context,
    pub(super) shop: &'a Shop,
    pub(super) incumbent: &'a mut Incumbent<'i>,
    pub(super) options: &'a SearchOptions,
    pub(super) exact: &'a ExactOptions,
    pub(super) solve_options: &'a SolveOptions,
    pub(super) statistics: &'a mut Statistics,
}

impl<O: Objective> Portfolio<'_, '_, O> {
    /// Runs all methods in turn: beam search, branch and bound if a proof may be cheap, iterated
    /// greedy search. Their shares of the time depend on the instance size, by experiments.
    pub(super) fn run_all(&mut self, dispatch: &mut Dispatch<'_>) -> Result<()> {
        let mut shares = TimeShares::of(self.shop);
        let most = self.usual_rounds();
        let greedy = match self.check_trajectories() {
            Err(error) if matches!(*error, Error::OutOfMemory { .. }) => {
                dispatch.warn(format!("iterated greedy search was left out: {error}"));
                shares = shares.without_greedy();
                false
            }
            checked => checked.map(|()| most > 0)?,
        };
        let limit = self.solve_options.limits.time;
        let until = |share: f64| limit.map(|limit| part(limit, share));
        self.beam(limit.is_some(), until(shares.beam), dispatch)?;
        if shares.first_greedy > shares.beam && limit.is_some() && self.goes_on() {
            self.iterated_greedy(most, until(shares.first_greedy))?;
        }
        if shares.proof > 0.0 && self.goes_on() {
            self.prove(until(shares.proof), dispatch)?;
        }
        if greedy && self.goes_on() { self.iterated_greedy(most, None) } else { Ok(()) }
    }

    fn goes_on(&self) -> bool {
        !self.is_settled() && !self.incumbent.monitor.should_stop()
    }

    /// Whether the best sequence is optimal, or no sequence is as short as required.
    pub(super) fn is_settled(&self) -> bool {
        let bound = u64::from(self.incumbent.bound());
        self.incumbent.is_optimal() || self.exact.upper_bound.is_some_and(|limit| limit <= bound)
    }

    fn is_limited(&self) -> bool {
        let limits = &self.solve_options.limits;
        limits.time.is_some() || limits.iterations.is_some()
    }

    /// Takes over a better sequence.
    fn offer(&mut self, found: &ValuedSequence) {
        self.incumbent.offer(&self.shop.sequence(&found.order), value(found));
    }
}

/// Gives a sequence to the monitor, where a progress callback can read it.
fn note(shop: &Shop, monitor: &Monitor, best: &ValuedSequence) {
    monitor.note_found(best.value, None, || found(&shop.sequence(&best.order)));
}

/// A share of a time; all of a time that is nearly the longest.
fn part(time: Duration, share: f64) -> Duration {
    Duration::try_from_secs_f64(time.as_secs_f64() * share).unwrap_or(time)
}

/// The value in the bits that objectives have.
fn value(found: &ValuedSequence) -> u32 {
    found.value as u32
}

/// Leaves instances with too many jobs for the kernels to the CPU.
fn refuse_more_jobs(
    shop: &Shop,
    search: &str,
    most: usize,
    dispatch: &mut Dispatch<'_>,
) -> Result<()> {
    if shop.jobs() <= most {
        return Ok(());
    }
    dispatch.cpu_only(&format!("{search} of more than {most} jobs on a device"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_time_has_parts() {
        assert_eq!(part(Duration::from_secs(8), 0.25), Duration::from_secs(2));
        assert_eq!(part(Duration::MAX, 1.0), Duration::MAX);
    }
}
