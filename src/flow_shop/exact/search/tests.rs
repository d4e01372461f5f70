use super::*;
use crate::flow_shop::exact::makespan::Makespan;
use crate::flow_shop::exact::oracles::{Tree, trees};
use crate::flow_shop::exact::testing::{NONE, in_order, in_states, problem};
use crate::flow_shop::{self, Bound, Branching, Instance, Method, Options};
use crate::opencl::testing::{Lie, real_test_devices};
use crate::testing::{assert_error, cpu_context, limited, monitor};
use crate::{DeviceKind, Limits};

/// A search that has decomposed some nodes.
fn under_way<'a, 'c>(
    (problem, limit): (&'a Problem<'a, Makespan<'a>>, &'a Limit),
    monitor: &'a Monitor,
    keeper: &'a Keeper<'a, Makespan<'a>>,
    team: Team<'c>,
    open: Vec<Open>,
) -> Search<'a, 'c, Makespan<'a>> {
    Search {
        problem,
        limit,
        monitor,
        keeper: Some(keeper),
        keeps_open: true,
        plan: ExactOptions::default().plan(),
        counts_iterations: false,
        begun: Instant::now(),
        length: FIRST_SLICE,
        least_length: Duration::ZERO,
        turns: None,
        counts: Counts { nodes: 10, bounds: 20 },
        open,
        without_devices: None,
        was_misled: false,
        team,
    }
}

#[test]
fn what_was_kept_in_a_slice_that_failed_stays_done() {
    let (context, monitor) = (cpu_context(1), monitor());
    let instance = Instance::named("ta001").unwrap();
    let problem = problem(&instance, Bound::OneMachine, Branching::MinBranch, 1278);
    let limit = Limit::new(in_order(&instance), 1278);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("search.checkpoint");
    let keeper = Keeper::new(&context, &problem, &limit, &path, Duration::MAX);
    let root = problem.root_node();
    let team = context.team(&monitor);
    let mut search = under_way((&problem, &limit), &monitor, &keeper, team, vec![root.clone()]);
    search.keep().unwrap();
    for midway in [false, true] {
        search.slice(DEVICE_SLICE);
        let later = Open { bound: root.bound + 1, ..root.clone() };
        if midway {
            keeper.keep_midway(std::slice::from_ref(&later), Counts { nodes: 5, bounds: 6 });
        }
        search.open.clear();
        search.resume(vec![root.clone()]);
        let (open, nodes) = if midway { (later, 15) } else { (root.clone(), 10) };
        assert_eq!((&search.open, search.counts.nodes), (&vec![open], nodes));
    }
}

#[test]
fn nothing_that_a_wrong_device_did_counts() {
    for device in real_test_devices() {
        let (context, monitor) = (cpu_context(1), monitor());
        let instance = Instance::named("ta014").unwrap();
        let problem = problem(&instance, Bound::OneMachine, Branching::MinBranch, 1377);
        let limit = Limit::new(in_order(&instance), 1377);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("search.checkpoint");
        // Always due: devices return their open nodes again and again.
        let keeper = Keeper::new(&context, &problem, &limit, &path, Duration::ZERO);
        let root = problem.root_node();
        // A search that began on the CPU, and one from a device's file.
        for by_device in [false, true] {
            let open = vec![Open { bound: root.bound + 1, ..root.clone() }];
            let team = context.team(&monitor);
            let mut search = under_way((&problem, &limit), &monitor, &keeper, team, open.clone());
            search.without_devices = by_device.then(|| (vec![root.clone()], Counts::default()));
            let counts = search.counts;
            search.keep().unwrap();
            let kept =
                || Checkpoint::read::<Makespan<'_>>(&instance, &path, &monitor).unwrap().unwrap();
            assert_eq!(kept().by_device, by_device);
            device.lie(in_states(Lie::of("flow_shop_branch", 1), &problem));
            let found = search.on_device(&device);
            assert_error!(found, Error::DeviceWrong(_));
            let expected =
                if by_device { (vec![root.clone()], Counts::default()) } else { (open, counts) };
            assert_eq!((&search.open, search.counts), (&expected.0, expected.1));
            let kept = kept();
            assert_eq!((kept.by_device, kept.counts), (false, expected.1));
            assert_eq!(kept.open.into_owned(), expected.0);
        }
    }
}

/// A context that takes the device for a graphics card.
fn pretending(index: usize, threads: usize) -> Context {
    let context = Context::pretending(index, DeviceKind::Gpu, threads);
    context.chosen_device().spare_self_tests();
    context
}

