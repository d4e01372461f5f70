use proptest::prelude::*;

use super::bounds;
use super::branch_and_bound::BranchAndBound;
use super::cpu::{Cell, CpuTable};
use super::dense::{Found, items, order, select};
use super::reduction::Problem;
use super::testing::{PETERSEN, best_profit, drawn, instances, reduced, sums};
use super::tree::Plan;
use super::*;
use crate::simd::Simd;
use crate::solve::{Limits, Monitor};
use crate::testing::{assert_error, cpu_context, limited, monitor};
use crate::{Engine, ProcessorSpeeds, Status, knapsack};

fn run(instance: &Instance, method: Method, options: &SolveOptions) -> Outcome<Selection> {
    solve(&cpu_context(1), instance, &method.into(), options).unwrap()
}

fn optimum(instance: &Instance, method: Method) -> u64 {
    let outcome = run(instance, method, &SolveOptions::default());
    assert_eq!(outcome.status, Status::Optimal, "{method:?}");
    assert_eq!(outcome.objective, outcome.bound);
    outcome.objective.unwrap() as u64
}

/// The dense table of all pieces, without those that bounds fix.
fn table<T: Cell>(instance: &Instance, threads: usize, simd: Simd, monitor: &Monitor) -> Found {
    let (context, problem) = (cpu_context(threads), reduced(instance));
    let mut table = CpuTable::<T>::new(&context, monitor).with_simd(simd);
    select(&mut table, &problem, &items(&problem).unwrap()).unwrap()
}

/// What branch and bound finds that is worth more than `known`, in steps of some nodes. Steps of less
/// than four nodes are of trees with targets only. From the second step on, it searches for the
/// selection of the table. Returns also the best profit before that.
fn branched(problem: &Problem, known: u64, nodes: [u64; 2]) -> (u64, Option<(u64, Vec<bool>)>) {
    let prices = bounds::search(problem, known, &monitor()).unwrap().prices;
    let items = order(problem).unwrap();
    let plan = Plan::new(problem, &prices, &items).unwrap();
    let mut search = BranchAndBound::new(&plan, known).unwrap().with_all_trees();
    let mut is_complete = search.advance(nodes[0]).unwrap();
    let first = search.best.profit;
    if !is_complete {
        search.pick_of_table();
    }
    while !is_complete {
        is_complete = search.advance(nodes[1]).unwrap();
        assert!(search.bound >= search.best.profit);
    }
    let taken = search.best.selection(&plan).unwrap();
    (first, taken.map(|taken| (search.best.profit, taken)))
}

