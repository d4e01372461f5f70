//! What the kernels in `cl/recurrence*.cl` take. Tables are bytes here: kernels know the type of a
//! value by their defines.

#[cfg(test)]
use crate::opencl::Forms;
use crate::opencl::{ArgList, Buffer, GroupArrays, Local, Parameter, kernel_arguments};

/// Entries of an offset and a weight, each of 32 or 64 bits.
pub(super) enum PlanBuffer {
    Narrow(Buffer<u32>),
    Wide(Buffer<u64>),
}

impl Parameter for &PlanBuffer {
    fn list<'s>(&'s self, list: &mut ArgList<'s>) {
        match self {
            PlanBuffer::Narrow(buffer) => list.buffer(buffer),
            PlanBuffer::Wide(buffer) => list.buffer(buffer),
        }
    }

    #[cfg(test)]
    fn forms(name: &'static str, element: Option<&'static str>) -> Forms {
        <&Buffer<u8>>::forms(name, element)
    }
}

kernel_arguments! {
    /// The common parameters of kernels, after the table and other outputs.
    pub(super) struct Shared<'a> {
        plans: &'a PlanBuffer as entry_t,
        terms: &'a Buffer<u8> as value_t,
        out_of_range: &'a Buffer<u32>,
        length: u64,
        plan_stride: u64,
        term_stride: u64,
        has_terms: u32,
        operands: u32,
        preset: u64,
    }

    /// Elements one after the other, by a work-item to each instance.
    pub(super) struct Sequential<'a> = "recurrence_sequential" {
        all: &'a Buffer<u8> as value_t,
        shared: Shared<'a>,
        first: u64,
        end: u64,
    }

    /// The same by a work-group to each instance.
    pub(super) struct Tournament<'a> = "recurrence_tournament" {
        all: &'a Buffer<u8> as value_t,
        shared: Shared<'a>,
        first: u64,
        end: u64,
        round: Local as partial_t,
    }

    /// Steps of a pipeline.
    pub(super) struct Pipeline<'a> = "recurrence_pipeline" {
        all: &'a Buffer<u8> as value_t,
        all_partials: &'a Buffer<u8> as partial_t,
        shared: Shared<'a>,
        visit: u32,
        fold: u64,
        stages: u32,
        step_first: u64,
        step_end: u64,
    }

    /// Elements that do not depend on each other.
    pub(super) struct Gather<'a> = "recurrence_gather" {
        all: &'a Buffer<u8> as value_t,
        shared: Shared<'a>,
        first: u64,
        count: u64,
        group_arrays: GroupArrays,
    }

    /// Elements by a work-group to each instance, with the last ones in a ring.
    pub(super) struct InRing<'a> = "recurrence_ring" {
        all: &'a Buffer<u8> as value_t,
        shared: Shared<'a>,
        first: u64,
        end: u64,
        step: u32,
        plan: Local as entry_t,
        group_arrays: GroupArrays,
    }

    /// What the elements of a block take from those before it.
    pub(super) struct History<'a> = "recurrence_history" {
        all: &'a Buffer<u8> as value_t,
        history: &'a Buffer<u8> as value_t,
        shared: Shared<'a>,
        first: u64,
        count: u32,
        block: u32,
        group_arrays: GroupArrays,
    }

    /// The elements of a block by its history.
    pub(super) struct Respond<'a> = "recurrence_respond" {
        all: &'a Buffer<u8> as value_t,
        history: &'a Buffer<u8> as value_t,
        responses: &'a Buffer<u8> as value_t,
        out_of_range: &'a Buffer<u32>,
        length: u64,
        response_stride: u64,
        first: u64,
        count: u32,
        block: u32,
        group_arrays: GroupArrays,
    }

    /// Samples of complete tables against the definition.
    pub(super) struct Check<'a> = "recurrence_check" {
        all: &'a Buffer<u8> as value_t,
        different: &'a Buffer<u32>,
        shared: Shared<'a>,
        stride: u64,
        count: u64,
        end: u64,
    }
}
