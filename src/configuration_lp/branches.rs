//! Pricing by branch and bound, if a table would be too large. Kinds of jobs are tried by value for
//! their time, best first, first as many as fit and then fewer, as long as the bound of Dantzig
//! (1957) allows an improvement.

use super::job_types::{JobTypes, Pattern};
use crate::solve::Monitor;
use crate::{Error, Result};

/// The pattern's value may be less than the best by 1 / 2^`TOLERANCE_BITS`. If all kinds have
/// nearly the same value for their time, proving the last bit is a subset sum problem.
const TOLERANCE_BITS: u32 = 16;

/// Number of nodes after which the tolerance doubles, repeatedly.
const NODES: u64 = 1 << 16;

/// Nodes between two checks for stops.
const CHECK_NODES: u64 = 1 << 10;

/// Result of the search.
pub(super) struct Priced {
    /// Upper limit of all patterns' values.
    pub(super) most: u32,
    /// A pattern of about this value.
    pub(super) pattern: Pattern,
    pub(super) nodes: u64,
}

/// A kind of jobs with a value.
struct Kind {
    kind: u32,
    time: u64,
    value: u64,
    copies: u32,
    /// Total time and value of all earlier kinds.
    before: (u128, u64),
    /// Shortest time of this and all later kinds.
    shortest: u64,
}

/// The most valuable pattern with a load of at most the target; no pattern's value exceeds 32 bits.
pub(super) fn price(
    types: &JobTypes,
    values: &[u32],
    target: u64,
    monitor: &Monitor,
) -> Result<Priced> {
    let kinds = by_efficiency(types, values, target);
    // The kinds in the pattern, with their counts.
    let mut used: Vec<(usize, u32)> = Vec::new();
    let (mut next, mut room, mut value) = (0, target, 0);
    let mut best: (u64, Vec<(usize, u32)>) = (0, Vec::new());
    // The largest bound of the branches cut off.
    let (mut passed_by, mut nodes, mut bits) = (0, 0u64, TOLERANCE_BITS);
    loop {
        while kinds.get(next).is_some_and(|kind| kind.shortest <= room) {
            let bound = value + bound(&kinds[next..], room);
            if bound <= best.0 + (best.0 >> bits) {
                passed_by = passed_by.max(bound);
                break;
            }
            // Kinds that do not fit change no bound.
            next += kinds[next..].iter().position(|kind| kind.time <= room).unwrap_or(0);
            let kind = &kinds[next];
            let copies = u64::from(kind.copies).min(room / kind.time);
            used.push((next, copies as u32));
            room -= copies * kind.time;
            value += copies * kind.value;
            next += 1;
        }
        if value > best.0 {
            best = (value, used.clone());
        }
        nodes += 1;
        if nodes.is_multiple_of(CHECK_NODES) {
            monitor.check()?;
        }
        if nodes.is_multiple_of(NODES) {
            bits = bits.saturating_sub(1);
        }
        let Some((place, copies)) = used.pop() else { break };
        room += kinds[place].time;
        value -= kinds[place].value;
        if copies > 1 {
            used.push((place, copies - 1));
        }
        next = place + 1;
    }
    // Saturating would make the bound wrong.
    let most = u32::try_from(best.0.max(passed_by)).map_err(|_| {
        Error::internal(format!("a pattern worth {} beyond 32 bits", best.0.max(passed_by)))
    })?;
    let copies =
        |&(place, copies): &(usize, u32)| std::iter::repeat_n(kinds[place].kind, copies as usize);
    let mut pattern: Pattern = best.1.iter().flat_map(copies).collect();
    pattern.sort_unstable();
    Ok(Priced { most, pattern, nodes })
}

fn by_efficiency(types: &JobTypes, values: &[u32], target: u64) -> Vec<Kind> {
    let worthy = (0..types.len()).filter(|&kind| values[kind] > 0 && types.times[kind] <= target);
    let mut kinds: Vec<Kind> = worthy
        .map(|kind| Kind {
            kind: kind as u32,
            time: types.times[kind],
            value: values[kind].into(),
            copies: u64::from(types.counts[kind]).min(target / types.times[kind]) as u32,
            before: (0, 0),
            shortest: 0,
        })
        .collect();
    kinds.sort_unstable_by(|a, b| {
        let product = |a: &Kind, b: &Kind| u128::from(a.value) * u128::from(b.time);
        product(b, a).cmp(&product(a, b)).then(a.kind.cmp(&b.kind))
    });
    let mut before = (0, 0);
    for kind in &mut kinds {
        kind.before = before;
        before.0 += u128::from(kind.time) * u128::from(kind.copies);
        before.1 += kind.value * u64::from(kind.copies);
    }
    let mut shortest = u64::MAX;
    for kind in kinds.iter_mut().rev() {
        shortest = shortest.min(kind.time);
        kind.shortest = shortest;
    }
    kinds
}

/// Upper bound on the value of jobs of these kinds, at least one, within `room`: jobs by value for
/// their time, the last one fractional.
fn bound(kinds: &[Kind], room: u64) -> u64 {
    let (time, value) = kinds[0].before;
    let full = u128::from(room) + time;
    let last = &kinds[kinds.partition_point(|kind| kind.before.0 <= full) - 1];
    let left = (full - last.before.0).min(u128::from(last.time) * u128::from(last.copies));
    last.before.1 - value + (left * u128::from(last.value) / u128::from(last.time)) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::configuration_lp::pricing::{Pricing, tests::types_and_values};
    use crate::solve::SolveOptions;

    proptest! {
        #[test]
        fn agrees_with_the_table((types, values) in types_and_values(1..60, 9), target in 1u64..200) {
            let priced = price(&types, &values, target, &Monitor::new(&SolveOptions::default())).unwrap();
            let mut table = Pricing::new(target);
            table.fill(&types, &values).unwrap();
            prop_assert_eq!(priced.most, table.value(target));
            prop_assert!(priced.pattern.is_sorted() && types.load(&priced.pattern) <= target);
            prop_assert_eq!(priced.pattern.iter().map(|&kind| values[kind as usize]).sum::<u32>(), priced.most);
        }
    }

    #[test]
    fn a_subset_sum_is_given_up_with_a_bound() {
        // Even times equal to their values, and an odd target.
        let types = JobTypes {
            times: (0..400).map(|job| 900_000 - 2_000 * job).collect(),
            counts: vec![1; 400],
        };
        let values: Vec<u32> = types.times.iter().map(|&time| time as u32).collect();
        let target = 3_000_001;
        let priced =
            price(&types, &values, target, &Monitor::new(&SolveOptions::default())).unwrap();
        assert!(
            (3_000_000..=3_000_000 + (3_000_000 >> 10)).contains(&priced.most),
            "{}",
            priced.most
        );
        assert!(priced.nodes < 100 * NODES && types.load(&priced.pattern) > 2_990_000);
    }
}
