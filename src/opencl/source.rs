//! OpenCL C as the library carries it: without comments and indentation, which are a third of the text. Lines stay
//! where they are, so that a compiler's messages point into the files of `cl/`.

/// The text of a file in `cl/`, made plain at compile time.
macro_rules! source {
    ($file:literal) => {{
        const TEXT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/cl/", $file));
        const PLAIN: ([u8; TEXT.len()], usize) = $crate::opencl::plain(TEXT);
        // A constant, so that uses of the same file share its bytes.
        const BYTES: [u8; PLAIN.1] = *PLAIN.0.first_chunk().expect("no longer than before");
        match str::from_utf8(&BYTES) {
            Ok(text) => text,
            Err(_) => panic!("a comment splits a character"),
        }
    }};
}
pub(crate) use source;

/// `text`, which has `N` bytes, without its block comments and without the spaces that begin a line; and the length of
/// the result, which fills the front of the array.
pub(crate) const fn plain<const N: usize>(text: &str) -> ([u8; N], usize) {
    let text = text.as_bytes();
    let mut kept = [0; N];
    let (mut length, mut at, mut in_comment, mut begins_line) = (0, 0, false, true);
    while at < N {
        let pair = (text[at], if at + 1 < N { text[at + 1] } else { 0 });
        if in_comment && matches!(pair, (b'*', b'/')) || !in_comment && matches!(pair, (b'/', b'*')) {
            in_comment = !in_comment;
            at += 2;
            continue;
        }
        let is_kept = pair.0 == b'\n' || !(in_comment || begins_line && pair.0 == b' ');
        if is_kept {
            kept[length] = pair.0;
            length += 1;
            begins_line = pair.0 == b'\n';
        }
        at += 1;
    }
    (kept, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_go_and_lines_stay() {
        const TEXT: &str = "/* One.\n * Two. */\nint f(int a) /* b */\n{\n    return a / 2 * 3; /**/\n}\n";
        const PLAIN: ([u8; TEXT.len()], usize) = plain(TEXT);
        let text = str::from_utf8(&PLAIN.0[..PLAIN.1]).unwrap();
        assert_eq!(text, "\n\nint f(int a) \n{\nreturn a / 2 * 3; \n}\n");
        assert_eq!(text.lines().count(), TEXT.lines().count());
    }

    #[test]
    fn a_file_is_read_from_its_folder() {
        let text = source!("knapsack.cl");
        assert!(text.contains("kernel void") && !text.contains("/*") && !text.contains("\n "));
    }
}
