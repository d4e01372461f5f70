//! The expanding core: dynamic programming over the pieces around the break piece, nearest in efficiency first.
//!
//! The greedy solution takes the pieces by efficiency until one does not fit, the *break piece*. Optimal solutions
//! depart from it near the break piece mostly. So the pieces are decided in turns, the next one after the core and
//! the last one before it, and a state is what the decisions so far did to the greedy solution: its weight, which may
//! exceed the capacity, and its profit (Pisinger 1997, "A minimal algorithm for the 0-1 knapsack problem"). States
//! that are dominated or whose bound is no better than the best solution known are dropped; when none is left, that
//! solution is optimal. A piece whose flip alone can't lead to a better solution (Dembo and Hammer 1980) is passed by.
//!
//! While there are few states they are a list; where lists would grow dense they become a table over stretches of
//! weights, whose inner loop is that of a dense dynamic program.

mod list;
mod window;

use self::list::{Flip, List, ROOT};
use self::window::Window;
use super::blocks::{BLOCK, Cell};
use super::bounds::{Completion, Completions};
use super::reduction::{Piece, Problem};
use crate::solve::{Monitor, Statistics};
use crate::{Context, Error, Result};

/// Lists shorter than this are for lists: a step over a table costs more than one over them.
const LIST_STATES: usize = 1 << 12;
/// Lists with this many states to a block of a table, or more, become one.
const DENSE_STATES: usize = 4;
/// States or cells between two looks at the clock.
const CHECK_WORK: u64 = 1 << 20;

/// What the core found.
pub(super) struct Found {
    /// Which pieces the best solution takes.
    pub(super) taken: Vec<bool>,
    /// Its profit.
    pub(super) profit: i64,
    /// Upper bound on all profits.
    pub(super) bound: i64,
    /// Why it ended before the bound was met.
    pub(super) ended: Option<Ended>,
}

/// Why the search of a core ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// By a limit or a stop request.
    Stopped,
    /// It grew too large.
    TooLarge(TooLarge),
}

/// What a core exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TooLarge {
    /// The limit of work.
    Work,
    /// The limit of memory.
    Memory,
}

/// The best solution so far, relative to the greedy one's pieces before the break piece.
pub(super) struct Incumbent {
    profit: i64,
    capacity: i64,
    origin: Origin,
    /// Its weight.
    weight: i64,
}

/// Where a solution came from, to be traced when it is the last.
#[derive(Debug, Clone, Copy)]
pub(super) enum Origin {
    Greedy,
    List { node: u32 },
    Window { layers: usize },
}

impl Incumbent {
    fn offer(&mut self, weight: i64, profit: i64, origin: impl FnOnce() -> Origin) {
        if profit > self.profit && weight <= self.capacity {
            (self.profit, self.weight, self.origin) = (profit, weight, origin());
        }
    }

    fn offer_node(&mut self, weight: i64, profit: i64, node: u32) {
        self.offer(weight, profit, || Origin::List { node });
    }
}

/// Searches the core with at most about `work_limit` states and cells.
pub(super) fn solve(
    context: &Context,
    problem: &Problem,
    monitor: &Monitor,
    work_limit: u64,
    statistics: &mut Statistics,
) -> Result<Found> {
    search(Core::new(context, problem), monitor, work_limit, statistics)
}

fn search(
    mut core: Core<'_>,
    monitor: &Monitor,
    work_limit: u64,
    statistics: &mut Statistics,
) -> Result<Found> {
    let ended = core.search(monitor, work_limit)?;
    statistics.add("states", core.states_seen);
    statistics.add("cells", core.cells_seen);
    core.into_found(ended)
}

enum States<'a> {
    List,
    Small(Window<'a, i32>),
    Large(Window<'a, i64>),
}

struct Core<'a> {
    context: &'a Context,
    problem: &'a Problem,
    completions: Completions<'a>,
    /// Position of the break piece, the pieces' number if all fit.
    break_piece: usize,
    /// Profit and weight of the pieces before it.
    greedy: (i64, i64),
    /// Those pieces and all later ones that still fit.
    filled: Vec<bool>,
    /// The pieces first..end are decided.
    first: usize,
    end: usize,
    incumbent: Incumbent,
    list: List,
    states: States<'a>,
    /// Lists shorter than this are never made a table.
    list_states: usize,
    states_seen: u64,
    cells_seen: u64,
}

