//! Files of options.

use crate::{Error, Result};

/// One option of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its line, from 1.
    pub number: usize,
    /// The option's name.
    pub name: &'a str,
    /// The option's value.
    pub value: &'a str,
}

impl<'a> Line<'a> {
    /// Reads a text with an option in each line, such as `time_limit = 5`. A line may be empty, and
    /// # begins a comment.
    ///
    /// # Errors
    /// [`Error::Parse`] for a line without `=`, without a name, or with the name of a line above.
    pub fn parse(text: &'a str) -> Result<Vec<Line<'a>>> {
        let mut options: Vec<Line<'a>> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let content = line.split_once('#').map_or(line, |(content, _)| content).trim();
            if content.is_empty() {
                continue;
            }
            let number = index + 1;
            let wrong = |reason: String| Box::new(Error::Parse { line: number, reason });
            let (name, value) = content
                .split_once('=')
                .map(|(name, value)| (name.trim(), value.trim()))
                .filter(|(name, _)| !name.is_empty())
                .ok_or_else(|| wrong(format!("expected NAME = VALUE, found \"{content}\"")))?;
            if let Some(first) = options.iter().find(|option| option.name == name) {
                return Err(wrong(format!("{name} is already set in line {}", first.number)));
            }
            options.push(Line { number, name, value });
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_names_and_values() {
        let text = "# all\n time_limit = 5 # seconds\n\nstart=0 1 2\r\ncheckpoint =\n";
        let lines = Line::parse(text).unwrap();
        let expected = [(2, "time_limit", "5"), (4, "start", "0 1 2"), (5, "checkpoint", "")];
        assert_eq!(lines.len(), expected.len());
        for (line, (number, name, value)) in lines.into_iter().zip(expected) {
            assert_eq!(line, Line { number, name, value });
        }
    }

    #[test]
    fn broken_lines_are_named() {
        for (text, message) in [
            ("a = 1\nseed", "line 2: expected NAME = VALUE, found \"seed\""),
            ("= 3", "line 1: expected NAME = VALUE, found \"= 3\""),
            ("a = 1\n\na = 1", "line 3: a is already set in line 1"),
        ] {
            assert_eq!(Line::parse(text).unwrap_err().to_string(), message);
        }
    }
}
