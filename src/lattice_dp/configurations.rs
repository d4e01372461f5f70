use crate::memory::Grow;
use crate::solve::Monitor;
use crate::{Error, Result, memory};

/// Twice the maximum for the P||Cmax scheme at precision 10. With more look-ups for each cell, a
/// dense table would take too long.
const MAX_CONFIGURATIONS: usize = 1 << 18;

/// All ways to fill a container of the given capacity with items of these sizes (at least 1), using
/// each item at most `count` times. The empty filling is left out. The result is one flat vector,
/// one item count for each size and filling. Sizes are tried in descending order, and fillings with
/// the most large items come first. These are the machine configurations of the P||Cmax scheme and
/// the cutting patterns of Gilmore and Gomory (1961).
///
/// # Errors
/// [`Error::Unsupported`] for more than 2^18, [`Error::Stopped`].
pub(crate) fn configurations(
    sizes: &[u64],
    counts: &[u32],
    capacity: u64,
    monitor: &Monitor,
) -> Result<Vec<u32>> {
    let mut list = Vec::new();
    let mut listed = 0;
    let mut taken = memory::zeroed::<u32>(sizes.len())?;
    let mut left = capacity;
    let mut first = 0;
    loop {
        // Fill greedily with the sizes from `first` on, write the vector down, then remove one item
        // of the last size that has any.
        for ((taken, &count), &size) in
            taken[first..].iter_mut().zip(&counts[first..]).zip(&sizes[first..])
        {
            *taken = u64::from(count).min(left / size) as u32;
            left -= u64::from(*taken) * size;
        }
        let Some(last) = taken.iter().rposition(|&taken| taken > 0) else { return Ok(list) };
        if listed == MAX_CONFIGURATIONS {
            return Err(Error::unsupported(format!(
                "more than {MAX_CONFIGURATIONS} configurations"
            )));
        }
        monitor.check_step(listed)?;
        listed += 1;
        list.try_extend(taken.iter().copied())?;
        taken[last] -= 1;
        left += sizes[last];
        first = last + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::SolveOptions;
    use crate::testing::assert_error;

    #[test]
    fn configurations_are_all_and_in_order() {
        let monitor = Monitor::new(&SolveOptions::default());
        let list = configurations(&[8, 5, 4], &[1, 3, 2], 16, &monitor).unwrap();
        let found: Vec<&[u32]> = list.chunks(3).collect();
        let mut expected = Vec::new();
        for a in (0..=1).rev() {
            for b in (0..=3).rev() {
                for c in (0..=2).rev() {
                    if a + b + c > 0 && 8 * a + 5 * b + 4 * c <= 16 {
                        expected.push([a, b, c]);
                    }
                }
            }
        }
        assert_eq!(found, expected);
    }

    #[test]
    fn thirteen_classes_have_fifty_configurations() {
        // The scheme's classes for k = 4, with four jobs each.
        let monitor = Monitor::new(&SolveOptions::default());
        let units: Vec<u64> = (4..=16).rev().collect();
        assert_eq!(configurations(&units, &[4; 13], 16, &monitor).unwrap().len(), 50 * 13);
        let units: Vec<u64> = (30..=900).rev().collect();
        let many = configurations(&units, &[30; 871], 900, &monitor);
        assert_error!(many, Error::Unsupported(_));
    }
}
