//! The text format of the OR-Library.

use std::path::Path;

use super::Instance;
use super::instance::MOST_DIMENSIONS;
use crate::memory::Grow;
use crate::text::{self, Words};
use crate::{Error, Result};

impl Instance {
    /// Reads an instance of the OR-Library: the number of items, the number of dimensions and the
    /// best known profit, 0 if there is none, which is ignored; then the profits of all items; then
    /// for each dimension the weights of all items; then the capacities. Line breaks count as
    /// blanks.
    ///
    /// # Errors
    /// [`Error::Parse`] with the line at fault, and those of [`Instance::new`].
    pub fn parse(text: &str) -> Result<Self> {
        let mut words = Words::new(text);
        let items = words.number(|| "the number of items".into())?;
        let dimensions = words.number(|| "the number of dimensions".into())?;
        if dimensions > MOST_DIMENSIONS as u64 {
            return Err(words.error(format!("more than {MOST_DIMENSIONS} dimensions")));
        }
        // The files of the library have some with a fraction.
        if words.next().is_none() {
            return Err(words.error("the file ends where the best known profit is expected"));
        }
        let mut list = |count: u64, lists: u64, what: &dyn Fn(u64, u64) -> String| {
            let mut numbers = Vec::new();
            for list in 0..lists {
                for place in 0..count {
                    numbers.try_push(words.number(|| what(list, place))?)?;
                }
            }
            Ok::<_, Box<Error>>(numbers)
        };
        let profits = list(items, 1, &|_, item| format!("the profit of item {item}"))?;
        let weights = list(items, dimensions, &|dimension, item| {
            format!("the weight of item {item} in dimension {dimension}")
        })?;
        let capacities =
            list(dimensions, 1, &|_, dimension| format!("the capacity of dimension {dimension}"))?;
        if words.next().is_some() {
            return Err(words.error("more follows than the numbers of items and dimensions say"));
        }
        Instance::new(profits, weights, capacities)
    }

    /// Reads an instance from a file; see [`Instance::parse`].
    ///
    /// # Errors
    /// [`Error::Io`], and those of [`Instance::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Instance::parse(&text::read(path.as_ref())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_format_of_the_library() {
        let expected = Instance::new(vec![5, 4], vec![3, 2, 0, 4], vec![7, 5]).unwrap();
        assert_eq!(Instance::parse("2 2 9.5\n5 4\n3 2\n0 4\n7 5\n").unwrap(), expected);
        assert_eq!(Instance::parse("2 2 0 5\n4 3 2 0 4 7\n\n5").unwrap(), expected);
        assert_eq!(Instance::parse("0 1 0 9").unwrap().items(), 0);
    }

    #[test]
    fn each_fault_of_a_file_is_named() {
        for (text, message) in [
            ("", "line 1: the file ends where the number of items is expected"),
            ("2 x", "line 1: the number of dimensions: 'x' is not a whole number"),
            ("2 17 0", "line 1: more than 16 dimensions"),
            ("1 1", "line 1: the file ends where the best known profit is expected"),
            ("1 1 0\n-5", "line 2: the profit of item 0: -5 is negative"),
            (
                "1 2 0\n5\n3",
                "line 3: the file ends where the weight of item 0 in dimension 1 is expected",
            ),
            (
                "1 1 0\n5\n3\n",
                "line 3: the file ends where the capacity of dimension 0 is expected",
            ),
            (
                "1 1 0\n5\n3\n9\n9",
                "line 5: more follows than the numbers of items and dimensions say",
            ),
        ] {
            assert_eq!(Instance::parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
    }
}
