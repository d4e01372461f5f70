//! States of the core as a list, for few or widely spread weights.

use super::Incumbent;
use crate::knapsack::bounds::Completion;

/// A partial solution, relative to the greedy one.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub(super) weight: i64,
    pub(super) profit: i64,
    /// Its last decision in the arena; [`ROOT`] if it departs nowhere from the greedy solution.
    pub(super) node: u32,
}

/// No decision yet.
pub(super) const ROOT: u32 = u32::MAX;

/// A piece that was decided other than greedily, after the decisions of the node `before`.
#[derive(Debug, Clone, Copy)]
struct Node {
    before: u32,
    piece: u32,
}

/// Undominated states by increasing weight, and so by increasing profit.
pub(super) struct List {
    pub(super) states: Vec<State>,
    spare: Vec<State>,
    nodes: Vec<Node>,
}

/// A piece decided other than greedily: what that does to weight and profit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flip {
    pub(super) piece: u32,
    pub(super) weight: i64,
    pub(super) profit: i64,
}

impl List {
    /// The greedy solution alone.
    pub(super) fn new(weight: i64) -> Self {
        List { states: vec![State { weight, profit: 0, node: ROOT }], spare: Vec::new(), nodes: Vec::new() }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let states = self.states.capacity() + self.spare.capacity();
        (states * size_of::<State>() + self.nodes.capacity() * size_of::<Node>()) as u64
    }

    /// Bytes that a step may add to them: there are twice as many states then, and a node more for each that was
    /// flipped; vectors grow by doubling.
    pub(super) fn growth(&self) -> u64 {
        let states = (4 * self.states.len()).saturating_sub(self.spare.capacity());
        let nodes = match self.nodes.len() + self.states.len() {
            nodes if nodes > self.nodes.capacity() => 2 * nodes,
            _ => 0,
        };
        (states * size_of::<State>() + nodes * size_of::<Node>()) as u64
    }

    /// Whether another step may have too many decisions to number them.
    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() + self.states.len() >= ROOT as usize
    }

    /// Each state as it is and with the flip, merged by weight; what is dominated, or by the bound can't become
    /// better than the incumbent, is left out.
    pub(super) fn step(&mut self, flip: Flip, completion: &Completion, incumbent: &mut Incumbent) {
        let mut merged = std::mem::take(&mut self.spare);
        merged.clear();
        let states = &self.states;
        let (mut kept, mut flipped) = (0, 0);
        let mut best = i64::MIN;
        while flipped < states.len() {
            let other = &states[flipped];
            let (weight, profit) = (other.weight + flip.weight, other.profit + flip.profit);
            let first = states
                .get(kept)
                .filter(|state| state.weight < weight || (state.weight == weight && state.profit >= profit));
            if let Some(&state) = first {
                kept += 1;
                if state.profit > best {
                    best = state.profit;
                    if completion.bound(state.weight, state.profit) > incumbent.profit {
                        merged.push(state);
                    }
                }
                continue;
            }
            flipped += 1;
            if profit > best {
                best = profit;
                if completion.bound(weight, profit) > incumbent.profit {
                    let node = self.nodes.len() as u32;
                    self.nodes.push(Node { before: other.node, piece: flip.piece });
                    merged.push(State { weight, profit, node });
                    incumbent.offer_node(weight, profit, node);
                }
            }
        }
        for &state in &states[kept..] {
            if state.profit > best {
                best = state.profit;
                if completion.bound(state.weight, state.profit) > incumbent.profit {
                    merged.push(state);
                }
            }
        }
        self.spare = std::mem::replace(&mut self.states, merged);
    }

    /// The pieces decided other than greedily on the way to a node.
    pub(super) fn trace(&self, mut node: u32, mut flip: impl FnMut(u32)) {
        while let Some(&Node { before, piece }) = self.nodes.get(node as usize) {
            flip(piece);
            node = before;
        }
    }
}
