use crate::{Error, Result};

/// Sequence-dependent set-up times. A machine is set up between the end of one job and the start of
/// the next, or before its first job.
///
/// Set-ups depend on the kinds of the two jobs. Without families each job is another kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setups {
    kinds: usize,
    /// The kind of each job; none if the job is the kind.
    family_of: Vec<u32>,
    /// `times[(machine * kinds + from) * kinds + to]`, or the same without the machine.
    times: Vec<u32>,
    /// `first[machine * kinds + to]`, or the same without the machine, or nothing.
    first: Vec<u32>,
    /// The kind that each machine is set up for at the beginning, or nothing.
    last_kinds: Vec<u32>,
}

impl Setups {
    /// Set-ups between jobs: `times[(machine * jobs + from) * jobs + to]`, or one matrix for all
    /// machines, `times[from * jobs + to]`. The first job of a machine has none.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] unless there is a whole number of matrices.
    pub fn between_jobs(jobs: usize, times: Vec<u32>) -> Result<Self> {
        Setups::between_kinds(jobs, Vec::new(), times)
    }

    /// Set-ups between families: the family of each job, and
    /// `times[(machine * families + from) * families + to]`, or one matrix for all machines.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] unless there is a whole number of matrices, and with the job of an
    /// unknown family.
    pub fn between_families(families: usize, family_of: Vec<u32>, times: Vec<u32>) -> Result<Self> {
        if let Some(job) = family_of.iter().position(|&family| family as usize >= families) {
            let reason = format!("there is no family {}, only {families}", family_of[job]);
            return Err(Error::element("families", job, reason));
        }
        if family_of.is_empty() {
            return Err(Error::argument("families", "there is no job"));
        }
        Setups::between_kinds(families, family_of, times)
    }

    fn between_kinds(kinds: usize, family_of: Vec<u32>, times: Vec<u32>) -> Result<Self> {
        let matrix = kinds.checked_mul(kinds).filter(|&cells| cells > 0);
        if !matrix.is_some_and(|cells| !times.is_empty() && times.len().is_multiple_of(cells)) {
            let reason = format!("{} elements are no matrices of {kinds} x {kinds}", times.len());
            return Err(Error::argument("setups", reason));
        }
        Ok(Setups { kinds, family_of, times, first: Vec::new(), last_kinds: Vec::new() })
    }

    /// The same with the set-ups of the machines for their first jobs: `first[machine * kinds + to]`,
    /// or one row for all machines. A kind is a job, or a family where set-ups are between families.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] unless there is one row, or one for each machine.
    pub fn with_first(mut self, first: Vec<u32>) -> Result<Self> {
        if first.is_empty() || !first.len().is_multiple_of(self.kinds) {
            let reason = format!("{} elements are no rows of {}", first.len(), self.kinds);
            return Err(Error::argument("first_setups", reason));
        }
        (self.first, self.last_kinds) = (first, Vec::new());
        Ok(self)
    }

    /// The same after a running plan: the kind that each machine is set up for at the beginning. A
    /// kind is a job, or a family where set-ups are between families. Replaces first set-ups.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] without a machine, and with the machine of an unknown kind.
    pub fn after(mut self, last_kinds: Vec<u32>) -> Result<Self> {
        if last_kinds.is_empty() {
            return Err(Error::argument("last_kinds", "there is no machine"));
        }
        if let Some(machine) = last_kinds.iter().position(|&kind| kind as usize >= self.kinds) {
            let kind = if self.family_of.is_empty() { "job" } else { "family" };
            let reason = format!("there is no {kind} {}, only {}", last_kinds[machine], self.kinds);
            return Err(Error::element("last_kinds", machine, reason));
        }
        (self.first, self.last_kinds) = (Vec::new(), last_kinds);
        Ok(self)
    }

    /// Number of kinds: jobs or families.
    pub fn kinds(&self) -> usize {
        self.kinds
    }

    /// The family of each job; none where set-ups are between jobs.
    pub fn families(&self) -> &[u32] {
        &self.family_of
    }

    /// The matrices, one for all machines or one for each.
    pub fn times(&self) -> &[u32] {
        &self.times
    }

    /// The set-ups of the machines for their first jobs, one row for all machines or one for each;
    /// empty if they were not given.
    pub fn first(&self) -> &[u32] {
        &self.first
    }

    /// The kind that each machine is set up for at the beginning; empty if it was not given.
    pub fn last_kinds(&self) -> &[u32] {
        &self.last_kinds
    }

    /// The kind of a job.
    pub(in crate::flow_shop) fn kind_of(&self, job: u32) -> usize {
        self.family_of.get(job as usize).copied().unwrap_or(job) as usize
    }

    /// The set-up of a machine for a job, after another job or as the first.
    pub(in crate::flow_shop) fn between(
        &self,
        machine: usize,
        before: Option<u32>,
        job: u32,
    ) -> u32 {
        let to = self.kind_of(job);
        let from = match before {
            Some(before) => self.kind_of(before),
            None => match self.last_kinds.get(machine) {
                Some(&kind) => kind as usize,
                None if self.first.is_empty() => return 0,
                None => return self.row(&self.first, machine)[to],
            },
        };
        self.matrix(machine)[from * self.kinds + to]
    }

