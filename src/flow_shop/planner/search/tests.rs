use proptest::prelude::*;

use super::evaluators::{Evaluators, is_two_sided};
use super::places::Sequence;
use super::prefix::Prefix;
use super::spread::Lane;
use super::sums::{Score, Sum};
use super::tables::{Reach, Tables};
use super::two_sided::TwoSided;
use crate::flow_shop::planner::cost::Cost;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::planner::testing::planned;
use crate::flow_shop::search::PartialSequence;
use crate::flow_shop::{Instance, Setups};
use crate::random::Random;

/// A random walk of insertions and removals, in which every best place must be as good as the best
/// of all places, each computed from scratch.
fn check(
    mut sequence: Sequence<'_>,
    problem: &Problem<'_>,
    seed: u64,
) -> Result<(), TestCaseError> {
    let mut random = Random::new(seed);
    let cost = |order: &[u32]| problem.cost(&[problem.pinned(), order].concat());
    sequence.set(&problem.free_jobs);
    let mut out = Vec::new();
    for _ in 0..24 {
        let length = sequence.order().len() as u64;
        if out.is_empty() || (length > 0 && random.below(2) == 0) {
            out.push(sequence.remove(random.below(length) as usize));
        }
        prop_assert_eq!(sequence.value(), cost(sequence.order()));
        let job = out.pop().unwrap();
        let with = |position: usize| {
            let mut order = sequence.order().to_vec();
            order.insert(position, job);
            cost(&order)
        };
        let costs: Vec<Cost> = (0..=sequence.order().len()).map(with).collect();
        let (position, best) = sequence.best_place(job);
        prop_assert_eq!(Some(&best), costs.iter().min());
        prop_assert_eq!(best, costs[position]);
        check_block(&mut sequence, problem, &mut random)?;
        let elsewhere = random.below(costs.len() as u64) as usize;
        sequence.insert(if random.below(2) == 0 { position } else { elsewhere }, job);
    }
    Ok(())
}

/// The best place of a block that leaves the sequence must be as good as the best of all places.
fn check_block(
    sequence: &mut Sequence<'_>,
    problem: &Problem<'_>,
    random: &mut Random,
) -> Result<(), TestCaseError> {
    let whole = sequence.order().to_vec();
    let start = random.below(whole.len() as u64 + 1) as usize;
    let length = (1 + random.below(4) as usize).min(whole.len() - start);
    let block: Vec<u32> = (0..length).map(|_| sequence.remove(start)).collect();
    let rest = sequence.order().to_vec();
    if let Some((position, best)) = sequence.best_place_of_block(&block).filter(|_| length > 0) {
        let with = |position: usize| {
            let (before, behind) = rest.split_at(position);
            problem.cost(&[problem.pinned(), before, &block, behind].concat())
        };
        prop_assert_eq!(Some(best), (0..=rest.len()).map(with).min());
        prop_assert_eq!(best, with(position));
    }
    (start..).zip(block).for_each(|(position, job)| sequence.insert(position, job));
    prop_assert_eq!(sequence.order(), whole);
    Ok(())
}

fn check_prefix<T: Lane, S: Sum>(problem: &Problem<'_>, seed: u64) -> Result<(), TestCaseError> {
    let tables = Tables::<T>::new(problem).unwrap().into();
    let most = S::most(problem).min(T::NONE.to_u32() - 1);
    prop_assert!(problem.instance.horizon() <= most);
    let scores = Score::<S>::all(problem).unwrap().into();
    check(Box::new(Prefix::new(tables, scores, most).unwrap()), problem, seed)
}

fn check_two_sided<T: Lane>(problem: &Problem<'_>, seed: u64) -> Result<(), TestCaseError> {
    let tables = Tables::<T>::new(problem).unwrap().into();
    check(Box::new(TwoSided::new(tables).unwrap()), problem, seed)
}

fn check_all(instance: &Instance, seed: u64) -> Result<(), TestCaseError> {
    let problem = Problem::new(instance);
    prop_assume!(!problem.free_jobs.is_empty());
    check_prefix::<u16, i32>(&problem, seed)?;
    check_prefix::<u32, i64>(&problem, seed)?;
    if is_two_sided(&problem) {
        check_two_sided::<u16>(&problem, seed)?;
        check_two_sided::<u32>(&problem, seed)?;
    }
    let evaluators = Evaluators::new(&problem);
    check(evaluators.widest().unwrap(), &problem, seed)
}

proptest! {
    #[test]
    fn the_best_place_of_any_objective_is_the_best(
        instance in planned(9, 5), seed in any::<u64>(),
    ) {
        check_all(&instance, seed)?;
    }

    #[test]
    fn more_positions_than_lanes_are_evaluated(
        instance in planned(80, 3), seed in any::<u64>(),
    ) {
        check_all(&instance, seed)?;
    }

    #[test]
    fn the_makespan_has_heads_and_tails(
        instance in planned(12, 5), text in prop::sample::select(&[
            "makespan", "3*makespan", "inversions,makespan", "makespan+2*new-predecessors",
        ][..]), seed in any::<u64>(),
    ) {
        let objective = crate::flow_shop::Objective::parse(text).unwrap();
        let instance = instance.with_objective(objective).unwrap();
        prop_assert!(is_two_sided(&Problem::new(&instance)));
        check_all(&instance, seed)?;
    }
}

