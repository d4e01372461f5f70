//! The arguments of the kernels that bound by the makespan.

use crate::flow_shop::exact::device::{Batch, Tile};
use crate::opencl::{Buffer, GroupArrays, Local, kernel_arguments};

kernel_arguments! {
    /// The times, and the tables of the two-machine bound.
    pub(super) struct Bounding<'a> {
        times: &'a Buffer<u32> as quad,
        near_times: Local as quad,
        johnson: Option<Johnson<'a>>,
    }

    /// The tables of the two-machine bound, and its local memory.
    pub(super) struct Johnson<'a> {
        orders: &'a Buffer<u32> as johnson_step,
        machines: &'a Buffer<u8> as uchar2,
        pairs: u32,
        chunk: u32,
        pair_chunk: u32,
        pair_stride: u32,
        place: Local as ushort,
        ends_u: Local as pair,
        ends_v: Local as pair,
        but_one: Local as constant_c,
        partial: Local as pair,
    }

    /// Bounds the children of given nodes.
    pub(super) struct Children<'a> = "flow_shop_children" {
        records: &'a Buffer<u32> as quad,
        nodes: u32,
        bounds: &'a Buffer<u32> as pair,
        tile: Tile,
        bounding: Bounding<'a>,
        group_arrays: GroupArrays,
    }

    /// Bounds the children of a batch and lists the open ones.
    pub(super) struct Expand<'a> = "flow_shop_expand" {
        batch: Batch<'a>,
        tile: Tile,
        bounding: Bounding<'a>,
        group_arrays: GroupArrays,
    }
}
