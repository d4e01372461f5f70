//! The layout of nodes and tables in a device's memory; cl/flow_shop_bounds.cl describes the
//! kernels' side.

use std::sync::Arc;

use crate::context::wrong;
use crate::flow_shop::Instance;
use crate::flow_shop::exact::node::{Jobs, Open};
use crate::flow_shop::permutation::is_permutation;
use crate::memory::{Gather, Grow};
use crate::opencl::Device;
use crate::{Error, Result};

/// The layout of node records. They hold only jobs that are not pinned, numbered from 0 in
/// ascending order.
#[derive(Debug, Clone)]
pub(in crate::flow_shop::exact) struct Layout {
    /// Jobs that are not pinned; the position in the list is the job's number on the device.
    jobs: Vec<u32>,
    /// Words before the tail, which hold the state of the objective.
    state_words: usize,
    /// Words of a quad, the unit of copying.
    quad_words: usize,
    /// Whether job numbers take 16 bits instead of 8.
    pub(in crate::flow_shop::exact) long_numbers: bool,
}

impl Layout {
    /// Records whose states have `state_words` words, whole quads of `quad_words`.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`] for more jobs than the kernels number.
    pub(in crate::flow_shop::exact) fn new(
        instance: &Instance,
        state_words: usize,
        quad_words: usize,
    ) -> Result<Self> {
        let jobs = instance.free_jobs();
        // 65535 marks a missing child.
        if jobs.len() >= usize::from(u16::MAX) {
            return Err(too_large(instance));
        }
        Ok(Layout { long_numbers: jobs.len() > 256, jobs, state_words, quad_words })
    }

    /// Number of jobs that are not pinned.
    pub(in crate::flow_shop::exact) fn jobs(&self) -> usize {
        self.jobs.len()
    }

    /// The jobs that are not pinned, by their number on the device.
    pub(in crate::flow_shop::exact) fn job_list(&self) -> &[u32] {
        &self.jobs
    }

    /// Words of a quad, the unit of copying.
    pub(in crate::flow_shop::exact) fn quad_words(&self) -> usize {
        self.quad_words
    }

    /// Words of a record, rounded up to quads.
    pub(in crate::flow_shop::exact) fn record_words(&self) -> usize {
        let number_bytes = if self.long_numbers { 2 } else { 1 };
        (self.state_words + 2 + (self.jobs() * number_bytes).div_ceil(4))
            .next_multiple_of(self.quad_words)
    }

    /// Words of a record in a tile. Rows start in different banks of local memory.
    pub(in crate::flow_shop::exact) fn tile_row_words(&self) -> usize {
        ((self.record_words() / self.quad_words()) | 1) * self.quad_words()
    }

    /// Words of a record's state.
    #[cfg(test)]
    pub(in crate::flow_shop::exact) fn state_words(&self) -> usize {
        self.state_words
    }

    /// Words of a record after its state: the node's fixed jobs, its bound and its sequence. They
    /// suffice to restore the state.
    pub(super) fn tail_words(&self) -> usize {
        self.record_words() - self.state_words
    }

    /// The ends of some records.
    pub(super) fn tails(&self, records: &[u32]) -> Vec<u32> {
        records
            .chunks_exact(self.record_words())
            .flat_map(|record| self.tail(record))
            .copied()
            .collect()
    }

    /// Exchanges two jobs in a record's sequence.
    pub(super) fn exchange(&self, record: &mut [u32], one: usize, other: usize) {
        let words = &mut record[self.state_words + 2..];
        let (bits, in_word, _) = self.packing();
        let shift = |place: usize| place % in_word * bits;
        let difference = self.number_at(words, one) ^ self.number_at(words, other);
        words[one / in_word] ^= difference << shift(one);
        words[other / in_word] ^= difference << shift(other);
    }

    /// Whether the end of a record describes a possible node: it has open jobs and contains every
    /// job once.
    fn makes_sense(&self, tail: &[u32]) -> bool {
        let fixed = u64::from(tail[0] & 0xffff) + u64::from(tail[0] >> 16);
        let numbers = (0..self.jobs()).map(|place| self.number_at(&tail[2..], place));
        fixed < self.jobs() as u64 && is_permutation(numbers, self.jobs())
    }

