//! The layout of nodes and tables in a device's memory; cl/flow_shop_bounds.cl describes the
//! kernels' side.

use std::sync::Arc;

use crate::context::wrong;
use crate::flow_shop::exact::node::{Jobs, Open, State};
use crate::flow_shop::exact::pairs::Pairs;
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::permutation::is_permutation;
use crate::memory::{Gather, Grow};
use crate::{Error, Result};

/// The layout of node records. They hold only jobs that are not pinned, numbered from 0 in
/// ascending order.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// Jobs that are not pinned; the position in the list is the job's number on the device.
    jobs: Vec<u32>,
    machines: usize,
    /// Whether times take 32 bits instead of 16.
    pub(super) wide: bool,
    /// Whether job numbers take 16 bits instead of 8.
    pub(super) long_numbers: bool,
}

impl Layout {
    pub(super) fn new(problem: &Problem<'_>) -> Result<Self> {
        let instance = problem.instance;
        let (jobs, machines) = (instance.free_jobs(), instance.machines());
        // 65535 marks a missing child, and pairs of machines are pairs of bytes.
        if jobs.len() >= usize::from(u16::MAX) || machines > usize::from(u8::MAX) {
            let reason = format!(
                "branch and bound of {} jobs on {machines} machines: too large for a device",
                jobs.len()
            );
            return Err(Error::device_failed(reason));
        }
        let wide = instance.horizon() > u32::from(u16::MAX);
        Ok(Layout { long_numbers: jobs.len() > 256, jobs, machines, wide })
    }

    /// Number of jobs that are not pinned.
    pub(super) fn jobs(&self) -> usize {
        self.jobs.len()
    }

    pub(super) fn machines(&self) -> usize {
        self.machines
    }

    /// Words of one pair of times.
    pub(super) fn pair_words(&self) -> usize {
        if self.wide { 2 } else { 1 }
    }

    /// Words of a row, which has one pair of times per machine.
    pub(super) fn row_words(&self) -> usize {
        self.machines.next_multiple_of(4) * self.pair_words()
    }

    /// Words of a quad, four pairs of times: the unit of copying.
    pub(super) fn quad_words(&self) -> usize {
        4 * self.pair_words()
    }

    /// Words of a record, rounded up to quads.
    pub(super) fn record_words(&self) -> usize {
        let number_bytes = if self.long_numbers { 2 } else { 1 };
        (2 * self.row_words() + 2 + (self.jobs() * number_bytes).div_ceil(4))
            .next_multiple_of(self.quad_words())
    }

    /// Words of a record after its rows: the node's fixed jobs, its bound and its sequence. They
    /// suffice to restore the rows.
    pub(super) fn tail_words(&self) -> usize {
        self.record_words() - 2 * self.row_words()
    }

    /// The times of all jobs, as rows of pairs.
    pub(super) fn times(&self, problem: &Problem<'_>) -> Vec<u32> {
        let mut words = Vec::with_capacity(self.jobs() * self.row_words());
        for &job in &self.jobs {
            let times = problem.instance.job(job);
            self.push_row(&mut words, times, times);
        }
        words
    }

    /// Johnson's orders, step by step; within a step, pairs of machines are adjacent.
    pub(super) fn orders(&self, pairs: &Pairs) -> Vec<u32> {
        let mut number_of = vec![None; self.jobs.last().map_or(0, |&last| last as usize + 1)];
        (0..)
            .zip(&self.jobs)
            .for_each(|(number, &job): (u32, _)| number_of[job as usize] = Some(number));
        let number_of = |job: u32| number_of.get(job as usize).copied().flatten();
        let columns: Vec<Vec<_>> = pairs
            .list
            .iter()
            .map(|pair| {
                pair.steps
                    .iter()
                    .filter_map(|step| Some((number_of(step.job)?, step.map)))
                    .collect()
            })
            .collect();
        let mut words =
            Vec::with_capacity(self.jobs() * columns.len() * if self.wide { 4 } else { 2 });
        for place in 0..self.jobs() {
            for column in &columns {
                let (number, map) = column[place];
                let (add, least) = (map.add as u32, map.least as u32);
                match self.wide {
                    true => words.extend([number, add, least, 0]),
                    false => words.extend([number | least << 16, add]),
                }
            }
        }
        words
    }

    /// The two machines of each pair.
    pub(super) fn machine_pairs(&self, pairs: &Pairs) -> Vec<u8> {
        pairs.list.iter().flat_map(|pair| [pair.first as u8, pair.second as u8]).collect()
    }

    /// Appends the record of a node.
    pub(super) fn encode(&self, problem: &Problem<'_>, node: &Open, records: &mut Vec<u32>) {
        let state = State::of(problem, node);
        let end = records.len() + self.record_words();
        records.extend(self.head(problem, &state, node.front, node.bound));
        let front = &node.front_jobs()[problem.pinned()..];
        let number = |job: u32| self.jobs.binary_search(&job).map_or(0, |number| number as u32);
        let open = state.free_jobs();
        let sequence =
            front.iter().copied().chain(open).chain(node.back_jobs().iter().copied()).map(number);
        let (bits, in_word, _) = self.packing();
        for (position, number) in sequence.enumerate() {
            let shift = position % in_word * bits;
            match records.last_mut() {
                Some(word) if shift > 0 => *word |= number << shift,
                _ => records.push(number),
            }
        }
        records.resize(end, 0);
    }

    /// The words before the sequence in the record of a node with `front` jobs at the front.
    pub(super) fn head(
        &self,
        problem: &Problem<'_>,
        state: &State,
        front: u32,
        bound: u32,
    ) -> Vec<u32> {
        let mut words = Vec::with_capacity(self.record_words());
        let sum = |a: &[u32]| -> Vec<u32> {
            a.iter().zip(&state.remaining).map(|(a, b)| a + b).collect()
        };
        self.push_row(&mut words, &state.front, &state.back);
        self.push_row(&mut words, &sum(&state.back), &sum(&state.front));
        let front = front - problem.pinned() as u32;
        let back = (self.jobs() - state.free_count) as u32 - front;
        words.extend([front | back << 16, bound]);
        words
    }

    /// Exchanges two jobs in a record's sequence.
    pub(super) fn exchange(&self, record: &mut [u32], one: usize, other: usize) {
        let words = &mut record[2 * self.row_words() + 2..];
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
    pub(super) fn decode(&self, problem: &Problem<'_>, tails: &[u32]) -> Result<Vec<Open>> {
        if !tails.chunks_exact(self.tail_words()).all(|tail| self.makes_sense(tail)) {
            return Err(wrong("an impossible node"));
        }
        let pinned = problem.instance.pinned();
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
        &record[2 * self.row_words()..]
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
        let (head, packed) = record.split_at(2 * self.row_words() + 2);
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
    fn packing(&self) -> (usize, usize, u32) {
        if self.long_numbers { (16, 2, 0xffff) } else { (8, 4, 0xff) }
    }

    /// Appends a row of pairs: the first list forwards with the second list backwards.
    fn push_row(&self, words: &mut Vec<u32>, first: &[u32], second: &[u32]) {
        let end = words.len() + self.row_words();
        for (&first, &second) in first.iter().zip(second.iter().rev()) {
            match self.wide {
                true => words.extend([first, second]),
                false => words.push(first | second << 16),
            }
        }
        words.resize(end, 0);
    }
}
