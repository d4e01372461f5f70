//! Code shared by the lattice benchmarks.
#![allow(dead_code, reason = "not every benchmark uses all of it")]

use makespan::{Context, ContextOptions, Engine, SolveOptions, lattice_dp};

/// The CPU with `threads` threads, or one per core.
pub(crate) fn threads_context(threads: Option<usize>) -> Context {
    let options = ContextOptions { engine: Engine::Cpu, threads, ..ContextOptions::default() };
    Context::new(options).unwrap()
}

/// The measured device, if there is one, with `threads` threads on the host side, or one per core.
pub(crate) fn device_context(threads: Option<usize>) -> Option<Context> {
    let device = std::env::var("MAKESPAN_BENCH_DEVICE").ok().and_then(|index| index.parse().ok());
    let options =
        ContextOptions { engine: Engine::Device, device, threads, ..ContextOptions::default() };
    Context::new(options).ok()
}

/// The library's own choice, after enough work that it has looked for the device.
pub(crate) fn auto_context(threads: Option<usize>) -> Context {
    let device = std::env::var("MAKESPAN_BENCH_DEVICE").ok().and_then(|index| index.parse().ok());
    let options =
        ContextOptions { engine: Engine::Auto, device, threads, ..ContextOptions::default() };
    let context = Context::new(options).unwrap();
    let (table, options) = (configurations(&[4; 12]), lattice_dp::Options::default());
    for _ in 0..200 {
        lattice_dp::solve(&context, &table, &options, &SolveOptions::default()).unwrap();
    }
    context
}

/// The table of the P||Cmax scheme at k = 4 with the smallest legal classes, 4 units and up, which
/// have the most configurations.
pub(crate) fn configurations(sizes: &[u32]) -> lattice_dp::Instance {
    let units: Vec<u32> = (4..).take(sizes.len()).collect();
    packing_lattice(sizes, &units, 16)
}

/// A box of item counts, each up to size - 1. Its offsets, of cost 1, are all ways to fill a
/// container of that capacity with items of these units.
pub(crate) fn packing_lattice(sizes: &[u32], units: &[u32], capacity: u32) -> lattice_dp::Instance {
    fn extend(
        sizes: &[u32],
        units: &[u32],
        left: u32,
        vector: &mut Vec<u32>,
        list: &mut Vec<(Vec<u32>, u16)>,
    ) {
        let Some((&size, rest)) = sizes.split_first() else {
            if vector.iter().any(|&count| count > 0) {
                list.push((vector.clone(), 1));
            }
            return;
        };
        for count in (0..size.min(left / units[0] + 1)).rev() {
            vector.push(count);
            extend(rest, &units[1..], left - count * units[0], vector, list);
            vector.pop();
        }
    }
    let mut list = Vec::new();
    extend(sizes, units, capacity, &mut Vec::new(), &mut list);
    lattice_dp::Instance::new(sizes, list).unwrap()
}
