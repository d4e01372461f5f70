/// The jobs by type. Jobs of equal time are interchangeable, and jobs of time 0 do not affect
/// loads.
#[derive(Debug, Clone)]
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
    pub(crate) fn new(longest_first: impl IntoIterator<Item = u64>) -> Self {
        let mut types = JobTypes { times: Vec::new(), counts: Vec::new() };
        for time in longest_first.into_iter().take_while(|&time| time > 0) {
            if types.times.last() == Some(&time) {
                *types.counts.last_mut().expect("as many as times") += 1;
            } else {
                types.times.push(time);
                types.counts.push(1);
            }
        }
        types
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
