//! Redistributes the jobs of two machines: subset sum by meeting in the middle (Horowitz and Sahni
//! 1974).

/// Most jobs that are redistributed at once: each half then has 2^11 subsets.
pub(super) const MAX_FREE: usize = 22;

/// The sum of the times of a subset, and the subset with one bit for each job.
type Subset = (u64, u32);

/// Memory for the lists of subsets, reused from one split to the next.
#[derive(Default)]
pub(super) struct Splitter {
    left: Vec<Subset>,
    right: Vec<Subset>,
    merged: Vec<Subset>,
}

impl Splitter {
    /// A subset of the jobs, of which there are at most [`MAX_FREE`], with the largest sum up to
    /// `limit`.
    pub(super) fn fullest(&mut self, times: &[u64], limit: u64) -> Subset {
        let (left, right) = times.split_at(times.len() / 2);
        subsets(left, 0, &mut self.left, &mut self.merged);
        subsets(right, left.len(), &mut self.right, &mut self.merged);
        let mut best = (0, 0);
        // As the left sum grows, the largest right sum that fits shrinks.
        let mut rights = self.right.iter().rev().peekable();
        for &(sum, jobs) in self.left.iter().take_while(|subset| subset.0 <= limit) {
            while rights.next_if(|subset| sum + subset.0 > limit).is_some() {}
            let Some(&&(rest, others)) = rights.peek() else { break };
            if sum + rest > best.0 {
                best = (sum + rest, jobs | others);
            }
        }
        best
    }
}

/// All subsets of the jobs by ascending sum; the first job has bit `first`.
fn subsets(times: &[u64], first: usize, list: &mut Vec<Subset>, merged: &mut Vec<Subset>) {
    list.clear();
    list.push((0, 0));
    for (bit, &time) in (first..).zip(times) {
        merged.clear();
        let mut with = list.iter().map(|&(sum, jobs)| (sum + time, jobs | 1 << bit)).peekable();
        for &without in list.iter() {
            while let Some(subset) = with.next_if(|subset| subset.0 < without.0) {
                merged.push(subset);
            }
            merged.push(without);
        }
        merged.extend(with);
        std::mem::swap(list, merged);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_subset_fits_better(times in proptest::collection::vec(0u64..100, 0..11), limit in 0u64..600) {
            let sum = |jobs: u32| -> u64 {
                (0..times.len()).filter(|&job| jobs >> job & 1 == 1).map(|job| times[job]).sum()
            };
            let best = (0..1u32 << times.len()).map(sum).filter(|&sum| sum <= limit).max().unwrap();
            let (found, jobs) = Splitter::default().fullest(&times, limit);
            prop_assert_eq!(found, best);
            prop_assert_eq!(sum(jobs), found);
        }
    }
}
