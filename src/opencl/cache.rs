//! Kernel binaries on disk, with the verdicts of their self-tests, and measured figures.
//!
//! The cache uses an entry only if it is beyond doubt: a plain file that belongs to the user, in a
//! folder that others can't write to. The file's name is a hash of all inputs of the build, and it
//! contains this hash and one of its contents. A damaged entry is deleted and counts as a miss. An
//! entry that others may have planted stays untouched, with a warning. A disk that can't be read or
//! written costs a compilation, never an error.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sha2::{Digest, Sha256};

use super::figures::Figures;
use super::private_file;
use super::row_file::rows_of;
use crate::atomic_file::{self, Readers};
use crate::error::shown;
use crate::{Error, Log, Result};

/// Where to keep kernel binaries between runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CacheLocation {
    /// The directory in the environment variable `MAKESPAN_CACHE_DIR` (`off` for none), otherwise
    /// the user's cache directory of the operating system.
    #[default]
    Default,
    /// No cache: every run compiles its kernels.
    Off,
    /// This directory, created when first needed.
    Directory(PathBuf),
}

/// Name of the user's file of tuning rows.
const TUNING: &str = "tuning";

/// Must increase whenever the file format or the way of building programs changes.
const FORMAT: u32 = 2;
const MAGIC: [u8; 8] = *b"mksclbin";
/// Magic, format, key, checksum and length of the payload. The payload begins with one byte for the
/// verdict.
const HEADER: usize = 8 + 4 + 32 + 32 + 8;
/// Larger files are no entries of ours: binaries have a few hundred kilobytes.
const LARGEST_PAYLOAD: usize = 64 << 20;

/// An entry's name: a hash of everything that a binary depends on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key([u8; 32]);

impl Key {
    /// Hashes the parts, each with its length, so that different lists never hash the same text.
    pub(super) fn of(parts: &[&str]) -> Key {
        let mut hash = Sha256::new();
        hash.update(FORMAT.to_le_bytes());
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Key(hash.finalize().into())
    }

    /// The key of measured figures. The parts describe completely what was measured.
    pub(crate) fn of_figures(parts: &[&str]) -> Key {
        Key::of(&[&[FIGURES, env!("CARGO_PKG_VERSION")], parts].concat())
    }

    fn hex(&self) -> String {
        self.0.iter().fold(String::with_capacity(64), |mut text, byte| {
            // Writing to a string never fails.
            let _ = write!(text, "{byte:02x}");
            text
        })
    }
}

/// What the cache stores about a program.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// A binary whose kernels passed their self-test.
    Passed(Vec<u8>),
    /// What the self-test found wrong. The program must not be built again.
    Barred(String),
}

impl Entry {
    const PASSED: u8 = 1;
    const BARRED: u8 = 2;

    fn to_payload(&self) -> Vec<u8> {
        let (verdict, contents) = match self {
            Entry::Passed(binary) => (Self::PASSED, &binary[..]),
            Entry::Barred(text) => (Self::BARRED, text.as_bytes()),
        };
        [&[verdict], contents].concat()
    }

    fn from_payload(payload: &[u8]) -> Option<Self> {
        match payload.split_first()? {
            (&Self::PASSED, binary) => Some(Entry::Passed(binary.to_vec())),
            (&Self::BARRED, text) => Some(Entry::Barred(String::from_utf8(text.to_vec()).ok()?)),
            _ => None,
        }
    }
}

/// A directory of binaries, or none.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    directory: Option<PathBuf>,
    log: Log,
    /// Whether a warning was logged that others can write to the directory.
    warned: Arc<AtomicBool>,
}

impl Cache {
    pub(crate) fn new(location: &CacheLocation, log: Log) -> Cache {
        let directory = match location {
            CacheLocation::Default => default_directory(|name| std::env::var_os(name)),
            CacheLocation::Off => None,
            CacheLocation::Directory(directory) => Some(directory.clone()),
        };
        Cache { directory, log, warned: Arc::default() }
    }

    pub(crate) fn is_off(&self) -> bool {
        self.directory.is_none()
    }

