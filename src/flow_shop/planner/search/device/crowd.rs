//! Trajectories of some instances on a device.

use std::ops::Range;

use super::kernels::Greedy;
use super::member::Member;
use super::states::{self, BEST_ROW, SEQUENCES, STATE_WORDS};
use super::tables::{self, Tables};
use super::{FAMILY, Shape};
use crate::context::wrong;
use crate::flow_shop::Objective;
use crate::flow_shop::permutation::is_permutation;
use crate::flow_shop::planner::problem::Problem;
use crate::opencl::{Buffer, Device, Kernel, Local, Queue};
use crate::solve::{Monitor, Statistics, unless_stopped};
use crate::{Error, Pacer, Result, Units, memory};

/// Trajectories between two launches: all that another device needs to continue them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::flow_shop::planner) struct Snapshot {
    sequences: Vec<u32>,
    states: Vec<u64>,
}

impl Snapshot {
    /// `each` trajectories of every member at their starts.
    fn at_starts(members: &[Member<'_>], sizes: Sizes, each: usize, seed: u64) -> Result<Self> {
        let Sizes { jobs, shape, .. } = sizes;
        let trajectories = members.len() * each;
        let mut sequences = memory::zeroed::<u32>(trajectories * SEQUENCES * jobs)?;
        let mut states = memory::list(trajectories * STATE_WORDS)?;
        for (rows, number) in sequences.chunks_exact_mut(SEQUENCES * jobs).zip(0..) {
            let member = &members[number / each];
            for row in rows.chunks_exact_mut(jobs) {
                row[..member.start.len()].copy_from_slice(member.start);
            }
            let seed = seed.wrapping_add(((number % each) as u64) << 32);
            let value = value(member.problem, &shape, member.start);
            let changes = changes(member.problem, member.start);
            states.extend(states::start(seed, member.start.len(), &value, changes));
        }
        Ok(Snapshot { sequences, states })
    }

    pub(super) fn trajectories(&self) -> usize {
        self.states.len() / STATE_WORDS
    }

    /// Some of the trajectories.
    pub(super) fn part(&self, range: Range<usize>) -> Snapshot {
        let words = self.sequences.len() / self.trajectories().max(1);
        let part = |words: usize| range.start * words..range.end * words;
        Snapshot {
            sequences: self.sequences[part(words)].to_vec(),
            states: self.states[part(STATE_WORDS)].to_vec(),
        }
    }

    /// The trajectories of all parts, in order.
    pub(super) fn join(parts: Vec<Snapshot>) -> Snapshot {
        let (mut sequences, mut states) = (Vec::new(), Vec::new());
        for part in parts {
            sequences.extend(part.sequences);
            states.extend(part.states);
        }
        Snapshot { sequences, states }
    }

    /// The best value, the iterations and the evaluations of each trajectory.
    #[cfg(test)]
    pub(super) fn results(&self) -> Vec<([i64; Objective::MAX_STAGES], [u64; 2])> {
        let result = |state: &[u64]| {
            let counts = [states::ITERATIONS, states::EVALUATIONS].map(|word| state[word]);
            (states::best_value(state), counts)
        };
        self.states.chunks_exact(STATE_WORDS).map(result).collect()
    }

    /// Adds the evaluated sequences, and the most iterations of a trajectory.
    pub(in crate::flow_shop::planner) fn count(&self, statistics: &mut Statistics) {
        count(self.states.chunks_exact(STATE_WORDS), statistics);
    }
}

/// All trajectories of the members, `each` of every one.
pub(in crate::flow_shop::planner) struct Crowd<'a> {
    queue: &'a Queue,
    pacer: Pacer<'a>,
    members: &'a [Member<'a>],
    sizes: Sizes,
    each: usize,
    kernel: Kernel<Greedy<'static>>,
    group: usize,
    /// Most placements of a launch.
    most_placements: u64,
    tables: Tables,
    buffers: Buffers,
    states: Vec<u64>,
}

