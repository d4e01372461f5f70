//! The six tables of bounds by sequences on a device, and the defines of their programs.

use crate::flow_shop::Instance;
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
        lm: &'a Compact as LAG_T,
        far_jm: &'a Compact as JOB_T,
        rm: &'a Compact as START_T,
        qm: &'a Compact as TAIL_T,
        mm: &'a Compact as MACHINE_T,
    }
}

/// The six tables on the device, each in the smallest integer type that holds its numbers.
pub(in crate::flow_shop::exact::makespan) struct Tables {
    times: Compact,
    lags: Compact,
    orders: Compact,
    starts: Compact,
    tails: Compact,
    machines: Compact,
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

/// The largest number that an integer of this width holds.
pub(super) fn most(bytes: u64) -> u32 {
    match bytes {
        1 => 0xff,
        2 => 0xffff,
        _ => u32::MAX,
    }
}

pub(in crate::flow_shop::exact::makespan) fn job_width(problem: &Problem<'_, Makespan<'_>>) -> u64 {
    width(problem.instance.jobs() as u32 - 1)
}

/// Bytes of the numbers of the tables PTM, JM, LM, RM, QM and MM, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::flow_shop::exact::makespan) struct Widths(pub(super) [u64; 6]);

/// The defines of the widths.
pub(super) const WIDTHS: [&str; 6] =
    ["TIME_BYTES", "JOB_BYTES", "LAG_BYTES", "START_BYTES", "TAIL_BYTES", "MACHINE_BYTES"];

impl Default for Widths {
    fn default() -> Self {
        Widths([1; 6])
    }
}

impl Widths {
    fn of(problem: &Problem<'_, Makespan<'_>>) -> Widths {
        let (instance, state) = (problem.instance, &problem.root.state);
        let largest = |list: &[u32]| list.iter().max().copied().unwrap_or(0);
        let (machines, pairs) = (instance.machines() as u32, pairs(problem));
        let lag = pairs.iter().flat_map(|pair| lags(instance, pair)).max().unwrap_or(0);
        // An instance of times 1 has to fit, since the self-test needs one.
        let most = [
            largest(instance.times()),
            instance.jobs() as u32 - 1,
            lag.max(machines),
            largest(&state.front).max(LEAST_STARTS + problem.pinned() as u32 + machines),
            largest(&state.back).max(machines),
            machines - 1,
        ];
        let least = problem.objective.least_widths.0;
        Widths(std::array::from_fn(|table| width(most[table]).max(least[table])))
    }
}

/// How far ready times raise the starts of the self-test's instances, in longest times.
pub(super) const LEAST_STARTS: u32 = 1;

/// The times of each job between two machines.
fn lags<'i>(instance: &'i Instance, pair: &Pair) -> impl Iterator<Item = u32> + use<'i> {
    let between = pair.first + 1..pair.second;
    (0..instance.jobs() as u32).map(move |job| instance.job(job)[between.clone()].iter().sum())
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
) -> Result<Vec<(&'static str, u64)>> {
    let (jobs, machines) = (problem.instance.jobs() as u64, problem.instance.machines() as u64);
    let Widths(widths) = Widths::of(problem);
    let [time, job, ..] = widths;
    let pairs = pairs(problem).len() as u64;
    let sizes = Sizes { times: jobs * machines * time, pair: jobs * job, pairs };
    let (local_times, local_pairs) = options.placement.resolve(device.info(), sizes)?;
    let mut defines = vec![
        ("JOBS", jobs),
        ("MACHINES", machines),
        ("PINNED", problem.pinned() as u64),
        ("LOCAL_TIMES", u64::from(local_times)),
        ("LOCAL_PAIRS", local_pairs),
        ("BRANCH_FREE", u64::from(options.branch_free)),
        ("TWO_MACHINES", u64::from(pairs > 0)),
    ];
    defines.extend(WIDTHS.into_iter().zip(widths));
    Ok(defines)
}

impl Tables {
    pub(in crate::flow_shop::exact::makespan) fn arguments(&self) -> TableArguments<'_> {
        TableArguments {
            all_ptm: &self.times,
            lm: &self.lags,
            far_jm: &self.orders,
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
        let lags: Vec<u32> = pairs.iter().flat_map(|pair| lags(instance, pair)).collect();
        let machines = pairs.iter().flat_map(|pair| [pair.first as u32, pair.second as u32]);
        let machines: Vec<u32> = machines.collect();
        let Widths(widths) = Widths::of(problem);
        let [time, job, lag, start, tail, machine] = widths;
        let list = |width, numbers: &[u32]| Compact::of(device, queue, width, numbers);
        Ok(Tables {
            times: list(time, instance.times())?,
            lags: list(lag, &lags)?,
            orders: list(job, &orders)?,
            starts: list(start, &problem.root.state.front)?,
            tails: list(tail, &problem.root.state.back)?,
            machines: list(machine, &machines)?,
        })
    }
}

/// Bytes of the tables that may be in local memory.
#[derive(Clone, Copy)]
struct Sizes {
    times: u64,
    /// Of Johnson's order of one pair.
    pair: u64,
    pairs: u64,
}

impl Placement {
    /// Whether the times are in local memory, and Johnson's orders of how many pairs.
    fn resolve(self, device: &DeviceInfo, sizes: Sizes) -> Result<(bool, u64)> {
        let Sizes { times, pair, pairs } = sizes;
        let (room, johnson) = (device.local_memory_bytes, pair * pairs);
        let (with_times, local_pairs) = match self {
            Placement::Auto if times + johnson <= room => (true, pairs),
            Placement::Auto if johnson <= room => (false, pairs),
            Placement::Auto => (times <= room, 0),
            Placement::Global => (false, 0),
            Placement::Times => (true, 0),
            Placement::Johnson => (false, pairs),
            Placement::PartOfJohnson => (false, pairs.min(room / pair)),
            Placement::Both => (true, pairs),
        };
        let needed = u64::from(with_times) * times + local_pairs * pair;
        if needed > room {
            let (name, device) = (self.name(), &device.name);
            let reason = format!(
                "placement {name} takes {needed} bytes, {device} has {room} of local memory"
            );
            return Err(Error::unsupported(reason));
        }
        Ok((with_times, local_pairs))
    }
}
