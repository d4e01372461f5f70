//! Files of tuning rows.

use std::fs::File;
use std::io::{self, Read};

/// Larger texts are refused before they are read.
pub(super) const LARGEST_TEXT: usize = 1 << 20;

/// The text of a file. One that is too large is read far enough to be refused.
pub(crate) fn rows_of(file: File) -> io::Result<String> {
    let mut text = String::new();
    file.take(LARGEST_TEXT as u64 + 1).read_to_string(&mut text)?;
    Ok(text)
}
