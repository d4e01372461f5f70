//! Parallel evaluation of bounds, the system of Melab, Chakroun, Mezmaz and Tuyttens: the host keeps the pool of open
//! nodes, branches, selects and prunes; the device computes the bounds of a pool of children in one launch, one
//! work-item for each.
//!
//! Choices where the paper is silent: nodes are branched at the end that the rule chooses, so a pool holds children at
//! both ends; the two-machine bound uses what lies behind both machines of a pair.

use std::time::Instant;

use super::branching::Branching;
use super::lanes::{Bounds, Limits};
use super::limit::Limit;
use super::node::{End, Open, State};
use super::problem::Problem;
use super::{Counts, Slice};
use crate::context::Pacer;
use crate::opencl::{Arg, Buffer, Device, Kernel, KernelFamily, Match, Queue, TuningRow};
use crate::{DeviceInfo, Error, Result};

const FAMILY: KernelFamily = KernelFamily {
    name: "flow_shop_pool",
    sources: &[include_str!("../../../cl/flow_shop_pool.cl")],
    tuning: &[
        TuningRow { device: Match::Default, defines: &[("GROUP", 64)] },
        TuningRow { device: Match::Vendor("NVIDIA"), defines: &[("GROUP", 256)] },
    ],
};

/// How the host's pool is bounded on a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostPool {
    /// Nodes that are bounded in one launch, from 1 to [`HostPool::MAX_SIZE`]; the paper's are 4,096 to 262,144.
    pub size: usize,
    /// Whether nodes are sorted by depth, so that neighbouring work-items run loops of the same length.
    pub sorted: bool,
    /// Whether the kernel's conditions are arithmetic instead of branches.
    pub branch_free: bool,
    /// Which tables are kept in local memory.
    pub placement: Placement,
}

impl HostPool {
    /// Most nodes of one launch.
    pub const MAX_SIZE: usize = 1 << 20;
}

impl Default for HostPool {
    /// 65,536 nodes, sorted, without branches, the placement by size.
    fn default() -> Self {
        HostPool { size: 1 << 16, sorted: true, branch_free: true, placement: Placement::Auto }
    }
}

/// The tables in a work-group's local memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Placement {
    /// As much as fits: both, else Johnson's orders, else the times.
    #[default]
    Auto,
    /// None.
    Global,
    /// The processing times.
    Times,
    /// Johnson's orders.
    Johnson,
    /// Both.
    Both,
}

impl Placement {
    /// All placements.
    pub const ALL: [Placement; 5] =
        [Placement::Auto, Placement::Global, Placement::Times, Placement::Johnson, Placement::Both];

    /// The placement's name in the command's spelling.
    pub fn name(self) -> &'static str {
        match self {
            Placement::Auto => "auto",
            Placement::Global => "global",
            Placement::Times => "times",
            Placement::Johnson => "johnson",
            Placement::Both => "both",
        }
    }

    /// Whether times and Johnson's orders of these sizes in bytes are in local memory.
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
            let reason =
                format!("placement {name} takes {needed} bytes, {device} has {room} of local memory");
            return Err(Error::Unsupported(reason));
        }
        Ok((with_times, with_johnson))
    }
}

/// Searches below the open nodes until there are none or the slice ends; leaves those that are open then.
pub(super) fn advance(
    device: &Device,
    problem: &Problem<'_>,
    options: &HostPool,
    limit: &Limit,
    open: &mut Vec<Open>,
    slice: &Slice<'_>,
) -> Result<Counts> {
    let pool = Pool::new(device, problem, options)?;
    let mut counts = Counts::default();
    while !open.is_empty() && !slice.monitor.should_stop() && Instant::now() < slice.end {
        let parents = pool.select(open, limit, slice);
        let bounds = match pool.bound(&parents, slice) {
            Ok(bounds) => bounds,
            Err(Error::Stopped) => {
                open.extend(parents.into_iter().map(|parent| parent.node));
                break;
            }
            Err(error) => return Err(error),
        };
        counts.nodes += parents.len() as u64;
        counts.bounds += bounds.len() as u64;
        pool.branch(&parents, &bounds, limit, open, slice);
        slice.monitor.report("branch and bound", None);
    }
    Ok(counts)
}

/// A node that is branched, with its state.
struct Parent {
    node: Open,
    state: State,
}

struct Pool<'a> {
    problem: &'a Problem<'a>,
    options: &'a HostPool,
    device: &'a Device,
    queue: Queue,
    kernel: Kernel,
    group: usize,
    tables: Tables,
}

/// The six tables on the device; the types of times and jobs are the smallest that hold them.
struct Tables {
    times: Compact,
    lags: Buffer<i32>,
    orders: Compact,
    starts: Buffer<i32>,
    rests: Buffer<i32>,
    machines: Buffer<i32>,
}

