//! The validated input.

use super::packing::Pattern;
use crate::{Error, Result};

/// Largest total demand and number of item types: counts of items are 32 bits wide.
pub(super) const MAX_COUNT: u64 = u32::MAX as u64;

/// An instance of one-dimensional cutting stock: item types, each with a length and a demand, to be
/// cut from stock pieces of one length. With every demand 1 it is bin packing.
///
/// Lengths are whole numbers in any unit; their sum over all items is below 2^63. An instance may
/// have no item types, and demands of 0. Some stock pieces may be in use already, with pinned
/// items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    lengths: Vec<u64>,
    demands: Vec<u32>,
    stock_length: u64,
    pinned: Vec<Pattern>,
}

impl Instance {
    /// Creates an instance from the length and the demand of each item type and the length of a
    /// stock piece.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if a length is 0 or beyond the stock length, for lists that
    /// differ in length and for 2^32 items or more; [`Error::Overflow`] if the sum of all lengths
    /// is 2^63 or more.
    pub fn new(lengths: Vec<u64>, demands: Vec<u32>, stock_length: u64) -> Result<Self> {
        if stock_length == 0 {
            return Err(Error::argument("stock_length", "must be at least 1"));
        }
        let types = lengths.len();
        if demands.len() != types {
            return Err(Error::argument(
                "demands",
                format!("{} demands for {types} lengths", demands.len()),
            ));
        }
        if types as u64 > MAX_COUNT {
            return Err(Error::argument("lengths", format!("more than {MAX_COUNT} item types")));
        }
        for (item, &length) in lengths.iter().enumerate() {
            check_length(length, stock_length)
                .map_err(|reason| Error::element("lengths", item, reason))?;
        }
        let items: u64 = demands.iter().copied().map(u64::from).sum();
        if items > MAX_COUNT {
            return Err(Error::argument(
                "demands",
                format!("{items} items are more than {MAX_COUNT}"),
            ));
        }
        let total: u128 = lengths
            .iter()
            .zip(&demands)
            .map(|(&length, &demand)| u128::from(length) * u128::from(demand))
            .sum();
        if total > i64::MAX as u128 {
            return Err(Error::overflow("the sum of the lengths of all items"));
        }
        Ok(Instance { lengths, demands, stock_length, pinned: Vec::new() })
    }

    /// The same instance with these pieces in use. The caller checks them.
    pub(super) fn holding(self, pinned: Vec<Pattern>) -> Self {
        Instance { pinned, ..self }
    }

    /// Number of item types.
    pub fn types(&self) -> usize {
        self.lengths.len()
    }

    /// Length of each item type, from 1 to the stock length.
    pub fn lengths(&self) -> &[u64] {
        &self.lengths
    }

    /// Number of items wanted of each type.
    pub fn demands(&self) -> &[u32] {
        &self.demands
    }

    /// The stock pieces in use with their items, each type at most once in a pattern, in ascending
    /// order.
    pub fn pinned(&self) -> &[Pattern] {
        &self.pinned
    }

    /// Length of a stock piece, at least 1: the capacity of a bin.
    pub fn stock_length(&self) -> u64 {
        self.stock_length
    }
}

pub(super) fn check_length(length: u64, stock_length: u64) -> Result<(), String> {
    match length {
        0 => Err("must be at least 1".into()),
        length if length > stock_length => {
            Err(format!("is {length}, a stock piece only {stock_length}"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_arguments_are_refused() {
        let fault = |lengths: &[u64], demands: &[u32], stock| {
            Instance::new(lengths.to_vec(), demands.to_vec(), stock).unwrap_err().to_string()
        };
        assert_eq!(fault(&[], &[], 0), "stock_length: must be at least 1");
        assert_eq!(fault(&[1, 2], &[1], 5), "demands: 1 demands for 2 lengths");
        assert_eq!(fault(&[1, 0], &[1, 1], 5), "lengths[1]: must be at least 1");
        assert_eq!(fault(&[1, 6], &[1, 1], 5), "lengths[1]: is 6, a stock piece only 5");
        assert_eq!(
            fault(&[1, 1], &[u32::MAX, 1], 5),
            "demands: 4294967296 items are more than 4294967295"
        );
        assert_eq!(
            fault(&[1 << 62], &[2], u64::MAX),
            "the sum of the lengths of all items does not fit into 63 bits"
        );
    }
}
