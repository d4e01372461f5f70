//! Options of the subcommands that fill tables of a dynamic program.

use clap::ValueEnum;
use makespan::lattice_dp::{DivisorRule, Launches, Options, Partition, Traversal};

use crate::failure::Failure;

#[derive(clap::Args)]
pub(crate) struct TraversalOptions {
    /// Order in which the cells of tables are computed
    #[arg(long, value_enum, default_value_t)]
    traversal: TraversalChoice,
    /// Number of dimensions that `blocks` cuts: 3 to 9, or `auto` for the number with the shortest
    /// estimated time
    #[arg(long, value_name = "auto|3..9", value_parser = parse_dimensions)]
    partition: Option<Dimensions>,
    /// Number of parts of a dimension that `blocks` cuts [default: tabulated]
    #[arg(long, value_enum)]
    divisors: Option<DivisorChoice>,
    /// How a device proceeds from one slab, level or block level to the next; the CPU ignores it
    #[arg(long, value_enum, default_value_t)]
    launches: LaunchesChoice,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum TraversalChoice {
    /// Slabs of adjacent cells, the fastest
    #[default]
    Slabs,
    /// Anti-diagonal levels of the whole table
    Levels,
    /// Blocks by the levels of their coordinates, and the cells of each block by levels
    Blocks,
}

#[derive(Clone, Copy, ValueEnum)]
enum DivisorChoice {
    /// The largest divisor of its size up to the square root; the size itself if that is prime
    Tabulated,
    /// The largest divisor of its size up to the square root; 1 if the size is prime
    Printed,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum LaunchesChoice {
    /// The way with the shorter estimated time
    #[default]
    Auto,
    /// One launch, or several, for each step
    Stepwise,
    /// One launch of a persistent kernel, whose work-groups wait for each other after each step;
    /// for tables of some milliseconds
    Persistent,
}

/// Number of dimensions to cut; `None` for `auto`.
#[derive(Clone, Copy)]
struct Dimensions(Option<usize>);

impl TraversalOptions {
    pub(crate) fn options(&self) -> Result<Options, Failure> {
        let launches = match self.launches {
            LaunchesChoice::Auto => Launches::Auto,
            LaunchesChoice::Stepwise => Launches::Stepwise,
            LaunchesChoice::Persistent => Launches::Persistent,
        };
        Ok(Options { traversal: self.traversal()?, launches })
    }

    fn traversal(&self) -> Result<Traversal, Failure> {
        let given = self.partition.is_some() || self.divisors.is_some();
        if given && self.traversal != TraversalChoice::Blocks {
            return Err(Failure::usage("--partition and --divisors are for --traversal blocks"));
        }
        let rule = match self.divisors {
            None | Some(DivisorChoice::Tabulated) => DivisorRule::Tabulated,
            Some(DivisorChoice::Printed) => DivisorRule::Printed,
        };
        Ok(match self.traversal {
            TraversalChoice::Slabs => Traversal::Slabs,
            TraversalChoice::Levels => Traversal::Levels,
            TraversalChoice::Blocks => Traversal::Blocks {
                dimensions: self.partition.and_then(|Dimensions(given)| given),
                rule,
            },
        })
    }
}

fn parse_dimensions(text: &str) -> Result<Dimensions, String> {
    let number = text.parse().ok().filter(|number| Partition::DIMENSIONS.contains(number));
    match (text, number) {
        ("auto", _) => Ok(Dimensions(None)),
        (_, Some(number)) => Ok(Dimensions(Some(number))),
        _ => Err("it is neither 'auto' nor a number from 3 to 9".into()),
    }
}
