use std::ops::Range;

use super::super::{Item, Rows, VALUES, fill_values};
use super::kernels::{Decisions, Traceback};
use super::{Engine, FAMILY, Kernels, Kind, LaunchPlan, SUMS, Word};
use crate::context::Pacer;
use crate::knapsack::blocks::Cell;
use crate::opencl::{Buffer, Device, Kernel};
use crate::solve::{Monitor, SolveOptions};
use crate::table::Table;
use crate::{Context, Error, Result, memory};

/// Rows of profits on a device.
pub(in super::super) struct DeviceProfits<'a, T: Word> {
    engine: Engine<'a, T>,
}

/// The kernels that record decisions, and the kernel that traces them back.
struct Keeping<T: Word> {
    kernels: Kernels<T>,
    traceback: Kernel<Traceback<'static>>,
}

/// Place of a step's decisions.
struct Layer {
    slab: usize,
    first: usize,
}

/// The row after some items, with all their decisions.
struct Kept<T: Word> {
    slabs: Vec<Buffer<u32>>,
    /// One layer for each step.
    layers: Vec<Layer>,
    last: Buffer<T>,
}

/// Requests the programs that fill rows and that record decisions.
pub(super) fn request<T: Cell + Word>(device: &Device) -> Result<()> {
    let (context, monitor) =
        (Context::of_one_thread()?, Monitor::maximising(&SolveOptions::default()));
    DeviceProfits::<T>::new(&context, &monitor, device)?.keeping().map(drop)
}

impl<'a, T: Cell + Word> DeviceProfits<'a, T> {
    pub(in super::super) fn new(
        context: &'a Context,
        monitor: &'a Monitor,
        device: &'a Device,
    ) -> Result<Self> {
        let kind = Kind {
            quad_each: "QUAD_EACH",
            fused_each: "EACH",
            group: "GROUP",
            is_in_runs: false,
            prefers_fused: false,
            is_sums: false,
        };
        let engine = Engine::new(context, monitor, device, &kind)?;
        Ok(DeviceProfits { engine })
    }

    fn keeping(&self) -> Result<Keeping<T>> {
        let engine = &self.engine;
        let defines = [
            ("CELL_BYTES", size_of::<T>() as u64),
            (SUMS, 0),
            ("GROUP", engine.group as u64),
            ("KEEP", 1),
        ];
        let program = engine.device.program(&FAMILY, &defines)?;
        let spans = [engine.kernels.quad_span, engine.kernels.fused_span];
        Ok(Keeping { kernels: Kernels::new(&program, spans)?, traceback: program.kernel()? })
    }

    /// Fills the items and records their decisions.
    fn keep(
        &self,
        keeping: &Keeping<T>,
        row: &Buffer<T>,
        plan: &LaunchPlan,
        list: &Buffer<u64>,
    ) -> Result<Kept<T>> {
        let engine = &self.engine;
        // Unless a step has more.
        let room = engine.device.info().max_allocation_bytes as usize / size_of::<u32>();
        let slab_words = engine.device.tuned(&FAMILY, "SLAB_WORDS").min(room);
        let (mut slabs, mut layers): (Vec<Buffer<u32>>, Vec<Layer>) = (Vec::new(), Vec::new());
        let mut end = 0;
        let last = engine.fill(row, plan, |step, source, target, pacer| {
            let shape = engine.shape(step, row.len());
            let planes = if step.fused.is_some() { step.items.len().div_ceil(2) } else { 1 };
            let words = planes * shape.groups * engine.group;
            if slabs.last().is_none_or(|slab| slab.len() - end < words) {
                slabs.push(
                    engine.device.buffer(words.max(slab_words.min(words * plan.steps.len())))?,
                );
                end = 0;
            }
            let slab = slabs.len() - 1;
            layers.push(Layer { slab, first: end });
            let kept = Decisions {
                decisions: &slabs[slab],
                decisions_first: end as u64,
                groups: shape.groups as u32,
            };
            end += words;
            let rows = (source, target, list);
            engine.launch(&keeping.kernels, &shape, step, rows, Some(kept), pacer)
        })?;
        Ok(Kept { slabs, layers, last })
    }
}

