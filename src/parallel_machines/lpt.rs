use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Instance;

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

/// Longest processing time first (Graham 1969): at most 4/3 - 1/(3 m) times the optimum. Returns
/// makespan and assignment.
pub(super) fn lpt(instance: &Instance, longest_first: &[u32]) -> (u64, Vec<u32>) {
    let mut machines = LeastLoaded::new(vec![0; instance.useful_machines()]);
    let mut assignment = vec![0; instance.jobs()];
    let mut makespan = 0;
    for &job in longest_first {
        let (machine, load) = machines.place(instance.times()[job as usize]);
        assignment[job as usize] = machine;
        makespan = makespan.max(load);
    }
    (makespan, assignment)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel_machines::Schedule;

    #[test]
    fn grahams_worst_case() {
        let instance = Instance::new(vec![5, 5, 4, 4, 3, 3, 3], 3).unwrap();
        let (makespan, assignment) = lpt(&instance, &instance.longest_first().unwrap());
        assert_eq!(makespan, 11, "the optimum is 9");
        assert_eq!(Schedule::new(assignment).makespan(&instance).unwrap(), makespan);
    }
}
