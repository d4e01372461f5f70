use proptest::prelude::*;

use super::testing::{least_cost, planned};
use crate::flow_shop::{Instance, Options, Permutation, solve};
use crate::testing::cpu_context;
use crate::{SolveOptions, Status};

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
