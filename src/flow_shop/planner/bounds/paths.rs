//! Sums over the jobs: weights of the paths through a schedule. They bound the linear relaxation of
//! Wagner (1959), "An integer linear-programming model for machine scheduling", Naval Research
//! Logistics Quarterly 6, 131-140. Its multipliers are chosen as by Held, Wolfe and Crowder (1974),
//! "Validation of subgradient optimization", Mathematical Programming 6, 62-88.

use super::assignment::assign;
use super::line::entries;
use super::parts::{MANY, Parts, View};
use crate::solve::Monitor;

/// Weights are multiples of 1 / `UNIT`.
const UNIT: f64 = 4096.0;
/// Sums of larger numbers would not be exact.
const MOST: f64 = (1u64 << 52) as f64;
/// Changes of the weights.
const STEPS: usize = 1000;
/// Elementary steps of all changes together if there is no time limit: a part of a second.
const WORK: usize = 1 << 26;
/// The lengths of the first and of the last change, and how one becomes shorter.
const FIRST_LENGTH: f64 = 0.3;
const LAST_LENGTH: f64 = 0.002;
const SHORTER: f64 = 0.8;
/// Changes without a better bound before they become shorter, and how much better it must be.
const PATIENCE: usize = 20;
const BETTER: f64 = 1.0002;

/// What each job of a view costs at least: `flow` times its end after its release, and `tardy` times
/// its tardiness. Or, in each position, its cell of `costs[position * jobs + place]`.
pub(super) struct Paths<'a> {
    pub(super) parts: &'a Parts,
    pub(super) view: &'a View<'a>,
    pub(super) flow: i64,
    pub(super) tardy: i64,
    /// Numbers of each place in the view.
    pub(super) releases: Vec<i64>,
    pub(super) due: Vec<i64>,
    pub(super) costs: Vec<i64>,
}

/// Numbers for each machine, all places in a row.
struct Rows {
    jobs: usize,
    times: Vec<f64>,
    /// The shortest gap before the job; none without set-ups and blocking.
    gaps: Vec<f64>,
    /// When the job starts at least, directly behind the front.
    starts: Vec<f64>,
    /// When the job starts at least on the first machine.
    heads: Vec<f64>,
}

impl Rows {
    fn new(parts: &Parts, view: &View<'_>) -> Self {
        let machines = parts.machines;
        let gaps: Vec<Vec<i64>> = match parts.gaps {
            Some(_) => (0..machines).map(|machine| gaps_on(parts, machine)).collect(),
            None => Vec::new(),
        };
        let rows = |count, value: &dyn Fn(usize, usize, usize) -> i64| rows(view, count, value);
        Rows {
            jobs: view.jobs.len(),
            times: rows(machines, &|machine, _, at| parts.times[at * machines + machine]),
            gaps: rows(gaps.len(), &|machine, _, at| gaps[machine][at]),
            starts: rows(machines, &|machine, place, _| view.starts[place * machines + machine]),
            heads: rows(1, &|_, _, at| parts.heads[at * machines]),
        }
    }

    fn row<'a>(&self, list: &'a [f64], machine: usize) -> &'a [f64] {
        &list[machine * self.jobs..][..self.jobs]
    }

    fn gap(&self, machine: usize, place: usize) -> f64 {
        self.gaps.get(machine * self.jobs + place).copied().unwrap_or(0.0)
    }
}

/// The value of each machine, and of the jobs by place and number.
fn rows(view: &View<'_>, machines: usize, value: &dyn Fn(usize, usize, usize) -> i64) -> Vec<f64> {
    let mut rows = Vec::with_capacity(machines * view.jobs.len());
    for machine in 0..machines {
        rows.extend(
            view.jobs.iter().enumerate().map(|(place, &at)| value(machine, place, at) as f64),
        );
    }
    rows
}

