//! The text formats.

use std::path::Path;

use super::Instance;
use super::instance::{MAX_COUNT, check_length};
use crate::memory::{Gather, Grow};
use crate::text::{self, Words};
use crate::{Error, Result};

impl Instance {
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
}
