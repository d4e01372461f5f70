//! Rows on the device.

mod check;
mod kernels;
mod profits;
mod self_test;
mod sums;
mod workload;

pub(super) use self::check::Word;
pub(super) use self::profits::DeviceProfits;
pub(super) use self::sums::DeviceSums;

use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::sync::Arc;

use self::kernels::{Decisions, Fused, Pass, Quad, Window};
pub(crate) use self::workload::TIMED;
use super::Item;
use crate::context::{Pacer, SpotChecks, Units};
use crate::opencl::{
    Buffer, Device, DeviceKind, Kernel, KernelFamily, Local, Program, Queue, Tunable, Usual, source,
};
use crate::solve::Monitor;
use crate::{Context, Result};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "knapsack",
    sources: &[source!("knapsack.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![
        Quad<i64>,
        Fused<i64>,
        Quad<u32>,
        Fused<u32>,
        kernels::Traceback,
        Window<i64>
    ],
    constants: &[],
    tuning: &[
        Tunable::power("GROUP: work-items of a group for profits", (16, 1024)),
        // A work-item writes its decisions as one word: bits of two rows or of four.
        Tunable::number("EACH: cells of a work-item for profits", (1, 16)),
        Tunable::number("QUAD_EACH: cells of a work-item for four rows of profits at once", (1, 8)),
        Tunable::power("SUM_GROUP: work-items of a group for sums", (16, 1024)),
        Tunable::number("SUM_EACH: words of a work-item for sums", (1, 64)),
        Tunable::number(
            "SUM_QUAD_EACH: words of a work-item for four rows of sums at once",
            (1, 64),
        ),
        Tunable::number(
            "HALO_PART: local memory has at most one such part of its cells as halo",
            (2, 16),
        ),
        Tunable::power("TOGETHER: most items that share a pass in local memory", (2, 256)),
        Tunable::number("LEAST_USEFUL: most words of a group for each useful one", (2, 16)),
        Tunable::power("KEPT_BYTES: largest buffer to keep for reuse", (1 << 10, 1 << 31)),
        Tunable::power("SLAB_WORDS: words of decisions in a buffer", (1 << 10, 1 << 28)),
        Tunable::power("CPU_BITS: bits of sums that the CPU decides", (1 << 20, 1 << 30)),
    ],
    self_test: self_test::compare,
};

/// The programs of profits of 32 and of 64 bits, and of sums.
pub(in crate::knapsack) fn usual_programs() -> impl Iterator<Item = Usual> {
    [profits::request::<i32>, profits::request::<i64>, sums::request]
        .into_iter()
        .map(|request| Usual::new(FAMILY.name, request))
}

/// Items of any weight that share a launch.
const QUAD: usize = 4;
/// Weights of padding items of a launch: too heavy for any cell, and no sum of them overflows.
const NO_QUAD: u64 = 1 << 60;
const NO_FUSED: u64 = 1 << 30;

/// Fills rows of either kind on a device.
struct Engine<'a, T: Word> {
    context: &'a Context,
    monitor: &'a Monitor,
    device: &'a Device,
    queue: Queue,
    kernels: Kernels<T>,
    window: Kernel<Window<'static, T>>,
    /// Work-items of a work-group.
    group: usize,
    /// Most words of halo, and those of them that are lost for any weights.
    halo: usize,
    lost: usize,
    /// Most items that share a pass in local memory.
    together: usize,
    /// At least one of this many words of a group must be useful.
    least_useful: usize,
    prefers_fused: bool,
    /// Target of every other row, kept for reuse.
    scratch: RefCell<Option<Buffer<T>>>,
    /// Budget that the last pacer has learnt.
    budget: Cell<Option<u64>>,
    filled: u64,
    checks: RefCell<SpotChecks>,
}

/// Names in `cl/knapsack.cl` for one kind of rows: the defines of a work-item's words, for any
/// weight and for light items, and the define of a group's work-items.
struct Kind {
    quad_each: &'static str,
    fused_each: &'static str,
    group: &'static str,
    /// Whether a work-item of the fused kernel has neighbouring words, of which single ones would
    /// be wrong.
    is_in_runs: bool,
    /// Whether fusing two items is faster than four items of similar weights.
    prefers_fused: bool,
    /// Whether rows are bits.
    is_sums: bool,
}

/// Define: whether the kernels are for rows of bits. A self-test runs only kernels of its program's
/// kind.
const SUMS: &str = "SUMS";

/// The two kernels that fill rows, with the cells or words of a work-group.
struct Kernels<T: Word> {
    quad: Kernel<Quad<'static, T>>,
    fused: Kernel<Fused<'static, T>>,
    quad_span: usize,
    fused_span: usize,
}

/// The items of one launch: their positions in the list, and their halo if they are fused.
struct Step {
    items: Range<usize>,
    fused: Option<usize>,
}

