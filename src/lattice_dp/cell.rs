use std::fmt::Debug;

use crate::opencl::Element;

/// Width of a table's cells: the narrowest that the proved bound on the values allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CellWidth {
    Bits8,
    Bits16,
}

impl CellWidth {
    pub(super) fn bytes(self) -> u64 {
        match self {
            CellWidth::Bits8 => 1,
            CellWidth::Bits16 => 2,
        }
    }

    /// Value of a cell that no sequence of steps reaches; no cost is larger.
    pub(super) fn unreachable(self) -> u16 {
        match self {
            CellWidth::Bits8 => u8::MAX.into(),
            CellWidth::Bits16 => u16::MAX,
        }
    }
}

/// A cell's type.
pub(super) trait Cell: Element + bytemuck::Pod + Ord + Debug {
    const ZERO: Self;
    /// Value of a cell that no sequence of steps reaches.
    const UNREACHABLE: Self;
    const WIDTH: CellWidth;

    /// A step's cost. A cost too large for this type exceeds the value of every reachable cell.
    fn from_cost(cost: u16) -> Self;

    /// Adds a cost; an unreachable value stays unreachable.
    fn plus(self, cost: Self) -> Self;

    fn value(self) -> u16;
}

impl Cell for u8 {
    const ZERO: u8 = 0;
    const UNREACHABLE: u8 = u8::MAX;
    const WIDTH: CellWidth = CellWidth::Bits8;

    #[inline(always)]
    fn from_cost(cost: u16) -> u8 {
        cost.min(u8::MAX.into()) as u8
    }

    #[inline(always)]
    fn plus(self, cost: u8) -> u8 {
        self.saturating_add(cost)
    }

    fn value(self) -> u16 {
        self.into()
    }
}

impl Cell for u16 {
    const ZERO: u16 = 0;
    const UNREACHABLE: u16 = u16::MAX;
    const WIDTH: CellWidth = CellWidth::Bits16;

    #[inline(always)]
    fn from_cost(cost: u16) -> u16 {
        cost
    }

    #[inline(always)]
    fn plus(self, cost: u16) -> u16 {
        self.saturating_add(cost)
    }

    fn value(self) -> u16 {
        self
    }
}
