use std::cell::RefCell;
use std::sync::Arc;

use super::super::algebra::Algebra;
use super::super::check;
use super::super::problem::{Operands, Problem};
use super::super::schedule::Schedule;
use super::super::semiring::Semiring;
use super::approach::{self, Approach, RING_STEP, Ring};
use super::response::responses;
use crate::context::Pacer;
use crate::opencl::{Arg, Buffer, Device, Kernel, KernelFamily, Match, Program, Queue, TuningRow};
use crate::solve::Monitor;
use crate::{Error, Result};

const FAMILY: KernelFamily = KernelFamily {
    name: "recurrence",
    sources: &[
        include_str!("../../../cl/recurrence.cl"),
        include_str!("../../../cl/recurrence_pipeline.cl"),
        include_str!("../../../cl/recurrence_gather.cl"),
        include_str!("../../../cl/recurrence_blocks.cl"),
    ],
    tuning: &[TuningRow { device: Match::Default, defines: &[("PLAN_PART", 256)] }],
};

/// Work-items of a group where there are many groups.
const GROUP: usize = 256;
/// Work-items of a group that an instance has to itself. A few sizes only: some drivers compile a kernel for each.
const SINGLE_GROUPS: [usize; 3] = [64, 256, 1024];
/// Elements of a work-item, where there are enough for all.
const OUTPUTS: usize = 4;

/// The tables of a batch on a device, with what the kernels read.
pub(super) struct Tables<'a, A: Algebra + ?Sized> {
    device: &'a Device,
    problem: &'a Problem<'a, A>,
    queue: Queue,
    defines: Vec<(&'static str, u64)>,
    values: Buffer<A::Value>,
    /// Stands in for the table where partial results are wider than values; made when it is needed.
    partials: RefCell<Option<Buffer<u64>>>,
    plan: PlanBuffer,
    /// Entries from one instance's plan to the next one's; 0 if they share one.
    plan_stride: usize,
    terms: Buffer<A::Value>,
    term_stride: usize,
    out_of_range: Buffer<u32>,
}

/// Entries of an offset and a weight, both of 32 or of 64 bits.
enum PlanBuffer {
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

impl<'a, A: Algebra + ?Sized> Tables<'a, A> {
    /// Copies instances to the device; `None` where the values need wider integers.
    pub(super) fn new(device: &'a Device, problem: &'a Problem<'a, A>) -> Result<Option<Self>> {
        let instance = problem.instance;
        let queue = device.queue()?;
        let elements = problem.length.checked_mul(instance.instances());
        let values = device.buffer(elements.ok_or(Error::Overflow { what: "the number of elements" })?)?;
        for number in 0..instance.instances() {
            let Some(initial) = problem.initial(number) else { return Ok(None) };
            queue.write(&values, number * problem.length, &initial)?;
        }
        let wide_index = u32::try_from(problem.length).is_err();
        let entries = entries(problem);
        let plan = if size_of::<A::Value>() == 8 || wide_index {
            PlanBuffer::Wide(device.buffer_from(&queue, &entries.concat())?)
        } else {
            let narrow: Vec<u32> = entries.concat().into_iter().map(|word| word as u32).collect();
            PlanBuffer::Narrow(device.buffer_from(&queue, &narrow)?)
        };
        let own_weights = instance.instances() > 1 && entries.len() > instance.operands();
        let terms = problem.terms.as_deref().unwrap_or_default();
        let own_terms = terms.len() > problem.length - problem.preset;
        let out_of_range = device.buffer_from(&queue, &[0])?;
        let mut defines = problem.algebra.defines();
        defines.extend(wide_index.then_some(("WIDE_INDEX", 1)));
        defines.extend(instance.offsets().is_none().then_some(("ROWS", 1)));
        defines.extend(problem.zero.map(|zero| ("ZERO", problem.algebra.bits(zero))));
        Ok(Some(Tables {
            device,
            problem,
            values,
            partials: RefCell::new(None),
            plan,
            plan_stride: if own_weights { instance.operands() } else { 0 },
            terms: device.buffer_from(&queue, terms)?,
            term_stride: if own_terms { problem.length - problem.preset } else { 0 },
            out_of_range,
            defines,
            queue,
        }))
    }

    pub(super) fn problem(&self) -> &'a Problem<'a, A> {
        self.problem
    }

