use proptest::prelude::*;
use rayon::ThreadPoolBuilder;

use super::super::bounds;
use super::super::construct::construct;
use super::super::problem::Problem;
use super::super::search::Evaluators;
use super::super::testing::{least_cost, planned};
use super::guide::WEIGHTINGS;
use super::score::Scratch;
use super::*;
use crate::flow_shop::end::End;
use crate::flow_shop::search::beam::device::Together;
use crate::flow_shop::search::beam::{on_cpu, on_device, on_devices};
use crate::flow_shop::search::evaluator::{Step, Tree};
use crate::flow_shop::{Criterion, Instance, Method, Objective, Options, solve};
use crate::opencl::testing::{real_test_devices, test_devices};
use crate::simd::Simd;
use crate::testing::{check_cases, cpu_context, monitor};
use crate::{Error, Limits, SolveOptions, Status};

fn pass(problem: &Problem<'_>, weighting: Weighting, width: usize, cutoff: Cost) -> Pass<Cost> {
    with_tree(problem, weighting, cutoff, |tree, watch| on_cpu(tree, watch, width).unwrap())
}

fn with_tree<T>(
    problem: &Problem<'_>,
    weighting: Weighting,
    cutoff: Cost,
    run: impl FnOnce(&ForwardTree<'_>, &Monitor) -> T,
) -> T {
    let monitor = monitor();
    let shop = Shop::new(problem, &monitor).unwrap();
    let (cost, order) = construct(problem, &Evaluators::new(problem), &monitor).unwrap();
    let guide = Guide::new(&shop, weighting, &order, cost);
    run(&ForwardTree::new(&shop, &monitor, guide, cutoff).unwrap(), &monitor)
}

proptest! {
    #[test]
    fn a_wide_beam_finds_and_proves_the_optimum(instance in planned(6, 4)) {
        let problem = Problem::new(&instance);
        prop_assume!(!problem.free_jobs.is_empty());
        let least = least_cost(&instance);
        let mut above = least;
        above.0[problem.scoring.stages - 1] += 1;
        for weighting in WEIGHTINGS {
            for cutoff in [Cost::WORST, above] {
                let pass = pass(&problem, weighting, 10_000, cutoff);
                prop_assert_eq!(pass.found.map(|found| found.value), Some(least));
                prop_assert!(pass.exhaustive);
            }
            let pass = pass(&problem, weighting, 10_000, least);
            prop_assert_eq!((pass.found, pass.exhaustive), (None, true));
        }
    }

    #[test]
    fn a_narrow_beam_claims_nothing_false(instance in planned(7, 4), width in 1..4usize) {
        let problem = Problem::new(&instance);
        prop_assume!(!problem.free_jobs.is_empty());
        let least = least_cost(&instance);
        let pass = pass(&problem, WEIGHTINGS[1], width, Cost::WORST);
        let found = pass.found.map(|found| found.value);
        prop_assert!(found >= Some(least));
        prop_assert!(!pass.exhaustive || found == Some(least));
    }

    #[test]
    fn solves_with_beams_are_exact_if_nothing_is_dropped(instance in planned(5, 3)) {
        let options = Options { method: Method::Beam, ..Options::default() };
        let outcome =
            solve(&cpu_context(1), &instance, &options, &SolveOptions::default()).unwrap();
        let is_plain = instance.is_plain();
        prop_assert_eq!(outcome.status, Status::Optimal);
        prop_assert!(is_plain || outcome.objective == Some(least_cost(&instance).first()));
    }

    #[test]
    fn instruction_sets_rank_alike(instance in planned(40, 6)) {
        let problem = Problem::new(&instance);
        prop_assume!(!problem.free_jobs.is_empty());
        let (cost, order) = construct(&problem, &Evaluators::new(&problem), &monitor()).unwrap();
        let mut shop = Shop::new(&problem, &monitor()).unwrap();
        let mut all = Vec::new();
        for simd in Simd::available() {
            shop.simd = simd;
            let guide = Guide::new(&shop, WEIGHTINGS[1], &order, cost);
            let watch = monitor();
            let tree = ForwardTree::new(&shop, &watch, guide, Cost::WORST).unwrap();
            let mut scratch = Scratch::default();
            let (mut children, mut level) = (Vec::new(), tree.root());
            for job in 0..shop.jobs.len() as u32 {
                tree.expand(&level, 0, &mut scratch, |job, rank| children.push((job, rank)));
                level = tree.grow(&level, &[Step { parent: 0, job, side: End::Front }]).unwrap();
            }
            all.push(children);
        }
        prop_assert!(all.windows(2).all(|pair| pair[0] == pair[1]));
    }
}

fn flow_time(name: &str) -> Instance {
    Instance::named(name).unwrap().with_objective(Criterion::TotalFlowTime.into()).unwrap()
}

#[test]
fn threads_change_nothing() {
    let instance = flow_time("ta031");
    let problem = Problem::new(&instance);
    let on_threads = |threads: usize| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| pass(&problem, WEIGHTINGS[0], 100, Cost::WORST))
    };
    let alone = on_threads(1);
    assert!(alone.found.as_ref().is_some_and(|found| found.value.first() < 66_000), "{alone:?}");
    assert_eq!(on_threads(3), alone);
}

#[test]
fn an_iteration_limit_counts_passes() {
    let options = Options { method: Method::Beam, ..Options::default() };
    let limits = Limits { iterations: Some(5), ..Limits::default() };
    let solve_options = SolveOptions { limits, ..SolveOptions::default() };
    let outcome = solve(&cpu_context(1), &flow_time("ta031"), &options, &solve_options).unwrap();
    assert_eq!(outcome.report.statistics.get("iterations"), Some(5));
    let instance = flow_time("ta031");
    let problem = Problem::new(&instance);
    assert!(
        bounds::lower(&problem, bounds::simple(&problem), &monitor()).first()
            <= outcome.objective.unwrap()
    );
}

