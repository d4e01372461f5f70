//! Instances with the names of their parts.

use makespan::Result;
use makespan::flow_shop::{Instance, Setups};

use crate::labels::Labels;

/// The due date of a job that has none: later than every schedule.
pub(super) const NEVER_LATE: i64 = i32::MAX as i64;

/// An instance with the names of its parts.
pub(super) struct Named {
    pub(super) instance: Instance,
    pub(super) jobs: Labels,
    pub(super) machines: Labels,
    pub(super) families: Option<Families>,
    /// Unit of the times, with the instant of time 0, if the file names them.
    pub(super) unit: Option<String>,
    /// What the user should know about the file.
    pub(super) warnings: Vec<String>,
}

/// The families of the jobs.
pub(super) struct Families {
    pub(super) count: usize,
    pub(super) of_jobs: Vec<u32>,
}

impl Named {
    pub(super) fn new(instance: Instance) -> Self {
        let (jobs, machines) = (Labels::default(), Labels::default());
        Named { instance, jobs, machines, families: None, unit: None, warnings: Vec::new() }
    }

    /// The same with another instance that is made of this one.
    pub(super) fn change(
        &mut self,
        change: impl FnOnce(Instance) -> Result<Instance>,
    ) -> Result<()> {
        self.instance = change(self.instance.clone())?;
        Ok(())
    }

    /// Set-ups between the families, or between the jobs if there are no families.
    pub(super) fn setups(&self, matrices: Vec<u32>) -> Result<Setups> {
        match &self.families {
            Some(Families { count, of_jobs }) => {
                Setups::between_families(*count, of_jobs.clone(), matrices)
            }
            None => Setups::between_jobs(self.instance.jobs(), matrices),
        }
    }
}
