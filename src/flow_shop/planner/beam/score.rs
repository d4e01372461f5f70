//! Ranks the children of a node.

use super::super::scoring::Scoring;
use super::block::LANES;
use super::guide::Guide;
use super::lanes::{Children, Lanes, float};
use super::node::NodeView;
use super::outlook::Outlook;
use super::shop::Shop;
use crate::simd::HotLoop;

/// The bound on the makespan counts by this power of the share of placed jobs: only the last jobs
/// decide which machine the makespan depends on.
const CERTAINTY_POWER: i32 = 40;

/// How much the bound on the makespan counts for a child behind `depth` of the jobs.
pub(super) fn certainty(depth: usize, jobs: usize) -> f32 {
    ((depth + 1) as f32 / jobs as f32).powi(CERTAINTY_POWER)
}

/// What ranks are computed from, and the ranks, by lane.
#[derive(Default)]
pub(super) struct Scratch {
    pub(super) children: Children,
    pub(super) ranks: Vec<u32>,
    outlook: Outlook,
    /// What the comparison with the running plan adds.
    plan: Vec<f32>,
}

impl Scratch {
    /// Ranks the children of a node with `depth` placed jobs; `least` is the least sum of its level.
    pub(super) fn rank(
        &mut self,
        shop: &Shop<'_>,
        guide: &Guide,
        lanes: &Lanes,
        node: &NodeView<'_>,
        (depth, least): (usize, f64),
    ) {
        lanes.advance(shop, guide, node, &mut self.children);
        self.ranks.resize(self.children.ends.len(), 0);
        if guide.uniform.is_none() {
            self.outlook.estimate(guide, lanes, &self.children, depth);
        }
        if shop.problem.scoring.has_plan() {
            self.compare_plan(shop, guide, lanes, node);
        }
        let later = (shop.jobs.len() - depth - 1) as f32;
        shop.simd.run(Score {
            guide,
            lanes,
            base: (guide.sum(&node.node.tally.sums) - least) as f32,
            rise: guide.uniform.map(|flow| flow * later),
            certainty: certainty(depth, shop.jobs.len()),
            latest: node.node.tally.latest as f32,
            lateness: node.node.tally.lateness as f32,
            scratch: self,
        });
    }

    fn compare_plan(&mut self, shop: &Shop<'_>, guide: &Guide, lanes: &Lanes, node: &NodeView<'_>) {
        let scoring: &Scoring = &shop.problem.scoring;
        self.plan.clear();
        self.plan.resize(lanes.terms.len(), 0.0);
        let job = |lane: u32| shop.jobs[lanes.numbers[lane as usize] as usize];
        let free = &self.children.free;
        for &lane in free {
            let mut cost = scoring.succession(node.node.last, job(lane));
            for &other in free.iter().filter(|&&other| other != lane) {
                cost += scoring.pair(job(lane), job(other));
            }
            self.plan[lane as usize] = guide.sum(&cost) as f32;
        }
    }
}

struct Score<'a> {
    guide: &'a Guide,
    lanes: &'a Lanes,
    base: f32,
    /// What a unit of delay adds, if it is the same for all children.
    rise: Option<f32>,
    /// How much a bound on the makespan counts rather than the waste.
    certainty: f32,
    latest: f32,
    lateness: f32,
    scratch: &'a mut Scratch,
}

impl HotLoop for Score<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Score { guide, certainty, .. } = self;
        let Scratch { children, ranks, outlook, plan } = self.scratch;
        for (block, ranks) in ranks.chunks_exact_mut(LANES).enumerate() {
            let at = block * LANES;
            let ends = &children.ends[at..][..LANES];
            let delays = &children.delays[at..][..LANES];
            let terms = &self.lanes.terms[at..][..LANES];
            let mut score = [self.base; LANES];
            match (guide.uniform, self.rise) {
                (Some(flow), Some(rise)) => {
                    for lane in 0..LANES {
                        score[lane] += flow * (float(ends[lane]) - terms[lane].release);
                        score[lane] += rise * delays[lane];
                    }
                }
                _ => {
                    let (costs, rises) = (&outlook.costs[at..], &outlook.rises[at..]);
                    for lane in 0..LANES {
                        let above = delays[lane] - outlook.low;
                        score[lane] += terms[lane].of(float(ends[lane]));
                        score[lane] += costs[lane] + rises[lane] * above;
                    }
                }
            }
            if guide.lateness != 0.0 {
                let lateness = &outlook.lateness[at..][..LANES];
                for lane in 0..LANES {
                    let own = (float(ends[lane]) - terms[lane].due).max(self.lateness);
                    let later = lateness[lane] + delays[lane] - outlook.low;
                    score[lane] += guide.lateness * own.max(later);
                }
            }
            if let Some(bounds) = children.bounds.get(at..at + LANES) {
                for lane in 0..LANES {
                    let bound = float(bounds[lane]).max(self.latest);
                    let mixed = certainty * bound + (1.0 - certainty) * delays[lane];
                    score[lane] += guide.makespan * mixed;
                }
            }
            if let Some(plan) = plan.get(at..at + LANES) {
                score.iter_mut().zip(plan).for_each(|(score, plan)| *score += plan);
            }
            for lane in 0..LANES {
                ranks[lane] = ordered(score[lane]);
            }
        }
    }
}

/// A number in the order of the scores.
#[inline(always)]
fn ordered(score: f32) -> u32 {
    let bits = score.to_bits();
    let negative = (bits.cast_signed() >> 31).cast_unsigned();
    bits ^ (negative | 1 << 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_ordered_as_scores() {
        let scores = [f32::NEG_INFINITY, -1e9, -1.5, -1e-30, 0.0, 1e-30, 2.0, 1e12, f32::INFINITY];
        assert!(scores.is_sorted_by(|one, other| ordered(*one) < ordered(*other)));
    }
}
