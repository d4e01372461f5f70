//! A checkpoint: the file of a search under way. It holds the open nodes, the best sequence and the
//! counts, so that a later run can complete the same proof, also on another engine.
//!
//! All numbers are little-endian: the magic, the version, the digest of instance and objective;
//! limit, branching limit, value (u32); 1 if a device took part, else 0 (u32); nodes, bounds (u64);
//! the best sequence (u32 each); the number of open nodes (u64) and the nodes; at the end the
//! SHA-256 digest of everything before.
//!
//! A node is stored as its difference from the previous one, since siblings are neighbours and
//! differ in one job: the difference of the bounds; the number of first jobs in common, and the
//! number of further jobs at the front; the same from the last job backwards; and the further jobs.
//! Such a number has seven bits per byte, lowest first, and a bit that says that more bytes follow.
//! The sign of the difference is its lowest bit. The first node of each block is stored in full, so
//! that threads can write blocks in parallel.

use std::borrow::Cow;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::Counts;
use super::node::Open;
use super::objective::Objective;
use crate::atomic_file::{self, Readers};
use crate::error::shown;
use crate::flow_shop::Instance;
use crate::flow_shop::incumbent::Best;
use crate::solve::Monitor;
use crate::{Error, Result, memory, parallel};

/// The file of a search.
const FILE: Form<'_> = Form {
    magic: b"mksfsbb\n",
    version: 3,
    no_such: "is no checkpoint of a flow shop's search",
    own_bytes: 0,
};
const DIGEST_BYTES: usize = 32;
const BLOCK_NODES: usize = 1 << 14;
/// Bytes before the best sequence and the nodes, without the form's own: magic, version, digest,
/// four numbers, two counts and the number of nodes.
const HEADER_BYTES: usize = 8 + 4 + DIGEST_BYTES + 4 * 4 + 3 * 8;
/// Most bytes of one number of a node.
const MOST_NUMBER_BYTES: usize = 10;
/// More than any search has done. A file that claims more is forged. With counts below this, no sum
/// overflows 64 bits.
pub(super) const MOST_DONE: u64 = 1 << 62;

/// Identifies an instance with an objective, or options.
pub(super) type FileDigest = [u8; DIGEST_BYTES];

/// A kind of bytes that hold a search.
pub(super) struct Form<'f> {
    pub(super) magic: &'f [u8; 8],
    pub(super) version: u32,
    /// What is said of bytes with another magic.
    pub(super) no_such: &'static str,
    /// Bytes of the form's own between the version and the digest.
    pub(super) own_bytes: usize,
}

/// A search between two slices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Checkpoint<'n> {
    /// Sequences of values below this are below the open nodes only.
    pub(super) limit: u32,
    /// The limit that counts as closing in the choice of the end.
    pub(super) branching_limit: u32,
    pub(super) best: Best,
    pub(super) counts: Counts,
    /// Whether a device took part: if a device turns out to be wrong, the file is not trusted
    /// either.
    pub(super) by_device: bool,
    pub(super) open: Cow<'n, [Open]>,
}

