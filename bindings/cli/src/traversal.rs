//! Options of the subcommands that fill tables of a dynamic program.

use clap::ValueEnum;
use makespan::lattice_dp::{DivisorRule, Launches, Options, Partition, Traversal};

use crate::enumeration::named;
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
    #[arg(long, value_parser = named::<DivisorRule>())]
    divisors: Option<DivisorRule>,
    /// How a device proceeds from one slab, level or block level to the next; the CPU ignores it
    #[arg(long, value_parser = named::<Launches>(), default_value = Launches::default().name())]
    launches: Launches,
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

/// Number of dimensions to cut; `None` for `auto`.
#[derive(Clone, Copy)]
struct Dimensions(Option<usize>);

impl TraversalOptions {
    pub(crate) fn options(&self) -> Result<Options, Failure> {
        Ok(Options { traversal: self.traversal()?, launches: self.launches })
    }

    fn traversal(&self) -> Result<Traversal, Failure> {
        let given = self.partition.is_some() || self.divisors.is_some();
        if given && self.traversal != TraversalChoice::Blocks {
            return Err(Failure::usage("--partition and --divisors are for --traversal blocks"));
        }
        let rule = self.divisors.unwrap_or_default();
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
