//! High-multiplicity bin packing, the first problem that uses the lattice: a cell's components
//! count the packed items of each type.

use super::configurations::configurations;
use super::{Instance, count_cells};
use crate::solve::Monitor;
use crate::{Error, Result};

/// Typed items to pack into as few containers of one capacity as possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packing {
    sizes: Vec<u64>,
    counts: Vec<u32>,
    capacity: u64,
}

/// Number of items of each type in each container.
pub type Containers = Vec<Vec<u32>>;

impl Packing {
    /// Creates a packing problem from the item types' sizes, from 1 to the capacity, and their
    /// counts.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] if the numbers of sizes and counts differ, or for a size out of
    /// range.
    pub fn new(sizes: Vec<u64>, counts: Vec<u32>, capacity: u64) -> Result<Self> {
        if counts.len() != sizes.len() {
            let reason = format!("{} counts for {} sizes", counts.len(), sizes.len());
            return Err(Error::argument("counts", reason));
        }
        if let Some(index) = sizes.iter().position(|&size| size == 0 || size > capacity) {
            let reason = format!("must be from 1 to the capacity {capacity}, not {}", sizes[index]);
            return Err(Error::element("sizes", index, reason));
        }
        Ok(Packing { sizes, counts, capacity })
    }

    /// Item sizes.
    pub fn sizes(&self) -> &[u64] {
        &self.sizes
    }

    /// Number of items of each type.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Capacity of a container.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The sizes of the table's box. A saturated count is far too large for any table.
    pub(super) fn box_sizes(&self) -> Vec<u32> {
        self.counts.iter().map(|count| count.saturating_add(1)).collect()
    }

    /// The lattice whose steps are all ways to fill a container, each at a cost of 1.
    pub(super) fn lattice(&self, monitor: &Monitor) -> Result<Instance> {
        let sizes = self.box_sizes();
        // Refuses far too large a table before listing its configurations.
        count_cells(&sizes)?;
        let list = configurations(&self.sizes, &self.counts, self.capacity, monitor)?;
        // Without types the list is empty.
        Instance::new(&sizes, list.chunks_exact(sizes.len().max(1)).map(|counts| (counts, 1)))
    }

    /// The containers that all sizes together fill: no packing has fewer.
    pub(super) fn bound(&self) -> u64 {
        let size = |(&size, &count): (&u64, &u32)| u128::from(size) * u128::from(count);
        let total: u128 = self.sizes.iter().zip(&self.counts).map(size).sum();
        // Without a capacity there are no items.
        total.div_ceil(u128::from(self.capacity.max(1))) as u64
    }

    /// Counts the containers that hold items. They are checked by the definition of a packing.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a container with another number of item types or too large a
    /// load, and if all containers together don't hold the items of the packing.
    pub fn evaluate(&self, containers: &Containers) -> Result<u64> {
        let mut packed = vec![0u64; self.counts.len()];
        let mut used = 0;
        for (index, container) in containers.iter().enumerate() {
            let (types, given) = (self.sizes.len(), container.len());
            if given != types {
                let reason = format!("has {given} counts for {types} item types");
                return Err(Error::element("containers", index, reason));
            }
            let load: u128 = container
                .iter()
                .zip(&self.sizes)
                .map(|(&n, &size)| u128::from(n) * u128::from(size))
                .sum();
            if load > self.capacity.into() {
                let reason = format!("has a load of {load}, the capacity is {}", self.capacity);
                return Err(Error::element("containers", index, reason));
            }
            used += u64::from(load > 0);
            packed
                .iter_mut()
                .zip(container)
                .for_each(|(packed, &count)| *packed += u64::from(count));
        }
        for (item, (&packed, &count)) in packed.iter().zip(&self.counts).enumerate() {
            if packed != u64::from(count) {
                let reason = format!("{packed} items of type {item} are packed, not {count}");
                return Err(Error::argument("containers", reason));
            }
        }
        Ok(used)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_named() {
        let message = |sizes: &[u64], counts: &[u32], capacity| {
            Packing::new(sizes.to_vec(), counts.to_vec(), capacity).unwrap_err().to_string()
        };
        assert_eq!(message(&[1, 2], &[1], 5), "counts: 1 counts for 2 sizes");
        assert_eq!(
            message(&[1, 0], &[1, 1], 5),
            "sizes[1]: must be from 1 to the capacity 5, not 0"
        );
        assert_eq!(
            message(&[6, 1], &[1, 1], 5),
            "sizes[0]: must be from 1 to the capacity 5, not 6"
        );
    }
}
