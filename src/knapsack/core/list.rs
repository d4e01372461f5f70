//! States of the core as a list, for few or widely spread weights.

use bytemuck::{Pod, Zeroable};

use super::CoreIncumbent;
use super::buffer::{Buffer, table};
use crate::Result;
use crate::knapsack::bounds::Completion;
use crate::solve::Monitor;
use crate::table::Table;

/// A partial solution, relative to the greedy one.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct State {
    pub(super) weight: i64,
    pub(super) profit: i64,
    /// Its last decision in the arena; [`ROOT`] if it equals the greedy solution everywhere.
    pub(super) node: u64,
}

/// No decision yet.
pub(super) const ROOT: u64 = u32::MAX as u64;

/// A piece whose decision differs from the greedy one, after the decisions of the node `before`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Node {
    before: u32,
    piece: u32,
}

/// Nodes in tables that never move, so that growing copies nothing.
#[derive(Default)]
struct Arena {
    tables: Vec<Table<Node>>,
    len: usize,
}

/// Nodes of the first table, enough for most small cores.
const FIRST_NODES: usize = 1 << 10;
/// Nodes of every other table.
const TABLE_NODES: usize = 1 << 20;

impl Arena {
    fn push(&mut self, node: Node, monitor: &Monitor) -> Result<u64> {
        if self.len == self.room() {
            let nodes = if self.tables.is_empty() { FIRST_NODES } else { TABLE_NODES };
            self.tables.push(table(nodes, monitor)?);
        }
        let (table, place) = Arena::place(self.len);
        self.tables[table][place] = node;
        self.len += 1;
        Ok(self.len as u64 - 1)
    }

    fn get(&self, node: u64) -> Option<Node> {
        let node = usize::try_from(node).ok().filter(|&node| node < self.len)?;
        let (table, place) = Arena::place(node);
        Some(self.tables[table][place])
    }

    /// Most bytes that this many further nodes add.
    fn growth(&self, nodes: usize) -> u64 {
        let room = match self.len + nodes {
            needed if needed <= self.room() => 0,
            needed if needed <= FIRST_NODES => FIRST_NODES,
            _ => nodes + TABLE_NODES,
        };
        (room * size_of::<Node>()) as u64
    }

    /// The table of a node and its place there.
    fn place(node: usize) -> (usize, usize) {
        match node.checked_sub(FIRST_NODES) {
            None => (0, node),
            Some(rest) => (1 + rest / TABLE_NODES, rest % TABLE_NODES),
        }
    }

    /// Nodes of all tables.
    fn room(&self) -> usize {
        match self.tables.len().checked_sub(1) {
            None => 0,
            Some(others) => FIRST_NODES + others * TABLE_NODES,
        }
    }

    fn bytes(&self) -> u64 {
        (self.room() * size_of::<Node>()) as u64
    }
}

/// Undominated states by increasing weight, and therefore by increasing profit.
pub(super) struct List {
    states: Buffer<State>,
    spare: Buffer<State>,
    nodes: Arena,
}

/// The change of weight and profit if a piece is decided other than greedily.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flip {
    pub(super) piece: u32,
    pub(super) weight: i64,
    pub(super) profit: i64,
}

/// The state of a step over a list while it selects states.
struct Step<'a> {
    completion: &'a Completion,
    /// Memory for the states that are kept, and their number.
    states: &'a mut [State],
    len: usize,
    /// The largest profit so far, of lighter states.
    profit: i64,
    /// The largest bound so far.
    bound: i64,
}

impl Step<'_> {
    /// Whether to keep a state: no lighter state dominates it, and it may become better than the
    /// incumbent.
    fn keeps(&mut self, weight: i64, profit: i64, incumbent: &CoreIncumbent) -> bool {
        if profit <= self.profit {
            return false;
        }
        self.profit = profit;
        let bound = self.completion.bound(weight, profit);
        let keeps = bound > incumbent.profit;
        if keeps {
            self.bound = self.bound.max(bound);
        }
        keeps
    }

    fn push(&mut self, state: State) {
        self.states[self.len] = state;
        self.len += 1;
    }
}

impl List {
    /// The list of the greedy solution only.
    pub(super) fn new(weight: i64) -> Self {
        let states = Buffer::of(vec![State { weight, profit: 0, node: ROOT }]);
        List { states, spare: Buffer::default(), nodes: Arena::default() }
    }

    pub(super) fn states(&self) -> &[State] {
        self.states.as_slice()
    }

    /// Moves the states out; the list becomes empty.
    pub(super) fn take_states(&mut self) -> Buffer<State> {
        std::mem::take(&mut self.states)
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.states.bytes() + self.spare.bytes() + self.nodes.bytes()
    }

    /// Most bytes that a step may add: those of twice as many states, and a node for each flipped
    /// state.
    pub(super) fn growth(&self) -> u64 {
        self.states.growth(&self.spare) + self.nodes.growth(self.states.len())
    }

    /// Whether another step might make more decisions than can be numbered.
    pub(super) fn is_full(&self) -> bool {
        (self.nodes.len + self.states.len()) as u64 >= ROOT
    }

    /// Merges each state as it is and with the flip, by weight. Drops states that are dominated, or
    /// whose bound shows that they cannot become better than the incumbent. Returns the largest
    /// bound of the states kept. If a stop is requested, the states remain unchanged.
    pub(super) fn step(
        &mut self,
        flip: Flip,
        completion: &Completion,
        incumbent: &mut CoreIncumbent,
        monitor: &Monitor,
    ) -> Result<i64> {
        let states = self.states.as_slice();
        let spare = self.spare.resize(2 * states.len(), monitor)?;
        let mut step =
            Step { completion, states: spare, len: 0, profit: i64::MIN, bound: i64::MIN };
        let mut kept = 0;
        for (flipped, other) in states.iter().enumerate() {
            monitor.check_step(flipped)?;
            let (weight, profit) = (other.weight + flip.weight, other.profit + flip.profit);
            while let Some(&state) = states.get(kept) {
                if state.weight > weight || (state.weight == weight && state.profit < profit) {
                    break;
                }
                kept += 1;
                monitor.check_step(kept)?;
                if step.keeps(state.weight, state.profit, incumbent) {
                    step.push(state);
                }
            }
            if step.keeps(weight, profit, incumbent) {
                let node = Node { before: other.node as u32, piece: flip.piece };
                let node = self.nodes.push(node, monitor)?;
                step.push(State { weight, profit, node });
                incumbent.offer_node(weight, profit, node);
            }
        }
        for (place, &state) in states[kept..].iter().enumerate() {
            monitor.check_step(place)?;
            if step.keeps(state.weight, state.profit, incumbent) {
                step.push(state);
            }
        }
        let Step { len, bound, .. } = step;
        self.spare.truncate(len);
        std::mem::swap(&mut self.states, &mut self.spare);
        Ok(bound)
    }

    /// Calls `flip` for the pieces decided other than greedily on the path to a node.
    pub(super) fn trace(&self, mut node: u64, mut flip: impl FnMut(u32)) {
        while let Some(Node { before, piece }) = self.nodes.get(node) {
            flip(piece);
            node = before.into();
        }
    }
}