    /// Elements of one instance's table.
    pub(super) fn read(&self, number: usize, first: usize, count: usize) -> Result<Vec<A::Value>> {
        let mut elements = vec![A::Value::default(); count];
        self.queue.read(&self.values, number * self.problem.length + first, &mut elements)?;
        Ok(elements)
    }

    /// Whether some element filled so far is out of range.
    pub(super) fn is_out_of_range(&self) -> Result<bool> {
        let mut flag = [0];
        self.queue.read(&self.out_of_range, 0, &mut flag)?;
        Ok(flag[0] != 0)
    }

    /// [`check::check`] of the elements up to `end` on the device, with the operands one after the other.
    pub(super) fn check(&self, end: usize) -> Result<()> {
        let (instance, preset) = (self.problem.instance, self.problem.preset);
        let stride = check::stride(instance, (end - preset) as u64);
        if end == preset {
            return Ok(());
        }
        // The last element, too.
        let count = (end - preset).div_ceil(stride) + 1;
        let kernel = self.kernel("recurrence_check", &[])?;
        let different = self.device.buffer_from(&self.queue, &[u32::MAX])?;
        let mut args = vec![self.values.arg(), different.arg()];
        args.extend(self.shared_args());
        args.extend([Arg::U64(stride as u64), Arg::U64(count as u64), Arg::U64(end as u64)]);
        self.launch(&kernel, &args, count, GROUP.min(kernel.max_work_group_size()))?;
        let mut first = [0];
        self.queue.read(&different, 0, &mut first)?;
        match first {
            [u32::MAX] => Ok(()),
            [sample] => {
                let index = (preset + sample as usize * stride).min(end - 1);
                Err(check::differs(instance, index as u64, "is not what it is by definition"))
            }
        }
    }

    /// Fills the elements from `first` on up to `end`; those before are there.
    pub(super) fn fill(
        &self,
        approach: &Approach,
        first: usize,
        end: usize,
        monitor: &Monitor,
    ) -> Result<()> {
        monitor.check()?;
        let mut pacer = Pacer::new(&self.queue, monitor, "recurrence");
        match approach {
            Approach::Sequential => self.singly("recurrence_sequential", first..end, &mut pacer),
            Approach::Tournament => self.singly("recurrence_tournament", first..end, &mut pacer),
            // It begins with the first element that is not preset and goes on to the end.
            Approach::Pipeline(schedule) if first == schedule.first => {
                self.pipeline(schedule, end, &mut pacer)
            }
            Approach::Pipeline(_) => Err(Error::Internal("a pipeline from within".into())),
            Approach::Gather => self.gather(first..end, &mut pacer),
            Approach::Ring(ring) => self.ring(*ring, first..end, &mut pacer),
            Approach::Blocks(size) => self.blocks(*size, first..end, &mut pacer),
        }
    }

    fn instances(&self) -> usize {
        self.problem.instance.instances()
    }

    fn operands(&self) -> usize {
        self.problem.instance.operands()
    }

