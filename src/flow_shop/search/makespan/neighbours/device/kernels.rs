//! The arguments of the kernels.

use crate::opencl::{Buffer, GroupArrays, Local, kernel_arguments};

kernel_arguments! {
    /// Fills tables with the times of sequences.
    pub(super) struct LayOut<'a> = "flow_shop_lay_out" {
        times: &'a Buffer<u32>,
        orders: &'a Buffer<u32>,
        tables: &'a Buffer<u32> as uint4,
        tiles: u32,
    }

    /// Fills tables with the differences of adjacent jobs.
    pub(super) struct LayOutDeltas<'a> = "flow_shop_lay_out_deltas" {
        sums: &'a Buffer<u32>,
        orders: &'a Buffer<u32>,
        deltas: &'a Buffer<i32>,
        tiles: u32,
    }

    /// Fills tables with the times of sequences and the set-ups between them.
    pub(super) struct LayOutSetups<'a> = "flow_shop_lay_out_setups" {
        job_times: &'a Buffer<u32>,
        into: &'a Buffer<u32> as uint4,
        kinds: &'a Buffer<u32>,
        orders: &'a Buffer<u32>,
        steps: &'a Buffer<u32> as uint4,
        tiles: u32,
        none: u32,
    }

    /// Computes tails with set-ups.
    pub(super) struct SetupTails<'a> = "flow_shop_setup_tails" {
        front: &'a Buffer<u32>,
        steps: &'a Buffer<u32> as uint4,
        tails: &'a Buffer<u32> as uint4,
        tiles: u32,
        chains: Local as uint4,
    }

    /// The common arguments of the kernels that evaluate neighbourhoods.
    pub(super) struct Neighbours<'a> {
        tails: &'a Buffer<u32> as uint4,
        forbidden: &'a Buffer<u32>,
        bests: &'a Buffer<u32>,
        leasts: &'a Buffer<u64>,
        jobs: u32,
        tiles: u32,
        most_forbidden: u32,
        listed: u32,
        first_group: u32,
        groups: u32,
    }

    /// Evaluates insertions.
    pub(super) struct Insertions<'a> = "evaluate_insertions" {
        times: &'a Buffer<u32> as uint4,
        neighbours: Neighbours<'a>,
        links: Local as uint4,
        closed: Local as uint,
    }

    /// Evaluates insertions with set-ups.
    pub(super) struct SetupInsertions<'a> = "evaluate_setup_insertions" {
        steps: &'a Buffer<u32> as uint4,
        into: &'a Buffer<u32> as uint4,
        out_of: &'a Buffer<u32> as uint4,
        kinds: &'a Buffer<u32>,
        orders: &'a Buffer<u32>,
        neighbours: Neighbours<'a>,
        none: u32,
        chains: Local as uint4,
        closed: Local as uint,
        own: Local as uint,
        ring: Local as uint4,
        group_leasts: Local as ulong,
    }

    /// Evaluates swaps by heads and tails.
    pub(super) struct SwapsBetween<'a> = "flow_shop_swaps_between" {
        sums: &'a Buffer<u32>,
        orders: &'a Buffer<u32>,
        deltas: &'a Buffer<i32> as int4,
        neighbours: Neighbours<'a>,
        group_leasts: Local as ulong,
    }

    /// Writes whole neighbours.
    pub(super) struct WriteSwaps<'a> = "flow_shop_write_swaps" {
        stored: &'a Buffer<u16>,
        jobs: u32,
        first_number: u32,
        end_number: u32,
    }

    /// Evaluates swaps as published.
    pub(super) struct Swaps<'a> = "flow_shop_swaps" {
        times: &'a Buffer<u32>,
        front: &'a Buffer<u32>,
        orders: &'a Buffer<u32>,
        neighbours: Neighbours<'a>,
        group_leasts: Local as ulong,
        evaluation: u32,
        column_memory: Local as uint,
        stored: Option<&'a Buffer<u16>>,
    }

    /// Moves trajectories to their best neighbours.
    pub(super) struct Advance<'a> = "advance" {
        front: &'a Buffer<u32>,
        sums: &'a Buffer<u32>,
        orders: &'a Buffer<u32>,
        next_orders: &'a Buffer<u32>,
        times: &'a Buffer<u32> as uint4,
        tails: &'a Buffer<u32> as uint4,
        deltas: &'a Buffer<i32>,
        list: &'a Buffer<u32>,
        forbidden: &'a Buffer<u32>,
        leasts: &'a Buffer<u64>,
        bests: &'a Buffer<u32>,
        leasts_each: u32,
        jobs: u32,
        tiles: u32,
        insertions: u32,
        directions: u32,
        has_deltas: u32,
        tenure: u32,
        slot: u32,
        group_leasts: Local as ulong,
        links: Local as uint4,
    }

    /// Makes several generations of insertions.
    pub(super) struct SeveralGenerations<'a> = "flow_shop_generations" {
        state: &'a Buffer<u32>,
        front: &'a Buffer<u32>,
        orders: &'a Buffer<u32>,
        next_orders: &'a Buffer<u32>,
        times: &'a Buffer<u32> as uint4,
        tails: &'a Buffer<u32> as uint4,
        list: &'a Buffer<u32>,
        forbidden: &'a Buffer<u32>,
        leasts: &'a Buffer<u64>,
        bests: &'a Buffer<u32>,
        jobs: u32,
        tiles: u32,
        tenure: u32,
        entries: u32,
        slot: u32,
        trajectories: u32,
        generations: u32,
        group_leasts: Local as ulong,
        links: Local as uint4,
        closed: Local as uint,
        group_arrays: GroupArrays,
    }
}
