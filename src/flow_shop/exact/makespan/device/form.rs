//! The layout of the makespan's states and tables in a device's memory; cl/flow_shop_bounds.cl
//! describes the kernels' side.

use crate::Result;
use crate::flow_shop::Instance;
use crate::flow_shop::exact::device::{Layout, too_large};
use crate::flow_shop::exact::makespan::pairs::Pairs;
use crate::flow_shop::exact::makespan::state::State;

/// Rows with a pair of times for each machine, and the records that begin with two of them.
#[derive(Debug, Clone)]
pub(super) struct Form {
    machines: usize,
    /// Whether times take 32 bits instead of 16.
    pub(super) wide: bool,
}

impl Form {
    pub(super) fn of(instance: &Instance) -> Self {
        let wide = instance.horizon() > u32::from(u16::MAX);
        Form { machines: instance.machines(), wide }
    }

    /// The layout of records.
    ///
    /// # Errors
    /// [`Error::DeviceFailed`](crate::Error::DeviceFailed) for more jobs or machines than the
    /// kernels number.
    pub(super) fn layout(&self, instance: &Instance) -> Result<Layout> {
        // Pairs of machines are pairs of bytes.
        if self.machines > usize::from(u8::MAX) {
            return Err(too_large(instance));
        }
        Layout::new(instance, 2 * self.row_words(), self.quad_words())
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

    /// Appends a state: the rows of its ends, and what remains with the other end.
    pub(super) fn push_state(&self, state: &State, words: &mut Vec<u32>) {
        let sum = |a: &[u32]| -> Vec<u32> {
            a.iter().zip(&state.remaining).map(|(a, b)| a + b).collect()
        };
        self.push_row(words, &state.front, &state.back);
        self.push_row(words, &sum(&state.back), &sum(&state.front));
    }

    /// The times of all jobs, as rows of pairs.
    pub(super) fn times(&self, instance: &Instance, layout: &Layout) -> Vec<u32> {
        let mut words = Vec::with_capacity(layout.jobs() * self.row_words());
        for &job in layout.job_list() {
            let times = instance.job(job);
            self.push_row(&mut words, times, times);
        }
        words
    }

    /// Johnson's orders, step by step; within a step, pairs of machines are adjacent.
    pub(super) fn orders(&self, pairs: &Pairs<'_>, layout: &Layout) -> Vec<u32> {
        let jobs = layout.job_list();
        let mut number_of = vec![None; jobs.last().map_or(0, |&last| last as usize + 1)];
        (0..).zip(jobs).for_each(|(number, &job): (u32, _)| number_of[job as usize] = Some(number));
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
            Vec::with_capacity(jobs.len() * columns.len() * if self.wide { 4 } else { 2 });
        for place in 0..jobs.len() {
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
    pub(super) fn machine_pairs(&self, pairs: &Pairs<'_>) -> Vec<u8> {
        pairs.list.iter().flat_map(|pair| [pair.first as u8, pair.second as u8]).collect()
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
