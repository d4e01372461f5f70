//! The words of a line of tuning rows.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

/// The words of a line. A word in quotation marks may have any letters; `\"`, `\\` and `\n` stand
/// for a quotation mark, a backslash and the end of a line. A `#` begins a comment.
pub(super) fn split(line: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut letters = line.chars().peekable();
    loop {
        while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
        match letters.peek() {
            None | Some('#') => return Ok(words),
            Some('"') => words.push(quoted(&mut letters)?),
            Some(_) => words.push(plain(&mut letters)),
        }
    }
}

fn plain(letters: &mut Peekable<Chars<'_>>) -> String {
    let ends = |letter: &char| letter.is_whitespace() || matches!(letter, '"' | '#');
    std::iter::from_fn(|| letters.next_if(|letter| !ends(letter))).collect()
}

fn quoted(letters: &mut Peekable<Chars<'_>>) -> Result<String, String> {
    letters.next();
    let mut word = String::new();
    while let Some(letter) = letters.next() {
        word.push(match letter {
            '"' => return Ok(word),
            '\\' => match letters.next() {
                Some('n') => '\n',
                Some(letter @ ('"' | '\\')) => letter,
                _ => return Err("a backslash must stand before \", \\ or n".into()),
            },
            letter => letter,
        });
    }
    Err("a quotation mark is not closed".into())
}

/// A word as [`split`] reads it.
pub(super) fn quote(word: &str) -> String {
    let mut text = String::from("\"");
    for letter in word.chars() {
        // Writing to a string never fails.
        let _ = match letter {
            '"' | '\\' => write!(text, "\\{letter}"),
            '\n' => write!(text, "\\n"),
            letter => write!(text, "{letter}"),
        };
    }
    text + "\""
}
