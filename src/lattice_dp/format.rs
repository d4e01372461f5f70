//! The text format.

use std::path::Path;

use super::{Instance, Packing};
use crate::memory::{Gather, Grow};
use crate::{Error, Result, memory, text};

/// The problems that a file can hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// A box with offset vectors.
    Lattice(Instance),
    /// Items for containers.
    Packing(Packing),
}

impl Problem {
    /// Reads a problem. Each line is a keyword and its numbers; `#` begins a comment. A lattice has
    /// its sizes, then any number of offsets, each with its cost before the vector:
    ///
    /// ```text
    /// sizes 6 4 6
    /// offset 1  1 0 0
    /// offset 3  0 2 1
    /// ```
    ///
    /// A packing has the capacity of its containers, then any number of item types, each with size
    /// and count:
    ///
    /// ```text
    /// capacity 16
    /// item 4  3
    /// item 7  2
    /// ```
    ///
    /// # Errors
    /// [`Error::Parse`] with the line at fault, and those of [`Instance::new`] and
    /// [`Packing::new`].
    pub fn parse(text: &str) -> Result<Self> {
        let mut lines =
            text.lines().enumerate().filter_map(|(index, line)| Line::new(index + 1, line));
        let first = lines
            .next()
            .ok_or(Box::new(Error::Parse { line: 1, reason: "the file is empty".into() }))?;
        match first.keyword {
            "sizes" => lattice(&first, lines),
            "capacity" => packing(&first, lines),
            other => {
                let shown: String = other.chars().take(24).collect();
                Err(first.error(format!(
                    "'sizes' or 'capacity' is expected, not '{}'",
                    shown.escape_debug()
                )))
            }
        }
    }

    /// Reads a problem from a file; see [`Problem::parse`].
    ///
    /// # Errors
    /// [`Error::Io`], and those of [`Problem::parse`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        Problem::parse(&text::read(path.as_ref())?)
    }
}

fn lattice<'t>(first: &Line<'t>, lines: impl Iterator<Item = Line<'t>>) -> Result<Problem> {
    let sizes: Vec<u32> = first.numbers("a size")?;
    let mut offsets = Vec::new();
    for line in lines {
        line.expect("offset")?;
        let numbers: Vec<u32> = line.numbers("a cost and a vector")?;
        let Some((&cost, vector)) =
            numbers.split_first().filter(|(_, vector)| vector.len() == sizes.len())
        else {
            let (given, needed) = (numbers.len(), sizes.len() + 1);
            return Err(line.error(format!("{given} numbers, a cost and a vector are {needed}")));
        };
        let cost = u16::try_from(cost)
            .map_err(|_| line.error(format!("a cost of {cost}, above 65535")))?;
        offsets.try_push((memory::copied(vector)?, cost))?;
    }
    Instance::new(&sizes, offsets).map(Problem::Lattice)
}

fn packing<'t>(first: &Line<'t>, lines: impl Iterator<Item = Line<'t>>) -> Result<Problem> {
    let [capacity] = first.numbers("the capacity")?[..] else {
        return Err(first.error("the capacity is one number"));
    };
    let (mut sizes, mut counts) = (Vec::new(), Vec::new());
    for line in lines {
        line.expect("item")?;
        let [size, count] = line.numbers("a size and a count")?[..] else {
            return Err(line.error("an item type is its size and its count"));
        };
        sizes.try_push(size)?;
        counts.try_push(
            u32::try_from(count).map_err(|_| line.error(format!("a count of {count}")))?,
        )?;
    }
    Packing::new(sizes, counts, capacity).map(Problem::Packing)
}

/// A non-empty line.
struct Line<'t> {
    number: usize,
    keyword: &'t str,
    rest: &'t str,
}

impl<'t> Line<'t> {
    fn new(number: usize, line: &'t str) -> Option<Self> {
        let line = line.split('#').next().unwrap_or_default().trim();
        let (keyword, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        (!keyword.is_empty()).then_some(Line { number, keyword, rest })
    }

    fn expect(&self, keyword: &str) -> Result<()> {
        if self.keyword == keyword {
            return Ok(());
        }
        let shown: String = self.keyword.chars().take(24).collect();
        Err(self.error(format!("'{keyword}' is expected, not '{}'", shown.escape_debug())))
    }

    fn numbers<T: std::str::FromStr>(&self, what: &str) -> Result<Vec<T>> {
        let number = |word: &str| {
            let shown: String = word.chars().take(24).collect();
            let wrong =
                || self.error(format!("{what} is expected, not '{}'", shown.escape_debug()));
            word.parse().map_err(|_| wrong())
        };
        self.rest.split_whitespace().map(number).try_gather()
    }

    fn error(&self, reason: impl Into<String>) -> Box<Error> {
        Box::new(Error::Parse { line: self.number, reason: reason.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_kinds() {
        let lattice = Instance::new(&[3, 2], [([1, 0], 2), ([1, 1], 3)]).unwrap();
        let text = "# a comment\n\nsizes 3 2\noffset 2 1 0 # costs 2\n\toffset 3  1 1\r\n";
        assert_eq!(Problem::parse(text).unwrap(), Problem::Lattice(lattice));
        let packing = Packing::new(vec![4, 7], vec![3, 0], 16).unwrap();
        assert_eq!(
            Problem::parse("capacity 16\nitem 4 3\nitem 7 0").unwrap(),
            Problem::Packing(packing)
        );
        let none = Instance::new(&[], std::iter::empty::<([u32; 0], u16)>()).unwrap();
        assert_eq!(Problem::parse("sizes").unwrap(), Problem::Lattice(none));
    }

    #[test]
    fn each_fault_is_named() {
        for (text, message) in [
            ("", "line 1: the file is empty"),
            ("# nothing\n", "line 1: the file is empty"),
            ("boxes 3", "line 1: 'sizes' or 'capacity' is expected, not 'boxes'"),
            ("\nsizes 3 x", "line 2: a size is expected, not 'x'"),
            ("sizes 3 -1", "line 1: a size is expected, not '-1'"),
            ("sizes 3 0", "sizes[1]: must be at least 1"),
            ("sizes 3 2\nitem 1 1", "line 2: 'offset' is expected, not 'item'"),
            ("sizes 3 2\noffset 1 1", "line 2: 2 numbers, a cost and a vector are 3"),
            ("sizes 3 2\noffset", "line 2: 0 numbers, a cost and a vector are 3"),
            ("sizes 3\noffset 70000 1", "line 2: a cost of 70000, above 65535"),
            ("sizes 3\noffset 1 0", "offsets[0]: is all zeros"),
            ("capacity 3 4", "line 1: the capacity is one number"),
            ("capacity", "line 1: the capacity is one number"),
            ("capacity 9\nitem 4", "line 2: an item type is its size and its count"),
            ("capacity 9\nitem 4 4294967296", "line 2: a count of 4294967296"),
            ("capacity 9\nitem 10 1", "sizes[0]: must be from 1 to the capacity 9, not 10"),
        ] {
            assert_eq!(Problem::parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
    }
}
