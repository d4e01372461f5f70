//! The records of nodes: the state that the objective gives, and the tail.

use super::layout::Layout;
use super::tables::Explored;
use crate::flow_shop::exact::node::{Node, Open};
use crate::flow_shop::exact::problem::Problem;

/// Appends the record of a node.
pub(in crate::flow_shop::exact) fn encode<O: Explored>(
    layout: &Layout,
    problem: &Problem<'_, O>,
    open: &Open,
    records: &mut Vec<u32>,
) {
    let node = problem.node(open);
    let end = records.len() + layout.record_words();
    records.extend(head(layout, problem, &node, open.front, open.bound));
    let front = &open.front_jobs()[problem.pinned()..];
    let number = |job: u32| layout.job_list().binary_search(&job).map_or(0, |number| number as u32);
    let free = node.free_jobs();
    let sequence =
        front.iter().copied().chain(free).chain(open.back_jobs().iter().copied()).map(number);
    let (bits, in_word, _) = layout.packing();
    for (position, number) in sequence.enumerate() {
        let shift = position % in_word * bits;
        match records.last_mut() {
            Some(word) if shift > 0 => *word |= number << shift,
            _ => records.push(number),
        }
    }
    records.resize(end, 0);
}

/// The words before the sequence in the record of a node with `front` jobs at the front.
pub(super) fn head<O: Explored>(
    layout: &Layout,
    problem: &Problem<'_, O>,
    node: &Node<O::State>,
    front: u32,
    bound: u32,
) -> Vec<u32> {
    let mut words = Vec::with_capacity(layout.record_words());
    problem.objective.push_state(&node.state, &mut words);
    let front = front - problem.pinned() as u32;
    let back = (layout.jobs() - node.free_count) as u32 - front;
    words.extend([front | back << 16, bound]);
    words
}
