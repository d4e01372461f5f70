//! Options of the subcommands that fill tables of a dynamic program.

use makespan::lattice_dp::{DivisorRule, Launches, Options, Partition, Traversal};

use crate::enumeration::named;
use crate::failure::Failure;

#[derive(clap::Args)]
pub(crate) struct TraversalOptions {
    /// Order in which the cells of tables are computed
    #[arg(long, value_parser = named::<Traversal>(), default_value = Traversal::default().name())]
    traversal: Traversal,
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

/// Number of dimensions to cut; `None` for `auto`.
#[derive(Clone, Copy)]
struct Dimensions(Option<usize>);

impl TraversalOptions {
    pub(crate) fn options(&self) -> Result<Options, Failure> {
        let given = self.partition.is_some() || self.divisors.is_some();
        if given && self.traversal != Traversal::Blocks {
            return Err(Failure::usage("--partition and --divisors are for --traversal blocks"));
        }
        Ok(Options {
            recurrence: Default::default(),
            traversal: self.traversal,
            partition: self.partition.and_then(|Dimensions(given)| given),
            divisors: self.divisors.unwrap_or_default(),
            launches: self.launches,
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
