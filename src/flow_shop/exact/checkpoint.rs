//! A search that is under way as a file: what is open, what was found and what was done, so that a later run, on
//! another engine too, finishes the same proof.
//!
//! All numbers are little-endian: the magic, the version, the digest of the instance; limit, branching limit, makespan
//! (u32); nodes, bounds (u64); the best sequence (u32 each); the number of open nodes (u64) and the nodes; at the end the
//! SHA-256 digest of everything before.
//!
//! A node is told by what sets it apart from the one before, since siblings follow each other and differ in a job: its
//! bound less the other's; how many jobs it has in common with it from the first on, and how many more stand at the
//! front; the same from the last on; and these further jobs. Such numbers have seven bits to a byte, the lowest first,
//! and a bit that says that there are more; the difference's sign is its lowest bit. Every block of nodes begins with
//! one told by itself, so that threads can write blocks side by side.

use std::borrow::Cow;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use rayon::prelude::*;
use sha2::{Digest, Sha256};

use super::Counts;
use super::node::Open;
use crate::flow_shop::incumbent::Best;
use crate::flow_shop::{Instance, Permutation};
use crate::{Error, Result};

const MAGIC: &[u8; 8] = b"mksfsbb\n";
const VERSION: u32 = 2;
const DIGEST_BYTES: usize = 32;
const BLOCK_NODES: usize = 1 << 14;

/// A search between two slices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checkpoint<'n> {
    /// Sequences shorter than this are below the open nodes only.
    pub(super) limit: u32,
    /// The limit that the choice of the end counts with.
    pub(super) branching_limit: u32,
    pub(super) best: Best,
    pub(super) counts: Counts,
    pub(super) open: Cow<'n, [Open]>,
}

impl Checkpoint<'_> {
    /// Writes the file beside its place first, so that there always is a whole one. Uses the threads of rayon's pool.
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
        let blocks: Vec<Vec<u8>> = self.open.par_chunks(BLOCK_NODES).map(block).collect();
        blocks.iter().for_each(|block| bytes.extend(block));
        let sum = Sha256::digest(&bytes);
        bytes.extend(sum);
        bytes
    }

    /// Reads the file of a search on this instance.
    pub(super) fn read(instance: &Instance, path: &Path) -> Result<Checkpoint<'static>> {
        let bytes = fs::read(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
        Checkpoint::from_bytes(instance, &bytes).map_err(|reason| {
            let reason = format!("{} {reason}", path.display());
            Error::argument("checkpoint", reason)
        })
    }

    fn from_bytes(instance: &Instance, bytes: &[u8]) -> Result<Checkpoint<'static>, &'static str> {
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

/// A block of nodes.
fn block(nodes: &[Open]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(8 * nodes.len());
    let (mut bound, mut front, mut back) = (0, &[][..], &[][..]);
    for node in nodes {
        let same_front = common(front.iter(), node.front_jobs().iter());
        let same_back = common(back.iter().rev(), node.back_jobs().iter().rev());
        push_number(&mut bytes, zigzag(i64::from(node.bound) - i64::from(bound)));
        (bound, front, back) = (node.bound, node.front_jobs(), node.back_jobs());
        let (new_front, new_back) = (&front[same_front..], &back[..back.len() - same_back]);
        for number in [same_front, new_front.len(), same_back, new_back.len()] {
            push_number(&mut bytes, number as u64);
        }
        for &job in new_front.iter().chain(new_back.iter().rev()) {
            push_number(&mut bytes, job.into());
        }
    }
    bytes
}

/// How many items two lists begin with alike.
fn common<'a>(one: impl Iterator<Item = &'a u32>, other: impl Iterator<Item = &'a u32>) -> usize {
    one.zip(other).take_while(|(a, b)| a == b).count()
}

fn push_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Small for numbers that are small without their sign.
fn zigzag(difference: i64) -> u64 {
    (difference << 1 ^ difference >> 63) as u64
}

/// What [`zigzag`] was made of.
fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// What is left of a file.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    /// A number of as many bytes as it needs, up to 35 bits.
    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..35).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn u64(&mut self) -> Option<u64> {
        Some(u64::from(self.u32()?) | u64::from(self.u32()?) << 32)
    }

    /// What follows the digest of the instance; None where it makes no sense.
    fn rest(&mut self, instance: &Instance) -> Option<Checkpoint<'static>> {
        let [limit, branching_limit, makespan] = [self.u32()?, self.u32()?, self.u32()?];
        let counts = Counts { nodes: self.u64()?, bounds: self.u64()? };
        let order: Vec<u32> = (0..instance.jobs()).map(|_| self.u32()).collect::<Option<_>>()?;
        if Permutation::new(order.clone()).makespan(instance).ok()? != u64::from(makespan) {
            return None;
        }
        let mut open = Vec::new();
        let mut previous = Previous::new(instance);
        for number in 0..self.u64()? {
            if number.is_multiple_of(BLOCK_NODES as u64) {
                previous.forget();
            }
            open.push(previous.next(self, instance)?);
        }
        let best = Best { makespan, order };
        let open = Cow::Owned(open);
        self.0.is_empty().then_some(Checkpoint { limit, branching_limit, best, counts, open })
    }
}

