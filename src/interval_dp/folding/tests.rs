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

/// Zuker's model on random sequences, with energies that favour every kind of loop.
fn zuker_instances(len: impl Strategy<Value = usize>) -> impl Strategy<Value = Instance> {
    (len, any::<u64>(), any::<bool>()).prop_map(|(len, seed, is_drawn)| {
        let mut random = Random::new(seed);
        let mut energies = Energies::default();
        if is_drawn {
            let mut draw = |energy: &mut i32| *energy = random.below(60) as i32 - 30;
            energies.stack.as_flattened_mut().iter_mut().for_each(&mut draw);
            energies.hairpin.iter_mut().for_each(&mut draw);
            energies.bulge.iter_mut().chain(&mut energies.interior).for_each(&mut draw);
            [&mut energies.multi, &mut energies.branch].into_iter().for_each(&mut draw);
            energies.unpaired = random.below(7) as i32 - 3;
        }
        let model = Model::Zuker(Box::new(energies));
        Instance::random(len, seed, model, &Limits::default()).unwrap()
    })
}

/// The best value of all structures, each made by pairing its first base or not.
fn best_of_all(instance: &Instance) -> i64 {
    let sign = if matches!(instance.model(), Model::Zuker(_)) { -1 } else { 1 };
    sign * largest_of_all(instance, sign)
}

/// The largest value times `sign`.
fn largest_of_all(instance: &Instance, sign: i64) -> i64 {
    fn go(
        instance: &Instance,
        sign: i64,
        base: usize,
        open: &mut Vec<u32>,
        pairs: &mut Vec<(u32, u32)>,
    ) -> i64 {
        if base == instance.len() {
            let structure = Structure::new(base, pairs.clone()).unwrap();
            let value = if open.is_empty() { instance.evaluate(&structure).ok() } else { None };
            return value.map_or(i64::MIN, |value| sign * value);
        }
        let mut best = go(instance, sign, base + 1, open, pairs);
        if open.len() < instance.len() - base {
            open.push(base as u32);
            best = best.max(go(instance, sign, base + 1, open, pairs));
            open.pop();
        }
        if let Some(first) = open.pop() {
            pairs.push((first, base as u32));
            best = best.max(go(instance, sign, base + 1, open, pairs));
            pairs.pop();
            open.push(first);
        }
        best
    }
    go(instance, sign, 0, &mut Vec::new(), &mut Vec::new())
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
            let split = (i + 1..j).map(|k| best[i][k] + best[k][j]).max();
            value = value.max(split.unwrap_or_default());
            best[i][j] = value;
        }
    }
    best[0][n]
}

/// The least energy by the recurrences of the model as they are published.
fn plain_energy(instance: &Instance, energies: &Energies) -> i64 {
    const NONE: i64 = 1 << 40;
    let n = instance.len();
    let kind = |i: usize, j: usize| {
        Energies::kind(instance.bases()[i], instance.bases()[j - 1])
            .filter(|_| j >= i + 2 + LEAST_HAIRPIN)
    };
    let table = || vec![vec![NONE; n + 1]; n + 2];
    let (mut paired, mut several, mut some) = (table(), table(), table());
    let [multi, branch, unpaired] =
        [energies.multi, energies.branch, energies.unpaired].map(i64::from);
    for length in 2..=n {
        for i in 0..=n - length {
            let j = i + length;
            if let Some(outer) = kind(i, j) {
                let mut best = i64::from(energies.of_hairpin(j - i - 2));
                best = best.min(multi + branch + several[i + 1][j - 1]);
                let inner = (i + 1..j - 1).flat_map(|k| (k + 1..j).map(move |l| (k, l)));
                for (k, l) in inner.filter(|(k, l)| k - i - 1 + j - 1 - l <= LARGEST_LOOP) {
                    let (left, right) = (k - i - 1, j - 1 - l);
                    let Some(inner) = kind(k, l) else { continue };
                    let energy = match left + right {
                        0 => energies.stack[outer][inner],
                        _ => energies.of_interior(left, right),
                    };
                    best = best.min(i64::from(energy) + paired[k][l]);
                }
                paired[i][j] = best;
            }
            let splits = (i + 1..j).map(|k| some[i][k] + some[k][j]);
            several[i][j] = splits.min().unwrap_or(NONE).min(NONE);
            let longer = some[i + 1][j].min(some[i][j - 1]) + unpaired;
            some[i][j] = several[i][j].min(paired[i][j] + branch).min(longer);
        }
    }
    let mut outside = vec![0; n + 1];
    for j in 1..=n {
        let last = (0..j).map(|i| outside[i] + paired[i][j]).min().unwrap_or(NONE);
        outside[j] = last.min(outside[j - 1]);
    }
    outside[n]
}

fn solved(context: &Context, instance: &Instance, options: &Options) -> Outcome<Structure, i64> {
    solve(context, instance, options, &SolveOptions::default()).unwrap()
}

#[test]
fn short_sequences_have_the_best_of_all_structures() {
    let context = context(1);
    let all = prop_oneof![instances(1..11usize), zuker_instances(1..14usize)];
    check_cases(40, &(all,), |(instance,)| {
        let outcome = solved(&context, &instance, &Options::default());
        prop_assert_eq!(outcome.status, Status::Optimal);
        prop_assert_eq!(outcome.objective, Some(best_of_all(&instance)));
        Ok(())
    });
}

