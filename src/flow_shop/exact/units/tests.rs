use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::flow_shop::exact::testing::{in_states, problem, rules};
use crate::flow_shop::testing::{best_by_enumeration, instances};
use crate::flow_shop::{self, Bound, Branching, ExactOptions};
use crate::opencl::testing::{Lie, test_devices};
use crate::testing::{assert_error, cpu_context, device_context, limited, refusal, stopped};
use crate::{Context, Control, Engine, Progress, ProgressCallback, Status};

fn options(exact: ExactOptions) -> Options {
    Options { method: Method::BranchAndBound, exact, ..Options::default() }
}

fn tree(instance: &Instance, exact: ExactOptions) -> Tree {
    Tree::new(instance.clone(), &options(exact)).unwrap()
}

/// Work on a unit for a number of nodes. Returns that of the nodes decomposed.
fn run(unit: &mut Unit, context: &Context, nodes: Option<u64>, upper_bound: &UpperBound) -> u64 {
    let limits = limited(Limits { iterations: nodes, ..Limits::default() });
    let before = unit.nodes();
    let report = unit.run(context, &limits, upper_bound).unwrap();
    let done = report.statistics.get("nodes").unwrap();
    assert_eq!(unit.nodes() - before, done);
    done
}

fn merged(units: Vec<Unit>) -> Unit {
    units.into_iter().reduce(|one, other| one.merge(other).unwrap()).unwrap()
}

/// What is done with one of several units.
#[derive(Debug, Clone)]
enum Step {
    Split(Index, usize),
    Run(Index, u64),
    Send(Index),
    Merge(Index, Index),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let unit = any::<Index>;
    let step = prop_oneof![
        (unit(), 1..5usize).prop_map(|(unit, parts)| Step::Split(unit, parts)),
        (unit(), 0..30u64).prop_map(|(unit, nodes)| Step::Run(unit, nodes)),
        unit().prop_map(Step::Send),
        (unit(), unit()).prop_map(|(one, other)| Step::Merge(one, other)),
    ];
    prop::collection::vec(step, 0..25)
}

/// Takes the steps, then completes all units, and merges them.
fn complete(tree: &Tree, steps: &[Step], upper_bound: &UpperBound) -> Unit {
    let context = cpu_context(2);
    let mut units = vec![tree.whole().unwrap()];
    for step in steps {
        match step {
            Step::Split(unit, parts) => {
                let unit = units.swap_remove(unit.index(units.len()));
                let split = unit.split(*parts).unwrap();
                assert_eq!(split.len(), *parts);
                units.extend(split);
            }
            Step::Run(unit, nodes) => {
                let unit = unit.get_mut(&mut units);
                assert!(run(unit, &context, Some(*nodes), upper_bound) <= *nodes);
            }
            Step::Send(unit) => {
                let unit = unit.get_mut(&mut units);
                *unit = tree.read(&unit.to_bytes().unwrap()).unwrap();
            }
            Step::Merge(one, other) => {
                let one = units.swap_remove(one.index(units.len()));
                if units.is_empty() {
                    units.push(one);
                } else {
                    let other = units.swap_remove(other.index(units.len()));
                    units.push(one.merge(other).unwrap());
                }
            }
        }
    }
    for unit in &mut units {
        run(unit, &context, None, upper_bound);
    }
    merged(units)
}

