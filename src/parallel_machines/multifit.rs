//! MULTIFIT (Coffman, Garey, Johnson 1978): bisection on the capacity for first-fit decreasing.

use super::Instance;
use crate::Result;
use crate::solve::Monitor;

/// Improves on `upper`, the makespan of a known schedule, down to `lower` at best. Returns a better
/// makespan with its assignment if it finds one.
///
/// First-fit decreasing packs into every capacity of at least 13/11 of the optimum (Yue 1990),
/// which bounds the result. A stop ends the bisection early.
pub(super) fn multifit(
    instance: &Instance,
    longest_first: &[u32],
    lower: u64,
    upper: u64,
    monitor: &Monitor,
) -> Option<(u64, Vec<u32>)> {
    let (mut lower, mut upper) = (lower, upper);
    let mut best = None;
    while lower < upper {
        let capacity = lower + (upper - lower) / 2;
        match first_fit(instance, longest_first, capacity, monitor) {
            Ok(Some(found)) => {
                upper = found.0;
                best = Some(found);
            }
            Ok(None) => lower = capacity + 1,
            Err(_) => break,
        }
    }
    best
}

/// Packs the jobs in the given order, each into the first machine where it fits. Returns the
/// largest load and the assignment, or `None` if a job fits nowhere.
fn first_fit(
    instance: &Instance,
    order: &[u32],
    capacity: u64,
    monitor: &Monitor,
) -> Result<Option<(u64, Vec<u32>)>> {
    let mut room = Room::new(instance.useful_machines(), capacity);
    let mut assignment = vec![0; instance.jobs()];
    let mut least_room = capacity;
    for (position, &job) in order.iter().enumerate() {
        monitor.check_step(position)?;
        let Some((machine, left)) = room.take_first(instance.times()[job as usize]) else {
            return Ok(None);
        };
        assignment[job as usize] = machine;
        least_room = least_room.min(left);
    }
    Ok(Some((capacity - least_room, assignment)))
}

/// The free capacity of each machine, in a binary tree whose inner nodes hold the maximum below
/// them: the first machine with enough is found in logarithmic time.
struct Room {
    tree: Vec<u64>,
    leaves: usize,
}

impl Room {
    fn new(machines: usize, capacity: u64) -> Self {
        let leaves = machines.next_power_of_two();
        let mut tree = vec![0; 2 * leaves];
        tree[leaves..leaves + machines].fill(capacity);
        for node in (1..leaves).rev() {
            tree[node] = tree[2 * node].max(tree[2 * node + 1]);
        }
        Room { tree, leaves }
    }

    /// Takes `time` from the first machine with that much free capacity; returns the machine and
    /// what remains free on it.
    fn take_first(&mut self, time: u64) -> Option<(u32, u64)> {
        if self.tree[1] < time {
            return None;
        }
        let mut node = 1;
        while node < self.leaves {
            node *= 2;
            if self.tree[node] < time {
                node += 1;
            }
        }
        self.tree[node] -= time;
        let found = ((node - self.leaves) as u32, self.tree[node]);
        while node > 1 {
            node /= 2;
            self.tree[node] = self.tree[2 * node].max(self.tree[2 * node + 1]);
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel_machines::Schedule;
    use crate::testing::monitor;

    fn makespan(times: &[u64], machines: u32, lower: u64, upper: u64) -> Option<u64> {
        let instance = Instance::new(times.to_vec(), machines).unwrap();
        let longest_first = instance.longest_first(&monitor()).unwrap();
        multifit(&instance, &longest_first, lower, upper, &monitor()).map(
            |(makespan, assignment)| {
                assert_eq!(Schedule::new(assignment).makespan(&instance).unwrap(), makespan);
                makespan
            },
        )
    }

    #[test]
    fn solves_grahams_worst_case() {
        assert_eq!(makespan(&[5, 5, 4, 4, 3, 3, 3], 3, 9, 11), Some(9));
    }

    #[test]
    fn returns_nothing_where_nothing_is_better() {
        assert_eq!(makespan(&[3, 3, 3, 2, 2, 2], 2, 8, 8), None);
        assert_eq!(makespan(&[3, 3, 2, 2, 2], 2, 6, 6), None);
    }

    #[test]
    fn the_first_machine_with_room_takes_the_job() {
        let mut room = Room::new(3, 10);
        assert_eq!(room.take_first(7), Some((0, 3)));
        assert_eq!(room.take_first(4), Some((1, 6)));
        assert_eq!(room.take_first(3), Some((0, 0)));
        assert_eq!(room.take_first(10), Some((2, 0)));
        assert_eq!(room.take_first(7), None);
        assert_eq!(room.take_first(6), Some((1, 0)));
        assert_eq!(room.take_first(0), Some((0, 0)));
    }
}
