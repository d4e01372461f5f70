//! Upper bounds on the completions of a partial solution. In the order by efficiency, the pieces
//! between two positions are decided; so far those before are taken and those after are not.

use std::ops::Range;

use super::instance::Instance;
use super::reduction::{Piece, Problem};
use super::search::Answer;
use crate::solve::Monitor;
use crate::table::TableList;
use crate::{Result, memory};

/// Relative error of a quotient and two products of f64, with a margin.
const ROUNDING: f64 = 1.0 / (1u64 << 50) as f64;

/// The bound of all completions of a state, by its weight. It depends on nothing else in the state,
/// so that a state that dominates another one has the better bound too.
///
/// A completion adds pieces A after the core and removes pieces R before it. w(A) - w(R) is at most
/// the free capacity d, which is negative if the weight exceeds the capacity. The smaller of two
/// bounds is used:
///
/// - The linear one of Dantzig (1957): free capacity is filled at the efficiency of the next piece,
///   and excess is removed at the efficiency of the last piece taken.
/// - One by number, for pieces of similar weights, which fill the capacity badly. Let pieces after
///   the core weigh at least a and be worth at most P, and let pieces before it weigh at most b and
///   be worth at least Q. Then |A| a <= d + |R| b. So with r = |R| the number of pieces grows by
///   |A| - r <= u(r) = floor((d + r (b - a)) / a), and the gain is at most (r + u(r)) P - r Q =
///   u(r) P - r (Q - P). Let P <= Q. Among the r with u(r) = u(0), the least possible r gains most.
///   Those with larger u start at r1 = ((u(0) + 1) a - d) / (b - a); from there on the gain falls
///   if (b - a) P <= (Q - P) a.
#[derive(Debug, Clone, Copy)]
pub(super) struct Completion {
    capacity: i64,
    /// Upper limit of the profit of a unit of free capacity.
    fill: f64,
    /// Lower limit of the profit lost for a unit of excess; infinite if no piece can be removed.
    pay: f64,
    by_number: Option<ByNumber>,
}

/// The terms of the bound by number, if it holds: a, P, Q, and (Q - P) / (b - a), infinite if b <=
/// a.
#[derive(Debug, Clone, Copy)]
struct ByNumber {
    lightest: f64,
    dearest: f64,
    cheapest: f64,
    price: f64,
}

impl ByNumber {
    fn new(lightest: i64, dearest: i64, heaviest: i64, cheapest: i64) -> Option<Self> {
        let (wider, dearer) = (
            i128::from(heaviest) - i128::from(lightest),
            i128::from(cheapest) - i128::from(dearest),
        );
        let falls = wider <= 0 || wider * i128::from(dearest) <= dearer * i128::from(lightest);
        let price = if wider > 0 { dearer as f64 / wider as f64 } else { f64::INFINITY };
        let [lightest, dearest, cheapest] =
            [lightest, dearest, cheapest].map(|number| number as f64);
        (dearer >= 0 && falls).then_some(ByNumber { lightest, dearest, cheapest, price })
    }

    fn gain(&self, room: f64) -> f64 {
        // Rounded up, as for slightly more free capacity; the bound does not fall with that.
        let pieces = room / self.lightest;
        let more = whole(pieces + pieces.abs() * ROUNDING) as f64;
        let kept = more * if more >= 0.0 { self.dearest } else { self.cheapest };
        let missing = ((more + 1.0) * self.lightest - room).max(0.0);
        let raised = (more + 1.0) * self.dearest;
        let slack = (raised.abs() + kept.abs() + missing * self.price.min(1.0)) * ROUNDING;
        let raised = if self.price.is_finite() {
            raised - missing * self.price * (1.0 - ROUNDING)
        } else {
            kept
        };
        kept.max(raised) + slack
    }
}

impl Completion {
    /// The linear bound on the gain from a weight, negative if excess must be removed. Like the
    /// bound by number, it never grows with the weight.
    fn linear(&self, weight: i64) -> f64 {
        let room = (self.capacity - weight) as f64;
        room * if room >= 0.0 { self.fill } else { self.pay }
    }

    /// The bound by number on the gain from a weight.
    #[inline]
    fn by_number(&self, weight: i64) -> f64 {
        self.by_number.map_or(f64::INFINITY, |bound| bound.gain((self.capacity - weight) as f64))
    }

    pub(super) fn capacity(&self) -> i64 {
        self.capacity
    }

