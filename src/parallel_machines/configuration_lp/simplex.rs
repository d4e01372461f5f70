//! Primal simplex method for the covering program of column generation, with an explicit basis inverse.
//!
//! Minimise the number of patterns so that every row is covered: min sum x_p, sum a_p x_p >= d, x >= 0. It
//! works in floating point; nothing is concluded from its numbers without an exact check by the caller.

use std::rc::Rc;

/// A pattern by rows: each row it covers with how often, rows in ascending order.
pub(super) type Sparse = Rc<[(u32, u32)]>;

/// A column of the program.
#[derive(Debug, Clone)]
pub(super) enum Column {
    /// Costs 1.
    Pattern(Sparse),
    /// Covers the row more often than demanded, for nothing.
    Surplus(u32),
}

/// Below this a pivot element is taken for rounding noise.
const PIVOT_TOLERANCE: f64 = 1e-9;

/// Share of a unit by which demands are raised at most, each by its own amount: the programs of bin packing are
/// so degenerate that the method stalls otherwise (Charnes 1952).
const PERTURBATION: f64 = 1e-4;

/// The program with its present basis.
pub(super) struct Simplex {
    rows: usize,
    /// Row-major.
    inverse: Vec<f64>,
    basis: Vec<Column>,
    /// Values of the basic columns.
    values: Vec<f64>,
    duals: Vec<f64>,
    /// The entering column in terms of the basis.
    direction: Vec<f64>,
}

impl Simplex {
    /// A program with these demands; the first basis has for each row a pattern that covers it alone, so many
    /// times.
    pub(super) fn new(demands: &[u32], alone: &[u32]) -> Self {
        let rows = demands.len();
        let mut inverse = vec![0.0; rows * rows];
        let mut basis = Vec::with_capacity(rows);
        let mut values = Vec::with_capacity(rows);
        let mut duals = Vec::with_capacity(rows);
        for (row, (&demand, &times)) in demands.iter().zip(alone).enumerate() {
            // Multiples of the golden ratio spread evenly.
            let perturbation = PERTURBATION * ((row + 1) as f64 * 0.618_033_988_749_895).fract();
            let share = 1.0 / f64::from(times);
            inverse[row * rows + row] = share;
            basis.push(Column::Pattern([(row as u32, times)].into()));
            values.push(share * (f64::from(demand) + perturbation));
            duals.push(share);
        }
        Simplex { rows, inverse, basis, values, duals, direction: vec![0.0; rows] }
    }

    /// Elements of the basis inverse.
    pub(super) fn elements(&self) -> u64 {
        self.inverse.len() as u64
    }

    /// What covering each row once more costs.
    pub(super) fn duals(&self) -> &[f64] {
        &self.duals
    }

    /// The basic patterns with their values.
    pub(super) fn patterns(&self) -> impl Iterator<Item = (&Sparse, f64)> {
        self.basis.iter().zip(&self.values).filter_map(|(column, &value)| match column {
            Column::Pattern(pattern) => Some((pattern, value)),
            Column::Surplus(_) => None,
        })
    }

    /// How much a unit of the column costs less than what it covers is worth.
    pub(super) fn gain(&self, column: &Column) -> f64 {
        match column {
            Column::Pattern(pattern) => {
                pattern.iter().map(|&(row, count)| self.duals[row as usize] * f64::from(count)).sum::<f64>()
                    - 1.0
            }
            Column::Surplus(row) => -self.duals[*row as usize],
        }
    }

