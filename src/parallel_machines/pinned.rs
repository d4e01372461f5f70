//! Jobs that are pinned to machines, by reduction to an instance without such jobs.
//!
//! Let machine i have the load `L_i` of its pinned jobs, and let U be the makespan of a known
//! schedule. The reduced instance has the other jobs, and for each machine a *block* of time
//! `K + L_i`, where K is so large that two blocks together exceed `K + U`. As many machines as
//! blocks: in a schedule of at most `K + U` each machine has one block, so that it is a schedule of
//! the instance, longer by K. An optimum is no longer than U, so that optimum and bound differ by K
//! as well.

use std::collections::HashMap;
use std::sync::Arc;

use super::incumbent::{Answer, Incumbent, found};
use super::instance::MAX_TOTAL;
use super::lpt::LeastLoaded;
use super::schedule::Assignment;
use super::{Instance, Method, Schedule, Search, rounding};
use crate::memory::Gather;
use crate::solve::{Found, Monitor, Offset, unless_stopped};
use crate::{Error, Result, memory};

/// Solves an instance with pinned jobs.
///
/// # Errors
/// [`Error::Unsupported`] for the scheme, [`Error::Overflow`] if the blocks are too long, and those
/// of [`Search::run`].
pub(super) fn solve(
    instance: &Instance,
    search: Search<'_, '_>,
    start: Option<Assignment>,
    monitor: &Monitor,
) -> Result<Answer> {
    let loaded = Loaded::new(instance, monitor)?;
    let bound = loaded.bound();
    let (mut makespan, lpt) = loaded.lpt(monitor)?;
    let mut assignment = Arc::new(lpt);
    monitor.note_found(makespan, Some(bound), || found(&assignment));
    monitor.report("lpt", None);
    if let Some((shorter, start)) = start {
        if shorter < makespan {
            (makespan, assignment) = (shorter, Arc::new(loaded.on_useful_machines(&start)?));
            monitor.note_found(makespan, None, || found(&assignment));
        }
        monitor.report("start", None);
    }
    if makespan == bound || search.options.method == Method::Lpt {
        return Ok(Answer { makespan, assignment: Arc::unwrap_or_clone(assignment), bound });
    }
    let reduced = loaded.reduce(makespan)?;
    let own = reduced.assignment(&assignment)?;
    let part = reduced.watch(monitor);
    let k = reduced.precision(search.k, bound);
    let answer = Search { k, ..search }.run(|| {
        let (known, own) = (bound + reduced.added, memory::copied(&own)?);
        Incumbent::begin(&reduced.instance, &part, (makespan + reduced.added, own), known)
    });
    monitor.join(&part);
    match unless_stopped(answer)? {
        Some(answer) => reduced.answer(&answer),
        None => Ok(Answer { makespan, assignment: Arc::unwrap_or_clone(assignment), bound }),
    }
}

/// Machines with the loads of their pinned jobs.
struct Loaded<'a> {
    instance: &'a Instance,
    /// The jobs that are not pinned, the longest first.
    free: Vec<u32>,
    /// The machines that a schedule needs, in ascending order: those with pinned jobs, and of the
    /// others the first, as many as there are free jobs.
    machines: Vec<u32>,
    /// Their loads.
    loads: Vec<u64>,
}

impl<'a> Loaded<'a> {
    /// # Errors
    /// [`Error::Stopped`] if there are many jobs, and [`Error::OutOfMemory`].
    fn new(instance: &'a Instance, monitor: &Monitor) -> Result<Self> {
        let mut is_free = memory::filled(true, instance.jobs())?;
        let mut load_of: HashMap<u32, u64> = HashMap::new();
        for (&job, &machine) in instance.pinned().iter().zip(instance.pinned_machines()) {
            is_free[job as usize] = false;
            *load_of.entry(machine).or_default() += instance.times()[job as usize];
        }
        let mut free = instance.longest_first(monitor)?;
        free.retain(|&job| is_free[job as usize]);
        let empty = (0..instance.machines()).filter(|machine| !load_of.contains_key(machine));
        let mut machines: Vec<u32> =
            load_of.keys().copied().chain(empty.take(free.len())).gather()?;
        machines.sort_unstable();
        let loads = machines.iter().map(|machine| load_of.get(machine).copied().unwrap_or(0));
        let loads = loads.gather()?;
        Ok(Loaded { instance, free, machines, loads })
    }

    /// The longest load, the longest free job, or the average load.
    fn bound(&self) -> u64 {
        let longest = self.free.first().map_or(0, |&job| self.instance.times()[job as usize]);
        let load = self.loads.iter().copied().max().unwrap_or(0);
        let average = self.instance.total().div_ceil(self.machines.len().max(1) as u64);
        average.max(longest).max(load)
    }

    /// LPT, beginning with the loads of the pinned jobs.
    fn lpt(&self, monitor: &Monitor) -> Result<Assignment> {
        let mut assignment = self.pinned_assignment()?;
        let mut makespan = self.loads.iter().copied().max().unwrap_or(0);
        let mut least = LeastLoaded::new(self.loads.iter().copied());
        for (step, &job) in self.free.iter().enumerate() {
            monitor.check_later_step(step)?;
            let (place, load) = least.place(self.instance.times()[job as usize]);
            assignment[job as usize] = self.machines[place as usize];
            makespan = makespan.max(load);
        }
        Ok((makespan, assignment))
    }

