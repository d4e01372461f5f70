//! The arguments of the kernels in `cl/knapsack.cl`.

use super::check::Word;
use crate::opencl::{Buffer, Local, kernel_arguments};

kernel_arguments! {
    /// From a row to the row after some items, for the groups from `group_first` on.
    pub(super) struct Pass<'a, T: Word> {
        source: &'a Buffer<T> as cell_t,
        target: &'a Buffer<T> as cell_t,
        cells: u64,
        group_first: u64,
        items: &'a Buffer<u64> as ulong2,
        items_first: u32,
    }

    /// Where kernels that keep decisions put them.
    pub(super) struct Decisions<'a> {
        decisions: &'a Buffer<u32>,
        decisions_first: u64,
        groups: u32,
    }

    /// Four items of any weight.
    pub(super) struct Quad<'a, T: Word> = T::QUAD {
        pass: Pass<'a, T>,
        kept: Option<Decisions<'a>>,
    }

    /// Some light items.
    pub(super) struct Fused<'a, T: Word> = T::FUSED {
        pass: Pass<'a, T>,
        items_end: u32,
        halo: u32,
        local_cells: Local as cell_t,
        kept: Option<Decisions<'a>>,
    }

    /// Back through the decisions of one launch.
    pub(super) struct Traceback<'a> = "knapsack_traceback" {
        kept: Decisions<'a>,
        items: &'a Buffer<u64> as ulong2,
        items_first: u32,
        items_end: u32,
        span: u32,
        halo: u32,
        together: u32,
        last: u64,
        state: &'a Buffer<u64>,
        taken: &'a Buffer<u8>,
    }

    /// A copy of a part of a row.
    pub(super) struct Window<'a, T: Word> = "knapsack_window" {
        source: &'a Buffer<T> as cell_t,
        target: &'a Buffer<T> as cell_t,
        first: u64,
        count: u64,
    }
}
