//! Compares every approach with the definition.

use proptest::prelude::*;

use super::super::engine::{Engine, run};
use super::super::schedule::Schedule;
use super::super::tests::{agrees, instances, knapsacks};
use super::super::{Instance, Operator, Options, Semiring};
use super::*;
use crate::opencl::testing::test_devices;
use crate::testing::{check_cases, cpu_context, refusal, stopped};
use crate::{ContextOptions, SolveOptions};

struct By<'a> {
    approach: Approach,
    context: &'a Context,
    device: &'a Device,
    plan: EnginePlan<'a>,
    monitor: Monitor,
}

impl Engine for By<'_> {
    fn solve<A: Algebra + ?Sized>(&self, algebra: &A) -> Result<Option<FilledTables>> {
        // The ring that fits depends on the width of values.
        let approach = match &self.approach {
            Approach::Ring(_) => {
                match approach::ring(self.plan.instance, size_of::<A::Value>(), self.device) {
                    Some(ring) => Approach::Ring(ring),
                    None => Approach::Gather,
                }
            }
            approach => approach.clone(),
        };
        solve_by(&approach, self.context, self.device, algebra, &self.plan, &self.monitor)
    }
}

fn approaches(instance: &Instance) -> Vec<Approach> {
    let pipeline = |visit, fold| Approach::Pipeline(Schedule::new(instance, visit, fold).unwrap());
    let mut list = vec![
        Approach::Sequential,
        Approach::Tournament,
        pipeline(1, Some(1)),
        pipeline(2, Some(1)),
        pipeline(1, None),
        pipeline(instance.operands(), None),
    ];
    if instance.offsets().is_some() {
        list.extend([Approach::Gather, Approach::Ring(approach::Ring { size: 0, step: 0 })]);
        if !matches!(instance.semiring(), Semiring::Custom(_) | Semiring::SumProduct) {
            list.extend([Approach::Blocks(40), Approach::Blocks(512)]);
        }
    }
    list
}

#[test]
fn all_strategies_agree_with_the_definition() {
    let context = cpu_context(1);
    for device in test_devices() {
        let cases = if device.quirks().simulator { 6 } else { 40 };
        let inputs = prop_oneof![4 => instances().boxed(), 1 => knapsacks().boxed()];
        check_cases(cases, &inputs, |instance| {
            let expected = check::tables(&instance);
            for approach in approaches(&instance) {
                let method = if matches!(approach, Approach::Pipeline(_)) {
                    Method::PFold
                } else {
                    Method::Blocked
                };
                let monitor = Monitor::new(&SolveOptions::default());
                let plan = EnginePlan::new(&instance, &Options::default(), method);
                let engine = By { approach, context: &context, device: &device, plan, monitor };
                let found = run(&instance, &engine).map(|found| found.values);
                agrees(found, &expected)?;
            }
            Ok(())
        });
    }
}

fn on_device(device: &Device) -> Context {
    let options = ContextOptions {
        engine: crate::Engine::Device,
        device: Some(device.info().index),
        cache: crate::CacheLocation::Off,
        ..ContextOptions::default()
    };
    Context::new(options).unwrap()
}

#[test]
fn compile_errors_of_operators_are_the_callers() {
    for device in test_devices() {
        let source =
            "long combine(long left, long right)\n{\n    return left + rihgt;\n}".to_owned();
        let operator = Operator { source: Some(source), ..Operator::default() };
        let instance = Instance::new(Semiring::Custom(operator), vec![1], vec![1], 5).unwrap();
        let solved = super::super::solve(
            &on_device(&device),
            &instance,
            &Options::default(),
            &SolveOptions::default(),
        );
        let reason = refusal(solved, "operator_source");
        assert!(
            reason.starts_with("does not compile: line 3, column 19: ") && reason.contains("rihgt"),
            "{reason}"
        );
    }
}

#[test]
fn a_comment_left_open_ends_with_the_operator() {
    let source = "long combine(long left, long right) { return left + right; } /* the sum";
    let operator = Operator { source: Some(source.into()), ..Operator::default() };
    let instance = Instance::new(Semiring::Custom(operator), vec![2, 1], vec![1, 1], 10).unwrap();
    for device in test_devices() {
        let (options, limits) = (Options::default(), SolveOptions::default());
        let outcome =
            super::super::solve(&on_device(&device), &instance, &options, &limits).unwrap();
        assert_eq!(outcome.objective, Some(55));
    }
}

#[test]
fn operators_that_are_more_than_functions_are_refused() {
    for (source, place) in [
        ("long combine(long left, long right) { return left + right; } }", "line 1, column 62"),
        ("long combine(long left, long right) {\n return (left; }", "line 2, column 16"),
        (
            "#define kernel\nlong combine(long left, long right) { return left; }",
            "line 1, column 1",
        ),
    ] {
        let operator = Operator { source: Some(source.into()), ..Operator::default() };
        let refused = Instance::new(Semiring::Custom(operator), vec![1], vec![1], 5);
        let reason = refusal(refused, "operator_source");
        assert!(reason.starts_with(place), "{reason}");
    }
}