impl Checkpoint<'_> {
    /// Replaces the file atomically. Runs on rayon's current pool.
    pub(super) fn write<O: Objective>(&self, instance: &Instance, path: &Path) -> Result<()> {
        atomic_file::write(path, Readers::Usual, &self.to_bytes::<O>(instance)?)
            .map_err(|source| Error::io(path, source))
    }

    fn to_bytes<O: Objective>(&self, instance: &Instance) -> Result<Vec<u8>> {
        self.to_form(&FILE, &[], &digest::<O>(instance))
    }

    /// The search in a form, with the form's own bytes and the digest of [`digest`]. Runs on
    /// rayon's current pool.
    pub(super) fn to_form(
        &self,
        form: &Form<'_>,
        own: &[u8],
        digest: &FileDigest,
    ) -> Result<Vec<u8>> {
        let blocks = parallel::try_map(self.open.chunks(BLOCK_NODES), block)?;
        let nodes = blocks.iter().map(Vec::len).sum::<usize>();
        let content = HEADER_BYTES + own.len() + 4 * self.best.order.len() + nodes;
        let mut bytes = memory::list(content + DIGEST_BYTES)?;
        bytes.extend_from_slice(form.magic);
        bytes.extend(form.version.to_le_bytes());
        bytes.extend_from_slice(own);
        bytes.extend_from_slice(digest);
        for number in [self.limit, self.branching_limit, self.best.value, self.by_device.into()] {
            bytes.extend(number.to_le_bytes());
        }
        bytes.extend(self.counts.nodes.to_le_bytes());
        bytes.extend(self.counts.bounds.to_le_bytes());
        self.best.order.iter().for_each(|job| bytes.extend(job.to_le_bytes()));
        bytes.extend((self.open.len() as u64).to_le_bytes());
        blocks.iter().for_each(|block| bytes.extend(block));
        let sum = Sha256::digest(&bytes);
        bytes.extend(sum);
        Ok(bytes)
    }

    /// Reads the file of a search on this instance, if it exists.
    pub(super) fn read<O: Objective>(
        instance: &Instance,
        path: &Path,
        monitor: &Monitor,
    ) -> Result<Option<Checkpoint<'static>>> {
        let failed = |source| Error::io(path, source);
        let size = match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            found => found.map_err(failed)?,
        };
        let fault = |fault| match fault {
            Fault::Content(reason) => {
                Error::argument("checkpoint", format!("{} {reason}", shown(path)))
            }
            Fault::Size(required) => {
                monitor.out_of_memory(required, format!("the search kept in {}", shown(path)))
            }
        };
        if !size.is_file() {
            return Err(fault(Fault::Content("is no file")));
        }
        if !monitor.has_memory(size.len().into()) {
            return Err(fault(Fault::Size(size.len().into())));
        }
        let bytes = fs::read(path).map_err(failed)?;
        Checkpoint::from_bytes::<O>(instance, &bytes, |bytes| monitor.has_memory(bytes))
            .map(Some)
            .map_err(fault)
    }

    fn from_bytes<O: Objective>(
        instance: &Instance,
        bytes: &[u8],
        has_memory: impl FnOnce(u128) -> bool,
    ) -> Result<Checkpoint<'static>, Fault> {
        let digest = digest::<O>(instance);
        let (_, read) = Checkpoint::from_form::<O>(&FILE, &digest, instance, bytes, has_memory)?;
        Ok(read)
    }

    /// Reads a search in a form. Also returns the form's own bytes.
    pub(super) fn from_form<'b, O: Objective>(
        form: &Form<'_>,
        digest: &FileDigest,
        instance: &Instance,
        bytes: &'b [u8],
        has_memory: impl FnOnce(u128) -> bool,
    ) -> Result<(&'b [u8], Checkpoint<'static>), Fault> {
        let Some(after_magic) = bytes.strip_prefix(form.magic) else {
            return Err(Fault::Content(form.no_such));
        };
        let mut reader = Reader(after_magic);
        if reader.u32().ok_or(DAMAGED)? != form.version {
            return Err(Fault::Content("has a version that this library does not know"));
        }
        let (content, sum) =
            bytes.split_at_checked(bytes.len().saturating_sub(DIGEST_BYTES)).ok_or(DAMAGED)?;
        if Sha256::digest(content)[..] != *sum {
            return Err(DAMAGED);
        }
        let header = form.magic.len() + size_of_val(&form.version);
        reader.0 = content.get(header..).ok_or(DAMAGED)?;
        let own = reader.take(form.own_bytes).ok_or(DAMAGED)?;
        if reader.take(DIGEST_BYTES).ok_or(DAMAGED)? != digest {
            return Err(Fault::Content("belongs to another instance"));
        }
        let (search, nodes) = reader.search::<O>(instance).ok_or(DAMAGED)?;
        let required =
            u128::from(nodes) * u128::from(Open::bytes(instance.jobs())) + bytes.len() as u128;
        if !has_memory(required) {
            return Err(Fault::Size(required));
        }
        let open = Cow::Owned(reader.nodes(instance, nodes).ok_or(DAMAGED)?);
        Ok((own, Checkpoint { open, ..search }))
    }
}

/// Why a file can't be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The file does not hold a search on this instance.
    Content(&'static str),
    /// The search needs too much memory: this many bytes.
    Size(u128),
}

const DAMAGED: Fault = Fault::Content("is damaged");

