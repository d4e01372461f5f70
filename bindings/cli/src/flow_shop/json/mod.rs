//! Instances in JSON files, with names and instants of the calendar. Errors name the place.

mod amounts;
mod document;
mod instant;
mod references;
mod setups;

use std::path::Path;

use makespan::Error;
use makespan::flow_shop::{Instance, Objective};

use self::amounts::{Amounts, Rounding};
use self::document::{Buffers, Document, Job};
use self::references::{Index, numbers_of};
use super::named::{Families, NEVER_LATE, Named};
use crate::failure::Failure;
use crate::labels::Labels;
use crate::names::shown_instance;

/// A place in the document and what is wrong there.
type Fault = String;

/// The instance of a text.
pub(super) fn parse(text: &str, file: &Path) -> Result<Named, Failure> {
    let failure = |fault: Fault| Failure::usage(format!("{}: {fault}", shown_instance(file)));
    let document: Document =
        serde_json::from_str(text).map_err(|error| failure(error.to_string()))?;
    named(&document).map_err(failure)
}

fn named(document: &Document) -> Result<Named, Fault> {
    let mut amounts = Amounts::new(document)?;
    let instance = Instance::new(document.jobs.len(), document.machines.len(), times(document)?);
    let mut named = Named::new(instance.map_err(placed)?);
    let job_names = document.jobs.iter().map(|job| job.name.as_deref());
    let jobs = Index::new(job_names.clone(), "jobs", ".name")?;
    named.jobs = labels(job_names);
    named.machines = labels(document.machines.iter().map(|machine| machine.0.name.as_deref()));
    if document.machines.iter().any(|machine| machine.0.ready.is_some()) {
        let ready = document.machines.iter().enumerate().map(|(number, machine)| {
            amounts.time(machine.0.ready.as_ref(), || format!("machines[{number}].ready"))
        });
        let ready = ready.collect::<Result<Vec<_>, _>>()?;
        named.change(|instance| instance.with_ready_times(ready)).map_err(placed)?;
    }
    if has(document, |job| job.release.is_some()) {
        let times = document.jobs.iter().enumerate();
        let times = times.map(|(number, job)| {
            amounts.time(job.release.as_ref(), || format!("jobs[{number}].release"))
        });
        let times = times.collect::<Result<Vec<_>, _>>()?;
        named.change(|instance| instance.with_release_times(times)).map_err(placed)?;
    }
    if has(document, |job| job.due.is_some()) {
        let dates = document.jobs.iter().enumerate();
        let dates = dates.map(|(number, job)| match &job.due {
            None => Ok(NEVER_LATE),
            Some(due) => amounts.units(due, Rounding::Down, || format!("jobs[{number}].due")),
        });
        let dates = dates.collect::<Result<Vec<_>, _>>()?;
        named.change(|instance| instance.with_due_dates(dates)).map_err(placed)?;
    }
    if has(document, |job| job.weight.is_some()) {
        let weights = document.jobs.iter().enumerate();
        let weights = weights.map(|(number, job)| {
            narrow(job.weight.unwrap_or(1), || format!("jobs[{number}].weight"))
        });
        let weights = weights.collect::<Result<Vec<_>, _>>()?;
        named.change(|instance| instance.with_weights(weights)).map_err(placed)?;
    }
    let families = Index::new(document.families.iter().map(|name| Some(&**name)), "families", "")?;
    named.families = families_of(document, &families)?;
    if let Some(setups) = setups::setups(document, &named, &jobs, &families)? {
        named.change(|instance| instance.with_setups(setups)).map_err(placed)?;
    }
    if document.buffers == Buffers::None {
        named.change(Instance::with_blocking).map_err(placed)?;
    }
    let pinned = numbers_of(&document.pinned, &jobs, "pinned")?;
    named.change(|instance| instance.with_pinned(pinned)).map_err(placed)?;
    let plan = numbers_of(&document.running_plan, &jobs, "running_plan")?;
    named.change(|instance| instance.with_running_plan(plan)).map_err(placed)?;
    if let Some(text) = &document.objective {
        let objective = Objective::parse(text).map_err(placed)?;
        named.change(|instance| instance.with_objective(objective)).map_err(placed)?;
    }
    named.unit = unit(document);
    named.warnings = amounts.warnings();
    Ok(named)
}

/// The unit of the times, and the instant of time 0.
fn unit(document: &Document) -> Option<String> {
    let unit = document.time_unit?.name();
    let since = document.start.as_ref().map(|start| format!(" since {start}"));
    Some(format!("{unit}{}", since.unwrap_or_default()))
}

fn has(document: &Document, property: fn(&Job) -> bool) -> bool {
    document.jobs.iter().any(property)
}

fn times(document: &Document) -> Result<Vec<u32>, Fault> {
    let machines = document.machines.len();
    let mut times = Vec::new();
    for (number, job) in document.jobs.iter().enumerate() {
        let given = job.times.len();
        if given != machines {
            return Err(format!("jobs[{number}].times: {given} elements for {machines} machines"));
        }
        for (machine, &time) in job.times.iter().enumerate() {
            times.push(narrow(time, || format!("jobs[{number}].times[{machine}]"))?);
        }
    }
    Ok(times)
}

/// The families, if jobs have them: all or none.
fn families_of(document: &Document, families: &Index<'_>) -> Result<Option<Families>, Fault> {
    if !has(document, |job| job.family.is_some()) {
        return Ok(None);
    }
    let of_jobs = document.jobs.iter().enumerate().map(|(number, job)| {
        let place = || format!("jobs[{number}].family");
        let family = job.family.as_ref().ok_or_else(|| format!("{}: is missing", place()))?;
        families.number(family, place)
    });
    let of_jobs = of_jobs.collect::<Result<Vec<_>, _>>()?;
    Ok(Some(Families { count: document.families.len(), of_jobs }))
}

/// Names, with numbers for those that have none; no names at all if none has one.
fn labels<'a>(names: impl Iterator<Item = Option<&'a str>> + Clone) -> Labels {
    if names.clone().all(|name| name.is_none()) {
        return Labels::default();
    }
    let names = names.enumerate();
    Labels::new(names.map(|(number, name)| name.map_or_else(|| number.to_string(), str::to_owned)))
}

/// A number of 32 bits.
fn narrow(number: u64, place: impl Fn() -> String) -> Result<u32, Fault> {
    u32::try_from(number).map_err(|_| format!("{}: {number} does not fit into 32 bits", place()))
}

/// The library's error with the place in the document.
fn placed(error: Box<Error>) -> Fault {
    let Error::InvalidArgument { argument, index, reason } = &*error else {
        return error.to_string();
    };
    let at = index.map_or(String::new(), |index| format!("[{index}]"));
    match *argument {
        "times" => format!("jobs{at}.times: {reason}"),
        "release_times" => format!("jobs{at}.release: {reason}"),
        "due_dates" => format!("jobs{at}.due: {reason}"),
        "weights" => format!("jobs{at}.weight: {reason}"),
        "ready_times" => format!("machines{at}.ready: {reason}"),
        argument => format!("{argument}{at}: {reason}"),
    }
}