proptest! {
    #[test]
    fn branch_and_bound_finds_the_selection_of_the_table(
        instance in instances(), known in 0u64..99, nodes in 1u64..40,
    ) {
        let problem = reduced(&instance);
        let best = table::<u64>(&instance, 1, Simd::detect(), &monitor());
        let known = known.min(best.profit);
        for nodes in [[0, 1], [0, nodes], [0, u64::MAX], [1, 1], [nodes, nodes]] {
            let (first, found) = branched(&problem, known, nodes);
            if first < best.profit {
                prop_assert_eq!(found, Some((best.profit, best.taken.clone())));
            }
        }
        let (profit, found) = branched(&problem, known, [u64::MAX, 0]);
        prop_assert_eq!(profit, best.profit);
        prop_assert_eq!(found.is_some(), profit > known);
    }

    #[test]
    fn every_method_finds_the_optimum(instance in instances()) {
        let expected = best_profit(&instance);
        for method in [Method::Auto, Method::BranchAndBound, Method::Dense] {
            prop_assert_eq!(optimum(&instance, method), expected);
        }
        let greedy = run(&instance, Method::Greedy, &SolveOptions::default());
        prop_assert!(greedy.objective <= Some(expected as i64));
        prop_assert!(greedy.bound >= Some(expected as i64));
    }

    #[test]
    fn tables_without_fixed_items_agree_with_the_definition(instance in instances()) {
        let problem = reduced(&instance);
        for simd in Simd::available() {
            let found = table::<u16>(&instance, 1, simd, &monitor());
            prop_assert_eq!(problem.worth(found.profit), best_profit(&instance));
            let counts = problem.counts(&found.taken).unwrap();
            prop_assert_eq!(instance.profit_of(&counts).unwrap(), best_profit(&instance));
            prop_assert_eq!(found, table::<u64>(&instance, 1, simd, &monitor()));
        }
    }

    #[test]
    fn what_bounds_fix_is_in_every_better_selection(instance in instances()) {
        let (problem, best) = (reduced(&instance), best_profit(&instance));
        if problem.len() > 0 {
            let found = bounds::search(&problem, 0, &monitor()).unwrap();
            prop_assert!(problem.worth(found.prices.bound()) >= best);
            prop_assert!(problem.worth(found.profit) <= best);
            if problem.worth(found.profit) < best {
                let fixed = found.prices.fixed(found.profit).unwrap();
                let rest = problem.fixed(&fixed).unwrap().unwrap();
                let ended = bounds::search(&rest, 0, &monitor()).unwrap();
                prop_assert!(rest.worth(ended.prices.bound()) >= best);
            }
        }
    }

    #[test]
    fn one_dimension_is_a_knapsack(
        items in prop::collection::vec((1u64..99, 1u64..99), 1..40), capacity in 0u64..2000,
    ) {
        let (profits, weights): (Vec<u64>, Vec<u64>) = items.into_iter().unzip();
        let one = knapsack::Instance::new(profits.clone(), weights.clone(), capacity).unwrap();
        let context = cpu_context(1);
        let options = knapsack::Options::default();
        let expected = knapsack::solve(&context, &one, &options, &SolveOptions::default()).unwrap();
        let instance = Instance::new(profits, weights, vec![capacity]).unwrap();
        for method in [Method::Auto, Method::Dense] {
            prop_assert_eq!(Some(optimum(&instance, method) as i64), expected.objective);
        }
    }
}

proptest! {
    #[test]
    fn a_solve_is_never_worse_than_its_start(instance in instances()) {
        let best = run(&instance, Method::BranchAndBound, &SolveOptions::default());
        let none = Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() };
        for method in Method::ALL {
            let own = Options { start: best.solution.clone(), ..method.into() };
            for limits in [none.clone(), Limits::default()] {
                let found = solve(&cpu_context(1), &instance, &own, &limited(limits)).unwrap();
                prop_assert_eq!(found.objective, best.objective);
                prop_assert!(found.bound >= found.objective);
            }
        }
    }
}

#[test]
fn a_known_optimum_is_found() {
    let instance = Instance::parse(PETERSEN).unwrap();
    for method in [Method::Auto, Method::BranchAndBound, Method::Dense] {
        assert_eq!(optimum(&instance, method), 3800);
    }
    assert_eq!(best_profit(&instance), 3800);
}

#[test]
fn threads_sets_of_instructions_and_types_of_cells_change_nothing() {
    let shapes = [&[50, 60, 90][..], &[3, 4, 5, 6, 200], &[7000], &[3, 40_000]];
    for (capacities, seed) in shapes.into_iter().zip(1..) {
        let instance = drawn(20, capacities, seed);
        let one = table::<u32>(&instance, 1, Simd::detect(), &monitor());
        let problem = reduced(&instance);
        let counts = problem.counts(&one.taken).unwrap();
        assert_eq!(instance.profit_of(&counts).unwrap(), problem.worth(one.profit));
        assert_eq!(optimum(&instance, Method::BranchAndBound), problem.worth(one.profit));
        for simd in Simd::available() {
            assert_eq!(one, table::<u16>(&instance, 3, simd, &monitor()), "{capacities:?}");
            assert_eq!(one, table::<u64>(&instance, 2, simd, &monitor()), "{capacities:?}");
        }
    }
}