struct Buffers {
    sequences: Buffer<u32>,
    states: Buffer<u64>,
    heads: Buffer<u32>,
    tails: Buffer<u32>,
    released: Buffer<u32>,
    scored: Buffer<i64>,
}

/// A sequence that the device has found.
pub(in crate::flow_shop::planner) struct Found {
    pub(in crate::flow_shop::planner) member: usize,
    /// Without the pinned jobs.
    pub(in crate::flow_shop::planner) order: Vec<u32>,
}

impl<'a> Crowd<'a> {
    /// The members must be alike. The seeds of a member's trajectories begin with `seed`.
    ///
    /// # Errors
    /// Errors of the device; [`Error::OutOfMemory`] if the trajectories don't fit there;
    /// [`Error::Unsupported`] for a model or a size without a kernel.
    pub(in crate::flow_shop::planner) fn new(
        device: &Device,
        queue: &'a Queue,
        monitor: &'a Monitor,
        members: &'a [Member<'a>],
        each: usize,
        seed: u64,
    ) -> Result<Self> {
        let problem = members.first().ok_or_else(|| Error::internal("no instance"))?.problem;
        let kernel = Shape::of(problem)?.kernel(device)?;
        Crowd::with_kernel(device, queue, monitor, members, (each, seed), kernel)
    }

    /// The same with a kernel and its groups.
    pub(super) fn with_kernel(
        device: &Device,
        queue: &'a Queue,
        monitor: &'a Monitor,
        members: &'a [Member<'a>],
        (each, seed): (usize, u64),
        kernel: (Kernel<Greedy<'static>>, usize),
    ) -> Result<Self> {
        let problem = members.first().ok_or_else(|| Error::internal("no instance"))?.problem;
        let sizes = Sizes::of(device, problem, Shape::of(problem)?);
        sizes.check(device, monitor, members, each)?;
        let snapshot = Snapshot::at_starts(members, sizes, each, seed)?;
        Crowd::from(device, (queue, monitor), members, &snapshot, sizes, kernel)
    }

    /// Trajectories of one instance that continue from a snapshot.
    pub(super) fn resume(
        device: &Device,
        (queue, monitor): (&'a Queue, &'a Monitor),
        members: &'a [Member<'a>; 1],
        snapshot: &Snapshot,
    ) -> Result<Self> {
        let problem = members[0].problem;
        let shape = Shape::of(problem)?;
        let (sizes, kernel) = (Sizes::of(device, problem, shape), shape.kernel(device)?);
        sizes.check(device, monitor, members, snapshot.trajectories())?;
        let mut snapshot = snapshot.clone();
        for state in snapshot.states.chunks_exact_mut(STATE_WORDS) {
            // The heads and tails are on another device.
            (state[states::KNOWN_HEADS], state[states::KNOWN_TAILS]) = (0, 0);
        }
        Crowd::from(device, (queue, monitor), members, &snapshot, sizes, kernel)
    }

    fn from(
        device: &Device,
        (queue, monitor): (&'a Queue, &'a Monitor),
        members: &'a [Member<'a>],
        snapshot: &Snapshot,
        sizes: Sizes,
        (kernel, group): (Kernel<Greedy<'static>>, usize),
    ) -> Result<Self> {
        let Sizes { stride, shape, .. } = sizes;
        sizes.check_local(device, sizes.local(group).iter().sum())?;
        let trajectories = snapshot.trajectories();
        let (heads, tails, scored) = sizes.tables();
        Ok(Crowd {
            queue,
            pacer: Pacer::new(queue, monitor, "iterated greedy"),
            tables: Tables::new(device, queue, members, &shape)?,
            buffers: Buffers {
                sequences: device.buffer_from(queue, &snapshot.sequences)?,
                states: device.buffer_from(queue, &snapshot.states)?,
                heads: device.buffer(heads * trajectories)?,
                tails: device.buffer(tails * trajectories)?,
                released: device.buffer(stride * trajectories)?,
                scored: device.buffer(scored * trajectories)?,
            },
            members,
            sizes,
            each: trajectories / members.len(),
            kernel,
            group,
            most_placements: device.tuned(&FAMILY, "MOST_PLACEMENTS") as u64,
            states: snapshot.states.clone(),
        })
    }

    /// The trajectories after the last launch.
    pub(in crate::flow_shop::planner) fn snapshot(&self) -> Result<Snapshot> {
        let mut sequences = memory::zeroed::<u32>(self.buffers.sequences.len())?;
        self.queue.read(&self.buffers.sequences, 0, &mut sequences)?;
        Ok(Snapshot { sequences, states: self.states.clone() })
    }

    /// Whether all trajectories have made that many iterations.
    pub(in crate::flow_shop::planner) fn is_at(&self, iterations: u64) -> bool {
        self.each_state().all(|state| {
            state[states::PHASE] == states::READY && state[states::ITERATIONS] >= iterations
        })
    }

    /// Searches for a while, at most to that number of iterations. After [`Error::Stopped`], the
    /// sequences that the device has found still count.
    pub(in crate::flow_shop::planner) fn advance(&mut self, iterations: u64) -> Result<()> {
        let (trajectories, work) = (self.members.len() * self.each, self.sizes.placement_work());
        let all = work.saturating_mul(trajectories as u64);
        // One more than there is room for, so that the pacer waits for each launch.
        let placements = (self.pacer.room() / all.max(1)).min(self.most_placements) + 1;
        let (queue, kernel, group) = (self.queue, &self.kernel, self.group);
        let local = self.sizes.local(group);
        let arguments = Greedy {
            shops: self.tables.arguments(),
            sequences: &self.buffers.sequences,
            states: &self.buffers.states,
            heads: &self.buffers.heads,
            tails: &self.buffers.tails,
            released: &self.buffers.released,
            scored: &self.buffers.scored,
            jobs: self.jobs() as u32,
            kind_count: self.tables.kind_count,
            each: self.each as u32,
            stride: self.sizes.stride as u32,
            placements: placements as u32,
            iterations,
            order: Local(local[0]),
            turns: Local(local[1]),
            ring: Local(local[2]),
            links: Local(local[3]),
            keys: Local(local[4]),
            places: Local(local[5]),
        };
        let launch = |part: Range<usize>| {
            let (first, global) = ([0, part.start], [group, part.len()]);
            queue.launch_from(kernel, &arguments, first, global, [group, 1])
        };
        let launched = match placements {
            // A slow device gets some trajectories at a time.
            1 => self.pacer.launch(0..trajectories, Units::of(work), &mut |part| {
                launch(part)?;
                Ok(None)
            }),
            _ => {
                launch(0..trajectories)?;
                self.pacer.launched(all.saturating_mul(placements), None)
            }
        };
        match launched {
            Err(error) if !matches!(*error, Error::Stopped) => return Err(error),
            _ => {}
        }
        self.queue.read(&self.buffers.states, 0, &mut self.states)?;
        launched
    }

    /// Like [`Crowd::advance`], until all trajectories have made the iterations, a limit ends it,
    /// or `goes_on` returns false. It leaves the sequences on the device, so that many members take
    /// no time of the CPU.
    pub(in crate::flow_shop::planner) fn advance_while(
        &mut self,
        iterations: u64,
        mut goes_on: impl FnMut(&Self) -> bool,
    ) -> Result<()> {
        while !self.is_at(iterations) {
            if unless_stopped(self.advance(iterations))?.is_none() || !goes_on(self) {
                break;
            }
        }
        Ok(())
    }

    /// The value of a member's best sequence.
    pub(in crate::flow_shop::planner) fn best_value(
        &self,
        member: usize,
    ) -> [i64; Objective::MAX_STAGES] {
        self.best(member).0
    }

    /// The value of a member's best sequence on the device, and its trajectory there.
    fn best(&self, member: usize) -> ([i64; Objective::MAX_STAGES], usize) {
        let first = member * self.each;
        let trajectories = first..first + self.each;
        let values = trajectories.map(|number| (states::best_value(self.state(number)), number));
        values.min().unwrap_or(([i64::MAX; Objective::MAX_STAGES], first))
    }

    /// The members' best sequences that are better than the values known of them, which follow.
    pub(in crate::flow_shop::planner) fn better(&self, known: &mut Known) -> Result<Vec<Found>> {
        let mut found = Vec::new();
        for (member, known) in known.0.iter_mut().enumerate() {
            let (value, trajectory) = self.best(member);
            if value < *known {
                *known = value;
                let mut order = vec![0; self.members[member].start.len()];
                let row = (trajectory * SEQUENCES + BEST_ROW) * self.jobs();
                self.queue.read(&self.buffers.sequences, row, &mut order)?;
                found.push(self.checked(member, &order, value)?);
            }
        }
        Ok(found)
    }

    /// All sequences that have their member's best value.
    pub(in crate::flow_shop::planner) fn bests(&self) -> Result<Vec<Found>> {
        let mut sequences = memory::zeroed::<u32>(self.buffers.sequences.len())?;
        self.queue.read(&self.buffers.sequences, 0, &mut sequences)?;
        let mut found = Vec::new();
        for member in 0..self.members.len() {
            let (best, _) = self.best(member);
            for trajectory in member * self.each..(member + 1) * self.each {
                if states::best_value(self.state(trajectory)) == best {
                    let row = &sequences[(trajectory * SEQUENCES + BEST_ROW) * self.jobs()..];
                    let order = &row[..self.members[member].start.len()];
                    found.push(self.checked(member, order, best)?);
                }
            }
        }
        Ok(found)
    }

    /// Values that no sequence has been found for.
    pub(in crate::flow_shop::planner) fn known(&self) -> Known {
        Known(vec![[i64::MAX; Objective::MAX_STAGES]; self.members.len()])
    }

    /// Evaluations of all trajectories so far.
    pub(in crate::flow_shop::planner) fn evaluations(&self) -> u64 {
        self.each_state().map(|state| state[states::EVALUATIONS]).sum()
    }

    /// Adds a member's evaluated sequences, and the most iterations of its trajectories.
    pub(in crate::flow_shop::planner) fn count(&self, member: usize, statistics: &mut Statistics) {
        count(self.each_state().skip(member * self.each).take(self.each), statistics);
    }

    /// A sequence of the device, evaluated again.
    fn checked(
        &self,
        member: usize,
        order: &[u32],
        claimed: [i64; Objective::MAX_STAGES],
    ) -> Result<Found> {
        let Member { problem, start, .. } = self.members[member];
        let whole = [problem.pinned(), order].concat();
        let is_of_member =
            order.len() == start.len() && is_permutation(whole.into_iter(), problem.jobs());
        if !is_of_member || value(problem, &self.sizes.shape, order) != claimed {
            return Err(wrong("the value of a trajectory's best sequence"));
        }
        Ok(Found { member, order: order.to_vec() })
    }

    fn jobs(&self) -> usize {
        self.members[0].problem.jobs()
    }

    fn state(&self, trajectory: usize) -> &[u64] {
        &self.states[trajectory * STATE_WORDS..][..STATE_WORDS]
    }

    fn each_state(&self) -> impl Iterator<Item = &[u64]> + Clone {
        self.states.chunks_exact(STATE_WORDS)
    }
}

