//! Relaxations of a single machine, on which jobs may be interrupted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A job: it starts no sooner than its head, takes its time, and is over a tail after that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) head: i64,
    pub(super) time: i64,
    pub(super) tail: i64,
}

/// The least end of all jobs with interruptions: of the released jobs the one with the longest
/// tail runs (Jackson's rule). The jobs come in the order of their heads.
pub(super) fn jackson(jobs: impl Iterator<Item = Job>) -> i64 {
    let mut waiting: BinaryHeap<(i64, i64)> = BinaryHeap::new();
    let (mut now, mut latest) = (i64::MIN, i64::MIN);
    let mut run = |waiting: &mut BinaryHeap<(i64, i64)>, now: &mut i64, until: i64| {
        while *now < until
            && let Some((tail, left)) = waiting.pop()
        {
            let step = left.min(until - *now);
            *now += step;
            if step == left {
                latest = latest.max(*now + tail);
            } else {
                waiting.push((tail, left - step));
            }
        }
    };
    for Job { head, time, tail } in jobs {
        if now != i64::MIN {
            run(&mut waiting, &mut now, head);
        }
        now = now.max(head);
        waiting.push((tail, time));
    }
    // Far enough for all, and no overflow from a negative start.
    run(&mut waiting, &mut now, i64::MAX / 4);
    latest
}

/// The times by which 1, 2, ... jobs can have ended with interruptions: of the released jobs the
/// one with the least time left runs. The jobs come in the order of their heads.
pub(super) fn earliest_ends(jobs: impl Iterator<Item = (i64, i64)>, ends: &mut Vec<i64>) {
    let mut waiting: BinaryHeap<Reverse<i64>> = BinaryHeap::new();
    let mut now = i64::MIN;
    ends.clear();
    for (head, time) in jobs {
        while now < head
            && let Some(Reverse(left)) = waiting.pop()
        {
            let step = left.min(head - now);
            now += step;
            if step == left {
                ends.push(now);
            } else {
                waiting.push(Reverse(left - step));
            }
        }
        now = now.max(head);
        waiting.push(Reverse(time));
    }
    while let Some(Reverse(left)) = waiting.pop() {
        now += left;
        ends.push(now);
    }
}

/// The least number of jobs that end late if all are released at `start`: Moore and Hodgson's rule.
/// The pairs of time and due date come in the order of due dates.
pub(super) fn late_jobs(start: i64, jobs: impl Iterator<Item = (i64, i64)>) -> i64 {
    let mut kept = BinaryHeap::new();
    let (mut now, mut late) = (start, 0);
    for (time, due) in jobs {
        now += time;
        kept.push(time);
        if now > due
            && let Some(longest) = kept.pop()
        {
            now -= longest;
            late += 1;
        }
    }
    late
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All orders of the indices of a list.
    fn orders(count: usize) -> Vec<Vec<usize>> {
        if count == 0 {
            return vec![Vec::new()];
        }
        let longer = |order: Vec<usize>| {
            (0..count).map(move |place| {
                let mut order = order.clone();
                order.insert(place, count - 1);
                order
            })
        };
        orders(count - 1).into_iter().flat_map(longer).collect()
    }

    proptest! {
        #[test]
        fn no_order_is_better_and_without_heads_one_is_as_good(
            mut jobs in prop::collection::vec((0..30i64, 1..20i64, -40..30i64), 1..=5),
            has_heads: bool,
        ) {
            if !has_heads {
                jobs.iter_mut().for_each(|job| job.0 = 7);
            }
            jobs.sort_unstable();
            let list: Vec<_> =
                jobs.iter().map(|&(head, time, tail)| Job { head, time, tail }).collect();
            let mut ends = Vec::new();
            earliest_ends(jobs.iter().map(|job| (job.0, job.1)), &mut ends);
            let mut by_due = jobs.clone();
            by_due.sort_by_key(|job| Reverse(job.2));
            let late = late_jobs(7, by_due.iter().map(|job| (job.1, 30 - job.2)));
            let (mut longest, mut first, mut fewest) = (i64::MAX, vec![i64::MAX; jobs.len()], 9);
            for order in orders(jobs.len()) {
                let (mut now, mut end, mut count) = (i64::MIN, i64::MIN, 0);
                for (place, &at) in order.iter().enumerate() {
                    now = now.max(list[at].head) + list[at].time;
                    end = end.max(now + list[at].tail);
                    first[place] = first[place].min(now);
                    count += i64::from(now > 30 - list[at].tail);
                }
                (longest, fewest) = (longest.min(end), fewest.min(count));
            }
            let least = jackson(list.iter().copied());
            prop_assert!(least <= longest);
            prop_assert!(ends.iter().zip(&first).all(|(end, first)| end <= first));
            if !has_heads {
                prop_assert_eq!((least, &ends, late), (longest, &first, fewest));
            }
        }
    }
}
