//! The devices that search together: the chosen one, and further ones that join a long search. If a
//! further device fails, it is left out and the others search its nodes again.

use std::io;
use std::sync::Arc;
use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use super::stack::{Check, Checked, Run, Stack};
use super::tables::Explored;
use crate::flow_shop::exact::limit::Limit;
use crate::flow_shop::exact::problem::Problem;
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Error, Result, Team, signals};

/// How long the chosen device searches before others may join.
const ALONE: Duration = Duration::from_millis(100);

pub(super) struct Crew<'s, 'e, 'c, O: Explored> {
    pub(super) scope: &'s Scope<'s, 'e>,
    team: &'e Team<'c>,
    problem: &'e Problem<'e, O>,
    monitor: &'e Monitor,
    start: Instant,
    /// The chosen device is the first.
    members: Vec<Member<'s, 'e>>,
    /// Whether further devices were called to join.
    called: bool,
    /// Threads that prepare further devices, with the devices' places in the team. Building kernels
    /// takes longer than a turn.
    joining: Vec<(usize, ScopedJoinHandle<'s, Result<Stack<'e>>>)>,
    /// Records of nodes that are on no device, including the nodes of failed devices.
    pub(super) waiting: Vec<u32>,
    /// Decomposed nodes, and their free jobs, that count for failed devices.
    lost: [u64; 2],
}

/// A device that takes part.
struct Member<'s, 'e> {
    stack: Stack<'e>,
    /// The device's place in the team; None for the chosen device, whose failure ends the search.
    place: Option<usize>,
    /// The records that the member was last given, when it had none: all of its open nodes are
    /// below these. If it then gives some nodes away and fails, those are searched twice.
    lent: Vec<u32>,
    /// The member's totals when it was given the records.
    done: [u64; 2],
    /// Runs that its rounds noted, to be checked next.
    noted: Vec<Run>,
    /// The thread that checks the previously noted runs.
    checking: Option<ScopedJoinHandle<'s, Result<Checked>>>,
}

