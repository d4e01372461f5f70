//! Values that look different on the two sides of the boundary.

use std::ffi::{CString, c_char, c_void};
use std::time::Duration;

use super::status::{Failure, Result};
use crate::Enumeration;

/// A C string; NUL, which would cut it short, is left out.
pub(super) fn c_string(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
    CString::new(bytes).expect("NUL has been left out")
}

/// The text as a C string in an array of fixed size, cut between characters where it is too long.
pub(super) fn c_array<const N: usize>(text: &str) -> [c_char; N] {
    let mut array = [0; N];
    let end = (0..N).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0).min(text.len());
    for (to, byte) in array.iter_mut().zip(text[..end].bytes().filter(|&byte| byte != 0)) {
        *to = byte as c_char;
    }
    array
}

/// The value of an enumeration by its number, its place from 0. C passes enumerations as plain
/// integers, which may be any.
pub(super) fn choice<T: Enumeration>(argument: &'static str, number: i32) -> Result<T> {
    nth(number).ok_or_else(|| unknown(argument, number))
}

/// Like [`choice`], but 0 means no value, and the values have the numbers from 1.
pub(super) fn optional_choice<T: Enumeration>(
    argument: &'static str,
    number: i32,
) -> Result<Option<T>> {
    match number {
        0 => Ok(None),
        _ => nth(number.wrapping_sub(1)).map(Some).ok_or_else(|| unknown(argument, number)),
    }
}

/// The number of a value, from 0.
pub(super) fn number<T: Enumeration>(value: T) -> i32 {
    T::VALUES.iter().take_while(|known| **known != value).count() as i32
}

fn nth<T: Enumeration>(number: i32) -> Option<T> {
    usize::try_from(number).ok().and_then(|number| T::VALUES.get(number).copied())
}

/// A number of seconds; none for infinity and for numbers beyond a duration's range.
pub(super) fn seconds(argument: &'static str, seconds: f64) -> Result<Option<Duration>> {
    if seconds.is_nan() || seconds < 0.0 {
        return Err(Failure::argument(argument, format!("{seconds} is no duration")));
    }
    Ok(Duration::try_from_secs_f64(seconds).ok())
}

/// The meaning of a number, for types whose values have fields.
pub(super) fn meaning<T, const N: usize>(
    argument: &'static str,
    number: i32,
    meanings: [(i32, T); N],
) -> Result<T> {
    let known = meanings.into_iter().find(|(known, _)| *known == number);
    known.map(|(_, meaning)| meaning).ok_or_else(|| unknown(argument, number))
}

#[cold]
fn unknown(argument: &'static str, number: i32) -> Failure {
    Failure::argument(argument, format!("{number} has no meaning"))
}

/// The meaning of a number that must be 0 or 1.
pub(super) fn flag(argument: &'static str, number: impl Into<i64>) -> Result<bool> {
    match number.into() {
        0 => Ok(false),
        1 => Ok(true),
        number => Err(Failure::argument(argument, format!("{number} is neither 0 nor 1"))),
    }
}

/// A callback's user data: the pointer that each call passes back to it.
#[derive(Clone, Copy)]
pub(super) struct UserData(*mut c_void);

impl UserData {
    pub(super) fn new(pointer: *mut c_void) -> Self {
        UserData(pointer)
    }

    pub(super) fn get(&self) -> *mut c_void {
        self.0
    }
}

// SAFETY: the library only hands the pointer back; the header says on which threads.
unsafe impl Send for UserData {}

// SAFETY: as above.
unsafe impl Sync for UserData {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;

    #[test]
    fn long_texts_are_cut_between_characters() {
        let bytes = |array: [c_char; 4]| array.map(|byte| byte as u8);
        assert_eq!(bytes(c_array("ab")), *b"ab\0\0");
        assert_eq!(bytes(c_array("abcdef")), *b"abc\0");
        assert_eq!(bytes(c_array("abü")), *b"ab\0\0");
    }

    #[test]
    fn numbers_without_a_meaning_are_refused() {
        let meanings = [(-1, 'a'), (3, 'b')];
        assert_eq!(meaning("letter", 3, meanings).unwrap(), 'b');
        assert_eq!(meaning("letter", 0, meanings).unwrap_err().text, "letter: 0 has no meaning");
    }

    #[test]
    fn numbers_count_the_values() {
        for (place, engine) in (0..).zip(Engine::ALL) {
            assert_eq!(number(engine), place);
            assert_eq!(choice::<Engine>("engine", place).unwrap(), engine);
            assert_eq!(optional_choice::<Engine>("engine", place + 1).unwrap(), Some(engine));
        }
        assert_eq!(optional_choice::<Engine>("engine", 0).unwrap(), None);
        for number in [-1, 3, i32::MIN, i32::MAX] {
            let text = format!("engine: {number} has no meaning");
            assert_eq!(choice::<Engine>("engine", number).unwrap_err().text, text);
        }
        for number in [-1, 4, i32::MIN, i32::MAX] {
            let text = format!("engine: {number} has no meaning");
            assert_eq!(optional_choice::<Engine>("engine", number).unwrap_err().text, text);
        }
    }

    #[test]
    fn a_flag_is_no_other_number() {
        assert_eq!((flag("flag", 0).unwrap(), flag("flag", 1u32).unwrap()), (false, true));
        let text = |flag: Result<bool>| flag.unwrap_err().text;
        assert_eq!(text(flag("flag", -1)), "flag: -1 is neither 0 nor 1");
        assert_eq!(text(flag("flag", u32::MAX)), "flag: 4294967295 is neither 0 nor 1");
    }
}
