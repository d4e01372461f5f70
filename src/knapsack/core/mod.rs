//! The expanding core: dynamic programming over the pieces around the break piece, nearest in
//! efficiency first.
//!
//! The greedy solution takes the pieces by efficiency until one does not fit, the *break piece*.
//! Optimal solutions mostly differ from it only near the break piece. So the pieces are decided
//! alternately, the next one after the core and the last one before it (Pisinger 1997, "A minimal
//! algorithm for the 0-1 knapsack problem"). A state is the effect of the decisions so far on the
//! greedy solution: its weight, which may exceed the capacity, and its profit. States are dropped
//! if they are dominated or if their bound is no better than the incumbent; when none is left, the
//! incumbent is optimal. A piece whose flip alone cannot lead to a better solution (Dembo and
//! Hammer 1980) is skipped.
//!
//! Few states are kept in a list. When lists would become dense, they are turned into a table over
//! stretches of weights, whose inner loop is that of a dense dynamic program.
//!
//! A step that a limit interrupts leaves the states unchanged. Their bound is known from the last
//! complete step, so that a search ends at once.

mod buffer;
mod list;
mod window;

use std::sync::Arc;

use self::list::{Flip, List, State};
use self::window::Window;
use super::blocks::{BLOCK, Cell};
use super::bounds::{Completion, Completions};
use super::reduction::{Piece, Problem};
use super::selection;
use crate::solve::{Monitor, Statistics};
use crate::{Context, Error, Result, memory};

/// Shorter lists are never turned into tables: a step over a table costs more than one over them.
const LIST_STATES: usize = 1 << 12;
/// Least states of a list for each block of a table, for turning it into one.
const DENSE_STATES: usize = 4;
/// States or cells between two checks for stops.
const CHECK_WORK: u64 = 1 << 20;

/// The core's result.
pub(super) struct CoreResult {
    /// The pieces of the best solution; `None` if the core only [learnt](Core::learn) its profit.
    pub(super) taken: Option<Vec<bool>>,
    /// Its profit.
    pub(super) profit: i64,
    /// Upper bound on all profits.
    pub(super) bound: i64,
}

/// Why the search of a core ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// By a limit or a stop request.
    Stopped,
    /// It grew too large.
    TooLarge(TooLarge),
}

/// The limit that a core exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TooLarge {
    /// The limit of work.
    Work,
    /// The limit of memory.
    Memory,
}

/// Work limits of a core.
#[derive(Debug, Clone, Copy)]
pub(super) struct WorkLimit {
    /// States of lists, each of which takes as much work as many cells.
    pub(super) states: u64,
    /// States and cells.
    pub(super) all: u64,
}

/// The best solution so far, relative to the greedy one's pieces before the break piece.
pub(super) struct CoreIncumbent {
    profit: i64,
    capacity: i64,
    origin: Origin,
    /// Its weight.
    weight: i64,
}

/// The origin of a solution, for its traceback at the end.
#[derive(Debug, Clone, Copy)]
pub(super) enum Origin {
    Greedy,
    Elsewhere,
    List { node: u64 },
    Window { layers: usize },
}

impl CoreIncumbent {
    fn offer(&mut self, weight: i64, profit: i64, origin: impl FnOnce() -> Origin) {
        if profit > self.profit && weight <= self.capacity {
            (self.profit, self.weight, self.origin) = (profit, weight, origin());
        }
    }

    fn offer_node(&mut self, weight: i64, profit: i64, node: u64) {
        self.offer(weight, profit, || Origin::List { node });
    }
}

enum States<'a> {
    List,
    Small(Window<'a, i32>),
    Large(Window<'a, i64>),
}

pub(super) struct Core<'a> {
    context: &'a Context,
    problem: &'a Arc<Problem>,
    completions: Completions<'a>,
    /// Position of the break piece; the number of pieces if all fit.
    break_piece: usize,
    /// Profit and weight of the pieces before it.
    greedy: (i64, i64),
    /// Those pieces and all later ones that still fit.
    filled: Vec<bool>,
    /// The pieces first..end are decided.
    first: usize,
    end: usize,
    incumbent: CoreIncumbent,
    list: List,
    states: States<'a>,
    /// The latest bound on the completions of the states.
    bound: i64,
    /// A bound on all solutions from another method.
    known_bound: i64,
    /// Shorter lists are never turned into a table.
    list_states: usize,
    states_seen: u64,
    cells_seen: u64,
}

