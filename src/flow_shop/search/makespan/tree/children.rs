//! Computes all children of a node at once, with jobs in vector lanes.

use super::Shop;
use super::guide::Shares;
use super::node::{Node, Term};
use crate::flow_shop::end::End;
use crate::simd::{HotLoop, Simd};

/// 32-bit lanes computed together.
const LANES: usize = 16;

/// The times of adjacent jobs on a machine, in one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Times([u32; LANES]);

/// The times in the order in which lanes read them.
pub(super) struct Lanes {
    simd: Simd,
    shares: Shares,
    machines: usize,
    /// Number of jobs, rounded up to full vectors.
    stride: usize,
    /// For each vector of jobs, the times on all machines.
    times: Vec<Times>,
}

/// Bounds and idle times of a node's children, by job. Entries of jobs that are already placed are
/// meaningless.
#[derive(Default)]
pub(in crate::flow_shop::search) struct Children {
    /// One-machine bounds for both sides.
    pub(super) bounds: [Vec<u32>; 2],
    /// Idle times for one side.
    pub(super) idle: Vec<u32>,
}

impl Lanes {
    pub(super) fn new(shop: &Shop) -> Self {
        let stride = shop.jobs().next_multiple_of(LANES);
        let machines = shop.machines();
        let mut times = vec![Times([0; LANES]); stride / LANES * machines];
        for (job, of_job) in shop.times().chunks_exact(machines).enumerate() {
            for (times, &time) in times[job / LANES * machines..].iter_mut().zip(of_job) {
                times.0[job % LANES] = time;
            }
        }
        Lanes { simd: Simd::detect(), shares: Shares::of(shop), machines, stride, times }
    }

    /// Computes the bounds for both sides.
    pub(super) fn bound(&self, node: &Node<'_>, children: &mut Children) {
        for (side, bounds) in End::BOTH.into_iter().zip(&mut children.bounds) {
            bounds.resize(self.stride, 0);
            self.simd.run(Bounds { lanes: self, terms: node.terms(side), bounds });
        }
    }

    /// Computes the idle times for one side.
    pub(super) fn idle(&self, node: &Node<'_>, side: End, children: &mut Children) {
        children.idle.resize(self.stride, 0);
        self.simd.run(Idle { lanes: self, terms: node.terms(side), idle: &mut children.idle });
    }

    /// The times of a vector of jobs on all machines.
    #[inline(always)]
    fn times(&self, chunk: usize) -> &[Times] {
        &self.times[chunk * self.machines..][..self.machines]
    }
}

struct Bounds<'a> {
    lanes: &'a Lanes,
    terms: &'a [Term],
    bounds: &'a mut [u32],
}

impl HotLoop for Bounds<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        for (chunk, bounds) in self.bounds.chunks_exact_mut(LANES).enumerate() {
            let times = self.lanes.times(chunk);
            let mut end = [0u32; LANES];
            let mut bound = [0u32; LANES];
            for term in self.terms {
                let Times(times) = &times[term.machine as usize];
                for lane in 0..LANES {
                    let start = end[lane].max(term.free);
                    end[lane] = start + times[lane];
                    bound[lane] = bound[lane].max(start + term.rest);
                }
            }
            bounds.copy_from_slice(&bound);
        }
    }
}

struct Idle<'a> {
    lanes: &'a Lanes,
    terms: &'a [Term],
    idle: &'a mut [u32],
}

impl HotLoop for Idle<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let shares = self.lanes.shares;
        for (chunk, idles) in self.idle.chunks_exact_mut(LANES).enumerate() {
            let times = self.lanes.times(chunk);
            let mut end = [0u32; LANES];
            let mut idle = [0u32; LANES];
            for term in self.terms {
                let Times(times) = &times[term.machine as usize];
                for lane in 0..LANES {
                    let start = end[lane].max(term.free);
                    end[lane] = start + times[lane];
                    let share = shares.share(start.wrapping_add(term.idle), end[lane]);
                    idle[lane] = idle[lane].wrapping_add(share);
                }
            }
            idles.copy_from_slice(&idle);
        }
    }
}
