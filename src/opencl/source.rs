//! Embedded OpenCL C, compressed by `build.rs` to a quarter of its size.

use std::borrow::Cow;

/// A part of a kernel family's source text.
pub(crate) enum Source {
    /// A compressed file.
    File(&'static [u8]),
    Text(&'static str),
}

/// A file of `cl/`, or the tuning rows.
macro_rules! source {
    ($file:literal) => {
        $crate::opencl::Source::File(include_bytes!(concat!(env!("OUT_DIR"), "/", $file)))
    };
}
pub(crate) use source;

impl Source {
    pub(crate) fn text(&self) -> Cow<'static, str> {
        match *self {
            // A damaged file would lack its kernels, and looking for them returns an error.
            Source::File(packed) => {
                let text = miniz_oxide::inflate::decompress_to_vec(packed).unwrap_or_default();
                String::from_utf8(text).unwrap_or_default().into()
            }
            Source::Text(text) => text.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn files_lose_their_comments_and_indentation_alone() {
        let text = source!("knapsack.cl").text();
        let file = include_str!("../../cl/knapsack.cl");
        assert!(!text.contains("/*") && !text.contains("\n "));
        assert_eq!(text.lines().count(), file.lines().count());
        let mut in_comment = false;
        for (line, original) in text.lines().zip(file.lines()) {
            in_comment |= original.contains("/*");
            assert!(in_comment || line == original.trim_start_matches(' '), "{original}");
            in_comment &= !original.contains("*/");
        }
        assert!(text.contains("kernel void"));
    }
}
