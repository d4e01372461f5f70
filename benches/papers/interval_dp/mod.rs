//! The adaptive mapping of interval programs: Figures 3 to 8 of Diwan and Tembhurne 2019.

mod long_chains;
mod render;

use clap::Args;
use makespan::SolveOptions;
use makespan::interval_dp::{Instance, Kind, Mapping, MappingOptions, Method, Options, solve};

use crate::common::Result;
use crate::common::engines::NamedEngine;
use crate::common::fastest::fastest;
use crate::common::instances::interval;
use crate::common::log::Log;
use crate::recorded::Lines;
use crate::report::{Items, Report};
use crate::{Reproduction, Run};

/// Matrix chains by the four conventional mappings and the adaptive one, over three plain loops
#[derive(Args)]
pub(crate) struct IntervalDp {
    /// Tables and figures; by default all
    #[arg(value_parser = ITEMS)]
    items: Vec<String>,
    /// Matrices of the chains; those of the figures have up to 4,096 by default, 2,048 with --quick
    #[arg(long, value_delimiter = ',')]
    matrices: Vec<usize>,
}

const ITEMS: [&str; 7] =
    ["figure-3", "figure-4", "figure-5", "figure-6", "figure-7", "figure-8", long_chains::NAME];
/// Work-items of a group, and numbers of groups.
const SIZES: [usize; 6] = [32, 64, 128, 256, 512, 1024];
const GROUPS: [usize; 6] = [16, 32, 64, 128, 256, 512];
/// Points of the longest chain that is solved once more before its time is taken. Recorded seconds are
/// without the building of kernels, so longer chains need no such solve.
const LONGEST_TWICE: usize = 5000;
/// The three plain loops on one core.
const YARDSTICK: &str = "three loops";

/// A figure: a mapping with some sizes and numbers of groups.
struct Sweep {
    figure: &'static str,
    mapping: Mapping,
    curves: &'static [Curves],
}

/// The curves of a figure.
enum Curves {
    /// One for each size of a group; the mapping decides the number of groups.
    Sizes,
    /// One for each number of groups of that size.
    GroupsOf(usize),
    /// One for each size of that number of groups.
    SizesOf(usize),
}

/// Of approach 3, the captions of Figures 5 and 6 say block size 32 and 64, and the text says grid
/// size. Both are measured.
const SWEEPS: [Sweep; 5] = [
    Sweep { figure: "figure-3", mapping: Mapping::FirstPhase, curves: &[Curves::Sizes] },
    Sweep { figure: "figure-4", mapping: Mapping::GroupPerCell, curves: &[Curves::Sizes] },
    Sweep {
        figure: "figure-5",
        mapping: Mapping::Constant,
        curves: &[Curves::GroupsOf(32), Curves::SizesOf(32)],
    },
    Sweep {
        figure: "figure-6",
        mapping: Mapping::Constant,
        curves: &[Curves::GroupsOf(64), Curves::SizesOf(64)],
    },
    Sweep { figure: "figure-7", mapping: Mapping::ItemPerCell, curves: &[Curves::Sizes] },
];

impl Curves {
    /// The name of each curve, and its options.
    fn ways(&self) -> Vec<(String, MappingOptions)> {
        let sized =
            |group_size, groups| MappingOptions { group_size, groups, ..Default::default() };
        let named = |options: MappingOptions| match self {
            Curves::Sizes => (format!("groups of {}", options.group_size), options),
            _ => (format!("{} groups of {}", options.groups, options.group_size), options),
        };
        let of_sizes = |groups| SIZES.map(|size| named(sized(size, groups)));
        match *self {
            Curves::Sizes => of_sizes(MappingOptions::default().groups),
            Curves::SizesOf(groups) => of_sizes(groups),
            Curves::GroupsOf(size) => GROUPS.map(|groups| named(sized(size, groups))),
        }
        .to_vec()
    }
}

impl Reproduction for IntervalDp {
    fn name(&self) -> &'static str {
        "interval-dp"
    }

    fn measure(&self, run: &Run, log: &Log) -> Result<()> {
        let items = Items(&self.items);
        let default: &[usize] =
            if run.quick { &[512, 1024, 2048] } else { &[512, 1024, 2048, 4096] };
        let sizes = if self.matrices.is_empty() { default } else { &self.matrices };
        for &matrices in sizes {
            let chain = interval(Kind::MatrixChain, matrices + 1, 1);
            for engine in &run.compared.engines() {
                let measured = Measured { log, engine, chain: &chain };
                if engine.name == "core" {
                    measured.solve("figure-8", YARDSTICK, Method::Serial, Default::default())?;
                }
                if items.has("figure-8") {
                    measured.solve("figure-8", "tiles", Method::Cubic, Default::default())?;
                }
                if !engine.is_device() {
                    continue;
                }
                if items.has("figure-8") {
                    let adaptive = Method::Mapping(Mapping::Adaptive);
                    measured.solve("figure-8", "gmm", adaptive, Default::default())?;
                }
                // Figure 8 has the best of each approach.
                let wanted = |sweep: &&Sweep| items.has(sweep.figure) || items.has("figure-8");
                for Sweep { figure, mapping, curves } in SWEEPS.iter().filter(wanted) {
                    for (name, options) in curves.iter().flat_map(Curves::ways) {
                        measured.solve(figure, &name, Method::Mapping(*mapping), options)?;
                    }
                }
            }
        }
        let is_named = self.items.iter().any(|item| item == long_chains::NAME);
        if is_named || (self.items.is_empty() && !run.quick && self.matrices.is_empty()) {
            for engine in run.compared.engines().iter().filter(|engine| engine.is_device()) {
                long_chains::measure(log, engine, &self.matrices)?;
            }
        }
        Ok(())
    }

    fn render(&self, lines: &Lines, report: &mut Report) -> Result<()> {
        let items = Items(&self.items);
        for sweep in SWEEPS.iter().filter(|sweep| items.has(sweep.figure)) {
            render::sweep(lines, sweep, report);
        }
        if items.has("figure-8") {
            render::figure_8(lines, report);
        }
        if items.has(long_chains::NAME) {
            long_chains::render(lines, report);
        }
        Ok(())
    }
}

/// A chain on an engine.
struct Measured<'a> {
    log: &'a Log,
    engine: &'a NamedEngine,
    chain: &'a Instance<i64>,
}

impl Measured<'_> {
    /// A line with the better of two solves, or with one if it is long.
    fn solve(
        &self,
        figure: &str,
        variant: &str,
        method: Method,
        mapping: MappingOptions,
    ) -> Result<()> {
        let options = Options { method, mapping, ..Options::default() };
        let solve_options = SolveOptions::default();
        let context = &self.engine.context;
        let solve = || solve(context, self.chain, &options, &solve_options);
        if self.engine.is_device() && self.chain.points() <= LONGEST_TWICE {
            // Builds kernels.
            solve()?;
        }
        let best = fastest(2, 2.0, solve)?;
        let matrices = (self.chain.points() - 1).to_string();
        let line = self.log.outcome(matrices, context, &solve_options, &best);
        line.class(figure).variant(variant).write()
    }
}
