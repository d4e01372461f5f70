//! Lower bounds on the number of stock pieces, without search.

use super::sizes::Size;
use crate::Result;
use crate::solve::Monitor;

/// The better of both bounds below, as far as a stop allows. `sizes` are sorted, longest first.
pub(super) fn lower_bound(sizes: &[Size], stock_length: u64, monitor: &Monitor) -> u64 {
    l2(sizes, stock_length).max(dual_feasible(sizes, stock_length, monitor))
}

/// Bound L2 of Martello and Toth (1990, section 8.3): for a threshold t of at most half the stock
/// length c, no item longer than c - t shares its piece with one of length t or more. Items longer
/// than c/2 need a piece each. Items from t to c/2 first use the space next to items of length c/2
/// to c - t; the rest of them needs more pieces. With t = 0 this is the continuous bound L1, the
/// sum of the lengths over c. Only the items' lengths need to be tried for t.
fn l2(sizes: &[Size], stock_length: u64) -> u64 {
    // Number of items and total length of the sizes before each.
    let mut before = vec![(0u64, 0u128)];
    for size in sizes {
        let (items, length) = before[before.len() - 1];
        let demand = u64::from(size.demand);
        before.push((items + demand, length + u128::from(size.length) * u128::from(demand)));
    }
    let longer_than = |length: u64| sizes.partition_point(|size| size.length > length);
    let large = longer_than(stock_length / 2);
    let capacity = u128::from(stock_length);
    let bound = |threshold: u64, end: usize| {
        let alone = longer_than(stock_length - threshold);
        let pieces = before[large].0;
        let shared = u128::from(pieces - before[alone].0) * capacity;
        // The length of the items from the threshold to c - t, minus the pieces that the large ones
        // of them open.
        let excess = (before[end].1 - before[alone].1).saturating_sub(shared);
        pieces + excess.div_ceil(capacity) as u64
    };
    let thresholds = (large..sizes.len()).map(|end| bound(sizes[end].length, end + 1));
    thresholds.chain([bound(0, sizes.len())]).max().unwrap_or(0)
}

/// Most dual feasible functions that are tried.
const MAX_FUNCTIONS: usize = 100;

/// The bound by the functions u(k) of Fekete and Schepers (2001): with lengths as parts x of the
/// stock length, u(x) = x if (k + 1) x is whole, otherwise floor((k + 1) x) / k. Items that fit on
/// a piece have a total length of at most 1 under u too, so the continuous bound of the new lengths
/// holds. It counts k items longer than 1/(k + 1) as a full piece, even if they leave length
/// unused. Each k = floor(stock length / length) is tried, longest first, until a stop.
fn dual_feasible(sizes: &[Size], stock_length: u64, monitor: &Monitor) -> u64 {
    let mut functions: Vec<u64> = sizes.iter().map(|size| stock_length / size.length).collect();
    functions.dedup();
    functions.truncate(MAX_FUNCTIONS);
    // Larger ones would exceed 128 bits, and hardly improve on the continuous bound.
    let functions = functions.into_iter().filter(|&k| k < 1 << 31).map(u128::from);
    let bound = |k: u128| -> Result<u64> {
        // In units of 1 / (k (k + 1)) of a piece.
        let mut units = 0;
        for (step, size) in sizes.iter().enumerate() {
            monitor.check_step(step)?;
            let scaled = (k + 1) * u128::from(size.length);
            let (whole, rest) =
                (scaled / u128::from(stock_length), scaled % u128::from(stock_length));
            units += u128::from(size.demand) * whole * if rest == 0 { k } else { k + 1 };
        }
        Ok(units.div_ceil(k * (k + 1)) as u64)
    };
    functions.map_while(|k| bound(k).ok()).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::SolveOptions;

    fn bound(sizes: &[(u64, u32)], stock_length: u64) -> u64 {
        let sizes: Vec<Size> =
            sizes.iter().map(|&(length, demand)| Size { length, demand }).collect();
        l2(&sizes, stock_length)
    }

    #[test]
    fn what_is_left_over_on_every_piece_counts() {
        let monitor = Monitor::new(&SolveOptions::default());
        let bound = |length, demand, stock_length| {
            dual_feasible(&[Size { length, demand }], stock_length, &monitor)
        };
        assert_eq!(bound(40, 100_000, 100), 50_000);
        assert_eq!(bound(50, 5, 100), 3, "a length that divides the stock length keeps its part");
        assert_eq!(bound(1, u32::MAX, 1), u64::from(u32::MAX));
        assert_eq!(bound(1, u32::MAX, u64::MAX), 0, "no function of that size");
        assert_eq!(dual_feasible(&[], 100, &monitor), 0);
    }

    /// The bound as defined, for every threshold.
    fn by_definition(sizes: &[(u64, u32)], c: u64) -> u64 {
        let items: Vec<u64> =
            sizes.iter().flat_map(|&(length, demand)| vec![length; demand as usize]).collect();
        let value = |t: u64| {
            let alone = items.iter().filter(|&&w| w > c - t).count() as u64;
            let large: Vec<u64> =
                items.iter().copied().filter(|&w| w <= c - t && 2 * w > c).collect();
            let medium: u64 = items.iter().filter(|&&w| 2 * w <= c && w >= t).sum();
            let room = large.len() as u64 * c - large.iter().sum::<u64>();
            alone + large.len() as u64 + medium.saturating_sub(room).div_ceil(c)
        };
        (0..=c / 2).map(value).max().unwrap()
    }

    #[test]
    fn each_part_has_its_instance() {
        assert_eq!(bound(&[], 10), 0);
        assert_eq!(bound(&[(3, 7)], 10), 3, "continuous: 21 of 10");
        assert_eq!(bound(&[(6, 4)], 10), 4, "no two fit together");
        assert_eq!(bound(&[(5, 3)], 10), 2, "half the length is medium");
        assert_eq!(bound(&[(7, 2), (4, 3)], 10), 4, "none of length 4 fits beside 7");
        let huge = u64::MAX;
        assert_eq!(bound(&[(1, u32::MAX)], huge), 1);
        assert_eq!(bound(&[(1, u32::MAX)], 1), u64::from(u32::MAX));
    }

    proptest::proptest! {
        #[test]
        fn follows_its_definition(
            sizes in proptest::collection::btree_map(1u64..=30, 1u32..5, 0..12),
            slack in 0u64..12,
        ) {
            let sizes: Vec<(u64, u32)> = sizes.into_iter().rev().collect();
            let c = sizes.first().map_or(1, |size| size.0) + slack;
            proptest::prop_assert_eq!(bound(&sizes, c), by_definition(&sizes, c));
        }
    }
}
