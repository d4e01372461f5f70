//! The tables of an instance on a device, and the kernel that reads them.

use std::sync::{Arc, Mutex};

use super::{FAMILY, QUAD_WORDS, Shape, words};
use crate::Result;
use crate::flow_shop::exact::device::{
    Advance, Batch, Explored, Layout, RESERVED_BYTES, Tables, Tile, does_not_fit,
};
use crate::flow_shop::exact::general::General;
use crate::flow_shop::exact::problem::Problem;
use crate::mutex::lock;
use crate::opencl::{Buffer, Device, GroupArrays, Kernel, Local, Program, Queue, kernel_arguments};

kernel_arguments! {
    /// Bounds the children of a batch and lists the open ones.
    pub(super) struct Expand<'a> = "flow_shop_expand" {
        batch: Batch<'a>,
        tile: Tile,
        times: &'a Buffer<u32>,
        group_arrays: GroupArrays,
    }
}

pub(super) struct GeneralTables<'a> {
    device: &'a Device,
    layout: Layout,
    shape: Shape,
    group: usize,
    tile_nodes: usize,
    round_bounds: usize,
    tables: Buffer<u32>,
    expand: Mutex<Kernel<Expand<'static>>>,
}

impl<'a> GeneralTables<'a> {
    pub(super) fn new(
        device: &'a Device,
        queue: &Queue,
        problem: &Problem<'_, General<'_>>,
    ) -> Result<Self> {
        let (layout, shape) = (problem.objective.layout()?, Shape::of(problem.instance));
        let program = device.program(&FAMILY, &shape.defines())?;
        let tunable = |name| program.define(name).unwrap_or(1) as usize;
        let expand: Kernel<Expand<'static>> = program.kernel()?;
        let most_of_advance = program.kernel::<Advance<'static>>()?.max_work_group_size();
        let room = (device.info().group_memory_bytes() as usize).saturating_sub(RESERVED_BYTES);
        let tile_nodes = (room / node_bytes(&layout)).min(tunable("TILE_NODES"));
        if tile_nodes == 0 {
            return Err(does_not_fit(device, "a node"));
        }
        Ok(GeneralTables {
            device,
            shape,
            group: expand.group("GROUP").min(most_of_advance),
            tile_nodes,
            round_bounds: tunable("ROUND_BOUNDS"),
            tables: device.buffer_from(queue, &words::tables(&problem.objective.numbers))?,
            expand: Mutex::new(expand),
            layout,
        })
    }
}

/// Local memory of a group for one node: its record, its children's bounds and three words.
fn node_bytes(layout: &Layout) -> usize {
    4 * (layout.tile_row_words() + 2 * layout.jobs() + 3)
}

impl Tables for GeneralTables<'_> {
    fn device(&self) -> &Device {
        self.device
    }

    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn program(&self) -> Result<Arc<Program>> {
        self.device.program(&FAMILY, &self.shape.defines())
    }

    fn group(&self) -> usize {
        self.group
    }

    fn tile_nodes(&self) -> usize {
        self.tile_nodes
    }

    fn round_bounds(&self) -> usize {
        self.round_bounds
    }

    fn expand(&self, queue: &Queue, batch: Batch<'_>, groups: usize) -> Result<()> {
        let layout = &self.layout;
        let tile = Tile {
            size: (layout.record_words() / QUAD_WORDS) as u32,
            jobs: layout.jobs() as u32,
            tile_nodes: self.tile_nodes as u32,
            stride: (layout.tile_row_words() / QUAD_WORDS) as u32,
            tile: Local(self.tile_nodes * 4 * layout.tile_row_words()),
            open: Local(self.tile_nodes * 4),
            near_bounds: Local(self.tile_nodes * 8 * layout.jobs()),
        };
        let kernel = lock(&self.expand);
        let group_arrays = GroupArrays::WORDS;
        let arguments = Expand { batch, tile, group_arrays, times: &self.tables };
        queue.launch(&kernel, &arguments, [groups * self.group], [self.group])
    }

    fn times(&self) -> &Buffer<u32> {
        &self.tables
    }
}
