//! A bound for the case of a stop: in one pass over the jobs, without memory for each of them.

use super::super::cost::Cost;
use super::super::problem::Problem;

/// A machine: the first start of a job, all times, and the least time of a job behind it.
#[derive(Clone)]
struct Machine {
    start: i64,
    times: i64,
    tail: i64,
}

/// No sequence has a lower value: each job counts as if it were next behind the pinned ones, and all
/// jobs end no sooner than the longest machine allows.
pub(in super::super) fn simple(problem: &Problem<'_>) -> Cost {
    let root = problem.root();
    let (instance, scoring) = (problem.instance, &problem.scoring);
    let none = Machine { start: i64::MAX, times: 0, tail: i64::MAX };
    let mut machines = vec![none; problem.machines()];
    let mut tally = root.tally;
    for &job in &problem.free_jobs {
        let times = instance.job(job);
        let mut tail: i64 = times.iter().copied().map(i64::from).sum();
        let mut end = i64::from(instance.release_time(job));
        for ((machine, &time), &free) in machines.iter_mut().zip(times).zip(&root.free) {
            let (time, start) = (i64::from(time), end.max(free.into()));
            tail -= time;
            end = start + time;
            machine.start = machine.start.min(start);
            machine.times += time;
            machine.tail = machine.tail.min(tail);
        }
        scoring.add(&mut tally, job, end);
    }
    if !problem.free_jobs.is_empty() {
        let end = |machine: &Machine| machine.start + machine.times + machine.tail;
        tally.latest = tally.latest.max(machines.iter().map(end).max().unwrap_or(0));
    }
    scoring.cost(&tally)
}
