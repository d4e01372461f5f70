use proptest::prelude::*;

use super::nussinov::Losses;
use super::*;
use crate::interval_dp::number::Value;
use crate::interval_dp::testing::refusal;
use crate::interval_dp::values::Values;
use crate::interval_dp::{CellType, blocks, cpu, device, serial};
use crate::opencl::testing::test_devices;
use crate::random::Random;
use crate::testing::{assert_error, check_cases, device_context};
use crate::{Context, ContextOptions, Limits, Status};

fn context(threads: usize) -> Context {
    Context::new(ContextOptions { threads: Some(threads), ..ContextOptions::default() }).unwrap()
}

/// Nussinov's model on random sequences.
fn instances(len: impl Strategy<Value = usize>) -> impl Strategy<Value = Instance> {
    (len, any::<u64>(), 0..5usize).prop_map(|(len, seed, hairpin)| {
        let mut random = Random::new(seed);
        let mut weight = || random.below(5) as u32;
        let model = Nussinov { gc: weight(), au: weight(), gu: weight(), hairpin };
        Instance::random(len, seed, Model::Nussinov(model), &Limits::default()).unwrap()
    })
}

/// The best value of all structures, each made by pairing its first base or not.
fn best_of_all(instance: &Instance) -> i64 {
    fn go(
        instance: &Instance,
        base: usize,
        open: &mut Vec<u32>,
        pairs: &mut Vec<(u32, u32)>,
    ) -> i64 {
        if base == instance.len() {
            let structure = Structure::new(base, pairs.clone()).unwrap();
            let value = if open.is_empty() { instance.evaluate(&structure).ok() } else { None };
            return value.unwrap_or(i64::MIN);
        }
        let mut best = go(instance, base + 1, open, pairs);
        if open.len() < instance.len() - base {
            open.push(base as u32);
            best = best.max(go(instance, base + 1, open, pairs));
            open.pop();
        }
        if let Some(first) = open.pop() {
            pairs.push((first, base as u32));
            best = best.max(go(instance, base + 1, open, pairs));
            pairs.pop();
            open.push(first);
        }
        best
    }
    go(instance, 0, &mut Vec::new(), &mut Vec::new())
}

/// The largest sum of weights by the recurrence as it is published.
fn plain(instance: &Instance, model: &Nussinov) -> i64 {
    let n = instance.len();
    let bases = instance.bases();
    // best[i][j] is the best of bases i .. j.
    let mut best = vec![vec![0i64; n + 1]; n + 1];
    for length in 2..=n {
        for i in 0..=n - length {
            let j = i + length;
            let mut value = best[i + 1][j].max(best[i][j - 1]);
            let weight = model.weight(bases[i], bases[j - 1]);
            if weight > 0 && length >= 2 + model.hairpin {
                value = value.max(best[i + 1][j - 1] + i64::from(weight));
            }
            for k in i + 1..j {
                value = value.max(best[i][k] + best[k][j]);
            }
            best[i][j] = value;
        }
    }
    best[0][n]
}

fn solved(context: &Context, instance: &Instance, options: &Options) -> Outcome<Structure, i64> {
    solve(context, instance, options, &SolveOptions::default()).unwrap()
}

#[test]
fn short_sequences_have_the_best_of_all_structures() {
    let context = context(1);
    check_cases(40, &(instances(1..11usize),), |(instance,)| {
        let outcome = solved(&context, &instance, &Options::default());
        prop_assert_eq!(outcome.status, Status::Optimal);
        prop_assert_eq!(outcome.objective, Some(best_of_all(&instance)));
        Ok(())
    });
}

#[test]
fn values_are_those_of_the_published_recurrence() {
    check_cases(24, &(instances(1..150usize), 1..3usize), |(instance, threads)| {
        let Model::Nussinov(model) = instance.model();
        let outcome = solved(&context(threads), &instance, &Options::default());
        prop_assert_eq!(outcome.objective, Some(plain(&instance, model)));
        Ok(())
    });
}

/// Tables of several tiles, for every type of cell and instruction set.
#[test]
fn tiles_equal_the_serial_recurrence() {
    let monitor = Monitor::new(&SolveOptions::default());
    let one = context(1);
    check_cases(6, &(instances(120..200usize),), |(instance,)| {
        let Model::Nussinov(model) = instance.model();
        let losses = Losses::new(&instance, model).unwrap();
        let points = instance.len() + 1;
        let cells: Vec<_> =
            (0..points).flat_map(|i| (i + 1..points).map(move |j| (i, j))).collect();
        let request = losses.request(&cells);
        for cell_type in [CellType::I32, CellType::I64] {
            let expected = serial::solve(&request, cell_type, &monitor).unwrap();
            for simd in blocks::forced::all() {
                let _forced = blocks::forced::Force::new(simd);
                agree(&cpu::solve(&one, &request, cell_type, &monitor).unwrap(), &expected);
            }
        }
        Ok(())
    });
}

