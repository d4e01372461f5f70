//! Tests of real numbers of all magnitudes against exact sums over all trees.

use std::sync::Arc;

use proptest::prelude::*;

use super::{run, with};
use crate::Status;
use crate::interval_dp::testing::all_trees;
use crate::interval_dp::*;
use crate::random::Random;
use crate::solve::Sense;
use crate::testing::cpu_context;

/// An exact product of numbers, as mantissa and binary exponent.
type Term = (i128, i32);

fn exactly(number: f64) -> Term {
    let bits = number.to_bits();
    let (fraction, exponent) = (bits & ((1 << 52) - 1), (bits >> 52 & 0x7ff) as i32);
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    let zeros = if mantissa == 0 { 0 } else { mantissa.trailing_zeros() };
    let sign = if number < 0.0 { -1 } else { 1 };
    (i128::from(mantissa >> zeros) * sign, exponent.max(1) - 1075 + zeros as i32)
}

fn product(factors: [f64; 3]) -> Term {
    let [a, b, c] = factors.map(exactly);
    (a.0 * b.0 * c.0, a.1 + b.1 + c.1)
}

/// The sign of the sum of `terms` minus the sum of `others`.
fn compare(terms: &[Term], others: &[Term]) -> i64 {
    const LOWEST: i32 = -3400;
    let mut digits = [0i64; 220];
    let negated = others.iter().map(|&(mantissa, exponent)| (-mantissa, exponent));
    for (mantissa, exponent) in terms.iter().copied().chain(negated) {
        let place = (exponent - LOWEST) as usize;
        let mut rest = mantissa.unsigned_abs() << (place % 32);
        for digit in &mut digits[place / 32..] {
            *digit += (rest & 0xffff_ffff) as i64 * mantissa.signum() as i64;
            rest >>= 32;
        }
    }
    let (mut carry, mut is_zero) = (0i64, true);
    for digit in digits {
        is_zero &= (digit + carry) & 0xffff_ffff == 0;
        carry = (digit + carry) >> 32;
    }
    if is_zero { carry.signum() } else { carry.signum() | 1 }
}

/// An instance with the terms of each of its trees.
struct Case {
    instance: Instance<f64>,
    trees: Vec<Vec<Term>>,
}

impl Case {
    /// `terms` gives the terms of a node, or of a leaf, from its cell.
    fn new(
        instance: Instance<f64>,
        terms: impl Fn(usize, Option<usize>, usize) -> Vec<Term>,
    ) -> Self {
        let last = instance.points() as u32 - 1;
        let leaves: Vec<Term> = (0..last as usize).flat_map(|i| terms(i, None, i + 1)).collect();
        let of_tree = |tree: Vec<(u32, (u32, u32))>| {
            let node =
                |(k, (i, j)): (u32, (u32, u32))| terms(i as usize, Some(k as usize), j as usize);
            leaves.iter().copied().chain(tree.into_iter().flat_map(node)).collect()
        };
        Case { trees: all_trees(0, last).into_iter().map(of_tree).collect(), instance }
    }

    /// The terms of the best tree.
    fn best(&self) -> &[Term] {
        let sign = match self.instance.semiring().sense() {
            Sense::Maximise => -1,
            Sense::Minimise => 1,
        };
        let trees = self.trees.iter();
        trees.min_by(|a, b| (sign * compare(a, b)).cmp(&0)).unwrap()
    }

    /// Solves the instance by every method and compares the claims with the truth. Returns the
    /// number of solves that gave a bound.
    fn check(&self) -> usize {
        let (best, sense) = (self.best(), self.instance.semiring().sense());
        let mut solved = 0;
        for method in [Method::Auto, Method::Cubic, Method::Serial, Method::HuShing, Method::Knuth]
        {
            for cell_type in [None, Some(CellType::I64), Some(CellType::F32), Some(CellType::F64)] {
                let options = Options { cell_type, ..with(method) };
                let outcome = match solve(
                    &cpu_context(1),
                    &self.instance,
                    &options,
                    &SolveOptions::default(),
                ) {
                    Ok(outcome) => outcome,
                    Err(error)
                        if matches!(
                            *error,
                            Error::InvalidArgument { .. }
                                | Error::Unsupported(_)
                                | Error::Overflow { .. }
                        ) =>
                    {
                        continue;
                    }
                    Err(error) => {
                        panic!("{error} by {method:?} in {cell_type:?} of {:?}", self.instance)
                    }
                };
                let said = format!("{outcome:?} in {cell_type:?} of {:?}", self.instance);
                let Some(bound) = outcome.bound else {
                    assert_eq!(outcome.status, Status::Feasible, "{said}");
                    continue;
                };
                solved += 1;
                let bound = compare(best, &[exactly(bound)]);
                let is_sound = match sense {
                    Sense::Maximise => bound <= 0,
                    Sense::Minimise => bound >= 0,
                };
                assert!(is_sound, "{said}");
                if outcome.status == Status::Optimal {
                    assert_eq!(compare(best, &[exactly(outcome.objective.unwrap())]), 0, "{said}");
                }
            }
        }
        solved
    }
}

