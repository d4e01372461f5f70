//! Work by which the kernel is timed.

use super::{UnitSteps, cpu, device};
use crate::lattice_dp::Packing;
use crate::opencl::{Case, Device, TimedFamily, Workload, agree, timed};
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Result};

pub(crate) const TIMED: TimedFamily = TimedFamily {
    family: &super::device::FAMILY,
    workloads: &[Workload { name: "levels", tunables: "LEVEL_GROUP", case: fill }],
};

/// Items of each type in the smallest box.
const COUNTS: [u32; 5] = [6, 5, 4, 6, 5];
/// Doublings of the largest box.
const MOST_DOUBLINGS: u32 = 11;

/// Fills a table level by level, and reads it.
fn fill(_: &Device, size: u32) -> Result<Option<Case>> {
    if size > MOST_DOUBLINGS {
        return Ok(None);
    }
    let mut counts = COUNTS;
    (0..size as usize).for_each(|doubling| counts[doubling % COUNTS.len()] *= 2);
    let packing = Packing::new(vec![7, 11, 13, 19, 23], counts.to_vec(), 50)?;
    let rule = UnitSteps::new(&packing)?;
    let watch = Monitor::new(&SolveOptions::default());
    let expected: Vec<u32> = cpu::fill(&Context::of_all_threads()?, &rule, &watch)?;
    Ok(Some(Box::new(move |device| {
        let watch = Monitor::new(&SolveOptions::default());
        let (found, time) = timed(|| device::fill::<u32>(device, &rule, &watch))?;
        agree("lattice_unit_steps", &found, &expected)?;
        Ok(time)
    })))
}
