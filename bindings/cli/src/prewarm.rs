//! `makespan prewarm`: builds kernels ahead and measures unknown speeds, so that later runs find them
//! in the cache.

use std::path::Path;
use std::time::{Duration, Instant};

use makespan::flow_shop::Instance;
use makespan::{Context, ContextOptions, Kernels, PrewarmProgress};
use serde_json::json;

use crate::failure::Failure;
use crate::progress::Bar;
use crate::{console, files, names};

/// Build the kernels of problems and kernel families ahead, and measure unknown speeds, so that later
/// runs find them
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Problems and kernel families; all problems if there are none. After flow-shop, an instance's
    /// file or known name means the kernels of its numbers of jobs and machines
    #[arg(value_name = "PROBLEM|FAMILY|FILE")]
    names: Vec<String>,
    /// Index of the device, as `makespan devices` shows it
    #[arg(long, value_name = "INDEX")]
    device: Option<usize>,
    /// Threads of the processor whose speeds are measured; one per core if there is none
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of text
    #[arg(long)]
    json: bool,
}

/// Time between two looks at the progress.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let kernels = kernels(&arguments.names)?;
    let Arguments { device, threads, .. } = *arguments;
    let options = ContextOptions { device, threads, ..ContextOptions::default() };
    let (context, start, bar) = (Context::new(options)?, Instant::now(), Bar::new());
    let prewarm = context.prewarm(kernels)?;
    while !prewarm.wait(Some(LOOK_INTERVAL)) {
        let PrewarmProgress { done, total, family, .. } = prewarm.progress();
        let fraction = done as f64 / total.max(1) as f64;
        let step = if done == total { "measuring" } else { "opening the device" };
        bar.move_to(start.elapsed(), fraction, family.unwrap_or(step));
    }
    bar.clear();
    report(arguments, &prewarm.progress(), start.elapsed().as_secs_f64())
}

fn report(arguments: &Arguments, progress: &PrewarmProgress, seconds: f64) -> Result<(), Failure> {
    let PrewarmProgress { done, total, problems, measured, .. } = progress;
    if arguments.json {
        let all = json!({
            "done": done,
            "total": total,
            "seconds": seconds,
            "problems": problems,
            "measured": measured,
        });
        console::write(&format!("{all}\n"))?;
    } else {
        let kernels = (done == total).then(|| format!("{total} sets of kernels"));
        let speeds = format!("speeds of {}", measured.join(" and "));
        let speeds = (!measured.is_empty()).then_some(speeds);
        let parts: Vec<_> = kernels.into_iter().chain(speeds).collect();
        if !parts.is_empty() {
            console::write(&format!("{} in {seconds:.2} s\n", parts.join(", ")))?;
        }
    }
    match problems.first() {
        None => Ok(()),
        Some(problem) => {
            Err(Failure::other(format!("kernels are missing: {}", names::on_one_line(problem))))
        }
    }
}

/// The kernels that the arguments name.
fn kernels(given: &[String]) -> Result<Kernels, Failure> {
    if given.is_empty() {
        return Ok(Kernels::all());
    }
    let (mut names, mut instances, mut rest) = (Vec::new(), Vec::new(), given);
    while let [name, others @ ..] = rest {
        rest = others;
        match others {
            [file, after @ ..] if is_flow_shop(name) && !is_name(file) => {
                rest = after;
                instances.push(Kernels::of_flow_shop(&instance(file)?));
            }
            _ => names.push(name),
        }
    }
    Ok(instances.into_iter().fold(Kernels::named(&names)?, Kernels::and))
}

fn is_flow_shop(name: &str) -> bool {
    matches!(name, "flow-shop" | "flow_shop")
}

/// Whether it is the name of a problem or of a kernel family.
fn is_name(text: &str) -> bool {
    Kernels::named(&[text]).is_ok()
}

/// The instance of a file, or the known one of this name.
fn instance(text: &str) -> Result<Instance, Failure> {
    let file = Path::new(text);
    if !file.exists()
        && let Some(named) = Instance::named(text)
    {
        return Ok(named);
    }
    let content = files::read_instance(file).map_err(|error| Failure::no_text(file, error))?;
    Instance::parse(&content).map_err(|error| Failure::reading(file, error))
}