proptest! {
    #[test]
    fn any_parts_in_any_order_have_the_nodes_of_the_whole(
        instance in instances(9, 5),
        (bound, branching) in rules(),
        steps in steps(),
        above in 0..2u64,
    ) {
        let best = u64::from(best_by_enumeration(&instance));
        let upper_bound = Some(best + above);
        let tree = tree(&instance, ExactOptions { bound, branching, upper_bound, ..ExactOptions::default() });
        let whole = complete(&tree, &[], &UpperBound::new());
        let parts = complete(&tree, &steps, &UpperBound::new());
        prop_assert!(whole.is_done() && parts.is_done());
        prop_assert_eq!((whole.limit(), parts.limit()), (best, best));
        // Above the optimum, the order decides when it is found.
        if above == 0 {
            prop_assert_eq!(whole.nodes(), parts.nodes());
        } else {
            prop_assert_eq!(parts.best().1, best);
            prop_assert_eq!(parts.best().0.makespan(&instance).unwrap(), best);
        }
    }

    #[test]
    fn an_optimum_is_proved_without_an_upper_bound(instance in instances(8, 4), steps in steps()) {
        let found = complete(&tree(&instance, ExactOptions::default()), &steps, &UpperBound::new());
        let best = u64::from(best_by_enumeration(&instance));
        prop_assert_eq!((found.is_done(), found.limit(), found.best().1), (true, best, best));
        prop_assert_eq!(found.best().0.makespan(&instance).unwrap(), best);
    }

    #[test]
    fn an_intersection_has_the_sequences_of_both(
        instance in instances(6, 3),
        budgets in prop::array::uniform3(0..12u64),
        parts in prop::array::uniform2(1..4usize),
    ) {
        let tree = tree(&instance, ExactOptions { upper_bound: Some(u64::from(best_by_enumeration(&instance)) + 20), ..ExactOptions::default() });
        let (context, upper_bound) = (cpu_context(1), UpperBound::new());
        let mut unit = tree.whole().unwrap();
        run(&mut unit, &context, Some(budgets[0]), &upper_bound);
        let mut one = unit.clone().split(parts[0]).unwrap().swap_remove(0).with_epoch(5);
        run(&mut one, &context, Some(budgets[1]), &upper_bound);
        let mut other = unit.split(parts[1]).unwrap().swap_remove(0).with_epoch(5);
        run(&mut other, &context, Some(budgets[2]), &upper_bound);
        // Of the same limit, so that neither drops nodes for it.
        let limit = one.limit().min(other.limit());
        one.search.limit = limit as u32;
        other.search.limit = limit as u32;
        one.drop_closed();
        other.drop_closed();
        let expected: BTreeSet<_> = sequences(&one).intersection(&sequences(&other)).cloned().collect();
        let mut common = one.clone();
        common.intersect(&other).unwrap();
        // A node that one has and the other one has bounded better may be closed.
        prop_assert!(sequences(&common).is_subset(&expected));
        let value = |order: &Vec<u32>| Permutation::new(order.clone()).makespan(&instance).unwrap();
        prop_assert!(expected.difference(&sequences(&common)).all(|order| value(order) >= limit));
        let mut turned = other.clone();
        turned.intersect(&one).unwrap();
        prop_assert_eq!(sequences(&turned), sequences(&common));
    }

    /// A coordinator gives units out, splits its copies while workers run, loses workers, and gets
    /// remainders late.
    #[test]
    fn concurrent_steals_and_lost_workers_leave_nothing_out(
        instance in instances(8, 4),
        turns in prop::collection::vec((any::<Index>(), 0..4u8, 1..20u64), 0..40),
    ) {
        let best = u64::from(best_by_enumeration(&instance));
        let tree = tree(&instance, ExactOptions { upper_bound: Some(best + 1), ..ExactOptions::default() });
        let context = cpu_context(1);
        // A lost worker's schedule is lost, so others must not know of its makespan.
        let run = |unit: &mut Unit, nodes| run(unit, &context, nodes, &UpperBound::new());
        let whole = tree.whole().unwrap().with_epoch(1);
        let mut epochs = 1;
        // The coordinator's copy, and the worker's.
        let mut given = vec![(whole.clone(), whole)];
        for (place, what, nodes) in turns {
            let index = place.index(given.len());
            let (held, at_worker) = &mut given[index];
            match what {
                // The worker works without a word.
                0 => {
                    run(at_worker, Some(nodes));
                }
                // It reports, and works on what is left to it.
                1 => {
                    held.intersect(at_worker).unwrap();
                    *at_worker = held.clone();
                }
                // Half is given away. The worker does not know.
                2 => {
                    let epoch = held.epoch();
                    let mut halves = held.clone().split(2).unwrap();
                    epochs += 1;
                    let half = halves.pop().unwrap().with_epoch(epochs);
                    *held = halves.pop().unwrap().with_epoch(epoch);
                    given.push((half.clone(), half));
                }
                // The worker is lost.
                _ => *at_worker = held.clone(),
            }
        }
        for (held, at_worker) in &mut given {
            run(at_worker, None);
            held.intersect(at_worker).unwrap();
            prop_assert!(held.is_done());
        }
        let all = merged(given.into_iter().map(|(held, _)| held).collect());
        prop_assert_eq!((all.is_done(), all.limit(), all.best().1), (true, best, best));
    }
}

