//! Nodes of the search tree: partial sequences that grow at both ends.

use super::Shop;
use super::guide::Shares;
use crate::flow_shop::search::evaluator::{Side, Step};
use crate::memory;

/// What a machine contributes to the children of a node at one of its sides.
#[derive(Debug, Clone, Copy)]
pub(in crate::flow_shop::search) struct Term {
    pub(super) machine: u32,
    /// The machine is free from then on, as seen from that side.
    pub(super) free: u32,
    /// What the machine has to do after the job starts, at least.
    pub(super) rest: u32,
    /// Its idle time so far less `free`: idle time is what start times add to it.
    pub(super) idle: u32,
}

/// The nodes of one level of the tree: as many jobs are placed in each.
pub(in crate::flow_shop::search) struct Level {
    machines: usize,
    jobs: usize,
    /// Jobs placed.
    pub(super) depth: usize,
    /// For each node five rows of one number for each machine: when it is free as seen from the
    /// front and from the back, its idle time there, and its work left.
    pub(super) states: Vec<u32>,
    /// For each node a bit for each job that is placed.
    placed: Vec<u64>,
    /// For each node the sum of the machines' shares of idle time at its front and at its back, or
    /// [`NO_JOB`].
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
/// The idle time of a side without jobs.
pub(super) const NO_JOB: u32 = u32::MAX;

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

    /// The next level with room for `nodes` nodes, none of which is made yet.
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

    /// A node, with room for its terms.
    pub(super) fn node<'a>(&'a self, index: usize, terms: &'a mut Vec<Term>) -> Node<'a> {
        let words = self.jobs.div_ceil(64);
        let state = &self.states[index * ROWS * self.machines..][..ROWS * self.machines];
        terms.clear();
        Side::BOTH.into_iter().for_each(|side| collect_terms(state, self.machines, side, terms));
        let placed = &self.placed[index * words..][..words];
        Node { state, placed, idle: self.idle[index], terms }
    }

    /// Parts of some nodes each, in order, to be made by [`Part::make`].
    pub(super) fn parts(&mut self, nodes: usize) -> impl Iterator<Item = Part<'_>> {
        let words = self.jobs.div_ceil(64);
        let states = self.states.chunks_mut(nodes * ROWS * self.machines);
        let placed = self.placed.chunks_mut(nodes * words);
        let machines = self.machines;
        let rows = states.zip(placed).zip(self.idle.chunks_mut(nodes));
        rows.map(move |((states, placed), idle)| Part { machines, words, states, placed, idle })
    }
}

/// Neighbouring nodes of a level while they are made.
pub(super) struct Part<'a> {
    machines: usize,
    words: usize,
    states: &'a mut [u32],
    placed: &'a mut [u64],
    idle: &'a mut [[u32; 2]],
}

impl Part<'_> {
    /// Makes the node number `index` of the part by a step from its parent.
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
    /// The terms of a side in the order in which a job passes the machines as seen from there.
    pub(super) fn terms(&self, side: Side) -> &[Term] {
        let (front, back) = self.terms.split_at(self.terms.len() / 2);
        match side {
            Side::Front => front,
            Side::Back => back,
        }
    }

    /// The jobs of each 64 that are placed.
    pub(super) fn placed(&self) -> &[u64] {
        self.placed
    }
}

fn collect_terms(state: &[u32], machines: usize, side: Side, terms: &mut Vec<Term>) {
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
        Side::Front => terms.extend((0..machines).map(term)),
        Side::Back => terms.extend((0..machines).rev().map(term)),
    }
}
