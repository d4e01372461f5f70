//! The tree of sequences with known ends. A node's children add a job at the end where fewer of
//! them may lead to a shorter schedule.

mod children;
mod device;
mod guide;
mod node;
mod self_test;
mod workload;

pub(super) use self::device::usual;
pub(in super::super) use self::guide::Guide;
pub(crate) use self::workload::TIMED;

use self::children::{Children, Lanes};
use self::guide::{Ranking, Shares};
use self::node::{Level, Node, Term};
use super::Shop;
use crate::flow_shop::end::End;
use crate::flow_shop::search::evaluator::{Step, Tree};
use crate::solve::Monitor;
use crate::{Result, parallel};

/// The tree of a shop, with nodes ranked by one guide, for schedules shorter than `upper`.
pub(in super::super) struct TwoEndedTree<'a> {
    shop: &'a Shop,
    monitor: &'a Monitor,
    lanes: Lanes,
    shares: Shares,
    /// Rankings by number of placed jobs, from 0.
    rankings: Vec<Ranking>,
    upper: u32,
}

impl<'a> TwoEndedTree<'a> {
    /// `root_bound` is the shop's one-machine bound.
    pub(in super::super) fn new(
        shop: &'a Shop,
        monitor: &'a Monitor,
        root_bound: u32,
        guide: Guide,
        upper: u32,
    ) -> Self {
        let ranking = |depth| Ranking::new(guide, shop, depth, root_bound, upper);
        let rankings = (0..=shop.jobs()).map(ranking).collect();
        TwoEndedTree {
            shop,
            monitor,
            lanes: Lanes::new(shop),
            shares: Shares::of(shop),
            rankings,
            upper,
        }
    }
}

impl Tree for TwoEndedTree<'_> {
    type Value = u64;
    type Level = Level;
    type Scratch = (Vec<Term>, Children);

    fn jobs(&self) -> usize {
        self.shop.jobs()
    }

    fn root(&self) -> Level {
        Level::root(self.shop)
    }

    fn expand(
        &self,
        level: &Level,
        node: usize,
        (terms, children): &mut Self::Scratch,
        mut child: impl FnMut(u32, u32),
    ) -> (End, usize) {
        let jobs = self.shop.jobs();
        let ranking = &self.rankings[level.depth + 1];
        let node = level.node(node, terms);
        self.lanes.bound(&node, children);
        let [front, back] =
            children.bounds.each_ref().map(|bounds| open(&node, jobs, bounds, ranking.upper));
        let side = if front.0 < back.0 || (front.0 == back.0 && front.1 >= back.1) {
            End::Front
        } else {
            End::Back
        };
        self.lanes.idle(&node, side, children);
        let bounds = &children.bounds[side as usize];
        let opposite = node.idle[side.other() as usize];
        for job in free_jobs(&node, jobs) {
            if bounds[job] < ranking.upper {
                child(job as u32, ranking.key(bounds[job], children.idle[job], opposite));
            }
        }
        (side, 2 * (jobs - level.depth))
    }

    fn grow(&self, level: &Level, steps: &[Step]) -> Result<Level> {
        let mut next = level.next(steps.len())?;
        let share = steps.len().div_ceil(parallel::threads() * PARTS).max(1);
        parallel::try_for_each(next.parts(share).zip(steps.chunks(share)), |(mut part, steps)| {
            let mut terms = Vec::new();
            for (index, &step) in steps.iter().enumerate() {
                self.monitor.check()?;
                let node = level.node(step.parent as usize, &mut terms);
                part.make(index, &node, step, self.shop.job(step.job), self.shares);
            }
            Ok(())
        })?;
        Ok(next)
    }

    fn node_bytes(&self) -> usize {
        Level::node_bytes(self.shop)
    }

    fn value(&self, order: &[u32]) -> u64 {
        self.shop.makespan(order).into()
    }

    fn cutoff(&self) -> u64 {
        self.upper.into()
    }
}

/// Parts of a level for each thread.
const PARTS: usize = 4;

/// The number of children that may lead to a better schedule, and the sum of their bounds.
#[inline]
fn open(node: &Node<'_>, jobs: usize, bounds: &[u32], upper: u32) -> (usize, u64) {
    let open = free_jobs(node, jobs).map(|job| bounds[job]).filter(|&bound| bound < upper);
    open.fold((0, 0), |(count, sum), bound| (count + 1, sum + u64::from(bound)))
}

fn free_jobs(node: &Node<'_>, jobs: usize) -> impl Iterator<Item = usize> {
    node.placed().iter().enumerate().flat_map(move |(word, &placed)| {
        let last = (jobs - word * 64).min(64);
        let mut free = !placed & (u64::MAX >> (64 - last));
        std::iter::from_fn(move || {
            let bit = free.trailing_zeros() as usize;
            free &= free.wrapping_sub(1);
            (bit < 64).then_some(word * 64 + bit)
        })
    })
}