#[test]
fn operators_without_a_callback_are_compared_with_their_definition() {
    let source = "long combine(long left, long right) { return 3 * left - right & 0xffff; }";
    let operator = Operator { source: Some(source.into()), ..Operator::default() };
    let initial: Vec<i64> = (0..9).map(|i| i * i).collect();
    let length = 100;
    let instance =
        Instance::new(Semiring::Custom(operator), (1..=9).rev().collect(), initial.clone(), length);
    let instance = instance.unwrap();
    let mut expected = initial;
    for i in 9..length as usize {
        let combine = |left, right: &i64| (3 * left - right) & 0xffff;
        expected.push(expected[i - 8..i].iter().fold(expected[i - 9], combine));
    }
    for device in test_devices() {
        let context = on_device(&device);
        let fill = |method| {
            let options = Options { method, ..Options::default() };
            super::super::solve(&context, &instance, &options, &SolveOptions::default())
        };
        for method in [Method::Auto, Method::Sequential, Method::PFold] {
            assert_eq!(fill(method).unwrap().solution.unwrap().values, expected);
        }
        // This operator is not associative.
        let reason = refusal(fill(Method::Tournament), "operator");
        assert!(reason.starts_with("element 9 is not what it is by definition"), "{reason}");
    }
}

#[test]
fn operators_that_are_idempotent_may_have_no_period() {
    let source = "long combine(long left, long right) { return left > right ? left : right; }";
    let operator =
        Operator { source: Some(source.into()), idempotent: true, ..Operator::default() };
    let instance =
        Instance::new(Semiring::Custom(operator), vec![5, 1], vec![9, 0, 0, 0, 0], 100).unwrap();
    for device in test_devices() {
        let (options, limits) = (Options::default(), SolveOptions::default());
        let outcome =
            super::super::solve(&on_device(&device), &instance, &options, &limits).unwrap();
        let values = outcome.solution.unwrap().values;
        assert_eq!((&values[..5], &values[5..]), (&[9, 0, 0, 0, 0][..], &[9; 95][..]));
    }
}

/// By these rows there are enough elements for several of each work-item, and too few for one.
#[test]
fn several_elements_of_a_work_item_are_not_shared() {
    let rows = "GROUP 64 UNIT_GROUPS 1 MOST_OUTPUTS 4 UNIT_ITEMS 65536 MOST_SLICES 16";
    for device in test_devices() {
        let context = Context::new(ContextOptions {
            engine: crate::Engine::Device,
            device: Some(device.info().index),
            cache: crate::CacheLocation::Off,
            tuning: Some(format!("makespan tuning 1\nrecurrence default {rows}")),
            ..ContextOptions::default()
        });
        let context = context.unwrap();
        let step = u64::from(device.info().compute_units) * 64 * 4 + 3;
        let initial = (0..step + 8).map(|place| (place * 37 % 101) as i64).collect();
        let offsets = vec![step + 8, step + 5, step];
        let instance = Instance::new(Semiring::MinPlus, offsets, initial, 3 * step).unwrap();
        let instance = instance.with_weights(vec![3, 1, 2]).unwrap();
        let engine = By {
            approach: Approach::Gather,
            context: &context,
            device: &context.chosen_device(),
            plan: EnginePlan::new(&instance, &Options::default(), Method::Blocked),
            monitor: Monitor::new(&SolveOptions::default()),
        };
        let found = run(&instance, &engine).unwrap().values;
        assert_eq!(found, check::tables(&instance).unwrap());
    }
}

#[test]
fn the_solver_runs_on_the_device() {
    for device in test_devices() {
        let instance =
            Instance::new(Semiring::MaxMin, vec![6, 4], vec![5, 9, 2, 8, 1, 7], 500).unwrap();
        let expected = check::tables(&instance).unwrap();
        let options = Options { choices: true, ..Options::default() };
        let outcome =
            super::super::solve(&on_device(&device), &instance, &options, &SolveOptions::default())
                .unwrap();
        assert!(outcome.report.device.is_some());
        assert_eq!(outcome.report.statistics.get("period"), Some(2));
        assert_eq!(outcome.objective, expected.last().copied());
        let solution = outcome.solution.unwrap();
        assert_eq!((solution.values, solution.choices.unwrap().len()), (expected, 494));

        let options = stopped();
        let stopped =
            super::super::solve(&on_device(&device), &instance, &Options::default(), &options)
                .unwrap();
        assert_eq!(stopped.status, crate::Status::Stopped);
    }
}
