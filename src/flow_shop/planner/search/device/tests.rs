use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use proptest::test_runner::TestRunner;

use super::self_test::{Search, instance};
use super::{Crowd, Found, Member, Shape, go_on_together};
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::planner::search::Evaluators;
use crate::flow_shop::planner::testing::planned;
use crate::flow_shop::{Instance, Method, Neighbourhood, Options, Permutation, solve, solve_batch};
use crate::opencl::testing::{real_test_devices, test_devices};
use crate::opencl::{Device, DeviceKind};
use crate::solve::SolveOptions;
use crate::testing::{cpu_context, device_context, limited, monitor, stopped};
use crate::{
    CacheLocation, Context, ContextOptions, Engine, Error, Limits, Log, LogLevel, Result, Status,
    Team,
};

/// Both engines make the same moves.
fn check(device: &Device, instance: &Instance, iterations: u64) {
    let search = Search { instance, trajectories: 3, iterations };
    assert_eq!(search.on_device(device).unwrap(), search.on_cpu().unwrap(), "{instance:?}");
}

/// Jobs and iterations of a search that the device makes in some seconds.
fn size(device: &Device) -> (usize, u64) {
    if device.quirks().simulator { (6, 1) } else { (9, 3) }
}

#[test]
fn a_device_finds_the_sequences_of_the_cpu() {
    for device in test_devices() {
        let (jobs, iterations) = size(&device);
        for (has_setups, has_blocking, has_releases, stages) in
            [(true, false, false, 0), (false, true, true, 0), (true, true, false, 1)]
        {
            let shape = Shape {
                machines: 4,
                has_setups,
                has_blocking,
                has_releases,
                stages,
                ..Shape::default()
            };
            check(&device, &instance(&shape, jobs).unwrap(), iterations);
        }
    }
}

#[test]
fn a_device_compares_with_a_running_plan_like_the_cpu() {
    for device in test_devices() {
        let (jobs, iterations) = size(&device);
        for (has_setups, stages, idle_ties) in
            [(false, 2, true), (true, 1, true), (false, 1, false)]
        {
            let shape = Shape {
                machines: 4,
                has_setups,
                stages,
                has_plan: true,
                idle_ties,
                ..Shape::default()
            };
            let instance = instance(&shape, jobs).unwrap();
            assert_eq!(Shape::of(&Problem::new(&instance)).unwrap(), shape);
            check(&device, &instance, iterations);
            check(&device, &instance.with_pinned(vec![5, 2]).unwrap(), iterations);
        }
    }
}

#[test]
fn devices_search_any_model_like_the_cpu() {
    /// Each shape is a program.
    const MOST_SHAPES: usize = 5;

    for device in real_test_devices() {
        let shapes = std::cell::RefCell::new(Vec::new());
        let found = TestRunner::deterministic().run(&planned(8, 3), |instance| {
            let problem = Problem::new(&instance);
            let Some(shape) = Shape::of(&problem).ok().filter(|_| problem.free_jobs.len() > 1)
            else {
                return Ok(());
            };
            let mut shapes = shapes.borrow_mut();
            if !shapes.contains(&shape) && shapes.len() < MOST_SHAPES {
                shapes.push(shape);
            }
            if shapes.contains(&shape) {
                check(&device, &instance, 4);
            }
            Ok(())
        });
        found.unwrap();
        assert_eq!(shapes.borrow().len(), MOST_SHAPES);
    }
}

/// The best sequence after some iterations.
fn searched(context: &Context, instance: &Instance) -> Result<Option<Permutation>> {
    let options = Options { method: Method::IteratedGreedy, ..Options::default() };
    let limits = Limits { iterations: Some(5), ..Limits::default() };
    solve(context, instance, &options, &limited(limits)).map(|outcome| outcome.solution)
}

#[test]
fn a_solve_on_a_device_is_that_on_the_cpu() {
    let shape = Shape {
        machines: 4,
        has_setups: true,
        has_blocking: false,
        has_releases: true,
        stages: 1,
        ..Shape::default()
    };
    let instance = instance(&shape, 12).unwrap().with_pinned(vec![3, 1]).unwrap();
    let expected = searched(&cpu_context(2), &instance).unwrap();
    for device in real_test_devices() {
        let found = searched(&device_context(&device), &instance).unwrap();
        assert_eq!(found, expected);
    }
}