/// A list of numbers on the device in bytes if all fit, else in 16 or 32 bits.
enum Compact {
    Bytes(Buffer<u8>),
    Shorts(Buffer<u16>),
    Words(Buffer<u32>),
}

impl Compact {
    fn new(device: &Device, queue: &Queue, width: u64, numbers: &[u32]) -> Result<Self> {
        Ok(match width {
            1 => Compact::Bytes(device.buffer_from(queue, &narrowed(numbers, |number| number as u8))?),
            2 => Compact::Shorts(device.buffer_from(queue, &narrowed(numbers, |number| number as u16))?),
            _ => Compact::Words(device.buffer_from(queue, numbers)?),
        })
    }

    fn arg(&self) -> Arg<'_> {
        match self {
            Compact::Bytes(buffer) => buffer.arg(),
            Compact::Shorts(buffer) => buffer.arg(),
            Compact::Words(buffer) => buffer.arg(),
        }
    }
}

fn narrowed<T>(numbers: &[u32], narrow: impl Fn(u32) -> T) -> Vec<T> {
    numbers.iter().map(|&number| narrow(number)).collect()
}

/// Bytes that hold numbers up to `most`.
fn width(most: u32) -> u64 {
    match most {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        _ => 4,
    }
}

impl<'a> Pool<'a> {
    fn new(device: &'a Device, problem: &'a Problem<'a>, options: &'a HostPool) -> Result<Self> {
        let instance = problem.instance;
        let (jobs, machines) = (instance.jobs(), instance.machines());
        let longest = instance.times().iter().max().copied().unwrap_or(0);
        let (time_width, job_width) = (width(longest), width(jobs as u32 - 1));
        let pairs = problem.pairs.iter().flat_map(|pairs| &pairs.list);
        let pair_count = pairs.clone().count();
        let (local_times, local_johnson) = options.placement.resolve(
            device.info(),
            (jobs * machines) as u64 * time_width,
            (pair_count * jobs) as u64 * job_width,
        )?;
        let defines = [
            ("JOBS", jobs as u64),
            ("MACHINES", machines as u64),
            ("PINNED", problem.pinned() as u64),
            ("TIME_BYTES", time_width),
            ("JOB_BYTES", job_width),
            ("LOCAL_TIMES", u64::from(local_times)),
            ("LOCAL_JOHNSON", u64::from(local_johnson && pair_count > 0)),
            ("BRANCH_FREE", u64::from(options.branch_free)),
            ("BOUND", u64::from(pair_count > 0)),
        ];
        let program = device.program(&FAMILY, &defines)?;
        let queue = device.queue()?;
        let kernel = program.kernel("pool_bound")?;
        let group =
            program.define("GROUP").map_or(1, |group| group as usize).min(kernel.max_work_group_size());

        let steps = pairs.clone().flat_map(|pair| &pair.steps);
        let orders: Vec<u32> = steps.map(|step| step.job).collect();
        let lags = pairs.clone().flat_map(|pair| {
            let lag = |job: u32| instance.job(job)[pair.first + 1..pair.second].iter().sum::<u32>() as i32;
            (0..jobs as u32).map(lag)
        });
        let machine_pairs = pairs.clone().flat_map(|pair| [pair.first as i32, pair.second as i32]);
        let signed = |row: &[u32]| row.iter().map(|&time| time as i32).collect::<Vec<i32>>();
        let tables = Tables {
            times: Compact::new(device, &queue, time_width, instance.times())?,
            lags: device.buffer_from(&queue, &lags.collect::<Vec<i32>>())?,
            orders: Compact::new(device, &queue, job_width, &orders)?,
            starts: device.buffer_from(&queue, &signed(&problem.root.front))?,
            rests: device.buffer_from(&queue, &signed(&problem.root.back))?,
            machines: device.buffer_from(&queue, &machine_pairs.collect::<Vec<i32>>())?,
        };
        Ok(Pool { problem, options, device, queue, kernel, group, tables })
    }

    /// Takes the nodes that come next off the open ones, as many as have a pool of children. Complete ones are offered.
    fn select(&self, open: &mut Vec<Open>, limit: &Limit, slice: &Slice<'_>) -> Vec<Parent> {
        let mut parents = Vec::new();
        let mut children = 0;
        while children < self.options.size {
            let Some(node) = open.pop() else { break };
            if node.bound >= limit.get() {
                continue;
            }
            let state = State::of(self.problem, &node);
            if state.free_count == 1 {
                self.offer(&node, &state, limit, slice);
                continue;
            }
            let more = self.problem.branching.bounds_of(state.free_count) as usize;
            if children > 0 && children + more > self.options.size {
                open.push(node);
                break;
            }
            children += more;
            parents.push(Parent { node, state });
        }
        if self.options.sorted {
            parents.sort_by_key(|parent| (parent.state.free_count, parent.node.front));
        }
        parents
    }

