//! Branch and bound over the same whole trees: on the device, by the host's pool, and by trees below
//! the host's pool. The CPU has one way.

use std::cell::LazyCell;
use std::time::Duration;

use criterion::{BenchmarkId, Throughput};
use makespan::SolveOptions;
use makespan::flow_shop::{
    Bound, Branching, ExactOptions, Exploration, HostPool, Instance, Method, Options, Searched,
    Setups, Subproblem, search_subproblems, solve,
};

use crate::Group;
use crate::common::engines::{self, NamedEngine};
use crate::common::instances::flow_shop;
use crate::common::random::Random;

const JOBS: usize = 13;
const MACHINES: usize = 10;
/// Jobs of the instance with set-ups, whose bounds are weaker.
const JOBS_WITH_SETUPS: usize = 10;
/// Nodes of a pool.
const POOL: usize = 1 << 12;

pub(crate) fn measure(group: &mut Group<'_>, engine: &NamedEngine) {
    let tree = LazyCell::new(|| Tree::new(flow_shop(JOBS, MACHINES)));
    for exploration in Exploration::ALL {
        if !engine.is_device() && exploration != Exploration::OnDevice {
            continue;
        }
        let name = if engine.is_device() { exploration.name() } else { "depth first" };
        let id = BenchmarkId::new(name, format!("{JOBS}x{MACHINES}"));
        group.throughput(Throughput::Elements(tree.nodes));
        group.bench_function(id, |bencher| {
            let seconds = |_| tree.search(engine, exploration).report.seconds;
            bencher.iter_custom(|rounds| {
                Duration::from_secs_f64((0..rounds).map(seconds).sum::<f64>())
            });
        });
    }
    with_setups(group, engine);
}

/// A tree that no schedule shortens, so that every engine decomposes the same nodes.
struct Tree {
    instance: Instance,
    least: u64,
    nodes: u64,
}

impl Tree {
    fn new(instance: Instance) -> Tree {
        let cores = NamedEngine { name: "cores", context: engines::cpu(None) };
        let options = Options { method: Method::BranchAndBound, ..Options::default() };
        let solved = solve(&cores.context, &instance, &options, &SolveOptions::default()).unwrap();
        let least = solved.objective.unwrap() as u64;
        let mut tree = Tree { instance, least, nodes: 0 };
        let searched = tree.search(&cores, Exploration::default());
        tree.nodes = searched.report.statistics.get("nodes").unwrap();
        tree
    }

    /// Proves that no schedule is shorter, by branching at the front and LB1.
    fn search(&self, engine: &NamedEngine, exploration: Exploration) -> Searched {
        let pool = match exploration {
            Exploration::OnDevice => HostPool::default(),
            _ => HostPool { size: POOL, ..HostPool::default() },
        };
        let options = ExactOptions {
            bound: Bound::OneMachine,
            branching: Branching::Forward,
            upper_bound: Some(self.least),
            exploration,
            pool,
            ..ExactOptions::default()
        };
        let root = [Subproblem::default()];
        let solve_options = SolveOptions::default();
        search_subproblems(&engine.context, &self.instance, &root, &options, &solve_options)
            .unwrap()
    }
}

/// The tree of another model, set-ups between jobs, which grows from the front.
fn with_setups(group: &mut Group<'_>, engine: &NamedEngine) {
    let instance = LazyCell::new(|| {
        let mut random = Random(1);
        let setups = (0..JOBS_WITH_SETUPS * JOBS_WITH_SETUPS * MACHINES)
            .map(|_| random.within(1, 50) as u32)
            .collect();
        let setups = Setups::between_jobs(JOBS_WITH_SETUPS, setups).unwrap();
        flow_shop(JOBS_WITH_SETUPS, MACHINES).with_setups(setups).unwrap()
    });
    let id = BenchmarkId::new("set-ups", format!("{JOBS_WITH_SETUPS}x{MACHINES}"));
    group.throughput(Throughput::Elements(1));
    group.bench_function(id, |bencher| {
        let options = Options { method: Method::BranchAndBound, ..Options::default() };
        let seconds = |_| {
            let outcome = solve(&engine.context, &instance, &options, &SolveOptions::default());
            outcome.unwrap().report.seconds
        };
        bencher
            .iter_custom(|rounds| Duration::from_secs_f64((0..rounds).map(seconds).sum::<f64>()));
    });
}
