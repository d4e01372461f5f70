//! Hu and Shing's O(n log n) algorithm for matrix chains (SIAM J. Comput. 11, 1982 and 13, 1984).
//!
//! A chain is the triangulation of a polygon with the dimensions at its vertices. One sweep finds
//! all arcs that may divide an optimal triangulation, the *potential h-arcs*: at most n - 3, and no
//! two cross. Every region between an arc and the arcs kept below it is a fan from the region's
//! smallest vertex. Arcs are decided from the innermost out: an arc is removed if the fan above it
//! is cheaper without it. The decision compares its *support weight*, the cost of the fan divided
//! by the difference of the products of the region's edges. Support weights are compared exactly.

use super::instance::{Instance, SplitCost};
use super::number::Number;
use super::semiring::Semiring;
use super::tree::Tree;
use crate::memory::{Gather, Grow};
use crate::solve::Monitor;
use crate::{Error, Result, memory};

/// The factors, if triangles cost the product of three positive whole numbers and nothing else has
/// a cost.
pub(super) fn factors<V: Number>(instance: &Instance<V>) -> Option<&[V]> {
    let zero = V::default();
    let SplitCost::Product { left, split, right } = instance.split_cost() else { return None };
    (instance.semiring() == Semiring::MinPlus
        && left == split
        && split == right
        && !instance.has_weights()
        && split.iter().all(|&factor| factor > zero && factor.is_whole())
        && instance.leaves().iter().all(|&leaf| leaf == zero))
    .then_some(split)
}

/// The least cost and its tree.
pub(super) fn solve(factors: &[i64], monitor: &Monitor) -> Result<(i64, Tree)> {
    let points = factors.len();
    monitor.check()?;
    if points == 2 {
        return Ok((0, Tree::new(2, &[])?));
    }
    let required = (points * POINT_BYTES) as u128;
    monitor.check_memory(required, || format!("Hu and Shing's algorithm for {points} points"))?;
    let mut watch = Watch { monitor, done: 0, all: PHASES * points };
    let polygon = Polygon::new(factors)?;
    let arcs = polygon.potential_arcs(&mut watch)?;
    let mut search = Search::new(&polygon, arcs)?;
    search.run(&mut watch)?;
    let value = search.value()?;
    let mut cells = memory::filled((0, 0), points - 2)?;
    search.triangles(&mut watch, |triangle| {
        let mut points = triangle.map(|vertex| polygon.point(vertex));
        points.sort_unstable();
        let [first, split, last] = points;
        cells[split as usize - 1] = (first, last);
    })?;
    Ok((value, Tree::new(points, &cells)?))
}

/// Bytes for each point: an arc and about 72 bytes of lists for arcs and tree.
const POINT_BYTES: usize = size_of::<Arc>() + 72;
/// Most steps for each point: sweep it, decide on its arc, take the arc off a heap, and triangulate
/// its fan.
const PHASES: usize = 4;
/// Steps between two checks for stops, some milliseconds.
const STEPS: usize = 1 << 13;

/// Checks for stops at intervals and reports the progress of the search.
struct Watch<'a> {
    monitor: &'a Monitor,
    done: usize,
    all: usize,
}

impl Watch<'_> {
    #[inline]
    fn step(&mut self) -> Result<()> {
        self.done += 1;
        if self.done.is_multiple_of(STEPS) {
            self.monitor.report("hu-shing", Some((self.done as f64 / self.all as f64).min(1.0)));
            self.monitor.check()?;
        }
        Ok(())
    }
}

/// The error for costs beyond 63 bits.
fn overflow() -> Box<Error> {
    Error::overflow("the cost of a part of the chain")
}

/// The polygon, rotated so that vertex 0 is the smallest; it is also the last one, vertex n.
struct Polygon {
    weights: Vec<i64>,
    /// Sums of products of neighbours, over the sides before each vertex.
    sides: Vec<i64>,
    start: usize,
}

impl Polygon {
    fn new(factors: &[i64]) -> Result<Self> {
        let start = (0..factors.len()).min_by_key(|&index| factors[index]).unwrap_or(0);
        let mut weights = memory::list(factors.len() + 1)?;
        weights.extend_from_slice(&factors[start..]);
        weights.extend_from_slice(&factors[..=start]);
        let mut sides = memory::list(weights.len())?;
        let mut sum = 0i64;
        sides.push(sum);
        for pair in weights.windows(2) {
            sum = pair[0]
                .checked_mul(pair[1])
                .and_then(|side| sum.checked_add(side))
                .ok_or_else(overflow)?;
            sides.push(sum);
        }
        Ok(Polygon { weights, sides, start })
    }

    /// Number of vertices, which is also the second number of vertex 0.
    fn len(&self) -> usize {
        self.weights.len() - 1
    }

    /// The instance's point of a vertex.
    #[inline]
    fn point(&self, vertex: u32) -> u32 {
        ((vertex as usize + self.start) % self.len()) as u32
    }

    #[inline]
    fn product(&self, a: u32, b: u32) -> i64 {
        self.weights[a as usize] * self.weights[b as usize]
    }

