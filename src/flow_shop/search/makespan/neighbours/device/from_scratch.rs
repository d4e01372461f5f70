//! Searches with set-ups on a device, and on the host by an evaluator that computes each makespan
//! from scratch: for the comparison of the two.

use std::time::Duration;

use super::{DeviceTabu, Scan, Shop};
use crate::Result;
use crate::flow_shop::search::evaluator::{NeighbourhoodEvaluator, ValuedSequence};
use crate::flow_shop::search::makespan::Evaluation;
use crate::flow_shop::search::moves::{Move, Neighbourhood};
use crate::flow_shop::search::tabu::{self, HostTabu, Settings, State, TabuList};
use crate::flow_shop::self_test::instance;
use crate::flow_shop::{Instance, Setups};
use crate::opencl::{Device, timed};
use crate::random::Random;
use crate::solve::{Monitor, SolveOptions};

/// The largest set-up.
const LONGEST: u64 = 150;

/// Some generations of a few trajectories.
pub(super) struct SetupSearch {
    shop: Shop,
    settings: Settings,
    states: Vec<State>,
    generations: u64,
}

/// The best sequence, and the number of generations.
type Found = (ValuedSequence, u64);

impl SetupSearch {
    const TRAJECTORIES: usize = 3;
    /// Fewer than most tests have generations.
    const TENURE: usize = 3;

    pub(super) fn new(instance: &Instance, list: TabuList, generations: u64) -> Result<Self> {
        let (shop, neighbourhood) = (Shop::of(instance), Neighbourhood::Insertion);
        let settings = Settings { neighbourhood, list, tenure: Self::TENURE };
        let first: Vec<u32> = (0..shop.jobs() as u32).collect();
        let value = |order: &[u32]| shop.makespan(order).into();
        let monitor = Monitor::new(&SolveOptions::default());
        let starts = tabu::starts(&first, Self::TRAJECTORIES, 1, &monitor, value)?;
        let states = State::at(&settings, &starts);
        Ok(SetupSearch { shop, settings, states, generations })
    }

    pub(super) fn on_host(&self) -> Result<Found> {
        let monitor = Monitor::new(&SolveOptions::default());
        let evaluator = || FromScratch(&self.shop);
        let host = HostTabu::new(&self.settings, &self.states, &monitor, 0, evaluator)?;
        tabu::run(host, &monitor, self.generations)
    }

    /// The same on a device, with the time of the generations.
    pub(super) fn on_device(&self, device: &Device) -> Result<(Found, Duration)> {
        let (queue, monitor) = (device.queue(), Monitor::new(&SolveOptions::default()));
        let neighbourhood = self.settings.neighbourhood;
        let scan = Scan { neighbourhood, evaluation: Evaluation::default(), local_columns: false };
        let ways = (self.settings, scan);
        let search = DeviceTabu::new(device, &queue, &self.shop, &monitor, ways, &self.states)?;
        queue.finish()?;
        timed(|| tabu::run(search, &monitor, self.generations))
    }
}

struct FromScratch<'a>(&'a Shop);

impl NeighbourhoodEvaluator for FromScratch<'_> {
    type Value = u64;

    fn best(
        &mut self,
        from: &ValuedSequence,
        forbidden: &[usize],
        cutoff: u64,
    ) -> Result<Option<(usize, u64)>> {
        let jobs = from.order.len();
        let value = |number: usize| {
            let mv = Neighbourhood::Insertion.numbered(number, jobs);
            let Move::Insertion(old, new) = mv else { return None };
            if old >= jobs || old == new {
                return None;
            }
            let mut order = from.order.clone();
            mv.apply(&mut order);
            let value = u64::from(self.0.makespan(&order));
            (value < cutoff || !forbidden.contains(&number)).then_some((number, value))
        };
        let numbers = 0..Neighbourhood::Insertion.numbers(jobs);
        Ok(numbers.filter_map(value).min_by_key(|&(number, value)| (value, number)))
    }
}

/// An instance with set-ups, ready times and pinned jobs.
pub(super) fn instance_with_setups(
    jobs: usize,
    machines: usize,
    pinned: usize,
) -> Result<Instance> {
    let mut random = Random::new(2);
    let mut draw = |count: usize| -> Vec<u32> {
        (0..count).map(|_| random.below(LONGEST + 1) as u32).collect()
    };
    let setups = Setups::between_jobs(jobs, draw(jobs * jobs * machines))?;
    let setups = setups.with_first(draw(jobs * machines))?;
    instance(jobs, machines, pinned, 99)?.with_setups(setups)
}
