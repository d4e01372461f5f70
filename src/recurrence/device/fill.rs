//! Queues the launches that fill tables. Only the sizes of elements matter here, so that the code
//! is compiled once for all algebras.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use super::super::instance::Instance;
use super::super::schedule::Schedule;
use super::super::semiring::Semiring;
use super::approach::{self, RING_STEP, Ring};
use crate::context::{Pacer, Units};
use crate::opencl::{Arg, Buffer, Device, Kernel, KernelFamily, Program, Queue, UserText};
use crate::{Error, Result};

/// Kernels with their own programs, so that a self-test runs no others. `recurrence_history` is in
/// the program of `recurrence_respond`.
pub(super) const KERNELS: [&str; 7] = [
    "recurrence_sequential",
    "recurrence_tournament",
    "recurrence_pipeline",
    "recurrence_gather",
    "recurrence_ring",
    "recurrence_respond",
    "recurrence_check",
];

/// Work-items of a group in launches of many groups.
pub(super) const GROUP: usize = 256;
/// Sizes of a group that fills an instance on its own. There are only a few, since some drivers
/// compile a kernel for each.
const SINGLE_GROUPS: [usize; 3] = [64, 256, 1024];
/// Elements of a work-item if there are enough elements for all.
const OUTPUTS: usize = 4;

/// Common input of all launches for a batch of tables.
pub(super) struct Engine<'a> {
    pub(super) device: &'a Device,
    pub(super) family: &'static KernelFamily,
    pub(super) queue: Queue,
    pub(super) instance: &'a Instance,
    pub(super) defines: Vec<(&'static str, u64)>,
    /// Elements of one instance's table, and the number of preset ones.
    pub(super) length: usize,
    pub(super) preset: usize,
    /// Bytes of a value and of a partial result.
    pub(super) value_bytes: usize,
    pub(super) partial_bytes: usize,
    /// Whether (+) has a neutral element to start a sum with.
    pub(super) has_zero: bool,
    pub(super) has_terms: bool,
    /// Replaces the table if partial results are wider than values; allocated on first use.
    pub(super) partials: RefCell<Option<Buffer<u64>>>,
    pub(super) plan: PlanBuffer,
    /// Distance in entries of the plans of consecutive instances, and distance of their terms; 0 if
    /// they share them.
    pub(super) plan_stride: usize,
    pub(super) term_stride: usize,
    pub(super) out_of_range: Buffer<u32>,
    /// Elements of a work-item and work-items of an element in a self-test; otherwise chosen for
    /// the device.
    pub(super) shape: Option<(usize, usize)>,
}

/// Entries of an offset and a weight, each of 32 or 64 bits.
pub(super) enum PlanBuffer {
    Narrow(Buffer<u32>),
    Wide(Buffer<u64>),
}

impl PlanBuffer {
    fn arg(&self) -> Arg<'_> {
        match self {
            PlanBuffer::Narrow(buffer) => buffer.arg(),
            PlanBuffer::Wide(buffer) => buffer.arg(),
        }
    }
}

/// The launches that fill tables with these values and terms.
pub(super) struct Fill<'t> {
    pub(super) engine: &'t Engine<'t>,
    pub(super) values: Arg<'t>,
    pub(super) terms: Arg<'t>,
}

/// Impulse responses, and memory for a block's history in each table.
pub(super) struct Blocks<'t> {
    /// Elements of a block.
    pub(super) size: usize,
    pub(super) responses: Arg<'t>,
    /// Distance in elements of the responses of consecutive instances; 0 if they share one.
    pub(super) stride: usize,
    pub(super) history: Arg<'t>,
}

impl<'t> Fill<'t> {
    fn instances(&self) -> usize {
        self.engine.instance.instances()
    }

    fn operands(&self) -> usize {
        self.engine.instance.operands()
    }

