//! `makespan work`: a proof by branch and bound that any number of machines share through a folder,
//! without a server.

mod folder;
mod part;

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use makespan::flow_shop::Method;
use makespan::flow_shop::units::{Tree, Unit, UpperBound};
use makespan::{Context, Error, Limits, Result, SolveOptions, StopHandle};

use self::folder::Folder;
use self::part::Part;
use crate::distribution::proof;
use crate::failure::Failure;
use crate::flow_shop;
use crate::progress::Bar;

/// Least and most seconds of a slice, after which a worker writes down what remains.
const SLICE: (f64, f64) = (0.05, 5.0);
/// Slices in a lease.
const SLICES_PER_LEASE: f64 = 20.0;
/// Most parts that a worker gives away after one slice.
const MOST_SHARES: usize = 7;

/// Prove the optimum of a flow shop together with other machines that run the same command on the
/// same folder
#[derive(clap::Args)]
#[group(skip)]
pub(crate) struct Arguments {
    /// Folder that all machines can read and write; made if it does not exist
    folder: PathBuf,
    /// Time without a sign of life after which other machines take over the work of a machine
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = lease)]
    lease: Duration,
    #[command(flatten)]
    flow_shop: flow_shop::Arguments,
}

fn lease(text: &str) -> std::result::Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (1.0..=86_400.0).contains(seconds));
    let seconds = seconds.ok_or("it is not a number of seconds from 1 to 86400")?;
    Ok(Duration::from_secs_f64(seconds))
}

pub(crate) fn run(arguments: &Arguments) -> std::result::Result<(), Failure> {
    let task = arguments.flow_shop.read()?;
    let mut options = task.options().clone();
    if options.method == Method::Auto {
        options.method = Method::BranchAndBound;
    }
    if task.solve_options().limits.iterations.is_some() {
        return Err(Failure::usage(
            "--iteration-limit makes no sense with work, which has many runs",
        ));
    }
    task.publish(|context, solve_options| {
        let begun = Instant::now();
        let tree = Tree::new(task.instance().clone(), &options)?;
        let folder = Folder::open(&arguments.folder, &tree, arguments.lease)?;
        let mut worker = Worker {
            context,
            options: solve_options,
            folder,
            upper_bound: UpperBound::new(),
            begun,
            bar: Bar::new(),
            slice: (arguments.lease.as_secs_f64() / SLICES_PER_LEASE).clamp(SLICE.0, SLICE.1),
        };
        let whole = worker.run();
        worker.bar.clear();
        let whole = whole?;
        let file = worker.folder.scratch_file();
        let seconds = begun.elapsed().as_secs_f64();
        let outcome = proof::outcome(&whole, context, solve_options, file.clone(), seconds);
        // It has served its purpose.
        let _ = std::fs::remove_file(file);
        outcome
    })
}

struct Worker<'a> {
    context: &'a Context,
    options: &'a SolveOptions,
    folder: Folder,
    upper_bound: UpperBound,
    begun: Instant,
    bar: Bar,
    /// Seconds of a slice.
    slice: f64,
}

impl Worker<'_> {
    /// Works until the proof is complete or a limit comes. Returns the whole, or what is known of it.
    fn run(&mut self) -> Result<Unit> {
        loop {
            self.folder.check_trust()?;
            if let Some(whole) = self.folder.result()? {
                return Ok(whole);
            }
            if self.must_end() {
                return self.folder.known();
            }
            match self.folder.claim()? {
                Some(part) => self.work(part)?,
                None => {
                    self.bar.tell(self.begun.elapsed(), "waiting for work");
                    self.folder.ask_for_work()?;
                    self.folder.take_over_expired()?;
                    self.folder.conclude()?;
                    thread::sleep(Duration::from_secs_f64(self.slice.min(0.5)));
                }
            }
        }
    }

    fn must_end(&self) -> bool {
        self.options.stop.as_ref().is_some_and(StopHandle::is_stopped)
            || self.options.limits.time.is_some_and(|limit| self.begun.elapsed() >= limit)
    }

    /// Works on a part until it is done, a limit comes, or another worker has taken it over.
    fn work(&mut self, mut part: Part) -> Result<()> {
        self.folder.ask_no_more();
        // The first slices are short, so that others soon have work.
        let mut slice = SLICE.0;
        loop {
            self.folder.learn(&mut part.unit)?;
            self.upper_bound.lower(part.unit.limit());
            let before = part.unit.best().1;
            if let Err(error) = self.advance(&mut part.unit, slice) {
                return self.give_up(&part, error);
            }
            let (open, best) = (part.unit.open_nodes(), part.unit.best().1);
            self.bar.tell(self.begun.elapsed(), &format!("{open} open nodes, best {best}"));
            if best < before {
                self.folder.teach(&part.unit)?;
            }
            if part.unit.is_done() {
                return self.folder.finish(&part);
            }
            let wanted = self.folder.wanted()?.min(MOST_SHARES);
            if wanted > 0 {
                part = self.folder.give_away(part, wanted)?;
            }
            if !self.folder.keep(&part)? {
                // Another worker has taken it over, since this one was away for too long.
                return Ok(());
            }
            if self.must_end() {
                return self.folder.release(&part);
            }
            slice = (2.0 * slice).min(self.slice);
        }
    }

    /// Ends the work after an error. Others may continue the part, unless a device was wrong.
    fn give_up(&self, part: &Part, error: Box<Error>) -> Result<()> {
        match *error {
            Error::DeviceWrong(_) => self.folder.distrust()?,
            _ => self.folder.release(part)?,
        }
        Err(error)
    }

    fn advance(&self, unit: &mut Unit, seconds: f64) -> Result<()> {
        let left = self.options.limits.time.map(|limit| limit.saturating_sub(self.begun.elapsed()));
        let time = Duration::from_secs_f64(seconds).min(left.unwrap_or(Duration::MAX));
        let limits = Limits { time: Some(time), ..self.options.limits.clone() };
        let options = SolveOptions { limits, progress: None, ..self.options.clone() };
        unit.run(self.context, &options, &self.upper_bound).map(drop)
    }
}
