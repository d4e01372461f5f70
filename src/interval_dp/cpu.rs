//! The CPU engine: the upper triangle in tiles, each solved as soon as the tiles to its left and below it are.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering};

use super::blocks::{CpuCell, FunctionTerm, Loops, NoTerm, ProductTerm, SplitTerm, TILE, Tile};
use super::number::Number;
use super::plan::{Plan, Terms};
use super::recovery;
use super::semiring::{CellType, MaxMin, MaxPlus, MinPlus, OrAnd, PlusTimes, Ring, Semiring};
use super::{Request, Values};
use crate::solve::Monitor;
use crate::{Context, Error, Result};

/// Solves the instance in cells of the type asked for; 16 bits become 32.
pub(super) fn solve<V: Number>(
    context: &Context,
    request: &Request<'_, V>,
    cell_type: CellType,
    monitor: &Monitor,
) -> Result<Values<V>> {
    match cell_type {
        CellType::U16 | CellType::I32 => solve_as::<V, i32>(context, request, monitor),
        CellType::I64 => solve_as::<V, i64>(context, request, monitor),
        CellType::F32 => solve_as::<V, f32>(context, request, monitor),
        CellType::F64 => solve_as::<V, f64>(context, request, monitor),
    }
}

fn solve_as<V: Number, C: CpuCell>(
    context: &Context,
    request: &Request<'_, V>,
    monitor: &Monitor,
) -> Result<Values<V>> {
    match request.instance.semiring() {
        Semiring::MinPlus => solve_sums::<V, C, MinPlus>(context, request, monitor),
        Semiring::MaxPlus => solve_sums::<V, C, MaxPlus>(context, request, monitor),
        Semiring::MaxMin => solve_with::<V, C, MaxMin>(context, request, monitor),
        Semiring::OrAnd => solve_with::<V, C, OrAnd>(context, request, monitor),
        Semiring::PlusTimes => solve_with::<V, C, PlusTimes>(context, request, monitor),
    }
}

/// With semirings that may have products as split costs.
fn solve_sums<V: Number, C: CpuCell, R: Ring>(
    context: &Context,
    request: &Request<'_, V>,
    monitor: &Monitor,
) -> Result<Values<V>> {
    let plan = Plan::<V, C>::new(request.instance, TILE);
    let Terms::Product { left, split, right } = &plan.terms else {
        return solve_with::<V, C, R>(context, request, monitor);
    };
    let term = ProductTerm { left, split, right };
    let table = fill::<V, C, R, _>(context, &plan, &term, C::loops::<R, _>(), monitor)?;
    recovery::values::<V, C, R>(&plan, request, |i, j| table.cell(i, j), monitor)
}

/// Without products as split costs.
fn solve_with<V: Number, C: CpuCell, R: Ring>(
    context: &Context,
    request: &Request<'_, V>,
    monitor: &Monitor,
) -> Result<Values<V>> {
    let plan = Plan::<V, C>::new(request.instance, TILE);
    let table = match plan.terms {
        Terms::Function => {
            let function = |i, k, j| plan.term(i, k, j);
            let term = FunctionTerm { function: &function, points: plan.instance.points() };
            fill::<V, C, R, _>(context, &plan, &term, C::slow_loops::<R, _>(), monitor)?
        }
        _ => fill::<V, C, R, _>(context, &plan, &NoTerm, C::loops::<R, _>(), monitor)?,
    };
    recovery::values::<V, C, R>(&plan, request, |i, j| table.cell(i, j), monitor)
}

/// The tiles (p, q), p <= q, of the upper triangle, column by column. Each is written once.
struct Table<C> {
    tiles: Vec<OnceLock<Box<Tile<C>>>>,
}

impl<C: CpuCell> Table<C> {
    fn new(side: usize, monitor: &Monitor) -> Result<Self> {
        let tiles = side as u128 * (side as u128 + 1) / 2;
        let required = tiles * (size_of::<Tile<C>>() + size_of::<OnceLock<Box<Tile<C>>>>()) as u128;
        let limit = monitor.memory_bytes();
        if required > limit.into() {
            let what = format!("a triangle of {tiles} tiles of {TILE} x {TILE} {}", C::TYPE);
            return Err(Error::OutOfMemory { what, required, limit });
        }
        Ok(Table { tiles: (0..tiles as usize).map(|_| OnceLock::new()).collect() })
    }

    fn place(p: usize, q: usize) -> usize {
        q * (q + 1) / 2 + p
    }