impl<'a> Core<'a> {
    fn new(context: &'a Context, problem: &'a Problem) -> Self {
        let (pieces, capacity) = (&problem.pieces, problem.capacity);
        let (mut profit, mut weight) = (0, 0);
        let fits = |weight: &mut i64, piece: &Piece| {
            let fits = *weight + piece.weight <= capacity;
            *weight += if fits { piece.weight } else { 0 };
            fits
        };
        let prefix = pieces.iter().take_while(|piece| {
            let fits = fits(&mut weight, piece);
            profit += if fits { piece.profit } else { 0 };
            fits
        });
        let break_piece = prefix.count();
        let greedy = (profit, weight);
        let mut filled = vec![true; break_piece];
        let mut gained = 0;
        for piece in &pieces[break_piece..] {
            let fits = fits(&mut weight, piece);
            gained += if fits { piece.profit } else { 0 };
            filled.push(fits);
        }
        Core {
            context,
            problem,
            completions: Completions::new(pieces, capacity),
            break_piece,
            greedy,
            filled,
            first: break_piece,
            end: break_piece,
            incumbent: Incumbent { profit: gained, capacity, origin: Origin::Greedy, weight },
            list: List::new(greedy.1),
            states: States::List,
            list_states: LIST_STATES,
            states_seen: 0,
            cells_seen: 0,
        }
    }

    fn search(&mut self, monitor: &Monitor, work_limit: u64) -> Result<Option<Ended>> {
        let pieces = self.problem.pieces.len();
        let memory = monitor.memory_bytes();
        let mut checked = 0;
        let mut forward = true;
        if self.root_bound() <= self.incumbent.profit {
            self.drop_states();
        }
        while !self.is_empty() && (self.first > 0 || self.end < pieces) {
            if monitor.should_stop() {
                return Ok(Some(Ended::Stopped));
            }
            forward = self.first == 0 || (forward && self.end < pieces);
            let position = if forward { self.end } else { self.first - 1 };
            let fixed = self.is_fixed(position);
            // The bound counts on it that all pieces from first to end are decided.
            if !fixed && (self.bytes().saturating_add(self.growth()) > memory || self.list.is_full()) {
                return Ok(Some(Ended::TooLarge(TooLarge::Memory)));
            }
            if forward {
                self.end += 1;
            } else {
                self.first -= 1;
            }
            forward = !forward;
            if fixed {
                continue;
            }
            let completion = self.completions.at(self.first, self.end);
            self.step(self.flip(position), &completion)?;
            let work = self.states_seen + self.cells_seen;
            if work - checked >= CHECK_WORK {
                checked = work;
                self.note(monitor);
            }
            if work > work_limit {
                return Ok(Some(Ended::TooLarge(TooLarge::Work)));
            }
        }
        let completion = self.completions.at(self.first, self.end);
        match &mut self.states {
            States::List => (),
            States::Small(window) => window.tidy(&completion, &mut self.incumbent)?,
            States::Large(window) => window.tidy(&completion, &mut self.incumbent)?,
        }
        self.drop_states();
        Ok(None)
    }

    /// What the flip of a piece does: those before the break piece are removed, the others are added.
    fn flip(&self, position: usize) -> Flip {
        let Piece { profit, weight, .. } = self.problem.pieces[position];
        let sign = if position < self.break_piece { -1 } else { 1 };
        Flip { piece: position as u32, weight: sign * weight, profit: sign * profit }
    }

    fn step(&mut self, flip: Flip, completion: &Completion) -> Result<()> {
        match &mut self.states {
            States::List => {
                self.list.step(flip, completion, &mut self.incumbent);
                self.states_seen += self.list.states.len() as u64;
                if self.list.states.len() >= self.list_states && is_dense(&self.list) {
                    self.make_window();
                }
            }
            States::Small(window) => {
                window.step(flip, completion, &mut self.incumbent)?;
                self.cells_seen += window.cells() as u64;
            }
            States::Large(window) => {
                window.step(flip, completion, &mut self.incumbent)?;
                self.cells_seen += window.cells() as u64;
            }
        }
        Ok(())
    }

