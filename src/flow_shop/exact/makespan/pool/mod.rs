//! Bounds pools of children by a kernel.

mod self_test;
mod tables;
mod workload;

use std::sync::Arc;

pub(super) use self::self_test::{instance_of, options_of, problem_of};
pub(super) use self::tables::{
    Compact, TableArguments, Tables, Widths, bound_work, defines, job_width,
};
pub(crate) use self::workload::TIMED;
use super::{Bound, Makespan};
use crate::Result;
use crate::context::{Pacer, Units};
use crate::flow_shop::Instance;
use crate::flow_shop::exact::Branching;
use crate::flow_shop::exact::pool::{Bounder, HostPool, Orders, Pooled};
use crate::flow_shop::exact::problem::Problem;
use crate::opencl::{
    Buffer, Device, Kernel, KernelFamily, Queue, Tunable, Usual, kernel_arguments, source,
};
use crate::solve::{Monitor, SolveOptions};

pub(crate) const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_pool",
    sources: &[source!("flow_shop_pool_bounds.cl"), source!("flow_shop_pool.cl")],
    #[cfg(test)]
    kernels: crate::opencl::declared![Bounds],
    constants: &[],
    tuning: &[Tunable::power("GROUP: work-items of a group", (16, 1024)), PAIR_STEPS],
    self_test: self_test::compare,
};

// Their addresses do not depend on earlier steps.
pub(super) const PAIR_STEPS: Tunable =
    Tunable::power("PAIR_STEPS: steps of Johnson's order at once", (1, 32));

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
        tables: TableArguments<'a>,
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
    queue: Queue,
    kernel: Kernel<Bounds<'static>>,
    group: usize,
    tables: Tables,
    /// The sequences of parents, the number of jobs at their ends, their children, and the
    /// children's bounds.
    orders: Compact,
    ends: Buffer<u32>,
    children: Buffer<u32>,
    bounds: Buffer<u32>,
    /// Number of children.
    count: usize,
}

impl<'a, 'i> PoolBounder<'a, 'i> {
    fn new(
        device: &'a Device,
        problem: &'a Problem<'a, Makespan<'i>>,
        options: &HostPool,
    ) -> Result<Self> {
        let program = device.program(&FAMILY, &defines(device, problem, options)?)?;
        let kernel: Kernel<Bounds<'static>> = program.kernel()?;
        let group = kernel.group("GROUP");
        let queue = device.queue();
        Ok(PoolBounder {
            problem,
            device,
            kernel,
            group,
            tables: Tables::new(device, &queue, problem)?,
            queue,
            orders: Compact::new(device, job_width(problem), 0)?,
            ends: device.buffer(0)?,
            children: device.buffer(0)?,
            bounds: device.buffer(0)?,
            count: 0,
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
    fn queue(&self) -> &Queue {
        &self.queue
    }

    fn group(&self) -> usize {
        self.group
    }

    fn begin(&mut self, orders: &Orders, children: &[[u32; 2]]) -> Result<()> {
        self.count = children.len();
        self.reserve(orders.jobs.len(), orders.ends.len(), self.count)?;
        self.orders.write(&self.queue, &orders.jobs)?;
        self.queue.write(&self.ends, 0, &orders.ends)?;
        self.queue.write(&self.children, 0, children.as_flattened())
    }

    fn bound(&self, pacer: &mut Pacer<'_>) -> Result<Vec<u32>> {
        let count = self.count;
        let tables = &self.tables;
        let work = bound_work(self.problem);
        pacer.launch(0..count, Units::of(work).at_least(self.group), &mut |part| {
            let arguments = Bounds {
                tables: tables.arguments(),
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
        options: &HostPool,
    ) -> Result<Box<dyn Bounder + 'a>> {
        Ok(Box::new(PoolBounder::new(device, problem, options)?))
    }
}
