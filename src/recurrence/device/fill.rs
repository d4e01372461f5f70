//! Queues the launches that fill tables. Only the sizes of elements matter here, so that the code
//! is compiled once for all algebras.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use super::super::instance::Instance;
use super::super::schedule::Schedule;
use super::super::semiring::Semiring;
use super::approach::{self, Ring};
use super::kernels::{
    Gather, History, InRing, Pipeline, PlanBuffer, Respond, Sequential, Shared, Tournament,
};
use crate::context::{Pacer, Units};
use crate::opencl::{
    Arguments, Buffer, Device, GroupArrays, Kernel, KernelFamily, Local, Program, Queue, UserText,
};
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

/// Sizes of a group that fills an instance on its own. There are only a few, since some drivers
/// compile a kernel for each.
const SINGLE_GROUPS: [usize; 3] = [64, 256, 1024];

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
    pub(super) partials: RefCell<Option<Buffer<u8>>>,
    pub(super) plan: PlanBuffer,
    /// Distance in entries of the plans of consecutive instances, and distance of their terms; 0 if
    /// they share them.
    pub(super) plan_stride: usize,
    pub(super) term_stride: usize,
    pub(super) out_of_range: Buffer<u32>,
    /// Work-items of a group in launches of many groups.
    pub(super) group: usize,
    /// Elements of a work-item if there are enough elements for all.
    pub(super) most_outputs: usize,
    /// Groups of a compute unit that are enough for that.
    pub(super) unit_groups: usize,
    /// Most work-items of the only group of an instance.
    pub(super) single_group: usize,
    /// Rounds of one group that take less than a launch.
    pub(super) alone_rounds: usize,
    /// Least elements of a block's part, so that a slow device has work for several groups.
    pub(super) least_part: usize,
    /// See [`approach::sharing`].
    pub(super) sharing: [usize; 3],
    /// Elements of a work-item and work-items of an element in a self-test; otherwise chosen for
    /// the device.
    pub(super) shape: Option<(usize, usize)>,
}

impl Engine<'_> {
    /// A part of the plan, and partial results of a group.
    fn part_and_round(&self) -> GroupArrays {
        let part = self.device.tuned(self.family, "PLAN_PART");
        GroupArrays::of([16 * part, self.group * self.partial_bytes])
    }
}

/// The launches that fill tables with these values and terms.
pub(super) struct Fill<'t> {
    pub(super) engine: &'t Engine<'t>,
    pub(super) values: &'t Buffer<u8>,
    pub(super) terms: &'t Buffer<u8>,
}

/// Impulse responses, and memory for a block's history in each table.
pub(super) struct Blocks<'t> {
    /// Elements of a block.
    pub(super) size: usize,
    pub(super) responses: &'t Buffer<u8>,
    /// Distance in elements of the responses of consecutive instances; 0 if they share one.
    pub(super) stride: usize,
    pub(super) history: &'t Buffer<u8>,
}

impl<'t> Fill<'t> {
    fn instances(&self) -> usize {
        self.engine.instance.instances()
    }

    fn operands(&self) -> usize {
        self.engine.instance.operands()
    }

