//! Bellman's table over all vectors of capacities: item after item,
//!
//! > t(v) = max(t(v), t(v - w) + p)  for all v >= w.
//!
//! Only the latest table is kept, and a bit for each item and cell, 1 if the item is taken. After an
//! item, only those cells are filled that the later items' weights can reach from the whole
//! capacity.
//!
//! If the bits of all items need too much memory, only those of the last items are recorded. They
//! say which of these items are taken, and what capacity is left for the others. The table of the
//! others is then filled again, up to the capacity that is left, and so on. In d dimensions a table
//! with a part f of each capacity has f^d as many cells, so that all later tables together take
//! less time than the first.
//!
//! An item is taken only if that is better, decided from the last item to the first. So the
//! selection is the same for any division into parts and on every engine.

use super::cost_model::{CostModel, cell_bytes};
use super::cpu::{CpuTable, threads_for, threads_of_item};
use super::device::DeviceTable;
use super::lattice::{Item, Lattice, Window, too_large, windows};
use super::reduction::Problem;
use crate::memory::Gather;
use crate::opencl::Device;
use crate::solve::{Monitor, Statistics};
use crate::{Context, Dispatch, Error, Forecast, Result, memory};

/// Name of the cost model.
pub(super) const MODEL: &str = "multidimensional_knapsack";

/// An engine that fills tables.
pub(super) trait Table {
    /// Bytes that tables and decisions may take.
    fn memory_bytes(&self) -> u64;

    /// Bytes of everything but the decisions.
    fn table_bytes(&self, job: &Job<'_>) -> Result<u128>;

    /// Bytes of the decisions on an item, if the cells of this window are needed after it.
    fn decision_bytes(&self, lattice: &Lattice, item: &Item, window: &Window) -> Result<u128>;

    /// Fills the table of all items and records the decisions on those from `first` on. Returns the
    /// profit in the last cell and which of these items are taken.
    fn fill(&mut self, job: &Job<'_>, first: usize) -> Result<(u64, Vec<bool>)>;
}

/// A table to fill.
pub(super) struct Job<'a> {
    pub(super) lattice: &'a Lattice,
    pub(super) items: &'a [Item],
    /// For each item the cells that are needed after it.
    pub(super) windows: &'a [Window],
}

/// The order of the problem's pieces, those with the largest weights first: before the last items,
/// fewer cells are needed if these are light.
pub(super) fn order(problem: &Problem) -> Result<Vec<usize>> {
    let share = |&piece: &usize| -> f64 {
        let part = |(&weight, &most): (&u64, &u64)| weight as f64 / most as f64;
        problem.weights(piece).iter().zip(&problem.capacities).map(part).sum()
    };
    let mut order = (0..problem.len()).gather()?;
    memory::sort_by_key(&mut order, |piece| memory::key(-share(piece)))?;
    Ok(order)
}

/// The problem's pieces in this order.
pub(super) fn items(problem: &Problem) -> Result<Vec<Item>> {
    let item = |piece| -> Result<Item> {
        let weights = problem.weights(piece).iter().map(|&weight| weight as usize).gather()?;
        Ok(Item { profit: problem.profits[piece], weights, piece })
    };
    order(problem)?.into_iter().map(item).try_gather()
}

/// What a table has found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) profit: u64,
    /// Which of the problem's pieces are taken.
    pub(super) taken: Vec<bool>,
    /// Number of cells filled, counted for each item.
    pub(super) cells: u64,
}

/// The best selection of the problem's items by an engine.
pub(super) fn select(table: &mut dyn Table, problem: &Problem, items: &[Item]) -> Result<Found> {
    let mut found = Found { profit: 0, taken: memory::filled(false, problem.len())?, cells: 0 };
    let mut capacities: Vec<usize> =
        problem.capacities.iter().map(|&capacity| capacity as usize).gather()?;
    let (mut end, mut left) = (items.len(), None);
    while end > 0 {
        let lattice = Lattice::new(&capacities);
        let items = &items[..end];
        let windows = windows(&lattice, items)?;
        let job = Job { lattice: &lattice, items, windows: &windows };
        let first = first_decided(table, &job)?;
        let (mut value, flags) = table.fill(&job, first)?;
        found.cells += (end * lattice.cells()) as u64;
        if left.is_some_and(|left| left != value) {
            return Err(Error::internal(format!("a table ends with {value}, not with {left:?}")));
        }
        found.profit = found.profit.max(value);
        for (item, _) in items[first..].iter().zip(&flags).filter(|(_, taken)| **taken) {
            let fits =
                item.profit <= value && item.weights.iter().zip(&capacities).all(|(w, c)| w <= c);
            if !fits {
                return Err(Error::internal("the decisions of a table lead out of it"));
            }
            value -= item.profit;
            capacities.iter_mut().zip(&item.weights).for_each(|(room, weight)| *room -= weight);
            found.taken[item.piece] = true;
        }
        (end, left) = (first, Some(value));
    }
    match left {
        None | Some(0) => Ok(found),
        Some(left) => Err(Error::internal(format!("the decisions of a table lack {left}"))),
    }
}

