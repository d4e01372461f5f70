//! The device's rows. The walk back goes on on the CPU once its windows are small.

use std::marker::PhantomData;
use std::ops::Range;

use super::bits::{Bits, Sums};
use super::profits::Profits;
use super::{Item, Rows, trace};
use crate::context::Pacer;
use crate::knapsack::blocks::Cell;
use crate::opencl::{
    Arg, Buffer, Device, DeviceKind, Element, Kernel, KernelFamily, Match, Queue, TuningRow,
};
use crate::solve::Monitor;
use crate::table::Table;
use crate::{Context, Error, Result};

const FAMILY: KernelFamily = KernelFamily {
    name: "knapsack",
    sources: &[include_str!("../../../cl/knapsack.cl")],
    tuning: &[
        // What cl/knapsack.cl explains; HALO_PART is the part of the cells in local memory that may be halo.
        TuningRow {
            device: Match::Default,
            defines: &[
                ("GROUP", 64),
                ("EACH", 16),
                ("PAIR_EACH", 4),
                ("SUM_EACH", 16),
                ("CELL_BYTES", 4),
                ("HALO_PART", 3),
            ],
        },
        TuningRow { device: Match::Vendor("NVIDIA"), defines: &[("GROUP", 512)] },
    ],
};

/// Cells of windows that are left to the CPU: it decides them while the device would wait for launches.
const CPU_CELLS: usize = 1 << 24;
/// Items filled in together at most.
const TOGETHER: usize = 64;

/// What rows of either kind need of a device.
struct Engine<'a> {
    context: &'a Context,
    monitor: &'a Monitor,
    device: &'a Device,
    queue: Queue,
    pair: Launch,
    fused: Launch,
    window: Kernel,
    /// Bytes of a word of local memory.
    word_bytes: usize,
    /// Words of halo at most.
    halo: usize,
    filled: u64,
}

/// A kernel of rows and its shape.
struct Launch {
    kernel: Kernel,
    group: usize,
    /// Cells or words of a work-group.
    span: usize,
}

/// Items of one launch.
enum Step<'i> {
    Pair(&'i [Item]),
    Fused { items: Range<u32>, halo: usize },
}

