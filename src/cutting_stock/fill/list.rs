use super::Items;
use super::enumeration::{Cuts, PatternEnumeration};
use super::sums::Sums;
use crate::Result;
use crate::memory::Grow;
use crate::solve::Monitor;

/// Most patterns that are listed.
const MOST: usize = 1 << 17;

/// Most kinds cut for each pattern, on average.
const STEPS: usize = 20;

/// Patterns, and the length that each leaves unused.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) patterns: Vec<Cuts>,
    pub(super) waste: Vec<u64>,
}

/// All patterns of at most `most` items that leave at most the slack unused; `None` if there are
/// too many.
pub(super) fn list(
    items: &Items,
    sums: &Sums,
    most: usize,
    monitor: &Monitor,
) -> Result<Option<Listed>> {
    let kinds: Vec<usize> =
        (0..items.lengths.len()).filter(|&kind| items.counts[kind] > 0).collect();
    let mut patterns = PatternEnumeration::new(items, sums, most);
    let mut listed = Listed::default();
    let mut steps = 0;
    // Every sixteenth kind first: their patterns soon show whether there are too many.
    const STRIDE: usize = 16;
    let spread =
        (0..STRIDE.min(kinds.len())).flat_map(|first| kinds[first..].iter().step_by(STRIDE));
    for (done, &first) in spread.enumerate() {
        let enough = MOST / STRIDE + MOST * (done + 1) / kinds.len();
        patterns.start(first, items.stock_length, items.slack);
        loop {
            steps += 1;
            monitor.check_long_step(steps, STEPS)?;
            if listed.patterns.len() > enough || steps > STEPS * enough {
                return Ok(None);
            }
            if patterns.room() <= items.slack {
                listed.patterns.try_push(patterns.cuts()?)?;
                listed.waste.try_push(patterns.room())?;
            }
            let mut cut = patterns.forward(|| false);
            while !cut && patterns.back() {
                cut = patterns.forward(|| false);
            }
            if !cut {
                break;
            }
        }
    }
    Ok(Some(listed))
}
