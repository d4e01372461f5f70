//! The folder through which workers share a proof.
//!
//! | file | content |
//! | --- | --- |
//! | `whole` | the proof before any work, by which a worker knows that it has the same one |
//! | `free/NAME` | a part that nobody works on |
//! | `claimed/NAME@WORKER` | a part that a worker works on, as it was after its last slice |
//! | `done/NAME` | a part without open nodes |
//! | `hungry/WORKER` | a worker without work |
//! | `best` | the best schedule |
//! | `result.checkpoint` | the complete proof |
//! | `distrusted` | if it exists, a device was wrong, and nothing in the folder counts |
//!
//! Every file is written whole and then renamed into its place. A part is claimed, released and
//! taken over by renaming its file, which one worker only can do. Before a part loses nodes, they
//! are in another file. So a worker may be killed at any time: at worst, nodes are searched twice.
//! Two workers may even have the same part, if one was away for longer than the lease. Each writes
//! a complete `done` file, and the last one stays.
//!
//! No clock is compared with another one: a claim has expired if its file stays unchanged while a
//! worker looks at it for the time of the lease.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use makespan::atomic_file::{self, Readers};
use makespan::flow_shop::units::{Tree, Unit};
use makespan::{Error, Result};

use super::part::Part;

/// The part that is the whole proof at first.
const ROOT: &str = "0";
const FOLDERS: [&str; 4] = ["free", "claimed", "done", "hungry"];
/// Pause while another worker makes the folder.
const POLL: Duration = Duration::from_millis(20);

pub(super) struct Folder {
    path: PathBuf,
    tree: Tree,
    lease: Duration,
    /// This worker's name.
    worker: String,
    /// Files of others, as they were when they last changed, and when that was noticed.
    seen: HashMap<PathBuf, (State, Instant)>,
    /// Parts that are done.
    finished: HashMap<String, Part>,
    is_hungry: bool,
}

/// By which a change of a file is noticed.
type State = (Option<SystemTime>, u64);

impl Folder {
    /// Opens the folder, or makes it.
    pub(super) fn open(path: &Path, tree: &Tree, lease: Duration) -> Result<Folder> {
        let folder = Folder {
            path: path.to_owned(),
            tree: tree.clone(),
            lease,
            worker: random_name(),
            seen: HashMap::new(),
            finished: HashMap::new(),
            is_hungry: false,
        };
        for name in FOLDERS {
            let path = folder.path.join(name);
            fs::create_dir_all(&path).map_err(|source| failed(&path, source))?;
        }
        folder.begin()?;
        Ok(folder)
    }

    /// Puts the whole proof into the folder, unless it has one.
    fn begin(&self) -> Result<()> {
        let (whole, lock) = (self.path.join("whole"), self.path.join("lock"));
        let mut begun = Instant::now();
        loop {
            if let Some(bytes) = read(&whole)? {
                return self.compare(&whole, &bytes);
            }
            match File::create_new(&lock) {
                // The lock may be that of a worker that has begun meanwhile.
                Ok(_) if whole.exists() => {
                    let _ = fs::remove_file(&lock);
                }
                Ok(_) => {
                    let unit = self.tree.whole()?;
                    let part = Part { name: ROOT.into(), given: Vec::new(), unit };
                    let bytes = part.to_bytes()?;
                    write(&self.free(ROOT), &bytes)?;
                    write(&whole, &bytes)?;
                    // A lock that stays does no harm: the folder is complete.
                    let _ = fs::remove_file(&lock);
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    if begun.elapsed() > self.lease {
                        // Its owner was killed.
                        let _ = fs::remove_file(&lock);
                        begun = Instant::now();
                    }
                    thread::sleep(POLL);
                }
                Err(source) => return Err(failed(&lock, source)),
            }
        }
    }

    /// Refuses another instance than that of the folder, and other options.
    fn compare(&self, whole: &Path, bytes: &[u8]) -> Result<()> {
        let unit = Part::from_bytes(&self.tree, ROOT, whole, bytes)?.unit;
        if unit.limit() == self.tree.whole()?.limit() {
            return Ok(());
        }
        let reason = format!("the folder's proof looks for schedules below {}", unit.limit());
        Err(Box::new(Error::InvalidArgument { argument: "upper_bound", index: None, reason }))
    }

    /// Notes that a device was wrong. It is unknown since when, so that the proof must begin again.
    pub(super) fn distrust(&self) -> Result<()> {
        write(&self.distrusted(), b"")?;
        remove(&self.path.join("result.checkpoint"))
    }

    fn distrusted(&self) -> PathBuf {
        self.path.join("distrusted")
    }

