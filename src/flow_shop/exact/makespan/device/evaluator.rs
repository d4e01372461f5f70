//! Bounds the children of given nodes, without a search.

use std::time::{Duration, Instant};

use super::FAMILY;
use super::kernels::Children;
use super::tables::{Tables, Use};
use crate::Result;
use crate::flow_shop::exact::device::encode;
use crate::flow_shop::exact::makespan::Makespan;
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::problem::Problem;
use crate::opencl::{Device, GroupArrays, Kernel, KernelFamily, Queue};

/// Bounds lists of nodes on a device.
pub(in crate::flow_shop::exact::makespan) struct Evaluator<'a, 'i> {
    problem: &'a Problem<'a, Makespan<'i>>,
    queue: Queue,
    tables: Tables<'a>,
    kernel: Kernel<Children<'static>>,
}

impl<'a, 'i> Evaluator<'a, 'i> {
    pub(in crate::flow_shop::exact::makespan) fn new(
        device: &'a Device,
        family: &'static KernelFamily,
        problem: &'a Problem<'a, Makespan<'i>>,
    ) -> Result<Self> {
        let queue = device.queue();
        let tables = Tables::new(device, &queue, family, problem, Use::Bounds)?;
        Ok(Evaluator { problem, kernel: tables.program()?.kernel()?, tables, queue })
    }

    /// Appends, for each node and each of its free jobs by ascending index, the bounds of the
    /// children with that job at the front and at the back. Returns the device's time, without
    /// transfers.
    pub(in crate::flow_shop::exact::makespan) fn evaluate(
        &self,
        nodes: &[Open],
        bounds: &mut Vec<[u32; 2]>,
    ) -> Result<Duration> {
        let (form, layout, device) = (&self.tables.form, &self.tables.layout, self.tables.device());
        let mut records = Vec::with_capacity(nodes.len() * layout.record_words());
        nodes.iter().for_each(|node| encode(layout, self.problem, node, &mut records));
        let records = device.buffer_from(&self.queue, &records)?;
        let found = device.buffer::<u32>(nodes.len() * layout.jobs() * form.pair_words())?;
        self.queue.finish()?;

        let start = Instant::now();
        let (tile, bounding) = self.tables.arguments();
        let arguments = Children {
            records: &records,
            nodes: nodes.len() as u32,
            bounds: &found,
            tile,
            bounding,
            group_arrays: GroupArrays::WORDS,
        };
        // Enough to balance their load.
        let most = device.info().compute_units as usize * device.tuned(&FAMILY, "UNIT_GROUPS");
        let groups = nodes.len().div_ceil(self.tables.tile_nodes).min(most);
        self.queue.launch(
            &self.kernel,
            &arguments,
            [groups * self.tables.group],
            [self.tables.group],
        )?;
        self.queue.finish()?;
        let elapsed = start.elapsed();

        let mut words = vec![0; found.len()];
        self.queue.read(&found, 0, &mut words)?;
        let rows = words.chunks_exact(layout.jobs() * form.pair_words());
        for (node, row) in nodes.iter().zip(rows) {
            let free = self.problem.instance.jobs() - node.fixed.len();
            match form.wide {
                true => {
                    bounds.extend(row.chunks_exact(2).take(free).map(|pair| [pair[0], pair[1]]))
                }
                false => {
                    bounds.extend(row.iter().take(free).map(|word| [word & 0xffff, word >> 16]))
                }
            }
        }
        Ok(elapsed)
    }
}