    /// The kernel that takes these arguments.
    pub(super) fn kernel<A: Arguments>(
        &self,
        defines: &[(&'static str, u64)],
    ) -> Result<Kernel<A>> {
        self.program(A::KERNEL, defines)?.kernel()
    }

    fn program(&self, name: &str, defines: &[(&'static str, u64)]) -> Result<Arc<Program>> {
        let own = if name == "recurrence_history" { "recurrence_respond" } else { name };
        let number = KERNELS.iter().position(|kernel| *kernel == own).unwrap_or(0);
        // Later defines override earlier ones.
        let plain = [("OUTPUTS", 1), ("SLICES", 1), ("KERNEL", number as u64)];
        let defines: Vec<_> =
            plain.iter().chain(&self.engine.defines).chain(defines).copied().collect();
        match self.engine.instance.semiring() {
            Semiring::Custom(operator) => match &operator.source {
                Some(text) => {
                    let operator = UserText { argument: "operator_source", before: "", text };
                    self.engine.device.program_with(self.engine.family, &defines, operator)
                }
                None => Err(Error::unsupported("a custom operator on a device without a source")),
            },
            _ => self.engine.device.program(self.engine.family, &defines),
        }
    }

    /// The common arguments of kernels, after the table and other outputs.
    pub(super) fn shared(&self) -> Shared<'t> {
        let engine = self.engine;
        Shared {
            plans: &engine.plan,
            terms: self.terms,
            out_of_range: &engine.out_of_range,
            length: engine.length as u64,
            plan_stride: engine.plan_stride as u64,
            term_stride: engine.term_stride as u64,
            has_terms: engine.has_terms.into(),
            operands: self.operands() as u32,
            preset: engine.preset as u64,
        }
    }

    pub(super) fn launch<A: Arguments>(
        &self,
        kernel: &Kernel<A>,
        arguments: &A,
        items: usize,
        group: usize,
    ) -> Result<()> {
        let global = [items.next_multiple_of(group), self.instances()];
        self.engine.queue.launch(kernel, arguments, global, [group, 1])
    }

    fn fraction(&self, at: usize) -> Option<f64> {
        Some(at as f64 / self.engine.length as f64)
    }

    /// Fills one element after the other, with a work-item for each instance.
    pub(super) fn sequential(&self, range: Range<usize>, pacer: &mut Pacer<'_>) -> Result<()> {
        let kernel = self.kernel(&[])?;
        self.singly(self.operands(), range, pacer, &mut |first, end| {
            let arguments = Sequential { all: self.values, shared: self.shared(), first, end };
            self.launch(&kernel, &arguments, 1, 1)
        })
    }

    /// Fills one element after the other, with a work-group for each instance.
    pub(super) fn tournament(&self, range: Range<usize>, pacer: &mut Pacer<'_>) -> Result<()> {
        let kernel: Kernel<Tournament<'static>> = self.kernel(&[])?;
        let lanes = self.single_group(kernel.max_work_group_size(), self.operands());
        // A step of a group with its barriers is some hundred operands.
        self.singly(self.operands() / lanes + 200, range, pacer, &mut |first, end| {
            let arguments = Tournament {
                all: self.values,
                shared: self.shared(),
                first,
                end,
                round: Local(lanes * self.engine.partial_bytes),
            };
            self.launch(&kernel, &arguments, lanes, lanes)
        })
    }

    /// Launches from a first element to an end, each element of `work` operands.
    fn singly(
        &self,
        work: usize,
        range: Range<usize>,
        pacer: &mut Pacer<'_>,
        launch: &mut dyn FnMut(u64, u64) -> Result<()>,
    ) -> Result<()> {
        let units = Units::of((work * self.instances()) as u64);
        pacer.launch(range, units, &mut |part| {
            launch(part.start as u64, part.end as u64)?;
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
        let kernel: Kernel<Pipeline<'static>> = self.kernel(&[])?;
        let partials = engine.partials.borrow_mut().take();
        let partials = match partials {
            None if engine.partial_bytes > engine.value_bytes => {
                let bytes = engine.length * self.instances() * engine.partial_bytes;
                Some(engine.device.buffer(bytes)?)
            }
            partials => partials,
        };
        let threads = schedule.threads();
        let single = self.single_group(kernel.max_work_group_size(), threads);
        let alone = threads <= engine.alone_rounds * single;
        let group = if alone { single } else { engine.group.min(kernel.max_work_group_size()) };
        let step_work = threads * schedule.visit + if alone { 200 } else { 0 };
        let units = Units::of((step_work * self.instances()) as u64);
        let units = if alone { units } else { units.at_most(1) };
        pacer.launch(0..schedule.steps(), units, &mut |steps| {
            let arguments = Pipeline {
                all: self.values,
                all_partials: partials.as_ref().unwrap_or(self.values),
                shared: self.shared(),
                visit: schedule.visit as u32,
                fold: schedule.fold as u64,
                stages: schedule.stages as u32,
                step_first: steps.start as u64,
                step_end: steps.end as u64,
            };
            self.launch(&kernel, &arguments, if alone { group } else { threads }, group)?;
            Ok(Some(steps.end as f64 / schedule.steps() as f64))
        })?;
        *engine.partials.borrow_mut() = partials;
        Ok(())
    }

    /// Size of the only group of an instance, of at most `most` work-items, for `work` in parallel.
    fn single_group(&self, most: usize, work: usize) -> usize {
        let enough = SINGLE_GROUPS.into_iter().find(|&size| size >= work);
        enough.unwrap_or(self.engine.single_group).min(self.engine.single_group).min(most)
    }

    /// Number of work-items that share an element, if each instance computes this many elements at
    /// once.
    fn slices(&self, elements: usize) -> usize {
        approach::slices(elements.saturating_mul(self.instances()), self.engine.sharing)
    }

    pub(super) fn gather(&self, range: Range<usize>, pacer: &mut Pacer<'_>) -> Result<()> {
        let step = self.engine.instance.smallest_offset() as usize;
        let Engine { device, group, most_outputs, unit_groups, .. } = *self.engine;
        let enough = device.info().compute_units as usize * group * unit_groups * most_outputs;
        let is_enough = step.saturating_mul(self.instances()) >= enough;
        let outputs = if is_enough { most_outputs } else { 1 };
        // Work-items share single elements. Without a neutral element to start with, one takes all
        // operands.
        let can_share = outputs == 1 && self.engine.has_zero;
        let slices = if can_share { self.slices(step) } else { 1 };
        let (outputs, slices) = self.engine.shape.unwrap_or((outputs, slices));
        let defines = [("OUTPUTS", outputs as u64), ("SLICES", slices as u64)];
        let kernel: Kernel<Gather<'static>> = self.kernel(&defines)?;
        let group = group_of_slices(group.min(kernel.max_work_group_size()), slices)?;
        let work = self.operands().saturating_mul(self.instances()) as u64;
        pacer.launch(range, Units::of(work).at_least(group).at_most(step), &mut |part| {
            let arguments = Gather {
                all: self.values,
                shared: self.shared(),
                first: part.start as u64,
                count: part.len() as u64,
                group_arrays: self.engine.part_and_round(),
            };
            self.launch(&kernel, &arguments, part.len().div_ceil(outputs) * slices, group)?;
            Ok(self.fraction(part.end))
        })
    }

    pub(super) fn ring(
        &self,
        ring: Ring,
        range: Range<usize>,
        pacer: &mut Pacer<'_>,
    ) -> Result<()> {
        let size = ("RING", ring.size as u64);
        let most = self.kernel::<InRing<'static>>(&[size])?.max_work_group_size();
        let group = self.single_group(most, ring.step.min(self.engine.group));
        let outputs = ring.step.div_ceil(group);
        let kernel = self.kernel(&[("OUTPUTS", outputs as u64), size])?;
        let entry = if matches!(self.engine.plan, PlanBuffer::Narrow(_)) { 8 } else { 16 };
        let work = self.operands().saturating_mul(self.instances()) as u64;
        // Every launch loads the ring again, which costs little compared with a step's operands.
        pacer.launch(range, Units::of(work).at_least(ring.step), &mut |part| {
            let arguments = InRing {
                all: self.values,
                shared: self.shared(),
                first: part.start as u64,
                end: part.end as u64,
                step: ring.step as u32,
                plan: Local(self.operands() * entry),
                group_arrays: GroupArrays::of([ring.size * self.engine.value_bytes]),
            };
            self.launch(&kernel, &arguments, group, group)?;
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
        let gather: Kernel<History<'static>> = self.kernel(&defines)?;
        let answer: Kernel<Respond<'static>> = self.kernel(&defines)?;
        let most = gather.max_work_group_size().min(answer.max_work_group_size());
        let most = most.min(self.engine.group);
        let group = group_of_slices(most, slices)?;
        let element = (self.operands() + block / 2).saturating_mul(self.instances());
        let units = Units::of(element as u64).at_least(self.engine.least_part).at_most(block);
        let mut first = range.start;
        while first < range.end {
            // A shorter block has the same values.
            let count = pacer.share(units, range.end - first);
            let history = History {
                all: self.values,
                history: blocks.history,
                shared: self.shared(),
                first: first as u64,
                count: count as u32,
                block: block as u32,
                group_arrays: self.engine.part_and_round(),
            };
            self.launch(&gather, &history, count * slices, group)?;
            let respond = Respond {
                all: self.values,
                history: blocks.history,
                responses: blocks.responses,
                out_of_range: &self.engine.out_of_range,
                length: self.engine.length as u64,
                response_stride: blocks.stride as u64,
                first: first as u64,
                count: count as u32,
                block: block as u32,
                group_arrays: self.engine.part_and_round(),
            };
            self.launch(&answer, &respond, count * slices, group)?;
            first += count;
            let work = (count * (self.operands() + count / 2)).saturating_mul(self.instances());
            pacer.launched(work as u64, self.fraction(first))?;
        }
        Ok(())
    }
}

/// Size of a group of at most `most` work-items in which `slices` of them share an element.
fn group_of_slices(most: usize, slices: usize) -> Result<usize> {
    let group = most / slices * slices;
    if group == 0 {
        return Err(Error::device_failed(format!(
            "work-groups of {slices} work-items are too large"
        )));
    }
    Ok(group)
}
