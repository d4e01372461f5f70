use std::path::Path;

use crate::memory::{Gather, Grow};
use crate::text::{self, Words};
use crate::{Error, Result};

/// Largest total demand and number of item types: counts of items are 32 bits wide.
const MAX_COUNT: u64 = u32::MAX as u64;

/// An instance of one-dimensional cutting stock: item types, each with a length and a demand, to be
/// cut from stock pieces of one length. With every demand 1 it is bin packing.
///
/// Lengths are whole numbers in any unit; their sum over all items is below 2^63. An instance may
/// have no item types, and demands of 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    lengths: Vec<u64>,
    demands: Vec<u32>,
    stock_length: u64,
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
        Ok(Instance { lengths, demands, stock_length })
    }

    /// Reads an instance in either format of the library BPPLIB (Delorme, Iori and Martello 2018):
    ///
    /// - bin packing: `n c`, then n lengths, demand 1 each;
    /// - cutting stock: `n c`, then n lines of a length and its demand.
    ///
    /// The number of numbers that follow decides which it is. A list of lengths with two on each
    /// line is refused, because half a cutting stock file looks the same.
    ///
    /// # Errors
    /// [`Error::Parse`] with the line at fault, and those of [`Instance::new`].
    pub fn parse(text: &str) -> Result<Self> {
        let mut words = Words::new(text);
        if words.clone().next().is_none() {
            return Err(words.error("the file is empty"));
        }
        let types = words.number(|| "n, the number of item types,".into())?;
        let stock_length = words.number(|| "c, the length of a stock piece,".into())?;
        if stock_length == 0 {
            return Err(words.error("the stock length must be at least 1"));
        }
        let lines = lines_of(words.clone())?;
        let given = lines.len() as u64;
        let with_demands = types > 0 && types.checked_mul(2) == Some(given);
        if given != types && !with_demands {
            words.by_ref().for_each(drop);
            let expected = format!("{types} lengths, with or without a demand each, are expected");
            return Err(words.error(format!("{expected}; {given} numbers follow the header")));
        }
        check_layout(&lines, with_demands)?;
        let (mut lengths, mut demands) = (Vec::new(), Vec::new());
        for item in 0..types {
            let length = words.number(|| format!("the length of item type {item} of {types}"))?;
            check_length(length, stock_length).map_err(|reason| {
                words.error(format!("the length of item type {item} {reason}"))
            })?;
            lengths.try_push(length)?;
            demands.try_push(if with_demands { demand(&mut words, item, types)? } else { 1 })?;
        }
        Instance::new(lengths, demands, stock_length)
    }

    /// Reads an instance from a file; see [`Instance::parse`].
    ///
    /// # Errors
    /// [`Error::Io`], and those of [`Instance::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Instance::parse(&text::read(path.as_ref())?)
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

    /// Length of a stock piece, at least 1: the capacity of a bin.
    pub fn stock_length(&self) -> u64 {
        self.stock_length
    }
}

fn check_length(length: u64, stock_length: u64) -> Result<(), String> {
    match length {
        0 => Err("must be at least 1".into()),
        length if length > stock_length => {
            Err(format!("is {length}, a stock piece only {stock_length}"))
        }
        _ => Ok(()),
    }
}

fn demand(words: &mut Words<'_>, item: u64, types: u64) -> Result<u32> {
    let demand = words.number(|| format!("the demand of item type {item} of {types}"))?;
    u32::try_from(demand)
        .map_err(|_| words.error(format!("a demand of {demand} is more than {MAX_COUNT}")))
}

/// The line number of each word.
fn lines_of(mut words: Words<'_>) -> Result<Vec<usize>> {
    std::iter::from_fn(|| words.next().map(|_| words.line())).gather()
}

/// Lengths with demands must have two numbers on each line; lengths without demands must not.
fn check_layout(lines: &[usize], with_demands: bool) -> Result<()> {
    let not_two = lines.chunk_by(|a, b| a == b).find(|line| line.len() != 2).map(|line| line[0]);
    let (line, reason) = match (with_demands, not_two) {
        (true, Some(line)) => (line, "a length and its demand are expected on each line"),
        (false, None) if !lines.is_empty() => (
            lines[0],
            "lengths in lines of two look like half the lines of a cutting stock file; write one a line",
        ),
        _ => return Ok(()),
    };
    Err(Box::new(Error::Parse { line, reason: reason.into() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_formats() {
        let packing = Instance::new(vec![7, 5, 3], vec![1; 3], 10).unwrap();
        assert_eq!(Instance::parse("3 10\n7\n5\n3\n").unwrap(), packing);
        assert_eq!(Instance::parse("3\n10\n7 5 3").unwrap(), packing);
        let stock = Instance::new(vec![7, 5], vec![20, 0], 10).unwrap();
        assert_eq!(Instance::parse("2 10\n7\t20\n\n5 0\n").unwrap(), stock);
        assert_eq!(Instance::parse("2\n10\n7 20\n5 0").unwrap(), stock);
        assert_eq!(Instance::parse("0 10\n").unwrap(), Instance::new(vec![], vec![], 10).unwrap());
    }

    #[test]
    fn each_fault_is_named() {
        for (text, message) in [
            ("", "line 1: the file is empty"),
            ("3", "line 1: the file ends where c, the length of a stock piece, is expected"),
            ("3 0\n1 1 1", "line 1: the stock length must be at least 1"),
            (
                "3 10\n7\n5",
                "line 3: 3 lengths, with or without a demand each, are expected; 2 numbers follow the header",
            ),
            (
                "2 10\n7 2\n5",
                "line 3: 2 lengths, with or without a demand each, are expected; 3 numbers follow the header",
            ),
            (
                "18446744073709551615 10\n7",
                "line 2: 18446744073709551615 lengths, with or without a demand each, are expected; \
                 1 numbers follow the header",
            ),
            ("2 10\n7\n2 5\n3", "line 2: a length and its demand are expected on each line"),
            (
                "4 10\n7 2\n5 3",
                "line 2: lengths in lines of two look like half the lines of a cutting stock file; \
                 write one a line",
            ),
            ("2 10\n7\n11", "line 3: the length of item type 1 is 11, a stock piece only 10"),
            ("2 10\n7\n0", "line 3: the length of item type 1 must be at least 1"),
            ("2 10\n7\n-3", "line 3: the length of item type 1 of 2: -3 is negative"),
            ("1 10\n7 x", "line 2: the demand of item type 0 of 1: 'x' is not a whole number"),
            ("1 10\n7 4294967296", "line 2: a demand of 4294967296 is more than 4294967295"),
        ] {
            assert_eq!(Instance::parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
    }

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
