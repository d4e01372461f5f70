//! All children of a node at once: jobs in vector lanes.
#![allow(unsafe_code)]

use super::node::{Node, Side, idle_share};
use crate::flow_shop::search::Shop;
use crate::simd::Simd;

/// Lanes of 32 bits that are computed together.
pub(super) const LANES: usize = 16;

/// The times as the lanes read them.
pub(super) struct Lanes {
    simd: Simd,
    /// Jobs, rounded up to whole vectors.
    stride: usize,
    /// Machine by machine, all jobs.
    times: Vec<u32>,
}

/// What becomes of a node on one side with each job.
#[derive(Default)]
pub(super) struct Children {
    /// One-machine bounds.
    pub(super) bounds: Vec<u32>,
    /// Weighted idle times.
    pub(super) idle: Vec<f32>,
}

impl Lanes {
    pub(super) fn new(shop: &Shop) -> Self {
        let stride = shop.jobs().next_multiple_of(LANES);
        let times = shop.times_by_machine(stride);
        Lanes { simd: Simd::detect(), stride, times }
    }

    /// Computes the children for all jobs, those that the node has placed already included.
    pub(super) fn expand(&self, node: &Node<'_>, side: Side, children: &mut Children) {
        children.bounds.resize(self.stride, 0);
        children.idle.resize(self.stride, 0.0);
        match self.simd {
            Simd::Baseline => self.expand_portable(node, side, children),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: detected on this processor.
            Simd::Avx2 => unsafe { self.expand_avx2(node, side, children) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: detected on this processor.
            Simd::Avx512 => unsafe { self.expand_avx512(node, side, children) },
        }
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn expand_avx2(&self, node: &Node<'_>, side: Side, children: &mut Children) {
        self.expand_portable(node, side, children);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn expand_avx512(&self, node: &Node<'_>, side: Side, children: &mut Children) {
        self.expand_portable(node, side, children);
    }

    #[inline(always)]
    fn expand_portable(&self, node: &Node<'_>, side: Side, children: &mut Children) {
        let terms = node.terms(side);
        let bounds = children.bounds.chunks_exact_mut(LANES);
        let idles = children.idle.chunks_exact_mut(LANES);
        for (chunk, (bounds, idles)) in bounds.zip(idles).enumerate() {
            let mut end = [0u32; LANES];
            let mut bound = [0u32; LANES];
            let mut idle = [0f32; LANES];
            for term in terms {
                let row = term.machine as usize * self.stride + chunk * LANES;
                let times: &[u32; LANES] = self.times[row..row + LANES].try_into().expect("as long");
                for lane in 0..LANES {
                    let start = end[lane].max(term.free);
                    end[lane] = start + times[lane];
                    bound[lane] = bound[lane].max(start + term.rest);
                    idle[lane] += idle_share(start.wrapping_add(term.idle), end[lane]);
                }
            }
            bounds.copy_from_slice(&bound);
            idles.copy_from_slice(&idle);
        }
    }
}
