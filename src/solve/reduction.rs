use super::{Found, Values};

/// Translates values and solutions of a reduced problem into those of the solve's own problem.
pub(crate) trait Reduction: Send + Sync {
    /// Values of the solve's own problem that those of the reduced problem prove.
    fn values(&self, values: Values) -> Values;

    /// The solution of the solve's own problem with an objective that [`Reduction::values`] kept;
    /// nothing if the callback is not to see it.
    fn found(&self, found: Found) -> Option<Found>;
}

/// A reduction whose objectives and bounds differ from those of the solve's own problem by a
/// number, for all objectives up to a limit.
pub(crate) struct Offset<F> {
    /// Added to objectives and bounds.
    pub(crate) added: i64,
    /// Solutions with a higher objective have none of the solve's own problem.
    pub(crate) highest: i64,
    pub(crate) found: F,
}

impl<F: Fn(Found) -> Found + Send + Sync> Reduction for Offset<F> {
    fn values(&self, Values { objective, bound }: Values) -> Values {
        let own = |value: i64| value.checked_add(self.added);
        let kept = objective.filter(|objective| {
            objective.whole().is_some_and(|objective| objective <= self.highest)
        });
        Values {
            objective: kept.and_then(|objective| objective.map_whole(own)),
            bound: bound.and_then(|bound| bound.map_whole(own)),
        }
    }

    fn found(&self, found: Found) -> Option<Found> {
        Some((self.found)(found))
    }
}
