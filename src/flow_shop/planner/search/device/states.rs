//! The words of a trajectory on the device.

use crate::flow_shop::Objective;
use crate::flow_shop::planner::search::settings::TAKEN;

/// The values of the present, the current and the best sequence.
pub(super) const FIRST_VALUE: usize = 0;
const BEST_VALUE: usize = FIRST_VALUE + 2 * Objective::MAX_STAGES;
pub(super) const VALUE_WORDS: usize = 3 * Objective::MAX_STAGES;
pub(super) const RANDOM: usize = VALUE_WORDS;
pub(super) const PHASE: usize = VALUE_WORDS + 1;
/// Jobs of the present sequence, and of the instance without the pinned ones.
pub(super) const COUNT: usize = VALUE_WORDS + 2;
pub(super) const ALL: usize = VALUE_WORDS + 3;
/// The local search: the next of its jobs, their number, and the jobs since the last improvement.
pub(super) const TURN: usize = VALUE_WORDS + 4;
pub(super) const LENGTH: usize = VALUE_WORDS + 5;
pub(super) const IDLE: usize = VALUE_WORDS + 6;
/// Removed jobs that are back.
pub(super) const PUT: usize = VALUE_WORDS + 7;
/// Positions from the first one with heads, and from the last one with tails.
pub(super) const KNOWN_HEADS: usize = VALUE_WORDS + 8;
pub(super) const KNOWN_TAILS: usize = VALUE_WORDS + 9;
pub(super) const ITERATIONS: usize = VALUE_WORDS + 10;
pub(super) const EVALUATIONS: usize = VALUE_WORDS + 11;
/// Inversions and new predecessors, 32 bits each, of the present and of the current sequence.
pub(super) const CHANGES: usize = VALUE_WORDS + 12;
pub(super) const CURRENT_CHANGES: usize = VALUE_WORDS + 13;
pub(super) const FIRST_TAKEN: usize = VALUE_WORDS + 14;
pub(super) const STATE_WORDS: usize = FIRST_TAKEN + TAKEN;

/// Phases: before an iteration, the local search of the start, that without the removed jobs, the
/// return of these jobs, and the local search of the whole sequence.
pub(super) const READY: u64 = 0;
pub(super) const DESCENT: u64 = 1;
pub(super) const PART: u64 = 2;
pub(super) const PUTTING: u64 = 3;
pub(super) const WHOLE: u64 = 4;

/// Rows of a trajectory's sequences: the present, the current and the best one, and the jobs in the
/// order of the local search.
pub(super) const SEQUENCES: usize = 4;
pub(super) const BEST_ROW: usize = 2;

/// The state at the start of a search.
pub(super) fn start(
    seed: u64,
    jobs: usize,
    value: &[i64],
    changes: [u64; 2],
) -> [u64; STATE_WORDS] {
    let mut words = [0; STATE_WORDS];
    words[RANDOM] = seed;
    words[PHASE] = DESCENT;
    (words[COUNT], words[ALL]) = (jobs as u64, jobs as u64);
    words[CHANGES] = changes[1] << 32 | changes[0];
    words[CURRENT_CHANGES] = words[CHANGES];
    for sequence in 0..3 {
        let values = &mut words[FIRST_VALUE + sequence * Objective::MAX_STAGES..];
        values.iter_mut().zip(value).for_each(|(word, &number)| *word = number as u64);
    }
    words
}

/// The value of the best sequence.
pub(super) fn best_value(state: &[u64]) -> [i64; Objective::MAX_STAGES] {
    std::array::from_fn(|stage| state[BEST_VALUE + stage] as i64)
}