/// Draws numbers of 20 bits with exponents from a range.
fn numbers(
    seed: u64,
    exponents: std::ops::Range<i32>,
    signed: bool,
) -> impl FnMut(usize) -> Vec<f64> {
    let mut random = Random::new(seed);
    let mut draw = move |end| random.below(end);
    let mut number = move || {
        let exponent = exponents.start + draw((exponents.end - exponents.start) as u64) as i32;
        let magnitude = (1 + draw((1 << 20) - 1)) as f64 * f64::exp2(f64::from(exponent));
        if signed && draw(2) == 0 { -magnitude } else { magnitude }
    };
    move |len| (0..len).map(|_| number()).collect()
}

fn case(kind: u8, points: usize, seed: u64, exponents: std::ops::Range<i32>) -> Option<Case> {
    let mut draw = numbers(seed, exponents, (2..5).contains(&kind));
    let semiring = if seed.is_multiple_of(2) { Semiring::MinPlus } else { Semiring::MaxPlus };
    let leaf = |leaves: &[f64], i: usize| vec![exactly(leaves[i])];
    Some(match kind {
        0 => {
            let factors = draw(points);
            let instance = Instance::matrix_chain(factors.clone()).ok()?;
            Case::new(instance, |i, k, j| {
                k.map(|k| product([factors[i], factors[k], factors[j]])).into_iter().collect()
            })
        }
        1 => {
            let (keys, gaps) = (draw(points - 2), draw(points - 1));
            let instance = Instance::search_tree(&keys, &gaps).ok()?;
            Case::new(instance, |i, k, j| match k {
                None => Vec::new(),
                Some(_) => keys[i..j - 1]
                    .iter()
                    .chain(&gaps[i..j])
                    .map(|&weight| exactly(weight))
                    .collect(),
            })
        }
        2 => {
            let (leaves, table) = (draw(points - 1), draw(points * (points - 1) / 2));
            let cost = CellCost::Table(table.clone());
            let instance =
                Instance::custom(semiring, leaves.clone(), cost, SplitCost::None).ok()?;
            Case::new(instance, |i, k, j| match k {
                None => leaf(&leaves, i),
                Some(_) => vec![exactly(table[instance::pair(points, i, j)])],
            })
        }
        3 => {
            let [left, split, right] = [draw(points), draw(points), draw(points)];
            let leaves = draw(points - 1);
            let (left_copy, split_copy, right_copy) = (left.clone(), split.clone(), right.clone());
            let cost = SplitCost::Product { left: left_copy, split: split_copy, right: right_copy };
            let instance = Instance::custom(semiring, leaves.clone(), CellCost::None, cost).ok()?;
            Case::new(instance, |i, k, j| match k {
                None => leaf(&leaves, i),
                Some(k) => vec![product([left[i], split[k], right[j]])],
            })
        }
        _ => {
            let (leaves, row, column) = (draw(points - 1), draw(points), draw(points));
            let cost = CellCost::Separable { row: row.clone(), column: column.clone() };
            let instance =
                Instance::custom(semiring, leaves.clone(), cost, SplitCost::None).ok()?;
            Case::new(instance, |i, k, j| match k {
                None => leaf(&leaves, i),
                Some(_) => vec![exactly(row[i]), exactly(column[j])],
            })
        }
    })
}

fn refusal(instance: &Instance<f64>, options: &Options) -> String {
    solve(&cpu_context(1), instance, options, &SolveOptions::default()).err().unwrap().to_string()
}

fn in_f32() -> Options {
    Options { cell_type: Some(CellType::F32), ..Options::default() }
}

#[test]
fn what_may_overflow_on_the_way_is_refused() {
    // The best order costs 1e150, but intermediate products reach 1e400.
    let chain = Instance::matrix_chain(vec![1e-250, 1e200, 1e200, 1e-200]).unwrap();
    for method in [Method::Auto, Method::Cubic, Method::Serial] {
        assert!(refusal(&chain, &with(method)).ends_with("beyond the range of double precision"));
    }
    for factors in
        [[1e15, 2e15, 3e15, 4e15], [1e30, 1e-30, 1e30, 1e30], [1e40, 1e-30, 1e-30, 1e-30]]
    {
        let error = refusal(&Instance::matrix_chain(factors.to_vec()).unwrap(), &in_f32());
        assert!(
            error.starts_with("cell_type: ") && error.ends_with("may not fit into f32"),
            "{error}"
        );
    }
    // A single matrix is multiplied with nothing.
    let single = run(&Instance::matrix_chain(vec![1e200, 1.5e200]).unwrap(), &Options::default());
    assert_eq!((single.status, single.objective), (Status::Optimal, Some(0.0)));
}

