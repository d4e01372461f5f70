//! The protocol of Melab, Chakroun, Mezmaz and Tuyttens: one core and the device search the same
//! lists of subproblems.

use clap::Args;
use makespan::flow_shop::{
    Bound, Branching, ExactOptions, Exploration, HostPool, Instance, Placement, Searched,
    Subproblem, search_subproblems, taillard,
};
use makespan::{Context, Limits, SolveOptions};

use crate::Result;
use crate::common::engines;
use crate::flow_shop_exact::nodes;
use crate::log::Log;

/// One core and the device on the same lists of subproblems, by Melab, Chakroun, Mezmaz and
/// Tuyttens: both of their approaches, and the whole tree on the device
#[derive(Args)]
pub(crate) struct Protocol {
    /// Sizes
    #[arg(value_parser = SIZES.map(|size| size.name), default_values = SIZES.map(|size| size.name))]
    sizes: Vec<String>,
    /// Instances of each size, whose speed-ups are averaged; the paper has ten
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10))]
    instances: u32,
    /// Nodes of a pool
    #[arg(long, value_delimiter = ',', default_values_t = POOLS)]
    pools: Vec<usize>,
    /// How many times as many nodes the lists have; the paper's take one core minutes to hours
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// Nodes that a work-item decomposes before the rest of its tree returns
    #[arg(long, default_value_t = HostPool::default().budget)]
    budget: usize,
    /// Explorations to run
    #[arg(long, value_delimiter = ',', value_parser = EXPLORATIONS, default_values = EXPLORATIONS)]
    explorations: Vec<String>,
}

const EXPLORATIONS: [&str; 3] = ["on-device", "tree-pool", "host-pool"];

/// The paper's pools.
const POOLS: [usize; 7] = [1 << 12, 1 << 13, 1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18];

/// A size, the number of its first instance, and the nodes of a list.
struct Size {
    name: &'static str,
    jobs: usize,
    first: u32,
    nodes: u64,
}

const SIZES: [Size; 4] = [
    Size { name: "20x20", jobs: 20, first: 21, nodes: 80_000 },
    Size { name: "50x20", jobs: 50, first: 51, nodes: 30_000 },
    Size { name: "100x20", jobs: 100, first: 81, nodes: 15_000 },
    Size { name: "200x20", jobs: 200, first: 101, nodes: 8_000 },
];

/// One table of the paper: how a device works on pools, and the speed-ups printed there for 200
/// jobs, by pool; none where the table is missing in the source at hand.
struct Scenario {
    name: &'static str,
    exploration: Exploration,
    sorted: bool,
    branch_free: bool,
    placement: Placement,
    printed: [Option<f64>; 7],
}

const SCENARIOS: [Scenario; 7] = [
    Scenario {
        name: "trees, plain",
        exploration: Exploration::TreePool,
        sorted: false,
        branch_free: false,
        placement: Placement::Global,
        printed: [
            Some(1.12),
            Some(2.89),
            Some(3.57),
            Some(4.23),
            Some(6.442),
            Some(8.32),
            Some(13.4),
        ],
    },
    Scenario {
        name: "trees, sorted, branch-free, both on chip",
        exploration: Exploration::TreePool,
        sorted: true,
        branch_free: true,
        placement: Placement::Both,
        printed: [None; 7],
    },
    Scenario {
        name: "bounds, plain",
        exploration: Exploration::HostPool,
        sorted: false,
        branch_free: false,
        placement: Placement::Global,
        printed: [None, None, None, None, None, None, Some(71.69)],
    },
    Scenario {
        name: "bounds, sorted, branch-free",
        exploration: Exploration::HostPool,
        sorted: true,
        branch_free: true,
        placement: Placement::Global,
        printed: [
            Some(46.63),
            Some(60.88),
            Some(63.80),
            Some(67.51),
            Some(73.47),
            Some(75.94),
            Some(77.46),
        ],
    },
    Scenario {
        name: "bounds, times on chip",
        exploration: Exploration::HostPool,
        sorted: true,
        branch_free: true,
        placement: Placement::Times,
        printed: [
            Some(54.03),
            Some(67.75),
            Some(68.43),
            Some(72.17),
            Some(82.01),
            Some(88.35),
            Some(90.51),
        ],
    },
    Scenario {
        name: "bounds, Johnson on chip",
        exploration: Exploration::HostPool,
        sorted: true,
        branch_free: true,
        placement: Placement::Johnson,
        printed: [
            Some(63.01),
            Some(79.40),
            Some(81.40),
            Some(84.02),
            Some(93.61),
            Some(96.56),
            Some(97.83),
        ],
    },
    Scenario {
        name: "bounds, both on chip",
        exploration: Exploration::HostPool,
        sorted: true,
        branch_free: true,
        placement: Placement::Both,
        printed: [None; 7],
    },
];

