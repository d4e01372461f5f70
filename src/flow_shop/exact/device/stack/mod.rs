//! The open nodes of one device: a stack in its memory. Each round consists of three launches that
//! pop nodes and push their children.

mod check;
mod replay;

use std::ops::Range;
use std::time::{Duration, Instant};

pub(super) use self::replay::{Check, Checked, Run};
use super::kernels::{
    Advance, Batch, Branch, IMPROVED, INCUMBENT, STATE_WORDS, Sample, Shift, Smallest, Tails, rule,
};
use super::layout::Layout;
use super::tables::{Explored, Tables};
use crate::context::{SpotChecks, wrong};
use crate::flow_shop::exact::limit::Limit;
use crate::flow_shop::exact::objective::Objective;
use crate::flow_shop::exact::problem::Problem;
use crate::opencl::{Buffer, Device, DeviceKind, GroupArrays, Kernel, Local, Queue, Tunable};
use crate::solve::Monitor;
use crate::{Error, Result};

/// A device's stack and the kernels that work on it.
pub(super) struct Stack<'a> {
    queue: Queue,
    tables: Box<dyn Tables + 'a>,
    advance: Kernel<Advance<'static>>,
    branch: Kernel<Branch<'static>>,
    smallest: Kernel<Smallest<'static>>,
    tails: Kernel<Tails<'static>>,
    sample: Kernel<Sample<'static>>,
    shift: Kernel<Shift<'static>>,
    limit: u32,
    rule: u32,
    /// Most nodes in a batch now, at the end of a growth, and on the whole stack.
    width: usize,
    most: usize,
    capacity: usize,
    nodes: Buffer<u32>,
    batch: Buffer<u32>,
    listed: Buffer<u32>,
    summaries: Buffer<u32>,
    offsets: Buffer<u32>,
    state: Buffer<u32>,
    totals: Buffer<u64>,
    best: Buffer<u32>,
    least: Buffer<u32>,
    position: Position,
    /// Rounds to queue at once.
    pub(super) rounds: usize,
    most_rounds: usize,
    /// Children that a group writes at once, if local memory allows.
    some: usize,
    /// The time of a round of the last turn.
    round_time: Duration,
    checks: SpotChecks,
}

/// The state of a stack after the kernels' last launch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Position {
    /// Nodes of the next batch. It is 0 on a stack with nodes if their children might not fit.
    pub(super) batch: usize,
    pub(super) nodes: usize,
    pub(super) incumbent: u32,
}

/// Target time of the rounds that are queued at once.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);
/// Rounds and nodes of a batch before the first look, when the time of a round is unknown.
const FIRST_ROUNDS: usize = 1;
const FIRST_WIDTH: usize = 64;
/// Factor by which batches grow.
const GROWTH: usize = 4;
/// Words in a group's summary of its nodes.
const SUMMARY_WORDS: usize = 8;
/// A stack is cramped if it has room for less than 1 / `CRAMPED_SHARE` of a batch.
const CRAMPED_SHARE: usize = 8;

// The tunables of the families that have these kernels.
pub(in crate::flow_shop::exact) const MOST_ROUNDS: Tunable =
    Tunable::power("MOST_ROUNDS: most rounds to queue at once", (1, 4096));
// A group writes as many children at once.
pub(in crate::flow_shop::exact) const BRANCH_GROUP: Tunable =
    Tunable::power("BRANCH_GROUP: work-items of a group for children", (16, 1024));
// Depth-first search leaves that many nodes open.
pub(in crate::flow_shop::exact) const STACK_BATCHES: Tunable =
    Tunable::number("STACK_BATCHES: batches of a stack, if memory allows", (2, 256));

impl<'a> Stack<'a> {
    /// An empty stack.
    pub(super) fn new<O: Explored>(
        device: &'a Device,
        problem: &Problem<'_, O>,
        monitor: &Monitor,
    ) -> Result<Self> {
        Stack::with_batches(device, problem, usize::MAX, monitor)
    }