    fn kernel(&self, name: &'static str, defines: &[(&'static str, u64)]) -> Result<Kernel> {
        // Later ones outrank earlier ones.
        let plain = [("OUTPUTS", 1), ("SLICES", 1), ("GROUP", GROUP as u64)];
        let defines: Vec<_> = plain.iter().chain(&self.defines).chain(defines).copied().collect();
        let program: Arc<Program> = match self.problem.instance.semiring() {
            Semiring::Custom(operator) => match &operator.source {
                Some(source) => self.device.program_with(&FAMILY, &defines, source)?,
                None => {
                    return Err(Error::Unsupported("a custom operator on a device without a source".into()));
                }
            },
            _ => self.device.program(&FAMILY, &defines)?,
        };
        program.kernel(name)
    }

    /// The arguments that kernels begin with, after the table and what else they write.
    fn shared_args(&self) -> [Arg<'_>; 9] {
        [
            self.plan.arg(),
            self.terms.arg(),
            self.out_of_range.arg(),
            Arg::U64(self.problem.length as u64),
            Arg::U64(self.plan_stride as u64),
            Arg::U64(self.term_stride as u64),
            Arg::U32(self.problem.terms.is_some().into()),
            Arg::U32(self.operands() as u32),
            Arg::U64(self.problem.preset as u64),
        ]
    }

    fn launch(&self, kernel: &Kernel, args: &[Arg<'_>], items: usize, group: usize) -> Result<()> {
        let global = [items.next_multiple_of(group), self.instances()];
        self.queue.launch(kernel, args, global, [group, 1])
    }

    fn fraction(&self, at: usize) -> Option<f64> {
        Some(at as f64 / self.problem.length as f64)
    }

    /// One element after the other, by a work-item or a work-group to each instance.
    fn singly(&self, name: &'static str, range: std::ops::Range<usize>, pacer: &mut Pacer<'_>) -> Result<()> {
        let kernel = self.kernel(name, &[])?;
        let tournament = name == "recurrence_tournament";
        let lanes = single_group(&kernel, self.operands());
        let group = if tournament { lanes } else { 1 };
        // A step of a group with its barriers is some hundred operands.
        let work = if tournament { self.operands() / lanes + 200 } else { self.operands() };
        let mut first = range.start;
        while first < range.end {
            let count = (pacer.room() as usize / work + 1).min(range.end - first);
            let mut args = vec![self.values.arg()];
            args.extend(self.shared_args());
            args.extend([Arg::U64(first as u64), Arg::U64((first + count) as u64)]);
            args.extend(tournament.then_some(Arg::Local(lanes * size_of::<A::Partial>())));
            self.launch(&kernel, &args, group, group)?;
            first += count;
            pacer.launched((count * work * self.instances()) as u64, self.fraction(first))?;
        }
        Ok(())
    }

    fn pipeline(&self, schedule: &Schedule, end: usize, pacer: &mut Pacer<'_>) -> Result<()> {
        let schedule = Schedule { end, ..*schedule };
        let kernel = self.kernel("recurrence_pipeline", &[])?;
        let partials = self.partials.borrow_mut().take();
        let partials = match partials {
            None if size_of::<A::Partial>() > size_of::<A::Value>() => {
                let words = size_of::<A::Partial>() / size_of::<u64>();
                Some(self.device.buffer::<u64>(self.values.len() * words)?)
            }
            partials => partials,
        };
        let threads = schedule.threads();
        let single = single_group(&kernel, threads);
        // A few rounds of one group are shorter than a launch.
        let alone = threads <= 4 * single;
        let group = if alone { single } else { GROUP.min(kernel.max_work_group_size()) };
        let step_work = threads * schedule.visit + if alone { 200 } else { 0 };
        let mut step = 0;
        while step < schedule.steps() {
            let count = if alone { pacer.room() as usize / step_work + 1 } else { 1 };
            let count = count.min(schedule.steps() - step);
            let table = || self.values.arg();
            let mut args = vec![table(), partials.as_ref().map_or_else(table, Buffer::arg)];
            args.extend(self.shared_args());
            args.extend([
                Arg::U32(schedule.visit as u32),
                Arg::U64(schedule.fold as u64),
                Arg::U32(schedule.stages as u32),
                Arg::U64(step as u64),
                Arg::U64((step + count) as u64),
            ]);
            self.launch(&kernel, &args, if alone { group } else { threads }, group)?;
            step += count;
            let done = step as f64 / schedule.steps() as f64;
            pacer.launched((count * step_work * self.instances()) as u64, Some(done))?;
        }
        *self.partials.borrow_mut() = partials;
        Ok(())
    }

    /// Work-items for each of so many elements in all instances.
    fn slices(&self, elements: usize) -> usize {
        approach::slices(elements.saturating_mul(self.instances()), self.device.info())
    }

    fn gather(&self, range: std::ops::Range<usize>, pacer: &mut Pacer<'_>) -> Result<()> {
        let step = self.problem.instance.smallest_offset() as usize;
        let enough = self.device.info().compute_units as usize * GROUP * 8;
        let outputs = if step.saturating_mul(self.instances()) >= enough * OUTPUTS { OUTPUTS } else { 1 };
        // Without a neutral element to begin with, an element's operands stay with one work-item.
        let slices = if self.problem.zero.is_some() { self.slices(step) } else { 1 };
        let defines = [("OUTPUTS", outputs as u64), ("SLICES", slices as u64)];
        let kernel = self.kernel("recurrence_gather", &defines)?;
        let group = group_of_slices(&kernel, slices)?;
        let work = self.operands().saturating_mul(self.instances()) as u64;
        let mut first = range.start;
        while first < range.end {
            let count = step.min(range.end - first).min((pacer.room() / work) as usize + group);
            let mut args = vec![self.values.arg()];
            args.extend(self.shared_args());
            args.extend([Arg::U64(first as u64), Arg::U64(count as u64)]);
            self.launch(&kernel, &args, count.div_ceil(outputs) * slices, group)?;
            first += count;
            pacer.launched(count as u64 * work, self.fraction(first))?;
        }
        Ok(())
    }

    fn ring(&self, ring: Ring, range: std::ops::Range<usize>, pacer: &mut Pacer<'_>) -> Result<()> {
        let most = self.kernel("recurrence_ring", &[("RING", ring.size as u64)])?;
        let group = single_group(&most, ring.step.min(GROUP));
        let outputs = ring.step.div_ceil(group).min(RING_STEP);
        let kernel =
            self.kernel("recurrence_ring", &[("OUTPUTS", outputs as u64), ("RING", ring.size as u64)])?;
        let entry = if matches!(self.plan, PlanBuffer::Narrow(_)) { 8 } else { 16 };
        let work = self.operands().saturating_mul(self.instances()) as u64;
        let mut first = range.start;
        while first < range.end {
            // Every launch loads the ring anew, which is little beside the operands of a step.
            let count = ((pacer.room() / work) as usize).max(ring.step).min(range.end - first);
            let mut args = vec![self.values.arg()];
            args.extend(self.shared_args());
            args.extend([
                Arg::U64(first as u64),
                Arg::U64((first + count) as u64),
                Arg::U32(ring.step as u32),
                Arg::Local(self.operands() * entry),
            ]);
            self.launch(&kernel, &args, group, group)?;
            first += count;
            pacer.launched(count as u64 * work, self.fraction(first))?;
        }
        Ok(())
    }

    fn blocks(&self, most: usize, range: std::ops::Range<usize>, pacer: &mut Pacer<'_>) -> Result<()> {
        let none = || Error::Internal("blocks without a semiring".into());
        let (response, block) = responses(self.problem, most.min(range.len().max(1))).ok_or_else(none)?;
        let stride = if response.len() > block { block } else { 0 };
        let responses = self.device.buffer_from(&self.queue, &response)?;
        let history = self.device.buffer::<A::Value>(block * self.instances())?;
        let slices = self.slices(block);
        let defines = [("OUTPUTS", 1), ("SLICES", slices as u64)];
        let gather = self.kernel("recurrence_history", &defines)?;
        let respond = self.kernel("recurrence_respond", &defines)?;
        let group = group_of_slices(&gather, slices)?.min(group_of_slices(&respond, slices)?);
        let mut first = range.start;
        while first < range.end {
            let count = block.min(range.end - first);
            let mut args = vec![self.values.arg(), history.arg()];
            args.extend(self.shared_args());
            args.extend([Arg::U64(first as u64), Arg::U32(count as u32), Arg::U32(block as u32)]);
            self.launch(&gather, &args, count * slices, group)?;
            let args = [
                self.values.arg(),
                history.arg(),
                responses.arg(),
                self.out_of_range.arg(),
                Arg::U64(self.problem.length as u64),
                Arg::U64(stride as u64),
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

/// Size of a group in which so many work-items share an element.
fn group_of_slices(kernel: &Kernel, slices: usize) -> Result<usize> {
    let group = GROUP.min(kernel.max_work_group_size()) / slices * slices;
    if group == 0 {
        return Err(Error::DeviceFailed(format!("work-groups of {slices} work-items are too large")));
    }
    Ok(group)
}

/// Size of the group that has so much to do at a time.
fn single_group(kernel: &Kernel, work: usize) -> usize {
    let enough = SINGLE_GROUPS.into_iter().find(|&size| size >= work);
    enough.unwrap_or(SINGLE_GROUPS[SINGLE_GROUPS.len() - 1]).min(kernel.max_work_group_size())
}

/// The plan's entries: an offset and a weight for each operand, for each instance if the weights differ; or a shift and
/// a gain for each row.
fn entries<A: Algebra + ?Sized>(problem: &Problem<'_, A>) -> Vec<[u64; 2]> {
    let bits = |&weight: &A::Value| problem.algebra.bits(weight);
    let pair = |(&distance, weight): (&usize, &A::Value)| [distance as u64, bits(weight)];
    match &problem.operands {
        Operands::Fixed { offsets, weights } => offsets.iter().cycle().zip(weights).map(pair).collect(),
        Operands::Rows { shifts, gains, .. } => shifts.iter().zip(gains).map(pair).collect(),
    }
}