impl<'a> Core<'a> {
    /// # Errors
    /// [`Error::Stopped`] if there are many pieces, and [`Error::OutOfMemory`].
    pub(super) fn new(
        context: &'a Context,
        problem: &'a Arc<Problem>,
        monitor: &Monitor,
    ) -> Result<Self> {
        let (pieces, capacity) = (&problem.pieces[..], problem.capacity);
        let (mut profit, mut weight) = (0, 0);
        let mut break_piece = None;
        let mut filled = memory::list(pieces.len())?;
        for (position, piece) in pieces.iter().enumerate() {
            monitor.check_later_step(position)?;
            let fits = weight + piece.weight <= capacity;
            if fits {
                (profit, weight) = (profit + piece.profit, weight + piece.weight);
            } else if break_piece.is_none() {
                break_piece = Some((position, (profit, weight)));
            }
            filled.push(fits);
        }
        let (break_piece, greedy) = break_piece.unwrap_or((pieces.len(), (profit, weight)));
        let gained = profit - greedy.0;
        let completions = Completions::new(pieces, capacity, monitor)?;
        Ok(Core {
            context,
            problem,
            bound: completions.at(break_piece, break_piece).bound(greedy.1, 0),
            known_bound: i64::MAX,
            completions,
            break_piece,
            greedy,
            filled,
            first: break_piece,
            end: break_piece,
            incumbent: CoreIncumbent { profit: gained, capacity, origin: Origin::Greedy, weight },
            list: List::new(greedy.1),
            states: States::List,
            list_states: LIST_STATES,
            states_seen: 0,
            cells_seen: 0,
        })
    }

    /// Uses a profit and a bound from another method.
    pub(super) fn learn(&mut self, profit: i64, bound: i64) {
        if profit - self.greedy.0 > self.incumbent.profit {
            (self.incumbent.profit, self.incumbent.origin) =
                (profit - self.greedy.0, Origin::Elsewhere);
        }
        self.known_bound = self.known_bound.min(bound - self.greedy.0);
    }

    /// Continues the search until the bound is met or a work limit is exceeded; returns the reason
    /// if the bound was not met.
    pub(super) fn search(&mut self, monitor: &Monitor, limit: WorkLimit) -> Result<Option<Ended>> {
        let ended = match self.decide(monitor, limit) {
            Ok(ended) => ended,
            Err(error) if matches!(*error, Error::Stopped) => Some(Ended::Stopped),
            Err(error) if matches!(*error, Error::OutOfMemory { .. }) => {
                Some(Ended::TooLarge(TooLarge::Memory))
            }
            Err(error) => return Err(error),
        };
        if ended.is_none() {
            self.bound = self.incumbent.profit;
        }
        Ok(ended)
    }

    fn decide(&mut self, monitor: &Monitor, limit: WorkLimit) -> Result<Option<Ended>> {
        let pieces = self.problem.pieces.len();
        let mut checked = 0;
        let mut forward = true;
        if self.bound <= self.incumbent.profit {
            return Ok(None);
        }
        while !self.is_empty() && (self.first > 0 || self.end < pieces) {
            if self.known_bound <= self.incumbent.profit {
                return Ok(None);
            }
            monitor.check()?;
            forward = self.first == 0 || (forward && self.end < pieces);
            let position = if forward { self.end } else { self.first - 1 };
            // The bound requires that all pieces from first to end are decided.
            let (first, end) =
                if forward { (self.first, self.end + 1) } else { (position, self.end) };
            if !self.is_fixed(position) {
                // Does not ask the system for the memory of a small core.
                let bytes = self.bytes().saturating_add(self.growth());
                if !monitor.has_memory(bytes.into()) || self.list.is_full() {
                    return Ok(Some(Ended::TooLarge(TooLarge::Memory)));
                }
                let completion = self.completions.at(first, end);
                self.step(self.flip(position), &completion, monitor)?;
            }
            (self.first, self.end) = (first, end);
            forward = !forward;
            let work = self.states_seen + self.cells_seen;
            if work - checked >= CHECK_WORK {
                checked = work;
                self.note(monitor);
            }
            if work > limit.all || self.states_seen > limit.states {
                return Ok(Some(Ended::TooLarge(TooLarge::Work)));
            }
        }
        let completion = self.completions.at(self.first, self.end);
        match &mut self.states {
            States::List => (),
            States::Small(window) => _ = window.tidy(&completion, &mut self.incumbent, monitor)?,
            States::Large(window) => _ = window.tidy(&completion, &mut self.incumbent, monitor)?,
        }
        Ok(None)
    }

    /// The effect of flipping a piece: pieces before the break piece are removed, the others are
    /// added.
    fn flip(&self, position: usize) -> Flip {
        let Piece { profit, weight, .. } = self.problem.pieces[position];
        let sign = if position < self.break_piece { -1 } else { 1 };
        Flip { piece: position as u32, weight: sign * weight, profit: sign * profit }
    }

