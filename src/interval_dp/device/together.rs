//! A triangle of tiles on several devices.
//!
//! Each device holds the whole table, and computes a share of every diagonal of tiles. A tile
//! belongs to one device, which adds up its products and solves it. After each diagonal all devices
//! get its tiles: products need those of the same row and of the same column. So a device computes
//! what one device alone would compute, in the same order for each tile, and the cells are equal bit
//! by bit.
//!
//! The copies run while the devices compute. A device that has solved its tiles of a diagonal is
//! given the products of the *previous* diagonal at all larger distances, the bulk of the work.
//! Meanwhile the solved tiles travel through the host. Only then follow the products of the new
//! diagonal for the next one, which every fringe waits for.
//!
//! Compute against copies, for n points in cells of b bytes on d devices: n^3 / (6 d) relaxations,
//! and (n^2 / 2) b / d bytes to the host and (d - 1) times as many back. Take a chain of
//! 65,536 matrices in 32 bits on two H200s. The relaxations take 3.5 s at 6.7e12 a second. The
//! copies are 4.3 GB each way, 0.2 to 0.9 s at 5 to 25 GB/s. A diagonal has up to 8 MB for each
//! device, against some milliseconds of products. Only at both ends of the table, where a diagonal
//! has few products, do the devices wait for copies.

use std::iter;

use super::check::Check;
use super::exchange::{Exchange, Trader};
use super::fill::{Fill, Share};
use super::instance::{DeviceInstance, TERMS_EXPRESSION};
use super::kernels::{Layout, Table, Tiling, build};
use super::{FAMILY, laid_out, no_tile, solve_tiled};
use crate::context::{Failure, Meeting, Seat, all_of, rates, side_by_side};
use crate::interval_dp::number::Value;
use crate::interval_dp::semiring::CellType;
use crate::interval_dp::values::Values;
use crate::interval_dp::view::Request;
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Context, Error, Result, Team};

/// Least expected seconds on one device that justify several: opening them and building their
/// kernels takes tenths of a second.
pub(in crate::interval_dp) const WORTH_SHARING: f64 = 1.0;

/// Solves the instance on the device together with those of the team. If one of these fails or is
/// wrong, it is left out, and the others begin again.
pub(in crate::interval_dp) fn solve(
    checker: Option<&Context>,
    team: &Team<'_>,
    device: &Device,
    request: &Request<'_>,
    cell_type: CellType,
    monitor: &Monitor,
) -> Result<Values<Value>> {
    let (tiling, instance) = laid_out(device, &request.view, cell_type)?;
    loop {
        let able = team.able();
        if able.is_empty() {
            return solve_tiled(checker, device, request, &*instance, tiling, monitor);
        }
        let places: Vec<usize> = able.iter().map(|&(place, _)| place).collect();
        let further = able.into_iter().map(|(_, device)| device);
        let devices: Vec<&Device> = iter::once(device).chain(further).collect();
        let job = Job { checker, request, cell_type, instance: &*instance, tiling, monitor };
        match job.run_on(&devices) {
            Ok(values) => {
                places.into_iter().for_each(|place| team.joined(place));
                return Ok(values);
            }
            Err(failure) => team.blame(&places, failure)?,
        }
    }
}

/// A table that devices fill together.
struct Job<'a> {
    checker: Option<&'a Context>,
    request: &'a Request<'a>,
    cell_type: CellType,
    /// Laid out for the tiling.
    instance: &'a dyn DeviceInstance,
    tiling: Tiling,
    monitor: &'a Monitor,
}

