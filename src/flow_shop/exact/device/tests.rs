use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::Error;
use crate::flow_shop::exact::checkpoint::Checkpoint;
use crate::flow_shop::exact::cpu;
use crate::flow_shop::exact::keeper::Keeper;
use crate::flow_shop::exact::makespan::Makespan;
use crate::flow_shop::exact::oracles::{Tree, trees};
use crate::flow_shop::exact::testing::{
    NONE, in_order, in_states, never, problem as problem_of, rules, unlimited,
};
use crate::flow_shop::exact::{Bound, Branching};
use crate::flow_shop::testing::{best_by_enumeration, instances, lengthened};
use crate::flow_shop::{Permutation, taillard};
use crate::opencl::testing::{Lie, real_test_devices, test_devices};
use crate::testing::{assert_error, check_cases, cpu_context, monitor, stopped};

/// The CPU's counts of a search below some nodes.
fn on_cpu(problem: &Problem<'_, Makespan<'_>>, limit: &Limit, mut open: Vec<Open>) -> Counts {
    let monitor = monitor();
    cpu::advance(&cpu_context(1), problem, limit, &mut open, &unlimited(&monitor)).unwrap()
}

/// A search below some nodes on the first device, which the other devices may join.
fn with_search<T>(
    devices: &[&Device],
    problem: &Problem<'_, Makespan<'_>>,
    open: Vec<Open>,
    monitor: &Monitor,
    work: impl FnOnce(&mut DeviceSearch<'_, '_, '_, Makespan<'_>>) -> T,
) -> T {
    let context = cpu_context(1);
    let team = Team::of(&context, &devices[1..]);
    thread::scope(|scope| {
        let mut search =
            DeviceSearch::new(scope, devices[0], &team, problem, open, monitor).unwrap();
        let result = work(&mut search);
        search.crew.dismiss();
        result
    })
}

/// A device's counts of a search below the root, which finds no sequence shorter than the problem's
/// limit.
fn on_device(device: &Device, problem: &Problem<'_, Makespan<'_>>) -> Counts {
    let limit = Limit::new(NONE, problem.initial_limit);
    with_search(&[device], problem, vec![problem.root_node()], &monitor(), |search| {
        search.advance(&limit, never()).unwrap();
        assert!(
            search.is_done() && search.least_bound().unwrap().is_none() && limit.best() == NONE
        );
        search.count().unwrap()
    })
}

/// The problem of finding a sequence shorter than the optimum of one of Taillard's instances.
fn with_tree<T>(
    name: &str,
    bound: Bound,
    branching: Branching,
    search: impl FnOnce(&Problem<'_, Makespan<'_>>) -> T,
) -> T {
    let known = taillard::find(name).unwrap();
    search(&problem_of(&known.instance(), bound, branching, known.upper_bound))
}

fn trees_have_the_known_sizes(device: &Device, trees: impl Iterator<Item = Tree>) {
    for tree in trees {
        let found = tree.with(|problem| on_device(device, problem));
        assert_eq!(found.nodes, tree.nodes, "{tree:?} {}", device.info().name);
    }
}

#[test]
fn small_trees_have_the_known_sizes() {
    for device in test_devices() {
        let most = if device.quirks().simulator { (50, 0) } else { (30_000, 16_000) };
        trees_have_the_known_sizes(&device, trees(most.0, most.1));
    }
}

#[test]
#[ignore = "for a graphics card"]
fn all_trees_have_the_known_sizes() {
    for device in test_devices() {
        trees_have_the_known_sizes(&device, trees(u64::MAX, u64::MAX));
    }
}

