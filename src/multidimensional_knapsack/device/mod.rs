//! Tables on a device: a launch for each item, from one table to another, and one for each item on
//! the way back.

mod check;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::sync::Arc;

use super::cpu::Cell;
use super::dense::{Job, Table};
use super::lattice::{Item, Lattice, Window};
use super::{MOST_DIMENSIONS, self_test};
use crate::context::{Pacer, SpotChecks, Units};
use crate::memory::Gather;
use crate::opencl::{
    Buffer, Device, DeviceKind, Element, Kernel, KernelFamily, Program, Queue, Tunable, Usual,
    kernel_arguments, source,
};
use crate::solve::Monitor;
use crate::{Error, Result, memory};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "multidimensional_knapsack",
    sources: &[source!("multidimensional_knapsack.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![Pass<u64>, Back],
    constants: &[],
    tuning: &[
        Tunable::power("GROUP: work-items of a group", (16, 1024)),
        Tunable::power("SLAB_WORDS: words of decisions in a buffer", (1 << 10, 1 << 28)),
    ],
    self_test: self_test::compare,
};

kernel_arguments! {
    /// One item, from a table to the next.
    struct Pass<'a, T: Word> = "multidimensional_knapsack_item" {
        source: &'a Buffer<T> as cell_t,
        target: &'a Buffer<T> as cell_t,
        sizes: &'a Buffer<u32>,
        items: &'a Buffer<u32>,
        item: u32,
        profit: u64,
        first: u64,
        columns: u64,
        decisions: &'a Buffer<u32>,
        decisions_first: u64,
    }

    /// Back over an item.
    struct Back<'a> = "multidimensional_knapsack_back" {
        sizes: &'a Buffer<u32>,
        items: &'a Buffer<u32>,
        item: u32,
        decisions: &'a Buffer<u32>,
        decisions_first: u64,
        at: &'a Buffer<u32>,
        taken: &'a Buffer<u8>,
    }
}

/// A cell of a table on a device.
pub(super) trait Word: Cell + Element {}

impl<T: Cell + Element> Word for T {}

/// Rows of a column, as many as a word of decisions has bits.
const COLUMN: usize = 32;

/// The programs for two and three dimensions and profits of 16 and of 32 bits. Few instances have
/// more dimensions and a small enough table.
pub(crate) fn usual_programs() -> Vec<Usual> {
    let numbers = [2, 3].into_iter().flat_map(|dimensions| [(2, dimensions), (4, dimensions)]);
    let usual = |(bytes, dimensions)| {
        Usual::new(FAMILY.name, move |device| program(device, bytes, dimensions).map(drop))
    };
    numbers.map(usual).collect()
}

fn program(device: &Device, bytes: usize, dimensions: usize) -> Result<Arc<Program>> {
    let defines = [("CELL_BYTES", bytes as u64), ("DIMENSIONS", dimensions as u64)];
    device.program(&FAMILY, &defines)
}

/// Fills tables of cells of type `T` on a device.
pub(super) struct DeviceTable<'a, T: Word> {
    host: Host<'a>,
    pass: Kernel<Pass<'static, T>>,
    checks: RefCell<SpotChecks>,
}

/// The part that does not depend on the type of the cells.
struct Host<'a> {
    monitor: &'a Monitor,
    device: &'a Device,
    queue: Queue,
    back: Kernel<Back<'static>>,
}

/// Where the decisions on an item are.
struct Layer {
    slab: usize,
    first: usize,
}

/// Decisions, in buffers of about the same size.
#[derive(Default)]
struct Slabs {
    buffers: Vec<Buffer<u32>>,
    /// Words of the last buffer that are in use.
    used: usize,
}

impl Slabs {
    /// Space for some words; `left` are all that will be asked for. An item may have more words
    /// than a usual buffer.
    fn layer(&mut self, device: &Device, words: usize, left: usize) -> Result<Layer> {
        if self.buffers.last().is_none_or(|last| last.len() - self.used < words) {
            let room = device.info().max_allocation_bytes as usize / size_of::<u32>();
            let usual = device.tuned(&FAMILY, "SLAB_WORDS").min(room);
            self.buffers.push(device.buffer(words.max(left.min(usual)))?);
            self.used = 0;
        }
        let first = self.used;
        self.used += words;
        Ok(Layer { slab: self.buffers.len() - 1, first })
    }
}

/// Work-items of a pass over a window, of which each has a word of decisions.
fn columns(lattice: &Lattice, window: &Window) -> usize {
    window.rows(lattice).div_ceil(COLUMN) * window.row(lattice)
}

/// What the kernels know of a job.
struct Tables {
    sizes: Buffer<u32>,
    items: Buffer<u32>,
}

