//! The operations of the recurrence, and the types of cells.

use std::fmt;

use bytemuck::Pod;

use crate::enumeration::enumeration;
use crate::opencl::Element;
use crate::solve::Sense;

enumeration! {
    /// The operations in the recurrence, in place of "minimum" and "plus".
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum Semiring {
        /// Least sum: the cheapest tree.
        #[default]
        MinPlus: "min-plus", "Least sum";
        /// Largest sum: the most valuable tree.
        MaxPlus: "max-plus", "Largest sum";
        /// Largest minimum: the tree whose smallest term is largest.
        MaxMin: "max-min", "Largest minimum";
        /// Bitwise or of ands: which trees exist, in as many independent problems as a cell has
        /// bits. Whole numbers only; gives a value but no tree.
        OrAnd: "or-and", "Bitwise or of ands";
        /// Sum of products: counts trees, or sums their weights. Gives a value but no tree.
        PlusTimes: "plus-times", "Sum of products";
    }
}

impl Semiring {
    /// Whether a value is that of one tree, which can be recovered.
    pub fn selects(self) -> bool {
        matches!(self, Semiring::MinPlus | Semiring::MaxPlus | Semiring::MaxMin)
    }

    /// Which values are better. If there is nothing to choose from, either will do.
    pub(super) fn sense(self) -> Sense {
        match self {
            Semiring::MaxPlus | Semiring::MaxMin => Sense::Maximise,
            Semiring::MinPlus | Semiring::OrAnd | Semiring::PlusTimes => Sense::Minimise,
        }
    }
}

/// The operations on cells outside hot loops; those use a [`Ring`].
impl Semiring {
    /// The neutral element of [`Semiring::plus`].
    #[inline]
    pub(super) fn zero<C: Cell>(self) -> C {
        match self {
            Semiring::MinPlus => MinPlus::zero(),
            Semiring::MaxPlus => MaxPlus::zero(),
            Semiring::MaxMin => MaxMin::zero(),
            Semiring::OrAnd => OrAnd::zero(),
            Semiring::PlusTimes => PlusTimes::zero(),
        }
    }

    /// The neutral element of [`Semiring::times`].
    #[inline]
    pub(super) fn one<C: Cell>(self) -> C {
        match self {
            Semiring::MinPlus => MinPlus::one(),
            Semiring::MaxPlus => MaxPlus::one(),
            Semiring::MaxMin => MaxMin::one(),
            Semiring::OrAnd => OrAnd::one(),
            Semiring::PlusTimes => PlusTimes::one(),
        }
    }

    #[inline]
    pub(super) fn plus<C: Cell>(self, a: C, b: C) -> C {
        match self {
            Semiring::MinPlus => MinPlus::plus(a, b),
            Semiring::MaxPlus => MaxPlus::plus(a, b),
            Semiring::MaxMin => MaxMin::plus(a, b),
            Semiring::OrAnd => OrAnd::plus(a, b),
            Semiring::PlusTimes => PlusTimes::plus(a, b),
        }
    }

    #[inline]
    pub(super) fn times<C: Cell>(self, a: C, b: C) -> C {
        match self {
            Semiring::MinPlus => MinPlus::times(a, b),
            Semiring::MaxPlus => MaxPlus::times(a, b),
            Semiring::MaxMin => MaxMin::times(a, b),
            Semiring::OrAnd => OrAnd::times(a, b),
            Semiring::PlusTimes => PlusTimes::times(a, b),
        }
    }
}

enumeration! {
    /// Type of the table's cells.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum CellType {
        /// 16-bit unsigned integers; NVIDIA devices process two at once. The CPU uses 32-bit
        /// integers instead.
        U16: "u16", "16-bit unsigned integers";
        /// 32-bit integers.
        I32: "i32", "32-bit integers";
        /// 64-bit integers.
        I64: "i64", "64-bit integers";
        /// Single precision; exact for whole numbers up to 2^24.
        F32: "f32", "Single precision";
        /// Double precision; exact for whole numbers up to 2^53.
        F64: "f64", "Double precision";
    }
}

/// A function of cells by their type; 16 bits become 32.
macro_rules! by_cell_type {
    ($type:expr, $function:ident($($argument:expr),*)) => {
        match $type {
            CellType::U16 | CellType::I32 => $function::<i32>($($argument),*),
            CellType::I64 => $function::<i64>($($argument),*),
            CellType::F32 => $function::<f32>($($argument),*),
            CellType::F64 => $function::<f64>($($argument),*),
        }
    };
}

pub(super) use by_cell_type;

impl CellType {
    /// Bytes of a cell.
    pub(super) fn bytes(self) -> usize {
        match self {
            CellType::U16 => 2,
            CellType::I32 | CellType::F32 => 4,
            CellType::I64 | CellType::F64 => 8,
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self, CellType::F32 | CellType::F64)
    }

    /// Whole numbers up to this magnitude are exact, and so are their sums up to this magnitude.
    pub(super) fn exact_limit(self) -> f64 {
        match self {
            CellType::U16 => f64::from(u16::MAX),
            CellType::I32 => f64::from(i32::MAX),
            // The largest double below 2^63.
            CellType::I64 => 9_223_372_036_854_774_784.0,
            CellType::F32 => 16_777_216.0,
            CellType::F64 => 9_007_199_254_740_992.0,
        }
    }

    /// Largest number of a floating point type.
    pub(super) fn largest(self) -> f64 {
        match self {
            CellType::F32 => f32::MAX.into(),
            _ => f64::MAX,
        }
    }

