//! A proof by branch and bound on several workers, over any transport.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread;
use std::time::{Duration, Instant};

use makespan::flow_shop::units::{Tree, Unit, UpperBound};
use makespan::flow_shop::{self, Permutation};
use makespan::{Context, Error, Limits, Outcome, Result, SolveOptions, StopHandle};

use super::coordinator::Settings;
use super::worker::Action;
use super::{Coordinator, Order, Report, Worker};

/// Pause between two looks for messages.
const POLL: Duration = Duration::from_micros(500);
/// Seconds between two ticks of the coordinator.
const TICK: f64 = 0.1;

/// What a coordinator learns about a worker.
#[derive(Debug)]
pub enum Event {
    /// Its report.
    Reported(usize, Report<Unit>),
    /// It is lost, and reports nothing more.
    Lost(usize),
}

/// The coordinator's side of a transport. Messages to one worker arrive in order.
pub trait Office {
    /// The number of workers.
    fn workers(&self) -> usize;

    /// Sends an order. One to a lost worker is dropped.
    ///
    /// # Errors
    /// Those of the transport.
    fn send(&mut self, worker: usize, order: Order<Unit>) -> Result<()>;

    /// The next report that has arrived, or a loss.
    ///
    /// # Errors
    /// Those of the transport, and reports that make no sense.
    fn receive(&mut self) -> Result<Option<Event>>;
}

/// A worker's side of a transport.
pub trait Desk {
    /// Sends a report.
    ///
    /// # Errors
    /// Those of the transport.
    fn send(&mut self, report: Report<Unit>) -> Result<()>;

    /// An order that has arrived.
    ///
    /// # Errors
    /// Those of the transport, and orders that make no sense.
    fn receive(&mut self) -> Result<Option<Order<Unit>>>;
}

/// What a coordinator needs to know.
#[derive(Debug, Clone, Default)]
pub struct Coordination {
    /// The file that keeps the state of the search.
    pub checkpoint: Option<PathBuf>,
    /// Time between two writes of the file.
    pub interval: Duration,
    /// How the work is shared out.
    pub settings: Settings,
}

/// Has the workers do all of a unit, until it is done or a limit or the stop handle ends the work.
/// Returns the remainder. It calls `show` ten times a second.
///
/// # Errors
/// Those of the transport; [`Error::Io`] if the checkpoint can't be written at first.
pub fn coordinate(
    whole: Unit,
    office: &mut impl Office,
    coordination: &Coordination,
    options: &SolveOptions,
    mut show: impl FnMut(Duration, &Coordinator<Unit>),
) -> Result<Unit> {
    let begun = Instant::now();
    let workers = office.workers();
    let mut coordinator = Coordinator::new(whole, workers, coordination.settings)?;
    let keep = |coordinator: &Coordinator<Unit>| match &coordination.checkpoint {
        Some(path) => coordinator.whole()?.write_checkpoint(path),
        None => Ok(()),
    };
    keep(&coordinator)?;
    let (mut ticked, mut kept) = (0.0, Instant::now());
    // Workers that are lost or have the order to end.
    let mut gone = BTreeSet::new();
    while gone.len() < workers {
        let received = office.receive()?;
        let now = begun.elapsed().as_secs_f64();
        let is_idle = received.is_none();
        match received {
            Some(Event::Reported(worker, report)) => coordinator.report(worker, report, now)?,
            Some(Event::Lost(worker)) => {
                coordinator.lost(worker, now)?;
                gone.insert(worker);
            }
            None => {}
        }
        if now >= ticked + TICK {
            ticked = now;
            coordinator.tick(now)?;
            show(begun.elapsed(), &coordinator);
        }
        for (worker, order) in coordinator.orders() {
            if matches!(order, Order::End) {
                gone.insert(worker);
            }
            office.send(worker, order)?;
        }
        let is_over = options.limits.time.is_some_and(|limit| begun.elapsed() >= limit);
        if is_over || options.stop.as_ref().is_some_and(StopHandle::is_stopped) {
            coordinator.stop();
        }
        if kept.elapsed() >= coordination.interval && coordination.checkpoint.is_some() {
            // A later attempt may succeed; the old file stays until then.
            let _ = keep(&coordinator);
            kept = Instant::now();
        }
        if is_idle {
            thread::sleep(POLL);
        }
    }
    // The caller has the proof, and writes it again.
    let _ = keep(&coordinator);
    coordinator.whole()
}

