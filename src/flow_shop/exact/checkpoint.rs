//! A search that is under way as a file: what is open, what was found and what was done, so that a later run, on
//! another engine too, finishes the same proof.
//!
//! All numbers are little-endian: the magic, the version, the digest of the instance; limit, branching limit, makespan
//! (u32); nodes, bounds (u64); the best sequence (u32 each); the number of open nodes (u64) and the nodes, each with its
//! bound (u32), the number of its fixed jobs, how many of them stand at the front, and the jobs, in as few bytes as hold
//! a job's number; at the end the SHA-256 digest of everything before.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::Counts;
use super::node::Open;
use crate::flow_shop::incumbent::Best;
use crate::flow_shop::instance::check_distinct;
use crate::flow_shop::{Instance, Permutation};
use crate::{Error, Result};

const MAGIC: &[u8; 8] = b"mksfsbb\n";
const VERSION: u32 = 1;
const DIGEST_BYTES: usize = 32;

/// A search between two slices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checkpoint {
    /// Sequences shorter than this are below the open nodes only.
    pub(super) limit: u32,
    /// The limit that the choice of the end counts with.
    pub(super) branching_limit: u32,
    pub(super) best: Best,
    pub(super) counts: Counts,
    pub(super) open: Vec<Open>,
}

impl Checkpoint {
    /// Writes the file beside its place first, so that there always is a whole one.
    pub(super) fn write(&self, instance: &Instance, path: &Path) -> Result<()> {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.partial", std::process::id()));
        let partial = path.with_file_name(name);
        let written = self.write_to(instance, &partial).and_then(|()| fs::rename(&partial, path));
        written.map_err(|source| {
            // It may not even have been created.
            let _ = fs::remove_file(&partial);
            Error::Io { path: path.to_owned(), source }
        })
    }

    fn write_to(&self, instance: &Instance, path: &Path) -> io::Result<()> {
        let mut file = fs::File::create(path)?;
        let bytes = self.to_bytes(instance);
        file.write_all(&bytes)?;
        file.sync_all()
    }

    fn to_bytes(&self, instance: &Instance) -> Vec<u8> {
        let width = job_bytes(instance.jobs());
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(digest(instance));
        for number in [self.limit, self.branching_limit, self.best.makespan] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.counts.nodes.to_le_bytes());
        bytes.extend(self.counts.bounds.to_le_bytes());
        self.best.order.iter().for_each(|job| bytes.extend(job.to_le_bytes()));
        bytes.extend((self.open.len() as u64).to_le_bytes());
        for node in &self.open {
            bytes.extend(node.bound.to_le_bytes());
            let counts = [node.fixed.len() as u32, node.front];
            for number in counts.iter().chain(&node.fixed) {
                bytes.extend_from_slice(&number.to_le_bytes()[..width]);
            }
        }
        let sum = Sha256::digest(&bytes);
        bytes.extend(sum);
        bytes
    }

    /// Reads the file of a search on this instance.
    pub(super) fn read(instance: &Instance, path: &Path) -> Result<Self> {
        let bytes = fs::read(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
        Checkpoint::from_bytes(instance, &bytes).map_err(|reason| {
            let reason = format!("{} {reason}", path.display());
            Error::argument("checkpoint", reason)
        })
    }

    fn from_bytes(instance: &Instance, bytes: &[u8]) -> Result<Self, &'static str> {
        const DAMAGED: &str = "is damaged";
        if !bytes.starts_with(MAGIC) {
            return Err("is no checkpoint of a flow shop's search");
        }
        let mut reader = Reader(&bytes[MAGIC.len()..]);
        if reader.u32().ok_or(DAMAGED)? != VERSION {
            return Err("has a version that this library does not know");
        }
        let (content, sum) =
            bytes.split_at_checked(bytes.len().saturating_sub(DIGEST_BYTES)).ok_or(DAMAGED)?;
        if Sha256::digest(content)[..] != *sum {
            return Err(DAMAGED);
        }
        reader.0 = content.get(MAGIC.len() + size_of_val(&VERSION)..).ok_or(DAMAGED)?;
        if reader.take(DIGEST_BYTES).ok_or(DAMAGED)? != digest(instance) {
            return Err("belongs to another instance");
        }
        reader.rest(instance).ok_or(DAMAGED)
    }
}