#[test]
fn trajectories_on_several_devices_make_the_moves_of_one() {
    const MOST: u64 = 40;

    let faulty_devices = real_test_devices();
    for (device, faulty) in real_test_devices().iter().zip(&faulty_devices) {
        let shape = Shape { machines: 4, has_setups: true, stages: 1, ..Shape::default() };
        let instance = instance(&shape, 14).unwrap().with_pinned(vec![3]).unwrap();
        let (context, monitor, problem) = (cpu_context(1), monitor(), Problem::new(&instance));
        let evaluators = Evaluators::new(&problem);
        let start = problem.free_jobs.clone();
        let members = [Member::new(&evaluators, &start)];
        let queue = device.queue();
        let crowd = || Crowd::new(device, &queue, &monitor, &members, 5, 7).unwrap();
        let mut alone = crowd();
        while !alone.is_at(MOST) {
            alone.advance(MOST).unwrap();
        }
        let expected: Vec<Vec<u32>> =
            alone.bests().unwrap().into_iter().map(|found| found.order).collect();
        let together = |from: Option<u64>| {
            let (mut crowd, team) = (crowd(), Team::of(&context, &[faulty]));
            while from.is_some_and(|from| !crowd.is_at(from)) {
                crowd.advance(from.unwrap()).unwrap();
            }
            let (begin, mut last) = (crowd.snapshot().unwrap(), Vec::new());
            let mut take = |_: u64, found: &[Found]| {
                last = found.iter().map(|found| found.order.clone()).collect();
                true
            };
            let on = (&team, device);
            let end = go_on_together(on, &monitor, members[0], begin, MOST, &mut take).unwrap();
            assert_eq!(end.results(), alone.snapshot().unwrap().results(), "{from:?}");
            assert_eq!(expected.iter().find(|order| !last.contains(order)), None);
            team.into_record()
        };
        for from in [None, Some(7)] {
            assert_eq!(together(from), (vec![faulty.info().name.clone()], vec![]));
        }
        for commands in [0, 13] {
            faulty.fail_after(commands);
            let (used, warnings) = together(Some(7));
            assert!(used.is_empty() && warnings[0].contains("a fault of the test"));
        }
    }
}

/// The best sequence of tabu search after some generations.
fn tabu(
    context: &Context,
    instance: &Instance,
    neighbourhood: Neighbourhood,
) -> Result<Option<Permutation>> {
    let mut options = Options { method: Method::Tabu, ..Options::default() };
    options.search.neighbourhood = neighbourhood;
    options.search.trajectories = Some(2);
    let limits = Limits { iterations: Some(9), ..Limits::default() };
    solve(context, instance, &options, &limited(limits)).map(|outcome| outcome.solution)
}

#[test]
fn tabu_search_on_a_device_is_that_on_the_cpu() {
    for device in real_test_devices() {
        for (has_setups, stages, has_plan) in [(true, 0, false), (false, 2, true), (true, 1, false)]
        {
            let shape = Shape { machines: 4, has_setups, stages, has_plan, ..Shape::default() };
            let instance = instance(&shape, 14).unwrap().with_pinned(vec![3]).unwrap();
            for neighbourhood in Neighbourhood::ALL {
                let found = |context: &Context| tabu(context, &instance, neighbourhood).unwrap();
                assert_eq!(found(&device_context(&device)), found(&cpu_context(2)));
            }
        }
    }
}

#[test]
fn a_batch_of_variants_on_a_device_is_that_on_the_cpu() {
    let shape = |has_releases, stages| Shape {
        machines: 4,
        has_setups: false,
        has_blocking: true,
        has_releases,
        stages,
        ..Shape::default()
    };
    let first = instance(&shape(false, 0), 11).unwrap();
    let times = |seed| first.times().iter().map(|&time| time + (time * seed) % 7).collect();
    let variant = |seed| Instance::new(11, 4, times(seed)).unwrap().with_blocking().unwrap();
    let (second, third) = (variant(3), variant(5).with_pinned(vec![6]).unwrap());
    let other = instance(&shape(true, 0), 12).unwrap();
    let tiny = Instance::new(1, 2, vec![4, 5]).unwrap().with_blocking().unwrap();
    let instances = [&first, &other, &second, &tiny, &third];
    let options = Options { method: Method::IteratedGreedy, ..Options::default() };
    let limits = limited(Limits { iterations: Some(3), ..Limits::default() });
    let solve = |context: &Context| solve_batch(context, &instances, &options, &limits).unwrap();
    let expected = solve(&cpu_context(2));
    for device in real_test_devices() {
        for (found, expected) in solve(&device_context(&device)).iter().zip(&expected) {
            assert_eq!(found.solution, expected.solution);
            assert_eq!((found.status, found.bound), (expected.status, expected.bound));
            assert!(found.report.device.is_some());
        }
    }
}

/// Instances with the same numbers of jobs and machines.
fn variants(count: u32) -> Vec<Instance> {
    let shape = Shape { machines: 4, has_blocking: true, ..Shape::default() };
    let first = instance(&shape, 20).unwrap();
    let variant = |number| {
        let times = first.times().iter().map(|&time| time + (time * number) % 7).collect();
        Instance::new(20, 4, times).unwrap().with_blocking().unwrap()
    };
    (0..count).map(variant).collect()
}

#[test]
fn a_batch_of_variants_on_a_device_obeys_limits() {
    let (variants, options) = (variants(3), Options::default());
    let instances: Vec<&Instance> = variants.iter().collect();
    for device in real_test_devices() {
        let context = device_context(&device);
        let outcomes = solve_batch(&context, &instances, &options, &stopped()).unwrap();
        for outcome in outcomes {
            assert_eq!((outcome.status, outcome.solution), (Status::Stopped, None));
        }
        let limits = Limits { memory: Some(1), ..Limits::default() };
        let refused = solve_batch(&context, &instances, &options, &limited(limits)).unwrap_err();
        assert!(matches!(*refused, Error::OutOfMemory { .. }), "{refused}");
    }
}

