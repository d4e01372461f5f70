//! Primal simplex method for the covering program of column generation, with an explicit basis
//! inverse.
//!
//! Minimise the number of patterns so that every row is covered: min sum x_p, sum a_p x_p >= d,
//! x >= 0. The method uses floating point; callers check every conclusion from its numbers exactly.

use std::rc::Rc;

use crate::{Result, memory};

/// A pattern by rows: the rows it covers, in ascending order, each with its count.
pub(super) type Sparse = Rc<[(u32, u32)]>;

/// A column of the program.
#[derive(Debug)]
enum Column {
    /// Costs 1.
    Pattern(Sparse),
    /// Surplus of the row beyond its demand, which costs nothing.
    Surplus(u32),
}

/// Result of a step of the method.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A column entered the basis.
    Entered,
    /// No column has a positive gain.
    Optimal,
    /// No pivot is safe.
    Stuck,
}

/// A smaller pivot element is considered rounding noise.
const PIVOT_TOLERANCE: f64 = 1e-9;

/// Rounding noise of dual values.
pub(super) const TOLERANCE: f64 = 1e-7;

/// Largest amount by which demands are raised, as a share of a unit, different for each demand. The
/// programs of bin packing are so degenerate that the method stalls otherwise (Charnes 1952).
const PERTURBATION: f64 = 1e-4;

/// The program with its current basis.
pub(super) struct Simplex {
    rows: usize,
    /// The surplus of each row, an initial pattern for each row, then the added patterns.
    columns: Vec<Column>,
    /// Row-major.
    inverse: Vec<f64>,
    /// Column of each row.
    basis: Vec<usize>,
    /// Values of the basic columns.
    values: Vec<f64>,
    duals: Vec<f64>,
    /// The entering column in terms of the basis.
    direction: Vec<f64>,
}

impl Simplex {
    /// A program with these demands. The initial basis has for each row a pattern that covers only
    /// this row, `alone` times.
    pub(super) fn new(demands: &[u32], alone: &[u32]) -> Result<Self> {
        let rows = demands.len();
        let mut columns: Vec<Column> = (0..rows as u32).map(Column::Surplus).collect();
        let mut inverse = memory::zeroed(rows * rows)?;
        let mut values = Vec::with_capacity(rows);
        let mut duals = Vec::with_capacity(rows);
        for (row, (&demand, &times)) in demands.iter().zip(alone).enumerate() {
            // Multiples of the golden ratio, which are evenly spread.
            let perturbation = PERTURBATION * ((row + 1) as f64 * 0.618_033_988_749_895).fract();
            let share = 1.0 / f64::from(times);
            inverse[row * rows + row] = share;
            columns.push(Column::Pattern([(row as u32, times)].into()));
            values.push(share * (f64::from(demand) + perturbation));
            duals.push(share);
        }
        let basis = (rows..2 * rows).collect();
        Ok(Simplex { rows, columns, inverse, basis, values, duals, direction: vec![0.0; rows] })
    }

    /// Adds a pattern.
    pub(super) fn add(&mut self, pattern: Sparse) {
        self.columns.push(Column::Pattern(pattern));
    }

    /// Elements of the basis inverse.
    pub(super) fn elements(&self) -> u64 {
        self.inverse.len() as u64
    }

    /// Dual values: the cost of covering each row once more.
    pub(super) fn duals(&self) -> &[f64] {
        &self.duals
    }

    /// The cost of covering these demands at the dual values.
    pub(super) fn needed(&self, demands: &[u32]) -> f64 {
        self.duals.iter().zip(demands).map(|(dual, &demand)| dual * f64::from(demand)).sum()
    }

    /// The gain of a pattern: the value of the rows it covers minus its cost.
    pub(super) fn gain(&self, pattern: &Sparse) -> f64 {
        dot(pattern, &self.duals) - 1.0
    }

    /// The basic patterns with their values.
    pub(super) fn patterns(&self) -> impl Iterator<Item = (&Sparse, f64)> {
        self.basis.iter().zip(&self.values).filter_map(|(&column, &value)| {
            match &self.columns[column] {
                Column::Pattern(pattern) => Some((pattern, value)),
                Column::Surplus(_) => None,
            }
        })
    }

