//! One-machine bounds of all children of a node at both ends, in O(m) vector operations with one
//! lane per job.
//!
//! With s(1) = f(1), s(i) = max(s(i-1) + p(i-1,j), f(i)), the bound of the child that fixes job j
//! at the front is the largest s(i) + r(i) + b(i); that of the child at the back is its mirror
//! image. f, r and b are the node's front, remaining and back times, and p the processing times.
#![allow(unsafe_code)]

use super::state::State;
use crate::flow_shop::Instance;
use crate::flow_shop::exact::children::{Bounds, Children, Limits};
use crate::flow_shop::exact::node::Node;
use crate::simd::{self, HotLoop, Simd};

/// Jobs that are bounded at once: the widest vector of 16-bit values.
const LANES: usize = 32;

/// The processing times in blocks of jobs, for vector loads.
pub(super) struct Lanes {
    times: Times,
    machines: usize,
    simd: Simd,
}

/// Blocks of [`LANES`] jobs, each with all machines. Places after the last job hold 0.
enum Times {
    /// All bounds of the instance fit in 16 bits.
    Narrow(Vec<[u16; LANES]>),
    Wide(Vec<[u32; LANES]>),
}

/// Values that all lanes share, by machine.
#[derive(Debug, Default)]
pub(super) struct Rows {
    front: Vec<u32>,
    /// Sums of remaining time and tail.
    after_front: Vec<u32>,
    back: Vec<u32>,
    /// Sums of remaining time and head.
    before_back: Vec<u32>,
}

impl Lanes {
    pub(super) fn new(instance: &Instance) -> Self {
        let times = match instance.horizon() < u32::from(u16::MAX) {
            true => Times::Narrow(blocks(instance, |time| time as u16)),
            false => Times::Wide(blocks(instance, |time| time)),
        };
        Lanes { times, machines: instance.machines(), simd: Simd::detect() }
    }

    /// Bounds all children of a node.
    pub(super) fn bound(
        &self,
        node: &Node<State>,
        limits: Limits,
        rows: &mut Rows,
        children: &mut Children,
    ) {
        let lanes = node.free.len() * LANES;
        for bounds in [&mut children.front, &mut children.back] {
            bounds.values.resize(lanes, 0);
            bounds.open.resize(node.free.len(), 0);
            bounds.closed = 0;
        }
        match &self.times {
            #[cfg(target_arch = "x86_64")]
            Times::Narrow(times) if self.simd == Simd::Avx512 => {
                // SAFETY: the processor has AVX-512 with BW and VL.
                unsafe { avx512::bound(times, self.machines, node, limits, rows, children) }
            }
            Times::Narrow(times) => {
                let machines = self.machines;
                self.simd.run(Chains { times, machines, node, limits, rows, children });
            }
            Times::Wide(times) => {
                let machines = self.machines;
                self.simd.run(Chains { times, machines, node, limits, rows, children });
            }
        }
    }
}

/// Bounds all children of a node by plain loops over lanes.
struct Chains<'a, T> {
    times: &'a [[T; LANES]],
    machines: usize,
    node: &'a Node<State>,
    limits: Limits,
    rows: &'a mut Rows,
    children: &'a mut Children,
}

impl<T: Lane> HotLoop for Chains<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Chains { times, machines, node, limits, rows, children } = self;
        rows.fill(&node.state, false);
        for (block, times) in times.chunks_exact(machines).enumerate() {
            let free = node.free[block];
            if free == 0 {
                children.close(block);
                continue;
            }
            let forward = times.iter().zip(rows.front.iter().zip(&rows.after_front));
            let front = chain(forward);
            let backward = times.iter().zip(rows.back.iter().zip(&rows.before_back)).rev();
            let back = chain(backward);
            take(&mut children.front, block, simd::array(|lane| front[lane].get()), free, limits);
            take(&mut children.back, block, simd::array(|lane| back[lane].get()), free, limits);
        }
    }
}

#[inline(always)]
fn take(bounds: &mut Bounds, block: usize, values: [u32; LANES], free: u32, limits: Limits) {
    bounds.values[block * LANES..][..LANES].copy_from_slice(&values);
    let below = |limit: u32| {
        (0..LANES).fold(0, |mask, lane| mask | u32::from(values[lane] < limit) << lane)
    };
    bounds.open[block] = below(limits.open) & free;
    bounds.closed += (free & !below(limits.branching)).count_ones();
}

fn blocks<T: Copy + Default>(instance: &Instance, convert: impl Fn(u32) -> T) -> Vec<[T; LANES]> {
    let mut blocks = Vec::with_capacity(instance.jobs().div_ceil(LANES) * instance.machines());
    for first in (0..instance.jobs()).step_by(LANES) {
        for machine in 0..instance.machines() {
            blocks.push(std::array::from_fn(|lane| match first + lane {
                job if job < instance.jobs() => convert(instance.job(job as u32)[machine]),
                _ => T::default(),
            }));
        }
    }
    blocks
}

/// A lane of a vector. Sums wrap, but only for jobs that are not free.
trait Lane: Copy + Ord + Default {
    fn of(value: u32) -> Self;
    fn plus(self, other: Self) -> Self;
    fn get(self) -> u32;
}

