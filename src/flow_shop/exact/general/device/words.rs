//! States and tables as the words that the kernels read.

use crate::flow_shop::exact::device;
use crate::flow_shop::exact::general::bound::State;
use crate::flow_shop::planner::{JobTerms, MOST_JOBS, Numbers};

/// Words of a state behind the machines. The open jobs take two.
const SUM: usize = 0;
const LATEST: usize = 1;
const LATENESS: usize = 2;
const LAST: usize = 3;
const OPEN: usize = 4;
pub(super) const STATE_WORDS: usize = 6;

/// Words at the beginning of the tables. An even number keeps pairs aligned.
const JOBS: usize = 0;
const LEVELS: usize = 1;
const MAKESPAN_FACTOR: usize = 2;
const LATENESS_FACTOR: usize = 3;
const LATE_FACTOR: usize = 4;
const HEADER_WORDS: usize = 6;

/// Words of a job's terms.
const RELEASE: usize = 0;
const FLOW: usize = 1;
const TARDY: usize = 2;
const DUE: usize = 3;
const DELIVERY: usize = 4;
const TERM_WORDS: usize = 5;

const OWN: [(&str, u64); 19] = [
    ("MOST_JOBS", MOST_JOBS as u64),
    ("SUM", SUM as u64),
    ("LATEST", LATEST as u64),
    ("LATENESS", LATENESS as u64),
    ("LAST", LAST as u64),
    ("OPEN", OPEN as u64),
    ("OWN_WORDS", STATE_WORDS as u64),
    ("JOBS", JOBS as u64),
    ("LEVELS", LEVELS as u64),
    ("MAKESPAN_FACTOR", MAKESPAN_FACTOR as u64),
    ("LATENESS_FACTOR", LATENESS_FACTOR as u64),
    ("LATE_FACTOR", LATE_FACTOR as u64),
    ("HEADER_WORDS", HEADER_WORDS as u64),
    ("RELEASE", RELEASE as u64),
    ("FLOW", FLOW as u64),
    ("TARDY", TARDY as u64),
    ("DUE", DUE as u64),
    ("DELIVERY", DELIVERY as u64),
    ("TERM_WORDS", TERM_WORDS as u64),
];

/// Those of all searches, and those of this one.
pub(super) const CONSTANTS: &[(&str, u64)] = &{
    let mut all = [("", 0); device::CONSTANTS.len() + OWN.len()];
    let mut at = 0;
    while at < all.len() {
        all[at] = match at.checked_sub(OWN.len()) {
            Some(other) => device::CONSTANTS[other],
            None => OWN[at],
        };
        at += 1;
    }
    all
};

/// Appends the words of a state.
pub(super) fn push_state(state: &State, words: &mut Vec<u32>) {
    let mut own = [0; STATE_WORDS];
    own[SUM] = state.sum as u32;
    own[LATEST] = state.latest as u32;
    own[LATENESS] = state.lateness as u32;
    own[LAST] = state.last;
    own[OPEN] = state.open as u32;
    own[OPEN + 1] = (state.open >> 32) as u32;
    words.extend(state.free.iter().map(|&free| free as u32));
    words.extend(own);
}

/// The tables, in the order of `tables_of` in cl/flow_shop_forward_bounds.cl.
pub(super) fn tables(numbers: &Numbers) -> Vec<u32> {
    let jobs = numbers.jobs.len();
    let mut words = vec![0; HEADER_WORDS];
    words[JOBS] = jobs as u32;
    words[LEVELS] = numbers.levels.len() as u32;
    words[MAKESPAN_FACTOR] = numbers.makespan as u32;
    words[LATENESS_FACTOR] = numbers.lateness as u32;
    words[LATE_FACTOR] = numbers.late as u32;
    let mut push = |list: &[i32]| words.extend(list.iter().map(|&number| number as u32));
    push(numbers.by_load.as_flattened());
    push(numbers.levels.as_flattened());
    push(&vec![0; 2 * (jobs - numbers.levels.len())]);
    if let Some(releases) = &numbers.releases {
        push(releases.by_end.as_flattened());
        push(releases.by_head.as_flattened());
    }
    push(&numbers.times);
    push(&numbers.loads);
    push(&numbers.tails);
    for &JobTerms { release, flow, tardy, due, delivery } in &numbers.terms {
        let mut own = [0; TERM_WORDS];
        own[RELEASE] = release;
        own[FLOW] = flow;
        own[TARDY] = tardy;
        own[DUE] = due;
        own[DELIVERY] = delivery;
        push(&own);
    }
    push(&numbers.by_flow);
    push(&numbers.by_due);
    if let Some(setups) = &numbers.setups {
        push(setups);
    }
    if let Some(plan) = &numbers.plan {
        push(&plan.follows);
        push(&plan.pairs);
    }
    words
}