    /// Least positive number of a floating point type whose relative rounding error is at most
    /// [`CellType::unit_roundoff`].
    pub(super) fn least_normal(self) -> f64 {
        match self {
            CellType::F32 => f32::MIN_POSITIVE.into(),
            _ => f64::MIN_POSITIVE,
        }
    }

    /// Relative error of one rounding.
    pub(super) fn unit_roundoff(self) -> f64 {
        match self {
            CellType::F32 => f64::from(f32::EPSILON) / 2.0,
            _ => f64::EPSILON / 2.0,
        }
    }
}

impl fmt::Display for CellType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Arithmetic of cells and of vectors of cells. Integers wrap: results that matter are proved to
/// fit beforehand, and values of the padding do not matter.
pub(super) trait Arithmetic: Copy {
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    /// `self * factor + sum`; floating point rounds only once.
    fn mul_add(self, factor: Self, sum: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
}

/// A cell of the table.
pub(super) trait Cell:
    Arithmetic + Element + Pod + Default + PartialOrd + fmt::Debug
{
    const TYPE: CellType;
    const LARGEST: Self;
    const SMALLEST: Self;
    const ONE: Self;
    /// Neutral for [`Arithmetic::and`].
    const ALL_BITS: Self;

    /// `-self`, never a negative zero.
    fn negate(self) -> Self;
    fn from_f64(value: f64) -> Self;
    fn from_i64(value: i64) -> Self;
    fn to_f64(self) -> f64;
    fn to_i64(self) -> i64;
}

macro_rules! integer_cells {
    ($($cell:ident $type:ident)*) => {$(
        impl Arithmetic for $cell {
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            fn mul_add(self, factor: Self, sum: Self) -> Self { self.wrapping_mul(factor).wrapping_add(sum) }
            #[inline(always)]
            fn min(self, other: Self) -> Self { if self < other { self } else { other } }
            #[inline(always)]
            fn max(self, other: Self) -> Self { if self > other { self } else { other } }
            #[inline(always)]
            fn and(self, other: Self) -> Self { self & other }
            #[inline(always)]
            fn or(self, other: Self) -> Self { self | other }
        }

        impl Cell for $cell {
            const TYPE: CellType = CellType::$type;
            const LARGEST: Self = $cell::MAX;
            const SMALLEST: Self = $cell::MIN;
            const ONE: Self = 1;
            const ALL_BITS: Self = !0;

            fn negate(self) -> Self { self.wrapping_neg() }
            fn from_f64(value: f64) -> Self { value as $cell }
            fn from_i64(value: i64) -> Self { value as $cell }
            fn to_f64(self) -> f64 { self as f64 }
            fn to_i64(self) -> i64 { self as i64 }
        }
    )*};
}

macro_rules! float_cells {
    ($($cell:ident $type:ident)*) => {$(
        impl Arithmetic for $cell {
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn mul(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn mul_add(self, factor: Self, sum: Self) -> Self { $cell::mul_add(self, factor, sum) }
            #[inline(always)]
            fn min(self, other: Self) -> Self { if self < other { self } else { other } }
            #[inline(always)]
            fn max(self, other: Self) -> Self { if self > other { self } else { other } }
            // Bitwise operations are refused for these types; on 0 and 1 these results are right.
            #[inline(always)]
            fn and(self, other: Self) -> Self { Arithmetic::min(self, other) }
            #[inline(always)]
            fn or(self, other: Self) -> Self { Arithmetic::max(self, other) }
        }

        impl Cell for $cell {
            const TYPE: CellType = CellType::$type;
            const LARGEST: Self = $cell::INFINITY;
            const SMALLEST: Self = $cell::NEG_INFINITY;
            const ONE: Self = 1.0;
            const ALL_BITS: Self = $cell::INFINITY;

            fn negate(self) -> Self { 0.0 - self }
            fn from_f64(value: f64) -> Self { value as $cell }
            fn from_i64(value: i64) -> Self { value as $cell }
            fn to_f64(self) -> f64 { self.into() }
            fn to_i64(self) -> i64 { self.round() as i64 }
        }
    )*};
}

integer_cells!(u16 U16 i32 I32 i64 I64);
float_cells!(f32 F32 f64 F64);

/// A semiring that is known at compile time.
pub(super) trait Ring {
    /// Whether it is common enough for loops for every instruction set.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "one set there"))]
    const COMMON: bool;
    /// The neutral element of [`Ring::plus`].
    fn zero<C: Cell>() -> C;
    /// The neutral element of [`Ring::times`].
    fn one<C: Cell>() -> C;
    fn plus<A: Arithmetic>(a: A, b: A) -> A;
    fn times<A: Arithmetic>(a: A, b: A) -> A;
}

macro_rules! rings {
    ($($ring:ident($zero:expr, $one:expr) $plus:ident $times:ident;)*) => {$(
        pub(super) struct $ring;

        impl Ring for $ring {
            const COMMON: bool = matches!(Semiring::$ring, Semiring::MinPlus);
            #[inline(always)]
            fn zero<C: Cell>() -> C { $zero }
            #[inline(always)]
            fn one<C: Cell>() -> C { $one }
            #[inline(always)]
            fn plus<A: Arithmetic>(a: A, b: A) -> A { a.$plus(b) }
            #[inline(always)]
            fn times<A: Arithmetic>(a: A, b: A) -> A { a.$times(b) }
        }
    )*};
}

rings! {
    MinPlus(C::LARGEST, C::default()) min add;
    MaxPlus(C::SMALLEST, C::default()) max add;
    MaxMin(C::SMALLEST, C::LARGEST) max min;
    OrAnd(C::default(), C::ALL_BITS) or and;
    PlusTimes(C::default(), C::ONE) add mul;
}
