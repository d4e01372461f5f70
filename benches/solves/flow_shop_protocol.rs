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
/// Tuyttens
#[derive(Args)]
pub(crate) struct Protocol {
    /// Sizes
    #[arg(value_parser = SIZES.map(|(name, _)| name), default_values = SIZES.map(|(name, _)| name))]
    names: Vec<String>,
}

/// An instance of each size, with the nodes of its list.
const SIZES: [(&str, u64); 4] =
    [("ta021", 80_000), ("ta051", 30_000), ("ta081", 15_000), ("ta101", 8_000)];

/// One table of the paper: how the host's pool is bounded, and the speed-ups printed there for 200
/// jobs, from pools of 4,096 nodes on; none where the table is missing in the source at hand.
struct Scenario {
    name: &'static str,
    sorted: bool,
    branch_free: bool,
    placement: Placement,
    printed: [Option<f64>; 7],
}

const SCENARIOS: [Scenario; 5] = [
    Scenario {
        name: "plain",
        sorted: false,
        branch_free: false,
        placement: Placement::Global,
        printed: [None, None, None, None, None, None, Some(71.69)],
    },
    Scenario {
        name: "sorted, branch-free",
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
        name: "times on chip",
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
        name: "Johnson on chip",
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
        name: "both on chip",
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
        println!(
            "| jobs | nodes | one thread, s | engine | 4096 | 8192 | 16384 | 32768 | \
             65536 | 131072 | 262144 |"
        );
        println!("| ---: | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
        for (name, wanted) in SIZES {
            if self.names.iter().any(|listed| listed == name) {
                let list = List::new(&core, name, wanted)?;
                Comparison::new(log, &core, &device, &list)?.print()?;
            }
        }
        Ok(())
    }
}

/// Subproblems that are small enough for one core.
struct List {
    name: &'static str,
    instance: Instance,
    options: ExactOptions,
    parts: Vec<Subproblem>,
}

impl List {
    /// The open nodes of a search cut short that together have about `wanted` nodes below them.
    fn new(core: &Context, name: &'static str, wanted: u64) -> Result<List> {
        let known = taillard::find(name).ok_or("no such instance")?;
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
        log.report(*name, core, &solve_options, &sequential.report).write()?;
        Ok(Comparison { log, device, list, sequential })
    }

    fn print(&self) -> Result<()> {
        let (jobs, seconds) = (self.list.instance.jobs(), self.sequential.report.seconds);
        let row = format!("| {jobs} | {} | {seconds:.2} |", nodes(&self.sequential));
        let tree = self.speed_up("on the device".to_owned(), &self.list.options)?;
        println!("{row} on-device | {tree:.1} | | | | | | |");
        for scenario in &SCENARIOS {
            let Scenario { name, sorted, branch_free, placement, printed } = *scenario;
            let mut cells = String::new();
            for (exponent, printed) in (12..=18).zip(printed) {
                let pool = HostPool { size: 1 << exponent, sorted, branch_free, placement };
                let variant = format!("{name}, {}", pool.size);
                let exploration = Exploration::HostPool;
                let options = ExactOptions { exploration, pool, ..self.list.options.clone() };
                let ours = self.speed_up(variant, &options)?;
                cells += &match printed.filter(|_| jobs == 200) {
                    Some(printed) => format!(" {ours:.2} ({printed}) |"),
                    None => format!(" {ours:.2} |"),
                };
            }
            println!("{row} {name} |{cells}");
        }
        Ok(())
    }

    /// How many times as fast the device is.
    fn speed_up(&self, variant: String, options: &ExactOptions) -> Result<f64> {
        let List { name, instance, parts, .. } = self.list;
        let solve_options = SolveOptions::default();
        let searched = search_subproblems(self.device, instance, parts, options, &solve_options)?;
        // A ratio of times counts only where the trees are the same.
        assert_eq!(nodes(&searched), nodes(&self.sequential));
        let speed_up = self.sequential.report.seconds / searched.report.seconds;
        let line = self.log.report(*name, self.device, &solve_options, &searched.report);
        line.variant(variant).with("speed_up", speed_up).write()?;
        Ok(speed_up)
    }
}