#[test]
fn devices_keep_the_nodes_of_the_cpu() {
    compare_devices(&["total-flow-time", "makespan", "3*total-flow-time+2*makespan"], (2, 24));
}

#[test]
fn devices_keep_the_nodes_of_the_cpu_if_jobs_have_terms() {
    const OBJECTIVES: [&str; 8] = [
        "weighted-flow-time",
        "total-tardiness",
        "weighted-tardiness",
        "late-jobs",
        "max-lateness",
        "weighted-flow-time+2*weighted-tardiness+3*makespan",
        "20*late-jobs+total-tardiness+makespan",
        "2*max-lateness+5*late-jobs+total-flow-time",
    ];
    compare_devices(&OBJECTIVES, (6, 14));
}

/// Compares some passes on a simulator and on other devices. Most cases compile a program.
fn compare_devices(objectives: &'static [&'static str], (simulated, real): (u32, u32)) {
    for device in test_devices() {
        let simulator = device.quirks().simulator;
        let (cases, jobs) = if simulator { (simulated, 5) } else { (real, 30) };
        let inputs = (planned(jobs, 6), prop::sample::select(objectives), 1..60usize);
        check_cases(cases, &inputs, |(instance, objective, width)| {
            let instance = instance.with_objective(Objective::parse(objective).unwrap()).unwrap();
            let problem = Problem::new(&instance);
            prop_assume!(!problem.free_jobs.is_empty());
            let mut cutoff = Cost::WORST;
            for _ in 0..2 {
                let expected = pass(&problem, WEIGHTINGS[1], width, cutoff);
                let found = with_tree(&problem, WEIGHTINGS[1], cutoff, |tree, watch| {
                    on_device(&cpu_context(1), tree, &device, watch, width, &|_| ()).unwrap()
                });
                prop_assert_eq!(&found, &expected);
                // The simulator can't run several kernels at once.
                if !simulator {
                    let devices = [&device; 3];
                    let together = Together::moving_all(&devices, vec![2.0, 1.0, 1.0]);
                    let found = with_tree(&problem, WEIGHTINGS[1], cutoff, |tree, watch| {
                        let on = (&device, &together);
                        on_devices(&cpu_context(1), tree, on, watch, width, &|_| ())
                    });
                    prop_assert_eq!(&found.map_err(|(_, error)| error).unwrap(), &expected);
                }
                cutoff = expected.found.map_or(cutoff, |found| found.value);
            }
            Ok(())
        });
    }
}

#[test]
fn a_device_selects_among_many_children() {
    let instance = flow_time("ta031");
    let problem = Problem::new(&instance);
    for device in &real_test_devices() {
        let expected = pass(&problem, WEIGHTINGS[0], 700, Cost::WORST);
        let found = with_tree(&problem, WEIGHTINGS[0], Cost::WORST, |tree, watch| {
            on_device(&cpu_context(1), tree, device, watch, 700, &|_| ()).unwrap()
        });
        assert_eq!(found, expected);
    }
}

#[test]
fn devices_have_strips_of_many_jobs() {
    let instance = Instance::named("ta111").unwrap();
    let due = (0..500).map(|job| job * 7919 % 30_000).collect();
    let weights = (0..500).map(|job| job * 31 % 10).collect();
    let instance = instance.with_due_dates(due).unwrap().with_weights(weights).unwrap();
    for objective in ["weighted-tardiness+9*max-lateness", "late-jobs"] {
        let instance =
            instance.clone().with_objective(Objective::parse(objective).unwrap()).unwrap();
        let problem = Problem::new(&instance);
        for device in &real_test_devices() {
            let expected = pass(&problem, WEIGHTINGS[0], 3, Cost::WORST);
            let found = with_tree(&problem, WEIGHTINGS[0], Cost::WORST, |tree, watch| {
                on_device(&cpu_context(1), tree, device, watch, 3, &|_| ()).unwrap()
            });
            assert_eq!(found, expected, "{objective}");
        }
    }
}

#[test]
fn models_without_kernels_are_refused_on_devices() {
    let instance = flow_time("ta001").with_due_dates(vec![1000; 20]).unwrap();
    let instance = instance.with_running_plan(vec![3, 1]).unwrap();
    let with = |objective: &str| {
        instance.clone().with_objective(Objective::parse(objective).unwrap()).unwrap()
    };
    for objective in ["makespan+3*total-flow-time", "total-tardiness", "late-jobs+max-lateness"] {
        assert!(Model::of(&Problem::new(&with(objective))).is_ok(), "{objective}");
    }
    let cases = [
        ("total-tardiness+2*inversions", "inversions"),
        ("makespan,new-predecessors", "new-predecessors"),
        ("makespan,total-flow-time", "a list of objectives"),
        ("4000000*total-flow-time", "sums beyond 32 bits"),
        ("4000000*max-lateness", "sums beyond 32 bits"),
        ("500000000*late-jobs", "sums beyond 32 bits"),
        ("2147483649*total-flow-time+2147483648*total-flow-time", "sums beyond 32 bits"),
    ];
    for (objective, named) in cases {
        let refused = Model::of(&Problem::new(&with(objective))).unwrap_err();
        assert!(matches!(*refused, Error::Unsupported(_)), "{refused}");
        assert!(refused.to_string().contains(named), "{refused}");
    }
    for due in [1 << 31, -1 << 31] {
        let far = with("total-tardiness").with_due_dates(vec![due; 20]).unwrap();
        let refused = Model::of(&Problem::new(&far)).unwrap_err();
        assert!(refused.to_string().contains("due dates beyond 31 bits"), "{refused}");
    }
}