    /// An empty stack with batches of about `most` nodes at most.
    pub(super) fn with_batches<O: Explored>(
        device: &'a Device,
        problem: &Problem<'_, O>,
        most: usize,
        monitor: &Monitor,
    ) -> Result<Self> {
        let queue = device.queue();
        let tables = O::tables(device, &queue, problem)?;
        let (jobs, words) = (tables.layout().jobs(), tables.layout().record_words());
        let most =
            (tables.round_bounds() / jobs).clamp(1, most).next_multiple_of(tables.tile_nodes());
        let program = tables.program()?;
        let wanted = most * program.tuned("STACK_BATCHES");
        let capacity = capacity(device, tables.layout(), wanted, monitor)?;
        let most = most.min((capacity / jobs).next_multiple_of(tables.tile_nodes()));
        let groups = most / tables.tile_nodes();
        let stack = Stack {
            advance: program.kernel()?,
            branch: program.kernel()?,
            smallest: program.kernel()?,
            tails: program.kernel()?,
            sample: program.kernel()?,
            shift: program.kernel()?,
            limit: problem.initial_limit,
            rule: rule(problem.branching),
            width: most.min(FIRST_WIDTH.next_multiple_of(tables.tile_nodes())),
            most,
            capacity,
            nodes: device.buffer(capacity * words)?,
            batch: device.buffer(most * words)?,
            listed: device.buffer(most * (jobs * 2).max(1 + tables.layout().tail_words()))?,
            summaries: device.buffer(groups * SUMMARY_WORDS)?,
            offsets: device.buffer(groups + 1)?,
            state: device.buffer_from(&queue, &[0, 0, problem.initial_limit, 0, 0, 0])?,
            totals: device.buffer_from(&queue, &[0; 2])?,
            best: device.buffer(jobs)?,
            least: device.buffer(1)?,
            position: Position { incumbent: problem.initial_limit, ..Position::default() },
            rounds: FIRST_ROUNDS,
            most_rounds: program.tuned("MOST_ROUNDS"),
            some: program.tuned("BRANCH_GROUP"),
            round_time: Duration::ZERO,
            checks: SpotChecks::new(),
            tables,
            queue,
        };
        Ok(stack)
    }

    /// Pretends to have less memory, and takes smaller batches.
    #[cfg(test)]
    pub(super) fn shrink(&mut self, capacity: usize) {
        self.capacity = capacity.min(self.capacity);
        self.most = self.most.min(4 * self.tables.tile_nodes());
        self.width = self.most;
    }

    /// Most nodes on the stack.
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    pub(super) fn layout(&self) -> &Layout {
        self.tables.layout()
    }

    /// Nodes of a full batch, as far as batches have grown.
    pub(super) fn batch_nodes(&self) -> usize {
        self.width
    }

    /// Runs rounds for some milliseconds, fewer if `end` is near, and reads the state. Returns the
    /// runs to check.
    pub(super) fn turn<O: Objective>(
        &mut self,
        problem: &Problem<'_, O>,
        limit: &Limit,
        monitor: &Monitor,
        end: Instant,
    ) -> Result<Vec<Run>> {
        let (mut noted, mut rounds) = (Vec::new(), 0);
        if self.position.nodes == 0 {
            return Ok(noted);
        }
        self.lower_incumbent(limit.get())?;
        let start = Instant::now();
        let planned = self.rounds_until(end, start);
        while rounds < planned && self.position.batch > 0 && self.checks.quota() > 0 {
            noted.extend(self.noted_round()?);
            self.look(problem, limit, monitor)?;
            rounds += 1;
        }
        if rounds < planned {
            self.launch(planned - rounds)?;
            self.look(problem, limit, monitor)?;
        }
        let elapsed = start.elapsed();
        self.round_time = elapsed / planned as u32;
        if planned < self.rounds {
            return Ok(noted);
        }
        if self.width < self.most {
            if elapsed < LOOK_INTERVAL / (2 * GROWTH as u32) {
                self.widen()?;
            }
        } else if elapsed < LOOK_INTERVAL / 2 {
            self.rounds = (self.rounds * 2).min(self.most_rounds);
        } else if elapsed > LOOK_INTERVAL * 2 {
            self.rounds = (self.rounds / 2).max(1);
        }
        Ok(noted)
    }

    /// The rounds of the next turn. Devices that search together end at the same time, so that none
    /// waits for the others. A search whose end has passed makes one whole turn.
    fn rounds_until(&self, end: Instant, now: Instant) -> usize {
        if end <= now {
            return self.rounds;
        }
        let left = end.saturating_duration_since(now).as_secs_f64();
        let fit = (left / self.round_time.as_secs_f64().max(1e-9)) as usize;
        self.rounds.min(fit).max(1)
    }

    /// Lets batches grow. A round of a full batch would take long on a slow device.
    fn widen(&mut self) -> Result<()> {
        self.width = (self.width * GROWTH).min(self.most);
        self.set_nodes(self.position.nodes)
    }

