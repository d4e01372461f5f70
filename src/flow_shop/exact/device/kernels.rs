//! The arguments of the kernels, and numbers that they share with the host.

use crate::flow_shop::exact::Branching;
use crate::opencl::{Buffer, GroupArrays, Local, kernel_arguments};

/// Words of a stack's state: the batch's first node, its size, the incumbent, whether this device
/// found it, and two words that only the kernels use.
const BASE: usize = 0;
const COUNT: usize = 1;
pub(super) const INCUMBENT: usize = 2;
pub(super) const IMPROVED: usize = 3;
const OLD_BASE: usize = 4;
const OLD_GROUPS: usize = 5;
pub(super) const STATE_WORDS: usize = 6;

/// The rule's number for the kernels.
pub(in crate::flow_shop::exact) const fn rule(branching: Branching) -> u32 {
    match branching {
        Branching::Forward => 0,
        Branching::Backward => 1,
        Branching::MinBranch => 2,
        Branching::MinMinFront => 3,
        Branching::MinMin => 4,
        Branching::MaxSum => 5,
    }
}

pub(in crate::flow_shop::exact) const CONSTANTS: &[(&str, u64)] = &[
    ("BASE", BASE as u64),
    ("COUNT", COUNT as u64),
    ("INCUMBENT", INCUMBENT as u64),
    ("IMPROVED", IMPROVED as u64),
    ("OLD_BASE", OLD_BASE as u64),
    ("OLD_GROUPS", OLD_GROUPS as u64),
    ("FORWARD", rule(Branching::Forward) as u64),
    ("BACKWARD", rule(Branching::Backward) as u64),
    ("MIN_BRANCH", rule(Branching::MinBranch) as u64),
    ("MIN_MIN_FRONT", rule(Branching::MinMinFront) as u64),
    ("MIN_MIN_BACK", rule(Branching::MinMin) as u64),
    ("MAX_SUM", rule(Branching::MaxSum) as u64),
];

kernel_arguments! {
    /// Sizes of records, and a tile of nodes in local memory.
    pub(in crate::flow_shop::exact) struct Tile {
        size: u32,
        jobs: u32,
        tile_nodes: u32,
        stride: u32,
        tile: Local as quad,
        open: Local as uint,
        near_bounds: Local as pair,
    }

    /// The first arguments of `flow_shop_expand`. An objective has more behind them.
    pub(in crate::flow_shop::exact) struct Batch<'a> {
        stack: &'a Buffer<u32> as quad,
        batch: &'a Buffer<u32> as quad,
        rule: u32,
        limit: u32,
        state: &'a Buffer<u32>,
        listed: &'a Buffer<u32> as uint2,
        summaries: &'a Buffer<u32> as summary,
        end: Local as uint,
        kept: Local as uint,
    }

    /// Computes where the children go, and chooses the next batch.
    pub(in crate::flow_shop::exact) struct Advance<'a> = "flow_shop_advance" {
        batch: &'a Buffer<u32> as quad,
        size: u32,
        jobs: u32,
        tile_nodes: u32,
        most: u32,
        capacity: u32,
        summaries: &'a Buffer<u32> as summary,
        offsets: &'a Buffer<u32>,
        state: &'a Buffer<u32>,
        totals: &'a Buffer<u64>,
        best: &'a Buffer<u32>,
        sums: Local as uint,
        group_arrays: GroupArrays,
    }

    /// Writes the children.
    pub(in crate::flow_shop::exact) struct Branch<'a> = "flow_shop_branch" {
        stack: &'a Buffer<u32> as quad,
        batch: &'a Buffer<u32> as quad,
        size: u32,
        jobs: u32,
        times: &'a Buffer<u32> as value,
        tile_nodes: u32,
        state: &'a Buffer<u32>,
        listed: &'a Buffer<u32> as uint2,
        offsets: &'a Buffer<u32>,
        some: u32,
        stride: u32,
        children: Local as uint,
    }

    /// Finds the least bound.
    pub(in crate::flow_shop::exact) struct Smallest<'a> = "flow_shop_smallest" {
        stack: &'a Buffer<u32> as quad,
        size: u32,
        state: &'a Buffer<u32>,
        smallest: &'a Buffer<u32>,
        group_arrays: GroupArrays,
    }

    /// Copies the ends of records.
    pub(in crate::flow_shop::exact) struct Tails<'a> = "flow_shop_tails" {
        stack: &'a Buffer<u32>,
        record_words: u32,
        words: u32,
        first: u32,
        count: u32,
        tails: &'a Buffer<u32>,
    }

    /// Computes digests of records and copies their ends.
    pub(in crate::flow_shop::exact) struct Sample<'a> = "flow_shop_sample" {
        stack: &'a Buffer<u32>,
        record_words: u32,
        words: u32,
        first: u32,
        count: u32,
        to: u32,
        samples: &'a Buffer<u32>,
    }

    /// Moves records.
    pub(in crate::flow_shop::exact) struct Shift<'a> = "flow_shop_shift" {
        stack: &'a Buffer<u32> as quad,
        from: u32,
        to: u32,
        count: u32,
        size: u32,
    }
}
