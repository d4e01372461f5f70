//! Sorting of long lists until a stop.

use std::cmp::Ordering;

use crate::memory::Gather;
use crate::random::Random;
use crate::solve::Monitor;
use crate::{Result, memory};

/// Elements that are sorted without a check for stops, within a few milliseconds.
const UNWATCHED: usize = 1 << 16;
/// Elements of a part between two checks.
const PART: usize = 1 << 14;
/// Elements of which the middle one divides a list.
const SAMPLE: usize = 63;
/// A part of a divided list has at least a sixteenth of its elements.
const LEAST_SHARE: usize = 16;

/// Sorts by a total order in which no two elements are equal.
///
/// # Errors
/// [`Error::Stopped`](crate::Error::Stopped); then the list has the same elements in any order.
pub(crate) fn sort<T: Copy>(
    mut list: &mut [T],
    compare: impl Fn(&T, &T) -> Ordering + Copy,
    monitor: &Monitor,
) -> Result<()> {
    while list.len() > UNWATCHED {
        let middle = divide(list, compare, monitor)?;
        let (low, high) = list.split_at_mut(middle);
        sort(low, compare, monitor)?;
        list = high;
    }
    list.sort_unstable_by(compare);
    Ok(())
}

/// The places 0, 1, ... by their keys, smallest first; places of equal keys in order. Up to
/// [`UNWATCHED`] places need no check for stops.
///
/// # Errors
/// Those of [`sort`], and [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub(crate) fn order(
    places: usize,
    key: &dyn Fn(usize) -> u64,
    monitor: &Monitor,
) -> Result<Vec<u32>> {
    let mut keys = memory::list(places)?;
    let (mut least, mut most) = (u64::MAX, 0);
    for place in 0..places {
        if places > UNWATCHED {
            monitor.check_later_step(place)?;
        }
        let key = key(place);
        (least, most) = (key.min(least), key.max(most));
        keys.push(key);
    }
    if most.saturating_sub(least) > u32::MAX.into() {
        // The order by the upper half keeps that by the lower half where keys are equal.
        let by_lower = order(places, &|place| keys[place] & u64::from(u32::MAX), monitor)?;
        let upper = |place: usize| keys[by_lower[place] as usize] >> 32;
        let by_both = order(places, &upper, monitor)?;
        return by_both.iter().map(|&place| by_lower[place as usize]).gather();
    }
    // Key and place in one number are sorted in less than half the time of a pair.
    keys.iter_mut().zip(0..).for_each(|(key, place)| *key = (*key - least) << 32 | place);
    sort(&mut keys, Ord::cmp, monitor)?;
    keys.iter().map(|&key| key as u32).gather()
}

/// Moves smaller elements before larger ones; returns the place between them, which leaves
/// both parts much shorter than the list.
fn divide<T: Copy>(
    list: &mut [T],
    compare: impl Fn(&T, &T) -> Ordering + Copy,
    monitor: &Monitor,
) -> Result<usize> {
    let mut random = Random::new(1);
    let least = list.len() / LEAST_SHARE;
    // No list makes many samples misleading, since their places are random.
    loop {
        let mut drawn = || list[random.below(list.len() as u64) as usize];
        let mut sample = [(); SAMPLE].map(|()| drawn());
        sample.sort_unstable_by(compare);
        let smaller = part(list, sample[SAMPLE / 2], compare, monitor)?;
        if (least..list.len() - least).contains(&smaller) {
            return Ok(smaller);
        }
    }
}

/// Moves the elements that are smaller than the pivot to the front; returns how many these are.
fn part<T: Copy>(
    list: &mut [T],
    pivot: T,
    compare: impl Fn(&T, &T) -> Ordering,
    monitor: &Monitor,
) -> Result<usize> {
    let mut smaller = 0;
    for start in (0..list.len()).step_by(PART) {
        monitor.check()?;
        let end = (start + PART).min(list.len());
        for place in start..end {
            // Without a branch, which the processor could not foresee.
            let is_smaller = compare(&list[place], &pivot) == Ordering::Less;
            list.swap(place, smaller);
            smaller += usize::from(is_smaller);
        }
    }
    Ok(smaller)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;
    use crate::solve::Limits;
    use crate::testing::{assert_error, limited, monitor, numbers};

    #[test]
    fn long_lists_are_sorted_until_a_stop() {
        let mut list: Vec<(u64, usize)> =
            numbers(300_000, 70_001, 3).into_iter().zip(0..).collect();
        let mut expected = list.clone();
        expected.sort_unstable();
        let time = Some(std::time::Duration::ZERO);
        let stopped = Monitor::new(&limited(Limits { time, ..Limits::default() }));
        assert_error!(sort(&mut list, Ord::cmp, &stopped), Error::Stopped);
        assert!(sort(&mut list[..UNWATCHED], Ord::cmp, &stopped).is_ok());
        sort(&mut list, Ord::cmp, &monitor()).unwrap();
        assert_eq!(list, expected);
    }

    #[test]
    fn lists_with_misleading_samples_are_sorted() {
        let count = 2 * UNWATCHED;
        let mut random = Random::new(1);
        let drawn = [(); SAMPLE].map(|()| random.below(count as u64) as usize);
        // All elements of the first sample are smaller than all others.
        let key = |place: usize| {
            if drawn.contains(&place) { place } else { count + place * 7919 % count }
        };
        let mut list: Vec<(usize, usize)> = (0..count).map(|place| (key(place), place)).collect();
        let mut expected = list.clone();
        expected.sort_unstable();
        sort(&mut list, Ord::cmp, &monitor()).unwrap();
        assert_eq!(list, expected);
        let order = order(count, &|_| 5, &monitor()).unwrap();
        assert!(order.into_iter().eq(0..count as u32));
    }

    #[test]
    fn places_are_ordered_by_keys_of_any_range() {
        // Below and above the range of which key and place fit into one number.
        for range in [3, u64::from(u32::MAX), 1 << 32, u64::MAX - 1] {
            let (places, least) = (UNWATCHED + 1000, u64::MAX - 1 - range);
            let mut keys = numbers(places, range, 8);
            keys.iter_mut().for_each(|key| *key += least);
            (keys[7], keys[8]) = (least, least + range);
            let mut expected: Vec<u32> = (0..places as u32).collect();
            expected.sort_by_key(|&place| keys[place as usize]);
            let order = order(places, &|place| keys[place], &monitor()).unwrap();
            assert!(order == expected, "keys within {range}");
        }
        assert!(order(0, &|_| 1, &monitor()).unwrap().is_empty());
    }
}