    fn offer(&self, node: &Open, state: &State, limit: &Limit, slice: &Slice<'_>) {
        let makespan = state.last_makespan(self.problem);
        let last: Vec<u32> = state.free_jobs().collect();
        let order = [node.front_jobs(), &last, node.back_jobs()].concat();
        limit.offer(makespan, &order, slice.monitor);
    }

    /// The bounds of all children of the parents: by parent, by end, by job.
    fn bound(&self, parents: &[Parent], slice: &Slice<'_>) -> Result<Vec<u32>> {
        let (mut orders, mut ends) = (Vec::new(), Vec::new());
        for parent in parents {
            let free: Vec<u32> = parent.state.free_jobs().collect();
            let (front, back) = (parent.node.front_jobs(), parent.node.back_jobs());
            for &end in self.ends() {
                for position in 0..free.len() {
                    let (before, job, after) = (&free[..position], free[position], &free[position + 1..]);
                    orders.extend_from_slice(front);
                    if end == End::Front {
                        orders.push(job);
                    }
                    orders.extend_from_slice(before);
                    orders.extend_from_slice(after);
                    if end == End::Back {
                        orders.push(job);
                    }
                    orders.extend_from_slice(back);
                    let (at_front, at_back) = (front.len() as u32, back.len() as u32);
                    ends.extend(match end {
                        End::Front => [at_front + 1, at_back],
                        End::Back => [at_front, at_back + 1],
                    });
                }
            }
        }
        let count = ends.len() / 2;
        if count == 0 {
            return Ok(Vec::new());
        }
        let job_width = width(self.problem.instance.jobs() as u32 - 1);
        let orders = Compact::new(self.device, &self.queue, job_width, &orders)?;
        let ends = self.device.buffer_from(&self.queue, &ends)?;
        let bounds = self.device.buffer::<u32>(count)?;
        let tables = &self.tables;
        let machines = self.problem.instance.machines();
        let steps = if self.problem.pairs.is_some() { machines * (machines - 1) / 2 } else { 1 };
        let work = (steps * self.problem.instance.jobs() + machines * self.problem.instance.jobs()) as u64;
        let mut pacer = Pacer::new(&self.queue, slice.monitor, "branch and bound");
        let mut first = 0;
        while first < count {
            let most = usize::try_from(pacer.room() / work).unwrap_or(usize::MAX).max(self.group);
            let part = (count - first).min(most);
            let args = [
                tables.times.arg(),
                tables.lags.arg(),
                tables.orders.arg(),
                tables.starts.arg(),
                tables.rests.arg(),
                tables.machines.arg(),
                orders.arg(),
                ends.arg(),
                bounds.arg(),
                Arg::U32(first as u32),
                Arg::U32((first + part) as u32),
            ];
            self.queue.launch(&self.kernel, &args, [part.next_multiple_of(self.group)], [self.group])?;
            first += part;
            pacer.launched(work * part as u64, None)?;
        }
        let mut values = vec![0; count];
        self.queue.read(&bounds, 0, &mut values)?;
        Ok(values)
    }

    /// The ends at which children are bounded.
    fn ends(&self) -> &'static [End] {
        match self.problem.branching {
            Branching::Forward => &[End::Front],
            Branching::Backward => &[End::Back],
            _ => &[End::Front, End::Back],
        }
    }

    /// Branches the parents at the ends that their children's bounds suggest; open children join the open nodes.
    fn branch(
        &self,
        parents: &[Parent],
        mut bounds: &[u32],
        limit: &Limit,
        open: &mut Vec<Open>,
        slice: &Slice<'_>,
    ) {
        let first = open.len();
        for Parent { node, state } in parents {
            let limits = Limits { open: limit.get(), branching: self.problem.initial_limit };
            let (mut front, mut back) = (Bounds::none(state), Bounds::none(state));
            for &end in self.ends() {
                let (values, rest) = bounds.split_at(state.free_count);
                bounds = rest;
                let at_end = if end == End::Front { &mut front } else { &mut back };
                at_end.replace(state.free_jobs().zip(values.iter().copied()), limits);
            }
            let end = self.problem.branching.choose(&state.free, &front, &back);
            let chosen = if end == End::Front { &front } else { &back };
            let children = chosen.open_jobs().map(|job| node.child(chosen.values[job as usize], job, end));
            for child in children {
                if state.free_count > 2 {
                    open.push(child);
                } else {
                    self.offer(&child, &State::of(self.problem, &child), limit, slice);
                }
            }
        }
        // Deepest first, as the paper selects them.
        open[first..].sort_by_key(|node| node.fixed.len());
    }
}
