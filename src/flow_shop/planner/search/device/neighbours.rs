//! The neighbourhood of a sequence on a device, for tabu search: a group finds the best place of each
//! job.

use std::sync::{Mutex, PoisonError};

use super::Shape;
use super::crowd::{self, Member, Sizes};
use super::kernels::Scan;
use super::tables::Tables;
use crate::context::wrong;
use crate::flow_shop::planner::cost::Cost;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::planner::search::Evaluators;
use crate::flow_shop::search::{Move, Neighbourhood, NeighbourhoodEvaluator, ValuedSequence};
use crate::opencl::{Buffer, Device, Kernel, Local, Queue};
use crate::solve::Monitor;
use crate::{Error, Pacer, Result, Units, memory};

/// Evaluates insertions on a device.
pub(in crate::flow_shop::planner) struct DeviceNeighbours<'a> {
    problem: &'a Problem<'a>,
    queue: &'a Queue,
    pacer: Pacer<'a>,
    kernel: Kernel<Scan<'static>>,
    group: usize,
    sizes: Sizes,
    tables: Tables,
    present: Buffer<u32>,
    forbidden: Buffer<u32>,
    cutoff: Buffer<i64>,
    bests: Buffer<u32>,
    values: Buffer<i64>,
    heads: Buffer<u32>,
    tails: Buffer<u32>,
    released: Buffer<u32>,
    scored: Buffer<i64>,
}

/// Most jobs: the kernel numbers moves in 32 bits.
const MOST_JOBS: usize = 1 << 15;
/// Most groups of a launch. Each has its own tables.
const MOST_GROUPS: usize = 1024;
/// No place.
const NONE: u32 = u32::MAX;

impl<'a> DeviceNeighbours<'a> {
    /// # Errors
    /// Errors of the device; [`Error::OutOfMemory`] if the tables don't fit there;
    /// [`Error::Unsupported`] for a model, a size or a neighbourhood without a kernel.
    pub(in crate::flow_shop::planner) fn new<'p: 'a>(
        device: &Device,
        queue: &'a Queue,
        monitor: &'a Monitor,
        evaluators: &Evaluators<'p>,
        start: &[u32],
        neighbourhood: Neighbourhood,
    ) -> Result<Self> {
        let count = start.len();
        if neighbourhood != Neighbourhood::Insertion || count > MOST_JOBS {
            let what =
                format!("exchanges, or more than {MOST_JOBS} jobs, in tabu search of such a");
            return Err(Error::unsupported(format!("{what} flow shop on a device")));
        }
        let kernel = Shape::of(evaluators.problem())?.kernel(device)?;
        DeviceNeighbours::with_kernel(device, queue, monitor, (evaluators, start), kernel)
    }

