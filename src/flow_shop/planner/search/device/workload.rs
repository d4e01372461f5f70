//! Work by which the kernel is timed.

use super::Shape;
use super::self_test::{Search, instance};
use crate::Result;
use crate::flow_shop::planner::search::greedy::usual_crowd;
use crate::opencl::{Case, Device, TimedFamily, Workload, agree, timed};

pub(crate) const TIMED: TimedFamily = TimedFamily {
    family: &super::FAMILY,
    workloads: &[
        Workload {
            name: "with tails",
            tunables: "GREEDY_GROUP MOST_PLACEMENTS LEAST_CHUNK",
            case: |device, size| case(device, size, 0).map(Some),
        },
        Workload {
            name: "without tails",
            tunables: "SUM_GROUP MOST_PLACEMENTS LEAST_CHUNK",
            case: |device, size| case(device, size, 1).map(Some),
        },
    ],
};

/// Some iterations of as many trajectories as keep the device busy.
fn case(device: &Device, size: u32, stages: usize) -> Result<Case> {
    let shape = Shape {
        machines: 10,
        has_setups: true,
        has_blocking: false,
        has_releases: false,
        stages,
        ..Shape::default()
    };
    let (instance, trajectories) = (instance(&shape, 50)?, usual_crowd(device));
    let iterations = 1 << size;
    let expected = Search { instance: &instance, trajectories, iterations }.on_cpu()?;
    Ok(Box::new(move |device| {
        let search = Search { instance: &instance, trajectories, iterations };
        let (found, time) = timed(|| search.on_device(device))?;
        agree("trajectories", &[found], std::slice::from_ref(&expected))?;
        Ok(time)
    }))
}
