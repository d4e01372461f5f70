//! The tables on a device: a launch for all cells of a length, a work-group for each cell.

use super::triangle::Triangle;
use super::{LARGEST_LOOP, LEAST_HAIRPIN, NONE, Sequence, definition};
use crate::context::{Pacer, Units};
use crate::interval_dp::folding::base::Base;
use crate::interval_dp::folding::energies::{Energies, KINDS};
use crate::interval_dp::folding::instance::Instance;
use crate::interval_dp::folding::model::Model;
use crate::memory::{Gather, Grow};
use crate::opencl::{
    Buffer, Device, DeviceKind, Failing, Kernel, KernelFamily, Local, Trial, Tunable, Usual,
    kernel_arguments, source,
};
use crate::solve::{Limits, Monitor, SolveOptions};
use crate::{Context, Result, memory};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "interval_dp_folding",
    sources: &[source!("interval_dp_folding.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![Cells],
    constants: &[
        ("NONE", NONE as u64),
        ("BASES", Base::ALL.len() as u64),
        ("KINDS", KINDS as u64),
        ("LARGEST_LOOP", LARGEST_LOOP as u64),
        ("LEAST_HAIRPIN", LEAST_HAIRPIN as u64),
    ],
    tuning: &[
        Tunable::power("GROUP: work-items of a group", (16, 1024)),
        Tunable::power("LEFT_SIDES: work-items that share right sides", (1, 64)),
        Tunable::power("STAGE_BYTES: bytes of rows that are read at once", (1 << 16, 1 << 26)),
    ],
    self_test: compare,
};

kernel_arguments! {
    /// Cells of a length, a group for each.
    struct Cells<'a> = "interval_folding" {
        paired: &'a Buffer<i32>,
        some: &'a Buffer<i32>,
        several: &'a Buffer<i32>,
        bases: &'a Buffer<u8>,
        numbers: &'a Buffer<i32>,
        points: u32,
        length: u32,
        first: u32,
        values: Local as int,
    }
}

/// Splits that take as long as the rest of a cell.
const REST: u64 = 500;

/// The only program: the energies are data.
pub(in crate::interval_dp) fn usual_program() -> Usual {
    Usual::new(FAMILY.name, |device| device.program(&FAMILY, &[]).map(drop))
}

/// Bytes of the tables on a device.
pub(super) fn bytes(points: usize) -> u128 {
    2 * 4 * (points as u128).pow(2)
}

/// Fills the tables on a device and checks some of their cells on the context's threads.
pub(super) fn solve(
    context: &Context,
    device: &Device,
    sequence: &Sequence<'_>,
    monitor: &Monitor,
) -> Result<Triangle> {
    let points = sequence.len + 1;
    let on_host = Triangle::bytes(points);
    let required = if device.info().kind == DeviceKind::Cpu { bytes(points) } else { 0 } + on_host;
    monitor.check_memory(required, || format!("two tables of {points} x {points} energies"))?;
    let triangle = fill(device, sequence, monitor)?;
    definition::check(context, sequence, &triangle)?;
    Ok(triangle)
}

/// Fills the tables and reads their upper triangles.
fn fill(device: &Device, sequence: &Sequence<'_>, monitor: &Monitor) -> Result<Triangle> {
    let (len, points) = (sequence.len, sequence.len + 1);
    let (queue, program) = (device.queue(), device.program(&FAMILY, &[])?);
    let kernel: Kernel<Cells<'static>> = program.kernel()?;
    let square = |cells: usize| {
        let buffer = device.buffer(cells)?;
        queue.fill(&buffer, 0, cells, NONE)?;
        Ok::<_, Box<crate::Error>>(buffer)
    };
    let (paired, some) = (square(points * points)?, square(points * points)?);
    let several = square(3 * points)?;
    let bases = sequence.bases[..len].iter().flatten().map(|&base| base as u8).gather()?;
    let bases = device.buffer_from(&queue, &bases)?;
    let numbers = device.buffer_from(&queue, &numbers(sequence.energies))?;
    let room = device.info().group_memory_bytes() as usize / size_of::<i32>();
    let group = 1 << kernel.group("GROUP").min(room.max(1)).ilog2();
    let mut pacer = Pacer::new(&queue, monitor, "folding");
    for length in 2 + LEAST_HAIRPIN..points {
        let work = Units::of(length as u64 + REST);
        pacer.launch(0..points - length, work, &mut |part| {
            let arguments = Cells {
                paired: &paired,
                some: &some,
                several: &several,
                bases: &bases,
                numbers: &numbers,
                points: points as u32,
                length: length as u32,
                first: part.start as u32,
                values: Local(group * size_of::<i32>()),
            };
            queue.launch(&kernel, &arguments, [part.len() * group], [group])?;
            Ok(Some(length as f64 / points as f64))
        })?;
    }
    let mut triangle = Triangle::new(points)?;
    let rows = (program.tuned("STAGE_BYTES") / size_of::<i32>() / points).clamp(1, points);
    let mut stage = memory::filled(0, rows * points)?;
    for first in (0..points).step_by(rows) {
        monitor.check()?;
        for (from, to) in [(&paired, &mut triangle.paired), (&some, &mut triangle.some)] {
            let stage = &mut stage[..rows.min(points - first) * points];
            queue.read(from, first * points, stage)?;
            for (i, row) in (first..).zip(stage.chunks_exact(points)) {
                to.try_extend(row[i + 1..].iter().copied())?;
            }
        }
    }
    Ok(triangle)
}

/// The kinds of pairs and the energies, as the kernel finds them.
fn numbers(energies: &Energies) -> Vec<i32> {
    let pairs =
        Base::ALL.iter().flat_map(|&first| Base::ALL.iter().map(move |&last| (first, last)));
    let kinds = pairs.map(|(first, last)| Energies::kind(first, last).unwrap_or(KINDS) as i32);
    let lists = [&energies.hairpin, &energies.bulge, &energies.interior];
    kinds
        .chain(energies.stack.as_flattened().iter().copied())
        .chain(lists.into_iter().flatten().copied())
        .chain([energies.multi, energies.branch, energies.unpaired])
        .collect()
}

/// Compares each cell of a sequence with those that it depends on.
fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    /// Longer than a usual group and than the largest loop.
    const BASES: usize = 90;
    let (limits, monitor) = (Limits::default(), Monitor::new(&SolveOptions::default()));
    let instance = Instance::random(BASES, 1, Model::Zuker(Box::default()), &limits)?;
    let energies = Energies::default();
    let sequence = Sequence::new(&instance, &energies, BASES)?;
    let triangle = fill(trial.device(), &sequence, &monitor)?;
    let rows = 0..BASES;
    match rows.into_iter().all(|i| definition::holds(&sequence, &triangle, i, i + 1..BASES + 1)) {
        true => Ok(()),
        false => Err(Failing::Wrong("interval_folding: a cell differs from its definition".into())),
    }
}