/// Adds the evaluated sequences of trajectories, and the most iterations of one.
fn count<'s>(states: impl Iterator<Item = &'s [u64]> + Clone, statistics: &mut Statistics) {
    let iterations = states.clone().map(|state| state[states::ITERATIONS]).max();
    statistics.add("evaluations", states.map(|state| state[states::EVALUATIONS]).sum());
    statistics.add("iterations", iterations.unwrap_or(0));
}

/// The best known value of each member's sequences.
pub(in crate::flow_shop::planner) struct Known(Vec<[i64; Objective::MAX_STAGES]>);

/// The value of a sequence as the device counts it.
fn value(problem: &Problem<'_>, shape: &Shape, order: &[u32]) -> [i64; Objective::MAX_STAGES] {
    match shape.stages {
        0 => {
            let mut value = [0; Objective::MAX_STAGES];
            value[0] = problem.latest(order).into();
            value
        }
        _ => problem.cost(&[problem.pinned(), order].concat()).0,
    }
}

/// The inversions and new predecessors of a sequence, if they count.
pub(super) fn changes(problem: &Problem<'_>, order: &[u32]) -> [u64; 2] {
    match problem.scoring.has_plan() {
        true => problem.scoring.changes(&[problem.pinned(), order].concat()),
        false => [0; 2],
    }
}

