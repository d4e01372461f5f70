//! Every solver against an animal of the zoo: PoCL's device in the disguise of another one, which
//! fails, lies, hangs or is slow. `scripts/test-zoo.sh` builds the zoo and names the animals.
//!
//! MAKESPAN_ZOO describes the animal, and its faults happen while the file MAKESPAN_ZOO_ARMED
//! exists. MAKESPAN_ZOO_CASES restricts the cases to those with one of these words in their names,
//! separated by commas.

#[path = "zoo/cases.rs"]
mod cases;

use std::env;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use cases::{Case, Solved};
use makespan::{Context, ContextOptions, Engine, Error, Limits, Result, SolveOptions};

/// Solvers that have no kernel for such a device yet: a word of the animal's description and one of
/// the case's name. With `device` they return a clear error.
const WITHOUT_VARIANT: &[(&str, &str)] = &[
    ("no-doubles", "real matrix chain"),
    // These do not cut their tables into several buffers.
    ("allocation=64", "large"),
];

/// A solve that must end after a second may take this much longer: a launch or a build that has
/// begun, and the check of the result.
const GRACE: Duration = Duration::from_millis(1500);

/// A device that slows launches down more than this is tested under time limits only: whole solves
/// would take hours.
const SLOWEST: u64 = 100;

/// An animal and its faults.
struct Animal {
    words: Vec<String>,
    armed: PathBuf,
}

impl Animal {
    fn of(description: &str) -> Animal {
        let armed = env::var_os("MAKESPAN_ZOO_ARMED").expect("MAKESPAN_ZOO_ARMED names a file");
        let words = description.split(',').map(str::to_owned).collect();
        let animal = Animal { words, armed: armed.into() };
        animal.disarm();
        animal
    }

    fn has(&self, name: &str) -> bool {
        self.words.iter().any(|word| word.split('=').next() == Some(name))
    }

    fn number(&self, name: &str) -> Option<u64> {
        let value = |word: &String| word.strip_prefix(name)?.strip_prefix('=')?.parse().ok();
        self.words.iter().find_map(value)
    }

    /// Whether faults happen while it is armed.
    fn is_faulty(&self) -> bool {
        ["fail", "exhaust", "lose", "fragile", "hang", "liar"].iter().any(|name| self.has(name))
    }

    /// Whether some programs do not build at all.
    fn is_broken(&self) -> bool {
        ["no-build", "broken"].iter().any(|name| self.has(name))
    }

    /// Whether it is fast enough for whole solves.
    fn ends_solves(&self) -> bool {
        self.number("slow").is_none_or(|factor| factor <= SLOWEST)
    }

    fn lacks_variant(&self, case: &Case) -> bool {
        let names = |&(animal, name): &(&str, &str)| {
            self.words.iter().any(|word| word == animal) && case.name.contains(name)
        };
        WITHOUT_VARIANT.iter().any(names)
    }

    /// The longest that a solve may take whose time limit is a second.
    fn patience(&self) -> Duration {
        let hangs = self.number("hang").map_or(0, |_| self.number("hang-ms").unwrap_or(2000));
        Duration::from_secs(1) + Duration::from_millis(hangs) + GRACE
    }

    fn arm(&self) {
        fs::write(&self.armed, "").unwrap();
    }

    fn disarm(&self) {
        let _ = fs::remove_file(&self.armed);
    }
}

/// The errors that a device may cause.
fn is_clear(error: &Error) -> bool {
    matches!(
        error,
        Error::DeviceFailed(_)
            | Error::DeviceUnavailable(_)
            | Error::DeviceWrong(_)
            | Error::Unsupported(_)
            | Error::OutOfMemory { .. }
    )
}

/// Whether the error blames the caller's own OpenCL C for wrong numbers. Its documentation says so:
/// the library can't tell whether the text or the device is wrong.
fn blames_the_text(animal: &Animal, case: &Case, error: &Error) -> bool {
    let is_argument = matches!(error, Error::InvalidArgument { .. });
    animal.has("liar") && case.name.starts_with("custom") && is_argument
}

/// The test of one case, and what is wrong with it.
struct Visit<'a> {
    animal: &'a Animal,
    case: &'a Case,
    expected: String,
    wrong: Vec<String>,
}