    /// Turns the list into a table.
    fn make_window(&mut self) {
        let pieces = &self.problem.pieces;
        let slope = pieces.get(self.break_piece).map_or(0, |piece| piece.profit / piece.weight);
        let size =
            |profit: i64, weight: i64| (i128::from(profit) - i128::from(slope) * i128::from(weight)).abs();
        let rest = pieces[..self.first].iter().chain(&pieces[self.end..]);
        let changes: i128 = rest.map(|piece| size(piece.profit, piece.weight)).sum();
        let states = self.list.states.iter().map(|state| size(state.profit, state.weight)).max().unwrap_or(0);
        // Not even then would the products of a window overflow.
        if changes + states > i64::LIMIT.into()
            || i128::from(slope) * i128::from(self.total_weight()) > i64::LIMIT.into()
        {
            return;
        }
        let roots = self.list.states.clone();
        self.states = if changes + states <= i32::LIMIT.into() {
            States::Small(Window::new(self.context, roots, slope))
        } else {
            States::Large(Window::new(self.context, roots, slope))
        };
    }

    fn total_weight(&self) -> i64 {
        self.problem.pieces.iter().map(|piece| piece.weight).sum()
    }

    /// Whether the flip of a piece alone can't lead to a better solution: it costs what the piece's profit is away
    /// from its weight at the break piece's efficiency.
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
            States::List => self.list.states.is_empty(),
            States::Small(window) => window.is_empty(),
            States::Large(window) => window.is_empty(),
        }
    }

    /// There is nothing better than the incumbent.
    fn drop_states(&mut self) {
        self.states = match std::mem::replace(&mut self.states, States::List) {
            States::List => {
                self.list.states.clear();
                States::List
            }
            window => window,
        };
        self.first = 0;
        self.end = self.problem.pieces.len();
    }

    fn bytes(&self) -> u64 {
        let window = match &self.states {
            States::List => 0,
            States::Small(window) => window.bytes(),
            States::Large(window) => window.bytes(),
        };
        self.list.bytes() + window
    }

    /// Bytes that a step may add to those held.
    fn growth(&self) -> u64 {
        match &self.states {
            States::List => self.list.growth(),
            States::Small(window) => window.growth(),
            States::Large(window) => window.growth(),
        }
    }

    fn root_bound(&self) -> i64 {
        self.completions.at(self.break_piece, self.break_piece).bound(self.greedy.1, 0)
    }

    /// The bound of all solutions: what the states may become, or the incumbent.
    fn bound(&self) -> i64 {
        let completion = self.completions.at(self.first, self.end);
        let states = match &self.states {
            States::List => {
                let bounds =
                    self.list.states.iter().map(|state| completion.bound(state.weight, state.profit));
                bounds.max().unwrap_or(i64::MIN)
            }
            States::Small(window) => window.bound(&completion),
            States::Large(window) => window.bound(&completion),
        };
        states.max(self.incumbent.profit).min(self.root_bound().max(self.incumbent.profit))
    }

    /// Tells of the best profit and the bound so far.
    fn note(&self, monitor: &Monitor) {
        let scaled = |profit: i64| (self.greedy.0 + profit) as u64 * self.problem.profit_unit;
        monitor.note(Some(scaled(self.incumbent.profit)), None);
        let decided = (self.end - self.first) as f64 / self.problem.pieces.len().max(1) as f64;
        monitor.report("core", Some(decided));
    }

    fn into_found(self, ended: Option<Ended>) -> Result<Found> {
        let bound = if ended.is_some() { self.bound() } else { self.incumbent.profit };
        let mut taken: Vec<bool> =
            (0..self.problem.pieces.len()).map(|piece| piece < self.break_piece).collect();
        let mut flip = |piece: u32| taken[piece as usize] = !taken[piece as usize];
        let node = match (self.incumbent.origin, &self.states) {
            (Origin::Greedy, _) => {
                taken = self.filled;
                ROOT
            }
            (Origin::List { node }, _) => node,
            (Origin::Window { layers }, States::Small(window)) => {
                window.trace(layers, self.incumbent.weight, &mut flip)
            }
            (Origin::Window { layers }, States::Large(window)) => {
                window.trace(layers, self.incumbent.weight, &mut flip)
            }
            (Origin::Window { .. }, States::List) => {
                return Err(Error::Internal("a knapsack window is gone".into()));
            }
        };
        self.list.trace(node, |piece| taken[piece as usize] = !taken[piece as usize]);
        let profit = self.greedy.0 + self.incumbent.profit;
        Ok(Found { taken, profit, bound: self.greedy.0 + bound, ended })
    }
}