impl Job<'_> {
    /// Fills the table on these devices. The first one has the values.
    fn run_on(&self, devices: &[&Device]) -> std::result::Result<Values<Value>, Failure> {
        let is_wide = self.cell_type.bytes() == 8;
        let rates = rates(devices, |speeds| match is_wide {
            true => speeds.wide_add_min_rate,
            false => speeds.add_min_rate,
        });
        self.run_in_shares(devices, Share::by_rates(&rates))
    }

    /// Like [`Job::run_on`], with these shares of the devices.
    fn run_in_shares(
        &self,
        devices: &[&Device],
        shares: Vec<Share>,
    ) -> std::result::Result<Values<Value>, Failure> {
        let [points, _] = self.instance.sizes();
        let tile = self.tiling.tile;
        let tile_bytes = tile * tile * self.cell_type.bytes();
        let exchange = Exchange::new(shares.clone(), points.div_ceil(tile), tile_bytes);
        let meeting = Meeting::of(devices.len(), self.monitor);
        let parts = devices.iter().zip(shares).zip(meeting.seats()).enumerate();
        let exchange = &exchange;
        let part = |(number, ((&device, share), seat))| {
            move || self.part((device, share), exchange, (number, seat))
        };
        let values = all_of(side_by_side(self.monitor, parts.map(part)))?;
        let first = values.into_iter().flatten().next();
        first.ok_or_else(|| (0, Error::internal("a table without a device")))
    }

    /// Fills the table on a device, which gives its share of the tiles to the others.
    fn part(
        &self,
        (device, share): (&Device, Share),
        exchange: &Exchange,
        (number, seat): (usize, Seat<'_>),
    ) -> Result<Option<Values<Value>>> {
        let tiling = if number == 0 { self.tiling } else { self.tiling_on(device)? };
        let layout = Layout::Triangle(tiling);
        let table = Table::new(device, self.instance, layout, &FAMILY, self.monitor)?;
        let check = |context| Check::of_share(&table, context, self.instance, share);
        let mut check = self.checker.map(check).transpose()?;
        let trader = Trader::new(exchange, (number, seat), &table)?;
        let mut fill = Fill::new(&table, tiling, share, check.as_mut())?;
        fill.diagonal()?;
        for latest in 1..fill.side() {
            fill.fringe(latest, latest * tiling.tile)?;
            let packed = trader.pack(latest)?;
            if latest > 1 {
                fill.products(latest - 1, latest + 1..fill.end(latest - 1))?;
            }
            trader.trade(latest, &packed)?;
            let urgent = latest + 1..fill.end(latest).min(latest + 2);
            fill.make_room(latest + 2..fill.end(latest))?;
            fill.products(latest, urgent)?;
        }
        let pacer = fill.into_pacer();
        check.map_or(Ok(()), Check::finish)?;
        match number {
            0 => table.values(self.request, pacer).map(Some),
            _ => Ok(None),
        }
    }

    /// A tiling for a further device, with tiles of the same size.
    fn tiling_on(&self, device: &Device) -> Result<Tiling> {
        let (form, cell_type) = (self.instance.form(), self.cell_type);
        let own = Tiling::fitting(device, cell_type, form.terms == TERMS_EXPRESSION);
        for tiling in own.into_iter().chain([self.tiling]) {
            if tiling.tile == self.tiling.tile && tiling.fits(device.info(), cell_type) {
                let program = build(device, &form, Layout::Triangle(tiling), &FAMILY)?;
                if tiling.suits(&program)? {
                    return Ok(tiling);
                }
            }
        }
        Err(no_tile(device))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::interval_dp::device::instance::device_instance;
    use crate::interval_dp::testing::{instance, instances};
    use crate::interval_dp::{Instance, Semiring};
    use crate::opencl::testing::{Lie, real_test_devices};
    use crate::testing::{assert_error, check_cases, cpu_context, monitor, stopped};

    const SMALL: Tiling = Tiling { tile: 8, block: 2, panel: 4 };

    /// Values and tree of an instance in small tiles on several devices, with these shares.
    fn shared(
        devices: &[&Device],
        rates: &[f64],
        instance: &Instance<i64>,
        cell_type: CellType,
        checker: Option<&Context>,
    ) -> std::result::Result<Values<Value>, Failure> {
        let points = instance.points();
        let cells: Vec<_> =
            (0..points).flat_map(|i| (i + 1..points).map(move |j| (i, j))).collect();
        let (request, monitor) = (Request::new(instance, &cells), monitor());
        let in_cells = device_instance(&request.view, cell_type, SMALL.tile).unwrap();
        let job = Job {
            checker,
            request: &request,
            cell_type,
            instance: &*in_cells,
            tiling: SMALL,
            monitor: &monitor,
        };
        job.run_in_shares(devices, Share::by_rates(rates))
    }

    fn alone(device: &Device, instance: &Instance<i64>, cell_type: CellType) -> Values<Value> {
        shared(&[device], &[1.0], instance, cell_type, None).unwrap()
    }

    #[test]
    fn devices_together_equal_one_device_bit_by_bit() {
        // The simulator can't run several kernels at once.
        for device in real_test_devices() {
            let types = prop_oneof![Just(CellType::I32), Just(CellType::I64), Just(CellType::F32)];
            let rates = prop_oneof![
                Just(vec![1.0, 1.0]),
                Just(vec![5.0, 1.0]),
                Just(vec![1.0, 2.0, 4.0]),
                Just(vec![1.0; 4]),
            ];
            let cases_of = (instances(2..110usize), types, rates);
            check_cases(10, &cases_of, |(instance, cell_type, rates)| {
                let bitwise = instance.semiring() == Semiring::OrAnd;
                let cell_type = if bitwise { CellType::I32 } else { cell_type };
                let expected = alone(&device, &instance, cell_type);
                let devices = vec![&device; rates.len()];
                let found = shared(&devices, &rates, &instance, cell_type, None).unwrap();
                assert_eq!(found.cells, expected.cells);
                assert_eq!((found.value, found.tree), (expected.value, expected.tree));
                Ok(())
            });
        }
    }

    #[test]
    fn a_further_device_that_fails_or_is_wrong_is_left_out() {
        let faulty_devices = real_test_devices();
        let context = cpu_context(2);
        for (device, faulty) in real_test_devices().iter().zip(&faulty_devices) {
            let chain = instance(150, Semiring::MinPlus, 1, 1, 5);
            let expected = alone(device, &chain, CellType::I64);
            let request = Request::new(&chain, &[]);
            let solve = |faulty: &Device| {
                let team = Team::of(&context, &[faulty]);
                let checker = Some(&context);
                let found =
                    solve(checker, &team, device, &request, CellType::I64, &monitor()).unwrap();
                assert_eq!((found.value, &found.tree), (expected.value, &expected.tree));
                team.into_record()
            };
            let name = &device.info().name;
            assert_eq!(solve(faulty), (vec![name.clone()], vec![]));
            // It fails at the table, and while it works.
            for commands in [0, 8] {
                faulty.fail_after(commands);
                let lost =
                    format!("{name} was left out: OpenCL device failed: a fault of the test");
                assert_eq!(solve(faulty), (vec![], vec![lost]), "{commands}");
            }
            faulty.fail_after(i64::MAX);
            faulty.lie(Lie::of("interval_fringe", 3).only(&["cells"]));
            let (used, warnings) = solve(faulty);
            assert_eq!((used, warnings.len()), (vec![], 1));
            assert!(warnings[0].contains("was left out"), "{warnings:?}");
            assert!(faulty.lies_told() > 0);
        }
    }

    #[test]
    fn a_stop_ends_the_work_of_all_devices() {
        for device in real_test_devices() {
            let chain = instance(100, Semiring::MinPlus, 1, 1, 5);
            let (context, stopped) = (cpu_context(1), Monitor::new(&stopped()));
            let team = Team::of(&context, &[&device]);
            let request = Request::new(&chain, &[]);
            let found = solve(None, &team, &device, &request, CellType::I64, &stopped);
            assert_error!(found, Error::Stopped);
            assert_eq!(team.into_record().1, Vec::<String>::new());
        }
    }
}
