//! Estimates what the jobs behind each child of a node will cost.
//!
//! Costs are added as fixed-point numbers. The order of their addition does not matter, so that the
//! work-items of a device find the same sums.

use super::guide::Guide;
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

/// A free job in the order of the lanes. Pairs are for the least and for a larger delay.
#[derive(Clone, Copy)]
struct Slot {
    /// Its costs if no child precedes it.
    costs: Pair,
    /// Its costs behind a child.
    behind: Pair,
    /// What the jobs before it cost behind a child.
    before: Pair,
    /// Whether it takes time of the jobs behind it. A job that is late anyway can wait until the
    /// end if only that counts.
    counts: [bool; 2],
    lateness: f32,
    lateness_before: f32,
}

type Pair = [i64; 2];

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
        let span = (high - low).max(1.0);
        let begin = guide.begin(depth) + low;
        for list in [&mut self.costs, &mut self.rises, &mut self.lateness] {
            list.resize(lanes.terms.len(), 0.0);
        }
        self.low = low;
        match guide.lateness == 0.0 {
            true => self.list::<false>(guide, lanes, children, [begin, begin + span]),
            false => self.list::<true>(guide, lanes, children, [begin, begin + span]),
        }
        self.add(guide, children, span);
    }

    /// Lists the free jobs if the first one ends at `begins`.
    fn list<const LATENESS: bool>(
        &mut self,
        guide: &Guide,
        lanes: &Lanes,
        children: &Children,
        begins: [f32; 2],
    ) {
        let (mut taken, mut before) = ([0.0f32; 2], [0; 2]);
        let mut lateness_before = f32::NEG_INFINITY;
        self.slots.clear();
        for &lane in &children.free {
            let terms = &lanes.terms[lane as usize];
            let ends = [0, 1].map(|at| begins[at] + taken[at] * guide.rate);
            let counts = ends.map(|end| terms.late == 0.0 || end <= terms.due);
            let costs = ends.map(|end| guide.grains(terms.of(end)));
            let behind = ends.map(|end| guide.grains(terms.of(end + guide.rate)));
            let lateness = ends[0] - terms.due;
            self.slots.push(Slot { costs, behind, before, counts, lateness, lateness_before });
            if LATENESS {
                lateness_before = lateness_before.max(lateness + guide.rate);
            }
            for at in 0..2 {
                before[at] += behind[at];
                taken[at] += if counts[at] { 1.0 } else { 0.0 };
            }
        }
    }

    /// Adds the costs of the jobs around each child.
    fn add(&mut self, guide: &Guide, children: &Children, span: f32) {
        let (mut same, mut later) = ([0; 2], [0; 2]);
        let mut lateness_behind = f32::NEG_INFINITY;
        let rise = guide.grain * (1.0 / span);
        for (&lane, slot) in children.free.iter().zip(&self.slots).rev() {
            let lane = lane as usize;
            let [low, high] = [0, 1]
                .map(|at| slot.before[at] + if slot.counts[at] { same[at] } else { later[at] });
            self.costs[lane] = low as f32 * guide.grain;
            self.rises[lane] = (high - low) as f32 * rise;
            self.lateness[lane] = slot.lateness_before.max(lateness_behind);
            for at in 0..2 {
                same[at] += slot.costs[at];
                later[at] += slot.behind[at];
            }
            lateness_behind = lateness_behind.max(slot.lateness);
        }
    }
}
