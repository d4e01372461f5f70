//! A second objective, to show that the searches don't depend on the makespan: the sum of the jobs'
//! completion times, computed from scratch each time.

use super::Shop;
use super::evaluator::{NeighbourhoodEvaluator, PartialSequence, Step, Tree, ValuedSequence};
use super::moves::{Move, Neighbourhood};
use crate::Result;
use crate::flow_shop::completion::append;
use crate::flow_shop::end::End;

#[derive(Clone)]
pub(super) struct FlowTime<'a> {
    shop: &'a Shop,
    neighbourhood: Neighbourhood,
    cutoff: u64,
    order: Vec<u32>,
}

impl<'a> FlowTime<'a> {
    pub(super) fn new(shop: &'a Shop) -> Self {
        FlowTime { shop, neighbourhood: Neighbourhood::Swap, cutoff: u64::MAX, order: Vec::new() }
    }

    pub(super) fn among(self, neighbourhood: Neighbourhood) -> Self {
        FlowTime { neighbourhood, ..self }
    }

    pub(super) fn below(self, cutoff: u64) -> Self {
        FlowTime { cutoff, ..self }
    }

    /// The value of a sequence of some of the jobs.
    pub(super) fn of(&self, order: &[u32]) -> u64 {
        let mut free = self.shop.front().to_vec();
        let ends = order.iter().map(|&job| {
            append(&mut free, self.shop.job(job));
            u64::from(free[free.len() - 1])
        });
        ends.sum()
    }

    /// The optimal value.
    pub(super) fn least(&self) -> u64 {
        fn extend(flow_time: &FlowTime<'_>, order: &mut Vec<u32>) -> u64 {
            let jobs = 0..flow_time.shop.jobs() as u32;
            let left: Vec<u32> = jobs.filter(|job| !order.contains(job)).collect();
            let each = left.into_iter().map(|job| {
                order.push(job);
                let least = extend(flow_time, order);
                order.pop();
                least
            });
            each.min().unwrap_or_else(|| flow_time.of(order))
        }
        extend(self, &mut Vec::new())
    }
}

impl PartialSequence for FlowTime<'_> {
    type Value = u64;

    fn order(&self) -> &[u32] {
        &self.order
    }

    fn set(&mut self, order: &[u32]) {
        self.order = order.to_vec();
    }

    fn insert(&mut self, position: usize, job: u32) {
        self.order.insert(position, job);
    }

    fn remove(&mut self, position: usize) -> u32 {
        self.order.remove(position)
    }

    fn value(&mut self) -> u64 {
        self.of(&self.order)
    }

    fn accepts(&self, worse: u64, better: u64, unit: f64) -> bool {
        unit < (-((worse - better) as f64) / (0.07 * self.shop.mean_time())).exp()
    }

    fn best_place(&mut self, job: u32) -> (usize, u64) {
        let with = |position| {
            let mut order = self.order.clone();
            order.insert(position, job);
            (position, self.of(&order))
        };
        (0..=self.order.len()).map(with).min_by_key(|place| place.1).unwrap()
    }

    fn reaches(&self, _: u64, _: u32) -> bool {
        true
    }
}

impl NeighbourhoodEvaluator for FlowTime<'_> {
    type Value = u64;

    fn best(
        &mut self,
        from: &ValuedSequence,
        forbidden: &[usize],
        cutoff: u64,
    ) -> Result<Option<(usize, u64)>> {
        let neighbour = |number| {
            let mut order = from.order.clone();
            match self.neighbourhood.numbered(number, order.len()) {
                Move::Insertion(from, _) if from >= order.len() => return None,
                mv => mv.apply(&mut order),
            }
            (order != from.order).then(|| (number, self.of(&order)))
        };
        let neighbours = (0..self.neighbourhood.numbers(from.order.len())).filter_map(neighbour);
        let allowed =
            neighbours.filter(|(number, value)| *value < cutoff || !forbidden.contains(number));
        Ok(allowed.min_by_key(|neighbour| neighbour.1))
    }
}

/// Sequences grow only at the front; the bound of a node is the value of its placed jobs.
impl Tree for FlowTime<'_> {
    type Value = u64;
    type Level = Vec<Vec<u32>>;
    type Scratch = ();

    fn jobs(&self) -> usize {
        self.shop.jobs()
    }

    fn root(&self) -> Self::Level {
        vec![Vec::new()]
    }

    fn expand(
        &self,
        level: &Self::Level,
        node: usize,
        (): &mut (),
        mut child: impl FnMut(u32, u32),
    ) -> (End, usize) {
        let placed = &level[node];
        for job in (0..self.shop.jobs() as u32).filter(|job| !placed.contains(job)) {
            let bound = self.of(&[placed, &[job][..]].concat());
            if bound < self.cutoff {
                child(job, bound as u32);
            }
        }
        (End::Front, self.shop.jobs() - placed.len())
    }

    fn grow(&self, level: &Self::Level, steps: &[Step]) -> Result<Self::Level> {
        Ok(steps
            .iter()
            .map(|step| [&level[step.parent as usize][..], &[step.job]].concat())
            .collect())
    }

    fn node_bytes(&self) -> usize {
        size_of::<Vec<u32>>() + self.shop.jobs() * size_of::<u32>()
    }

    fn value(&self, order: &[u32]) -> u64 {
        self.of(order)
    }

    fn cutoff(&self) -> u64 {
        self.cutoff
    }
}