    /// Queues rounds. They do nothing once the stack is empty.
    fn launch(&self, rounds: usize) -> Result<()> {
        let tables = &self.tables;
        let layout = tables.layout();
        let groups = self.width / tables.tile_nodes();
        let (size, jobs, tile_nodes) =
            (self.record_quads(), layout.jobs() as u32, tables.tile_nodes() as u32);
        let Stack { nodes: stack, batch, listed, summaries, offsets, state, .. } = self;
        let expand = Batch {
            stack,
            batch,
            rule: self.rule,
            limit: self.limit,
            state,
            listed,
            summaries,
            end: Local(tables.tile_nodes() * 4),
            kept: Local(tables.tile_nodes() * 4),
        };
        let advance_group = tables.group();
        let advance = Advance {
            batch,
            size,
            jobs,
            tile_nodes,
            most: self.width as u32,
            capacity: self.capacity as u32,
            summaries,
            offsets,
            state,
            totals: &self.totals,
            best: &self.best,
            sums: Local(advance_group * 4),
            group_arrays: GroupArrays::WORDS,
        };
        let branch_group = self.branch.group("BRANCH_GROUP");
        // An odd number of words per child avoids bank conflicts in local memory.
        let stride = layout.record_words() | 1;
        let local_words = tables.device().info().group_memory_bytes() as usize / 8;
        let some = self.some.min((local_words / stride).max(1));
        let branch = Branch {
            stack,
            batch,
            size,
            jobs,
            times: tables.times(),
            tile_nodes,
            state,
            listed,
            offsets,
            some: some as u32,
            stride: stride as u32,
            children: Local(some * stride * 4),
        };
        for _ in 0..rounds {
            tables.expand(&self.queue, expand, groups)?;
            self.queue.launch(&self.advance, &advance, [advance_group], [advance_group])?;
            self.queue.launch(&self.branch, &branch, [groups * branch_group], [branch_group])?;
        }
        Ok(())
    }

    fn record_quads(&self) -> u32 {
        (self.layout().record_words() / self.layout().quad_words()) as u32
    }

    /// Whether the children of a worthwhile batch might not fit.
    pub(super) fn is_cramped(&self) -> bool {
        self.position.batch < self.position.nodes.min(self.width / CRAMPED_SHARE + 1)
    }

    /// The state of the stack when the host last read it.
    pub(super) fn position(&self) -> Position {
        self.position
    }

    /// Waits for the queue, reads the state, and offers the device's best sequence if it is new.
    fn look<O: Objective>(
        &mut self,
        problem: &Problem<'_, O>,
        limit: &Limit,
        monitor: &Monitor,
    ) -> Result<()> {
        let mut state = [0; STATE_WORDS];
        self.queue.read(&self.state, 0, &mut state)?;
        let [base, batch, incumbent, improved, ..] = state;
        let (batch, nodes, known) =
            (batch as usize, base as usize + batch as usize, self.position.incumbent);
        if nodes > self.capacity || batch != self.batch_of(nodes) {
            return Err(wrong("the number of open nodes"));
        }
        self.position = Position { batch, nodes, incumbent };
        if improved == 0 && incumbent == known {
            return Ok(());
        }
        self.queue.write(&self.state, IMPROVED, &[0])?;
        let mut numbers = vec![0; self.layout().jobs()];
        self.queue.read(&self.best, 0, &mut numbers)?;
        let middle = self.layout().jobs_of(&numbers).unwrap_or_default();
        let order = [problem.instance.pinned(), &middle].concat();
        // Nodes were pruned by this value, so it must be correct.
        let value = O::value(problem.instance, &order).ok();
        if value != Some(incumbent.into()) || incumbent >= known {
            return Err(wrong("the value of a sequence"));
        }
        limit.offer(incumbent, &order, monitor);
        Ok(())
    }

    /// Lowers the device's incumbent to one found elsewhere.
    fn lower_incumbent(&mut self, incumbent: u32) -> Result<()> {
        if incumbent < self.position.incumbent {
            self.position.incumbent = incumbent;
            self.queue.write(&self.state, INCUMBENT, &[incumbent])?;
        }
        Ok(())
    }

    /// Decomposed nodes and their free jobs since the stack was created.
    pub(super) fn totals(&self) -> Result<[u64; 2]> {
        let mut totals = [0; 2];
        self.queue.read(&self.totals, 0, &mut totals)?;
        Ok(totals)
    }

    /// The least bound on a nonempty stack, computed twice with different groups.
    pub(super) fn least_bound(&self) -> Result<u32> {
        let groups = self.tables.device().info().compute_units as usize * 4;
        let least = self.least_bound_by(groups)?;
        if least == self.least_bound_by(groups + 1)? {
            Ok(least)
        } else {
            Err(wrong("the least bound"))
        }
    }