impl Protocol {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let Some(device) = engines::device(None) else { return Ok(()) };
        let core = engines::cpu(Some(1));
        let pools: String = self.pools.iter().map(|pool| format!(" {pool} |")).collect();
        println!("| jobs | lists | nodes | one thread, s | engine |{pools}");
        println!("| ---: | ---: | ---: | ---: | --- |{}", " ---: |".repeat(self.pools.len()));
        for size in SIZES.iter().filter(|size| self.sizes.iter().any(|name| name == size.name)) {
            let wanted = (size.nodes as f64 * self.scale) as u64;
            let numbers = size.first..size.first + self.instances;
            let list = |number| List::new(&core, format!("ta{number:03}"), wanted);
            let lists = numbers.map(list).collect::<Result<Vec<List>>>()?;
            let comparison = |list| Comparison::new(log, &core, &device, list);
            let comparisons = lists.iter().map(comparison).collect::<Result<Vec<_>>>()?;
            self.print(size, &comparisons)?;
        }
        Ok(())
    }

    /// The mean speed-ups of a size, for each exploration and pool.
    fn print(&self, size: &Size, lists: &[Comparison<'_>]) -> Result<()> {
        let count: u64 = lists.iter().map(|list| nodes(&list.sequential)).sum();
        let seconds: f64 = lists.iter().map(|list| list.sequential.report.seconds).sum();
        let row = format!("| {} | {} | {count} | {seconds:.2} |", size.jobs, lists.len());
        let is_asked = |exploration: Exploration| {
            self.explorations.iter().any(|name| name == exploration.name())
        };
        if is_asked(Exploration::OnDevice) {
            let ours = mean(lists, "on the device", |options| options)?;
            println!("{row} on-device | {ours:.1} |{}", " |".repeat(self.pools.len() - 1));
        }
        for scenario in SCENARIOS.iter().filter(|scenario| is_asked(scenario.exploration)) {
            let cells = self.pools.iter().map(|&pool| {
                let ours = self.cell(scenario, pool, lists)?;
                let place = POOLS.iter().position(|&printed| printed == pool);
                let printed = place.and_then(|place| scenario.printed[place]);
                Ok(match printed.filter(|_| size.jobs == 200) {
                    Some(printed) => format!(" {ours:.2} ({printed}) |"),
                    None => format!(" {ours:.2} |"),
                })
            });
            let cells = cells.collect::<Result<String>>()?;
            println!("{row} {} |{cells}", scenario.name);
        }
        Ok(())
    }

    /// The mean speed-up of a scenario with pools of that size.
    fn cell(&self, scenario: &Scenario, size: usize, lists: &[Comparison<'_>]) -> Result<f64> {
        let Scenario { name, exploration, sorted, branch_free, placement, .. } = *scenario;
        let budget = match exploration {
            Exploration::TreePool => self.budget,
            _ => HostPool::default().budget,
        };
        let pool = HostPool { size, sorted, branch_free, placement, budget };
        mean(lists, &format!("{name}, {size}"), |options| ExactOptions {
            exploration,
            pool,
            ..options
        })
    }
}

/// The mean of the lists' speed-ups.
fn mean(
    lists: &[Comparison<'_>],
    variant: &str,
    options: impl Fn(ExactOptions) -> ExactOptions,
) -> Result<f64> {
    let mut sum = 0.0;
    for list in lists {
        sum += list.speed_up(variant, &options(list.list.options.clone()))?;
    }
    Ok(sum / lists.len() as f64)
}

/// Subproblems that are small enough for one core.
struct List {
    name: String,
    instance: Instance,
    options: ExactOptions,
    parts: Vec<Subproblem>,
}

impl List {
    /// The open nodes of a search cut short that together have about `wanted` nodes below them.
    fn new(core: &Context, name: String, wanted: u64) -> Result<List> {
        let known = taillard::find(&name).ok_or("no such instance")?;
        let instance = known.instance();
        let options = ExactOptions {
            bound: Bound::TwoMachine,
            branching: Branching::Forward,
            upper_bound: Some(known.upper_bound.into()),
            ..ExactOptions::default()
        };
        let limited = |parts: &[Subproblem], iterations| {
            let limits = Limits { iterations: Some(iterations), ..Limits::default() };
            let solve_options = SolveOptions { limits, ..SolveOptions::default() };
            search_subproblems(core, &instance, parts, &options, &solve_options)
        };
        let mut open = limited(&[Subproblem::default()], 2_000)?.open;
        // The deepest first: they have the smallest trees. If the first ones are too large, so are
        // the others.
        open.sort_by_key(|part| std::cmp::Reverse(part.front.len() + part.back.len()));
        let (mut parts, mut sum, mut too_large) = (Vec::new(), 0, 0);
        for part in open {
            let searched = limited(std::slice::from_ref(&part), wanted / 4)?;
            if searched.open.is_empty() {
                sum += nodes(&searched);
                parts.push(part);
            } else {
                too_large += 1;
            }
            if sum >= wanted || too_large == 4 {
                break;
            }
        }
        Ok(List { name, instance, options, parts })
    }
}

/// A list on both sides.
struct Comparison<'a> {
    log: &'a Log,
    device: &'a Context,
    list: &'a List,
    sequential: Searched,
}

impl<'a> Comparison<'a> {
    fn new(log: &'a Log, core: &Context, device: &'a Context, list: &'a List) -> Result<Self> {
        let List { name, instance, options, parts } = list;
        let solve_options = SolveOptions::default();
        let sequential = search_subproblems(core, instance, parts, options, &solve_options)?;
        log.report(name.as_str(), core, &solve_options, &sequential.report).write()?;
        Ok(Comparison { log, device, list, sequential })
    }

    /// How many times as fast the device is.
    fn speed_up(&self, variant: &str, options: &ExactOptions) -> Result<f64> {
        let List { name, instance, parts, .. } = self.list;
        let solve_options = SolveOptions::default();
        let searched = search_subproblems(self.device, instance, parts, options, &solve_options)?;
        // A ratio of times counts only where the trees are the same.
        assert_eq!(nodes(&searched), nodes(&self.sequential));
        let speed_up = self.sequential.report.seconds / searched.report.seconds;
        let line = self.log.report(name.as_str(), self.device, &solve_options, &searched.report);
        line.variant(variant).with("speed_up", speed_up).write()?;
        Ok(speed_up)
    }
}
