//! Exact cover: which of the listed patterns together cut every item? The kind with the fewest
//! available patterns comes first (Knuth 2000). A pattern that failed is not tried again together
//! with the other patterns of its choice.

use super::enumeration::Cuts;
use super::list::Listed;
use crate::memory::{Gather, Grow};
use crate::random::Random;
use crate::{Result, memory};

/// A pattern's position in the list.
type Place = u32;

/// How a search ended.
pub(super) enum Cover {
    /// The patterns used, one for each piece.
    Found(Vec<Cuts>),
    /// There is no cover.
    Refuted,
    /// The search was ended before the answer.
    Open,
}

/// Nodes between two checks for stops.
const NODES_PER_CHECK: u64 = 64;

/// Variation of the choice among patterns: with more, far more searches fail.
const NOISE: f64 = 0.1;

/// The state of the search.
pub(super) struct Covering<'a> {
    patterns: &'a [Cuts],
    /// Length that each pattern leaves unused on its piece.
    waste: &'a [u64],
    /// The patterns of each kind, with the number of its items that they cut.
    users: Vec<Vec<(Place, u32)>>,
    /// Remaining items of each kind.
    left: Vec<u32>,
    /// For each pattern the number of its kinds with too few remaining items, plus 1 if it has
    /// failed.
    barred: Vec<u32>,
    /// Number of patterns of each kind that are not barred.
    options: Vec<u32>,
    /// Number of patterns looked at so far.
    touched: u64,
    /// The largest set of patterns that were in use together.
    deepest: Vec<Place>,
}

/// One choice of the search.
struct Choice {
    /// The patterns still to try; the next is last.
    open: Vec<Place>,
    /// The pattern in use.
    used: Option<Place>,
    /// The patterns that failed.
    failed: Vec<Place>,
}

impl<'a> Covering<'a> {
    /// A search for listed patterns that together cut `counts` items of each kind.
    pub(super) fn new(Listed { patterns, waste }: &'a Listed, counts: &[u32]) -> Result<Self> {
        let mut users = vec![Vec::new(); counts.len()];
        for (place, pattern) in (0..).zip(patterns) {
            for &(kind, count) in pattern {
                users[kind as usize].try_push((place, count))?;
            }
        }
        let options = users.iter().map(|users| users.len() as u32).collect();
        Ok(Covering {
            patterns,
            waste,
            users,
            left: counts.to_vec(),
            barred: memory::zeroed(patterns.len())?,
            options,
            touched: 0,
            deepest: Vec::new(),
        })
    }

    /// The cuts of the most pieces that were filled during the search.
    pub(super) fn deepest(&self) -> impl Iterator<Item = Cuts> {
        self.deepest.iter().map(|&place| self.patterns[place as usize].clone())
    }

    /// Looks for a cover with at most `slack` waste, until `most` patterns were touched.
    pub(super) fn search(
        &mut self,
        mut slack: u64,
        most: u64,
        random: &mut Random,
        check: impl Fn() -> Result<()>,
    ) -> Result<Cover> {
        let mut choices: Vec<Choice> = Vec::new();
        let mut entered = true;
        let mut nodes = 0u64;
        loop {
            if entered {
                let Some(kind) = self.fewest_options() else {
                    let used = choices.iter().filter_map(|choice| choice.used);
                    return Ok(Cover::Found(
                        used.map(|place| self.patterns[place as usize].clone()).collect(),
                    ));
                };
                if choices.len() > self.deepest.len() {
                    self.deepest.clear();
                    self.deepest.extend(choices.iter().filter_map(|choice| choice.used));
                }
                if self.touched > most {
                    return Ok(Cover::Open);
                }
                nodes += 1;
                if nodes.is_multiple_of(NODES_PER_CHECK) {
                    check()?;
                }
                choices.push(Choice {
                    open: self.order(kind, random)?,
                    used: None,
                    failed: Vec::new(),
                });
            }
            let Some(choice) = choices.last_mut() else { return Ok(Cover::Refuted) };
            entered = false;
            if let Some(place) = choice.used.take() {
                self.give_back(place);
                slack += self.waste[place as usize];
                self.bar(place);
                choice.failed.try_push(place)?;
            }
            let Some(place) = choice.open.pop() else {
                for &place in &choice.failed {
                    self.admit(place);
                }
                choices.pop();
                continue;
            };
            // Too wasteful here, but perhaps not where more slack remains.
            if self.waste[place as usize] <= slack {
                slack -= self.waste[place as usize];
                self.cut(place);
                choice.used = Some(place);
                entered = true;
            }
        }
    }

    /// Among kinds with remaining items, the one with the fewest patterns.
    fn fewest_options(&self) -> Option<u32> {
        let wanted = (0..self.left.len()).filter(|&kind| self.left[kind] > 0);
        wanted.min_by_key(|&kind| self.options[kind]).map(|kind| kind as u32)
    }

    /// The patterns of a kind that are not barred. The last is tried first: it uses kinds that few
    /// other patterns need.
    fn order(&mut self, kind: u32, random: &mut Random) -> Result<Vec<Place>> {
        let users = self.users[kind as usize].iter().map(|user| user.0);
        let mut open: Vec<(u64, usize)> = users
            .filter(|&place| self.barred[place as usize] == 0)
            .map(|place| {
                let others = self.patterns[place as usize].iter();
                let options: u64 = others
                    .map(|&(kind, count)| u64::from(self.options[kind as usize]) * u64::from(count))
                    .sum();
                // Non-negative floating point numbers have the order of their bits.
                let use_for_others = options as f64 * (1.0 + NOISE * random.unit());
                (u64::MAX - use_for_others.to_bits(), place as usize)
            })
            .gather()?;
        self.touched += 1 + self.users[kind as usize].len() as u64;
        open.sort_unstable();
        open.into_iter().map(|(_, place)| place as Place).gather()
    }

    fn cut(&mut self, place: Place) {
        for &(kind, count) in &self.patterns[place as usize] {
            let before = self.left[kind as usize];
            self.left[kind as usize] = before - count;
            self.touched += self.users[kind as usize].len() as u64;
            for user in 0..self.users[kind as usize].len() {
                let (other, needs) = self.users[kind as usize][user];
                if needs <= before && needs > before - count {
                    self.bar(other);
                }
            }
        }
    }

    fn give_back(&mut self, place: Place) {
        for &(kind, count) in self.patterns[place as usize].iter().rev() {
            let before = self.left[kind as usize];
            self.left[kind as usize] = before + count;
            self.touched += self.users[kind as usize].len() as u64;
            for user in 0..self.users[kind as usize].len() {
                let (other, needs) = self.users[kind as usize][user];
                if needs > before && needs <= before + count {
                    self.admit(other);
                }
            }
        }
    }

    #[inline]
    fn bar(&mut self, place: Place) {
        self.barred[place as usize] += 1;
        if self.barred[place as usize] == 1 {
            for &(kind, _) in &self.patterns[place as usize] {
                self.options[kind as usize] -= 1;
            }
        }
    }

    #[inline]
    fn admit(&mut self, place: Place) {
        self.barred[place as usize] -= 1;
        if self.barred[place as usize] == 0 {
            for &(kind, _) in &self.patterns[place as usize] {
                self.options[kind as usize] += 1;
            }
        }
    }
}
