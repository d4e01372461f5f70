//! The kernels' tables of an instance, and the division of local memory.

use std::sync::{Arc, Mutex};

use super::FAMILY;
use super::form::Form;
use super::kernels::{self, Bounding, Children, Expand};
use crate::Result;
use crate::flow_shop::exact::device::{Advance, Batch, Layout, RESERVED_BYTES, Tile, does_not_fit};
use crate::flow_shop::exact::makespan::pairs::Pairs;
use crate::flow_shop::exact::makespan::{Bound, Makespan};
use crate::flow_shop::exact::problem::Problem;
use crate::mutex::lock;
use crate::opencl::{Buffer, Device, GroupArrays, Kernel, KernelFamily, Local, Program, Queue};

/// Every group copies the times to local memory if they take at most this many bytes: not more than
/// half of it, where that is more than usual. Without local memory a copy is of no use.
pub(super) fn most_near_bytes(device: &Device) -> usize {
    if !device.info().has_local_memory() {
        return 0;
    }
    let half = device.info().local_memory_bytes as usize / 2;
    device.tuned(&FAMILY, "NEAR_BYTES").min(half.max(16 << 10))
}

/// The tables of one instance on one device for one bound.
pub(super) struct Tables<'a> {
    device: &'a Device,
    family: &'static KernelFamily,
    pub(super) form: Form,
    pub(super) layout: Layout,
    /// Bytes of the times in local memory; none if they stay in global memory.
    near_bytes: usize,
    defines: Vec<(&'static str, u64)>,
    /// Work-items of a work-group.
    pub(super) group: usize,
    /// Nodes of a tile, the unit of work of a group.
    pub(super) tile_nodes: usize,
    /// About the number of children to bound in a round.
    pub(super) round_bounds: usize,
    times: Buffer<u32>,
    johnson: Option<Johnson>,
    expand: Mutex<Kernel<Expand<'static>>>,
}

/// The tables of the two-machine bound, and the division of its local memory.
struct Johnson {
    orders: Buffer<u32>,
    machines: Buffer<u8>,
    pairs: usize,
    shape: JohnsonShape,
}

/// Number of children and of pairs that the two-machine bound processes at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct JohnsonShape {
    chunk: usize,
    pair_chunk: usize,
    /// Elements between consecutive children.
    pair_stride: usize,
}

impl<'a> Tables<'a> {
    pub(super) fn new(
        device: &'a Device,
        queue: &Queue,
        family: &'static KernelFamily,
        problem: &Problem<'_, Makespan<'_>>,
        purpose: Use,
    ) -> Result<Self> {
        let form = Form::of(problem.instance);
        let layout = form.layout(problem.instance)?;
        let near_bytes = near_times_bytes(device, &form, &layout);
        let defines = defines(&form, near_bytes > 0, &layout, problem.objective.bound, purpose);
        let program = device.program(family, &defines)?;
        let tunable = |name| program.define(name).unwrap_or(1) as usize;
        let expand: Kernel<Expand<'static>> = program.kernel()?;
        let group =
            expand.group("GROUP").min(program.kernel::<Advance<'static>>()?.max_work_group_size());
        let group = group.min(program.kernel::<Children<'static>>()?.max_work_group_size());
        let room = (device.info().group_memory_bytes() as usize).saturating_sub(RESERVED_BYTES);
        let node_bytes = node_bytes(&form, &layout);
        let small = near_bytes + node_bytes;
        // One machine has no pairs; LB1 is then as good as any bound.
        let johnson = match problem.objective.pairs.as_ref().filter(|pairs| !pairs.list.is_empty())
        {
            None => None,
            Some(pairs) => {
                let bytes = tunable("JOHNSON_BYTES").min(room.saturating_sub(small));
                let shape = JohnsonShape::new(&form, &layout, pairs.list.len(), group, bytes)
                    .ok_or_else(|| does_not_fit(device, "the two-machine bound"))?;
                Some(Johnson::new(device, queue, &form, &layout, pairs, shape)?)
            }
        };
        let johnson_bytes =
            johnson.as_ref().map_or(0, |johnson| johnson.shape.bytes(&form, &layout, group));
        let left = room.saturating_sub(near_bytes + johnson_bytes);
        let (most_nodes, round_bounds) = match johnson {
            None => (tunable("TILE_NODES"), tunable("ROUND_BOUNDS")),
            Some(_) => (tunable("JOHNSON_NODES"), tunable("JOHNSON_ROUND_BOUNDS")),
        };
        if left < node_bytes {
            return Err(does_not_fit(device, "a node"));
        }
        let tile_nodes = (left.min(tunable("TILE_BYTES")) / node_bytes).clamp(1, most_nodes);
        let times = device.buffer_from(queue, &form.times(problem.instance, &layout))?;
        Ok(Tables {
            device,
            family,
            form,
            layout,
            near_bytes,
            defines,
            group,
            tile_nodes,
            round_bounds,
            times,
            johnson,
            expand: Mutex::new(expand),
        })
    }

    pub(super) fn device(&self) -> &'a Device {
        self.device
    }

    pub(super) fn program(&self) -> Result<Arc<Program>> {
        self.device.program(self.family, &self.defines)
    }

    /// The times of all jobs.
    pub(super) fn times(&self) -> &Buffer<u32> {
        &self.times
    }

    /// Launches `flow_shop_expand` in that many groups.
    pub(super) fn expand(&self, queue: &Queue, batch: Batch<'_>, groups: usize) -> Result<()> {
        let (tile, bounding) = self.arguments();
        let kernel = lock(&self.expand);
        let arguments = Expand { batch, tile, bounding, group_arrays: GroupArrays::WORDS };
        queue.launch(&kernel, &arguments, [groups * self.group], [self.group])
    }

    /// The arguments of all bounding kernels: tiles, tables and local memory for bounding.
    pub(super) fn arguments(&self) -> (Tile, Bounding<'_>) {
        let (form, layout) = (&self.form, &self.layout);
        let tile = Tile {
            size: (layout.record_words() / layout.quad_words()) as u32,
            jobs: layout.jobs() as u32,
            tile_nodes: self.tile_nodes as u32,
            stride: (layout.tile_row_words() / layout.quad_words()) as u32,
            tile: Local(self.tile_nodes * 4 * layout.tile_row_words()),
            open: Local(self.tile_nodes * 4),
            near_bounds: Local(self.tile_nodes * bounds_bytes(form, layout)),
        };
        let johnson = self.johnson.as_ref();
        let bounding = Bounding {
            times: &self.times,
            near_times: Local(self.near_bytes),
            johnson: johnson.map(|johnson| johnson.arguments(form, layout, self.group)),
        };
        (tile, bounding)
    }
}

impl Johnson {
    fn new(
        device: &Device,
        queue: &Queue,
        form: &Form,
        layout: &Layout,
        pairs: &Pairs<'_>,
        shape: JohnsonShape,
    ) -> Result<Self> {
        Ok(Johnson {
            orders: device.buffer_from(queue, &form.orders(pairs, layout))?,
            machines: device.buffer_from(queue, &form.machine_pairs(pairs))?,
            pairs: pairs.list.len(),
            shape,
        })
    }

