use std::sync::{Arc, Mutex};

use proptest::prelude::*;

use super::testing::{least_cost, planned};
use crate::flow_shop::{
    Criterion, Instance, Method, Objective, Options, Permutation, SearchOptions, solve,
};
use crate::testing::cpu_context;
use crate::{Control, ProgressCallback, SolveOptions, Status};

fn solved(instance: &Instance) -> crate::Outcome<Permutation> {
    solve(&cpu_context(1), instance, &Options::default(), &SolveOptions::default()).unwrap()
}

proptest! {
    #[test]
    fn no_schedule_is_better_than_the_bound(instance in planned(6, 4)) {
        let outcome = solved(&instance);
        let least = least_cost(&instance);
        prop_assert!(outcome.bound.unwrap() <= least.first());
        prop_assert_eq!(outcome.stages as usize, instance.objective().stages().len());
        let values = outcome.solution.unwrap().values(&instance).unwrap();
        prop_assert_eq!(Some(values[0]), outcome.objective);
        prop_assert!(values[..] >= least.0[..values.len()]);
        if outcome.status == Status::Optimal {
            prop_assert_eq!(&values[..], &least.0[..values.len()]);
        }
    }

    #[test]
    fn solvers_and_evaluator_agree(instance in planned(9, 5)) {
        let problem = super::Problem::new(&instance);
        let order = [instance.pinned(), &problem.free_jobs].concat();
        let values = Permutation::new(order.clone()).values(&instance).unwrap();
        prop_assert_eq!(&problem.cost(&order).0[..values.len()], &values[..]);
    }
}

#[test]
fn solutions_that_are_better_in_a_later_stage_are_reported() {
    let times = (0..24).map(|place| place * 7 % 11 + 1).collect();
    let instance = Instance::new(12, 2, times).unwrap().with_due_dates(vec![30; 12]).unwrap();
    let objective = Objective::parse("max-lateness,total-flow-time").unwrap();
    let instance = Arc::new(instance.with_objective(objective).unwrap());
    let reports = Arc::new(Mutex::new(Vec::new()));
    let (own, sink) = (Arc::clone(&instance), Arc::clone(&reports));
    let progress: ProgressCallback = Arc::new(move |progress| {
        let values = |found: &Permutation| found.values(&own).unwrap();
        let values = progress.incumbent().map(values);
        sink.lock().unwrap().push((progress.solutions, values.unwrap_or_default()));
        Control::Continue
    });
    let solve_options = SolveOptions { progress: Some(progress), ..SolveOptions::default() };
    let outcome = solve(&cpu_context(1), &instance, &Options::default(), &solve_options).unwrap();
    let reports = reports.lock().unwrap();
    let last = outcome.solution.unwrap().values(&instance).unwrap();
    assert_eq!(reports.last().unwrap().1, last);
    let news: Vec<_> = reports.windows(2).filter(|pair| pair[0].0 < pair[1].0).collect();
    assert!(news.iter().all(|pair| pair[0].1.is_empty() || pair[1].1 < pair[0].1), "{news:?}");
    let is_finer = |pair: &&&[(u64, Vec<i64>)]| pair[0].1.first() == pair[1].1.first();
    assert!(news.iter().filter(is_finer).count() > 0, "{news:?}");
}

#[test]
fn auto_refuses_the_width_of_a_beam_that_it_does_not_take() {
    let with = |method, criterion: Criterion| {
        let instance = Instance::new(2, 1, vec![2, 1]).unwrap().with_due_dates(vec![0; 2]).unwrap();
        let instance = instance.with_objective(criterion.into()).unwrap();
        let search = SearchOptions { beam_width: Some(4), ..SearchOptions::default() };
        let options = Options { method, search, ..Options::default() };
        let solved = solve(&cpu_context(1), &instance, &options, &SolveOptions::default());
        solved.map_err(|error| error.to_string()).map(|outcome| outcome.objective)
    };
    let refused = "beam_width: applies only to beam, since auto takes no beam for this instance";
    assert_eq!(with(Method::Auto, Criterion::TotalTardiness), Err(refused.into()));
    assert_eq!(with(Method::Auto, Criterion::TotalFlowTime), Ok(Some(4)));
    assert_eq!(with(Method::Beam, Criterion::TotalTardiness), Ok(Some(4)));
}
