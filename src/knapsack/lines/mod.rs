//! Pieces on few lines: each profit is a multiple of the weight plus one of a few numbers. Strongly
//! correlated items, sums and rounded profits have this form.
//!
//! Let b p = a w + c for each piece, with the same a and b and few different c. Pieces of equal c
//! form a *line*. A solution is mainly described by its sum v of the c: its profit is (a w + v) /
//! b, and of all choices with the sum v the lightest weighs G(v) and the heaviest H(v). So a
//! solution with the sum v that fits is worth at most (a min(C, H(v)) + v) / b, and there is one
//! only if G(v) <= C. The largest of these numbers, rounded down, bounds all profits.
//!
//! A solution that weighs C and has this sum meets the bound. Since pieces of one line may be
//! exchanged, very many choices have the sum, and some weigh C unless the pieces are few.
//! [`choice`] looks for one.

mod choice;

use self::choice::{Choice, ROUNDS};
use super::reduction::{Piece, Problem};
use crate::gcd::gcd;
use crate::memory::{Gather, Grow};
use crate::simd::{HotLoop, Simd};
use crate::solve::Monitor;
use crate::{Error, Result, memory, sorting};

/// More lines than this are not considered.
const MAX_LINES: usize = 12;
/// Pieces that are sampled for the lines' slope.
const ASKED: usize = 12;
/// Most work for the bound: sums times pieces.
const MAX_WORK: u64 = 1 << 28;
/// Number of sums to try that meet the bound.
const TRIED: usize = 4;
/// Rounds after which a choice that misses more than [`NEAR`] of the weight is abandoned.
const FAR_ROUNDS: u64 = 3;
const NEAR: i64 = 16;
/// No choice: so large that it stays above all weights after subtracting all weights.
const NONE: i64 = i64::MAX / 2;
/// Above all weights.
const MANY: i64 = i64::MAX / 4;

/// Result for a problem on lines.
pub(super) struct LinesResult {
    /// Pieces of the best solution found, if any, and its profit.
    pub(super) best: Option<(Vec<bool>, i64)>,
    /// Upper bound on all profits.
    pub(super) bound: i64,
}

/// Bounds the problem and looks for a solution that meets the bound; `None` for pieces that are not
/// on few lines.
///
/// # Errors
/// [`Error::Stopped`].
pub(super) fn solve(problem: &Problem, monitor: &Monitor) -> Result<Option<LinesResult>> {
    let Some(lines) = Lines::new(problem, monitor)? else { return Ok(None) };
    let Some(sums) = lines.sums(monitor)? else { return Ok(None) };
    let Some(bound) = sums.reached().map(|sum| lines.bound_of(&sums, sum)).max() else {
        return Ok(None);
    };
    let mut best: Option<(Vec<bool>, i64)> = None;
    for sum in sums.reached().filter(|&sum| lines.bound_of(&sums, sum) == bound).take(TRIED) {
        let Some(Choice { taken, .. }) = lines.fill(&sums, sum, bound, monitor)? else { continue };
        let profit = problem.profit(&taken);
        if best.as_ref().is_none_or(|best| profit > best.1) {
            best = Some((taken, profit));
        }
        if best.as_ref().is_some_and(|best| best.1 == bound) {
            break;
        }
    }
    Ok(Some(LinesResult { best, bound }))
}

/// Pieces of equal c, lightest first.
struct Line {
    /// c, divided by the lines' common divisor.
    step: i64,
    /// Positions of the pieces and their weights.
    pieces: Vec<(usize, i64)>,
}

impl Line {
    /// The weights of the lightest choices of 0, 1, 2 ... pieces, or the negated weights of the
    /// heaviest ones.
    fn weights(&self, heaviest: bool) -> Result<Vec<i64>> {
        let mut sum = 0;
        let mut add = |&(_, weight): &(usize, i64)| {
            sum += if heaviest { -weight } else { weight };
            sum
        };
        let none = std::iter::once(0);
        if heaviest {
            none.chain(self.pieces.iter().rev().map(add)).gather()
        } else {
            none.chain(self.pieces.iter().map(&mut add)).gather()
        }
    }
}

