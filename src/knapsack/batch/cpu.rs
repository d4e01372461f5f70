use std::iter;
use std::sync::atomic::Ordering;

use super::{Engine, Job, Shared, TASK};
use crate::knapsack::blocks::{BLOCK, Cell, Merge, decision};
use crate::opencl::Element;
use crate::simd::Simd;
use crate::solve::Monitor;
use crate::{Result, memory, parallel};

/// A profit in the type that both engines use.
pub(super) trait Profit: Cell + Element {}

impl<T: Cell + Element> Profit for T {}

/// A batch's tables on the CPU's threads.
pub(super) struct CpuBatch<'a> {
    pub(super) job: &'a Job<'a>,
}

/// Memory for one table: the rows before and after a bundle, and all decisions.
struct Table<T> {
    rows: [Vec<T>; 2],
    bits: Vec<u64>,
}

impl<T: Profit> Engine<T> for CpuBatch<'_> {
    fn solve(&mut self, profits: Vec<T>, values: &mut [T], taken: &mut [u32]) -> Result<()> {
        let &Job { context, monitor, shared, solved, .. } = self.job;
        let (bundles, words) = (shared.bundles.len(), shared.words());
        if bundles == 0 {
            return Ok(());
        }
        let simd = Simd::detect();
        let instances = profits.chunks(bundles * TASK).zip(values.chunks_mut(TASK));
        let tasks = instances.zip(taken.chunks_mut(words * TASK));
        let task = |((profits, values), taken): ((&[T], &mut [T]), &mut [u32])| {
            let mut table = Table::new(shared)?;
            let own = profits.chunks(bundles).zip(values).zip(taken.chunks_mut(words));
            for ((profits, value), taken) in own {
                *value = table.fill(simd, shared, profits, taken, monitor)?;
                solved.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        };
        context.install_reporting(
            monitor,
            "batch",
            || None,
            || parallel::try_for_each(tasks, task),
        )?
    }
}

impl<T: Profit> Table<T> {
    fn new(shared: &Shared<'_>) -> Result<Self> {
        // Blocks may extend beyond the end. Cells there do not affect lower ones.
        let row = || memory::filled(T::ZERO, shared.cells + BLOCK);
        Ok(Table {
            rows: [row()?, row()?],
            bits: memory::zeroed(shared.bundles.len() * blocks(shared))?,
        })
    }

    /// Fills the table of one instance and traces its solution back.
    fn fill(
        &mut self,
        simd: Simd,
        shared: &Shared<'_>,
        profits: &[T],
        taken: &mut [u32],
        monitor: &Monitor,
    ) -> Result<T> {
        monitor.check()?;
        let Table { rows: [source, target], bits } = self;
        let (cells, words) = (shared.cells, blocks(shared));
        source.fill(T::ZERO);
        let bundles = iter::zip(&shared.bundles, profits);
        for ((bundle, &profit), bits) in bundles.zip(bits.chunks_mut(words)) {
            if cells > CELLS_UNCHECKED {
                monitor.check()?;
            }
            let weight = bundle.weight as usize;
            target[..weight].copy_from_slice(&source[..weight]);
            let bits = &mut bits[..(cells - weight).div_ceil(BLOCK)];
            let reached = bits.len() * BLOCK;
            let (kept, flipped) = (&source[weight..][..reached], &source[..reached]);
            Merge {
                kept: Some(kept),
                flipped,
                profit,
                target: &mut target[weight..][..reached],
                bits,
            }
            .run(simd);
            std::mem::swap(source, target);
        }
        taken.fill(0);
        let mut capacity = cells - 1;
        for (index, (bundle, bits)) in
            iter::zip(&shared.bundles, bits.chunks(words)).enumerate().rev()
        {
            let Some(cell) = capacity.checked_sub(bundle.weight as usize) else { continue };
            if decision(bits, cell) {
                taken[index / 32] |= 1 << (index % 32);
                capacity = cell;
            }
        }
        Ok(source[cells - 1])
    }
}

/// Bytes of one table with profits of 64 bits.
pub(super) fn table_bytes(shared: &Shared<'_>) -> u128 {
    let rows = 2 * size_of::<i64>() as u128 * (shared.cells + BLOCK) as u128;
    rows + (shared.bundles.len() as u128) * 8 * blocks(shared) as u128
}

/// Cells of a row that need no check of the limits.
const CELLS_UNCHECKED: usize = 1 << 14;

/// Words of decisions for a bundle.
fn blocks(shared: &Shared<'_>) -> usize {
    shared.cells.div_ceil(BLOCK)
}
