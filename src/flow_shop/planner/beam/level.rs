//! Nodes of the tree: beginnings of sequences.

use super::guide::Guide;
use super::lanes::Lanes;
use super::node::{Node, NodeView};
use super::shop::Shop;
use crate::{Result, memory};

/// The nodes of one level, all with the same number of placed jobs.
#[derive(Clone)]
pub(super) struct Level {
    /// Number of placed jobs, without the pinned ones.
    pub(super) depth: usize,
    words: usize,
    machines: usize,
    /// Rows of each node: the front, and the work left if the makespan counts.
    rows: usize,
    /// For each node and row, one number per machine.
    states: Vec<u32>,
    /// One bit per placed job, for each node.
    placed: Vec<u64>,
    pub(super) nodes: Vec<Node>,
    pub(super) lanes: Lanes,
    /// The least sum of a node in the guide.
    pub(super) least: f64,
    /// If a single job is left, the rank of each complete sequence that is better than the cutoff.
    pub(super) complete: Vec<Option<u32>>,
}

impl Level {
    /// The level of the pinned jobs alone.
    pub(super) fn root(shop: &Shop<'_>) -> Self {
        let machines = shop.machines();
        let mut states = shop.root.free.clone();
        if shop.has_makespan {
            let work = |machine: usize| {
                (0..shop.jobs.len()).map(|number| shop.times(number)[machine]).sum::<u32>()
            };
            states.extend((0..machines).map(work));
        }
        let scoring = &shop.problem.scoring;
        let flow = |job: u32| scoring.terms(job)[0].flow;
        let node = Node {
            tally: shop.root.tally,
            last: shop.root.last,
            delay: 0.0,
            open_flow: shop.jobs.iter().map(|&job| flow(job)).sum(),
            open_release: shop.jobs.iter().map(|&job| flow(job) * scoring.release_time(job)).sum(),
        };
        Level {
            depth: 0,
            words: shop.words(),
            machines,
            rows: states.len() / machines,
            states,
            placed: vec![0; shop.words()],
            nodes: vec![node],
            lanes: Lanes::default(),
            least: 0.0,
            complete: Vec::new(),
        }
    }

    /// The next level with room for `nodes` nodes, which are not computed yet.
    pub(super) fn next(&self, nodes: usize) -> Result<Self> {
        Ok(Level {
            depth: self.depth + 1,
            states: memory::zeroed(nodes * self.rows * self.machines)?,
            placed: memory::zeroed(nodes * self.words)?,
            nodes: memory::filled(self.nodes[0], nodes)?,
            lanes: Lanes::default(),
            least: 0.0,
            complete: Vec::new(),
            ..*self
        })
    }

    /// Bytes of a node.
    pub(super) fn node_bytes(shop: &Shop<'_>) -> usize {
        let rows = if shop.has_makespan { 2 } else { 1 };
        rows * shop.machines() * 4 + shop.words() * 8 + size_of::<Node>()
    }

    pub(super) fn node(&self, index: usize) -> NodeView<'_> {
        let state = &self.states[index * self.rows * self.machines..];
        let (front, work) = state[..self.rows * self.machines].split_at(self.machines);
        let placed = &self.placed[index * self.words..][..self.words];
        NodeView { node: &self.nodes[index], front, work, placed }
    }

    /// Splits the level into parts of some nodes each, in order, for [`Part::make`].
    pub(super) fn parts(&mut self, nodes: usize) -> impl Iterator<Item = Part<'_>> {
        let (machines, words, width) = (self.machines, self.words, self.rows * self.machines);
        let states = self.states.chunks_mut(nodes * width);
        let placed = self.placed.chunks_mut(nodes * words);
        let rows = states.zip(placed).zip(self.nodes.chunks_mut(nodes));
        rows.map(move |((states, placed), nodes)| Part {
            machines,
            words,
            width,
            states,
            placed,
            nodes,
        })
    }

    /// Gathers the lanes and the least sum, once all nodes are known.
    pub(super) fn seal(&mut self, shop: &Shop<'_>, guide: &Guide) -> Result<()> {
        let mut everywhere = memory::filled(u64::MAX, self.words)?;
        for placed in self.placed.chunks_exact(self.words) {
            everywhere.iter_mut().zip(placed).for_each(|(all, placed)| *all &= placed);
        }
        let is_free = |number: usize| everywhere[number / 64] >> (number % 64) & 1 == 0;
        self.lanes = Lanes::new(shop, guide, is_free)?;
        let sums = self.nodes.iter().map(|node| guide.sum(&node.tally.sums));
        self.least = sums.fold(f64::INFINITY, f64::min);
        Ok(())
    }
}

/// A range of nodes under construction.
pub(super) struct Part<'a> {
    machines: usize,
    words: usize,
    width: usize,
    states: &'a mut [u32],
    placed: &'a mut [u64],
    nodes: &'a mut [Node],
}

impl Part<'_> {
    /// Computes node `index` of the part: its parent, and behind it a job.
    pub(super) fn make(
        &mut self,
        shop: &Shop<'_>,
        guide: &Guide,
        index: usize,
        parent: NodeView<'_>,
        number: u32,
    ) {
        let (problem, job) = (shop.problem, shop.jobs[number as usize]);
        let state = &mut self.states[index * self.width..][..self.width];
        let (front, work) = state.split_at_mut(self.machines);
        front.copy_from_slice(parent.front);
        let end = problem.advance(front, parent.node.last, job);
        let times = problem.instance.job(job);
        work.copy_from_slice(parent.work);
        work.iter_mut().zip(times).for_each(|(left, time)| *left -= time);
        let placed = &mut self.placed[index * self.words..][..self.words];
        placed.copy_from_slice(parent.placed);
        placed[number as usize / 64] |= 1 << (number % 64);

        let scoring = &problem.scoring;
        let mut node = *parent.node;
        for ((after, before), (time, weight)) in
            front.iter().zip(parent.front).zip(times.iter().zip(&guide.waste))
        {
            node.delay += (after - before - time) as f32 * weight;
        }
        scoring.add(&mut node.tally, job, end.into());
        if scoring.has_plan() {
            node.tally.sums += scoring.succession(parent.node.last, job);
            for (&later, other) in shop.jobs.iter().zip(0..) {
                if parent.is_free(other) && other != number {
                    node.tally.sums += scoring.pair(job, later);
                }
            }
        }
        node.last = Some(job);
        let flow = scoring.terms(job)[0].flow;
        node.open_flow -= flow;
        node.open_release -= flow * scoring.release_time(job);
        self.nodes[index] = node;
    }
}
