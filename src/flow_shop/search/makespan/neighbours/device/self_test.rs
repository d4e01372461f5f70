//! Compares the kernels with the CPU.

use super::from_scratch::{SetupSearch, instance_with_setups};
use super::kernels::{SetupInsertions, SeveralGenerations};
use super::scan::EVALUATE_KERNELS;
use super::{DeviceTabu, Scan, Shop};
use crate::Context;
use crate::flow_shop::search::makespan::{CpuNeighbours, Evaluation};
use crate::flow_shop::search::moves::Neighbourhood;
use crate::flow_shop::search::tabu::{self, HostTabu, Settings, State, TabuList};
use crate::flow_shop::self_test::instance;
use crate::opencl::{Arguments, Failing, Trial, agree};
use crate::solve::{Monitor, SolveOptions};

/// Jobs enough for several groups of neighbours, all of them partly filled.
const JOBS: usize = 25;
/// Jobs enough for two batches of positions, besides the pinned ones.
const SETUP_JOBS: usize = 45;
const PINNED: usize = 2;
const TRAJECTORIES: usize = 3;
/// More generations than list entries.
const GENERATIONS: u64 = 6;
const TENURE: usize = 3;

/// Runs whole trajectories with the program's evaluation.
pub(super) fn compare(trial: &Trial<'_>) -> Result<(), Failing> {
    let define = |name| trial.define(name).unwrap_or(0) as usize;
    let (machines, list) = shape(trial);
    let (shop, monitor) =
        (Shop::of(&instance(JOBS, machines, 0, 99)?), Monitor::new(&SolveOptions::default()));
    let first: Vec<u32> = (0..JOBS as u32).collect();
    let value = |order: &[u32]| shop.makespan(order).into();
    let starts = tabu::starts(&first, TRAJECTORIES, 1, &monitor, value)?;
    let (context, queue) = (Context::of_one_thread()?, trial.device().queue());
    for scan in scans(define("LOCAL_COLUMNS") == 1) {
        let is_stored = define("STORED") == 1;
        if EVALUATE_KERNELS[define("EVALUATE")] != scan.kernel()
            || scan.stores_neighbours() != is_stored
        {
            continue;
        }
        let settings = Settings { neighbourhood: scan.neighbourhood, list, tenure: TENURE };
        let states = State::at(&settings, &starts);
        let evaluator = || CpuNeighbours::new(&shop, &monitor, scan);
        let on_host = || {
            let host = HostTabu::new(&settings, &states, &monitor, 0, evaluator)?;
            tabu::run(host, &monitor, GENERATIONS)
        };
        let expected = context.install(on_host)??;
        let search = || {
            let search = (settings, scan);
            DeviceTabu::new(trial.device(), &queue, &shop, &monitor, search, &states)
        };
        let found = tabu::run(search()?.one_by_one(), &monitor, GENERATIONS)?;
        agree(scan.kernel(), &[found], std::slice::from_ref(&expected))?;
        if let Some(search) = search()?.at_once() {
            match tabu::run(search, &monitor, GENERATIONS) {
                // Without groups that wait, there are still the launches of one generation.
                Err(_) if trial.device().has_waited_in_vain() => {}
                found => agree(SeveralGenerations::KERNEL, &[found?], &[expected])?,
            }
        }
    }
    Ok(())
}

/// The same with set-ups.
pub(super) fn compare_setups(trial: &Trial<'_>) -> Result<(), Failing> {
    let (machines, list) = shape(trial);
    let instance = instance_with_setups(SETUP_JOBS + PINNED, machines, PINNED)?;
    let search = SetupSearch::new(&instance, list, GENERATIONS)?;
    let (found, _) = search.on_device(trial.device())?;
    agree(SetupInsertions::KERNEL, &[found], &[search.on_host()?])?;
    Ok(())
}

/// The machines and the kind of list that a program is for.
fn shape(trial: &Trial<'_>) -> (usize, TabuList) {
    let define = |name| trial.define(name).unwrap_or(0) as usize;
    let (lanes, lane_machines) = (define("LANES"), define("LANE_MACHINES"));
    // If lanes have several machines, the last lane is partly filled, unless fewer lanes would do.
    let few = lanes * lane_machines - (lane_machines - 1);
    let machines =
        if super::lanes(few) == (lanes, lane_machines) { few } else { lanes * lane_machines };
    let list = if define("ATTRIBUTES") == 1 { TabuList::Attributes } else { TabuList::Sequences };
    (machines, list)
}

fn scans(local_columns: bool) -> [Scan; 5] {
    [
        (Neighbourhood::Swap, Evaluation::Stored),
        (Neighbourhood::Swap, Evaluation::Full),
        (Neighbourhood::Swap, Evaluation::Prefix),
        (Neighbourhood::Swap, Evaluation::HeadsAndTails),
        (Neighbourhood::Insertion, Evaluation::HeadsAndTails),
    ]
    .map(|(neighbourhood, evaluation)| Scan { neighbourhood, evaluation, local_columns })
}

#[cfg(test)]
mod tests {
    use crate::flow_shop::search::makespan::neighbours::device::FAMILY;
    use crate::flow_shop::search::makespan::neighbours::device::setups::SETUP_FAMILY;
    use crate::opencl::testing::expect_lies_to_be_noticed;

    #[test]
    fn wrong_kernels_are_barred() {
        for (evaluate, stored) in [(0, 0), (1, 0), (2, 0), (2, 1)] {
            let lanes = [("LANES", 6), ("LANE_MACHINES", 1)];
            let ways = [
                ("LOCAL_COLUMNS", 0),
                ("STORED", stored),
                ("ATTRIBUTES", 1),
                ("EVALUATE", evaluate),
            ];
            // Lies in move indices would make `advance` access memory outside its buffers.
            let lies: &[(_, &[&str])] =
                if evaluate == 0 { &[("flow_shop_lay_out", &["tables"])] } else { &[] };
            expect_lies_to_be_noticed(&FAMILY, &[&lanes[..], &ways].concat(), lies);
        }
        let quads = 1;
        let ring = super::super::setups::ring(6, quads) as u64;
        let lanes = [("LANES", 6), ("LANE_MACHINES", 1), ("ATTRIBUTES", 1)];
        let defines = [&lanes[..], &[("SETUP_ROW", 1), ("RING", ring)]].concat();
        let lies: &[(_, &[&str])] =
            &[("flow_shop_lay_out_setups", &["steps"]), ("flow_shop_setup_tails", &["tails"])];
        expect_lies_to_be_noticed(&SETUP_FAMILY, &defines, lies);
    }
}
