//! How far the automatic choice of method, engine and device is from the best one.

mod cases;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use clap::Args;
use makespan::{Context, ContextOptions, DeviceKind, Engine, LogLevel, Report, SolveOptions};

use self::cases::{Case, Way};
use crate::Result;
use crate::common::engines;
use crate::log::Log;

/// Solves that short are repeated, and the best time counts.
const SHORT: f64 = 0.5;
const REPEATS: usize = 5;

/// The regret of auto: its time over that of the best engine and method, all problems
///
/// Each case runs in a context that lives on, and in a fresh one, whose making counts. A device that
/// is a processor is left out: auto never takes it.
#[derive(Args)]
pub(crate) struct Regret {
    /// Only cases whose names have this word
    #[arg(default_value = "")]
    word: String,
    /// About twenty small cases
    #[arg(long)]
    quick: bool,
}

/// The last reason that the library gave for its choice of an engine.
type Reason = Arc<Mutex<String>>;

/// The time of a way on an engine.
struct Timed {
    name: String,
    seconds: f64,
}

impl Regret {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let reason = Reason::default();
        let lived = context(Engine::Auto, &reason)?;
        let cpu = context(Engine::Cpu, &reason)?;
        let device = context(Engine::Device, &reason).ok().filter(is_a_card);
        if device.is_none() {
            println!("no device but the processor");
        }
        println!(
            "case: seconds of auto, of the best one, ratio; engine and method of auto, reason"
        );
        let (mut of_lived, mut of_fresh) = (Vec::new(), Vec::new());
        for case in cases::all() {
            let name = format!("{}, {}", case.class, case.size);
            if !name.contains(&self.word) || (self.quick && !case.is_quick) {
                continue;
            }
            let ways = (case.make)();
            // The device's kernels are built and kept first.
            let mut others = Vec::new();
            for (engine, context) in [(Engine::Cpu, Some(&cpu)), (Engine::Device, device.as_ref())]
            {
                let Some(context) = context else { continue };
                others.extend(
                    ways.iter().filter_map(|way| timed(way, engine, || (way.solve)(context))),
                );
            }
            let auto = || (ways[0].solve)(&lived);
            auto()?;
            let comparison = Comparison { log, case: &case, kind: "lived", reason: &reason };
            of_lived.push(comparison.of(&lived, &others, &auto)?);

            let solve = |engine, way: &Way| (way.solve)(&context(engine, &reason)?);
            let mut others = Vec::new();
            for (engine, is_there) in [(Engine::Cpu, true), (Engine::Device, device.is_some())] {
                let ways = ways.iter().filter(|_| is_there);
                others.extend(ways.filter_map(|way| timed(way, engine, || solve(engine, way))));
            }
            let comparison = Comparison { kind: "fresh", ..comparison };
            of_fresh.push(comparison.of(&lived, &others, &|| solve(Engine::Auto, &ways[0]))?);
        }
        summarise("lived", of_lived);
        summarise("fresh", of_fresh);
        Ok(())
    }
}

fn context(engine: Engine, reason: &Reason) -> makespan::Result<Context> {
    let reason = Arc::clone(reason);
    let note = move |_: LogLevel, line: &str| {
        if line.starts_with("engine ") {
            line.clone_into(&mut reason.lock().unwrap_or_else(PoisonError::into_inner));
        }
    };
    let log = makespan::Log::new(LogLevel::Info, Arc::new(note));
    Context::new(ContextOptions { log, ..engines::with_device(engine, None) })
}

/// Whether the context's device is no processor.
fn is_a_card(context: &Context) -> bool {
    let index = engines::device_indices().first().copied().unwrap_or(0);
    context.devices().get(index).is_some_and(|device| device.kind != DeviceKind::Cpu)
}

/// The best time of a few solves, with the last report.
fn best_of(solve: impl Fn() -> Result<Report>) -> Result<(f64, Report)> {
    let (start, mut best) = (Instant::now(), f64::INFINITY);
    for repeat in 1.. {
        let begun = Instant::now();
        let report = solve()?;
        best = best.min(begun.elapsed().as_secs_f64());
        if repeat == REPEATS || start.elapsed().as_secs_f64() > SHORT {
            return Ok((best, report));
        }
    }
    unreachable!("the loop ends by its repeats")
}

/// `None` if the way does not work there, as a method without kernels on a device, or was stopped.
fn timed(way: &Way, engine: Engine, solve: impl Fn() -> Result<Report>) -> Option<Timed> {
    let (seconds, report) = best_of(solve).ok()?;
    let name = format!("{} on {}", way.name, engine.name());
    (!report.interrupted).then_some(Timed { name, seconds })
}

/// A case in one kind of context.
struct Comparison<'a> {
    log: &'a Log,
    case: &'a Case,
    kind: &'static str,
    reason: &'a Reason,
}

impl Comparison<'_> {
    /// Prints and logs the case; returns the ratio.
    fn of(
        &self,
        context: &Context,
        others: &[Timed],
        auto: &dyn Fn() -> Result<Report>,
    ) -> Result<f64> {
        self.reason.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let (seconds, report) = best_of(auto)?;
        let reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let shorter = |a: &&Timed, b: &&Timed| a.seconds.total_cmp(&b.seconds);
        let best = others.iter().min_by(shorter).filter(|best| best.seconds < seconds);
        let (best, best_seconds) =
            best.map_or(("auto", seconds), |best| (best.name.as_str(), best.seconds));
        let ratio = seconds / best_seconds;
        let name = format!("{}, {}", self.case.class, self.case.size);
        let kind = self.kind;
        let engine = report.device.as_deref().unwrap_or("CPU");
        println!(
            "{kind} {name}: {seconds:.6} s, {best_seconds:.6} s by {best}, {ratio:.2}; \
             {} on {engine}, {reason}",
            report.method
        );
        let line = self.log.report(&self.case.size, context, &SolveOptions::default(), &report);
        let line = line.class(self.case.class).variant(kind).seconds(seconds);
        let line = line.with("best", best).with("best_seconds", best_seconds);
        line.with("ratio", ratio).with("reason", reason).write()?;
        Ok(ratio)
    }
}

fn summarise(kind: &str, mut ratios: Vec<f64>) {
    ratios.sort_by(f64::total_cmp);
    let Some(last) = ratios.len().checked_sub(1) else { return };
    let at = |share: f64| ratios[(share * last as f64).round() as usize];
    println!(
        "{kind}: {} cases, median {:.2}, 95th percentile {:.2}, worst {:.2}",
        ratios.len(),
        at(0.5),
        at(0.95),
        at(1.0)
    );
}
