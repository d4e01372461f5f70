//! Proofs that optima are optima, as work by which kernels are timed.

use std::time::{Duration, Instant};

use super::device::{self, Explored};
use super::limit::Limit;
use super::problem::Problem;
use super::{Counts, Slice, cpu};
use crate::flow_shop::incumbent::Best;
use crate::opencl::{Case, agree, timed};
use crate::solve::{Limits, Monitor, SolveOptions};
use crate::{Context, Result};

/// Searches that take the CPU longer are too large.
const LONGEST: Duration = Duration::from_secs(4);

/// A problem whose optimum is proved.
pub(super) trait Proof: 'static {
    type Objective<'a>: Explored;

    /// The value of some sequence.
    fn heuristic(&self, monitor: &Monitor) -> Result<u32>;

    /// The search for values below a limit.
    fn problem<'a>(
        &'a self,
        limit: u32,
        monitor: &Monitor,
    ) -> Result<Problem<'a, Self::Objective<'a>>>;
}

/// The proof, whose tree is the same for any order of the search; none if the CPU takes too long.
pub(super) fn case(proof: impl Proof) -> Result<Option<Case>> {
    let Some((optimum, expected)) = on_cpu(&proof)? else { return Ok(None) };
    let context = Context::of_all_threads()?;
    Ok(Some(Box::new(move |device| {
        let watch = Monitor::new(&SolveOptions::default());
        let problem = proof.problem(optimum, &watch)?;
        let team = context.team(&watch);
        let limit = Limit::new(nothing(), optimum);
        let mut open = vec![problem.root_node()];
        let (found, time) = timed(|| {
            device::advance(device, &team, &problem, &limit, &mut open, &unlimited(&watch))
        })?;
        let list = |counts: &Counts| [counts.nodes, counts.bounds];
        agree("decomposed nodes and bounds", &list(&found), &list(&expected))?;
        Ok(time)
    })))
}

/// The optimum, and the work of the proof, unless that takes too long.
fn on_cpu(proof: &impl Proof) -> Result<Option<(u32, Counts)>> {
    let context = Context::of_all_threads()?;
    let limits = Limits { time: Some(LONGEST), ..Limits::default() };
    let watch = Monitor::new(&SolveOptions { limits, ..SolveOptions::default() });
    let search = |limit: &Limit| {
        let problem = proof.problem(limit.get(), &watch)?;
        let mut open = vec![problem.root_node()];
        cpu::advance(&context, &problem, limit, &mut open, &unlimited(&watch))
    };
    let limit = Limit::new(nothing(), proof.heuristic(&watch)?);
    search(&limit)?;
    let optimum = limit.get();
    let counts = search(&Limit::new(nothing(), optimum))?;
    Ok((!watch.interrupted()).then_some((optimum, counts)))
}

/// No sequence is known.
fn nothing() -> Best {
    Best { value: u32::MAX, order: Vec::new() }
}

/// A slice that only the end of the search ends.
fn unlimited<O: Explored>(monitor: &Monitor) -> Slice<'_, O> {
    Slice {
        monitor,
        end: Instant::now() + Duration::from_secs(1 << 30),
        counts_iterations: false,
        keeps_open: false,
        keeper: None,
        turns: None,
        idle_threads: 0,
        until: None,
    }
}
