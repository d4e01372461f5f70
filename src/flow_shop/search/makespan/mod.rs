//! The makespan, as each search needs it. Only this part of the searches knows the objective.

mod neighbours;
mod reinsertion;
mod time;
mod tree;

pub(super) use self::neighbours::CpuNeighbours;
pub use self::neighbours::Evaluation;
pub(in crate::flow_shop) use self::neighbours::{DeviceTabu, Scan};
pub(super) use self::reinsertion::Reinsertion;
pub(in crate::flow_shop) use self::time::Time;
pub(super) use self::tree::{Guide, TwoEndedTree};

pub(crate) const KERNEL_FAMILIES: &[crate::opencl::TimedFamily] =
    &[neighbours::TIMED, neighbours::TIMED_SETUPS, tree::TIMED];

use super::objective::Objective;
use super::tabu::{Settings, State};
use super::{SearchOptions, Shop};
use crate::flow_shop::completion::{append, append_after};
use crate::flow_shop::{Bound, ExactOptions, Incumbent, Instance, Subproblem, bounds, exact};
use crate::opencl::{Device, Queue, Usual};
use crate::solve::{Monitor, Statistics};
use crate::{Dispatch, Result};

/// The programs of searches through an instance's sequences.
pub(crate) fn usual(instance: &Instance) -> [Usual; 3] {
    let (machines, options) = (instance.machines(), SearchOptions::default());
    [
        neighbours::usual(machines, options.tabu_list, Scan::new(&options)),
        neighbours::usual_with_setups(machines, options.tabu_list).by_name(),
        tree::usual(machines),
    ]
}

/// The makespan as the objective of a portfolio.
pub(super) struct Makespan;

impl Objective for Makespan {
    type Neighbours<'a> = CpuNeighbours<'a>;
    type DeviceTabu<'a> = DeviceTabu<'a>;
    type Narrow<'a> = Reinsertion<'a, u16>;
    type Wide<'a> = Reinsertion<'a, u32>;
    type Guide = Guide;
    type Tree<'a> = TwoEndedTree<'a>;

    const MOST_TABU_JOBS: usize = DeviceTabu::MOST_JOBS;
    const MOST_BEAM_JOBS: usize = TwoEndedTree::MOST_DEVICE_JOBS;
    const GUIDES: [Guide; 2] = [Guide::IdleThenBound, Guide::Bound];

    fn value(shop: &Shop, order: &[u32]) -> u64 {
        shop.makespan(order).into()
    }

    fn neighbourhood_work(shop: &Shop, options: &SearchOptions) -> u64 {
        Scan::new(options).work(shop)
    }

    fn neighbours_bytes(shop: &Shop, options: &SearchOptions) -> u128 {
        CpuNeighbours::bytes(shop, &Scan::new(options))
    }

    fn neighbours<'a>(
        shop: &'a Shop,
        monitor: &'a Monitor,
        options: &SearchOptions,
    ) -> CpuNeighbours<'a> {
        CpuNeighbours::new(shop, monitor, Scan::new(options))
    }

    fn device_tabu<'a>(
        device: &Device,
        queue: &'a Queue,
        shop: &'a Shop,
        monitor: &'a Monitor,
        options: &SearchOptions,
        states: &[State],
    ) -> Result<DeviceTabu<'a>> {
        let settings = (Settings::new(options), Scan::new(options));
        DeviceTabu::new(device, queue, shop, monitor, settings, states)
    }

    fn is_narrow(shop: &Shop, value: u64, moved: u32) -> bool {
        shop.fits::<u16>(value, moved)
    }

    fn narrow(shop: &Shop) -> Reinsertion<'_, u16> {
        Reinsertion::new(shop)
    }

    fn wide(shop: &Shop) -> Reinsertion<'_, u32> {
        Reinsertion::new(shop)
    }

    fn sequence_bytes(shop: &Shop, is_narrow: bool) -> u64 {
        match is_narrow {
            true => Reinsertion::<u16>::bytes(shop),
            false => Reinsertion::<u32>::bytes(shop),
        }
    }

    fn tree<'a>(
        shop: &'a Shop,
        monitor: &'a Monitor,
        instance: &Instance,
        guide: Guide,
        cutoff: u32,
    ) -> TwoEndedTree<'a> {
        TwoEndedTree::new(shop, monitor, bounds::one_machine(instance), guide, cutoff)
    }

    fn root_steps(shop: &Shop) -> u64 {
        let (jobs, machines) = (shop.jobs() as u64, shop.machines() as u64);
        jobs * jobs * machines * machines
    }

    /// The two-machine bounds: some job must be first, and some job must be last.
    fn root_bounds(
        instance: &Instance,
        dispatch: &mut Dispatch<'_>,
        monitor: &Monitor,
    ) -> Result<Vec<u32>> {
        let root = Subproblem { front: instance.pinned().to_vec(), back: Vec::new() };
        let parts = [root];
        let children =
            exact::bound_watched(instance, Bound::TwoMachine, &parts, dispatch, monitor)?.0;
        let least = |side: usize| children.iter().map(|child| child[side]).min();
        Ok([0, 1].into_iter().filter_map(least).collect())
    }

    fn prove(
        incumbent: &mut Incumbent<'_>,
        options: &ExactOptions,
        counts_iterations: bool,
        dispatch: &mut Dispatch<'_>,
        statistics: &mut Statistics,
    ) -> Result<()> {
        exact::run(incumbent, options, counts_iterations, dispatch, statistics)
    }
}

impl Scan {
    pub(in crate::flow_shop) fn new(options: &SearchOptions) -> Self {
        Scan {
            neighbourhood: options.neighbourhood,
            evaluation: options.evaluation.unwrap_or_default(),
            local_columns: options.local_columns,
        }
    }
}

impl Shop {
    /// The makespan of a complete or partial sequence.
    pub(in crate::flow_shop) fn makespan(&self, order: &[u32]) -> u32 {
        let mut free = self.front().to_vec();
        match self.setups() {
            None => order.iter().for_each(|&job| append(&mut free, self.job(job))),
            Some(setups) => {
                let mut before = self.last_pinned();
                for &job in order {
                    let number = self.number(job);
                    let setup = |machine| setups.between(machine, before, number);
                    append_after(&mut free, self.job(job), setup);
                    before = Some(number);
                }
            }
        }
        free.last().copied().unwrap_or(0)
    }

    /// Whether the integer type holds all times of a schedule of this makespan, and of every
    /// schedule that results from moving `moved` jobs. Without these jobs, no path through the
    /// schedule is longer than the makespan, and each of them adds at most its own times.
    pub(super) fn fits<T: Time>(&self, makespan: u64, moved: u32) -> bool {
        let longest = makespan + u64::from(moved) * u64::from(self.longest_job());
        longest.min(self.horizon().into()) < T::NONE.to_u32().into()
    }
}