/// The shortest gap before each job.
fn gaps_on(parts: &Parts, machine: usize) -> Vec<i64> {
    let weights: Vec<i64> = (0..parts.machines).map(|other| i64::from(other == machine)).collect();
    entries(parts, &weights).0
}

/// For each position, the weights of the bounds of its cost: its end alone, its end and its
/// tardiness, and its cell of the costs. For each machine there, the ratio of paths from the position
/// before to paths from the machine before.
struct Weights {
    machines: usize,
    shares: Vec<[f64; 3]>,
    odds: Vec<f64>,
}

const LEAST_ODDS: f64 = 1.0 / 4096.0;

/// Whole weights, [`UNIT`] in all for each position.
struct Flows {
    shares: Vec<[f64; 3]>,
    /// The paths through each machine of each position, and those of them from the position before.
    nodes: Vec<f64>,
    back: Vec<f64>,
    /// The paths that begin with the release of a position's job.
    released: Vec<f64>,
}

impl Weights {
    /// Paths that stay about as long on one machine as on another.
    fn new(positions: usize, machines: usize) -> Self {
        let odds = (0..positions * machines).map(|node| match node % machines {
            0 => 1.0 / LEAST_ODDS,
            machine => (positions - node / machines) as f64 / machine as f64,
        });
        let shares = vec![[0.2, 0.4, 0.4]; positions];
        Weights { machines, shares, odds: odds.collect() }
    }

    fn share(&self, node: usize) -> f64 {
        self.odds[node] / (1.0 + self.odds[node])
    }

    fn flows(&self, flow: f64, tardy: f64) -> Flows {
        let Weights { machines, shares, odds } = self;
        let mut flows = Flows {
            shares: Vec::with_capacity(shares.len()),
            nodes: vec![0.0; odds.len()],
            back: vec![0.0; odds.len()],
            released: vec![0.0; shares.len()],
        };
        flows.shares.extend(shares.iter().map(|&[_, both, cell]| {
            let [both, cell] = [both, cell].map(|share| (share * UNIT).floor());
            [UNIT - both - cell, both, cell]
        }));
        let mut arriving = vec![0.0; *machines];
        for position in (0..shares.len()).rev() {
            let [end, both, _] = flows.shares[position];
            let mut along = end * flow + both * (flow + tardy);
            for machine in (0..*machines).rev() {
                let node = position * machines + machine;
                let all = along + arriving[machine];
                // The first job starts behind the front on each machine.
                let back = if position == 0 { 0.0 } else { (all * self.share(node)).floor() };
                along = if position == 0 { 0.0 } else { all - back };
                (flows.nodes[node], flows.back[node]) = (all, back);
                arriving[machine] = back;
            }
            flows.released[position] = along;
        }
        flows
    }

    /// Moves the weights along a slope, by steps of about this length.
    fn change(&mut self, slope: &Slope, length: f64) {
        let far = mean_size(&slope.odds);
        for (odds, slope) in self.odds.iter_mut().zip(&slope.odds) {
            let step = length * slope / far;
            let factor = if step > 0.0 { 1.0 + step } else { 1.0 / (1.0 - step) };
            *odds = (*odds * factor).clamp(LEAST_ODDS, 1.0 / LEAST_ODDS);
        }
        let far = mean_size(&slope.shares.iter().map(|[_, both, _]| *both).collect::<Vec<_>>());
        for (shares, slope) in self.shares.iter_mut().zip(&slope.shares) {
            let moved = std::array::from_fn(|at| shares[at] + 0.5 * length * slope[at] / far);
            *shares = nearest_shares(moved);
        }
    }
}

fn mean_size(list: &[f64]) -> f64 {
    (list.iter().map(|value| value.abs()).sum::<f64>() / list.len() as f64).max(1e-9)
}

