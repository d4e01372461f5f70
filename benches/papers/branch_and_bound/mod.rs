//! Branch and bound of the flow shop by Melab, Chakroun, Mezmaz and Tuyttens: one core and the
//! device search the same lists of subproblems.

mod published;
mod render;

use clap::Args;
use makespan::flow_shop::{
    Bound, Branching, ExactOptions, Exploration, HostPool, Instance, Searched, Subproblem,
    search_subproblems, taillard,
};
use makespan::{Context, Limits, SolveOptions};

use self::published::{POOLS, SCENARIOS, SIZES, Scenario, Size, TABLES};
use crate::common::Result;
use crate::common::engines;
use crate::common::log::Log;
use crate::recorded::Lines;
use crate::report::{Items, Report};
use crate::{Reproduction, Run};

/// Speed-ups over one core on the same lists of subproblems: both approaches, by sizes and pools
#[derive(Args)]
pub(crate) struct BranchAndBound {
    /// Tables and figures; by default all
    #[arg(value_parser = ITEMS)]
    items: Vec<String>,
    /// Sizes
    #[arg(long, value_delimiter = ',', value_parser = SIZES.map(|size| size.name),
        default_values = SIZES.map(|size| size.name))]
    sizes: Vec<String>,
    /// Instances of each size, whose speed-ups are averaged; 10 by default, 1 with --quick
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10))]
    instances: Option<u32>,
    /// Number of the first of them
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10))]
    first: u32,
    /// Nodes of a pool; by default the paper's seven, three of them with --quick
    #[arg(long, value_delimiter = ',')]
    pools: Vec<usize>,
    /// Factor of the lists' nodes. The paper's lists take one core minutes to hours
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// Nodes that a work-item decomposes before the rest of its tree returns
    #[arg(long, default_value_t = HostPool::default().budget)]
    budget: usize,
}

const ITEMS: [&str; 9] = [
    "table-1", "table-2", "table-3", "table-4", "table-5", "table-6", "table-7", "table-8",
    "table-9",
];
const QUICK_POOLS: [usize; 3] = [POOLS[0], POOLS[3], POOLS[6]];
/// The class of lists on processors, Table 3, and of the whole tree on the device.
const SEQUENTIAL: &str = "table-3";
const ON_DEVICE: &str = "on-device";

impl Reproduction for BranchAndBound {
    fn name(&self) -> &'static str {
        "branch-and-bound"
    }

    fn measure(&self, run: &Run, log: &Log) -> Result<()> {
        let instances = self.instances.unwrap_or(if run.quick { 1 } else { 10 });
        let engines = run.compared.engines();
        let core = engines::cpu(Some(1));
        for size in SIZES.iter().filter(|size| self.sizes.iter().any(|name| name == size.name)) {
            let wanted = (size.nodes as f64 * self.scale) as u64;
            let numbers = self.first..(self.first + instances).min(11);
            for number in numbers.map(|number| size.first - 1 + number) {
                let list = List::new(&core, format!("ta{number:03}"), wanted)?;
                let own = &list.options;
                let sequential = list.search(&core, own)?;
                for engine in &engines {
                    let side = Side { log, context: &engine.context, list: &list };
                    if engine.name == "core" {
                        side.write(&sequential, SEQUENTIAL, "list")?;
                        continue;
                    }
                    if !engine.is_device() {
                        side.compare(&sequential, SEQUENTIAL, "list", own)?;
                        continue;
                    }
                    side.compare(&sequential, ON_DEVICE, ON_DEVICE, own)?;
                    self.measure_pools(run.quick, &side, &sequential)?;
                }
            }
        }
        Ok(())
    }

    fn render(&self, lines: &Lines, report: &mut Report) -> Result<()> {
        let items = Items(&self.items);
        if items.has("table-1") {
            render::accesses(report);
        }
        if items.has("table-2") {
            render::bytes(report);
        }
        if items.has("table-3") {
            render::sequential(lines, report);
        }
        for table in TABLES.iter().filter(|table| items.has(table.item)) {
            render::speed_ups(lines, table, report);
        }
        if self.items.is_empty() {
            render::charts(lines, report);
        }
        Ok(())
    }
}

impl BranchAndBound {
    /// All scenarios with all pools.
    fn measure_pools(&self, quick: bool, side: &Side<'_>, sequential: &Searched) -> Result<()> {
        let default: &[usize] = if quick { &QUICK_POOLS } else { &POOLS };
        let pools = if self.pools.is_empty() { default } else { &self.pools };
        let items = Items(&self.items);
        for scenario in SCENARIOS.iter().filter(|scenario| items.has(scenario.item)) {
            let Scenario { item, exploration, sorted, branch_free, placement, .. } = *scenario;
            let budget = match exploration {
                Exploration::TreePool => self.budget,
                _ => HostPool::default().budget,
            };
            for &size in pools {
                let pool = HostPool { size, sorted, branch_free, placement, budget };
                let own = ExactOptions { exploration, pool, ..side.list.options.clone() };
                side.compare(sequential, item, &variant(scenario, size), &own)?;
            }
        }
        Ok(())
    }
}

/// As lines name a scenario with pools of that size.
fn variant(scenario: &Scenario, pool: usize) -> String {
    format!("{}, pools of {pool}", scenario.name)
}

/// The instances of a size, by their names.
fn names(size: &Size) -> impl Iterator<Item = String> + use<> {
    (size.first..size.first + 10).map(|number| format!("ta{number:03}"))
}

fn nodes(searched: &Searched) -> u64 {
    searched.report.statistics.get("nodes").unwrap()
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

    fn search(&self, context: &Context, options: &ExactOptions) -> Result<Searched> {
        let List { instance, parts, .. } = self;
        Ok(search_subproblems(context, instance, parts, options, &SolveOptions::default())?)
    }
}

/// An engine with a list.
struct Side<'a> {
    log: &'a Log,
    context: &'a Context,
    list: &'a List,
}

impl Side<'_> {
    /// Searches the list again. A ratio of times counts only where the trees are the same, so that
    /// other numbers of nodes are an error.
    fn compare(
        &self,
        sequential: &Searched,
        class: &str,
        variant: &str,
        options: &ExactOptions,
    ) -> Result<()> {
        let searched = self.list.search(self.context, options)?;
        if nodes(&searched) != nodes(sequential) {
            let (ours, theirs) = (nodes(&searched), nodes(sequential));
            return Err(format!("{variant}: {ours} nodes, {theirs} on one core").into());
        }
        self.write(&searched, class, variant)
    }

    fn write(&self, searched: &Searched, class: &str, variant: &str) -> Result<()> {
        let name = self.list.name.as_str();
        let line = self.log.report(name, self.context, &SolveOptions::default(), &searched.report);
        line.class(class).variant(variant).write()
    }
}
