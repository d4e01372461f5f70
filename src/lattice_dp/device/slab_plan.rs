use std::ops::Range;

use crate::lattice_dp::cell::CellWidth;
use crate::lattice_dp::instance::Instance;

/// The kernels' input for tables in global memory: rows of four words, described in
/// cl/lattice_dp.cl. The offsets come first, so that an offset's row is its number.
pub(super) struct SlabPlan {
    pub(super) rows: Vec<u64>,
    /// The first row of the partners of each dimension.
    first_partner: Vec<u32>,
    /// The row of the first dimension.
    pub(super) dimensions: u32,
}

impl SlabPlan {
    pub(super) fn new(instance: &Instance, width: CellWidth) -> Self {
        let (dimensions, offsets) = (instance.dimensions(), instance.offsets());
        let cost = |cost: u16| cost.min(width.unreachable()).into();
        let mut rows: Vec<[u64; 4]> = offsets
            .iter()
            .map(|offset| [offset.packed[0], offset.packed[1], offset.distance, cost(offset.cost)])
            .collect();
        let mut first_partner = Vec::with_capacity(dimensions.len());
        for dimension in dimensions {
            first_partner.push(rows.len() as u32);
            let partners = dimension.partners.iter().map(|&partner| &dimensions[partner]);
            rows.extend(
                partners
                    .map(|other| [other.stride, u64::from(other.max) + 1, other.shift.into(), 0]),
            );
        }
        let first_dimension = rows.len() as u32;
        for (dimension, &first) in dimensions.iter().zip(&first_partner) {
            let group = &dimension.group;
            rows.push([
                dimension.stride,
                dimension.max.into(),
                group.start as u64,
                group.end as u64,
            ]);
            let end = u64::from(first) + dimension.partners.len() as u64;
            let mask = dimension.component_mask();
            rows.push([dimension.shift.into(), mask.into(), first.into(), end]);
        }
        SlabPlan { rows: rows.concat(), first_partner, dimensions: first_dimension }
    }

    /// The rows of those partners of a dimension that come after the dimension `after`.
    pub(super) fn partners(
        &self,
        instance: &Instance,
        dimension: usize,
        after: usize,
    ) -> Range<u32> {
        let partners = &instance.dimensions()[dimension].partners;
        let before = partners.partition_point(|&partner| partner <= after);
        let first = self.first_partner[dimension];
        first + before as u32..first + partners.len() as u32
    }
}