    /// A bound for states of several weights, whose profits are at most `value` + `slope` x weight.
    pub(super) fn bound_all(&self, weights: &Range<i64>, value: i64, slope: i64) -> i64 {
        let (first, last) = (weights.start, weights.end - 1);
        // The linear bound is concave in the weight with a kink at the capacity: its maximum is at
        // one of three weights.
        let corners = [first, last, self.capacity.clamp(first, last)];
        let linear = corners.map(|weight| {
            value.saturating_add(slope * weight).saturating_add(whole(self.linear(weight)))
        });
        let by_number =
            whole(self.by_number(first)).saturating_add(value.saturating_add(slope * last));
        linear.into_iter().max().map_or(by_number, |linear| linear.min(by_number))
    }

    /// Upper limit of the profit that a state can reach.
    pub(super) fn bound(&self, weight: i64, profit: i64) -> i64 {
        profit.saturating_add(whole(self.linear(weight).min(self.by_number(weight))))
    }
}

/// The largest whole number not above a gain, which was rounded up when computed. Infinite losses,
/// if no piece can be removed, saturate.
fn whole(gain: f64) -> i64 {
    // Not `floor`: processors without SSE 4.1 have no instruction for it.
    let truncated = gain as i64;
    truncated.saturating_sub(i64::from(truncated as f64 > gain))
}

/// Takes items in the given order, each as often as it still fits; for solves without time for
/// sorting. Bounds all solutions by the capacity times the best efficiency, and by the sum of all
/// profits. After a stop, it takes none of the later items, and only that sum bounds the solutions.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub(super) fn in_order(instance: &Instance, monitor: &Monitor) -> Result<Answer> {
    let mut room = instance.capacity();
    let (mut free, mut profit) = (0u64, 0u64);
    let mut best = (0, 1);
    // Pages without an item that is taken are never touched.
    let mut counts = memory::zeroed(instance.items())?;
    for (item, (&worth, &weight)) in instance.profits().iter().zip(instance.weights()).enumerate() {
        if monitor.check_later_step(item).is_err() {
            return Ok(Answer { counts, profit, bound: instance.most_profit() });
        }
        let copies = if worth == 0 { 0 } else { instance.useful_copies(item) };
        if weight == 0 {
            free += worth * copies;
        } else if copies > 0
            && u128::from(worth) * u128::from(best.1) > u128::from(best.0) * u128::from(weight)
        {
            best = (worth, weight);
        }
        // The weight of all useful copies is below 2^63. Most often all of them fit, or none.
        let count = match copies * weight {
            all if all <= room => copies,
            _ if weight > room => 0,
            _ => room / weight,
        };
        if count > 0 {
            room -= count * weight;
            profit += worth * count;
            counts[item] = count;
        }
    }
    let filled = u128::from(instance.capacity()) * u128::from(best.0) / u128::from(best.1)
        + u128::from(free);
    let all = instance.most_profit();
    let bound = u64::try_from(filled).map_or(all, |filled| filled.min(all));
    Ok(Answer { counts, profit, bound })
}

/// Takes pieces in the order of efficiency, each if it still fits. Bounds all solutions by
/// Dantzig's linear relaxation.
///
/// # Errors
/// [`Error::Stopped`](crate::Error::Stopped) if there are many pieces, and
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub(super) fn greedy(problem: &Problem, monitor: &Monitor) -> Result<Greedy> {
    let mut room = problem.capacity;
    let mut profit = 0;
    let mut bound = None;
    let mut taken = memory::list(problem.pieces.len())?;
    for (step, piece) in problem.pieces.iter().enumerate() {
        monitor.check_later_step(step)?;
        let fits = piece.weight <= room;
        if fits {
            room -= piece.weight;
            profit += piece.profit;
        } else if bound.is_none() {
            let fraction = i128::from(room) * i128::from(piece.profit) / i128::from(piece.weight);
            // The fraction is less than the piece's profit.
            bound = Some(profit + fraction as i64);
        }
        taken.push(fits);
    }
    Ok(Greedy { taken, profit, bound: bound.unwrap_or(profit) })
}

/// The greedy solution, and Dantzig's bound on all profits.
pub(super) struct Greedy {
    /// By piece.
    pub(super) taken: Vec<bool>,
    pub(super) profit: i64,
    pub(super) bound: i64,
}

/// The data of [`Completion`] for every position.
pub(super) struct Completions<'a> {
    pieces: &'a [Piece],
    capacity: i64,
    /// Least weight of the last pieces, by their number.
    lightest_behind: TableList<i64>,
    dearest_behind: TableList<i64>,
    /// Largest weight of the first pieces, by their number.
    heaviest_before: TableList<i64>,
    cheapest_before: TableList<i64>,
}

