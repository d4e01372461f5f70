//! Checks OpenCL C passed in by callers.
//!
//! Such a text is code and runs with the rights of the program. The checks keep it to its purpose
//! all the same: it can't end its surroundings or use the preprocessor, and an expression accesses
//! no memory except its data.

use std::fmt;

/// A reason and its position in the text, with lines and columns from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    line: usize,
    column: usize,
    reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.reason)
    }
}

/// Checks function definitions: all brackets and quotes are closed and there are no preprocessor
/// lines.
pub(crate) fn check_functions(text: &str) -> Result<(), Fault> {
    tokens(text).map(|_| ()).map_err(|(at, reason)| fault(text, at, reason))
}

/// Checks an expression and returns it with `READ(...)` for each `data[...]`. Both have the same
/// length, so positions in the text stay valid. Words with `prefix` are reserved for the library.
pub(crate) fn bounded_expression(text: &str, prefix: &str) -> Result<String, Fault> {
    bound(text, prefix).map_err(|(at, reason)| fault(text, at, reason))
}

/// The replacement of `data[`.
const READ: &str = "READ(";

/// Words of declarations and statements, which no expression may use. Words that begin with two
/// underscores are all refused.
const STATEMENT_WORDS: [&str; 35] = [
    "asm",
    "auto",
    "break",
    "case",
    "const",
    "constant",
    "continue",
    "default",
    "do",
    "else",
    "enum",
    "extern",
    "for",
    "generic",
    "global",
    "goto",
    "if",
    "inline",
    "kernel",
    "local",
    "private",
    "read_only",
    "read_write",
    "register",
    "restrict",
    "return",
    "static",
    "struct",
    "switch",
    "typedef",
    "typeof",
    "union",
    "volatile",
    "while",
    "write_only",
];

/// A byte position and the fault there.
type Wrong = (usize, String);

fn fault(text: &str, at: usize, reason: String) -> Fault {
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    Fault { line: before.matches('\n').count() + 1, column: at - line_start + 1, reason }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token<'t> {
    /// A name or number.
    Word(&'t str),
    /// A string or character literal.
    Quoted,
    /// A punctuator, of one or more characters.
    Sign(&'t str),
    /// A comment without an end.
    OpenComment,
}

/// Punctuators of several characters that change the meaning of the next one.
const LONG_SIGNS: [&str; 4] = ["&&", "->", "++", "--"];
/// Alternative spellings of brackets and of `#`.
const DIGRAPHS: [&str; 5] = ["<:", ":>", "<%", "%>", "%:"];

/// The tokens of a text with their positions, if its brackets match and it has nothing for the
/// preprocessor.
fn tokens(text: &str) -> Result<Vec<(usize, Token<'_>)>, Wrong> {
    check_bytes(text.as_bytes())?;
    let mut tokens = Vec::new();
    let mut open: Vec<(usize, u8)> = Vec::new();
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        let rest = &text[at..];
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let (length, token) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), None)
        } else if let Some(comment) = rest.strip_prefix("/*") {
            match comment.find("*/") {
                Some(end) => (end + 4, None),
                None => (rest.len(), Some(Token::OpenComment)),
            }
        } else if byte == b'"' || byte == b'\'' {
            (
                quoted(rest).ok_or_else(|| (at, "the quote is not closed".into()))?,
                Some(Token::Quoted),
            )
        } else if byte.is_ascii_alphanumeric() || byte == b'_' {
            let other = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
            let length = rest.find(other).unwrap_or(rest.len());
            (length, Some(Token::Word(&rest[..length])))
        } else {
            let long = LONG_SIGNS.iter().any(|sign| rest.starts_with(sign));
            let length = if long { 2 } else { 1 };
            check_sign(rest, at)?;
            match byte {
                b'(' | b'[' | b'{' => open.push((at, byte)),
                b')' | b']' | b'}' => {
                    let matching = open.pop().filter(|&(_, begin)| closing(begin) == byte);
                    matching
                        .ok_or_else(|| (at, format!("'{}' closes nothing", char::from(byte))))?;
                }
                _ => {}
            }
            (length, Some(Token::Sign(&rest[..length])))
        };
        tokens.extend(token.map(|token| (at, token)));
        at += length;
    }
    match open.pop() {
        Some((at, begin)) => Err((at, format!("'{}' is not closed", char::from(begin)))),
        None => Ok(tokens),
    }
}