    /// The row whose surplus gains most, if any gains more than `tolerance`.
    pub(super) fn best_surplus(&self, tolerance: f64) -> Option<Column> {
        let (row, &dual) = self.duals.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1))?;
        (dual < -tolerance).then_some(Column::Surplus(row as u32))
    }

    /// Takes the column into the basis, for one that leaves. False if no pivot is safe.
    pub(super) fn enter(&mut self, column: Column) -> bool {
        self.set_direction(&column);
        let Some(leaving) = self.leaving_row() else { return false };
        let gain = self.gain(&column);
        let rows = self.rows;
        let pivot = self.direction[leaving];
        let step = self.values[leaving] / pivot;
        let (before, rest) = self.inverse.split_at_mut(leaving * rows);
        let (pivot_row, after) = rest.split_at_mut(rows);
        for value in pivot_row.iter_mut() {
            *value /= pivot;
        }
        for (row, inverse) in before.chunks_exact_mut(rows).chain(after.chunks_exact_mut(rows)).enumerate() {
            let row = row + usize::from(row >= leaving);
            let factor = self.direction[row];
            if factor != 0.0 {
                subtract(inverse, factor, pivot_row);
                self.values[row] = (self.values[row] - factor * step).max(0.0);
            }
        }
        self.values[leaving] = step;
        subtract(&mut self.duals, gain, pivot_row);
        self.basis[leaving] = column;
        true
    }

    fn set_direction(&mut self, column: &Column) {
        let single;
        let (entries, sign): (&[(u32, u32)], f64) = match column {
            Column::Pattern(pattern) => (pattern, 1.0),
            Column::Surplus(row) => {
                single = [(*row, 1)];
                (&single, -1.0)
            }
        };
        for (direction, inverse) in self.direction.iter_mut().zip(self.inverse.chunks_exact(self.rows)) {
            let sum: f64 = entries.iter().map(|&(row, count)| inverse[row as usize] * f64::from(count)).sum();
            *direction = if sum.abs() < PIVOT_TOLERANCE { 0.0 } else { sign * sum };
        }
    }

    /// The basic column that reaches 0 first; the largest pivot element among equals.
    fn leaving_row(&self) -> Option<usize> {
        let candidates = || (0..self.rows).filter(|&row| self.direction[row] > PIVOT_TOLERANCE);
        let ratio = |row: usize| self.values[row] / self.direction[row];
        let least = candidates().map(ratio).min_by(f64::total_cmp)?;
        candidates()
            .filter(|&row| ratio(row) <= least + 1e-12)
            .max_by(|&a, &b| self.direction[a].total_cmp(&self.direction[b]))
    }
}

fn subtract(row: &mut [f64], factor: f64, pivot_row: &[f64]) {
    for (value, pivot) in row.iter_mut().zip(pivot_row) {
        *value -= factor * pivot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(entries: &[(u32, u32)]) -> Column {
        Column::Pattern(entries.into())
    }

    fn total(simplex: &Simplex) -> f64 {
        simplex.patterns().map(|pattern| pattern.1).sum()
    }

    #[test]
    fn a_small_program_is_solved() {
        // Rows 0, 1, 2 once each; two of them at a time: 1.5 patterns.
        let mut simplex = Simplex::new(&[1, 1, 1], &[1, 1, 1]);
        assert!((total(&simplex) - 3.0).abs() < 1e-3);
        let columns = [pattern(&[(0, 1), (1, 1)]), pattern(&[(1, 1), (2, 1)]), pattern(&[(0, 1), (2, 1)])];
        for _ in 0..10 {
            let best =
                columns.iter().max_by(|a, b| simplex.gain(a).total_cmp(&simplex.gain(b))).unwrap().clone();
            let column = if simplex.gain(&best) > 1e-9 { Some(best) } else { simplex.best_surplus(1e-9) };
            let Some(column) = column else { break };
            assert!(simplex.enter(column));
        }
        assert!((total(&simplex) - 1.5).abs() < 1e-3);
        assert!(simplex.duals().iter().all(|dual| (dual - 0.5).abs() < 1e-9));
    }

    #[test]
    fn surplus_enters_where_covering_more_is_cheaper() {
        // One pattern covers row 0 once and row 1 three times; row 1 is demanded once.
        let mut simplex = Simplex::new(&[1, 1], &[1, 1]);
        assert!(simplex.enter(pattern(&[(0, 1), (1, 3)])));
        while let Some(surplus) = simplex.best_surplus(1e-9) {
            assert!(simplex.enter(surplus));
        }
        assert!((total(&simplex) - 1.0).abs() < 1e-3);
    }
}
