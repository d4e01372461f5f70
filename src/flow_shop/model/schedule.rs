//! The schedule of a sequence, by definition. It shares no code with the solvers and checks them.

use super::{Criterion, Stage};
use crate::flow_shop::Instance;

/// Times of all operations of a sequence; each operation starts as early as it can.
pub(in crate::flow_shop) struct Schedule<'a> {
    instance: &'a Instance,
    order: &'a [u32],
    /// `starts[job * machines + machine]`.
    pub(in crate::flow_shop) starts: Vec<u64>,
}

impl<'a> Schedule<'a> {
    /// The schedule of a sequence of all jobs.
    pub(in crate::flow_shop) fn of(instance: &'a Instance, order: &'a [u32]) -> Self {
        let machines = instance.machines();
        let mut starts = vec![0; instance.times().len()];
        // From when on each machine can be set up for the next job.
        let mut free: Vec<u64> = instance.ready_times().iter().map(|&time| time.into()).collect();
        let mut before = None;
        for &job in order {
            let row = &mut starts[job as usize * machines..][..machines];
            let mut arrival = u64::from(instance.release_time(job));
            for machine in 0..machines {
                let setup = u64::from(instance.setup(machine, before, job));
                row[machine] = arrival.max(free[machine] + setup);
                arrival = row[machine] + u64::from(instance.job(job)[machine]);
                free[machine] = arrival;
            }
            if instance.has_blocking() {
                // It stays where it is until it starts on the next machine.
                free[..machines - 1].copy_from_slice(&row[1..]);
            }
            before = Some(job);
        }
        Schedule { instance, order, starts }
    }

    /// The time at which a job ends on the last machine.
    pub(in crate::flow_shop) fn completion(&self, job: u32) -> u64 {
        let (machines, last) = (self.instance.machines(), self.instance.machines() - 1);
        self.starts[job as usize * machines + last] + u64::from(self.instance.job(job)[last])
    }

    /// The value of a stage of an objective.
    pub(in crate::flow_shop) fn value(&self, stage: &Stage) -> i64 {
        let term = |&(factor, criterion): &(u32, Criterion)| {
            i64::from(factor) * self.of_criterion(criterion)
        };
        stage.terms().iter().map(term).sum()
    }

    fn of_criterion(&self, criterion: Criterion) -> i64 {
        let Schedule { instance, order, .. } = self;
        let end = |job: u32| self.completion(job).cast_signed();
        let flow = |job: u32| end(job) - i64::from(instance.release_time(job));
        let lateness = |job: u32| end(job) - instance.due_date(job);
        let weight = |job: u32| i64::from(instance.weight(job));
        let jobs = order.iter().copied();
        match criterion {
            Criterion::Makespan => jobs.map(end).max().unwrap_or(0),
            Criterion::TotalFlowTime => jobs.map(flow).sum(),
            Criterion::WeightedFlowTime => jobs.map(|job| weight(job) * flow(job)).sum(),
            Criterion::TotalTardiness => jobs.map(|job| lateness(job).max(0)).sum(),
            Criterion::WeightedTardiness => {
                jobs.map(|job| weight(job) * lateness(job).max(0)).sum()
            }
            Criterion::MaxLateness => jobs.map(lateness).max().unwrap_or(0),
            Criterion::LateJobs => jobs.filter(|&job| lateness(job) > 0).count() as i64,
            Criterion::Inversions => self.inversions(),
            Criterion::NewPredecessors => self.new_predecessors(),
        }
    }

    fn inversions(&self) -> i64 {
        let place_of = places(self.instance.running_plan(), self.instance.jobs());
        let mut places: Vec<usize> =
            self.order.iter().filter_map(|&job| place_of[job as usize]).collect();
        inversions(&mut places)
    }

    fn new_predecessors(&self) -> i64 {
        let (plan, jobs) = (self.instance.running_plan(), self.instance.jobs());
        let [then, now] = [plan, self.order].map(|list| places(list, jobs));
        let before = |list: &[u32], place: usize| place.checked_sub(1).map(|before| list[before]);
        let is_new = |&job: &usize| {
            then[job].is_some_and(|place| {
                now[job].map(|place| before(self.order, place)) != Some(before(plan, place))
            })
        };
        (0..jobs).filter(is_new).count() as i64
    }
}

