//! The CPU's threads as a member of the crew: they search a share of the open nodes while the
//! devices search the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use super::tables::Explored;
use crate::flow_shop::exact::limit::Limit;
use crate::flow_shop::exact::node::Open;
use crate::flow_shop::exact::problem::Problem;
use crate::flow_shop::exact::{Counts, Slice, cpu};
use crate::solve::Monitor;
use crate::{Context, Result, scoped};

/// Practically no limit: a member works until it has no nodes or is asked for them.
const UNTIL_ASKED: Duration = Duration::from_secs(1 << 30);

pub(super) struct Helper<'s, 'e, O: Explored> {
    scope: &'s Scope<'s, 'e>,
    context: &'e Context,
    problem: &'e Problem<'e, O>,
    limit: &'e Limit,
    monitor: &'e Monitor,
    /// Nodes that no thread searches now.
    open: Vec<Open>,
    work: Option<Work<'s>>,
    counts: Counts,
}

/// A thread that searches below some nodes with the context's threads.
struct Work<'s> {
    thread: ScopedJoinHandle<'s, Result<(Counts, Vec<Open>)>>,
    is_asked: Arc<AtomicBool>,
    /// The least bound of the nodes that it was given.
    least: Option<u32>,
}

impl<'s, 'e, O: Explored> Helper<'s, 'e, O> {
    pub(super) fn new(
        scope: &'s Scope<'s, 'e>,
        context: &'e Context,
        problem: &'e Problem<'e, O>,
        limit: &'e Limit,
        monitor: &'e Monitor,
    ) -> Self {
        let (open, counts) = (Vec::new(), Counts::default());
        Helper { scope, context, problem, limit, monitor, open, work: None, counts }
    }

    /// Whether it has no nodes.
    pub(super) fn is_idle(&self) -> bool {
        self.work.is_none() && self.open.is_empty()
    }

    /// The work of the threads that have ended.
    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    /// A lower bound of all its nodes.
    pub(super) fn least_bound(&self) -> Option<u32> {
        let given = self.work.as_ref().and_then(|work| work.least);
        self.open.iter().map(|node| node.bound).chain(given).min()
    }

    /// Searches below these nodes as well.
    pub(super) fn search(&mut self, nodes: Vec<Open>) {
        self.open.extend(nodes);
        if self.work.is_some() || self.open.is_empty() {
            return;
        }
        let is_asked = Arc::new(AtomicBool::new(false));
        let least = self.open.iter().map(|node| node.bound).min();
        let (context, problem, limit, monitor) =
            (self.context, self.problem, self.limit, self.monitor);
        let (asked, mut open) = (Arc::clone(&is_asked), self.open.clone());
        let work = move || {
            let until = || asked.load(Ordering::Relaxed);
            let slice = Slice {
                monitor,
                end: Instant::now() + UNTIL_ASKED,
                counts_iterations: false,
                keeps_open: true,
                keeper: None,
                turns: None,
                idle_threads: 0,
                until: Some(&until),
            };
            cpu::advance(context, problem, limit, &mut open, &slice).map(|counts| (counts, open))
        };
        // Without a thread the nodes wait until they are asked for.
        if let Ok(thread) = scoped::spawn(self.scope, work) {
            self.open.clear();
            self.work = Some(Work { thread, is_asked, least });
        }
    }

    /// Takes note of a thread that has ended.
    pub(super) fn look(&mut self) -> Result<()> {
        match self.work.take_if(|work| work.thread.is_finished()) {
            Some(work) => self.end(work),
            None => Ok(()),
        }
    }

    /// Ends the work and returns the open nodes.
    pub(super) fn take(&mut self) -> Result<Vec<Open>> {
        if let Some(work) = self.work.take() {
            work.is_asked.store(true, Ordering::Relaxed);
            self.end(work)?;
        }
        Ok(std::mem::take(&mut self.open))
    }

    fn end(&mut self, work: Work<'s>) -> Result<()> {
        let (counts, open) = scoped::join(work.thread)?;
        self.counts.nodes += counts.nodes;
        self.counts.bounds += counts.bounds;
        self.open.extend(open);
        Ok(())
    }
}

impl<O: Explored> Drop for Helper<'_, '_, O> {
    /// After an error elsewhere, nobody needs the nodes.
    fn drop(&mut self) {
        if let Some(work) = &self.work {
            work.is_asked.store(true, Ordering::Relaxed);
        }
    }
}
