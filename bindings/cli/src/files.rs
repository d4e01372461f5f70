//! Files that the command reads, and files that it writes: checked before the work begins, written
//! whole or not at all.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use makespan::atomic_file::{self, Readers};

use crate::failure::Failure;
use crate::names::{is_standard_input, shown};

/// A larger file is a mistake.
const MAX_BYTES: u64 = 1 << 30;

/// The text of a file that an option names.
pub(crate) fn read_text(path: &Path) -> Result<String, String> {
    read(path).map_err(|error| format!("{}: {error}", shown(path)))
}

/// The text of a file, without a byte order mark.
fn read(path: &Path) -> io::Result<String> {
    whole_text(File::open(path)?)
}

/// [`read`] of an instance's file, which may be standard input.
pub(crate) fn read_instance(path: &Path) -> io::Result<String> {
    if is_standard_input(path) { whole_text(io::stdin().lock()) } else { read(path) }
}

fn whole_text(source: impl Read) -> io::Result<String> {
    let mut text = String::new();
    let read = source.take(MAX_BYTES + 1).read_to_string(&mut text)?;
    if read as u64 > MAX_BYTES {
        let reason = format!("file is larger than {MAX_BYTES} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// A file to be written when the work is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OutputFile(PathBuf);

impl OutputFile {
    /// Takes a path from the command line. Refuses a path that cannot be written at the end.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        // In other programs it means standard output, which has the result already.
        if text == "-" {
            return Err("it is not the name of a file; ./- is".into());
        }
        let path = resolve(Path::new(text));
        if path.file_name().is_none() {
            return Err("it is not the name of a file".into());
        }
        if path.exists() && !path.is_file() {
            return Err("it is not a regular file".into());
        }
        let folder = folder(&path);
        if !folder.is_dir() {
            return Err(format!("there is no folder {}", shown(folder)));
        }
        Ok(OutputFile(path))
    }

    /// Like [`OutputFile::parse`], for a list of formats. An ending of the name must be that of a
    /// format.
    pub(crate) fn parse_as(formats: &[&str], text: &str) -> Result<Self, String> {
        let ending = Path::new(text).extension();
        let fits =
            |ending: &OsStr| formats.iter().any(|format| ending.eq_ignore_ascii_case(format));
        if ending.is_some_and(|ending| !fits(ending)) {
            let (names, endings) = (formats.join(" or "), formats.join(" or ."));
            return Err(format!(
                "the file is {}, so its name must end in .{endings}",
                names.to_uppercase().replace(" OR ", " or ")
            ));
        }
        OutputFile::parse(text)
    }

    /// Whether the file is to be CSV.
    pub(crate) fn is_csv(&self) -> bool {
        self.0.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"))
    }

    /// Refuses to replace a file that the solve reads or keeps.
    pub(crate) fn check_other(&self, other: &Path) -> Result<(), Failure> {
        if !is_standard_input(other) && resolve(other) == self.0 {
            return Err(Failure::usage(format!("{} would be overwritten", shown(other))));
        }
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Writes the file: the whole content, or nothing.
    pub(crate) fn write(&self, content: &str) -> Result<(), Failure> {
        atomic_file::write(&self.0, Readers::Usual, content.as_bytes())
            .map_err(|error| Failure::other(format!("{}: {error}", shown(&self.0))))
    }
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}

/// The file at the end of a path, which need not exist yet. For a link this is its target, so that
/// the target gets replaced, not the link.
fn resolve(path: &Path) -> PathBuf {
    let in_folder = || Some(fs::canonicalize(folder(path)).ok()?.join(path.file_name()?));
    fs::canonicalize(path).ok().or_else(in_folder).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        let file = OutputFile::parse(path.to_str().unwrap()).unwrap();
        file.write("a first, longer text").unwrap();
        file.write("second").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn a_name_does_not_promise_another_format() {
        let folder = tempfile::tempdir().unwrap();
        let parse = |formats: &[&str], name| {
            OutputFile::parse_as(formats, folder.path().join(name).to_str().unwrap())
        };
        let result = &["json", "csv"];
        assert!(parse(&["svg"], "chart.SVG").is_ok() && parse(result, "solution").is_ok());
        assert!(parse(result, "table.Csv").unwrap().is_csv());
        assert!(!parse(result, "table.json").unwrap().is_csv());
        for (formats, name, message) in [
            (&["svg"][..], "chart.png", "the file is SVG, so its name must end in .svg"),
            (
                result,
                "solution.txt",
                "the file is JSON or CSV, so its name must end in .json or .csv",
            ),
            (&["dot"], "tree.svg", "the file is DOT, so its name must end in .dot"),
        ] {
            assert_eq!(parse(formats, name).unwrap_err(), message);
        }
    }

    #[test]
    fn places_that_cannot_be_written_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let refusal = |path: &Path| OutputFile::parse(path.to_str().unwrap()).unwrap_err();
        assert_eq!(refusal(folder.path()), "it is not a regular file");
        assert!(refusal(&folder.path().join("missing/file")).starts_with("there is no folder"));
        assert_eq!(refusal(Path::new("")), "it is not the name of a file");
        assert_eq!(refusal(Path::new("-")), "it is not the name of a file; ./- is");
    }

    #[test]
    fn a_file_that_cannot_be_moved_into_place_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.json");
        let file = OutputFile::parse(path.to_str().unwrap()).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(file.write("text").is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }
}