#[test]
fn small_searches_equal_the_cpus() {
    for device in test_devices() {
        let cases = if device.quirks().simulator { 6 } else { 60 };
        // Long times need wide words.
        let inputs = (instances(7, 3), rules(), prop::bool::weighted(0.2));
        check_cases(cases, &inputs, |(instance, (bound, branching), long)| {
            let factor = if long { 5_000 } else { 1 };
            let instance = lengthened(&instance, factor);
            let optimum = best_by_enumeration(&instance);
            let problem = problem_of(&instance, bound, branching, optimum);
            if problem.root.free_count < 2 {
                return Ok(());
            }
            let limit = Limit::new(NONE, optimum);
            let expected = on_cpu(&problem, &limit, vec![problem.root_node()]);
            prop_assert_eq!(on_device(&device, &problem), expected);

            let above = optimum + 10 * factor;
            let problem = problem_of(&instance, bound, branching, above);
            let limit = Limit::new(NONE, above);
            let root = vec![problem.root_node()];
            with_search(&[&device], &problem, root, &monitor(), |search| {
                search.advance(&limit, never()).unwrap();
            });
            let best = limit.best();
            prop_assert_eq!(best.value, optimum);
            let makespan = Permutation::new(best.order).makespan(&instance).unwrap();
            prop_assert_eq!(makespan, u64::from(optimum));
            Ok(())
        });
    }
}

#[test]
fn a_search_that_was_stopped_goes_on_elsewhere() {
    for device in real_test_devices() {
        with_tree("ta014", Bound::OneMachine, Branching::MinBranch, |problem| {
            let limit = Limit::new(NONE, problem.initial_limit);
            let (monitor, context) = (monitor(), cpu_context(1));
            let root = vec![problem.root_node()];
            let (nodes, open) = with_search(&[&device], problem, root, &monitor, |search| {
                // Three rounds each time.
                for _ in 0..2 {
                    search.crew.stacks_mut().for_each(|stack| stack.rounds = 3);
                    search.advance(&limit, Instant::now()).unwrap();
                }
                let open = search.open(&context).unwrap();
                assert_eq!(search.least_bound().unwrap(), open.iter().map(|node| node.bound).min());
                (search.count().unwrap().nodes, open)
            });
            assert!(!open.is_empty() && nodes > 0);
            with_search(&[&device], problem, open.clone(), &monitor, |again| {
                assert_eq!(again.open(&context).unwrap(), open);
            });
            assert_eq!(nodes + on_cpu(problem, &limit, open).nodes, 19_285);
        });
    }
}

#[test]
fn a_file_that_was_written_in_the_midst_holds_the_rest() {
    for device in real_test_devices() {
        with_tree("ta014", Bound::OneMachine, Branching::MinBranch, |problem| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("search");
            let limit = Limit::new(in_order(problem.instance), problem.initial_limit);
            let (monitor, context) = (monitor(), cpu_context(1));
            // Always due.
            let keeper = Keeper::new(&context, problem, &limit, &path, Duration::ZERO);
            let slice = Slice { keeper: Some(&keeper), ..unlimited(&monitor) };
            let mut open = vec![problem.root_node()];
            let team = context.team(&monitor);
            let counts = advance(&device, &team, problem, &limit, &mut open, &slice).unwrap();
            assert_eq!((counts.nodes, open.len()), (19_285, 0));
            let kept = Checkpoint::read::<Makespan<'_>>(problem.instance, &path, &monitor)
                .unwrap()
                .unwrap();
            let rest = on_cpu(problem, &limit, kept.open.into_owned());
            assert_eq!(kept.counts.nodes + rest.nodes, 19_285);
        });
    }
}

#[test]
fn devices_share_a_search_and_the_host_takes_nodes_in() {
    for device in real_test_devices() {
        with_tree("ta014", Bound::OneMachine, Branching::MaxSum, |problem| {
            let limit = Limit::new(NONE, problem.initial_limit);
            let root = vec![problem.root_node()];
            with_search(&[&device, &device], problem, root, &monitor(), |search| {
                search.crew.call();
                search.crew.take_in_all().unwrap();
                search.crew.stacks_mut().for_each(|stack| stack.shrink(400));
                let mut taken_in = false;
                while !search.is_done() {
                    search.crew.stacks_mut().for_each(|stack| stack.rounds = 4);
                    search.advance(&limit, Instant::now()).unwrap();
                    taken_in |= !search.crew.waiting.is_empty();
                }
                assert!(taken_in);
                assert!(search.crew.stacks().all(|stack| stack.totals().unwrap()[0] > 1_000));
                assert_eq!(search.count().unwrap().nodes, 29_686);
            });
        });
    }
}

