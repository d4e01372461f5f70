//! Upper bounds by multipliers, and greedy selections in the order that they give.
//!
//! Let u_d >= 0 be a multiplier of dimension d, the price of a unit of its capacity. A selection x
//! that fits is worth at most
//!
//! > sum_d u_d c_d + sum_j max(0, p_j - sum_d u_d w_jd),
//!
//! for its profit p x is at most p x + u (c - w x), since c - w x >= 0. For a single dimension and
//! the efficiency of its break item this is the bound of Dantzig (1957). For the best multipliers it
//! is the optimum of the linear relaxation. Floating-point numbers only choose the multipliers; the
//! bound is computed in whole numbers, and holds for any of them.

use super::reduction::Problem;
use crate::memory::Gather;
use crate::solve::Monitor;
use crate::{Result, memory};

/// Multipliers are whole multiples of 2^-SHIFT.
const SHIFT: u32 = 40;
/// Most price of a whole capacity, far above all profits.
const MOST_PRICE: i128 = 1 << 110;
/// Most steps that improve the multipliers.
const STEPS: usize = 300;
/// Weights that all steps look at, at most.
const STEP_WEIGHTS: usize = 1 << 27;
/// Steps without a better bound before they become shorter.
const PATIENCE: usize = 12;

/// Multipliers, and the conclusions for each piece.
pub(super) struct Prices {
    /// Profit of each piece less the price of its weights.
    pub(super) gains: Vec<i128>,
    /// Upper bound on the profit, not rounded.
    pub(super) bound: i128,
}

/// A profit in units of the prices.
pub(super) fn scaled(profit: u64) -> i128 {
    i128::from(profit) << SHIFT
}

impl Prices {
    /// No sum overflows: gains are at most the scaled profits, whose sum is below 2^103.
    fn new(problem: &Problem, prices: &[f64]) -> Result<Self> {
        let rounded = |(&price, &capacity): (&f64, &u64)| {
            let unit = price * (1u64 << SHIFT) as f64;
            (unit as i128).clamp(0, MOST_PRICE / i128::from(capacity.max(1)))
        };
        let units: Vec<i128> = prices.iter().zip(&problem.capacities).map(rounded).gather()?;
        let price = |weights: &[u64]| -> i128 {
            units.iter().zip(weights).map(|(unit, &weight)| unit * i128::from(weight)).sum()
        };
        let gain = |piece| scaled(problem.profits[piece]) - price(problem.weights(piece));
        let gains: Vec<i128> = (0..problem.len()).map(gain).gather()?;
        let bound =
            price(&problem.capacities) + gains.iter().map(|&gain| gain.max(0)).sum::<i128>();
        Ok(Prices { gains, bound })
    }

    /// The upper bound.
    pub(super) fn bound(&self) -> u64 {
        u64::try_from(self.bound >> SHIFT).unwrap_or(u64::MAX)
    }

    /// What every selection does that is worth more than `profit`: to take a piece with a negative
    /// gain, or to leave out one with a positive gain, costs the bound as much as that gain.
    pub(super) fn fixed(&self, profit: u64) -> Result<Vec<Option<bool>>> {
        let least = scaled(profit + 1);
        let fix = |&gain: &i128| (self.bound - gain.abs() < least).then_some(gain > 0);
        self.gains.iter().map(fix).gather()
    }
}

/// What the search for multipliers has found.
pub(super) struct Found {
    pub(super) prices: Prices,
    /// The best greedy selection, and its profit.
    pub(super) taken: Vec<bool>,
    pub(super) profit: u64,
}

/// Takes pieces in the given order, each if it still fits. Returns also the profit.
pub(super) fn greedy(
    problem: &Problem,
    order: impl Iterator<Item = usize>,
) -> Result<(Vec<bool>, u64)> {
    let mut room = memory::copied(&problem.capacities)?;
    let (mut taken, mut profit) = (memory::filled(false, problem.len())?, 0);
    for piece in order {
        let weights = problem.weights(piece);
        if weights.iter().zip(&room).all(|(weight, room)| weight <= room) {
            room.iter_mut().zip(weights).for_each(|(room, weight)| *room -= weight);
            taken[piece] = true;
            profit += problem.profits[piece];
        }
    }
    Ok((taken, profit))
}

/// Searches for good multipliers and greedy selections: those of each dimension alone, those of all
/// dimensions in proportion to their capacities, and improvements of these by the subgradient
/// method (Held, Wolfe and Crowder 1974). Ends early at a stop.
pub(super) fn search(problem: &Problem, known: u64, monitor: &Monitor) -> Result<Found> {
    let mut search = Search::new(problem, known)?;
    let dimensions = problem.dimensions();
    for alone in 0..dimensions {
        let mut prices = vec![0.0; dimensions];
        prices[alone] = 1.0;
        search.try_direction(&prices)?;
        if monitor.should_stop() {
            return Ok(search.best);
        }
    }
    search.try_direction(&vec![1.0; dimensions])?;
    let steps = (STEP_WEIGHTS / problem.len().max(1) / dimensions.max(1)).min(STEPS);
    search.improve(steps, monitor)?;
    Ok(search.best)
}