    /// The user's tuning rows: the file `tuning` next to the binaries. None if there is no such
    /// file.
    pub(crate) fn tuning_rows(&self) -> Option<io::Result<String>> {
        let directory = self.directory.as_ref()?;
        let read = || {
            let file = private_file::open(&directory.join(TUNING))?;
            private_file::check_folder(directory)?;
            rows_of(file)
        };
        Some(read()).filter(|read| {
            read.as_ref().err().is_none_or(|error| error.kind() != ErrorKind::NotFound)
        })
    }

    /// Replaces the user's tuning rows; returns the path of their file.
    pub(crate) fn store_tuning_rows(&self, text: &str) -> Result<PathBuf> {
        let off = || Error::argument("cache", "is off, so there is no folder for tuning rows");
        let directory = self.directory.as_ref().ok_or_else(off)?;
        let path = directory.join(TUNING);
        create_directory(directory)
            .and_then(|()| private_file::check_folder(directory))
            .and_then(|()| atomic_file::write(&path, Readers::User, text.as_bytes()))
            .map_err(|error| Error::io(&path, error))?;
        Ok(path)
    }

    /// The entry of `key`, if there is one beyond doubt.
    pub(super) fn load(&self, key: &Key) -> Option<Entry> {
        self.read_entry(key, Entry::from_payload)
    }

    /// Reads the payload of an entry by `decoded`. An entry that it refuses is damaged.
    fn read_entry<T>(&self, key: &Key, decoded: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
        let (directory, path) = (self.directory.as_ref()?, self.path(key)?);
        let entry = match private_file::check_folder(directory).and_then(|()| read(&path)) {
            Ok(entry) => entry,
            Err(error) => {
                self.report(&error);
                self.log.debug(|| format!("kernel cache: miss, {}: {error}", shown(&path)));
                return None;
            }
        };
        let entry = decode(entry, key).and_then(|payload| decoded(&payload));
        if entry.is_none() {
            self.log.debug(|| format!("kernel cache: {} is damaged", shown(&path)));
            self.discard(key);
        }
        entry
    }

    /// Saves an entry atomically, even if several processes save it at once.
    pub(super) fn store(&self, key: &Key, entry: &Entry) {
        if let Err(error) = self.write_entry(key, &entry.to_payload()) {
            self.report(&error);
        }
    }

    /// The figures that were measured of something.
    pub(crate) fn load_figures(&self, key: &Key) -> Option<Figures> {
        self.read_entry(key, |payload| Figures::parse(std::str::from_utf8(payload).ok()?))
    }

    /// Saves measured figures.
    pub(crate) fn store_figures(&self, key: &Key, figures: &Figures) {
        // Later processes then measure again.
        let _ = self.write_entry(key, figures.to_text().as_bytes());
    }

    /// Does not wait for the disk: an entry that a failure of the machine damages is found out.
    fn write_entry(&self, key: &Key, payload: &[u8]) -> io::Result<()> {
        let (Some(directory), Some(path)) = (&self.directory, self.path(key)) else {
            return Ok(());
        };
        let saved = create_directory(directory)
            .and_then(|()| private_file::check_folder(directory))
            .and_then(|()| atomic_file::write_soon(&path, Readers::User, &encode(payload, key)));
        self.log.debug(|| match &saved {
            Ok(()) => format!("kernel cache: saved {}, {} bytes", shown(&path), payload.len()),
            Err(error) => format!("kernel cache: cannot save {}: {error}", shown(&path)),
        });
        saved
    }

    /// Warns once that the cache may contain another user's files, and that kernels are therefore
    /// built from source.
    fn report(&self, error: &io::Error) {
        if error.kind() == ErrorKind::PermissionDenied && !self.warned.swap(true, Ordering::Relaxed)
        {
            self.log
                .warn(|| format!("kernel cache: not used, kernels are built from source: {error}"));
        }
    }

    /// Deletes an entry that is damaged or has a binary that the driver refuses.
    pub(super) fn discard(&self, key: &Key) {
        let Some(path) = self.path(key) else { return };
        if let Err(error) = fs::remove_file(&path) {
            self.log.debug(|| format!("kernel cache: cannot delete {}: {error}", shown(&path)));
        }
    }

    fn path(&self, key: &Key) -> Option<PathBuf> {
        Some(self.directory.as_ref()?.join(key.hex() + ".bin"))
    }
}

/// Must increase whenever a figure changes its meaning, so that old figures are not read. A new
/// version of the library does not read them either.
const FIGURES: &str = "figures 3";

