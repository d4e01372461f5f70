//! The kernels' input in addition to the table.

use super::layout::Layout;
use crate::opencl::kernel_arguments;
use crate::{Error, Result};

/// Words of the plan for a bit, for an offset and for a dimension; see cl/lattice_partition.cl.
pub(super) const BIT_WORDS: usize = 3;
pub(super) const MOVE_WORDS: usize = 2;
pub(super) const AXIS_WORDS: usize = 5;

kernel_arguments! {
    /// The first word of the counts for a block, and the number of its levels.
    pub(super) struct Inside {
        counts_at: u32,
        levels: u32,
    }

    /// The same for the box of blocks.
    pub(super) struct Blocks {
        block_counts_at: u32,
        block_levels: u32,
    }
}

/// The kernels' input in addition to the table, described in cl/lattice_partition.cl.
pub(super) struct PartitionPlan {
    pub(super) offsets: Vec<u64>,
    pub(super) words: Vec<u32>,
    /// First word of the axes.
    pub(super) axes: u32,
    pub(super) blocks: Blocks,
    pub(super) inside: Inside,
}

impl PartitionPlan {
    pub(super) fn new(layout: &Layout<'_>) -> Result<Self> {
        let offsets = layout.instance.offsets().iter().zip(&layout.moves);
        let rows = offsets.clone().map(|(offset, way)| [offset.packed, way.inner].concat());
        let mut words = Vec::new();
        words.extend(
            layout
                .bits
                .iter()
                .flat_map(|bit| -> [u32; BIT_WORDS] { [bit.group.0, bit.group.1, bit.borrow] }),
        );
        words.extend(
            offsets.flat_map(|(offset, way)| -> [u32; MOVE_WORDS] {
                [way.distance, offset.cost.into()]
            }),
        );
        let place = |words: &Vec<u32>| {
            u32::try_from(words.len())
                .map_err(|_| Error::Overflow { what: "the plan of a lattice", range: "32 bits" })
        };
        let axes = place(&words)?;
        let dimensions = layout.instance.dimensions().iter().zip(&layout.axes);
        words.extend(dimensions.flat_map(|(dimension, axis)| -> [u32; AXIS_WORDS] {
            let mask = dimension.component_mask();
            [axis.side, axis.block_stride, axis.inner_stride, axis.shift, mask]
        }));
        let blocks =
            Blocks { block_counts_at: place(&words)?, block_levels: layout.blocks.levels() };
        words.extend(layout.blocks.counts());
        let inside = Inside { counts_at: place(&words)?, levels: layout.inside.levels() };
        words.extend(layout.inside.counts());
        place(&words)?;
        Ok(PartitionPlan { offsets: rows.flatten().collect(), words, axes, blocks, inside })
    }
}