/// Work-groups of one step, and their words.
struct Shape {
    /// Cells or words of a work-group.
    span: usize,
    /// Cells or words of a row.
    words: usize,
    groups: usize,
    /// Cells or words that a work-group completes.
    useful: usize,
}

/// Items in the order of launches.
struct LaunchPlan {
    steps: Vec<Step>,
    /// Weight and profit of each item, including padding.
    list: Vec<u64>,
    /// Position of each item in the list.
    places: Vec<usize>,
}

impl LaunchPlan {
    /// `reach` gives the halo that an item needs. `halo` is the largest halo, of which `lost`
    /// serves no item. At most `most_together` items share a pass. Weights within `span` count as
    /// close. Close items are fused if `prefers_fused`, or if more of them fit into one launch.
    fn new(
        items: &[Item],
        (lost, halo): (usize, usize),
        most_together: usize,
        span: usize,
        prefers_fused: bool,
        reach: impl Fn(&Item) -> usize,
    ) -> LaunchPlan {
        let mut plan = LaunchPlan {
            steps: Vec::new(),
            list: Vec::new(),
            places: Vec::with_capacity(items.len()),
        };
        let mut rest = items;
        while let Some(first) = rest.first() {
            let mut sum = lost;
            let sums = rest.iter().take(most_together).map(|item| {
                sum = sum.saturating_add(reach(item));
                sum
            });
            let together = sums.take_while(|&sum| sum <= halo).count();
            let near = rest
                .iter()
                .take(QUAD)
                .take_while(|item| item.weight - first.weight <= span)
                .count();
            let fused = together > if prefers_fused { 1 } else { near };
            let (now, later) =
                rest.split_at(if fused { together } else { near.max(2).min(rest.len()) });
            let begin = plan.list.len() / 2;
            plan.places.extend(begin..begin + now.len());
            plan.list.extend(now.iter().flat_map(|item| [item.weight as u64, item.profit as u64]));
            let (unit, nothing) = if fused { (2, NO_FUSED) } else { (QUAD, NO_QUAD) };
            plan.list.extend([nothing, 0].repeat(now.len().next_multiple_of(unit) - now.len()));
            let halo = fused.then(|| lost + now.iter().map(&reach).sum::<usize>());
            plan.steps.push(Step { items: begin..begin + now.len(), fused: halo });
            rest = later;
        }
        plan
    }
}

impl<'a, T: Word> Engine<'a, T> {
    fn new(
        context: &'a Context,
        monitor: &'a Monitor,
        device: &'a Device,
        kind: &Kind,
    ) -> Result<Self> {
        let Kind { quad_each, fused_each, is_in_runs, .. } = *kind;
        let word_bytes = size_of::<T>();
        let form = [("CELL_BYTES", word_bytes as u64), (SUMS, kind.is_sums.into())];
        let tuned = device.program(&FAMILY, &form)?;
        let define = |name| tuned.tuned(name);
        let kernels = Kernels::<T>::new(&tuned, [0; 2])?;
        let most = kernels.quad.max_work_group_size().min(kernels.fused.max_work_group_size());
        let mut group = define(kind.group).min(most).max(1);
        while group > 1
            && group * define(fused_each) * word_bytes > device.info().group_memory_bytes() as usize
        {
            group /= 2;
        }
        let program = device.program(&FAMILY, &[form[0], form[1], (kind.group, group as u64)])?;
        let spans = [group * define(quad_each), group * define(fused_each)];
        Ok(Engine {
            context,
            monitor,
            device,
            queue: device.queue(),
            kernels: Kernels::new(&program, spans)?,
            window: program.kernel()?,
            group,
            halo: spans[1] / define("HALO_PART").max(2),
            together: define("TOGETHER"),
            least_useful: define("LEAST_USEFUL").max(2),
            prefers_fused: kind.prefers_fused,
            lost: if is_in_runs { define(fused_each) - 1 } else { 0 },
            scratch: RefCell::default(),
            budget: Cell::new(None),
            filled: 0,
            checks: RefCell::new(SpotChecks::new()),
        })
    }

    /// See [`Rows::list_bytes`](super::Rows::list_bytes).
    fn list_bytes(&self, cells: u64) -> u64 {
        match self.device.info().kind {
            // A CPU device uses the host's memory.
            DeviceKind::Cpu => cells.saturating_mul(size_of::<u64>() as u64),
            _ => 0,
        }
    }

    fn memory_bytes(&self) -> u64 {
        let info = self.device.info();
        match info.kind {
            // A CPU device uses the host's memory.
            DeviceKind::Cpu => self.monitor.memory_bytes().min(info.global_memory_bytes),
            _ => info.global_memory_bytes / 8 * 7,
        }
    }

    fn plan(&self, items: &[Item], halo: usize, reach: impl Fn(&Item) -> usize) -> LaunchPlan {
        let (span, halo) = (self.kernels.quad_span, (self.lost, halo));
        LaunchPlan::new(items, halo, self.together, span, self.prefers_fused, reach)
    }

