//! Random partitions, and the places of the cells of a partitioned table by definition, for the
//! tests of the engines.

use proptest::prelude::*;

use super::layout::Layout;
use super::shape::Partition;
use crate::lattice_dp::Instance;
use crate::lattice_dp::testing::{brute_force, instances};

/// Random instances with each dimension cut into a random divisor of its size.
pub(super) fn cut_instances() -> impl Strategy<Value = (Instance, Partition)> {
    let draws = proptest::collection::vec(any::<prop::sample::Index>(), 6);
    (instances(), draws).prop_map(|(instance, draws)| {
        let sizes = instance.sizes();
        let part = |(&size, draw): (&u32, &prop::sample::Index)| {
            let divisors: Vec<u32> =
                (1..=size).filter(|&divisor| size.is_multiple_of(divisor)).collect();
            *draw.get(&divisors)
        };
        let parts: Vec<u32> = sizes.iter().zip(&draws).map(part).collect();
        (instance, Partition::into_parts(&sizes, &parts).unwrap())
    })
}

/// The values of all cells, block after block, row-major by block coordinates and inside blocks.
pub(super) fn values_by_place(layout: &Layout<'_>) -> Vec<u16> {
    let values = brute_force::<u16>(layout.instance);
    let dimensions = layout.instance.dimensions();
    let row_major = |components: &[u64], sizes: &[u64]| {
        components.iter().zip(sizes).fold(0, |number, (component, size)| number * size + component)
    };
    let sides: Vec<u64> = layout.axes.iter().map(|axis| axis.side.into()).collect();
    let parts: Vec<u64> = dimensions
        .iter()
        .zip(&sides)
        .map(|(dimension, side)| (u64::from(dimension.max) + 1) / side)
        .collect();
    let block_cells: u64 = sides.iter().product();
    let mut by_place = vec![0; values.len()];
    for (index, &value) in (0u64..).zip(&values) {
        let components: Vec<u64> =
            dimensions.iter().map(|dim| index / dim.stride % (u64::from(dim.max) + 1)).collect();
        let block: Vec<u64> =
            components.iter().zip(&sides).map(|(component, side)| component / side).collect();
        let inner: Vec<u64> =
            components.iter().zip(&sides).map(|(component, side)| component % side).collect();
        by_place[(row_major(&block, &parts) * block_cells + row_major(&inner, &sides)) as usize] =
            value;
    }
    by_place
}
