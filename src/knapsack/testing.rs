//! Random instances and the definition of their optima, for the tests of the methods.

use proptest::prelude::*;

use super::Instance;

/// Instances of all variants, up to a few dozen items and a capacity of some thousands; many have items of equal
/// efficiency or nearly so.
pub(super) fn instances() -> impl Strategy<Value = Instance> {
    let any = (1u64..60, 1u64..60).boxed();
    let heavy = (1u64..9, 40u64..400).boxed();
    let correlated = (1u64..200).prop_map(|w| (w + 10, w)).boxed();
    let sums = (1u64..300).prop_map(|w| (w, w)).boxed();
    let item = prop_oneof![Just(any), Just(heavy), Just(correlated), Just(sums)];
    let copies = prop_oneof![
        Just(Just(1).boxed()),
        Just(prop_oneof![Just(0), 1u64..9, Just(Instance::UNBOUNDED)].boxed()),
    ];
    (item, copies, 1u64..3000).prop_flat_map(|(item, copies, capacity)| {
        proptest::collection::vec((item, copies), 0..40).prop_map(move |items| {
            let (numbers, copies): (Vec<_>, Vec<_>) = items.into_iter().unzip();
            let (profits, weights) = numbers.into_iter().unzip();
            Instance::bounded(profits, weights, copies, capacity).unwrap()
        })
    })
}

/// The most profit of every capacity, copy by copy.
pub(super) fn best_profits(instance: &Instance) -> Vec<u64> {
    let mut best = vec![0; instance.capacity() as usize + 1];
    for item in 0..instance.items() {
        let (profit, weight) = (instance.profits()[item], instance.weights()[item] as usize);
        for _ in 0..instance.copies()[item].min(instance.capacity() / weight as u64) {
            for capacity in (weight..best.len()).rev() {
                best[capacity] = best[capacity].max(best[capacity - weight] + profit);
            }
        }
    }
    best
}
