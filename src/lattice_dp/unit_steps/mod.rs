//! The recurrence of single items: the value of a cell is the lexicographically smallest pair of
//! containers used and load of the last one, over all orders of packing its items one by one.
//!
//! ```text
//! f_c(b, l) = (b, l + s_c) if l + s_c <= capacity, else (b + 1, s_c)
//! pair(0) = (0, capacity),   pair(v) = min over c with v_c > 0 of f_c(pair(v - e_c))
//! ```
//!
//! *Exact.* Every f_c keeps the order of two pairs. With equal b, the smaller load fits if the
//! larger does, and gives a smaller or equal pair. With a smaller b, the pair becomes at most (b +
//! 1, s_c), which the other pair at least reaches. So the best order of all items but the last one,
//! extended, is the best order with that last item. The minimum over the last items is the minimum
//! over all orders.
//!
//! *The same number of containers* as by configurations. Every order gives a packing. The order
//! that fills the containers of an optimal packing one by one never has a larger pair than the
//! number of containers begun and the load of the last one.
//!
//! A cell looks at one cell for each item type, while the configurations' recurrence looks at one
//! for each way to fill a container. But the cells of a slab depend on each other, so the table is
//! filled by levels, the cells with the same number of items. A pair is stored as one number, with
//! the load in the lower bits.

mod cell;
mod cpu;
mod device;
mod levels;
mod self_test;
mod workload;

pub(super) use self::device::usual_programs;
pub(crate) use self::workload::TIMED;

use self::cell::PairCell;
use self::levels::Levels;
use super::packing::{Containers, Packing};
use super::{cost_model, count_cells};
use crate::context::check_sample;
use crate::solve::{Monitor, Statistics};
use crate::{Dispatch, Error, Forecast, Result};

/// An item type with at least one item.
#[derive(Debug)]
struct Axis {
    /// Position in the caller's list.
    position: usize,
    /// Cells between neighbours.
    stride: u32,
    /// Size of an item.
    size: u32,
}

/// The box and its recurrence.
#[derive(Debug)]
struct UnitSteps {
    axes: Vec<Axis>,
    levels: Levels,
    cells: u32,
    capacity: u32,
    load_bits: u32,
    /// Upper limit of a cell's number of containers.
    most: u64,
}

/// Fills the table and packs the items into the fewest containers.
pub(super) fn solve(
    dispatch: &mut Dispatch<'_>,
    monitor: &Monitor,
    packing: &Packing,
    statistics: &mut Statistics,
) -> Result<Containers> {
    let rule = UnitSteps::new(packing)?;
    monitor.begin_iteration()?;
    let containers = match rule.bits() {
        ..=16 => rule.pack::<u16>(dispatch, monitor, packing)?,
        17..=32 => rule.pack::<u32>(dispatch, monitor, packing)?,
        _ => return Err(Error::unsupported(rule.too_wide())),
    };
    statistics.add("tables", 1);
    statistics.add("cells", rule.cells.into());
    Ok(containers)
}

/// The cells are counted with 32 bits.
const MAX_CELLS: u64 = 1 << 31;
/// Most counts: levels times axes.
const MAX_COUNTS: u64 = 1 << 24;

impl UnitSteps {
    fn new(packing: &Packing) -> Result<Self> {
        let cells = count_cells(&packing.box_sizes())?;
        let items: u64 = packing.counts().iter().map(|&count| u64::from(count)).sum();
        let types = packing.counts().iter().filter(|&&count| count > 0).count();
        if cells >= MAX_CELLS || (items + 1) * (types as u64 + 1) > MAX_COUNTS {
            return Err(Error::unsupported(format!(
                "a lattice of {cells} cells and {items} items by unit steps"
            )));
        }
        let too_large =
            |_| Error::unsupported(format!("a capacity of {} by unit steps", packing.capacity()));
        let capacity = u32::try_from(packing.capacity()).map_err(too_large)?;
        let mut stride = cells as u32;
        let mut axes = Vec::with_capacity(types);
        let mut largest = Vec::with_capacity(types);
        for (position, (&count, &size)) in packing.counts().iter().zip(packing.sizes()).enumerate()
        {
            if count > 0 {
                stride /= count + 1;
                // A size is at most the capacity.
                axes.push(Axis { position, stride, size: size as u32 });
                largest.push(count);
            }
        }
        Ok(UnitSteps {
            axes,
            levels: Levels::new(largest),
            cells: cells as u32,
            capacity,
            load_bits: u32::BITS - capacity.leading_zeros(),
            // At worst every item takes its own container.
            most: items,
        })
    }