#[test]
fn a_variant_has_the_warnings_of_its_instance_and_of_the_device() {
    let weighted = |variant: Instance| variant.with_weights(vec![1; 20]).unwrap();
    let variants: Vec<Instance> = variants(2).into_iter().map(weighted).collect();
    let instances: Vec<&Instance> = variants.iter().collect();
    let limits = limited(Limits { iterations: Some(1), ..Limits::default() });
    for device in real_test_devices() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("tuning"), "no rows").unwrap();
        let context = Context::new(ContextOptions {
            engine: Engine::Device,
            device: Some(device.info().index),
            threads: Some(2),
            cache: CacheLocation::Directory(folder.path().to_owned()),
            ..ContextOptions::default()
        });
        let (context, options) = (context.unwrap(), Options::default());
        for outcome in solve_batch(&context, &instances, &options, &limits).unwrap() {
            let warning = outcome.report.warning.unwrap();
            let expected = "weights are not used by the objective; the tuning rows of the user";
            assert!(warning.starts_with(expected), "{warning}");
        }
    }
}

#[test]
fn auto_tries_a_device_for_many_variants() {
    let variants = variants(32);
    let instances: Vec<&Instance> = variants.iter().collect();
    let options = Options { method: Method::IteratedGreedy, ..Options::default() };
    for device in real_test_devices() {
        let tries = Arc::new(AtomicU32::new(0));
        let counted = Arc::clone(&tries);
        let count = move |_, message: &str| {
            counted.fetch_add(u32::from(message.contains("sequences a second")), Ordering::Relaxed);
        };
        let (index, log) = (device.info().index, Log::new(LogLevel::Info, Arc::new(count)));
        let context = Context::pretending_with_log(index, DeviceKind::Gpu, 2, log);
        let solved = |engine, instances: &[&Instance], limits| {
            let limited = SolveOptions { limits, engine, ..SolveOptions::default() };
            solve_batch(&context, instances, &options, &limited).unwrap()
        };
        // The device is open and its kernel is built before auto needs them.
        let few = Limits { iterations: Some(1), ..Limits::default() };
        let opened = solved(Some(Engine::Device), &instances[..2], few);
        assert!(opened[0].report.device.is_some());
        let is_tried = |instances: &[&Instance], solves: u32| {
            let time = Some(Duration::from_millis(1_600) * (1 + solves / 5));
            let before = tries.load(Ordering::Relaxed);
            for outcome in solved(None, instances, Limits { time, ..Limits::default() }) {
                assert_eq!(outcome.report.fallback, None);
                assert!(outcome.report.statistics.get("evaluations") > Some(0));
            }
            tries.load(Ordering::Relaxed) > before
        };
        assert!(!is_tried(&instances[..31], 0));
        assert!((0..MOST_SOLVES).any(|solves| is_tried(&instances, solves)));
    }
}

#[test]
fn the_makespan_alone_is_refused_on_devices() {
    let plain = Instance::new(3, 2, vec![5, 4, 3, 2, 1, 6]).unwrap();
    for device in real_test_devices() {
        let refused = searched(&device_context(&device), &plain).unwrap_err();
        assert!(matches!(*refused, Error::Unsupported(_)), "{refused}");
        let reason = "the method iterated-greedy on a device";
        assert!(refused.to_string().contains(reason), "{refused}");
    }
}

/// Most solves until auto tries a device, with more and more time: how soon it is ready depends on
/// the machine and its load.
const MOST_SOLVES: u32 = 20;

#[test]
fn auto_tries_a_device_if_time_alone_is_limited() {
    let shape = Shape {
        machines: 4,
        has_setups: true,
        has_blocking: false,
        has_releases: false,
        stages: 0,
        ..Shape::default()
    };
    let instance = instance(&shape, 60).unwrap();
    let options = Options { method: Method::IteratedGreedy, ..Options::default() };
    for device in real_test_devices() {
        let context = Context::pretending(device.info().index, DeviceKind::Gpu, 2);
        let solved = |engine, limits| {
            let limited = SolveOptions { limits, engine, ..SolveOptions::default() };
            solve(&context, &instance, &options, &limited).unwrap()
        };
        // The device is open and its kernel is built before auto needs them.
        let few = Limits { iterations: Some(1), ..Limits::default() };
        assert!(solved(Some(Engine::Device), few).report.device.is_some());
        let takes_part = |solves: u32| {
            let time = Some(Duration::from_millis(1_600) * (1 + solves / 5));
            let outcome = solved(None, Limits { time, ..Limits::default() });
            assert_eq!(outcome.report.fallback, None);
            assert!(outcome.report.statistics.get("evaluations") > Some(0));
            outcome.report.device.is_some()
        };
        assert!((0..MOST_SOLVES).any(takes_part), "no device was tried");
    }
}