    /// Lets the column with the largest gain enter the basis.
    pub(super) fn step(&mut self) -> Step {
        let gains = self.columns.iter().map(|column| column.gain(&self.duals)).enumerate();
        let best = gains.max_by(|a, b| a.1.total_cmp(&b.1)).filter(|best| best.1 > TOLERANCE);
        let Some((entering, _)) = best else { return Step::Optimal };
        self.set_direction(entering);
        let Some(leaving) = self.leaving_row() else { return Step::Stuck };
        self.pivot(entering, leaving);
        Step::Entered
    }

    fn pivot(&mut self, entering: usize, leaving: usize) {
        let gain = self.columns[entering].gain(&self.duals);
        let rows = self.rows;
        let pivot = self.direction[leaving];
        let step = self.values[leaving] / pivot;
        let (before, rest) = self.inverse.split_at_mut(leaving * rows);
        let (pivot_row, after) = rest.split_at_mut(rows);
        for value in pivot_row.iter_mut() {
            *value /= pivot;
        }
        for (row, inverse) in
            before.chunks_exact_mut(rows).chain(after.chunks_exact_mut(rows)).enumerate()
        {
            let row = row + usize::from(row >= leaving);
            let factor = self.direction[row];
            if factor != 0.0 {
                subtract(inverse, factor, pivot_row);
                self.values[row] = (self.values[row] - factor * step).max(0.0);
            }
        }
        self.values[leaving] = step;
        subtract(&mut self.duals, gain, pivot_row);
        self.basis[leaving] = entering;
    }

    fn set_direction(&mut self, entering: usize) {
        let column = &self.columns[entering];
        for (direction, inverse) in
            self.direction.iter_mut().zip(self.inverse.chunks_exact(self.rows))
        {
            let sum = column.dot(inverse);
            *direction = if sum.abs() < PIVOT_TOLERANCE { 0.0 } else { sum };
        }
    }

    /// The basic column that reaches 0 first; of equal ones that with the largest pivot element.
    fn leaving_row(&self) -> Option<usize> {
        let candidates = || (0..self.rows).filter(|&row| self.direction[row] > PIVOT_TOLERANCE);
        let ratio = |row: usize| self.values[row] / self.direction[row];
        let least = candidates().map(ratio).min_by(f64::total_cmp)?;
        candidates()
            .filter(|&row| ratio(row) <= least + 1e-12)
            .max_by(|&a, &b| self.direction[a].total_cmp(&self.direction[b]))
    }
}

impl Column {
    #[inline]
    fn dot(&self, row: &[f64]) -> f64 {
        match self {
            Column::Pattern(pattern) => dot(pattern, row),
            Column::Surplus(position) => -row[*position as usize],
        }
    }

    /// The gain of a column: the value of the rows it covers minus its cost.
    fn gain(&self, duals: &[f64]) -> f64 {
        match self {
            Column::Pattern(_) => self.dot(duals) - 1.0,
            Column::Surplus(_) => self.dot(duals),
        }
    }
}

#[inline]
fn dot(pattern: &Sparse, row: &[f64]) -> f64 {
    pattern.iter().map(|&(position, count)| row[position as usize] * f64::from(count)).sum()
}

fn subtract(row: &mut [f64], factor: f64, pivot_row: &[f64]) {
    for (value, pivot) in row.iter_mut().zip(pivot_row) {
        *value -= factor * pivot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solved(demands: &[u32], patterns: &[&[(u32, u32)]]) -> Simplex {
        let mut simplex = Simplex::new(demands, &vec![1; demands.len()]).unwrap();
        for &pattern in patterns {
            simplex.add(pattern.into());
        }
        while simplex.step() == Step::Entered {}
        assert_eq!(simplex.step(), Step::Optimal);
        simplex
    }

    fn total(simplex: &Simplex) -> f64 {
        simplex.patterns().map(|pattern| pattern.1).sum()
    }

    #[test]
    fn a_small_program_is_solved() {
        // Rows 0, 1, 2 once each, two rows for each pattern: 1.5 patterns.
        let simplex =
            solved(&[1, 1, 1], &[&[(0, 1), (1, 1)], &[(1, 1), (2, 1)], &[(0, 1), (2, 1)]]);
        assert!((total(&simplex) - 1.5).abs() < 1e-3);
        assert!(simplex.duals().iter().all(|dual| (dual - 0.5).abs() < 1e-9));
    }

    #[test]
    fn surplus_enters_where_covering_more_is_cheaper() {
        // One pattern covers row 0 once and row 1 three times; row 1 has demand 1.
        let simplex = solved(&[1, 1], &[&[(0, 1), (1, 3)]]);
        assert!((total(&simplex) - 1.0).abs() < 1e-3);
    }
}