impl Host<'_> {
    fn tables(&self, job: &Job<'_>) -> Result<Tables> {
        // The largest capacity of a lattice of 2^36 cells may need more bits.
        let narrow = |number: usize| {
            u32::try_from(number).map_err(|_| Error::unsupported("capacities of 2^32 on a device"))
        };
        let sizes: Vec<u32> = job.lattice.sizes.iter().map(|&size| narrow(size)).try_gather()?;
        let numbers = job
            .items
            .iter()
            .zip(job.windows)
            .flat_map(|(item, window)| item.weights.iter().chain(&window.first));
        let numbers: Vec<u32> = numbers.map(|&number| narrow(number)).try_gather()?;
        Ok(Tables {
            sizes: self.device.buffer_from(&self.queue, &sizes)?,
            items: self.device.buffer_from(&self.queue, &numbers)?,
        })
    }

    /// The items that the best selection takes, of those with layers, by the way back from the last
    /// cell. They begin with item number `first`.
    fn way_back(
        &self,
        job: &Job<'_>,
        tables: &Tables,
        slabs: &Slabs,
        layers: &[Option<Layer>],
        first: usize,
    ) -> Result<Vec<bool>> {
        let mut corner = [0; MOST_DIMENSIONS];
        for (corner, size) in corner.iter_mut().zip(&job.lattice.sizes) {
            *corner = *size as u32 - 1;
        }
        let at = self.device.buffer_from(&self.queue, &corner[..job.lattice.sizes.len()])?;
        let taken = self.device.buffer_from(&self.queue, &memory::filled(0u8, job.items.len())?)?;
        let mut pacer = Pacer::new(&self.queue, self.monitor, "dense");
        for (place, layer) in layers.iter().enumerate().rev() {
            let Some(layer) = layer else { continue };
            let back = Back {
                sizes: &tables.sizes,
                items: &tables.items,
                item: (first + place) as u32,
                decisions: &slabs.buffers[layer.slab],
                decisions_first: layer.first as u64,
                at: &at,
                taken: &taken,
            };
            self.queue.launch(&self.back, &back, [1], [1])?;
            pacer.launched(1, None)?;
        }
        let mut flags = memory::filled(0u8, layers.len())?;
        self.queue.read(&taken, first, &mut flags)?;
        if flags.iter().any(|&flag| flag > 1) {
            return Err(Error::device_failed("the decisions lead out of the table"));
        }
        flags.iter().map(|&flag| flag == 1).gather()
    }
}

impl<'a, T: Word> DeviceTable<'a, T> {
    pub(super) fn new(monitor: &'a Monitor, device: &'a Device, dimensions: usize) -> Result<Self> {
        let program = program(device, size_of::<T>(), dimensions)?;
        let host = Host { monitor, device, queue: device.queue(), back: program.kernel()? };
        Ok(DeviceTable { host, pass: program.kernel()?, checks: RefCell::new(SpotChecks::new()) })
    }

    /// Fills item after item; returns the layers of those that have decisions, from `first` on, and
    /// the profit in the last cell.
    fn advance(
        &self,
        job: &Job<'_>,
        tables: &Tables,
        first: usize,
    ) -> Result<(Slabs, Vec<Option<Layer>>, u64)> {
        let Job { lattice, items, windows } = *job;
        let Host { monitor, device, queue, .. } = &self.host;
        let cells = lattice.cells();
        let mut source = device.buffer::<T>(cells)?;
        let mut target = device.buffer::<T>(cells)?;
        queue.fill(&source, 0, cells, T::default())?;
        let (mut slabs, mut layers) = (Slabs::default(), memory::list(items.len() - first)?);
        let unused = match first {
            0 => None,
            _ => Some(device.buffer::<u32>(columns(lattice, &windows[0]))?),
        };
        let group = self.pass.group("GROUP");
        let mut left = windows[first..].iter().map(|window| columns(lattice, window)).sum();
        let mut pacer = Pacer::new(queue, monitor, "dense");
        for (place, (item, window)) in items.iter().zip(windows).enumerate() {
            let count = columns(lattice, window);
            let fits = item.weights.iter().zip(&lattice.sizes).all(|(weight, size)| weight < size);
            let layer = match fits && place >= first {
                true => Some(slabs.layer(device, count, left)?),
                false => None,
            };
            if fits {
                let (decisions, decisions_first) = match (&layer, &unused) {
                    (Some(layer), _) => (&slabs.buffers[layer.slab], layer.first as u64),
                    (None, Some(unused)) => (unused, 0),
                    (None, None) => return Err(Error::internal("decisions without a place")),
                };
                pacer.launch(0..count, Units::of(COLUMN as u64), &mut |part| {
                    let pass = Pass {
                        source: &source,
                        target: &target,
                        sizes: &tables.sizes,
                        items: &tables.items,
                        item: place as u32,
                        profit: item.profit,
                        first: part.start as u64,
                        columns: part.end as u64,
                        decisions,
                        decisions_first,
                    };
                    let global = part.len().next_multiple_of(group);
                    queue.launch(&self.pass, &pass, [global], [group])?;
                    Ok(None)
                })?;
                self.check(lattice, item, window, &source, &target)?;
                std::mem::swap(&mut source, &mut target);
            }
            if place >= first {
                left -= count;
                layers.push(layer);
            }
        }
        let mut value = [T::default()];
        queue.read(&source, cells - 1, &mut value)?;
        Ok((slabs, layers, value[0].into()))
    }
}

impl<T: Word> Table for DeviceTable<'_, T> {
    fn memory_bytes(&self) -> u64 {
        let info = self.host.device.info();
        match info.kind {
            // A CPU device uses the host's memory.
            DeviceKind::Cpu => self.host.monitor.memory_bytes().min(info.global_memory_bytes),
            _ => info.global_memory_bytes / 8 * 7,
        }
    }

    fn table_bytes(&self, job: &Job<'_>) -> Result<u128> {
        let unused = self.decision_bytes(job.lattice, &job.items[0], &job.windows[0])?;
        Ok(2 * job.lattice.cells() as u128 * size_of::<T>() as u128 + unused)
    }

    fn decision_bytes(&self, lattice: &Lattice, _: &Item, window: &Window) -> Result<u128> {
        Ok(columns(lattice, window) as u128 * size_of::<u32>() as u128)
    }

    fn fill(&mut self, job: &Job<'_>, first: usize) -> Result<(u64, Vec<bool>)> {
        let tables = self.host.tables(job)?;
        let (slabs, layers, value) = self.advance(job, &tables, first)?;
        Ok((value, self.host.way_back(job, &tables, &slabs, &layers, first)?))
    }
}