    /// The one-sweep algorithm: returns all potential h-arcs, inner ones first; the last one is the
    /// whole polygon. Of equal weights the earlier counts as smaller.
    fn potential_arcs(&self, watch: &mut Watch<'_>) -> Result<Vec<(u32, u32)>> {
        let mut arcs = memory::list(self.len())?;
        let mut open: Vec<u32> = Vec::new();
        for vertex in 1..self.len() as u32 {
            watch.step()?;
            while open
                .last()
                .is_some_and(|&last| self.weights[last as usize] > self.weights[vertex as usize])
            {
                open.pop();
                arcs.try_extend(open.last().map(|&before| (before, vertex)))?;
            }
            open.try_push(vertex)?;
        }
        arcs.try_push((0, self.len() as u32))?;
        Ok(arcs)
    }
}

/// No arc.
const NONE: u32 = u32::MAX;

#[derive(Clone)]
struct Arc {
    first: u32,
    last: u32,
    /// Cost of the fan and of the regions condensed into it.
    cost: i64,
    /// Sum of products over the region's upper edges, minus the product of the arc. The support
    /// weight is `cost / edges`.
    edges: i64,
    /// The next kept arc inside this one that has the same first point, or last point.
    inner_at_first: u32,
    inner_at_last: u32,
    /// Children and rank in a leftist heap by support weight, largest on top.
    heap: [u32; 2],
    rank: u32,
    fate: Fate,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    GivenUp,
    /// Kept or given up together with a later arc.
    With(u32),
}

struct Search<'a> {
    polygon: &'a Polygon,
    arcs: Vec<Arc>,
    /// The outermost kept arc so far that begins, or ends, at each vertex.
    at_first: Vec<u32>,
    at_last: Vec<u32>,
    /// Heap of the arcs that are kept in the whole polygon.
    root: u32,
}

impl<'a> Search<'a> {
    fn new(polygon: &'a Polygon, arcs: Vec<(u32, u32)>) -> Result<Self> {
        let arc = |(first, last)| Arc {
            first,
            last,
            cost: 0,
            edges: 0,
            inner_at_first: NONE,
            inner_at_last: NONE,
            heap: [NONE; 2],
            rank: 1,
            fate: Fate::Kept,
        };
        let none = memory::filled(NONE, polygon.len() + 1)?;
        let arcs = arcs.into_iter().map(arc).gather()?;
        Ok(Search { polygon, arcs, at_first: memory::copied(&none)?, at_last: none, root: NONE })
    }

    /// Decides on all arcs from the innermost out.
    fn run(&mut self, watch: &mut Watch<'_>) -> Result<()> {
        // The outermost arcs so far, each with the heap of the arcs kept in it.
        let mut open: Vec<(u32, u32)> = Vec::new();
        for index in 0..self.arcs.len() as u32 {
            watch.step()?;
            let Arc { first, last, .. } = self.arcs[index as usize];
            let mut edges = self.base(index);
            let mut heap = NONE;
            while let Some(&(inner, kept)) = open.last()
                && self.arcs[inner as usize].first >= first
            {
                open.pop();
                edges -= self.base(inner);
                heap = self.meld(heap, kept);
            }
            self.arcs[index as usize].edges = edges;
            heap = self.decide(index, heap, watch)?;
            let arc = &mut self.arcs[index as usize];
            arc.inner_at_first = self.at_first[first as usize];
            arc.inner_at_last = self.at_last[last as usize];
            self.at_first[first as usize] = index;
            self.at_last[last as usize] = index;
            heap = self.meld(heap, index);
            open.try_push((index, heap))?;
        }
        self.root = open.pop().map_or(NONE, |(_, heap)| heap);
        Ok(())
    }

    /// Computes the fan of an arc over the arcs kept inside it. Removes those without which it is
    /// cheaper, and condenses those that must share its fate. Returns the heap of the others.
    fn decide(&mut self, index: u32, mut heap: u32, watch: &mut Watch<'_>) -> Result<u32> {
        let smallest = i128::from(self.polygon.weights[self.low(index) as usize]);
        self.arcs[index as usize].cost = self.fan(index)?;
        while heap != NONE {
            let top = &self.arcs[heap as usize];
            if i128::from(top.cost) < smallest * i128::from(top.edges) {
                break;
            }
            let edges = top.edges;
            watch.step()?;
            heap = self.take(heap, Fate::GivenUp);
            self.arcs[index as usize].edges += edges;
            self.arcs[index as usize].cost = self.fan(index)?;
        }
        while heap != NONE && !self.supports_more(index, heap) {
            let Arc { cost, edges, .. } = self.arcs[heap as usize];
            watch.step()?;
            heap = self.take(heap, Fate::With(index));
            let arc = &mut self.arcs[index as usize];
            arc.edges += edges;
            arc.cost = arc.cost.checked_add(cost).ok_or_else(overflow)?;
        }
        Ok(heap)
    }