/// All sequences below the open nodes.
fn sequences(unit: &Unit) -> BTreeSet<Vec<u32>> {
    let jobs = unit.tree.instance().jobs() as u32;
    let mut all = BTreeSet::new();
    for node in unit.search.open.iter() {
        let free: Vec<u32> = (0..jobs).filter(|job| !node.fixed.contains(job)).collect();
        permute(&free, &mut Vec::new(), &mut |middle| {
            all.insert([node.front_jobs(), middle, node.back_jobs()].concat());
        });
    }
    all
}

fn permute(free: &[u32], order: &mut Vec<u32>, found: &mut impl FnMut(&[u32])) {
    if order.len() == free.len() {
        return found(order);
    }
    for &job in free {
        if !order.contains(&job) {
            order.push(job);
            permute(free, order, found);
            order.pop();
        }
    }
}

fn ta014() -> Tree {
    let instance = Instance::named("ta014").unwrap();
    tree(&instance, ExactOptions { upper_bound: Some(1377), ..ExactOptions::default() })
}

#[test]
fn parts_on_several_threads_have_the_known_nodes() {
    let (tree, context, upper_bound) = (ta014(), cpu_context(2), UpperBound::new());
    let mut parts = tree.whole().unwrap().split(5).unwrap();
    // Few nodes more in one part than in another: the shallowest level is dealt out.
    assert!(parts.iter().all(|part| part.open_nodes() >= NODES_AT_LEAST));
    std::thread::scope(|scope| {
        for part in &mut parts {
            let (context, upper_bound) = (&context, &upper_bound);
            scope.spawn(move || run(part, context, None, upper_bound));
        }
    });
    assert!(parts.iter().skip(1).all(|part| part.nodes() > 0));
    let whole = merged(parts);
    assert_eq!((whole.is_done(), whole.limit(), whole.nodes()), (true, 1377, 19_285));
}

/// Each part's share of the shallowest level.
const NODES_AT_LEAST: usize = 2;

#[test]
fn a_bound_from_outside_ends_a_run() {
    let tree = tree(&Instance::named("ta051").unwrap(), ExactOptions::default());
    let upper_bound = UpperBound::new();
    let outside = upper_bound.clone();
    let progress: ProgressCallback = Arc::new(move |_: &Progress<'_>| {
        outside.lower(7);
        Control::Continue
    });
    let options = SolveOptions { progress: Some(progress), ..SolveOptions::default() };
    let mut unit = tree.whole().unwrap();
    let report = unit.run(&cpu_context(2), &options, &upper_bound).unwrap();
    assert!(!report.interrupted && unit.is_done());
    assert_eq!((unit.limit(), upper_bound.get()), (7, Some(7)));
    assert!(unit.best().1 > 7);
}

#[test]
fn a_stop_leaves_the_remainder() {
    let tree = ta014();
    let mut unit = tree.whole().unwrap();
    let report = unit.run(&cpu_context(1), &stopped(), &UpperBound::new()).unwrap();
    assert!(report.interrupted && !unit.is_done());
    assert_eq!((unit.open_nodes(), unit.nodes()), (1, 0));
}