impl<T: Cell + Word> Rows for DeviceProfits<'_, T> {
    type Row = Buffer<T>;

    const ALL_CELLS: bool = true;
    const ITEMS_PER_ROW: usize = 1;

    fn filled(&self) -> u64 {
        self.engine.filled
    }

    fn row_bytes(&self, cells: u64) -> u64 {
        cells.saturating_mul(size_of::<T>() as u64)
    }

    fn list_bytes(&self, cells: u64) -> u64 {
        self.engine.list_bytes(cells)
    }

    fn memory_bytes(&self) -> u64 {
        self.engine.memory_bytes()
    }

    /// Decisions, including the halo and the last group of every step, may take half of the memory.
    fn is_leaf(&self, items: &[Item], cells: usize, _: u64) -> bool {
        let cells = (cells + self.engine.kernels.fused_span) as u128;
        let bits = cells * (items.len() + 3) as u128 * 2;
        bits / 8 <= u128::from(self.engine.memory_bytes() / 2)
    }

    fn start(&mut self, cells: usize) -> Result<Buffer<T>> {
        let row = self.engine.device.buffer(cells)?;
        self.engine.queue.fill(&row, 0, cells, T::ZERO)?;
        Ok(row)
    }

    fn advance(&mut self, row: &Buffer<T>, items: &[Item], _: usize) -> Result<Buffer<T>> {
        self.engine.filled += items.len() as u64 * row.len() as u64;
        self.engine.advance(row, &self.engine.plan(items, self.engine.halo, |item| item.weight))
    }

    fn window(&mut self, row: &Buffer<T>, range: Range<usize>) -> Result<Buffer<T>> {
        self.engine.window(row, range)
    }

    fn value(&mut self, row: &Buffer<T>, cell: usize) -> Result<i64> {
        let mut value = [T::ZERO];
        self.engine.queue.read(row, cell, &mut value)?;
        Ok(value[0].into())
    }

    fn best(&mut self, last: &Buffer<T>) -> Result<usize> {
        Ok(last.len() - 1)
    }

    /// Reads through a small buffer for each thread: touching new memory takes longer than the
    /// transfer.
    fn values(&mut self, last: Buffer<T>) -> Result<Table<u64>> {
        let Engine { context, monitor, queue, .. } = &self.engine;
        let cells = || memory::filled(T::ZERO, VALUES.min(last.len()));
        fill_values(context, monitor, last.len(), cells, |cells, first, values| {
            let cells = &mut cells[..values.len()];
            queue.read(&last, first, cells)?;
            for (value, &cell) in values.iter_mut().zip(&*cells) {
                *value = Into::<i64>::into(cell) as u64;
            }
            Ok(())
        })
    }

    fn decide(
        &mut self,
        row: Buffer<T>,
        items: &[Item],
        take: &mut dyn FnMut(&Item),
    ) -> Result<usize> {
        self.engine.filled += items.len() as u64 * row.len() as u64;
        let engine = &self.engine;
        let plan = engine.plan(items, engine.halo, |item| item.weight);
        let list = engine.device.buffer_from(&engine.queue, &plan.list)?;
        let keeping = self.keeping()?;
        let kept = self.keep(&keeping, &row, &plan, &list)?;
        let state = engine.device.buffer_from(&engine.queue, &[row.len() as u64 - 1])?;
        let taken = engine.device.buffer::<u8>(plan.list.len() / 2)?;
        let mut pacer = Pacer::new(&engine.queue, engine.monitor, "dense");
        for (step, layer) in plan.steps.iter().zip(&kept.layers).rev() {
            let shape = engine.shape(step, row.len());
            let traceback = Traceback {
                kept: Decisions {
                    decisions: &kept.slabs[layer.slab],
                    decisions_first: layer.first as u64,
                    groups: shape.groups as u32,
                },
                items: &list,
                items_first: step.items.start as u32,
                items_end: step.items.end as u32,
                span: shape.span as u32,
                halo: (shape.span - shape.useful) as u32,
                together: if step.fused.is_some() { 2 } else { 4 },
                last: row.len() as u64 - 1,
                state: &state,
                taken: &taken,
            };
            engine.queue.launch(&keeping.traceback, &traceback, [1], [1])?;
            pacer.launched(step.items.len() as u64, None)?;
        }
        let (mut capacity, mut flags) = ([0], vec![0; taken.len()]);
        engine.queue.read(&state, 0, &mut capacity)?;
        engine.queue.read(&taken, 0, &mut flags)?;
        let mut profit = 0;
        for (_, item) in plan.places.iter().zip(items).filter(|(place, _)| flags[**place] == 1) {
            take(item);
            profit += item.profit;
        }
        let wrong = |what: &str| Error::device_failed(format!("the decisions {what}"));
        let capacity = usize::try_from(capacity[0]).ok().filter(|&capacity| capacity < row.len());
        let capacity = capacity.ok_or_else(|| wrong("lead out of the table"))?;
        let gained = self.value(&kept.last, row.len() - 1)? - self.value(&row, capacity)?;
        if gained == profit {
            Ok(capacity)
        } else {
            Err(wrong("have another profit than the table"))
        }
    }
}