impl Lane for u16 {
    #[inline(always)]
    fn of(value: u32) -> Self {
        value as u16
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn get(self) -> u32 {
        self.into()
    }
}

impl Lane for u32 {
    #[inline(always)]
    fn of(value: u32) -> Self {
        value
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn get(self) -> u32 {
        self
    }
}

/// Computes the bounds of one block at one end. The machines are in the order in which the end's
/// jobs pass them. Each has two times: when it becomes free, and how long the work after it takes.
#[inline(always)]
fn chain<'a, T: Lane + 'a>(
    machines: impl Iterator<Item = (&'a [T; LANES], (&'a u32, &'a u32))>,
) -> [T; LANES] {
    let mut arrival = [T::default(); LANES];
    let mut bound = [T::default(); LANES];
    for (times, (&free, &beyond)) in machines {
        let (free, beyond) = (T::of(free), T::of(beyond));
        for lane in 0..LANES {
            let start = arrival[lane].max(free);
            bound[lane] = bound[lane].max(start.plus(beyond));
            arrival[lane] = start.plus(times[lane]);
        }
    }
    bound
}

impl Rows {
    /// With `twice`, both halves of a word hold the 16-bit value: broadcasting 32 bits to a vector
    /// is faster than broadcasting 16.
    #[inline(always)]
    fn fill(&mut self, state: &State, twice: bool) {
        let shift = if twice { 16 } else { 0 };
        let machines = state.front.len();
        for row in [&mut self.front, &mut self.after_front, &mut self.back, &mut self.before_back] {
            row.resize(machines, 0);
        }
        let times = state.front.iter().zip(&state.back).zip(&state.remaining);
        let fronts = self.front.iter_mut().zip(&mut self.after_front);
        let backs = self.back.iter_mut().zip(&mut self.before_back);
        for (((&front, &back), &remaining), ((f, after), (b, before))) in
            times.zip(fronts.zip(backs))
        {
            *f = front | front << shift;
            *after = (remaining + back) | (remaining + back) << shift;
            *b = back | back << shift;
            *before = (remaining + front) | (remaining + front) << shift;
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi16, _mm512_castsi512_si256, _mm512_cmplt_epu16_mask,
        _mm512_cvtepu16_epi32, _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_max_epu16,
        _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_storeu_si512,
    };

    use super::{Bounds, Children, LANES, Limits, Node, Rows, State};

    /// Bounds all children of a node.
    #[target_feature(enable = "avx512bw,avx512vl")]
    pub(super) fn bound(
        times: &[[u16; LANES]],
        machines: usize,
        node: &Node<State>,
        limits: Limits,
        rows: &mut Rows,
        children: &mut Children,
    ) {
        rows.fill(&node.state, true);
        for (block, times) in times.chunks_exact(machines).enumerate() {
            match node.free[block] {
                0 => children.close(block),
                free => bound_block(times, block, free, limits, rows, children),
            }
        }
    }

    /// Computes both chains of one block interleaved: a single chain would wait for its own
    /// results.
    #[target_feature(enable = "avx512bw,avx512vl")]
    fn bound_block(
        times: &[[u16; LANES]],
        block: usize,
        free: u32,
        limits: Limits,
        rows: &Rows,
        children: &mut Children,
    ) {
        let zero = _mm512_setzero_si512();
        let [mut arrival, mut front, mut departure, mut back] = [zero; 4];
        let forward = times.iter().zip(rows.front.iter().zip(&rows.after_front));
        let backward = times.iter().zip(rows.back.iter().zip(&rows.before_back)).rev();
        for ((first, (&free_from, &beyond)), (last, (&busy_after, &before))) in
            forward.zip(backward)
        {
            let start = _mm512_max_epu16(arrival, _mm512_set1_epi32(free_from as i32));
            front =
                _mm512_max_epu16(front, _mm512_add_epi16(start, _mm512_set1_epi32(beyond as i32)));
            arrival = _mm512_add_epi16(start, load(first));
            let end = _mm512_max_epu16(departure, _mm512_set1_epi32(busy_after as i32));
            back = _mm512_max_epu16(back, _mm512_add_epi16(end, _mm512_set1_epi32(before as i32)));
            departure = _mm512_add_epi16(end, load(last));
        }
        take(&mut children.front, block, front, free, limits);
        take(&mut children.back, block, back, free, limits);
    }

    #[inline]
    #[target_feature(enable = "avx512bw,avx512vl")]
    fn load(times: &[u16; LANES]) -> __m512i {
        // SAFETY: 32 lanes of 16 bits.
        unsafe { _mm512_loadu_si512(times.as_ptr().cast()) }
    }

    #[inline]
    #[target_feature(enable = "avx512bw,avx512vl")]
    fn take(bounds: &mut Bounds, block: usize, values: __m512i, free: u32, limits: Limits) {
        // Free jobs have bounds below the largest 16-bit number.
        let narrow = |limit: u32| _mm512_set1_epi16(limit.min(u16::MAX.into()) as i16);
        bounds.open[block] = _mm512_cmplt_epu16_mask(values, narrow(limits.open)) & free;
        let below = _mm512_cmplt_epu16_mask(values, narrow(limits.branching));
        bounds.closed += (free & !below).count_ones();
        let target = &mut bounds.values[block * LANES..][..LANES];
        let low = _mm512_cvtepu16_epi32(_mm512_castsi512_si256(values));
        let high = _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64::<1>(values));
        let (first, second) = target.split_at_mut(LANES / 2);
        // SAFETY: 16 lanes of 32 bits.
        unsafe { _mm512_storeu_si512(first.as_mut_ptr().cast(), low) };
        // SAFETY: as above.
        unsafe { _mm512_storeu_si512(second.as_mut_ptr().cast(), high) };
    }
}
