//! The neighbourhood of a sequence on a device, for tabu search: a group finds the best place of each
//! job, or the best later job to exchange it with.

use std::sync::Mutex;

use super::crowd::{self, Sizes};
use super::kernels::{Exchanges, Insertions, Scan};
use super::member::Member;
use super::tables::Tables;
use super::{FAMILY, Shape};
use crate::context::wrong;
use crate::flow_shop::planner::cost::Cost;
use crate::flow_shop::planner::problem::Problem;
use crate::flow_shop::planner::search::Evaluators;
use crate::flow_shop::search::{Move, Neighbourhood, NeighbourhoodEvaluator, ValuedSequence};
use crate::mutex::lock;
use crate::opencl::{Buffer, Device, Kernel, Local, Queue};
use crate::solve::Monitor;
use crate::{Error, Pacer, Result, Units, memory};

/// Evaluates neighbours on a device.
pub(in crate::flow_shop::planner) struct DeviceNeighbours<'a> {
    problem: &'a Problem<'a>,
    queue: &'a Queue,
    pacer: Pacer<'a>,
    way: Way,
    neighbourhood: Neighbourhood,
    group: usize,
    /// Most groups of a launch.
    most_groups: usize,
    sizes: Sizes,
    tables: Tables,
    present: Buffer<u32>,
    forbidden: Buffer<u32>,
    cutoff: Buffer<i64>,
    bests: Buffer<u32>,
    values: Buffer<i64>,
}

