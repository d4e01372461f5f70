//! Compares the kernels with the CPU.

use super::Evaluator;
use super::layout::Layout;
use super::stack::{Check, Stack};
use super::tables::NEAR_TIMES_BYTES;
use crate::flow_shop::exact::expand::Expander;
use crate::flow_shop::exact::limit::Limit;
use crate::flow_shop::exact::node::{Open, State};
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::{Bound, Branching, self_test};
use crate::flow_shop::incumbent::Best;
use crate::flow_shop::self_test::instance;
use crate::flow_shop::{Instance, Permutation};
use crate::opencl::{Failing, Trial, agree};
use crate::solve::{Monitor, SolveOptions};
use crate::{Context, Result};

/// Initial nodes, if a batch has room for them: more than a tile holds.
const NODES: usize = 45;
/// Free jobs of the initial nodes.
const FREE: [usize; 2] = [1, 6];
/// Most nodes of a batch: more than there are.
const BATCH: usize = 1 << 10;
/// Rounds after which the children of all nodes are compared, if all fit into a batch.
const ROUNDS: usize = 2;

/// Bounds the children of some nodes or decomposes the nodes, depending on the program's use.
pub(super) fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let instance = form(trial)?;
    let monitor = Monitor::new(&SolveOptions::default());
    let has = |name| trial.define(name) == Some(1);
    let bound = match (has("TWO_MACHINES"), has("REFINE")) {
        (_, true) => Bound::Refined,
        (true, _) => Bound::TwoMachine,
        _ => Bound::OneMachine,
    };
    let problem = |rule, limit| Problem::new(&instance, bound, rule, limit, &monitor);
    let any = problem(Branching::default(), u32::MAX)?;
    let nodes: Vec<Open> = self_test::nodes(&any, FREE).take(NODES).collect();
    if !has("SEARCHES") {
        return bound_children(trial, &any, &nodes, &monitor);
    }
    // About half of the children stay open.
    let mut bounds = Vec::new();
    for node in &nodes {
        bounds.extend(self_test::bounds(&any, node, &monitor)?.into_iter().map(|both| both[0]));
    }
    bounds.sort_unstable();
    let limit = bounds[bounds.len() / 2];
    for rule in Branching::ALL {
        search(trial, &problem(rule, limit)?, nodes.clone(), &monitor)?;
    }
    Ok(())
}

/// An instance that matches the program's defines.
fn form(trial: &Trial<'_>) -> Result<Instance> {
    let define = |name| trial.define(name).unwrap_or(0) as usize;
    let machines = define("MACHINES");
    let row_bytes = 4 * machines.next_multiple_of(4) * if define("WIDE") == 1 { 2 } else { 1 };
    let far = NEAR_TIMES_BYTES / row_bytes + 1;
    let least = if define("LONG_NUMBERS") == 1 { 257 } else { 11 };
    let jobs = if define("TIMES_IN_LOCAL") == 1 { least } else { least.max(far) };
    let longest = match define("WIDE") {
        1 => 99_999,
        // Every schedule's length fits in 16 bits.
        _ => (60_000 / (jobs + machines + 3)).clamp(1, 99) as u32,
    };
    instance(jobs + 1, machines, 1, longest)
}

fn bound_children(
    trial: &Trial<'_>,
    problem: &Problem<'_>,
    nodes: &[Open],
    monitor: &Monitor,
) -> Result<(), Failing> {
    let (mut found, mut expected) = (Vec::new(), Vec::new());
    Evaluator::new(trial.device(), problem)?.evaluate(nodes, &mut found)?;
    for node in nodes {
        expected.extend(self_test::bounds(problem, node, monitor)?);
    }
    agree("flow_shop_children", &found, &expected)
}

/// Compares the open nodes after some rounds.
fn search(
    trial: &Trial<'_>,
    problem: &Problem<'_>,
    mut nodes: Vec<Open>,
    monitor: &Monitor,
) -> Result<(), Failing> {
    let mut stack = Stack::with_batches(trial.device(), problem, BATCH, monitor)?;
    // Many jobs make batches small. Nodes beyond the batch would leave kernels of a round untested.
    nodes.truncate(stack.batch_nodes());
    let layout = stack.layout().clone();
    stack.push(&records(problem, &layout, &nodes))?;
    let limit = Limit::new(Best { makespan: u32::MAX, order: Vec::new() }, problem.initial_limit);
    let (nodes, incumbent) = rounds(&mut stack, problem, nodes, &limit, monitor)?;
    let best = limit.best();
    if !best.order.is_empty() {
        let makespan = Permutation::new(best.order).makespan(problem.instance)?;
        agree("the best sequence", &[makespan], &[incumbent.into()])?;
    }
    if nodes.is_empty() { Ok(()) } else { compare_open(&mut stack, problem, &layout, &nodes) }
}

