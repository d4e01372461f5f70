//! How the best values of a solve developed.

use super::{Sense, Value, Values};
use crate::memory;

/// The best values at a time of a solve, from the moment when one of them became better.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TracePoint {
    /// Wall-clock seconds since the start of the solve.
    pub seconds: f64,
    /// Objective of the best solution by then.
    pub objective: Option<Value>,
    /// Best proved bound by then.
    pub bound: Option<Value>,
}

/// Most points of a trace.
const MOST: usize = 4096;

/// A list of points with rising times.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trace(Vec<TracePoint>);

impl Trace {
    /// A trace that has only the values at the end of a solve.
    pub(super) fn of_end(seconds: f64, values: Values) -> Self {
        let mut trace = Trace::default();
        trace.end(seconds, values);
        trace
    }

    /// Adds the best values from `seconds` on, which is not before the last point.
    pub(super) fn add(&mut self, seconds: f64, Values { objective, bound }: Values) {
        let point = TracePoint { seconds, objective, bound };
        match self.0.last_mut() {
            Some(last) if last.seconds >= seconds => {
                *last = TracePoint { seconds: last.seconds, ..point };
            }
            _ => {
                if self.0.len() == MOST {
                    self.thin();
                }
                self.0.push(point);
            }
        }
    }

    /// Leaves every second point of the older half, among them the first.
    fn thin(&mut self) {
        let mut place = 0;
        self.0.retain(|_| {
            place += 1;
            place > MOST / 2 || place % 2 == 1
        });
    }

    /// Adds the points of a part of the solve in the order of time, without values that were
    /// already known by then.
    pub(super) fn join(&mut self, part: &Trace, sense: Sense) {
        let Some(first) = part.0.first() else { return };
        let before = self.0.partition_point(|point| point.seconds <= first.seconds);
        let mut later = self.0.split_off(before);
        later.extend(&part.0);
        later.sort_by_cached_key(|point| memory::key(point.seconds));
        let mut known = self.0.last().map(values).unwrap_or_default();
        for point in later {
            let best = known.best(values(&point), sense);
            if best != known {
                self.add(point.seconds, best);
            }
            known = best;
        }
    }

    /// Ends the trace with the values of the result.
    pub(super) fn end(&mut self, seconds: f64, result: Values) {
        if self.0.last().map(values) != Some(result) {
            self.add(seconds, result);
        }
    }

    pub(super) fn into_points(self) -> Vec<TracePoint> {
        self.0
    }
}

fn values(&TracePoint { objective, bound, .. }: &TracePoint) -> Values {
    Values { objective, bound }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of_bound(bound: usize) -> Values {
        Values { objective: None, bound: Some(Value::Whole(bound as i64)) }
    }

    fn trace(points: impl IntoIterator<Item = (f64, usize)>) -> Trace {
        let mut trace = Trace::default();
        points.into_iter().for_each(|(seconds, bound)| trace.add(seconds, of_bound(bound)));
        trace
    }

    fn list(trace: Trace) -> Vec<(f64, usize)> {
        let bound = |point: &TracePoint| point.bound.map_or(0.0, Value::to_f64) as usize;
        trace.into_points().iter().map(|point| (point.seconds, bound(point))).collect()
    }

    #[test]
    fn a_full_list_loses_points_of_its_older_half_alone() {
        let points = list(trace((0..=MOST).map(|place| (place as f64, place))));
        let older = (0..MOST / 2).step_by(2);
        let expected: Vec<_> =
            older.chain(MOST / 2..=MOST).map(|place| (place as f64, place)).collect();
        assert_eq!(points, expected);
    }

    #[test]
    fn parts_at_the_same_time_are_merged() {
        let mut whole = trace([(1.0, 1), (4.0, 4)]);
        whole.join(&trace([(2.0, 2), (3.0, 5), (6.0, 6)]), Sense::Minimise);
        whole.join(&trace([(2.5, 3)]), Sense::Minimise);
        whole.join(&Trace::default(), Sense::Minimise);
        assert_eq!(list(whole), [(1.0, 1), (2.0, 2), (2.5, 3), (3.0, 5), (6.0, 6)]);
    }

    #[test]
    fn values_of_one_moment_are_one_point() {
        assert_eq!(list(trace([(1.0, 1), (1.0, 2), (0.5, 3)])), [(1.0, 3)]);
    }

    #[test]
    fn the_end_is_told_once() {
        let mut ended = trace([(1.0, 1)]);
        ended.end(2.0, of_bound(1));
        assert_eq!(list(ended), [(1.0, 1)]);
        assert_eq!(list(Trace::of_end(2.0, of_bound(1))), [(2.0, 1)]);
        assert_eq!(Trace::of_end(2.0, Values::default()).into_points().len(), 1);
    }

    proptest! {
        #[test]
        fn long_traces_keep_their_ends_and_their_order(length in 1..4 * MOST) {
            let points = list(trace((0..length).map(|place| (place as f64, place))));
            prop_assert!(points.len() <= MOST && points.len() >= length.min(MOST / 2));
            prop_assert_eq!(points[0], (0.0, 0));
            prop_assert_eq!(points.last(), Some(&((length - 1) as f64, length - 1)));
            prop_assert!(points.is_sorted_by(|a, b| a.0 < b.0));
        }
    }
}