    fn arguments(&self, form: &Form, layout: &Layout, group: usize) -> kernels::Johnson<'_> {
        let JohnsonShape { chunk, pair_chunk, pair_stride } = self.shape;
        let pair_bytes = 4 * form.pair_words();
        kernels::Johnson {
            orders: &self.orders,
            machines: &self.machines,
            pairs: self.pairs as u32,
            chunk: chunk as u32,
            pair_chunk: pair_chunk as u32,
            pair_stride: pair_stride as u32,
            place: Local(layout.jobs() * 2),
            ends_u: Local(form.machines() * chunk * pair_bytes),
            ends_v: Local(form.machines() * chunk * pair_bytes),
            but_one: Local(chunk * pair_stride * pair_bytes / 2),
            partial: Local(group * pair_bytes),
        }
    }
}

impl JohnsonShape {
    /// The largest shape that fits into `bytes` bytes, with no more children than work-items.
    fn new(form: &Form, layout: &Layout, pairs: usize, group: usize, bytes: usize) -> Option<Self> {
        let constant_bytes = 2 * form.pair_words();
        let ends_bytes = 4 * form.machines() * constant_bytes;
        let left = bytes.checked_sub(layout.jobs() * 2 + group * 2 * constant_bytes)?;
        let mut chunk = layout.jobs().min(group);
        // Giving at most half of the space to the children's ends leaves enough for the pairs.
        while chunk > 1 && chunk * ends_bytes > left / 2 {
            chunk = chunk.div_ceil(2);
        }
        let row_bytes = left.checked_sub(chunk * ends_bytes)? / chunk;
        // With an odd number of words per row, rows start in different banks of local memory.
        let odd_words = (row_bytes / 4).checked_sub(1)? | 1;
        let pair_stride = (odd_words * 4 / constant_bytes)
            .min(((pairs * constant_bytes / 4 + 1) | 1) * 4 / constant_bytes);
        let pair_chunk = pair_stride.min(pairs);
        (pair_chunk > 0).then_some(JohnsonShape { chunk, pair_chunk, pair_stride })
    }

    fn bytes(self, form: &Form, layout: &Layout, group: usize) -> usize {
        let constant_bytes = 2 * form.pair_words();
        let child_bytes = 4 * form.machines() * constant_bytes + self.pair_stride * constant_bytes;
        layout.jobs() * 2 + group * 2 * constant_bytes + self.chunk * child_bytes
    }
}

/// The use of the kernels. A self-test runs only those of the given use.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Use {
    /// Bounds of given nodes.
    Bounds,
    /// A search on the device.
    Search,
}

pub(super) fn defines(
    form: &Form,
    has_near_times: bool,
    layout: &Layout,
    bound: Bound,
    purpose: Use,
) -> Vec<(&'static str, u64)> {
    vec![
        ("MACHINES", form.machines() as u64),
        ("WIDE", form.wide.into()),
        ("LONG_NUMBERS", layout.long_numbers.into()),
        ("TIMES_IN_LOCAL", has_near_times.into()),
        ("TWO_MACHINES", (bound != Bound::OneMachine && form.machines() > 1).into()),
        ("REFINE", (bound == Bound::Refined).into()),
        ("SEARCHES", (purpose == Use::Search).into()),
    ]
}

/// Bytes of the times in local memory; none if they stay in global memory.
pub(super) fn near_times_bytes(device: &Device, form: &Form, layout: &Layout) -> usize {
    let bytes = layout.jobs() * form.row_words() * 4;
    if bytes <= most_near_bytes(device) { bytes } else { 0 }
}

fn bounds_bytes(form: &Form, layout: &Layout) -> usize {
    layout.jobs() * 4 * form.pair_words()
}

/// Local memory of a group for one node: its record, its children's bounds and three words.
fn node_bytes(form: &Form, layout: &Layout) -> usize {
    4 * layout.tile_row_words() + bounds_bytes(form, layout) + 12
}