fn agree(found: &Values<Value>, expected: &Values<Value>) {
    assert_eq!(found.value, expected.value);
    assert_eq!(found.cells, expected.cells);
    assert_eq!(found.pairs, expected.pairs);
}

#[test]
fn the_device_equals_the_recurrence() {
    let monitor = Monitor::new(&SolveOptions::default());
    for device in test_devices() {
        let (cases, most) = if device.quirks().simulator { (1, 20) } else { (4, 200usize) };
        check_cases(cases, &(instances(1..most),), |(instance,)| {
            let Model::Nussinov(model) = instance.model();
            let losses = Losses::new(&instance, model).unwrap();
            let points = instance.len() + 1;
            let cells: Vec<_> =
                (0..points).flat_map(|i| (i + 1..points).step_by(3).map(move |j| (i, j))).collect();
            let request = losses.request(&cells);
            for cell_type in [CellType::U16, CellType::I32] {
                let expected = serial::solve(&request, cell_type, &monitor).unwrap();
                let found =
                    device::solve(Some(&context(1)), &device, &request, cell_type, &monitor);
                agree(&found.unwrap(), &expected);
            }
            Ok(())
        });
    }
}

#[test]
fn a_device_finds_the_same_structure() {
    let Some(device) = test_devices().into_iter().next() else { return };
    let on_device = device_context(&device);
    let model = Model::Nussinov(Nussinov { gc: 3, au: 2, gu: 1, hairpin: 3 });
    let instance = Instance::random(150, 5, model, &Limits::default()).unwrap();
    let solve_options = SolveOptions { engine: Some(Engine::Device), ..SolveOptions::default() };
    let found = solve(&on_device, &instance, &Options::default(), &solve_options).unwrap();
    let expected = solved(&context(1), &instance, &Options::default());
    assert_eq!((found.objective, found.solution), (expected.objective, expected.solution));
    assert_eq!(found.status, Status::Optimal);
}

#[test]
fn limits_give_a_structure_without_pairs() {
    let model = Model::Nussinov(Nussinov::default());
    let instance = Instance::random(3000, 1, model, &Limits::default()).unwrap();
    let limits = Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() };
    let options = SolveOptions { limits, ..SolveOptions::default() };
    let outcome = solve(&context(1), &instance, &Options::default(), &options).unwrap();
    assert_eq!((outcome.status, outcome.objective), (Status::Feasible, Some(0)));
    assert_eq!((outcome.bound, outcome.solution.unwrap().pairs().count()), (None, 0));
    let limits = Limits { memory: Some(1 << 20), ..Limits::default() };
    let options = SolveOptions { limits, ..SolveOptions::default() };
    let refused = solve(&context(1), &instance, &Options::default(), &options);
    assert_error!(refused, Error::OutOfMemory { .. });
}

#[test]
fn options_of_other_problems_are_refused() {
    let instance = Instance::new("GAAAC", Model::Nussinov(Nussinov::default())).unwrap();
    let refused =
        |options| refusal(solve(&context(1), &instance, &options, &SolveOptions::default()));
    let knuth = Options { method: Method::Knuth, ..Options::default() };
    assert_eq!(refused(knuth), "not supported: the method knuth for folding");
    let cells = Options { cells: vec![(0, 1)], ..Options::default() };
    assert_eq!(refused(cells), "cells: are not for folding");
    let real = Options { cell_type: Some(CellType::F64), ..Options::default() };
    assert_eq!(refused(real), "cell_type: folding takes whole numbers");
    let serial = Options { method: Method::Serial, ..Options::default() };
    assert_eq!(solved(&context(1), &instance, &serial).objective, Some(1));
}

#[test]
fn cells_are_as_wide_as_losses() {
    let cell_type = |gc, len| {
        let model = Nussinov { gc, ..Nussinov::default() };
        let instance = Instance::random(len, 1, Model::Nussinov(model), &Limits::default());
        Losses::new(&instance.unwrap(), &model).unwrap().cell_type(None).unwrap()
    };
    assert_eq!(cell_type(1, 10_000), CellType::U16);
    assert_eq!(cell_type(14, 10_000), CellType::I32);
    assert_eq!(cell_type(u32::MAX, 10), CellType::I64);
}