impl Visit<'_> {
    fn options(&self, engine: Engine) -> SolveOptions {
        let limits = self.case.limits.clone();
        SolveOptions { engine: Some(engine), limits, ..SolveOptions::default() }
    }

    /// Solves on an engine; a result must be the CPU's, an error a clear one, and only if the device
    /// may fail. Returns whether there is a result from the device.
    fn solve(&mut self, context: &Context, engine: Engine, may_fail: bool, when: &str) -> bool {
        let begun = Instant::now();
        let found = (self.case.solve)(context, &self.options(engine));
        let took = begun.elapsed().as_secs_f64();
        let text = match &found {
            Ok(found) => said_of(found),
            Err(error) => format!("error, {error}"),
        };
        say(&format!("  {}, {when}: {text} ({took:.2} s)", self.case.name));
        match found {
            Ok(found) if found.answer == self.expected => used_device(&found),
            Ok(found) => {
                let expected = &self.expected;
                let differs = format!("{when}: {}, not {expected}", found.answer);
                self.wrong.push(differs);
                false
            }
            Err(error) => {
                let is_allowed = may_fail && is_clear(&error);
                if !is_allowed && !blames_the_text(self.animal, self.case, &error) {
                    self.wrong.push(format!("{when}: {error}"));
                }
                false
            }
        }
    }

    /// Solves with a time limit of a second. Returns whether there is a result from the device.
    fn solve_in_time(&mut self, context: &Context, engine: Engine, when: &str) -> bool {
        let mut options = self.options(engine);
        options.limits = Limits { time: Some(Duration::from_secs(1)), ..options.limits };
        let begun = Instant::now();
        let found = (self.case.solve)(context, &options);
        let (took, most) = (begun.elapsed(), self.animal.patience());
        say(&format!("  {}, {when} in a second: {:.2} s", self.case.name, took.as_secs_f64()));
        if took > most {
            self.wrong.push(format!("{when}: {took:?} with a limit of 1 s"));
        }
        match found {
            Ok(found) => used_device(&found),
            Err(error) => {
                if !(is_clear(&error) && engine == Engine::Device) {
                    self.wrong.push(format!("{when} in a second: {error}"));
                }
                false
            }
        }
    }
}

fn used_device(found: &Solved) -> bool {
    found.reports.iter().any(|report| report.device.is_some())
}

fn said_of(found: &Solved) -> String {
    let fallback = found.reports.iter().find_map(|report| report.fallback.as_ref());
    let engine = if used_device(found) { "device" } else { "CPU" };
    fallback.map_or(engine.to_owned(), |reason| format!("{engine}, {reason}"))
}

/// The test harness would hide what macros print.
fn say(line: &str) {
    // Nobody may listen.
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn context(engine: Engine) -> Context {
    Context::new(ContextOptions { engine, threads: Some(2), ..ContextOptions::default() }).unwrap()
}

/// Which cases a solve needs to be tested.
fn chosen() -> Vec<Case> {
    let words = env::var("MAKESPAN_ZOO_CASES").unwrap_or_default();
    let words: Vec<&str> = words.split(',').filter(|word| !word.is_empty()).collect();
    let mut cases = cases::all();
    cases.retain(|case| words.is_empty() || words.iter().any(|word| case.name.contains(word)));
    assert!(!cases.is_empty(), "no case is named like {words:?}");
    cases
}

/// Solves a case with all engines, and returns what is wrong, and whether the device took part.
fn visit(
    animal: &Animal,
    case: &Case,
    [cpu, device]: [&Context; 2],
) -> Result<(Vec<String>, bool)> {
    let limits = case.limits.clone();
    let on_cpu = SolveOptions { engine: Some(Engine::Cpu), limits, ..SolveOptions::default() };
    let expected = (case.solve)(cpu, &on_cpu)?.answer;
    let mut visit = Visit { animal, case, expected, wrong: Vec::new() };
    let may_fail = animal.is_broken() || animal.lacks_variant(case);
    let mut took_part = false;
    if animal.ends_solves() {
        took_part |= visit.solve(device, Engine::Device, may_fail, "device");
        visit.solve(device, Engine::Auto, false, "auto");
    }
    if animal.is_faulty() {
        animal.arm();
        took_part |= visit.solve(device, Engine::Device, true, "device in trouble");
        visit.solve(device, Engine::Auto, false, "auto in trouble");
        animal.disarm();
        took_part |= visit.solve(device, Engine::Device, may_fail, "device after it");
        visit.solve(device, Engine::Auto, false, "auto after it");
    }
    if animal.has("slow") || animal.has("hang") {
        animal.arm();
        took_part |= visit.solve_in_time(device, Engine::Device, "device");
        visit.solve_in_time(device, Engine::Auto, "auto");
        animal.disarm();
    }
    Ok((visit.wrong, took_part))
}

/// One test for all, since the animal is that of the process.
#[test]
fn every_solver_survives_the_animal() {
    let Ok(description) = env::var("MAKESPAN_ZOO") else {
        return say("skipped, MAKESPAN_ZOO names no animal");
    };
    let animal = Animal::of(&description);
    // With an open device, `auto` takes it for every step that is expected to be faster there.
    let (cpu, device) = (context(Engine::Cpu), context(Engine::Device));
    let name = &device.devices()[0].name;
    assert!(name.starts_with("Zoo: "), "the first device is {name}");
    let mut wrong = Vec::new();
    for case in chosen() {
        let (faults, took_part) = visit(&animal, &case, [&cpu, &device]).unwrap();
        wrong.extend(faults.iter().map(|fault| format!("{}: {fault}", case.name)));
        // The slowest devices test a program for longer than a solve may take.
        let may_miss = !animal.ends_solves() || animal.is_broken() || animal.lacks_variant(&case);
        if !took_part && !may_miss {
            wrong.push(format!("{}: the device took no part", case.name));
        }
    }
    assert!(wrong.is_empty(), "{name}:\n{}", wrong.join("\n"));
}
