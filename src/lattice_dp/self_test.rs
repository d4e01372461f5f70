//! Instances for the self-tests of the kernels.

use super::Instance;
use crate::Result;
use crate::random::Random;

/// Sizes of a box whose large slabs and levels take several groups and part of another, and a
/// number of offsets.
pub(super) const SIZES: [u32; 4] = [6, 10, 12, 9];
pub(super) const OFFSETS: usize = 14;

/// A box of these sizes with random offsets. The first offsets are steps along each dimension.
pub(super) fn instance(sizes: &[u32], offsets: usize, most_cost: u64) -> Result<Instance> {
    let mut random = Random::new(sizes.len() as u64);
    let mut draw = |number: usize| {
        let mut vector: Vec<u32> =
            sizes.iter().map(|&size| random.below(u64::from(size.min(3)) + 1) as u32).collect();
        if number < sizes.len() {
            vector.fill(0);
        }
        if vector.iter().all(|&component| component == 0) {
            vector[number % sizes.len()] = 1;
        }
        (vector, 1 + random.below(most_cost) as u16)
    };
    Instance::new(sizes, (0..offsets).map(&mut draw).collect::<Vec<_>>())
}