/// The pieces of a problem by lines.
struct Lines<'a> {
    problem: &'a Problem,
    /// Coefficients of b p = a w + c.
    a: i64,
    b: i64,
    /// Common divisor of the lines' c.
    unit: i64,
    /// The line through 0, if it exists, is the last; of the others the one with the fewest pieces
    /// is the first.
    lines: Vec<Line>,
}

/// The lightest and the heaviest choices for each sum of steps, line after line.
struct Sums {
    /// The sum of the first entry of each list.
    lowest: i64,
    /// A list after no line, after the first one, after the first two ...; [`NONE`] if there is no
    /// choice.
    lightest: Vec<Vec<i64>>,
    /// The same for the negated weights of the heaviest choices.
    heaviest: Vec<Vec<i64>>,
    capacity: i64,
}

impl Sums {
    /// Sums with a choice that fits.
    fn reached(&self) -> impl Iterator<Item = i64> + '_ {
        let last = self.lightest.last().into_iter().flatten();
        (self.lowest..)
            .zip(last)
            .filter(|&(_, &weight)| weight <= self.capacity)
            .map(|(sum, _)| sum)
    }

    fn place(&self, sum: i64) -> usize {
        (sum - self.lowest) as usize
    }

    /// The weight of the heaviest choice with a sum.
    fn heaviest(&self, sum: i64) -> i64 {
        self.heaviest.last().map_or(0, |list| -list[self.place(sum)])
    }
}

impl<'a> Lines<'a> {
    fn new(problem: &'a Problem, monitor: &Monitor) -> Result<Option<Self>> {
        let Some((a, b)) = slope(&problem.pieces) else { return Ok(None) };
        // Upper limits of all sums of profits, weights and c.
        let total = |of: fn(&Piece) -> i64| problem.pieces.iter().map(of).sum::<i64>();
        let size = i128::from(a) * i128::from(total(|piece| piece.weight).max(problem.capacity))
            + i128::from(b) * i128::from(total(|piece| piece.profit));
        if size > i128::from(MANY) {
            return Ok(None);
        }
        let rest = |piece: &Piece| b * piece.profit - a * piece.weight;
        let mut different: Vec<i64> = Vec::new();
        for (step, piece) in problem.pieces.iter().enumerate() {
            monitor.check_later_step(step)?;
            if let Err(place) = different.binary_search(&rest(piece)) {
                different.insert(place, rest(piece));
            }
            if different.len() > MAX_LINES {
                return Ok(None);
            }
        }
        let unit = different.iter().fold(0, |unit, c| gcd(unit, c.unsigned_abs())).max(1) as i64;
        let line = |&c: &i64| Line { step: c / unit, pieces: Vec::new() };
        let mut lines: Vec<Line> = different.iter().map(line).collect();
        for (place, piece) in problem.pieces.iter().enumerate() {
            monitor.check_later_step(place)?;
            if let Ok(line) = different.binary_search(&rest(piece)) {
                lines[line].pieces.try_push((place, piece.weight))?;
            }
        }
        for line in &mut lines {
            let weight = |at: usize| line.pieces[at].1 as u64;
            let order = sorting::order(line.pieces.len(), &weight, monitor)?;
            line.pieces = order.iter().map(|&at| line.pieces[at as usize]).gather()?;
        }
        lines.sort_by_cached_key(|line| u64::from(line.step == 0) << 32 | line.pieces.len() as u64);
        Ok(Some(Lines { problem, a, b, unit, lines }))
    }

