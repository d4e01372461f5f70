//! Completion times of partial sequences: heads before a position, tails from the position on.

use super::Instance;

/// Appends a job: the machines' free times in `free` become the job's completion times.
#[inline]
pub(super) fn append(free: &mut [u32], times: &[u32]) {
    let mut end = 0;
    for (free, &time) in free.iter_mut().zip(times) {
        end = end.max(*free) + time;
        *free = end;
    }
}

/// The same with set-ups of the machines before the job.
#[inline]
pub(super) fn append_after(free: &mut [u32], times: &[u32], setup: impl Fn(usize) -> u32) {
    let mut end = 0;
    for (machine, (free, &time)) in free.iter_mut().zip(times).enumerate() {
        end = end.max(*free + setup(machine)) + time;
        *free = end;
    }
}

/// Prepends a job, the mirror image: `tail`, the times from the start of the later jobs to the end,
/// then includes the job.
#[inline]
pub(super) fn prepend(tail: &mut [u32], times: &[u32]) {
    let mut end = 0;
    for (tail, &time) in tail.iter_mut().zip(times).rev() {
        end = end.max(*tail) + time;
        *tail = end;
    }
}

/// For each position and the end, the times at which the machines become free: one row with all
/// machines per position.
pub(super) fn heads(instance: &Instance, order: &[u32], heads: &mut Vec<u32>) {
    let machines = instance.machines();
    heads.clear();
    heads.extend_from_slice(instance.ready_times());
    for &job in order {
        let row = heads.len();
        heads.extend_from_within(row - machines..);
        append(&mut heads[row..], instance.job(job));
    }
}

/// For each position and the end, the times from the start of the job there to the end of the
/// schedule, in rows like those of [`heads`].
pub(super) fn tails(instance: &Instance, order: &[u32], tails: &mut Vec<u32>) {
    let machines = instance.machines();
    tails.clear();
    tails.resize((order.len() + 1) * machines, 0);
    for (position, &job) in order.iter().enumerate().rev() {
        let (row, later) = tails[position * machines..].split_at_mut(machines);
        row.copy_from_slice(&later[..machines]);
        prepend(row, instance.job(job));
    }
}

/// The makespan of a complete sequence.
pub(super) fn makespan(instance: &Instance, order: &[u32]) -> u32 {
    let mut free = instance.ready_times().to_vec();
    order.iter().for_each(|&job| append(&mut free, instance.job(job)));
    free.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::flow_shop::Permutation;
    use crate::flow_shop::testing::instances;

    proptest! {
        #[test]
        fn heads_and_tails_meet_at_every_position(instance in instances(7, 5)) {
            let order = [instance.pinned(), &instance.free_jobs()].concat();
            let makespan = makespan(&instance, &order);
            prop_assert_eq!(u64::from(makespan), Permutation::new(order.clone()).makespan(&instance).unwrap());
            let (mut front, mut back) = (Vec::new(), Vec::new());
            heads(&instance, &order, &mut front);
            tails(&instance, &order, &mut back);
            let machines = instance.machines();
            for (head, tail) in front.chunks(machines).zip(back.chunks(machines)) {
                let longest = head.iter().zip(tail).map(|(head, tail)| head + tail).max().unwrap();
                // A machine that becomes ready after the last job has left it is not on a path to
                // the end.
                let all_ready = instance.ready_times().iter().all(|&ready| ready == 0);
                prop_assert!(longest == makespan || (longest > makespan && !all_ready));
            }
        }
    }
}