/// The nearest shares with the sum 1, none negative.
fn nearest_shares(values: [f64; 3]) -> [f64; 3] {
    let largest = values.iter().copied().fold(f64::MIN, f64::max);
    let least = values.iter().copied().fold(f64::MAX, f64::min);
    let sum: f64 = values.iter().sum();
    // The largest shift by which one, two or all three of them would have the sum 1.
    let shift = (largest - 1.0).max((sum - least - 1.0) / 2.0).max((sum - 1.0) / 3.0);
    values.map(|value| (value - shift).max(0.0))
}

/// How the bound changes with the weights.
struct Slope {
    shares: Vec<[f64; 3]>,
    odds: Vec<f64>,
}

impl Paths<'_> {
    /// The largest bound found.
    pub(super) fn least(&self, monitor: &Monitor) -> i64 {
        let (jobs, machines) = (self.view.jobs.len(), self.parts.machines);
        let rows = Rows::new(self.parts, self.view);
        if !self.is_exact(&rows) {
            return 0;
        }
        let mut weights = Weights::new(jobs, machines);
        let mut prices = [vec![0; jobs], vec![0; jobs]];
        let mut costs = vec![0; jobs * jobs];
        let (mut largest, mut length, mut waits) = (0.0f64, FIRST_LENGTH, 0);
        let in_work = WORK / (jobs * jobs * (machines + 32));
        let steps = if monitor.left().is_some() { STEPS } else { STEPS.min(in_work) };
        for _ in 0..steps {
            let flows = weights.flows(self.flow as f64, self.tardy as f64);
            if !self.fill(&rows, &flows, &prices, &mut costs, monitor) {
                break;
            }
            let found = assign(jobs, &costs, &|| monitor.should_stop());
            let added = [&found.rows, &found.columns];
            for (prices, added) in prices.iter_mut().zip(added) {
                prices.iter_mut().zip(added).for_each(|(price, added)| *price += added);
            }
            let value = prices.iter().flatten().sum::<i64>() as f64;
            waits = if value > largest * BETTER { 0 } else { waits + 1 };
            largest = largest.max(value);
            if waits > PATIENCE {
                (length, waits) = (length * SHORTER, 0);
            }
            if length < LAST_LENGTH || monitor.should_stop() {
                break;
            }
            let slope = self.slope(&rows, &weights, &found.row_of);
            weights.change(&slope, length);
        }
        (largest / UNIT).ceil() as i64
    }

    /// Whether all sums are exact in floating point. Behind its start, no path is longer than all
    /// times and gaps.
    fn is_exact(&self, rows: &Rows) -> bool {
        let largest = |list: &[f64]| list.iter().copied().fold(0.0, f64::max);
        let longest = (rows.times.iter().sum::<f64>() + rows.gaps.iter().sum::<f64>())
            .max(largest(&rows.starts) + largest(&rows.heads));
        let whole = |list: &[i64]| list.iter().map(|value| value.unsigned_abs()).max();
        let [costs, due, releases] =
            [&self.costs, &self.due, &self.releases].map(|list| whole(list).unwrap_or(0) as f64);
        let factor = (self.flow + self.tardy) as f64;
        let all = factor * (2.0 * longest + due + releases) + costs;
        4.0 * UNIT * rows.jobs as f64 * all < MOST
    }

    /// Computes what each position costs with each job, less their prices. False after a stop.
    fn fill(
        &self,
        rows: &Rows,
        flows: &Flows,
        prices: &[Vec<i64>; 2],
        costs: &mut [i64],
        monitor: &Monitor,
    ) -> bool {
        let (jobs, machines) = (rows.jobs, self.parts.machines);
        let mut sums = vec![0.0; jobs];
        for (position, row) in costs.chunks_exact_mut(jobs).enumerate() {
            if (position == 0 || jobs >= MANY) && monitor.should_stop() {
                return false;
            }
            let [end, both, cell] = flows.shares[position];
            let (of_due, of_release) = (both * self.tardy as f64, (end + both) * self.flow as f64);
            let of_jobs = self.due.iter().zip(&self.releases).zip(&rows.heads);
            let own = &self.costs[position * jobs..][..jobs];
            let released = flows.released[position];
            for ((sum, ((&due, &release), head)), &own) in sums.iter_mut().zip(of_jobs).zip(own) {
                *sum = cell * own as f64 + released * head
                    - of_due * due as f64
                    - of_release * release as f64;
            }
            for machine in 0..machines {
                let node = position * machines + machine;
                add(&mut sums, flows.nodes[node], rows.row(&rows.times, machine));
                if !rows.gaps.is_empty() {
                    add(&mut sums, flows.back[node], rows.row(&rows.gaps, machine));
                }
                if position == 0 {
                    add(&mut sums, flows.nodes[node], rows.row(&rows.starts, machine));
                }
            }
            let columns = sums.iter().zip(&prices[1]);
            for (cost, (sum, column)) in row.iter_mut().zip(columns) {
                *cost = *sum as i64 - prices[0][position] - column;
            }
        }
        true
    }

    /// The slope at the weights, if each place of the view has this position.
    fn slope(&self, rows: &Rows, weights: &Weights, position_of: &[usize]) -> Slope {
        let (jobs, machines) = (rows.jobs, self.parts.machines);
        let mut place_of = vec![0; jobs];
        position_of.iter().enumerate().for_each(|(place, &position)| place_of[position] = place);
        let mut slope =
            Slope { shares: Vec::with_capacity(jobs), odds: vec![0.0; jobs * machines] };
        // When each machine ends the job before, and starts the job.
        let (mut ends, mut starts) = (vec![0.0; machines], vec![0.0; machines]);
        for (position, &place) in place_of.iter().enumerate() {
            let mut along = rows.heads[place];
            for machine in 0..machines {
                let time = rows.row(&rows.times, machine)[place];
                starts[machine] = if position == 0 {
                    rows.row(&rows.starts, machine)[place]
                } else {
                    let node = position * machines + machine;
                    let back = ends[machine] + rows.gap(machine, place);
                    slope.odds[node] = back - along;
                    along + weights.share(node) * (back - along)
                };
                along = starts[machine] + time;
                ends[machine] = along;
            }
            let [due, release] = [self.due[place], self.releases[place]].map(|date| date as f64);
            let flow = self.flow as f64 * (along - release);
            let cell = self.costs[position * jobs + place] as f64;
            slope.shares.push([flow, flow + self.tardy as f64 * (along - due), cell]);
        }
        slope
    }
}