/// The directory for [`CacheLocation::Default`]; `variable` reads the environment. Shared
/// directories are no candidates: anyone who can plant a binary runs code in this process.
fn default_directory(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    // With a relative path, the cache would move with the working directory.
    let absolute = |name| set(name).map(PathBuf::from).filter(|path| path.is_absolute());
    match set("MAKESPAN_CACHE_DIR") {
        Some(value) if value.eq_ignore_ascii_case("off") => None,
        Some(value) => Some(value.into()),
        None if cfg!(windows) => {
            absolute("LOCALAPPDATA").map(|path| path.join("makespan").join("cache"))
        }
        None if cfg!(target_os = "macos") => {
            absolute("HOME").map(|path| path.join("Library/Caches/makespan"))
        }
        None => absolute("XDG_CACHE_HOME")
            .or_else(|| absolute("HOME").map(|path| path.join(".cache")))
            .map(|path| path.join("makespan")),
    }
}

fn encode(payload: &[u8], key: &Key) -> Vec<u8> {
    let mut entry = Vec::with_capacity(HEADER + payload.len());
    entry.extend(MAGIC);
    entry.extend(FORMAT.to_le_bytes());
    entry.extend(key.0);
    entry.extend(Sha256::digest(payload));
    entry.extend((payload.len() as u64).to_le_bytes());
    entry.extend(payload);
    entry
}

/// The payload of an entry, if the entry is exactly what [`encode`] writes.
fn decode(mut entry: Vec<u8>, key: &Key) -> Option<Vec<u8>> {
    let payload = entry.get(HEADER..)?;
    if payload.len() > LARGEST_PAYLOAD || encode(payload, key) != entry {
        return None;
    }
    entry.drain(..HEADER);
    Some(entry)
}

/// Decodes the fuzzer's data, both unchanged and as the payload of an entry with valid digests.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(data: &[u8]) {
    let key = Key([7; 32]);
    assert!(Entry::from_payload(data).is_none_or(|entry| entry.to_payload() == data));
    assert!(decode(data.to_vec(), &key).is_none_or(|payload| encode(&payload, &key) == data));
    assert_eq!(decode(encode(data, &key), &key).as_deref(), Some(data));
}

/// Reads a file, but of a file that is too large only enough to notice that.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut entry = Vec::new();
    let limit = (HEADER + LARGEST_PAYLOAD + 1) as u64;
    private_file::open(path)?.take(limit).read_to_end(&mut entry)?;
    Ok(entry)
}

