//! The numbers of instances, and their conversion to the table's cells and back.

use std::fmt;
use std::sync::Arc;

use super::semiring::{Cell, CellType};
use crate::solve::Objective;

/// A split cost as a function for the CPU: of the first point, the split and the last point.
pub type SplitFunction<V> = Arc<dyn Fn(usize, usize, usize) -> V + Send + Sync>;

/// The numbers of an instance: whole (`i64`) or real (`f64`).
pub trait Number: Objective + Default + fmt::Debug + Send + Sync + operations::Operations {}

impl Number for i64 {}
impl Number for f64 {}

/// Not nameable by other crates, so that [`Number`] is sealed.
pub(super) mod operations {
    use super::SplitFunction;

    /// A list of an instance's numbers.
    #[derive(Clone, Copy)]
    pub enum List<'a> {
        Whole(&'a [i64]),
        Real(&'a [f64]),
    }

    /// A caller's split cost.
    #[derive(Clone, Copy)]
    pub enum Function<'a> {
        Whole(&'a SplitFunction<i64>),
        Real(&'a SplitFunction<f64>),
    }

    /// Operations on numbers for the solver.
    pub trait Operations: Copy {
        /// Whether all numbers of the type are whole.
        const WHOLE: bool;
        /// Exact for whole numbers; see [`Operations::is_whole`].
        fn to_i64(self) -> i64;
        fn from_i64(value: i64) -> Self;
        /// The nearest number.
        fn from_f64(value: f64) -> Self;
        fn is_finite(self) -> bool;
        /// Whether it is a whole number within the range of `i64`.
        fn is_whole(self) -> bool;
        /// The sum, rounded for real numbers; `None` if it is out of range.
        fn checked_add(self, other: Self) -> Option<Self>;
        /// The sum and its rounding error; `None` if it is out of range.
        fn add_with_error(self, other: Self) -> Option<(Self, Self)>;
        /// The product, rounded for real numbers; `None` if it is out of range.
        fn checked_mul(self, other: Self) -> Option<Self>;
        /// A bound at least as tight as `value`: every whole result beyond `value` is also beyond
        /// this number.
        fn bound(value: f64, from_below: bool) -> Self;
        fn list(list: &[Self]) -> List<'_>;
        fn function(function: &SplitFunction<Self>) -> Function<'_>;
    }

    impl Operations for i64 {
        const WHOLE: bool = true;
        fn to_i64(self) -> i64 {
            self
        }
        fn from_i64(value: i64) -> Self {
            value
        }
        fn from_f64(value: f64) -> Self {
            value.round() as i64
        }
        fn is_finite(self) -> bool {
            true
        }
        fn is_whole(self) -> bool {
            true
        }
        fn checked_add(self, other: Self) -> Option<Self> {
            i64::checked_add(self, other)
        }
        fn add_with_error(self, other: Self) -> Option<(Self, Self)> {
            Some((i64::checked_add(self, other)?, 0))
        }
        fn checked_mul(self, other: Self) -> Option<Self> {
            i64::checked_mul(self, other)
        }
        fn bound(value: f64, from_below: bool) -> Self {
            // A whole result at or above `value` is at or above the next whole number.
            (if from_below { value.ceil() } else { value.floor() }) as i64
        }
        fn list(list: &[Self]) -> List<'_> {
            List::Whole(list)
        }
        fn function(function: &SplitFunction<Self>) -> Function<'_> {
            Function::Whole(function)
        }
    }

    impl Operations for f64 {
        const WHOLE: bool = false;
        fn to_i64(self) -> i64 {
            self as i64
        }
        fn from_i64(value: i64) -> Self {
            value as f64
        }
        fn from_f64(value: f64) -> Self {
            value
        }
        fn is_finite(self) -> bool {
            f64::is_finite(self)
        }
        fn is_whole(self) -> bool {
            self.fract() == 0.0 && self.abs() < 9.2e18
        }
        fn checked_add(self, other: Self) -> Option<Self> {
            Some(self + other).filter(|sum| sum.is_finite())
        }
        fn add_with_error(self, other: Self) -> Option<(Self, Self)> {
            // Knuth's error-free transformation.
            let sum = self + other;
            let part = sum - self;
            Some((sum, (self - (sum - part)) + (other - part))).filter(|(sum, _)| sum.is_finite())
        }
        fn checked_mul(self, other: Self) -> Option<Self> {
            Some(self * other).filter(|product| product.is_finite())
        }
        fn bound(value: f64, _from_below: bool) -> Self {
            value
        }
        fn list(list: &[Self]) -> List<'_> {
            List::Real(list)
        }
        fn function(function: &SplitFunction<Self>) -> Function<'_> {
            Function::Real(function)
        }
    }
}

/// Converts a number to a cell; rounds if the cell's type is narrower.
pub(super) fn to_cell<V: Number, C: Cell>(value: V) -> C {
    if C::TYPE.is_float() { C::from_f64(value.to_f64()) } else { C::from_i64(value.to_i64()) }
}

/// A cell's value, for any type of cell.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Value {
    Whole(i64),
    Real(f64),
}

impl Value {
    pub(super) fn of<C: Cell>(cell: C) -> Self {
        if C::TYPE.is_float() { Value::Real(cell.to_f64()) } else { Value::Whole(cell.to_i64()) }
    }

    /// The value of the first cell in these bytes.
    pub(super) fn read(cell_type: CellType, bytes: &[u8]) -> Self {
        fn cell<C: Cell>(bytes: &[u8]) -> Value {
            Value::of::<C>(bytemuck::pod_read_unaligned(&bytes[..size_of::<C>()]))
        }
        match cell_type {
            CellType::U16 => cell::<u16>(bytes),
            CellType::I32 => cell::<i32>(bytes),
            CellType::I64 => cell::<i64>(bytes),
            CellType::F32 => cell::<f32>(bytes),
            CellType::F64 => cell::<f64>(bytes),
        }
    }

    pub(super) fn to_f64(self) -> f64 {
        match self {
            Value::Whole(value) => value as f64,
            Value::Real(value) => value,
        }
    }

    pub(super) fn number<V: Number>(self) -> V {
        match self {
            Value::Whole(value) => V::from_i64(value),
            Value::Real(value) => V::from_f64(value),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Whole(value) => value.fmt(f),
            Value::Real(value) => value.fmt(f),
        }
    }
}
