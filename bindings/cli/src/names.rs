//! Names of files, instances and devices, made safe for printing.

use std::path::Path;

/// The name of a file that means standard input. A file of this name is `./-`.
const STANDARD_INPUT: &str = "-";

/// A file's name for people.
pub(crate) fn shown(path: &Path) -> String {
    on_one_line(&path.to_string_lossy())
}

/// The text with control characters as escapes: a file's name may have any, and must not break a
/// line of output.
pub(crate) fn on_one_line(text: &str) -> String {
    let shown =
        |c: char| if moves_the_cursor(c) { c.escape_default().to_string() } else { c.to_string() };
    text.chars().map(shown).collect()
}

/// Whether a character breaks the line, controls the terminal or reverses the direction of writing.
fn moves_the_cursor(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether this file of an instance is standard input.
pub(crate) fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == STANDARD_INPUT
}

/// The file of an instance, as messages name it.
pub(crate) fn shown_instance(path: &Path) -> String {
    if is_standard_input(path) { "standard input".into() } else { shown(path) }
}

/// Name of an instance from a file.
pub(crate) fn instance_name(path: &Path) -> String {
    if is_standard_input(path) {
        return "stdin".into();
    }
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        let (text, shown) = ("a\nb\u{1b}[2K\r\u{202e}ä 漢", "a\\nb\\u{1b}[2K\\r\\u{202e}ä 漢");
        assert_eq!(on_one_line(text), shown);
    }

    #[test]
    fn an_instance_is_called_like_its_file() {
        assert_eq!(instance_name(Path::new("data/furnaces.pcmax")), "furnaces");
        assert_eq!(instance_name(Path::new("ta021")), "ta021");
        assert_eq!(instance_name(Path::new("-")), "stdin");
        assert_eq!(instance_name(Path::new("./-")), "-");
    }
}
