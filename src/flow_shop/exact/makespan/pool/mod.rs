//! Bounds pools of children by a kernel.

mod self_test;
mod workload;

use std::sync::Arc;

use super::pairs::Pair;
use super::{Bound, Makespan};
use crate::context::{Pacer, Units};
use crate::flow_shop::Instance;
use crate::flow_shop::exact::Branching;
use crate::flow_shop::exact::pool::{Bounder, HostPool, Orders, Placement, Pooled};
use crate::flow_shop::exact::problem::Problem;
#[cfg(test)]
use crate::opencl::Forms;
use crate::opencl::{
    ArgList, Buffer, Device, Kernel, KernelFamily, Parameter, Queue, Tunable, Usual,
    kernel_arguments, source,
};
use crate::solve::{Monitor, SolveOptions};
use crate::{DeviceInfo, Error, Result};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_pool",
    sources: &[source!("flow_shop_pool.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![Bounds],
    constants: &[],
    tuning: &[Tunable::power("GROUP", (16, 1024), "work-items of a group")],
    workloads: workload::WORKLOADS,
    self_test: self_test::compare,
};

/// The program that bounds pools of an instance's children.
pub(super) fn usual(instance: &Arc<Instance>) -> Usual {
    let instance = Arc::clone(instance);
    Usual::new(FAMILY.name, move |device| {
        let monitor = Monitor::new(&SolveOptions::default());
        let (bound, branching) = (Bound::default(), Branching::default());
        let problem = Makespan::problem(&instance, bound, branching, u32::MAX, &monitor)?;
        device.program(&FAMILY, &defines(device, &problem, &HostPool::default())?).map(drop)
    })
}

kernel_arguments! {
    /// Bounds some children.
    struct Bounds<'a> = "flow_shop_pool_bound" {
        all_ptm: &'a Compact as TIME_T,
        lm: &'a Buffer<i32>,
        all_jm: &'a Compact as JOB_T,
        rm: &'a Buffer<i32>,
        qm: &'a Buffer<i32>,
        mm: &'a Buffer<i32>,
        orders: &'a Compact as JOB_T,
        ends: &'a Buffer<u32>,
        children: &'a Buffer<u32> as uint2,
        bounds: &'a Buffer<u32>,
        first_item: u32,
        end_item: u32,
    }
}

/// The device's part: computes the bounds of a pool of children.
struct PoolBounder<'a, 'i> {
    problem: &'a Problem<'a, Makespan<'i>>,
    device: &'a Device,
    queue: &'a Queue,
    kernel: Kernel<Bounds<'static>>,
    group: usize,
    tables: Tables,
    /// The sequences of parents, the number of jobs at their ends, their children, and the
    /// children's bounds.
    orders: Compact,
    ends: Buffer<u32>,
    children: Buffer<u32>,
    bounds: Buffer<u32>,
}

/// The six tables on the device, with times and jobs in the smallest integer type that fits.
struct Tables {
    times: Compact,
    lags: Buffer<i32>,
    orders: Compact,
    starts: Buffer<i32>,
    tails: Buffer<i32>,
    machines: Buffer<i32>,
}

/// A list of numbers on the device, in 8 bits if all fit, otherwise in 16 or 32 bits.
enum Compact {
    Bytes(Buffer<u8>),
    Shorts(Buffer<u16>),
    Words(Buffer<u32>),
}

impl Compact {
    fn new(device: &Device, width: u64, len: usize) -> Result<Self> {
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

    fn write(&self, queue: &Queue, numbers: &[u32]) -> Result<()> {
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

    fn len(&self) -> usize {
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

fn job_width(problem: &Problem<'_, Makespan<'_>>) -> u64 {
    width(problem.instance.jobs() as u32 - 1)
}

/// The pairs of machines that the kernel bounds by; none for the one-machine bound.
fn pairs<'p>(problem: &'p Problem<'_, Makespan<'_>>) -> &'p [Pair] {
    problem.objective.pairs.as_ref().map_or(&[], |pairs| &pairs.list)
}

/// The defines of the program.
fn defines(
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
    fn new(device: &Device, queue: &Queue, problem: &Problem<'_, Makespan<'_>>) -> Result<Self> {
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

impl<'a, 'i> PoolBounder<'a, 'i> {
    fn new(
        device: &'a Device,
        queue: &'a Queue,
        problem: &'a Problem<'a, Makespan<'i>>,
        options: &HostPool,
    ) -> Result<Self> {
        let program = device.program(&FAMILY, &defines(device, problem, options)?)?;
        let kernel: Kernel<Bounds<'static>> = program.kernel()?;
        let group = kernel.group("GROUP");
        Ok(PoolBounder {
            problem,
            device,
            queue,
            kernel,
            group,
            tables: Tables::new(device, queue, problem)?,
            orders: Compact::new(device, job_width(problem), 0)?,
            ends: device.buffer(0)?,
            children: device.buffer(0)?,
            bounds: device.buffer(0)?,
        })
    }

    /// Enlarges the buffers to these lengths, if necessary.
    fn reserve(&mut self, orders: usize, ends: usize, children: usize) -> Result<()> {
        if orders > self.orders.len() {
            self.orders =
                Compact::new(self.device, job_width(self.problem), orders.next_power_of_two())?;
        }
        if ends > self.ends.len() {
            self.ends = self.device.buffer(ends.next_power_of_two())?;
        }
        if children > self.bounds.len() {
            let room = children.next_power_of_two();
            (self.children, self.bounds) =
                (self.device.buffer(2 * room)?, self.device.buffer(room)?);
        }
        Ok(())
    }
}

impl Bounder for PoolBounder<'_, '_> {
    fn group(&self) -> usize {
        self.group
    }

    fn bound(
        &mut self,
        orders: &Orders,
        children: &[[u32; 2]],
        pacer: &mut Pacer<'_>,
    ) -> Result<Vec<u32>> {
        let count = children.len();
        self.reserve(orders.jobs.len(), orders.ends.len(), count)?;
        self.orders.write(self.queue, &orders.jobs)?;
        self.queue.write(&self.ends, 0, &orders.ends)?;
        self.queue.write(&self.children, 0, children.as_flattened())?;
        let (tables, instance) = (&self.tables, self.problem.instance);
        let pairs = pairs(self.problem).len().max(1);
        let work = ((pairs + instance.machines()) * instance.jobs()) as u64;
        pacer.launch(0..count, Units::of(work).at_least(self.group), &mut |part| {
            let arguments = Bounds {
                all_ptm: &tables.times,
                lm: &tables.lags,
                all_jm: &tables.orders,
                rm: &tables.starts,
                qm: &tables.tails,
                mm: &tables.machines,
                orders: &self.orders,
                ends: &self.ends,
                children: &self.children,
                bounds: &self.bounds,
                first_item: part.start as u32,
                end_item: part.end as u32,
            };
            let items = part.len().next_multiple_of(self.group);
            self.queue.launch(&self.kernel, &arguments, [items], [self.group])?;
            Ok(None)
        })?;
        let mut values = vec![0; count];
        self.queue.read(&self.bounds, 0, &mut values)?;
        Ok(values)
    }
}

impl Pooled for Makespan<'_> {
    fn bounder<'a>(
        problem: &'a Problem<'a, Self>,
        device: &'a Device,
        queue: &'a Queue,
        options: &HostPool,
    ) -> Result<Box<dyn Bounder + 'a>> {
        Ok(Box::new(PoolBounder::new(device, queue, problem, options)?))
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