#[inline(never)] // three calls, and each would have its own vectors
fn add(sums: &mut [f64], factor: f64, row: &[f64]) {
    sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += factor * value);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn shares_are_the_nearest(
            values in prop::array::uniform3(-3.0..3.0f64),
            others in prop::array::uniform3(0.01..1.0f64),
        ) {
            let distance = |shares: &[f64; 3]| -> f64 {
                shares.iter().zip(values).map(|(share, value)| (share - value).powi(2)).sum()
            };
            let shares = nearest_shares(values);
            let sum: f64 = others.iter().sum();
            prop_assert!(shares.iter().all(|share| *share >= 0.0));
            prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            prop_assert!(distance(&shares) <= distance(&others.map(|share| share / sum)) + 1e-9);
        }

        #[test]
        fn paths_end_at_the_front_or_at_a_release(
            (machines, odds) in (1..=4usize).prop_flat_map(|machines| {
                (Just(machines), prop::collection::vec(0.01..100.0f64, 5 * machines))
            }),
        ) {
            let weights = Weights { machines, shares: vec![[0.1, 0.7, 0.2]; 5], odds };
            let flows = weights.flows(2.0, 3.0);
            let began: f64 = flows.shares.iter().map(|[end, both, _]| 2.0 * end + 5.0 * both).sum();
            let ended: f64 = flows.nodes[..machines].iter().chain(&flows.released).sum();
            prop_assert_eq!(began, ended);
            for shares in &flows.shares {
                prop_assert_eq!(shares.iter().sum::<f64>(), UNIT);
            }
        }
    }
}