#[test]
fn further_devices_join_a_long_search() {
    for device in real_test_devices() {
        with_tree("ta014", Bound::OneMachine, Branching::MaxSum, |problem| {
            let limit = Limit::new(NONE, problem.initial_limit);
            let root = vec![problem.root_node()];
            with_search(&[&device, &device, &device], problem, root, &monitor(), |search| {
                search.crew.stacks_mut().for_each(|stack| stack.shrink(5_000));
                // Few rounds, until there are more nodes than fit into a batch.
                while search.crew.joining() == 0 {
                    search.crew.stacks_mut().for_each(|stack| stack.rounds = 1);
                    search.advance(&limit, Instant::now()).unwrap();
                }
                assert_eq!((search.crew.joining(), search.is_done()), (2, false));
                search.crew.take_in_all().unwrap();
                search.advance(&limit, never()).unwrap();
                assert_eq!(search.crew.stacks().len(), 3);
                assert_eq!(search.count().unwrap().nodes, 29_686);
            });
        });
    }
}

/// Searches a tree on a device that another device joins. The other one fails after `commands`
/// commands. Returns the devices used and the warnings.
fn shared_with_a_faulty_device(
    device: &Device,
    faulty: &Device,
    commands: i64,
) -> (Vec<String>, Vec<String>) {
    let (monitor, context) = (monitor(), cpu_context(1));
    let team = Team::of(&context, &[faulty, device]);
    with_tree("ta014", Bound::OneMachine, Branching::MaxSum, |problem| {
        let limit = Limit::new(NONE, problem.initial_limit);
        thread::scope(|scope| {
            let root = vec![problem.root_node()];
            let mut search =
                DeviceSearch::new(scope, device, &team, problem, root, &monitor).unwrap();
            search.crew.stacks_mut().for_each(|stack| stack.shrink(5_000));
            // Makes some open nodes to share.
            search.crew.stacks_mut().for_each(|stack| stack.rounds = 20);
            search.advance(&limit, Instant::now()).unwrap();
            faulty.fail_after(commands);
            search.crew.call();
            search.crew.take_in_all().unwrap();
            // Both have much work when the device fails, so it has given no nodes back.
            search.crew.stacks_mut().for_each(|stack| stack.rounds = 1);
            search.advance(&limit, never()).unwrap();
            assert!(search.is_done() && search.least_bound().unwrap().is_none());
            assert_eq!(search.count().unwrap().nodes, 29_686, "{commands}");
        });
    });
    team.into_record()
}

#[test]
fn a_further_device_that_fails_loses_nothing() {
    let faulty_devices = test_devices();
    for (device, faulty) in test_devices().iter().zip(&faulty_devices) {
        if device.quirks().simulator {
            continue;
        }
        let name = &device.info().name;
        // The device fails while joining, when it is given work, and while it works.
        for (commands, took_part) in [(0, 1), (4, 1), (25, 2)] {
            let (used, warnings) = shared_with_a_faulty_device(device, faulty, commands);
            assert_eq!(used, vec![name.clone(); took_part], "{commands}");
            let lost = format!("{name} was left out: OpenCL device failed: a fault of the test");
            assert_eq!(warnings, [lost], "{commands}");
        }
    }
}