/// A kernel with its memory.
enum Way {
    Insertions {
        kernel: Kernel<Insertions<'static>>,
        heads: Buffer<u32>,
        tails: Buffer<u32>,
        released: Buffer<u32>,
        scored: Buffer<i64>,
    },
    Exchanges(Kernel<Exchanges<'static>>),
}

/// Most jobs: the kernel numbers moves in 32 bits.
const MOST_JOBS: usize = 1 << 15;
/// No place.
const NONE: u32 = u32::MAX;

fn most_groups(device: &Device) -> usize {
    device.tuned(&FAMILY, "TABLE_GROUPS")
}

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
        if start.len() > MOST_JOBS {
            let what = format!("more than {MOST_JOBS} jobs in tabu search of such a flow shop");
            return Err(Error::unsupported(format!("{what} on a device")));
        }
        let shape = Shape::of(evaluators.problem())?;
        match neighbourhood {
            Neighbourhood::Insertion => {
                let kernel = shape.kernel(device)?;
                DeviceNeighbours::with_insertions(
                    device,
                    queue,
                    monitor,
                    (evaluators, start),
                    kernel,
                )
            }
            Neighbourhood::Swap => {
                let kernel = shape.kernel(device)?;
                DeviceNeighbours::with_exchanges(
                    device,
                    queue,
                    monitor,
                    (evaluators, start),
                    kernel,
                )
            }
        }
    }

    /// The same with a kernel for insertions and its groups.
    pub(super) fn with_insertions<'p: 'a>(
        device: &Device,
        queue: &'a Queue,
        monitor: &'a Monitor,
        (evaluators, start): (&Evaluators<'p>, &[u32]),
        (kernel, group): (Kernel<Insertions<'static>>, usize),
    ) -> Result<Self> {
        let problem = evaluators.problem();
        let sizes = Sizes::of(device, problem, Shape::of(problem)?);
        let (members, groups) =
            ([Member::new(evaluators, start)], start.len().min(most_groups(device)));
        sizes.check(device, monitor, &members, groups)?;
        let (table, tails, scored) = sizes.tables();
        let way = Way::Insertions {
            kernel,
            heads: device.buffer(table * groups)?,
            tails: device.buffer(tails * groups)?,
            released: device.buffer(sizes.stride * groups)?,
            scored: device.buffer(scored * groups)?,
        };
        DeviceNeighbours::with_way(device, queue, monitor, (evaluators, start), (way, group))
    }

    /// The same with a kernel for exchanges.
    pub(super) fn with_exchanges<'p: 'a>(
        device: &Device,
        queue: &'a Queue,
        monitor: &'a Monitor,
        start: (&Evaluators<'p>, &[u32]),
        (kernel, group): (Kernel<Exchanges<'static>>, usize),
    ) -> Result<Self> {
        let way = (Way::Exchanges(kernel), group);
        DeviceNeighbours::with_way(device, queue, monitor, start, way)
    }

    fn with_way<'p: 'a>(
        device: &Device,
        queue: &'a Queue,
        monitor: &'a Monitor,
        (evaluators, start): (&Evaluators<'p>, &[u32]),
        (way, group): (Way, usize),
    ) -> Result<Self> {
        let (problem, count) = (evaluators.problem(), start.len());
        let shape = Shape::of(problem)?;
        let (sizes, members) =
            (Sizes::of(device, problem, shape), [Member::new(evaluators, start)]);
        sizes.check(device, monitor, &members, 1)?;
        let forbidden = (count * count).div_ceil(32);
        monitor.check_memory(4 * forbidden as u128, || "forbidden moves".into())?;
        let local = sizes.local(group);
        let (neighbourhood, local_bytes) = match way {
            Way::Insertions { .. } => (Neighbourhood::Insertion, local.iter().sum()),
            Way::Exchanges(_) => (Neighbourhood::Swap, local[0] + local[4] + local[5]),
        };
        sizes.check_local(device, local_bytes)?;
        Ok(DeviceNeighbours {
            problem,
            queue,
            pacer: Pacer::new(queue, monitor, "tabu"),
            way,
            neighbourhood,
            group,
            most_groups: most_groups(device),
            tables: Tables::new(device, queue, &members, &shape)?,
            present: device.buffer(count)?,
            forbidden: device.buffer(forbidden)?,
            cutoff: device.buffer(shape.values())?,
            bests: device.buffer(count)?,
            values: device.buffer(count * shape.values())?,
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
            let (Move::Insertion(from, to) | Move::Swap(from, to)) =
                self.neighbourhood.numbered(number, count);
            if from < count {
                bits[(from * count + to) / 32] |= 1 << ((from * count + to) % 32);
            }
        }
        queue.write(&self.present, 0, &from.order)?;
        queue.write(&self.forbidden, 0, &bits)?;
        queue.write(&self.cutoff, 0, &self.device_cutoff(cutoff))?;
        let [inversions, predecessors] = crowd::changes(self.problem, &from.order);
        let local = self.sizes.local(group);
        let scan = || Scan {
            shops: self.tables.arguments(),
            present: &self.present,
            forbidden: &self.forbidden,
            cutoff: &self.cutoff,
            bests: &self.bests,
            values: &self.values,
            jobs: self.sizes.jobs as u32,
            kind_count: self.tables.kind_count,
            count: count as u32,
            changes: predecessors << 32 | inversions,
            order: Local(local[0]),
            keys: Local(local[4]),
            places: Local(local[5]),
        };
        let (way, stride) = (&self.way, self.sizes.stride as u32);
        let work = match self.neighbourhood {
            Neighbourhood::Insertion => self.sizes.placement_work(),
            Neighbourhood::Swap => self.sizes.exchange_work(group),
        };
        self.pacer.launch(0..count, Units::of(work).at_most(self.most_groups), &mut |part| {
            let (first, global) = ([0, part.start], [group, part.len()]);
            match way {
                Way::Insertions { kernel, heads, tails, released, scored } => {
                    let (ring, links) = (Local(local[2]), Local(local[3]));
                    let scan = scan();
                    let arguments =
                        Insertions { scan, heads, tails, released, scored, stride, ring, links };
                    queue.launch_from(kernel, &arguments, first, global, [group, 1])?;
                }
                Way::Exchanges(kernel) => {
                    let arguments = Exchanges { scan: scan() };
                    queue.launch_from(kernel, &arguments, first, global, [group, 1])?;
                }
            }
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
        let mut device = lock(self);
        let (bests, values) = device.scan(from, forbidden, cutoff)?;
        let jobs = from.order.len();
        let numbers = device.sizes.shape.values();
        let moves = bests.iter().zip(values.chunks_exact(numbers)).enumerate();
        let moves = moves.filter(|(_, (to, _))| **to != NONE).map(|(position, (&to, value))| {
            let mv = match device.neighbourhood {
                Neighbourhood::Insertion => Move::Insertion(position, to as usize),
                Neighbourhood::Swap => Move::Swap(position, to as usize),
            };
            (device.cost(value), mv.number(jobs), mv)
        });
        let Some((cost, number, mv)) = moves.min_by_key(|&(cost, number, _)| (cost, number)) else {
            return Ok(None);
        };
        let (Move::Insertion(_, to) | Move::Swap(_, to)) = mv;
        let problem = device.problem;
        let is_right = to < jobs && {
            let mut moved = from.order.clone();
            mv.apply(&mut moved);
            problem.cost(&[problem.pinned(), &moved].concat()) == cost
        };
        if is_right { Ok(Some((number, cost))) } else { Err(wrong("a move of tabu search")) }
    }
}
