//! A packing for solves without time for sorting.

use std::mem;

use super::incumbent::{Answer, count};
use super::{Cut, Instance, Packing, Pattern};
use crate::memory::Grow;
use crate::{Result, memory};

/// Next-fit of the items in their order behind the pieces in use, unless the start takes fewer
/// pieces. Without pieces in use it takes less than twice the least number, and one more.
///
/// # Errors
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub(super) fn answer(instance: &Instance, start: Option<&Packing>) -> Result<Answer> {
    let mut patterns = in_order(instance)?;
    let mut pieces = count(&patterns);
    if let Some(start) = start.filter(|start| count(start.patterns()) < pieces) {
        (patterns, pieces) = (memory::copied(start.patterns())?, count(start.patterns()));
    }
    // The instance has checked that the sum is below 2^63.
    let lengths = instance.lengths().iter().zip(instance.demands());
    let total: u64 = lengths.map(|(&length, &demand)| length * u64::from(demand)).sum();
    let bound = total.div_ceil(instance.stock_length()).max(count(instance.pinned()));
    Ok(Answer { patterns, pieces, bound })
}

fn in_order(instance: &Instance) -> Result<Vec<Pattern>> {
    let mut left: Vec<u32> = memory::copied(instance.demands())?;
    for Pattern { pieces, cuts } in instance.pinned() {
        cuts.iter().for_each(|cut| left[cut.item as usize] -= cut.count * pieces);
    }
    let mut patterns: Vec<Pattern> = memory::copied(instance.pinned())?;
    let (mut cuts, mut room) = (Vec::new(), instance.stock_length());
    for ((item, &length), mut left) in (0..).zip(instance.lengths()).zip(left) {
        while left > 0 {
            let most = |room: u64| u32::try_from(room / length).unwrap_or(u32::MAX);
            let count = most(room).min(left);
            if count > 0 {
                cuts.push(Cut { item, count });
                room -= length * u64::from(count);
                left -= count;
                continue;
            }
            patterns.try_push(Pattern { pieces: 1, cuts: mem::take(&mut cuts) })?;
            room = instance.stock_length();
            // Pieces full of this type are one pattern.
            let (count, pieces) = (most(room), left / most(room));
            if pieces > 0 {
                patterns.try_push(Pattern { pieces, cuts: vec![Cut { item, count }] })?;
                left -= pieces * count;
            }
        }
    }
    if !cuts.is_empty() {
        patterns.try_push(Pattern { pieces: 1, cuts })?;
    }
    Ok(patterns)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn items_are_cut_as_demanded(
            items in prop::collection::vec((1u64..20, 0u32..30), 0..20),
            slack in 0u64..40,
            pinned in any::<bool>(),
        ) {
            let stock_length = items.iter().map(|item| item.0).max().unwrap_or(1) + slack;
            let (lengths, demands): (Vec<u64>, Vec<u32>) = items.into_iter().unzip();
            let mut instance = Instance::new(lengths, demands.clone(), stock_length).unwrap();
            if pinned {
                let first = demands.iter().position(|&demand| demand > 1);
                let cuts = first.map(|item| Cut { item: item as u32, count: 1 });
                let in_use = Pattern { pieces: 2, cuts: cuts.into_iter().collect() };
                instance = instance.with_pinned(vec![in_use]).unwrap();
            }
            let Answer { patterns, pieces, bound } = answer(&instance, None).unwrap();
            prop_assert_eq!(Packing::new(patterns).stock_pieces(&instance).unwrap(), pieces);
            prop_assert!(bound <= pieces);
            prop_assert!(pinned || pieces <= 2 * bound + 1);
        }
    }

    #[test]
    fn billions_of_items_are_few_patterns() {
        let instance = Instance::new(vec![3, 2], vec![2_000_000_000; 2], 10).unwrap();
        let Answer { patterns, pieces, .. } = answer(&instance, None).unwrap();
        assert_eq!((patterns.len(), pieces), (5, 1_066_666_667));
    }

    #[test]
    fn a_start_with_fewer_pieces_is_kept() {
        let instance = Instance::new(vec![6, 5, 4], vec![1; 3], 10).unwrap();
        let piece = |items: &[u32]| {
            let cuts = items.iter().map(|&item| Cut { item, count: 1 }).collect();
            Pattern { pieces: 1, cuts }
        };
        assert_eq!(answer(&instance, None).unwrap().pieces, 2);
        let instance = Instance::new(vec![6, 5, 5, 4], vec![1; 4], 10).unwrap();
        let start = Packing::new(vec![piece(&[0, 3]), piece(&[1, 2])]);
        let kept = answer(&instance, Some(&start)).unwrap();
        assert_eq!((kept.patterns, kept.pieces, kept.bound), (start.patterns().to_vec(), 2, 2));
    }
}