struct Search<'a> {
    problem: &'a Problem,
    /// Weights as parts of the capacities, piece after piece.
    parts: Vec<f64>,
    /// The best prices of whole capacities so far.
    prices: Vec<f64>,
    /// A profit that is known to be possible.
    known: u64,
    best: Found,
}

impl<'a> Search<'a> {
    fn new(problem: &'a Problem, known: u64) -> Result<Self> {
        let dimensions = problem.dimensions();
        let part = |place: usize| {
            let weight = problem.weights(place / dimensions)[place % dimensions];
            weight as f64 / problem.capacities[place % dimensions] as f64
        };
        let prices = vec![0.0; dimensions];
        let (taken, profit) = greedy(problem, 0..problem.len())?;
        let best = Found { prices: Prices::new(problem, &prices)?, taken, profit };
        let parts = (0..problem.len() * dimensions).map(part).gather()?;
        Ok(Search { problem, parts, prices, known: known.max(profit), best })
    }

    /// The price of a piece, if these are the prices of whole capacities.
    fn price(&self, piece: usize, prices: &[f64]) -> f64 {
        let parts = &self.parts[piece * prices.len()..];
        parts.iter().zip(prices).map(|(part, price)| part * price).sum()
    }

    /// Pieces by profit per price, the best first.
    fn order(&self, prices: &[f64]) -> Result<Vec<usize>> {
        let mut order = (0..self.problem.len()).gather()?;
        // Pieces without a price come first.
        let cost = |&piece: &usize| self.price(piece, prices) / self.problem.profits[piece] as f64;
        memory::sort_by_key(&mut order, |piece| memory::key(cost(piece)))?;
        Ok(order)
    }

    /// Tries the best multiple of these prices of whole capacities: the efficiency of the break
    /// item of one knapsack with the sum of all capacities and weights at these prices.
    fn try_direction(&mut self, prices: &[f64]) -> Result<()> {
        let order = self.order(prices)?;
        let mut room: f64 = prices.iter().sum();
        let breaks = |&&piece: &&usize| {
            room -= self.price(piece, prices);
            room < 0.0
        };
        if let Some(&piece) = order.iter().find(breaks) {
            let efficiency = self.problem.profits[piece] as f64 / self.price(piece, prices);
            let prices: Vec<f64> = prices.iter().map(|price| price * efficiency).gather()?;
            self.note_prices(&prices)?;
        }
        self.note_greedy(order)
    }

    /// Keeps the prices if their bound is better.
    fn note_prices(&mut self, prices: &[f64]) -> Result<()> {
        let units: Vec<f64> = prices
            .iter()
            .zip(&self.problem.capacities)
            .map(|(price, &capacity)| price / capacity as f64)
            .gather()?;
        let found = Prices::new(self.problem, &units)?;
        if found.bound < self.best.prices.bound {
            self.best.prices = found;
            self.prices.copy_from_slice(prices);
        }
        Ok(())
    }

    /// Keeps the greedy selection of an order if it is better.
    fn note_greedy(&mut self, order: Vec<usize>) -> Result<()> {
        let (taken, profit) = greedy(self.problem, order.into_iter())?;
        if profit > self.best.profit {
            (self.best.taken, self.best.profit) = (taken, profit);
            self.known = self.known.max(profit);
        }
        Ok(())
    }

    /// Moves the prices of whole capacities along the subgradient: one that is exceeded by the
    /// pieces of positive gain becomes dearer. The length of a step is that of Polyak (1969).
    fn improve(&mut self, steps: usize, monitor: &Monitor) -> Result<()> {
        let (mut prices, mut least) = (memory::copied(&self.prices)?, f64::INFINITY);
        let mut free = memory::copied(&self.prices)?;
        let (mut length, mut waited) = (1.0, 0);
        for _ in 0..steps {
            if monitor.should_stop() || self.best.prices.bound() <= self.known {
                break;
            }
            let bound = self.subgradient(&prices, &mut free);
            if bound < least {
                (least, waited) = (bound, 0);
                self.note_prices(&prices)?;
                let order = self.order(&prices)?;
                self.note_greedy(order)?;
            } else if waited == PATIENCE {
                (length, waited) = (length / 2.0, 0);
                prices.copy_from_slice(&self.prices);
                continue;
            } else {
                waited += 1;
            }
            let square: f64 = free.iter().map(|free| free * free).sum();
            if square <= 0.0 {
                break;
            }
            let step = length * (bound - self.known as f64) / square;
            for (price, free) in prices.iter_mut().zip(&free) {
                *price = (*price - step * free).max(0.0);
            }
        }
        Ok(())
    }

    /// The bound of these prices, and the part of each capacity that is left free by the pieces of
    /// positive gain.
    fn subgradient(&self, prices: &[f64], free: &mut [f64]) -> f64 {
        free.fill(1.0);
        let mut bound: f64 = prices.iter().sum();
        for (piece, parts) in self.parts.chunks_exact(prices.len()).enumerate() {
            let gain = self.problem.profits[piece] as f64 - self.price(piece, prices);
            if gain > 0.0 {
                bound += gain;
                free.iter_mut().zip(parts).for_each(|(free, part)| *free -= part);
            }
        }
        bound
    }
}
