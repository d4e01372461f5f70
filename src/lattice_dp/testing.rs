//! Random instances and the definition of a cell's value, for the tests of the engines.

use proptest::prelude::*;

use super::cell::Cell;
use super::{Instance, Packing};

/// Boxes of up to some thousand cells with up to a dozen offsets. Cells may be unreachable.
pub(super) fn instances() -> impl Strategy<Value = Instance> {
    let sizes = proptest::collection::vec(1u32..7, 0..6)
        .prop_filter("few cells", |sizes| sizes.iter().product::<u32>() < 4000);
    sizes
        .prop_flat_map(|sizes| {
            let vector: Vec<_> = sizes.iter().map(|&size| 0..=size.min(3)).collect();
            let offset = (vector, 0u16..5)
                .prop_filter("not zero", |(vector, _)| vector.iter().any(|&c| c > 0));
            let offsets = if sizes.is_empty() { 0..1 } else { 0..12 };
            (Just(sizes), proptest::collection::vec(offset, offsets))
        })
        .prop_map(|(sizes, offsets)| Instance::new(&sizes, offsets).unwrap())
}

/// Up to five item types in containers of a few items; the tables have at most a thousand cells.
pub(super) fn packings() -> impl Strategy<Value = Packing> {
    let types = proptest::collection::vec((1u64..20, 0u32..5), 0..6)
        .prop_filter("few cells", |types| {
            types.iter().map(|&(_, count)| count + 1).product::<u32>() < 1000
        });
    (types, 20u64..60).prop_map(|(types, capacity)| {
        let (sizes, counts) = types.into_iter().unzip();
        Packing::new(sizes, counts, capacity).unwrap()
    })
}

/// The recurrence exactly as defined, on component vectors decoded digit by digit.
pub(super) fn brute_force<C: Cell>(instance: &Instance) -> Vec<C> {
    let dimensions = instance.dimensions();
    let components = |index: u64| {
        dimensions
            .iter()
            .map(move |dim| index / dim.stride % (u64::from(dim.max) + 1))
            .collect::<Vec<_>>()
    };
    let mut values = vec![C::ZERO; instance.cells() as usize];
    for index in 1..instance.cells() {
        let cell = components(index);
        let candidates = instance.offsets().iter().filter_map(|offset| {
            let vector = components(offset.distance);
            let inside = vector.iter().zip(&cell).all(|(s, v)| s <= v);
            inside
                .then(|| values[(index - offset.distance) as usize].plus(C::from_cost(offset.cost)))
        });
        values[index as usize] = candidates.min().unwrap_or(C::UNREACHABLE);
    }
    values
}