/// Whether a table of the list's weights would be well filled.
fn is_dense(list: &List) -> bool {
    let mut blocks = 0;
    let mut last = i64::MIN;
    for state in &list.states {
        let block = state.weight.div_euclid(BLOCK as i64);
        blocks += usize::from(block != last);
        last = block;
    }
    list.states.len() >= DENSE_STATES * blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knapsack::Instance;
    use crate::knapsack::testing::{best_profits, instances};
    use crate::solve::{Limits, SolveOptions};
    use crate::{ContextOptions, Engine};
    use proptest::prelude::*;

    fn context(threads: usize) -> Context {
        let options =
            ContextOptions { engine: Engine::Cpu, threads: Some(threads), ..ContextOptions::default() };
        Context::new(options).unwrap()
    }

    #[test]
    fn threads_change_nothing() {
        // Strongly correlated items of a few sizes: windows of many stretches and of a million cells.
        let weights: Vec<u64> = (0..300u64).map(|i| 200_000 * (1 + i % 4) + i * i * 7919 % 3001).collect();
        let profits = weights.iter().map(|weight| weight + 10_000).collect();
        let capacity = weights.iter().sum::<u64>() / 2 + 1;
        let problem = Problem::new(&Instance::new(profits, weights, capacity).unwrap());
        let found = |threads| {
            let (context, mut statistics) = (context(threads), Statistics::default());
            let monitor = Monitor::maximising(&SolveOptions::default());
            let core = Core { list_states: 20, ..Core::new(&context, &problem) };
            let found = search(core, &monitor, 1 << 28, &mut statistics).unwrap();
            assert_eq!(problem.profit(&found.taken), found.profit);
            (found.taken, found.profit, found.bound, found.ended, statistics.get("cells"))
        };
        let one = found(1);
        assert!(one.4 > Some(1 << 25), "{:?} cells", one.4);
        assert_eq!(one, found(3));
    }

    proptest! {
        #[test]
        fn lists_and_windows_find_the_optimum(instance in instances(), list_states in prop_oneof![Just(1usize), Just(20)]) {
            let (context, monitor) = (context(2), Monitor::maximising(&SolveOptions::default()));
            let problem = Problem::new(&instance);
            let expected = best_profits(&instance).last().copied();
            for list_states in [list_states, usize::MAX] {
                let core = Core { list_states, ..Core::new(&context, &problem) };
                let found = search(core, &monitor, u64::MAX, &mut Statistics::default()).unwrap();
                prop_assert_eq!(found.ended, None);
                prop_assert_eq!(problem.profit(&found.taken), found.profit);
                prop_assert_eq!(Some(found.profit as u64 * problem.profit_unit), expected);
                prop_assert_eq!(found.bound, found.profit);
                let counts = problem.counts(&found.taken).unwrap();
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
            let limits = Limits { memory: Some(memory), ..Limits::default() };
            let monitor = Monitor::maximising(&SolveOptions { limits, ..SolveOptions::default() });
            let context = context(2);
            let problem = Problem::new(&instance);
            let core = Core { list_states, ..Core::new(&context, &problem) };
            let found = search(core, &monitor, work, &mut Statistics::default()).unwrap();
            let optimum = best_profits(&instance).last().copied().unwrap();
            let scaled = |profit: i64| profit as u64 * problem.profit_unit;
            prop_assert!(scaled(found.profit) <= optimum && optimum <= scaled(found.bound));
            let counts = problem.counts(&found.taken).unwrap();
            prop_assert_eq!(instance.profit_of(&counts).ok(), Some(scaled(found.profit)));
        }
    }
}