/// The node before the one that is read.
struct Previous {
    bound: u32,
    front: Vec<u32>,
    /// From the last job on.
    back: Vec<u32>,
    fixed: Vec<bool>,
}

impl Previous {
    fn new(instance: &Instance) -> Self {
        Previous { bound: 0, front: Vec::new(), back: Vec::new(), fixed: vec![false; instance.jobs()] }
    }

    fn forget(&mut self) {
        self.bound = 0;
        self.shorten(0, 0);
    }

    fn shorten(&mut self, front: usize, back: usize) {
        let Previous { front: front_jobs, back: back_jobs, fixed, .. } = self;
        for job in front_jobs.drain(front..).chain(back_jobs.drain(back..)) {
            fixed[job as usize] = false;
        }
    }

    /// Reads a node; None where it makes no sense.
    fn next(&mut self, reader: &mut Reader<'_>, instance: &Instance) -> Option<Open> {
        let difference = unzigzag(reader.number()?);
        self.bound = u32::try_from(i64::from(self.bound) + difference).ok()?;
        let mut counts = [0; 4];
        for count in &mut counts {
            *count = usize::try_from(reader.number()?).ok()?;
        }
        let [same_front, new_front, same_back, new_back] = counts;
        if same_front > self.front.len() || same_back > self.back.len() {
            return None;
        }
        self.shorten(same_front, same_back);
        for (count, list) in [(new_front, &mut self.front), (new_back, &mut self.back)] {
            for _ in 0..count {
                let job = u32::try_from(reader.number()?).ok()?;
                let fixed = self.fixed.get_mut(job as usize).filter(|fixed| !**fixed)?;
                *fixed = true;
                list.push(job);
            }
        }
        if self.front.len() + self.back.len() >= instance.jobs() || !self.front.starts_with(instance.pinned())
        {
            return None;
        }
        let jobs: Vec<u32> = self.front.iter().chain(self.back.iter().rev()).copied().collect();
        Some(Open { bound: self.bound, front: self.front.len() as u32, fixed: jobs.into() })
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

    fn node(bound: u32, front: u32, fixed: &[u32]) -> Open {
        Open { bound, front, fixed: fixed.to_vec().into() }
    }

    fn checkpoint() -> Checkpoint<'static> {
        let order = vec![1, 0, 3, 2];
        let makespan = Permutation::new(order.clone()).makespan(&instance()).unwrap() as u32;
        Checkpoint {
            limit: makespan,
            branching_limit: makespan + 7,
            best: Best { makespan, order },
            counts: Counts { nodes: 1 << 40, bounds: 99 },
            open: vec![node(12, 1, &[1, 2]), node(11, 0, &[]), node(300, 1, &[1, 3]), node(9, 1, &[1, 2, 3])]
                .into(),
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
    fn many_nodes_are_written_in_blocks() {
        let several = |number: u32| node(number, number % 3, &[3, 1, 2][..(number % 4) as usize / 2 + 1]);
        let open: Vec<Open> = (0..2 * BLOCK_NODES as u32 + 5).map(several).collect();
        let open = open.into_iter().filter(|node| node.front as usize <= node.fixed.len());
        let many = Checkpoint { open: open.collect(), ..checkpoint() };
        assert!(many.open.len() > BLOCK_NODES);
        assert_eq!(Checkpoint::from_bytes(&instance(), &many.to_bytes(&instance())).unwrap(), many);
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
        newer[8] = 3;
        assert_eq!(reason(&instance(), &newer), "has a version that this library does not know");
    }

    #[test]
    fn nodes_that_make_no_sense_are_refused() {
        for (front, fixed) in [(1, &[4][..]), (1, &[1, 1]), (0, &[0, 1, 2, 3])] {
            let open = vec![node(1, front, fixed)].into();
            let bytes = Checkpoint { open, ..checkpoint() }.to_bytes(&instance());
            assert_eq!(Checkpoint::from_bytes(&instance(), &bytes).unwrap_err(), "is damaged");
        }
    }
}