/// Refuses characters that change the text before it is split into tokens: compilers first join
/// lines and replace trigraphs.
fn check_bytes(bytes: &[u8]) -> Result<(), Wrong> {
    for (at, &byte) in bytes.iter().enumerate() {
        let next = bytes.get(at + 1).copied();
        let reason = match byte {
            b'\t' | b'\n' => continue,
            b'\r' if next == Some(b'\n') => continue,
            0..32 | 127 => "a control character",
            b'\\' if matches!(next, None | Some(b'\n' | b'\r' | b' ' | b'\t')) => {
                "a line that goes on"
            }
            b'?' if next == Some(b'?') => "a trigraph",
            _ => continue,
        };
        return Err((at, format!("{reason} is not allowed")));
    }
    Ok(())
}

/// Refuses the preprocessor, and characters that begin no token.
fn check_sign(rest: &str, at: usize) -> Result<(), Wrong> {
    let sign = rest.chars().next().unwrap_or_default();
    if sign == '#' || DIGRAPHS.iter().any(|digraph| rest.starts_with(digraph)) {
        return Err((at, "preprocessor lines and digraphs are not allowed".into()));
    }
    if !sign.is_ascii_punctuation() || "\\@$`".contains(sign) {
        return Err((at, format!("'{}' is no part of OpenCL C", sign.escape_debug())));
    }
    Ok(())
}