    fn least_bound_by(&self, groups: usize) -> Result<u32> {
        let group = self.tables.group().min(self.smallest.max_work_group_size());
        self.queue.fill(&self.least, 0, 1, u32::MAX)?;
        let arguments = Smallest {
            stack: &self.nodes,
            size: self.record_quads(),
            state: &self.state,
            smallest: &self.least,
            group_arrays: GroupArrays::WORDS,
        };
        self.queue.launch(&self.smallest, &arguments, [groups * group], [group])?;
        let mut least = [0];
        self.queue.read(&self.least, 0, &mut least)?;
        Ok(least[0])
    }

    /// Pushes records onto the stack.
    pub(super) fn push(&mut self, records: &[u32]) -> Result<()> {
        let words = self.layout().record_words();
        let (below, nodes) = (self.position.nodes, self.position.nodes + records.len() / words);
        if nodes > self.capacity {
            return Err(Error::internal(format!("{nodes} nodes on a stack for {}", self.capacity)));
        }
        self.queue.write(&self.nodes, below * words, records)?;
        self.set_nodes(nodes)
    }

    /// Removes the records of the lowest nodes, which have the largest subtrees.
    pub(super) fn take_lowest(&mut self, count: usize) -> Result<Vec<u32>> {
        let records = self.records(0..count)?;
        self.checked_shift(count)?;
        self.set_nodes(self.position.nodes - count)?;
        Ok(records)
    }

    /// Moves the records from index `count` on to the bottom.
    fn shift_down(&self, count: usize) -> Result<()> {
        let words = self.layout().record_words();
        let left = self.position.nodes - count;
        let quads = words / self.layout().quad_words();
        let group = self.tables.group().min(self.shift.max_work_group_size());
        // The moved pieces have at most `count` records, so source and destination never overlap.
        for to in (0..left).step_by(count.max(1)) {
            let some = count.min(left - to);
            let arguments = Shift {
                stack: &self.nodes,
                from: (to + count) as u32,
                to: to as u32,
                count: some as u32,
                size: quads as u32,
            };
            self.queue.launch(
                &self.shift,
                &arguments,
                [(some * quads).next_multiple_of(group)],
                [group],
            )?;
        }
        Ok(())
    }

    fn set_nodes(&mut self, nodes: usize) -> Result<()> {
        let batch = self.batch_of(nodes);
        self.queue.write(&self.state, 0, &[(nodes - batch) as u32, batch as u32])?;
        self.position = Position { batch, nodes, ..self.position };
        Ok(())
    }

    /// Nodes of the next batch on a stack with `nodes` nodes: the rule of `advance` in
    /// cl/flow_shop_explore.cl.
    fn batch_of(&self, nodes: usize) -> usize {
        nodes.min(self.width).min((self.capacity - nodes) / self.layout().jobs())
    }

    /// The ends of all records, lowest first. The kernel gathers them in memory that rounds use
    /// only while they run.
    pub(super) fn tails(&mut self) -> Result<Vec<u32>> {
        let layout = self.layout();
        let words = layout.tail_words();
        let mut tails = vec![0; self.position.nodes * words];
        let piece = self.listed.len() / words;
        for (number, part) in tails.chunks_mut(piece * words).enumerate() {
            let nodes: Range<usize> = number * piece..number * piece + part.len() / words;
            let group = self.tables.group().min(self.tails.max_work_group_size());
            let arguments = Tails {
                stack: &self.nodes,
                record_words: layout.record_words() as u32,
                words: words as u32,
                first: nodes.start as u32,
                count: nodes.len() as u32,
                tails: &self.listed,
            };
            self.queue.launch(
                &self.tails,
                &arguments,
                [part.len().next_multiple_of(group)],
                [group],
            )?;
            self.queue.read(&self.listed, 0, part)?;
        }
        self.check_tails(&tails)?;
        Ok(tails)
    }
}

/// The number of nodes that a stack has room for, if it wants room for some.
fn capacity(device: &Device, layout: &Layout, wanted: usize, monitor: &Monitor) -> Result<usize> {
    let info = device.info();
    let mut limit = info.max_allocation_bytes.min(info.global_memory_bytes / 2);
    if info.kind == DeviceKind::Cpu {
        // A processor's device memory is the host's memory.
        limit = limit.min(monitor.memory_bytes() / 2);
    }
    let node_bytes = 4 * layout.record_words();
    let fits = usize::try_from(limit).unwrap_or(usize::MAX) / node_bytes;
    // Depth-first search that decomposes one node at a time never has more open nodes.
    let least = layout.jobs() * (layout.jobs() + 1);
    let capacity = wanted.max(least).min(fits).min(u32::MAX as usize / 2);
    if capacity < least {
        let required = (least * node_bytes) as u128;
        return Err(Box::new(Error::OutOfMemory {
            what: format!("open nodes on {}", info.name),
            required,
            limit,
        }));
    }
    Ok(capacity)
}
