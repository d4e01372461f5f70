use std::cell::RefCell;

use super::super::algebra::Algebra;
use super::super::check;
use super::super::problem::{Operands, Problem};
use super::approach::Approach;
use super::fill::{Blocks, Engine, Fill, GROUP, PlanBuffer};
use super::response::responses;
use crate::context::Pacer;
use crate::memory::Gather;
use crate::opencl::{Arg, Buffer, Device};
use crate::solve::Monitor;
use crate::{Error, Result, memory};

/// The tables of a batch on a device, with what the kernels read.
pub(super) struct Tables<'a, A: Algebra + ?Sized> {
    problem: &'a Problem<'a, A>,
    engine: Engine<'a>,
    values: Buffer<A::Value>,
    terms: Buffer<A::Value>,
}

impl<'a, A: Algebra + ?Sized> Tables<'a, A> {
    /// Copies instances to the device; `None` where the values need wider integers.
    pub(super) fn new(device: &'a Device, problem: &'a Problem<'a, A>) -> Result<Option<Self>> {
        Self::of(device, problem, u32::try_from(problem.length).is_err())
    }

    /// [`Tables::new`] with places of 64 or of 32 bits.
    pub(super) fn of(
        device: &'a Device,
        problem: &'a Problem<'a, A>,
        wide_index: bool,
    ) -> Result<Option<Self>> {
        let instance = problem.instance;
        let queue = device.queue()?;
        let elements = problem.length.checked_mul(instance.instances());
        let values = device.buffer(elements.ok_or(Error::overflow("the number of elements"))?)?;
        for number in 0..instance.instances() {
            let Some(initial) = problem.initial(number)? else { return Ok(None) };
            queue.write(&values, number * problem.length, &initial)?;
        }
        let entries = entries(problem)?;
        let plan = if size_of::<A::Value>() == 8 || wide_index {
            PlanBuffer::Wide(device.buffer_from(&queue, entries.as_flattened())?)
        } else {
            let narrow: Vec<u32> = entries.as_flattened().iter().map(|&word| word as u32).gather()?;
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
        let terms_buffer = device.buffer_from(&queue, terms)?;
        let engine = Engine {
            device,
            queue,
            instance,
            defines,
            length: problem.length,
            preset: problem.preset,
            value_bytes: size_of::<A::Value>(),
            partial_bytes: size_of::<A::Partial>(),
            has_zero: problem.zero.is_some(),
            has_terms: problem.terms.is_some(),
            partials: RefCell::new(None),
            plan,
            plan_stride: if own_weights { instance.operands() } else { 0 },
            term_stride: if own_terms { problem.length - problem.preset } else { 0 },
            out_of_range,
            shape: None,
        };
        Ok(Some(Tables { problem, engine, values, terms: terms_buffer }))
    }

    pub(super) fn problem(&self) -> &'a Problem<'a, A> {
        self.problem
    }

    /// Sets the elements of a work-item and the work-items of an element, which else suit the device.
    pub(super) fn shape(&mut self, outputs: usize, slices: usize) {
        self.engine.shape = Some((outputs, slices));
    }

    /// Writes the elements of one instance's table.
    pub(super) fn write(&self, number: usize, elements: &[A::Value]) -> Result<()> {
        self.engine.queue.write(&self.values, number * self.problem.length, elements)
    }

    /// Elements of one instance's table.
    pub(super) fn read(&self, number: usize, first: usize, count: usize) -> Result<Vec<A::Value>> {
        let mut elements = memory::filled(A::Value::default(), count)?;
        self.engine.queue.read(&self.values, number * self.problem.length + first, &mut elements)?;
        Ok(elements)
    }

    /// Whether some element filled so far is out of range.
    pub(super) fn is_out_of_range(&self) -> Result<bool> {
        let mut flag = [0];
        self.engine.queue.read(&self.engine.out_of_range, 0, &mut flag)?;
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
        let launches = self.launches();
        let kernel = launches.kernel("recurrence_check", &[])?;
        let different = self.engine.device.buffer_from(&self.engine.queue, &[u32::MAX])?;
        let mut args = vec![self.values.arg(), different.arg()];
        args.extend(launches.shared_args());
        args.extend([Arg::U64(stride as u64), Arg::U64(count as u64), Arg::U64(end as u64)]);
        launches.launch(&kernel, &args, count, GROUP.min(kernel.max_work_group_size()))?;
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

    /// Fills the elements from `first` on up to `end`; those before are there.
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
            Approach::Sequential => launches.singly("recurrence_sequential", first..end, &mut pacer),
            Approach::Tournament => launches.singly("recurrence_tournament", first..end, &mut pacer),
            // It begins with the first element that is not preset and goes on to the end.
            Approach::Pipeline(schedule) if first == schedule.first => {
                launches.pipeline(schedule, end, &mut pacer)
            }
            Approach::Pipeline(_) => Err(Error::internal("a pipeline from within")),
            Approach::Gather => launches.gather(first..end, &mut pacer),
            Approach::Ring(ring) => launches.ring(*ring, first..end, &mut pacer),
            Approach::Blocks(most) => {
                let none = || Error::internal("blocks without a semiring");
                let most = (end - first).clamp(1, *most);
                let (response, size) = responses(self.problem, most).ok_or_else(none)?;
                let Engine { device, queue, instance, .. } = &self.engine;
                let stride = if response.len() > size { size } else { 0 };
                let responses = device.buffer_from(queue, &response)?;
                let history = device.buffer::<A::Value>(size * instance.instances())?;
                let blocks = Blocks { size, responses: responses.arg(), stride, history: history.arg() };
                launches.blocks(&blocks, first..end, &mut pacer)
            }
        }
    }

    fn launches(&self) -> Fill<'_> {
        Fill { engine: &self.engine, values: self.values.arg(), terms: self.terms.arg() }
    }
}

/// The plan's entries: an offset and a weight for each operand, for each instance if the weights differ; or a shift and
/// a gain for each row.
fn entries<A: Algebra + ?Sized>(problem: &Problem<'_, A>) -> Result<Vec<[u64; 2]>> {
    let bits = |&weight: &A::Value| problem.algebra.bits(weight);
    let pair = |(&distance, weight): (&usize, &A::Value)| [distance as u64, bits(weight)];
    match &problem.operands {
        Operands::Fixed { offsets, weights } => offsets.iter().cycle().zip(weights).map(pair).gather(),
        Operands::Rows { shifts, gains, .. } => shifts.iter().zip(gains).map(pair).gather(),
    }
}
