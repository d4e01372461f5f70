//! Coordinate descent: one tunable after the other, up or down as long as that helps.

use super::super::tuning::{Defines, Range, Tunable};

/// Finds out which values are better.
pub(super) trait Judge {
    /// Whether `other`, which differs from `present` in one tunable, is better.
    fn prefers(&mut self, other: &Defines, present: &Defines, changed: &'static str) -> bool;

    /// Whether there is time for another question.
    fn goes_on(&self) -> bool;
}

/// How thoroughly to search.
#[derive(Debug, Clone, Copy)]
pub(super) struct Search {
    /// Most passes over all tunables.
    pub(super) passes: usize,
    /// A direction is given up after this many values in a row that are not better.
    pub(super) reach: usize,
}

/// The best values that a search from `start` finds.
pub(super) fn descend(
    tunables: &[Tunable],
    start: &Defines,
    search: Search,
    judge: &mut dyn Judge,
) -> Defines {
    let mut best = start.clone();
    for _ in 0..search.passes {
        let before = best.clone();
        for tunable in tunables {
            if !walk(&mut best, tunable, Range::above, search.reach, judge) {
                walk(&mut best, tunable, Range::below, search.reach, judge);
            }
        }
        if best == before {
            break;
        }
    }
    best
}

/// Moves one tunable in one direction; returns whether that helped.
fn walk(
    best: &mut Defines,
    tunable: &Tunable,
    next: fn(Range, u64) -> Option<u64>,
    reach: usize,
    judge: &mut dyn Judge,
) -> bool {
    let name = tunable.name();
    let (mut value, mut in_vain, mut helped) = (best[name], 0, false);
    while in_vain < reach && judge.goes_on() {
        let Some(further) = next(tunable.range, value) else { break };
        value = further;
        let mut other = best.clone();
        other.insert(name, value);
        if judge.prefers(&other, best, name) {
            (*best, in_vain, helped) = (other, 0, true);
        } else {
            in_vain += 1;
        }
    }
    helped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TUNABLES: [Tunable; 3] = [
        Tunable::power("A: for tests", (16, 1024)),
        Tunable::number("B: for tests", (0, 1 << 16)),
        Tunable::number("C: for tests", (2, 16)),
    ];

    /// Prefers lower costs, and answers only some questions.
    struct ByCost<F> {
        cost: F,
        questions: usize,
        asked: usize,
    }

    impl<F: Fn(&Defines) -> f64> Judge for ByCost<F> {
        fn prefers(&mut self, other: &Defines, present: &Defines, changed: &'static str) -> bool {
            self.asked += 1;
            for tunable in TUNABLES {
                let (new, old) = (other[tunable.name()], present[tunable.name()]);
                assert!((new == old) != (tunable.name() == changed));
                assert!(tunable.range.allows(new), "{new}");
            }
            (self.cost)(other) < (self.cost)(present)
        }

        fn goes_on(&self) -> bool {
            self.asked < self.questions
        }
    }

    fn start(a: u32, b: u64, c: u64) -> Defines {
        Defines::from([("A", 16 << a), ("B", b), ("C", c)])
    }

    /// The distance from these values, in steps of a factor.
    fn distance(goal: &Defines) -> impl Fn(&Defines) -> f64 {
        let log = |value: u64| (1.0 + value as f64).ln();
        move |values| goal.iter().map(|(name, &value)| (log(value) - log(values[name])).abs()).sum()
    }

    proptest! {
        #[test]
        fn the_search_ends_no_worse_than_it_began(
            from in (0u32..7, 0u64..=1 << 16, 2u64..=16),
            goal in (0u32..7, 0u64..=1 << 16, 2u64..=16),
            (passes, reach, questions) in (1usize..4, 1usize..4, 0usize..60),
        ) {
            let (from, goal) = (start(from.0, from.1, from.2), start(goal.0, goal.1, goal.2));
            let mut judge = ByCost { cost: distance(&goal), questions, asked: 0 };
            let found = descend(&TUNABLES, &from, Search { passes, reach }, &mut judge);
            prop_assert!(judge.asked <= questions);
            prop_assert!((judge.cost)(&found) <= (judge.cost)(&from));
            if questions == 0 {
                prop_assert_eq!(&found, &from);
            }
            let mut judge = ByCost { questions: usize::MAX, ..judge };
            let found = descend(&TUNABLES, &from, Search { passes, reach }, &mut judge);
            prop_assert_eq!(found["A"], goal["A"], "each value is a step of a factor of two");
        }

        #[test]
        fn steps_stay_in_the_range_and_reach_its_ends(
            tunable in prop::sample::select(&TUNABLES[..]), at in 0u64..=1 << 16,
        ) {
            let range = tunable.range;
            let steps = [(range.fit(at.into()), Range::above as fn(_, _) -> _), (range.fit(at.into()), Range::below)];
            for (mut value, next) in steps {
                let mut count = 0;
                while let Some(further) = next(range, value) {
                    prop_assert!(range.allows(further) && further != value);
                    (value, count) = (further, count + 1);
                }
                prop_assert!(count <= 40, "{count} steps");
                prop_assert!(value == range.least() || value == range.most());
            }
        }
    }

    #[test]
    fn a_longer_reach_gets_over_a_hill() {
        let cost = |values: &Defines| match values["A"] {
            64 => 3.0,
            128 => 4.0,
            256 => 1.0,
            _ => 9.0,
        };
        let found = |reach| {
            let mut judge = ByCost { cost, questions: usize::MAX, asked: 0 };
            let search = Search { passes: 1, reach };
            descend(&TUNABLES, &start(2, 0, 2), search, &mut judge)["A"]
        };
        assert_eq!((found(1), found(2)), (64, 256));
    }
}
