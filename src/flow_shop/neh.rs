//! Nawaz, Enscore and Ham (1983), "A heuristic algorithm for the m-machine, n-job flow-shop
//! sequencing problem", Omega 11, 91-95.

use super::Instance;
use super::insertion::Insertion;
use crate::solve::{Monitor, unless_stopped};
use crate::{Result, sorting};

/// Inserts the jobs one by one, longest total time first, each at the position with the least
/// makespan. After a stop, the remaining jobs are appended, by number if they are not sorted yet.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub(super) fn neh(instance: &Instance, monitor: &Monitor) -> Result<Vec<u32>> {
    let work = |job: u32| instance.job(job).iter().copied().map(u64::from).sum::<u64>();
    let mut jobs = instance.free_jobs();
    let by_work = sorting::order(jobs.len(), &|place| u64::MAX - work(jobs[place]), monitor);
    if let Some(places) = unless_stopped(by_work)? {
        jobs = places.into_iter().map(|place| jobs[place as usize]).collect();
    }

    let mut insertion = Insertion::new(instance);
    let mut order = instance.pinned().to_vec();
    for (done, &job) in jobs.iter().enumerate() {
        if monitor.should_stop() {
            order.extend_from_slice(&jobs[done..]);
            break;
        }
        let (position, _) = insertion.best(&order, job, instance.pinned().len());
        order.insert(position, job);
        if order.len().is_multiple_of(REPORT_STEP) {
            monitor.report("neh", Some(order.len() as f64 / instance.jobs() as f64));
        }
    }
    Ok(order)
}

/// Jobs between two progress reports.
const REPORT_STEP: usize = 64;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::SolveOptions;
    use crate::flow_shop::testing::instances;
    use crate::flow_shop::{Permutation, taillard};

    fn makespan(instance: &Instance) -> u64 {
        let order = neh(instance, &Monitor::new(&SolveOptions::default())).unwrap();
        Permutation::new(order).makespan(instance).unwrap()
    }

    #[test]
    fn taillards_instances_come_within_the_known_gap() {
        let gaps: Vec<f64> = taillard::all()
            .filter(|known| known.jobs <= 100)
            .map(|known| {
                let makespan = makespan(&known.instance());
                assert!(makespan >= known.lower_bound.into(), "{}", known.name());
                makespan as f64 / f64::from(known.upper_bound) - 1.0
            })
            .collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        assert!((0.02..0.034).contains(&mean), "{mean}");
    }

    proptest! {
        #[test]
        fn sequences_are_complete(instance in instances(8, 4)) {
            makespan(&instance);
        }
    }
}
