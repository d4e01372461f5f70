//! An evaluator of insertions that computes each makespan from scratch, to compare the kernels with
//! set-ups with.

use super::Shop;
use crate::Result;
use crate::flow_shop::search::evaluator::{NeighbourhoodEvaluator, ValuedSequence};
use crate::flow_shop::search::moves::{Move, Neighbourhood};
use crate::flow_shop::self_test::instance;
use crate::flow_shop::{Instance, Setups};
use crate::random::Random;

/// The largest set-up.
const LONGEST: u64 = 150;

pub(super) struct FromScratch<'a>(pub(super) &'a Shop);

impl NeighbourhoodEvaluator for FromScratch<'_> {
    type Value = u64;

    fn best(
        &mut self,
        from: &ValuedSequence,
        forbidden: &[usize],
        cutoff: u64,
    ) -> Result<Option<(usize, u64)>> {
        let jobs = from.order.len();
        let value = |number: usize| {
            let mv = Neighbourhood::Insertion.numbered(number, jobs);
            let Move::Insertion(old, new) = mv else { return None };
            if old >= jobs || old == new {
                return None;
            }
            let mut order = from.order.clone();
            mv.apply(&mut order);
            let value = u64::from(self.0.makespan(&order));
            (value < cutoff || !forbidden.contains(&number)).then_some((number, value))
        };
        let numbers = 0..Neighbourhood::Insertion.numbers(jobs);
        Ok(numbers.filter_map(value).min_by_key(|&(number, value)| (value, number)))
    }
}

/// An instance with set-ups, ready times and pinned jobs.
pub(super) fn instance_with_setups(
    jobs: usize,
    machines: usize,
    pinned: usize,
) -> Result<Instance> {
    let mut random = Random::new(2);
    let mut draw = |count: usize| -> Vec<u32> {
        (0..count).map(|_| random.below(LONGEST + 1) as u32).collect()
    };
    let setups = Setups::between_jobs(jobs, draw(jobs * jobs * machines))?;
    let setups = setups.with_first(draw(jobs * machines))?;
    instance(jobs, machines, pinned, 99)?.with_setups(setups)
}
