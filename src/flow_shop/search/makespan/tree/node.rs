//! Nodes of the search tree: partial sequences that grow at both ends.

use super::Shop;
use super::guide::{NO_JOB, Shares};
use crate::flow_shop::end::End;
use crate::flow_shop::search::evaluator::Step;
use crate::memory;

/// A machine's contribution to a node's children at one side.
#[derive(Debug, Clone, Copy)]
pub(in crate::flow_shop::search) struct Term {
    pub(super) machine: u32,
    /// The time at which the machine becomes free, seen from that side.
    pub(super) free: u32,
    /// A lower bound of the machine's time after the start of the job.
    pub(super) rest: u32,
    /// The idle time so far minus `free`: adding a start time gives the new idle time.
    pub(super) idle: u32,
}

/// The nodes of one level of the tree, all with the same number of placed jobs.
pub(in crate::flow_shop::search) struct Level {
    machines: usize,
    jobs: usize,
    /// Number of placed jobs.
    pub(super) depth: usize,
    /// Five rows per node with one number per machine: the time at which it is free, seen from the
    /// front and from the back, its idle time at both sides, and its remaining work.
    pub(super) states: Vec<u32>,
    /// One bit per placed job, for each node.
    placed: Vec<u64>,
    /// For each node, the sums of the machines' idle time shares at front and back, or [`NO_JOB`].
    idle: Vec<[u32; 2]>,
}

/// A node of a level.
pub(super) struct Node<'a> {
    state: &'a [u32],
    placed: &'a [u64],
    pub(super) idle: [u32; 2],
    /// The terms of the front, then of the back.
    terms: &'a [Term],
}

pub(super) const ROWS: usize = 5;

impl Level {
    /// The level of the root.
    pub(super) fn root(shop: &Shop) -> Self {
        let machines = shop.machines();
        let mut states = vec![0; ROWS * machines];
        states[..machines].copy_from_slice(shop.front());
        for times in shop.times().chunks_exact(machines) {
            states[4 * machines..].iter_mut().zip(times).for_each(|(left, time)| *left += time);
        }
        Level {
            machines,
            jobs: shop.jobs(),
            depth: 0,
            states,
            placed: vec![0; shop.jobs().div_ceil(64)],
            idle: vec![[NO_JOB; 2]],
        }
    }

    /// The next level with room for `nodes` nodes, which are not computed yet.
    pub(super) fn next(&self, nodes: usize) -> crate::Result<Self> {
        Ok(Level {
            depth: self.depth + 1,
            states: memory::zeroed(nodes * ROWS * self.machines)?,
            placed: memory::zeroed(nodes * self.jobs.div_ceil(64))?,
            idle: memory::filled([NO_JOB; 2], nodes)?,
            ..*self
        })
    }

    /// Bytes of a node.
    pub(super) fn node_bytes(shop: &Shop) -> usize {
        ROWS * shop.machines() * 4 + shop.jobs().div_ceil(64) * 8 + 8
    }

    /// A node, with its terms computed in `terms`.
    pub(super) fn node<'a>(&'a self, index: usize, terms: &'a mut Vec<Term>) -> Node<'a> {
        let words = self.jobs.div_ceil(64);
        let state = &self.states[index * ROWS * self.machines..][..ROWS * self.machines];
        terms.clear();
        End::BOTH.into_iter().for_each(|side| collect_terms(state, self.machines, side, terms));
        let placed = &self.placed[index * words..][..words];
        Node { state, placed, idle: self.idle[index], terms }
    }

    /// Splits the level into parts of some nodes each, in order, for [`Part::make`].
    pub(super) fn parts(&mut self, nodes: usize) -> impl Iterator<Item = Part<'_>> {
        let words = self.jobs.div_ceil(64);
        let states = self.states.chunks_mut(nodes * ROWS * self.machines);
        let placed = self.placed.chunks_mut(nodes * words);
        let machines = self.machines;
        let rows = states.zip(placed).zip(self.idle.chunks_mut(nodes));
        rows.map(move |((states, placed), idle)| Part { machines, words, states, placed, idle })
    }
}

/// A range of nodes under construction.
pub(super) struct Part<'a> {
    machines: usize,
    words: usize,
    states: &'a mut [u32],
    placed: &'a mut [u64],
    idle: &'a mut [[u32; 2]],
}

impl Part<'_> {
    /// Computes node `index` of the part by a step from its parent.
    pub(super) fn make(
        &mut self,
        index: usize,
        parent: &Node<'_>,
        step: Step,
        times: &[u32],
        shares: Shares,
    ) {
        let machines = self.machines;
        let state = &mut self.states[index * ROWS * machines..][..ROWS * machines];
        state.copy_from_slice(parent.state);
        let placed = &mut self.placed[index * self.words..][..self.words];
        placed.copy_from_slice(parent.placed);
        placed[step.job as usize / 64] |= 1 << (step.job % 64);

        let side = step.side as usize;
        let mut end = 0;
        let mut idle = 0;
        for term in parent.terms(step.side) {
            let machine = term.machine as usize;
            let start = term.free.max(end);
            let waited = start.wrapping_add(term.idle);
            end = start + times[machine];
            idle += shares.share(waited, end);
            state[side * machines + machine] = end;
            state[(2 + side) * machines + machine] = waited;
            state[4 * machines + machine] -= times[machine];
        }
        self.idle[index] = parent.idle;
        self.idle[index][side] = idle;
    }
}

impl Node<'_> {
    /// The terms of a side, in the order in which a job passes the machines seen from there.
    pub(super) fn terms(&self, side: End) -> &[Term] {
        let (front, back) = self.terms.split_at(self.terms.len() / 2);
        match side {
            End::Front => front,
            End::Back => back,
        }
    }

    /// The placed jobs as bits, 64 jobs per word.
    pub(super) fn placed(&self) -> &[u64] {
        self.placed
    }
}

fn collect_terms(state: &[u32], machines: usize, side: End, terms: &mut Vec<Term>) {
    let row = |row: usize| &state[row * machines..][..machines];
    let (free, idle) = (row(side as usize), row(2 + side as usize));
    let (opposite, work) = (row(side.other() as usize), row(4));
    let term = |machine: usize| Term {
        machine: machine as u32,
        free: free[machine],
        rest: work[machine] + opposite[machine],
        idle: idle[machine].wrapping_sub(free[machine]),
    };
    match side {
        End::Front => terms.extend((0..machines).map(term)),
        End::Back => terms.extend((0..machines).rev().map(term)),
    }
}
