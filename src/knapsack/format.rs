//! The text formats.

use std::path::Path;

use super::Instance;
use crate::memory::Grow;
use crate::text::{self, Words};
use crate::{Error, Result};

impl Instance {
    /// Reads an instance in one of two formats, which the first line distinguishes:
    ///
    /// - `n`, then n lines `index profit weight`, then the capacity: the files of Pisinger and of
    ///   Jooken, Leyman and De Causmaecker (2022), 0-1;
    /// - `n capacity`, then n lines of `weight` (subset sum), `profit weight` (0-1) or `profit
    ///   weight copies` (bounded), where copies may be the word `inf`.
    ///
    /// # Errors
    /// [`Error::Parse`] with the line at fault, and those of [`Instance::bounded`].
    pub fn parse(text: &str) -> Result<Self> {
        let mut words = Words::new(text);
        let header = row(&mut words, 2, false, |column| {
            ["the number of items", "the capacity"][column].into()
        })?;
        match header[..] {
            [] => Err(words.error("the file is empty")),
            [items] => parse_indexed(words, items),
            [items, capacity, ..] => parse_plain(words, items, capacity),
        }
    }

    /// Reads an instance from a file; see [`Instance::parse`].
    ///
    /// # Errors
    /// [`Error::Io`], and those of [`Instance::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Instance::parse(&text::read(path.as_ref())?)
    }

    /// Reads profits for [`solve_profits`](super::solve_profits) from a file; see
    /// [`Instance::parse_profits`].
    ///
    /// # Errors
    /// [`Error::Io`], and those of [`Instance::parse_profits`].
    pub fn read_profits(&self, path: impl AsRef<Path>) -> Result<Vec<u64>> {
        self.parse_profits(&text::read(path.as_ref())?)
    }

    /// Profits for [`solve_profits`](super::solve_profits): each line is an instance, with a whole
    /// number for each item.
    ///
    /// # Errors
    /// [`Error::Parse`] with the line at fault.
    pub fn parse_profits(&self, text: &str) -> Result<Vec<u64>> {
        let mut words = Words::new(text);
        let mut profits = Vec::new();
        for instance in 0.. {
            let name = |item| format!("the profit of item {item} in instance {instance}");
            let own = row(&mut words, self.items(), false, name)?;
            match own.len() {
                0 => break,
                given if given < self.items() => {
                    return Err(words
                        .error(format!("{given} profits, but there are {} items", self.items())));
                }
                _ => profits.try_extend(own)?,
            }
        }
        Ok(profits)
    }
}

/// The numbers of the next non-blank line, at most `most`; the third one may be `inf`. Empty at the
/// end of the text.
fn row(
    words: &mut Words<'_>,
    most: usize,
    unbounded: bool,
    what: impl Fn(usize) -> String,
) -> Result<Vec<u64>> {
    let mut numbers = Vec::new();
    loop {
        let mut ahead = words.clone();
        let Some(word) = ahead.next() else { break };
        if !numbers.is_empty() && ahead.line() != words.line() {
            break;
        }
        if numbers.len() == most {
            return Err(ahead.error(format!("more numbers on this line than the {most} expected")));
        }
        if unbounded && word == "inf" && numbers.len() == 2 {
            *words = ahead;
            numbers.try_push(Instance::UNBOUNDED)?;
        } else {
            let column = numbers.len();
            numbers.try_push(words.number(|| what(column))?)?;
        }
    }
    Ok(numbers)
}

fn truncated(words: &Words<'_>, item: u64, items: u64) -> Box<Error> {
    words.error(format!("the file ends where item {item} of {items} is expected"))
}

fn parse_indexed(mut words: Words<'_>, items: u64) -> Result<Instance> {
    let (mut profits, mut weights) = (Vec::new(), Vec::new());
    for item in 0..items {
        let name =
            |column: usize| format!("the {} of item {item}", ["index", "profit", "weight"][column]);
        match row(&mut words, 3, false, name)?[..] {
            [_, profit, weight] => {
                profits.try_push(profit)?;
                weights.try_push(weight)?;
            }
            [] => return Err(truncated(&words, item, items)),
            _ => return Err(words.error("index, profit and weight are expected on each line")),
        }
    }
    let capacity = match row(&mut words, 1, false, |_| "the capacity".into())?[..] {
        [capacity] => capacity,
        _ => return Err(words.error("the file ends where the capacity is expected")),
    };
    finish(
        words,
        |profits, weights, _| Instance::new(profits, weights, capacity),
        (profits, weights, vec![]),
    )
}

fn parse_plain(mut words: Words<'_>, items: u64, capacity: u64) -> Result<Instance> {
    let (mut profits, mut weights, mut copies) = (Vec::new(), Vec::new(), Vec::new());
    let mut columns = None;
    for item in 0..items {
        let numbers =
            row(&mut words, 3, true, |column| format!("number {} of item {item}", column + 1))?;
        if numbers.is_empty() {
            return Err(truncated(&words, item, items));
        }
        let expected = *columns.get_or_insert(numbers.len());
        if numbers.len() != expected {
            let given = numbers.len();
            return Err(words.error(format!("{given} numbers, but {expected} in the lines before")));
        }
        let (profit, weight, number) = match numbers[..] {
            [weight] => (weight, weight, 1),
            [profit, weight] => (profit, weight, 1),
            [profit, weight, number, ..] => (profit, weight, number),
            [] => return Err(truncated(&words, item, items)),
        };
        profits.try_push(profit)?;
        weights.try_push(weight)?;
        copies.try_push(number)?;
    }
    let make = |profits, weights, copies| Instance::bounded(profits, weights, copies, capacity);
    finish(words, make, (profits, weights, copies))
}