/// Searches the whole tree below the problem's limit, with these turns.
fn nodes_by_turns<'i>(
    context: &Context,
    problem: &Problem<'_, Makespan<'i>>,
    order: &[Crewing],
    keeper: Option<&Keeper<'_, Makespan<'i>>>,
) -> (u64, Option<String>) {
    let monitor = monitor();
    let limit = Limit::new(NONE, problem.initial_limit);
    let mut dispatch = context.dispatch(None).unwrap();
    let mut search = Search {
        problem,
        limit: &limit,
        monitor: &monitor,
        keeper,
        keeps_open: keeper.is_some(),
        plan: ExactOptions::default().plan(),
        counts_iterations: false,
        begun: Instant::now(),
        length: Duration::from_millis(5),
        least_length: Duration::ZERO,
        turns: Some(Turns::in_order(order)),
        counts: Counts::default(),
        open: vec![problem.root_node()],
        without_devices: None,
        was_misled: false,
        team: context.team(&monitor),
    };
    search.run(&mut dispatch).unwrap();
    assert!(search.open.is_empty() && limit.best() == NONE);
    let nodes = search.counts.nodes;
    let mut report = crate::Report::default();
    dispatch.finish(&monitor, &mut report);
    assert_eq!(report.fallback, None);
    (nodes, report.device)
}

/// Searches until the kernels are built.
fn build(context: &Context, tree: &Tree) {
    let is_built = || {
        let order = [Crewing::Device];
        tree.with(|problem| nodes_by_turns(context, problem, &order, None)).1.is_some()
    };
    assert!((0..1_000).any(|_| is_built()), "no device took part");
}

#[test]
fn nodes_move_between_cpu_and_device_without_loss() {
    use Crewing::{Both, Cpu, Device};
    for device in real_test_devices() {
        let context = pretending(device.info().index, 2);
        let is_fitting = |tree: &Tree| (100_000..400_000).contains(&tree.nodes);
        for tree in trees(400_000, 0).filter(is_fitting) {
            build(&context, &tree);
            for order in [&[Device, Cpu][..], &[Both, Cpu], &[Cpu, Device, Both, Device]] {
                let (nodes, used) =
                    tree.with(|problem| nodes_by_turns(&context, problem, order, None));
                assert_eq!(nodes, tree.nodes, "{tree:?} {order:?}");
                assert!(used.is_some(), "{order:?}: no device took part");
            }
        }
    }
}

#[test]
fn a_checkpoint_during_turns_of_a_device_has_all_open_nodes() {
    for device in real_test_devices() {
        let context = pretending(device.info().index, 2);
        let tree = trees(400_000, 0).find(|tree| (150_000..200_000).contains(&tree.nodes)).unwrap();
        build(&context, &tree);
        tree.with(|problem| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("search.checkpoint");
            let limit = Limit::new(NONE, problem.initial_limit);
            // Always due.
            let keeper = Keeper::new(&context, problem, &limit, &path, Duration::ZERO);
            let order = [Crewing::Both, Crewing::Cpu];
            let (nodes, _) = nodes_by_turns(&context, problem, &order, Some(&keeper));
            assert_eq!(nodes, tree.nodes);
        });
    }
}

/// Searches below the optimum of an instance. Returns the decomposed nodes and the device.
fn searched(context: &Context, name: &str, seconds: Option<u64>) -> (u64, Option<String>) {
    let known = flow_shop::taillard::find(name).unwrap();
    let exact =
        ExactOptions { upper_bound: Some(known.upper_bound.into()), ..ExactOptions::default() };
    let options = Options { method: Method::BranchAndBound, exact, ..Options::default() };
    let time = seconds.map(Duration::from_secs);
    let limits = limited(Limits { time, ..Limits::default() });
    let report = flow_shop::solve(context, &known.instance(), &options, &limits).unwrap().report;
    (report.statistics.get("nodes").unwrap(), report.device)
}

#[test]
fn auto_opens_no_device_for_a_short_search() {
    for device in real_test_devices() {
        // On a busy machine even this tree of a millisecond may take long.
        let after_short_search = || {
            let context = Context::pretending(device.info().index, DeviceKind::Gpu, 2);
            let start = Instant::now();
            assert_eq!(searched(&context, "ta016", None).0, 1_509);
            (start.elapsed() < WORTH_A_LOOK).then_some(context)
        };
        let context = (0..100).find_map(|_| after_short_search()).expect("no search was short");
        assert!(!context.knows_device(), "it opened a driver in vain");
    }
}

#[test]
fn auto_tries_a_device_in_a_long_search() {
    for device in real_test_devices() {
        let context = pretending(device.info().index, 2);
        // The kernels may be built in a later one of the searches.
        let takes_part = || {
            let (nodes, used) = searched(&context, "ta030", None);
            assert_eq!(nodes, 2_415_747);
            used.is_some()
        };
        assert!((0..20).any(|_| takes_part()), "no device was tried");
    }
}

#[test]
#[ignore = "takes a minute, and needs an idle machine"]
fn a_slow_device_costs_a_long_search_little() {
    for device in real_test_devices() {
        let seconds = 8;
        let (alone, _) = searched(&cpu_context(2), "ta021", Some(seconds));
        for slowness in [1, 10, 100, 1_000] {
            let context = pretending(device.info().index, 2);
            // Builds the kernels.
            searched(&context, "ta030", None);
            context.chosen_device().slow_down(slowness);
            let (nodes, used) = searched(&context, "ta021", Some(seconds));
            let share = nodes as f64 / alone as f64;
            assert!(used.is_some(), "no device was tried");
            assert!(share >= 0.8, "{slowness} times slower: {share:.3} of {alone} nodes");
        }
    }
}
