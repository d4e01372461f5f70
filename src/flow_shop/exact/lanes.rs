//! One-machine bounds of all children of a node at both ends, in O(m) vector operations with one
//! lane per job.
//!
//! With s(1) = f(1), s(i) = max(s(i-1) + p(i-1,j), f(i)), the bound of the child that fixes job j
//! at the front is the largest s(i) + r(i) + b(i); that of the child at the back is its mirror
//! image. f, r and b are the node's front, remaining and back times, and p the processing times.
#![allow(unsafe_code)]

use super::node::{State, bits};
use crate::flow_shop::Instance;
use crate::simd::{HotLoop, Simd};

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

/// Bounds of the children at both ends, by job. Values of jobs that are not free are meaningless.
#[derive(Debug, Default)]
pub(super) struct Children {
    pub(super) front: Bounds,
    pub(super) back: Bounds,
    rows: Rows,
}

/// Bounds of the children at one end.
#[derive(Debug, Default)]
pub(super) struct Bounds {
    pub(super) values: Vec<u32>,
    /// One bit for each free job whose bound is below the limit.
    pub(super) open: Vec<u32>,
    /// Number of free jobs whose bound is not below the branching limit.
    pub(super) closed: u32,
}

/// Values that all lanes share, by machine.
#[derive(Debug, Default)]
struct Rows {
    front: Vec<u32>,
    /// Sums of remaining time and tail.
    after_front: Vec<u32>,
    back: Vec<u32>,
    /// Sums of remaining time and head.
    before_back: Vec<u32>,
}

/// The limit for open children, and the branching limit for the choice of the end.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) open: u32,
    pub(super) branching: u32,
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
    pub(super) fn bound(&self, state: &State, limits: Limits, children: &mut Children) {
        let lanes = state.free.len() * LANES;
        for bounds in [&mut children.front, &mut children.back] {
            bounds.values.resize(lanes, 0);
            bounds.open.resize(state.free.len(), 0);
            bounds.closed = 0;
        }
        match &self.times {
            #[cfg(target_arch = "x86_64")]
            Times::Narrow(times) if self.simd == Simd::Avx512 => {
                // SAFETY: the processor has AVX-512 with BW and VL.
                unsafe { avx512::bound(times, self.machines, state, limits, children) }
            }
            Times::Narrow(times) => {
                self.simd.run(Chains { times, machines: self.machines, state, limits, children });
            }
            Times::Wide(times) => {
                self.simd.run(Chains { times, machines: self.machines, state, limits, children });
            }
        }
    }
}

/// Bounds all children of a node by plain loops over lanes.
struct Chains<'a, T> {
    times: &'a [[T; LANES]],
    machines: usize,
    state: &'a State,
    limits: Limits,
    children: &'a mut Children,
}

impl<T: Lane> HotLoop for Chains<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Chains { times, machines, state, limits, children } = self;
        children.rows.fill(state, false);
        for (block, times) in times.chunks_exact(machines).enumerate() {
            if state.free[block] == 0 {
                children.close(block);
                continue;
            }
            let rows = &children.rows;
            let forward = times.iter().zip(rows.front.iter().zip(&rows.after_front));
            let front = chain(forward);
            let backward = times.iter().zip(rows.back.iter().zip(&rows.before_back)).rev();
            let back = chain(backward);
            children.front.take(block, front.map(T::get), state.free[block], limits);
            children.back.take(block, back.map(T::get), state.free[block], limits);
        }
    }
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

/// Computes the bounds of one block at one end. The machines come in the order in which the end's
/// jobs pass them; each has the time at which it becomes free and the time that must follow.
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

impl Children {
    /// Whether every child is closed at both ends.
    pub(super) fn are_closed(&self) -> bool {
        self.front.open.iter().chain(&self.back.open).all(|&word| word == 0)
    }

    fn close(&mut self, block: usize) {
        self.front.open[block] = 0;
        self.back.open[block] = 0;
    }
}

impl Bounds {
    /// The jobs of the open children.
    pub(super) fn open_jobs(&self) -> impl Iterator<Item = u32> + '_ {
        bits(&self.open)
    }

    /// Replaces the bounds by those of the given children, each with its job. `words` is the length
    /// of the bit set of open jobs.
    pub(super) fn replace(
        &mut self,
        words: usize,
        children: impl Iterator<Item = (u32, u32)>,
        limits: Limits,
    ) {
        self.values.resize(words * LANES, 0);
        self.open.clear();
        self.open.resize(words, 0);
        self.closed = 0;
        for (job, bound) in children {
            self.values[job as usize] = bound;
            self.open[job as usize / 32] |= u32::from(bound < limits.open) << (job % 32);
            self.closed += u32::from(bound >= limits.branching);
        }
    }

    #[inline(always)]
    fn take(&mut self, block: usize, values: [u32; LANES], free: u32, limits: Limits) {
        self.values[block * LANES..][..LANES].copy_from_slice(&values);
        let below = |limit: u32| {
            (0..LANES).fold(0, |mask, lane| mask | u32::from(values[lane] < limit) << lane)
        };
        self.open[block] = below(limits.open) & free;
        self.closed += (free & !below(limits.branching)).count_ones();
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi16, _mm512_castsi512_si256, _mm512_cmplt_epu16_mask,
        _mm512_cvtepu16_epi32, _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_max_epu16,
        _mm512_set1_epi16, _mm512_set1_epi32, _mm512_setzero_si512, _mm512_storeu_si512,
    };

    use super::{Bounds, Children, LANES, Limits, State};

    /// Bounds all children of a node.
    #[target_feature(enable = "avx512bw,avx512vl")]
    pub(super) fn bound(
        times: &[[u16; LANES]],
        machines: usize,
        state: &State,
        limits: Limits,
        children: &mut Children,
    ) {
        children.rows.fill(state, true);
        for (block, times) in times.chunks_exact(machines).enumerate() {
            match state.free[block] {
                0 => children.close(block),
                free => bound_block(times, block, free, limits, children),
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
        children: &mut Children,
    ) {
        let zero = _mm512_setzero_si512();
        let [mut arrival, mut front, mut departure, mut back] = [zero; 4];
        let rows = &children.rows;
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

    #[target_feature(enable = "avx512bw,avx512vl")]
    fn load(times: &[u16; LANES]) -> __m512i {
        // SAFETY: 32 lanes of 16 bits.
        unsafe { _mm512_loadu_si512(times.as_ptr().cast()) }
    }

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
