//! Spot checks of what a device does with its stack: the host computes again what became of some nodes, all that a round
//! says of its groups, and parts of what was copied.

use std::ops::Range;
use std::time::Instant;

use super::{STATE_WORDS, SUMMARY_WORDS, Stack};
use crate::context::{sample, wrong};
use crate::flow_shop::exact::device::layout::Layout;
use crate::flow_shop::exact::expand::Expander;
use crate::flow_shop::exact::node::{End, Open, State};
use crate::flow_shop::exact::pairs::Child;
use crate::flow_shop::exact::problem::Problem;
use crate::solve::Monitor;
use crate::{Context, Result, parallel};

/// Results of one round that are checked at most, so that the first rounds do not use the checks up.
const MOST_OF_ROUND: u64 = 20_000;
/// Words of copied records that are compared at once.
const COPIED_WORDS: usize = 40_000;

/// Some groups of a round: the records of their nodes before it, and of their children after it.
struct Run {
    groups: Range<usize>,
    nodes: Vec<u32>,
    children: Vec<u32>,
}

impl Stack<'_> {
    /// Runs one round and computes some of it again, if checks are due.
    pub(super) fn checked_round(
        &mut self,
        context: &Context,
        problem: &Problem<'_>,
        monitor: &Monitor,
    ) -> Result<()> {
        let wanted = self.checks.quota().min(MOST_OF_ROUND);
        if wanted == 0 || self.position.batch == 0 {
            return Ok(());
        }
        let groups = self.position.batch.div_ceil(self.tables.tile_nodes);
        let before = self.totals()?;
        // A node has some children, a group some nodes.
        let wanted = (wanted as usize / (2 * self.tables.tile_nodes)).max(1);
        let mut runs = Vec::new();
        for groups in sample(self.checks.random(), groups, wanted) {
            let nodes = self.records(self.nodes_of(&groups))?;
            runs.push(Run { groups, nodes, children: Vec::new() });
        }
        self.launch(1)?;
        self.queue.finish()?;
        let start = Instant::now();
        let results = self.check_round(context, problem, monitor, before, runs)?;
        self.checks.add(results, start);
        Ok(())
    }

    /// The places of the nodes of groups on the stack before the round.
    fn nodes_of(&self, groups: &Range<usize>) -> Range<usize> {
        let (base, tile) = (self.position.nodes - self.position.batch, self.tables.tile_nodes);
        base + groups.start * tile..base + (groups.end * tile).min(self.position.batch)
    }

    /// Records of the stack by their places.
    pub(super) fn records(&self, places: Range<usize>) -> Result<Vec<u32>> {
        let words = self.layout().record_words();
        let mut records = vec![0; places.len() * words];
        self.queue.read(&self.nodes, places.start * words, &mut records)?;
        Ok(records)
    }

    fn check_round(
        &self,
        context: &Context,
        problem: &Problem<'_>,
        monitor: &Monitor,
        before: [u64; 2],
        mut runs: Vec<Run>,
    ) -> Result<u64> {
        let groups = self.position.batch.div_ceil(self.tables.tile_nodes);
        let mut summaries = vec![0; groups * SUMMARY_WORDS];
        self.queue.read(&self.summaries, 0, &mut summaries)?;
        let summaries = summaries.as_chunks::<SUMMARY_WORDS>().0;
        let offsets = self.check_advance(summaries, before)?;
        let base = self.position.nodes - self.position.batch;
        for run in &mut runs {
            run.children =
                self.records(base + offsets[run.groups.start]..base + offsets[run.groups.end])?;
        }
        let (layout, tile) = (self.layout(), self.tables.tile_nodes);
        let words = layout.record_words();
        let tasks: Vec<(usize, &[u32], &[u32])> = runs
            .iter()
            .flat_map(|run| {
                let first = offsets[run.groups.start];
                let nodes = run.nodes.chunks(tile * words);
                let offsets = &offsets;
                let children = move |group: usize| {
                    &run.children
                        [(offsets[group] - first) * words..(offsets[group + 1] - first) * words]
                };
                run.groups
                    .clone()
                    .zip(nodes)
                    .map(move |(group, nodes)| (group, nodes, children(group)))
            })
            .collect();
        let replay = Replay { layout, problem, monitor, incumbent: self.position.incumbent };
        let check = |(group, nodes, children): (usize, &[u32], &[u32])| {
            let expected = replay.group(nodes, group * tile)?;
            if expected.summary != summaries[group][..5] || expected.children != children {
                return Err(wrong("the children of nodes"));
            }
            Ok(5 + 2 * u64::from(expected.summary[0]))
        };
        let counts = context.install(|| parallel::try_map(tasks.into_iter(), check))??;
        Ok(counts.into_iter().sum())
    }

    /// Computes again what one round makes of its groups' summaries. Returns where the children of each group lie.
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
        let makespan = summaries.iter().map(|summary| summary[3]).min().unwrap_or(u32::MAX);
        let (known, groups) = (self.position.incumbent, summaries.len());
        let improved = u32::from(makespan < known);
        let expected = [
            (top - batch) as u32,
            batch as u32,
            makespan.min(known),
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

    /// Some places of the stack, to be compared after their records are copied.
    fn some_places(&mut self, places: Range<usize>) -> Vec<Range<usize>> {
        let wanted = COPIED_WORDS / self.layout().record_words();
        let runs = sample(self.checks.random(), places.len(), wanted).into_iter();
        runs.map(|run| places.start + run.start..places.start + run.end).collect()
    }

    /// Moves the records from `count` on down to the bottom, and compares some with what they were.
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

    /// Compares some of the tails of all records with the records.
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

/// What the kernels do with a group of nodes, on the host.
struct Replay<'a> {
    layout: &'a Layout,
    problem: &'a Problem<'a>,
    monitor: &'a Monitor,
    incumbent: u32,
}

