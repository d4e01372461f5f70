//! The assignment problem, by shortest augmenting paths: Jonker and Volgenant (1987), Computing 38,
//! 325-340.

/// A cheapest choice of one column for each row.
pub(super) struct Assignment {
    pub(super) value: i64,
    /// The row of each column; `usize::MAX` if the work was cut short before.
    pub(super) row_of: Vec<usize>,
    /// No cost is below the sum of the prices of its row and its column.
    pub(super) rows: Vec<i64>,
    pub(super) columns: Vec<i64>,
}

const NONE: usize = usize::MAX;

/// Solves a problem of `size` rows and columns: `costs[row * size + column]`. If `stop` says so,
/// only some rows are assigned, and the value is the sum of all prices, which is a lower bound.
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
    let mut left = search.reduce();
    for _ in 0..2 {
        left = search.bid(left);
    }
    for (done, row) in left.into_iter().enumerate() {
        if done % 4 == 3 && stop() {
            break;
        }
        search.add(row);
    }
    let Search { rows, columns, row_of, .. } = search;
    let value = columns.iter().chain(&rows).sum();
    Assignment { value, row_of, rows, columns }
}

struct Search<'a> {
    size: usize,
    costs: &'a [i64],
    /// Prices. No cost is below the sum of the prices of its row and its column; in the assignment
    /// they are equal. So no assignment costs less than all prices together.
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
    /// Makes the least cost of each column its price, and assigns it to its row unless that has
    /// another column. Returns the other rows.
    fn reduce(&mut self) -> Vec<usize> {
        let (size, mut cheapest) = (self.size, vec![0; self.size]);
        self.columns.copy_from_slice(&self.costs[..size]);
        for (row, costs) in self.costs.chunks_exact(size).enumerate().skip(1) {
            for ((price, &cost), cheapest) in self.columns.iter_mut().zip(costs).zip(&mut cheapest)
            {
                if cost < *price {
                    (*price, *cheapest) = (cost, row);
                }
            }
        }
        let mut is_left = vec![true; size];
        for (column, &row) in cheapest.iter().enumerate() {
            if std::mem::take(&mut is_left[row]) {
                self.row_of[column] = row;
            }
        }
        (0..size).filter(|&row| is_left[row]).collect()
    }

    /// Gives each row its cheapest column, for a price at which the second cheapest is as good. A
    /// row that loses its column bids next. Returns the rows that are left.
    fn bid(&mut self, rows: Vec<usize>) -> Vec<usize> {
        let (mut left, mut bids) = (Vec::new(), 0);
        for mut row in rows {
            loop {
                let (column, least, second) = self.two_cheapest(row);
                let loser = self.row_of[column];
                // A free column, or a price that falls. Ties would go round in circles.
                if (loser != NONE && least == second) || bids > 4 * self.size {
                    self.rows[row] = least;
                    left.push(row);
                    break;
                }
                bids += 1;
                self.rows[row] = second;
                self.columns[column] -= second - least;
                self.row_of[column] = row;
                if loser == NONE {
                    break;
                }
                row = loser;
            }
        }
        left
    }

    /// The cheapest column of a row, and the costs of the cheapest and the second one less prices.
    fn two_cheapest(&self, row: usize) -> (usize, i64, i64) {
        let costs = &self.costs[row * self.size..][..self.size];
        let (mut column, mut least, mut second) = (0, i64::MAX, i64::MAX);
        for (at, (cost, price)) in costs.iter().zip(&self.columns).enumerate() {
            let cost = cost - price;
            if cost < least {
                (column, second, least) = (at, least, cost);
            } else if cost < second {
                second = cost;
            }
        }
        (column, least, if second == i64::MAX { least } else { second })
    }

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
                .prop_flat_map(|size| (Just(size), prop::collection::vec(-25..25i64, size * size)))
        ) {
            let found = assign(size, &costs, &|| false);
            prop_assert_eq!(found.value, least(size, &costs, 0, 0));
            let mut rows = found.row_of;
            rows.sort_unstable();
            prop_assert_eq!(rows, (0..size).collect::<Vec<_>>());
        }

        #[test]
        fn a_stop_leaves_a_lower_bound(costs in prop::collection::vec(0..9i64, 30 * 30)) {
            let [whole, part] = [false, true].map(|stops| assign(30, &costs, &|| stops).value);
            prop_assert!((0..=whole).contains(&part), "{part} of {whole}");
        }
    }
}