    /// Whether the support weight of `a` is larger than that of `b`.
    #[inline]
    fn supports_more(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.arcs[a as usize], &self.arcs[b as usize]);
        i128::from(a.cost) * i128::from(b.edges) > i128::from(b.cost) * i128::from(a.edges)
    }

    /// Removes the top of a heap.
    fn take(&mut self, top: u32, fate: Fate) -> u32 {
        let arc = &mut self.arcs[top as usize];
        arc.fate = fate;
        let ([left, right], first, last) = (arc.heap, arc.first as usize, arc.last as usize);
        let (inner_at_first, inner_at_last) = (arc.inner_at_first, arc.inner_at_last);
        // Outer arcs have larger support weights than those inside, so they are taken first.
        self.at_first[first] = inner_at_first;
        self.at_last[last] = inner_at_last;
        self.meld(left, right)
    }

    fn meld(&mut self, a: u32, b: u32) -> u32 {
        if a == NONE || b == NONE {
            return if a == NONE { b } else { a };
        }
        let (top, other) = if self.supports_more(b, a) { (b, a) } else { (a, b) };
        let [left, right] = self.arcs[top as usize].heap;
        let right = self.meld(right, other);
        let rank = |index: u32| if index == NONE { 0 } else { self.arcs[index as usize].rank };
        let (left_rank, right_rank) = (rank(left), rank(right));
        let arc = &mut self.arcs[top as usize];
        arc.heap = if left_rank < right_rank { [right, left] } else { [left, right] };
        arc.rank = left_rank.min(right_rank) + 1;
        top
    }

    /// The arc's smaller end.
    #[inline]
    fn low(&self, index: u32) -> u32 {
        let Arc { first, last, .. } = self.arcs[index as usize];
        let weights = &self.polygon.weights;
        if weights[first as usize] <= weights[last as usize] { first } else { last }
    }

    /// Sum of products over the sides under the arc, minus the product of the arc.
    #[inline]
    fn base(&self, index: u32) -> i64 {
        let Arc { first, last, .. } = self.arcs[index as usize];
        let sides = &self.polygon.sides;
        sides[last as usize] - sides[first as usize] - self.polygon.product(first, last)
    }

    /// Cost of the fan from the arc's smaller end over the region's upper edges that do not meet
    /// that end.
    fn fan(&self, index: u32) -> Result<i64> {
        let Arc { first, last, edges, .. } = self.arcs[index as usize];
        let polygon = self.polygon;
        let low = self.low(index);
        let meeting = if last as usize == polygon.len() {
            polygon.product(0, 1) + polygon.product(last - 1, last)
        } else if low == first {
            match self.at_first[first as usize] {
                NONE => polygon.product(first, first + 1),
                inner => polygon.product(first, self.arcs[inner as usize].last),
            }
        } else {
            match self.at_last[last as usize] {
                NONE => polygon.product(last - 1, last),
                inner => polygon.product(self.arcs[inner as usize].first, last),
            }
        };
        // Products of the edges above the arc, at most those of the sides below the edges: no
        // overflow.
        let products = edges + polygon.product(first, last) - meeting;
        polygon.weights[low as usize].checked_mul(products).ok_or_else(overflow)
    }

    /// Sum of the costs of all fans.
    fn value(&self) -> Result<i64> {
        let mut open = vec![self.root];
        let mut sum = 0i64;
        while let Some(index) = open.pop() {
            if index != NONE {
                let arc = &self.arcs[index as usize];
                sum = sum.checked_add(arc.cost).ok_or_else(overflow)?;
                open.try_extend(arc.heap)?;
            }
        }
        Ok(sum)
    }

    /// Calls `triangle` for all triangles of the fans.
    fn triangles(&self, watch: &mut Watch<'_>, mut triangle: impl FnMut([u32; 3])) -> Result<()> {
        let mut kept = memory::filled(true, self.arcs.len())?;
        for (index, arc) in self.arcs.iter().enumerate().rev() {
            kept[index] = match arc.fate {
                Fate::Kept => true,
                Fate::GivenUp => false,
                Fate::With(other) => kept[other as usize],
            };
        }
        // The vertices that no arc covers so far.
        let mut open: Vec<u32> = Vec::new();
        let mut next = 0;
        for (index, arc) in (0..).zip(&self.arcs).filter(|&(index, _)| kept[index as usize]) {
            open.try_extend(next..=arc.last)?;
            next = arc.last + 1;
            let begin = open.iter().rposition(|&vertex| vertex == arc.first).unwrap_or(0);
            let upper = &open[begin..];
            let low = self.low(index);
            for edge in upper.windows(2) {
                watch.step()?;
                // The whole polygon's first and last vertex are the same.
                let meets = edge.contains(&arc.first) && low == arc.first
                    || edge.contains(&arc.last)
                        && (low == arc.last || arc.last as usize == self.polygon.len());
                if !meets {
                    triangle([low, edge[0], edge[1]]);
                }
            }
            open.truncate(begin + 1);
            open.try_push(arc.last)?;
        }
        Ok(())
    }
}
