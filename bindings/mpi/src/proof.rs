//! Proofs by branch and bound on all ranks.

use std::path::PathBuf;
use std::thread;
use std::time::Instant;

use makespan::flow_shop::Permutation;
use makespan::flow_shop::units::{Tree, Unit};
use makespan::{Context, Error, Outcome, Result, SolveOptions};
use makespan_cli::distribution::proof::{
    Coordination, Desk, Office, Threads, coordinate, outcome, serve,
};
use makespan_cli::distribution::{Coordinator, Order, Report};
use makespan_cli::failure::Failure;
use makespan_cli::flow_shop::Task;
use makespan_cli::progress;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, Destination, MatchedReceiveVec, Source};

use crate::message;

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
        let desk = &mut MpiDesk { tree: &tree, world };
        serve(&context, &task.solve_options(), desk)?;
        return Ok(());
    }
    let coordination = Coordination { checkpoint, interval, ..Coordination::default() };
    task.publish(|context, options| prove(&tree, world, &coordination, context, options))
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
        let mut office = MpiOffice { tree, world, local };
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
    local: Threads,
}

impl Office for MpiOffice<'_> {
    fn workers(&self) -> usize {
        self.world.size().unsigned_abs() as usize
    }

    fn send(&mut self, worker: usize, order: Order<Unit>) -> Result<()> {
        if worker == 0 {
            return self.local.send(0, order);
        }
        let bytes = message::of_order(&order)?;
        self.world.process_at_rank(worker as i32).send_with_tag(&bytes[..], ORDER);
        Ok(())
    }

    fn receive(&mut self) -> Result<Option<(usize, Report<Unit>)>> {
        if let Some(report) = self.local.receive()? {
            return Ok(Some(report));
        }
        let Some(found) = self.world.any_process().immediate_matched_probe_with_tag(REPORT) else {
            return Ok(None);
        };
        let (bytes, status) = found.matched_receive_vec::<u8>();
        let rank = status.source_rank().unsigned_abs() as usize;
        Ok(Some((rank, message::to_report(self.tree, &bytes)?)))
    }
}

/// A rank other than 0.
struct MpiDesk<'a> {
    tree: &'a Tree,
    world: &'a SimpleCommunicator,
}

impl Desk for MpiDesk<'_> {
    fn send(&mut self, report: Report<Unit>) -> Result<()> {
        let bytes = message::of_report(&report)?;
        self.world.process_at_rank(0).send_with_tag(&bytes[..], REPORT);
        Ok(())
    }

    fn receive(&mut self) -> Result<Option<Order<Unit>>> {
        let Some(found) = self.world.process_at_rank(0).immediate_matched_probe_with_tag(ORDER)
        else {
            return Ok(None);
        };
        let (bytes, _) = found.matched_receive_vec::<u8>();
        message::to_order(self.tree, &bytes).map(Some)
    }
}
