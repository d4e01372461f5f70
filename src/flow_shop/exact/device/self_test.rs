//! Compares a search on a device with the CPU.

use std::time::Instant;

use super::layout::Layout;
use super::record::encode;
use super::stack::{Check, Stack};
use super::tables::Explored;
use crate::flow_shop::exact::expand::Expander;
use crate::flow_shop::exact::limit::Limit;
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::incumbent::Best;
use crate::opencl::{Failing, Trial, agree};
use crate::solve::Monitor;
use crate::{Context, Result};

/// Most nodes of a batch: more than there are.
const BATCH: usize = 1 << 10;
/// Rounds after which the children of all nodes are compared, if all fit into a batch.
const ROUNDS: usize = 2;

/// Compares the open nodes after some rounds.
pub(in crate::flow_shop::exact) fn compare<O: Explored>(
    trial: &Trial<'_>,
    problem: &Problem<'_, O>,
    mut nodes: Vec<Open>,
    monitor: &Monitor,
) -> Result<(), Failing> {
    let mut stack = Stack::with_batches(trial.device(), problem, BATCH, monitor)?;
    // Many jobs make batches small. Nodes beyond the batch would leave kernels of a round untested.
    nodes.truncate(stack.batch_nodes());
    let layout = stack.layout().clone();
    stack.push(&records(problem, &layout, &nodes))?;
    let limit = Limit::new(Best { value: u32::MAX, order: Vec::new() }, problem.initial_limit);
    let (nodes, incumbent) = rounds(&mut stack, problem, nodes, &limit, monitor)?;
    let best = limit.best();
    if !best.order.is_empty() {
        let value = O::value(problem.instance, &best.order)?;
        agree("the best sequence", &[value], &[incumbent.into()])?;
    }
    if nodes.is_empty() { Ok(()) } else { compare_open(&mut stack, problem, &layout, &nodes) }
}

/// Runs rounds on both engines; returns the remaining open nodes and the incumbent.
fn rounds<O: Explored>(
    stack: &mut Stack<'_>,
    problem: &Problem<'_, O>,
    mut nodes: Vec<Open>,
    limit: &Limit,
    monitor: &Monitor,
) -> Result<(Vec<Open>, u32), Failing> {
    let context = Context::of_one_thread()?;
    let (mut incumbent, mut totals) = (problem.initial_limit, [0; 2]);
    for made in 0..ROUNDS {
        if stack.position().batch < nodes.len() {
            break;
        }
        let (mut next_incumbent, mut next_totals) = (incumbent, totals);
        let next = round(problem, &nodes, &mut next_incumbent, &mut next_totals, monitor)?;
        if made > 0 && next.is_empty() {
            // The next round would leave nothing to compare.
            break;
        }
        (nodes, incumbent, totals) = (next, next_incumbent, next_totals);
        stack.rounds = 1;
        let runs = stack.turn(problem, limit, monitor, Instant::now())?;
        Check::new(stack, problem, monitor, runs).run(&context)?;
        let position = stack.position();
        agree(
            "nodes and incumbent",
            &[position.nodes, position.incumbent as usize],
            &[nodes.len(), incumbent as usize],
        )?;
        agree("decomposed nodes and their jobs", &stack.totals()?, &totals)?;
    }
    Ok((nodes, incumbent))
}

/// Compares the open nodes of a stack, in any order, read in all ways.
fn compare_open<O: Explored>(
    stack: &mut Stack<'_>,
    problem: &Problem<'_, O>,
    layout: &Layout,
    nodes: &[Open],
) -> Result<(), Failing> {
    let least = nodes.iter().map(|node| node.bound).min();
    agree("flow_shop_smallest", &[Some(stack.least_bound()?)], &[least])?;
    let tails = stack.tails()?;
    // The remaining nodes move down and are taken next.
    let mut found = stack.take_lowest(nodes.len() / 3)?;
    found.extend(stack.take_lowest(nodes.len() - nodes.len() / 3)?);
    let words = layout.record_words();
    let found_tails: Vec<u32> =
        found.chunks_exact(words).flat_map(|record| layout.tail(record)).copied().collect();
    agree("flow_shop_tails", &tails, &found_tails)?;
    let sorted = |records: &[u32]| {
        let mut list: Vec<Vec<u32>> =
            records.chunks_exact(words).map(|record| layout.in_order(record)).collect();
        list.sort_unstable();
        list
    };
    agree("open nodes", &sorted(&found), &sorted(&records(problem, layout, nodes)))
}

fn records<O: Explored>(problem: &Problem<'_, O>, layout: &Layout, nodes: &[Open]) -> Vec<u32> {
    let mut records = Vec::new();
    nodes.iter().for_each(|node| encode(layout, problem, node, &mut records));
    records
}

/// One round on the nodes, computed by the CPU.
fn round<O: Explored>(
    problem: &Problem<'_, O>,
    nodes: &[Open],
    incumbent: &mut u32,
    totals: &mut [u64; 2],
    monitor: &Monitor,
) -> Result<Vec<Open>> {
    let (mut expander, mut next, mut found) = (Expander::default(), Vec::new(), *incumbent);
    for node in nodes.iter().filter(|node| node.bound < *incumbent) {
        let parent = problem.node(node);
        if parent.free_count == 1 {
            found = found.min(problem.objective.last_value(&parent));
            continue;
        }
        totals[0] += 1;
        totals[1] += parent.free_count as u64;
        let mut children = Vec::new();
        let (end, _) = expander.expand(problem, &parent, *incumbent, monitor, &mut children)?;
        for child in children {
            next.push(node.child(child.bound, child.job, end)?);
        }
    }
    *incumbent = found;
    Ok(next)
}