#[test]
fn values_are_those_of_the_published_recurrence() {
    check_cases(24, &(instances(1..150usize), 1..3usize), |(instance, threads)| {
        let Model::Nussinov(model) = instance.model() else { return Ok(()) };
        let outcome = solved(&context(threads), &instance, &Options::default());
        prop_assert_eq!(outcome.objective, Some(plain(&instance, model)));
        Ok(())
    });
}

#[test]
fn energies_are_those_of_the_published_recurrences() {
    let lengths = prop_oneof![1..90usize, 125..150usize];
    check_cases(16, &(zuker_instances(lengths), 1..3usize), |(instance, threads)| {
        let Model::Zuker(energies) = instance.model() else { return Ok(()) };
        let outcome = solved(&context(threads), &instance, &Options::default());
        prop_assert_eq!(outcome.status, Status::Optimal);
        prop_assert_eq!(outcome.objective, Some(plain_energy(&instance, energies)));
        Ok(())
    });
}

/// Many tiles, in which stems, loops and branches are long.
#[test]
fn energies_of_long_sequences_have_their_structures() {
    let model = Model::Zuker(Box::default());
    let instance = Instance::random(700, 3, model, &Limits::default()).unwrap();
    let [one, two] =
        [1, 2].map(|threads| solved(&context(threads), &instance, &Options::default()));
    assert_eq!((one.status, one.objective), (Status::Optimal, two.objective));
    assert_eq!(one.solution, two.solution);
    assert!(one.objective < Some(-1000));
}

/// Tables of several tiles, for every type of cell and instruction set.
#[test]
fn tiles_equal_the_serial_recurrence() {
    let monitor = Monitor::new(&SolveOptions::default());
    let one = context(1);
    check_cases(6, &(instances(120..200usize),), |(instance,)| {
        let Model::Nussinov(model) = instance.model() else { return Ok(()) };
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
            let Model::Nussinov(model) = instance.model() else { return Ok(()) };
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
fn the_limits_of_zukers_model_are_named() {
    let model = Model::Zuker(Box::default());
    let instance = Instance::random(3000, 1, model, &Limits::default()).unwrap();
    let run = |options: Options, solve_options: SolveOptions| {
        solve(&context(1), &instance, &options, &solve_options)
    };
    let with = |limits| SolveOptions { limits, ..SolveOptions::default() };
    let at_once = Limits { time: Some(std::time::Duration::ZERO), ..Limits::default() };
    let outcome = run(Options::default(), with(at_once)).unwrap();
    assert_eq!((outcome.status, outcome.objective), (Status::Feasible, Some(0)));
    let small = Limits { memory: Some(1 << 20), ..Limits::default() };
    assert_error!(run(Options::default(), with(small)), Error::OutOfMemory { .. });
    let serial = Options { method: Method::Serial, ..Options::default() };
    let refused = |options| refusal(run(options, SolveOptions::default()));
    assert_eq!(refused(serial), "not supported: the method serial for Zuker's model");
    let wide = Options { cell_type: Some(CellType::I64), ..Options::default() };
    assert_eq!(refused(wide), "cell_type: Zuker's model has cells of 32 bits");
    let energies = Energies { multi: 1 << 20, ..Energies::default() };
    let instance = Instance::new("GAAAC", Model::Zuker(Box::new(energies))).unwrap();
    solved(&context(1), &instance, &Options::default());
    let energies = Energies { multi: i32::MIN, ..Energies::default() };
    let instance = Instance::new("GAAAC", Model::Zuker(Box::new(energies))).unwrap();
    let refused = solve(&context(1), &instance, &Options::default(), &SolveOptions::default());
    assert_error!(refused, Error::Overflow { .. });
}

#[test]
fn devices_find_the_same_structures_of_least_energy() {
    let solve_options = SolveOptions { engine: Some(Engine::Device), ..SolveOptions::default() };
    for device in test_devices() {
        let on_device = device_context(&device);
        let (cases, most) = if device.quirks().simulator { (1, 30) } else { (8, 150usize) };
        check_cases(cases, &(zuker_instances(1..most),), |(instance,)| {
            let found = solve(&on_device, &instance, &Options::default(), &solve_options).unwrap();
            let expected = solved(&context(1), &instance, &Options::default());
            prop_assert_eq!(
                (found.objective, found.solution),
                (expected.objective, expected.solution)
            );
            prop_assert_eq!(found.report.device.as_ref(), Some(&device.info().name));
            Ok(())
        });
    }
}

#[test]
fn energies_are_sums_over_loops() {
    let model = || Model::Zuker(Box::default());
    let energy = |sequence: &str, structure: &str| {
        Instance::new(sequence, model()).unwrap().evaluate(&structure.parse().unwrap())
    };
    assert_eq!(energy("GGAAACC", "((...))").unwrap(), -33 + 54);
    assert_eq!(energy("GAGAAACC", "(.(...))").unwrap(), 38 + 54);
    assert_eq!(energy("GAGAAACAC", "(.(...).)").unwrap(), 10 + 54);
    let branches = energy("GAGAAACGAAACC", "(.(...)(...))");
    assert_eq!(branches.unwrap(), 34 + 3 * 4 + 2 * 54);
    let long = format!("G{}GAAACC", "A".repeat(31));
    let structure = format!("({}(...))", ".".repeat(31));
    let refused = refusal(energy(&long, &structure));
    assert!(refused.ends_with("has 31 unpaired bases, more than 30"), "{refused}");
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