impl<'s, 'e, 'c: 'e, O: Explored> Crew<'s, 'e, 'c, O> {
    pub(super) fn new(
        scope: &'s Scope<'s, 'e>,
        device: &'e Device,
        team: &'e Team<'c>,
        problem: &'e Problem<'e, O>,
        monitor: &'e Monitor,
    ) -> Result<Self> {
        let stack = Stack::new(device, problem, monitor)?;
        Ok(Crew {
            scope,
            team,
            problem,
            monitor,
            start: Instant::now(),
            members: vec![Member::new(stack, None)],
            called: false,
            joining: Vec::new(),
            waiting: Vec::new(),
            lost: [0; 2],
        })
    }

    /// Threads of the CPU engine.
    pub(super) fn threads(&self) -> usize {
        self.team.context().threads()
    }

    /// The stacks of all members, the chosen device's first.
    pub(super) fn stacks(&self) -> impl ExactSizeIterator<Item = &Stack<'e>> {
        self.members.iter().map(|member| &member.stack)
    }

    #[cfg(test)]
    pub(super) fn stacks_mut(&mut self) -> impl Iterator<Item = &mut Stack<'e>> {
        self.members.iter_mut().map(|member| &mut member.stack)
    }

    /// Runs rounds on all devices and checks their results. Threads check the noted runs meanwhile.
    pub(super) fn turn(&mut self, limit: &Limit) -> Result<()> {
        self.take_in()?;
        if self.is_long() {
            self.call();
        }
        for (index, turned) in self.turn_all(limit).into_iter().enumerate().rev() {
            if let Some(noted) = self.settle(index, turned)? {
                self.members[index].noted.extend(noted);
                self.check(index)?;
            }
        }
        Ok(())
    }

    /// Runs rounds on all devices. Returns the runs that each device noted.
    fn turn_all(&mut self, limit: &Limit) -> Vec<Result<Vec<Run>>> {
        let (problem, monitor) = (self.problem, self.monitor);
        if let [member] = &mut self.members[..] {
            return vec![member.stack.turn(problem, limit, monitor)];
        }
        // A single thread could not queue the rounds of many devices fast enough.
        thread::scope(|scope| {
            let turn = |member: &'_ mut Member<'s, 'e>| member.stack.turn(problem, limit, monitor);
            let spawn = |member| {
                let builder = thread::Builder::new();
                signals::blocked(|| builder.spawn_scoped(scope, move || turn(member)))
            };
            let threads: Vec<_> = self.members.iter_mut().map(spawn).collect();
            threads.into_iter().map(|thread| thread.map_err(no_thread).and_then(join)).collect()
        })
    }

    /// Starts checking the runs that a member noted, unless the previous check still runs.
    fn check(&mut self, index: usize) -> Result<()> {
        if self.members[index].checking.as_ref().is_some_and(|thread| !thread.is_finished())
            || self.end_check(index)?.is_none()
        {
            return Ok(());
        }
        let member = &mut self.members[index];
        if !member.noted.is_empty() {
            let runs = std::mem::take(&mut member.noted);
            let check = Arc::new(Check::new(&member.stack, self.problem, self.monitor, runs));
            let (context, shared) = (self.team.context(), Arc::clone(&check));
            let work = move || shared.run(context);
            match signals::blocked(|| thread::Builder::new().spawn_scoped(self.scope, work)) {
                Ok(thread) => member.checking = Some(thread),
                Err(_) => {
                    let checked = check.run(context).map(|checked| member.stack.checked(checked));
                    self.settle(index, checked)?;
                }
            }
        }
        Ok(())
    }

    /// Waits for a member's checking thread; None if the check failed and the member was left out.
    fn end_check(&mut self, index: usize) -> Result<Option<()>> {
        let member = &mut self.members[index];
        let ended = member.checking.take().map(join).transpose();
        let noted = ended.map(|ended| ended.map_or((), |checked| member.stack.checked(checked)));
        self.settle(index, noted)
    }

    /// Checks all noted runs. From then on, the work of the devices counts.
    pub(super) fn end_checks(&mut self) -> Result<()> {
        for index in (0..self.members.len()).rev() {
            // First the check under way, then one of the runs noted meanwhile.
            if self.end_check(index)?.is_some() {
                self.check(index)?;
                self.end_check(index)?;
            }
        }
        Ok(())
    }

    /// Whether there is work for further devices: the search has taken long, and there are more
    /// open nodes than fit into a batch.
    fn is_long(&self) -> bool {
        let first = &self.members[0].stack;
        self.start.elapsed() > ALONE && first.position().nodes > first.batch_nodes()
    }

    /// Calls the further devices to join, once only.
    pub(super) fn call(&mut self) {
        if !std::mem::replace(&mut self.called, true) {
            let (problem, monitor) = (self.problem, self.monitor);
            for (place, device) in self.team.able() {
                let prepare = move || Stack::new(device, problem, monitor);
                match signals::blocked(|| thread::Builder::new().spawn_scoped(self.scope, prepare))
                {
                    Ok(thread) => self.joining.push((place, thread)),
                    Err(error) => self.team.leave_out(place, &no_thread(error)),
                }
            }
        }
    }

    #[cfg(test)]
    pub(super) fn begin_long_ago(&mut self) {
        self.start = Instant::now().checked_sub(2 * ALONE).unwrap();
    }

    #[cfg(test)]
    pub(super) fn joining(&self) -> usize {
        self.joining.len()
    }

    /// Adds the devices that are ready.
    fn take_in(&mut self) -> Result<()> {
        for (place, thread) in self.joining.extract_if(.., |(_, thread)| thread.is_finished()) {
            match join(thread) {
                Ok(stack) => self.members.push(Member::new(stack, Some(place))),
                Err(error) if error.is_device_failure() => self.team.leave_out(place, &error),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits for the devices that still prepare to join when the search is over. No failure of
    /// theirs, not even a panic, may take the result away.
    pub(super) fn dismiss(&mut self) {
        for (place, thread) in self.joining.drain(..) {
            if let Err(error) = join(thread)
                && !matches!(*error, Error::Stopped)
            {
                self.team.leave_out(place, &error);
            }
        }
    }

    /// Adds all called devices.
    #[cfg(test)]
    pub(super) fn take_in_all(&mut self) -> Result<()> {
        while !self.joining.is_empty() {
            self.take_in()?;
            thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Calls a device whose thread panics.
    #[cfg(test)]
    pub(super) fn call_in_vain(&mut self, place: usize) {
        self.joining.push((place, self.scope.spawn(|| Err(panicked()))));
    }

    /// Applies a step to a member's stack; None if the member failed and was left out, which moves
    /// later members up.
    pub(super) fn with<T>(
        &mut self,
        index: usize,
        step: impl FnOnce(&mut Stack<'e>) -> Result<T>,
    ) -> Result<Option<T>> {
        let result = step(&mut self.members[index].stack);
        self.settle(index, result)
    }

    /// Collects a value from each member that does not fail.
    pub(super) fn collect<T>(
        &mut self,
        step: impl Fn(&mut Stack<'e>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        for index in (0..self.members.len()).rev() {
            all.extend(self.with(index, &step)?);
        }
        all.reverse();
        Ok(all)
    }

    /// Gives records to a member with an empty stack.
    pub(super) fn lend(&mut self, index: usize, records: Vec<u32>) -> Result<()> {
        // The records lent before are done once the member has reported its totals.
        let Some(done) = self.with(index, |stack| stack.totals())? else {
            self.waiting.extend(records);
            return Ok(());
        };
        let member = &mut self.members[index];
        (member.lent, member.done) = (Vec::new(), done);
        if self.with(index, |stack| stack.push(&records))?.is_none() {
            self.waiting.extend(records);
            return Ok(());
        }
        let member = &mut self.members[index];
        if let Some(place) = member.place {
            member.lent = records;
            self.team.joined(place);
        }
        Ok(())
    }

    /// Decomposed nodes and their free jobs, on all devices since the start.
    pub(super) fn totals(&mut self) -> Result<[u64; 2]> {
        let parts = self.collect(|stack| stack.totals())?;
        Ok(parts.iter().fold(self.lost, sum))
    }

    /// Leaves a failed further device out; a failure of the chosen one is an error. A wrong device
    /// ends the search on all devices, since it is unknown which nodes are missing because of it.
    fn settle<T>(&mut self, index: usize, result: Result<T>) -> Result<Option<T>> {
        match (result, self.members[index].place) {
            (Err(error), Some(place)) if error.is_device_failure() => {
                self.team.leave_out(place, &error);
                if matches!(*error, Error::DeviceWrong(_)) {
                    return Err(error);
                }
                let failed = self.members.remove(index);
                self.waiting.extend(failed.lent);
                self.lost = sum(self.lost, &failed.done);
                Ok(None)
            }
            (result, _) => result.map(Some),
        }
    }
}

impl<'e> Member<'_, 'e> {
    fn new(stack: Stack<'e>, place: Option<usize>) -> Self {
        Member { stack, place, lent: Vec::new(), done: [0; 2], noted: Vec::new(), checking: None }
    }
}

fn sum(all: [u64; 2], part: &[u64; 2]) -> [u64; 2] {
    [all[0] + part[0], all[1] + part[1]]
}

pub(super) fn join<T>(thread: ScopedJoinHandle<'_, Result<T>>) -> Result<T> {
    thread.join().unwrap_or_else(|_| Err(panicked()))
}

fn no_thread(error: io::Error) -> Box<Error> {
    Error::threads_unavailable(error.to_string())
}

fn panicked() -> Box<Error> {
    Error::internal("a thread for a device panicked")
}
