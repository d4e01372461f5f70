//! The pipeline over a linear table: one work-group, with a barrier after each step.

use super::check;
use super::instance::device_instance;
use super::kernels::{Cells, Layout, Table};
use super::mapping::{FAMILY, Items};
use crate::context::{Pacer, Units};
use crate::interval_dp::number::Value;
use crate::interval_dp::pipeline::Schedule;
use crate::interval_dp::semiring::CellType;
use crate::interval_dp::values::Values;
use crate::interval_dp::view::Request;
use crate::opencl::{Device, FEW_ITERATIONS, Kernel, Tunable, kernel_arguments};
use crate::solve::Monitor;
use crate::{Context, Result};

kernel_arguments! {
    /// Some steps.
    pub(super) struct Steps<'a> = "interval_pipeline" {
        table: Cells<'a>,
        first_step: u64,
        end_step: u64,
    }
}

pub(super) const GROUP: Tunable =
    Tunable::power("PIPELINE_GROUP: work-items of a group", (16, 1024));
/// Work of a barrier and a split, in relaxations of the fill.
const ROUND: u64 = 2_000;

/// Solves the instance in cells of the given type. If `checker` is given, some cells are computed
/// again.
pub(in crate::interval_dp) fn solve(
    checker: Option<&Context>,
    device: &Device,
    request: &Request<'_>,
    cell_type: CellType,
    monitor: &Monitor,
) -> Result<Values<Value>> {
    let instance = device_instance(&request.view, cell_type, 1)?;
    let table = Table::new(device, &*instance, Layout::Diagonals, &FAMILY, monitor)?;
    check::filled(checker, &table, &*instance, request, |_| fill(&table))
}

/// Fills a table by diagonals; returns the pacer, which knows the speed of the fill.
pub(super) fn fill<'a>(table: &'a Table<'_>) -> Result<Pacer<'a>> {
    let leaves: Kernel<Items<'static>> = table.program.kernel()?;
    let count = table.points as u32 - 1;
    let arguments = Items { table: table.cells(), length: 1, count };
    table.queue.launch(&leaves, &arguments, [1], [1])?;

    let schedule = Schedule { points: table.points };
    let kernel: Kernel<Steps<'static>> = table.program.kernel()?;
    let group = kernel.group("PIPELINE_GROUP").min(schedule.threads().max(1));
    let rounds = schedule.threads().div_ceil(group) as u64;
    let mut pacer = Pacer::new(&table.queue, table.monitor, "interval");
    let mut units = Units::of(rounds * ROUND);
    if table.device.quirks().short_loops {
        units = units.at_most(FEW_ITERATIONS / iterations(table.points, rounds as usize));
    }
    pacer.launch(0..schedule.steps(), units, &mut |part| {
        let (first_step, end_step) = (part.start as u64, part.end as u64);
        let arguments = Steps { table: table.cells(), first_step, end_step };
        table.queue.launch(&kernel, &arguments, [group], [group])?;
        Ok(Some(part.end as f64 / schedule.steps() as f64))
    })?;
    Ok(pacer)
}

/// Upper limit of the iterations of a step's loops, with one more for the end of each loop. A round
/// looks for the length of its element by bisection and takes a split.
fn iterations(points: usize, rounds: usize) -> usize {
    let bisection = (usize::BITS - points.leading_zeros()) as usize;
    4 + rounds * (bisection + 6)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::interval_dp::testing::instances;
    use crate::interval_dp::{Semiring, serial};
    use crate::opencl::testing::test_devices;
    use crate::testing::{check_cases, monitor};

    #[test]
    fn the_pipeline_on_a_device_equals_the_recurrence() {
        for device in test_devices() {
            let (cases, most) = if device.quirks().simulator { (2, 12usize) } else { (12, 60) };
            let types = prop_oneof![Just(CellType::I32), Just(CellType::I64), Just(CellType::F64)];
            check_cases(cases, &(instances(2..most), types), |(instance, cell_type)| {
                let bitwise = instance.semiring() == Semiring::OrAnd;
                let cell_type = if bitwise { CellType::I32 } else { cell_type };
                if cell_type == CellType::F64 && !device.info().has_double_precision() {
                    return Ok(());
                }
                let monitor = monitor();
                let request = Request::new(&instance, &[(0, 1)]);
                let expected = serial::solve(&request, cell_type, &monitor).unwrap();
                let found = solve(None, &device, &request, cell_type, &monitor).unwrap();
                prop_assert_eq!(found.value, expected.value);
                prop_assert_eq!(&found.cells, &expected.cells);
                prop_assert_eq!(&found.tree, &expected.tree);
                Ok(())
            });
        }
    }
}