#[test]
fn branch_and_bound_finds_the_selection_of_the_table_among_many_best_ones() {
    // Equal pieces, and profits that are sums of weights.
    let equal = Instance::new(vec![7; 12], vec![3; 24], vec![20, 22]).unwrap();
    let sums = (1..14).map(|weight| 2 * weight % 13 + 1).collect();
    let sums = Instance::new(sums, (1..14).map(|w| 2 * w % 13 + 1).collect(), vec![41]).unwrap();
    for instance in [equal, sums, drawn(20, &[50, 60, 90], 1), drawn(70, &[90, 70], 2)] {
        let problem = reduced(&instance);
        let best = table::<u32>(&instance, 1, Simd::detect(), &monitor());
        for nodes in [3, 1 << 10] {
            let (_, found) = branched(&problem, 0, [0, nodes]);
            assert_eq!(found, Some((best.profit, best.taken.clone())));
            let (_, found) = branched(&problem, best.profit, [nodes, nodes]);
            assert_eq!(found, None);
        }
    }
}

/// On a processor that does this much each second.
fn run_at(rate: f64, instance: &Instance, options: &SolveOptions) -> Outcome<Selection> {
    let context = cpu_context(1);
    let (core_add_min_rate, core_memory_rate, memory_rate) = (rate, rate, rate);
    let estimate = ProcessorSpeeds::estimate(1);
    context.assume(ProcessorSpeeds {
        core_add_min_rate,
        core_memory_rate,
        memory_rate,
        ..estimate
    });
    solve(&context, instance, &Options::default(), options).unwrap()
}

#[test]
fn speeds_choose_the_method_but_not_the_selection() {
    let cells = |outcome: &Outcome<Selection>| outcome.report.statistics.get("cells").unwrap();
    for seed in 0..8 {
        let instance = sums(14, seed);
        let [tree, table] =
            [1.0, 1e30].map(|rate| run_at(rate, &instance, &SolveOptions::default()));
        assert_eq!(cells(&tree), 0);
        assert!(cells(&table) > 0);
        assert_eq!(tree.solution, table.solution, "{seed}");
    }
}

#[test]
fn branch_and_bound_continues_if_the_decisions_exceed_the_memory() {
    let limits = Limits { memory: Some(31 * 41 * 51 * 2 + 5000), ..Limits::default() };
    for seed in 0..4 {
        let instance = drawn(24, &[30, 40, 50], seed);
        let found = run_at(1e30, &instance, &limited(limits.clone()));
        assert_eq!(found.status, Status::Optimal);
        assert_eq!(found.objective, Some(optimum(&instance, Method::Dense) as i64));
    }
}

#[test]
fn items_that_read_their_own_row_are_shared_by_threads() {
    // Two items have a weight in the last dimension only.
    let profits = vec![9, 8, 7, 13, 5, 30];
    let first = [0, 0, 30, 41, 52, 60];
    let second = [70, 3, 200, 150, 260, 400];
    let weights = [first, second].concat();
    let instance = Instance::new(profits, weights, vec![100, 500]).unwrap();
    let one = table::<u16>(&instance, 1, Simd::detect(), &monitor());
    assert_eq!(reduced(&instance).worth(one.profit), best_profit(&instance));
    assert_eq!(one, table::<u16>(&instance, 4, Simd::detect(), &monitor()));
}

#[test]
fn parts_of_the_decisions_lead_to_the_same_selection() {
    let instance = drawn(24, &[30, 40, 50], 4);
    let whole = table::<u16>(&instance, 1, Simd::detect(), &monitor());
    let cells = 31 * 41 * 51 * 2;
    for room in [9_000, 20_000, 60_000] {
        let limits = Limits { memory: Some(cells + room), ..Limits::default() };
        let watch = Monitor::maximising(&limited(limits));
        let parts = table::<u16>(&instance, 1, Simd::detect(), &watch);
        assert_eq!((parts.profit, &parts.taken), (whole.profit, &whole.taken));
        assert!(parts.cells > whole.cells && parts.cells < 2 * whole.cells, "{}", parts.cells);
    }
}