/// Works until the coordinator ends it.
///
/// # Errors
/// Those of the transport and of runs.
pub fn serve(context: &Context, options: &SolveOptions, desk: &mut impl Desk) -> Result<()> {
    let begun = Instant::now();
    let now = || begun.elapsed().as_secs_f64();
    let upper_bound = UpperBound::new();
    thread::scope(|scope| {
        let (give, given) = mpsc::channel::<(Unit, Duration, StopHandle)>();
        let (done, results) = mpsc::channel();
        let bound = upper_bound.clone();
        scope.spawn(move || {
            for (mut unit, length, stop) in given {
                let limits = Limits { time: Some(length), ..options.limits.clone() };
                let options = SolveOptions { limits, stop: Some(stop), ..options.clone() };
                let started = Instant::now();
                let ran = unit.run(context, &options, &bound).map(|_| unit);
                if done.send((ran, started.elapsed().as_secs_f64())).is_err() {
                    break;
                }
            }
        });
        let (mut worker, report) = Worker::new(now());
        desk.send(report)?;
        // The present slice, and the bound of the last order.
        let mut running: Option<StopHandle> = None;
        let mut known = u64::MAX;
        loop {
            let mut is_idle = true;
            if let Some(order) = desk.receive()? {
                is_idle = false;
                match worker.order(order, now()) {
                    Some(Action::Run(unit)) => {
                        known = known.min(unit.limit());
                        upper_bound.lower(known);
                        let stop = StopHandle::new();
                        let length = Duration::from_secs_f64(worker.slice());
                        running = Some(stop.clone());
                        give.send((unit, length, stop)).map_err(|_| gone())?;
                    }
                    Some(Action::Interrupt) => {
                        running.iter().for_each(StopHandle::stop);
                    }
                    Some(Action::Lower(value)) => {
                        known = known.min(value);
                        upper_bound.lower(value);
                    }
                    Some(Action::Quit) => return Ok(()),
                    None => {}
                }
            }
            // A better schedule is reported at once, with its bound: a bound alone might outlive
            // its schedule.
            if upper_bound.get().is_some_and(|bound| bound < known) {
                running.iter().for_each(StopHandle::stop);
            }
            match results.try_recv() {
                Ok((ran, seconds)) => {
                    is_idle = false;
                    running = None;
                    let unit: Unit = ran?;
                    known = known.min(unit.limit());
                    let report = worker.ended(unit, seconds, now());
                    if worker.has_ended() {
                        return Ok(());
                    }
                    desk.send(report)?;
                }
                Err(TryRecvError::Empty) => {}
                Err(TryRecvError::Disconnected) => return Err(gone()),
            }
            if is_idle {
                thread::sleep(POLL);
            }
        }
    })
}

/// The thread that searches has ended, which happens after a panic only.
fn gone() -> Box<Error> {
    Box::new(Error::Internal("the searching thread has ended".into()))
}

/// The outcome of what [`coordinate`] returned: the library reads its checkpoint, which it also
/// re-checks.
///
/// # Errors
/// [`Error::Io`] if the file can't be written; those of [`flow_shop::solve`].
pub fn outcome(
    unit: &Unit,
    context: &Context,
    options: &SolveOptions,
    file: PathBuf,
    seconds: f64,
) -> Result<Outcome<Permutation>> {
    let elsewhere = std::env::temp_dir().join(format!("{}.checkpoint", std::process::id()));
    let (file, is_elsewhere) = match unit.write_checkpoint(&file) {
        Ok(()) => (file, false),
        // A failed write must not lose the result.
        Err(_) => unit.write_checkpoint(&elsewhere).map(|()| (elsewhere, true))?,
    };
    let tree: &Tree = unit.tree();
    let mut with_file = tree.options().clone();
    with_file.exact.checkpoint = Some(file.clone());
    // Nothing more is to be searched.
    let stop = StopHandle::new();
    if !unit.is_done() {
        stop.stop();
    }
    let limits = Limits { time: None, iterations: None, ..options.limits.clone() };
    let options = SolveOptions { limits, stop: Some(stop), progress: None, ..options.clone() };
    let solved = flow_shop::solve(context, tree.instance(), &with_file, &options);
    if is_elsewhere {
        let _ = std::fs::remove_file(file);
    }
    let mut outcome = solved?;
    outcome.report.interrupted = !unit.is_done();
    outcome.report.seconds = seconds;
    Ok(outcome)
}

/// A transport between threads, for a worker in the process of the coordinator.
#[derive(Debug)]
pub struct Threads {
    orders: Vec<Sender<Order<Unit>>>,
    /// Workers that have the order to end.
    ended: usize,
    reports: Receiver<(usize, Report<Unit>)>,
}

/// The worker's side of [`Threads`].
#[derive(Debug)]
pub struct ThreadDesk {
    worker: usize,
    orders: Receiver<Order<Unit>>,
    reports: Sender<(usize, Report<Unit>)>,
}

impl Threads {
    /// The sides of the coordinator and of that many workers.
    pub fn new(workers: usize) -> (Threads, Vec<ThreadDesk>) {
        let (to_office, reports) = mpsc::channel();
        let mut orders = Vec::with_capacity(workers);
        let mut desks = Vec::with_capacity(workers);
        for worker in 0..workers {
            let (sender, receiver) = mpsc::channel();
            orders.push(sender);
            desks.push(ThreadDesk { worker, orders: receiver, reports: to_office.clone() });
        }
        (Threads { orders, ended: 0, reports }, desks)
    }
}

impl Office for Threads {
    fn workers(&self) -> usize {
        self.orders.len()
    }

    fn send(&mut self, worker: usize, order: Order<Unit>) -> Result<()> {
        self.ended += usize::from(matches!(order, Order::End));
        self.orders[worker].send(order).map_err(|_| gone())
    }

    fn receive(&mut self) -> Result<Option<Event>> {
        if self.ended == self.orders.len() {
            return Ok(None);
        }
        let report = received(self.reports.try_recv())?;
        Ok(report.map(|(worker, report)| Event::Reported(worker, report)))
    }
}

impl Desk for ThreadDesk {
    fn send(&mut self, report: Report<Unit>) -> Result<()> {
        self.reports.send((self.worker, report)).map_err(|_| gone())
    }

    fn receive(&mut self) -> Result<Option<Order<Unit>>> {
        received(self.orders.try_recv())
    }
}

fn received<T>(message: Result<T, TryRecvError>) -> Result<Option<T>> {
    match message {
        Ok(message) => Ok(Some(message)),
        Err(TryRecvError::Empty) => Ok(None),
        Err(TryRecvError::Disconnected) => Err(gone()),
    }
}