#[test]
fn bounds_allow_for_what_is_too_small_for_the_cells() {
    let table = CellCost::Table(vec![0.0, -3e-46, -1e-46, 0.0, -5e-47, 0.0]);
    let leaves = vec![1e-46, -1e-46, 2e-46];
    let tiny = Instance::custom(Semiring::MinPlus, leaves, table, SplitCost::None).unwrap();
    let (single, double) = (run(&tiny, &in_f32()), run(&tiny, &Options::default()));
    assert!(single.bound.unwrap() <= double.objective.unwrap());
    // In double precision both orders cost zero, so neither is known to be the best.
    let nothing = Instance::matrix_chain(vec![1e-150, 3e-150, 2e-150, 1e-150]).unwrap();
    let outcome = run(&nothing, &Options::default());
    assert_eq!((outcome.status, outcome.objective), (Status::Feasible, Some(0.0)));
}

#[test]
fn whole_doubles_beyond_53_bits_are_real_numbers() {
    let dimensions = (0..30).map(|i| f64::from(100_001 + i * 7919 % 30 * 9973)).collect();
    let chain = Instance::matrix_chain(dimensions).unwrap();
    for method in [Method::Auto, Method::HuShing, Method::Cubic] {
        let outcome = run(&chain, &with(method));
        let (objective, bound) = (outcome.objective.unwrap(), outcome.bound.unwrap());
        assert!(bound < objective && bound > objective * (1.0 - 1e-12), "{outcome:?}");
    }
    let weights: Vec<f64> = (0..31).map(|i| f64::from(1 + i * 7919 % 31) * 1e13 + 1.0).collect();
    let tree = Instance::search_tree(&weights[1..], &weights).unwrap();
    assert_eq!(run(&tree, &Options::default()).status, Status::Feasible);
    // Sums and lengths that are whole only after rounding.
    let tree = Instance::search_tree(&[1e-13, 3e-13], &[1.0, 1e6, 1.0]).unwrap();
    assert_eq!(run(&tree, &Options::default()).status, Status::Feasible);
    let polygon =
        Instance::convex_polygon(&[[0.0, 0.0], [1e15, 0.0], [1e15, 4.0], [0.0, 4.0]]).unwrap();
    assert_eq!(run(&polygon, &Options::default()).status, Status::Feasible);
    let small = Instance::matrix_chain((1..30).map(f64::from).collect()).unwrap();
    assert_eq!(run(&small, &Options::default()).status, Status::Optimal);
}

/// Five leaves of value 0 with these split costs.
fn of_function(function: fn(usize, usize, usize) -> f64, semiring: Semiring) -> Instance<f64> {
    let (function, source, data): (SplitFunction<f64>, _, _) =
        (Arc::new(function), None, Vec::new());
    let expression = Expression { function: Some(function), magnitude: 10.0, source, data };
    Instance::custom(semiring, vec![0.0; 5], CellCost::None, SplitCost::Expression(expression))
        .unwrap()
}

#[test]
fn split_costs_that_are_no_numbers_are_named() {
    for method in [Method::Cubic, Method::Serial] {
        for semiring in [Semiring::MinPlus, Semiring::MaxPlus, Semiring::MaxMin] {
            let error = refusal(&of_function(|_, _, _| f64::NAN, semiring), &with(method));
            assert!(error.starts_with("magnitude: the split cost at (0, 1, 5) is NaN"), "{error}");
        }
        // Better splits exist, for any position of the NaN among them.
        let some = |i, k, _| if (i, k) == (1, 2) { f64::NAN } else { k as f64 };
        let few = |i, k, j| if (i, j) == (0, 5) && k != 2 { f64::NAN } else { k as f64 };
        for instance in [of_function(some, Semiring::MaxPlus), of_function(few, Semiring::MinPlus)]
        {
            let outcome = run(&instance, &with(method));
            assert_eq!((outcome.status, outcome.bound), (Status::Feasible, None));
        }
        let both = |i, _, j| if j == i + 2 { f64::INFINITY } else { f64::NEG_INFINITY };
        let error = refusal(&of_function(both, Semiring::MinPlus), &with(method));
        assert!(error.starts_with("split_cost: ") || error.starts_with("magnitude: "), "{error}");
        let count = refusal(&of_function(|_, _, _| f64::NAN, Semiring::PlusTimes), &with(method));
        assert!(count.ends_with("infinite or no number"), "{count}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_claim_about_real_numbers_is_wrong(
        kind in 0..5u8, points in 3..7usize, seed in any::<u64>(), range in 0..9usize,
    ) {
        // Fractions, whole numbers, numbers near the ends of single and of double precision, and
        // all magnitudes together.
        let exponents = [
            -20..-10, 0..1, 20..40, -170..-120, -60..20, -1074..-900, -400..-300, 280..340, -700..700,
        ];
        let moderate = range < 3 && kind != 3;
        if let Some(case) = case(kind, points, seed, exponents[range].clone()) {
            prop_assert!(case.check() > 0 || !moderate);
        }
    }
}
