//! The six tables of bounds by sequences on a device, and the defines of their programs.

use crate::flow_shop::exact::makespan::Makespan;
use crate::flow_shop::exact::makespan::pairs::Pair;
use crate::flow_shop::exact::pool::{HostPool, Placement};
use crate::flow_shop::exact::problem::Problem;
#[cfg(test)]
use crate::opencl::Forms;
use crate::opencl::{ArgList, Buffer, Device, Element, Parameter, Queue, kernel_arguments};
use crate::{DeviceInfo, Error, Result, memory};

kernel_arguments! {
    /// The six tables, `TABLE_PARAMETERS` in OpenCL C.
    pub(in crate::flow_shop::exact::makespan) struct TableArguments<'a> {
        all_ptm: &'a Compact as TIME_T,
        lm: &'a Buffer<i32>,
        all_jm: &'a Compact as JOB_T,
        rm: &'a Buffer<i32>,
        qm: &'a Buffer<i32>,
        mm: &'a Buffer<i32>,
    }
}

/// The six tables on the device, with times and jobs in the smallest integer type that fits.
pub(in crate::flow_shop::exact::makespan) struct Tables {
    times: Compact,
    lags: Buffer<i32>,
    orders: Compact,
    starts: Buffer<i32>,
    tails: Buffer<i32>,
    machines: Buffer<i32>,
}

/// A list of numbers on the device, in 8 bits if all fit, otherwise in 16 or 32 bits.
pub(in crate::flow_shop::exact::makespan) enum Compact {
    Bytes(Buffer<u8>),
    Shorts(Buffer<u16>),
    Words(Buffer<u32>),
}

impl Compact {
    pub(in crate::flow_shop::exact::makespan) fn new(
        device: &Device,
        width: u64,
        len: usize,
    ) -> Result<Self> {
        Ok(match width {
            1 => Compact::Bytes(device.buffer(len)?),
            2 => Compact::Shorts(device.buffer(len)?),
            _ => Compact::Words(device.buffer(len)?),
        })
    }

    fn of(device: &Device, queue: &Queue, width: u64, numbers: &[u32]) -> Result<Self> {
        let list = Compact::new(device, width, numbers.len())?;
        list.write(queue, numbers)?;
        Ok(list)
    }

    pub(in crate::flow_shop::exact::makespan) fn write(
        &self,
        queue: &Queue,
        numbers: &[u32],
    ) -> Result<()> {
        match self {
            Compact::Bytes(buffer) => {
                queue.write(buffer, 0, &narrowed(numbers, |number| number as u8))
            }
            Compact::Shorts(buffer) => {
                queue.write(buffer, 0, &narrowed(numbers, |number| number as u16))
            }
            Compact::Words(buffer) => queue.write(buffer, 0, numbers),
        }
    }

    /// Enlarges the list. The old one is freed first, since both might not fit.
    pub(in crate::flow_shop::exact::makespan) fn reserve(
        &mut self,
        device: &Device,
        width: u64,
        len: usize,
    ) -> Result<()> {
        if self.len() < len {
            *self = Compact::new(device, width, 0)?;
            *self = Compact::new(device, width, len)?;
        }
        Ok(())
    }

    pub(in crate::flow_shop::exact::makespan) fn read(
        &self,
        queue: &Queue,
        offset: usize,
        numbers: &mut [u32],
    ) -> Result<()> {
        match self {
            Compact::Bytes(buffer) => read_widened(queue, buffer, offset, numbers),
            Compact::Shorts(buffer) => read_widened(queue, buffer, offset, numbers),
            Compact::Words(buffer) => queue.read(buffer, offset, numbers),
        }
    }

    pub(in crate::flow_shop::exact::makespan) fn len(&self) -> usize {
        match self {
            Compact::Bytes(buffer) => buffer.len(),
            Compact::Shorts(buffer) => buffer.len(),
            Compact::Words(buffer) => buffer.len(),
        }
    }
}

impl Parameter for &Compact {
    fn list<'s>(&'s self, list: &mut ArgList<'s>) {
        match self {
            Compact::Bytes(buffer) => list.buffer(buffer),
            Compact::Shorts(buffer) => list.buffer(buffer),
            Compact::Words(buffer) => list.buffer(buffer),
        }
    }

    #[cfg(test)]
    fn forms(name: &'static str, element: Option<&'static str>) -> Forms {
        <&Buffer<u8>>::forms(name, element)
    }
}

fn narrowed<T>(numbers: &[u32], narrow: impl Fn(u32) -> T) -> Vec<T> {
    numbers.iter().map(|&number| narrow(number)).collect()
}

fn read_widened<T: Element + bytemuck::Zeroable + Into<u32>>(
    queue: &Queue,
    buffer: &Buffer<T>,
    offset: usize,
    numbers: &mut [u32],
) -> Result<()> {
    let mut narrow: Vec<T> = memory::zeroed(numbers.len())?;
    queue.read(buffer, offset, &mut narrow)?;
    numbers.iter_mut().zip(narrow).for_each(|(number, narrow)| *number = narrow.into());
    Ok(())
}

