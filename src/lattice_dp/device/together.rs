//! A table on several devices.
//!
//! Each device holds the whole table. The cells of a slab are independent of each other, so each
//! device computes a share of a large slab. It gets the other cells through the host's memory
//! before the next slab, which looks them up. Small slabs are computed by every device, since copies would
//! take longer. So all devices have the table of one device bit by bit.

use std::iter;
use std::ops::Range;

use super::check::{Checks, check};
use super::parts::Parts;
use super::slabs::{self, SPAN, Table, head_cells, most_head_cells};
use crate::context::{Failure, Letters, Meeting, Seat, all_of, rates, shares, side_by_side, wrong};
use crate::lattice_dp::Path;
use crate::lattice_dp::cell::Cell;
use crate::lattice_dp::instance::Instance;
use crate::opencl::{Device, DeviceKind, HostList};
use crate::solve::Monitor;
use crate::{Context, Error, Result, Team};

/// Look-ups of a slab from which on devices share it: about a millisecond of a graphics card.
const LEAST_SHARED: u64 = 1 << 26;
/// Most bytes that a device gives at a time.
const LIST_BYTES: usize = 1 << 24;

/// Fills the table on the device together with those of the team, and traces the cheapest path to
/// its last cell back. A device of the team that fails is left out, and the others begin again.
pub(super) fn solve<C: Cell>(
    context: &Context,
    (team, device): (&Team<'_>, &Device),
    instance: &Instance,
    checks: &Checks,
    monitor: &Monitor,
) -> Result<Option<Path>> {
    let head_cells = most_head_cells(device);
    let (least, list) = (LEAST_SHARED, LIST_BYTES);
    let job = Job { context, instance, checks, monitor, head_cells, least, list };
    job.solve::<C>(team, device)
}

/// A table that devices fill together.
struct Job<'a> {
    context: &'a Context,
    instance: &'a Instance,
    checks: &'a Checks,
    monitor: &'a Monitor,
    /// The most cells that the CPU fills for each device: all devices fill the same slabs.
    head_cells: u64,
    /// Look-ups of a slab from which on it is shared.
    least: u64,
    /// Most bytes that a device gives at a time.
    list: usize,
}

impl Job<'_> {
    fn solve<C: Cell>(&self, team: &Team<'_>, device: &Device) -> Result<Option<Path>> {
        let Job { context, instance, checks, monitor, .. } = *self;
        loop {
            let able = self.with_memory(team, device);
            if able.is_empty() {
                return slabs::solve::<C>(context, device, instance, checks, monitor);
            }
            let (places, further): (Vec<usize>, Vec<&Device>) = able.into_iter().unzip();
            let devices: Vec<&Device> = iter::once(device).chain(further).collect();
            match self.run_on::<C>(&devices, &rates(&devices, |speeds| speeds.add_min_rate)) {
                Ok(path) => {
                    places.into_iter().for_each(|place| team.joined(place));
                    return Ok(path);
                }
                Err(failure) => team.blame(&places, failure)?,
            }
        }
    }

    /// The devices of the team that may take part. The tables of processors share the host's memory.
    fn with_memory<'t>(&self, team: &'t Team<'_>, chosen: &Device) -> Vec<(usize, &'t Device)> {
        let is_host = |device: &Device| device.info().kind == DeviceKind::Cpu;
        let table = u128::from(self.instance.table_bytes());
        let mut tables = u128::from(is_host(chosen));
        let mut able = team.able();
        able.retain(|&(place, device)| {
            let more = tables + u128::from(is_host(device));
            let what = || format!("{more} lattices of {} cells", self.instance.cells());
            let fits = self.monitor.check_memory(more * table, what);
            match fits {
                Ok(()) => tables = more,
                Err(ref error) => team.leave_out(place, error),
            }
            fits.is_ok()
        });
        able
    }

    /// Fills the table on these devices, in shares by these rates. The first one has the path.
    fn run_on<'d, C: Cell>(
        &self,
        devices: &'d [&'d Device],
        rates: &[f64],
    ) -> std::result::Result<Option<Path>, Failure> {
        let meeting = Meeting::of(devices.len(), self.monitor);
        let exchange = Exchange { rates, lists: Letters::new(devices.len()) };
        let exchange = &exchange;
        let part = |(number, (&device, seat)): (usize, (&'d &'d Device, _))| {
            move || self.part::<C>(device, Trader { exchange, number, seat, turn: 0 })
        };
        let parts = devices.iter().zip(meeting.seats()).enumerate();
        let found = all_of(side_by_side(self.monitor, parts.map(part)))?;
        let path = found.into_iter().next().flatten();
        path.ok_or_else(|| (0, Error::internal("a table without a device")))
    }

    /// Fills the table on a device; the first one has the path.
    fn part<C: Cell>(
        &self,
        device: &Device,
        mut trader: Trader<'_>,
    ) -> Result<Option<Option<Path>>> {
        let Job { context, instance, monitor, .. } = *self;
        let parts = Parts::new(device, instance.cells(), C::WIDTH)?;
        let table = Table::new(device, instance, parts, self.head_cells, SPAN)?;
        self.fill(device, &table, &mut trader)?;
        if trader.number > 0 {
            table.finish()?;
            return Ok(None);
        }
        let path = table.traceback(monitor)?;
        let (queue, parts) = table.queue_and_parts();
        let read = |first: u64, cells: &mut [C]| {
            parts.read_from(queue, first, bytemuck::cast_slice_mut(cells))
        };
        let from = head_cells(instance, table.head_cells);
        check::<C>(context, instance, from, &read, path.as_ref(), self.checks)?;
        Ok(Some(path))
    }

    fn fill(&self, device: &Device, table: &Table<'_>, trader: &mut Trader<'_>) -> Result<()> {
        trader.begin(device, self.list)?;
        let mut launcher = table.begin_fill(0, self.context, self.monitor)?;
        for (number, dimension) in self.instance.dimensions().iter().enumerate().rev() {
            if number >= table.large(0) {
                continue;
            }
            let lookups = dimension.stride.saturating_mul(dimension.group.len() as u64);
            for component in 1..=dimension.max {
                if lookups < self.least {
                    launcher.fill_slab(number, component)?;
                    continue;
                }
                let slab = trader.shares(dimension.stride);
                launcher.fill_part(number, component, slab[trader.number].clone())?;
                trader.trade(table, u64::from(component) * dimension.stride, &slab)?;
            }
        }
        Ok(())
    }
}

