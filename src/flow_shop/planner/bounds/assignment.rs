//! The assignment problem, by shortest augmenting paths: Jonker and Volgenant (1987), Computing 38,
//! 325-340, without their initialisation.

/// A cheapest choice of one column for each row.
pub(super) struct Assignment {
    pub(super) value: i64,
    /// The row of each column; `usize::MAX` if the work was cut short before.
    pub(super) row_of: Vec<usize>,
}

const NONE: usize = usize::MAX;

/// Solves a problem of `size` rows and columns: `costs[row * size + column]`, none negative. If
/// `stop` says so, only the rows so far are assigned. Their value is a lower bound then, since the
/// others would add no negative cost.
pub(super) fn assign(size: usize, costs: &[i64], stop: &dyn Fn() -> bool) -> Assignment {
    let mut search = Search {
        size,
        costs,
        columns: vec![0; size],
        rows: vec![0; size],
        row_of: vec![NONE; size],
        before: vec![NONE; size],
        distance: vec![0; size],
        reached: Vec::with_capacity(size),
        open: Vec::with_capacity(size),
    };
    for row in 0..size {
        if row % 16 == 15 && stop() {
            break;
        }
        search.add(row);
    }
    let Search { row_of, .. } = search;
    let chosen = row_of.iter().enumerate().filter(|&(_, &row)| row != NONE);
    let value = chosen.map(|(column, &row)| costs[row * size + column]).sum();
    Assignment { value, row_of }
}

struct Search<'a> {
    size: usize,
    costs: &'a [i64],
    /// Prices. No cost is below the sum of the prices of its row and its column; in the assignment
    /// they are equal.
    columns: Vec<i64>,
    rows: Vec<i64>,
    row_of: Vec<usize>,
    /// The column before each column on its shortest path.
    before: Vec<usize>,
    distance: Vec<i64>,
    /// Columns whose distance is final, and the others.
    reached: Vec<usize>,
    open: Vec<usize>,
}

impl Search<'_> {
    /// Assigns one more row, along the shortest path to a free column.
    fn add(&mut self, first: usize) {
        self.reached.clear();
        self.open.clear();
        self.open.extend(0..self.size);
        self.distance.fill(i64::MAX);
        let (mut row, mut from, mut length) = (first, NONE, 0);
        let end = loop {
            let nearest = self.relax(row, from, length);
            let column = self.open.swap_remove(nearest);
            length = self.distance[column];
            if self.row_of[column] == NONE {
                break column;
            }
            self.reached.push(column);
            (row, from) = (self.row_of[column], column);
        };
        self.rows[first] += length;
        for &column in &self.reached {
            let slack = length - self.distance[column];
            self.columns[column] -= slack;
            self.rows[self.row_of[column]] += slack;
        }
        let mut column = end;
        while column != NONE {
            let before = self.before[column];
            self.row_of[column] = if before == NONE { first } else { self.row_of[before] };
            column = before;
        }
    }

    /// Follows the edges of a row at distance `length`; returns where in `open` the nearest column
    /// is.
    fn relax(&mut self, row: usize, from: usize, length: i64) -> usize {
        let costs = &self.costs[row * self.size..][..self.size];
        let base = length - self.rows[row];
        let (mut nearest, mut least) = (0, i64::MAX);
        for (at, &column) in self.open.iter().enumerate() {
            let distance = base + costs[column] - self.columns[column];
            if distance < self.distance[column] {
                self.distance[column] = distance;
                self.before[column] = from;
            }
            if self.distance[column] < least {
                (nearest, least) = (at, self.distance[column]);
            }
        }
        nearest
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn least(size: usize, costs: &[i64], row: usize, used: u32) -> i64 {
        if row == size {
            return 0;
        }
        let free = (0..size).filter(|column| used >> column & 1 == 0);
        let cost = |column| {
            costs[row * size + column] + least(size, costs, row + 1, used | 1u32 << column)
        };
        free.map(cost).min().unwrap()
    }

    proptest! {
        #[test]
        fn assignments_are_cheapest(
            (size, costs) in (1..=6usize)
                .prop_flat_map(|size| (Just(size), prop::collection::vec(0..50i64, size * size)))
        ) {
            let found = assign(size, &costs, &|| false);
            prop_assert_eq!(found.value, least(size, &costs, 0, 0));
            let mut rows = found.row_of;
            rows.sort_unstable();
            prop_assert_eq!(rows, (0..size).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_stop_leaves_a_lower_bound() {
        let size = 40;
        let costs: Vec<i64> = (0..size * size).map(|at| (at * 7919 % 101) as i64).collect();
        let whole = assign(size, &costs, &|| false).value;
        let part = assign(size, &costs, &|| true).value;
        assert!(0 < part && part < whole);
    }
}
