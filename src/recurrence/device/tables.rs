use std::cell::RefCell;

use super::super::check;
use super::approach::{Approach, sharing};
use super::coded::{Coded, Elements, Facts};
use super::fill::{Blocks, Engine, Fill};
use super::kernels::{Check, PlanBuffer};
use crate::context::Pacer;
use crate::memory::Gather;
use crate::opencl::{Buffer, Device, Kernel, KernelFamily};
use crate::solve::Monitor;
use crate::{Error, Result};

/// The tables of a batch on a device, and the kernels' other input.
pub(super) struct Tables<'a> {
    problem: &'a dyn Coded,
    engine: Engine<'a>,
    values: Buffer<u8>,
    terms: Buffer<u8>,
}

impl<'a> Tables<'a> {
    /// Copies instances to the device; `None` if the values need wider integers.
    pub(super) fn new(
        device: &'a Device,
        family: &'static KernelFamily,
        problem: &'a dyn Coded,
    ) -> Result<Option<Self>> {
        Self::of(device, family, problem, u32::try_from(problem.facts().length).is_err())
    }

    /// [`Tables::new`] with 64-bit or 32-bit indices.
    pub(super) fn of(
        device: &'a Device,
        family: &'static KernelFamily,
        problem: &'a dyn Coded,
        wide_index: bool,
    ) -> Result<Option<Self>> {
        let Facts {
            instance,
            length,
            preset,
            value_bytes,
            partial_bytes,
            zero,
            mut defines,
            terms,
            ..
        } = problem.facts();
        let queue = device.queue();
        let table_bytes = length.checked_mul(value_bytes);
        let bytes = table_bytes.and_then(|bytes| bytes.checked_mul(instance.instances()));
        let values = device.buffer(bytes.ok_or(Error::overflow("the number of elements"))?)?;
        for number in 0..instance.instances() {
            let Some(initial) = problem.encode(instance.initial(number))? else { return Ok(None) };
            queue.write(&values, number * length * value_bytes, &initial)?;
        }
        let entries = problem.entries()?;
        let plan = if value_bytes == 8 || wide_index {
            PlanBuffer::Wide(device.buffer_from(&queue, entries.as_flattened())?)
        } else {
            let narrow: Vec<u32> =
                entries.as_flattened().iter().map(|&word| word as u32).gather()?;
            PlanBuffer::Narrow(device.buffer_from(&queue, &narrow)?)
        };
        let own_weights = instance.instances() > 1 && entries.len() > instance.operands();
        let own_terms = terms.is_some_and(|terms| terms.len() > (length - preset) * value_bytes);
        let out_of_range = device.buffer_from(&queue, &[0])?;
        defines.extend(wide_index.then_some(("WIDE_INDEX", 1)));
        defines.extend(instance.offsets().is_none().then_some(("ROWS", 1)));
        defines.extend(zero.map(|zero| ("ZERO", zero)));
        let terms_buffer = device.buffer_from(&queue, terms.unwrap_or_default())?;
        let tuned = |name| device.tuned(family, name);
        let engine = Engine {
            device,
            group: tuned("GROUP"),
            most_outputs: tuned("MOST_OUTPUTS"),
            unit_groups: tuned("UNIT_GROUPS"),
            single_group: tuned("SINGLE_GROUP"),
            alone_rounds: tuned("ALONE_ROUNDS"),
            least_part: tuned("LEAST_PART"),
            sharing: sharing(device),
            family,
            queue,
            instance,
            defines,
            length,
            preset,
            value_bytes,
            partial_bytes,
            has_zero: zero.is_some(),
            has_terms: terms.is_some(),
            partials: RefCell::new(None),
            plan,
            plan_stride: if own_weights { instance.operands() } else { 0 },
            term_stride: if own_terms { length - preset } else { 0 },
            out_of_range,
            shape: None,
        };
        Ok(Some(Tables { problem, engine, values, terms: terms_buffer }))
    }

