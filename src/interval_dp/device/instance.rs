//! An instance for the device engines: cells are bytes, as in buffers, so that these engines are
//! compiled once for all types of cells.

use std::ops::Range;

use bytemuck::Pod;

use crate::Result;
use crate::interval_dp::cell_instance::{CellInstance, Costs, Terms};
use crate::interval_dp::number::Value;
use crate::interval_dp::semiring::{Cell, CellType, Semiring};
use crate::interval_dp::view::View;

/// Number of an instance's lists, each as long as its padded points.
pub(in crate::interval_dp) const LISTS: usize = 6;

/// Kinds of cell costs and of split costs, as kernels know them.
pub(super) const COSTS_NONE: u64 = 0;
pub(super) const COSTS_SEPARABLE: u64 = 1;
pub(super) const COSTS_TABLE: u64 = 2;
pub(super) const COSTS_ENCLOSING: u64 = 3;
pub(super) const TERMS_NONE: u64 = 0;
pub(super) const TERMS_PRODUCT: u64 = 1;
pub(super) const TERMS_EXPRESSION: u64 = 2;

/// The form of an instance, which decides how the kernels are built.
pub(in crate::interval_dp) struct Form<'a> {
    pub(in crate::interval_dp) cell_type: CellType,
    pub(in crate::interval_dp) semiring: Semiring,
    pub(in crate::interval_dp) costs: u64,
    pub(in crate::interval_dp) terms: u64,
    /// The caller's expression, if split costs are one.
    pub(in crate::interval_dp) source: Option<&'a str>,
    /// Whether the expression comes without a function.
    pub(in crate::interval_dp) for_devices: bool,
}

/// The parts of an instance that devices and their checks need.
pub(in crate::interval_dp) trait DeviceInstance: Sync {
    /// The form that its kernels are built for.
    fn form(&self) -> Form<'_>;
    /// The number of points, and that number rounded up to whole tiles.
    fn sizes(&self) -> [usize; 2];
    /// Its lists in the kernels' order, with empty ones for missing lists, and the data of the
    /// caller's expression, or the numbers of enclosing.
    fn lists(&self) -> ([&[u8]; LISTS], Option<&[u8]>);
    /// Writes the cell costs for these columns of row `i`; leaves entries left of the diagonal as
    /// they are.
    fn write_weights(&self, i: usize, columns: Range<usize>, cells: &mut [u8]);
    /// The cost of a split by the caller's function.
    fn term(&self, at: [usize; 3]) -> Option<Value>;
    /// Whether the value of cell (i, j) is the one that its splits give. The `others` are the
    /// cells (i, k) and the cells (k, j) for all points k in between, and cell (i + 1, j - 1). The
    /// last one counts only where it exists and cells may enclose others. `terms` has the costs of
    /// these splits if the instance cannot compute them.
    fn explains(&self, at: [usize; 2], found: &[u8], others: [&[u8]; 3], terms: &[u8]) -> bool;
}

/// The instance in cells of the given type; its lists are padded to a multiple of
/// `tile`.
pub(in crate::interval_dp) fn device_instance<'a>(
    view: &View<'a>,
    cell_type: CellType,
    tile: usize,
) -> Result<Box<dyn DeviceInstance + 'a>> {
    Ok(match cell_type {
        CellType::U16 => Box::new(CellInstance::<u16>::new(view, tile)?),
        CellType::I32 => Box::new(CellInstance::<i32>::new(view, tile)?),
        CellType::I64 => Box::new(CellInstance::<i64>::new(view, tile)?),
        CellType::F32 => Box::new(CellInstance::<f32>::new(view, tile)?),
        CellType::F64 => Box::new(CellInstance::<f64>::new(view, tile)?),
    })
}