    /// The halo for rows of `words` words. Groups of a short row would leave compute units idle,
    /// and launches would take most of the time. The halo is then as large as it can be with the
    /// row spread over all units.
    fn halo_of(&self, words: usize) -> usize {
        let span = self.kernels.fused_span;
        let share = words / self.device.info().compute_units.max(1) as usize;
        span - share.clamp((span / self.least_useful).max(1), span - self.halo)
    }

    fn shape(&self, step: &Step, words: usize) -> Shape {
        let Kernels { quad_span, fused_span, .. } = self.kernels;
        let span = if step.fused.is_some() { fused_span } else { quad_span };
        let useful = span - step.fused.unwrap_or(0);
        Shape { span, words, groups: words.div_ceil(useful), useful }
    }

    /// The row after the items of a plan.
    fn advance(&self, row: &Buffer<T>, plan: &LaunchPlan) -> Result<Buffer<T>> {
        let list = self.device.buffer_from(&self.queue, &plan.list)?;
        self.fill(row, plan, |step, source, target, pacer| {
            let shape = self.shape(step, row.len());
            self.launch(&self.kernels, &shape, step, (source, target, &list), None, pacer)
        })
    }

    /// Fills row after row by `launch`, which gets a step, its source and its target.
    fn fill(
        &self,
        row: &Buffer<T>,
        plan: &LaunchPlan,
        mut launch: impl FnMut(&Step, &Buffer<T>, &Buffer<T>, &mut Pacer<'_>) -> Result<()>,
    ) -> Result<Buffer<T>> {
        let last = self.device.buffer(row.len())?;
        if plan.steps.is_empty() {
            self.copy(row, &last, 0, row.len())?;
            return Ok(last);
        }
        let scratch = self.scratch(if plan.steps.len() > 1 { row.len() } else { 0 })?;
        let mut pacer = Pacer::new(&self.queue, self.monitor, "dense");
        if let Some(budget) = self.budget.get() {
            pacer = pacer.with_budget(budget);
        }
        let mut source = row;
        for (index, step) in plan.steps.iter().enumerate() {
            let target = if (plan.steps.len() - index) % 2 == 1 { &last } else { &scratch };
            launch(step, source, target, &mut pacer)?;
            self.check(plan, step, source, target)?;
            source = target;
        }
        self.budget.set(Some(pacer.budget()));
        let kept_bytes = self.device.tuned(&FAMILY, "KEPT_BYTES");
        self.scratch
            .replace(Some(scratch).filter(|scratch| scratch.len() * size_of::<T>() <= kept_bytes));
        Ok(last)
    }

    /// A buffer of at least `words` words.
    fn scratch(&self, words: usize) -> Result<Buffer<T>> {
        match self.scratch.take() {
            Some(buffer) if buffer.len() >= words => Ok(buffer),
            _ => self.device.buffer(words),
        }
    }

    /// One step from row to row, in launches of the pacer's sizes.
    fn launch(
        &self,
        kernels: &Kernels<T>,
        shape: &Shape,
        step: &Step,
        (source, target, items): (&Buffer<T>, &Buffer<T>, &Buffer<u64>),
        kept: Option<Decisions<'_>>,
        pacer: &mut Pacer<'_>,
    ) -> Result<()> {
        let group_work = (shape.span * step.items.len()) as u64;
        pacer.launch(0..shape.groups, Units::of(group_work), &mut |groups| {
            let pass = Pass {
                source,
                target,
                cells: shape.words as u64,
                group_first: groups.start as u64,
                items,
                items_first: step.items.start as u32,
            };
            let (global, local) = ([groups.len() * self.group], [self.group]);
            match step.fused {
                None => self.queue.launch(&kernels.quad, &Quad { pass, kept }, global, local),
                Some(halo) => {
                    let fused = Fused {
                        pass,
                        items_end: step.items.end as u32,
                        halo: halo as u32,
                        local_cells: Local(shape.span * size_of::<T>()),
                        kept,
                    };
                    self.queue.launch(&kernels.fused, &fused, global, local)
                }
            }?;
            Ok(None)
        })
    }

    fn copy(
        &self,
        source: &Buffer<T>,
        target: &Buffer<T>,
        first: usize,
        count: usize,
    ) -> Result<()> {
        let window = Window { source, target, first: first as u64, count: count as u64 };
        let group = self.group.min(self.window.max_work_group_size());
        self.queue.launch(&self.window, &window, [count.next_multiple_of(group)], [group])?;
        self.check_copy(source, target, first)
    }

    fn window(&self, row: &Buffer<T>, range: Range<usize>) -> Result<Buffer<T>> {
        let window = self.device.buffer(range.len())?;
        self.copy(row, &window, range.start, range.len())?;
        Ok(window)
    }
}

impl<T: Word> Kernels<T> {
    fn new(program: &Arc<Program>, [quad_span, fused_span]: [usize; 2]) -> Result<Self> {
        Ok(Kernels { quad: program.kernel()?, fused: program.kernel()?, quad_span, fused_span })
    }
}