    pub(super) fn kernel(
        &self,
        name: &'static str,
        defines: &[(&'static str, u64)],
    ) -> Result<Kernel> {
        let own = if name == "recurrence_history" { "recurrence_respond" } else { name };
        let number = KERNELS.iter().position(|kernel| *kernel == own).unwrap_or(0);
        // Later defines override earlier ones.
        let plain =
            [("OUTPUTS", 1), ("SLICES", 1), ("GROUP", GROUP as u64), ("KERNEL", number as u64)];
        let defines: Vec<_> =
            plain.iter().chain(&self.engine.defines).chain(defines).copied().collect();
        let program: Arc<Program> = match self.engine.instance.semiring() {
            Semiring::Custom(operator) => match &operator.source {
                Some(text) => {
                    let operator = UserText { argument: "operator_source", before: "", text };
                    self.engine.device.program_with(self.engine.family, &defines, operator)?
                }
                None => {
                    return Err(Error::unsupported(
                        "a custom operator on a device without a source",
                    ));
                }
            },
            _ => self.engine.device.program(self.engine.family, &defines)?,
        };
        program.kernel(name)
    }

    /// The common arguments of kernels, after the table and other outputs.
    pub(super) fn shared_args(&self) -> [Arg<'t>; 9] {
        [
            self.engine.plan.arg(),
            self.terms,
            self.engine.out_of_range.arg(),
            Arg::U64(self.engine.length as u64),
            Arg::U64(self.engine.plan_stride as u64),
            Arg::U64(self.engine.term_stride as u64),
            Arg::U32(self.engine.has_terms.into()),
            Arg::U32(self.operands() as u32),
            Arg::U64(self.engine.preset as u64),
        ]
    }

    pub(super) fn launch(
        &self,
        kernel: &Kernel,
        args: &[Arg<'_>],
        items: usize,
        group: usize,
    ) -> Result<()> {
        let global = [items.next_multiple_of(group), self.instances()];
        self.engine.queue.launch(kernel, args, global, [group, 1])
    }

    fn fraction(&self, at: usize) -> Option<f64> {
        Some(at as f64 / self.engine.length as f64)
    }

    /// Fills one element after the other, with a work-item or a work-group for each instance.
    pub(super) fn singly(
        &self,
        name: &'static str,
        range: Range<usize>,
        pacer: &mut Pacer<'_>,
    ) -> Result<()> {
        let kernel = self.kernel(name, &[])?;
        let tournament = name == "recurrence_tournament";
        let lanes = single_group(&kernel, self.operands());
        let group = if tournament { lanes } else { 1 };
        // The barriers of a group's step cost as much as some hundred operands.
        let work = if tournament { self.operands() / lanes + 200 } else { self.operands() };
        let units = Units::of((work * self.instances()) as u64);
        pacer.launch(range, units, &mut |part| {
            let mut args = vec![self.values];
            args.extend(self.shared_args());
            args.extend([Arg::U64(part.start as u64), Arg::U64(part.end as u64)]);
            args.extend(tournament.then_some(Arg::Local(lanes * self.engine.partial_bytes)));
            self.launch(&kernel, &args, group, group)?;
            Ok(self.fraction(part.end))
        })
    }

    pub(super) fn pipeline(
        &self,
        schedule: &Schedule,
        end: usize,
        pacer: &mut Pacer<'_>,
    ) -> Result<()> {
        let engine = self.engine;
        let schedule = Schedule { end, ..*schedule };
        let kernel = self.kernel("recurrence_pipeline", &[])?;
        let partials = engine.partials.borrow_mut().take();
        let partials = match partials {
            None if engine.partial_bytes > engine.value_bytes => {
                let words = engine.partial_bytes / size_of::<u64>();
                Some(engine.device.buffer::<u64>(engine.length * self.instances() * words)?)
            }
            partials => partials,
        };
        let threads = schedule.threads();
        let single = single_group(&kernel, threads);
        // A few rounds of one group take less than a launch.
        let alone = threads <= 4 * single;
        let group = if alone { single } else { GROUP.min(kernel.max_work_group_size()) };
        let step_work = threads * schedule.visit + if alone { 200 } else { 0 };
        let units = Units::of((step_work * self.instances()) as u64);
        let units = if alone { units } else { units.at_most(1) };
        pacer.launch(0..schedule.steps(), units, &mut |steps| {
            let mut args = vec![self.values, partials.as_ref().map_or(self.values, Buffer::arg)];
            args.extend(self.shared_args());
            args.extend([
                Arg::U32(schedule.visit as u32),
                Arg::U64(schedule.fold as u64),
                Arg::U32(schedule.stages as u32),
                Arg::U64(steps.start as u64),
                Arg::U64(steps.end as u64),
            ]);
            self.launch(&kernel, &args, if alone { group } else { threads }, group)?;
            Ok(Some(steps.end as f64 / schedule.steps() as f64))
        })?;
        *engine.partials.borrow_mut() = partials;
        Ok(())
    }

    /// Number of work-items that share an element, if each instance computes this many elements at
    /// once.
    fn slices(&self, elements: usize) -> usize {
        approach::slices(elements.saturating_mul(self.instances()), self.engine.device.info())
    }

    pub(super) fn gather(&self, range: Range<usize>, pacer: &mut Pacer<'_>) -> Result<()> {
        let step = self.engine.instance.smallest_offset() as usize;
        let enough = self.engine.device.info().compute_units as usize * GROUP * 8;
        let outputs =
            if step.saturating_mul(self.instances()) >= enough * OUTPUTS { OUTPUTS } else { 1 };
        // Without a neutral element to start with, one work-item takes all operands of an element.
        let slices = if self.engine.has_zero { self.slices(step) } else { 1 };
        let (outputs, slices) = self.engine.shape.unwrap_or((outputs, slices));
        let defines = [("OUTPUTS", outputs as u64), ("SLICES", slices as u64)];
        let kernel = self.kernel("recurrence_gather", &defines)?;
        let group = group_of_slices(&kernel, slices)?;
        let work = self.operands().saturating_mul(self.instances()) as u64;
        pacer.launch(range, Units::of(work).at_least(group).at_most(step), &mut |part| {
            let mut args = vec![self.values];
            args.extend(self.shared_args());
            args.extend([Arg::U64(part.start as u64), Arg::U64(part.len() as u64)]);
            self.launch(&kernel, &args, part.len().div_ceil(outputs) * slices, group)?;
            Ok(self.fraction(part.end))
        })
    }

    pub(super) fn ring(
        &self,
        ring: Ring,
        range: Range<usize>,
        pacer: &mut Pacer<'_>,
    ) -> Result<()> {
        let most = self.kernel("recurrence_ring", &[("RING", ring.size as u64)])?;
        let group = single_group(&most, ring.step.min(GROUP));
        let outputs = ring.step.div_ceil(group).min(RING_STEP);
        let kernel = self.kernel(
            "recurrence_ring",
            &[("OUTPUTS", outputs as u64), ("RING", ring.size as u64)],
        )?;
        let entry = if matches!(self.engine.plan, PlanBuffer::Narrow(_)) { 8 } else { 16 };
        let work = self.operands().saturating_mul(self.instances()) as u64;
        // Every launch loads the ring again, which costs little compared with a step's operands.
        pacer.launch(range, Units::of(work).at_least(ring.step), &mut |part| {
            let mut args = vec![self.values];
            args.extend(self.shared_args());
            args.extend([
                Arg::U64(part.start as u64),
                Arg::U64(part.end as u64),
                Arg::U32(ring.step as u32),
                Arg::Local(self.operands() * entry),
            ]);
            self.launch(&kernel, &args, group, group)?;
            Ok(self.fraction(part.end))
        })
    }

    pub(super) fn blocks(
        &self,
        blocks: &Blocks<'_>,
        range: Range<usize>,
        pacer: &mut Pacer<'_>,
    ) -> Result<()> {
        let block = blocks.size;
        let slices = self.engine.shape.map_or_else(|| self.slices(block), |(_, slices)| slices);
        let defines = [("OUTPUTS", 1), ("SLICES", slices as u64)];
        let gather = self.kernel("recurrence_history", &defines)?;
        let respond = self.kernel("recurrence_respond", &defines)?;
        let group = group_of_slices(&gather, slices)?.min(group_of_slices(&respond, slices)?);
        let mut first = range.start;
        while first < range.end {
            let count = block.min(range.end - first);
            let mut args = vec![self.values, blocks.history];
            args.extend(self.shared_args());
            args.extend([Arg::U64(first as u64), Arg::U32(count as u32), Arg::U32(block as u32)]);
            self.launch(&gather, &args, count * slices, group)?;
            let args = [
                self.values,
                blocks.history,
                blocks.responses,
                self.engine.out_of_range.arg(),
                Arg::U64(self.engine.length as u64),
                Arg::U64(blocks.stride as u64),
                Arg::U64(first as u64),
                Arg::U32(count as u32),
                Arg::U32(block as u32),
            ];
            self.launch(&respond, &args, count * slices, group)?;
            first += count;
            let work = (count * (self.operands() + count / 2)).saturating_mul(self.instances());
            pacer.launched(work as u64, self.fraction(first))?;
        }
        Ok(())
    }
}

/// Size of a group in which `slices` work-items share an element.
fn group_of_slices(kernel: &Kernel, slices: usize) -> Result<usize> {
    let group = GROUP.min(kernel.max_work_group_size()) / slices * slices;
    if group == 0 {
        return Err(Error::device_failed(format!(
            "work-groups of {slices} work-items are too large"
        )));
    }
    Ok(group)
}

/// Size of the only group of an instance, for `work` work-items in parallel.
fn single_group(kernel: &Kernel, work: usize) -> usize {
    let enough = SINGLE_GROUPS.into_iter().find(|&size| size >= work);
    enough.unwrap_or(SINGLE_GROUPS[SINGLE_GROUPS.len() - 1]).min(kernel.max_work_group_size())
}