/// What a round is to say of a group, and the records of its children.
struct Expected {
    summary: [u32; 5],
    children: Vec<u32>,
}

impl Replay<'_> {
    /// Decomposes the nodes of these records, the first of which is at that place of the batch.
    fn group(&self, records: &[u32], first: usize) -> Result<Expected> {
        let words = self.layout.record_words();
        let tails: Vec<u32> = records
            .chunks_exact(words)
            .flat_map(|record| self.layout.tail(record))
            .copied()
            .collect();
        let nodes = self.layout.decode(self.problem, &tails)?;
        let mut expected =
            Expected { summary: [0, 0, 0, u32::MAX, u32::MAX], children: Vec::new() };
        let (mut expander, mut open) = (Expander::default(), Vec::new());
        for ((record, node), place) in records.chunks_exact(words).zip(&nodes).zip(first..) {
            let state = State::of(self.problem, node);
            if self.layout.head(self.problem, &state, node.front, node.bound)
                != self.layout.head_of(record)
            {
                return Err(wrong("a node's record"));
            }
            match state.free_count {
                _ if node.bound >= self.incumbent => {}
                1 => {
                    let makespan = state.last_makespan(self.problem);
                    if makespan < expected.summary[3] {
                        expected.summary[3..].copy_from_slice(&[makespan, place as u32]);
                    }
                }
                free_count => {
                    expected.summary[1] += 1;
                    expected.summary[2] += free_count as u32;
                    open.clear();
                    let expanded = expander.expand(
                        self.problem,
                        &state,
                        self.incumbent,
                        self.monitor,
                        &mut open,
                    );
                    let (end, _) = expanded?;
                    self.children(record, node, &state, end, &open, &mut expected);
                }
            }
        }
        Ok(expected)
    }

    /// Appends the records of a node's open children, in the order of their jobs in the node's record.
    fn children(
        &self,
        record: &[u32],
        node: &Open,
        state: &State,
        end: End,
        open: &[Child],
        expected: &mut Expected,
    ) {
        let (layout, problem) = (self.layout, self.problem);
        let front = node.front as usize - problem.pinned();
        let free = front..front + state.free_count;
        let target = if end == End::Front { free.start } else { free.end - 1 };
        let mut below = state.clone();
        for place in free {
            let job = layout.job_at(layout.sequence(record), place);
            let Some(child) = open.iter().find(|child| child.job == job) else { continue };
            below.become_child(problem, state, job, end);
            let fixed_at_front = node.front + u32::from(end == End::Front);
            let begin = expected.children.len();
            expected.children.extend(layout.head(problem, &below, fixed_at_front, child.bound));
            expected.children.extend_from_slice(layout.sequence(record));
            layout.exchange(&mut expected.children[begin..], place, target);
            expected.summary[0] += 1;
        }
    }
}
