//! The values of a table's cells on their way to C.

/// Values of cells, in the instance's own kind of numbers.
pub(in crate::capi) enum CellValues {
    Whole(Vec<i64>),
    Real(Vec<f64>),
}

impl CellValues {
    pub(super) fn whole(&self) -> Option<&Vec<i64>> {
        match self {
            CellValues::Whole(values) => Some(values),
            CellValues::Real(_) => None,
        }
    }

    pub(super) fn real(&self) -> Option<&Vec<f64>> {
        match self {
            CellValues::Whole(_) => None,
            CellValues::Real(values) => Some(values),
        }
    }
}