    /// The machines of the pinned jobs, and any for the others.
    fn pinned_assignment(&self) -> Result<Vec<u32>> {
        let mut assignment = memory::zeroed(self.instance.jobs())?;
        let pinned = self.instance.pinned().iter().zip(self.instance.pinned_machines());
        pinned.for_each(|(&job, &machine)| assignment[job as usize] = machine);
        Ok(assignment)
    }

    /// The same schedule on the machines that schedules need. There are no more other machines with
    /// jobs than free jobs.
    fn on_useful_machines(&self, assignment: &[u32]) -> Result<Vec<u32>> {
        let mut is_used = memory::filled(false, self.machines.len())?;
        let place = |machine: &u32| self.machines.binary_search(machine);
        assignment
            .iter()
            .filter_map(|machine| place(machine).ok())
            .for_each(|at| is_used[at] = true);
        let mut idle = self.machines.iter().zip(is_used).filter(|(_, used)| !used);
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let number = |machine: &u32| match place(machine) {
            Ok(_) => *machine,
            Err(_) => *numbers
                .entry(*machine)
                .or_insert_with(|| idle.next().map_or(*machine, |(&idle, _)| idle)),
        };
        assignment.iter().map(number).gather()
    }

    /// The instance with blocks, for schedules of at most `upper`.
    ///
    /// # Errors
    /// [`Error::Overflow`] and [`Error::OutOfMemory`].
    fn reduce(self, upper: u64) -> Result<Reduced> {
        let [least, second] = self.loads.iter().fold([u64::MAX; 2], |[least, second], &load| {
            if load < least { [load, least] } else { [least, second.min(load)] }
        });
        // Two blocks exceed `added + upper`. With one machine there is no second one.
        let added = (upper + 1).saturating_sub(least.saturating_add(second));
        let blocks = self.loads.len() as u128;
        let total = u128::from(self.instance.total()) + blocks * u128::from(added);
        if total > MAX_TOTAL.into() {
            return Err(Error::overflow("the sum of the times that stand for pinned jobs"));
        }
        let times = self.free.iter().map(|&job| self.instance.times()[job as usize]);
        let times = times.chain(self.loads.iter().map(|load| load + added)).gather()?;
        let instance = Instance::new(times, self.machines.len() as u32)?;
        let pinned = self.pinned_assignment()?;
        let names = Arc::new(Names { pinned, free: self.free, machines: self.machines });
        Ok(Reduced { instance, added, upper, names })
    }
}

/// An instance whose jobs are the free jobs and a block for each machine.
struct Reduced {
    instance: Instance,
    /// The time by which its schedules are longer.
    added: u64,
    /// The longest makespan, without `added`, at which blocks can't share a machine.
    upper: u64,
    names: Arc<Names>,
}

impl Reduced {
    /// The part of the solve that works on the reduced instance.
    fn watch(&self, monitor: &Monitor) -> Monitor {
        let names = Arc::clone(&self.names);
        let found = move |found: Found| {
            let names = Arc::clone(&names);
            found.map(move |schedule: &Schedule| {
                names.original(schedule.assignment()).ok().flatten().map(Schedule::new)
            })
        };
        // Both are below 2^63, as the sum of all times is.
        let (added, highest) = (-(self.added as i64), (self.added + self.upper) as i64);
        monitor.reduced(None, Offset { added, highest, found })
    }

    /// A precision at which a schedule that reaches it on the reduced instance reaches `k` on the
    /// instance, of which `bound` is a positive bound: `K + M <= (1 + 1/k') (K + B)` is to imply
    /// `M <= (1 + 1/k) B` for each bound B from `bound` on.
    fn precision(&self, k: u64, bound: u64) -> u64 {
        let scaled = u128::from(k) * (u128::from(bound) + u128::from(self.added));
        let scaled = scaled.div_ceil(bound.max(1).into());
        u64::try_from(scaled).map_or(rounding::MAX_PRECISION, |k| k.min(rounding::MAX_PRECISION))
    }

    /// A schedule of the instance as one of the reduced instance.
    fn assignment(&self, assignment: &[u32]) -> Result<Vec<u32>> {
        let Names { free, machines, .. } = &*self.names;
        let place = |job: &u32| machines.binary_search(&assignment[*job as usize]);
        let free = free.iter().map(|job| place(job).map_or(0, |place| place as u32));
        free.chain(0..machines.len() as u32).gather()
    }

    fn answer(&self, answer: &Answer) -> Result<Answer> {
        let together = || Error::internal("two machines' blocks share a machine");
        Ok(Answer {
            makespan: answer.makespan - self.added,
            assignment: self.names.original(&answer.assignment)?.ok_or_else(together)?,
            bound: answer.bound - self.added,
        })
    }
}

/// The jobs and machines of the instance, for those of a reduced instance.
struct Names {
    /// The machine of each pinned job of the instance.
    pinned: Vec<u32>,
    free: Vec<u32>,
    machines: Vec<u32>,
}

impl Names {
    /// A schedule of the reduced instance as one of the instance; nothing if blocks share a
    /// machine.
    fn original(&self, assignment: &[u32]) -> Result<Option<Vec<u32>>> {
        let (free, blocks) = assignment.split_at(self.free.len());
        let mut machine_of = memory::filled(None, self.machines.len())?;
        for (&place, &machine) in blocks.iter().zip(&self.machines) {
            if machine_of[place as usize].replace(machine).is_some() {
                return Ok(None);
            }
        }
        let mut original: Vec<u32> = memory::copied(&self.pinned)?;
        for (&job, &place) in self.free.iter().zip(free) {
            let Some(machine) = machine_of[place as usize] else { return Ok(None) };
            original[job as usize] = machine;
        }
        Ok(Some(original))
    }
}