    /// The lightest and the heaviest choice for each sum, unless that is too much work.
    fn sums(&self, monitor: &Monitor) -> Result<Option<Sums>> {
        let reach = |line: &Line| line.step * line.pieces.len() as i64;
        let lowest: i64 = self.lines.iter().map(|line| reach(line).min(0)).sum();
        let highest: i64 = self.lines.iter().map(|line| reach(line).max(0)).sum();
        let size = highest.abs_diff(lowest) + 1;
        let mut reached = 1u64;
        let work = self.lines.iter().map(|line| {
            let work = reached.saturating_mul(line.pieces.len() as u64);
            reached += reach(line).unsigned_abs();
            work
        });
        if work.fold(size, u64::saturating_add) > MAX_WORK {
            return Ok(None);
        }
        let lists = 2 * (self.lines.len() as u128 + 1);
        if !monitor.has_memory(lists * u128::from(size) * size_of::<i64>() as u128) {
            return Ok(None);
        }
        let start = || -> Result<Vec<i64>> {
            let mut list = memory::filled(NONE, size as usize)?;
            list[-lowest as usize] = 0;
            Ok(list)
        };
        let capacity = self.problem.capacity;
        let mut sums =
            Sums { lowest, lightest: vec![start()?], heaviest: vec![start()?], capacity };
        for line in &self.lines {
            for (heaviest, lists) in [(false, &mut sums.lightest), (true, &mut sums.heaviest)] {
                if let Some(last) = lists.last() {
                    lists.push(join(last, line.step, &line.weights(heaviest)?, monitor)?);
                }
            }
        }
        Ok(Some(sums))
    }

    /// The largest profit of fitting choices with a sum.
    fn bound_of(&self, sums: &Sums, sum: i64) -> i64 {
        let weight = sums.heaviest(sum).min(self.problem.capacity);
        (self.a * weight + self.unit * sum).div_euclid(self.b)
    }

