//! How far the automatic choice of method, engine and device is from the best one.

mod cases;
mod process;
mod turns;

use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use makespan::{Context, ContextOptions, Engine, LogLevel, SolveOptions};

use self::cases::{Answer, Case, Found, Way};
use self::turns::{Solved, Timed, take_turns};
use crate::common::Result;
use crate::common::engines;
use crate::common::log::Log;

/// The regret of auto: its time over that of the best engine and method, all problems
///
/// Each case runs twice: in a context that has opened the device before, and in a new process, whose
/// start and end count. A device that is a processor is left out: auto never takes it. A method
/// counts only if its status, objective and bound equal those of auto.
#[derive(Args)]
pub(crate) struct Regret {
    /// Only cases whose names have this word
    #[arg(default_value = "")]
    word: String,
    /// About thirty small cases
    #[arg(long)]
    quick: bool,
    /// Only processes that know no measured speeds: the cache in MAKESPAN_CACHE_DIR loses them
    /// before each
    #[arg(long)]
    unknown: bool,
    /// Compare with the processor alone: on a slow device, some cases take hours
    #[arg(long)]
    cpu_alone: bool,
    /// Solve only this case, once, and print what was found
    #[arg(long, hide = true, num_args = 3, value_names = ["CASE", "WAY", "ENGINE"])]
    alone: Vec<String>,
}

/// The last reason that the library gave for its choice of an engine.
type Reason = Arc<Mutex<String>>;

impl Regret {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        if let [name, way, engine] = self.alone.as_slice() {
            let case = cases::all().into_iter().find(|case| case.name() == *name);
            return process::solve(&case.ok_or("there is no such case")?, way, engine);
        }
        if self.unknown && std::env::var_os("MAKESPAN_CACHE_DIR").is_none() {
            return Err("--unknown needs a cache of its own in MAKESPAN_CACHE_DIR".into());
        }
        let reason = Reason::default();
        let lived = context(Engine::Auto, &reason)?;
        engines::live(&lived);
        let cpu = context(Engine::Cpu, &reason)?;
        let device = match self.cpu_alone {
            true => None,
            false => context(Engine::Device, &reason).ok().filter(engines::has_card),
        };
        if device.is_none() && !self.cpu_alone {
            println!("no device but the processor");
        }
        println!(
            "case: seconds of auto, of the best one with the same status, objective and bound, \
             ratio; engine and method of auto, reason; what finds something else"
        );
        let engines = [(Engine::Cpu, Some(&cpu)), (Engine::Device, device.as_ref())];
        let engines = engines.into_iter().filter_map(|(engine, context)| Some((engine, context?)));
        let engines: Vec<_> = engines.collect();
        let (mut of_lived, mut of_processes) = (Vec::new(), Vec::new());
        for case in cases::all() {
            let name = case.name();
            if !name.contains(&self.word) || (self.quick && !case.is_quick) {
                continue;
            }
            let ways = (case.make)();
            let solve = |way: &Way, context: &Context| {
                let answer = (way.solve)(context)?;
                Ok((None, answer, reason_of(&reason)))
            };
            // The device's kernels are built and kept first, and memory is known to the process.
            for &(_, context) in &engines {
                ways.iter().for_each(|way| drop(solve(way, context)));
            }
            let comparison = Comparison { log, case: &case, kind: "lived", context: &lived };
            if !self.unknown {
                solve(&ways[0], &lived)?;
                let mut solves = vec![Timed::new("auto".into(), || solve(&ways[0], &lived))];
                solves.extend(of_engines(&engines, &ways, |way, _, context| solve(way, context)));
                of_lived.push(comparison.of(solves)?);
            }

            let solve = |way: &Way, engine| {
                if self.unknown {
                    process::forget_speeds()?;
                }
                let (seconds, answer, reason) = process::measure(&name, way, engine)?;
                Ok((Some(seconds), answer, reason))
            };
            let mut solves = vec![Timed::new("auto".into(), || solve(&ways[0], Engine::Auto))];
            solves.extend(of_engines(&engines, &ways, |way, engine, _| solve(way, engine)));
            let comparison = Comparison { kind: "process", ..comparison };
            of_processes.push(comparison.of(solves)?);
        }
        summarise("lived", of_lived);
        summarise("process", of_processes);
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

/// Takes the reason, so that a solve without one does not get that of an earlier solve.
fn reason_of(reason: &Reason) -> String {
    mem::take(&mut *reason.lock().unwrap_or_else(PoisonError::into_inner))
}

/// All ways on all engines.
fn of_engines<'a>(
    engines: &'a [(Engine, &'a Context)],
    ways: &'a [Way],
    solve: impl Fn(&Way, Engine, &Context) -> Result<Solved> + Copy + 'a,
) -> impl Iterator<Item = Timed<'a>> {
    engines.iter().flat_map(move |&(engine, context)| {
        ways.iter().map(move |way| {
            let name = format!("{} on {}", way.name, engine.name());
            Timed::new(name, move || solve(way, engine, context))
        })
    })
}