fn create_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use tempfile::TempDir;

    use super::*;

    const BINARY: &[u8] = b"not really a binary";

    fn passed(binary: &[u8]) -> Entry {
        Entry::Passed(binary.to_vec())
    }

    fn scratch() -> (TempDir, Cache) {
        let directory = tempfile::tempdir().unwrap();
        let location = CacheLocation::Directory(directory.path().join("made/on demand"));
        let cache = Cache::new(&location, Log::default());
        (directory, cache)
    }

    fn files(cache: &Cache) -> usize {
        cache.directory.as_ref().map_or(0, |path| fs::read_dir(path).map_or(0, Iterator::count))
    }

    /// Writes `entry` to the path of `key` and expects it to be refused and deleted.
    fn expect_refusal(cache: &Cache, key: &Key, entry: &[u8], what: &str) {
        let path = cache.path(key).unwrap();
        fs::write(&path, entry).unwrap();
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        assert_eq!(cache.load(key), None, "{what}");
        assert!(!path.exists(), "{what}");
    }

    #[test]
    fn what_is_stored_comes_back() {
        let (_directory, cache) = scratch();
        let key = Key::of(&["source"]);
        assert_eq!(cache.load(&key), None);
        for entry in
            [passed(BINARY), passed(b""), Entry::Barred("7, not 6".into()), passed(b"replaced")]
        {
            cache.store(&key, &entry);
            assert_eq!(cache.load(&key), Some(entry));
        }
        assert_eq!(cache.load(&Key::of(&["other"])), None);
        assert_eq!(files(&cache), 1, "no temporary file stays behind");
    }

    #[test]
    fn figures_come_back_for_the_same_parts_alone() {
        let (_directory, cache) = scratch();
        let figures = Figures::new(std::time::SystemTime::now(), &[("rate", 1.5e9)]);
        let key = Key::of_figures(&["device", "driver 1"]);
        cache.store_figures(&key, &figures);
        assert_eq!(cache.load_figures(&key), Some(figures));
        assert_eq!(cache.load_figures(&Key::of_figures(&["device", "driver 2"])), None);
        let path = cache.path(&key).unwrap();
        let mut entry = fs::read(&path).unwrap();
        *entry.last_mut().unwrap() ^= 1;
        fs::write(&path, entry).unwrap();
        assert_eq!(cache.load_figures(&key), None);
        assert!(!path.exists(), "damaged figures are deleted");
        // An entry whose checksums are right, with other contents.
        cache.write_entry(&key, b"no figures").unwrap();
        assert_eq!(cache.load_figures(&key), None);
        assert!(!path.exists());
    }

    #[test]
    fn keys_tell_parts_apart() {
        let keys = [
            Key::of(&["ab", "c"]),
            Key::of(&["a", "bc"]),
            Key::of(&["abc"]),
            Key::of(&["abc", ""]),
            Key::of(&["", "abc"]),
            Key::of(&[]),
        ];
        let distinct: std::collections::HashSet<_> = keys.iter().map(Key::hex).collect();
        assert_eq!(distinct.len(), keys.len());
        assert!(distinct.iter().all(|name| name.len() == 64));
    }

    #[test]
    fn every_damage_is_noticed() {
        let (_directory, cache) = scratch();
        let key = Key::of(&["source"]);
        cache.store(&key, &passed(BINARY));
        let entry = fs::read(cache.path(&key).unwrap()).unwrap();
        assert_eq!(entry.len(), HEADER + 1 + BINARY.len());
        for length in 0..entry.len() {
            expect_refusal(&cache, &key, &entry[..length], &format!("cut to {length} bytes"));
        }
        for position in 0..entry.len() {
            let mut flipped = entry.clone();
            flipped[position] ^= 0x10;
            expect_refusal(&cache, &key, &flipped, &format!("byte {position} flipped"));
        }
        expect_refusal(&cache, &key, &[&entry[..], b"x"].concat(), "longer");
        expect_refusal(&cache, &Key::of(&["other"]), &entry, "another entry's contents");
    }

    #[test]
    fn entries_beyond_the_cap_are_refused() {
        let (_directory, cache) = scratch();
        let key = Key::of(&["source"]);
        cache.store(&key, &passed(BINARY));
        let path = cache.path(&key).unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(cache.load(&key), None);
        assert!(!path.exists());
    }

    #[test]
    fn a_directory_that_cannot_be_made_costs_nothing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let location = CacheLocation::Directory(file.path().join("below a file"));
        let cache = Cache::new(&location, Log::default());
        let key = Key::of(&["source"]);
        cache.store(&key, &passed(BINARY));
        assert_eq!(cache.load(&key), None);
        cache.discard(&key);
    }

    #[test]
    fn a_directory_in_the_place_of_an_entry_costs_nothing() {
        let (_directory, cache) = scratch();
        let key = Key::of(&["source"]);
        fs::create_dir_all(cache.path(&key).unwrap()).unwrap();
        cache.store(&key, &passed(BINARY));
        assert_eq!(cache.load(&key), None);
        assert_eq!(files(&cache), 1, "no temporary file stays behind");
    }

    /// A cache in the same folder, and all its warnings.
    #[cfg(unix)]
    fn with_warnings(cache: &Cache) -> (Cache, Arc<std::sync::Mutex<Vec<String>>>) {
        let warnings = Arc::new(std::sync::Mutex::new(Vec::new()));
        let sink = Arc::clone(&warnings);
        let hear = move |_, message: &str| sink.lock().unwrap().push(message.to_owned());
        let log = Log::new(crate::LogLevel::Warning, Arc::new(hear));
        (Cache::new(&CacheLocation::Directory(cache.directory.clone().unwrap()), log), warnings)
    }

    #[test]
    #[cfg(unix)]
    fn a_pipe_or_a_link_in_the_place_of_an_entry_is_not_waited_for() {
        let (_directory, cache) = scratch();
        let (key, elsewhere) = (Key::of(&["source"]), Key::of(&["elsewhere"]));
        cache.store(&elsewhere, &passed(BINARY));
        let path = cache.path(&key).unwrap();
        let (cache, warnings) = with_warnings(&cache);
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, mode).unwrap();
        assert_eq!(cache.load(&key), None);
        assert_eq!(cache.load(&key), None);
        assert_eq!(warnings.lock().unwrap().len(), 1, "one warning is enough");
        cache.store(&key, &passed(BINARY));
        assert_eq!(cache.load(&key), Some(passed(BINARY)), "the entry takes the pipe's place");
        fs::remove_file(&path).unwrap();
        std::os::unix::fs::symlink(cache.path(&elsewhere).unwrap(), &path).unwrap();
        assert_eq!(cache.load(&key), None);
    }

    #[test]
    #[cfg(unix)]
    fn what_others_may_have_written_is_not_used() {
        use std::os::unix::fs::PermissionsExt;
        let set = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap()
        };
        let (_directory, cache) = scratch();
        let key = Key::of(&["source"]);
        cache.store(&key, &passed(BINARY));
        let (folder, path) = (cache.directory.clone().unwrap(), cache.path(&key).unwrap());
        for (place, wrong, right) in [
            (&path, 0o666, 0o600),
            (&folder, 0o777, 0o700),
            (&folder.parent().unwrap().to_owned(), 0o777, 0o700),
        ] {
            let (cache, warnings) = with_warnings(&cache);
            set(place, wrong);
            assert_eq!(cache.load(&key), None);
            assert!(warnings.lock().unwrap()[0].contains("may be written to by other users"));
            set(place, right);
            assert_eq!(cache.load(&key), Some(passed(BINARY)), "{}", place.display());
        }
        set(&folder, 0o777);
        fs::remove_file(&path).unwrap();
        cache.store(&key, &passed(BINARY));
        assert!(!path.exists(), "nothing is saved where it would not be used");
    }

    #[test]
    #[cfg(unix)]
    fn new_directories_are_the_users_alone() {
        use std::os::unix::fs::PermissionsExt;
        let (_directory, cache) = scratch();
        cache.store(&Key::of(&["source"]), &passed(BINARY));
        let mode = fs::metadata(cache.directory.as_ref().unwrap()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn writers_at_once_leave_one_whole_entry() {
        let (_directory, cache) = scratch();
        let key = Key::of(&["source"]);
        std::thread::scope(|scope| {
            for writer in 0..8u8 {
                let (cache, key) = (&cache, &key);
                scope.spawn(move || {
                    for _ in 0..20 {
                        cache.store(key, &passed(&[writer; 4000]));
                        let Some(Entry::Passed(found)) = cache.load(key) else {
                            panic!("it is always there")
                        };
                        assert!(found.len() == 4000 && found.iter().all(|byte| *byte == found[0]));
                    }
                });
            }
        });
        assert_eq!(files(&cache), 1);
    }

    #[test]
    fn off_is_off() {
        let cache = Cache::new(&CacheLocation::Off, Log::default());
        let key = Key::of(&["source"]);
        cache.store(&key, &passed(BINARY));
        assert!(cache.is_off());
        assert_eq!(cache.load(&key), None);
    }

    #[test]
    fn the_environment_decides_the_default() {
        let directory = |variables: &[(&str, &str)]| {
            let variables: HashMap<_, _> = variables.iter().copied().collect();
            default_directory(|name| variables.get(name).map(OsString::from))
        };
        let home = [("HOME", "/home/u"), ("LOCALAPPDATA", r"C:\u")];
        let with = |name, value| directory(&[home[0], home[1], (name, value)]);

        assert_eq!(with("MAKESPAN_CACHE_DIR", "off"), None);
        assert_eq!(with("MAKESPAN_CACHE_DIR", "some/where"), Some("some/where".into()));
        assert_eq!(with("MAKESPAN_CACHE_DIR", ""), directory(&home));
        assert_eq!(directory(&[]), None);
        assert_eq!(directory(&[("HOME", "relative"), ("LOCALAPPDATA", "relative")]), None);
        if cfg!(all(unix, not(target_os = "macos"))) {
            assert_eq!(directory(&home), Some("/home/u/.cache/makespan".into()));
            assert_eq!(with("XDG_CACHE_HOME", "/cache"), Some("/cache/makespan".into()));
            assert_eq!(with("XDG_CACHE_HOME", "relative"), directory(&home));
        }
    }
}