/// The sizes of a sequence's tables on a device.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) jobs: usize,
    /// Length of a row of positions.
    pub(super) stride: usize,
    pub(super) shape: Shape,
    /// Jobs whose times a work-group loads together.
    chunk: usize,
}

impl Sizes {
    pub(super) fn of(device: &Device, problem: &Problem<'_>, shape: Shape) -> Self {
        let (jobs, chunk) = (problem.jobs(), shape.chunk(device));
        Sizes { jobs, stride: (jobs + 1).next_multiple_of(32), shape, chunk }
    }

    /// Numbers of the heads, the tails and the scores of a sequence.
    pub(super) fn tables(&self) -> (usize, usize, usize) {
        let table = self.shape.machines * self.stride;
        match self.shape.stages {
            0 => (table, table, 0),
            stages => (table, 0, (stages + 1) * self.stride),
        }
    }

    /// About nanoseconds of a processor to evaluate all places of a job.
    pub(super) fn placement_work(&self) -> u64 {
        let cells = (self.jobs * self.shape.machines) as u64;
        match self.shape.stages {
            0 => 3 * cells,
            _ => cells * (2 + self.jobs as u64 / 8),
        }
    }

    /// The same to evaluate a job's exchanges with all later ones in a group.
    pub(super) fn exchange_work(&self, group: usize) -> u64 {
        let cells = (self.jobs * self.shape.machines) as u64;
        cells * self.jobs.div_ceil(group) as u64
    }

