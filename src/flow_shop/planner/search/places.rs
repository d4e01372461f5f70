//! Sequences of any evaluator.

use crate::flow_shop::planner::cost::Cost;
use crate::flow_shop::search::PartialSequence;

/// A sequence that evaluates each place for a job.
pub(in crate::flow_shop::planner) trait Places:
    PartialSequence<Value = Cost>
{
    /// The cost with the job at each position.
    fn costs(&mut self, job: u32, costs: &mut Vec<Cost>);
}

/// A sequence that knows the objective.
pub(in crate::flow_shop::planner) type Sequence<'a> = Box<dyn Places + Send + 'a>;

impl PartialSequence for Box<dyn Places + Send + '_> {
    type Value = Cost;

    fn order(&self) -> &[u32] {
        (**self).order()
    }

    fn set(&mut self, order: &[u32]) {
        (**self).set(order);
    }

    fn insert(&mut self, position: usize, job: u32) {
        (**self).insert(position, job);
    }

    fn remove(&mut self, position: usize) -> u32 {
        (**self).remove(position)
    }

    fn value(&mut self) -> Cost {
        (**self).value()
    }

    fn accepts(&self, worse: Cost, better: Cost, unit: f64) -> bool {
        (**self).accepts(worse, better, unit)
    }

    fn best_place(&mut self, job: u32) -> (usize, Cost) {
        (**self).best_place(job)
    }

    fn best_place_of_block(&mut self, block: &[u32]) -> Option<(usize, Cost)> {
        (**self).best_place_of_block(block)
    }

    fn reaches(&self, value: Cost, moved: u32) -> bool {
        (**self).reaches(value, moved)
    }
}
