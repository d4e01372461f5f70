use super::Shape;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::planner::search::{Evaluators, settings};

/// An instance and the start of its search.
#[derive(Clone, Copy)]
pub(in crate::flow_shop::planner) struct Member<'a> {
    pub(in crate::flow_shop::planner) problem: &'a Problem<'a>,
    /// Without the pinned jobs.
    pub(super) start: &'a [u32],
    /// The longest schedule from which the search continues, if there is a limit.
    pub(super) farthest: Option<u32>,
}

impl<'a> Member<'a> {
    pub(in crate::flow_shop::planner) fn new<'p: 'a>(
        evaluators: &Evaluators<'p>,
        start: &'a [u32],
    ) -> Self {
        let (problem, moved) = (evaluators.problem(), settings::OF_ANY_ENGINE.moved());
        Member { problem, start, farthest: evaluators.farthest(problem.latest(start), moved) }
    }

    /// Whether a device can search both at once.
    pub(in crate::flow_shop::planner) fn are_alike(one: &Problem<'_>, other: &Problem<'_>) -> bool {
        let shape = |problem| Shape::of(problem).ok();
        one.jobs() == other.jobs()
            && shape(one).is_some_and(|own| shape(other) == Some(own))
            && one.instance.objective() == other.instance.objective()
            && one.instance.setups() == other.instance.setups()
    }
}