/// Where devices that fill one table give cells to each other.
struct Exchange<'a> {
    rates: &'a [f64],
    lists: Letters<Option<HostList>>,
}

/// A device's side of the exchange.
struct Trader<'a> {
    exchange: &'a Exchange<'a>,
    number: usize,
    seat: Seat<'a>,
    /// How often the devices have given cells to each other.
    turn: usize,
}

impl Trader<'_> {
    /// Makes the lists of this device.
    fn begin(&self, device: &Device, bytes: usize) -> Result<()> {
        for turn in 0..2 {
            *self.exchange.lists.write(turn, self.number) = Some(device.host_list(bytes)?);
        }
        Ok(())
    }

    /// The cells of a slab that each device computes.
    fn shares(&self, cells: u64) -> Vec<Range<u64>> {
        let share = |Range { start, end }: Range<usize>| start as u64..end as u64;
        shares(cells as usize, self.exchange.rates).into_iter().map(share).collect()
    }

    /// Gives this device's cells of a slab that begins with cell `base` to the others, and puts
    /// theirs into the table.
    fn trade(&mut self, table: &Table<'_>, base: u64, slab: &[Range<u64>]) -> Result<()> {
        let lists = &self.exchange.lists;
        let (queue, parts) = table.queue_and_parts();
        let width = parts.width().bytes();
        let most = lists.read(0, self.number).as_ref().map_or(0, |list| list.len() as u64) / width;
        let rounds = slab.iter().map(|share| (share.end - share.start).div_ceil(most)).max();
        for round in 0..rounds.unwrap_or(0) {
            let turn = self.turn;
            self.turn += 1;
            // The cells of each device in this round.
            let given = |share: &Range<u64>| {
                let first = share.start.saturating_add(round * most).min(share.end);
                first..first.saturating_add(most).min(share.end)
            };
            let bytes = |cells: &Range<u64>| ((cells.end - cells.start) * width) as usize;
            let own = given(&slab[self.number]);
            if let Some(list) = lists.write(turn, self.number).as_mut() {
                parts.read_from(queue, base + own.start, &mut list[..bytes(&own)])?;
            }
            self.seat.meet()?;
            for (number, share) in
                slab.iter().enumerate().filter(|&(other, _)| other != self.number)
            {
                let got = given(share);
                let list = lists.read(turn, number);
                let list = list.as_ref().and_then(|list| list.get(..bytes(&got)));
                parts.write_to(queue, base + got.start, list.ok_or_else(|| wrong("a slab"))?)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::context::SpotChecks;
    use crate::lattice_dp::cell::CellWidth;
    use crate::lattice_dp::testing::instances;
    use crate::opencl::testing::{Lie, real_test_devices};
    use crate::testing::{assert_error, check_cases, cpu_context, monitor, stopped};

    /// The path of an instance on several devices that share all slabs, in small lists.
    fn shared<C: Cell>(
        devices: &[&Device],
        rates: &[f64],
        instance: &Instance,
        list: usize,
    ) -> Option<Path> {
        let (context, monitor, checks) = (cpu_context(1), monitor(), SpotChecks::new().into());
        let (context, monitor, checks) = (&context, &monitor, &checks);
        let job = Job { context, instance, checks, monitor, head_cells: 1 << 14, least: 0, list };
        job.run_on::<C>(devices, rates).map_err(|(_, error)| error).unwrap()
    }

    #[test]
    fn devices_together_find_the_path_of_the_cpu() {
        // The simulator can't run several kernels at once.
        for device in real_test_devices() {
            let rates =
                prop_oneof![Just(vec![1.0, 1.0]), Just(vec![5.0, 1.0]), Just(vec![1.0, 2.0, 4.0]),];
            let inputs = (instances(), rates, prop_oneof![Just(2usize), Just(10), Just(1 << 12)]);
            check_cases(40, &inputs, |(instance, rates, list)| {
                let monitor = monitor();
                let expected = crate::lattice_dp::cpu::solve(&cpu_context(1), &instance, &monitor);
                let expected = expected.unwrap();
                let devices = vec![&device; rates.len()];
                if instance.cell_width() == CellWidth::Bits8 {
                    prop_assert_eq!(&shared::<u8>(&devices, &rates, &instance, list), &expected);
                }
                prop_assert_eq!(&shared::<u16>(&devices, &rates, &instance, list), &expected);
                Ok(())
            });
        }
    }

    /// A lattice of 200,000 cells that needs no head of the CPU alone.
    fn lattice() -> Instance {
        let offsets =
            (1..40u32).map(|step| ([step % 7, step % 5, step % 3, step % 11], 1 + step % 4));
        let offsets = offsets.map(|(offset, cost)| (offset, cost as u16));
        Instance::new(&[29, 29, 15, 15], offsets).unwrap()
    }

    #[test]
    fn a_further_device_that_fails_or_is_wrong_is_left_out() {
        let (faulty_devices, context) = (real_test_devices(), cpu_context(2));
        for (device, faulty) in real_test_devices().iter().zip(&faulty_devices) {
            let (instance, monitor) = (lattice(), monitor());
            let expected = crate::lattice_dp::cpu::solve(&context, &instance, &monitor).unwrap();
            let solve = || {
                let (team, checks) = (Team::of(&context, &[faulty]), SpotChecks::new().into());
                let (context, instance, monitor) = (&context, &instance, &monitor);
                let (head_cells, least, list, checks) = (1 << 14, 0, 1 << 10, &checks);
                let job = Job { context, instance, checks, monitor, head_cells, least, list };
                assert_eq!(job.solve::<u16>(&team, device).unwrap(), expected);
                team.into_record()
            };
            assert_eq!(solve(), (vec![device.info().name.clone()], vec![]));
            for commands in [0, 12] {
                faulty.fail_after(commands);
                let (used, warnings) = solve();
                assert!(used.is_empty() && warnings[0].contains("a fault of the test"));
            }
            faulty.fail_after(i64::MAX);
            faulty.lie(Lie::of("lattice_slab", 3).share(0.01));
            let (used, warnings) = solve();
            assert!(used.is_empty() && warnings[0].contains("was left out"), "{warnings:?}");
            assert!(faulty.lies_told() > 0);
        }
    }

    #[test]
    fn a_stop_ends_the_work_of_all_devices() {
        for device in real_test_devices() {
            let (context, stopped) = (cpu_context(1), Monitor::new(&stopped()));
            let (team, checks) = (Team::of(&context, &[&device]), SpotChecks::new().into());
            let found = solve::<u16>(&context, (&team, &device), &lattice(), &checks, &stopped);
            assert_error!(found, Error::Stopped);
            assert_eq!(team.into_record().1, Vec::<String>::new());
        }
    }

    #[test]
    fn a_device_without_memory_for_its_table_takes_no_part() {
        for device in real_test_devices() {
            let (context, instance) = (cpu_context(1), lattice());
            let limits = crate::Limits { memory: Some(300_000), ..crate::Limits::default() };
            let monitor = Monitor::new(&crate::testing::limited(limits));
            let (team, checks) = (Team::of(&context, &[&device]), SpotChecks::new().into());
            let chosen = (&team, &device);
            let found = solve::<u16>(&context, chosen, &instance, &checks, &monitor);
            assert!(found.is_ok());
            let (used, warnings) = team.into_record();
            let is_host = device.info().kind == DeviceKind::Cpu;
            assert_eq!((used.is_empty(), warnings.is_empty()), (is_host, !is_host));
        }
    }
}