    /// Looks for a choice with a sum that reaches the bound; returns the heaviest one found that
    /// fits.
    fn fill(&self, sums: &Sums, sum: i64, bound: i64, monitor: &Monitor) -> Result<Option<Choice>> {
        let capacity = self.problem.capacity;
        // The least weight with this profit.
        let enough = -(self.unit * sum - self.b * bound).div_euclid(self.a);
        let mut best: Option<Choice> = None;
        for numbers in [self.numbers(sums, sum, false)?, self.numbers(sums, sum, true)?] {
            if best.as_ref().is_some_and(|best| best.weight >= enough) {
                break;
            }
            for round in 0..ROUNDS {
                monitor.check()?;
                let pieces = self.problem.pieces.len();
                let Some(choice) =
                    Choice::new(&self.lines, &numbers, capacity, round, pieces, monitor)?
                else {
                    continue;
                };
                let missing = enough - choice.weight..=capacity - choice.weight;
                let half = |half| choice.exchanges(&self.lines, round, half, monitor);
                let Some(found) = choice.exchange([half(0)?, half(1)?], &missing)? else {
                    continue;
                };
                if best.as_ref().is_none_or(|best| found.weight > best.weight) {
                    best = Some(found);
                }
                let missing = best.as_ref().map_or(i64::MAX, |best| enough - best.weight);
                if missing <= 0 || (round >= FAR_ROUNDS && missing > NEAR) {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// The numbers of pieces from each line that give a sum with the least weight, or with the
    /// largest.
    fn numbers(&self, sums: &Sums, mut sum: i64, heaviest: bool) -> Result<Vec<usize>> {
        let lists = if heaviest { &sums.heaviest } else { &sums.lightest };
        let mut numbers = vec![0; self.lines.len()];
        for (index, line) in self.lines.iter().enumerate().rev() {
            let weights = line.weights(heaviest)?;
            let (before, after) = (&lists[index], lists[index + 1][sums.place(sum)]);
            let explains = |&number: &usize| {
                let place = sum - number as i64 * line.step - sums.lowest;
                let earlier = usize::try_from(place).ok().and_then(|place| before.get(place));
                earlier.is_some_and(|&earlier| earlier < MANY && earlier + weights[number] == after)
            };
            let number = (0..weights.len()).find(explains);
            numbers[index] =
                number.ok_or_else(|| Error::internal("a knapsack's sum has no choice"))?;
            sum -= numbers[index] as i64 * line.step;
        }
        Ok(numbers)
    }
}

/// The most frequent slope a / b of lines through two of some sampled pieces.
fn slope(pieces: &[Piece]) -> Option<(i64, i64)> {
    let asked: Vec<&Piece> = pieces.iter().step_by(pieces.len().div_ceil(ASKED).max(1)).collect();
    let mut slopes: Vec<(i64, i64)> = Vec::new();
    for (index, one) in asked.iter().enumerate() {
        for other in &asked[index + 1..] {
            let (rise, run) = (one.profit - other.profit, one.weight - other.weight);
            if rise.signum() * run.signum() > 0 {
                let divisor = gcd(rise.unsigned_abs(), run.unsigned_abs());
                let [a, b] = [rise, run].map(|number| (number.unsigned_abs() / divisor) as i64);
                slopes.push((a, b));
            }
        }
    }
    slopes.sort_unstable();
    let most = slopes.chunk_by(|one, other| one == other).max_by_key(|same| same.len())?;
    (most.len() > 1).then(|| most[0])
}

/// For each sum the least total of `before` and some pieces of a line; `weights` has the pieces'
/// weight by their number.
fn join(before: &[i64], step: i64, weights: &[i64], monitor: &Monitor) -> Result<Vec<i64>> {
    let simd = Simd::detect();
    let mut after = memory::filled(NONE, before.len())?;
    if step == 0 {
        // Any number of pieces has this sum.
        let least = weights.iter().copied().min().unwrap_or(0);
        simd.run(Lower { target: &mut after, before, weight: least });
        return Ok(after);
    }
    let reached = |&weight: &i64| weight < MANY;
    let first = before.iter().position(reached).unwrap_or(0);
    let last = before.iter().rposition(reached).unwrap_or(0);
    let before = &before[first..=last];
    for (number, &weight) in (0..).zip(weights) {
        monitor.check()?;
        let place = (first as i64 + number * step) as usize;
        simd.run(Lower { target: &mut after[place..][..before.len()], before, weight });
    }
    Ok(after)
}

/// Lowers `target` to `before` + `weight` if that is less.
struct Lower<'a> {
    target: &'a mut [i64],
    before: &'a [i64],
    weight: i64,
}

impl HotLoop for Lower<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (target, &before) in self.target.iter_mut().zip(self.before) {
            let weight = before + self.weight;
            *target = if weight < *target { weight } else { *target };
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::choice::shuffled;
    use super::*;
    use crate::knapsack::Instance;
    use crate::knapsack::testing::{best_profits, counts_of, reduced};
    use crate::solve::SolveOptions;

    fn monitor() -> Monitor {
        Monitor::maximising(&SolveOptions::default())
    }

    /// Items on a few lines, above and below the line through 0, with copies.
    fn on_lines() -> impl Strategy<Value = Instance> {
        let slope = (1u64..4, 1u64..4);
        let more = proptest::collection::vec(-20i64..20, 1..4);
        (slope, more, 1u64..2000).prop_flat_map(|((a, b), more, capacity)| {
            let item = (1u64..100, proptest::sample::select(more), 1u64..4);
            proptest::collection::vec(item, 1..30).prop_map(move |items| {
                let mut lists = (Vec::new(), Vec::new(), Vec::new());
                for (weight, more, copies) in items {
                    lists.0.push(((a * weight) as i64 + more).max(0) as u64);
                    lists.1.push(b * weight);
                    lists.2.push(copies);
                }
                Instance::bounded(lists.0, lists.1, lists.2, capacity).unwrap()
            })
        })
    }

    proptest! {
        #[test]
        fn the_bound_of_lines_holds_and_what_fills_them_fits(instance in on_lines()) {
            let problem = reduced(&instance);
            let optimum = best_profits(&instance).last().copied().unwrap();
            if let Some(found) = solve(&problem, &monitor()).unwrap() {
                prop_assert!(problem.scaled(found.bound) >= optimum);
                if let Some((taken, profit)) = found.best {
                    prop_assert_eq!(problem.profit(&taken), profit);
                    let counts = counts_of(&problem, &taken);
                    prop_assert_eq!(instance.profit_of(&counts).ok(), Some(problem.scaled(profit)));
                }
            }
        }

        /// The lightest and the heaviest choices by definition.
        #[test]
        fn sums_have_the_weights_of_their_choices(
            pieces in proptest::collection::vec((1u64..30, 0usize..3), 2..10),
            more in proptest::collection::vec(0i64..9, 3),
        ) {
            let (weights, profits) = pieces.iter().map(|&(weight, line)| (weight, weight + more[line] as u64)).unzip();
            let problem = reduced(&Instance::new(profits, weights, 100).unwrap());
            let Some(lines) = Lines::new(&problem, &monitor()).unwrap() else { return Ok(()) };
            let sums = lines.sums(&monitor()).unwrap().unwrap();
            let step_of = |place: usize| {
                lines.lines.iter().find(|line| line.pieces.iter().any(|piece| piece.0 == place)).unwrap().step
            };
            let mut found = std::collections::BTreeMap::new();
            for mask in 0..1usize << problem.pieces.len() {
                let (mut sum, mut weight) = (0, 0);
                for (place, piece) in problem.pieces.iter().enumerate().filter(|(place, _)| mask >> place & 1 == 1) {
                    sum += step_of(place);
                    weight += piece.weight;
                }
                let (least, most) = found.entry(sum).or_insert((weight, weight));
                (*least, *most) = (weight.min(*least), weight.max(*most));
            }
            let lightest = sums.lightest.last().unwrap();
            for (sum, &weight) in (sums.lowest..).zip(lightest) {
                let expected = found.get(&sum);
                prop_assert_eq!(expected.map(|expected| expected.0), Some(weight).filter(|&weight| weight < MANY));
                if let Some(&(_, heaviest)) = expected {
                    prop_assert_eq!(sums.heaviest(sum), heaviest);
                }
            }
        }
    }

    #[test]
    fn sums_that_many_choices_have_are_filled_to_the_unit() {
        // Strongly and inversely correlated items, sums and rounded profits, with irregular
        // weights.
        for (name, profit) in [
            ("strong", (|weight| weight + 100_000) as fn(u64) -> u64),
            ("inverse", |weight| weight - 100_000),
            ("sums", |weight| weight),
            ("rounded", |weight| weight.div_ceil(3) * 3),
            ("two lines", |weight| weight + if weight % 6 == 0 { 300_000 } else { 200_000 }),
        ] {
            let weights: Vec<u64> =
                (0..400).map(|item| 150_000 + shuffled(item, 0) % 1_000_000).collect();
            let capacity = weights.iter().sum::<u64>() / 2 + 1;
            let profits = weights.iter().map(|&weight| profit(weight)).collect();
            let problem = reduced(&Instance::new(profits, weights, capacity).unwrap());
            let found = solve(&problem, &monitor()).unwrap().unwrap();
            assert_eq!(found.best.unwrap().1, found.bound, "{name}");
        }
    }

    #[test]
    fn pieces_without_pattern_are_on_no_lines() {
        let numbers = |seed| (0..200).map(|item| 1 + shuffled(item, seed) % 10_000).collect();
        let problem = reduced(&Instance::new(numbers(1), numbers(2), 500_000).unwrap());
        assert!(solve(&problem, &monitor()).unwrap().is_none());
    }
}