    fn step(&mut self, flip: Flip, completion: &Completion, monitor: &Monitor) -> Result<()> {
        let (incumbent, cells) = (&mut self.incumbent, &mut self.cells_seen);
        match &mut self.states {
            States::List => {
                self.bound = self.list.step(flip, completion, incumbent, monitor)?;
                self.states_seen += self.list.states().len() as u64;
                if self.list.states().len() >= self.list_states && is_dense(self.list.states()) {
                    self.make_window(monitor)?;
                }
            }
            States::Small(window) => {
                self.bound =
                    window.step(flip, completion, incumbent, monitor)?.unwrap_or(self.bound);
                *cells += window.cells() as u64;
            }
            States::Large(window) => {
                self.bound =
                    window.step(flip, completion, incumbent, monitor)?.unwrap_or(self.bound);
                *cells += window.cells() as u64;
            }
        }
        Ok(())
    }

    /// Turns the list into a table.
    fn make_window(&mut self, monitor: &Monitor) -> Result<()> {
        let pieces = &self.problem.pieces;
        let slope = pieces.get(self.break_piece).map_or(0, |piece| piece.profit / piece.weight);
        let size = |profit: i64, weight: i64| {
            (i128::from(profit) - i128::from(slope) * i128::from(weight)).abs()
        };
        let rest = pieces[..self.first].iter().chain(&pieces[self.end..]);
        let changes: i128 = rest.map(|piece| size(piece.profit, piece.weight)).sum();
        let states = self.list.states();
        let states = states.iter().map(|state| size(state.profit, state.weight)).max().unwrap_or(0);
        // A window's products must not overflow even then.
        if changes + states > i64::LIMIT.into()
            || i128::from(slope) * i128::from(self.total_weight()) > i64::LIMIT.into()
        {
            return Ok(());
        }
        let roots = self.list.take_states();
        self.states = if changes + states <= i32::LIMIT.into() {
            States::Small(Window::new(self.context, roots, slope, monitor)?)
        } else {
            States::Large(Window::new(self.context, roots, slope, monitor)?)
        };
        Ok(())
    }

    fn total_weight(&self) -> i64 {
        self.problem.pieces.iter().map(|piece| piece.weight).sum()
    }

    /// Whether the flip of a piece alone cannot lead to a better solution. It costs the difference
    /// of the piece's profit and its weight times the break piece's efficiency.
    fn is_fixed(&self, position: usize) -> bool {
        let Some(center) = self.problem.pieces.get(self.break_piece) else { return false };
        let piece = &self.problem.pieces[position];
        let efficiency = center.profit as f64 / center.weight as f64;
        let room = (self.incumbent.capacity - self.greedy.1) as f64;
        let (profit, worth) = (piece.profit as f64, piece.weight as f64 * efficiency);
        let slack = (profit + worth + room * efficiency) * 1e-12;
        (room * efficiency - (profit - worth).abs() + slack).floor() <= self.incumbent.profit as f64
    }

    fn is_empty(&self) -> bool {
        match &self.states {
            States::List => self.list.states().is_empty(),
            States::Small(window) => window.is_empty(),
            States::Large(window) => window.is_empty(),
        }
    }

    fn bytes(&self) -> u64 {
        let window = match &self.states {
            States::List => 0,
            States::Small(window) => window.bytes(),
            States::Large(window) => window.bytes(),
        };
        self.list.bytes() + window
    }

    /// Most bytes that a step may add.
    fn growth(&self) -> u64 {
        match &self.states {
            States::List => self.list.growth(),
            States::Small(window) => window.growth(),
            States::Large(window) => window.growth(),
        }
    }

    /// Reports the best profit and the bound so far.
    fn note(&self, monitor: &Monitor) {
        let profit = self.problem.scaled(self.greedy.0 + self.incumbent.profit);
        monitor.note_found(profit, None, || {
            selection::found(self.problem, self.taken().ok().flatten().map(Arc::new))
        });
        let decided = (self.end - self.first) as f64 / self.problem.pieces.len().max(1) as f64;
        monitor.report("core", Some(decided));
    }

    pub(super) fn into_result(self, statistics: &mut Statistics) -> Result<CoreResult> {
        statistics.add("states", self.states_seen);
        statistics.add("cells", self.cells_seen);
        let bound = self.greedy.0 + self.bound.min(self.known_bound).max(self.incumbent.profit);
        let profit = self.greedy.0 + self.incumbent.profit;
        Ok(CoreResult { taken: self.taken()?, profit, bound })
    }