/// The place of each job in a list.
fn places(list: &[u32], jobs: usize) -> Vec<Option<usize>> {
    let mut places = vec![None; jobs];
    list.iter().enumerate().for_each(|(place, &job)| places[job as usize] = Some(place));
    places
}

/// Counts the pairs in the wrong order while it sorts the list by merging.
fn inversions(list: &mut [usize]) -> i64 {
    let middle = list.len() / 2;
    if middle == 0 {
        return 0;
    }
    let (left, right) = list.split_at_mut(middle);
    let mut count = inversions(left) + inversions(right);
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let mut right = right.iter().copied().peekable();
    for (taken, &place) in left.iter().enumerate() {
        while let Some(smaller) = right.next_if(|&other| other < place) {
            count += (middle - taken) as i64;
            merged.push(smaller);
        }
        merged.push(place);
    }
    merged.extend(right);
    list.copy_from_slice(&merged);
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow_shop::{Objective, Setups};

    fn values(instance: &Instance, order: &[u32], text: &str) -> Vec<i64> {
        let objective = Objective::parse(text).unwrap();
        let schedule = Schedule::of(instance, order);
        objective.stages().iter().map(|stage| schedule.value(stage)).collect()
    }

    proptest::proptest! {
        #[test]
        fn pairs_in_the_wrong_order_are_counted(
            mut list in proptest::collection::vec(0..20usize, 0..20),
        ) {
            let smaller = |at: usize| list[at + 1..].iter().filter(|&&other| other < list[at]).count();
            let expected = (0..list.len()).map(smaller).sum::<usize>() as i64;
            proptest::prop_assert_eq!(inversions(&mut list), expected);
            proptest::prop_assert!(list.is_sorted());
        }
    }

    fn instance() -> Instance {
        Instance::new(3, 2, vec![3, 2, 1, 4, 2, 1]).unwrap()
    }

    #[test]
    fn setups_are_done_before_the_job_arrives() {
        let setups = Setups::between_jobs(3, vec![0, 2, 3, 4, 0, 1, 5, 1, 0]).unwrap();
        let with = instance().with_setups(setups.with_first(vec![0, 1, 0]).unwrap()).unwrap();
        // Job 1 starts at 1, ends at 2 and 6; job 0 after a set-up of 4: 6 to 9, 10 to 12; job 2
        // after one of 3: 12 to 14, 15 to 16.
        assert_eq!(Schedule::of(&with, &[1, 0, 2]).starts, [6, 10, 1, 2, 12, 15]);
    }

    #[test]
    fn released_jobs_start_late_and_count_from_then() {
        let late = instance().with_release_times(vec![0, 5, 0]).unwrap();
        assert_eq!(Schedule::of(&late, &[1, 0, 2]).starts, [6, 10, 5, 6, 9, 12]);
        assert_eq!(values(&late, &[1, 0, 2], "total-flow-time,makespan"), [5 + 12 + 13, 13]);
    }

    #[test]
    fn blocked_jobs_keep_their_machines() {
        let blocked = instance().with_blocking().unwrap();
        // Job 0 is done at 4 and leaves machine 0 at 5.
        assert_eq!(Schedule::of(&blocked, &[1, 0, 2]).starts, [1, 5, 0, 1, 5, 7]);
        assert_eq!(values(&blocked, &[1, 0, 2], "makespan"), [8]);
    }

    #[test]
    fn every_criterion_has_its_value() {
        let due = instance().with_due_dates(vec![6, 5, 9]).unwrap();
        let due = due.with_weights(vec![3, 1, 2]).unwrap();
        let planned = due.with_running_plan(vec![0, 2, 1]).unwrap();
        // The jobs end at 7, 5 and 8.
        for (criterion, value) in [
            (Criterion::Makespan, 8),
            (Criterion::TotalFlowTime, 20),
            (Criterion::WeightedFlowTime, 21 + 5 + 16),
            (Criterion::TotalTardiness, 1),
            (Criterion::WeightedTardiness, 3),
            (Criterion::MaxLateness, 1),
            (Criterion::LateJobs, 1),
            (Criterion::Inversions, 2),
            (Criterion::NewPredecessors, 2),
        ] {
            assert_eq!(values(&planned, &[1, 0, 2], criterion.name()), [value], "{criterion:?}");
        }
        let sum = "late-jobs,2*makespan+3*max-lateness";
        assert_eq!(values(&planned, &[1, 0, 2], sum), [1, 19]);
    }
}
