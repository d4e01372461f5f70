//! A device of the crew. It searches, checks its results and exchanges nodes with the others, and
//! waits for them only when it has no nodes.

use std::sync::Arc;
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use super::exchange::Exchange;
use crate::flow_shop::exact::device::MOST_FED;
use crate::flow_shop::exact::device::stack::{Check, Checked, Run, Stack};
use crate::flow_shop::exact::device::tables::Explored;
use crate::flow_shop::exact::limit::Limit;
use crate::flow_shop::exact::problem::Problem;
use crate::solve::Monitor;
use crate::{Context, Result, scoped};

/// A member gives this part of a batch to those without nodes. The lowest nodes have the largest
/// subtrees, and the copy takes time.
const GIFT_SHARE: usize = 16;
/// How long a member without nodes waits between two looks at the host's side.
const PATIENCE: Duration = Duration::from_millis(2);

pub(super) struct Member<'s, 'e> {
    pub(super) stack: Stack<'e>,
    /// The device's place in the team; None for the chosen device, whose failure ends the search.
    pub(super) place: Option<usize>,
    /// The records that the member was last given, when it had none: all of its open nodes are
    /// below these. If it then gives some nodes away and fails, those are searched twice.
    pub(super) lent: Vec<u32>,
    /// The member's totals when it was given the records.
    pub(super) done: [u64; 2],
    /// Runs that its rounds noted, to be checked next.
    noted: Vec<Run>,
    /// The thread that checks the previously noted runs.
    checking: Option<ScopedJoinHandle<'s, Result<Checked>>>,
}

/// What members need for their work.
pub(super) struct Work<'s, 'e, O: Explored> {
    /// Threads of this scope check results.
    pub(super) scope: &'s Scope<'s, 'e>,
    pub(super) context: &'e Context,
    pub(super) problem: &'e Problem<'e, O>,
    pub(super) monitor: &'e Monitor,
}

/// The part of a search that all members do together.
pub(super) struct Part<'a> {
    pub(super) limit: &'a Limit,
    pub(super) exchange: &'a Exchange,
    pub(super) end: Instant,
}

impl Part<'_> {
    fn is_over(&self, monitor: &Monitor) -> bool {
        Instant::now() >= self.end || monitor.should_stop() || self.exchange.is_over()
    }
}

impl<'s, 'e> Member<'s, 'e> {
    pub(super) fn new(stack: Stack<'e>, place: Option<usize>) -> Self {
        Member { stack, place, lent: Vec::new(), done: [0; 2], noted: Vec::new(), checking: None }
    }

    /// Searches until the part is over; a member that has or finds nodes makes at least one turn.
    /// Calls `between` after each turn and while it has no nodes.
    pub(super) fn search<O: Explored>(
        &mut self,
        work: &Work<'s, 'e, O>,
        part: &Part<'_>,
        mut between: impl FnMut() -> Result<()>,
    ) -> Result<()> {
        let searched = self.turns(work, part, &mut between);
        if searched.is_err() {
            part.exchange.stop();
        }
        searched
    }

    fn turns<O: Explored>(
        &mut self,
        work: &Work<'s, 'e, O>,
        part: &Part<'_>,
        between: &mut impl FnMut() -> Result<()>,
    ) -> Result<()> {
        while self.has_nodes(work, part, between)? {
            let Work { problem, monitor, .. } = *work;
            let noted = self.stack.turn(problem, part.limit, monitor, part.end)?;
            self.noted.extend(noted);
            self.check(work)?;
            self.give(monitor, part.exchange)?;
            between()?;
            if part.is_over(monitor) {
                break;
            }
        }
        Ok(())
    }

    /// Whether the member has nodes; takes some if it has none, as soon as there are any.
    fn has_nodes<O: Explored>(
        &mut self,
        work: &Work<'s, 'e, O>,
        part: &Part<'_>,
        between: &mut impl FnMut() -> Result<()>,
    ) -> Result<bool> {
        if self.stack.position().nodes > 0 {
            return Ok(true);
        }
        // Filling only half of the stack leaves room to search.
        let most = (self.stack.capacity() / 2).min(self.stack.batch_nodes() * MOST_FED).max(1);
        part.exchange.begin_hunger(most);
        let mut taken = Vec::new();
        let mut looked = Ok(());
        while taken.is_empty() && looked.is_ok() {
            looked = between();
            taken = part.exchange.take(most, PATIENCE);
            if taken.is_empty() && part.is_over(work.monitor) {
                break;
            }
        }
        if taken.is_empty() {
            part.exchange.give_up(most);
            return looked.map(|()| false);
        }
        looked.inspect_err(|_| part.exchange.put(&taken))?;
        self.lend(&taken).inspect_err(|_| part.exchange.put(&taken))?;
        if self.place.is_some() {
            self.lent = taken;
        }
        Ok(true)
    }

    /// Puts records on the empty stack. If this fails, they are not the member's.
    fn lend(&mut self, records: &[u32]) -> Result<()> {
        // The records lent before are done once the member has reported its totals.
        let done = self.stack.totals()?;
        (self.lent, self.done) = (Vec::new(), done);
        self.stack.push(records)
    }

    /// Gives nodes away if the stack is almost full, or if others have none and this one has more
    /// than a batch.
    fn give(&mut self, monitor: &Monitor, exchange: &Exchange) -> Result<()> {
        let (nodes, batch) = (self.stack.position().nodes, self.stack.batch_nodes());
        let count = match self.stack.is_cramped() {
            true => nodes / 2,
            false if nodes > batch => exchange.wanted(batch.div_ceil(GIFT_SHARE)),
            false => 0,
        };
        if count > 0 && exchange.reserve(count, monitor) {
            exchange.put_reserved(count, self.stack.take_lowest(count))?;
        }
        Ok(())
    }

    /// Starts checking the noted runs, unless the previous check still runs.
    pub(super) fn check<O: Explored>(&mut self, work: &Work<'s, 'e, O>) -> Result<()> {
        if self.checking.as_ref().is_some_and(|thread| !thread.is_finished()) {
            return Ok(());
        }
        self.end_check()?;
        if self.noted.is_empty() {
            return Ok(());
        }
        let runs = std::mem::take(&mut self.noted);
        let check = Arc::new(Check::new(&self.stack, work.problem, work.monitor, runs));
        let (context, shared) = (work.context, Arc::clone(&check));
        let run = move || shared.run(context);
        match scoped::spawn(work.scope, run) {
            Ok(thread) => self.checking = Some(thread),
            Err(_) => self.stack.checked(check.run(context)?),
        }
        Ok(())
    }

    /// Waits for the checking thread.
    pub(super) fn end_check(&mut self) -> Result<()> {
        if let Some(thread) = self.checking.take() {
            self.stack.checked(scoped::join(thread)?);
        }
        Ok(())
    }
}
