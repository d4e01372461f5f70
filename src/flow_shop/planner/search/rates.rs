//! How fast iterated greedy search is on each engine, measured on some instances.

use std::fmt;
use std::time::{Duration, Instant};

use super::device::{Crowd, Member};
use super::evaluators::Evaluators;
use super::greedy::{Extent, depth, trajectories};
use super::settings::{self, Work};
use crate::Result;
use crate::flow_shop::planner::problem::Problem;
use crate::opencl::Device;
use crate::solve::Monitor;

/// How long an engine is measured.
const ON_CPU: Duration = Duration::from_millis(20);
const ON_DEVICE: Duration = Duration::from_millis(150);

/// Sequences that each engine evaluates in a second.
#[derive(Debug)]
pub(in crate::flow_shop::planner) struct Rates {
    device: f64,
    /// All threads together.
    cpu: f64,
    /// What an evaluation on the device is worth.
    depth: f64,
}

impl Rates {
    /// Measures a device that searches all instances together, and the CPU with an instance on each
    /// of the threads. The instances must be alike. The limits of the monitor may end the
    /// measurement.
    pub(in crate::flow_shop::planner) fn measure(
        device: &Device,
        monitor: &Monitor,
        problems: &[&Problem<'_>],
        extent: &Extent<'_>,
        threads: usize,
    ) -> Result<Rates> {
        let each = extent.on_device(device, problems.len());
        let on_device = rate_on_device(device, monitor, problems, each)?;
        let on_cpu = threads as f64 * rate_on_cpu(problems[0], monitor)?;
        Ok(Rates { device: on_device, cpu: on_cpu, depth: depth(extent.on_cpu(1), each) })
    }

    /// Whether the device finds better sequences in the same time.
    pub(in crate::flow_shop::planner) fn favour_device(&self) -> bool {
        self.device * self.depth > self.cpu
    }
}

impl fmt::Display for Rates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Rates { device, cpu, .. } = self;
        write!(f, "{device:.1e} sequences a second on the device, {cpu:.1e} on the CPU")
    }
}

/// Sequences that one thread evaluates in a second.
fn rate_on_cpu(problem: &Problem<'_>, monitor: &Monitor) -> Result<f64> {
    let (evaluators, settings) = (Evaluators::new(problem), settings::with_blocks(problem));
    let start = &problem.free_jobs;
    // Makes the tables before the clock starts.
    drop(evaluators.sequence(problem.latest(start), settings.moved())?);
    let (part, begun) = (monitor.part(Some(ON_CPU), None), Instant::now());
    let mut evaluations = 0;
    for search in &mut trajectories(&evaluators, &part, start, (1, settings), 0)? {
        let mut is_fresh = true;
        while !part.is_over() {
            search.run(Work::of(problem).round(), std::mem::take(&mut is_fresh));
        }
        evaluations += search.evaluations;
    }
    monitor.join(&part);
    Ok(evaluations as f64 / begun.elapsed().as_secs_f64())
}

/// Sequences that a device evaluates in a second, with `each` trajectories of every instance.
fn rate_on_device(
    device: &Device,
    monitor: &Monitor,
    problems: &[&Problem<'_>],
    each: usize,
) -> Result<f64> {
    let member = |problem| Member::new(&Evaluators::new(problem), &problem.free_jobs);
    let members: Vec<Member<'_>> = problems.iter().copied().map(member).collect();
    let queue = device.queue();
    let mut crowd = Crowd::new(device, &queue, monitor, &members, each, 0)?;
    let begun = Instant::now();
    crowd.advance_while(u64::MAX / 2, |_| begun.elapsed() < ON_DEVICE)?;
    Ok(crowd.evaluations() as f64 / begun.elapsed().as_secs_f64())
}