    /// The pieces of the best solution; `None` if the core only [learnt](Core::learn) its profit.
    fn taken(&self) -> Result<Option<Vec<bool>>> {
        match self.incumbent.origin {
            Origin::Greedy => return memory::copied(&self.filled).map(Some),
            Origin::Elsewhere => return Ok(None),
            Origin::List { .. } | Origin::Window { .. } => {}
        }
        let mut taken = memory::filled(true, self.problem.pieces.len())?;
        taken[self.break_piece..].fill(false);
        let mut flip = |piece: u32| taken[piece as usize] = !taken[piece as usize];
        let node = match (self.incumbent.origin, &self.states) {
            (Origin::List { node }, _) => node,
            (Origin::Window { layers }, States::Small(window)) => {
                window.trace(layers, self.incumbent.weight, &mut flip)
            }
            (Origin::Window { layers }, States::Large(window)) => {
                window.trace(layers, self.incumbent.weight, &mut flip)
            }
            _ => return Err(Error::internal("a knapsack window is missing")),
        };
        self.list.trace(node, |piece| taken[piece as usize] = !taken[piece as usize]);
        Ok(Some(taken))
    }
}

/// Whether the list's weights would fill a table well.
fn is_dense(states: &[State]) -> bool {
    let mut blocks = 0;
    let mut last = i64::MIN;
    for state in states {
        let block = state.weight.div_euclid(BLOCK as i64);
        blocks += usize::from(block != last);
        last = block;
    }
    states.len() >= DENSE_STATES * blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knapsack::Instance;
    use crate::knapsack::testing::{best_profits, counts_of, instances, reduced};
    use crate::solve::{Limits, SolveOptions};
    use crate::testing::{cpu_context, limited};

    use proptest::prelude::*;

    const NO_LIMIT: WorkLimit = WorkLimit { states: u64::MAX, all: u64::MAX };

    #[test]
    fn threads_change_nothing() {
        // Strongly correlated items of a few sizes: windows of many stretches and of a million
        // cells.
        let weights: Vec<u64> =
            (0..300u64).map(|i| 200_000 * (1 + i % 4) + i * i * 7919 % 3001).collect();
        let profits = weights.iter().map(|weight| weight + 10_000).collect();
        let capacity = weights.iter().sum::<u64>() / 2 + 1;
        let problem = reduced(&Instance::new(profits, weights, capacity).unwrap());
        let found = |threads| {
            let (context, mut statistics) = (cpu_context(threads), Statistics::default());
            let monitor = Monitor::maximising(&SolveOptions::default());
            let mut core =
                Core { list_states: 20, ..Core::new(&context, &problem, &monitor).unwrap() };
            let ended = core.search(&monitor, WorkLimit { all: 1 << 28, ..NO_LIMIT }).unwrap();
            let found = core.into_result(&mut statistics).unwrap();
            let taken = found.taken.unwrap();
            assert_eq!(problem.profit(&taken), found.profit);
            (taken, found.profit, found.bound, ended, statistics.get("cells"))
        };
        let one = found(1);
        assert!(one.4 > Some(1 << 25), "{:?} cells", one.4);
        assert_eq!(one, found(3));
    }

    proptest! {
        #[test]
        fn lists_and_windows_find_the_optimum(instance in instances(), list_states in prop_oneof![Just(1usize), Just(20)]) {
            let (context, monitor) = (cpu_context(2), Monitor::maximising(&SolveOptions::default()));
            let problem = reduced(&instance);
            let expected = best_profits(&instance).last().copied();
            for list_states in [list_states, usize::MAX] {
                let core = Core::new(&context, &problem, &monitor).unwrap();
                let mut core = Core { list_states, ..core };
                prop_assert_eq!(core.search(&monitor, NO_LIMIT).unwrap(), None);
                let found = core.into_result(&mut Statistics::default()).unwrap();
                let taken = found.taken.unwrap();
                prop_assert_eq!(problem.profit(&taken), found.profit);
                prop_assert_eq!(Some(problem.scaled(found.profit)), expected);
                prop_assert_eq!(found.bound, found.profit);
                let counts = counts_of(&problem, &taken);
                prop_assert_eq!(instance.profit_of(&counts).ok(), expected);
            }
        }

        #[test]
        fn the_bound_holds_wherever_the_search_ends(
            instance in instances(),
            work in prop_oneof![0u64..3000, Just(u64::MAX)],
            memory in prop_oneof![0u64..30_000, Just(u64::MAX)],
            list_states in 1usize..50,
        ) {
            let monitor = Monitor::maximising(&limited(Limits { memory: Some(memory), ..Limits::default() }));
            let context = cpu_context(2);
            let problem = reduced(&instance);
            let mut core = Core { list_states, ..Core::new(&context, &problem, &monitor).unwrap() };
            core.search(&monitor, WorkLimit { all: work, ..NO_LIMIT }).unwrap();
            let found = core.into_result(&mut Statistics::default()).unwrap();
            let optimum = best_profits(&instance).last().copied().unwrap();
            let scaled = |profit| problem.scaled(profit);
            prop_assert!(scaled(found.profit) <= optimum && optimum <= scaled(found.bound));
            let counts = counts_of(&problem, &found.taken.unwrap());
            prop_assert_eq!(instance.profit_of(&counts).ok(), Some(scaled(found.profit)));
        }
    }
}
