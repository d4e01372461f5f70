//! Bounds pools of children by a kernel, one work-item each.

use super::FlowTime;
use crate::Result;
use crate::context::{Pacer, Units};
use crate::flow_shop::exact::Branching;
use crate::flow_shop::exact::pool::{self, Bounder, HostPool, Orders, Pooled};
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::self_test::instance;
use crate::opencl::{
    Buffer, Device, Failing, Kernel, KernelFamily, Queue, Source, Trial, kernel_arguments,
};
use crate::solve::{Monitor, SolveOptions};

pub(super) const FAMILY: KernelFamily = KernelFamily {
    name: "flow_time_pool",
    sources: &[Source::Text(include_str!("bounds.cl")), Source::Text(include_str!("pool.cl"))],
    kernels: crate::opencl::declared![Bounds],
    constants: &[],
    tuning: &[],
    self_test: compare,
};

fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let [jobs, machines] = ["JOBS", "MACHINES"].map(|name| trial.define(name).unwrap() as usize);
    let instance = instance(jobs, machines, 0, 99)?;
    let problem = FlowTime::problem(&instance, Branching::default(), u32::MAX);
    let monitor = Monitor::new(&SolveOptions::default());
    pool::compare(trial, &problem, &HostPool::default(), &monitor)
}

kernel_arguments! {
    /// Bounds some children.
    struct Bounds<'a> = "flow_shop_pool_bound" {
        times: &'a Buffer<u32>,
        ready: &'a Buffer<u32>,
        orders: &'a Buffer<u32>,
        ends: &'a Buffer<u32>,
        children: &'a Buffer<u32> as uint2,
        bounds: &'a Buffer<u32>,
        first_item: u32,
        end_item: u32,
    }
}

struct FlowTimeBounder<'a> {
    device: &'a Device,
    queue: Queue,
    kernel: Kernel<Bounds<'static>>,
    times: Buffer<u32>,
    ready: Buffer<u32>,
    /// The sequences of parents, the number of jobs at their ends, and their children.
    orders: Buffer<u32>,
    ends: Buffer<u32>,
    children: Buffer<u32>,
    /// Number of children.
    count: usize,
}

impl Pooled for FlowTime {
    fn bounder<'a>(
        problem: &'a Problem<'a, Self>,
        device: &'a Device,
        _options: &HostPool,
    ) -> Result<Box<dyn Bounder + 'a>> {
        let instance = problem.instance;
        let defines = [("JOBS", instance.jobs() as u64), ("MACHINES", instance.machines() as u64)];
        let queue = device.queue();
        Ok(Box::new(FlowTimeBounder {
            device,
            kernel: device.program(&FAMILY, &defines)?.kernel()?,
            times: device.buffer_from(&queue, instance.times())?,
            ready: device.buffer_from(&queue, instance.ready_times())?,
            orders: device.buffer(0)?,
            ends: device.buffer(0)?,
            children: device.buffer(0)?,
            count: 0,
            queue,
        }))
    }
}

impl Bounder for FlowTimeBounder<'_> {
    fn queue(&self) -> &Queue {
        &self.queue
    }

    fn group(&self) -> usize {
        8
    }

    fn begin(&mut self, orders: &Orders, children: &[[u32; 2]]) -> Result<()> {
        self.count = children.len();
        self.orders = self.device.buffer_from(&self.queue, &orders.jobs)?;
        self.ends = self.device.buffer_from(&self.queue, &orders.ends)?;
        self.children = self.device.buffer_from(&self.queue, children.as_flattened())?;
        Ok(())
    }

    fn bound(&self, pacer: &mut Pacer<'_>) -> Result<Vec<u32>> {
        let (queue, group) = (&self.queue, self.group());
        let found = self.device.buffer::<u32>(self.count)?;
        pacer.launch(0..self.count, Units::of(1000), &mut |part| {
            let arguments = Bounds {
                times: &self.times,
                ready: &self.ready,
                orders: &self.orders,
                ends: &self.ends,
                children: &self.children,
                bounds: &found,
                first_item: part.start as u32,
                end_item: part.end as u32,
            };
            let items = part.len().next_multiple_of(group);
            queue.launch(&self.kernel, &arguments, [items], [group])?;
            Ok(None)
        })?;
        let mut bounds = vec![0; self.count];
        queue.read(&found, 0, &mut bounds)?;
        Ok(bounds)
    }
}