    /// # Errors
    /// [`Error::DeviceWrong`] if a worker has distrusted the folder.
    pub(super) fn check_trust(&self) -> Result<()> {
        match self.distrusted().exists() {
            true => Err(Box::new(Error::DeviceWrong(
                "nothing in the folder counts; remove it and begin again without that device"
                    .into(),
            ))),
            false => Ok(()),
        }
    }

    fn free(&self, name: &str) -> PathBuf {
        self.path.join("free").join(name)
    }

    fn claimed(&self, name: &str) -> PathBuf {
        self.path.join("claimed").join(format!("{name}@{}", self.worker))
    }

    fn done(&self, name: &str) -> PathBuf {
        self.path.join("done").join(name)
    }

    fn own_hunger(&self) -> PathBuf {
        self.path.join("hungry").join(&self.worker)
    }

    /// A file for this worker alone.
    pub(super) fn scratch_file(&self) -> PathBuf {
        self.path.join(format!("{}.checkpoint", self.worker))
    }

    /// Takes a free part, if there is one.
    pub(super) fn claim(&self) -> Result<Option<Part>> {
        for name in self.names("free")? {
            let claimed = self.claimed(&name);
            // Another worker may be faster.
            if fs::rename(self.free(&name), &claimed).is_err() {
                continue;
            }
            // Or may have taken it over, if this one was away.
            let Some(bytes) = read(&claimed)? else { continue };
            return Part::from_bytes(&self.tree, &name, &claimed, &bytes).map(Some);
        }
        Ok(None)
    }

    /// Writes down what remains of a claimed part. Returns whether it is still this worker's.
    pub(super) fn keep(&self, part: &Part) -> Result<bool> {
        let claimed = self.claimed(&part.name);
        if !claimed.exists() {
            return Ok(false);
        }
        write(&claimed, &part.to_bytes()?)?;
        Ok(true)
    }

    /// Writes down that a part is done.
    pub(super) fn finish(&self, part: &Part) -> Result<()> {
        write(&self.done(&part.name), &part.to_bytes()?)?;
        remove(&self.claimed(&part.name))
    }

    /// Gives a claimed part back, after [`Folder::keep`].
    pub(super) fn release(&self, part: &Part) -> Result<()> {
        let claimed = self.claimed(&part.name);
        match fs::rename(&claimed, self.free(&part.name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(&claimed, error)),
            _ => Ok(()),
        }
    }

    /// Splits a part and gives that many others away. They are in the folder before the part is
    /// written without them.
    pub(super) fn give_away(&self, part: Part, count: usize) -> Result<Part> {
        let Part { name, mut given, unit } = part;
        let mut units = unit.split(count + 1)?.into_iter();
        let Some(mut kept) = units.next() else {
            return Err(Box::new(Error::Internal("a split without parts".into())));
        };
        for unit in units {
            if unit.is_done() {
                kept = kept.merge(unit)?;
                continue;
            }
            let part = Part { name: random_name(), given: Vec::new(), unit };
            write(&self.free(&part.name), &part.to_bytes()?)?;
            given.push(part.name);
        }
        Ok(Part { name, given, unit: kept })
    }

    /// Says that this worker has no work.
    pub(super) fn ask_for_work(&mut self) -> Result<()> {
        self.is_hungry = true;
        write(&self.own_hunger(), b"")
    }

    /// Says that this worker has work.
    pub(super) fn ask_no_more(&mut self) {
        if std::mem::take(&mut self.is_hungry) {
            // If it stays, others take it away after the lease.
            let _ = fs::remove_file(self.own_hunger());
        }
    }

    /// The number of parts that would find a worker without work.
    pub(super) fn wanted(&self) -> Result<usize> {
        let hungry = self.names("hungry")?.len();
        if hungry == 0 {
            return Ok(0);
        }
        Ok(hungry.saturating_sub(self.names("free")?.len()))
    }

    /// Frees the claims whose workers have written nothing for the time of the lease.
    pub(super) fn take_over_expired(&mut self) -> Result<()> {
        let mut present = Vec::new();
        for folder in ["claimed", "hungry"] {
            for file in self.names(folder)? {
                let path = self.path.join(folder).join(&file);
                let has_expired = self.has_expired(&path);
                present.push(path.clone());
                match file.split_once('@') {
                    _ if !has_expired => {}
                    Some((name, _)) => {
                        // Another worker may be faster.
                        let _ = fs::rename(&path, self.free(name));
                    }
                    None => {
                        let _ = fs::remove_file(&path);
                    }
                }
            }
        }
        self.seen.retain(|path, _| present.contains(path));
        Ok(())
    }

