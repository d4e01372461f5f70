//! Figures 3 to 8 of Diwan and Tembhurne 2019: the mappings by the size and the number of groups.

use clap::Args;
use makespan::interval_dp::{Instance, Kind, Mapping, MappingOptions, Method, Options, solve};
use makespan::{Context, SolveOptions};

use crate::Result;
use crate::common::engines;
use crate::common::instances::interval;
use crate::log::Log;

/// The mappings of Diwan and Tembhurne 2019 by group size and number of groups
///
/// Figures 3, 4 and 7 have the group sizes of cm-1, cm-2 and cm-4, Figures 5 and 6 the numbers of
/// groups of cm-3 with 32 and 64 work-items. The last line of a chain has gmm, as Figure 8 does.
#[derive(Args)]
pub(crate) struct Sweeps {
    /// Matrices of the chains
    #[arg(long, value_delimiter = ',', default_value = "512,1024,2048,4096")]
    matrices: Vec<usize>,
}

const SIZES: [usize; 6] = [32, 64, 128, 256, 512, 1024];
const GROUPS: [usize; 6] = [16, 32, 64, 128, 256, 512];

impl Sweeps {
    pub(crate) fn run(&self, log: &Log) -> Result<()> {
        let Some(device) = engines::device(None) else { return Ok(()) };
        println!("matrices mapping, milliseconds with each size or number of groups");
        for &matrices in &self.matrices {
            let chain = interval(Kind::MatrixChain, matrices + 1, 1);
            let of_sizes = |mapping| {
                SIZES.map(|group_size| {
                    (mapping, MappingOptions { group_size, ..Default::default() })
                })
            };
            let of_groups = |group_size| {
                GROUPS.map(|groups| {
                    let options = MappingOptions { group_size, groups, ..Default::default() };
                    (Mapping::Constant, options)
                })
            };
            let adaptive = [(Mapping::Adaptive, MappingOptions::default())];
            let lines = [
                ("cm-1, group sizes", &of_sizes(Mapping::FirstPhase)[..]),
                ("cm-2, group sizes", &of_sizes(Mapping::GroupPerCell)),
                ("cm-3, groups of 32", &of_groups(32)),
                ("cm-3, groups of 64", &of_groups(64)),
                ("cm-4, group sizes", &of_sizes(Mapping::ItemPerCell)),
                ("gmm", &adaptive),
            ];
            for (name, ways) in lines {
                let mut line = format!("{matrices:>6} {name:<18}");
                for (mapping, options) in ways {
                    let seconds = seconds(log, &device, &chain, *mapping, options)?;
                    line += &format!(" {:>9.2}", seconds * 1e3);
                }
                println!("{line}");
            }
        }
        Ok(())
    }
}

/// The better of two solves.
fn seconds(
    log: &Log,
    device: &Context,
    chain: &Instance<i64>,
    mapping: Mapping,
    options: &MappingOptions,
) -> Result<f64> {
    let method = Method::Mapping(mapping);
    let own = Options { method, mapping: options.clone(), ..Options::default() };
    let solve_options = SolveOptions::default();
    let [first, second] = [(); 2].map(|()| solve(device, chain, &own, &solve_options));
    let (first, second) = (first?, second?);
    let best = if second.report.seconds < first.report.seconds { second } else { first };
    let name = format!("{} of {}", chain.kind().name(), chain.points());
    log.outcome(name, device, &solve_options, &best)
        .variant(format!("{} groups of {}", options.groups, options.group_size))
        .write()?;
    Ok(best.report.seconds)
}
