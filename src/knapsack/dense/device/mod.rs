//! The device's rows.

mod profits;
mod sums;

pub(super) use self::profits::DeviceProfits;
pub(super) use self::sums::DeviceSums;

use std::ops::Range;

use super::Item;
use crate::context::Pacer;
use crate::opencl::{
    Arg, Buffer, Device, DeviceKind, Element, Kernel, KernelFamily, Match, Program, Queue, TuningRow,
};
use crate::solve::Monitor;
use crate::{Context, Result};

const FAMILY: KernelFamily = KernelFamily {
    name: "knapsack",
    sources: &[include_str!("../../../../cl/knapsack.cl")],
    tuning: &[
        // What cl/knapsack.cl explains; HALO_PART is the part of the cells in local memory that may be halo.
        TuningRow {
            device: Match::Default,
            defines: &[
                ("GROUP", 64),
                ("EACH", 16),
                ("QUAD_EACH", 8),
                ("SUM_EACH", 16),
                ("CELL_BYTES", 4),
                ("HALO_PART", 3),
            ],
        },
        TuningRow { device: Match::Vendor("NVIDIA"), defines: &[("GROUP", 512)] },
    ],
};

/// Items filled in together in local memory at most.
const TOGETHER: usize = 64;
/// Items of any weight filled in together.
const QUAD: usize = 4;
/// Weights of an item that fills up a launch: too heavy for any cell, and no sum of them overflows.
const NO_QUAD: u64 = 1 << 60;
const NO_FUSED: u64 = 1 << 30;

/// What rows of either kind need of a device.
struct Engine<'a> {
    context: &'a Context,
    monitor: &'a Monitor,
    device: &'a Device,
    queue: Queue,
    kernels: Kernels,
    window: Kernel,
    /// Bytes of a word of local memory.
    word_bytes: usize,
    /// Work-items of a group.
    group: usize,
    /// Words of halo at most.
    halo: usize,
    filled: u64,
}

/// The two kernels that fill rows.
struct Kernels {
    quad: Launch,
    fused: Launch,
}

/// A kernel of rows and its shape.
struct Launch {
    kernel: Kernel,
    /// Cells or words of a work-group.
    span: usize,
}

/// The items of one launch: their places in the list, and their halo if they are fused.
struct Step {
    items: Range<usize>,
    fused: Option<usize>,
}

/// Work-groups of one step, and where its decisions go.
struct Shape<'k> {
    launch: &'k Launch,
    groups: usize,
    /// Cells or words that a work-group completes.
    useful: usize,
}

/// Items as launches take them.
struct Plan {
    steps: Vec<Step>,
    /// Weight and profit of each item and of what fills up.
    list: Vec<u64>,
    /// The place of each item in the list.
    places: Vec<usize>,
}

impl Plan {
    /// `reach` is the halo that an item needs, `halo` the most there is, and `span` the distance of weights that still
    /// counts as close.
    fn new(items: &[Item], halo: usize, span: usize, reach: impl Fn(&Item) -> usize) -> Plan {
        let mut plan = Plan { steps: Vec::new(), list: Vec::new(), places: Vec::with_capacity(items.len()) };
        let mut rest = items;
        while let Some(first) = rest.first() {
            let mut sum = 0usize;
            let sums = rest.iter().take(TOGETHER).map(|item| {
                sum = sum.saturating_add(reach(item));
                sum
            });
            let together = sums.take_while(|&sum| sum <= halo).count();
            let near = rest.iter().take(QUAD).take_while(|item| item.weight - first.weight <= span).count();
            let fused = together > near;
            let (now, later) = rest.split_at(if fused { together } else { near.max(2).min(rest.len()) });
            let begin = plan.list.len() / 2;
            plan.places.extend(begin..begin + now.len());
            plan.list.extend(now.iter().flat_map(|item| [item.weight as u64, item.profit as u64]));
            let (unit, nothing) = if fused { (2, NO_FUSED) } else { (QUAD, NO_QUAD) };
            plan.list.extend([nothing, 0].repeat(now.len().next_multiple_of(unit) - now.len()));
            let halo = fused.then(|| now.iter().map(&reach).sum());
            plan.steps.push(Step { items: begin..begin + now.len(), fused: halo });
            rest = later;
        }
        plan
    }
}

