//! Cells that may enclose a smaller one: cell (i, j) is the best of its splits and of
//! cell(i + 1, j - 1) + e(i, j). The two leaves at its ends then are a *pair*.

use super::number::to_cell;
use super::semiring::Cell;
use crate::memory::Grow;
use crate::solve::Monitor;
use crate::{Error, Result, memory};

/// Classes of leaves.
pub(super) const CLASSES: usize = 4;
/// Places of the numbers after the costs of pairs, as kernels find them.
pub(super) const OTHERWISE: usize = CLASSES * CLASSES;
pub(super) const LEAST_INSIDE: usize = OTHERWISE + 1;
/// Splits between two checks for stops, about a millisecond.
const STEPS: usize = 1 << 14;

/// The costs e(i, j) of enclosing.
pub(super) struct Enclosing {
    /// The class of each leaf, below [`CLASSES`].
    pub(super) classes: Vec<u8>,
    /// The costs by the classes of the first and of the last leaf, at most
    /// [`Enclosing::otherwise`].
    pub(super) costs: [i64; CLASSES * CLASSES],
    /// The cost where no pair is allowed. It never makes a cell better than its splits.
    pub(super) otherwise: i64,
    /// Least leaves inside a pair.
    pub(super) least_inside: usize,
}

impl Enclosing {
    /// The cost of the pair of leaves i and j - 1, if it is allowed.
    fn pair(&self, i: usize, j: usize) -> Option<i64> {
        let cost = || {
            self.costs[usize::from(self.classes[i]) * CLASSES + usize::from(self.classes[j - 1])]
        };
        (j >= i + 2 + self.least_inside).then(cost).filter(|&cost| cost < self.otherwise)
    }
}

/// The same in cells, in the lists that kernels read.
pub(super) struct CellEnclosing<C> {
    /// By a cell's first point, the class of its first leaf.
    pub(super) row: Vec<C>,
    /// By a cell's last point, the class of its last leaf.
    pub(super) column: Vec<C>,
    /// The costs of pairs, then [`OTHERWISE`] and [`LEAST_INSIDE`].
    pub(super) numbers: Vec<C>,
    least_inside: usize,
}

impl<C: Cell> CellEnclosing<C> {
    /// Lists of `padded` entries.
    pub(super) fn new(enclosing: &Enclosing, padded: usize) -> Result<Self> {
        let (mut row, mut column) = (memory::zeroed(padded)?, memory::zeroed(padded)?);
        for (leaf, &class) in enclosing.classes.iter().enumerate() {
            (row[leaf], column[leaf + 1]) = (C::from_i64(class.into()), C::from_i64(class.into()));
        }
        // No pair has more leaves inside than there are leaves.
        let least_inside = enclosing.least_inside.min(enclosing.classes.len());
        let last = [enclosing.otherwise, least_inside as i64];
        let numbers = enclosing.costs.into_iter().chain(last).map(to_cell).collect();
        Ok(CellEnclosing { row, column, numbers, least_inside })
    }

    /// The cost e(i, j).
    #[inline]
    pub(super) fn cost(&self, i: usize, j: usize) -> C {
        let class = |cell: C| cell.to_i64() as usize;
        self.numbers[match j < i + 2 + self.least_inside {
            true => OTHERWISE,
            false => class(self.row[i]) * CLASSES + class(self.column[j]),
        }]
    }
}

/// The pairs on the optimal path of a table of whole numbers for points 0 .. `points`, by their
/// first leaves. A pair is its first and its last leaf. A cell takes the first of these that
/// explains its value: the pair of its ends, its first leaf, its last leaf, the lowest split.
pub(super) fn pairs(
    enclosing: &Enclosing,
    points: usize,
    cell: &dyn Fn(usize, usize) -> i64,
    monitor: &Monitor,
) -> Result<Vec<(u32, u32)>> {
    let inner = |i: usize, j: usize| if i == j { 0 } else { cell(i, j) };
    let (mut pairs, mut open) = (Vec::new(), vec![(0, points - 1)]);
    let mut steps = 0usize;
    while let Some((i, j)) = open.pop() {
        if j <= i + 1 {
            continue;
        }
        let wanted = cell(i, j);
        let encloses =
            enclosing.pair(i, j).is_some_and(|cost| inner(i + 1, j - 1) + cost == wanted);
        if encloses {
            pairs.try_push((i as u32, j as u32 - 1))?;
            open.try_push((i + 1, j - 1))?;
            continue;
        }
        // In all other splits the first leaf is paired with the one before the split.
        let ends = [i + 1, j - 1].into_iter();
        let splits = ends.chain((i + 2..j).filter(|&k| enclosing.pair(i, k).is_some()));
        let mut found = None;
        for k in splits {
            if cell(i, k) + cell(k, j) == wanted {
                found = Some(k);
                break;
            }
            steps += 1;
            if steps.is_multiple_of(STEPS) {
                monitor.report("pairs", None);
                monitor.check()?;
            }
        }
        let unexplained = || Error::internal(format!("no split explains cell ({i}, {j})"));
        let k = found.ok_or_else(unexplained)?;
        open.try_push((k, j))?;
        open.try_push((i, k))?;
    }
    pairs.sort_unstable();
    Ok(pairs)
}