    /// Bits that a pair needs.
    fn bits(&self) -> u32 {
        self.load_bits + u64::BITS - self.most.leading_zeros()
    }

    fn too_wide(&self) -> String {
        format!(
            "unit steps with a capacity of {} and up to {} containers",
            self.capacity, self.most
        )
    }

    /// The pair after adding an item of the given size.
    #[inline]
    fn add(&self, before: u32, size: u32) -> u32 {
        let load = before & ((1 << self.load_bits) - 1);
        if load + size <= self.capacity {
            before + size
        } else {
            ((before >> self.load_bits) + 1) << self.load_bits | size
        }
    }

    fn containers(&self, pair: u32) -> usize {
        (pair >> self.load_bits) as usize
    }

    fn pack<C: PairCell>(
        &self,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
        packing: &Packing,
    ) -> Result<Containers> {
        let context = dispatch.context();
        // The table ends in host memory on every engine.
        let required = u128::from(self.cells) * size_of::<C>() as u128;
        super::cpu::check_memory(self.cells.into(), required, monitor)?;
        let lookups = f64::from(self.cells) * self.axes.len() as f64;
        let tasks = f64::from(self.cells) / self.levels.len() as f64 / f64::from(cpu::TASK_CELLS);
        let table: Vec<C> = dispatch.run(
            monitor,
            &Forecast {
                cpu: &|| {
                    let (threads, speeds) = (context.threads(), context.processor_speeds());
                    cost_model::unit_steps_cpu_seconds(lookups, tasks, threads, &speeds)
                },
                device: &|_, speeds| {
                    let shape = (lookups, required as f64, self.levels.len());
                    cost_model::unit_steps_device_seconds(shape, speeds)
                },
                ..Forecast::of("unit-steps")
            },
            |device| {
                let table = device::fill(device, self, monitor)?;
                check_sample(context, table.len(), "the cells of a lattice", |place| {
                    self.agrees(&table, place)
                })?;
                Ok(table)
            },
            |monitor| cpu::fill(context, self, monitor),
        )?;
        self.traceback(&table, packing.counts().len())
    }

    /// Whether a cell has the least pair that its last items allow.
    fn agrees<C: PairCell>(&self, table: &[C], place: usize) -> bool {
        let mut rest = place;
        let mut least = (place == 0).then_some(self.capacity);
        for &Axis { stride, size, .. } in &self.axes {
            let stride = stride as usize;
            if rest >= stride {
                let pair = self.add(table[place - stride].into(), size);
                least = Some(least.map_or(pair, |least| least.min(pair)));
            }
            rest %= stride;
        }
        least == Some(table[place].into())
    }

    /// Traceback: removes the items from the last one on. Each is of the first type that explains
    /// the pair.
    fn traceback<C: PairCell>(&self, table: &[C], types: usize) -> Result<Containers> {
        let mut cell = self.levels.vector(self.levels.len() - 1, 0);
        let mut place = table.len() - 1;
        let used = if place == 0 { 0 } else { self.containers(table[place].into()) };
        let mut containers = vec![vec![0; types]; used];
        while place > 0 {
            let pair: u32 = table[place].into();
            let explains = |axis: &usize| {
                let Axis { stride, size, .. } = self.axes[*axis];
                cell[*axis] > 0 && self.add(table[place - stride as usize].into(), size) == pair
            };
            let unexplained = || Error::internal("a lattice value has no explanation");
            let axis = (0..self.axes.len()).find(explains).ok_or_else(unexplained)?;
            let container =
                self.containers(pair).checked_sub(1).and_then(|last| containers.get_mut(last));
            container.ok_or_else(unexplained)?[self.axes[axis].position] += 1;
            place -= self.axes[axis].stride as usize;
            cell[axis] -= 1;
        }
        Ok(containers)
    }
}

#[cfg(test)]
mod tests;
