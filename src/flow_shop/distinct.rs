//! Lists of jobs from a caller.

use crate::{Error, Result};

/// Checks that a list contains existing jobs, each at most once.
pub(super) fn check_distinct(argument: &'static str, list: &[u32], jobs: usize) -> Result<()> {
    let mut position_of = vec![None; jobs];
    for (position, &job) in list.iter().enumerate() {
        let Some(known) = position_of.get_mut(job as usize) else {
            return Err(Error::element(
                argument,
                position,
                format!("there is no job {job}, only {jobs}"),
            ));
        };
        if let Some(earlier) = known.replace(position) {
            let reason = format!("job {job} stands at position {earlier} already");
            return Err(Error::element(argument, position, reason));
        }
    }
    Ok(())
}