/// Runs rounds on both engines; returns the remaining open nodes and the incumbent.
fn rounds(
    stack: &mut Stack<'_>,
    problem: &Problem<'_>,
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
        let runs = stack.turn(problem, limit, monitor)?;
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
fn compare_open(
    stack: &mut Stack<'_>,
    problem: &Problem<'_>,
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

fn records(problem: &Problem<'_>, layout: &Layout, nodes: &[Open]) -> Vec<u32> {
    let mut records = Vec::new();
    nodes.iter().for_each(|node| layout.encode(problem, node, &mut records));
    records
}

/// One round on the nodes, computed by the CPU.
fn round(
    problem: &Problem<'_>,
    nodes: &[Open],
    incumbent: &mut u32,
    totals: &mut [u64; 2],
    monitor: &Monitor,
) -> Result<Vec<Open>> {
    let (mut expander, mut next, mut found) = (Expander::default(), Vec::new(), *incumbent);
    for node in nodes.iter().filter(|node| node.bound < *incumbent) {
        let state = State::of(problem, node);
        if state.free_count == 1 {
            found = found.min(state.last_makespan(problem));
            continue;
        }
        totals[0] += 1;
        totals[1] += state.free_count as u64;
        let mut children = Vec::new();
        let (end, _) = expander.expand(problem, &state, *incumbent, monitor, &mut children)?;
        for child in children {
            next.push(node.child(child.bound, child.job, end)?);
        }
    }
    *incumbent = found;
    Ok(next)
}

#[cfg(test)]
mod tests {
    use crate::flow_shop::exact::device::tables::FAMILY;
    use crate::opencl::testing::{expect_lies_to_be_noticed, self_testing_devices};

    fn form(wide: u64, [two, refine]: [u64; 2], searches: u64) -> [(&'static str, u64); 7] {
        [
            ("MACHINES", 5),
            ("WIDE", wide),
            ("LONG_NUMBERS", 0),
            ("TIMES_IN_LOCAL", 1),
            ("TWO_MACHINES", two),
            ("REFINE", refine),
            ("SEARCHES", searches),
        ]
    }

    #[test]
    fn wrong_kernels_are_barred() {
        let bounds: &[(_, &[usize])] = &[("flow_shop_children", &[2])];
        expect_lies_to_be_noticed(&FAMILY, &form(0, [0, 0], 0), bounds);
        expect_lies_to_be_noticed(&FAMILY, &form(1, [1, 0], 0), bounds);
        // Lies in other results of the kernels would make later kernels write outside their
        // buffers.
        let lies: [(_, &[usize]); 5] = [
            ("flow_shop_advance", &[9, 10]),
            ("flow_shop_smallest", &[3]),
            ("flow_shop_tails", &[5]),
            ("flow_shop_sample", &[6]),
            ("flow_shop_shift", &[0]),
        ];
        expect_lies_to_be_noticed(&FAMILY, &form(0, [1, 1], 1), &lies);
        expect_lies_to_be_noticed(&FAMILY, &form(0, [0, 0], 1), &[]);
        expect_lies_to_be_noticed(&FAMILY, &form(1, [1, 0], 1), &[]);
    }

    #[test]
    fn rounds_are_compared_where_batches_are_small() {
        let many_jobs = [
            ("MACHINES", 5),
            ("WIDE", 0),
            ("LONG_NUMBERS", 1),
            ("TIMES_IN_LOCAL", 0),
            ("TWO_MACHINES", 1),
            ("REFINE", 0),
            ("SEARCHES", 1),
        ];
        let change = ["node[BOUND] = bound;", "node[BOUND] = bound + (child == 1);"];
        for device in self_testing_devices().into_iter().filter(|device| !device.quirks().simulator)
        {
            assert!(device.test_changed(&FAMILY, &many_jobs, change).is_err());
        }
    }

    #[test]
    fn kernels_that_expand_or_branch_wrongly_are_barred() {
        let changes = [
            ["bound = larger(bound, start + load.P1);", ""],
            [
                "return difference == 0 ? by_sum(bounds, open) : difference < 0;",
                "return difference > 0;",
            ],
            ["rest[own] -= time[own];", ""],
            ["node[BOUND] = bound;", "node[BOUND] = bound + (child == 1);"],
        ];
        for device in self_testing_devices().into_iter().filter(|device| !device.quirks().simulator)
        {
            for change in changes {
                let found = device.test_changed(&FAMILY, &form(0, [0, 0], 1), change);
                assert!(found.is_err(), "{change:?}");
            }
        }
    }
}