type Lists = (Vec<u64>, Vec<u64>, Vec<u64>);

/// Creates the instance if no text remains.
fn finish(
    mut words: Words<'_>,
    make: impl FnOnce(Vec<u64>, Vec<u64>, Vec<u64>) -> Result<Instance>,
    (profits, weights, copies): Lists,
) -> Result<Instance> {
    if words.next().is_some() {
        return Err(words.error("more follows than the number of items says"));
    }
    make(profits, weights, copies)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Numbers and words in any lines: every accepted text is a valid instance, all else is
        /// refused.
        #[test]
        fn any_text_is_an_instance_or_an_error(
            words in proptest::collection::vec(
                proptest::sample::select(&[
                    "0", "1", "2", "3", "7", "-1", "inf", "x", "\n", "\n", "\n", "2 9\n", "1 2\n", "9223372036854775807",
                    "18446744073709551615", "18446744073709551616",
                ][..]),
                0..16,
            ),
        ) {
            let text = words.join(" ");
            if let Ok(instance) = Instance::parse(&text) {
                prop_assert!(instance.capacity() <= i64::MAX as u64);
                prop_assert_eq!(instance.profit_of(&vec![0; instance.items()]).ok(), Some(0));
                let _ = instance.parse_profits(&text);
            }
        }
    }

    #[test]
    fn reads_all_formats() {
        let zero_one = Instance::new(vec![5, 4], vec![3, 2], 4).unwrap();
        assert_eq!(Instance::parse("2\n0 5 3\n1 4 2\n4\n").unwrap(), zero_one);
        assert_eq!(Instance::parse("2 4\n5 3\n\n4 2").unwrap(), zero_one);
        let bounded = Instance::bounded(vec![5, 4], vec![3, 2], vec![7, u64::MAX], 4).unwrap();
        assert_eq!(Instance::parse("2 4\n5 3 7\n4 2 inf\n").unwrap(), bounded);
        assert_eq!(
            Instance::parse("2 9\n3\n5\n").unwrap(),
            Instance::subset_sum(vec![3, 5], 9).unwrap()
        );
        assert_eq!(Instance::parse("0 9").unwrap().items(), 0);
        assert_eq!(Instance::parse("0\n9").unwrap().capacity(), 9);
    }

    #[test]
    fn each_fault_of_a_file_is_named() {
        for (text, message) in [
            ("", "line 1: the file is empty"),
            ("x", "line 1: the number of items: 'x' is not a whole number"),
            ("1 2 3\n", "line 1: more numbers on this line than the 2 expected"),
            ("2\n0 5 3\n", "line 2: the file ends where item 1 of 2 is expected"),
            ("1\n0 5\n9", "line 2: index, profit and weight are expected on each line"),
            ("1\n0 5 3\n", "line 2: the file ends where the capacity is expected"),
            ("1\n0 5 -3\n9", "line 2: the weight of item 0: -3 is negative"),
            ("1\n0 5 3\n9\n9", "line 4: more follows than the number of items says"),
            ("2 9\n5 3\n", "line 2: the file ends where item 1 of 2 is expected"),
            ("2 9\n5 3\n4\n", "line 3: 1 numbers, but 2 in the lines before"),
            ("1 9\n5 3 1 1\n", "line 2: more numbers on this line than the 3 expected"),
            ("1\n0 3 inf\n9\n", "line 2: the weight of item 0: 'inf' is not a whole number"),
            ("1 9\ninf 3\n", "line 2: number 1 of item 0: 'inf' is not a whole number"),
            (
                "1 9\n1 0 inf\n",
                concat!(
                    "copies[0]: is unbounded, but the item weighs nothing and is worth something, so that there is no most ",
                    "profit",
                ),
            ),
            ("99999999999 9\n1 1", "line 2: the file ends where item 1 of 99999999999 is expected"),
        ] {
            assert_eq!(Instance::parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
    }

    #[test]
    fn reads_profits_of_batches() {
        let instance = Instance::new(vec![5, 4], vec![3, 2], 4).unwrap();
        assert_eq!(instance.parse_profits("1 2\n\n0 7\n").unwrap(), [1, 2, 0, 7]);
        assert_eq!(instance.parse_profits("").unwrap(), []);
        for (text, message) in [
            ("1 2\n3", "line 2: 1 profits, but there are 2 items"),
            ("1 2 4\n3", "line 1: more numbers on this line than the 2 expected"),
            ("1\n2 3", "line 1: 1 profits, but there are 2 items"),
            ("1 inf", "line 1: the profit of item 1 in instance 0: 'inf' is not a whole number"),
            ("1 2\n1 -2", "line 2: the profit of item 1 in instance 1: -2 is negative"),
        ] {
            assert_eq!(instance.parse_profits(text).unwrap_err().to_string(), message);
        }
    }
}