/// Length of the literal that begins here, if it ends on its line.
fn quoted(rest: &str) -> Option<usize> {
    let quote = rest.as_bytes()[0];
    let mut escaped = false;
    for (at, &byte) in rest.as_bytes().iter().enumerate().skip(1) {
        match byte {
            b'\n' => return None,
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            _ if byte == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn closing(bracket: u8) -> u8 {
    match bracket {
        b'(' => b')',
        b'[' => b']',
        _ => b'}',
    }
}

fn bound(text: &str, prefix: &str) -> Result<String, Wrong> {
    let tokens = tokens(text)?;
    if tokens.is_empty() {
        return Err((0, "it is empty".into()));
    }
    let mut bounded = text.to_owned();
    for (number, &(at, token)) in tokens.iter().enumerate() {
        let before = number.checked_sub(1).map(|number| tokens[number].1);
        let next = tokens.get(number + 1).map(|&(_, token)| token);
        let wrong = |reason: &str| Err((at, reason.into()));
        match token {
            Token::OpenComment => return wrong("the comment is not closed"),
            Token::Quoted => return wrong("an expression has no strings and characters"),
            Token::Sign(";" | "{" | "}") => return wrong("an expression has no statements"),
            Token::Word("data") if next != Some(Token::Sign("[")) => {
                return wrong("data is read as data[index] only");
            }
            Token::Word("data") => bounded.replace_range(at..at + 4, &READ[..4]),
            Token::Word(word) if is_reserved(word) || word.starts_with(prefix) => {
                return Err((at, format!("'{word}' is not allowed in an expression")));
            }
            Token::Sign("[") if before == Some(Token::Word("data")) => {
                bounded.replace_range(at..at + 1, &READ[4..]);
            }
            Token::Sign("[") => return wrong("only data has an index"),
            Token::Sign("]") => bounded.replace_range(at..at + 1, ")"),
            Token::Sign("->") => return wrong("an expression has no pointers"),
            Token::Sign("&" | "&&" | "*") if !ends_operand(before) => {
                return wrong("an expression has no pointers");
            }
            Token::Sign("*") if matches!(next, Some(Token::Sign(")" | "]" | ","))) => {
                return wrong("an expression has no pointers");
            }
            _ => {}
        }
    }
    Ok(bounded)
}

/// Whether an operand may end with this token, so that a following operator is binary.
fn ends_operand(token: Option<Token<'_>>) -> bool {
    matches!(token, Some(Token::Word(_) | Token::Sign(")" | "]")))
}

/// Words that no expression may use: statements, declarations, and names reserved for compilers.
fn is_reserved(word: &str) -> bool {
    let kept = word.starts_with("__")
        || word.starts_with('_') && word[1..].starts_with(char::is_uppercase);
    kept || STATEMENT_WORDS.contains(&word)
}

/// Checks the fuzzer's text. An accepted expression must remain one operand in brackets, with any
/// text after it, and must also pass as functions.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let functions = check_functions(text);
    let Ok(bounded) = bounded_expression(text, "interval_") else { return };
    assert_eq!((functions, bounded.len()), (Ok(()), text.len()));
    assert!(!bounded.contains('[') || text.contains("//") || text.contains("/*"));
    let around = format!("long f(int x) {{ return ({bounded}\n); }}");
    let alone = tokens(&bounded).expect("it was checked");
    let within = tokens(&around).expect("brackets around it change nothing");
    assert_eq!(within.len(), alone.len() + 12);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(text: &str) -> Result<String, String> {
        bounded_expression(text, "interval_").map_err(|fault| fault.to_string())
    }

    #[test]
    fn expressions_read_data_within_its_bounds() {
        for (text, bounded) in [
            ("data[i] * data[k] * data[j]", "READ(i) * READ(k) * READ(j)"),
            ("data [data[i + 1]\n]", "READ (READ(i + 1)\n)"),
            ("(VALUE)abs((int)i - 3) + 1.5e3f", "(VALUE)abs((int)i - 3) + 1.5e3f"),
            ("i && j & 1 ? k * (2) : -j", "i && j & 1 ? k * (2) : -j"),
            ("i /* data[0] */ + // data * \" # {\n j", "i /* data[0] */ + // data * \" # {\n j"),
            ("max(i, k) << 2 | (uint)!j", "max(i, k) << 2 | (uint)!j"),
        ] {
            assert_eq!(expression(text).as_deref(), Ok(bounded));
        }
    }

    #[test]
    fn what_is_no_expression_is_refused_with_its_place() {
        for (text, message) in [
            ("", "line 1, column 1: it is empty"),
            (" // i", "line 1, column 1: it is empty"),
            ("i) + (j", "line 1, column 2: ')' closes nothing"),
            ("(i + [j)]", "line 1, column 8: ')' closes nothing"),
            ("i +\n (j", "line 2, column 2: '(' is not closed"),
            ("i; j", "line 1, column 2: an expression has no statements"),
            ("({ i; })", "line 1, column 2: an expression has no statements"),
            ("i\n#define x", "line 2, column 1: preprocessor lines and digraphs are not allowed"),
            ("i\n%:define x", "line 2, column 1: preprocessor lines and digraphs are not allowed"),
            ("data<:0:>", "line 1, column 5: preprocessor lines and digraphs are not allowed"),
            ("i ??/\n j", "line 1, column 3: a trigraph is not allowed"),
            ("i \\\n j", "line 1, column 3: a line that goes on is not allowed"),
            ("i // \\\n j", "line 1, column 6: a line that goes on is not allowed"),
            ("i\r#define x", "line 1, column 2: a control character is not allowed"),
            ("i\0", "line 1, column 2: a control character is not allowed"),
            ("i @ j", "line 1, column 3: '@' is no part of OpenCL C"),
            ("i × j", "line 1, column 3: '×' is no part of OpenCL C"),
            ("i /* j", "line 1, column 3: the comment is not closed"),
            ("\"abc\"[7]", "line 1, column 1: an expression has no strings and characters"),
            ("'a", "line 1, column 1: the quote is not closed"),
        ] {
            assert_eq!(expression(text).unwrap_err(), message);
        }
    }

    #[test]
    fn memory_has_no_other_way_in() {
        for (text, reason) in [
            ("1 + data", "read as data[index] only"),
            ("vload4(9, data)", "read as data[index] only"),
            ("(data)[9]", "read as data[index] only"),
            ("9[data]", "only data has an index"),
            ("(&i)[9]", "has no pointers"),
            ("i + *(&i + 9)", "has no pointers"),
            ("i + &&j", "has no pointers"),
            ("*(__global int *)9", "has no pointers"),
            ("(float)*(int *)9", "has no pointers"),
            ("(float)*(int * const)9", "'const' is not allowed"),
            ("i->x", "has no pointers"),
            ("(float)*(__func__ + 99)", "'__func__' is not allowed"),
            ("interval_datum(j, 9)", "'interval_datum' is not allowed"),
            ("_Pragma(i)", "'_Pragma' is not allowed"),
            ("asm(i)", "'asm' is not allowed"),
        ] {
            let refused = expression(text).unwrap_err();
            assert!(refused.contains(reason), "{text}: {refused}");
        }
    }

    #[test]
    fn functions_close_what_they_open_and_ask_for_no_preprocessor() {
        let checked = |text: &str| check_functions(text).map_err(|fault| fault.to_string());
        for text in [
            "long combine(long l, long r) { return l > r ? l : r; } /* the larger",
            "constant char user_text[] = \"}#\\\"\"; char user_c() { return '\\''; }",
        ] {
            assert_eq!(checked(text), Ok(()));
        }
        for (text, message) in [
            ("int f() { return 1; }}", "line 1, column 22: '}' closes nothing"),
            ("int f() {\n  return (1;\n}", "line 3, column 1: '}' closes nothing"),
            (" #pragma x", "line 1, column 2: preprocessor lines and digraphs are not allowed"),
            (
                "int f() { return 1; %>",
                "line 1, column 21: preprocessor lines and digraphs are not allowed",
            ),
        ] {
            assert_eq!(checked(text).unwrap_err(), message);
        }
    }
}