#[test]
fn what_goes_wrong_with_a_further_device_after_the_end_takes_nothing_away() {
    for device in test_devices() {
        let (monitor, context) = (monitor(), cpu_context(1));
        let team = Team::of(&context, &[&device]);
        with_tree("ta003", Bound::OneMachine, Branching::Forward, |problem| {
            thread::scope(|scope| {
                let root = vec![problem.root_node()];
                let mut search =
                    DeviceSearch::new(scope, &device, &team, problem, root.clone(), &monitor)
                        .unwrap();
                search.crew.call_in_vain(0);
                search.crew.dismiss();
                assert_eq!(search.open(&context).unwrap(), root);
            });
        });
        let left_out = format!(
            "{} was left out: internal error: a thread of the solve panicked",
            device.info().name
        );
        assert_eq!(team.into_record().1, [left_out]);
    }
}

#[test]
fn a_stop_is_seen() {
    for device in test_devices() {
        with_tree("ta003", Bound::OneMachine, Branching::Forward, |problem| {
            let monitor = Monitor::new(&stopped());
            let limit = Limit::new(NONE, problem.initial_limit);
            let root = vec![problem.root_node()];
            with_search(&[&device], problem, root.clone(), &monitor, |search| {
                search.advance(&limit, never()).unwrap();
                assert_eq!(search.count().unwrap(), Counts::default());
                assert_eq!(search.open(&cpu_context(1)).unwrap(), root);
            });
        });
    }
}

/// Searches a known tree on a device on which a kernel returns wrong results, with the given last
/// step.
fn search_with_a_lie<T>(
    device: &Device,
    lie: impl FnOnce(&Problem<'_, Makespan<'_>>) -> Lie,
    last: impl FnOnce(&mut DeviceSearch<'_, '_, '_, Makespan<'_>>, &Limit) -> Result<T>,
) -> Result<T> {
    with_tree("ta014", Bound::OneMachine, Branching::MinBranch, |problem| {
        let limit = Limit::new(NONE, problem.initial_limit);
        let root = vec![problem.root_node()];
        with_search(&[device], problem, root, &monitor(), |search| {
            device.lie(lie(problem));
            last(search, &limit)
        })
    })
}

/// What a lie is about.
type Change = fn(Lie, &Problem<'_, Makespan<'_>>) -> Lie;

#[test]
fn wrong_numbers_of_a_round_are_noticed() {
    for device in real_test_devices() {
        // Only results that no kernel uses as addresses.
        let lies: [(_, Change); 3] = [
            ("flow_shop_expand", |lie, _| lie.only(&["listed"])),
            ("flow_shop_advance", |lie, _| lie.only(&["totals"]).share(0.1)),
            ("flow_shop_branch", in_states),
        ];
        for (kernel, change) in lies {
            for seed in 0..3 {
                let found = search_with_a_lie(
                    &device,
                    |problem| change(Lie::of(kernel, seed), problem),
                    |search, limit| {
                        search.advance(limit, never())?;
                        search.count()
                    },
                );
                assert!(device.lies_told() > 0, "{kernel}");
                assert_error!(found, Error::DeviceWrong(_), "{kernel}");
            }
        }
    }
}

#[test]
fn wrong_numbers_of_the_kernels_around_rounds_are_noticed() {
    for device in real_test_devices() {
        let kernels = [
            ("flow_shop_sample", 0.01),
            ("flow_shop_smallest", 0.5),
            ("flow_shop_tails", 0.01),
            ("flow_shop_shift", 0.01),
        ];
        for (kernel, share) in kernels {
            let found = search_with_a_lie(
                &device,
                |_| Lie::of(kernel, 5).share(share),
                |search, limit| {
                    while search.crew.stacks().all(|stack| stack.position().nodes < 100) {
                        search.advance(limit, Instant::now())?;
                    }
                    for _ in 0..10 {
                        search.least_bound()?;
                    }
                    search.open(&cpu_context(1))?;
                    search.crew.with(0, |stack| stack.take_lowest(30)).map(|_| ())
                },
            );
            assert!(device.lies_told() > 0, "{kernel}");
            assert_error!(found, Error::DeviceWrong(_), "{kernel}");
        }
    }
}
