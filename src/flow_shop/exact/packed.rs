//! Nodes as the device has them: words of 32 bits, explained in cl/flow_shop_tree.cl.

use super::node::{End, Open, State};
use super::problem::Problem;
use crate::flow_shop::Instance;
use crate::flow_shop::instance::check_distinct;
use crate::{Error, Result};

/// The words of a node.
pub(super) type Packed = Vec<u32>;

/// Where the parts of a node stand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    machines: usize,
    pinned: usize,
    /// Free jobs of the root.
    pub(super) free_jobs: usize,
    /// Whether bounds need more than 16 bits.
    pub(super) is_wide: bool,
    /// Bits of a job in the order: 8 or 16, the highest for its end.
    pub(super) order_bits: u32,
}

impl Layout {
    /// The layout for the nodes of a problem with at least two free jobs.
    pub(super) fn of(problem: &Problem<'_>) -> Result<Self> {
        let instance = problem.instance;
        let order_bits = match instance.jobs() {
            0..=0x80 => 8,
            0x81..=0x8000 => 16,
            jobs => return Err(Error::Unsupported(format!("{jobs} jobs on a device, the most is 32768"))),
        };
        Ok(Layout {
            machines: instance.machines(),
            pinned: problem.pinned(),
            free_jobs: problem.root.free_count,
            is_wide: instance.horizon() > u32::from(u16::MAX),
            order_bits,
        })
    }

    /// Levels of nodes, from two free jobs up to all.
    pub(super) fn levels(&self) -> usize {
        self.free_jobs - 1
    }

    /// Words of a node.
    pub(super) fn words(&self) -> usize {
        1 + self.order_words() + 3 * self.row_words()
    }

    /// Words from one job's times to the next: odd.
    pub(super) fn times_stride(&self) -> usize {
        self.row_words() | 1
    }

    fn order_words(&self) -> usize {
        self.free_jobs.div_ceil(self.per_word())
    }

    fn per_word(&self) -> usize {
        (32 / self.order_bits) as usize
    }

    fn row_words(&self) -> usize {
        if self.is_wide { self.machines } else { self.machines.div_ceil(2) }
    }

    fn back_bit(&self) -> u32 {
        1 << (self.order_bits - 1)
    }

    /// The processing times of all jobs.
    pub(super) fn times(&self, instance: &Instance) -> Vec<u32> {
        let mut words = Vec::with_capacity(instance.jobs() * self.times_stride());
        for job in 0..instance.jobs() as u32 {
            self.push_row(&mut words, instance.job(job));
            words.resize((job as usize + 1) * self.times_stride(), 0);
        }
        words
    }

    fn push_row(&self, words: &mut Vec<u32>, row: &[u32]) {
        if self.is_wide {
            words.extend_from_slice(row);
        } else {
            words.extend(row.chunks(2).map(|pair| pair[0] | pair.get(1).copied().unwrap_or(0) << 16));
        }
    }

    /// The words of a node with at least two free jobs.
    pub(super) fn pack(&self, problem: &Problem<'_>, node: &Open, state: &State) -> Packed {
        // Any order of fixing that has each end's jobs in their sequence from the outside will do.
        let front = node.front_jobs()[self.pinned..].iter().copied();
        let back = node.back_jobs().iter().rev().map(|job| job | self.back_bit());
        let mut order: Vec<u32> = front.chain(back).collect();
        order.reverse();
        let order: Vec<u32> = state.free_jobs().chain(order).collect();
        debug_assert_eq!(order.len(), problem.root.free_count);
        let mut words = Vec::with_capacity(self.words());
        words.push(node.bound);
        let join = |jobs: &[u32]| jobs.iter().rev().fold(0, |word, job| word << self.order_bits | job);
        words.extend(order.chunks(self.per_word()).map(join));
        for row in [&state.front, &state.back, &state.remaining] {
            self.push_row(&mut words, row);
        }
        words
    }

    /// The node of these words, if they make one.
    pub(super) fn unpack(&self, instance: &Instance, words: &[u32], free: usize) -> Option<Open> {
        let mask = (1u64 << self.order_bits) as u32 - 1;
        let per_word = self.per_word();
        let at = |position: usize| {
            words[1 + position / per_word] >> (position % per_word * self.order_bits as usize) & mask
        };
        let order: Vec<u32> = (0..self.free_jobs).map(at).collect();
        let (front, back) = self.ends(instance, &order[free..])?;
        let fixed = [&front[..], &back].concat().into();
        Some(Open { bound: words[0], front: front.len() as u32, fixed })
    }

    /// The complete sequence of an order whose first job was left last.
    pub(super) fn sequence(&self, instance: &Instance, order: &[u32]) -> Option<Vec<u32>> {
        let (front, back) = self.ends(instance, &order[1..])?;
        let order = [&front[..], &order[..1], &back].concat();
        check_distinct("order", &order, instance.jobs()).ok().map(|()| order)
    }

    /// The jobs at the front, with the pinned ones, and at the back, of those fixed from the last to the first.
    fn ends(&self, instance: &Instance, fixed: &[u32]) -> Option<(Vec<u32>, Vec<u32>)> {
        let mut front = instance.pinned().to_vec();
        let mut back = Vec::new();
        for &entry in fixed.iter().rev() {
            let job = entry & !self.back_bit();
            let end = if entry & self.back_bit() == 0 { End::Front } else { End::Back };
            match end {
                End::Front => front.push(job),
                End::Back => back.push(job),
            }
        }
        back.reverse();
        let all = [&front[..], &back].concat();
        check_distinct("order", &all, instance.jobs()).ok()?;
        Some((front, back))
    }
}