/// Bytes of an integer type that holds numbers up to `most`.
fn width(most: u32) -> u64 {
    match most {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        _ => 4,
    }
}

fn time_width(problem: &Problem<'_, Makespan<'_>>) -> u64 {
    width(problem.instance.times().iter().max().copied().unwrap_or(0))
}

pub(in crate::flow_shop::exact::makespan) fn job_width(problem: &Problem<'_, Makespan<'_>>) -> u64 {
    width(problem.instance.jobs() as u32 - 1)
}

/// The pairs of machines that the kernel bounds by; none for the one-machine bound.
fn pairs<'p>(problem: &'p Problem<'_, Makespan<'_>>) -> &'p [Pair] {
    problem.objective.pairs.as_ref().map_or(&[], |pairs| &pairs.list)
}

/// Steps of bounding one node, about.
pub(in crate::flow_shop::exact::makespan) fn bound_work(
    problem: &Problem<'_, Makespan<'_>>,
) -> u64 {
    let pairs = pairs(problem).len().max(1);
    ((pairs + problem.instance.machines()) * problem.instance.jobs()) as u64
}

/// The defines of a program.
pub(in crate::flow_shop::exact::makespan) fn defines(
    device: &Device,
    problem: &Problem<'_, Makespan<'_>>,
    options: &HostPool,
) -> Result<[(&'static str, u64); 9]> {
    let (jobs, machines) = (problem.instance.jobs(), problem.instance.machines());
    let (time_width, job_width) = (time_width(problem), job_width(problem));
    let pairs = pairs(problem).len();
    let (local_times, local_johnson) = options.placement.resolve(
        device.info(),
        (jobs * machines) as u64 * time_width,
        (pairs * jobs) as u64 * job_width,
    )?;
    Ok([
        ("JOBS", jobs as u64),
        ("MACHINES", machines as u64),
        ("PINNED", problem.pinned() as u64),
        ("TIME_BYTES", time_width),
        ("JOB_BYTES", job_width),
        ("LOCAL_TIMES", u64::from(local_times)),
        ("LOCAL_JOHNSON", u64::from(local_johnson && pairs > 0)),
        ("BRANCH_FREE", u64::from(options.branch_free)),
        ("TWO_MACHINES", u64::from(pairs > 0)),
    ])
}

impl Tables {
    pub(in crate::flow_shop::exact::makespan) fn arguments(&self) -> TableArguments<'_> {
        TableArguments {
            all_ptm: &self.times,
            lm: &self.lags,
            all_jm: &self.orders,
            rm: &self.starts,
            qm: &self.tails,
            mm: &self.machines,
        }
    }

    pub(in crate::flow_shop::exact::makespan) fn new(
        device: &Device,
        queue: &Queue,
        problem: &Problem<'_, Makespan<'_>>,
    ) -> Result<Self> {
        let (instance, pairs) = (problem.instance, pairs(problem));
        let steps = pairs.iter().flat_map(|pair| &pair.steps);
        let orders: Vec<u32> = steps.map(|step| step.job).collect();
        let lags = pairs.iter().flat_map(|pair| {
            let lag = |job: u32| {
                instance.job(job)[pair.first + 1..pair.second].iter().sum::<u32>() as i32
            };
            (0..instance.jobs() as u32).map(lag)
        });
        let machines = pairs.iter().flat_map(|pair| [pair.first as i32, pair.second as i32]);
        let signed = |row: &[u32]| row.iter().map(|&time| time as i32).collect::<Vec<i32>>();
        Ok(Tables {
            times: Compact::of(device, queue, time_width(problem), instance.times())?,
            lags: device.buffer_from(queue, &lags.collect::<Vec<i32>>())?,
            orders: Compact::of(device, queue, job_width(problem), &orders)?,
            starts: device.buffer_from(queue, &signed(&problem.root.state.front))?,
            tails: device.buffer_from(queue, &signed(&problem.root.state.back))?,
            machines: device.buffer_from(queue, &machines.collect::<Vec<i32>>())?,
        })
    }
}

impl Placement {
    /// Whether the times and Johnson's orders, of these sizes in bytes, are in local memory.
    fn resolve(self, device: &DeviceInfo, times: u64, johnson: u64) -> Result<(bool, bool)> {
        let room = device.local_memory_bytes;
        let (with_times, with_johnson) = match self {
            Placement::Auto if times + johnson <= room => (true, true),
            Placement::Auto if johnson <= room => (false, true),
            Placement::Auto => (times <= room, false),
            Placement::Global => (false, false),
            Placement::Times => (true, false),
            Placement::Johnson => (false, true),
            Placement::Both => (true, true),
        };
        let needed = u64::from(with_times) * times + u64::from(with_johnson) * johnson;
        if needed > room {
            let (name, device) = (self.name(), &device.name);
            let reason = format!(
                "placement {name} takes {needed} bytes, {device} has {room} of local memory"
            );
            return Err(Error::unsupported(reason));
        }
        Ok((with_times, with_johnson))
    }
}