#[test]
fn a_checkpoint_is_a_unit_and_a_unit_is_a_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ta014.checkpoint");
    let instance = Instance::named("ta014").unwrap();
    let exact = ExactOptions {
        upper_bound: Some(1377),
        checkpoint: Some(path.clone()),
        ..ExactOptions::default()
    };
    let (context, with_file) = (cpu_context(2), options(exact));
    let some = limited(Limits { iterations: Some(3_000), ..Limits::default() });
    flow_shop::solve(&context, &instance, &with_file, &some).unwrap();
    let tree = ta014();
    let unit = tree.continued(&path).unwrap();
    // Complete sequences are iterations, too.
    assert!((1..=3_000).contains(&unit.nodes()) && !unit.is_done());
    let mut parts = unit.split(3).unwrap();
    parts[1..].iter_mut().for_each(|part| {
        run(part, &context, None, &UpperBound::new());
    });
    merged(parts).write_checkpoint(&path).unwrap();
    let outcome = flow_shop::solve(&context, &instance, &with_file, &SolveOptions::default());
    let outcome = outcome.unwrap();
    assert_eq!((outcome.status, outcome.bound), (Status::Infeasible, Some(1377)));
    assert_eq!(outcome.report.statistics.get("nodes"), Some(19_285));
    assert_error!(tree.continued(&folder.path().join("missing")), Error::Io { .. });
}

#[test]
fn a_better_schedule_from_outside_is_taken() {
    let tree = tree(&Instance::named("ta014").unwrap(), ExactOptions::default());
    let mut unit = tree.whole().unwrap();
    let (schedule, makespan) = unit.best();
    let worse = Permutation::new((0..20).collect());
    unit.offer(&worse).unwrap();
    assert_eq!(unit.best(), (schedule, makespan));
    let mut solved = unit.clone();
    run(&mut solved, &cpu_context(2), None, &UpperBound::new());
    unit.offer(&solved.best().0).unwrap();
    assert_eq!((unit.best(), unit.limit()), (solved.best(), 1377));
    assert_eq!(
        refusal(unit.offer(&Permutation::new(vec![3; 20])), "permutation"),
        "job 3 stands at position 0 already"
    );
}

#[test]
fn bytes_of_other_kinds_are_refused() {
    let tree = ta014();
    let bytes = tree.whole().unwrap().with_epoch(9).to_bytes().unwrap();
    assert_eq!(tree.read(&bytes).unwrap().epoch(), 9);
    let reason = |tree: &Tree, bytes: &[u8]| refusal(tree.read(bytes), "unit");
    let other = Instance::named("ta015").unwrap();
    let exact = ExactOptions::default();
    assert_eq!(
        reason(&super::tests::tree(&other, exact.clone()), &bytes),
        "belongs to another instance"
    );
    let instance = tree.instance();
    for exact in [
        ExactOptions { bound: Bound::TwoMachine, ..exact.clone() },
        ExactOptions { branching: Branching::MinMin, ..exact.clone() },
    ] {
        let other = super::tests::tree(instance, exact);
        assert_eq!(reason(&other, &bytes), "belongs to a search with other options");
    }
    // How a worker searches does not matter.
    let pool = ExactOptions { exploration: flow_shop::Exploration::HostPool, ..exact };
    assert!(super::tests::tree(instance, pool).read(&bytes).is_ok());
    let mut newer = bytes.clone();
    newer[8] = 2;
    assert_eq!(reason(&tree, &newer), "has a version that this library does not know");
    assert_eq!(reason(&tree, b"mksfsbb\n"), "is no unit of a flow shop's search");
    for length in 0..bytes.len() {
        assert!(tree.read(&bytes[..length]).is_err(), "{length}");
        let mut altered = bytes.clone();
        altered[length] ^= 16;
        assert!(tree.read(&altered).is_err(), "{length}");
    }
}

