//! The arguments of the kernels.

use crate::opencl::{Buffer, Local, kernel_arguments};

kernel_arguments! {
    /// The numbers of all instances.
    pub(super) struct Shops<'a> {
        times: &'a Buffer<u32>,
        releases: &'a Buffer<u32>,
        fronts: &'a Buffer<u32>,
        first_setups: &'a Buffer<u32>,
        setups: &'a Buffer<u32>,
        kinds: &'a Buffer<u32>,
        scores: &'a Buffer<i64>,
        starts: &'a Buffer<i64>,
        factors: &'a Buffer<i64>,
        tolerances: &'a Buffer<i64>,
        limits: &'a Buffer<u32>,
        plans: &'a Buffer<u32>,
    }

    /// Searches trajectories.
    pub(super) struct Greedy<'a> = "flow_shop_greedy" {
        shops: Shops<'a>,
        sequences: &'a Buffer<u32>,
        states: &'a Buffer<u64>,
        heads: &'a Buffer<u32>,
        tails: &'a Buffer<u32>,
        released: &'a Buffer<u32>,
        scored: &'a Buffer<i64>,
        jobs: u32,
        kind_count: u32,
        each: u32,
        stride: u32,
        placements: u32,
        iterations: u64,
        order: Local as uint,
        turns: Local as uint,
        ring: Local as uint,
        links: Local as uint,
        keys: Local as long,
        places: Local as uint,
    }

    /// The arguments of kernels that evaluate the neighbours of a sequence.
    pub(super) struct Scan<'a> {
        shops: Shops<'a>,
        present: &'a Buffer<u32>,
        forbidden: &'a Buffer<u32>,
        cutoff: &'a Buffer<i64>,
        bests: &'a Buffer<u32>,
        values: &'a Buffer<i64>,
        jobs: u32,
        kind_count: u32,
        count: u32,
        changes: u64,
        order: Local as uint,
        keys: Local as long,
        places: Local as uint,
    }

    /// Finds the best place for each job of a sequence.
    pub(super) struct Insertions<'a> = "flow_shop_greedy_neighbours" {
        scan: Scan<'a>,
        heads: &'a Buffer<u32>,
        tails: &'a Buffer<u32>,
        released: &'a Buffer<u32>,
        scored: &'a Buffer<i64>,
        stride: u32,
        ring: Local as uint,
        links: Local as uint,
    }

    /// Finds the best later job to exchange each one with.
    pub(super) struct Exchanges<'a> = "flow_shop_greedy_exchanges" {
        scan: Scan<'a>,
    }
}