impl<C: Cell> DeviceInstance for CellInstance<'_, C> {
    fn form(&self) -> Form<'_> {
        let costs = match self.costs {
            Costs::None => COSTS_NONE,
            Costs::Separable { .. } => COSTS_SEPARABLE,
            Costs::Table(_) => COSTS_TABLE,
            Costs::Enclosing(_) => COSTS_ENCLOSING,
        };
        let (terms, source, for_devices) = match &self.terms {
            Terms::None => (TERMS_NONE, None, false),
            Terms::Product { .. } => (TERMS_PRODUCT, None, false),
            Terms::Function { source, function, .. } => {
                (TERMS_EXPRESSION, *source, function.is_none())
            }
        };
        Form { cell_type: C::TYPE, semiring: self.semiring, costs, terms, source, for_devices }
    }

    fn sizes(&self) -> [usize; 2] {
        [self.points, self.padded]
    }

    fn lists(&self) -> ([&[u8]; LISTS], Option<&[u8]>) {
        let [row, column] = match &self.costs {
            Costs::Separable { row, column } => [&row[..], column],
            Costs::Enclosing(enclosing) => [&enclosing.row[..], &enclosing.column],
            _ => [&[][..]; 2],
        };
        let ([left, split, right], data) = match &self.terms {
            Terms::None => {
                let data = match &self.costs {
                    Costs::Enclosing(enclosing) => Some(bytemuck::cast_slice(&enclosing.numbers)),
                    _ => None,
                };
                ([&[][..]; 3], data)
            }
            Terms::Product { left, split, right } => ([&left[..], split, right], None),
            Terms::Function { data, .. } => ([&[][..]; 3], Some(bytemuck::cast_slice(data))),
        };
        ([&self.leaves, row, column, left, split, right].map(bytemuck::cast_slice), data)
    }

    fn write_weights(&self, i: usize, columns: Range<usize>, cells: &mut [u8]) {
        let Costs::Table(weight) = &self.costs else { return };
        for (j, cell) in columns.zip(cells.chunks_exact_mut(size_of::<C>())) {
            if i < j {
                cell.copy_from_slice(bytemuck::bytes_of(&weight(i, j)));
            }
        }
    }

    fn term(&self, [i, k, j]: [usize; 3]) -> Option<Value> {
        match &self.terms {
            Terms::Function { function: Some(function), .. } => Some(Value::of(function(i, k, j))),
            _ => None,
        }
    }

    fn explains(
        &self,
        [i, j]: [usize; 2],
        found: &[u8],
        [row, column, enclosed]: [&[u8]; 3],
        terms: &[u8],
    ) -> bool {
        let parts = cells::<C>(row).zip(cells::<C>(column));
        let weight = self.weight(i, j);
        let sum = match (&self.terms, self.semiring) {
            // The usual forms, in loops without a choice for each split.
            (Terms::None, Semiring::MinPlus) => parts.map(|(a, b)| a.add(b)).reduce(C::min),
            (Terms::None, Semiring::MaxPlus) => parts.map(|(a, b)| a.add(b)).reduce(C::max),
            _ => {
                let mut terms = cells::<C>(terms);
                let value = |(k, (left, right))| {
                    let value = self.through((i, k, j), left, right);
                    terms.next().map_or(value, |term| self.semiring.times(value, term))
                };
                (i + 1..j).zip(parts).map(value).reduce(|a, b| self.semiring.plus(a, b))
            }
        };
        let expected = match sum {
            Some(value) => {
                let enclosed = match self.encloses() && j > i + 2 {
                    true => bytemuck::pod_read_unaligned(enclosed),
                    false => self.semiring.one(),
                };
                self.finished(value, weight, enclosed)
            }
            None => weight,
        };
        let found: C = bytemuck::pod_read_unaligned(found);
        found == expected
            || C::TYPE.is_float()
                && is_close(self.semiring, C::TYPE, found.to_f64(), expected.to_f64())
    }
}

/// Whether two different numbers may be roundings of the same sum.
fn is_close(semiring: Semiring, cell_type: CellType, found: f64, expected: f64) -> bool {
    if found.is_nan() && expected.is_nan() {
        return true;
    }
    // A rounded sum depends on the order of its terms.
    let tolerance = if cell_type == CellType::F32 { 1e-3 } else { 1e-9 };
    semiring == Semiring::PlusTimes
        && (found - expected).abs() <= tolerance * expected.abs().max(cell_type.least_normal())
}

fn cells<C: Pod>(bytes: &[u8]) -> impl Iterator<Item = C> {
    bytes.chunks_exact(size_of::<C>()).map(bytemuck::pod_read_unaligned)
}