/// A way on an engine that solved the case.
struct Other {
    name: String,
    seconds: f64,
    found: Vec<Found>,
}

impl Other {
    /// `None` if the solve failed or left out some work.
    fn of(timed: Timed<'_>) -> Option<Other> {
        let answer = timed.last.ok().map(|(answer, _)| answer).filter(Answer::is_whole)?;
        Some(Other { name: timed.name, seconds: timed.seconds, found: answer.found })
    }
}

/// A case in one kind of context.
struct Comparison<'a> {
    log: &'a Log,
    case: &'a Case,
    kind: &'static str,
    context: &'a Context,
}

impl Comparison<'_> {
    /// Prints and logs the case; returns the ratio. The first solve is that of auto.
    fn of(&self, mut solves: Vec<Timed<'_>>) -> Result<f64> {
        take_turns(&mut solves);
        let mut solves = solves.into_iter();
        let auto = solves.next().ok_or("there is no solve of auto")?;
        let (seconds, (Answer { found, report }, reason)) = (auto.seconds, auto.last?);
        // A way may not work on an engine, as a method without kernels on a device.
        let others: Vec<Other> = solves.filter_map(Other::of).collect();
        let shorter = |a: &&Other, b: &&Other| a.seconds.total_cmp(&b.seconds);
        let (same, different): (Vec<_>, Vec<_>) =
            others.iter().partition(|other| other.found == found);
        let best = same.into_iter().min_by(shorter).filter(|best| best.seconds < seconds);
        let (best, best_seconds) =
            best.map_or(("auto", seconds), |best| (best.name.as_str(), best.seconds));
        let ratio = seconds / best_seconds;
        let (name, kind) = (self.case.name(), self.kind);
        let engine = report.device.as_deref().unwrap_or("CPU");
        println!(
            "{kind} {name}: {seconds:.6} s, {best_seconds:.6} s by {best}, {ratio:.2}; \
             {} on {engine}, {reason}{}",
            report.method,
            disagreement(&found, &different)
        );
        let all: Vec<_> =
            others.iter().map(|other| format!("{} {:.6}", other.name, other.seconds)).collect();
        let different: Vec<_> = different.iter().map(|other| other.name.as_str()).collect();
        let line =
            self.log.report(&self.case.size, self.context, &SolveOptions::default(), &report);
        let line = line.class(self.case.class).variant(kind).seconds(seconds);
        let line = line.with("best", best).with("best_seconds", best_seconds);
        let line = line.with("ratio", ratio).with("reason", reason);
        let line = line.with("others", all.join(", "));
        line.with("different", different.join(", ")).write()?;
        Ok(ratio)
    }
}

/// Which ways found something else than auto, with the first instance in which they differ.
fn disagreement(by_auto: &[Found], others: &[&Other]) -> String {
    let show = |found: &Found| {
        let number = |value: Option<i64>| value.map_or("none".into(), |value| value.to_string());
        let (objective, bound) = (number(found.objective), number(found.bound));
        format!("{} {objective} (bound {bound})", found.status.name())
    };
    let tell = |other: &&Other| {
        let mut pairs = other.found.iter().zip(by_auto);
        let Some((own, auto)) = pairs.find(|(own, auto)| own != auto) else {
            return format!("; {} finds another number of answers", other.name);
        };
        format!("; {} finds {} and auto {}", other.name, show(own), show(auto))
    };
    others.iter().map(tell).collect()
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
