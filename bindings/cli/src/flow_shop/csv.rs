//! Instances in CSV files: the names of the jobs, a column for each machine, and columns of other
//! names for what else jobs have.

use std::collections::HashMap;

use makespan::Result;
use makespan::flow_shop::Instance;

use super::named::{Families, NEVER_LATE, Named};
use crate::labels::Labels;
use crate::sheet::Sheet;

/// Columns that are not machines.
const RESERVED: [&str; 4] = ["release", "due", "weight", "family"];

/// The instance of a text.
pub(super) fn parse(text: &str) -> Result<Named> {
    let sheet = Sheet::parse(text)?;
    sheet.check_once(&RESERVED)?;
    let (jobs, machines) = (sheet.labels_at(0), sheet.column_labels(&RESERVED));
    let instance = Instance::new(sheet.rows(), machines.len(), sheet.matrix(&RESERVED)?)?;
    let mut named = Named { jobs, machines, ..Named::new(instance) };
    if let Some(times) = sheet.numbers_or("release", 0u32)? {
        named.change(|instance| instance.with_release_times(times))?;
    }
    if let Some(dates) = sheet.signed_or("due", NEVER_LATE)? {
        let located = |error| sheet.locate(error, &[("due_dates", "due")]);
        named.change(|instance| instance.with_due_dates(dates).map_err(located))?;
    }
    if let Some(weights) = sheet.numbers_or("weight", 1u32)? {
        named.change(|instance| instance.with_weights(weights))?;
    }
    let families = sheet.labels("family");
    named.families = (!families.is_empty()).then(|| families_of(&families));
    Ok(named)
}

/// Numbers of the families, in the order in which they come first.
fn families_of(names: &Labels) -> Families {
    let mut numbers = HashMap::new();
    let all = (0..names.len()).map(|job| names.of(job));
    let of_jobs = all.map(|name| {
        let next = numbers.len() as u32;
        *numbers.entry(name).or_insert(next)
    });
    let of_jobs = of_jobs.collect();
    Families { count: numbers.len(), of_jobs }
}