/// Encodes a block of nodes.
fn block(nodes: &[Open]) -> Result<Vec<u8>> {
    let mut bytes = memory::list(8 * nodes.len())?;
    let (mut bound, mut front, mut back) = (0, &[][..], &[][..]);
    for node in nodes {
        memory::make_room(&mut bytes, MOST_NUMBER_BYTES * (5 + node.fixed.len()))?;
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
    Ok(bytes)
}

/// Length of the common beginning of two lists.
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

/// Maps numbers of small absolute value to small unsigned numbers.
fn zigzag(difference: i64) -> u64 {
    (difference << 1 ^ difference >> 63) as u64
}

/// The inverse of [`zigzag`].
fn unzigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

/// The unread part of a file.
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

    /// A number of variable length, of up to 35 bits.
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

    /// The search without its open nodes, and the number of these; None if the data are invalid.
    fn search<O: Objective>(&mut self, instance: &Instance) -> Option<(Checkpoint<'static>, u64)> {
        let [limit, branching_limit, value] = [self.u32()?, self.u32()?, self.u32()?];
        let by_device = self.u32()? != 0;
        let counts = Counts { nodes: self.u64()?, bounds: self.u64()? };
        let order: Vec<u32> = (0..instance.jobs()).map(|_| self.u32()).collect::<Option<_>>()?;
        let found = O::value(instance, &order).ok()?;
        // A device prunes by the branching limit, too.
        if found != u64::from(value)
            || branching_limit < limit
            || counts.nodes.max(counts.bounds) > MOST_DONE
        {
            return None;
        }
        let (best, open) = (Best { value, order }, Cow::default());
        Some((Checkpoint { limit, branching_limit, best, counts, by_device, open }, self.u64()?))
    }

    /// The open nodes, which must end the data; None if the data are invalid.
    fn nodes(&mut self, instance: &Instance, count: u64) -> Option<Vec<Open>> {
        let mut open = Vec::new();
        let mut previous = Previous::new(instance);
        for number in 0..count {
            if number.is_multiple_of(BLOCK_NODES as u64) {
                previous.forget();
            }
            open.push(previous.next(self, instance)?);
        }
        self.0.is_empty().then_some(open)
    }
}

/// The previous node.
struct Previous {
    bound: u32,
    front: Vec<u32>,
    /// The jobs at the back, starting with the last.
    back: Vec<u32>,
    fixed: Vec<bool>,
}

impl Previous {
    fn new(instance: &Instance) -> Self {
        Previous {
            bound: 0,
            front: Vec::new(),
            back: Vec::new(),
            fixed: vec![false; instance.jobs()],
        }
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

    /// Reads a node; None if the data are invalid.
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
        if self.front.len() + self.back.len() >= instance.jobs()
            || !self.front.starts_with(instance.pinned())
        {
            return None;
        }
        let jobs: Vec<u32> = self.front.iter().chain(self.back.iter().rev()).copied().collect();
        Some(Open { bound: self.bound, front: self.front.len() as u32, fixed: jobs.into() })
    }
}

/// Reads the fuzzer's data, both unchanged and wrapped in a file with valid digests. Writes every
/// search that was read, and reads it again.
#[cfg(any(test, fuzzing))]
pub(super) fn fuzz<O: Objective>(data: &[u8]) {
    let instance = Instance::new(5, 3, vec![3, 9, 4, 7, 2, 8, 6, 5, 1, 4, 4, 4, 9, 1, 5])
        .expect("it is valid");
    let has_memory = |bytes| bytes < 1 << 24;
    let version = FILE.version.to_le_bytes();
    let forged = [&FILE.magic[..], &version, &digest::<O>(&instance), data].concat();
    let forged = [&forged[..], &Sha256::digest(&forged)].concat();
    for bytes in [data, &forged] {
        let Ok(checkpoint) = Checkpoint::from_bytes::<O>(&instance, bytes, has_memory) else {
            continue;
        };
        assert!(checkpoint.counts.nodes.max(checkpoint.counts.bounds) <= MOST_DONE);
        let written = checkpoint.to_bytes::<O>(&instance).unwrap();
        let again = Checkpoint::from_bytes::<O>(&instance, &written, has_memory);
        assert_eq!(again.as_ref(), Ok(&checkpoint));
    }
}

/// Identifies the instance and the objective.
pub(super) fn digest<O: Objective>(instance: &Instance) -> FileDigest {
    let mut hash = Sha256::new();
    for size in [instance.jobs(), instance.machines(), instance.pinned().len()] {
        hash.update((size as u64).to_le_bytes());
    }
    for list in [instance.times(), instance.ready_times(), instance.pinned()] {
        list.iter().for_each(|number| hash.update(number.to_le_bytes()));
    }
    hash.update(O::file_tag(instance));
    hash.finalize().into()
}

#[cfg(test)]
mod tests;
