//! Random instances, and their optima by definition, for the tests of the methods.

use proptest::collection::vec;
use proptest::prelude::*;

use super::Instance;
use super::reduction::Problem;
use crate::random::Random;
use crate::testing::monitor;

/// Small instances of all variants, with up to four dimensions and eight items.
pub(super) fn instances() -> impl Strategy<Value = Instance> {
    let profit = prop_oneof![1 => Just(0u64), 9 => 1u64..40];
    let copies = prop_oneof![
        Just(Just(1).boxed()),
        Just(prop_oneof![Just(0), 1u64..4, Just(Instance::UNBOUNDED)].boxed()),
    ];
    let weight = prop_oneof![2 => Just(0u64), 6 => 1u64..9, 1 => (1u64..4).prop_map(|w| 3 * w)];
    (0usize..9, 0usize..5, copies).prop_flat_map(move |(items, dimensions, copies)| {
        (
            vec(profit.clone(), items),
            vec(weight.clone(), items * dimensions),
            vec(copies, items),
            vec(0u64..14, dimensions),
        )
            .prop_map(|(profits, weights, mut copies, capacities)| {
                let items = profits.len();
                for (item, copies) in copies.iter_mut().enumerate() {
                    let is_weightless =
                        weights.iter().skip(item).step_by(items).all(|&weight| weight == 0);
                    *copies = if is_weightless { (*copies).min(2) } else { *copies };
                }
                Instance::bounded(profits, weights, copies, capacities).unwrap()
            })
    })
}

/// The largest profit, by trying all selections.
pub(super) fn best_profit(instance: &Instance) -> u64 {
    fn best(instance: &Instance, item: usize, room: &[u64]) -> u64 {
        if item == instance.items() {
            return 0;
        }
        let (mut most, mut room) = (0, room.to_vec());
        for count in 0..=instance.useful_copies(item) {
            let profit = count * instance.profits()[item];
            most = most.max(profit + best(instance, item + 1, &room));
            for (dimension, weight) in instance.weights_of(item).enumerate() {
                match room[dimension].checked_sub(weight) {
                    Some(left) => room[dimension] = left,
                    None => return most,
                }
            }
        }
        most
    }
    best(instance, 0, instance.capacities())
}

/// The reduced problem, created without a limit.
pub(super) fn reduced(instance: &Instance) -> Problem {
    Problem::new(instance, &monitor()).unwrap()
}

/// Items of which about half fit, with profits so near to their weights that bounds decide few.
pub(crate) fn drawn(items: usize, capacities: &[u64], seed: u64) -> Instance {
    let mut random = Random::new(seed);
    let mut profits = vec![0; items];
    let mut weights = Vec::new();
    for &capacity in capacities {
        for profit in &mut profits {
            let weight = 1 + random.below((4 * capacity / items as u64).min(capacity).max(1));
            weights.push(weight);
            *profit += 1000 * weight / (capacity + 1) + random.below(4) + 1;
        }
    }
    Instance::new(profits, weights, capacities.to_vec()).unwrap()
}

/// Items whose profits are the sums of their two weights, with many best selections. Weights are
/// multiples of 3 except those of one item, so that no selection fills the capacities.
pub(super) fn sums(items: usize, seed: u64) -> Instance {
    let mut random = Random::new(seed);
    let mut weight = |item| if item == 0 { 13 } else { 3 * (1 + random.below(5)) };
    let weights: Vec<u64> = (0..2 * items).map(|place| weight(place % items)).collect();
    let profits = (0..items).map(|item| weights[item] + weights[items + item]).collect();
    Instance::new(profits, weights, vec![62, 62]).unwrap()
}

/// The first problem of the OR-Library's file mknap1, of Petersen (1967). Its optimum is 3800.
pub(super) const PETERSEN: &str = "6 10 3800
100 600 1200 2400 500 2000
8 12 13 64 22 41
8 12 13 75 22 41
3 6 4 18 6 4
5 10 8 32 6 12
5 13 8 42 6 20
5 13 8 48 6 20
0 0 0 0 8 0
3 0 4 0 8 0
3 2 4 0 8 4
3 2 4 8 8 4
80 96 20 36 44 48 10 18 22 24
";
