//! The host's part of a stack's spot checks: it decomposes nodes of a round again.

use std::time::{Duration, Instant};

use super::{SUMMARY_WORDS, Stack};
use crate::context::wrong;
use crate::flow_shop::end::End;
use crate::flow_shop::exact::device::layout::Layout;
use crate::flow_shop::exact::device::record::head;
use crate::flow_shop::exact::device::tables::Explored;
use crate::flow_shop::exact::expand::Expander;
use crate::flow_shop::exact::node::{Child, Node, Open};
use crate::flow_shop::exact::problem::Problem;
use crate::solve::Monitor;
use crate::{Context, Result, parallel};

/// Consecutive groups of a round, to be recomputed.
pub(in super::super) struct Run {
    /// The batch position of the groups' first node.
    pub(super) first: usize,
    /// The incumbent during the round.
    pub(super) incumbent: u32,
    /// The digest and end of each node's record before the round.
    pub(super) nodes: Vec<u32>,
    /// The round's summary of each group.
    pub(super) summaries: Vec<[u32; SUMMARY_WORDS]>,
    /// The digests of the children's records, group by group.
    pub(super) children: Vec<u32>,
}

/// One group of a run.
struct Group<'a> {
    first: usize,
    incumbent: u32,
    nodes: &'a [u32],
    summary: &'a [u32; SUMMARY_WORDS],
    children: &'a [u32],
}

impl Run {
    /// The number of compared results: five for each group, the bound of every child, and the record
    /// of every open one. Of a pruned child, the host compares that its bound prunes it.
    pub(super) fn results(&self) -> u64 {
        let of_group =
            |&[open, _, bounds, ..]: &[u32; SUMMARY_WORDS]| 5 + u64::from(bounds) + u64::from(open);
        self.summaries.iter().map(of_group).sum()
    }

    /// The single groups, of `tile` nodes each; the batch's last group may have fewer.
    fn groups(&self, tile: usize, sample_words: usize) -> impl Iterator<Item = Group<'_>> {
        let places = (self.first..).step_by(tile);
        let nodes = self.nodes.chunks(tile * sample_words);
        let mut begin = 0;
        places.zip(nodes).zip(&self.summaries).map(move |((first, nodes), summary)| {
            let end = begin + summary[0] as usize;
            let children = &self.children[std::mem::replace(&mut begin, end)..end];
            Group { first, incumbent: self.incumbent, nodes, summary, children }
        })
    }
}

/// What a check compared, and how long it took.
pub(in super::super) struct Checked {
    pub(super) results: u64,
    pub(super) time: Duration,
}

/// A check of noted runs. It can run on any thread while the stack continues.
pub(in super::super) struct Check<'e, O: Explored> {
    layout: Layout,
    tile: usize,
    problem: &'e Problem<'e, O>,
    monitor: &'e Monitor,
    runs: Vec<Run>,
}

impl<'e, O: Explored> Check<'e, O> {
    pub(in super::super) fn new(
        stack: &Stack<'_>,
        problem: &'e Problem<'e, O>,
        monitor: &'e Monitor,
        runs: Vec<Run>,
    ) -> Self {
        Check {
            layout: stack.layout().clone(),
            tile: stack.tables.tile_nodes(),
            problem,
            monitor,
            runs,
        }
    }

    /// Decomposes the nodes again on the context's threads.
    ///
    /// # Errors
    /// [`Error::DeviceWrong`](crate::Error::DeviceWrong) if the results differ.
    pub(in super::super) fn run(&self, context: &Context) -> Result<Checked> {
        let start = Instant::now();
        let sample_words = 1 + self.layout.tail_words();
        let groups: Vec<Group<'_>> =
            self.runs.iter().flat_map(|run| run.groups(self.tile, sample_words)).collect();
        let check = |group: Group<'_>| {
            let replay = Replay {
                layout: &self.layout,
                problem: self.problem,
                monitor: self.monitor,
                incumbent: group.incumbent,
            };
            let expected = replay.group(group.nodes, group.first)?;
            let agrees =
                expected.summary == group.summary[..5] && expected.children == group.children;
            if agrees { Ok(()) } else { Err(wrong("the children of nodes")) }
        };
        context.install(|| parallel::try_for_each(groups.into_iter(), check))??;
        let results = self.runs.iter().map(Run::results).sum();
        Ok(Checked { results, time: start.elapsed() })
    }
}

/// Recomputes on the host what the kernels do with a group of nodes.
struct Replay<'a, O: Explored> {
    layout: &'a Layout,
    problem: &'a Problem<'a, O>,
    monitor: &'a Monitor,
    incumbent: u32,
}

/// The expected summary of a group, and the expected digests of its children's records.
struct Expected {
    summary: [u32; 5],
    children: Vec<u32>,
}

impl<O: Explored> Replay<'_, O> {
    /// Decomposes the nodes of these samples; `first` is the batch position of the first one.
    fn group(&self, samples: &[u32], first: usize) -> Result<Expected> {
        let samples = samples.chunks_exact(1 + self.layout.tail_words());
        let tails: Vec<u32> = samples.clone().flat_map(|sample| &sample[1..]).copied().collect();
        let nodes = self.layout.decode(self.problem.instance, &tails)?;
        let mut expected =
            Expected { summary: [0, 0, 0, u32::MAX, u32::MAX], children: Vec::new() };
        let (mut expander, mut children) = (Expander::default(), Vec::new());
        for ((sample, open), place) in samples.zip(&nodes).zip(first..) {
            let node = self.problem.node(open);
            let mut record = head(self.layout, self.problem, &node, open.front, open.bound);
            record.extend_from_slice(&sample[3..]);
            if Layout::digest(&record) != sample[0] {
                return Err(wrong("a node's record"));
            }
            match node.free_count {
                _ if open.bound >= self.incumbent => {}
                1 => {
                    let value = self.problem.objective.last_value(&node);
                    if value < expected.summary[3] {
                        expected.summary[3..].copy_from_slice(&[value, place as u32]);
                    }
                }
                free_count => {
                    expected.summary[1] += 1;
                    expected.summary[2] += free_count as u32;
                    children.clear();
                    let expanded = expander.expand(
                        self.problem,
                        &node,
                        self.incumbent,
                        self.monitor,
                        &mut children,
                    );
                    let (end, _) = expanded?;
                    self.children(&sample[3..], open, &node, end, &children, &mut expected);
                }
            }
        }
        Ok(expected)
    }

    /// Appends the digests of a node's open children, in the order of their jobs in its sequence.
    fn children(
        &self,
        sequence: &[u32],
        open: &Open,
        node: &Node<O::State>,
        end: End,
        children: &[Child],
        expected: &mut Expected,
    ) {
        let (layout, problem) = (self.layout, self.problem);
        let front = open.front as usize - problem.pinned();
        let free = front..front + node.free_count;
        let target = if end == End::Front { free.start } else { free.end - 1 };
        let mut below = node.clone();
        for place in free {
            let job = layout.job_at(sequence, place);
            let Some(child) = children.iter().find(|child| child.job == job) else { continue };
            problem.become_child(&mut below, node, job, end);
            let fixed_at_front = open.front + u32::from(end == End::Front);
            let mut record = head(layout, problem, &below, fixed_at_front, child.bound);
            record.extend_from_slice(sequence);
            layout.exchange(&mut record, place, target);
            expected.children.push(Layout::digest(&record));
            expected.summary[0] += 1;
        }
    }
}
