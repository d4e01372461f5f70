//! The devices that search together: the chosen one, and further ones that join a long search. If a
//! further device fails, it is left out and the others search its nodes again.

mod exchange;
mod member;

use std::thread::{self, Scope, ScopedJoinHandle};
use std::time::Instant;

use self::exchange::Attendance;
pub(super) use self::exchange::{Exchange, Need};
use self::member::{Member, Part, Work};
use super::host::Host;
use super::stack::Stack;
use super::tables::Explored;
use crate::flow_shop::exact::limit::Limit;
use crate::flow_shop::exact::problem::Problem;
use crate::opencl::Device;
use crate::solve::Monitor;
use crate::{Error, Result, Team, scoped};

/// Prepares a further device; without a stack if the device does not open.
type Joining<'s, 'e> = ScopedJoinHandle<'s, Result<Option<Stack<'e>>>>;

pub(super) struct Crew<'s, 'e, 'c, O: Explored> {
    work: Work<'s, 'e, O>,
    team: &'e Team<'c>,
    start: Instant,
    /// The chosen device is the first.
    members: Vec<Member<'s, 'e>>,
    /// Whether further devices were called to join.
    called: bool,
    /// Threads that prepare further devices, with the devices' places in the team. Building kernels
    /// takes long.
    joining: Vec<(usize, Joining<'s, 'e>)>,
    /// Records of nodes that are on no device, including the nodes of failed devices.
    pub(super) waiting: Vec<u32>,
    /// Decomposed nodes, and their free jobs, that count for failed devices.
    lost: [u64; 2],
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
            work: Work { scope, context: team.context(), problem, monitor },
            team,
            start: Instant::now(),
            members: vec![Member::new(stack, None)],
            called: false,
            joining: Vec::new(),
            waiting: Vec::new(),
            lost: [0; 2],
        })
    }

    /// The stacks of all members, the chosen device's first.
    pub(super) fn stacks(&self) -> impl ExactSizeIterator<Item = &Stack<'e>> {
        self.members.iter().map(|member| &member.stack)
    }

    #[cfg(test)]
    pub(super) fn stacks_mut(&mut self) -> impl Iterator<Item = &mut Stack<'e>> {
        self.members.iter_mut().map(|member| &mut member.stack)
    }

    /// Searches on all devices until no node is open, `end` is reached, the solve has to stop or a
    /// device is ready to join. The host has nodes for the devices, and takes some.
    pub(super) fn search(
        &mut self,
        limit: &Limit,
        end: Instant,
        host: &mut Host<'s, 'e, O>,
    ) -> Result<()> {
        self.take_in()?;
        if self.is_long() {
            self.call();
        }
        let words = host.layout().record_words();
        let waiting = std::mem::take(&mut self.waiting);
        let exchange = Exchange::new(waiting, self.members.len(), words);
        let part = Part { limit, exchange: &exchange, end };
        let (work, joining, team, start) = (&self.work, &self.joining, self.team, self.start);
        let between = || {
            work.monitor.report("branch and bound", None);
            team.open_if_long(start);
            if joining.iter().any(|(_, thread)| thread.is_finished()) {
                exchange.stop();
            }
            host.serve(&exchange)
        };
        let searched = search_all(&mut self.members, work, &part, between);
        let (waiting, refusal) = exchange.end();
        self.waiting = waiting;
        for (index, searched) in searched.into_iter().enumerate().rev() {
            self.note_part(index);
            self.settle(index, searched)?;
        }
        refusal.map_or(Ok(()), Err)
    }

    /// Records that a further device has had work.
    fn note_part(&self, index: usize) {
        let member = &self.members[index];
        if let Some(place) = member.place.filter(|_| !member.lent.is_empty()) {
            self.team.joined(place);
        }
    }

    /// Checks all noted runs. From then on, the work of the devices counts.
    pub(super) fn end_checks(&mut self) -> Result<()> {
        self.each(|member, _| member.end_check())?;
        // The runs noted meanwhile, of all members at the same time.
        self.each(|member, work| member.check(work))?;
        self.each(|member, _| member.end_check())
    }

    /// Applies a step to all members.
    fn each(
        &mut self,
        step: impl Fn(&mut Member<'s, 'e>, &Work<'s, 'e, O>) -> Result<()>,
    ) -> Result<()> {
        for index in (0..self.members.len()).rev() {
            let result = step(&mut self.members[index], &self.work);
            self.settle(index, result)?;
        }
        Ok(())
    }

    /// Whether there is work for further devices: the search has taken long, and there are more
    /// open nodes than fit into a batch.
    fn is_long(&self) -> bool {
        let first = &self.members[0].stack;
        self.team.may_join(self.start) && first.position().nodes > first.batch_nodes()
    }

    /// Calls the further devices to join, once only. A thread for each of them prepares it.
    pub(super) fn call(&mut self) {
        if std::mem::replace(&mut self.called, true) {
            return;
        }
        let (Work { scope, problem, monitor, .. }, team) = (&self.work, self.team);
        let (scope, problem, monitor) = (*scope, *problem, *monitor);
        team.summon();
        for place in team.places() {
            let prepare = move || {
                let device = team.device(place);
                device.map(|device| Stack::new(device, problem, monitor)).transpose()
            };
            match scoped::spawn(scope, prepare) {
                Ok(thread) => self.joining.push((place, thread)),
                Err(error) => self.team.leave_out(place, &error),
            }
        }
    }

    #[cfg(test)]
    pub(super) fn joining(&self) -> usize {
        self.joining.len()
    }

    /// Adds the devices that are ready.
    fn take_in(&mut self) -> Result<()> {
        for (place, thread) in self.joining.extract_if(.., |(_, thread)| thread.is_finished()) {
            match scoped::join(thread) {
                Ok(stack) => {
                    self.members.extend(stack.map(|stack| Member::new(stack, Some(place))));
                }
                Err(error) if error.is_device_failure() => self.team.leave_out(place, &error),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits for the devices that still prepare to join when the search is over. No failure of
    /// theirs, not even a panic, may take the result away.
    pub(super) fn dismiss(&mut self) {
        self.team.dismiss();
        for (place, thread) in self.joining.drain(..) {
            if let Err(error) = scoped::join(thread)
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
            thread::sleep(std::time::Duration::from_millis(1));
        }
        Ok(())
    }

    /// Calls a device whose thread panics.
    #[cfg(test)]
    pub(super) fn call_in_vain(&mut self, place: usize) {
        let panic = || std::panic::resume_unwind(Box::new("a fault"));
        self.joining.push((place, scoped::spawn(self.work.scope, panic).unwrap()));
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

/// Lets all members search, the chosen device's on this thread, which calls `between`.
fn search_all<'s, 'e, O: Explored>(
    members: &mut [Member<'s, 'e>],
    work: &Work<'s, 'e, O>,
    part: &Part<'_>,
    between: impl FnMut() -> Result<()>,
) -> Vec<Result<()>> {
    let Some((chosen, further)) = members.split_first_mut() else { return Vec::new() };
    thread::scope(|scope| {
        let search = |member: &'_ mut Member<'s, 'e>, attendance: Attendance<'_>| {
            let searched = member.search(work, part, || Ok(()));
            drop(attendance);
            searched
        };
        let start = |member| {
            let attendance = part.exchange.attend();
            let search = move || search(member, attendance);
            scoped::spawn(scope, search).inspect_err(|_| part.exchange.stop())
        };
        let threads: Vec<_> = further.iter_mut().map(start).collect();
        let attendance = part.exchange.attend();
        let first = chosen.search(work, part, between);
        drop(attendance);
        let others = threads.into_iter().map(|thread| thread.and_then(scoped::join));
        [first].into_iter().chain(others).collect()
    })
}

fn sum(all: [u64; 2], part: &[u64; 2]) -> [u64; 2] {
    [all[0] + part[0], all[1] + part[1]]
}