#[test]
fn units_that_do_not_belong_together_are_refused() {
    let tree = ta014();
    let unit = tree.whole().unwrap();
    let mut held = unit.clone().with_epoch(3);
    assert_eq!(
        refusal(held.intersect(&unit), "remainder"),
        "is of epoch 0, the unit is of epoch 3"
    );
    let mut free = unit.clone();
    assert_eq!(
        refusal(free.intersect(&unit), "remainder"),
        "is of epoch 0, the unit is of epoch 0"
    );
    let other = super::tests::tree(&Instance::named("ta015").unwrap(), ExactOptions::default());
    let other = other.whole().unwrap().with_epoch(3);
    assert_eq!(refusal(held.intersect(&other), "remainder"), "belongs to another search tree");
    assert_eq!(refusal(unit.clone().merge(other), "unit"), "belongs to another search tree");
    // The same instance, but another limit for branching.
    let wider = super::tests::tree(tree.instance(), ExactOptions::default());
    assert_eq!(
        refusal(unit.clone().merge(wider.whole().unwrap()), "unit"),
        "belongs to another search tree"
    );
    assert_eq!(refusal(unit.split(0), "parts"), "must be at least 1, not 0");
}

#[test]
fn what_has_no_units_is_refused() {
    let instance = Instance::named("ta001").unwrap();
    let refused = |instance: &Instance, options: Options| Tree::new(instance.clone(), &options);
    let auto = refused(&instance, Options::default());
    assert!(refusal(auto, "method").starts_with("must be branch-and-bound"));
    let kept = ExactOptions { checkpoint: Some("x".into()), ..ExactOptions::default() };
    assert!(refusal(refused(&instance, options(kept)), "checkpoint").contains("not kept"));
    let blocking = instance.with_blocking().unwrap();
    assert_error!(refused(&blocking, options(ExactOptions::default())), Error::Unsupported(_));
}

#[test]
fn a_device_does_units_with_the_known_nodes() {
    for device in test_devices() {
        if device.quirks().simulator {
            continue;
        }
        let (tree, context) = (ta014(), device_context(&device));
        let mut parts = tree.whole().unwrap().split(2).unwrap();
        let options = SolveOptions { engine: Some(Engine::Device), ..SolveOptions::default() };
        let report = parts[0].run(&context, &options, &UpperBound::new()).unwrap();
        assert!(report.device.is_some() && parts[0].search.by_device);
        run(&mut parts[1], &cpu_context(1), None, &UpperBound::new());
        let whole = merged(parts);
        assert_eq!((whole.is_done(), whole.nodes()), (true, 19_285));
        // The iterations would be counted on the CPU.
        let counted = limited(Limits { iterations: Some(9), ..Limits::default() });
        let counted = SolveOptions { engine: Some(Engine::Device), ..counted };
        let refused = tree.whole().unwrap().run(&context, &counted, &UpperBound::new());
        assert_error!(refused, Error::Unsupported(_));
    }
}

#[test]
fn a_run_beyond_the_memory_says_so_and_loses_nothing() {
    let tree = ta014();
    let mut unit = tree.whole().unwrap();
    let before = unit.clone();
    let small = limited(Limits { memory: Some(1 << 10), ..Limits::default() });
    let refused = unit.run(&cpu_context(1), &small, &UpperBound::new());
    assert_error!(refused, Error::OutOfMemory { .. });
    assert!(unit.search == before.search);
    run(&mut unit, &cpu_context(1), None, &UpperBound::new());
    assert_eq!((unit.is_done(), unit.nodes()), (true, 19_285));
}

#[test]
fn nothing_that_a_wrong_device_did_stays_in_a_unit() {
    for device in test_devices() {
        if device.quirks().simulator {
            continue;
        }
        let (tree, context) = (ta014(), device_context(&device));
        let instance = tree.instance();
        let problem = problem(instance, Bound::OneMachine, Branching::MinBranch, 1377);
        let options = SolveOptions { engine: Some(Engine::Device), ..SolveOptions::default() };
        for by_device in [false, true] {
            let mut unit = tree.whole().unwrap();
            unit.search.by_device = by_device;
            let before = unit.clone();
            context.chosen_device().lie(in_states(Lie::of("flow_shop_branch", 1), &problem));
            let found = unit.run(&context, &options, &UpperBound::new());
            assert_error!(found, Error::DeviceWrong(_));
            assert!(unit.search == before.search);
        }
    }
}