    /// Decodes nodes from the ends of their records.
    ///
    /// # Errors
    /// [`Error::DeviceWrong`] if one describes no possible node.
    pub(super) fn decode(&self, instance: &Instance, tails: &[u32]) -> Result<Vec<Open>> {
        if !tails.chunks_exact(self.tail_words()).all(|tail| self.makes_sense(tail)) {
            return Err(wrong("an impossible node"));
        }
        let pinned = instance.pinned();
        let mut jobs = Vec::new();
        let tails = tails.chunks_exact(self.tail_words());
        let ends = |tail: &[u32]| ((tail[0] & 0xffff) as usize, (tail[0] >> 16) as usize);
        for tail in tails.clone() {
            let (front, back) = ends(tail);
            let places = (0..front).chain(self.jobs() - back..self.jobs());
            jobs.try_extend(pinned.iter().copied())?;
            jobs.try_extend(places.map(|place| self.job_at(&tail[2..], place)))?;
        }
        let jobs = Arc::new(jobs);
        let mut start = 0;
        let node = |tail: &[u32]| {
            let (front, back) = ends(tail);
            let fixed = Jobs::part(&jobs, start, pinned.len() + front + back);
            start += fixed.len();
            Open { bound: tail[1], front: (pinned.len() + front) as u32, fixed }
        };
        tails.map(node).gather()
    }

    /// The end of a record, which [`Layout::decode`] reads.
    pub(super) fn tail<'r>(&self, record: &'r [u32]) -> &'r [u32] {
        &record[self.state_words..]
    }

    /// A record's bound.
    pub(super) fn bound(&self, record: &[u32]) -> u32 {
        self.tail(record)[1]
    }

    /// A record's digest, as the kernels compute it, so that records can be compared without
    /// copying them. Any single wrong word changes it.
    pub(super) fn digest(record: &[u32]) -> u32 {
        record
            .iter()
            .fold(0, |digest: u32, word| (digest ^ word).rotate_left(7).wrapping_mul(0x9e37_79b1))
    }

    /// A record with its open jobs sorted, since their order is arbitrary.
    pub(super) fn in_order(&self, record: &[u32]) -> Vec<u32> {
        let (head, packed) = record.split_at(self.state_words + 2);
        let ends = head[head.len() - 2];
        let mut numbers: Vec<u32> =
            (0..self.jobs()).map(|place| self.number_at(packed, place)).collect();
        let back = self.jobs().saturating_sub((ends >> 16) as usize);
        if let Some(open) = numbers.get_mut((ends & 0xffff) as usize..back) {
            open.sort_unstable();
        }
        [head, &numbers].concat()
    }

    /// The jobs with these device numbers; None if a number is out of range.
    pub(super) fn jobs_of(&self, numbers: &[u32]) -> Option<Vec<u32>> {
        numbers.iter().map(|&number| self.jobs.get(number as usize).copied()).collect()
    }

    /// The job whose number is at this position of the packed words.
    pub(super) fn job_at(&self, words: &[u32], place: usize) -> u32 {
        self.jobs[self.number_at(words, place) as usize]
    }

    fn number_at(&self, words: &[u32], place: usize) -> u32 {
        let (bits, in_word, mask) = self.packing();
        words[place / in_word] >> (place % in_word * bits) & mask
    }

    /// Bits of a job number, numbers per word, and a mask for one number.
    pub(super) fn packing(&self) -> (usize, usize, u32) {
        if self.long_numbers { (16, 2, 0xffff) } else { (8, 4, 0xff) }
    }
}

/// Local memory reserved for the kernels' own declarations.
pub(in crate::flow_shop::exact) const RESERVED_BYTES: usize = 256;

/// The error for a device whose groups have too little memory.
pub(in crate::flow_shop::exact) fn does_not_fit(device: &Device, what: &str) -> Box<Error> {
    let info = device.info();
    Error::device_failed(format!(
        "{what} does not fit into the {} bytes of a work-group on {}",
        info.group_memory_bytes(),
        info.name
    ))
}

/// The error for an instance beyond the kernels' numbers.
pub(in crate::flow_shop::exact) fn too_large(instance: &Instance) -> Box<Error> {
    let (jobs, machines) = (instance.free_jobs().len(), instance.machines());
    let reason =
        format!("branch and bound of {jobs} jobs on {machines} machines: too large for a device");
    Error::device_failed(reason)
}
