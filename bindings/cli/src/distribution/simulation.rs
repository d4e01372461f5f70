//! The coordinator and its workers on a simulated machine: a list of events in the order of time.
//! Messages take time, the coordinator handles one at a time, workers have unequal speeds and may be
//! lost.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};

use makespan::Result;

use super::coordinator::Settings;
use super::worker::Action;
use super::{Coordinator, Order, Report, Work, Worker};

/// Work that the simulation can do.
pub trait Simulated: Work {
    /// Decomposes at most that many nodes. Returns how many it decomposed.
    ///
    /// # Errors
    /// Those of a run.
    fn advance(&mut self, nodes: u64) -> Result<u64>;
}

/// A simulated machine. Times are in seconds.
#[derive(Debug, Clone)]
pub struct Machine {
    /// Nodes in a second of each worker.
    pub rates: Vec<f64>,
    /// How long a message is under way.
    pub latency: f64,
    /// How long the coordinator works on a message, and for each open node in it.
    pub message: f64,
    /// See [`Machine::message`].
    pub message_node: f64,
    /// How long a worker needs to end a slice, begin one, and make its report.
    pub turn: f64,
    /// When workers are lost, and whether others replace them a second later.
    pub losses: Vec<(f64, usize, bool)>,
    /// How the coordinator shares the work out.
    pub settings: Settings,
}

/// What a simulation found.
#[derive(Debug, Clone, Copy)]
pub struct Found {
    /// When the work ended.
    pub seconds: f64,
    /// The nodes of reported work, and those that the coordinator decomposed to split units.
    pub nodes: u64,
    /// The nodes that workers decomposed, also in work that was lost.
    pub decomposed: u64,
    /// The share of the time for which the coordinator was busy.
    pub busy: f64,
    /// Messages of workers.
    pub messages: u64,
    /// The time that the work takes at all workers' speeds without any loss, divided by the time
    /// that it took.
    pub efficiency: f64,
}

enum Event<W> {
    /// A report reaches the coordinator.
    Arrives(usize, Report<W>),
    /// The coordinator is done with a message.
    Handled,
    /// An order reaches a worker.
    Ordered(usize, Order<W>),
    /// A worker's slice ends, if it is that slice.
    SliceEnds(usize, u64),
    Tick,
    Lost(usize, bool),
    Returns(usize),
}

struct At<W> {
    time: f64,
    number: u64,
    event: Event<W>,
}

impl<W> PartialEq for At<W> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<W> Eq for At<W> {}

impl<W> PartialOrd for At<W> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<W> Ord for At<W> {
    /// The earliest is the greatest; of equal times, the one that was planned first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then(other.number.cmp(&self.number))
    }
}

struct Site<W> {
    worker: Worker<W>,
    unit: Option<W>,
    begun: f64,
    /// The number of its slices, by which ends of earlier slices are known.
    slice: u64,
    is_lost: bool,
}

struct Simulation<'m, W> {
    machine: &'m Machine,
    coordinator: Coordinator<W>,
    sites: Vec<Site<W>>,
    events: BinaryHeap<At<W>>,
    planned: u64,
    now: f64,
    /// Reports that wait for the coordinator; the first one is being handled.
    waiting: VecDeque<(usize, Report<W>)>,
    busy: f64,
    messages: u64,
    decomposed: u64,
}

/// Seconds between two ticks of the coordinator.
const TICK: f64 = 0.1;
/// How long a lost worker is away if it returns.
const ABSENCE: f64 = 1.0;

/// Does all of the work on the machine.
///
/// # Errors
/// Those of the coordinator and of runs.
pub fn simulate<W: Simulated>(whole: W, machine: &Machine) -> Result<(Found, W)> {
    let workers = machine.rates.len();
    let mut simulation = Simulation {
        machine,
        coordinator: Coordinator::new(whole, workers, machine.settings)?,
        sites: Vec::with_capacity(workers),
        events: BinaryHeap::new(),
        planned: 0,
        now: 0.0,
        waiting: VecDeque::new(),
        busy: 0.0,
        messages: 0,
        decomposed: 0,
    };
    for worker in 0..workers {
        simulation.join(worker);
    }
    for &(time, worker, returns) in &machine.losses {
        simulation.plan(time, Event::Lost(worker, returns));
    }
    simulation.plan(TICK, Event::Tick);
    while !simulation.coordinator.is_done() {
        let Some(At { time, event, .. }) = simulation.events.pop() else { break };
        simulation.now = time;
        simulation.handle(event)?;
    }
    simulation.found()
}

