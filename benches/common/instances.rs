//! Instances that steps and whole solves share.

use makespan::{
    Limits, flow_shop, interval_dp, knapsack, lattice_dp, multidimensional_knapsack, recurrence,
};

use super::random::Random;

/// The table of the P||Cmax scheme at k = 4 with the smallest legal classes, 4 units and up, which
/// have the most configurations.
pub(crate) fn configurations(sizes: &[u32]) -> lattice_dp::Instance {
    let units: Vec<u32> = (4..).take(sizes.len()).collect();
    packing_lattice(sizes, &units, 16)
}

/// A box of item counts, each up to size - 1. Its offsets, of cost 1, are all ways to fill a
/// container of that capacity with items of these units.
pub(crate) fn packing_lattice(sizes: &[u32], units: &[u32], capacity: u32) -> lattice_dp::Instance {
    fn extend(
        sizes: &[u32],
        units: &[u32],
        left: u32,
        vector: &mut Vec<u32>,
        list: &mut Vec<(Vec<u32>, u16)>,
    ) {
        let Some((&size, rest)) = sizes.split_first() else {
            if vector.iter().any(|&count| count > 0) {
                list.push((vector.clone(), 1));
            }
            return;
        };
        for count in (0..size.min(left / units[0] + 1)).rev() {
            vector.push(count);
            extend(rest, &units[1..], left - count * units[0], vector, list);
            vector.pop();
        }
    }
    let mut list = Vec::new();
    extend(sizes, units, capacity, &mut Vec::new(), &mut list);
    lattice_dp::Instance::new(sizes, list).unwrap()
}

/// An interval program with that many points.
pub(crate) fn interval(
    kind: interval_dp::Kind,
    points: usize,
    seed: u64,
) -> interval_dp::Instance<i64> {
    let size = match kind {
        interval_dp::Kind::MatrixChain => points - 1,
        _ => points - 2,
    };
    match interval_dp::AnyInstance::random(kind, size, seed, 40, &Limits::default()) {
        Ok(interval_dp::AnyInstance::Whole(instance)) => instance,
        _ => panic!("whole numbers were asked for"),
    }
}

/// Leaves of 0 and 1: values fit 16 bits.
pub(crate) fn narrow_interval(points: usize) -> interval_dp::Instance<i64> {
    use interval_dp::{CellCost, Instance, Semiring, SplitCost};
    let leaves = (0..points as i64 - 1).map(|leaf| i64::from(leaf * 7919 % 10 < 5)).collect();
    Instance::custom(Semiring::MinPlus, leaves, CellCost::None, SplitCost::None).unwrap()
}

/// Offsets `smallest`, `smallest + gap`, ... in decreasing order.
pub(crate) fn offsets(smallest: u64, gap: u64, count: u64) -> Vec<u64> {
    (0..count).rev().map(|index| smallest + index * gap).collect()
}

/// A (min,+) recurrence with random values and weights.
pub(crate) fn min_plus(offsets: Vec<u64>, filled: u64, instances: usize) -> recurrence::Instance {
    let mut random = Random(1);
    let initial = (0..offsets[0] * instances as u64).map(|_| random.below(1000) as i64).collect();
    let weights = offsets.iter().map(|_| random.below(100) as i64).collect();
    let length = offsets[0] + filled;
    let semiring = recurrence::Semiring::MinPlus;
    let instance = recurrence::Instance::batch(semiring, offsets, initial, length, instances);
    instance.unwrap().with_weights(weights).unwrap()
}

/// A knapsack with weights from a range and profits of no pattern.
pub(crate) fn knapsack(items: usize, weights: (u64, u64), capacity: u64) -> knapsack::Instance {
    let mut random = Random(items as u64);
    let weights: Vec<u64> = (0..items).map(|_| random.within(weights.0, weights.1)).collect();
    let profits = (0..items).map(|_| random.within(1, 30_000)).collect();
    knapsack::Instance::new(profits, weights, capacity).unwrap()
}

/// A subset sum. Weights are multiples of 3 except one, so that no sum meets the capacity.
pub(crate) fn subset_sum(items: usize, heaviest: u64, capacity: u64) -> knapsack::Instance {
    let mut random = Random(items as u64);
    let mut weights: Vec<u64> =
        (1..items).map(|_| 3 * random.within(heaviest / 6, heaviest / 3)).collect();
    weights.push(heaviest / 3 * 3 - 2);
    knapsack::Instance::subset_sum(weights, capacity / 3 * 3 + 2).unwrap()
}

/// A knapsack with several capacities, of which the weights fill about twice as much. The profits are
/// so near to the weights that no bound decides an item.
pub(crate) fn multidimensional_knapsack(
    items: usize,
    capacities: &[u64],
) -> multidimensional_knapsack::Instance {
    let mut random = Random(items as u64);
    let mut profits: Vec<u64> = (0..items).map(|_| random.within(0, 20)).collect();
    let mut weights = Vec::new();
    for &capacity in capacities {
        for profit in &mut profits {
            let weight = random.within(1, 4 * capacity / items as u64);
            weights.push(weight);
            *profit += 1000 * weight;
        }
    }
    multidimensional_knapsack::Instance::new(profits, weights, capacities.to_vec()).unwrap()
}

/// A knapsack with three capacities and profits that are the sums of the weights. Weights are multiples
/// of 3 except one item's, so that no selection fills the capacities.
pub(crate) fn sum_of_three(items: usize, capacity: u64) -> multidimensional_knapsack::Instance {
    let mut random = Random(items as u64);
    let heaviest = 4 * capacity / items as u64 / 3;
    let (mut profits, mut weights) = (vec![0; items], Vec::new());
    for _ in 0..3 {
        for (item, profit) in profits.iter_mut().enumerate() {
            let thirds = random.within(1, heaviest);
            let weight = if item == 0 { 3 * heaviest - 2 } else { 3 * thirds };
            weights.push(weight);
            *profit += weight;
        }
    }
    let capacities = vec![capacity / 3 * 3 + 2; 3];
    multidimensional_knapsack::Instance::new(profits, weights, capacities).unwrap()
}

/// A flow shop with times by Taillard's generator.
pub(crate) fn flow_shop(jobs: usize, machines: usize) -> flow_shop::Instance {
    const MODULUS: u64 = 2_147_483_647;
    let mut state = 12345;
    let mut times = vec![0; jobs * machines];
    for machine in 0..machines {
        for job in 0..jobs {
            state = state * 16807 % MODULUS;
            times[job * machines + machine] = 1 + (99 * state / MODULUS) as u32;
        }
    }
    flow_shop::Instance::new(jobs, machines, times).unwrap()
}
