//! Writes files atomically: after any failure of the program or machine, a file is either complete
//! or absent.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// The users who may read a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Only the user.
    User,
    /// The users that the umask allows.
    Usual,
}

/// Suffix of temporary files.
const SUFFIX: &str = ".partial";
/// Number of characters of a file's name at the start of its temporary file's name: file systems
/// allow about 255.
const NAME_CHARACTERS: usize = 60;
/// Another process may delete a new file if it takes it for an abandoned one: between the file's
/// creation and its lock. With many writers on a busy machine that may happen several times.
const ATTEMPTS: usize = 30;

/// Creates or replaces the file at `path`. Writes the contents to a temporary file in the same
/// folder, with an unpredictable name. Once they are on disk, that file replaces the old one. Also
/// deletes temporary files of the same path that killed programs left behind.
///
/// # Errors
/// Errors of the operating system. The file is then unchanged.
pub fn write(path: &Path, readers: Readers, contents: &[u8]) -> io::Result<()> {
    replace(path, readers, contents, true)
}

/// Like [`write`], without waiting for the disk: after a failure of the machine, the file may be
/// damaged. For contents with a checksum.
///
/// # Errors
/// Errors of the operating system. The file is then unchanged.
pub(crate) fn write_soon(path: &Path, readers: Readers, contents: &[u8]) -> io::Result<()> {
    replace(path, readers, contents, false)
}

fn replace(path: &Path, readers: Readers, contents: &[u8], waits: bool) -> io::Result<()> {
    let folder = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let Some(name) = path.file_name() else {
        return Err(io::Error::new(ErrorKind::InvalidInput, "it is not the name of a file"));
    };
    let prefix = prefix(name);
    remove_left(folder, &prefix);
    let mut written = Ok(());
    for _ in 0..ATTEMPTS {
        written = create(folder, &prefix, readers)
            .and_then(|file| fill_and_rename(file, path, contents, waits));
        if !matches!(&written, Err(error) if error.kind() == ErrorKind::NotFound) {
            break;
        }
    }
    written?;
    if waits { sync_folder(folder) } else { Ok(()) }
}

fn prefix(name: &OsStr) -> String {
    let begin: String = name.to_string_lossy().chars().take(NAME_CHARACTERS).collect();
    format!(".{begin}.")
}

fn fill_and_rename(
    mut file: NamedTempFile,
    path: &Path,
    contents: &[u8],
    waits: bool,
) -> io::Result<()> {
    // The lock shows that the file is not abandoned. On file systems without locks, no file is
    // deleted.
    let _ = file.as_file().try_lock();
    file.write_all(contents)?;
    if waits {
        file.as_file().sync_all()?;
    }
    file.persist(path)?;
    Ok(())
}

fn create(folder: &Path, prefix: &str, readers: Readers) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(prefix).suffix(SUFFIX);
    #[cfg(unix)]
    if readers == Readers::Usual {
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    }
    #[cfg(not(unix))]
    let _ = readers;
    builder.tempfile_in(folder)
}

/// Deletes abandoned temporary files. It is harmless if some remain.
fn remove_left(folder: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours =
            name.to_str().is_some_and(|name| name.starts_with(prefix) && name.ends_with(SUFFIX));
        let is_file = || entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_ours && is_file() && is_left(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_left(path: &Path) -> bool {
    File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}

/// Flushes a folder's entries to disk, if the system can.
fn sync_folder(folder: &Path) -> io::Result<()> {
    let Ok(folder) = File::open(folder) else { return Ok(()) };
    match folder.sync_all() {
        Err(error) if cfg!(unix) && !is_refused(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Whether the file system lacks this operation.
fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result");
        for contents in ["a first, longer text", "second"] {
            write(&path, Readers::Usual, contents.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), contents);
        }
        assert_eq!(names(folder.path()), ["result"]);
    }

    #[test]
    fn what_cannot_be_replaced_stays_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("taken/by a folder")).unwrap();
        assert!(write(&folder.path().join("taken"), Readers::Usual, b"text").is_err());
        assert!(write(&folder.path().join("missing/file"), Readers::Usual, b"text").is_err());
        assert!(write(Path::new("/"), Readers::Usual, b"text").is_err());
        assert_eq!(names(folder.path()), ["taken"]);
    }

    #[test]
    fn files_of_killed_programs_go_and_those_being_written_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("search");
        let left = [".search.1234.partial", ".search.aBcDeF.partial"];
        left.iter().for_each(|name| fs::write(folder.path().join(name), "half").unwrap());
        let others =
            [".search.busy.partial", ".another.1.partial", ".search.note", "search.1.partial"];
        others.iter().for_each(|name| fs::write(folder.path().join(name), "kept").unwrap());
        let busy = File::open(folder.path().join(others[0])).unwrap();
        busy.lock().unwrap();
        write(&path, Readers::Usual, b"whole").unwrap();
        let mut expected = [&others[..], &["search"]].concat();
        expected.sort();
        assert_eq!(names(folder.path()), expected);
    }

    #[test]
    fn long_names_are_written_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ä".repeat(127));
        write(&path, Readers::User, b"text").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"text");
    }

    #[test]
    #[cfg(unix)]
    fn no_link_in_the_way_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (path, victim) = (folder.path().join("search"), folder.path().join("victim"));
        fs::write(&victim, "precious").unwrap();
        let process = std::process::id();
        for name in [format!("search.{process}.partial"), format!(".search.{process}.partial")] {
            std::os::unix::fs::symlink(&victim, folder.path().join(name)).unwrap();
        }
        std::os::unix::fs::symlink(&victim, &path).unwrap();
        write(&path, Readers::Usual, b"whole").unwrap();
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
    }

    #[test]
    #[cfg(unix)]
    fn the_umask_decides_unless_the_file_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |readers| {
            write(&folder.path().join("file"), readers, b"text").unwrap();
            fs::metadata(folder.path().join("file")).unwrap().permissions().mode() & 0o777
        };
        fs::write(folder.path().join("usual"), "text").unwrap();
        let usual = fs::metadata(folder.path().join("usual")).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(Readers::User), mode(Readers::Usual)), (0o600, usual));
    }

    #[test]
    fn writers_at_once_leave_one_whole_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shared");
        std::thread::scope(|scope| {
            for writer in 0..6u8 {
                let path = &path;
                scope.spawn(move || {
                    for _ in 0..10 {
                        write(path, Readers::Usual, &[writer; 4000]).unwrap();
                        let found = fs::read(path).unwrap();
                        assert!(found.len() == 4000 && found.iter().all(|byte| *byte == found[0]));
                    }
                });
            }
        });
        assert_eq!(names(folder.path()), ["shared"]);
    }
}
