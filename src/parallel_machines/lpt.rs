use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Instance;
use super::schedule::Assignment;
use crate::Result;
use crate::solve::Monitor;

/// Machines that assign each next job to the least load, the lowest number among equals.
pub(super) struct LeastLoaded {
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

impl LeastLoaded {
    /// Machines 0, 1, ... with these loads; at least one.
    pub(super) fn new(loads: impl IntoIterator<Item = u64>) -> Self {
        LeastLoaded {
            heap: (0..).zip(loads).map(|(machine, load)| Reverse((load, machine))).collect(),
        }
    }

    /// Assigns a job; returns its machine and the new load.
    #[inline]
    pub(super) fn place(&mut self, time: u64) -> (u32, u64) {
        let mut top = self.heap.peek_mut().expect("there is a machine");
        top.0.0 += time;
        (top.0.1, top.0.0)
    }
}

/// Longest processing time first (Graham 1969): at most 4/3 - 1/(3 m) times the optimum.
///
/// # Errors
/// [`Error::Stopped`](crate::Error::Stopped) if there are many jobs.
pub(super) fn lpt(
    instance: &Instance,
    longest_first: &[u32],
    monitor: &Monitor,
) -> Result<Assignment> {
    let mut machines = LeastLoaded::new(vec![0; instance.useful_machines()]);
    let mut assignment = vec![0; instance.jobs()];
    let mut makespan = 0;
    for (step, &job) in longest_first.iter().enumerate() {
        monitor.check_later_step(step)?;
        let (machine, load) = machines.place(instance.times()[job as usize]);
        assignment[job as usize] = machine;
        makespan = makespan.max(load);
    }
    Ok((makespan, assignment))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel_machines::Schedule;
    use crate::testing::monitor;

    #[test]
    fn grahams_worst_case() {
        let instance = Instance::new(vec![5, 5, 4, 4, 3, 3, 3], 3).unwrap();
        let (makespan, assignment) =
            lpt(&instance, &instance.longest_first(&monitor()).unwrap(), &monitor()).unwrap();
        assert_eq!(makespan, 11, "the optimum is 9");
        assert_eq!(Schedule::new(assignment).makespan(&instance).unwrap(), makespan);
    }
}