#[test]
fn small_numbers_hold_the_times_behind_a_late_release() {
    // Each order but the one in which the last job stays last ends later than 16 bits hold.
    let times = vec![20_000, 30_000, 100];
    let instance = Instance::new(3, 1, times).unwrap().with_release_times(vec![0, 0, 60_000]);
    let instance = instance.unwrap();
    let problem = Problem::new(&instance);
    let evaluators = Evaluators::new(&problem);
    let mut sequence = evaluators.sequence(problem.latest(&[0, 1, 2]), 1).unwrap();
    sequence.set(&[0, 1, 2]);
    sequence.remove(2);
    assert_eq!(sequence.best_place(2), (2, problem.cost(&[0, 1, 2])));
}

/// The value of a first job behind no others, as NEH computes it.
fn check_first_job(instance: &Instance) {
    let problem = Problem::new(instance);
    let mut sequence = Evaluators::new(&problem).sequence(problem.latest(&[]), 1).unwrap();
    sequence.set(&[]);
    assert_eq!(sequence.best_place(0).1, problem.cost(&[0]));
}

#[test]
fn due_dates_long_ago_count_in_full() {
    let instance = Instance::new(2, 1, vec![3, 4]).unwrap();
    let instance = instance.with_due_dates(vec![-1_500_000_000, 0]).unwrap();
    let tardiness = crate::flow_shop::Criterion::TotalTardiness.into();
    let instance = instance.with_objective(tardiness).unwrap();
    let problem = Problem::new(&instance);
    let mut sequence = Evaluators::new(&problem).sequence(problem.latest(&[0, 1]), 1).unwrap();
    sequence.set(&[1]);
    assert_eq!(sequence.best_place(0), (0, problem.cost(&[0, 1])));
}

#[test]
fn a_first_job_may_begin_late() {
    let instance = || Instance::new(1, 2, vec![3, 4]).unwrap();
    check_first_job(&instance().with_release_times(vec![70_000]).unwrap());
    check_first_job(&instance().with_ready_times(vec![70_000, 65_600]).unwrap());
}

#[test]
fn values_that_are_no_ends_need_numbers_for_all_orders() {
    let times = vec![1_000; 50];
    let instance = Instance::new(50, 1, times).unwrap().with_release_times(vec![20_000; 50]);
    let flow = instance.unwrap().with_objective(crate::flow_shop::Criterion::TotalFlowTime.into());
    let flow = flow.unwrap();
    let problem = Problem::new(&flow);
    assert_eq!(Reach::of(&problem).longest(1, 1), flow.horizon());
}

#[test]
fn with_blocking_a_moved_job_changes_the_setups_of_a_path() {
    // Set-ups are long on one anti-diagonal of jobs and machines. The longest path is on it or next to
    // it, depending on the place of one job.
    const MACHINES: usize = 16;
    let jobs = MACHINES + 1;
    let mut setups = vec![0; MACHINES * jobs * jobs];
    for job in 1..jobs {
        let machine = MACHINES - job;
        setups[(machine * jobs + job - 1) * jobs + job] = 2_400;
    }
    let setups = Setups::between_jobs(jobs, setups).unwrap();
    let instance = Instance::new(jobs, MACHINES, vec![1; jobs * MACHINES]).unwrap();
    let mut ready = vec![0; MACHINES];
    ready[MACHINES - 1] = 38_400;
    let instance = instance.with_setups(setups).unwrap().with_ready_times(ready).unwrap();
    let problem_of = instance.with_blocking().unwrap();
    let problem = Problem::new(&problem_of);
    let order: Vec<u32> = (0..jobs as u32).collect();
    let reach = Reach::of(&problem);
    for from in 0..jobs {
        for to in 0..jobs {
            let mut moved = order.clone();
            let job = moved.remove(from);
            moved.insert(to, job);
            let (one, other) = (problem.latest(&order), problem.latest(&moved));
            assert!(reach.longest(one, 1) >= other && reach.longest(other, 1) >= one);
        }
    }
}

proptest! {
    #[test]
    fn no_schedule_is_longer_than_the_reach(instance in planned(9, 5), seed in any::<u64>()) {
        let makespan = crate::flow_shop::Criterion::Makespan.into();
        let instance = instance.with_objective(makespan).unwrap();
        let problem = Problem::new(&instance);
        let (reach, mut random) = (Reach::of(&problem), Random::new(seed));
        let mut order = problem.free_jobs.clone();
        for _ in 0..20 {
            let before = problem.latest(&order);
            let moved = 1 + random.below(3) as u32;
            for _ in 0..moved {
                if order.is_empty() {
                    return Ok(());
                }
                let job = order.remove(random.below(order.len() as u64) as usize);
                order.insert(random.below(order.len() as u64 + 1) as usize, job);
            }
            prop_assert!(problem.latest(&order) <= reach.longest(before, moved));
        }
    }
}