    pub(super) fn problem(&self) -> &'a dyn Coded {
        self.problem
    }

    /// Byte offset of an element of one instance's table.
    fn byte(&self, number: usize, index: usize) -> usize {
        (number * self.engine.length + index) * self.engine.value_bytes
    }

    /// Sets the elements of a work-item and the work-items of an element, which are otherwise
    /// chosen for the device.
    pub(super) fn shape(&mut self, outputs: usize, slices: usize) {
        self.engine.shape = Some((outputs, slices));
    }

    /// Writes the elements of one instance's table.
    pub(super) fn write(&self, number: usize, elements: &[u8]) -> Result<()> {
        self.engine.queue.write(&self.values, self.byte(number, 0), elements)
    }

    /// Reads elements of one instance's table.
    pub(super) fn read(&self, number: usize, first: usize, count: usize) -> Result<Elements> {
        let mut elements = Elements::zeroed(count * self.engine.value_bytes)?;
        self.engine.queue.read(&self.values, self.byte(number, first), elements.bytes())?;
        Ok(elements)
    }

    /// Whether an element filled so far is out of range.
    pub(super) fn is_out_of_range(&self) -> Result<bool> {
        let mut flag = [0];
        self.engine.queue.read(&self.engine.out_of_range, 0, &mut flag)?;
        Ok(flag[0] != 0)
    }

    /// [`check::check`] on the device for the elements up to `end`, with one operand after the
    /// other.
    pub(super) fn check(&self, end: usize) -> Result<()> {
        let Engine { instance, preset, .. } = self.engine;
        let stride = check::stride(instance, (end - preset) as u64);
        if end == preset {
            return Ok(());
        }
        // Plus 1 for the last element.
        let count = (end - preset).div_ceil(stride) + 1;
        let launches = self.launches();
        let kernel = self.check_program()?;
        let different = self.engine.device.buffer_from(&self.engine.queue, &[u32::MAX])?;
        let arguments = Check {
            all: &self.values,
            different: &different,
            shared: launches.shared(),
            stride: stride as u64,
            count: count as u64,
            end: end as u64,
        };
        let group = self.engine.group.min(kernel.max_work_group_size());
        launches.launch(&kernel, &arguments, count, group)?;
        let mut first = [0];
        self.engine.queue.read(&different, 0, &mut first)?;
        match first {
            [u32::MAX] => Ok(()),
            [sample] => {
                let index = (preset + sample as usize * stride).min(end - 1);
                Err(check::differs(instance, index as u64, "is not what it is by definition"))
            }
        }
    }

    /// The kernel that checks elements.
    pub(super) fn check_program(&self) -> Result<Kernel<Check<'static>>> {
        self.launches().kernel(&[])
    }

    /// Fills the elements from `first` to `end`; earlier ones must be complete.
    pub(super) fn fill(
        &self,
        approach: &Approach,
        first: usize,
        end: usize,
        monitor: &Monitor,
    ) -> Result<()> {
        monitor.check()?;
        let mut pacer = Pacer::new(&self.engine.queue, monitor, "recurrence");
        let launches = self.launches();
        match approach {
            Approach::Sequential => launches.sequential(first..end, &mut pacer),
            Approach::Tournament => launches.tournament(first..end, &mut pacer),
            // A pipeline starts with the first element that is not preset and runs to the end.
            Approach::Pipeline(schedule) if first == schedule.first => {
                launches.pipeline(schedule, end, &mut pacer)
            }
            Approach::Pipeline(_) => Err(Error::internal("a pipeline that starts inside a table")),
            Approach::Gather => launches.gather(first..end, &mut pacer),
            Approach::Ring(ring) => launches.ring(*ring, first..end, &mut pacer),
            Approach::Blocks(most) => {
                let none = || Error::internal("blocks without a semiring");
                let most = (end - first).clamp(1, *most);
                let (response, size) = self.problem.responses(most).ok_or_else(none)?;
                let Engine { device, queue, instance, value_bytes, .. } = &self.engine;
                let stride = if response.len() > size * value_bytes { size } else { 0 };
                let responses = device.buffer_from(queue, &response)?;
                let history = device.buffer::<u8>(size * instance.instances() * value_bytes)?;
                let blocks = Blocks { size, responses: &responses, stride, history: &history };
                launches.blocks(&blocks, first..end, &mut pacer)
            }
        }
    }

    fn launches(&self) -> Fill<'_> {
        Fill { engine: &self.engine, values: &self.values, terms: &self.terms }
    }
}
