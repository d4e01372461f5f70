//! Reads text files of instances: whole files with a size limit, and numbers with their line
//! numbers.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use crate::error::shown;
use crate::{Error, Result, memory};

/// Real instance files are far smaller; a larger file is a mistake or an attack.
const MAX_FILE_BYTES: u64 = 1 << 30;

/// Reads a text file.
pub(crate) fn read(path: &Path) -> Result<String> {
    let io = |source: std::io::Error| match source.kind() {
        ErrorKind::OutOfMemory => {
            memory::refused(size_of(path).into(), format!("the text of {}", shown(path)))
        }
        _ => Error::io(path, source),
    };
    let mut text = String::new();
    let read = File::open(path)
        .and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text))
        .map_err(io)?;
    // Some editors write a byte order mark first.
    if text.starts_with('\u{feff}') {
        text.remove(0);
    }
    if read as u64 > MAX_FILE_BYTES {
        let reason = format!("file is larger than {MAX_FILE_BYTES} bytes");
        return Err(io(std::io::Error::new(std::io::ErrorKind::InvalidData, reason)));
    }
    Ok(text)
}

/// Size of a file in bytes, or 0 if unknown.
fn size_of(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |about| about.len())
}

/// The blank-separated words of a text, with their lines.
#[derive(Clone)]
pub(crate) struct Words<'t> {
    lines: std::iter::Enumerate<std::str::Lines<'t>>,
    rest: std::str::SplitWhitespace<'t>,
    /// Line of the last word taken, from 1.
    line: usize,
}

impl<'t> Words<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Words { lines: text.lines().enumerate(), rest: "".split_whitespace(), line: 1 }
    }

    /// The next number; errors call it `what`.
    pub(crate) fn number(&mut self, what: impl Fn() -> String) -> Result<u64> {
        self.next_number().map_err(|fault| self.fault(&what(), fault))
    }

    #[inline(never)]
    fn next_number(&mut self) -> Result<u64, Fault> {
        self.next().ok_or(Fault::End).and_then(|word| parse_number(word).map_err(Fault::Word))
    }

    #[cold]
    fn fault(&self, what: &str, fault: Fault) -> Box<Error> {
        match fault {
            Fault::End => self.error(format!("the file ends where {what} is expected")),
            Fault::Word(reason) => self.error(format!("{what}: {reason}")),
        }
    }

    /// Line of the last word taken, from 1.
    pub(crate) fn line(&self) -> usize {
        self.line
    }

    /// A parse error in the line of the last word taken.
    pub(crate) fn error(&self, reason: impl Into<String>) -> Box<Error> {
        Box::new(Error::Parse { line: self.line, reason: reason.into() })
    }
}

/// Why there is no number.
enum Fault {
    /// The text has ended.
    End,
    /// What is wrong with the word.
    Word(String),
}

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    // Parsers call it often, and its copies would make the library larger.
    #[inline(never)]
    fn next(&mut self) -> Option<&'t str> {
        loop {
            if let Some(word) = self.rest.next() {
                return Some(word);
            }
            let (index, line) = self.lines.next()?;
            self.line = index + 1;
            self.rest = line.split_whitespace();
        }
    }
}

fn parse_number(word: &str) -> Result<u64, String> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    match word.parse() {
        Ok(number) if is_number => Ok(number),
        _ => Err(no_number(word, is_number)),
    }
}

/// Why a word is no number from 0 below 2^64.
#[cold]
fn no_number(word: &str, is_number: bool) -> String {
    let shown = word.chars().take(24).collect::<String>().escape_debug().to_string();
    match word.starts_with('-') {
        _ if !is_number => format!("'{shown}' is not a whole number"),
        true => format!("{shown} is negative"),
        false => format!("{shown} does not fit into 64 bits"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::assert_error;

    #[test]
    fn words_know_their_lines() {
        let mut words = Words::new("1 2\n\n 3");
        let mut next = || words.next().map(|word| (word, words.line));
        assert_eq!(
            [next(), next(), next(), next()],
            [Some(("1", 1)), Some(("2", 1)), Some(("3", 3)), None]
        );
    }

    #[test]
    fn each_bad_number_has_its_own_message() {
        for (text, message) in [
            ("", "line 1: the file ends where n is expected"),
            ("\nx", "line 2: n: 'x' is not a whole number"),
            ("1.5", "line 1: n: '1.5' is not a whole number"),
            ("-", "line 1: n: '-' is not a whole number"),
            ("+2", "line 1: n: '+2' is not a whole number"),
            ("2\0", "line 1: n: '2\\0' is not a whole number"),
            ("-4", "line 1: n: -4 is negative"),
            ("18446744073709551616", "line 1: n: 18446744073709551616 does not fit into 64 bits"),
        ] {
            let error = Words::new(text).number(|| "n".into()).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn a_directory_is_not_a_file() {
        assert_error!(read(&std::env::temp_dir()), Error::Io { .. });
    }
}
