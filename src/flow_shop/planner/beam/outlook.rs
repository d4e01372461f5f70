//! Estimates what the jobs behind each child of a node will cost.

use super::guide::{Guide, JobTerms};
use super::lanes::{Children, Lanes};

/// For each lane what the other free jobs will cost, as a function of the child's delay.
#[derive(Default)]
pub(super) struct Outlook {
    /// The least delay of a child.
    pub(super) low: f32,
    /// The cost at that delay, and what a unit of delay adds.
    pub(super) costs: Vec<f32>,
    pub(super) rises: Vec<f32>,
    /// The largest lateness at the least delay.
    pub(super) lateness: Vec<f32>,
    slots: Vec<Slot>,
}

/// A free job in the order of the lanes.
#[derive(Clone, Copy)]
struct Slot {
    /// What it costs if no child precedes it, and what the jobs before it cost behind a child.
    cost: f32,
    before: f32,
    lateness: f32,
    lateness_before: f32,
    /// Whether it takes time of the jobs behind it. A job that is late anyway can wait until the end
    /// if only that counts.
    counts: bool,
}

impl Outlook {
    /// Lets the free jobs follow each child in the order of their lanes, at a constant rate.
    pub(super) fn estimate(
        &mut self,
        guide: &Guide,
        lanes: &Lanes,
        children: &Children,
        depth: usize,
    ) {
        let delays = children.free.iter().map(|&lane| children.delays[lane as usize]);
        let (low, high) = delays
            .fold((f32::INFINITY, 0.0f32), |(low, high), delay| (low.min(delay), high.max(delay)));
        let high = high.max(low + 1.0);
        let first = guide.lead + (depth + 1) as f32 * guide.rate;
        for list in [&mut self.costs, &mut self.rises, &mut self.lateness] {
            list.resize(lanes.terms.len(), 0.0);
        }
        self.low = low;
        self.fill(guide, lanes, children, first + high);
        self.rises.copy_from_slice(&self.costs);
        self.fill(guide, lanes, children, first + low);
        for &lane in &children.free {
            let (rise, cost) = (&mut self.rises[lane as usize], self.costs[lane as usize]);
            *rise = (*rise - cost) / (high - low);
        }
    }

    /// Computes costs and latenesses if the first job ends at `first`.
    fn fill(&mut self, guide: &Guide, lanes: &Lanes, children: &Children, first: f32) {
        let (mut end, mut before, mut lateness_before) = (first, 0.0, f32::NEG_INFINITY);
        self.slots.clear();
        for &lane in &children.free {
            let terms: &JobTerms = &lanes.terms[lane as usize];
            let counts = terms.late == 0.0 || end <= terms.due;
            let (cost, lateness) = (terms.of(end), end - terms.due);
            self.slots.push(Slot { cost, before, lateness, lateness_before, counts });
            before += terms.of(end + guide.rate);
            lateness_before = lateness_before.max(lateness + guide.rate);
            end += if counts { guide.rate } else { 0.0 };
        }
        let (mut same, mut later) = (0.0, 0.0);
        let mut lateness_behind = f32::NEG_INFINITY;
        for (&lane, slot) in children.free.iter().zip(&self.slots).rev() {
            let (lane, terms) = (lane as usize, &lanes.terms[lane as usize]);
            self.costs[lane] = slot.before + if slot.counts { same } else { later };
            self.lateness[lane] = slot.lateness_before.max(lateness_behind);
            same += slot.cost;
            later += terms.of(slot.lateness + terms.due + guide.rate);
            lateness_behind = lateness_behind.max(slot.lateness);
        }
    }
}
