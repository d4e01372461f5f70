//! How late solves end.

#[path = "../../tests/every_method/mod.rs"]
mod every_method;

use std::time::Duration;

use clap::Args;
use every_method::Case;
use makespan::{Context, SolveOptions};

use crate::common::Result;
use crate::common::log::Log;
use crate::common::options::{On, limited};

/// The overshoot of every problem's methods over time limits
///
/// In milliseconds of wall-clock time from deadline to return, and those of processor time over the
/// threads; the worst of all.
#[derive(Args)]
pub(crate) struct Overshoots {
    /// Only methods whose names have one of these words
    names: Vec<String>,
    /// Seconds
    #[arg(long, value_delimiter = ',', default_values_t = [0.05, 0.5, 2.0])]
    limits: Vec<f64>,
    #[command(flatten)]
    on: On,
}

impl Overshoots {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let context = self.on.context(None)?;
        let mut worst = (0.0, String::new());
        for case in every_method::all() {
            if !self.names.is_empty() && !self.names.iter().any(|name| case.name.contains(name)) {
                continue;
            }
            let mut line = format!("{:40}", case.name);
            for &limit in &self.limits {
                let Some((late, worked)) = overshoot(log, &context, &case, limit)? else {
                    line += &format!(" {:>18}", "-");
                    continue;
                };
                if late > worst.0 {
                    worst = (late, format!("{} at {limit} s", case.name));
                }
                line += &format!(" {:>18}", format!("{late:.1} ({worked:.1})"));
            }
            println!("{line}");
        }
        println!("worst: {:.1} ms, {}", worst.0, worst.1);
        Ok(())
    }
}

/// Milliseconds of wall-clock and of processor time after the limit. `None` where the method has no
/// kernels.
fn overshoot(log: &Log, context: &Context, case: &Case, limit: f64) -> Result<Option<(f64, f64)>> {
    let time = Duration::from_secs_f64(limit);
    let Some((ended, overshoot)) = case.overshoot(context, time, SolveOptions::default()) else {
        return Ok(None);
    };
    let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
    let late = milliseconds(overshoot.wall);
    let worked = milliseconds(overshoot.worked) / context.threads() as f64;
    log.report(&case.name, context, &limited(limit), &ended.report)
        .found(ended.status, ended.objective, ended.bound)
        .with("overshoot_ms", late)
        .with("overshoot_worked_ms", worked)
        .write()?;
    Ok(Some((late, worked)))
}
