//! Spot checks of tables on a device: the host computes whole windows of short cells again, and some long ones, among them the
//! last cell.

use super::instance::pairs;
use super::kernels::{Layout, Table, Tiling};
use super::plan::{Plan, Terms};
use super::semiring::{Cell, CellType, Semiring};
use crate::context::{SpotChecks, wrong};
use crate::memory::Gather;
use crate::random::Random;
use crate::{Context, Result, memory, parallel};

/// Tiles along the edge of a window: its cells are those of a diagonal's tiles, and of tiles that were multiplied.
const WINDOW_TILES: usize = 3;
/// Points of a window where there are no tiles, and where the device alone knows the split costs.
const WINDOW_POINTS: usize = 96;
const EXPRESSION_POINTS: usize = 32;
/// Long cells, the last one not counted.
const LONG_CELLS: usize = 1;

/// The cells of some points in a row.
struct Window<C> {
    first: usize,
    points: usize,
    /// Rows of the square, of which the upper half counts.
    cells: Vec<C>,
}

impl<C: Cell> Window<C> {
    fn at(&self, i: usize, j: usize) -> C {
        self.cells[(i - self.first) * self.points + j - self.first]
    }
}

impl Table<'_> {
    /// Computes cells again, as many as spot checks want.
    pub(super) fn check<C: Cell>(&self, context: &Context, plan: &Plan<'_, C>) -> Result<()> {
        let knows_terms = !matches!(plan.terms, Terms::Function { function: None, .. });
        let unit = match self.layout {
            Layout::Triangle(Tiling { tile, .. }) => tile,
            Layout::Square => 1,
        };
        let width = match self.layout {
            _ if !knows_terms => EXPRESSION_POINTS,
            // A small table as a whole.
            _ if pairs(self.points) as u64 <= SpotChecks::LEAST => self.points,
            Layout::Triangle(Tiling { tile, .. }) => WINDOW_TILES * tile,
            Layout::Square => WINDOW_POINTS,
        };
        let mut random = Random::new(self.points as u64);
        let mut left = SpotChecks::LEAST as usize;
        let places = self.points.saturating_sub(width).div_ceil(unit) + 1;
        let mut firsts: Vec<usize> = (0..places).gather()?;
        let count = places.min(left / pairs(width).max(1) + 1);
        random.choose(&mut firsts, count);
        for first in &firsts[..count] {
            let window = self.window(first * unit, width)?;
            left = left.saturating_sub(self.check_window(context, plan, &window, knows_terms)?);
        }
        if !knows_terms {
            return Ok(());
        }
        let last = self.points - 1;
        let long = (0..LONG_CELLS).map(|_| {
            let i = random.below(last as u64) as usize;
            (i, i + 1 + random.below((last - i) as u64) as usize)
        });
        long.chain([(0, last)]).try_for_each(|(i, j)| self.check_long(plan, i, j))
    }

    /// The cells of `width` points from `first` on, of fewer at the end of the table.
    fn window<C: Cell>(&self, first: usize, width: usize) -> Result<Window<C>> {
        let points = width.min(self.points - first);
        let mut cells = memory::filled(C::default(), points * points)?;
        match self.layout {
            Layout::Square => {
                for (i, row) in cells.chunks_exact_mut(points).enumerate() {
                    self.read_cells(first + i, first, row)?;
                }
            }
            Layout::Triangle(Tiling { tile, .. }) => {
                let (begin, end) = (first / tile, (first + points).div_ceil(tile));
                for q in begin..end {
                    let mut column = memory::filled(C::default(), (q + 1 - begin) * tile * tile)?;
                    self.read_cells(begin * tile, q * tile, &mut column)?;
                    for (i, line) in (begin * tile..).zip(column.chunks_exact(tile)) {
                        for (j, &cell) in (q * tile..).zip(line) {
                            if (first..first + points).contains(&i) && (first..first + points).contains(&j) {
                                cells[(i - first) * points + j - first] = cell;
                            }
                        }
                    }
                }
            }
        }
        Ok(Window { first, points, cells })
    }

    /// Computes all cells of a window again; says how many there are.
    fn check_window<C: Cell>(
        &self,
        context: &Context,
        plan: &Plan<'_, C>,
        window: &Window<C>,
        knows_terms: bool,
    ) -> Result<usize> {
        let (first, end) = (window.first, window.first + window.points);
        let splits = |i: usize| (i + 2..end).flat_map(move |j| (i + 1..j).map(move |k| [i, k, j]));
        let terms: Vec<C> = match knows_terms {
            true => Vec::new(),
            // Another kernel says them.
            false => {
                let triples = (first..end).flat_map(splits).flatten().map(|point| point as u32);
                self.terms(&triples.gather()?)?
            }
        };
        let mut begins = vec![0];
        for i in first..end {
            begins.push(begins[i - first] + (i + 2..end).map(|j| j - i - 1).sum::<usize>());
        }
        let check_row = |i: usize| {
            self.monitor.check()?;
            let mut terms = terms.get(begins[i - first]..).unwrap_or_default().iter();
            for j in i + 1..end {
                let through = |k: usize| {
                    let value = plan.through((i, k, j), window.at(i, k), window.at(k, j));
                    terms.next().map_or(value, |&term| plan.semiring.times(value, term))
                };
                compare(plan, (i, j), window.at(i, j), (i + 1..j).map(through))?;
            }
            Ok(())
        };
        context.install(|| parallel::try_for_each(first..end, check_row))??;
        Ok(window.points * (window.points - 1) / 2)
    }

    /// Computes one cell again from its row and its column.
    fn check_long<C: Cell>(&self, plan: &Plan<'_, C>, i: usize, j: usize) -> Result<()> {
        self.monitor.check()?;
        let cells = || memory::filled(C::default(), j + 1);
        let (mut row, mut column) = (cells()?, cells()?);
        match self.layout {
            Layout::Square => {
                self.read_cells(i, i + 1, &mut row[i + 1..])?;
                for k in i + 1..j {
                    self.read_cells(k, j, &mut column[k..k + 1])?;
                }
            }
            Layout::Triangle(Tiling { tile, .. }) => {
                for q in i / tile..=j / tile {
                    let begin = (i + 1).max(q * tile);
                    let end = ((q + 1) * tile).min(j + 1);
                    self.read_cells(i, begin, &mut row[begin.min(end)..end])?;
                }
                let begin = i / tile;
                let mut tiles = memory::filled(C::default(), (j / tile + 1 - begin) * tile * tile)?;
                self.read_cells(begin * tile, j / tile * tile, &mut tiles)?;
                for (k, line) in (begin * tile..=j).zip(tiles.chunks_exact(tile)) {
                    column[k] = line[j % tile];
                }
            }
        }
        let through = |k: usize| plan.through((i, k, j), row[k], column[k]);
        compare(plan, (i, j), row[j], (i + 1..j).map(through))
    }
}

/// Compares a cell with what its splits make of it.
fn compare<C: Cell>(
    plan: &Plan<'_, C>,
    (i, j): (usize, usize),
    found: C,
    splits: impl Iterator<Item = C>,
) -> Result<()> {
    let weight = plan.weight(i, j);
    let expected = match splits.reduce(|sum, value| plan.semiring.plus(sum, value)) {
        Some(value) => plan.semiring.times(value, weight),
        None => weight,
    };
    let is_same = found == expected || found.to_f64().is_nan() && expected.to_f64().is_nan();
    let is_close = || {
        // A sum of real numbers depends on its order.
        let tolerance = if C::TYPE == CellType::F32 { 1e-3 } else { 1e-9 };
        let (found, expected) = (found.to_f64(), expected.to_f64());
        plan.semiring == Semiring::PlusTimes
            && C::TYPE.is_float()
            && (found - expected).abs() <= tolerance * expected.abs().max(C::TYPE.least_normal())
    };
    if is_same || is_close() { Ok(()) } else { Err(wrong(&format!("cell ({i}, {j})"))) }
}
