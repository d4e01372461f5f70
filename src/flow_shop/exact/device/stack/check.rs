//! Spot checks of a device's stack: all summaries of a round, parts of copied memory, and some
//! nodes noted for the host to decompose again.

use std::ops::Range;
use std::time::Instant;

use super::super::kernels::{STATE_WORDS, Sample};
use super::replay::{Checked, Run};
use super::{SUMMARY_WORDS, Stack};
use crate::Result;
use crate::context::{sample, wrong};

/// Bounds of the results to check in one round: at most this many, so that the first rounds don't
/// use up the quota, and at least this many, since the device waits for each check.
const MOST_OF_ROUND: u64 = 80_000;
const LEAST_OF_ROUND: u64 = 4_000;
/// About the number of children of a node that stay open.
const OPEN_CHILDREN: usize = 4;
/// Words of copied records to compare at once.
const COPIED_WORDS: usize = 40_000;

impl Stack<'_> {
    /// Runs one round, checks its totals over all groups, and notes some groups for a later check.
    pub(super) fn noted_round(&mut self) -> Result<Vec<Run>> {
        let wanted = self.checks.quota().clamp(LEAST_OF_ROUND, MOST_OF_ROUND) as usize;
        let tile = self.tables.tile_nodes();
        let groups = self.position.batch.div_ceil(tile);
        let before = self.totals()?;
        // About half of the jobs of a node are free.
        let results = tile * (self.layout().jobs() / 2 + OPEN_CHILDREN);
        let chosen = sample(self.checks.random(), groups, (wanted / results).max(1));
        let nodes: Vec<_> = chosen.iter().map(|groups| self.nodes_of(groups)).collect();
        let nodes = self.samples(&nodes, self.layout().tail_words())?;
        self.launch(1)?;
        self.queue.finish()?;
        let start = Instant::now();
        let mut summaries = vec![0; groups * SUMMARY_WORDS];
        self.queue.read(&self.summaries, 0, &mut summaries)?;
        let summaries = summaries.as_chunks::<SUMMARY_WORDS>().0;
        let offsets = self.check_advance(summaries, before)?;
        let base = self.position.nodes - self.position.batch;
        let children: Vec<_> = chosen
            .iter()
            .map(|groups| base + offsets[groups.start]..base + offsets[groups.end])
            .collect();
        let children = self.samples(&children, 0)?;
        let incumbent = self.position.incumbent;
        let run = |((groups, nodes), children): ((Range<usize>, _), _)| {
            let summaries = summaries[groups.clone()].to_vec();
            Run { first: groups.start * tile, incumbent, nodes, summaries, children }
        };
        let runs: Vec<Run> = chosen.into_iter().zip(nodes).zip(children).map(run).collect();
        self.checks.add_later(runs.iter().map(Run::results).sum(), start);
        Ok(runs)
    }

    /// Records a check of noted runs that has ended.
    pub(in super::super) fn checked(&mut self, checked: Checked) {
        self.checks.finished(checked.results, checked.time);
    }

    /// The stack positions of the groups' nodes before the round.
    fn nodes_of(&self, groups: &Range<usize>) -> Range<usize> {
        let (base, tile) = (self.position.nodes - self.position.batch, self.tables.tile_nodes());
        base + groups.start * tile..base + (groups.end * tile).min(self.position.batch)
    }

    /// The digest and the last `words` words of each record in some ranges of the stack. The kernel
    /// gathers them in memory that rounds use only while they run.
    fn samples(&self, ranges: &[Range<usize>], words: usize) -> Result<Vec<Vec<u32>>> {
        let group = self.tables.group().min(self.sample.max_work_group_size());
        let mut to = 0;
        for range in ranges {
            let arguments = Sample {
                stack: &self.nodes,
                record_words: self.layout().record_words() as u32,
                words: words as u32,
                first: range.start as u32,
                count: range.len() as u32,
                to: to as u32,
                samples: &self.listed,
            };
            self.queue.launch(
                &self.sample,
                &arguments,
                [range.len().next_multiple_of(group)],
                [group],
            )?;
            to += range.len();
        }
        let mut samples = vec![0; to * (1 + words)];
        self.queue.read(&self.listed, 0, &mut samples)?;
        let mut left = samples.into_iter();
        Ok(ranges
            .iter()
            .map(|range| left.by_ref().take(range.len() * (1 + words)).collect())
            .collect())
    }

    /// The stack's records at these positions.
    pub(super) fn records(&self, places: Range<usize>) -> Result<Vec<u32>> {
        let words = self.layout().record_words();
        let mut records = vec![0; places.len() * words];
        self.queue.read(&self.nodes, places.start * words, &mut records)?;
        Ok(records)
    }

    /// Recomputes the device's results from the groups' summaries. Returns where the children of
    /// each group lie.
    fn check_advance(
        &self,
        summaries: &[[u32; SUMMARY_WORDS]],
        before: [u64; 2],
    ) -> Result<Vec<usize>> {
        let mut offsets = vec![0; summaries.len() + 1];
        self.queue.read(&self.offsets, 0, &mut offsets)?;
        let mut state = [0; STATE_WORDS];
        self.queue.read(&self.state, 0, &mut state)?;
        let sum =
            |word: usize| summaries.iter().map(|summary| u64::from(summary[word])).sum::<u64>();
        let base = self.position.nodes - self.position.batch;
        let top = base as u64 + sum(0);
        if top > self.capacity as u64 {
            return Err(wrong("the number of a round's children"));
        }
        let top = top as usize;
        let mut next = 0;
        let in_turn = summaries.iter().zip(&offsets).all(|(summary, &offset)| {
            let fits = offset == next;
            next += summary[0];
            fits
        });
        let batch = self.batch_of(top);
        let least = summaries.iter().map(|summary| summary[3]).min().unwrap_or(u32::MAX);
        let (known, groups) = (self.position.incumbent, summaries.len());
        let improved = u32::from(least < known);
        let expected = [
            (top - batch) as u32,
            batch as u32,
            least.min(known),
            improved,
            base as u32,
            groups as u32,
        ];
        let totals = [before[0] + sum(1), before[1] + sum(2)];
        if !in_turn || offsets[groups] != next || state != expected || self.totals()? != totals {
            return Err(wrong("the places of a round's children"));
        }
        Ok(offsets.into_iter().map(|offset| offset as usize).collect())
    }

    /// Some stack positions, whose records are compared after copying.
    fn some_places(&mut self, places: Range<usize>) -> Vec<Range<usize>> {
        let wanted = COPIED_WORDS / self.layout().record_words();
        let runs = sample(self.checks.random(), places.len(), wanted).into_iter();
        runs.map(|run| places.start + run.start..places.start + run.end).collect()
    }

    /// Moves the records from index `count` on to the bottom, and compares some with the originals.
    pub(super) fn checked_shift(&mut self, count: usize) -> Result<()> {
        let places = self.some_places(count..self.position.nodes);
        let before = self.records_at(&places)?;
        self.shift_down(count)?;
        let moved: Vec<_> =
            places.into_iter().map(|run| run.start - count..run.end - count).collect();
        if self.records_at(&moved)? == before {
            Ok(())
        } else {
            Err(wrong("records that were moved"))
        }
    }

    /// Compares some of the gathered record ends with the records.
    pub(super) fn check_tails(&mut self, tails: &[u32]) -> Result<()> {
        let places = self.some_places(0..self.position.nodes);
        let (records, layout) = (self.records_at(&places)?, self.layout());
        let given = places.into_iter().flatten().map(|place| &tails[place * layout.tail_words()..]);
        let agree = |(record, tail): (&[u32], &[u32])| tail.starts_with(layout.tail(record));
        let all = records.chunks_exact(layout.record_words()).zip(given).all(agree);
        if all { Ok(()) } else { Err(wrong("open nodes")) }
    }

    fn records_at(&self, places: &[Range<usize>]) -> Result<Vec<u32>> {
        let parts: Result<Vec<_>> = places.iter().map(|run| self.records(run.clone())).collect();
        Ok(parts?.concat())
    }
}