impl<'a> Engine<'a> {
    /// `names` are the kernels for any weight and for light ones, `each` the define of the latter's cells for each
    /// work-item.
    fn new(
        (context, monitor, device): (&'a Context, &'a Monitor, &'a Device),
        names: [&'static str; 2],
        each: &'static str,
        word_bytes: usize,
    ) -> Result<Self> {
        let cell_bytes = ("CELL_BYTES", word_bytes as u64);
        let tuned = device.program(&FAMILY, &[cell_bytes])?;
        let define = |name| tuned.define(name).unwrap_or(1) as usize;
        let mut group = define("GROUP");
        for name in names {
            group = group.min(tuned.kernel(name)?.max_work_group_size()).max(1);
        }
        while group > 1 && group * define(each) * word_bytes > device.info().local_memory_bytes as usize {
            group /= 2;
        }
        let program = device.program(&FAMILY, &[cell_bytes, ("GROUP", group as u64)])?;
        let spans = [group * define("QUAD_EACH"), group * define(each)];
        Ok(Engine {
            context,
            monitor,
            device,
            queue: device.queue()?,
            kernels: Kernels::new(&program, names, spans)?,
            window: program.kernel("knapsack_window")?,
            word_bytes,
            group,
            halo: spans[1] / define("HALO_PART").max(2),
            filled: 0,
        })
    }

    fn memory_bytes(&self) -> u64 {
        let info = self.device.info();
        match info.kind {
            // Its memory is the host's.
            DeviceKind::Cpu => self.monitor.memory_bytes().min(info.global_memory_bytes),
            _ => info.global_memory_bytes / 8 * 7,
        }
    }

    fn plan(&self, items: &[Item], reach: impl Fn(&Item) -> usize) -> Plan {
        Plan::new(items, self.halo, self.kernels.quad.span, reach)
    }

    fn shape<'k>(&self, kernels: &'k Kernels, step: &Step, words: usize) -> Shape<'k> {
        let launch = if step.fused.is_some() { &kernels.fused } else { &kernels.quad };
        let useful = launch.span - step.fused.unwrap_or(0);
        Shape { launch, groups: words.div_ceil(useful), useful }
    }

    /// The row after the items of a plan.
    fn advance<T: Element>(&self, row: &Buffer<T>, plan: &Plan) -> Result<Buffer<T>> {
        let list = self.device.buffer_from(&self.queue, &plan.list)?;
        self.fill(row, plan, |step, source, target, pacer| {
            let shape = self.shape(&self.kernels, step, row.len());
            self.launch(&shape, step, (source, target, &list), &[], pacer)
        })
    }

    /// Fills row after row by `launch`, which gets a step, its source and its target.
    fn fill<T: Element>(
        &self,
        row: &Buffer<T>,
        plan: &Plan,
        mut launch: impl FnMut(&Step, &Buffer<T>, &Buffer<T>, &mut Pacer<'_>) -> Result<()>,
    ) -> Result<Buffer<T>> {
        let words = row.len();
        let mut target = self.device.buffer::<T>(words)?;
        let mut other = self.device.buffer::<T>(if plan.steps.len() > 1 { words } else { 0 })?;
        if plan.steps.is_empty() {
            self.copy(row, &target, 0, words)?;
            return Ok(target);
        }
        let mut pacer = Pacer::new(&self.queue, self.monitor, "dense");
        for (index, step) in plan.steps.iter().enumerate() {
            launch(step, if index == 0 { row } else { &other }, &target, &mut pacer)?;
            std::mem::swap(&mut target, &mut other);
        }
        // The last target became the other one.
        Ok(other)
    }

    /// One step from row to row, in as many launches as the pacer wants.
    fn launch<T: Element>(
        &self,
        shape: &Shape<'_>,
        step: &Step,
        (source, target, list): (&Buffer<T>, &Buffer<T>, &Buffer<u64>),
        keep: &[Arg<'_>],
        pacer: &mut Pacer<'_>,
    ) -> Result<()> {
        let group_work = (shape.launch.span * step.items.len()) as u64;
        let words = Arg::U64(source.len() as u64);
        let mut first = 0;
        while first < shape.groups {
            let groups = (shape.groups - first).min((pacer.room() / group_work + 1) as usize);
            let begin = Arg::U32(step.items.start as u32);
            let mut args = vec![source.arg(), target.arg(), words, Arg::U64(first as u64), list.arg(), begin];
            args.extend(keep);
            if let Some(halo) = step.fused {
                let local = Arg::Local(shape.launch.span * self.word_bytes);
                args.extend([Arg::U32(step.items.end as u32), Arg::U32(halo as u32), local]);
            }
            self.queue.launch(&shape.launch.kernel, &args, [groups * self.group], [self.group])?;
            first += groups;
            pacer.launched(groups as u64 * group_work, None)?;
        }
        Ok(())
    }

    fn copy<T: Element>(&self, from: &Buffer<T>, to: &Buffer<T>, first: usize, count: usize) -> Result<()> {
        let scale = size_of::<T>() / size_of::<u32>();
        let (first, count) = (first * scale, count * scale);
        let args = [from.arg(), to.arg(), Arg::U64(first as u64), Arg::U64(count as u64)];
        let group = self.group.min(self.window.max_work_group_size());
        self.queue.launch(&self.window, &args, [count.next_multiple_of(group)], [group])
    }

    fn window<T: Element>(&self, row: &Buffer<T>, range: Range<usize>) -> Result<Buffer<T>> {
        let window = self.device.buffer(range.len())?;
        self.copy(row, &window, range.start, range.len())?;
        Ok(window)
    }
}

impl Kernels {
    fn new(
        program: &std::sync::Arc<Program>,
        names: [&'static str; 2],
        spans: [usize; 2],
    ) -> Result<Kernels> {
        let [quad, fused] = names.map(|name| program.kernel(name));
        Ok(Kernels {
            quad: Launch { kernel: quad?, span: spans[0] },
            fused: Launch { kernel: fused?, span: spans[1] },
        })
    }
}