    /// A tile that is done.
    fn tile(&self, p: usize, q: usize) -> &Tile<C> {
        self.tiles[Self::place(p, q)].get().expect("a tile is used after it is solved")
    }

    fn cell(&self, i: usize, j: usize) -> C {
        self.tile(i / TILE, j / TILE)[i % TILE * TILE + j % TILE]
    }
}

/// What the tasks share.
struct Job<'a, V, C: CpuCell, S> {
    plan: &'a Plan<'a, V, C>,
    term: &'a S,
    loops: Loops<C, S>,
    table: Table<C>,
    /// How many of the two tiles that come before each tile are still to be solved.
    missing: Vec<AtomicU8>,
    side: usize,
    /// Products of tiles that are done.
    done: AtomicUsize,
    stopped: AtomicBool,
    monitor: &'a Monitor,
}

fn fill<V: Number, C: CpuCell, R: Ring, S: SplitTerm<C>>(
    context: &Context,
    plan: &Plan<'_, V, C>,
    term: &S,
    loops: Loops<C, S>,
    monitor: &Monitor,
) -> Result<Table<C>> {
    let side = plan.padded / TILE;
    let table = Table::new(side, monitor)?;
    let missing = table.tiles.iter().map(|_| AtomicU8::new(2)).collect();
    let (done, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let job = Job { plan, term, loops, table, missing, side, done, stopped, monitor };
    let all = (side * (side + 1) * (side + 2) / 6) as f64;
    let fraction = || Some(job.done.load(Ordering::Relaxed) as f64 / all);
    if side == 1 {
        monitor.check()?;
        job.solve::<R>(0, 0);
    } else {
        context.install_reporting(monitor, "interval", fraction, || {
            rayon::scope(|scope| {
                for p in 0..side {
                    let job = &job;
                    scope.spawn(move |scope| job.run::<R>(scope, p, p));
                }
            });
        })?;
    }
    match job.stopped.load(Ordering::Relaxed) {
        true => Err(Error::Stopped),
        false => Ok(job.table),
    }
}

impl<'a, V: Number, C: CpuCell, S: SplitTerm<C>> Job<'a, V, C, S> {
    /// Solves a tile and starts those that waited for it alone.
    fn run<'s, R: Ring>(&'s self, scope: &rayon::Scope<'s>, p: usize, q: usize) {
        if self.stopped.load(Ordering::Relaxed) {
            return;
        }
        if self.monitor.should_stop() || !self.solve::<R>(p, q) {
            self.stopped.store(true, Ordering::Relaxed);
            return;
        }
        let above = p.checked_sub(1).map(|above| (above, q));
        let right = (q + 1 < self.side).then_some((p, q + 1));
        for (p, q) in [above, right].into_iter().flatten() {
            if self.missing[Table::<C>::place(p, q)].fetch_sub(1, Ordering::AcqRel) == 1 {
                scope.spawn(move |scope| self.run::<R>(scope, p, q));
            }
        }
    }

    /// Solves a tile; whether it came to the end.
    fn solve<R: Ring>(&self, p: usize, q: usize) -> bool {
        let mut to = filled(R::zero::<C>());
        let (row, column) = (p * TILE, q * TILE);
        for r in p + 1..q {
            let (left, below) = (self.table.tile(p, r), self.table.tile(r, q));
            self.loops.product(&mut to, left, below, self.term, [row, r * TILE, column]);
            if self.monitor.should_stop() {
                return false;
            }
        }
        let weights = self.weights::<R>(p, q);
        if p == q {
            self.loops.diagonal::<R>(&mut to, &weights, self.term, row);
        } else {
            let (left, below) = (self.table.tile(p, p), self.table.tile(q, q));
            self.loops.fringe(&mut to, left, below, &weights, self.term, [row, column]);
        }
        self.done.fetch_add(q - p + 1, Ordering::Relaxed);
        // Every tile is solved once.
        let _ = self.table.tiles[Table::<C>::place(p, q)].set(to);
        true
    }

    fn weights<R: Ring>(&self, p: usize, q: usize) -> Box<Tile<C>> {
        let mut weights = filled(R::one::<C>());
        for (row, line) in weights.chunks_exact_mut(TILE).enumerate() {
            let i = p * TILE + row;
            for (column, weight) in line.iter_mut().enumerate() {
                let j = q * TILE + column;
                if i < j {
                    *weight = self.plan.weight::<R>(i, j);
                }
            }
        }
        weights
    }
}

fn filled<C: CpuCell>(value: C) -> Box<Tile<C>> {
    vec![value; TILE * TILE].into_boxed_slice().try_into().expect("it has that length")
}
