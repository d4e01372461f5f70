//! Proofs by branch and bound on all ranks.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use makespan::flow_shop::Permutation;
use makespan::flow_shop::units::{Tree, Unit};
use makespan::{Context, Error, Outcome, Result, SolveOptions};
use makespan_cli::distribution::proof::{
    Coordination, Desk, Event, Office, Threads, coordinate, outcome, serve,
};
use makespan_cli::distribution::{Coordinator, Order, Report};
use makespan_cli::failure::Failure;
use makespan_cli::flow_shop::Task;
use makespan_cli::{console, progress};
use mpi::topology::SimpleCommunicator;
use mpi::traits::Communicator;

use crate::link::Link;
use crate::{attempts, message};

/// The tags of orders and of reports.
const ORDER: i32 = 1;
const REPORT: i32 = 2;

pub(crate) fn run(task: &Task<'_>, world: &SimpleCommunicator) -> std::result::Result<(), Failure> {
    let mut options = task.options().clone();
    let checkpoint = options.exact.checkpoint.take();
    let interval = options.exact.checkpoint_interval;
    let tree = Tree::new(task.instance().clone(), &options)?;
    if world.rank() != 0 {
        let context = Context::new(task.context_options()?)?;
        let desk = &mut MpiDesk { tree: &tree, link: Link::new(world)? };
        serve(&context, &task.solve_options(), desk)?;
    } else {
        let coordination = Coordination { checkpoint, interval, ..Coordination::default() };
        task.publish(|context, options| prove(&tree, world, &coordination, context, options))?;
    }
    #[cfg(ulfm)]
    Link::new(world)?.leave()?;
    Ok(())
}

/// Rank 0 coordinates, and works like the others.
fn prove(
    tree: &Tree,
    world: &SimpleCommunicator,
    coordination: &Coordination,
    context: &Context,
    options: &SolveOptions,
) -> Result<Outcome<Permutation>> {
    let begun = Instant::now();
    let whole = match &coordination.checkpoint {
        Some(path) if path.exists() => tree.continued(path)?,
        _ => tree.whole()?,
    };
    let link = Link::new(world)?;
    let (local, desks) = Threads::new(1);
    let bar = progress::Bar::new();
    let left = thread::scope(|scope| {
        let workers: Vec<_> = desks
            .into_iter()
            .map(|mut desk| scope.spawn(move || serve(context, &part(options), &mut desk)))
            .collect();
        let show = |elapsed, coordinator: &Coordinator<Unit>| {
            let (done, busy) = (coordinator.ledger(), coordinator.busy());
            let (nodes, best) = (done.nodes(), done.best().1);
            bar.tell(elapsed, &format!("{busy} ranks at work, {nodes} nodes, best {best}"));
        };
        let mut office = MpiOffice { tree, world, link, local, told: 0, ended: BTreeSet::new() };
        let left = coordinate(whole, &mut office, coordination, options, show);
        // The worker of this rank ends with it.
        drop(office);
        bar.clear();
        for served in workers.into_iter().filter_map(|worker| worker.join().ok()) {
            match served {
                // It only says that the other side has ended.
                Err(error) if matches!(*error, Error::Internal(_)) => {}
                served => served?,
            }
        }
        left
    })?;
    let scratch =
        || std::env::temp_dir().join(format!("makespan-mpi-{}.checkpoint", std::process::id()));
    let (file, is_scratch): (PathBuf, bool) = match &coordination.checkpoint {
        Some(path) => (path.clone(), false),
        None => (scratch(), true),
    };
    let found = outcome(&left, context, options, file.clone(), begun.elapsed().as_secs_f64());
    if is_scratch {
        // It has served its purpose.
        let _ = std::fs::remove_file(file);
    }
    found
}

/// Options of rank 0's worker. The coordinator watches the limits and the stop handle.
fn part(options: &SolveOptions) -> SolveOptions {
    let mut options = options.clone();
    (options.limits.time, options.limits.iterations) = (None, None);
    (options.stop, options.progress) = (None, None);
    options
}

/// The ranks as workers, with that of rank 0 on a thread.
struct MpiOffice<'a> {
    tree: &'a Tree,
    world: &'a SimpleCommunicator,
    link: Link<'a>,
    local: Threads,
    /// How many losses were looked at.
    told: usize,
    /// Ranks with the order to end, which leave and are no losses.
    ended: BTreeSet<i32>,
}

impl Office for MpiOffice<'_> {
    fn workers(&self) -> usize {
        self.world.size().unsigned_abs() as usize
    }

    fn send(&mut self, worker: usize, order: Order<Unit>) -> Result<()> {
        if worker == 0 {
            return self.local.send(0, order);
        }
        let rank = worker as i32;
        if matches!(order, Order::End) {
            self.ended.insert(rank);
        }
        self.link.send(rank, ORDER, &message::of_order(&order)?)
    }

    fn receive(&mut self) -> Result<Option<Event>> {
        if let Some(event) = self.local.receive()? {
            return Ok(Some(event));
        }
        while let Some(rank) = self.link.lost().get(self.told) {
            self.told += 1;
            if self.ended.contains(rank) {
                continue;
            }
            console::write_error(&format!(
                "makespan-mpi: warning: rank {rank} is lost; the others take its work over\n"
            ));
            return Ok(Some(Event::Lost(rank.unsigned_abs() as usize)));
        }
        let Some((rank, bytes)) = self.link.receive(None, REPORT)? else { return Ok(None) };
        let report = message::to_report(self.tree, &bytes)?;
        Ok(Some(Event::Reported(rank.unsigned_abs() as usize, report)))
    }
}

/// A rank other than 0.
struct MpiDesk<'a> {
    tree: &'a Tree,
    link: Link<'a>,
}

impl Desk for MpiDesk<'_> {
    fn send(&mut self, report: Report<Unit>) -> Result<()> {
        self.link.send(0, REPORT, &message::of_report(&report)?)
    }

    fn receive(&mut self) -> Result<Option<Order<Unit>>> {
        let received = self.link.receive(Some(0), ORDER)?;
        if self.link.lost().contains(&0) {
            console::write_error("makespan-mpi: error: rank 0, which coordinates, is lost\n");
            // All others end themselves, too. The launcher may hang if several ask it to end them.
            console::leave(attempts::LOST);
        }
        received.map(|(_, bytes)| message::to_order(self.tree, &bytes)).transpose()
    }
}