    /// Bytes of the order, the turns, the ring, the links, the keys and the places of a group.
    pub(super) fn local(&self, group: usize) -> [usize; 6] {
        let (keys, has_setups) = (self.shape.values() + 1, usize::from(self.shape.has_setups));
        let ring = 8 * self.chunk * self.shape.machines * (1 + has_setups);
        [4 * self.jobs, 4 * self.jobs, ring, 16 * (group + 1), 8 * keys * group, 4 * group]
    }

    /// Refuses a group that takes more memory than it has.
    pub(super) fn check_local(&self, device: &Device, bytes: usize) -> Result<()> {
        if bytes as u64 > device.info().group_memory_bytes() {
            let jobs = self.jobs;
            let reason = format!("the memory of a work-group holds no {jobs} jobs");
            return Err(Error::device_failed(reason));
        }
        Ok(())
    }

    /// Refuses trajectories that do not fit in the device's memory.
    pub(super) fn check(
        &self,
        device: &Device,
        monitor: &Monitor,
        members: &[Member<'_>],
        each: usize,
    ) -> Result<()> {
        let (stride, stages) = (self.stride as u128, self.shape.stages as u128);
        let tables = if stages == 0 { 8 * self.shape.machines as u128 } else { 0 };
        let scores =
            if stages == 0 { 0 } else { 8 * (stages + 1) + 4 * self.shape.machines as u128 };
        let trajectory =
            stride * (tables + scores + 4) + (4 * SEQUENCES * self.jobs + 8 * STATE_WORDS) as u128;
        let instances: u128 = members.iter().map(|member| tables::bytes(member.problem)).sum();
        let required = instances + trajectory * (members.len() * each) as u128;
        let limit = device.info().buffer_bytes(monitor.memory_bytes());
        if required > u128::from(limit) {
            let what = format!("{} trajectories on a device", members.len() * each);
            return Err(Box::new(Error::OutOfMemory { what, required, limit }));
        }
        Ok(())
    }
}