    fn has_expired(&mut self, path: &Path) -> bool {
        let Ok(about) = fs::metadata(path) else { return false };
        let state = (about.modified().ok(), about.len());
        let (known, since) =
            self.seen.entry(path.to_owned()).or_insert_with(|| (state, Instant::now()));
        if *known != state {
            (*known, *since) = (state, Instant::now());
        }
        since.elapsed() > self.lease
    }

    /// Takes over the best schedule of the folder.
    pub(super) fn learn(&self, unit: &mut Unit) -> Result<()> {
        match self.best()? {
            Some(best) => unit.offer(&best.unit.best().0),
            None => Ok(()),
        }
    }

    /// Passes on the unit's schedule if it is better than that of the folder.
    pub(super) fn teach(&self, unit: &Unit) -> Result<()> {
        if self.best()?.is_some_and(|best| best.unit.best().1 <= unit.best().1) {
            return Ok(());
        }
        let part = Part {
            name: "best".into(),
            given: Vec::new(),
            unit: unit.without_nodes().without_work(),
        };
        write(&self.path.join("best"), &part.to_bytes()?)
    }

    fn best(&self) -> Result<Option<Part>> {
        let path = self.path.join("best");
        let bytes = read(&path)?;
        bytes.map(|bytes| Part::from_bytes(&self.tree, "best", &path, &bytes)).transpose()
    }

    /// The whole before any work, with the best schedule that is known.
    pub(super) fn known(&self) -> Result<Unit> {
        let path = self.path.join("whole");
        let bytes = read(&path)?.ok_or_else(|| failed(&path, ErrorKind::NotFound.into()))?;
        let mut whole = Part::from_bytes(&self.tree, ROOT, &path, &bytes)?.unit;
        self.learn(&mut whole)?;
        Ok(whole)
    }

    /// The complete proof, if there is one.
    pub(super) fn result(&self) -> Result<Option<Unit>> {
        let path = self.path.join("result.checkpoint");
        if path.exists() { self.tree.continued(&path).map(Some) } else { Ok(None) }
    }

    /// Writes down the complete proof, if all parts are done: the first one, those given away from
    /// it, and so on.
    pub(super) fn conclude(&mut self) -> Result<()> {
        let mut names = vec![ROOT.to_owned()];
        let mut known = HashSet::from([ROOT.to_owned()]);
        let mut whole: Option<Unit> = None;
        while let Some(name) = names.pop() {
            if !self.finished.contains_key(&name) {
                let path = self.done(&name);
                let Some(bytes) = read(&path)? else { return Ok(()) };
                let part = Part::from_bytes(&self.tree, &name, &path, &bytes)?;
                if !part.unit.is_done() {
                    let reason = io::Error::new(ErrorKind::InvalidData, "is not done");
                    return Err(failed(&path, reason));
                }
                self.finished.insert(name.clone(), part);
            }
            let part = &self.finished[&name];
            names.extend(part.given.iter().filter(|name| known.insert((*name).clone())).cloned());
            let unit = part.unit.clone();
            whole = Some(match whole {
                Some(whole) => whole.merge(unit)?,
                None => unit,
            });
        }
        let Some(mut whole) = whole else { return Ok(()) };
        self.learn(&mut whole)?;
        self.check_trust()?;
        whole.write_checkpoint(&self.path.join("result.checkpoint"))
    }

    /// The names in a folder, in an order of their own for each worker.
    fn names(&self, folder: &str) -> Result<Vec<String>> {
        let path = self.path.join(folder);
        let entries = fs::read_dir(&path).map_err(|source| failed(&path, source))?;
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(|source| failed(&path, source))?.file_name();
            // Files that are being written have other names.
            let is_name = |name: &str| name.chars().all(|c| c.is_ascii_hexdigit() || c == '@');
            names.extend(name.to_str().filter(|name| is_name(name)).map(str::to_owned));
        }
        let key = |name: &String| {
            name.bytes()
                .chain(self.worker.bytes())
                .fold(7u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
        };
        names.sort_by_cached_key(key);
        Ok(names)
    }
}

/// A name that nothing else has.
fn random_name() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random() ^ u64::from(std::process::id()))
}

fn failed(path: &Path, source: io::Error) -> Box<Error> {
    Box::new(Error::Io { path: path.to_owned(), source })
}

fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    atomic_file::write(path, Readers::Usual, bytes).map_err(|source| failed(path, source))
}

/// The content of a file, if it exists.
fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed(path, source)),
    }
}

fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(path, error)),
        _ => Ok(()),
    }
}