impl<'a> Engine<'a> {
    /// `kernels` name those for pairs and for many items, and the define of the latter's cells for each work-item.
    fn new(
        (context, monitor, device): (&'a Context, &'a Monitor, &'a Device),
        kernels: [&'static str; 2],
        each: &str,
        word_bytes: usize,
    ) -> Result<Self> {
        let cell_bytes = ("CELL_BYTES", word_bytes as u64);
        let tuned = device.program(&FAMILY, &[cell_bytes])?;
        let define = |name| tuned.define(name).unwrap_or(1) as usize;
        let most = [kernels[0], kernels[1]].map(|name| tuned.kernel(name).map(|k| k.max_work_group_size()));
        let [pair_most, fused_most] = most;
        let mut group = define("GROUP").min(pair_most?).min(fused_most?).max(1);
        while group > 1 && group * define(each) * word_bytes > device.info().local_memory_bytes as usize {
            group /= 2;
        }
        let program = device.program(&FAMILY, &[cell_bytes, ("GROUP", group as u64)])?;
        let launch = |name, each| -> Result<Launch> {
            Ok(Launch { kernel: program.kernel(name)?, group, span: group * define(each) })
        };
        let fused = launch(kernels[1], each)?;
        let halo = fused.span / define("HALO_PART").max(2);
        Ok(Engine {
            context,
            monitor,
            device,
            queue: device.queue()?,
            pair: launch(kernels[0], "PAIR_EACH")?,
            window: program.kernel("knapsack_window")?,
            fused,
            word_bytes,
            halo,
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

    /// The row after some items. `reach` is the halo that an item needs.
    fn advance<T: Element>(
        &mut self,
        row: &Buffer<T>,
        items: &[Item],
        reach: impl Fn(&Item) -> usize,
        pair_args: impl Fn(&[Item]) -> Vec<u64>,
    ) -> Result<Buffer<T>> {
        let words = row.len();
        let (steps, list) = plan(items, self.halo, reach);
        let list = self.device.buffer_from(&self.queue, &list)?;
        let mut target = self.device.buffer::<T>(words)?;
        let mut other = self.device.buffer::<T>(if steps.len() > 1 { words } else { 0 })?;
        if steps.is_empty() {
            self.copy(row, &target, 0, words)?;
        }
        let mut pacer = Pacer::new(&self.queue, self.monitor, "dense");
        for (index, step) in steps.iter().enumerate() {
            let source = if index == 0 { row } else { &other };
            let (launch, args, useful, count) = match step {
                Step::Pair(items) => {
                    let args: Vec<Arg<'_>> = pair_args(items).into_iter().map(Arg::U64).collect();
                    (&self.pair, args, self.pair.span, items.len())
                }
                Step::Fused { items, halo } => {
                    let local = Arg::Local(self.fused.span * self.word_bytes);
                    let (first, end) = (Arg::U32(items.start), Arg::U32(items.end));
                    let args: Vec<Arg<'_>> = vec![list.arg(), first, end, Arg::U32(*halo as u32), local];
                    (&self.fused, args, self.fused.span - halo, items.len())
                }
            };
            let mut first = 0;
            while first < words {
                let group_work = (launch.span * count) as u64;
                let groups = (words - first).div_ceil(useful).min((pacer.room() / group_work + 1) as usize);
                let mut all =
                    vec![source.arg(), target.arg(), Arg::U64(words as u64), Arg::U64(first as u64)];
                all.extend(&args);
                self.queue.launch(&launch.kernel, &all, [groups * launch.group], [launch.group])?;
                first += groups * useful;
                pacer.launched(groups as u64 * group_work, None)?;
            }
            std::mem::swap(&mut target, &mut other);
        }
        // The last target became the other one.
        Ok(if steps.is_empty() { target } else { other })
    }

    fn copy<T: Element>(&self, from: &Buffer<T>, to: &Buffer<T>, first: usize, count: usize) -> Result<()> {
        let scale = size_of::<T>() / size_of::<u32>();
        let (first, count) = (first * scale, count * scale);
        let args = [from.arg(), to.arg(), Arg::U64(first as u64), Arg::U64(count as u64)];
        let group = self.pair.group.min(self.window.max_work_group_size());
        self.queue.launch(&self.window, &args, [count.next_multiple_of(group)], [group])
    }

    fn window<T: Element>(&self, row: &Buffer<T>, range: Range<usize>) -> Result<Buffer<T>> {
        let window = self.device.buffer(range.len())?;
        self.copy(row, &window, range.start, range.len())?;
        Ok(window)
    }
}

/// The launches for some items, and weights and profits of those that are filled in together.
fn plan(items: &[Item], halo: usize, reach: impl Fn(&Item) -> usize) -> (Vec<Step<'_>>, Vec<u64>) {
    let (mut steps, mut list) = (Vec::new(), Vec::new());
    let mut rest = items;
    while !rest.is_empty() {
        let mut sum = 0usize;
        let mut sums = rest.iter().take(TOGETHER).map(|item| {
            sum = sum.saturating_add(reach(item));
            sum
        });
        let together = sums.by_ref().take_while(|&sum| sum <= halo).count();
        let taken = if together > 2 {
            let (group, first) = (&rest[..together], (list.len() / 2) as u32);
            list.extend(group.iter().flat_map(|item| [item.weight as u64, item.profit as u64]));
            let items = first..first + together as u32;
            steps.push(Step::Fused { items, halo: group.iter().map(&reach).sum() });
            if together % 2 == 1 {
                // Too heavy for any cell, and its sum with another fits into 32 bits.
                list.extend([1 << 30, 0]);
            }
            together
        } else {
            let taken = rest.len().min(2);
            steps.push(Step::Pair(&rest[..taken]));
            taken
        };
        rest = &rest[taken..];
    }
    (steps, list)
}

/// Rows of profits on a device.
pub(super) struct DeviceProfits<'a, T> {
    engine: Engine<'a>,
    cells: PhantomData<T>,
}

impl<'a, T: Cell + Element> DeviceProfits<'a, T> {
    pub(super) fn new(context: &'a Context, monitor: &'a Monitor, device: &'a Device) -> Result<Self> {
        let kernels = ["knapsack_pair", "knapsack_fused"];
        let engine = Engine::new((context, monitor, device), kernels, "EACH", size_of::<T>())?;
        Ok(DeviceProfits { engine, cells: PhantomData })
    }

    fn download(&self, row: &Buffer<T>) -> Result<Table<T>> {
        let refused =
            || super::too_large(row.len() as u64, self.row_bytes(row.len() as u64).into(), u64::MAX);
        let mut cells = Table::zeroed(row.len()).ok_or_else(refused)?;
        self.engine.queue.read(row, 0, &mut cells)?;
        Ok(cells)
    }
}

impl<T: Cell + Element> Rows for DeviceProfits<'_, T> {
    type Row = Buffer<T>;

    fn filled(&self) -> u64 {
        self.engine.filled
    }

    fn row_bytes(&self, cells: u64) -> u64 {
        cells.saturating_mul(size_of::<T>() as u64)
    }

    fn memory_bytes(&self) -> u64 {
        self.engine.memory_bytes()
    }

    fn leaf_cells(&self) -> usize {
        CPU_CELLS
    }

    fn start(&mut self, cells: usize) -> Result<Buffer<T>> {
        let row = self.engine.device.buffer(cells)?;
        self.engine.queue.fill(&row, 0, cells, T::ZERO)?;
        Ok(row)
    }

    fn advance(&mut self, row: &Buffer<T>, items: &[Item]) -> Result<Buffer<T>> {
        let cells = row.len() as u64;
        self.engine.filled += items.len() as u64 * cells;
        self.engine.advance(
            row,
            items,
            |item| item.weight,
            |pair| {
                let missing = (cells, 0);
                let item = |place| {
                    pair.get(place).map_or(missing, |item: &Item| (item.weight as u64, item.profit as u64))
                };
                let (a, b) = (item(0), item(1));
                vec![a.0, a.1, b.0, b.1]
            },
        )
    }

    fn window(&mut self, row: &Buffer<T>, range: Range<usize>) -> Result<Buffer<T>> {
        self.engine.window(row, range)
    }

    fn best(&mut self, last: &Buffer<T>) -> Result<usize> {
        Ok(last.len() - 1)
    }

    fn values(&mut self, last: Buffer<T>) -> Result<Vec<u64>> {
        Ok(self.download(&last)?.iter().map(|&cell| Into::<i64>::into(cell) as u64).collect())
    }

    fn decide(&mut self, row: Buffer<T>, items: &[Item], take: &mut dyn FnMut(&Item)) -> Result<usize> {
        let row = self.download(&row)?;
        let cells = row.len();
        let mut cpu = Profits::new(self.engine.context, self.engine.monitor);
        let capacity = trace(&mut cpu, row, items, cells, take)?;
        self.engine.filled += cpu.filled();
        Ok(capacity)
    }
}

/// Rows of bits on a device. A row has whole words of 64 bits.
pub(super) struct DeviceSums<'a> {
    engine: Engine<'a>,
}

/// Words of 32 bits, and how many of their bits count.
pub(super) struct DeviceBits {
    words: Buffer<u32>,
    cells: usize,
}

impl<'a> DeviceSums<'a> {
    pub(super) fn new(context: &'a Context, monitor: &'a Monitor, device: &'a Device) -> Result<Self> {
        let kernels = ["knapsack_sums_pair", "knapsack_sums_fused"];
        let engine = Engine::new((context, monitor, device), kernels, "SUM_EACH", size_of::<u32>())?;
        Ok(DeviceSums { engine })
    }

    fn download(&self, row: &DeviceBits) -> Result<Bits> {
        let mut bits = Bits::zeroed(row.cells)?;
        let mut words = vec![0u32; row.words.len()];
        self.engine.queue.read(&row.words, 0, &mut words)?;
        let (pairs, _) = words.as_chunks::<2>();
        for (word, pair) in bits.words.iter_mut().zip(pairs) {
            *word = u64::from(pair[0]) | u64::from(pair[1]) << 32;
        }
        Ok(bits)
    }
}

fn words_of(cells: usize) -> usize {
    2 * cells.div_ceil(64)
}

impl Rows for DeviceSums<'_> {
    type Row = DeviceBits;

    fn filled(&self) -> u64 {
        self.engine.filled
    }

    fn row_bytes(&self, cells: u64) -> u64 {
        cells.div_ceil(64).saturating_mul(8)
    }

    fn memory_bytes(&self) -> u64 {
        self.engine.memory_bytes()
    }

    fn leaf_cells(&self) -> usize {
        64 * CPU_CELLS
    }

    fn start(&mut self, cells: usize) -> Result<DeviceBits> {
        let words = self.engine.device.buffer(words_of(cells))?;
        self.engine.queue.fill(&words, 0, words.len(), 0)?;
        self.engine.queue.write(&words, 0, &[1])?;
        Ok(DeviceBits { words, cells })
    }

    fn advance(&mut self, row: &DeviceBits, items: &[Item]) -> Result<DeviceBits> {
        let nothing = row.words.len() as u64 * 32;
        self.engine.filled += (items.len() * row.cells) as u64;
        let words = self.engine.advance(
            &row.words,
            items,
            |item| item.weight / 32 + 1,
            |pair| {
                let weight = |place| pair.get(place).map_or(nothing, |item: &Item| item.weight as u64);
                vec![weight(0), weight(1)]
            },
        )?;
        Ok(DeviceBits { words, cells: row.cells })
    }

    fn window(&mut self, row: &DeviceBits, range: Range<usize>) -> Result<DeviceBits> {
        let first = range.start / 32;
        let words = self.engine.window(&row.words, first..first + words_of(range.len()))?;
        Ok(DeviceBits { words, cells: range.len() })
    }

    fn best(&mut self, last: &DeviceBits) -> Result<usize> {
        let bits = self.download(last)?;
        bits.last_up_to(last.cells - 1).ok_or_else(|| Error::DeviceFailed("no sum can be reached".into()))
    }

    fn values(&mut self, last: DeviceBits) -> Result<Vec<u64>> {
        Ok(self.download(&last)?.values())
    }

    fn decide(&mut self, row: DeviceBits, items: &[Item], take: &mut dyn FnMut(&Item)) -> Result<usize> {
        let bits = self.download(&row)?;
        let cells = bits.cells;
        let mut cpu = Sums::new(self.engine.context, self.engine.monitor);
        let capacity = trace(&mut cpu, bits, items, cells, take)?;
        self.engine.filled += cpu.filled();
        Ok(capacity)
    }
}
