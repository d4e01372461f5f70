//! Computes all children of a node at once, with jobs in vector lanes.

use super::block::{Block, LANES};
use super::guide::{Guide, JobTerms};
use super::node::NodeView;
use super::shop::Shop;
use crate::simd::HotLoop;
use crate::{Result, memory};

/// The jobs that are free in some node of a level, in the order of their numbers.
#[derive(Clone, Default)]
pub(super) struct Lanes {
    /// The number of the job in each lane. The last vector may have more lanes.
    pub(super) numbers: Vec<u32>,
    pub(super) terms: Vec<JobTerms>,
    release: Vec<Block>,
    /// For each vector of jobs, the times on all machines.
    times: Vec<Block>,
}

/// The children of a node by lane. Lanes of placed jobs are meaningless.
#[derive(Default)]
pub(super) struct Children {
    /// The lanes of the node's free jobs.
    pub(super) free: Vec<u32>,
    pub(super) ends: Vec<u32>,
    /// The estimated delay of later jobs by the waste so far.
    pub(super) delays: Vec<f32>,
    /// Lower bounds of the makespan, if it counts.
    pub(super) bounds: Vec<u32>,
}

impl Lanes {
    /// The lanes of the jobs that `is_free`. Rows of set-ups need all jobs in their order.
    pub(super) fn new(
        shop: &Shop<'_>,
        guide: &Guide,
        is_free: impl Fn(usize) -> bool,
    ) -> Result<Self> {
        let machines = shop.machines();
        let mut lanes = Lanes { numbers: memory::list(shop.jobs.len())?, ..Lanes::default() };
        let numbers =
            (0..shop.jobs.len()).filter(|&number| shop.setups.is_some() || is_free(number));
        lanes.numbers.extend(numbers.map(|number| number as u32));
        let blocks = lanes.numbers.len().div_ceil(LANES);
        lanes.terms = memory::filled(JobTerms::default(), blocks * LANES)?;
        lanes.release = memory::filled(Block([0; LANES]), blocks)?;
        lanes.times = memory::filled(Block([0; LANES]), blocks * machines)?;
        for (lane, &number) in lanes.numbers.iter().enumerate() {
            let (block, place) = (lane / LANES, lane % LANES);
            let times = &mut lanes.times[block * machines..];
            for (row, &time) in times.iter_mut().zip(shop.times(number as usize)) {
                row.0[place] = time;
            }
            let job = shop.jobs[number as usize];
            lanes.release[block].0[place] = shop.problem.instance.release_time(job);
            lanes.terms[lane] = guide.terms[number as usize];
        }
        Ok(lanes)
    }

    /// Computes a node's children.
    pub(super) fn advance(
        &self,
        shop: &Shop<'_>,
        guide: &Guide,
        node: &NodeView<'_>,
        children: &mut Children,
    ) {
        let lanes = self.release.len() * LANES;
        children.ends.resize(lanes, 0);
        children.delays.resize(lanes, 0.0);
        children.bounds.resize(if shop.has_makespan { lanes } else { 0 }, 0);
        children.free.clear();
        let free = self.numbers.iter().zip(0u32..).filter(|(number, _)| node.is_free(**number));
        children.free.extend(free.map(|(_, lane)| lane));
        shop.simd.run(Advance {
            lanes: self,
            front: node.front,
            work: node.work,
            setups: shop.setups.as_ref().map(|setups| setups.behind(node.node.last)),
            blocks: shop.problem.has_blocking,
            weights: &guide.waste,
            delay: node.node.delay,
            children,
        });
    }
}

struct Advance<'a> {
    lanes: &'a Lanes,
    front: &'a [u32],
    /// The work left on each machine, if the makespan counts.
    work: &'a [u32],
    setups: Option<&'a [Block]>,
    blocks: bool,
    weights: &'a [f32],
    delay: f32,
    children: &'a mut Children,
}

impl HotLoop for Advance<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let machines = self.front.len();
        let Children { ends, delays, bounds, .. } = self.children;
        for (block, Block(release)) in self.lanes.release.iter().enumerate() {
            let times = &self.lanes.times[block * machines..][..machines];
            let setups = self.setups.map(|setups| &setups[block * machines..][..machines]);
            let (mut end, mut delay, mut bound) = (*release, [self.delay; LANES], [0u32; LANES]);
            for (machine, Block(times)) in times.iter().enumerate() {
                let (free, weight) = (self.front[machine], self.weights[machine]);
                let mut start = end;
                if let Some(setups) = setups {
                    for (start, setup) in start.iter_mut().zip(&setups[machine].0) {
                        *start = (*start).max(free + setup);
                    }
                } else {
                    for start in &mut start {
                        *start = (*start).max(free);
                    }
                }
                for lane in 0..LANES {
                    delay[lane] += float(start[lane].wrapping_sub(free)) * weight;
                }
                if self.blocks && machine > 0 {
                    let weight = self.weights[machine - 1];
                    for lane in 0..LANES {
                        delay[lane] += float(start[lane].wrapping_sub(end[lane])) * weight;
                    }
                }
                if let Some(&work) = self.work.get(machine) {
                    for lane in 0..LANES {
                        bound[lane] = bound[lane].max(start[lane].wrapping_add(work));
                    }
                }
                for lane in 0..LANES {
                    end[lane] = start[lane].wrapping_add(times[lane]);
                }
            }
            ends[block * LANES..][..LANES].copy_from_slice(&end);
            delays[block * LANES..][..LANES].copy_from_slice(&delay);
            if let Some(bounds) = bounds.get_mut(block * LANES..(block + 1) * LANES) {
                bounds.copy_from_slice(&bound);
            }
        }
    }
}

/// Signed integers convert to floating point in one instruction; no schedule lasts 2^31.
#[inline(always)]
pub(super) fn float(time: u32) -> f32 {
    time.cast_signed() as f32
}