impl<W: Simulated> Simulation<'_, W> {
    fn plan(&mut self, delay: f64, event: Event<W>) {
        self.planned += 1;
        self.events.push(At { time: self.now + delay, number: self.planned, event });
    }

    /// A worker that is new, or new again, asks for work.
    fn join(&mut self, index: usize) {
        let (worker, report) = Worker::new(self.now);
        let slice = self.sites.get(index).map_or(0, |site| site.slice + 1);
        let site = Site { worker, unit: None, begun: self.now, slice, is_lost: false };
        match self.sites.get_mut(index) {
            Some(old) => *old = site,
            None => self.sites.push(site),
        }
        self.plan(self.machine.latency, Event::Arrives(index, report));
    }

    fn handle(&mut self, event: Event<W>) -> Result<()> {
        match event {
            Event::Arrives(worker, report) => {
                self.messages += 1;
                self.waiting.push_back((worker, report));
                if self.waiting.len() == 1 {
                    self.begin_handling();
                }
            }
            Event::Handled => {
                if let Some((worker, report)) = self.waiting.pop_front()
                    && !self.sites[worker].is_lost
                {
                    self.coordinator.report(worker, report, self.now)?;
                }
                if !self.waiting.is_empty() {
                    self.begin_handling();
                }
            }
            Event::Ordered(worker, order) => self.obey(worker, order)?,
            Event::SliceEnds(worker, slice) if self.sites[worker].slice == slice => {
                self.end_slice(worker)?;
            }
            Event::SliceEnds(..) => {}
            Event::Tick => {
                self.coordinator.tick(self.now)?;
                self.plan(TICK, Event::Tick);
            }
            Event::Lost(worker, returns) => {
                let site = &mut self.sites[worker];
                (site.is_lost, site.slice) = (true, site.slice + 1);
                if let Some(mut unit) = site.unit.take() {
                    let seconds = self.now - site.begun;
                    let most = (self.machine.rates[worker] * seconds).ceil() as u64;
                    self.decomposed += unit.advance(most)?;
                }
                self.coordinator.lost(worker, self.now)?;
                if returns {
                    self.plan(ABSENCE, Event::Returns(worker));
                }
            }
            Event::Returns(worker) => self.join(worker),
        }
        for (worker, order) in self.coordinator.orders() {
            self.plan(self.machine.latency, Event::Ordered(worker, order));
        }
        Ok(())
    }

    fn begin_handling(&mut self) {
        let Some((_, report)) = self.waiting.front() else { return };
        let nodes = report.remainder.as_ref().map_or(0, Work::open_nodes);
        let time = self.machine.message + self.machine.message_node * nodes as f64;
        self.busy += time;
        self.plan(time, Event::Handled);
    }

    fn obey(&mut self, index: usize, order: Order<W>) -> Result<()> {
        let site = &mut self.sites[index];
        if site.is_lost {
            return Ok(());
        }
        match site.worker.order(order, self.now) {
            Some(Action::Run(unit)) => {
                site.slice += 1;
                (site.unit, site.begun) = (Some(unit), self.now);
                let (length, slice) = (site.worker.slice(), site.slice);
                // A unit that ends sooner also ends the slice.
                let rate = self.machine.rates[index];
                let left = site.unit.as_ref().map_or(0.0, |unit| seconds_left(unit, rate, length));
                self.plan(left, Event::SliceEnds(index, slice));
            }
            Some(Action::Interrupt) => self.end_slice(index)?,
            Some(Action::Lower(_) | Action::Quit) | None => {}
        }
        Ok(())
    }

    fn end_slice(&mut self, index: usize) -> Result<()> {
        let site = &mut self.sites[index];
        let Some(mut unit) = site.unit.take() else { return Ok(()) };
        site.slice += 1;
        let seconds = self.now - site.begun;
        let done = unit.advance((self.machine.rates[index] * seconds).ceil() as u64)?;
        self.decomposed += done;
        let report = site.worker.ended(unit, seconds, self.now);
        self.plan(self.machine.turn + self.machine.latency, Event::Arrives(index, report));
        Ok(())
    }

    fn found(self) -> Result<(Found, W)> {
        let nodes = self.coordinator.ledger().nodes();
        let speed: f64 = self.machine.rates.iter().sum();
        let found = Found {
            seconds: self.now,
            nodes,
            decomposed: self.decomposed,
            busy: self.busy / self.now,
            messages: self.messages,
            efficiency: nodes as f64 / speed / self.now,
        };
        Ok((found, self.coordinator.whole()?))
    }
}

/// How long a unit takes, at most `length`. A copy is run to learn that.
fn seconds_left<W: Simulated>(unit: &W, rate: f64, length: f64) -> f64 {
    let mut copy = unit.clone();
    let most = (rate * length).ceil() as u64;
    match copy.advance(most) {
        Ok(done) if copy.is_done() => done.max(1) as f64 / rate,
        _ => length,
    }
}
