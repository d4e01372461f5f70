//! Reads files that only the user or the administrator can have put in place.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::error::shown;

/// Opens a plain file that belongs to the user and that no one else may write to. It neither waits
/// for a pipe nor follows a link. An error of kind [`ErrorKind::PermissionDenied`] says what is
/// wrong with the file.
pub(super) fn open(path: &Path) -> io::Result<File> {
    let file = open_at_once(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(refusal(path, "is no plain file"));
    }
    check_owner(path, &found, false)?;
    Ok(file)
}

/// Checks that no one else can put files into a folder: the folder and all folders above it belong
/// to the user or the administrator, and others can't write to them. Folders above may be writable
/// if others can remove only their own files there.
pub(super) fn check_folder(folder: &Path) -> io::Result<()> {
    let folder = fs::canonicalize(folder)?;
    for (height, folder) in folder.ancestors().enumerate() {
        let found = fs::symlink_metadata(folder)?;
        if !found.is_dir() {
            return Err(refusal(folder, "is no folder"));
        }
        check_owner(folder, &found, height > 0)?;
    }
    Ok(())
}

fn refusal(path: &Path, reason: &str) -> io::Error {
    io::Error::new(ErrorKind::PermissionDenied, format!("{} {reason}", shown(path)))
}

#[cfg(unix)]
fn open_at_once(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => Ok(file.into()),
        Err(rustix::io::Errno::LOOP) => Err(refusal(path, "is a link")),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn open_at_once(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(unix)]
fn check_owner(path: &Path, found: &fs::Metadata, sticky_is_enough: bool) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt;
    const OTHERS_WRITE: u32 = 0o022;
    const STICKY: u32 = 0o1000;
    let user = rustix::process::geteuid().as_raw();
    let is_folder = found.is_dir();
    if found.uid() != user && !(is_folder && found.uid() == 0) {
        return Err(refusal(path, "belongs to another user"));
    }
    let kept_apart = sticky_is_enough && found.mode() & STICKY != 0;
    if found.mode() & OTHERS_WRITE != 0 && !kept_apart {
        return Err(refusal(path, "may be written to by other users"));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_owner(_: &Path, _: &fs::Metadata, _: bool) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::PathBuf;

    use super::*;

    fn set_mode(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn denied<T>(result: io::Result<T>) -> Option<String> {
        result
            .err()
            .filter(|error| error.kind() == ErrorKind::PermissionDenied)
            .map(|error| error.to_string())
    }

    #[test]
    fn only_plain_files_of_the_users_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| -> PathBuf { folder.path().join(name) };
        fs::write(path("file"), "text").unwrap();
        set_mode(&path("file"), 0o644);
        assert_eq!(io::read_to_string(open(&path("file")).unwrap()).unwrap(), "text");
        assert_eq!(open(&path("missing")).unwrap_err().kind(), ErrorKind::NotFound);
        for mode in [0o620, 0o602, 0o666] {
            set_mode(&path("file"), mode);
            assert!(
                denied(open(&path("file"))).unwrap().ends_with("may be written to by other users")
            );
        }
        set_mode(&path("file"), 0o600);
        symlink(path("file"), path("link")).unwrap();
        assert!(denied(open(&path("link"))).unwrap().ends_with("is a link"));
        fs::create_dir(path("folder")).unwrap();
        assert!(denied(open(&path("folder"))).unwrap().ends_with("is no plain file"));
        rustix::fs::mkfifoat(rustix::fs::CWD, path("pipe"), rustix::fs::Mode::RUSR).unwrap();
        assert!(denied(open(&path("pipe"))).unwrap().ends_with("is no plain file"));
    }

    #[test]
    fn folders_and_those_above_keep_others_out() {
        let above = tempfile::tempdir().unwrap();
        let folder = above.path().join("folder");
        fs::create_dir(&folder).unwrap();
        set_mode(&folder, 0o700);
        check_folder(&folder).unwrap();
        for (above_mode, mode, allowed) in [
            (0o755, 0o755, true),
            (0o1777, 0o700, true),
            (0o700, 0o720, false),
            (0o700, 0o1777, false),
            (0o777, 0o700, false),
            (0o770, 0o700, false),
        ] {
            set_mode(above.path(), above_mode);
            set_mode(&folder, mode);
            let result = check_folder(&folder);
            assert_eq!(denied(result).is_none(), allowed, "{mode:o} in {above_mode:o}");
        }
        set_mode(above.path(), 0o700);
    }

    #[test]
    fn folders_of_other_users_are_refused() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::chown(folder.path(), Some(12345), None).unwrap();
        assert!(denied(check_folder(folder.path())).unwrap().ends_with("belongs to another user"));
        let file = folder.path().join("file");
        fs::write(&file, "text").unwrap();
        std::os::unix::fs::chown(&file, Some(12345), None).unwrap();
        assert!(denied(open(&file)).unwrap().ends_with("belongs to another user"));
    }
}