    /// The same with a kernel and its groups, for insertions.
    pub(super) fn with_kernel<'p: 'a>(
        device: &Device,
        queue: &'a Queue,
        monitor: &'a Monitor,
        (evaluators, start): (&Evaluators<'p>, &[u32]),
        (kernel, group): (Kernel<Scan<'static>>, usize),
    ) -> Result<Self> {
        let (problem, count) = (evaluators.problem(), start.len());
        let shape = Shape::of(problem)?;
        let sizes = Sizes::of(problem, shape);
        let (members, groups) = ([Member::new(evaluators, start)], count.min(MOST_GROUPS));
        sizes.check(device, monitor, &members, groups)?;
        sizes.check_local(device, group)?;
        let (table, tails, scored) = sizes.tables();
        Ok(DeviceNeighbours {
            problem,
            queue,
            pacer: Pacer::new(queue, monitor, "tabu"),
            kernel,
            group,
            tables: Tables::new(device, queue, &members, &shape)?,
            present: device.buffer(count)?,
            forbidden: device.buffer((count * count).div_ceil(32))?,
            cutoff: device.buffer(shape.values())?,
            bests: device.buffer(count)?,
            values: device.buffer(count * shape.values())?,
            heads: device.buffer(table * groups)?,
            tails: device.buffer(tails * groups)?,
            released: device.buffer(sizes.stride * groups)?,
            scored: device.buffer(scored * groups)?,
            sizes,
        })
    }

    /// The best place of each job and the value there, for places that are allowed.
    fn scan(
        &mut self,
        from: &ValuedSequence<Cost>,
        forbidden: &[usize],
        cutoff: Cost,
    ) -> Result<(Vec<u32>, Vec<i64>)> {
        let (queue, count, group) = (self.queue, from.order.len(), self.group);
        let mut bits = memory::zeroed::<u32>(self.forbidden.len())?;
        for &number in forbidden {
            // Some numbers name no move.
            if let Move::Insertion(position, to) = Neighbourhood::Insertion.numbered(number, count)
                && position < count
            {
                let number = position * count + to;
                bits[number / 32] |= 1 << (number % 32);
            }
        }
        queue.write(&self.present, 0, &from.order)?;
        queue.write(&self.forbidden, 0, &bits)?;
        queue.write(&self.cutoff, 0, &self.device_cutoff(cutoff))?;
        let [inversions, predecessors] = crowd::changes(self.problem, &from.order);
        let local = self.sizes.local(group);
        let arguments = Scan {
            shops: self.tables.arguments(),
            present: &self.present,
            forbidden: &self.forbidden,
            cutoff: &self.cutoff,
            bests: &self.bests,
            values: &self.values,
            heads: &self.heads,
            tails: &self.tails,
            released: &self.released,
            scored: &self.scored,
            jobs: self.sizes.jobs as u32,
            kind_count: self.tables.kind_count,
            count: count as u32,
            stride: self.sizes.stride as u32,
            changes: predecessors << 32 | inversions,
            order: Local(local[0]),
            ring: Local(local[2]),
            links: Local(local[3]),
            keys: Local(local[4]),
            places: Local(local[5]),
        };
        let (kernel, units) = (&self.kernel, Units::of(self.sizes.placement_work()));
        self.pacer.launch(0..count, units.at_most(MOST_GROUPS), &mut |part| {
            let (first, global) = ([0, part.start], [group, part.len()]);
            queue.launch_from(kernel, &arguments, first, global, [group, 1])?;
            Ok(None)
        })?;
        let (mut bests, mut values) = (vec![0; count], vec![0; self.values.len()]);
        queue.read(&self.bests, 0, &mut bests)?;
        queue.read(&self.values, 0, &mut values)?;
        Ok((bests, values))
    }

    /// The cutoff in the numbers that the device counts: without stages, the makespan.
    fn device_cutoff(&self, cutoff: Cost) -> Vec<i64> {
        match self.sizes.shape.stages {
            0 => {
                let factor = self.problem.scoring.makespan_factors().first();
                // A makespan is below it if its cost is.
                vec![cutoff.first() / factor + i64::from(cutoff.first() % factor != 0)]
            }
            stages => cutoff.0[..stages].to_vec(),
        }
    }

    /// The cost of a value of the device.
    fn cost(&self, value: &[i64]) -> Cost {
        let mut cost = Cost::default();
        match self.sizes.shape.stages {
            0 => cost.0[0] = value[0] * self.problem.scoring.makespan_factors().first(),
            stages => cost.0[..stages].copy_from_slice(value),
        }
        cost
    }
}

impl NeighbourhoodEvaluator for &Mutex<DeviceNeighbours<'_>> {
    type Value = Cost;

    fn best(
        &mut self,
        from: &ValuedSequence<Cost>,
        forbidden: &[usize],
        cutoff: Cost,
    ) -> Result<Option<(usize, Cost)>> {
        let mut device = self.lock().unwrap_or_else(PoisonError::into_inner);
        let (bests, values) = device.scan(from, forbidden, cutoff)?;
        let jobs = from.order.len();
        let numbers = device.sizes.shape.values();
        let moves = bests.iter().zip(values.chunks_exact(numbers)).enumerate();
        let moves = moves.filter(|(_, (to, _))| **to != NONE).map(|(position, (&to, value))| {
            let mv = Move::Insertion(position, to as usize);
            (device.cost(value), mv.number(jobs), mv)
        });
        let Some((cost, number, mv)) = moves.min_by_key(|&(cost, number, _)| (cost, number)) else {
            return Ok(None);
        };
        let Move::Insertion(_, to) = mv else { return Err(wrong("a move of tabu search")) };
        let problem = device.problem;
        let is_right = to < jobs && {
            let mut moved = from.order.clone();
            mv.apply(&mut moved);
            problem.cost(&[problem.pinned(), &moved].concat()) == cost
        };
        if is_right { Ok(Some((number, cost))) } else { Err(wrong("a move of tabu search")) }
    }
}