impl<'a> Completions<'a> {
    /// Pieces by efficiency, the best first.
    ///
    /// # Errors
    /// Those of [`greedy`].
    pub(super) fn new(pieces: &'a [Piece], capacity: i64, monitor: &Monitor) -> Result<Self> {
        let list = |first| -> Result<_> {
            let mut list = TableList::with_room(pieces.len() + 1)?;
            list.push(first);
            Ok(list)
        };
        let (mut heaviest_before, mut cheapest_before) = (list(0)?, list(i64::MAX)?);
        let (mut heaviest, mut cheapest) = (0, i64::MAX);
        for (step, piece) in pieces.iter().enumerate() {
            monitor.check_later_step(step)?;
            (heaviest, cheapest) = (heaviest.max(piece.weight), cheapest.min(piece.profit));
            heaviest_before.push(heaviest);
            cheapest_before.push(cheapest);
        }
        let (mut lightest_behind, mut dearest_behind) = (list(i64::MAX)?, list(0)?);
        let (mut lightest, mut dearest) = (i64::MAX, 0);
        for (step, piece) in pieces.iter().rev().enumerate() {
            monitor.check_later_step(step)?;
            (lightest, dearest) = (lightest.min(piece.weight), dearest.max(piece.profit));
            lightest_behind.push(lightest);
            dearest_behind.push(dearest);
        }
        Ok(Completions {
            pieces,
            capacity,
            lightest_behind,
            dearest_behind,
            heaviest_before,
            cheapest_before,
        })
    }

    /// The bound if the pieces first..end are decided.
    pub(super) fn at(&self, first: usize, end: usize) -> Completion {
        let efficiency = |piece: &Piece| piece.profit as f64 / piece.weight as f64;
        let next = self.pieces.get(end).map_or(0.0, efficiency);
        let last =
            first.checked_sub(1).map_or(f64::INFINITY, |last| efficiency(&self.pieces[last]));
        Completion {
            capacity: self.capacity,
            fill: next * (1.0 + ROUNDING),
            pay: last * (1.0 - ROUNDING),
            by_number: ByNumber::new(
                self.lightest_behind[self.pieces.len() - end],
                self.dearest_behind[self.pieces.len() - end],
                self.heaviest_before[first],
                self.cheapest_before[first],
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knapsack::testing::{best_profits, instances, reduced};
    use crate::solve::STEPS_PER_CHECK;
    use crate::testing::{monitor, stopped};
    use proptest::prelude::*;

    #[test]
    fn after_a_stop_later_items_are_not_taken() {
        let items = 2 * STEPS_PER_CHECK;
        let instance = Instance::new(vec![3; items], vec![1; items], items as u64).unwrap();
        let Answer { counts, profit, bound } =
            in_order(&instance, &Monitor::new(&stopped())).unwrap();
        let taken = STEPS_PER_CHECK as u64;
        assert_eq!([counts.iter().sum(), profit, bound], [taken, 3 * taken, 6 * taken]);
        assert_eq!(instance.profit_of(&counts).unwrap(), profit);
    }

    proptest! {
        #[test]
        fn items_taken_in_order_fit_and_are_within_the_bound(instance in instances()) {
            let Answer { counts, profit, bound } = in_order(&instance, &monitor()).unwrap();
            let optimum = best_profits(&instance).last().copied().unwrap();
            prop_assert_eq!(instance.profit_of(&counts).unwrap(), profit);
            prop_assert!(profit <= optimum && optimum <= bound);
        }

        /// Every state's bound is at least the value of its best completion.
        #[test]
        fn no_completion_exceeds_the_bound(
            items in prop_oneof![
                proptest::collection::vec((1u64..30, 1u64..30), 1..9),
                proptest::collection::vec((1u64..30, 20u64..24), 1..9),
                proptest::collection::vec((20u64..24, 20u64..30), 1..9),
            ],
            capacity in 1u64..150,
            cut in (0usize..9, 0usize..9),
        ) {
            let (profits, weights) = items.into_iter().unzip();
            let problem = reduced(&Instance::new(profits, weights, capacity).unwrap());
            let pieces = &problem.pieces;
            let first = cut.0.min(pieces.len());
            let end = (first + cut.1).min(pieces.len());
            let completions = Completions::new(pieces, problem.capacity, &monitor()).unwrap();
            let completion = completions.at(first, end);
            let value = |mask: usize| -> (i64, i64) {
                let taken = pieces.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
                taken.fold((0, 0), |sum, (_, piece)| (sum.0 + piece.weight, sum.1 + piece.profit))
            };
            let core = ((1usize << end) - 1) & !((1 << first) - 1);
            for mask in 0..1usize << pieces.len() {
                let (weight, profit) = value(mask);
                let state = value(mask & core | ((1 << first) - 1));
                if weight <= problem.capacity {
                    prop_assert!(completion.bound(state.0, state.1) >= profit);
                    let slope = 2;
                    let value = state.1 - slope * state.0;
                    let weights = state.0 - 3..state.0 + 5;
                    prop_assert!(completion.bound_all(&weights, value, slope) >= profit);
                }
            }
        }
    }
}
