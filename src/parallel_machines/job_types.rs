use super::Instance;
use super::schedule::Found;

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
    pub(super) fn new(instance: &Instance, longest_first: &[u32]) -> Self {
        let mut types = JobTypes { times: Vec::new(), counts: Vec::new() };
        let times = longest_first.iter().map(|&job| instance.times()[job as usize]);
        for time in times.take_while(|&time| time > 0) {
            if types.times.last() == Some(&time) {
                *types.counts.last_mut().expect("as many as times") += 1;
            } else {
                types.times.push(time);
                types.counts.push(1);
            }
        }
        types
    }

    pub(super) fn len(&self) -> usize {
        self.times.len()
    }

    /// Sum of the times of the pattern's jobs.
    pub(super) fn load(&self, pattern: &[u32]) -> u64 {
        pattern.iter().map(|&kind| self.times[kind as usize]).sum()
    }

    /// The schedule of these patterns, one for each machine, which together hold every job once.
    /// Jobs of time 0 are assigned to machine 0.
    pub(super) fn schedule(&self, longest_first: &[u32], patterns: &[Pattern]) -> Found {
        // The next job of each type in `longest_first`, which lists type after type.
        let mut next = Vec::with_capacity(self.len());
        let mut first = 0;
        for &count in &self.counts {
            next.push(first);
            first += count as usize;
        }
        let mut assignment = vec![0; longest_first.len()];
        for (machine, pattern) in (0..).zip(patterns) {
            for &kind in pattern {
                let position = &mut next[kind as usize];
                assignment[longest_first[*position] as usize] = machine;
                *position += 1;
            }
        }
        (patterns.iter().map(|pattern| self.load(pattern)).max().unwrap_or(0), assignment)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_become_an_assignment() {
        let instance = Instance::new(vec![3, 0, 5, 3, 9], 2).unwrap();
        let longest_first = instance.longest_first().unwrap();
        let types = JobTypes::new(&instance, &longest_first);
        assert_eq!((&types.times[..], &types.counts[..]), (&[9, 5, 3][..], &[1, 1, 2][..]));
        assert_eq!(types.load(&[1, 2, 2]), 11);
        assert_eq!(
            types.schedule(&longest_first, &[vec![1, 2, 2], vec![0]]),
            (11, vec![0, 0, 0, 0, 1])
        );
    }
}