/// What is left of a file.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn number(&mut self, width: usize) -> Option<u32> {
        let mut word = [0; 4];
        word[..width].copy_from_slice(self.take(width)?);
        Some(u32::from_le_bytes(word))
    }

    fn u32(&mut self) -> Option<u32> {
        self.number(4)
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from(self.u32()?) | u64::from(self.u32()?) << 32)
    }

    /// What follows the digest of the instance; None where it makes no sense.
    fn rest(&mut self, instance: &Instance) -> Option<Checkpoint> {
        let [limit, branching_limit, makespan] = [self.u32()?, self.u32()?, self.u32()?];
        let counts = Counts { nodes: self.u64()?, bounds: self.u64()? };
        let order: Vec<u32> = (0..instance.jobs()).map(|_| self.u32()).collect::<Option<_>>()?;
        if Permutation::new(order.clone()).makespan(instance).ok()? != u64::from(makespan) {
            return None;
        }
        let width = job_bytes(instance.jobs());
        let mut open = Vec::new();
        for _ in 0..self.u64()? {
            open.push(self.node(instance, width)?);
        }
        let best = Best { makespan, order };
        self.0.is_empty().then_some(Checkpoint { limit, branching_limit, best, counts, open })
    }

    fn node(&mut self, instance: &Instance, width: usize) -> Option<Open> {
        let bound = self.u32()?;
        let (fixed, front) = (self.number(width)?, self.number(width)?);
        if fixed as usize >= instance.jobs() || front > fixed {
            return None;
        }
        let fixed: Box<[u32]> = (0..fixed).map(|_| self.number(width)).collect::<Option<_>>()?;
        let node = Open { bound, front, fixed };
        check_distinct("fixed", &node.fixed, instance.jobs()).ok()?;
        node.front_jobs().starts_with(instance.pinned()).then_some(node)
    }
}

/// Bytes that hold the number of any job, and of all jobs but one.
fn job_bytes(jobs: usize) -> usize {
    match jobs {
        0..=0x100 => 1,
        0x101..=0x1_0000 => 2,
        _ => 4,
    }
}

/// What tells one instance from another.
fn digest(instance: &Instance) -> [u8; DIGEST_BYTES] {
    let mut hash = Sha256::new();
    for size in [instance.jobs(), instance.machines(), instance.pinned().len()] {
        hash.update((size as u64).to_le_bytes());
    }
    for list in [instance.times(), instance.ready_times(), instance.pinned()] {
        list.iter().for_each(|number| hash.update(number.to_le_bytes()));
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance() -> Instance {
        Instance::new(4, 2, vec![3, 2, 1, 4, 2, 1, 5, 5]).unwrap()
    }

    fn checkpoint() -> Checkpoint {
        let order = vec![1, 0, 3, 2];
        let makespan = Permutation::new(order.clone()).makespan(&instance()).unwrap() as u32;
        Checkpoint {
            limit: makespan,
            branching_limit: makespan + 7,
            best: Best { makespan, order },
            counts: Counts { nodes: 1 << 40, bounds: 99 },
            open: vec![
                Open { bound: 12, front: 1, fixed: [1, 2].into() },
                Open { bound: 11, front: 0, fixed: [].into() },
            ],
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("search.checkpoint");
        for _ in 0..2 {
            checkpoint().write(&instance(), &path).unwrap();
            assert_eq!(Checkpoint::read(&instance(), &path).unwrap(), checkpoint());
        }
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    }

    #[test]
    fn every_altered_or_missing_byte_is_noticed() {
        let bytes = checkpoint().to_bytes(&instance());
        for length in 0..bytes.len() {
            assert!(Checkpoint::from_bytes(&instance(), &bytes[..length]).is_err(), "{length}");
            let mut altered = bytes.clone();
            altered[length] ^= 4;
            assert!(Checkpoint::from_bytes(&instance(), &altered).is_err(), "{length}");
        }
    }

    #[test]
    fn other_files_are_refused_by_what_they_are() {
        let other = Instance::new(4, 2, vec![3, 2, 1, 4, 2, 1, 5, 6]).unwrap();
        let reason = |instance: &Instance, bytes: &[u8]| Checkpoint::from_bytes(instance, bytes).unwrap_err();
        let bytes = checkpoint().to_bytes(&instance());
        assert_eq!(reason(&other, &bytes), "belongs to another instance");
        let late = instance().with_ready_times(vec![0, 1]).unwrap();
        assert_eq!(reason(&late, &bytes), "belongs to another instance");
        assert_eq!(reason(&instance(), b"3 2\n1 2"), "is no checkpoint of a flow shop's search");
        let mut newer = bytes.clone();
        newer[8] = 2;
        assert_eq!(reason(&instance(), &newer), "has a version that this library does not know");
    }

    #[test]
    fn nodes_that_make_no_sense_are_refused() {
        for (front, fixed) in [(1, &[4][..]), (2, &[1]), (1, &[1, 1]), (0, &[0, 1, 2, 3])] {
            let node = Open { bound: 1, front, fixed: fixed.into() };
            let bytes = Checkpoint { open: vec![node], ..checkpoint() }.to_bytes(&instance());
            assert_eq!(Checkpoint::from_bytes(&instance(), &bytes).unwrap_err(), "is damaged");
        }
    }
}