#[test]
fn a_table_alone_beyond_the_memory_is_refused() {
    let instance = drawn(24, &[30, 40, 50], 4);
    let limits = Limits { memory: Some(31 * 41 * 51), ..Limits::default() };
    let watch = Monitor::maximising(&limited(limits));
    let (context, problem) = (cpu_context(1), reduced(&instance));
    let mut table = CpuTable::<u16>::new(&context, &watch);
    let refused = select(&mut table, &problem, &items(&problem).unwrap());
    assert_error!(refused, Error::OutOfMemory { .. });
}

#[test]
fn weights_beyond_all_numbers_are_too_heavy() {
    let heavy = (1 << 63) - 1;
    let weights = vec![4, 4, heavy, heavy, heavy, heavy];
    let copies = [&[1, 1][..], &[Instance::UNBOUNDED; 4]].concat();
    let instance = Instance::bounded(vec![10, 10, 0, 0, 0, 0], weights, copies, vec![4]).unwrap();
    // The weights would be 4 if they wrapped around.
    let counts = [&[1, 1][..], &[(1 << 63) + 1; 4]].concat();
    assert_error!(instance.profit_of(&counts), Error::InvalidArgument { .. });
    assert_eq!(optimum(&instance, Method::Auto), 10);
}

#[test]
fn a_table_beyond_the_memory_is_an_error_only_for_its_own_method() {
    let instance = drawn(60, &[5000, 6000, 7000], 5);
    let limits = Limits { memory: Some(1 << 22), ..Limits::default() };
    let refused =
        solve(&cpu_context(1), &instance, &Method::Dense.into(), &limited(limits.clone()));
    assert_error!(refused, Error::OutOfMemory { .. });
    let time = Some(std::time::Duration::from_millis(50));
    let outcome = run(&instance, Method::Auto, &limited(Limits { time, ..limits }));
    assert!(outcome.status == Status::Optimal || outcome.report.interrupted);
    // More capacities than any table has.
    let huge = drawn(60, &[1 << 40, 1 << 40], 6);
    let refused = solve(&cpu_context(1), &huge, &Method::Dense.into(), &SolveOptions::default());
    assert_error!(refused, Error::OutOfMemory { .. });
}

#[test]
fn without_time_there_is_a_selection() {
    let instance = drawn(60, &[500, 600], 7);
    let limits = Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() };
    for method in Method::ALL {
        let outcome = run(&instance, method, &limited(limits.clone()));
        assert!(outcome.report.interrupted && outcome.objective > Some(0), "{method:?}");
        assert_eq!(outcome.status, Status::Feasible);
    }
    let none = Limits { iterations: Some(0), ..Limits::default() };
    let greedy = run(&instance, Method::Greedy, &SolveOptions::default());
    for method in Method::ALL {
        let outcome = run(&instance, method, &limited(none.clone()));
        assert!(outcome.objective >= greedy.objective && outcome.bound <= greedy.bound);
        assert!(outcome.report.interrupted || method == Method::Greedy);
    }
}

#[test]
fn a_stop_is_seen_in_the_table() {
    let instance = drawn(40, &[150, 150, 150], 8);
    let (problem, context) = (reduced(&instance), cpu_context(1));
    let items = items(&problem).unwrap();
    let after =
        knapsack::testing::time_after_stop(std::time::Duration::from_millis(30), |options| {
            let monitor = Monitor::maximising(options);
            let mut table = CpuTable::<u32>::new(&context, &monitor);
            assert_error!(select(&mut table, &problem, &items), Error::Stopped);
        });
    assert!(after.is_none_or(|after| after.as_millis() < 60), "{after:?}");
}

#[test]
fn a_method_without_kernels_does_not_pretend_to_use_a_device() {
    let context = Context::new(crate::ContextOptions::default()).unwrap();
    let options = SolveOptions { engine: Some(Engine::Device), ..SolveOptions::default() };
    for method in [Method::Greedy, Method::BranchAndBound] {
        let refused = solve(&context, &drawn(9, &[20], 9), &method.into(), &options);
        assert_error!(refused, Error::Unsupported(_));
    }
}