/// The first of the last items whose decisions fit into the memory.
fn first_decided(table: &dyn Table, job: &Job<'_>) -> Result<usize> {
    let (limit, mut required) = (table.memory_bytes(), table.table_bytes(job)?);
    let last = job.items.len() - 1;
    for place in (0..=last).rev() {
        let (item, window) = (&job.items[place], &job.windows[place]);
        required += table.decision_bytes(job.lattice, item, window)?;
        if required > limit.into() {
            return match place < last {
                true => Ok(place + 1),
                false => Err(job.lattice.too_large(required, limit)),
            };
        }
    }
    Ok(0)
}

/// Fills the table of a problem.
pub(super) struct Solver<'a> {
    context: &'a Context,
    problem: &'a Problem,
    model: CostModel,
    /// Whether the host has memory for the table.
    fits: bool,
}

impl<'a> Solver<'a> {
    /// For profits up to `bound`; nothing if no memory has as many cells.
    pub(super) fn new(
        context: &'a Context,
        monitor: &Monitor,
        problem: &'a Problem,
        bound: u64,
    ) -> Option<Self> {
        let cells = Lattice::cells_of(&problem.capacities)?;
        let row = problem.capacities.last().map_or(1, |last| last + 1);
        let mut model = CostModel::new(cell_bytes(bound), cells, cells / row);
        let threads = threads_for(cells, context.threads());
        for piece in 0..problem.len() {
            let band = problem.rows_back(piece) * row;
            model.add(1, threads_of_item(cells, row, band, threads));
        }
        let fits = monitor.has_memory(model.table_bytes());
        Some(Solver { context, problem, model, fits })
    }

    /// Cells, counted for each item.
    pub(super) fn cells(&self) -> u64 {
        self.model.item_cells()
    }

    /// Whether the host has memory for the table. The decisions may need more.
    pub(super) fn fits(&self) -> bool {
        self.fits
    }

    /// Whether the table is expected to be filled within a time.
    pub(super) fn ends_within(
        &self,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
        seconds: f64,
    ) -> bool {
        self.forecast(|forecast| dispatch.ends_within(monitor, forecast, seconds))
    }

    fn forecast<T>(&self, run: impl FnOnce(&Forecast<'_>) -> T) -> T {
        // Devices count cells in 32 bits.
        let has_numbers =
            self.problem.capacities.iter().all(|&capacity| capacity < u32::MAX.into());
        run(&Forecast {
            cpu: &|| match self.fits {
                true => self.model.cpu_seconds(&self.context.processor_speeds()),
                false => f64::INFINITY,
            },
            device: &|info, speeds| {
                let bytes = self.model.table_bytes();
                let has_room = bytes <= info.max_allocation_bytes.into()
                    && 2 * bytes <= info.global_memory_bytes.into();
                match has_numbers && has_room {
                    true => self.model.device_seconds(speeds),
                    false => f64::INFINITY,
                }
            },
            ..Forecast::of(MODEL)
        })
    }

    /// The best selection and its profit.
    pub(super) fn solve(
        &self,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
        statistics: &mut Statistics,
    ) -> Result<Found> {
        let (context, problem, bytes) = (self.context, self.problem, self.model.bytes);
        let items = items(problem)?;
        let dimensions = problem.dimensions();
        let on_device = |device: &Device| {
            select(&mut *device_table(monitor, device, bytes, dimensions)?, problem, &items)
        };
        let on_cpu =
            |monitor: &Monitor| select(&mut *cpu_table(context, monitor, bytes), problem, &items);
        let found = self.forecast(|forecast| dispatch.run(monitor, forecast, on_device, on_cpu))?;
        statistics.add("cells", found.cells);
        Ok(found)
    }
}

/// The error for a problem without a [`Solver`].
pub(super) fn beyond_all_memory(problem: &Problem, bound: u64, monitor: &Monitor) -> Box<Error> {
    let bytes = problem.capacities.iter().fold(cell_bytes(bound) as u128, |bytes, &capacity| {
        bytes.saturating_mul(u128::from(capacity) + 1)
    });
    too_large(&problem.capacities, bytes, monitor.memory_bytes())
}

/// A table on the CPU with cells of some bytes.
pub(super) fn cpu_table<'a>(
    context: &'a Context,
    monitor: &'a Monitor,
    bytes: usize,
) -> Box<dyn Table + 'a> {
    match bytes {
        2 => Box::new(CpuTable::<u16>::new(context, monitor)),
        4 => Box::new(CpuTable::<u32>::new(context, monitor)),
        _ => Box::new(CpuTable::<u64>::new(context, monitor)),
    }
}

/// A table on a device.
pub(super) fn device_table<'a>(
    monitor: &'a Monitor,
    device: &'a Device,
    bytes: usize,
    dimensions: usize,
) -> Result<Box<dyn Table + 'a>> {
    Ok(match bytes {
        2 => Box::new(DeviceTable::<u16>::new(monitor, device, dimensions)?),
        4 => Box::new(DeviceTable::<u32>::new(monitor, device, dimensions)?),
        _ => Box::new(DeviceTable::<u64>::new(monitor, device, dimensions)?),
    })
}
