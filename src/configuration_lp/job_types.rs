/// The jobs by type. Jobs of equal time are interchangeable, and jobs of time 0 do not affect
/// loads.
#[derive(Debug, Clone, Default)]
pub(crate) struct JobTypes {
    /// Time of each type, longest first, without 0.
    pub(crate) times: Vec<u64>,
    /// Number of jobs of each type.
    pub(crate) counts: Vec<u32>,
}

/// Jobs of one machine: their types in ascending order, with a type for each job.
pub(crate) type Pattern = Vec<u32>;

impl JobTypes {
    /// The types of jobs with these times, longest first.
    #[cfg(test)]
    pub(crate) fn new(longest_first: impl IntoIterator<Item = u64>) -> Self {
        let mut types = JobTypes::default();
        longest_first.into_iter().for_each(|time| types.add(time));
        types
    }

    /// Adds a job that is not longer than all before.
    pub(crate) fn add(&mut self, time: u64) {
        match (self.times.last(), self.counts.last_mut()) {
            _ if time == 0 => {}
            (Some(&last), Some(count)) if last == time => *count += 1,
            _ => {
                self.times.push(time);
                self.counts.push(1);
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.times.len()
    }

    /// Sum of the times of the pattern's jobs.
    pub(crate) fn load(&self, pattern: &[u32]) -> u64 {
        pattern.iter().map(|&kind| self.times[kind as usize]).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_of_equal_time_are_one_type() {
        let types = JobTypes::new([9, 5, 3, 3, 0]);
        assert_eq!((&types.times[..], &types.counts[..]), (&[9, 5, 3][..], &[1, 1, 2][..]));
        assert_eq!(types.load(&[1, 2, 2]), 11);
    }
}