    /// The set-ups of a machine: `matrix[from * kinds + to]`.
    pub(in crate::flow_shop) fn matrix(&self, machine: usize) -> &[u32] {
        let cells = self.kinds * self.kinds;
        if self.times.len() == cells {
            &self.times
        } else {
            &self.times[machine * cells..][..cells]
        }
    }

    /// The largest set-up of all.
    pub(in crate::flow_shop) fn largest(&self) -> u32 {
        self.times.iter().chain(&self.first).copied().max().unwrap_or(0)
    }

    fn row<'a>(&self, rows: &'a [u32], machine: usize) -> &'a [u32] {
        if rows.len() == self.kinds { rows } else { &rows[machine * self.kinds..][..self.kinds] }
    }

    /// Refuses set-ups for another number of jobs or machines.
    pub(super) fn check(&self, jobs: usize, machines: usize) -> Result<()> {
        let fault = |argument, reason: String| Err(Error::argument(argument, reason));
        if self.family_of.is_empty() && self.kinds != jobs {
            return fault("setups", format!("matrices of {} jobs for {jobs} jobs", self.kinds));
        }
        if !self.family_of.is_empty() && self.family_of.len() != jobs {
            return fault("families", format!("{} elements for {jobs} jobs", self.family_of.len()));
        }
        let matrices = self.times.len() / (self.kinds * self.kinds);
        if matrices != 1 && matrices != machines {
            return fault("setups", format!("{matrices} matrices for {machines} machines"));
        }
        let rows = self.first.len() / self.kinds;
        if rows > 1 && rows != machines {
            return fault("first_setups", format!("{rows} rows for {machines} machines"));
        }
        if !self.last_kinds.is_empty() && self.last_kinds.len() != machines {
            let given = self.last_kinds.len();
            return fault("last_kinds", format!("{given} elements for {machines} machines"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_matrix_or_one_for_each_machine() {
        let shared = Setups::between_jobs(2, vec![0, 1, 2, 3]).unwrap();
        assert_eq!(shared.between(1, Some(1), 0), 2);
        assert_eq!(shared.between(1, None, 0), 0);
        let own = Setups::between_jobs(2, vec![0, 1, 2, 3, 4, 5, 6, 7]).unwrap();
        assert_eq!((own.between(0, Some(0), 1), own.between(1, Some(0), 1)), (1, 5));
        assert_eq!(own.largest(), 7);
    }

    #[test]
    fn first_jobs_have_setups_if_they_are_given() {
        let setups = Setups::between_families(2, vec![1, 0, 1], vec![0, 1, 2, 3]).unwrap();
        let first = setups.clone().with_first(vec![8, 9]).unwrap();
        assert_eq!((first.between(0, None, 0), first.between(1, None, 1)), (9, 8));
        let after = setups.after(vec![1, 0]).unwrap();
        assert_eq!((after.between(0, None, 0), after.between(1, None, 0)), (3, 1));
        assert_eq!(after.between(0, Some(0), 1), 2);
        assert_eq!((after.first(), after.last_kinds()), (&[][..], &[1, 0][..]));
    }

    #[test]
    fn wrong_sizes_are_refused() {
        let fault = |result: Result<Setups>| result.unwrap_err().to_string();
        let square = || Setups::between_jobs(2, vec![0; 4]).unwrap();
        assert_eq!(
            fault(Setups::between_jobs(2, vec![0; 6])),
            "setups: 6 elements are no matrices of 2 x 2"
        );
        assert_eq!(
            fault(Setups::between_jobs(0, vec![])),
            "setups: 0 elements are no matrices of 0 x 0"
        );
        assert_eq!(
            fault(Setups::between_families(2, vec![0, 2], vec![0; 4])),
            "families[1]: there is no family 2, only 2"
        );
        assert_eq!(
            fault(square().with_first(vec![1])),
            "first_setups: 1 elements are no rows of 2"
        );
        assert_eq!(fault(square().after(vec![])), "last_kinds: there is no machine");
        assert_eq!(fault(square().after(vec![0, 2])), "last_kinds[1]: there is no job 2, only 2");
        let families = Setups::between_families(1, vec![0, 0], vec![0]).unwrap();
        assert_eq!(fault(families.after(vec![1])), "last_kinds[0]: there is no family 1, only 1");
        let check = |setups: Setups| setups.check(2, 3).unwrap_err().to_string();
        assert_eq!(
            check(Setups::between_jobs(2, vec![0; 8]).unwrap()),
            "setups: 2 matrices for 3 machines"
        );
        assert_eq!(
            check(Setups::between_jobs(3, vec![0; 9]).unwrap()),
            "setups: matrices of 3 jobs for 2 jobs"
        );
        assert_eq!(
            check(square().after(vec![0; 2]).unwrap()),
            "last_kinds: 2 elements for 3 machines"
        );
        assert_eq!(
            check(square().with_first(vec![0; 4]).unwrap()),
            "first_setups: 2 rows for 3 machines"
        );
    }
}
